//! What a position is worth without looking ahead.

use crate::xiangqi::board::Activity;
use crate::xiangqi::piece::{Kind, Side};

use super::score::{COUNTED, Score};
use super::squares::{FULL_PHASE, Tapered, tapered};
use super::walk::Walk;

/// Being to move.
const TEMPO: Score = 12;

/// The value for the side to move.
pub(super) fn evaluate(walk: &Walk) -> Score {
    let of = |side| shelter(walk, side) + freedom(walk.board().activity(side));
    let total = walk.placed() + of(Side::Red) - of(Side::Black);
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

/// What it is worth that the pieces are free and point at the other king.
fn freedom(activity: Activity) -> Tapered {
    tapered(3, 4).times(activity.rooks)
        + tapered(1, 1).times(activity.cannons)
        + tapered(8, 7).times(activity.horses)
        + tapered(14, 8).times(activity.bare)
        + tapered(12, 8).times(activity.pointing)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::piece::Piece;
    use crate::xiangqi::position::Position;
    use crate::xiangqi::setup::Setup;
    use crate::xiangqi::square::Square;

    fn value(fen: &str) -> Score {
        evaluate(&Walk::new(&Position::from_fen(fen).unwrap(), &[]))
    }

    /// The same position with the colours changed.
    fn turned(position: &Position) -> Position {
        let mut setup = Setup::empty();
        setup.turn = position.turn().opposite();
        for square in Square::all() {
            let piece = position.piece_at(square).map(|piece| Piece::new(piece.side.opposite(), piece.kind));
            setup.board[square.turned().index()] = piece;
        }
        Position::new(setup).unwrap()
    }

    #[test]
    fn colours_do_not_matter() {
        for fen in [
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w",
            "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w",
            "2b1ka3/9/b3N4/4n4/9/9/9/4C4/2p6/2BK5 w",
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(value(fen), value(&turned(&position).to_fen()), "{fen}");
        }
        assert_eq!(value("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w"), TEMPO);
    }

    #[test]
    fn what_is_better() {
        let cases = [
            ("a rook is more than a cannon", "3k5/9/9/9/9/9/9/9/9/R4K3 w", "3k5/9/9/9/9/9/9/9/9/C4K3 w"),
            ("a pawn beyond the river", "3k5/9/9/9/P8/9/9/9/9/5K3 w", "3k5/9/9/9/9/9/P8/9/9/5K3 w"),
            ("an open file for the rook", "3k5/9/9/p8/9/9/9/9/9/1R3K3 w", "3k5/9/9/p8/9/9/P8/9/9/R4K3 b"),
            ("elephants against cannons", "2bk2b2/9/9/9/9/9/9/7C1/9/5K3 b", "2bk5/9/9/9/9/9/9/7C1/9/5K3 b"),
            ("a bare cannon", "4k4/9/9/9/9/9/9/4C4/9/5K3 w", "4k4/9/9/9/9/9/9/6C2/9/5K3 w"),
        ];
        for (why, better, worse) in cases {
            assert!(value(better) > value(worse), "{why}: {} {}", value(better), value(worse));
        }
        // Guards alone never win.
        assert_eq!(value("3k5/9/9/9/9/9/9/4B4/4A4/3A1KB2 w"), TEMPO);
    }
}
