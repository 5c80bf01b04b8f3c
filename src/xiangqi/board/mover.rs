//! The side to move as a type, so that the compiler makes one copy of the generator for each side
//! with all its signs and shifts fixed.

use crate::xiangqi::Side;

use super::tables::{HALF, PAD, Points};

/// The side to move.
pub(super) trait Mover {
    /// The side, as an index.
    const US: usize;
    /// The other one.
    const THEM: usize = 1 - Self::US;
    /// The first point of the home half.
    const HOME: usize = HALF * Self::US;
    /// The mover of the next ply.
    type Next: Mover;

    /// The home half of the board as one 64-bit word, its first point at bit [`PAD`].
    #[inline(always)]
    fn home(points: Points) -> u64 {
        if Self::US == Side::Black as usize { points as u64 } else { (points >> HALF) as u64 }
    }

    /// The enemy's half of the board, its first point at bit 0.
    #[inline(always)]
    fn abroad(points: Points) -> u64 {
        if Self::US == Side::Black as usize {
            (points >> (PAD + HALF)) as u64
        } else {
            (points >> PAD) as u64
        }
    }
}

/// Black is to move.
pub(super) struct Black;
/// Red is to move.
pub(super) struct Red;

impl Mover for Black {
    const US: usize = Side::Black as usize;
    type Next = Red;
}
impl Mover for Red {
    const US: usize = Side::Red as usize;
    type Next = Black;
}

/// Runs an expression with `$mover` standing for the side to move.
macro_rules! by_turn {
    ($turn:expr, $mover:ident => $body:expr) => {
        match $turn {
            $crate::xiangqi::Side::Black => {
                type $mover = $crate::xiangqi::board::mover::Black;
                $body
            }
            $crate::xiangqi::Side::Red => {
                type $mover = $crate::xiangqi::board::mover::Red;
                $body
            }
        }
    };
}
pub(super) use by_turn;
