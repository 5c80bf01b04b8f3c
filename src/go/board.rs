//! A board as a value.

use super::{Color, Point, Size};

/// Stones, captures and ko. Cheap to clone; nothing is shared.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    size: Size,
    stones: Vec<Option<Color>>,
}

impl Board {
    /// An empty board.
    pub fn new(size: Size) -> Board {
        Board { size, stones: vec![None; size.area()] }
    }

    /// Its size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The stone on a point; `None` when empty. The point must lie on the board.
    pub fn at(&self, point: Point) -> Option<Color> {
        self.stones[self.size.index(point)]
    }
}
