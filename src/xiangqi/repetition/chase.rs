//! What a move threatens to capture.

use super::reach::{attackers, in_check, moved};
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::rules::{self, Grid};
use crate::xiangqi::square::Square;

/// What leaves open whether a threat is a chase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    WithCheck,
    PinnedHunter,
    MinorOnRook,
    Exchange,
    Root,
    RootCut,
    Unpinned,
    WasChecked,
    StillHeld,
    Joint,
}

/// A new threat of a move to capture a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chase {
    pub hunter: Piece,
    pub from: Square,
    pub prey: Piece,
    pub at: Square,
    pub doubt: Option<Doubt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum No { Illegal, Exchange, Rooted, Confined }

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold { No(No), Maybe(Doubt), Yes }

/// New threats of `side` by playing `played`.
pub(super) fn chases(before: &Grid, after: &Grid, played: Move, side: Side) -> Vec<Chase> {
    let mut found: Vec<Chase> = Vec::new();
    let enemy = side.opposite();
    let was_checked = in_check(before, side);
    let checks = in_check(after, enemy);
    for at in rules::pieces(after, enemy) {
        let Some(prey) = rules::at(after, at) else { continue };
        if prey.kind == Kind::King || (prey.kind == Kind::Pawn && !at.crossed_river(enemy)) { continue }
        let earlier = attackers(before, at, side);
        let first = found.len();
        let mut still = false;
        let mut joint = false;
        for from in attackers(after, at, side) {
            let Some(hunter) = rules::at(after, from) else { continue };
            let stood = if from == played.to { played.from } else { from };
            let now = hold(after, from, at, false);
            let then = if earlier.contains(stood) { Some(hold(before, stood, at, was_checked)) } else { None };
            if matches!(hunter.kind, Kind::King | Kind::Pawn) {
                if !matches!(now, Hold::No(_)) && !matches!(then, Some(Hold::Yes)) { joint = true; }
                continue;
            }
            let doubt = match now { Hold::No(_) => continue, Hold::Maybe(d) => Some(d), Hold::Yes => None };
            let newness = match then {
                None => None,
                Some(Hold::Yes) => { still = true; continue }
                Some(Hold::Maybe(d)) => Some(d),
                Some(Hold::No(No::Illegal)) => Some(if was_checked { Doubt::WasChecked } else { Doubt::Unpinned }),
                Some(Hold::No(No::Exchange)) => Some(Doubt::Exchange),
                Some(Hold::No(No::Rooted)) => Some(Doubt::RootCut),
                Some(Hold::No(No::Confined)) => Some(Doubt::PinnedHunter),
            };
            let doubt = if checks { Some(Doubt::WithCheck) } else { newness.or(doubt) };
            found.push(Chase { hunter, from, prey, at, doubt });
        }
        for chase in found.iter_mut().skip(first) {
            if still { chase.doubt = chase.doubt.or(Some(Doubt::StillHeld)); }
            if joint { chase.doubt = chase.doubt.or(Some(Doubt::Joint)); }
        }
    }
    found
}

/// Whether the piece on `from` could take the one on `at` with gain, if it were to move.
fn hold(board: &Grid, from: Square, at: Square, checked: bool) -> Hold {
    let (Some(hunter), Some(prey)) = (rules::at(board, from), rules::at(board, at)) else { return Hold::No(No::Illegal) };
    let taken = moved(board, from, at);
    if in_check(&taken, hunter.side) { return Hold::No(No::Illegal) }
    let mut doubt = None;
    if !checked {
        let mut lifted = *board; lifted[from.index()] = None;
        if in_check(&lifted, hunter.side) {
            // pinned, yet may capture
            doubt = Some(Doubt::PinnedHunter);
        }
    }
    if hunter.kind == prey.kind && attackers(board, from, prey.side).contains(at) {
        let back = moved(board, at, from);
        if !in_check(&back, prey.side) {
            let mut lifted = *board; lifted[at.index()] = None;
            if in_check(&lifted, prey.side) { doubt = Some(Doubt::Exchange) } else { return Hold::No(No::Exchange) }
        }
    }
    let yes = match doubt { None => Hold::Yes, Some(d) => Hold::Maybe(d) };
    if prey.kind == Kind::Rook && matches!(hunter.kind, Kind::Horse | Kind::Cannon) { return yes }
    let really = attackers(&taken, at, prey.side).into_iter().any(|root| !in_check(&moved(&taken, root, at), prey.side));
    let seems = !attackers(board, at, prey.side).is_empty();
    if really && prey.kind == Kind::Rook && hunter.kind != Kind::Rook { return Hold::Maybe(Doubt::MinorOnRook) }
    match (really, seems) {
        (true, false) => Hold::Maybe(Doubt::Root),
        (true, true) => Hold::No(No::Rooted),
        (false, _) => yes,
    }
}
