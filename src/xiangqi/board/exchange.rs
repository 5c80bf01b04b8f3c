//! What a capture is worth once everybody has captured on the point who wants to.

use std::ops::Range;

use crate::xiangqi::Move;
use crate::xiangqi::Side;
use crate::xiangqi::values::{CROSSED_PAWN, base_value};

use super::lines::{Column, Direction, Row};
use super::state::Board;
use super::steps::{self, leg, pawns_attacking};
use super::tables::{
    ADVISORS, CANNONS, ELEPHANTS, HORSES, NOWHERE, PAWNS, Points, ROOKS, col, in_window, ones, piece_in,
    point, row,
};

/// A point that is fought for, while pieces disappear from around it.
struct Fight {
    to: usize,
    /// All pieces still there.
    occupied: Points,
    /// The same on the column and the row of the point.
    on_column: u32,
    on_row: u32,
}

impl Board {
    /// The gain of a move in centipawns if both sides then go on capturing on its point, always with
    /// the least piece, and stop when that is better. Pins and checks are not seen.
    pub fn exchange(&self, played: Move) -> i32 {
        let (from, to) = (played.from.index(), played.to.index());
        let mut fight = Fight {
            to,
            occupied: self.occupied(),
            on_column: self.column(col(to)).occupied(),
            on_row: self.row(row(to)).occupied(),
        };
        // What each capture would gain if the exchange ended with it, for the one who makes it.
        let mut gains = [0; 32];
        gains[0] = self.worth(to);
        let mut at_stake = self.worth(from);
        let mut side = self.turn().opposite();
        let mut last = 0;
        fight.leave(from);
        while last + 1 < gains.len() {
            let Some(capturer) = self.least_attacker(&fight, side) else { break };
            last += 1;
            gains[last] = at_stake - gains[last - 1];
            at_stake = self.worth(capturer);
            fight.leave(capturer);
            side = side.opposite();
        }
        for index in (1..=last).rev() {
            gains[index - 1] = gains[index - 1].min(-gains[index]);
        }
        gains[0]
    }

    fn worth(&self, square: usize) -> i32 {
        let Some(piece) = piece_in(self.slot_at(square)) else { return 0 };
        let crossed = PAWNS.contains(&(self.slot_at(square) & 15))
            && (square < NOWHERE / 2) == (piece.side == Side::Red);
        if crossed { CROSSED_PAWN } else { base_value(piece.kind) }
    }

    /// The least valuable piece of a side that captures on the point.
    fn least_attacker(&self, fight: &Fight, side: Side) -> Option<usize> {
        let (us, to) = (side as usize, fight.to);
        let pawns = self.pawns(us) & pawns_attacking(us, to) & fight.occupied;
        if pawns != 0 {
            return PAWNS.map(|number| self.square(us, number)).find(|&square| point(square) & pawns != 0);
        }
        let guard = self.guard_near(fight, us);
        if guard.is_some() {
            return guard;
        }
        let there = |square: &usize| point(*square) & fight.occupied != 0;
        let horse = HORSES
            .map(|number| self.square(us, number))
            .find(|square| there(square) && point(leg(to, *square)) & !fight.occupied != 0);
        if horse.is_some() {
            return horse;
        }
        let (on_column, on_row) = (self.column(col(to)), self.row(row(to)));
        let along_column = Column::scan(row(to), fight.on_column);
        let along_row = Row::scan(col(to), fight.on_row);
        let slider = |on_column: u32, on_row: u32, numbers: Range<usize>| {
            let squares =
                ones(on_column).map(|row| row * 9 + col(to)).chain(ones(on_row).map(|col| row(to) * 9 + col));
            squares.into_iter().find(|&square| numbers.contains(&(self.slot_at(square) & 15)))
        };
        slider(
            along_column.second() & on_column.cannons(us),
            along_row.second() & on_row.cannons(us),
            CANNONS,
        )
        .or_else(|| {
            slider(along_column.first() & on_column.rooks(us), along_row.first() & on_row.rooks(us), ROOKS)
        })
        .or_else(|| {
            Some(self.king_square(us)).filter(|&king| (point(king) >> to) as u64 & steps::king(to) != 0)
        })
    }

    /// An advisor or else an elephant that steps on the point. They step both ways alike, so this looks
    /// from the point.
    fn guard_near(&self, fight: &Fight, us: usize) -> Option<usize> {
        let guards = ((self.guards(us) & fight.occupied) >> fight.to) as u64;
        let find = |window: u64, numbers: Range<usize>| {
            in_window(fight.to, guards & window)
                .find(|&square| numbers.contains(&(self.slot_at(square) & 15)))
        };
        find(steps::advisor(fight.to), ADVISORS)
            .or_else(|| find(steps::elephant(fight.to, fight.occupied), ELEPHANTS))
    }
}

impl Fight {
    /// A piece goes from here to the point.
    fn leave(&mut self, square: usize) {
        self.occupied &= !point(square);
        if col(square) == col(self.to) {
            self.on_column &= !(1 << row(square));
        }
        if row(square) == row(self.to) {
            self.on_row &= !(1 << col(square));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::{Position, Square};

    #[test]
    fn exchanges() {
        for (fen, played, gain, why) in [
            ("3k5/9/9/4p4/9/9/9/4R4/9/5K3 w", "e2e6", 100, "nobody protects the pawn"),
            ("3k5/9/2n6/4p4/9/9/9/4R4/9/5K3 w", "e2e6", 100 - 900, "a horse does"),
            ("3k5/9/2nP5/4p4/9/9/9/4R4/9/5K3 w", "e2e6", 100, "its leg is held"),
            ("3k5/4r4/9/4c4/9/9/4R4/4R4/9/5K3 w", "e3e6", 450 - 900 + 900, "rook for cannon and rook"),
            ("3k5/4r4/9/4c4/9/9/4R4/9/9/5K3 w", "e3e6", 450 - 900, "rook for cannon"),
            ("3k5/4c4/4b4/4n4/9/9/4R4/9/9/5K3 w", "e3e6", 400 - 900, "a cannon over an elephant"),
            ("3k5/4c4/9/4n4/9/9/4R4/9/9/5K3 w", "e3e6", 400, "no screen is left for the cannon"),
            ("3k5/4r4/4c4/4n4/9/9/4R4/9/9/5K3 w", "e3e6", 400, "the rook is behind the cannon"),
            ("4k4/4a4/3P5/9/9/9/9/9/9/5K3 b", "e8d7", 200, "an advisor takes a crossed pawn"),
            ("2b1k4/9/4P4/9/9/9/9/9/9/5K3 b", "c9e7", 200, "an elephant does"),
            ("3k5/9/9/9/9/9/9/9/4r4/4K4 w", "e0e1", 900, "a king takes"),
            ("3k5/9/9/9/9/9/9/9/5r3/4KR3 b", "f1f0", 900 - 900, "a king takes back"),
            ("3k5/9/9/9/9/9/9/9/4R4/4K4 w", "e1e5", 0, "nothing to take"),
            ("3k5/9/9/9/r8/9/9/9/4R4/4K4 w", "e1e5", -900, "into the line of a rook"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let at = |text: &str| Square::from_iccs(text).unwrap();
            let board = Board::from(&position);
            let played = Move::new(at(&played[..2]), at(&played[2..]));
            assert!(position.is_legal(played), "{fen} {played}");
            assert_eq!(board.exchange(played), gain, "{why}: {fen}");
        }
    }
}
