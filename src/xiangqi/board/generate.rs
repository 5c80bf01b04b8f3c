//! The legal moves of a position.
//!
//! Out of check, only pinned pieces need a test; all others are legal wherever they reach, except on
//! the points before a bare cannon. In check by one piece, the answers are: the king goes, the checker
//! is taken, something steps between (or onto the horse's leg), or the cannon's screen leaves. Each
//! is tested, as there may be a second check or a pin.

use super::king::{KingView, LinePins};
use super::lines::{Column, Direction, Row, between};
use super::list::MoveList;
use super::mover::{Mover, by_turn};
use super::state::Board;
use super::steps::{self, leg, pawns_attacking};
use super::tables::{
    ADVISORS, BOARD, CANNONS, ELEPHANTS, HORSES, PAD, PAWNS, Points, ROOKS, Targets, col, column_points,
    in_window, ones, point, row, row_points,
};
use crate::xiangqi::COLS;

impl Board {
    /// All legal moves, in place of what the list held. Their order says nothing.
    pub fn legal(&self, list: &mut MoveList) {
        list.clear();
        by_turn!(self.turn(), M => self.generate::<M>(Targets::ALL, list));
    }

    /// All legal captures, in place of what the list held.
    pub fn captures(&self, list: &mut MoveList) {
        list.clear();
        by_turn!(self.turn(), M => {
            let enemies = Targets::from_columns(self.all(M::THEM), |col| self.column(col).enemy::<M>());
            self.generate::<M>(enemies, list);
        });
    }

    /// Adds every legal move to one of the `wanted` points.
    #[inline(always)]
    pub(super) fn generate<M: Mover>(&self, wanted: Targets, list: &mut MoveList) {
        let view = self.look::<M>();
        if view.in_check() {
            self.evasions::<M>(&view, wanted, list);
        } else if view.in_danger() {
            self.moves_in_danger::<M>(&view, wanted, list);
        } else {
            self.king_steps::<M>(&view, wanted, list);
            self.reach::<M>(BOARD, wanted, &mut |from, to| list.push(from, to));
        }
    }

    #[inline(always)]
    fn king_steps<M: Mover>(&self, view: &KingView, wanted: Targets, list: &mut MoveList) {
        for to in self.king_moves::<M>(view, !self.all(M::US) & wanted.points) {
            list.push(view.square, to);
        }
    }

    /// The legal moves with pins, out of line to keep the common case short.
    #[inline(never)]
    fn moves_in_danger<M: Mover>(&self, view: &KingView, wanted: Targets, list: &mut MoveList) {
        self.king_steps::<M>(view, wanted, list);
        let column = LinePins::of::<M>(view.row, self.column(view.col), view.column_dangers);
        let row = LinePins::of::<M>(view.col, self.row(view.row), view.row_dangers);
        let pinned = column_points(view.col, column.pinned)
            | row_points(view.row, row.pinned)
            | self.leg_pinned::<M>(view);
        self.reach_safely::<M>(view, pinned, wanted, list);
        let closed = Targets::on_column(view.col, column.closed).or(Targets::on_row(view.row, row.closed));
        self.reach::<M>(BOARD & !pinned, wanted.minus(closed), &mut |from, to| list.push(from, to));
    }

    /// The legal moves out of check.
    #[cold]
    #[inline(never)]
    pub(super) fn evasions<M: Mover>(&self, view: &KingView, wanted: Targets, list: &mut MoveList) {
        self.king_steps::<M>(view, wanted, list);
        let (answers, screen) = self.answers::<M>(view);
        if screen != 0 {
            self.reach_safely::<M>(view, screen, wanted, list);
        }
        self.reach_safely::<M>(view, BOARD & !screen, wanted.and(answers), list);
    }

    /// [`Board::reach`], with a test of every move.
    fn reach_safely<M: Mover>(&self, view: &KingView, who: Points, wanted: Targets, list: &mut MoveList) {
        self.reach::<M>(who, wanted, &mut |from, to| {
            if self.king_safe_after::<M>(view, from, to) {
                list.push(from, to);
            }
        });
    }

    /// Where a piece can end one of the checks, and the piece of ours over which a cannon gives it.
    #[inline(always)]
    fn answers<M: Mover>(&self, view: &KingView) -> (Targets, Points) {
        if view.column_checks != 0 {
            let checker = view.column_checks.trailing_zeros() as usize;
            let (line, between) = (self.column(view.col), between(view.row, checker));
            let answers = Targets::on_column(view.col, between & !line.occupied() | 1 << checker);
            (answers, column_points(view.col, between & line.own::<M>()))
        } else if view.row_checks != 0 {
            let checker = view.row_checks.trailing_zeros() as usize;
            let (line, between) = (self.row(view.row), between(view.col, checker));
            let answers = Targets::on_row(view.row, between & !line.occupied() | 1 << checker);
            (answers, row_points(view.row, between & line.own::<M>()))
        } else if view.horse_check {
            let mut answers = Targets::NONE;
            for horse in self.horses(M::THEM) {
                let leg = leg(view.square, horse);
                if point(leg) & !self.occupied() != 0 {
                    answers = Targets::one(horse).or(Targets::one(leg));
                }
            }
            (answers, 0)
        } else {
            let pawn = self.pawns(M::THEM) & pawns_attacking(M::THEM, view.square);
            (Targets::one(pawn.trailing_zeros() as usize - PAD), 0)
        }
    }

    /// Hands over the moves of the right shape of the pieces in `who`, the king apart, to `wanted`
    /// points.
    #[inline(always)]
    fn reach<M: Mover>(&self, who: Points, wanted: Targets, found: &mut impl FnMut(usize, usize)) {
        for number in ROOKS.start..CANNONS.end {
            let from = self.square(M::US, number);
            if point(from) & who == 0 {
                continue;
            }
            let (from_row, from_col) = (row(from), col(from));
            let (on_column, on_row) = (self.column(from_col), self.row(from_row));
            let along_column = Column::scan(from_row, on_column.occupied());
            let along_row = Row::scan(from_col, on_row.occupied());
            let (on_column, on_row) = if ROOKS.contains(&number) {
                (
                    along_column.rook_targets(on_column.enemy::<M>()),
                    along_row.rook_targets(on_row.enemy::<M>()),
                )
            } else {
                (
                    along_column.cannon_targets(on_column.enemy::<M>()),
                    along_row.cannon_targets(on_row.enemy::<M>()),
                )
            };
            for to_row in ones(on_column & wanted.column(from_col)) {
                found(from, to_row * COLS + from_col);
            }
            for to_col in ones(on_row & wanted.row(from_row)) {
                found(from, from_row * COLS + to_col);
            }
        }
        let allowed = !self.all(M::US) & wanted.points;
        for number in HORSES.start..PAWNS.end {
            let from = self.square(M::US, number);
            if point(from) & who == 0 {
                continue;
            }
            let steps = if HORSES.contains(&number) {
                steps::horse(from, self.occupied())
            } else if ELEPHANTS.contains(&number) {
                steps::elephant(from, self.occupied())
            } else if ADVISORS.contains(&number) {
                steps::advisor(from)
            } else {
                steps::pawn(M::US, from)
            };
            for to in in_window(from, steps & (allowed >> from) as u64) {
                found(from, to);
            }
        }
    }
}
