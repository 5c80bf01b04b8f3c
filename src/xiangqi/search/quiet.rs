//! The end of a line: captures until the position is quiet.

use super::evaluate::evaluate;
use super::order::{Picker, victim};
use super::score::{DECIDED, INFINITE, MATE, MAX_PLY, Score};
use super::table::{Bound, Known};
use super::tree::{Tree, settles};
use crate::xiangqi::board::MoveList;
use crate::xiangqi::values::base_value;

/// What a capture may bring beyond the value of the piece.
const MARGIN: Score = 180;

impl Tree<'_> {
    /// The score once nothing more can be captured with profit. The side to move need not capture;
    /// in check it must answer the check, with any move.
    pub(super) fn quiesce(&mut self, mut alpha: Score, beta: Score, ply: usize) -> Score {
        self.lines.clear(ply);
        if self.count() {
            return 0;
        }
        if ply >= MAX_PLY {
            return evaluate(&self.walk);
        }
        let key = self.walk.key();
        let known = self.table.get(key, ply);
        if let Some(known) = known
            && beta - alpha == 1
            && settles(known, alpha, beta)
        {
            return known.score;
        }
        let checked = self.walk.checked();
        let (mut best, mut score, first_alpha) = (0, -INFINITE, alpha);
        let mut moves = MoveList::new();
        let mut eval = 0;
        if checked {
            self.walk.board().legal(&mut moves);
            if moves.is_empty() {
                return ply as Score - MATE;
            }
        } else {
            eval = known.map_or_else(|| evaluate(&self.walk), |known| known.eval);
            score = eval;
            if score >= beta {
                return score;
            }
            alpha = alpha.max(score);
            self.walk.board().captures(&mut moves);
        }
        for played in Picker::captures(self.walk.board(), &moves, known.map_or(0, |known| known.best)) {
            if !checked && let Some(kind) = victim(self.walk.board(), played.to) {
                let hoped = eval + base_value(kind) + MARGIN;
                if hoped <= alpha {
                    score = score.max(hoped);
                    continue;
                }
            }
            let undo = self.walk.make(played);
            let reached = -self.quiesce(-beta, -alpha, ply + 1);
            self.walk.unmake(played, undo);
            if self.stopped {
                return 0;
            }
            if reached > score {
                score = reached;
                if reached > alpha {
                    alpha = reached;
                    best = played.code();
                    self.lines.extend(ply, played);
                }
                if reached >= beta {
                    break;
                }
            }
        }
        let bound = match score {
            score if score >= beta => Bound::Lower,
            score if score > first_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        if score.abs() < DECIDED {
            self.table.put(key, Known { best, score, eval, depth: 0, bound }, ply);
        }
        score
    }
}
