//! Moves as text.

mod chinese;
mod coordinates;
pub mod numerals;
mod parts;

pub use chinese::chinese;
pub use coordinates::{iccs, uci};
pub use parts::{Action, Nowhere, Ordinal, Parts, parts};
