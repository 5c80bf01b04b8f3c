//! Points, sets of points, and the steps of the pieces that do not slide.
//!
//! Inside the core a point is its index (`row * 9 + col`) as a `usize`, and [`NOWHERE`] is where
//! captured pieces stand: every table is empty there, so that nobody asks whether a piece is still
//! on the board.
//!
//! A set of points is a 128-bit word with point `s` at bit `s + PAD`. `set >> s` then has the point
//! itself at bit [`PAD`] and everything within two rows and two columns of it in the low 64 bits:
//! a *window*. Legs, eyes and steps are the same window for every point, cut by what lies on the board.

use std::ops::Range;

use crate::xiangqi::{COLS, ROWS, SQUARES};
use crate::xiangqi::{Kind, Piece, Side};

/// Bits below the first point of a set; two rows and two columns.
pub(super) const PAD: usize = 2 * COLS + 2;
/// The points of half a board.
pub(super) const HALF: usize = SQUARES / 2;
/// Where captured pieces stand.
pub(super) const NOWHERE: usize = SQUARES;

/// A set of points, point `s` at bit `s + PAD`.
pub(super) type Points = u128;
/// All points.
pub(super) const BOARD: Points = ((1 << SQUARES) - 1) << PAD;

/// Pieces of a side by number: its place in the arrays of the board is `16 * side + number`.
pub(super) const KING: usize = 0;
pub(super) const ROOKS: Range<usize> = 1..3;
pub(super) const CANNONS: Range<usize> = 3..5;
pub(super) const HORSES: Range<usize> = 5..7;
pub(super) const ELEPHANTS: Range<usize> = 7..9;
pub(super) const ADVISORS: Range<usize> = 9..11;
pub(super) const PAWNS: Range<usize> = 11..16;
/// The slot that empty points name.
pub(super) const EMPTY: usize = 32;

/// The slots of a kind, before the side is added.
pub(super) const fn slots(kind: Kind) -> Range<usize> {
    match kind {
        Kind::King => KING..KING + 1,
        Kind::Rook => ROOKS,
        Kind::Cannon => CANNONS,
        Kind::Horse => HORSES,
        Kind::Elephant => ELEPHANTS,
        Kind::Advisor => ADVISORS,
        Kind::Pawn => PAWNS,
    }
}

/// The piece in a slot, if it is one.
#[inline(always)]
pub(super) fn piece_in(slot: usize) -> Option<Piece> {
    PIECE_IN[slot & 63]
}

pub(super) static PIECE_IN: [Option<Piece>; 64] = {
    let mut table = [None; 64];
    let mut at = 0;
    while at < Kind::ALL.len() {
        let kind = Kind::ALL[at];
        let mut slot = slots(kind).start;
        while slot < slots(kind).end {
            table[slot] = Some(Piece::new(Side::Black, kind));
            table[slot + 16] = Some(Piece::new(Side::Red, kind));
            slot += 1;
        }
        at += 1;
    }
    table
};

/// What a piece adds to the lines it stands on; nothing for an empty slot.
pub(super) static MARK: [u64; 64] = {
    let mut table = [0; 64];
    let mut slot = 0;
    while slot < EMPTY {
        if let Some(Piece { side, kind }) = PIECE_IN[slot] {
            let rook = matches!(kind, Kind::King | Kind::Rook);
            table[slot] = super::lines::mark(side as usize, rook, matches!(kind, Kind::Cannon));
        }
        slot += 1;
    }
    table
};

/// Which of a side's sets a piece belongs to: pawns have one, elephants and advisors another, and the
/// rest share a third that is never read.
pub(super) static SET: [u8; 64] = {
    let mut table = [UNREAD as u8; 64];
    let mut slot = 0;
    while slot < EMPTY {
        match slot % 16 {
            7..=10 => table[slot] = GUARD_SET as u8,
            11.. => table[slot] = PAWN_SET as u8,
            _ => {}
        }
        slot += 1;
    }
    table
};
pub(super) const UNREAD: usize = 0;
pub(super) const PAWN_SET: usize = 1;
pub(super) const GUARD_SET: usize = 2;

/// `col | row << 4` of each point; both 15 for [`NOWHERE`], a line that is always empty.
static LINES: [u8; 128] = {
    let mut table = [0xFF; 128];
    let mut square = 0;
    while square < SQUARES {
        table[square] = (square % COLS + ((square / COLS) << 4)) as u8;
        square += 1;
    }
    table
};

/// The column of a point.
#[inline(always)]
pub(super) fn col(square: usize) -> usize {
    (LINES[square & 127] & 15) as usize
}

/// The row of a point.
#[inline(always)]
pub(super) fn row(square: usize) -> usize {
    (LINES[square & 127] >> 4) as usize
}

/// The set of one point; empty for [`NOWHERE`].
#[inline(always)]
pub(super) fn point(square: usize) -> Points {
    POINT[square & 127]
}

/// The same, column by column: the point's bit is `col * 10 + row`.
#[inline(always)]
fn column_point(square: usize) -> u128 {
    COLUMN_POINT[square & 127]
}

static POINT: [Points; 128] = {
    let mut table = [0; 128];
    let mut square = 0;
    while square < SQUARES {
        table[square] = 1 << (square + PAD);
        square += 1;
    }
    table
};
static COLUMN_POINT: [u128; 128] = {
    let mut table = [0; 128];
    let mut square = 0;
    while square < SQUARES {
        table[square] = 1 << (square % COLS * ROWS + square / COLS);
        square += 1;
    }
    table
};

/// Points that moves may go to, kept row by row and column by column, as both kinds of line want a
/// piece of it.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    /// As a set of points.
    pub(super) points: Points,
    /// Column by column, from bit 0.
    columns: u128,
}

impl Targets {
    /// Every point.
    pub(super) const ALL: Targets = Targets { points: BOARD, columns: (1 << SQUARES) - 1 };
    /// No point.
    pub(super) const NONE: Targets = Targets { points: 0, columns: 0 };

    /// One point.
    #[inline(always)]
    pub(super) fn one(square: usize) -> Targets {
        Targets { points: point(square), columns: column_point(square) }
    }

    /// Points of one column, `on` as a set of rows.
    #[inline(always)]
    pub(super) fn on_column(col: usize, on: u32) -> Targets {
        Targets { points: column_points(col, on), columns: (on as u128) << (ROWS * col) }
    }

    /// Points of one row, `on` as a set of columns.
    #[inline(always)]
    pub(super) fn on_row(row: usize, on: u32) -> Targets {
        let mut columns = 0;
        for col in ones(on) {
            columns |= column_point(row * COLS + col);
        }
        Targets { points: row_points(row, on), columns }
    }

    /// All nine columns at once.
    #[inline(always)]
    pub(super) fn from_columns(points: Points, column: impl Fn(usize) -> u32) -> Targets {
        let mut columns = 0;
        for col in 0..COLS {
            columns |= (column(col) as u128) << (ROWS * col);
        }
        Targets { points, columns }
    }

    /// Points in either.
    #[inline(always)]
    pub(super) fn or(self, other: Targets) -> Targets {
        Targets { points: self.points | other.points, columns: self.columns | other.columns }
    }

    /// Points in both.
    #[inline(always)]
    pub(super) fn and(self, other: Targets) -> Targets {
        Targets { points: self.points & other.points, columns: self.columns & other.columns }
    }

    /// Points of this one that are not in the other.
    #[inline(always)]
    pub(super) fn minus(self, other: Targets) -> Targets {
        Targets { points: self.points & !other.points, columns: self.columns & !other.columns }
    }

    /// Its points on a row, as a set of columns, with other bits above them.
    #[inline(always)]
    pub(super) fn row(self, row: usize) -> u32 {
        (self.points >> (COLS * row + PAD)) as u32
    }

    /// Its points on a column, as a set of rows, with other bits above them.
    #[inline(always)]
    pub(super) fn column(self, col: usize) -> u32 {
        (self.columns >> (ROWS * col)) as u32
    }
}

/// Points of one column, `on` as a set of rows.
#[inline(always)]
pub(super) fn column_points(col: usize, on: u32) -> Points {
    let mut points = 0;
    for row in ones(on) {
        points |= point(row * COLS + col);
    }
    points
}

/// Points of one row, `on` as a set of columns.
#[inline(always)]
pub(super) fn row_points(row: usize, on: u32) -> Points {
    (on as Points) << (COLS * row + PAD)
}

/// The numbers of the bits of a set, lowest first.
#[inline(always)]
pub(super) fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            bit
        })
    })
}

/// The points of a window around `square`, lowest first.
#[inline(always)]
pub(super) fn in_window(square: usize, mut window: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = window.trailing_zeros() as usize;
        (window != 0).then(|| {
            window &= window - 1;
            square + bit - PAD
        })
    })
}
