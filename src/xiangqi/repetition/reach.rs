//! Who reaches a point, looked at from the point outwards: what a ruling asks thousands of times.
//!
//! The same answers as [`rules::attackers`] and [`rules::in_check`] give, which tests hold it to.

use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::rules::{self, DIAGONALS, Grid, HORSE_JUMPS, LINES};
use crate::xiangqi::set::SquareSet;
use crate::xiangqi::square::{COLS, ROWS, Square};

/// The pieces of a side that could capture an enemy on this point, whatever stands there now. Pins do
/// not count.
pub(super) fn attackers(board: &Grid, square: Square, side: Side) -> SquareSet {
    let mut found = SquareSet::EMPTY;
    let stands = |at: Square, kind| rules::at(board, at) == Some(Piece::new(side, kind));
    let empty = |at: Square| rules::at(board, at).is_none();
    for (rows, cols) in LINES {
        let [first, second] = along(board, square, rows, cols);
        let Some((near, piece)) = first.and_then(|at| Some((at, rules::at(board, at)?))) else { continue };
        let reaches = piece.side == side
            && match piece.kind {
                Kind::Rook => true,
                Kind::King => square.in_palace(side) && beside(near, square),
                Kind::Pawn => {
                    let walks = rows == -side.forward() || (rows == 0 && near.crossed_river(side));
                    walks && beside(near, square)
                }
                _ => false,
            };
        if reaches {
            found.insert(near);
        }
        if let Some(at) = second.filter(|&at| stands(at, Kind::Cannon)) {
            found.insert(at);
        }
    }
    for (rows, cols) in DIAGONALS {
        if let Some(near) = square.offset(rows, cols) {
            if square.in_palace(side) && stands(near, Kind::Advisor) {
                found.insert(near);
            }
            if let Some(far) = square.offset(2 * rows, 2 * cols).filter(|&far| stands(far, Kind::Elephant))
                && !square.crossed_river(side)
                && empty(near)
            {
                found.insert(far);
            }
        }
    }
    for (rows, cols) in HORSE_JUMPS {
        if let Some(from) = square.offset(rows, cols).filter(|&from| stands(from, Kind::Horse))
            && rules::horse_leg(from, square).is_some_and(empty)
        {
            found.insert(from);
        }
    }
    found
}

/// Whether two points of one line are neighbours.
const fn beside(a: Square, b: Square) -> bool {
    matches!(a.index().abs_diff(b.index()), 1 | COLS)
}

/// The first and the second piece along a line.
fn along(board: &Grid, from: Square, rows: i8, cols: i8) -> [Option<Square>; 2] {
    let (row, col) = (from.row(), from.col());
    let (steps, stride) = match (rows, cols) {
        (-1, _) => (row, -(COLS as isize)),
        (1, _) => (ROWS - 1 - row, COLS as isize),
        (_, -1) => (col, -1),
        _ => (COLS - 1 - col, 1),
    };
    let mut met = [None; 2];
    let mut count = 0;
    let mut index = from.index();
    for _ in 0..steps {
        index = index.wrapping_add_signed(stride);
        if board.get(index).is_some_and(Option::is_some) {
            met[count] = Square::new(index);
            count += 1;
            if count == met.len() {
                break;
            }
        }
    }
    met
}

/// Whether the king of a side could be captured, or faces the other king.
pub(super) fn in_check(board: &Grid, side: Side) -> bool {
    rules::king(board, side).is_some_and(|king| !threats_to_king(board, king, side).is_empty())
}

/// The enemies that could capture the king of a side, which stands on this point; the other king is
/// one of them if it faces it.
pub(super) fn threats_to_king(board: &Grid, king: Square, side: Side) -> SquareSet {
    let mut found = attackers(board, king, side.opposite());
    let [first, _] = along(board, king, side.forward(), 0);
    let faces = |&at: &Square| rules::at(board, at) == Some(Piece::new(side.opposite(), Kind::King));
    if let Some(other) = first.filter(faces) {
        found.insert(other);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_plain_rules(stand in prop::collection::vec((0usize..90, 0usize..7, any::<bool>()), 2..32)) {
            let mut board: Grid = [None; 90];
            for (index, kind, red) in stand {
                let piece = Piece::new(if red { Side::Red } else { Side::Black }, Kind::ALL[kind]);
                let second_king = piece.kind == Kind::King && rules::king(&board, piece.side).is_some();
                if !second_king && Square::new(index).is_some_and(|at| rules::may_stand(piece, at)) {
                    board[index] = Some(piece);
                }
            }
            for side in Side::ALL {
                for square in Square::all() {
                    prop_assert_eq!(attackers(&board, square, side), rules::attackers(&board, square, side));
                }
                prop_assert_eq!(in_check(&board, side), rules::in_check(&board, side));
            }
        }
    }
}
