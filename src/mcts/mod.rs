//! A Go engine by Monte-Carlo tree search (Coulom, 2006): pure, without a clock and without threads of
//! its own.
//!
//! A [`Tree`] grows from a position; any number of [`Worker`]s, one a thread, let it grow by reference
//! until a closure of the caller says stop. One worker alone with the same seed always finds the same.
//!
//! ```
//! use kifud::go::{Position, Size};
//! use kifud::mcts::{Limits, Settings, Tree, Worker};
//!
//! let position = Position::new(Size::square(5).unwrap());
//! let tree = Tree::new(&position, Settings::default()).unwrap();
//! let mut worker = Worker::new(&tree, 1);
//! tree.prepare(&mut worker, &|_| true);
//! tree.search(&mut worker, Limits { visits: Some(300), ..Limits::default() }, &|| false);
//! let report = tree.report();
//! assert_eq!(report.visits, 300);
//! assert_eq!(report.candidates[0].vertex.to_gtp(position.size), "C3");
//! ```
//!
//! The files, from the inside out: `grid`, `board` and `moves` are the fast board, `pattern`, `nakade` and
//! `tactics` what is seen at a glance and what is read out, `playout` and `score` games to their end;
//! `prior`, `node`, `tree`, `search` and `report` are the search.

pub mod board;
pub mod grid;
mod moves;
pub mod nakade;
pub mod node;
pub mod pattern;
pub mod playout;
pub mod prior;
pub mod random;
pub mod report;
pub mod score;
pub mod search;
pub mod tactics;
pub mod tree;

#[cfg(test)]
mod search_tests;

pub use board::Unsuitable;
pub use report::{Candidate, Choice, Manners, Report};
pub use search::{Limits, Worker};
pub use tree::{Settings, Tree};
