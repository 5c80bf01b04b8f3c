//! The moves that make a position repeat.

use super::chase::{self, Chase};
use super::history::History;
use super::reach;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Side};
use crate::xiangqi::rules::Grid;
use crate::xiangqi::square::Square;

/// One ply of a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Number of the ply in the history, from 1.
    pub number: usize,
    /// Who moves.
    pub side: Side,
    /// The move.
    pub played: Move,
    /// Whether it checks (将).
    pub check: bool,
    /// The pieces it newly threatens to capture, each with where it stood when the cycle began.
    pub chases: Vec<(Square, Chase)>,
}

/// The plies between the first of the counted occurrences of a position and the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The plies in order; never empty.
    pub plies: Vec<Ply>,
}

impl Cycle {
    /// Whether a side checks with every move of the cycle.
    pub fn always_checks(&self, side: Side) -> bool {
        self.plies.iter().filter(|ply| ply.side == side).all(|ply| ply.check)
    }
}

/// The boards of a history since the last move that cannot be undone, and where the last one stood
/// before: `[first board, …, last board]`, with the number of plies played before the first.
pub(super) struct Trail {
    /// Plies before the first board.
    pub skipped: usize,
    /// One board more than moves.
    pub boards: Vec<Grid>,
    /// Indices of the boards that are as the last one, itself included, from the front.
    pub occurrences: Vec<usize>,
}

impl Trail {
    pub(super) fn of(history: &History) -> Trail {
        let mut boards = vec![*history.start().board()];
        let mut skipped = 0;
        for (index, &played) in history.moves().iter().enumerate() {
            let Some(last) = boards.last() else { break };
            if irreversible(last, played) {
                boards = vec![reach::moved(last, played.from, played.to)];
                skipped = index + 1;
            } else {
                let next = reach::moved(last, played.from, played.to);
                boards.push(next);
            }
        }
        let occurrences = match boards.last() {
            Some(last) => {
                let parity = boards.len() % 2;
                let same = |&(index, board): &(usize, &Grid)| index % 2 != parity && board == last;
                boards.iter().enumerate().filter(same).map(|(index, _)| index).collect()
            }
            None => Vec::new(),
        };
        Trail { skipped, boards, occurrences }
    }
}

/// A capture, or a step forward of a pawn: no position from before it can come again.
fn irreversible(board: &Grid, played: Move) -> bool {
    board[played.to.index()].is_some()
        || (board[played.from.index()].is_some_and(|piece| piece.kind == Kind::Pawn)
            && played.from.row() != played.to.row())
}

/// Classes the plies after the board with this index.
pub(super) fn plies(history: &History, trail: &Trail, first: usize) -> Vec<Ply> {
    let pairs = trail.boards.iter().zip(trail.boards.iter().skip(1)).enumerate().skip(first);
    let mut side = history.end().turn();
    if (trail.boards.len() - 1 - first) % 2 == 1 {
        side = side.opposite();
    }
    let mut homes: Vec<Square> = Square::all().collect();
    let mut plies = Vec::new();
    for (index, (before, after)) in pairs {
        let Some(&played) = history.moves().get(trail.skipped + index) else { break };
        let check = reach::in_check(after, side.opposite());
        let chases = chase::chases(before, after, played, side)
            .into_iter()
            .map(|c| (homes[c.at.index()], c))
            .collect();
        homes[played.to.index()] = homes[played.from.index()];
        plies.push(Ply { number: trail.skipped + index + 1, side, played, check, chases });
        side = side.opposite();
    }
    plies
}
