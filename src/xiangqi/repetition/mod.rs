//! Repetition: what a position that comes again means.
//!
//! A position is the pieces and the side to move. It is ruled when it stands for the third time (a
//! setting); the cycle is every ply since the first of those occurrences, and a side offends only by
//! what all its moves of the cycle do.

mod chase;
mod cycle;
mod history;
mod reach;

pub use chase::{Chase, Doubt};
pub use cycle::{Cycle, Ply};
pub use history::{History, HistoryFault, MAX_PLIES};

use super::piece::Side;
use cycle::Trail;

/// How often a position stands before it is ruled, unless told otherwise.
pub const OCCURRENCES: u32 = 3;

/// Whose rules decide about a repetition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RuleSet {
    /// Perpetual check loses; every other repetition is a draw.
    Basic,
    /// The rules of the Asian and the World Xiangqi Federation (亚洲棋规): perpetual check and perpetual
    /// chase lose.
    #[default]
    Asian,
    /// 《象棋竞赛规则 2020》, chapter 6, as far as it can be decided: perpetual check loses (24.9), what
    /// else would be a forbidden move (24.13) is left undecided.
    Chinese,
}

impl RuleSet {
    /// All three.
    pub const ALL: [RuleSet; 3] = [RuleSet::Basic, RuleSet::Asian, RuleSet::Chinese];

    /// `basic`, `asian` or `chinese`.
    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Basic => "basic",
            RuleSet::Asian => "asian",
            RuleSet::Chinese => "chinese",
        }
    }

    /// The rule set of a name.
    pub fn from_name(name: &str) -> Option<RuleSet> {
        RuleSet::ALL.into_iter().find(|rules| rules.name() == name)
    }
}

/// How a repetition ends the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody offends, or both do alike.
    Draw,
    /// Perpetual check (长将): the offender loses; `None`: both check perpetually, a draw.
    PerpetualCheck {
        /// Who.
        offender: Option<Side>,
    },
    /// It cannot be said.
    Undecided {
        why: Option<Doubt>,
    },
    PerpetualChase {
        offender: Option<Side>,
    },
}

impl Verdict {
    /// Who wins by it, if anybody.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Verdict::PerpetualCheck { offender } | Verdict::PerpetualChase { offender } => {
                offender.map(Side::opposite)
            }
            Verdict::Draw | Verdict::Undecided { .. } => None,
        }
    }
}

/// What can be said about the last position of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    /// How often it has stood on the board, this time included: at least 1.
    pub repetitions: u32,
    /// The ruling, once it has stood often enough.
    pub verdict: Option<Verdict>,
    /// What was played since the first of the counted occurrences, if it has stood before.
    pub cycle: Option<Cycle>,
}

/// Looks at the last position of a history: how often it has stood, and, if at least `occurrences`
/// times (less than 2 counts as 2), what the rules say.
pub fn judge(history: &History, rules: RuleSet, occurrences: u32) -> Repetition {
    let trail = Trail::of(history);
    let repetitions = u32::try_from(trail.occurrences.len()).unwrap_or(u32::MAX);
    let wanted = usize::try_from(occurrences.max(2)).unwrap_or(usize::MAX);
    let counted = wanted.min(trail.occurrences.len());
    let first = trail.occurrences.iter().rev().nth(counted.saturating_sub(1)).copied();
    let (Some(first), true) = (first, counted > 1) else {
        return Repetition { repetitions, verdict: None, cycle: None };
    };
    let cycle = Cycle { plies: cycle::plies(history, &trail, first) };
    let verdict = (counted == wanted).then(|| rule(&cycle, rules));
    Repetition { repetitions, verdict, cycle: Some(cycle) }
}

fn rule(cycle: &Cycle, rules: RuleSet) -> Verdict {
    match (cycle.always_checks(Side::Red), cycle.always_checks(Side::Black)) {
        (true, true) => Verdict::PerpetualCheck { offender: None },
        (true, false) => Verdict::PerpetualCheck { offender: Some(Side::Red) },
        (false, true) => Verdict::PerpetualCheck { offender: Some(Side::Black) },
        (false, false) if rules == RuleSet::Basic => Verdict::Draw,
        (false, false) if rules == RuleSet::Chinese => Verdict::Undecided { why: None },
        (false, false) => chase_rule(cycle),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Perpetual {
    Yes,
    No,
    Maybe(Doubt),
}

fn perpetual(cycle: &Cycle, side: Side) -> Perpetual {
    let mut candidates: Option<Vec<(super::square::Square, Option<Doubt>)>> = None;
    for ply in cycle.plies.iter().filter(|p| p.side == side) {
        let mut here: Vec<(super::square::Square, Option<Doubt>)> = Vec::new();
        for &(home, c) in &ply.chases {
            match here.iter_mut().find(|(h, _)| *h == home) {
                Some(e) => {
                    if c.doubt.is_none() {
                        e.1 = None
                    }
                }
                None => here.push((home, c.doubt)),
            }
        }
        candidates = Some(match candidates {
            None => here,
            Some(old) => old
                .into_iter()
                .filter_map(|(home, doubt)| {
                    here.iter().find(|(h, _)| *h == home).map(|(_, d)| (home, doubt.or(*d)))
                })
                .collect(),
        });
    }
    let candidates = candidates.unwrap_or_default();
    if candidates.iter().any(|(_, d)| d.is_none()) {
        return Perpetual::Yes;
    }
    match candidates.first() {
        Some((_, Some(d))) => Perpetual::Maybe(*d),
        _ => Perpetual::No,
    }
}

fn chase_rule(cycle: &Cycle) -> Verdict {
    match (perpetual(cycle, Side::Red), perpetual(cycle, Side::Black)) {
        (Perpetual::No, Perpetual::No) => Verdict::Draw,
        (Perpetual::Yes, Perpetual::Yes) => Verdict::PerpetualChase { offender: None },
        (Perpetual::Yes, Perpetual::No) => Verdict::PerpetualChase { offender: Some(Side::Red) },
        (Perpetual::No, Perpetual::Yes) => Verdict::PerpetualChase { offender: Some(Side::Black) },
        (Perpetual::Maybe(d), _) | (_, Perpetual::Maybe(d)) => Verdict::Undecided { why: Some(d) },
    }
}
