//! The moves that make a position repeat, and what each of them does.

use super::chase::{self, Chase, Doubt};
use super::history::History;
use super::reach;
use super::trail::Trail;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Piece, Side};
use crate::xiangqi::square::Square;

/// What a ply of a cycle does, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It checks (将), whatever else it does.
    Check,
    /// It threatens to capture a piece (捉).
    Chase,
    /// It may be a chase, but the rules do not say so for certain.
    Unclear,
    /// None of these (闲): also threats of mate, offers and exchanges.
    Idle,
}

impl Class {
    /// `check`, `chase`, `unclear` or `idle`.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Check => "check",
            Class::Chase => "chase",
            Class::Unclear => "unclear",
            Class::Idle => "idle",
        }
    }
}

/// One ply of a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Number of the ply in the history, from 1.
    pub number: usize,
    /// Who moves.
    pub side: Side,
    /// The move.
    pub played: Move,
    /// Whether it checks.
    pub check: bool,
    /// The threats to capture that it creates.
    pub chases: Vec<Chase>,
    /// Where each prey stood when the cycle began: who it is.
    homes: Vec<Square>,
}

impl Ply {
    /// What it does, in one word.
    pub fn class(&self) -> Class {
        if self.check {
            Class::Check
        } else if self.chases.iter().any(|chase| chase.doubt.is_none()) {
            Class::Chase
        } else if self.chases.is_empty() {
            Class::Idle
        } else {
            Class::Unclear
        }
    }

    /// Whether it chases the piece with this home.
    fn hunts(&self, home: Square) -> Hunt {
        let threats = self.homes.iter().zip(&self.chases).filter(|&(&prey, _)| prey == home);
        threats.fold(Hunt::No, |hunt, (_, chase)| match (hunt, chase.doubt) {
            (Hunt::Yes { .. }, _) => hunt,
            (_, None) => Hunt::Yes { prey: chase.prey },
            (Hunt::No, Some(doubt)) => Hunt::Unclear { prey: chase.prey, doubt },
            (Hunt::Unclear { .. }, Some(_)) => hunt,
        })
    }
}

/// Whether one and the same piece is chased by a move, or by every move of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hunt {
    /// No piece is.
    No,
    /// One may be.
    Unclear {
        /// Which.
        prey: Piece,
        /// What leaves it open.
        doubt: Doubt,
    },
    /// One is.
    Yes {
        /// Which.
        prey: Piece,
    },
}

/// The plies from the first of the counted occurrences of a position to the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The plies in order; never empty.
    pub plies: Vec<Ply>,
}

impl Cycle {
    /// Classes what was played since the board with this index.
    pub(super) fn since(history: &History, trail: &Trail, first: usize) -> Cycle {
        let played = history.moves().get(trail.skipped + first..).unwrap_or_default();
        let mut side = history.end().turn();
        if played.len() % 2 == 1 {
            side = side.opposite();
        }
        // The cycle is closed: what led to its first board is what leads to its last.
        let mut reply = played.last().copied();
        let mut homes: Vec<Square> = Square::all().collect();
        let mut plies = Vec::with_capacity(played.len());
        for (index, &next) in played.iter().enumerate() {
            let boards = (trail.boards.get(first + index), trail.boards.get(first + index + 1));
            let ((Some(before), Some(after)), Some(last)) = (boards, reply) else { break };
            let chases = chase::chases(before, after, next, last, side);
            plies.push(Ply {
                number: trail.skipped + first + index + 1,
                side,
                played: next,
                check: reach::in_check(after, side.opposite()),
                homes: chases.iter().map(|chase| homes[chase.at.index()]).collect(),
                chases,
            });
            homes[next.to.index()] = homes[next.from.index()];
            reply = Some(next);
            side = side.opposite();
        }
        Cycle { plies }
    }

    /// The plies of a side.
    pub fn of(&self, side: Side) -> impl Iterator<Item = &Ply> {
        self.plies.iter().filter(move |ply| ply.side == side)
    }

    /// Whether a side checks with every move of the cycle (长将).
    pub fn always_checks(&self, side: Side) -> bool {
        self.of(side).all(|ply| ply.check)
    }

    /// Whether a side chases one and the same piece with every move of the cycle (长捉).
    pub fn hunt(&self, side: Side) -> Hunt {
        let Some(start) = self.of(side).next() else { return Hunt::No };
        let mut unclear = Hunt::No;
        for &home in &start.homes {
            let mut whole = start.hunts(home);
            for ply in self.of(side).skip(1) {
                whole = match (whole, ply.hunts(home)) {
                    (Hunt::No, _) => break,
                    (_, Hunt::No) => Hunt::No,
                    (Hunt::Yes { .. }, here) => here,
                    (open @ Hunt::Unclear { .. }, _) => open,
                };
            }
            match whole {
                Hunt::Yes { .. } => return whole,
                Hunt::Unclear { .. } => unclear = whole,
                Hunt::No => {}
            }
        }
        unclear
    }
}
