//! The game of Go: points, boards as values, rules. Pure: no I/O, no clock, no JSON.

mod point;
mod position;

pub use point::{Color, Move, Point, Size, Vertex};
pub use position::{Position, Step, Stones};
