//! A board that is played forwards along a line of a tree and taken back where lines part.
//!
//! It gives the answers of [`crate::go::Board`] and is made for speed: one border of stones around
//! the points, no lists of chains, a journal of changed points instead of copies.

use crate::go::{Color, Point, Size};

/// An empty point, as the cells hold it. Stones are 1 (Black) and 2 (White).
const EMPTY: u8 = 0;
const BORDER: u8 = 3;

/// A point as a place in the cells.
type Cell = u16;

/// The rules that a move broke, and what it did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Played {
    /// A stone stood there.
    pub occupied: bool,
    /// It retook a ko at once.
    pub ko: bool,
    /// Its own chain had no liberty left and went off the board.
    pub suicide: bool,
}

/// Where a line stands; see [`Replay::rewind`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    journal: usize,
    ko: Option<(Cell, u8)>,
}

#[derive(Debug)]
pub(super) struct Replay {
    size: Size,
    stride: usize,
    cells: Vec<u8>,
    /// For each cell the flood that reached it last.
    reached: Vec<u32>,
    flood: u32,
    chain: Vec<Cell>,
    /// Changed cells and what they held before.
    journal: Vec<(Cell, u8)>,
    ko: Option<(Cell, u8)>,
    hash: u64,
    stones: u32,
}

fn value(color: Color) -> u8 {
    color as u8 + 1
}

impl Replay {
    pub fn new(size: Size) -> Replay {
        let stride = usize::from(size.width()) + 2;
        let count = stride * (usize::from(size.height()) + 2);
        let mut cells = vec![BORDER; count];
        for row in 1..=usize::from(size.height()) {
            cells[row * stride + 1..(row + 1) * stride - 1].fill(EMPTY);
        }
        Replay {
            size,
            stride,
            cells,
            reached: vec![0; count],
            flood: 0,
            chain: Vec::new(),
            journal: Vec::with_capacity(64),
            ko: None,
            hash: 0,
            stones: 0,
        }
    }

    fn cell(&self, point: Point) -> usize {
        (usize::from(point.row) + 1) * self.stride + usize::from(point.col) + 1
    }

    fn point(&self, cell: Cell) -> Point {
        let cell = usize::from(cell);
        Point::new((cell % self.stride - 1) as u8, (cell / self.stride - 1) as u8)
    }

    fn around(&self, cell: usize) -> [usize; 4] {
        [cell - self.stride, cell - 1, cell + 1, cell + self.stride]
    }

    /// The stone on a point.
    pub fn at(&self, point: Point) -> Option<Color> {
        let inside = self.size.contains(point);
        match if inside { self.cells[self.cell(point)] } else { EMPTY } {
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => None,
        }
    }

    /// A fingerprint of the stones.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// How many stones are on the board.
    pub fn stones(&self) -> u32 {
        self.stones
    }

    pub fn mark(&self) -> Mark {
        Mark { journal: self.journal.len(), ko: self.ko }
    }

    /// Takes back everything since the mark.
    pub fn rewind(&mut self, mark: Mark) {
        while self.journal.len() > mark.journal {
            let Some((cell, before)) = self.journal.pop() else { break };
            self.change(usize::from(cell), before);
        }
        self.ko = mark.ko;
    }

    fn put(&mut self, cell: usize, stone: u8) {
        let before = self.cells[cell];
        if before != stone {
            self.journal.push((cell as Cell, before));
            self.change(cell, stone);
        }
    }

    fn change(&mut self, cell: usize, stone: u8) {
        let before = std::mem::replace(&mut self.cells[cell], stone);
        self.hash ^= key(cell, before) ^ key(cell, stone);
        self.stones = self.stones + u32::from(stone != EMPTY) - u32::from(before != EMPTY);
    }

    /// Puts or removes a stone by hand. The point must lie on the board; others change nothing.
    pub fn set(&mut self, point: Point, stone: Option<Color>) {
        if self.size.contains(point) {
            self.put(self.cell(point), stone.map_or(EMPTY, value));
            self.ko = None;
        }
    }

    pub fn pass(&mut self) {
        self.ko = None;
    }

    /// Plays a move, legal or not, as SGF wants it. The point must lie on the board.
    pub fn play(&mut self, color: Color, point: Point) -> Played {
        if !self.size.contains(point) {
            return Played::default();
        }
        let cell = self.cell(point);
        let (own, other) = (value(color), value(color.opponent()));
        let mut played = Played {
            occupied: self.cells[cell] != EMPTY,
            ko: self.ko == Some((cell as Cell, own)),
            ..Played::default()
        };
        self.put(cell, own);
        let before = self.journal.len();
        for beside in self.around(cell) {
            if self.cells[beside] == other && !self.breathes(beside) {
                self.take_chain();
            }
        }
        let taken = self.journal.len() - before;
        self.ko = None;
        if taken == 1 && self.is_single_in_atari(cell) {
            self.ko = self.journal.last().map(|(taken, _)| (*taken, other));
        } else if taken == 0 && !self.breathes(cell) {
            played.suicide = true;
            self.take_chain();
        }
        played
    }

    /// Whether the chain on this cell has a liberty. When not, it is in `self.chain`.
    fn breathes(&mut self, cell: usize) -> bool {
        if self.around(cell).iter().any(|beside| self.cells[*beside] == EMPTY) {
            return true;
        }
        let color = self.cells[cell];
        if self.flood == u32::MAX {
            self.reached.fill(0);
            self.flood = 0;
        }
        self.flood += 1;
        self.reached[cell] = self.flood;
        self.chain.clear();
        self.chain.push(cell as Cell);
        let mut next = 0;
        while let Some(stone) = self.chain.get(next) {
            next += 1;
            for beside in self.around(usize::from(*stone)) {
                let here = self.cells[beside];
                if here == EMPTY {
                    return true;
                }
                if here == color && self.reached[beside] != self.flood {
                    self.reached[beside] = self.flood;
                    self.chain.push(beside as Cell);
                }
            }
        }
        false
    }

    fn take_chain(&mut self) {
        let chain = std::mem::take(&mut self.chain);
        chain.iter().for_each(|cell| self.put(usize::from(*cell), EMPTY));
        self.chain = chain;
    }

    fn is_single_in_atari(&self, cell: usize) -> bool {
        let around = self.around(cell).map(|beside| self.cells[beside]);
        let count = |what: u8| around.iter().filter(|here| **here == what).count();
        count(self.cells[cell]) == 0 && count(EMPTY) == 1
    }

    /// Stones without liberties among and beside what has changed since the mark.
    pub fn dead_since(&mut self, mark: Mark) -> Vec<Point> {
        let mut dead = Vec::new();
        for index in mark.journal..self.journal.len() {
            let cell = usize::from(self.journal[index].0);
            for near in self.around(cell).into_iter().chain([cell]) {
                let stone = matches!(self.cells[near], 1 | 2);
                if stone && !dead.contains(&(near as Cell)) && !self.breathes(near) {
                    dead.extend_from_slice(&self.chain);
                }
            }
        }
        dead.sort_unstable();
        dead.dedup();
        dead.into_iter().map(|cell| self.point(cell)).collect()
    }
}

/// The share of one stone in the hash: splitmix64 (Steele, Lea and Flood, 2014) of its number;
/// nothing for an empty point.
fn key(cell: usize, stone: u8) -> u64 {
    if stone == EMPTY {
        return 0;
    }
    let number = 4 * cell as u64 + u64::from(stone);
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::go::{Board, Illegal, Move, Vertex};

    fn same(fast: &Replay, board: &Board) -> bool {
        board.size().points().all(|point| fast.at(point) == board.at(point))
    }

    proptest! {
        /// The plain board of the rules as the second opinion.
        #[test]
        fn plays_as_the_board_does(
            width in 1u8..6, height in 1u8..6,
            steps in prop::collection::vec((0u8..6, 0u8..6, 0u8..10), 1..120),
        ) {
            let size = Size::new(width, height).unwrap();
            let (mut fast, mut board) = (Replay::new(size), Board::new(size));
            let mut marks = Vec::new();
            for (col, row, what) in steps {
                let point = Point::new(col % width, row % height);
                match what {
                    0 => { fast.set(point, None); board.set(point, None); }
                    1 => { fast.set(point, Some(Color::White)); board.set(point, Some(Color::White)); }
                    2 => marks.push((fast.mark(), board.clone())),
                    3 => if let Some((mark, then)) = marks.pop() {
                        fast.rewind(mark);
                        board = then;
                    },
                    _ => {
                        let color = if what % 2 == 0 { Color::Black } else { Color::White };
                        let outcome = board.execute(Move { color, vertex: Vertex::At(point) });
                        let played = fast.play(color, point);
                        let rule = match outcome.illegal {
                            _ if played.occupied => Some(Illegal::Occupied),
                            _ if played.ko => Some(Illegal::Ko),
                            _ if played.suicide => Some(Illegal::Suicide),
                            _ => None,
                        };
                        prop_assert_eq!(rule, outcome.illegal);
                    }
                }
                prop_assert!(same(&fast, &board));
                prop_assert_eq!(fast.ko.map(|(cell, _)| fast.point(cell)), board.ko());
                let mut fresh = Replay::new(size);
                board.stones().for_each(|(point, color)| fresh.set(point, Some(color)));
                prop_assert_eq!((fresh.hash(), fresh.stones()), (fast.hash(), fast.stones()));
                prop_assert_eq!(fresh.dead_since(Mark::default()), board.stones_without_liberties());
            }
        }
    }
}
