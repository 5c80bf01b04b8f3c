//! WXF notation, written: `C2=5`, `H8+7`, `R+-1`, `15+1`.
//!
//! The letters are K A E H R C P for both sides, a sideways move is `=`, both as Fairy-Stockfish and
//! xiangqi sites write them (the federation's own page prints `.`). Of two pieces on a file the front
//! one is `+` and the rear one `-`, always. Pawns that have two or more companions on their file, or
//! one on each of two files, are written as their place from the front and their file.
//!
//! Source: WXF, "Official Xiangqi piece names and notation"; World Xiangqi Rules 2018 for the pawns.

use super::coordinates::iccs;
use super::parts::{Action, doubled_files, file_of, parts};
use crate::xiangqi::{Kind, Move, Position};

/// The move in WXF notation, in the position before it. A move that the notation cannot say is
/// written as ICCS coordinates.
pub fn wxf(position: &Position, played: Move) -> String {
    let Some(parts) = parts(position, played) else { return iccs(played) };
    let letter = wxf_letter(parts.piece.kind);
    let file = parts.file;
    let who = if parts.ordinal.is_none() {
        format!("{letter}{file}")
    } else {
        let here = file_of(position.board(), parts.piece, file);
        let place = here.iter().take_while(|&&square| square != played.from).count() + 1;
        if here.len() > 2 || doubled_files(position.board(), parts.piece).len() > 1 {
            format!("{place}{file}")
        } else {
            format!("{letter}{}", if place == 1 { '+' } else { '-' })
        }
    };
    let way = match parts.action {
        Action::Advance => '+',
        Action::Retreat => '-',
        Action::Traverse => '=',
    };
    format!("{who}{way}{}", parts.target)
}

/// The letter of a kind: the horse is `H` and the elephant `E`, unlike in a FEN.
pub const fn wxf_letter(kind: Kind) -> char {
    match kind {
        Kind::Elephant => 'E',
        Kind::Horse => 'H',
        other => other.to_fen_char(),
    }
}
