//! One look from the king: what checks it, what is pinned, and where it may go.
//!
//! Along its row and column the king sees the first three pieces in each direction. An enemy rook
//! (or the facing king) checks as the first of them, a cannon as the second. A *danger* is an enemy
//! slider that would check if one piece came or went:
//!
//! - a rook that is second: the piece between, if ours, is pinned to the line;
//! - a cannon that is third: of the two pieces between, ours are pinned, and may not take the other;
//! - a cannon that is first, with nothing between (空头炮): nothing of ours may step between.
//!
//! A horse whose leg is ours pins that piece to the leg. A leg lies diagonally beside the king, never
//! on its lines, so a piece is pinned in one of the two ways only. The king's own step cannot open a
//! leg against the point it steps to, and horses, elephants and advisors always leave a line.

use super::lines::{Column, Direction, KingScan, Line, Row, between};
use super::mover::{Mover, by_turn};
use super::state::Board;
use super::steps::{self, PAWNS_NEAR, horse_near, leg, pawns_attacking};
use super::tables::{Points, col, in_window, ones, point, row};

/// What the king of the side to move sees.
pub(super) struct KingView {
    pub(super) square: usize,
    pub(super) row: usize,
    pub(super) col: usize,
    /// Enemy sliders on the king's column that give check, as a set of rows.
    pub(super) column_checks: u32,
    /// The same on its row, as a set of columns.
    pub(super) row_checks: u32,
    /// Enemy sliders on the column that one piece more or less would let give check.
    pub(super) column_dangers: u32,
    /// The same on the row.
    pub(super) row_dangers: u32,
    /// A horse gives check.
    pub(super) horse_check: bool,
    /// A piece of ours stands on the leg of a horse that would give check.
    pub(super) leg_pin: bool,
    /// A pawn gives check.
    pub(super) pawn_check: bool,
    /// Enemy horses or pawns may attack the palace. Without any, nobody looks for them.
    near: bool,
}

impl KingView {
    #[inline(always)]
    pub(super) fn in_check(&self) -> bool {
        self.column_checks | self.row_checks != 0 || self.horse_check | self.pawn_check
    }

    /// Whether some moves of the right shape may be illegal (other than the king's own).
    #[inline(always)]
    pub(super) fn in_danger(&self) -> bool {
        self.column_dangers | self.row_dangers != 0 || self.leg_pin
    }
}

/// Checks and dangers along one line.
#[inline(always)]
fn threats<M: Mover>(seen: KingScan, line: Line) -> (u32, u32) {
    let (rooks, cannons) = (line.rooks(M::THEM), line.cannons(M::THEM));
    (seen.first & rooks | seen.second & cannons, seen.second & rooks | (seen.first | seen.third) & cannons)
}

impl Board {
    /// Whether the side to move is in check; facing kings count.
    pub fn in_check(&self) -> bool {
        by_turn!(self.turn(), M => self.look::<M>().in_check())
    }

    /// What the king of the side to move sees.
    #[inline(always)]
    pub(super) fn look<M: Mover>(&self) -> KingView {
        let square = self.king_square(M::US);
        let (row, col) = (row(square), col(square));
        let (on_column, on_row) = (self.column(col), self.row(row));
        let (column_checks, column_dangers) =
            threats::<M>(KingScan::column(row, on_column.occupied()), on_column);
        let (row_checks, row_dangers) = threats::<M>(KingScan::row(col, on_row.occupied()), on_row);

        let horses = self.horses(M::THEM);
        let horses_near = horse_near(M::US, horses[0]) | horse_near(M::US, horses[1]);
        let (mut horse_check, mut leg_pin) = (false, false);
        if horses_near {
            for horse in horses {
                let leg = point(leg(square, horse));
                horse_check |= leg & !self.occupied() != 0;
                leg_pin |= leg & self.all(M::US) != 0;
            }
        }
        let near = horses_near || self.pawns(M::THEM) & PAWNS_NEAR[M::US] != 0;
        let pawn_check = near && self.pawns(M::THEM) & pawns_attacking(M::THEM, square) != 0;
        KingView {
            square,
            row,
            col,
            column_checks,
            row_checks,
            column_dangers,
            row_dangers,
            horse_check,
            leg_pin,
            pawn_check,
            near,
        }
    }

    /// The legal steps of the king onto `allowed` points.
    #[inline(always)]
    pub(super) fn king_moves<M: Mover>(
        &self,
        view: &KingView,
        allowed: Points,
    ) -> impl Iterator<Item = usize> {
        // All its steps lie in the home half.
        let steps = steps::king(view.square) & M::home(allowed) >> (view.square - M::HOME);
        in_window(view.square, steps).filter(|&to| self.king_may_go::<M>(view, to))
    }

    /// Whether the king is out of check once it has gone to `to`, a step from where it stands.
    #[inline(always)]
    fn king_may_go<M: Mover>(&self, view: &KingView, to: usize) -> bool {
        let (to_row, to_col) = (row(to), col(to));
        let (on_column, on_row) = (self.column(to_col), self.row(to_row));
        // Along the line it steps on, the king itself no longer stands in between.
        let left_row = ((to_col == view.col) as u32) << view.row;
        let left_col = ((to_row == view.row) as u32) << view.col;
        let along_column = Column::scan(to_row, on_column.occupied() & !left_row);
        let along_row = Row::scan(to_col, on_row.occupied() & !left_col);
        if on_column.attacks(along_column, M::THEM) | on_row.attacks(along_row, M::THEM) {
            return false;
        }
        if !view.near {
            return true;
        }
        self.pawns(M::THEM) & pawns_attacking(M::THEM, to) == 0
            && self.horses(M::THEM).iter().all(|&horse| point(leg(to, horse)) & !self.occupied() == 0)
    }

    /// Whether the king is out of check after another piece has moved: the exact test, for pieces that
    /// are pinned and for answers to a check.
    #[inline(always)]
    pub(super) fn king_safe_after<M: Mover>(&self, view: &KingView, from: usize, to: usize) -> bool {
        let left = ((col(from) == view.col) as u32) << row(from);
        let reached = ((col(to) == view.col) as u32) << row(to);
        let line = self.column(view.col).without_sliders(reached);
        let seen = Column::scan(view.row, line.occupied() & !left | reached);
        if line.attacks(seen, M::THEM) {
            return false;
        }
        let left = ((row(from) == view.row) as u32) << col(from);
        let reached = ((row(to) == view.row) as u32) << col(to);
        let line = self.row(view.row).without_sliders(reached);
        let seen = Row::scan(view.col, line.occupied() & !left | reached);
        if line.attacks(seen, M::THEM) {
            return false;
        }
        if !view.near {
            return true;
        }
        let occupied = self.occupied() & !point(from) | point(to);
        self.pawns(M::THEM) & pawns_attacking(M::THEM, view.square) & !point(to) == 0
            && self
                .horses(M::THEM)
                .iter()
                .all(|&horse| horse == to || point(leg(view.square, horse)) & !occupied == 0)
    }

    /// Pieces of ours on the legs of horses that would otherwise give check.
    #[inline(always)]
    pub(super) fn leg_pinned<M: Mover>(&self, view: &KingView) -> Points {
        let [one, two] = self.horses(M::THEM).map(|horse| point(leg(view.square, horse)));
        (one | two) & self.all(M::US)
    }
}

/// What the dangers along one king line forbid.
#[derive(Clone, Copy)]
pub(super) struct LinePins {
    /// Pieces of ours that are pinned.
    pub(super) pinned: u32,
    /// Points between the king and a cannon that must stay empty.
    pub(super) closed: u32,
}

impl LinePins {
    /// For a king at point `king` of a line.
    #[inline(always)]
    pub(super) fn of<M: Mover>(king: usize, line: Line, dangers: u32) -> LinePins {
        let mut pins = LinePins { pinned: 0, closed: 0 };
        for danger in ones(dangers) {
            let between = between(king, danger);
            let screens = between & line.occupied();
            if screens == 0 {
                pins.closed |= between;
            } else {
                pins.pinned |= screens & line.own::<M>();
            }
        }
        pins
    }
}
