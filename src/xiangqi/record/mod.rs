//! Game records (棋谱): a tree of moves that our rules have checked, with comments and tags, and the
//! formats it is read from and written to.
//!
//! Reading never fails. What is wrong stays in the text and becomes a [`Finding`]; a line ends where
//! its first illegal move stands, and everything before it can be used.
//!
//! ```
//! use kifud::xiangqi::record::{NodeId, pgn};
//!
//! let text = "[Game \"Chinese Chess\"]\n\n1. 炮二平五 {中炮} 马8进7 (1... 炮8平5 2. 马二进三) 2. 马一进二 *\n";
//! let games = pgn::read(text);
//! let game = &games[0];
//! assert_eq!(game.children(NodeId(1)).count(), 2, "two answers to the first move");
//! assert_eq!(game.node(NodeId(1)).unwrap().comment, "中炮");
//! let finding = &game.findings()[0];
//! assert_eq!(finding.span.slice(text), "马一进二");
//! assert_eq!((finding.code, &*finding.message.zh), ("no-piece", "红方一路上没有马"));
//! ```

pub mod binary;
pub mod dhtmlxq;
mod edit;
mod finding;
mod games;
mod loss;
mod moves;
mod names;
mod path;
pub mod pgn;
mod tree;
mod walk;

pub use edit::Change;
pub use finding::{CODES, Finding};
pub use games::{Form, Game, Games};
pub use loss::{Loss, Place, losses_of_reading};
pub(crate) use loss::{losses_in_dhtmlxq, losses_in_pgn};
pub use names::Outcome;
pub use tree::{Node, NodeId, Record, Tag};
pub use walk::Walk;

#[cfg(test)]
mod games_tests;
#[cfg(test)]
mod tests;
