//! How freely the pieces of a side move, and how they point at the other king: what an evaluation wants
//! to know of a position and reads off the lines.

use crate::xiangqi::Side;

use super::king::LinePins;
use super::lines::{Column, Direction, KingScan, Row};
use super::mover::{Mover, by_turn};
use super::state::Board;
use super::steps;
use super::tables::{CANNONS, HORSES, NOWHERE, ROOKS, col, row};

/// The activity of one side.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Activity {
    /// Points its rooks reach, enemy pieces included.
    pub rooks: i32,
    /// Points its cannons reach without capturing.
    pub cannons: i32,
    /// Points its horses reach, its own pieces not.
    pub horses: i32,
    /// Points between the other king and cannons that look at it along an open line (空头炮).
    pub bare: i32,
    /// Rooks, cannons and its king that look at the other king over one piece too many.
    pub pointing: i32,
}

impl Board {
    /// The activity of a side, whoever is to move. Pins do not count.
    pub fn activity(&self, side: Side) -> Activity {
        by_turn!(side, M => self.activity_of::<M>())
    }

    fn activity_of<M: Mover>(&self) -> Activity {
        let mut activity = Activity::default();
        for number in ROOKS.start..CANNONS.end {
            let from = self.square(M::US, number);
            if from == NOWHERE {
                continue;
            }
            let (on_column, on_row) = (self.column(col(from)), self.row(row(from)));
            let along_column = Column::scan(row(from), on_column.occupied());
            let along_row = Row::scan(col(from), on_row.occupied());
            if ROOKS.contains(&number) {
                let down = along_column.rook_targets(on_column.enemy::<M>());
                activity.rooks +=
                    (down | along_row.rook_targets(on_row.enemy::<M>()) << 10).count_ones() as i32;
            } else {
                activity.cannons += (along_column.open() | along_row.open() << 10).count_ones() as i32;
            }
        }
        for number in HORSES {
            let from = self.square(M::US, number);
            let free = (!self.all(M::US) >> from) as u64;
            activity.horses += (steps::horse(from, self.occupied()) & free).count_ones() as i32;
        }
        self.aim::<M>(&mut activity);
        activity
    }

    /// What looks at the other king.
    fn aim<M: Mover>(&self, activity: &mut Activity) {
        let king = self.king_square(M::THEM);
        let (row, col) = (row(king), col(king));
        let (on_column, on_row) = (self.column(col), self.row(row));
        for (seen, line, at) in [
            (KingScan::column(row, on_column.occupied()), on_column, row),
            (KingScan::row(col, on_row.occupied()), on_row, col),
        ] {
            let (rooks, cannons) = (line.rooks(M::US), line.cannons(M::US));
            let bare = seen.first & cannons;
            if bare != 0 {
                activity.bare += LinePins::of::<M::Next>(at, line, bare).closed.count_ones() as i32;
            }
            activity.pointing += (seen.second & rooks | seen.third & cannons).count_ones() as i32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    #[test]
    fn activity() {
        let of = |fen: &str| {
            let position = Position::from_fen(fen).unwrap();
            Side::ALL.map(|side| Board::from(&position).activity(side))
        };
        let start = Activity { rooks: 4, cannons: 22, horses: 4, bare: 0, pointing: 0 };
        assert_eq!(of(crate::xiangqi::START_FEN), [start; 2]);
        // A bare cannon five points from the king, a rook behind one advisor.
        let [red, black] = of("3akR3/9/9/9/9/4C4/9/9/9/3K5 b");
        assert_eq!((red.bare, red.pointing), (4, 0));
        assert_eq!((red.rooks, black), (13, Activity { pointing: 0, ..Activity::default() }));
        let [red, _] = of("R2ak4/9/9/9/9/9/9/9/9/5K3 b");
        assert_eq!((red.pointing, red.rooks), (1, 12));
    }
}
