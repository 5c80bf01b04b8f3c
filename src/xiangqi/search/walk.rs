//! The line being looked at: the board, what changes with every move, and the game before it.

use crate::xiangqi::board::{Board, MoveList, Undo};
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::position::Position;

use super::score::{RULED, Score};
use super::squares::{self, Tapered};

/// Plies without a capture after which a game is drawn.
const QUIET_LIMIT: u32 = 120;

/// What is known of a position on the line.
#[derive(Clone, Copy)]
struct Step {
    key: u64,
    /// Whether the side to move is in check.
    checked: bool,
    /// Plies since the last capture, for the rule.
    quiet: u32,
    /// Positions before this one that could be the same: back to the last capture or pass.
    reversible: u32,
    /// Pieces on their points, for Red.
    placed: Tapered,
    phase: i32,
}

/// A board with its past.
pub(super) struct Walk {
    board: Board,
    /// How many of each piece, by side and kind.
    counts: [[u8; 7]; 2],
    steps: Vec<Step>,
    /// Where the root is among the steps.
    root: usize,
}

impl Walk {
    /// Starts at a position that came about through these earlier ones, the oldest first. Only those
    /// since the last capture matter; one from which the next does not follow ends the past.
    pub(super) fn new(position: &Position, history: &[Position]) -> Walk {
        let board = Board::from(position);
        let quiet = position.halfmove();
        let past = history.iter().rev().take(quiet.min(QUIET_LIMIT) as usize);
        let mut turn = position.turn();
        let mut steps: Vec<Step> = past
            .take_while(|earlier| {
                turn = turn.opposite();
                earlier.turn() == turn
            })
            .map(|earlier| Step::of(&Board::from(earlier), earlier.halfmove()))
            .collect();
        steps.reverse();
        let root = steps.len();
        steps.push(Step::of(&board, quiet));
        for (at, step) in steps.iter_mut().enumerate() {
            step.reversible = at as u32;
        }
        let mut counts = [[0; 7]; 2];
        for (_, piece) in board.pieces() {
            counts[piece.side as usize][piece.kind as usize] += 1;
        }
        Walk { board, counts, steps, root }
    }

    fn step(&self) -> &Step {
        // There is always the root.
        &self.steps[self.steps.len() - 1]
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// The key of the position. Shortly before a game is drawn for want of captures the same pieces
    /// are worth something else, and have another key.
    pub(super) fn key(&self) -> u64 {
        let step = self.step();
        match step.quiet.checked_sub(QUIET_LIMIT - 24) {
            None => step.key,
            Some(near) => step.key ^ scramble(u64::from(near / 4 + 1)),
        }
    }

    /// Whether the side to move is in check.
    pub(super) fn checked(&self) -> bool {
        self.step().checked
    }

    /// Pieces on their points, for Red.
    pub(super) fn placed(&self) -> Tapered {
        self.step().placed
    }

    pub(super) fn phase(&self) -> i32 {
        self.step().phase
    }

    /// How many pieces of a kind a side has.
    pub(super) fn count(&self, side: Side, kind: Kind) -> i32 {
        i32::from(self.counts[side as usize][kind as usize])
    }

    pub(super) fn legal(&self) -> MoveList {
        let mut list = MoveList::new();
        self.board.legal(&mut list);
        list
    }

    /// Plays a legal move.
    pub(super) fn make(&mut self, played: Move) -> Undo {
        let step = *self.step();
        let moved = self.board.piece_at(played.from);
        let key = step.key ^ self.board.key_change(played);
        let undo = self.board.make(played);
        let (mut placed, mut phase) = (step.placed, step.phase);
        let (mut quiet, mut reversible) = (step.quiet.saturating_add(1), step.reversible + 1);
        if let Some(piece) = moved {
            placed += squares::value(piece, played.to) - squares::value(piece, played.from);
            if let Some(kind) = undo.captured() {
                let victim = Piece::new(piece.side.opposite(), kind);
                placed -= squares::value(victim, played.to);
                phase -= squares::phase(kind);
                self.counts[victim.side as usize][kind as usize] -= 1;
                (quiet, reversible) = (0, 0);
            }
        }
        let checked = self.board.in_check();
        self.steps.push(Step { key, checked, quiet, reversible, placed, phase });
        undo
    }

    /// Takes back the last move.
    pub(super) fn unmake(&mut self, played: Move, undo: Undo) {
        self.board.unmake(played, undo);
        if let Some(kind) = undo.captured() {
            let victim = self.board.turn().opposite();
            self.counts[victim as usize][kind as usize] += 1;
        }
        self.steps.pop();
    }

    /// Lets the other side move; the side to move must not be in check.
    pub(super) fn pass(&mut self) {
        self.board.pass();
        let step = *self.step();
        self.steps.push(Step {
            key: step.key ^ Board::key_change_of_pass(),
            checked: false,
            reversible: 0,
            ..step
        });
    }

    /// Takes back a pass.
    pub(super) fn unpass(&mut self) {
        self.board.pass();
        self.steps.pop();
    }

    /// Whether the game is drawn for want of captures, unless it is mate.
    pub(super) fn exhausted(&self) -> bool {
        self.step().quiet >= QUIET_LIMIT
    }

    /// The ruling if the position has been on the line before, or twice in the game: who alone has
    /// given check with every move since has lost, else it is a draw.
    pub(super) fn repeated(&self) -> Option<Score> {
        let now = self.steps.len() - 1;
        let step = self.step();
        let mut met = false;
        // After four plies at the earliest, and the same side must be to move.
        for back in (4..=step.reversible as usize).step_by(2) {
            let before = now - back;
            if self.steps[before].key != step.key {
                continue;
            }
            if before < self.root && !met {
                met = true;
                continue;
            }
            let cycle = &self.steps[before + 1..=now];
            let we_check = cycle.iter().step_by(2).all(|step| step.checked);
            let they_check = cycle.iter().skip(1).step_by(2).all(|step| step.checked);
            let ply = (now - self.root) as Score;
            return Some(match (we_check, they_check) {
                (true, false) => ply - RULED,
                (false, true) => RULED - ply,
                _ => 0,
            });
        }
        None
    }
}

impl Step {
    fn of(board: &Board, quiet: u32) -> Step {
        let (mut placed, mut phase) = (Tapered::default(), 0);
        for (square, piece) in board.pieces() {
            placed += squares::value(piece, square);
            phase += squares::phase(piece.kind);
        }
        Step { key: board.key(), checked: board.in_check(), quiet, reversible: 0, placed, phase }
    }
}

/// A well-mixed word from a number (the finaliser of SplitMix64).
pub(super) const fn scramble(number: u64) -> u64 {
    let mut word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
