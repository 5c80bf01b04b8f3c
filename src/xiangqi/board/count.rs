//! Counting the legal moves of a position without writing them down.
//!
//! A count over sets needs no loop over moves: targets along a line are one population count per
//! slider, a horse's one more, and the elephants, the advisors and the pawns of a side are shifted
//! all at once, one count per direction. Pinned pieces are taken out and counted by what each may
//! still do, which is exact, so that nothing is played and tested.

use super::king::{KingView, LinePins};
use super::lines::{Column, Direction, Line, Row, between};
use super::list::MoveList;
use super::mover::{Mover, by_turn};
use super::state::Board;
use super::steps::{self, ADVISOR_POINTS, ELEPHANT_POINTS, NOT_LEFT, NOT_RIGHT, leg, pawns_attacking};
use super::tables::{
    BOARD, CANNONS, HORSES, Points, ROOKS, Targets, col, column_points, ones, point, row, row_points,
};
use crate::xiangqi::COLS;
use crate::xiangqi::Side;

/// What the pins of a position take from the moves of the right shape.
struct Forbidden {
    /// Pieces that are counted apart.
    pinned: Points,
    /// Points before a bare cannon, which must stay empty: the set, and those on the king's column and
    /// row.
    closed: Points,
    closed_column: u32,
    closed_row: u32,
}

impl Board {
    /// How many legal moves there are.
    pub fn count_legal(&self) -> u32 {
        by_turn!(self.turn(), M => self.count::<M>())
    }

    #[inline(always)]
    pub(super) fn count<M: Mover>(&self) -> u32 {
        let view = self.look::<M>();
        if view.in_check() {
            return self.count_evasions::<M>(&view);
        }
        let king_moves = self.king_moves::<M>(&view, !self.all(M::US)).count() as u32;
        if !view.in_danger() {
            let nothing = Forbidden { pinned: 0, closed: 0, closed_column: 0, closed_row: 0 };
            return king_moves + self.count_free::<M, false>(&view, &nothing);
        }
        let (on_column, on_row) = (self.column(view.col), self.row(view.row));
        let column = LinePins::of::<M>(view.row, on_column, view.column_dangers);
        let row = LinePins::of::<M>(view.col, on_row, view.row_dangers);
        let forbidden = Forbidden {
            pinned: column_points(view.col, column.pinned)
                | row_points(view.row, row.pinned)
                | self.leg_pinned::<M>(&view),
            closed: column_points(view.col, column.closed) | row_points(view.row, row.closed),
            closed_column: column.closed,
            closed_row: row.closed,
        };
        let mut pinned_moves = 0;
        for at in ones(column.pinned) {
            let allowed =
                still_allowed(view.row, at, on_column, on_column.cannons(M::THEM), view.column_dangers);
            pinned_moves += slider_moves::<M, Column>(at, on_column, allowed);
            pinned_moves += self.pinned_pawn_moves::<M>(at * COLS + view.col, at, allowed);
        }
        for at in ones(row.pinned) {
            let allowed = still_allowed(view.col, at, on_row, on_row.cannons(M::THEM), view.row_dangers);
            pinned_moves += slider_moves::<M, Row>(at, on_row, allowed);
        }
        if view.leg_pin {
            pinned_moves += self.leg_pinned_moves::<M>(&view);
        }
        king_moves + pinned_moves + self.count_free::<M, true>(&view, &forbidden)
    }

    /// Checks are rare, and their answers few: they are listed.
    #[inline(always)]
    pub(super) fn count_evasions<M: Mover>(&self, view: &KingView) -> u32 {
        let mut list = MoveList::new();
        self.evasions::<M>(view, Targets::ALL, &mut list);
        list.len() as u32
    }

    /// Whether a pawn pinned on the king's column can step forward: a pawn on its row cannot move.
    #[inline(always)]
    fn pinned_pawn_moves<M: Mover>(&self, square: usize, at: usize, allowed: u32) -> u32 {
        let ahead = if M::US == Side::Black as usize { 2 << at } else { (1 << at) >> 1 };
        (self.pawns(M::US) & point(square) != 0 && allowed & ahead != 0) as u32
    }

    /// Moves of pieces on the legs of horses that would give check. Only taking the horse helps, and a
    /// leg is beside its horse, so a rook or a pawn may. Two horses on one leg pin for good.
    #[inline(always)]
    fn leg_pinned_moves<M: Mover>(&self, view: &KingView) -> u32 {
        let horses = self.horses(M::THEM);
        let legs = horses.map(|horse| leg(view.square, horse));
        if legs[0] == legs[1] {
            return 0;
        }
        let mut count = 0;
        for (horse, leg) in horses.into_iter().zip(legs) {
            let rook = self.column(col(leg)).rooks(M::US) >> row(leg) & 1;
            let pawn = self.pawns(M::US) & point(leg) & pawns_attacking(M::US, horse) != 0;
            count += rook | pawn as u32;
        }
        count
    }

    /// The moves of all pieces but the king and the pinned ones.
    #[inline(always)]
    fn count_free<M: Mover, const PINS: bool>(&self, view: &KingView, forbidden: &Forbidden) -> u32 {
        let Forbidden { pinned, closed, closed_column, closed_row } = *forbidden;
        let mut count = 0;
        for number in ROOKS.start..CANNONS.end {
            let square = self.square(M::US, number);
            if PINS && point(square) & pinned != 0 {
                continue;
            }
            let (at_row, at_col) = (row(square), col(square));
            let (on_column, on_row) = (self.column(at_col), self.row(at_row));
            let along_column = Column::scan(at_row, on_column.occupied());
            let along_row = Row::scan(at_col, on_row.occupied());
            let (mut down, mut across) = if ROOKS.contains(&number) {
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
            if PINS {
                // A closed point is on the king's column or row: where the slider's own line crosses
                // it, or all along, if it is the slider's line.
                down &= !((closed_row >> at_col & 1) << view.row);
                across &= !((closed_column >> at_row & 1) << view.col);
                if at_col == view.col {
                    down &= !closed_column;
                }
                if at_row == view.row {
                    across &= !closed_row;
                }
            }
            count += (down | across << 10).count_ones();
        }

        let allowed = if PINS { !(self.all(M::US) | closed) } else { !self.all(M::US) };
        for number in HORSES {
            let square = self.square(M::US, number);
            if PINS && point(square) & pinned != 0 {
                continue;
            }
            count += (steps::horse(square, self.occupied()) & (allowed >> square) as u64).count_ones();
        }

        let free = if PINS { !pinned } else { !0 };
        count += guard_moves::<M>(self.guards(M::US) & free, allowed, self.occupied());
        count + pawn_moves::<M>(self.pawns(M::US) & free, allowed)
    }
}

/// The points of a king line that a piece pinned at `at` may still go to, against every danger that
/// pins it: anywhere between the king and a rook, or onto it; between the king and a cannon, if both
/// screens stay screens, or onto it.
#[inline(always)]
fn still_allowed(king: usize, at: usize, line: Line, cannons: u32, dangers: u32) -> u32 {
    let mut allowed = !0;
    for danger in ones(dangers) {
        let between = between(king, danger);
        let screens = between & line.occupied();
        if screens >> at & 1 != 0 {
            let open = if cannons >> danger & 1 != 0 { between & !screens } else { between };
            allowed &= open | 1 << danger;
        }
    }
    allowed
}

/// The allowed moves along a line of the rook or cannon at `at`; none for other pieces.
#[inline(always)]
fn slider_moves<M: Mover, D: Direction>(at: usize, line: Line, allowed: u32) -> u32 {
    let along = D::scan(at, line.occupied());
    if line.rooks(M::US) >> at & 1 != 0 {
        (along.rook_targets(line.enemy::<M>()) & allowed).count_ones()
    } else if line.cannons(M::US) >> at & 1 != 0 {
        (along.cannon_targets(line.enemy::<M>()) & allowed).count_ones()
    } else {
        0
    }
}

/// The moves of elephants and advisors, on their half of the board.
#[inline(always)]
fn guard_moves<M: Mover>(guards: Points, allowed: Points, occupied: Points) -> u32 {
    const LEFT: usize = COLS + 1;
    const RIGHT: usize = COLS - 1;
    let (guards, allowed, empty) = (M::home(guards), M::home(allowed), !M::home(occupied));
    let (elephants, open) = (guards & ELEPHANT_POINTS, allowed & ELEPHANT_POINTS);
    let (advisors, inside) = (guards & ADVISOR_POINTS[M::US], allowed & ADVISOR_POINTS[M::US]);
    ((elephants << LEFT & empty) << LEFT & open).count_ones()
        + ((elephants << RIGHT & empty) << RIGHT & open).count_ones()
        + ((elephants >> LEFT & empty) >> LEFT & open).count_ones()
        + ((elephants >> RIGHT & empty) >> RIGHT & open).count_ones()
        + (advisors << LEFT & inside).count_ones()
        + (advisors << RIGHT & inside).count_ones()
        + (advisors >> LEFT & inside).count_ones()
        + (advisors >> RIGHT & inside).count_ones()
}

/// The moves of pawns: all one step forward, those beyond the river also to the sides.
#[inline(always)]
fn pawn_moves<M: Mover>(pawns: Points, allowed: Points) -> u32 {
    let ahead = if M::US == Side::Black as usize { pawns << COLS } else { pawns >> COLS };
    let (crossed, open) = (M::abroad(pawns), M::abroad(allowed));
    (ahead & allowed & BOARD).count_ones()
        + ((crossed & NOT_LEFT) >> 1 & open).count_ones()
        + ((crossed & NOT_RIGHT) << 1 & open).count_ones()
}
