//! The SGF document language: text in, a lossless tree and typed values out.
//!
//! Two layers. The syntax layer ([`Record`]) is a view on the text: every node, property and
//! value knows its exact range, nothing is normalised, nothing is refused. The typed layer
//! reads values when they are asked for. Edits are replacements of ranges, so bytes that an
//! edit does not concern cannot change.
//!
//! The format is FF\[4\] of <https://www.red-bean.com/sgf/>, with the habits of FF\[1\] to
//! FF\[3\] and of servers and old programs read as they were meant.

mod finding;
pub mod lexer;
mod parse;
mod path;
mod record;
mod span;

pub use finding::{Finding, Severity};
pub use path::{Path, PathStep, PathStepError};
pub use record::{Game, Node, NodeId, Property, Record, Value};
pub use span::{Span, TextEdit, apply_edits};
