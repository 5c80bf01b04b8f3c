//! What a move newly threatens to capture: whether it is a chase (捉).
//!
//! Sources: the rules of the Asian Xiangqi Federation (亚洲象棋联合会棋规, 2003; also the World Xiangqi
//! Federation's, 2011), numbered as in their general rules 1 to 40, with the definitions of the real
//! and the false protector (真根, 假根). Where they leave something open, the threat carries the
//! [`Doubt`] with it, and no ruling rests on it.

use super::reach::{attackers, in_check, threats_to_king};
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::rules::{self, Grid, moved};
use crate::xiangqi::square::Square;

/// What leaves open whether a threat is a chase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The move also checks, so the threat is not the next thing that can happen.
    WithCheck,
    /// The side was in check before the move; the capture was there but could not be made.
    WasChecked,
    /// The hunter is pinned, or was until this move, and could capture all the same.
    Pinned,
    /// An elephant or an advisor attacks a protected rook: the rules name only horse and cannon.
    MinorOnRook,
    /// A piece attacks one of its own kind that can strike back only along its pin, or no longer.
    Exchange,
    /// The prey is protected only once the hunter has left its place to capture.
    Protection,
    /// Only the king protects the prey, and a second piece keeps it from recapturing.
    GuardedKing,
    /// The prey could be captured before the move already, so the other side had not warded it off.
    Threatened,
    /// A king threatens the prey as well, or its move opens the threat.
    WithKing,
}

/// A threat that a move creates: to capture a piece that the rules protect from being chased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chase {
    /// Who could capture.
    pub hunter: Piece,
    /// Where the hunter stands after the move.
    pub from: Square,
    /// Who could be captured.
    pub prey: Piece,
    /// Where the prey stands.
    pub at: Square,
    /// Why it is not certain that this is a chase.
    pub doubt: Option<Doubt>,
}

/// The two ways to tell whether a piece is protected.
///
/// A protector is real if it can recapture when the piece has been taken, false if it cannot. Whether
/// a piece is one that protects only from then on, because the hunter has left its line, the rules do
/// not say and referees differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Whatever can recapture protects.
    Afterwards,
    /// What protects already and can recapture protects.
    Throughout,
}

const READINGS: [Reading; 2] = [Reading::Afterwards, Reading::Throughout];

/// Whether a piece could capture another with gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gain {
    /// The capture would be illegal.
    Illegal,
    /// The hunter is a rook that a cannon pins (rule 27).
    Confined,
    /// Each could capture the other, and they are of one kind (rule 24).
    Exchange,
    /// The prey is protected (rules 17 and 35).
    Protected,
    /// The rules do not say.
    Doubtful(Doubt),
    /// It could.
    Certain,
}

/// The threats to capture that a side creates by a move, also through other pieces than the one that
/// moves. Kings and pawns may threaten whatever they like (rules 28 and 29), and a pawn before the
/// river may be threatened by all (rule 25).
///
/// `reply` is the other side's move that led to the board before.
pub(super) fn chases(before: &Grid, after: &Grid, played: Move, reply: Move, side: Side) -> Vec<Chase> {
    let turn = Turn {
        reply,
        before,
        after,
        played,
        side,
        was_checked: in_check(before, side),
        checks: in_check(after, side.opposite()),
    };
    let mut found = Vec::new();
    for at in rules::pieces(after, side.opposite()) {
        if let Some(prey) = rules::at(after, at).filter(|&prey| may_be_prey(prey, at)) {
            turn.threats(prey, at, &mut found);
        }
    }
    found
}

fn may_be_prey(piece: Piece, at: Square) -> bool {
    match piece.kind {
        Kind::King => false,
        Kind::Pawn => at.crossed_river(piece.side),
        _ => true,
    }
}

/// One move, looked at from the side that made it.
struct Turn<'a> {
    before: &'a Grid,
    after: &'a Grid,
    played: Move,
    reply: Move,
    side: Side,
    was_checked: bool,
    checks: bool,
}

impl Turn<'_> {
    /// Adds the new threats to one piece.
    fn threats(&self, prey: Piece, at: Square, found: &mut Vec<Chase>) {
        let now = attackers(self.after, at, self.side);
        if now.is_empty() {
            return;
        }
        let earlier = attackers(self.before, at, self.side);
        let first = found.len();
        let mut doubt = self.checks.then_some(Doubt::WithCheck);
        if earlier.into_iter().any(|stood| self.held(stood, at)) {
            doubt = doubt.or(Some(Doubt::Threatened));
        }
        for from in now {
            let Some(hunter) = rules::at(self.after, from) else { continue };
            let stood = if from == self.played.to { self.played.from } else { from };
            let was_there = earlier.contains(stood);
            if hunter.kind == Kind::King {
                doubt = doubt.or(Some(Doubt::WithKing));
            }
            if matches!(hunter.kind, Kind::King | Kind::Pawn) {
                continue;
            }
            let stayed = (from != self.played.to || !self.walked_in(stood, at))
                && !(was_there && self.sharpened(stood, from, prey, at));
            let now = self.gains_after(from, at);
            let then = was_there.then(|| self.gains_before(stood, at));
            let open = match [
                self.compare(then.map(|[gain, _]| gain), now[0], stayed),
                self.compare(then.map(|[_, gain]| gain), now[1], stayed),
            ] {
                [New::No, New::No] => continue,
                [New::Yes, New::Yes] => None,
                [New::Open(why), New::Open(_) | New::Yes] | [New::Yes, New::Open(why)] => Some(why),
                _ => Some(Doubt::Protection),
            };
            found.push(Chase { hunter, from, prey, at, doubt: open });
        }
        if rules::at(self.after, self.played.to).is_some_and(|piece| piece.kind == Kind::King) {
            doubt = doubt.or(Some(Doubt::WithKing));
        }
        for chase in found.iter_mut().skip(first) {
            chase.doubt = doubt.or(chase.doubt);
        }
    }

    /// Compares what a piece could capture after the move with what it could capture before.
    fn compare(&self, then: Option<Gain>, now: Gain, stayed: bool) -> New {
        let open = match now {
            Gain::Certain => None,
            Gain::Doubtful(why) => Some(why),
            _ => return New::No,
        };
        match (then, open) {
            (Some(Gain::Certain), _) if stayed => New::No,
            (Some(Gain::Certain), _) => New::Open(Doubt::Threatened),
            // However the doubt is settled, it is settled alike before and after.
            (Some(Gain::Doubtful(then)), Some(now)) if stayed && then == now => New::No,
            (Some(Gain::Doubtful(why)), _) | (None, Some(why)) => New::Open(why),
            (Some(Gain::Illegal), _) if self.was_checked => New::Open(Doubt::WasChecked),
            (Some(Gain::Illegal | Gain::Confined), _) => New::Open(Doubt::Pinned),
            (Some(Gain::Exchange), _) => New::Open(Doubt::Exchange),
            (Some(Gain::Protected), Some(why)) => New::Open(why),
            // Cutting off the protector is a chase (example after rule 40).
            (None | Some(Gain::Protected), None) => New::Yes,
        }
    }

    /// Whether the prey has just come onto another line of the hunter: it has left its place, though
    /// for one that is no better.
    fn walked_in(&self, stood: Square, at: Square) -> bool {
        self.reply.to == at
            && !(stood.row() == at.row() && self.reply.from.row() == at.row())
            && !(stood.col() == at.col() && self.reply.from.col() == at.col())
    }

    /// Whether a capture that was there checks since the move, and did not before: an old threat with
    /// something new in it, of which the rules do not speak.
    fn sharpened(&self, stood: Square, from: Square, prey: Piece, at: Square) -> bool {
        in_check(&moved(self.after, from, at), prey.side)
            && !in_check(&moved(self.before, stood, at), prey.side)
    }

    /// Whether a piece could have captured the prey before the move: the other side has not warded
    /// it off.
    fn held(&self, stood: Square, at: Square) -> bool {
        let hunts =
            rules::at(self.before, stood).is_some_and(|piece| !matches!(piece.kind, Kind::King | Kind::Pawn));
        hunts && self.gains_before(stood, at).contains(&Gain::Certain)
    }

    /// What the capture would have gained before the move, by each reading.
    fn gains_before(&self, stood: Square, at: Square) -> [Gain; 2] {
        let pin = pinner(self.before, stood, self.side);
        READINGS.map(|reading| match (gain(self.before, stood, at, reading), pin) {
            (Gain::Certain | Gain::Doubtful(_), Some(pin)) if is_confining(self.before, stood, pin) => {
                Gain::Confined
            }
            (Gain::Certain, Some(_)) => Gain::Doubtful(Doubt::Pinned),
            (gain, _) => gain,
        })
    }

    /// What the capture would gain after the move, by each reading.
    fn gains_after(&self, from: Square, at: Square) -> [Gain; 2] {
        let pin = pinner(self.after, from, self.side);
        let came = from == self.played.to && pinner(self.before, self.played.from, self.side).is_none();
        READINGS.map(|reading| match (gain(self.after, from, at, reading), pin) {
            // It has come to stand in the way, and what it attacks is the pinning piece (diagram 37).
            (gain, Some(pin)) if came && pin == at => gain,
            (Gain::Certain | Gain::Doubtful(_), Some(pin)) => {
                if !came && is_confining(self.after, from, pin) {
                    Gain::Confined
                } else {
                    Gain::Doubtful(Doubt::Pinned)
                }
            }
            (gain, _) => gain,
        })
    }
}

/// Whether a threat is there that was not there before the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum New {
    No,
    Open(Doubt),
    Yes,
}

/// Whether the piece on `from` could take the one on `at` with gain if it were its turn. Pins that
/// allow the capture are not looked at.
fn gain(board: &Grid, from: Square, at: Square, reading: Reading) -> Gain {
    let (Some(hunter), Some(prey)) = (rules::at(board, from), rules::at(board, at)) else {
        return Gain::Illegal;
    };
    let taken = moved(board, from, at);
    if in_check(&taken, hunter.side) {
        return Gain::Illegal;
    }
    let strikes_back = hunter.kind == prey.kind
        && attackers(board, from, prey.side).contains(at)
        && !in_check(&moved(board, at, from), prey.side);
    if strikes_back {
        match pinner(board, at, prey.side) {
            None => return Gain::Exchange,
            Some(pin) if is_confining(board, at, pin) => {}
            Some(_) => return Gain::Doubtful(Doubt::Exchange),
        }
    }
    // A horse or a cannon may not chase a rook, protected or not (rules 15 and 26).
    let on_rook = prey.kind == Kind::Rook && hunter.kind != Kind::Rook;
    if on_rook && matches!(hunter.kind, Kind::Horse | Kind::Cannon) {
        return Gain::Certain;
    }
    match (protection(board, from, at, reading), on_rook) {
        (Protection::None, _) => Gain::Certain,
        (Protection::Guarded, _) => Gain::Doubtful(Doubt::GuardedKing),
        (Protection::Real, false) => Gain::Protected,
        (Protection::Real, true) => Gain::Doubtful(Doubt::MinorOnRook),
    }
}

/// What a piece has to fear that captures another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protection {
    /// Nothing: no protector, or false ones only.
    None,
    /// The king, which could recapture if no second piece guarded the point.
    Guarded,
    /// A legal recapture.
    Real,
}

fn protection(board: &Grid, from: Square, at: Square, reading: Reading) -> Protection {
    let Some(prey) = rules::at(board, at) else { return Protection::None };
    let taken = moved(board, from, at);
    let stand = attackers(board, at, prey.side);
    let mut found = Protection::None;
    for root in attackers(&taken, at, prey.side) {
        let retaken = moved(&taken, root, at);
        let king = rules::at(board, root).is_some_and(|piece| piece.kind == Kind::King);
        if reading == Reading::Throughout && !stand.contains(root) {
            continue;
        } else if !in_check(&retaken, prey.side) {
            return Protection::Real;
        } else if king && !attackers(&retaken, at, prey.side.opposite()).is_empty() {
            found = Protection::Guarded;
        }
    }
    found
}

/// The enemy piece that keeps this one from leaving its point: it would attack the king, or face it if
/// it is the king itself, and does not do so now.
fn pinner(board: &Grid, square: Square, side: Side) -> Option<Square> {
    let king = rules::king(board, side).filter(|&king| king != square)?;
    rules::at(board, square)?;
    let mut lifted = *board;
    lifted[square.index()] = None;
    let held = threats_to_king(board, king, side);
    threats_to_king(&lifted, king, side).minus(held).into_iter().next()
}

/// Whether a pin makes its piece a confined rook: held on its line by a cannon (rule 27).
fn is_confining(board: &Grid, square: Square, pin: Square) -> bool {
    let kind = |at: Square| rules::at(board, at).map(|piece| piece.kind);
    kind(square) == Some(Kind::Rook) && kind(pin) == Some(Kind::Cannon)
}
