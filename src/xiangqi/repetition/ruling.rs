//! From what the moves of a cycle do to who has lost.

use super::RuleSet;
use super::chase::{Chase, Doubt};
use super::cycle::{Cycle, Hunt, Ply};
use super::reach::in_check;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::rules::{self, Grid, moved};

/// How a repetition ends the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Neither side offends.
    Draw,
    /// Perpetual check (长将): the offender loses; `None`: both check perpetually, a draw.
    PerpetualCheck {
        /// Who.
        offender: Option<Side>,
    },
    /// Perpetual chase (长捉), under the Chinese rules also checks and chases in turn: the offender
    /// loses; `None`: both chase perpetually, a draw.
    PerpetualChase {
        /// Who.
        offender: Option<Side>,
    },
    /// The rules, as far as they are known here, do not say.
    Undecided {
        /// What is open.
        why: Why,
    },
}

impl Verdict {
    /// Who loses by it, if anybody.
    pub const fn offender(&self) -> Option<Side> {
        match *self {
            Verdict::PerpetualCheck { offender } | Verdict::PerpetualChase { offender } => offender,
            Verdict::Draw | Verdict::Undecided { .. } => None,
        }
    }

    /// Who wins by it, if anybody.
    pub fn winner(&self) -> Option<Side> {
        self.offender().map(Side::opposite)
    }

    /// The state of the game: `draw-repetition`, `draw-perpetual-check` (also when it is lost by
    /// perpetual check), `perpetual-chase` or `undecided`.
    pub const fn state(&self) -> &'static str {
        match self {
            Verdict::Draw => "draw-repetition",
            Verdict::PerpetualCheck { .. } => "draw-perpetual-check",
            Verdict::PerpetualChase { .. } => "perpetual-chase",
            Verdict::Undecided { .. } => "undecided",
        }
    }
}

/// What keeps a verdict open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Whether a side chases perpetually.
    Chase {
        /// Who may chase.
        side: Side,
        /// The piece that may be chased.
        prey: Piece,
        /// What leaves it open.
        doubt: Doubt,
    },
    /// Whether threats of mate or combinations make a move forbidden, which the Chinese rules ask.
    Combination,
}

/// What a rule set says about a cycle; `boards` are the boards around its plies, one more than they.
pub(super) fn rule(cycle: &Cycle, boards: &[Grid], rules: RuleSet) -> Verdict {
    match Side::ALL.map(|side| cycle.always_checks(side)) {
        [true, true] => return Verdict::PerpetualCheck { offender: None },
        [true, false] => return Verdict::PerpetualCheck { offender: Some(Side::Red) },
        [false, true] => return Verdict::PerpetualCheck { offender: Some(Side::Black) },
        [false, false] => {}
    }
    match rules {
        RuleSet::Basic => Verdict::Draw,
        RuleSet::Asian => asian(cycle),
        RuleSet::Chinese => chinese(cycle, boards),
    }
}

/// Perpetual chase of one piece loses, unless both do it; all else is a draw: checks and chases in
/// turn (12), threats of mate (9), several pieces chased in turn (32), offers and exchanges (40).
fn asian(cycle: &Cycle) -> Verdict {
    let hunts = Side::ALL.map(|side| (side, cycle.hunt(side)));
    for (side, hunt) in hunts {
        if let Hunt::Unclear { prey, doubt } = hunt {
            return Verdict::Undecided { why: Why::Chase { side, prey, doubt } };
        }
    }
    let offends = |hunt| matches!(hunt, Hunt::Yes { .. });
    match hunts.map(|(_, hunt)| offends(hunt)) {
        [true, true] => Verdict::PerpetualChase { offender: None },
        [true, false] => Verdict::PerpetualChase { offender: Some(Side::Red) },
        [false, true] => Verdict::PerpetualChase { offender: Some(Side::Black) },
        [false, false] => Verdict::Draw,
    }
}

/// A side offends for certain if each of its moves checks or attacks outright, and does not offend for
/// certain if one of them does nothing at all; between the two the rules ask for a referee.
fn chinese(cycle: &Cycle, boards: &[Grid]) -> Verdict {
    let conduct = |side: Side| {
        let mut plies = cycle.plies.iter().zip(boards.iter().skip(1)).filter(|(ply, _)| ply.side == side);
        if plies.clone().any(|(ply, after)| !ply.check && is_quiet(after, side)) {
            Some(Conduct::Allowed)
        } else if plies.all(|(ply, after)| ply.check || attacks_outright(ply, after)) {
            Some(Conduct::Forbidden)
        } else {
            None
        }
    };
    match Side::ALL.map(conduct) {
        [Some(Conduct::Allowed), Some(Conduct::Allowed)] => Verdict::Draw,
        [Some(Conduct::Forbidden), Some(Conduct::Allowed)] => {
            Verdict::PerpetualChase { offender: Some(Side::Red) }
        }
        [Some(Conduct::Allowed), Some(Conduct::Forbidden)] => {
            Verdict::PerpetualChase { offender: Some(Side::Black) }
        }
        [Some(Conduct::Forbidden), Some(Conduct::Forbidden)] => Verdict::PerpetualChase { offender: None },
        _ => Verdict::Undecided { why: Why::Combination },
    }
}

/// What a side does in a cycle, in the words of 24.13 and 24.14.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conduct {
    Forbidden,
    Allowed,
}

/// Whether a side, were it to move again, could neither capture nor check: then its last move can be
/// no attack of any kind.
fn is_quiet(board: &Grid, side: Side) -> bool {
    replies(board, side).all(|next| {
        rules::at(board, next.to).is_none() && !in_check(&moved(board, next.from, next.to), side.opposite())
    })
}

/// Whether a ply attacks a rook, a horse or a cannon for certain, and taking it would not be answered
/// by mate (24.3).
fn attacks_outright(ply: &Ply, after: &Grid) -> bool {
    let safe = |chase: &Chase| {
        let taken = moved(after, chase.from, chase.at);
        !replies(&taken, ply.side.opposite())
            .any(|next| is_mated(&moved(&taken, next.from, next.to), ply.side))
    };
    ply.chases.iter().any(|chase| {
        chase.doubt.is_none()
            && matches!(chase.prey.kind, Kind::Rook | Kind::Horse | Kind::Cannon)
            && safe(chase)
    })
}

fn is_mated(board: &Grid, side: Side) -> bool {
    in_check(board, side) && replies(board, side).next().is_none()
}

/// The legal moves of a side.
fn replies(board: &Grid, side: Side) -> impl Iterator<Item = Move> + '_ {
    rules::pseudo_legal_moves(board, side)
        .filter(move |next| !in_check(&moved(board, next.from, next.to), side))
}
