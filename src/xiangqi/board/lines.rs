//! Rows and columns as words, and what a piece sees along them.
//!
//! A [`Line`] is a row (9 points, from the left) or a column (10 points, from the top). Its word has
//! six sets of ten bits: occupied points, Black's pieces, and for each side its rooks with the king
//! and its cannons. The king counts as a rook because two kings that face each other attack each
//! other just so; along rows it can never meet an enemy it attacks.
//!
//! What is seen from a point depends only on the point and the occupied points, at most 1024
//! patterns: [`scan`] gives the open points and the first and second piece in both directions, the
//! [`king_scan`] the first three. A rook attacks the first pieces, a cannon the second.

use super::mover::Mover;

/// Bits of one set.
const WIDTH: usize = 10;
/// All points of a line.
const MASK: u32 = (1 << WIDTH) - 1;

/// Who stands where on one row or column.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Line(u64);

/// A row or a column: where a point lies on it, and which table it uses.
pub(super) trait Direction {
    /// What is seen from point `at` of a line.
    fn scan(at: usize, occupied: u32) -> Scan;
}
/// Lines of nine points, from the left.
pub(super) struct Row;
/// Lines of ten points, from the top.
pub(super) struct Column;

impl Direction for Row {
    #[inline(always)]
    fn scan(at: usize, occupied: u32) -> Scan {
        Scan(ROW_SCAN[at & 15][(occupied & 511) as usize])
    }
}
impl Direction for Column {
    #[inline(always)]
    fn scan(at: usize, occupied: u32) -> Scan {
        Scan(COLUMN_SCAN[at & 15][(occupied & MASK) as usize])
    }
}

impl Line {
    /// Puts a piece (its [`mark`]) on a point, or takes it away.
    #[inline(always)]
    pub(super) fn toggle(&mut self, mark: u64, at: usize) {
        self.0 ^= mark << at;
    }

    /// Points with a piece.
    #[inline(always)]
    pub(super) fn occupied(self) -> u32 {
        self.0 as u32 & MASK
    }

    #[inline(always)]
    fn of(self, side: usize) -> u32 {
        let black = self.0 >> WIDTH;
        (if side == 0 { black } else { self.0 ^ black }) as u32 & MASK
    }

    /// Points with a piece of the side to move.
    #[inline(always)]
    pub(super) fn own<M: Mover>(self) -> u32 {
        self.of(M::US)
    }

    /// Points with a piece of the other side.
    #[inline(always)]
    pub(super) fn enemy<M: Mover>(self) -> u32 {
        self.of(M::THEM)
    }

    /// Rooks and the king of a side.
    #[inline(always)]
    pub(super) fn rooks(self, side: usize) -> u32 {
        (self.0 >> (WIDTH * (2 + side))) as u32 & MASK
    }

    /// Cannons of a side.
    #[inline(always)]
    pub(super) fn cannons(self, side: usize) -> u32 {
        (self.0 >> (WIDTH * (4 + side))) as u32 & MASK
    }

    /// Whether a rook, cannon or king of `side` attacks the point this scan was made from.
    #[inline(always)]
    pub(super) fn attacks(self, seen: Scan, side: usize) -> bool {
        (seen.first() & self.rooks(side)) | (seen.second() & self.cannons(side)) != 0
    }

    /// The line after the pieces on `points` have ceased to be rooks or cannons.
    #[inline(always)]
    pub(super) fn without_sliders(self, points: u32) -> Line {
        let points = points as u64;
        Line(
            self.0
                & !(points << (2 * WIDTH)
                    | points << (3 * WIDTH)
                    | points << (4 * WIDTH)
                    | points << (5 * WIDTH)),
        )
    }
}

/// What a piece adds to the words of the lines it stands on, at their point 0: `rook` for rooks and
/// kings.
pub(super) const fn mark(side: usize, rook: bool, cannon: bool) -> u64 {
    1 | ((side == 0) as u64) << WIDTH
        | (rook as u64) << (WIDTH * (2 + side))
        | (cannon as u64) << (WIDTH * (4 + side))
}

/// What is seen along a line from one of its points, in both directions.
#[derive(Clone, Copy)]
pub(super) struct Scan(u32);

impl Scan {
    /// Empty points that can be reached.
    #[inline(always)]
    pub(super) fn open(self) -> u32 {
        self.0 & MASK
    }
    /// The nearest pieces.
    #[inline(always)]
    pub(super) fn first(self) -> u32 {
        self.0 >> WIDTH & MASK
    }
    /// The pieces behind them.
    #[inline(always)]
    pub(super) fn second(self) -> u32 {
        self.0 >> (2 * WIDTH)
    }
    /// Where a rook can go.
    #[inline(always)]
    pub(super) fn rook_targets(self, enemy: u32) -> u32 {
        self.open() | self.first() & enemy
    }
    /// Where a cannon can go.
    #[inline(always)]
    pub(super) fn cannon_targets(self, enemy: u32) -> u32 {
        self.open() | self.second() & enemy
    }
}

/// The first, second and third pieces on both sides of the king, nearest first.
#[derive(Clone, Copy)]
pub(super) struct KingScan {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) third: u32,
}

impl KingScan {
    #[inline(always)]
    fn of(entry: u32) -> KingScan {
        KingScan { first: entry & MASK, second: entry >> WIDTH & MASK, third: entry >> (2 * WIDTH) }
    }
    /// From a king in `row` of a column.
    #[inline(always)]
    pub(super) fn column(row: usize, occupied: u32) -> KingScan {
        KingScan::of(KING_COLUMN_SCAN[row & 15][(occupied & MASK) as usize])
    }
    /// From a king in `col` of a row.
    #[inline(always)]
    pub(super) fn row(col: usize, occupied: u32) -> KingScan {
        KingScan::of(KING_ROW_SCAN[col & 15][(occupied & 511) as usize])
    }
}

/// Points strictly between two points of a line.
#[inline(always)]
pub(super) fn between(a: usize, b: usize) -> u32 {
    BETWEEN[a & 15][b & 15] as u32
}

static BETWEEN: [[u16; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut a = 0;
    while a < 16 {
        let mut b = a + 1;
        while b < 16 {
            let points = ((1u32 << b) - (2 << a)) as u16;
            table[a][b] = points;
            table[b][a] = points;
            b += 1;
        }
        a += 1;
    }
    table
};

// Sixteen rows, of which a line fills nine or ten: captured pieces look up row 15, which is empty,
// and an index of four bits needs no bounds check.
static ROW_SCAN: [[u32; 512]; 16] = scans(9, false);
static COLUMN_SCAN: [[u32; 1024]; 16] = scans(10, false);
static KING_ROW_SCAN: [[u32; 512]; 16] = scans(9, true);
static KING_COLUMN_SCAN: [[u32; 1024]; 16] = scans(10, true);

/// The table of a line of `points` points. Evaluated by the compiler, which is slow at it: hence the
/// arithmetic on whole words below, and for kings only the rows of the palaces.
const fn scans<const PATTERNS: usize>(points: usize, king: bool) -> [[u32; PATTERNS]; 16] {
    let mut table = [[0; PATTERNS]; 16];
    let mut at = 0;
    while at < points {
        let palace = if points == 9 { at >= 3 && at <= 5 } else { at <= 2 || at >= 7 };
        if palace || !king {
            let mut occupied = 0;
            while occupied < PATTERNS {
                table[at][occupied] = scan(at, occupied as u32, points, king);
                occupied += 1;
            }
        }
        at += 1;
    }
    table
}

/// One entry: `open | first << 10 | second << 20`, or for a king `first | second << 10 | third << 20`.
const fn scan(at: usize, occupied: u32, points: usize, king: bool) -> u32 {
    let here = 1u32 << at;
    // Upwards: the lowest bit above the point, then the next ones.
    let above = occupied & !(here | (here - 1));
    let up1 = above & above.wrapping_neg();
    let above = above ^ up1;
    let up2 = above & above.wrapping_neg();
    let above = above ^ up2;
    let up3 = above & above.wrapping_neg();
    // Downwards: the highest bit below it.
    let below = occupied & (here - 1);
    let down1 = highest(below);
    let down2 = highest(below ^ down1);
    let down3 = highest(below ^ down1 ^ down2);
    let (first, second) = (up1 | down1, up2 | down2);
    if king {
        return first | second << WIDTH | (up3 | down3) << (2 * WIDTH);
    }
    let end = if up1 == 0 { 1 << points } else { up1 };
    let start = if down1 == 0 { 1 } else { down1 << 1 };
    let open = (end - start) ^ here;
    open | first << WIDTH | second << (2 * WIDTH)
}

/// The highest bit, alone.
const fn highest(bits: u32) -> u32 {
    if bits == 0 { 0 } else { 1 << (31 - bits.leading_zeros()) }
}
