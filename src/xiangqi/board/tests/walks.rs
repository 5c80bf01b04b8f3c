//! Moves forwards and back.

use proptest::prelude::*;

use super::{board, by_rules, legal};
use crate::xiangqi::board::{Board, MoveList};
use crate::xiangqi::{Position, START_FEN};

proptest! {
    /// A game and back: every step restores the board bit for bit and keeps the key, and the board
    /// equals the position it came from.
    #[test]
    fn make_and_unmake(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120)) {
        let mut board = board(START_FEN);
        let mut position = Position::start();
        let mut key = board.key();
        let mut played = Vec::new();
        for choice in choices {
            let moves = legal(&board);
            if moves.is_empty() {
                break;
            }
            let chosen = moves[choice.index(moves.len())];
            let before = board.clone();
            key ^= board.key_change(chosen);
            let captured = board.piece_at(chosen.to).map(|piece| piece.kind);
            let undo = board.make(chosen);
            prop_assert_eq!(undo.captured(), captured);
            position = position.after(chosen);
            prop_assert_eq!(board.key(), key);
            prop_assert_eq!(key, Board::from(&position).key(), "the same position by any way");
            prop_assert_eq!(board.turn(), position.turn());
            for square in crate::xiangqi::Square::all() {
                prop_assert_eq!(board.piece_at(square), position.piece_at(square));
            }
            played.push((chosen, undo, before));
        }
        while let Some((chosen, undo, before)) = played.pop() {
            board.unmake(chosen, undo);
            prop_assert!(board == before);
        }
    }
}

#[test]
fn a_pass_and_back() {
    let mut board = board(START_FEN);
    let (before, key) = (board.clone(), board.key());
    board.pass();
    assert_eq!(board.key(), key ^ Board::key_change_of_pass());
    assert_eq!(legal(&board).len(), 44);
    board.pass();
    assert!(board == before);
}

#[test]
fn lists_and_pieces() {
    let board = board(START_FEN);
    let mut list = MoveList::new();
    assert!(list.is_empty());
    board.legal(&mut list);
    let cannon = legal(&board).into_iter().find(|played| played.to_string() == "h2e2").unwrap();
    assert!(list.contains(cannon));
    assert_eq!(board.pieces().count(), 32);
    let first = board.pieces().next().unwrap();
    assert_eq!((first.0, first.1.to_fen_char()), (board.king(board.turn().opposite()), 'k'));
    list.clear();
    assert!(!list.contains(cannon));
}

/// Far more moves than in any game, and within the bound by as far; the bound itself is arithmetic, see
/// [`MAX_MOVES`](super::super::MAX_MOVES).
#[test]
fn many_moves() {
    let fen = "3k5/R8/7R1/2N3N2/1P2P3P/9/P7P/B1C3C1B/4A4/3AK4 w";
    let moves = legal(&board(fen));
    assert_eq!(moves, by_rules(&Position::from_fen(fen).unwrap()));
    assert!(moves.len() > 75, "{}", moves.len());
}
