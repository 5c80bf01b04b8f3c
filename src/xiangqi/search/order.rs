//! The order in which moves are tried: the sooner the best one, the less there is to search.

use crate::xiangqi::board::{Board, MAX_MOVES, MoveList};
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::Kind;
use crate::xiangqi::square::{SQUARES, Square};
use crate::xiangqi::values::base_value;

use super::score::{MAX_PLY, coded};
use super::squares;

/// What earlier parts of the search teach about quiet moves.
pub(super) struct Experience {
    /// By ply: the last two quiet moves that refuted something there.
    killers: Vec<[u16; 2]>,
    /// By the piece that moved last and where to: the quiet move that refuted it.
    answers: Vec<u16>,
    /// By piece and point: how often going there was best, less how often it was tried in vain.
    history: Vec<i16>,
}

/// No history value goes beyond.
const HISTORY_LIMIT: i32 = 8_192;

/// The rank of the move from the transposition table.
const KNOWN: i32 = 1 << 30;
const CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 20;
const ANSWER: i32 = 1 << 19;

/// A move that led to a position: which piece went where, as an index into tables. 0 stands for none.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Arrival(u16);

impl Arrival {
    /// Of the piece that is about to move.
    pub(super) fn of(board: &Board, played: Move) -> Arrival {
        board.piece_at(played.from).map_or(Arrival(0), |piece| {
            Arrival((squares::index(piece) * SQUARES + played.to.index() + 1) as u16)
        })
    }
}

const ARRIVALS: usize = 14 * SQUARES + 1;

impl Experience {
    pub(super) fn new() -> Experience {
        Experience {
            killers: vec![[0; 2]; MAX_PLY + 2],
            answers: vec![0; ARRIVALS],
            history: vec![0; ARRIVALS],
        }
    }

    pub(super) fn clear(&mut self) {
        self.killers.fill([0; 2]);
        self.answers.fill(0);
        self.history.fill(0);
    }

    /// Forgets the killers of the next ply, which belong to other positions.
    pub(super) fn enter(&mut self, ply: usize) {
        self.killers[ply + 1] = [0; 2];
    }

    pub(super) fn history(&self, arrival: Arrival) -> i32 {
        i32::from(self.history[usize::from(arrival.0)])
    }

    pub(super) fn is_killer(&self, played: Move, ply: usize) -> bool {
        self.killers[ply].contains(&played.code())
    }

    /// A quiet move was too good for the opponent to allow, after `last` and at this ply; those tried
    /// before it were not.
    pub(super) fn learn(
        &mut self,
        board: &Board,
        (ply, last): (usize, Arrival),
        depth: i32,
        best: Move,
        tried: &[u16],
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != best.code() {
            *killers = [best.code(), killers[0]];
        }
        self.answers[usize::from(last.0)] = best.code();
        let bonus = (16 * depth * depth).min(1_600);
        self.shift(Arrival::of(board, best), bonus);
        for other in tried.iter().filter_map(|&code| Move::from_code(code)) {
            self.shift(Arrival::of(board, other), -bonus);
        }
    }

    /// Moves a value towards its limit, the less the nearer it is.
    fn shift(&mut self, arrival: Arrival, bonus: i32) {
        let value = &mut self.history[usize::from(arrival.0)];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
    }
}

/// Moves that are handed out best first.
pub(super) struct Picker {
    /// Rank above, code in the low 16 bits.
    ranked: [i64; MAX_MOVES],
    len: usize,
}

impl Picker {
    /// All moves of a position, or only its captures.
    pub(super) fn new(
        board: &Board,
        moves: &MoveList,
        known: u16,
        experience: &Experience,
        last: Arrival,
        ply: usize,
    ) -> Picker {
        let answer = experience.answers[usize::from(last.0)];
        let killers = experience.killers[ply];
        Picker::ranked(moves, |played| {
            if played.code() == known {
                KNOWN
            } else if let Some(gain) = gain(board, played) {
                if is_losing(board, played) { gain - CAPTURE } else { CAPTURE + gain }
            } else if played.code() == killers[0] {
                KILLER + 1
            } else if played.code() == killers[1] {
                KILLER
            } else {
                let answer = if played.code() == answer { ANSWER } else { 0 };
                answer + experience.history(Arrival::of(board, played))
            }
        })
    }

    /// The captures of a position.
    pub(super) fn captures(board: &Board, moves: &MoveList) -> Picker {
        Picker::ranked(moves, |played| gain(board, played).unwrap_or(0))
    }

    fn ranked(moves: &MoveList, rank: impl Fn(Move) -> i32) -> Picker {
        let mut picker = Picker { ranked: [0; MAX_MOVES], len: 0 };
        for (place, played) in picker.ranked.iter_mut().zip(moves.iter()) {
            *place = i64::from(rank(played)) << 16 | i64::from(played.code());
            picker.len += 1;
        }
        picker
    }
}

impl Iterator for Picker {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let left = &mut self.ranked[..self.len];
        let best = (0..left.len()).max_by_key(|&at| left[at])?;
        self.len -= 1;
        let code = left[best] as u16;
        left.swap(best, self.len);
        Move::from_code(code)
    }
}

/// What stands where a move goes.
pub(super) fn victim(board: &Board, to: Square) -> Option<Kind> {
    board.piece_at(to).map(|piece| piece.kind)
}

/// Whether a capture loses material, once the point has been fought for.
pub(super) fn is_losing(board: &Board, played: Move) -> bool {
    let value = |square| board.piece_at(square).map_or(0, |piece| base_value(piece.kind));
    value(played.from) > value(played.to) && board.exchange(played) < 0
}

/// How promising a capture is: the greatest victim, then the least attacker. `None` for quiet moves.
fn gain(board: &Board, played: Move) -> Option<i32> {
    let victim = victim(board, played.to)?;
    let attacker = board.piece_at(played.from)?.kind;
    let attacker = if attacker == Kind::King { 0 } else { base_value(attacker) };
    Some(16 * base_value(victim) - attacker)
}

/// The best line from each ply on.
pub(super) struct Lines(Vec<Vec<Move>>);

impl Lines {
    pub(super) fn new() -> Lines {
        Lines((0..MAX_PLY + 2).map(|_| Vec::with_capacity(MAX_PLY)).collect())
    }

    /// Nothing is known from here on.
    pub(super) fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// The best line is this move and then the best line of the next ply.
    pub(super) fn extend(&mut self, ply: usize, played: Move) {
        let (before, after) = self.0.split_at_mut(ply + 1);
        let line = &mut before[ply];
        line.clear();
        line.push(played);
        line.extend_from_slice(&after[0]);
    }

    pub(super) fn at(&self, ply: usize) -> &[Move] {
        &self.0[ply]
    }
}

/// The code of the first move of a line, 0 if there is none.
pub(super) fn first(line: &[Move]) -> u16 {
    coded(line.first().copied())
}
