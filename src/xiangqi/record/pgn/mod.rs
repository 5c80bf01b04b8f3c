//! PGN, as Chinese programs write it.
//!
//! Sources: 《中国象棋电脑应用规范(三) PGN文件格式》 of xqbase.com (tags, several games in one file, results);
//! Edwards' PGN standard of 1994 for what that leaves open: comments in braces or behind `;`,
//! variations in parentheses, `$` glyphs, `%` lines, `\"` in tags. Moves are read in Chinese, ICCS, UCI
//! and WXF whatever the tag `Format` says; it is needed only where points could be ICCS and are UCI.
//!
//! The text is a list of tokens that leaves out nothing, and every move, comment and tag of the tree
//! knows its place in it; changes are replacements of ranges ([`set_tag`], [`set_comment`],
//! [`add_move`]), so that bytes that an edit does not concern stay.

mod edit;
mod lex;
mod read;
mod write;

pub use edit::{EditError, add_move, remove, remove_comment, set_comment, set_tag};
pub use lex::{Kind, Token, tokens};
pub use read::{read, starts};
pub(super) use write::moves_anew;
pub use write::{Style, move_text, style_of, write};

#[cfg(test)]
mod tests;
