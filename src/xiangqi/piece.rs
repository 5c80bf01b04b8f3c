//! The two sides, the seven kinds and the pieces.

use std::fmt;

/// A side. Red moves first and sits at the bottom of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// 黑方, at the top: its home rows are 0 to 4.
    Black = 0,
    /// 红方, at the bottom: its home rows are 5 to 9.
    Red = 1,
}

impl Side {
    /// Both sides, the one that moves first in front.
    pub const ALL: [Side; 2] = [Side::Red, Side::Black];

    /// The other side.
    pub const fn opposite(self) -> Side {
        match self {
            Side::Black => Side::Red,
            Side::Red => Side::Black,
        }
    }

    /// The letter on the wire: `r` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Side::Black => 'b',
            Side::Red => 'r',
        }
    }

    /// The letter in a FEN as kifud writes it: `w` or `b`.
    pub const fn to_fen_char(self) -> char {
        match self {
            Side::Black => 'b',
            Side::Red => 'w',
        }
    }

    /// Reads a side: `w` or `r` is Red, `b` Black.
    pub const fn from_fen_char(letter: char) -> Option<Side> {
        match letter {
            'w' | 'r' => Some(Side::Red),
            'b' => Some(Side::Black),
            _ => None,
        }
    }

    /// 红方 or 黑方.
    pub const fn name_zh(self) -> &'static str {
        match self {
            Side::Black => "黑方",
            Side::Red => "红方",
        }
    }

    /// `Red` or `Black`.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Black => "Black",
            Side::Red => "Red",
        }
    }

    /// Rows that one step forward adds: −1 for Red, 1 for Black.
    pub const fn forward(self) -> i8 {
        match self {
            Side::Black => 1,
            Side::Red => -1,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// 帅 将: one step along a line, inside the palace.
    King,
    /// 仕 士: one step along a diagonal, inside the palace.
    Advisor,
    /// 相 象: two steps along a diagonal, blocked in the middle, on its own side of the river.
    Elephant,
    /// 马: one step along a line, then one along a diagonal; blocked at the first.
    Horse,
    /// 车: any way along a line.
    Rook,
    /// 炮: moves as a rook, captures over exactly one piece.
    Cannon,
    /// 兵 卒: one step forward, beyond the river also sideways.
    Pawn,
}

impl Kind {
    /// All kinds, in the order in which pieces are usually listed.
    pub const ALL: [Kind; 7] =
        [Kind::King, Kind::Advisor, Kind::Elephant, Kind::Horse, Kind::Rook, Kind::Cannon, Kind::Pawn];

    /// How many a side has at the start, and so at most.
    pub const fn limit(self) -> usize {
        match self {
            Kind::King => 1,
            Kind::Pawn => 5,
            _ => 2,
        }
    }

    /// The FEN letter, upper case, of the dialect that kifud writes (`N` horse, `B` elephant).
    pub const fn to_fen_char(self) -> char {
        match self {
            Kind::King => 'K',
            Kind::Advisor => 'A',
            Kind::Elephant => 'B',
            Kind::Horse => 'N',
            Kind::Rook => 'R',
            Kind::Cannon => 'C',
            Kind::Pawn => 'P',
        }
    }

    /// Reads a FEN letter of either dialect (`N`/`H`, `B`/`E`) and either case.
    pub const fn from_fen_char(letter: char) -> Option<Kind> {
        Some(match letter.to_ascii_uppercase() {
            'K' => Kind::King,
            'A' => Kind::Advisor,
            'B' | 'E' => Kind::Elephant,
            'N' | 'H' => Kind::Horse,
            'R' => Kind::Rook,
            'C' => Kind::Cannon,
            'P' => Kind::Pawn,
            _ => return None,
        })
    }

    /// The English word: `horse`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::King => "king",
            Kind::Advisor => "advisor",
            Kind::Elephant => "elephant",
            Kind::Horse => "horse",
            Kind::Rook => "rook",
            Kind::Cannon => "cannon",
            Kind::Pawn => "pawn",
        }
    }
}

/// A piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// What it is.
    pub kind: Kind,
}

impl Piece {
    /// A piece of a side.
    pub const fn new(side: Side, kind: Kind) -> Piece {
        Piece { side, kind }
    }

    /// Reads a FEN letter of either dialect: upper case is Red.
    pub const fn from_fen_char(letter: char) -> Option<Piece> {
        let side = if letter.is_ascii_uppercase() { Side::Red } else { Side::Black };
        match Kind::from_fen_char(letter) {
            Some(kind) => Some(Piece { side, kind }),
            None => None,
        }
    }

    /// The FEN letter in the dialect that kifud writes: `N`, `b`.
    pub const fn to_fen_char(self) -> char {
        match self.side {
            Side::Red => self.kind.to_fen_char(),
            Side::Black => self.kind.to_fen_char().to_ascii_lowercase(),
        }
    }

    /// The character on the piece, simplified: 帅仕相马车炮兵 for Red, 将士象马车炮卒 for Black.
    pub const fn name_zh(self) -> &'static str {
        match (self.side, self.kind) {
            (Side::Red, Kind::King) => "帅",
            (Side::Black, Kind::King) => "将",
            (Side::Red, Kind::Advisor) => "仕",
            (Side::Black, Kind::Advisor) => "士",
            (Side::Red, Kind::Elephant) => "相",
            (Side::Black, Kind::Elephant) => "象",
            (_, Kind::Horse) => "马",
            (_, Kind::Rook) => "车",
            (_, Kind::Cannon) => "炮",
            (Side::Red, Kind::Pawn) => "兵",
            (Side::Black, Kind::Pawn) => "卒",
        }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_fen_char())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_both_dialects() {
        for side in Side::ALL {
            for kind in Kind::ALL {
                let piece = Piece::new(side, kind);
                assert_eq!(Piece::from_fen_char(piece.to_fen_char()), Some(piece));
            }
            assert_eq!(side.opposite().opposite(), side);
        }
        assert_eq!(Piece::from_fen_char('h'), Piece::from_fen_char('n'));
        assert_eq!(Piece::from_fen_char('E'), Piece::from_fen_char('B'));
        for letter in ['x', '1', ' ', '马', '\u{212A}'] {
            assert_eq!(Piece::from_fen_char(letter), None, "{letter}");
        }
    }
}
