//! The search for the best move: iterative deepening over alpha-beta.
//!
//! A search is a pure function of the position, its history, the limits and the seed. It knows no
//! clock: who wants it to end by time says so through `stop`, which is asked about every thousand
//! nodes, and gets the result of the last iteration that was completed. Completed iterations do not
//! depend on when that was.
//!
//! ```
//! use kifud::xiangqi::Position;
//! use kifud::xiangqi::search::{Limits, search};
//!
//! // Two rooks, one move: 双车错.
//! let position = Position::from_fen("4k4/R8/1R7/8p/9/9/9/9/9/3K5 w").unwrap();
//! let limits = Limits { depth: Some(3), ..Limits::default() };
//! let best = search(&position, &[], &limits, 1, &|| false, &mut |_| {});
//! assert_eq!(best.played.unwrap().to_string(), "b7b9");
//! assert_eq!(best.mate, Some(1));
//! ```
//!
//! The files: `root` iterates and chooses among equals, `tree` is alpha-beta, `quiet` the captures at
//! its leaves; `walk` is the line being looked at and how the rules judge repeated positions on it;
//! `evaluate` and `squares` say what a position is worth, `table` and `order` what is remembered and
//! in which order moves are tried.
//!
//! A mate that is reported is proved: nothing that a side in danger could play has been left out. Its
//! distance is never too short; it may be too long until the search is deep enough. Of the rules about
//! repetition the search knows perpetual check, which loses; every other repetition is a draw to it.

mod evaluate;
mod order;
mod quiet;
mod root;
mod score;
mod squares;
mod table;
mod tree;
mod walk;

#[cfg(test)]
mod tests;

pub use root::{Searcher, search};

use super::moves::Move;

/// The greatest depth that can be asked for.
pub const MAX_DEPTH: u32 = 64;
/// The longest time that may be given to a search, in milliseconds: ten minutes.
pub const MAX_TIME_MS: u64 = 600_000;
/// The depth when neither depth nor time is given.
pub const DEFAULT_DEPTH: u32 = 4;
/// The time when neither depth nor time is given, in milliseconds.
pub const DEFAULT_TIME_MS: u64 = 300;
/// The size of the transposition table of [`search`], in MiB.
pub const DEFAULT_TABLE_MIB: usize = 16;

/// The depth and the milliseconds of a search for which these are asked: without either the two
/// defaults, with one of them only that one limits.
pub fn depth_and_time(depth: Option<u32>, time_ms: Option<u64>) -> (u32, u64) {
    match (depth, time_ms) {
        (None, None) => (DEFAULT_DEPTH, DEFAULT_TIME_MS),
        (depth, time_ms) => (depth.unwrap_or(MAX_DEPTH), time_ms.unwrap_or(MAX_TIME_MS)),
    }
}

/// When a search ends by itself. The default is the greatest depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Plies of the last iteration, at most [`MAX_DEPTH`] (more is taken as that, and 0 as 1).
    pub depth: Option<u32>,
    /// Positions to look at: the iteration in which so many are reached is given up.
    pub nodes: Option<u64>,
}

/// What one iteration found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Plies of the iteration.
    pub depth: u32,
    /// Centipawns for the side to move. 19,000 to 20,000 stands for a win by the opponent's perpetual
    /// check, more for a mate.
    pub score: i32,
    /// The distance of a mate in moves of the side that gives it: positive if the side to move does.
    pub mate: Option<i32>,
    /// Positions looked at since the search began.
    pub nodes: u64,
    /// The best line, its first move the best move.
    pub pv: Vec<Move>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best {
    /// The best move; `None` if there is no legal one.
    pub played: Option<Move>,
    /// As in [`Report`]. Before the first iteration is complete, the value without looking ahead.
    pub score: i32,
    /// As in [`Report`]; `Some(0)` if the side to move is mated or stalemated.
    pub mate: Option<i32>,
    /// Plies of the last iteration that was completed; 0 if none was.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// The best line.
    pub pv: Vec<Move>,
}
