//! How the points of a board lie in memory.

use crate::go::{Point, Size, Vertex};

/// A place in a [`Grid`]: the points of the board row by row with one point of border between the
/// rows, and a row of border above and below. 0 is border, and stands for "no point" and for a pass.
pub type Place = u16;

/// No point; as a move, a pass.
pub const NOWHERE: Place = 0;

/// Places of the largest grid, rounded up to a power of two, so that a masked place is always in range.
pub const PLACES: usize = 512;

/// The longest side of a board that can be searched.
pub const MAX_SIDE: u8 = 19;

/// The place as an index of an array of [`PLACES`] elements.
#[inline(always)]
pub fn index(place: Place) -> usize {
    place as usize & (PLACES - 1)
}

/// The shape of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    size: Size,
    around: [Place; 8],
}

impl Grid {
    /// A grid for boards of 2 to 19 points a side; `None` for others.
    pub fn new(size: Size) -> Option<Grid> {
        let sides = 2..=MAX_SIDE;
        if !sides.contains(&size.width()) || !sides.contains(&size.height()) {
            return None;
        }
        let row = Place::from(size.width()) + 1;
        let up = 0u16.wrapping_sub(row);
        let left = 0u16.wrapping_sub(1);
        let around =
            [up, row, left, 1, up.wrapping_add(left), row + 1, up.wrapping_add(1), row.wrapping_add(left)];
        Some(Grid { size, around })
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Places in use, border included.
    pub fn places(&self) -> usize {
        (usize::from(self.size.width()) + 1) * (usize::from(self.size.height()) + 2) + 1
    }

    /// The place of a point of this board.
    pub fn place(&self, point: Point) -> Place {
        (Place::from(point.row) + 1) * (Place::from(self.size.width()) + 1) + Place::from(point.col) + 1
    }

    /// The place of a vertex; a pass and what is off the board are [`NOWHERE`].
    pub fn place_of(&self, vertex: Vertex) -> Place {
        match vertex {
            Vertex::At(point) if self.size.contains(point) => self.place(point),
            _ => NOWHERE,
        }
    }

    /// The inverse of [`Grid::place`] for a place of the board.
    pub fn point(&self, place: Place) -> Point {
        let row = Place::from(self.size.width()) + 1;
        Point::new((place % row).saturating_sub(1) as u8, (place / row).saturating_sub(1) as u8)
    }

    /// The inverse of [`Grid::place_of`].
    pub fn vertex(&self, place: Place) -> Vertex {
        if place == NOWHERE { Vertex::Pass } else { Vertex::At(self.point(place)) }
    }

    /// The eight places around one: above, below, left, right, then the diagonals, opposite ones in
    /// pairs. Of a place of the board only.
    #[inline(always)]
    pub fn around(&self, place: Place) -> [Place; 8] {
        self.around.map(|step| place.wrapping_add(step))
    }

    /// The four places beside one.
    #[inline(always)]
    pub fn beside(&self, place: Place) -> [Place; 4] {
        let [up, down, left, right, ..] = self.around;
        [up, down, left, right].map(|step| place.wrapping_add(step))
    }

    /// How many points away the nearest edge is; 0 on the first line.
    pub fn height(&self, place: Place) -> u8 {
        let Point { col, row } = self.point(place);
        let right = self.size.width().saturating_sub(1).saturating_sub(col);
        let below = self.size.height().saturating_sub(1).saturating_sub(row);
        col.min(row).min(right).min(below)
    }
}
