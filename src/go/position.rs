//! A position with its history: what has to be done, in order, to stand on it.

use super::{Color, Move, Point, Size};

/// Set-up of one node: points that get a stone or become empty, in the order of the record.
pub type Stones = Vec<(Point, Option<Color>)>;

/// One step from the empty board towards a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Stones put or taken away by hand (SGF's AB, AW, AE); captures nothing.
    Setup(Stones),
    /// A move, executed whether it is legal or not.
    Play(Move),
}

/// A position and how it came about: the common coin between records, requests and engines.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The board's size.
    pub size: Size,
    /// Effective komi in points, `None` when the record names none.
    pub komi: Option<f64>,
    /// The rules as the record names them, `None` when it names none.
    pub rules: Option<String>,
    /// From the empty board, in game order.
    pub steps: Vec<Step>,
    /// Who moves next.
    pub to_play: Color,
}
