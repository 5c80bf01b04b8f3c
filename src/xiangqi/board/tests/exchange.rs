use super::placements::{Dice, position};
use crate::xiangqi::board::Board;
use crate::xiangqi::rules::{self, Grid};
use crate::xiangqi::values::{CROSSED_PAWN, base_value};
use crate::xiangqi::{Kind, Side, Square};

fn worth(board: &Grid, square: Square) -> i32 {
    match board[square.index()] {
        Some(piece) if piece.kind == Kind::Pawn && square.crossed_river(piece.side) => CROSSED_PAWN,
        Some(piece) => base_value(piece.kind),
        None => 0,
    }
}

/// The exchange by the plain rules: the piece on `from` takes something worth `at_stake` on `to`, and
/// the other side takes back if that pays. `None` where two pieces are equally fit to take, as which of
/// them goes can matter.
fn by_rules(board: &mut Grid, from: Square, to: Square, side: Side, at_stake: i32) -> Option<i32> {
    let next_at_stake = worth(board, from);
    board[from.index()] = None;
    let them = side.opposite();
    let mut takers: Vec<Square> = rules::attackers(board, to, them).into_iter().collect();
    takers.sort_by_key(|&square| rank(board, square));
    let Some(&taker) = takers.first() else { return Some(at_stake) };
    if takers.get(1).is_some_and(|&other| rank(board, other) == rank(board, taker)) {
        return None;
    }
    let answer = by_rules(board, taker, to, them, next_at_stake)?;
    Some(at_stake - answer.max(0))
}

/// The order in which pieces are sent to take.
fn rank(board: &Grid, square: Square) -> usize {
    let order =
        [Kind::Pawn, Kind::Advisor, Kind::Elephant, Kind::Horse, Kind::Cannon, Kind::Rook, Kind::King];
    board[square.index()].and_then(|piece| order.iter().position(|&kind| kind == piece.kind)).unwrap_or(9)
}

#[test]
fn exchanges_by_the_plain_rules() {
    let mut dice = Dice::new(7);
    let (mut compared, mut long) = (0, 0);
    while compared < 3_000 {
        let Some(position) = position(&mut dice) else { continue };
        let board = Board::from(&position);
        for played in position.legal_moves() {
            let mut grid = *position.board();
            let taken = worth(&grid, played.to);
            let Some(want) = by_rules(&mut grid, played.from, played.to, position.turn(), taken) else {
                continue;
            };
            assert_eq!(board.exchange(played), want, "{position:?} {played}");
            compared += 1;
            long += usize::from(want != taken);
        }
    }
    assert!(long > 300, "{long} exchanges went on");
}
