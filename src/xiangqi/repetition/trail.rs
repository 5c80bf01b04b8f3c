//! The boards of a history that a position can come back to.

use super::history::History;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::Kind;
use crate::xiangqi::rules::{self, Grid};

/// The boards since the last move that cannot be undone, up to the last.
pub(super) struct Trail {
    /// Plies played before the first board.
    pub skipped: usize,
    /// The boards, oldest first; never empty.
    pub boards: Vec<Grid>,
}

impl Trail {
    pub(super) fn of(history: &History) -> Trail {
        let mut board = *history.start().board();
        let mut trail = Trail { skipped: 0, boards: vec![board] };
        for (index, &played) in history.moves().iter().enumerate() {
            if irreversible(&board, played) {
                trail.boards.clear();
                trail.skipped = index + 1;
            }
            board = rules::moved(&board, played.from, played.to);
            trail.boards.push(board);
        }
        trail
    }

    /// The indices of the boards that are as the last one, with the same side to move, itself
    /// included, oldest first.
    pub(super) fn occurrences(&self) -> Vec<usize> {
        let Some((last, end)) = self.boards.last().zip(self.boards.len().checked_sub(1)) else {
            return Vec::new();
        };
        let same = |&index: &usize| index % 2 == end % 2 && self.boards.get(index) == Some(last);
        (0..=end).filter(same).collect()
    }
}

/// A capture, or a step forward of a pawn: no position from before it can come again.
fn irreversible(board: &Grid, played: Move) -> bool {
    let pawn = board[played.from.index()].is_some_and(|piece| piece.kind == Kind::Pawn);
    board[played.to.index()].is_some() || (pawn && played.from.row() != played.to.row())
}
