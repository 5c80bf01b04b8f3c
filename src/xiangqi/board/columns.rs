//! Perft with the columns of the published tables.

use std::ops::AddAssign;

use super::mover::{Mover, by_turn};
use super::perft::{Stop, Threads, listed, shared};
use super::state::Board;
use super::tables::EMPTY;

/// Lines of play of one length, and what their last moves did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Columns {
    /// All of them.
    pub nodes: u64,
    /// Those that end with a capture.
    pub captures: u64,
    /// Those that end with a check.
    pub checks: u64,
    /// Those that end with mate: a check without a legal reply.
    pub mates: u64,
}

impl AddAssign for Columns {
    fn add_assign(&mut self, more: Columns) {
        self.nodes += more.nodes;
        self.captures += more.captures;
        self.checks += more.checks;
        self.mates += more.mates;
    }
}

/// Counts the lines of `depth` plies by kind; nothing if it was stopped. It looks at every last move,
/// and so is slower than [`perft`](super::perft()).
pub fn columns(board: &Board, depth: u32, threads: Threads<'_>, stop: Stop<'_>) -> Option<Columns> {
    let mut sum = Columns::default();
    match depth {
        0 => sum.nodes = 1,
        1 => sum = by_turn!(board.turn(), M => last_ply::<M>(&mut board.clone())),
        _ => {
            let parts = shared(
                board,
                depth,
                threads,
                &|board, depth| by_turn!(board.turn(), M => plies::<M>(board, depth, stop)),
            );
            parts?.into_iter().for_each(|(_, part)| sum += part);
        }
    }
    Some(sum)
}

fn plies<M: Mover>(board: &mut Board, depth: u32, stop: Stop<'_>) -> Option<Columns> {
    if depth <= 1 {
        return Some(last_ply::<M>(board));
    }
    if depth > 2 && stop() {
        return None;
    }
    let mut sum = Columns::default();
    for (from, to) in listed::<M>(board).pairs() {
        let undo = board.play(M::US, from, to);
        let below = plies::<M::Next>(board, depth - 1, stop);
        board.take_back(M::US, from, to, undo);
        sum += below?;
    }
    Some(sum)
}

fn last_ply<M: Mover>(board: &mut Board) -> Columns {
    let mut sum = Columns::default();
    for (from, to) in listed::<M>(board).pairs() {
        sum.nodes += 1;
        sum.captures += u64::from(board.slot_at(to) != EMPTY);
        let undo = board.play(M::US, from, to);
        let view = board.look::<M::Next>();
        if view.in_check() {
            sum.checks += 1;
            sum.mates += u64::from(board.count_evasions::<M::Next>(&view) == 0);
        }
        board.take_back(M::US, from, to, undo);
    }
    sum
}
