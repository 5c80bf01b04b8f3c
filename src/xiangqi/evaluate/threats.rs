//! Pieces that can be captured with a gain.

use super::Note;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::position::Position;
use crate::xiangqi::rules::{self, Grid};
use crate::xiangqi::square::Square;
use crate::xiangqi::values::{CROSSED_PAWN, base_value};
use crate::xiangqi::words::{Placed, piece_en};

/// A capture that wins something, the recapture counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threat {
    /// What can be captured.
    pub target: Placed,
    /// By which piece.
    pub attacker: Placed,
    /// Whether the attacker can be captured back at once.
    pub protected: bool,
    /// The gain in hundredths of a pawn.
    pub gain: i32,
}

/// The pieces of a side that the other could capture with a gain if it were to move, each with its
/// most dangerous attacker, the greatest gain first. Only captures and recaptures that the rules
/// allow are counted: a pinned piece neither attacks nor protects.
pub fn threats(board: &Grid, side: Side) -> Vec<Threat> {
    let mut threats: Vec<Threat> = rules::pieces(board, side)
        .filter_map(|square| Placed::on(board, square))
        .filter(|target| target.piece.kind != Kind::King)
        .filter_map(|target| worst(board, target))
        .collect();
    threats.sort_by_key(|threat| (-threat.gain, seen(threat.target)));
    threats
}

/// The most dangerous attacker of a piece.
fn worst(board: &Grid, target: Placed) -> Option<Threat> {
    let side = target.piece.side;
    rules::attackers(board, target.square, side.opposite())
        .into_iter()
        .filter_map(|square| Placed::on(board, square))
        .filter_map(|attacker| capture(board, attacker, target))
        .filter(|threat| threat.gain > 0)
        .max_by_key(|threat| (threat.gain, -base_value(threat.attacker.piece.kind), seen(threat.attacker)))
}

fn capture(board: &Grid, attacker: Placed, target: Placed) -> Option<Threat> {
    let after = played(board, Move::new(attacker.square, target.square));
    if rules::in_check(&after, attacker.piece.side) {
        return None;
    }
    let side = target.piece.side;
    let protected = rules::attackers(&after, target.square, side)
        .into_iter()
        .any(|from| !rules::in_check(&played(&after, Move::new(from, target.square)), side));
    let given = if protected { worth(attacker) } else { 0 };
    Some(Threat { target, attacker, protected, gain: worth(target) - given })
}

fn played(board: &Grid, played: Move) -> Grid {
    let mut board = *board;
    board[played.to.index()] = board[played.from.index()].take();
    board
}

/// The base value; a pawn beyond the river counts more.
fn worth(placed: Placed) -> i32 {
    let Placed { piece: Piece { side, kind }, square } = placed;
    if kind == Kind::Pawn && square.crossed_river(side) { CROSSED_PAWN } else { base_value(kind) }
}

/// The point as the piece's own side sees it: so that both colours are treated alike.
fn seen(placed: Placed) -> Square {
    if placed.piece.side == Side::Red { placed.square } else { placed.square.turned() }
}

/// Only one piece can be captured at a time: the greatest loss counts half if the other side is to
/// move and a quarter if it can still be met, every other a tenth.
pub(super) fn notes(position: &Position, side: Side) -> Vec<Note> {
    let share = if position.turn() == side { 4 } else { 2 };
    let threats = threats(position.board(), side).into_iter().enumerate();
    threats.map(|(rank, threat)| note(threat, if rank == 0 { share } else { 10 })).collect()
}

fn note(Threat { target, attacker, protected, gain }: Threat, share: i32) -> Note {
    let (how_zh, how_en) =
        if protected { ("虽有保护", "protected") } else { ("没有保护", "unprotected") };
    Note {
        points: -gain / share,
        zh: format!("{}被 {}捉，{how_zh}", target.to_zh(), attacker.to_zh()),
        en: format!("{} on {}, {how_en}, attacked by {attacker}", piece_en(target.piece), target.square),
    }
}
