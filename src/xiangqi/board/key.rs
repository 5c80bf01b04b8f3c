//! Zobrist keys: a number for a position that changes by little with a move.
//!
//! The board does not carry its key, so that counting does not pay for one. A search keeps it beside
//! the board: `key ^= board.key_change(played)` before it makes the move.

use crate::xiangqi::Move;
use crate::xiangqi::SQUARES;
use crate::xiangqi::Side;

use super::state::Board;
use super::tables::{EMPTY, PIECE_IN};

/// What the side to move adds when it is Black.
const BLACK_TO_MOVE: u64 = mix(15 << 8);

/// By slot and point, nothing for the empty slot. Pieces of a kind have the same numbers, whichever
/// of them stands where.
static KEYS: [[u64; 128]; 16] = {
    let mut table = [[0; 128]; 16];
    let mut piece = 0;
    while piece < 14 {
        let mut square = 0;
        while square < SQUARES {
            table[piece][square] = mix((piece << 8 | square) as u64 + 1);
            square += 1;
        }
        piece += 1;
    }
    table
};

/// Rows of [`KEYS`] by slot; row 15 is empty.
static ROW: [u8; 64] = {
    let mut table = [15; 64];
    let mut slot = 0;
    while slot < EMPTY {
        if let Some(piece) = PIECE_IN[slot] {
            table[slot] = piece.kind as u8 + 7 * piece.side as u8;
        }
        slot += 1;
    }
    table
};

/// The finaliser of SplitMix64, which spreads small numbers over all 64 bits.
const fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

#[inline(always)]
fn key_of(slot: usize, square: usize) -> u64 {
    KEYS[(ROW[slot & 63] & 15) as usize][square & 127]
}

impl Board {
    /// The key of the position: its pieces and the side to move. Equal positions have equal keys.
    pub fn key(&self) -> u64 {
        let mut key = if self.turn() == Side::Black { BLACK_TO_MOVE } else { 0 };
        for square in 0..SQUARES {
            key ^= key_of(self.slot_at(square), square);
        }
        key
    }

    /// What a move of the side to move will change in the key; to be asked before it is made.
    #[inline]
    pub fn key_change(&self, played: Move) -> u64 {
        let (from, to) = (played.from.index(), played.to.index());
        let moved = self.slot_at(from);
        BLACK_TO_MOVE ^ key_of(moved, from) ^ key_of(moved, to) ^ key_of(self.slot_at(to), to)
    }

    /// What [`Board::pass`] changes in the key.
    pub const fn key_change_of_pass() -> u64 {
        BLACK_TO_MOVE
    }
}
