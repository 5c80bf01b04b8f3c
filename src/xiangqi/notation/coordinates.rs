//! Moves as two points: ICCS with ranks from 0 to 9, UCI with ranks from 1 to 10.

use crate::xiangqi::Move;

/// The move in ICCS: `h2e2`.
pub fn iccs(played: Move) -> String {
    played.to_string()
}

/// The move in UCI as Fairy-Stockfish writes it: `h3e3`, `h10g8`.
pub fn uci(played: Move) -> String {
    played.from.to_uci() + &played.to.to_uci()
}
