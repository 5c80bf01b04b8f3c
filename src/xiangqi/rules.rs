//! How the pieces move, on a bare board: the rules as a player would say them.
//!
//! Source: 《象棋竞赛规则 2020》 chapter 1. These functions are the plain reading of the rules, one
//! point after the other; whoever needs speed takes [`board`](super::board), which is held against
//! them by tests.

use super::moves::Move;
use super::piece::{Kind, Piece, Side};
use super::set::SquareSet;
use super::square::{SQUARES, Square};

/// The pieces, by index of the point.
pub type Grid = [Option<Piece>; SQUARES];

/// One step along a line: (rows, columns).
pub const LINES: [(i8, i8); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
/// One step along a diagonal: (rows, columns).
pub const DIAGONALS: [(i8, i8); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
/// The eight jumps of a horse: (rows, columns).
pub const HORSE_JUMPS: [(i8, i8); 8] =
    [(-2, -1), (-2, 1), (2, -1), (2, 1), (-1, -2), (1, -2), (-1, 2), (1, 2)];

/// What stands on a point.
pub const fn at(board: &Grid, square: Square) -> Option<Piece> {
    board[square.index()]
}

/// The point of a horse's leg (马腿): where a piece blocks this jump. `None` if it is no jump.
pub const fn horse_leg(from: Square, to: Square) -> Option<Square> {
    let rows = to.row() as i8 - from.row() as i8;
    let cols = to.col() as i8 - from.col() as i8;
    match (rows.abs(), cols.abs()) {
        (2, 1) => from.offset(rows / 2, 0),
        (1, 2) => from.offset(0, cols / 2),
        _ => None,
    }
}

/// The point of an elephant's eye (象眼): where a piece blocks this step. `None` if it is no step.
pub const fn elephant_eye(from: Square, to: Square) -> Option<Square> {
    let rows = to.row() as i8 - from.row() as i8;
    let cols = to.col() as i8 - from.col() as i8;
    if rows.abs() == 2 && cols.abs() == 2 { from.offset(rows / 2, cols / 2) } else { None }
}

/// The points strictly between two points of one row or column; empty if they share none.
pub fn between(a: Square, b: Square) -> SquareSet {
    let rows = (b.row() as i8 - a.row() as i8).signum();
    let cols = (b.col() as i8 - a.col() as i8).signum();
    if a.row() != b.row() && a.col() != b.col() {
        return SquareSet::EMPTY;
    }
    std::iter::successors(a.offset(rows, cols), |square| square.offset(rows, cols))
        .take_while(|&square| square != b)
        .collect()
}

/// Where the piece on a point may go by the way it moves: every pseudo-legal move, that is without
/// asking whether its own king would be attacked. Empty if nobody stands there.
pub fn targets(board: &Grid, from: Square) -> SquareSet {
    let Some(piece) = at(board, from) else { return SquareSet::EMPTY };
    let mut reached = match piece.kind {
        Kind::King => steps(from, &LINES, |to| to.in_palace(piece.side)),
        Kind::Advisor => steps(from, &DIAGONALS, |to| to.in_palace(piece.side)),
        Kind::Elephant => DIAGONALS
            .iter()
            .filter(|(rows, cols)| from.offset(*rows, *cols).is_some_and(|eye| at(board, eye).is_none()))
            .filter_map(|(rows, cols)| from.offset(2 * rows, 2 * cols))
            .filter(|to| !to.crossed_river(piece.side))
            .collect(),
        Kind::Horse => {
            steps(from, &HORSE_JUMPS, |to| horse_leg(from, to).is_some_and(|leg| at(board, leg).is_none()))
        }
        Kind::Rook => LINES.iter().flat_map(|&line| slide(board, from, line, 0)).collect(),
        Kind::Cannon => LINES.iter().flat_map(|&line| slide(board, from, line, 1)).collect(),
        Kind::Pawn => pawn_targets(piece.side, from),
    };
    for square in reached {
        if at(board, square).is_some_and(|other| other.side == piece.side) {
            reached.remove(square);
        }
    }
    reached
}

fn steps(from: Square, steps: &[(i8, i8)], may: impl Fn(Square) -> bool) -> SquareSet {
    steps.iter().filter_map(|&(rows, cols)| from.offset(rows, cols)).filter(|&to| may(to)).collect()
}

fn pawn_targets(side: Side, from: Square) -> SquareSet {
    let sideways = if from.crossed_river(side) { [Some((0, -1)), Some((0, 1))] } else { [None; 2] };
    [Some((side.forward(), 0))]
        .into_iter()
        .chain(sideways)
        .flatten()
        .filter_map(|(rows, cols)| from.offset(rows, cols))
        .collect()
}

/// The empty points along a line, then the piece behind so many screens.
fn slide(board: &Grid, from: Square, (rows, cols): (i8, i8), screens: usize) -> SquareSet {
    let mut reached = SquareSet::EMPTY;
    let mut met = 0;
    let mut next = from.offset(rows, cols);
    while let Some(square) = next {
        if at(board, square).is_none() {
            if met == 0 {
                reached.insert(square);
            }
        } else {
            if met == screens {
                reached.insert(square);
                break;
            }
            met += 1;
        }
        next = square.offset(rows, cols);
    }
    reached
}

/// Every legal move of a side, by index of from and to: where its pieces may go, less what leaves the
/// own king attacked or the kings face to face.
pub fn legal_moves(board: &Grid, side: Side) -> Vec<Move> {
    pseudo_legal_moves(board, side)
        .filter(|played| !in_check(&moved(board, played.from, played.to), side))
        .collect()
}

/// Every move that a side's pieces could make if its king did not matter, by index of from and to.
pub fn pseudo_legal_moves(board: &Grid, side: Side) -> impl Iterator<Item = Move> + '_ {
    pieces(board, side).flat_map(|from| targets(board, from).into_iter().map(move |to| Move { from, to }))
}

/// The board after the piece on one point has gone to another.
pub fn moved(board: &Grid, from: Square, to: Square) -> Grid {
    let mut next = *board;
    next[to.index()] = next[from.index()].take();
    next
}

/// The pieces of a side that could capture an enemy on this point, whatever stands there now: an
/// enemy (its attackers), nothing, or one of their own (its protectors). Pins do not count.
pub fn attackers(board: &Grid, square: Square, side: Side) -> SquareSet {
    let mut board = *board;
    board[square.index()] = Some(Piece::new(side.opposite(), Kind::Pawn));
    pieces(&board, side).filter(|&from| targets(&board, from).contains(square)).collect()
}

/// The points where a side has pieces.
pub fn pieces(board: &Grid, side: Side) -> impl Iterator<Item = Square> + '_ {
    Square::all().filter(move |&square| at(board, square).is_some_and(|piece| piece.side == side))
}

/// Where the king of a side stands.
pub fn king(board: &Grid, side: Side) -> Option<Square> {
    Square::all().find(|&square| at(board, square) == Some(Piece::new(side, Kind::King)))
}

/// Whether the two kings see each other along a file (照面): forbidden, and so a kind of check.
pub fn kings_face(board: &Grid) -> bool {
    let (Some(red), Some(black)) = (king(board, Side::Red), king(board, Side::Black)) else { return false };
    red.col() == black.col() && between(red, black).into_iter().all(|square| at(board, square).is_none())
}

/// Whether the king of a side could be captured, or faces the other king.
pub fn in_check(board: &Grid, side: Side) -> bool {
    let Some(king) = king(board, side) else { return false };
    kings_face(board) || !attackers(board, king, side.opposite()).is_empty()
}

/// Whether a piece could ever stand on a point: kings and advisors on their points of the palace,
/// elephants on their seven points, pawns in front of their starting row or on it, before the river
/// only on the five files they start on.
pub fn may_stand(piece: Piece, square: Square) -> bool {
    // Seen by Red, whose pieces move towards row 0.
    let seen = if piece.side == Side::Red { square } else { square.turned() };
    let (row, col) = (seen.row(), seen.col());
    match piece.kind {
        Kind::King => seen.in_palace(Side::Red),
        Kind::Advisor => seen.in_palace(Side::Red) && (row + col) % 2 == 0,
        Kind::Elephant => matches!((row, col), (9 | 5, 2 | 6) | (7, 0 | 4 | 8)),
        Kind::Pawn => row <= 4 || (row <= 6 && col % 2 == 0),
        Kind::Horse | Kind::Rook | Kind::Cannon => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_pieces_can_stand() {
        let points = |kind| {
            Side::ALL
                .map(|side| Square::all().filter(|&square| may_stand(Piece::new(side, kind), square)).count())
        };
        assert_eq!(points(Kind::King), [9, 9]);
        assert_eq!(points(Kind::Advisor), [5, 5]);
        assert_eq!(points(Kind::Elephant), [7, 7]);
        assert_eq!(points(Kind::Pawn), [55, 55], "45 beyond the river, 10 before it");
        assert_eq!(points(Kind::Horse), [90, 90]);
    }

    #[test]
    fn legs_and_eyes() {
        let at = |text| Square::from_iccs(text).unwrap();
        assert_eq!(horse_leg(at("b0"), at("c2")), Some(at("b1")));
        assert_eq!(horse_leg(at("b0"), at("d1")), Some(at("c0")));
        assert_eq!(horse_leg(at("b0"), at("b2")), None);
        assert_eq!(elephant_eye(at("c0"), at("e2")), Some(at("d1")));
        assert_eq!(elephant_eye(at("c0"), at("c2")), None);
        assert_eq!(between(at("e0"), at("e3")).into_iter().collect::<Vec<_>>(), [at("e2"), at("e1")]);
        assert!(between(at("e0"), at("f1")).is_empty() && between(at("e0"), at("e0")).is_empty());
    }
}
