//! Playouts: games to the end by moves that are quick to find.

use super::board::{Board, EMPTY, Stone, opponent};
use super::grid::{NOWHERE, Place};
use super::nakade::vital_point;
use super::pattern::Patterns;
use super::random::Random;
use super::tactics::{Few, is_self_atari, liberties_after, rescues, stones_after, takes};

/// How often each kind of move is looked for, in 256ths.
#[derive(Debug, Clone, Copy)]
pub struct Habits {
    /// Captures and escapes next to the last move.
    pub atari: u32,
    /// Answers to a threat of atari, and ataris, next to the last move.
    pub two: u32,
    /// The vital point of a small eye space next to the last move.
    pub nakade: u32,
    /// Moves that fit a pattern next to the last two moves.
    pub pattern: u32,
    /// A move beside the last one.
    pub contact: u32,
    /// Refusal of a dull move.
    pub dull: u32,
    /// Refusal of a move that leaves its own chain in atari.
    pub caution: u32,
}

impl Default for Habits {
    fn default() -> Habits {
        Habits { atari: 230, two: 230, nakade: 205, pattern: 230, contact: 64, dull: 230, caution: 230 }
    }
}

/// Chooses the next move of a playout.
#[inline]
pub fn choose(board: &Board, own: Stone, habits: &Habits, random: &mut Random) -> Place {
    let last = board.last();
    if last[0] != NOWHERE {
        if random.chance(habits.atari) {
            let place = answer_atari(board, last[0], own, random);
            if place != NOWHERE {
                return place;
            }
        }
        if random.chance(habits.nakade) {
            let place = nakade(board, last[0], own);
            if place != NOWHERE {
                return place;
            }
        }
        if random.chance(habits.two) {
            let place = fight(board, last[0], own, random);
            if place != NOWHERE {
                return place;
            }
        }
        if random.chance(habits.pattern) {
            let place = local(board, last, own, habits, random);
            if place != NOWHERE {
                return place;
            }
        }
    }
    if last[0] != NOWHERE && random.chance(habits.contact) {
        let around = board.grid().around(last[0]);
        let place = around[random.below(8) & 7];
        if board.at(place) == EMPTY && is_sound(board, place, own, habits, random) {
            return place;
        }
    }
    anywhere(board, own, habits, random)
}

fn pick(found: &Few, random: &mut Random) -> Place {
    match found.as_slice() {
        [] => NOWHERE,
        [only] => *only,
        several => several[random.below(several.len())],
    }
}

/// Takes what the last move left in atari, or saves what it put there.
fn answer_atari(board: &Board, last: Place, own: Stone, random: &mut Random) -> Place {
    let mut found = Few::new();
    if board.at(last) == opponent(own) && board.liberties(last) == 1 {
        let place = board.liberty(last);
        if board.is_legal(place, own) {
            found.insert(place);
        }
    }
    for beside in board.grid().beside(last) {
        if board.at(beside) == own && board.liberties(beside) == 1 {
            rescues(board, board.chain(beside), false, &mut found);
        }
    }
    pick(&found, random)
}

/// Chains of two liberties beside the last move: the own ones are strengthened where an atari would
/// catch them, the opponent's are caught where that works.
fn fight(board: &Board, last: Place, own: Stone, random: &mut Random) -> Place {
    let mut found = Few::new();
    let foe = opponent(own);
    if board.at(last) == foe && board.liberties(last) == 2 {
        catches(board, last, own, &mut found);
    }
    for beside in board.grid().beside(last) {
        if board.at(beside) == own && board.liberties(beside) == 2 {
            let [one, other] = board.two_liberties(beside);
            for (atari, out) in [(one, other), (other, one)] {
                if board.is_legal(atari, foe)
                    && !is_self_atari(board, atari, foe)
                    && liberties_after(board, out, own, 3) < 3
                {
                    // Whichever liberty they would take, the move there is ours if it gains room.
                    for place in [atari, out] {
                        if board.is_legal(place, own) && liberties_after(board, place, own, 3) > 2 {
                            found.insert(place);
                        }
                    }
                }
            }
        }
    }
    pick(&found, random)
}

/// The ataris after which a chain of two liberties cannot gain room.
fn catches(board: &Board, chain: Place, own: Stone, found: &mut Few) {
    let foe = opponent(own);
    let [one, other] = board.two_liberties(chain);
    for (atari, out) in [(one, other), (other, one)] {
        if board.is_legal(atari, own)
            && !is_self_atari(board, atari, own)
            && liberties_after(board, out, foe, 3) < 3
        {
            found.insert(atari);
        }
    }
}

/// The vital point of a small space beside the last move.
fn nakade(board: &Board, last: Place, own: Stone) -> Place {
    let patterns = Patterns::get();
    let empty = patterns.empty_beside(board.shape(last));
    if empty == 0 || empty > 3 {
        return NOWHERE;
    }
    for beside in board.grid().beside(last) {
        if board.at(beside) == EMPTY && !patterns.touches(board.shape(beside), own) {
            let place = vital_point(board, beside);
            if place != NOWHERE && board.is_legal(place, own) {
                return place;
            }
        }
    }
    NOWHERE
}

/// A move that fits a pattern beside the last move, or else beside the one before.
fn local(board: &Board, last: [Place; 2], own: Stone, habits: &Habits, random: &mut Random) -> Place {
    let patterns = Patterns::get();
    for center in last {
        if center == NOWHERE {
            continue;
        }
        let around = board.grid().around(center);
        let mut fitting = 0u32;
        for (side, place) in around.into_iter().enumerate() {
            let fits = (board.at(place) == EMPTY) & patterns.fits(board.shape(place));
            fitting |= u32::from(fits) << side;
        }
        while fitting != 0 {
            let mut rest = fitting;
            for _ in 0..random.below(fitting.count_ones() as usize) {
                rest &= rest - 1;
            }
            let side = rest.trailing_zeros();
            let place = around[side as usize & 7];
            if is_sound(board, place, own, habits, random) {
                return place;
            }
            fitting &= !(1 << side);
        }
    }
    NOWHERE
}

/// Whether a move may be played in a playout: legal, no eye of one's own, no big self-atari.
#[inline]
fn is_sound(board: &Board, place: Place, own: Stone, habits: &Habits, random: &mut Random) -> bool {
    let patterns = Patterns::get();
    let shape = board.shape(place);
    if patterns.empty_beside(shape) > 1 {
        return place != board.ko();
    }
    if patterns.is_eye(shape, own) || !board.is_legal(place, own) {
        return false;
    }
    !is_self_atari(board, place, own) || !random.chance(habits.caution) || is_throw_in(board, place, own)
}

/// A self-atari that may be worth it: of few stones, or one that takes.
fn is_throw_in(board: &Board, place: Place, own: Stone) -> bool {
    takes(board, place, own) || stones_after(board, place, own) == 1
}

/// Any sound move; a pass when there is none. Mostly not one on the first line with no stone around,
/// unless there is nothing else.
fn anywhere(board: &Board, own: Stone, habits: &Habits, random: &mut Random) -> Place {
    let empties = board.empties();
    let (before, after) = empties.split_at(random.below(empties.len()).min(empties.len()));
    let strict = random.chance(habits.dull);
    let mut search = |refuses: &dyn Fn(Place) -> bool| {
        let mut places = after.iter().chain(before).copied();
        places.find(|place| !refuses(*place) && is_sound(board, *place, own, habits, random))
    };
    let found = if strict { search(&|place| is_dull(board, place)) } else { None };
    found.or_else(|| search(&|_| false)).unwrap_or(NOWHERE)
}

/// Whether a place lies on the first line with no stone around it.
fn is_dull(board: &Board, place: Place) -> bool {
    let shape = board.shape(place);
    // Border is two set bits, a stone one of them.
    let border = shape & shape >> 1 & 0x5555;
    let stones = (shape ^ shape >> 1) & 0x5555;
    border != 0 && stones == 0
}

/// Plays to the end: two passes, or so many moves that something repeats. `record` hears each move.
pub fn run(
    board: &mut Board,
    to_play: Stone,
    habits: &Habits,
    random: &mut Random,
    mut record: impl FnMut(Place, Stone),
) {
    let mut own = to_play;
    let mut passes = 0;
    let area = board.grid().size().area();
    let limit = 3 * area;
    // With so many stones more on the board nothing is open any more.
    let mercy = (area / 3).max(6) as u16;
    for _ in 0..limit {
        let place = choose(board, own, habits, random);
        board.play(place, own);
        if place == NOWHERE {
            passes += 1;
            if passes == 2 {
                return;
            }
        } else {
            passes = 0;
            record(place, own);
            if board.taken() > 0 && board.count(own) > board.count(opponent(own)) + mercy {
                return;
            }
        }
        own = opponent(own);
    }
}
