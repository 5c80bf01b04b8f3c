//! The fast core against the plain rules, against published counts, and against itself.

mod counts;
mod exchange;
mod fuzz;
mod placements;
mod walks;

use super::{Board, MoveList};
use crate::xiangqi::{Move, Position, rules};

fn board(fen: &str) -> Board {
    Board::from(&Position::from_fen(fen).unwrap())
}

/// The legal moves by the plain rules, sorted.
fn by_rules(position: &Position) -> Vec<Move> {
    rules::legal_moves(position.board(), position.turn())
}

/// The legal moves, sorted.
fn legal(board: &Board) -> Vec<Move> {
    sorted(board, Board::legal)
}

fn captures(board: &Board) -> Vec<Move> {
    sorted(board, Board::captures)
}

fn sorted(board: &Board, fill: impl Fn(&Board, &mut MoveList)) -> Vec<Move> {
    let mut list = MoveList::new();
    fill(board, &mut list);
    let mut moves: Vec<Move> = list.iter().collect();
    assert_eq!(moves.len(), list.len());
    moves.sort();
    moves
}
