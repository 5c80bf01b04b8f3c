//! The game of Go: points, boards as values, rules. Pure: no I/O, no clock, no JSON.

mod board;
pub mod clock;
mod point;
mod position;
pub mod referee;

pub use board::{Board, Illegal, Outcome};
pub use point::{Color, Move, Point, Size, Spelling, Vertex};
pub use position::{Position, Step, Stones};
