//! A verdict in words.

use super::chase::{Chase, Doubt};
use super::cycle::{Class, Cycle, Hunt, Ply};
use super::ruling::{Verdict, Why};
use super::{Repetition, RuleSet};
use crate::xiangqi::piece::{Piece, Side};

impl Repetition {
    /// The ruling as an English sentence without its full stop; none before there is a ruling.
    pub fn reason(&self) -> Option<String> {
        let (verdict, cycle) = self.verdict.as_ref().zip(self.cycle.as_ref())?;
        let (first, last) = span(cycle);
        let says = match *verdict {
            Verdict::Draw => "neither side offends, a draw".into(),
            Verdict::PerpetualCheck { offender: None } => "both sides check perpetually, a draw".into(),
            Verdict::PerpetualCheck { offender: Some(side) } => {
                format!("{side} checks with every move and loses")
            }
            Verdict::PerpetualChase { offender: None } => "both sides chase perpetually, a draw".into(),
            Verdict::PerpetualChase { offender: Some(side) } => match hunted(cycle, side) {
                Some(prey) => {
                    format!("{side} chases the same {} with every move and loses", prey.kind.name())
                }
                None => format!("{side} checks or chases with every move and loses"),
            },
            Verdict::Undecided { why } => format!("undecided, because {}", why.text()),
        };
        let name = self.rules.name();
        Some(format!(
            "the position stands for the {} time; in plies {first} to {last} {says} ({name} rules)",
            ordinal(self.repetitions)
        ))
    }

    /// The ruling as a Chinese sentence without its full stop; none before there is a ruling.
    pub fn reason_zh(&self) -> Option<String> {
        let (verdict, cycle) = self.verdict.as_ref().zip(self.cycle.as_ref())?;
        let (first, last) = span(cycle);
        let says = match *verdict {
            Verdict::Draw => "双方均无禁止着法，判和".into(),
            Verdict::PerpetualCheck { offender: None } => "双方长将，判和".into(),
            Verdict::PerpetualCheck { offender: Some(side) } => format!("{}长将，判负", side.name_zh()),
            Verdict::PerpetualChase { offender: None } => "双方长捉，判和".into(),
            Verdict::PerpetualChase { offender: Some(side) } => match hunted(cycle, side) {
                Some(prey) => format!("{}长捉{}，判负", side.name_zh(), owned_zh(prey)),
                None => format!("{}步步将或捉，判负", side.name_zh()),
            },
            Verdict::Undecided { why } => format!("不能判定：{}", why.text_zh()),
        };
        let name = match self.rules {
            RuleSet::Basic => "基本规则",
            RuleSet::Asian => "亚洲规则",
            RuleSet::Chinese => "中国规则",
        };
        let times = self.repetitions;
        Some(format!("同一局面第 {times} 次出现，第 {first} 至 {last} 步{says}（{name}）"))
    }
}

/// The numbers of the first and the last ply.
fn span(cycle: &Cycle) -> (usize, usize) {
    let number = |ply: Option<&Ply>| ply.map_or(0, |ply| ply.number);
    (number(cycle.plies.first()), number(cycle.plies.last()))
}

fn hunted(cycle: &Cycle, side: Side) -> Option<Piece> {
    match cycle.hunt(side) {
        Hunt::Yes { prey } => Some(prey),
        Hunt::No | Hunt::Unclear { .. } => None,
    }
}

fn owned_zh(piece: Piece) -> String {
    format!("{}{}", piece.side.name_zh(), piece.name_zh())
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

impl Ply {
    /// What it does, in English: `check`, `chase (rook d4, horse d7)`, `idle`.
    pub fn text(&self) -> String {
        let threats = || self.shown().map(Chase::text).collect::<Vec<_>>().join("; ");
        match self.class() {
            Class::Check | Class::Idle => self.class().name().into(),
            Class::Chase | Class::Unclear => format!("{} ({})", self.class().name(), threats()),
        }
    }

    /// What it does, in Chinese: 将, 捉（车捉马）, 闲.
    pub fn text_zh(&self) -> String {
        let threats = || self.shown().map(Chase::text_zh).collect::<Vec<_>>().join("、");
        match self.class() {
            Class::Check => "将".into(),
            Class::Idle => "闲".into(),
            Class::Chase => format!("捉（{}）", threats()),
            Class::Unclear => format!("疑捉（{}）", threats()),
        }
    }

    /// The threats that make its class.
    fn shown(&self) -> impl Iterator<Item = &Chase> {
        let certain = self.class() == Class::Chase;
        self.chases.iter().filter(move |chase| !certain || chase.doubt.is_none())
    }
}

impl Chase {
    /// Who threatens whom, in English.
    pub fn text(&self) -> String {
        let (hunter, prey) = (self.hunter.kind.name(), self.prey.kind.name());
        format!("{hunter} {} attacks {prey} {}", self.from, self.at)
    }

    /// Who threatens whom, in Chinese.
    pub fn text_zh(&self) -> String {
        format!("{}捉{}", self.hunter.name_zh(), self.prey.name_zh())
    }
}

impl Why {
    /// What is open, in English.
    pub fn text(&self) -> String {
        match *self {
            Why::Chase { side, prey, doubt } => {
                format!("it is not certain that {side} chases the {}: {}", prey.kind.name(), doubt.text())
            }
            Why::Combination => "threats of mate and combinations would have to be judged".into(),
        }
    }

    /// What is open, in Chinese.
    pub fn text_zh(&self) -> String {
        match *self {
            Why::Chase { side, prey, doubt } => {
                format!("{}是否长捉{}不确定（{}）", side.name_zh(), owned_zh(prey), doubt.text_zh())
            }
            Why::Combination => "须判断杀着与联合捉子".into(),
        }
    }
}

impl Doubt {
    /// The doubt in English.
    pub const fn text(self) -> &'static str {
        match self {
            Doubt::WithCheck => "a move checks as well",
            Doubt::WasChecked => "the attack was there before a check was parried",
            Doubt::Pinned => "the attacking piece is pinned or was",
            Doubt::MinorOnRook => "an elephant or an advisor attacks a protected rook",
            Doubt::Exchange => "it may be an offer to exchange",
            Doubt::Protection => "the piece is protected only once the attacker has captured",
            Doubt::GuardedKing => "only the king protects the piece, and may not recapture",
            Doubt::Threatened => "the piece had not been brought to safety before",
            Doubt::WithKing => "a king takes part",
        }
    }

    /// The doubt in Chinese.
    pub const fn text_zh(self) -> &'static str {
        match self {
            Doubt::WithCheck => "捉子同时将军",
            Doubt::WasChecked => "应将前已有捉子",
            Doubt::Pinned => "捉子之子受牵制",
            Doubt::MinorOnRook => "士象捉有根车",
            Doubt::Exchange => "可能是兑子",
            Doubt::Protection => "吃子之后才有根",
            Doubt::GuardedKing => "仅将帅为根而受控不能反吃",
            Doubt::Threatened => "被捉之子先前未脱险",
            Doubt::WithKing => "帅将参与捉子",
        }
    }
}
