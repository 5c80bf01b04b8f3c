//! Records of other programs: what a file is, and how it becomes a record of the kinds that kifud
//! edits.
//!
//! Go files (GIB, NGF, UGF) become SGF. Xiangqi files are read by [`crate::xiangqi::record`] and
//! become PGN or DhtmlXQ. [`detect`] says what a file is and why, [`convert`] what a conversion could not
//! keep.

mod convert;
mod detect;
pub mod go;

pub use convert::{Charset, ConvertError, Converted, Options, Target, convert, read_xiangqi};
pub use detect::{Detected, Format, detect, detect_text};

#[cfg(test)]
mod tests;
