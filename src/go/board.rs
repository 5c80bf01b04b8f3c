//! A board as a value: stones, captures, ko, and what a move does to them.
//!
//! A record's moves are executed whether they are legal or not (SGF FF\[4\], properties `B` and `W`);
//! [`Board::legality`] is a separate question, and the one that strict engines ask.

use super::{Color, Move, Point, Size, Vertex};

/// Stones, captures and ko. Cheap to clone; nothing is shared.
///
/// `==` compares everything; [`Board::same_stones`] compares the arrangement alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    size: Size,
    stones: Vec<Option<Color>>,
    captures: [u32; 2],
    ko: Option<(Point, Color)>,
    hash: u64,
}

/// Why a move is against the rules that all rule sets share (plus suicide, which few allow).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Illegal {
    /// A stone stands there already.
    Occupied,
    /// The move's own chain would be without liberties, and nothing is captured.
    Suicide,
    /// It retakes a single stone that has just taken a single stone.
    Ko,
    /// The point is not on the board.
    OffBoard,
}

/// What a move did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The opponent's stones that were taken, row by row from the top left.
    pub captured: Vec<Point>,
    /// The move's own chain had no liberty and was taken off the board.
    pub suicide: bool,
    /// The stone that stood there before.
    pub overwrote: Option<Color>,
    /// The rule that the move broke.
    pub illegal: Option<Illegal>,
}

impl Board {
    /// An empty board.
    pub fn new(size: Size) -> Board {
        Board { size, stones: vec![None; size.area()], captures: [0; 2], ko: None, hash: 0 }
    }

    /// Its size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The stone on a point; `None` when empty or off the board.
    pub fn at(&self, point: Point) -> Option<Color> {
        if self.size.contains(point) { self.stones[self.size.index(point)] } else { None }
    }

    /// Whether no stone stands on it.
    pub fn is_empty(&self) -> bool {
        self.stones.iter().all(Option::is_none)
    }

    /// All stones, row by row from the top left.
    pub fn stones(&self) -> impl Iterator<Item = (Point, Color)> {
        self.size.points().filter_map(|point| Some((point, self.at(point)?)))
    }

    /// How many stones this player has taken, the opponent's suicides included.
    pub fn captures(&self, by: Color) -> u32 {
        self.captures[by as usize]
    }

    /// The point where the next player may not retake.
    pub fn ko(&self) -> Option<Point> {
        self.ko.map(|(point, _)| point)
    }

    /// A fingerprint of the arrangement of stones (Zobrist, 1970): equal arrangements on equal
    /// sizes have equal hashes, the same in every process. Captures and ko are not part of it.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether size and stones are equal, whatever was captured and wherever ko stands.
    pub fn same_stones(&self, other: &Board) -> bool {
        self.hash == other.hash && self.size == other.size && self.stones == other.stones
    }

    /// What [`Board::set`] has to do to turn this board's stones into the other's. Points that
    /// lie on one board only count as empty.
    pub fn diff(&self, other: &Board) -> Vec<(Point, Option<Color>)> {
        let changed = |point: &Point| self.at(*point) != other.at(*point);
        self.size.points().filter(changed).map(|point| (point, other.at(point))).collect()
    }

    /// Puts a stone or takes one away by hand: captures nothing, ends a ko. Off the board: nothing.
    pub fn set(&mut self, point: Point, stone: Option<Color>) {
        if self.size.contains(point) {
            self.put(point, stone);
            self.ko = None;
        }
    }

    /// Whether the move obeys the rules. A pass always does.
    pub fn legality(&self, play: Move) -> Result<(), Illegal> {
        let Vertex::At(point) = play.vertex else {
            return Ok(());
        };
        if !self.size.contains(point) {
            Err(Illegal::OffBoard)
        } else if self.at(point).is_some() {
            Err(Illegal::Occupied)
        } else if self.ko == Some((point, play.color)) {
            Err(Illegal::Ko)
        } else if self.is_suicide(point, play.color) {
            Err(Illegal::Suicide)
        } else {
            Ok(())
        }
    }

    /// Plays the move, legal or not: a stone in the way is replaced, then the opponent's chains
    /// without liberties are taken, then the move's own. Off the board nothing is done.
    pub fn execute(&mut self, play: Move) -> Outcome {
        let illegal = self.legality(play).err();
        let point = match play.vertex {
            Vertex::At(point) if illegal != Some(Illegal::OffBoard) => point,
            Vertex::Pass => {
                self.ko = None;
                return Outcome::default();
            }
            Vertex::At(_) => return Outcome { illegal, ..Outcome::default() },
        };
        let overwrote = self.at(point);
        self.put(point, Some(play.color));
        let opponent = play.color.opponent();
        let mut captured = Vec::new();
        for neighbour in self.neighbours(point) {
            if self.at(neighbour) == Some(opponent) {
                captured.extend(self.take_if_dead(neighbour));
            }
        }
        captured.sort_by_key(|point| self.size.index(*point));
        let own = self.take_if_dead(point);
        self.captures[play.color as usize] += captured.len() as u32;
        self.captures[opponent as usize] += own.len() as u32;
        self.ko = match captured[..] {
            [taken] if self.is_single_in_atari(point) => Some((taken, opponent)),
            _ => None,
        };
        Outcome { captured, suicide: !own.is_empty(), overwrote, illegal }
    }

    /// The stones connected with the one on this point, row by row from the top left; none when
    /// it is empty.
    pub fn chain(&self, point: Point) -> Vec<Point> {
        self.region(point).0
    }

    /// The empty points beside the chain on this point, row by row from the top left.
    pub fn liberties(&self, point: Point) -> Vec<Point> {
        self.region(point).1
    }

    /// The stones of all chains without liberties, row by row from the top left. Set-up and
    /// nothing else can leave such stones.
    pub fn stones_without_liberties(&self) -> Vec<Point> {
        let mut seen = Marks::new();
        let mut dead = Vec::new();
        for (point, _) in self.stones() {
            if seen.has(self.size.index(point)) {
                continue;
            }
            let (chain, liberties) = self.region(point);
            for stone in &chain {
                seen.insert(self.size.index(*stone));
            }
            if liberties.is_empty() {
                dead.extend(chain);
            }
        }
        dead.sort_by_key(|point| self.size.index(*point));
        dead
    }

    /// The points beside this one, on the board.
    pub fn neighbours(&self, point: Point) -> impl Iterator<Item = Point> + use<> {
        let Point { col, row } = point;
        let size = self.size;
        let around = [
            (row > 0).then(|| Point::new(col, row - 1)),
            (col > 0).then(|| Point::new(col - 1, row)),
            (col < u8::MAX).then(|| Point::new(col + 1, row)),
            (row < u8::MAX).then(|| Point::new(col, row + 1)),
        ];
        around.into_iter().flatten().filter(move |beside| size.contains(*beside))
    }

    fn put(&mut self, point: Point, stone: Option<Color>) {
        let index = self.size.index(point);
        for color in [self.stones[index], stone].into_iter().flatten() {
            self.hash ^= key(index, color);
        }
        self.stones[index] = stone;
    }

    /// A chain and its liberties.
    fn region(&self, start: Point) -> (Vec<Point>, Vec<Point>) {
        let (mut chain, mut liberties) = (Vec::new(), Vec::new());
        let color = self.at(start);
        if color.is_none() {
            return (chain, liberties);
        }
        let mut seen = Marks::new();
        seen.insert(self.size.index(start));
        chain.push(start);
        let mut next = 0;
        while next < chain.len() {
            for point in self.neighbours(chain[next]) {
                let stone = self.at(point);
                if (stone.is_none() || stone == color) && seen.insert(self.size.index(point)) {
                    if stone.is_none() { &mut liberties } else { &mut chain }.push(point);
                }
            }
            next += 1;
        }
        chain.sort_by_key(|point| self.size.index(*point));
        liberties.sort_by_key(|point| self.size.index(*point));
        (chain, liberties)
    }

    /// Whether the chain on `start` has a liberty other than `filled`.
    fn breathes(&self, start: Point, filled: Option<Point>) -> bool {
        let color = self.at(start);
        let mut seen = Marks::new();
        seen.insert(self.size.index(start));
        let mut open = vec![start];
        while let Some(stone) = open.pop() {
            for point in self.neighbours(stone) {
                let here = self.at(point);
                if here.is_none() && Some(point) != filled {
                    return true;
                }
                if here == color && seen.insert(self.size.index(point)) {
                    open.push(point);
                }
            }
        }
        false
    }

    /// Whether a stone on this empty point would live neither by a liberty nor by a capture.
    fn is_suicide(&self, point: Point, color: Color) -> bool {
        self.neighbours(point).all(|beside| match self.at(beside) {
            None => false,
            Some(stone) if stone == color => !self.breathes(beside, Some(point)),
            Some(_) => self.breathes(beside, Some(point)),
        })
    }

    /// Takes the chain on this point off the board when it has no liberty.
    fn take_if_dead(&mut self, point: Point) -> Vec<Point> {
        if self.at(point).is_none() || self.breathes(point, None) {
            return Vec::new();
        }
        let chain = self.chain(point);
        for stone in &chain {
            self.put(*stone, None);
        }
        chain
    }

    fn is_single_in_atari(&self, point: Point) -> bool {
        let color = self.at(point);
        let mut empty = 0;
        for beside in self.neighbours(point) {
            match self.at(beside) {
                None => empty += 1,
                stone if stone == color => return false,
                Some(_) => {}
            }
        }
        color.is_some() && empty == 1
    }
}

/// The share of one stone in the hash: splitmix64 (Steele, Lea and Flood, 2014) of its number.
fn key(index: usize, color: Color) -> u64 {
    let number = 2 * index as u64 + color as u64 + 1;
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A set of point numbers that lives on the stack: floods are what a board spends its time with.
struct Marks([u64; (Size::MAX as usize * Size::MAX as usize).div_ceil(64)]);

impl Marks {
    fn new() -> Marks {
        Marks([0; _])
    }

    fn has(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Adds the number; whether it is new.
    fn insert(&mut self, index: usize) -> bool {
        let new = !self.has(index);
        self.0[index / 64] |= 1 << (index % 64);
        new
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
