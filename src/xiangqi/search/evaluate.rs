//! What a position is worth without looking ahead.

use crate::xiangqi::piece::{Kind, Side};

use super::score::{COUNTED, Score};
use super::squares::{FULL_PHASE, Tapered, tapered};
use super::walk::Walk;

/// Being to move.
const TEMPO: Score = 12;

/// The value for the side to move.
pub(super) fn evaluate(walk: &Walk) -> Score {
    let total = walk.placed() + shelter(walk, Side::Red) - shelter(walk, Side::Black);
    let phase = walk.phase().clamp(0, FULL_PHASE);
    let counted = (total.opening * phase + total.ending * (FULL_PHASE - phase)) / FULL_PHASE;
    let winner = if counted > 0 { Side::Red } else { Side::Black };
    let counted = counted * chances(walk, winner) / 8;
    let counted = if walk.board().turn() == Side::Red { counted } else { -counted };
    (counted + TEMPO).clamp(-COUNTED, COUNTED)
}

/// What the guards that a side has lost cost it: without advisors rooks and horses reach the king (缺士
/// 怕车马), without elephants cannons do (缺象怕炮).
fn shelter(walk: &Walk, side: Side) -> Tapered {
    let them = side.opposite();
    let advisors = 2 - walk.count(side, Kind::Advisor);
    let elephants = 2 - walk.count(side, Kind::Elephant);
    let (rooks, cannons, horses) =
        (walk.count(them, Kind::Rook), walk.count(them, Kind::Cannon), walk.count(them, Kind::Horse));
    let cost = advisors * (22 * rooks + 14 * horses + 6 * cannons)
        + elephants * (4 * rooks + 4 * horses + 16 * cannons);
    tapered(-cost, -cost * 3 / 4)
}

/// Eighths of its advantage that the better side can hope to turn into a win: without a piece that
/// crosses the river none, with hardly one against whole defences little.
fn chances(walk: &Walk, side: Side) -> i32 {
    let them = side.opposite();
    let of = |kind| walk.count(side, kind);
    let attack = 4 * of(Kind::Rook) + 2 * (of(Kind::Cannon) + of(Kind::Horse)) + of(Kind::Pawn);
    let guards = walk.count(them, Kind::Advisor) + walk.count(them, Kind::Elephant);
    match (attack, guards) {
        (0, _) => 0,
        (1..=2, 3..) => 2,
        (1..=2, _) => 5,
        (3, 3..) => 4,
        (4, 4) if of(Kind::Rook) == 1 => 4,
        _ => 8,
    }
}
