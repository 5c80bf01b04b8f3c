//! A game by any choice of legal moves, short cycles made likely: every rule set judges it, and judges
//! the same game with the colours changed the same way.
//!
//! `cargo fuzz run -s none history`.
#![no_main]

use kifud::xiangqi::repetition::{History, RuleSet, judge};
use kifud::xiangqi::{Move, Piece, Position, Setup};
use libfuzzer_sys::fuzz_target;

const STARTS: [&str; 4] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
    "4k4/4a4/9/9/2r6/9/6N2/9/4R4/3K5 w",
    "2bak4/4a4/4b4/9/2n3c2/4P4/9/4B1R2/4A4/2BAK1N2 b",
    "3k5/9/9/R8/r8/9/9/4C4/9/4K4 w",
];

/// The other way round: colours changed and the board turned.
fn turned(position: &Position) -> Position {
    let mut setup = Setup { turn: position.turn().opposite(), ..position.setup().clone() };
    for (index, piece) in position.board().iter().enumerate() {
        setup.board[89 - index] = piece.map(|piece| Piece::new(piece.side.opposite(), piece.kind));
    }
    Position::new(setup).expect("the rules are the same for both")
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, data)) = data.split_first() else { return };
    let Ok(start) = Position::from_fen(STARTS[usize::from(*choice) % STARTS.len()]) else { return };
    let (mut position, mut moves) = (start.clone(), Vec::<Move>::new());
    for byte in data.iter().take(120) {
        let legal = position.legal_moves();
        // Every second byte takes the piece back where it came from, if it can go there.
        let back = moves.len().checked_sub(2).map(|index| Move::new(moves[index].to, moves[index].from));
        let played = match back {
            Some(back) if byte & 1 == 0 && legal.contains(&back) => back,
            _ if legal.is_empty() => break,
            _ => legal[usize::from(byte >> 1) % legal.len()],
        };
        position = position.after(played);
        moves.push(played);
    }
    let other = moves.iter().map(|played| Move::new(played.from.turned(), played.to.turned())).collect();
    let history = History::new(start.clone(), moves).expect("every move is legal");
    let other = History::new(turned(&start), other).expect("every move is legal");
    for rules in RuleSet::ALL {
        let (one, two) = (judge(&history, rules, 3), judge(&other, rules, 3));
        assert_eq!(one.repetitions, two.repetitions);
        let winner = |judged: &kifud::xiangqi::repetition::Repetition| {
            judged.verdict.as_ref().and_then(|verdict| verdict.winner())
        };
        assert_eq!(winner(&one), winner(&two).map(|side| side.opposite()));
        assert_eq!(
            one.verdict.as_ref().map(std::mem::discriminant),
            two.verdict.as_ref().map(std::mem::discriminant)
        );
    }
});
