//! Vital points of small eye spaces.

use super::board::{BLACK, BORDER, Board, EMPTY, WHITE};
use super::grid::{NOWHERE, PLACES, Place, index};
use super::pattern::Patterns;

/// The point of an empty region of three to six points, enclosed by one player, that makes two eyes of
/// it or prevents them: the one that the dead shapes have in their middle. [`NOWHERE`] if the region is
/// larger, of another shape, or touched by both.
///
/// Straight three, bent three, the T and the square of five with a tail ("bulky five"), the cross and
/// the "rabbity six" have one; straight four and bent four have two and so none.
pub fn vital_point(board: &Board, start: Place) -> Place {
    // Most points lie in the open: more empty places around than a small space has.
    let shape = board.shape(start);
    if (!(shape | shape >> 1) & 0x5555).count_ones() > 5 {
        return NOWHERE;
    }
    let mut region = [start; 6];
    let mut seen = [0u64; PLACES / 64];
    let mut mark = |place: Place| {
        let word = &mut seen[index(place) / 64];
        let bit = 1 << (place % 64);
        std::mem::replace(word, *word | bit) & bit == 0
    };
    mark(start);
    let (mut next, mut length) = (0, 1);
    let mut touched = 0;
    while next < length {
        for beside in board.grid().beside(region[next]) {
            let there = board.at(beside);
            if there == EMPTY {
                if mark(beside) {
                    if length == region.len() {
                        return NOWHERE;
                    }
                    region[length] = beside;
                    length += 1;
                }
            } else if there != BORDER {
                touched |= there;
            }
        }
        if touched == BLACK | WHITE {
            return NOWHERE;
        }
        next += 1;
    }
    if length < 3 {
        return NOWHERE;
    }
    let mut with = [0usize; 5];
    let mut middle = NOWHERE;
    let mut best = 0;
    for place in &region[..length] {
        // What is empty beside a point of the region is the region's.
        let inside = usize::from(Patterns::get().empty_beside(board.shape(*place)));
        with[inside.min(4)] += 1;
        if inside > best {
            best = inside;
            middle = *place;
        }
    }
    let dead = match length {
        3 => best == 2,
        4 => best == 3,
        // The cross; a square and one more.
        5 => best == 4 || (best == 3 && with[1] == 1 && with[2] == 3),
        // A square with two tails on the same corner.
        _ => best == 4 && with[1] == 2 && with[2] == 3,
    };
    if dead { middle } else { NOWHERE }
}

#[cfg(test)]
mod tests {
    use super::super::board::Board;
    use super::*;
    use crate::go::{self, Color, Size};

    /// The vital points that are found from each point of a space, `.` empty, on a board full of
    /// black stones otherwise but for a far corner.
    fn vital(rows: &[&str]) -> Vec<(usize, usize)> {
        let mut plain = go::Board::new(Size::square(9).unwrap());
        for point in plain.size().points() {
            let inside =
                rows.get(usize::from(point.row)).and_then(|row| row.as_bytes().get(usize::from(point.col)));
            if inside != Some(&b'.') && (point.col, point.row) != (8, 8) {
                plain.set(point, Some(Color::Black));
            }
        }
        let board = Board::new(&plain).unwrap();
        let mut found: Vec<_> = board.empties().iter().map(|start| vital_point(&board, *start)).collect();
        found.sort_unstable();
        found.dedup();
        let points =
            found.into_iter().filter(|place| *place != NOWHERE).map(|place| board.grid().point(place));
        points.map(|point| (usize::from(point.col), usize::from(point.row))).collect()
    }

    #[test]
    fn dead_shapes_have_one_vital_point() {
        assert_eq!(vital(&["XXXXX", "X...X"]), [(2, 1)], "straight three");
        assert_eq!(vital(&["..XXX", ".XXXX"]), [(0, 0)], "bent three in the corner");
        assert_eq!(vital(&["XXXXX", "X...X", "XX.XX"]), [(2, 1)], "T");
        assert_eq!(vital(&["XX.XX", "X...X", "XX.XX"]), [(2, 1)], "cross");
        assert_eq!(vital(&["XX..X", "X...X"]), [(2, 1)], "bulky five");
        assert_eq!(vital(&["XX.XX", "X...X", "X..XX"]), [(2, 1)], "rabbity six");
    }

    #[test]
    fn others_have_none() {
        let shapes: [&[&str]; 6] = [
            &["XXXXX", "X..X"],
            &["XXXXXX", "X....X"],
            &["XXXXX", "X...X", "X.XXX"],
            &["XXXXX", "X..XX", "X..XX"],
            &["XXXXX", "X...X", "X...X"],
            &["XXXXXX", "X....X", "XX.XXX"],
        ];
        for shape in shapes {
            assert_eq!(vital(shape), [], "{shape:?}");
        }
    }
}
