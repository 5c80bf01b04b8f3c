//! What all formats of records share: ranges and changes of a text, lines and columns, and what is found
//! wrong in one.
//!
//! A format reads a text in its own way. What it says about the text is in these words, so that whoever
//! shows it need not know which format it was.

mod finding;
mod level;
pub mod line_index;
mod span;

pub use finding::{Finding, Fix, MAX_FINDINGS, Related, Severity, Words, bulk_edits, together};
pub use level::{Level, Levels};
pub use span::{Span, TextEdit, apply_edits};
