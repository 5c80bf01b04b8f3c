//! Vital points of small eye spaces.

use super::board::{BORDER, Board, EMPTY};
use super::grid::{NOWHERE, Place};

/// The point of an empty region of three to six points, enclosed by one player, that makes two eyes of
/// it or prevents them: the one that the dead shapes have in their middle. [`NOWHERE`] if the region is
/// larger, of another shape, or touched by both.
///
/// Straight three, bent three, the T and the square of five with a tail ("bulky five"), the cross and
/// the "rabbity six" have one; straight four and bent four have two and so none.
pub fn vital_point(board: &Board, start: Place) -> Place {
    let mut region = [start; 6];
    let (mut next, mut length) = (0, 1);
    let mut touched = 0;
    while next < length {
        for beside in board.grid().beside(region[next]) {
            let there = board.at(beside);
            if there == EMPTY {
                if !region[..length].contains(&beside) {
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
        if touched == 3 {
            return NOWHERE;
        }
        next += 1;
    }
    if length < 3 {
        return NOWHERE;
    }
    let mut neighbours = [0usize; 7];
    let mut middle = NOWHERE;
    let mut best = 0;
    for place in &region[..length] {
        let beside = board.grid().beside(*place);
        let inside = beside.iter().filter(|other| region[..length].contains(other)).count();
        neighbours[inside] += 1;
        if inside > best {
            best = inside;
            middle = *place;
        }
    }
    let dead = match length {
        3 => best == 2,
        4 => best == 3,
        // The cross; a square and one more.
        5 => best == 4 || (best == 3 && neighbours[1] == 1 && neighbours[2] == 3),
        // A square with two tails on the same corner.
        _ => best == 4 && neighbours[1] == 2 && neighbours[2] == 3,
    };
    if dead { middle } else { NOWHERE }
}
