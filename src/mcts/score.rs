//! Area at the end of a playout.

use super::board::{BLACK, BORDER, Board, EMPTY, Stone, WHITE};
use super::grid::{PLACES, Place, index};

/// Whose each place is: [`BLACK`], [`WHITE`], or [`EMPTY`] for what touches both or none.
pub struct Owners {
    owner: [Stone; PLACES],
    region: [Place; PLACES],
}

impl Owners {
    /// Nobody's.
    pub fn new() -> Owners {
        Owners { owner: [EMPTY; PLACES], region: [0; PLACES] }
    }

    /// The owner of a place as of the last count.
    #[inline(always)]
    pub fn at(&self, place: Place) -> Stone {
        self.owner[index(place)]
    }

    /// Counts the area with every stone alive; Black's points less White's.
    pub fn count(&mut self, board: &Board) -> i32 {
        let mut lead = i32::from(board.count(BLACK)) - i32::from(board.count(WHITE));
        let places = board.grid().places().min(PLACES);
        for place in 0..places as Place {
            self.owner[index(place)] = board.at(place);
        }
        for place in board.empties() {
            if self.at(*place) == EMPTY {
                lead += self.claim(board, *place);
            }
        }
        for place in board.empties() {
            // Neutral regions were marked like the border, so that they are walked over once.
            if self.at(*place) == BORDER {
                self.owner[index(*place)] = EMPTY;
            }
        }
        lead
    }

    /// Gives the empty region around a place to whom it belongs.
    fn claim(&mut self, board: &Board, start: Place) -> i32 {
        let mut touched = 0;
        self.region[0] = start;
        self.owner[index(start)] = BORDER;
        let (mut next, mut length) = (0, 1);
        while next < length {
            for beside in board.grid().beside(self.region[next & (PLACES - 1)]) {
                let there = board.at(beside);
                if there == EMPTY {
                    if self.at(beside) == EMPTY {
                        self.owner[index(beside)] = BORDER;
                        self.region[length & (PLACES - 1)] = beside;
                        length += 1;
                    }
                } else if there != BORDER {
                    touched |= there;
                }
            }
            next += 1;
        }
        if touched != BLACK && touched != WHITE {
            return 0;
        }
        for place in &self.region[..length.min(PLACES)] {
            self.owner[index(*place)] = touched;
        }
        if touched == BLACK { length as i32 } else { -(length as i32) }
    }
}

impl Default for Owners {
    fn default() -> Owners {
        Owners::new()
    }
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
