//! Pieces on their points, in words.

use std::fmt;

use super::piece::{Kind, Piece, Side};
use super::rules::{self, Grid};
use super::square::Square;

/// A piece and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placed {
    /// The piece.
    pub piece: Piece,
    /// Its point.
    pub square: Square,
}

impl Placed {
    /// What stands on a point of a board, if anything does.
    pub fn on(board: &Grid, square: Square) -> Option<Placed> {
        rules::at(board, square).map(|piece| Placed { piece, square })
    }

    /// `e5 的黑车`.
    pub fn to_zh(self) -> String {
        format!("{} 的{}", self.square, piece_zh(self.piece))
    }
}

/// `the black rook on e5`.
impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} on {}", piece_en(self.piece), self.square)
    }
}

/// `黑车`.
pub fn piece_zh(piece: Piece) -> String {
    format!("{}{}", colour_zh(piece.side), piece.name_zh())
}

/// `black rook`.
pub fn piece_en(piece: Piece) -> String {
    format!("{} {}", piece.side.name().to_lowercase(), piece.kind.name())
}

/// 红 or 黑.
pub const fn colour_zh(side: Side) -> &'static str {
    match side {
        Side::Black => "黑",
        Side::Red => "红",
    }
}

/// Several pieces in Chinese: `e5 的黑车、h7 的黑炮`.
pub fn list_zh(placed: &[Placed]) -> String {
    placed.iter().map(|one| one.to_zh()).collect::<Vec<_>>().join("、")
}

/// Several pieces in English: `the black rook on e5 and the black cannon on h7`.
pub fn list_en(placed: &[Placed]) -> String {
    list(&placed.iter().map(Placed::to_string).collect::<Vec<_>>())
}

/// An English list: `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// A number of pieces in English: `1 rook`, `2 rooks`.
pub fn counted(count: usize, kind: Kind) -> String {
    format!("{count} {}{}", kind.name(), if count == 1 { "" } else { "s" })
}

/// A number with its sign; 0 has none.
pub fn signed(points: i32) -> String {
    if points == 0 { "0".into() } else { format!("{points:+}") }
}
