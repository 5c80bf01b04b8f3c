//! Moves as text: ICCS and UCI coordinates, Chinese and WXF notation, written and read.
//!
//! ```
//! use kifud::xiangqi::Position;
//! use kifud::xiangqi::notation::{chinese, read, uci, wxf};
//!
//! let start = Position::start();
//! let cannon = read(&start, "砲二平五", None).unwrap();
//! assert_eq!(cannon.to_string(), "h2e2");
//! assert_eq!(chinese(&start, cannon), "炮二平五");
//! assert_eq!((wxf(&start, cannon), uci(cannon)), ("C2=5".into(), "h3e3".into()));
//! ```
//!
//! A written move is always read as that move. Beyond that the reader takes what other programs and
//! books write, and where that fits several legal moves it names them all.

mod catalog;
mod chinese;
mod coordinates;
mod error;
pub mod numerals;
mod parts;
mod phrase;
mod read;
mod text;
mod wxf;

pub use catalog::{Entry, catalog};
pub use chinese::{chinese, chinese_line};
pub use coordinates::{iccs, uci};
pub use error::ReadError;
pub use parts::{Action, Nowhere, Ordinal, Parts, parts};
pub use read::{LineError, Notation, read, read_line};
pub use text::MAX_CHARS;
pub use wxf::{wxf, wxf_letter};

#[cfg(test)]
mod tests;
