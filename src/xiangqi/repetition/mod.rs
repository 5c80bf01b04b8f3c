//! Repetition: what a position that comes again means.
//!
//! A position is the pieces and the side to move. It is ruled when it stands for the third time (a
//! setting); the cycle is every ply since the first of those occurrences, and a side offends only by
//! what all its moves of the cycle do. A verdict carries the cycle and says of each ply what it does.
//! Where the rules leave something open the verdict is [`Verdict::Undecided`], never a guess.
//!
//! ```
//! use kifud::xiangqi::repetition::{History, OCCURRENCES, RuleSet, Verdict, judge};
//! use kifud::xiangqi::{Move, Position, Side, Square};
//!
//! // A rook runs after a horse that nobody protects.
//! let start = Position::from_fen("3k4n/9/9/9/9/9/9/9/9/4K2R1 w").unwrap();
//! let at = |text| Square::from_iccs(text).unwrap();
//! let once = [("h0", "i0"), ("i9", "h7"), ("i0", "h0"), ("h7", "i9")];
//! let moves = once.map(|(from, to)| Move::new(at(from), at(to)));
//! let history = History::new(start, [moves, moves].concat()).unwrap();
//! let found = judge(&history, RuleSet::Asian, OCCURRENCES);
//! assert_eq!(found.repetitions, 3);
//! assert_eq!(found.verdict, Some(Verdict::PerpetualChase { offender: Some(Side::Red) }));
//! ```

mod chase;
mod cycle;
mod history;
mod reach;
mod ruling;
#[cfg(test)]
mod tests;
mod text;
mod trail;

pub use chase::{Chase, Doubt};
pub use cycle::{Class, Cycle, Hunt, Ply};
pub use history::{History, HistoryFault, MAX_PLIES};
pub use ruling::{Verdict, Why};

use trail::Trail;

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
    /// 《象棋竞赛规则 2020》, chapter 6, as far as it can be decided without judging threats of mate and
    /// combinations: perpetual check loses (24.9); so does a side whose every move checks or attacks
    /// outright (24.11, 24.13) against one that does nothing of the kind.
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

/// What can be said about the last position of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    /// By whose rules.
    pub rules: RuleSet,
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
    let found = trail.occurrences();
    let repetitions = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let wanted = usize::try_from(occurrences.max(2)).unwrap_or(usize::MAX);
    let counted = &found[found.len().saturating_sub(wanted)..];
    let (Some(&first), true) = (counted.first(), counted.len() > 1) else {
        return Repetition { rules, repetitions, verdict: None, cycle: None };
    };
    let cycle = Cycle::since(history, &trail, first);
    let boards = trail.boards.get(first..).unwrap_or_default();
    let verdict = (counted.len() == wanted).then(|| ruling::rule(&cycle, boards, rules));
    Repetition { rules, repetitions, verdict, cycle: Some(cycle) }
}
