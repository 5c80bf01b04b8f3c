//! Any text as a move: it is refused with a reason, or it is a legal move that all four notations
//! write so that they read it back.
//!
//! `cargo fuzz run -s none move`.
#![no_main]

use kifud::xiangqi::Position;
use kifud::xiangqi::notation::{self, Notation};
use libfuzzer_sys::fuzz_target;

/// The start, and boards where texts are hard to tell apart: pawns and pairs on one file.
const BOARDS: [&str; 6] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b",
    "4k4/3P1P3/4P4/3P1P3/9/9/9/9/9/4K4 w",
    "4k4/9/2P6/2P6/2P6/2P6/9/9/2P6/3K5 w",
    "3k5/9/4b4/4a4/4b4/1p2c4/1p2c2n1/1p5n1/1p7/1p2K4 b",
    "3ak4/4a4/9/R8/9/9/R3N4/9/4N4/4K4 w",
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else { return };
    let fen = BOARDS[usize::from(choice & 7) % BOARDS.len()];
    let Ok(position) = Position::from_fen(fen) else { return };
    let notation = [None, Some(Notation::Iccs), Some(Notation::Uci), Some(Notation::Chinese), Some(Notation::Wxf)]
        [usize::from(choice >> 3) % 5];
    match notation::read(&position, &String::from_utf8_lossy(text), notation) {
        Err(error) => assert!(!error.to_string().is_empty() && !error.reason_zh().is_empty()),
        Ok(played) => {
            assert!(position.is_legal(played));
            let names = [
                (Notation::Iccs, notation::iccs(played)),
                (Notation::Uci, notation::uci(played)),
                (Notation::Chinese, notation::chinese(&position, played)),
                (Notation::Wxf, notation::wxf(&position, played)),
            ];
            for (notation, name) in names {
                assert_eq!(notation::read(&position, &name, Some(notation)), Ok(played), "{name}");
            }
        }
    }
});
