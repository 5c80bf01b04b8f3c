//! The sentences of a status.

use super::Reason;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::position::Position;
use crate::xiangqi::repetition::RuleSet;
use crate::xiangqi::rules;
use crate::xiangqi::words::{self, Placed};

/// What the sentences are made of.
pub(super) struct Told<'a> {
    pub position: &'a Position,
    pub reason: Reason,
    pub winner: Option<Side>,
    pub repetitions: u32,
    pub quiet: u32,
    pub rules: RuleSet,
}

const fn rules_zh(rules: RuleSet) -> &'static str {
    match rules {
        RuleSet::Basic => "基本规则",
        RuleSet::Asian => "亚洲规则",
        RuleSet::Chinese => "中国规则",
    }
}

const fn rules_en(rules: RuleSet) -> &'static str {
    match rules {
        RuleSet::Basic => "the basic rules",
        RuleSet::Asian => "the Asian rules",
        RuleSet::Chinese => "the Chinese rules",
    }
}

impl Told<'_> {
    /// The pieces that check the side to move.
    fn checkers(&self) -> Vec<Placed> {
        let (board, turn) = (self.position.board(), self.position.turn());
        let attackers = rules::king(board, turn).map(|king| rules::attackers(board, king, turn.opposite()));
        attackers.into_iter().flatten().filter_map(|square| Placed::on(board, square)).collect()
    }

    fn offender(&self) -> Option<Side> {
        self.winner.map(Side::opposite)
    }

    pub fn chinese(&self) -> String {
        let turn = self.position.turn().name_zh();
        let again = format!("同一局面第 {} 次出现", self.repetitions);
        let by = rules_zh(self.rules);
        let winner = self.winner.map_or("", Side::name_zh);
        let offender = self.offender().map_or("", Side::name_zh);
        match self.reason {
            Reason::InProgress => format!("对局进行中，轮到{turn}走"),
            Reason::InCheck => format!("{turn}正被 {}将军", words::list_zh(&self.checkers())),
            Reason::Checkmate => {
                let king = Piece::new(self.position.turn(), Kind::King).name_zh();
                let by = words::list_zh(&self.checkers());
                format!("{turn}的{king}被 {by}将死，{winner}胜")
            }
            Reason::Stalemate => format!("{turn}未被将军但无着可走（困毙），{winner}胜"),
            Reason::Repetition => format!("{again}，按{by}不构成单方犯规，判和"),
            Reason::MoveLimit => {
                format!("连续 {} 步（双方合计）没有吃子，到了自然限着，判和", self.quiet)
            }
            Reason::PerpetualCheck => format!("{again}，{offender}长将，按{by}判负，{winner}胜"),
            Reason::MutualPerpetualCheck => format!("{again}，双方都长将，按{by}判和"),
            Reason::PerpetualChase => format!("{again}，{offender}长捉，按{by}判负，{winner}胜"),
            Reason::MutualPerpetualChase => format!("{again}，双方都长捉，按{by}判和"),
            Reason::UndecidedRepetition => format!("{again}，按{by}应如何判决，本引擎不能确定"),
        }
    }

    pub fn english(&self) -> String {
        let turn = self.position.turn();
        let again = format!("the position stands for the {} time", ordinal(self.repetitions));
        let by = rules_en(self.rules);
        let winner = self.winner.map_or("", Side::name);
        let offender = self.offender().map_or("", Side::name);
        match self.reason {
            Reason::InProgress => format!("the game goes on, {turn} is to move"),
            Reason::InCheck => format!("{turn} is in check by {}", words::list_en(&self.checkers())),
            Reason::Checkmate => {
                format!("{turn} is checkmated by {}, {winner} wins", words::list_en(&self.checkers()))
            }
            Reason::Stalemate => {
                format!("{turn} is not in check but has no legal move, which loses: {winner} wins")
            }
            Reason::Repetition => {
                format!("{again} and by {by} neither side alone is at fault: a draw")
            }
            Reason::MoveLimit => format!("{} plies without a capture: a draw", self.quiet),
            Reason::PerpetualCheck => {
                format!("{again} by perpetual check of {offender}, which loses by {by}: {winner} wins")
            }
            Reason::MutualPerpetualCheck => {
                format!("{again} by perpetual check of both sides: a draw by {by}")
            }
            Reason::PerpetualChase => {
                format!("{again} by perpetual chase of {offender}, which loses by {by}: {winner} wins")
            }
            Reason::MutualPerpetualChase => {
                format!("{again} by perpetual chase of both sides: a draw by {by}")
            }
            Reason::UndecidedRepetition => {
                format!("{again}, and this engine cannot tell how {by} judge it")
            }
        }
    }
}

/// `1st`, `2nd`, `3rd`, `11th`.
fn ordinal(number: u32) -> String {
    let end = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn ordinals() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 113];
        let want = ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "113th"];
        assert_eq!(numbers.map(ordinal), want);
    }
}
