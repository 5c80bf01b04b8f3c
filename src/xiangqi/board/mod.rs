//! The fast core: a position that can be played forwards and back, and counted, quickly.
//!
//! The rules are the ones of [`rules`](super::rules); this module says the same thing with tables.
//! It rests on four ideas, one file each:
//!
//! - `lines`: every row and column is one word that holds who stands on it, so that one load and
//!   one table entry give all moves and all attacks of a rook or cannon along it.
//! - `tables` and `steps`: sets of points are 128-bit words with room below the first point, so that the
//!   neighbourhood of a point is a shift away and the steps of the other pieces are constants.
//! - `king`: one look from the king tells what checks it, which pieces are pinned and which points
//!   must stay empty. Where nothing is, every move of the right shape is legal and needs no test.
//! - `count`: the last ply of a [`perft`](perft()) is counted without writing the moves down.
//!
//! [`Board`] holds no counters and no history: it is what a search or a count walks on, made from a
//! checked position and thrown away afterwards.

mod activity;
mod columns;
mod count;
mod dispatch;
mod exchange;
mod generate;
mod key;
mod king;
mod lines;
mod list;
mod mover;
mod perft;
pub mod published;
mod state;
mod steps;
mod tables;
#[cfg(test)]
mod tests;

pub use activity::Activity;
pub use columns::{Columns, columns};
pub use list::{MAX_MOVES, MoveList};
pub use perft::{LastPly, Stop, Threads, alone, divide, perft, perft_shared, perft_with};
pub use state::{Board, Undo};
