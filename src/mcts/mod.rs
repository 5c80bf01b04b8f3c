//! Go by Monte-Carlo tree search.
pub mod board;
pub mod grid;
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
