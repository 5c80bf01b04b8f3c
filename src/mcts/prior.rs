//! What is believed of a move before it has been tried.

use super::board::{BORDER, Board, EMPTY, Stone};
use super::grid::{NOWHERE, PLACES, Place, index};
use super::nakade::vital_point;
use super::pattern::Patterns;
use super::tactics::{self, Few, is_self_atari, ladder_after, liberties_after, rescues, stones_after, takes};

/// A belief as imagined visits and wins of the move's player.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Belief {
    /// Imagined visits.
    pub visits: f32,
    /// How many of them were won.
    pub wins: f32,
}

impl Belief {
    fn good(&mut self, visits: f32) {
        self.visits += visits;
        self.wins += visits;
    }

    fn bad(&mut self, visits: f32) {
        self.visits += visits;
    }

    /// The share that was won.
    pub fn mean(&self) -> f32 {
        if self.visits > 0.0 { self.wins / self.visits } else { 0.5 }
    }
}

/// The beliefs, in imagined visits.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// Half won and half lost, for every move.
    pub even: f32,
    /// Against a move that leaves its own chain in atari.
    pub self_atari: f32,
    /// For a capture or rescue of one stone.
    pub capture_one: f32,
    /// For a capture or rescue of several stones.
    pub capture_many: f32,
    /// For an atari that leads to a capture.
    pub ladder: f32,
    /// For a move that fits a pattern.
    pub pattern: f32,
    /// For moves 1, 2 and 3 steps from the last one, chains counting as one step.
    pub near: [f32; 3],
    /// For the vital point of a small eye space.
    pub nakade: f32,
    /// In the open: against the first and second line, for the third.
    pub open: f32,
    /// Against a pass.
    pub pass: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            even: 10.0,
            self_atari: 10.0,
            capture_one: 15.0,
            capture_many: 30.0,
            ladder: 10.0,
            pattern: 10.0,
            near: [24.0, 22.0, 8.0],
            nakade: 20.0,
            open: 10.0,
            pass: 10.0,
        }
    }
}

/// Looks at the moves of one position.
pub struct Eyes {
    distance: [u8; PLACES],
    queue: [Place; PLACES],
    wanted: [Belief; PLACES],
}

impl Default for Eyes {
    fn default() -> Eyes {
        Eyes { distance: [FAR; PLACES], queue: [NOWHERE; PLACES], wanted: [Belief::default(); PLACES] }
    }
}

const FAR: u8 = u8::MAX;

impl Eyes {
    /// Tells of every move worth trying, a pass last, to `found`.
    pub fn look(
        &mut self,
        board: &Board,
        own: Stone,
        weights: &Weights,
        mut found: impl FnMut(Place, Belief),
    ) {
        self.measure(board);
        self.fight(board, own, weights);
        for place in board.empties() {
            if board.is_legal(*place, own) && !fills_eye(board, *place, own) {
                found(*place, self.believe(board, *place, own, weights));
            }
        }
        let mut pass = Belief { visits: weights.even, wins: weights.even / 2.0 };
        pass.bad(weights.pass);
        found(NOWHERE, pass);
    }

    fn believe(&self, board: &Board, place: Place, own: Stone, weights: &Weights) -> Belief {
        let mut belief = Belief { visits: weights.even, wins: weights.even / 2.0 };
        let wanted = self.wanted[index(place)];
        belief.visits += wanted.visits;
        belief.wins += wanted.wins;
        if let Some(near) = weights.near.get(usize::from(self.distance[index(place)]).wrapping_sub(1)) {
            belief.good(*near);
        }
        if Patterns::get().fits(board.shape(place)) {
            belief.good(weights.pattern);
        }
        if is_self_atari(board, place, own)
            && !(takes(board, place, own) && stones_after(board, place, own) == 1)
        {
            belief.bad(weights.self_atari);
        }
        let height = board.grid().height(place);
        if height <= 2 && is_open(board, place) {
            if height == 2 { belief.good(weights.open) } else { belief.bad(weights.open) }
        }
        belief
    }

    /// Chains that can be taken or saved, and vital points.
    fn fight(&mut self, board: &Board, own: Stone, weights: &Weights) {
        self.wanted = [Belief::default(); PLACES];
        let mut moves = Few::new();
        let grid = *board.grid();
        for point in grid.size().points() {
            let place = grid.place(point);
            let there = board.at(place);
            if there == EMPTY || there == BORDER || board.chain(place) != place {
                continue;
            }
            let weight = if board.size(place) == 1 { weights.capture_one } else { weights.capture_many };
            moves.clear();
            match (board.liberties(place), there == own) {
                (1, true) => {
                    rescues(board, place, true, &mut moves);
                    for saving in moves.as_slice() {
                        self.wanted[index(*saving)].good(weight);
                    }
                }
                (1, false) => {
                    let taking = board.liberty(place);
                    if board.is_legal(taking, own) {
                        self.wanted[index(taking)].good(weight);
                    }
                }
                (2, false) => {
                    for catching in tactics::catches(board, place, own) {
                        if catching != NOWHERE {
                            self.wanted[index(catching)].good(weights.ladder);
                        }
                    }
                }
                (2, true) if tactics::is_caught(&mut board.clone(), place, 2) => {
                    for escape in board.two_liberties(place) {
                        if escape != NOWHERE && escapes(board, escape, own) {
                            self.wanted[index(escape)].good(weights.ladder);
                        }
                    }
                }
                _ => {}
            }
        }
        for place in board.empties() {
            if vital_point(board, *place) == *place {
                self.wanted[index(*place)].good(weights.nakade);
            }
        }
    }

    /// How many steps each place is from the last move, up to 3, all stones of a chain being one place.
    fn measure(&mut self, board: &Board) {
        self.distance = [FAR; PLACES];
        let start = board.last()[0];
        if start == NOWHERE {
            return;
        }
        let mut length = 0;
        self.reach(board, start, 0, &mut length);
        let mut next = 0;
        while next < length {
            let here = self.queue[next & (PLACES - 1)];
            let steps = self.distance[index(here)];
            next += 1;
            if steps == 3 {
                break;
            }
            for beside in board.grid().beside(here) {
                self.reach(board, beside, steps + 1, &mut length);
            }
        }
    }

    fn reach(&mut self, board: &Board, place: Place, steps: u8, length: &mut usize) {
        let there = board.at(place);
        if there == BORDER || self.distance[index(place)] != FAR {
            return;
        }
        let mut enter = |place| {
            self.distance[index(place)] = steps;
            self.queue[*length & (PLACES - 1)] = place;
            *length += 1;
        };
        if there == EMPTY {
            enter(place);
        } else {
            board.chain_stones(place).for_each(enter);
        }
    }
}

/// Whether a chain that runs there gets away.
fn escapes(board: &Board, place: Place, own: Stone) -> bool {
    board.is_legal(place, own)
        && match liberties_after(board, place, own, 3) {
            0 | 1 => false,
            2 => !ladder_after(board, place, own),
            _ => true,
        }
}

/// Whether the move fills an eye of chains that are in no danger.
fn fills_eye(board: &Board, place: Place, own: Stone) -> bool {
    Patterns::get().is_eye(board.shape(place), own)
        && board
            .grid()
            .beside(place)
            .into_iter()
            .all(|beside| board.at(beside) == BORDER || board.liberties(beside) > 1)
}

/// Whether no stone stands within three steps.
fn is_open(board: &Board, place: Place) -> bool {
    let grid = board.grid();
    let here = grid.point(place);
    let (width, height) = (i32::from(grid.size().width()), i32::from(grid.size().height()));
    for across in -3i32..=3 {
        let reach = 3 - across.abs();
        for down in -reach..=reach {
            let (col, row) = (i32::from(here.col) + across, i32::from(here.row) + down);
            if (0..width).contains(&col) && (0..height).contains(&row) {
                let there = board.at(grid.place(crate::go::Point::new(col as u8, row as u8)));
                if there != EMPTY {
                    return false;
                }
            }
        }
    }
    true
}
