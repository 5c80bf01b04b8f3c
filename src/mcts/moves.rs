//! What a move does to the board.

use super::board::{BORDER, Board, Chain, EMPTY, Stone, WHITE, key, opponent};
use super::grid::{NOWHERE, PLACES, Place, index};

impl Board {
    /// Passes.
    pub fn pass(&mut self) {
        self.ko = NOWHERE;
        self.taken = 0;
        self.last = [NOWHERE, self.last[0]];
    }

    /// Makes a legal move, or a pass at [`NOWHERE`].
    pub fn play(&mut self, place: Place, stone: Stone) {
        if place == NOWHERE {
            self.pass();
            return;
        }
        let taken = self.put(place, stone);
        self.ko = NOWHERE;
        self.taken = 0;
        let mut only = NOWHERE;
        if taken > 0 {
            for beside in self.grid.beside(place) {
                if self.at(beside) == opponent(stone) && self.liberties(beside) == 0 {
                    only = beside;
                    self.taken += self.remove(self.chain(beside));
                }
            }
            let own = &self.chains[index(self.chain(place))];
            if self.taken == 1 && own.stones == 1 && own.liberties == 1 {
                self.ko = only;
            }
        }
        self.last = [place, self.last[0]];
    }

    /// Puts a stone and joins it with its neighbours. Takes nothing; the number of the opponent's
    /// chains that have no liberty left.
    #[inline]
    pub(super) fn put(&mut self, place: Place, stone: Stone) -> u32 {
        self.change(place, stone);
        self.detach(place);
        self.stones[usize::from(stone == WHITE)] += 1;
        let beside = self.grid.beside(place);
        let mut own = Chain { liberties: 0, mixed: 0, stones: 1 };
        let mut breathless = 0;
        let mut heads = [NOWHERE; 4];
        for (side, other) in beside.into_iter().enumerate() {
            let there = self.at(other);
            if there == EMPTY {
                own.liberties += 1;
                own.mixed ^= other;
            } else if there != BORDER {
                let head = self.chain(other);
                if head != heads[0] && head != heads[1] && head != heads[2] {
                    heads[side] = head;
                    let chain = &mut self.chains[index(head)];
                    chain.liberties -= 1;
                    chain.mixed ^= place;
                    breathless += u32::from(chain.liberties == 0 && there != stone);
                }
            }
        }
        let cell = &mut self.cells[index(place)];
        cell.chain = place;
        cell.next = place;
        self.chains[index(place)] = own;
        for head in heads {
            if head != NOWHERE && self.at(head) == stone {
                self.join(place, head);
            }
        }
        breathless
    }

    /// Joins the chains of two stones: those of the smaller one change their name.
    fn join(&mut self, one: Place, other: Place) {
        let (one, other) = (self.chain(one), self.chain(other));
        let (large, small) = if self.chains[index(one)].stones >= self.chains[index(other)].stones {
            (one, other)
        } else {
            (other, one)
        };
        let stones = self.chains[index(small)].stones;
        let mut chain = self.chains[index(large)];
        let mut here = small;
        for _ in 0..stones {
            for liberty in self.grid.beside(here) {
                // A liberty of a stone is new to the chain when no stone beside it bears its name yet.
                if self.at(liberty) == EMPTY && !self.touches(liberty, large) {
                    chain.liberties += 1;
                    chain.mixed ^= liberty;
                }
            }
            self.cells[index(here)].chain = large;
            here = self.next(here);
        }
        chain.stones += stones;
        self.chains[index(large)] = chain;
        let next = self.next(large);
        self.cells[index(large)].next = self.next(small);
        self.cells[index(small)].next = next;
    }

    /// Takes a chain off the board; the number of its stones.
    fn remove(&mut self, chain: Place) -> u16 {
        let stones = self.chains[index(chain)].stones;
        let color = self.at(chain);
        let mut here = chain;
        for _ in 0..stones {
            let next = self.next(here);
            self.change(here, EMPTY);
            self.append(here);
            let mut heads = [NOWHERE; 4];
            for (side, beside) in self.grid.beside(here).into_iter().enumerate() {
                if self.at(beside) == opponent(color) {
                    let head = self.chain(beside);
                    if head != heads[0] && head != heads[1] && head != heads[2] {
                        heads[side] = head;
                        let chain = &mut self.chains[index(head)];
                        chain.liberties += 1;
                        chain.mixed ^= here;
                    }
                }
            }
            here = next;
        }
        self.stones[usize::from(color == WHITE)] -= stones;
        stones
    }

    /// Changes what lies on a place, in the hash and in the shapes around it too.
    #[inline]
    fn change(&mut self, place: Place, stone: Stone) {
        let before = std::mem::replace(&mut self.cells[index(place)].stone, stone);
        self.hash ^= key(place, before ^ stone);
        let change = u16::from(before ^ stone);
        for (side, other) in self.grid.around(place).into_iter().enumerate() {
            // Seen from there, this place is on the opposite side.
            self.cells[index(other)].shape ^= change << (2 * (side ^ 1));
        }
    }

    #[inline]
    pub(super) fn append(&mut self, place: Place) {
        self.slots[index(place)] = self.empty as u16;
        self.empties[self.empty & (PLACES - 1)] = place;
        self.empty += 1;
    }

    #[inline]
    fn detach(&mut self, place: Place) {
        self.empty -= 1;
        let last = self.empties[self.empty & (PLACES - 1)];
        let slot = self.slots[index(place)];
        self.empties[index(slot)] = last;
        self.slots[index(last)] = slot;
    }
}
