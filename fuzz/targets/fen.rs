//! Any text as a FEN: it is refused with reasons, or it is a position whose FEN reads back and whose
//! legal moves are the same by the plain rules and by the fast board.
//!
//! `cargo fuzz run -s none fen`.
#![no_main]

use kifud::xiangqi::board::{Board, MoveList};
use kifud::xiangqi::{Position, rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match Position::from_fen(&text) {
        Err(faults) => {
            assert!(!faults.0.is_empty());
            assert!(!faults.to_string().is_empty() && !faults.reason_zh().is_empty());
        }
        Ok(position) => {
            let again = Position::from_fen(&position.to_fen()).expect("what is written can be read");
            assert_eq!(again, position);
            let mut plain = position.pseudo_legal_moves();
            plain.retain(|&played| !rules::in_check(position.after(played).board(), position.turn()));
            let mut list = MoveList::new();
            Board::from(&position).legal(&mut list);
            let mut fast: Vec<_> = list.iter().collect();
            fast.sort();
            assert_eq!(fast, plain, "{}", position.to_fen());
        }
    }
});
