//! The end of a line: captures until the position is quiet.

use super::evaluate::evaluate;
use super::order::{Picker, is_losing, victim};
use super::score::{INFINITE, MATE, MAX_PLY, Score};
use super::tree::Tree;
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
        let checked = self.walk.checked();
        let mut moves = MoveList::new();
        let (mut score, mut eval) = (-INFINITE, 0);
        if checked {
            self.walk.board().legal(&mut moves);
            if moves.is_empty() {
                return ply as Score - MATE;
            }
        } else {
            eval = evaluate(&self.walk);
            score = eval;
            if score >= beta {
                return score;
            }
            alpha = alpha.max(score);
            self.walk.board().captures(&mut moves);
        }
        for played in Picker::captures(self.walk.board(), &moves) {
            if !checked {
                let hoped = eval + MARGIN + victim(self.walk.board(), played.to).map_or(0, base_value);
                if hoped <= alpha {
                    score = score.max(hoped);
                    continue;
                }
                if is_losing(self.walk.board(), played) {
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
                    self.lines.extend(ply, played);
                }
                if reached >= beta {
                    break;
                }
            }
        }
        score
    }
}
