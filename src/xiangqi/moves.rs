//! A move: from where to where.

use std::fmt;

use super::square::Square;

/// A move. Whether it is legal depends on the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

impl Move {
    /// A move between two points.
    pub const fn new(from: Square, to: Square) -> Move {
        Move { from, to }
    }

    /// The move as one number: `from | to << 7`.
    pub const fn code(self) -> u16 {
        self.from.index() as u16 | (self.to.index() as u16) << 7
    }

    /// The move of a code, if both points are on the board.
    pub const fn from_code(code: u16) -> Option<Move> {
        match (Square::new((code & 127) as usize), Square::new((code >> 7) as usize)) {
            (Some(from), Some(to)) => Some(Move { from, to }),
            _ => None,
        }
    }
}

/// The ICCS spelling, as engines write it: `h2e2`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        for from in Square::all() {
            for to in Square::all() {
                let played = Move::new(from, to);
                assert_eq!(Move::from_code(played.code()), Some(played));
            }
        }
        let cannon = Move::from_code(70 | 67 << 7).unwrap();
        assert_eq!(cannon.to_string(), "h2e2");
        assert_eq!(Move::from_code(90), None);
        assert_eq!(Move::from_code(u16::MAX), None);
    }
}
