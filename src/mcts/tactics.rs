//! Small tactics that are read out: liberties after a move, captures, escapes, ladders.

use super::board::{BORDER, Board, EMPTY, Stone, opponent};
use super::grid::{NOWHERE, Place};
use super::pattern::Patterns;

/// A few places without an allocation; what does not fit is left out.
#[derive(Debug, Clone, Copy)]
pub struct Few {
    places: [Place; 16],
    length: usize,
}

impl Few {
    /// None.
    #[inline]
    pub fn new() -> Few {
        Few { places: [NOWHERE; 16], length: 0 }
    }

    /// Adds one that is not there yet.
    #[inline]
    pub fn insert(&mut self, place: Place) {
        if self.length < self.places.len() && !self.as_slice().contains(&place) {
            self.places[self.length] = place;
            self.length += 1;
        }
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// All of them.
    #[inline]
    pub fn as_slice(&self) -> &[Place] {
        &self.places[..self.length.min(16)]
    }
}

impl Default for Few {
    fn default() -> Few {
        Few::new()
    }
}

/// Whether the move would leave its own chain in atari, or take its last liberty.
#[inline]
pub fn is_self_atari(board: &Board, place: Place, stone: Stone) -> bool {
    Patterns::get().empty_beside(board.shape(place)) < 2 && !gets_two_liberties(board, place, stone)
}

fn gets_two_liberties(board: &Board, place: Place, stone: Stone) -> bool {
    let beside = board.grid().beside(place);
    let mut one = NOWHERE;
    let mut captures = false;
    for other in beside {
        let there = board.at(other);
        let liberty = if there == EMPTY {
            other
        } else if there == BORDER {
            continue;
        } else {
            match (there == stone, board.liberties(other)) {
                (true, 2) => board.other_liberty(other, place),
                (true, 0 | 1) => continue,
                (true, _) => return true,
                (false, 1) => {
                    captures |= board.size(other) > 1;
                    other
                }
                (false, _) => continue,
            }
        };
        if one != NOWHERE && one != liberty {
            return true;
        }
        one = liberty;
    }
    // Stones of a chain that is taken further on may become liberties too.
    captures && count_after(board, place, stone, 2) > 1
}

/// The liberties that the move's own chain would have, counted up to `limit` (at most 8).
#[inline]
pub fn liberties_after(board: &Board, place: Place, stone: Stone, limit: usize) -> usize {
    let quick = usize::from(Patterns::get().empty_beside(board.shape(place)));
    if quick >= limit { limit } else { count_after(board, place, stone, limit) }
}

fn count_after(board: &Board, place: Place, stone: Stone, limit: usize) -> usize {
    let beside = board.grid().beside(place);
    let mut found = Few::new();
    for other in beside {
        let there = board.at(other);
        if there == EMPTY {
            found.insert(other);
        } else if there == stone {
            let liberties = usize::from(board.liberties(other));
            if liberties > limit {
                return limit;
            }
            match liberties {
                0 | 1 => {}
                2 => found.insert(board.other_liberty(other, place)),
                _ => gather_liberties(board, other, place, limit, &mut found),
            }
        }
    }
    for other in beside {
        if found.as_slice().len() >= limit {
            return limit;
        }
        if board.at(other) == opponent(stone) && board.liberties(other) == 1 {
            gather_taken(board, other, place, stone, limit, &mut found);
        }
    }
    found.as_slice().len().min(limit)
}

fn gather_liberties(board: &Board, chain: Place, but: Place, limit: usize, found: &mut Few) {
    for stone in board.chain_stones(chain) {
        for beside in board.grid().beside(stone) {
            if beside != but && board.at(beside) == EMPTY {
                found.insert(beside);
            }
        }
        if found.as_slice().len() >= limit {
            return;
        }
    }
}

/// The stones of a chain that would be taken, as far as they then are liberties of the move's chain.
fn gather_taken(board: &Board, chain: Place, place: Place, stone: Stone, limit: usize, found: &mut Few) {
    let beside = board.grid().beside(place);
    for taken in board.chain_stones(chain) {
        let near = board.grid().beside(taken).into_iter().any(|other| {
            other == place
                || (board.at(other) == stone
                    && beside
                        .iter()
                        .any(|own| board.at(*own) == stone && board.chain(*own) == board.chain(other)))
        });
        if near {
            found.insert(taken);
            if found.as_slice().len() >= limit {
                return;
            }
        }
    }
}

/// The stones that the move's own chain would have.
pub fn stones_after(board: &Board, place: Place, stone: Stone) -> usize {
    let mut chains = Few::new();
    for beside in board.grid().beside(place) {
        if board.at(beside) == stone {
            chains.insert(board.chain(beside));
        }
    }
    1 + chains.as_slice().iter().map(|chain| usize::from(board.size(*chain))).sum::<usize>()
}

/// Whether the move takes something.
#[inline]
pub fn takes(board: &Board, place: Place, stone: Stone) -> bool {
    board
        .grid()
        .beside(place)
        .into_iter()
        .any(|beside| board.at(beside) == opponent(stone) && board.liberties(beside) == 1)
}

/// The moves that save a chain in atari: those that take one of its besiegers, and the step out when
/// it leads to two liberties at least (and no ladder, if `read`).
pub fn rescues(board: &Board, chain: Place, read: bool, found: &mut Few) {
    let own = board.at(chain);
    for stone in board.chain_stones(chain) {
        for beside in board.grid().beside(stone) {
            if board.at(beside) == opponent(own) && board.liberties(beside) == 1 {
                let place = board.liberty(beside);
                if board.is_legal(place, own) {
                    found.insert(place);
                }
            }
        }
    }
    let out = board.liberty(chain);
    if board.is_legal(out, own) {
        match liberties_after(board, out, own, 3) {
            0 | 1 => {}
            2 if read && ladder_after(board, out, own) => {}
            _ => found.insert(out),
        }
    }
}

/// Whether the chain that the move makes, with two liberties, is caught in a ladder.
pub fn ladder_after(board: &Board, place: Place, own: Stone) -> bool {
    let mut after = board.clone();
    after.play(place, own);
    is_caught(&mut after, place, 4)
}

/// Whether the opponent, to move, catches a chain of two liberties by ataris alone. Where two ataris
/// could work both are read, up to `forks` times.
pub fn is_caught(board: &mut Board, chain: Place, forks: u32) -> bool {
    let own = board.at(chain);
    let hunter = opponent(own);
    // A ladder turns at most twice a line.
    for _ in 0..128 {
        match board.liberties(chain) {
            0 | 1 => return true,
            2 => {}
            _ => return false,
        }
        let [one, other] = board.two_liberties(chain);
        let works = |atari, out| {
            board.is_legal(atari, hunter)
                && (!is_self_atari(board, atari, hunter) || takes(board, atari, hunter))
                && room_after(board, out, own) < 3
        };
        let atari = match (works(one, other), works(other, one)) {
            (false, false) => return false,
            (true, false) => one,
            (false, true) => other,
            (true, true) => {
                // The side with more room for the chain is the one to close.
                let (first, second) =
                    if liberties_after(board, one, own, 4) >= liberties_after(board, other, own, 4) {
                        (one, other)
                    } else {
                        (other, one)
                    };
                if forks > 0 {
                    let mut branch = board.clone();
                    if hunt(&mut branch, chain, second) && is_caught(&mut branch, chain, forks - 1) {
                        return true;
                    }
                }
                first
            }
        };
        if !hunt(board, chain, atari) {
            return false;
        }
        if board.liberties(chain) == 1 {
            return true;
        }
    }
    false
}

/// Gives atari and lets the chain run; whether the hunt goes on. Taking a besieger ends it.
fn hunt(board: &mut Board, chain: Place, atari: Place) -> bool {
    let own = board.at(chain);
    board.play(atari, opponent(own));
    if board.liberties(chain) != 1 {
        return false;
    }
    let mut rescue = Few::new();
    for stone in board.chain_stones(chain) {
        for beside in board.grid().beside(stone) {
            if board.at(beside) == opponent(own) && board.liberties(beside) == 1 {
                rescue.insert(board.liberty(beside));
            }
        }
    }
    let out = board.liberty(chain);
    if rescue.as_slice().iter().any(|place| *place != out && board.is_legal(*place, own)) {
        return false;
    }
    if board.is_legal(out, own) {
        board.play(out, own);
        board.liberties(chain) < 3
    } else {
        // It cannot even run: caught where it stands.
        true
    }
}

/// The liberties of a chain of two liberties that runs to one of them after the opponent has taken the
/// other, up to 4.
fn room_after(board: &Board, out: Place, own: Stone) -> usize {
    liberties_after(board, out, own, 5).saturating_sub(1)
}

/// The ataris that catch a chain of two liberties, to the end of the ladder; [`NOWHERE`] for those that do not.
pub fn catches(board: &Board, chain: Place, hunter: Stone) -> [Place; 2] {
    let own = opponent(hunter);
    let [one, other] = board.two_liberties(chain);
    [(one, other), (other, one)].map(|(atari, out)| {
        let works = board.is_legal(atari, hunter)
            && (!is_self_atari(board, atari, hunter) || takes(board, atari, hunter))
            && room_after(board, out, own) < 3;
        if !works {
            return NOWHERE;
        }
        let mut after = board.clone();
        if hunt(&mut after, chain, atari) && is_caught(&mut after, chain, 2) { atari } else { NOWHERE }
    })
}
