//! What a piece is worth on each point, in the opening and in the ending.
//!
//! The tables hold centipawns on top of the value of the kind, as its own side sees the board: the
//! first line is the enemy's back rank, the five numbers run from the edge to the middle file, and
//! the right half of the board is the left half's mirror image. The numbers say what the manuals say:
//! rooks belong on open files and on the rib files (肋道), horses near the enemy palace, at the points
//! of 卧槽 (c8), 挂角 (d7) and 钓鱼 (c7), cannons on the middle file or far back with room to fire,
//! pawns beyond the river but not on the last rank.

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::square::{COLS, SQUARES, Square};

use super::score::Score;

/// A value that shifts from the opening to the ending.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Tapered {
    pub(super) opening: Score,
    pub(super) ending: Score,
}

/// A value of opening and ending.
pub(super) const fn tapered(opening: Score, ending: Score) -> Tapered {
    Tapered { opening, ending }
}

impl Tapered {
    /// So many times the value.
    pub(super) const fn times(self, count: i32) -> Tapered {
        tapered(self.opening * count, self.ending * count)
    }
}

impl Add for Tapered {
    type Output = Tapered;
    fn add(self, other: Tapered) -> Tapered {
        tapered(self.opening + other.opening, self.ending + other.ending)
    }
}
impl Sub for Tapered {
    type Output = Tapered;
    fn sub(self, other: Tapered) -> Tapered {
        tapered(self.opening - other.opening, self.ending - other.ending)
    }
}
impl Neg for Tapered {
    type Output = Tapered;
    fn neg(self) -> Tapered {
        tapered(-self.opening, -self.ending)
    }
}
impl AddAssign for Tapered {
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}
impl SubAssign for Tapered {
    fn sub_assign(&mut self, other: Tapered) {
        *self = *self - other;
    }
}

/// The value of a kind, wherever it stands.
const fn of_kind(kind: Kind) -> Tapered {
    match kind {
        Kind::King => tapered(0, 0),
        Kind::Advisor => tapered(170, 180),
        Kind::Elephant => tapered(180, 190),
        Kind::Horse => tapered(400, 450),
        Kind::Rook => tapered(900, 950),
        Kind::Cannon => tapered(450, 420),
        Kind::Pawn => tapered(60, 90),
    }
}

type Half = [[i16; 5]; 10];

const ROOK: Half = [
    [10, 10, 10, 18, 15],
    [15, 18, 15, 25, 30],
    [10, 12, 12, 22, 20],
    [12, 18, 16, 24, 22],
    [12, 18, 16, 22, 22],
    [10, 16, 12, 20, 18],
    [0, 8, 5, 14, 8],
    [-6, 8, 0, 12, 5],
    [-4, 6, 2, 12, 0],
    [-18, 6, -2, 12, -10],
];

const HORSE: Half = [
    [-20, -10, -5, -5, -10],
    [-10, 5, 32, 8, -5],
    [0, 10, 24, 32, 12],
    [6, 22, 22, 26, 26],
    [2, 14, 22, 24, 24],
    [0, 8, 18, 18, 20],
    [-8, 4, 8, 12, 14],
    [-14, 0, 12, 4, 0],
    [-20, -5, 0, 0, -30],
    [-30, -18, -15, -15, -30],
];

const CANNON: Half = [
    [22, 14, 2, -10, -12],
    [8, 6, 0, -8, -6],
    [6, 4, -2, -10, -6],
    [2, 4, 4, 2, 8],
    [0, 4, 4, 4, 10],
    [0, 2, 4, 4, 14],
    [-2, 0, 4, 2, 12],
    [0, 8, 6, 8, 26],
    [0, 4, 6, 8, 4],
    [-6, 0, 4, 4, 0],
];

const PAWN_OPENING: Half = [
    [10, 20, 25, 35, 40],
    [80, 110, 140, 165, 180],
    [90, 115, 140, 160, 170],
    [85, 105, 120, 135, 135],
    [60, 70, 80, 90, 90],
    [8, 0, 18, 0, 22],
    [-6, 0, 2, 0, 16],
    [0; 5],
    [0; 5],
    [0; 5],
];

const PAWN_ENDING: Half = [
    [0, 5, 10, 20, 25],
    [80, 105, 135, 155, 165],
    [95, 115, 135, 150, 155],
    [90, 105, 115, 125, 125],
    [75, 80, 85, 90, 90],
    [15, 0, 18, 0, 15],
    [0; 5],
    [0; 5],
    [0; 5],
    [0; 5],
];

const ADVISOR: Half = {
    let mut half = [[0; 5]; 10];
    half[8][4] = 8;
    half[7][3] = -8;
    half
};

const ELEPHANT: Half = {
    let mut half = [[0; 5]; 10];
    half[7][4] = 15;
    half[7][0] = -12;
    half[5][2] = -4;
    half
};

const KING_OPENING: Half = {
    let mut half = [[0; 5]; 10];
    half[9][3] = -12;
    half[8] = [0, 0, 0, -30, -25];
    half[7] = [0, 0, 0, -55, -60];
    half
};

const KING_ENDING: Half = {
    let mut half = [[0; 5]; 10];
    half[9] = [0, 0, 0, -8, 6];
    half[8] = [0, 0, 0, -8, 2];
    half[7] = [0, 0, 0, -12, -4];
    half
};

/// What a place adds to a piece, read from its half table.
const fn place(kind: Kind, row: usize, col: usize) -> Tapered {
    const fn both(value: i16, percent: i32) -> Tapered {
        tapered(value as Score, value as Score * percent / 100)
    }
    match kind {
        Kind::King => tapered(KING_OPENING[row][col] as Score, KING_ENDING[row][col] as Score),
        Kind::Pawn => tapered(PAWN_OPENING[row][col] as Score, PAWN_ENDING[row][col] as Score),
        Kind::Advisor => both(ADVISOR[row][col], 50),
        Kind::Elephant => both(ELEPHANT[row][col], 50),
        Kind::Horse => both(HORSE[row][col], 70),
        Kind::Rook => both(ROOK[row][col], 50),
        Kind::Cannon => both(CANNON[row][col], 50),
    }
}

/// By [`index`] and point: the value of the piece there, negative for Black's.
static VALUES: [[Tapered; SQUARES]; 14] = {
    let mut table = [[tapered(0, 0); SQUARES]; 14];
    let mut at = 0;
    while at < Kind::ALL.len() {
        let kind = Kind::ALL[at];
        let mut square = 0;
        while square < SQUARES {
            let (row, col) = (square / COLS, square % COLS);
            let from_edge = if col < 5 { col } else { 8 - col };
            let (base, place) = (of_kind(kind), place(kind, row, from_edge));
            let value = tapered(base.opening + place.opening, base.ending + place.ending);
            table[index(Piece::new(Side::Red, kind))][square] = value;
            table[index(Piece::new(Side::Black, kind))][SQUARES - 1 - square] = value.times(-1);
            square += 1;
        }
        at += 1;
    }
    table
};

/// A piece as a number below 14.
pub(super) const fn index(piece: Piece) -> usize {
    piece.kind as usize + 7 * piece.side as usize
}

/// What a piece is worth on a point, for Red: negative if it is Black's.
pub(super) fn value(piece: Piece, square: Square) -> Tapered {
    VALUES[index(piece)][square.index()]
}

/// How much of the opening a piece stands for; [`FULL_PHASE`] at the start.
pub(super) const fn phase(kind: Kind) -> i32 {
    match kind {
        Kind::Rook => 4,
        Kind::Horse | Kind::Cannon => 2,
        _ => 0,
    }
}

/// The phase of the start: four rooks, four horses, four cannons.
pub(super) const FULL_PHASE: i32 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_board() {
        for kind in Kind::ALL {
            for square in Square::all() {
                let red = value(Piece::new(Side::Red, kind), square);
                assert_eq!(red, -value(Piece::new(Side::Black, kind), square.turned()));
                let mirrored = Square::at(square.row(), 8 - square.col()).unwrap();
                assert_eq!(red, value(Piece::new(Side::Red, kind), mirrored));
            }
        }
        let pawn = Piece::new(Side::Red, Kind::Pawn);
        let [home, crossed] = ["e3", "e5"].map(|text| value(pawn, Square::from_iccs(text).unwrap()));
        assert!(crossed.opening > home.opening && crossed.ending > home.ending);
    }
}
