//! The board of the playouts: chains that know their liberties, and no allocation.

use super::grid::{Grid, NOWHERE, PLACES, Place, index};
use crate::go::{self, Color};

/// What lies on a place, in the two bits that it has in a [`Board::shape`].
pub type Stone = u8;
/// No stone.
pub const EMPTY: Stone = 0;
/// A black stone.
pub const BLACK: Stone = 1;
/// A white stone.
pub const WHITE: Stone = 2;
/// Off the board.
pub const BORDER: Stone = 3;

/// The stone of a player.
pub fn stone(color: Color) -> Stone {
    match color {
        Color::Black => BLACK,
        Color::White => WHITE,
    }
}

/// The other player's stone.
#[inline(always)]
pub fn opponent(stone: Stone) -> Stone {
    stone ^ 3
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) stone: Stone,
    /// The place that stands for the whole chain.
    pub(super) chain: Place,
    /// The next stone of the chain; the last leads back to the first.
    pub(super) next: Place,
    /// The stones around, two bits each.
    pub(super) shape: u16,
}

/// The liberties of a chain are kept as their number and the exclusive or of their places: a single
/// liberty is known at once, and the second of two when one is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chain {
    pub(super) liberties: u16,
    pub(super) mixed: u16,
    pub(super) stones: u16,
}

/// Why a position cannot be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsuitable {
    /// A side is shorter than 2 or longer than 19 points.
    Size,
    /// A chain stands without liberties.
    NoLiberties,
}

impl Unsuitable {
    /// In words.
    pub fn why(self) -> &'static str {
        match self {
            Unsuitable::Size => "boards of 2 to 19 points a side can be searched",
            Unsuitable::NoLiberties => "a chain stands without liberties",
        }
    }
}

/// A position in play.
#[derive(Debug, Clone)]
pub struct Board {
    pub(super) grid: Grid,
    pub(super) cells: [Cell; PLACES],
    pub(super) chains: [Chain; PLACES],
    pub(super) empties: [Place; PLACES],
    /// Where in `empties` a place stands.
    pub(super) slots: [u16; PLACES],
    pub(super) empty: usize,
    pub(super) stones: [u16; 2],
    pub(super) hash: u64,
    pub(super) ko: Place,
    pub(super) last: [Place; 2],
    pub(super) taken: u16,
}

impl Board {
    /// The stones and the ko of a position.
    ///
    /// # Errors
    /// The size or a chain without liberties.
    pub fn new(from: &go::Board) -> Result<Board, Unsuitable> {
        let mut board = Board::empty(Grid::new(from.size()).ok_or(Unsuitable::Size)?);
        for (point, color) in from.stones() {
            board.put(board.grid.place(point), stone(color));
        }
        if from.stones().any(|(point, _)| board.liberties(board.grid.place(point)) == 0) {
            return Err(Unsuitable::NoLiberties);
        }
        board.ko = from.ko().map_or(NOWHERE, |point| board.grid.place(point));
        Ok(board)
    }

    /// The fingerprint of any arrangement, also of one that cannot be played on.
    pub fn hash_of(grid: &Grid, from: &go::Board) -> u64 {
        from.stones().fold(0, |hash, (point, color)| hash ^ key(grid.place(point), stone(color)))
    }

    /// An empty board.
    pub fn empty(grid: Grid) -> Board {
        let border = Cell { stone: BORDER, ..Cell::default() };
        let mut board = Board {
            grid,
            cells: [border; PLACES],
            chains: [Chain::default(); PLACES],
            empties: [NOWHERE; PLACES],
            slots: [0; PLACES],
            empty: 0,
            stones: [0; 2],
            hash: 0,
            ko: NOWHERE,
            last: [NOWHERE; 2],
            taken: 0,
        };
        for point in grid.size().points() {
            let place = grid.place(point);
            board.cells[index(place)].stone = EMPTY;
            board.append(place);
        }
        for point in grid.size().points() {
            let place = grid.place(point);
            let around = grid.around(place).into_iter().enumerate();
            let shape = around.map(|(side, other)| u16::from(board.at(other)) << (2 * side)).sum();
            board.cells[index(place)].shape = shape;
        }
        board
    }

    /// Becomes equal to a board of the same grid.
    pub fn copy_from(&mut self, other: &Board) {
        let places = self.grid.places().min(PLACES);
        self.cells[..places].copy_from_slice(&other.cells[..places]);
        self.chains[..places].copy_from_slice(&other.chains[..places]);
        self.empties[..places].copy_from_slice(&other.empties[..places]);
        self.slots[..places].copy_from_slice(&other.slots[..places]);
        self.empty = other.empty;
        self.stones = other.stones;
        self.hash = other.hash;
        self.ko = other.ko;
        self.last = other.last;
        self.taken = other.taken;
    }

    /// Its grid.
    #[inline(always)]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What lies there.
    #[inline(always)]
    pub fn at(&self, place: Place) -> Stone {
        self.cells[index(place)].stone
    }

    /// The stones on the eight places around, in the order of [`Grid::around`], two bits each from
    /// the lowest.
    #[inline(always)]
    pub fn shape(&self, place: Place) -> u16 {
        self.cells[index(place)].shape
    }

    /// The empty points, in no order.
    #[inline(always)]
    pub fn empties(&self) -> &[Place] {
        &self.empties[..self.empty.min(PLACES)]
    }

    /// The number of stones of a player on the board.
    pub fn count(&self, stone: Stone) -> u16 {
        self.stones[usize::from(stone == WHITE)]
    }

    /// A fingerprint of the stones, as in [`go::Board::hash`] but with other numbers.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The point that may not be retaken now, or [`NOWHERE`].
    pub fn ko(&self) -> Place {
        self.ko
    }

    /// The last move and the one before; [`NOWHERE`] for a pass.
    #[inline(always)]
    pub fn last(&self) -> [Place; 2] {
        self.last
    }

    /// Says which moves led here; of use to whoever looks near them.
    pub fn set_last(&mut self, last: [Place; 2]) {
        self.last = last;
    }

    /// How many stones the last move took.
    #[inline(always)]
    pub fn taken(&self) -> u16 {
        self.taken
    }

    /// The place that stands for the chain of this stone.
    #[inline(always)]
    pub fn chain(&self, place: Place) -> Place {
        self.cells[index(place)].chain
    }

    /// The liberties of the chain of this stone.
    #[inline(always)]
    pub fn liberties(&self, place: Place) -> u16 {
        self.chains[index(self.chain(place))].liberties
    }

    /// The stones of the chain of this stone.
    #[inline(always)]
    pub fn size(&self, place: Place) -> u16 {
        self.chains[index(self.chain(place))].stones
    }

    /// The liberty of a chain that has one only.
    #[inline(always)]
    pub fn liberty(&self, place: Place) -> Place {
        self.chains[index(self.chain(place))].mixed
    }

    /// The other liberty of a chain that has two.
    #[inline(always)]
    pub fn other_liberty(&self, place: Place, liberty: Place) -> Place {
        self.chains[index(self.chain(place))].mixed ^ liberty
    }

    /// The stone of the same chain that comes after this one.
    #[inline(always)]
    pub fn next(&self, place: Place) -> Place {
        self.cells[index(place)].next
    }

    /// The stones of a chain.
    pub fn chain_stones(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let mut here = place;
        (0..self.size(place)).map(move |_| {
            here = self.next(here);
            here
        })
    }

    /// The liberties of a chain that has one or two; [`NOWHERE`] for the one it has not.
    pub fn two_liberties(&self, place: Place) -> [Place; 2] {
        for stone in self.chain_stones(place) {
            for beside in self.grid.beside(stone) {
                if self.at(beside) == EMPTY {
                    let other =
                        if self.liberties(place) == 2 { self.other_liberty(place, beside) } else { NOWHERE };
                    return [beside, other];
                }
            }
        }
        [NOWHERE; 2]
    }

    /// Whether a stone of this player may be put there. Repeated positions other than a simple ko
    /// are not known here.
    #[inline]
    pub fn is_legal(&self, place: Place, stone: Stone) -> bool {
        if self.at(place) != EMPTY || place == self.ko {
            return false;
        }
        // An empty side is two clear bits.
        let sides = self.shape(place) & 0xff;
        if (sides | sides >> 1) & 0x55 != 0x55 {
            return true;
        }
        self.grid.beside(place).into_iter().any(|beside| {
            let there = self.at(beside);
            there != BORDER && (there == stone) == (self.liberties(beside) > 1)
        })
    }

    /// Whether a stone of this chain stands beside the place.
    #[inline(always)]
    pub fn touches(&self, place: Place, chain: Place) -> bool {
        self.grid.beside(place).into_iter().any(|beside| self.chain(beside) == chain && self.is_stone(beside))
    }

    #[inline(always)]
    fn is_stone(&self, place: Place) -> bool {
        matches!(self.at(place), BLACK | WHITE)
    }
}

/// The share of a stone in the hash: splitmix64 of its number.
#[inline(always)]
pub(super) fn key(place: Place, stone: Stone) -> u64 {
    let mut mixed = (u64::from(place) << 2 | u64::from(stone)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
