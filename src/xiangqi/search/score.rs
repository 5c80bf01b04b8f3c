//! Scores: centipawns for the side to move, and above them the wins that need no counting.

use crate::xiangqi::moves::Move;

/// A score in centipawns for the side to move.
pub(super) type Score = i32;

/// No score is as high.
pub(super) const INFINITE: Score = 32_000;
/// Mate on the spot; a mate `n` plies away is `MATE - n`.
pub(super) const MATE: Score = 30_000;
/// Scores from here on are mates.
pub(super) const MATES: Score = MATE - 1_000;
/// The opponent has lost by giving perpetual check; `n` plies away it is `RULED - n`. Below every mate:
/// the opponent may still turn aside, and the board is not won.
pub(super) const RULED: Score = 20_000;
/// Scores from here on are decided by the rules, not by counting.
pub(super) const DECIDED: Score = RULED - 1_000;
/// Counting never gives more.
pub(super) const COUNTED: Score = 15_000;

/// Plies from the root that a line may have.
pub(super) const MAX_PLY: usize = 128;

/// The distance of a mate in moves of the side that mates: positive if the side to move mates,
/// negative if it is mated, `None` if the score is no mate. Mated on the spot is `-0`, so `Some(0)`.
pub(super) fn mate_in(score: Score) -> Option<i32> {
    if score >= MATES {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATES {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}

/// A code as it stands in tables; 0 is no move, since no move stays where it is.
pub(super) fn coded(played: Option<Move>) -> u16 {
    played.map_or(0, Move::code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        // Mate with the next move, with the one after the reply; mated by the reply; mated now.
        for (score, distance) in [
            (MATE - 1, Some(1)),
            (MATE - 3, Some(2)),
            (-MATE + 2, Some(-1)),
            (-MATE, Some(0)),
            (RULED - 3, None),
            (0, None),
            (COUNTED, None),
        ] {
            assert_eq!(mate_in(score), distance, "{score}");
        }
    }
}
