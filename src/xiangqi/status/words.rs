//! The sentences of a status.

use super::Reason;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::position::Position;
use crate::xiangqi::rules;
use crate::xiangqi::words::{self, Placed};

/// What the sentences are made of.
pub(super) struct Told<'a> {
    pub position: &'a Position,
    pub reason: Reason,
    pub winner: Option<Side>,
    pub quiet: u32,
    /// The ruling on a repetition, in English and in Chinese; empty where there is none.
    pub ruling: String,
    pub ruling_zh: String,
}

impl Told<'_> {
    /// The pieces that check the side to move.
    fn checkers(&self) -> Vec<Placed> {
        let (board, turn) = (self.position.board(), self.position.turn());
        let attackers = rules::king(board, turn).map(|king| rules::attackers(board, king, turn.opposite()));
        attackers.into_iter().flatten().filter_map(|square| Placed::on(board, square)).collect()
    }

    pub fn chinese(&self) -> String {
        let turn = self.position.turn().name_zh();
        let winner = self.winner.map_or("", Side::name_zh);
        match self.reason {
            Reason::InProgress => format!("对局进行中，轮到{turn}走"),
            Reason::InCheck => format!("{turn}正被 {}将军", words::list_zh(&self.checkers())),
            Reason::Checkmate => {
                let king = Piece::new(self.position.turn(), Kind::King).name_zh();
                let by = words::list_zh(&self.checkers());
                format!("{turn}的{king}被 {by}将死，{winner}胜")
            }
            Reason::Stalemate => format!("{turn}未被将军但无着可走（困毙），{winner}胜"),
            Reason::MoveLimit => {
                format!("连续 {} 步（双方合计）没有吃子，到了自然限着，判和", self.quiet)
            }
            _ => self.ruling_zh.clone(),
        }
    }

    pub fn english(&self) -> String {
        let turn = self.position.turn();
        let winner = self.winner.map_or("", Side::name);
        match self.reason {
            Reason::InProgress => format!("the game goes on, {turn} is to move"),
            Reason::InCheck => format!("{turn} is in check by {}", words::list_en(&self.checkers())),
            Reason::Checkmate => {
                format!("{turn} is checkmated by {}, {winner} wins", words::list_en(&self.checkers()))
            }
            Reason::Stalemate => {
                format!("{turn} is not in check but has no legal move, which loses: {winner} wins")
            }
            Reason::MoveLimit => format!("{} plies without a capture: a draw", self.quiet),
            _ => self.ruling.clone(),
        }
    }
}
