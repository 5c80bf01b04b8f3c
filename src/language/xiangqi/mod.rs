//! The same answers for records of xiangqi: functions of the [`Games`](crate::xiangqi::record::Games) of a
//! text and an offset in it. The plain data is that of the other records.

mod hover;
mod outline;
mod places;
mod spans;
mod svg;

pub use hover::hover;
pub use outline::{outline, symbols};
pub use places::{definition, highlight, references};
pub use spans::{folding, selection};
pub use svg::{Scene, svg};

#[cfg(test)]
mod tests;
