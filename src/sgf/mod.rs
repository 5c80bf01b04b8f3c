//! The SGF document language: text in, a lossless tree and typed values out.
//!
//! Two layers. The syntax layer ([`Record`]) is a view on the text: every node, property and
//! value knows its exact range, nothing is normalised, nothing is refused. The typed layer
//! reads values when they are asked for. Edits are replacements of ranges, so bytes that an
//! edit does not concern cannot change.
//!
//! The format is FF\[4\] of <https://www.red-bean.com/sgf/>, with the habits of FF\[1\] to
//! FF\[3\] and of servers and old programs read as they were meant.

mod candidates;
mod charset;
mod check;
mod code;
pub mod date;
mod edit;
mod effective;
pub mod encoding;
mod finding;
mod follow;
mod format;
mod info;
mod level;
pub mod lexer;
mod outline;
pub mod overtime;
mod parse;
mod path;
mod position;
mod promote;
pub mod props;
mod record;
pub mod result;
mod trees;
pub mod value;
mod write;

pub use candidates::{CANDIDATES, Candidate, MAX_CANDIDATES, MAX_LINE, candidate_values, stored_candidates};
pub use check::{
    CheckOptions, Origin, check, check_structure, check_with, depends_on_file, normalise, safe_fixes, shown,
};
pub use code::Code;
pub use edit::{EditError, NewProperty, NewValue, add_line, add_node, remove_property, set_property};
pub use effective::{Because, Effective, effective};
pub use finding::Finding;
pub use follow::Follow;
pub use format::{Style, format, format_range};
pub use info::{GameInfo, GameKind, Komi, KomiSource};
pub use outline::{MarkedPoints, Markup, last_move, markup, move_number, own_move};
pub use path::{Path, PathStep, PathStepError};
pub use position::{NodePosition, PositionError, Turn, position, position_towards, turn};
pub use promote::{promote, remove_node};
pub use record::{Game, Node, NodeId, Property, Record, Value};
pub use trees::Tree;
pub use write::{new_node, open_record};

pub use crate::text::{
    Fix, Level, Levels, MAX_FINDINGS, Related, Severity, Span, TextEdit, Words, apply_edits, bulk_edits,
    line_index, together,
};

#[cfg(test)]
mod fix_tests;
#[cfg(test)]
mod tests;
