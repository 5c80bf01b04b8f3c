//! What an editor shows of a record, as plain values.
//!
//! [`Content`] is what a text holds, and answers for all formats. Below it one file an idea, each a
//! function of a [`Record`](crate::sgf::Record) and a byte offset or a range of its text; [`xiangqi`]
//! has the same of xiangqi's. Nothing here knows a protocol: ranges are [`Span`](crate::sgf::Span)s,
//! changes are [`TextEdit`](crate::sgf::TextEdit)s, and whoever speaks to editors turns them into
//! lines and columns. Words that people read are in the reader's [`Locale`].
//!
//! | question | answer |
//! |---|---|
//! | what is this? | [`hover`], with [`picture`] and [`svg`] of the board |
//! | what is in the document? | [`outline`], [`symbols`], [`folding`], [`links`], [`tokens`] |
//! | where else, and where from? | [`highlight`], [`references`], [`definition`], [`selection`] |
//! | what can I type, what can I do? | [`completion`], [`actions`], [`lenses`] |
//! | what do engines think? | [`analysis`], [`hints`] |
//!
//! Nothing panics, whatever the text and the offset; lists are bounded. What needs a board walks
//! the line to the node; everything else reads a node, a game or the document once.

pub mod actions;
mod candidates;
mod completion;
mod content;
mod decode;
mod definition;
mod figure;
mod folding;
mod highlight;
mod hints;
mod hover;
mod lenses;
mod links;
mod locale;
mod meaning;
mod outline;
mod picture;
mod place;
mod scene;
mod selection;
mod stored;
mod svg;
mod symbols;
mod tokens;
mod trace;
mod words;
pub mod xiangqi;

pub use completion::{Item, ItemKind, completion};
pub use content::{Content, named};
pub use definition::{Target, definition};
pub use folding::{Fold, FoldKind, MAX_FOLDS, folding};
pub use highlight::{MAX_USES, Use, UseKind, highlight, references};
pub use hints::{Hint, HintKind, MAX_HINTS, hints};
pub use hover::{Hover, hover};
pub use lenses::{Lens, LensCommand, MAX_LENSES, lenses};
pub use links::{Link, LinkTarget, MAX_LINKS, links};
pub use locale::Locale;
pub use outline::{Entry, EntryKind, MAX_ENTRIES, MAX_NESTING, outline};
pub use picture::picture;
pub use scene::{Diagram, Scene, scene};
pub use selection::selection;
pub use stored::{Analysis, analysis};
pub use svg::svg;
pub use symbols::{MAX_SYMBOLS, Symbol, SymbolKind, symbols};
pub use tokens::{Token, TokenKind, tokens};
pub use words::plain;

#[cfg(test)]
mod tests;
