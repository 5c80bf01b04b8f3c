//! Positions nobody would play: pieces thrown on the board, thickest around the kings, where the rules
//! about checks and pins are tried most. The same seed gives the same positions.

use crate::xiangqi::rules::may_stand;
use crate::xiangqi::{COLS, Kind, Piece, Position, Setup, Side, Square};

/// A small generator of numbers (xorshift).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(0x9E37_79B9_7F4A_7C15 ^ seed)
    }

    /// A number below `sides`.
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % sides
    }
}

/// A random position; some throws are none.
pub(super) fn position(dice: &mut Dice) -> Option<Position> {
    let mut setup = Setup::empty();
    setup.turn = Side::ALL[dice.roll(2)];
    let density = 1 + dice.roll(8);
    for kind in Kind::ALL {
        for side in Side::ALL {
            let piece = Piece::new(side, kind);
            for _ in 0..kind.limit() {
                if kind != Kind::King && dice.roll(8) >= density {
                    continue;
                }
                let square = point(dice, piece);
                if setup.board[square.index()].is_none() {
                    setup.board[square.index()] = Some(piece);
                }
            }
        }
    }
    let mut turned = setup.clone();
    turned.turn = setup.turn.opposite();
    // If the side that waits is in check, it had better move.
    [setup, turned].into_iter().find_map(|setup| Position::new(setup).ok())
}

/// A point where the piece can stand, half the time on the three middle files.
fn point(dice: &mut Dice, piece: Piece) -> Square {
    loop {
        let col = if dice.roll(2) == 0 { 3 + dice.roll(3) } else { dice.roll(COLS) };
        let square = Square::at(dice.roll(10), col).unwrap();
        if may_stand(piece, square) {
            return square;
        }
    }
}
