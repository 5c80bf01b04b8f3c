//! Random placements, each played on for some moves, against the plain rules.

use super::placements::{Dice, position};
use super::{by_rules, captures, legal};
use crate::xiangqi::board::{Board, perft};
use crate::xiangqi::{Move, Piece, Position, Setup, Square};

/// Everything the core says about a position, held against the rules.
fn agrees(position: &Position, moves: &[Move], two_plies: bool) {
    let mut board = Board::from(position);
    assert_eq!(legal(&board), moves, "{position:?}");
    assert_eq!(board.count_legal() as usize, moves.len(), "{position:?}");
    assert_eq!(board.in_check(), position.is_check(), "{position:?}");
    let taking: Vec<Move> =
        moves.iter().copied().filter(|played| position.piece_at(played.to).is_some()).collect();
    assert_eq!(captures(&board), taking, "{position:?}");
    if two_plies {
        let count: usize = moves.iter().map(|&played| by_rules(&position.after(played)).len()).sum();
        assert_eq!(perft(&mut board, 2), count as u64, "{position:?}");
    }
}

/// `KIFUD_XIANGQI_POSITIONS` and `KIFUD_XIANGQI_SEED` make it longer and other.
#[test]
fn random_positions() {
    let from_environment = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let positions = from_environment("KIFUD_XIANGQI_POSITIONS").unwrap_or(6_000);
    let mut dice = Dice::new(from_environment("KIFUD_XIANGQI_SEED").unwrap_or(1));
    let (mut seen, mut checks, mut counted) = (0, 0, 0);
    while seen < positions {
        let Some(mut position) = position(&mut dice) else { continue };
        for _ in 0..4 {
            let moves = by_rules(&position);
            agrees(&position, &moves, seen % 64 == 0);
            seen += 1;
            checks += u64::from(position.is_check());
            counted += moves.len();
            if moves.is_empty() {
                break;
            }
            position = position.after(moves[dice.roll(moves.len())]);
        }
    }
    println!("{seen} positions, {counted} moves, {checks} in check");
    assert!(checks * 8 > seen, "{checks} of {seen} positions are checks: too few to try the answers");
}

/// What published counts and games miss, from both sides of the board.
#[test]
fn rare_pins() {
    for (what, fen, count) in [
        ("two horses on one leg", "3k1a3/4rN3/4Nr2b/3P3P1/2n6/9/9/3npA3/p2K1p3/1p3A3 b", 33),
        ("two horses on one leg", "2P2Pb2/4k4/2Nr5/p2N3P1/2b1C1R1n/6B2/9/9/3CK2cR/1pBA1A3 b", 20),
        ("a pawn on a leg takes the horse", "1c7/4a4/3k1a3/2p1P4/2N6/2r6/9/9/4K2R1/6p2 b", 36),
        ("pinned by rook and cannon", "3P1cb2/3kC2Pc/1P7/4P3p/9/r1B6/np1p2NN1/B2R4R/1p7/3CK4 b", 31),
        ("pinned by rook and cannon", "2P6/2Rrk4/P4a3/4r3p/c1b2NP2/2B1R1B2/3CC4/3K5/4A1n2/N4A3 b", 21),
    ] {
        let position = Position::from_fen(fen).unwrap();
        for position in [turned(&position), position] {
            assert_eq!(by_rules(&position).len(), count, "{what}: the plain rules");
            agrees(&position, &by_rules(&position), true);
        }
    }
}

/// The same position with the sides exchanged: the board turned by half a turn.
fn turned(position: &Position) -> Position {
    let mut setup = Setup::empty();
    setup.turn = position.turn().opposite();
    for square in Square::all() {
        let piece = position.piece_at(square);
        setup.board[square.turned().index()] =
            piece.map(|piece| Piece::new(piece.side.opposite(), piece.kind));
    }
    Position::new(setup).unwrap()
}
