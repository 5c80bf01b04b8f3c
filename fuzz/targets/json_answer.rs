//! Any bytes as a line of KataGo's JSON analysis engine: no panic, and only numbers that JSON can carry.
//!
//! `cargo fuzz run -s none json_answer`. The first byte chooses the board.
#![no_main]

use kifud::engine::katago_json::{Answer, read};
use kifud::go::Size;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, line)) = data.split_first() else { return };
    let size = Size::square([2, 9, 19, 52][usize::from(choice % 4)]).expect("a size");
    let Some(Answer::Report { report: Some(report), .. }) = read(line, |_| size) else { return };
    assert!(report.moves.len() <= size.area() + 1);
    for info in &report.moves {
        assert!((0.0..=100.0).contains(&info.winrate));
        assert!(info.lcb.is_none_or(f64::is_finite) && info.score_lead.is_none_or(f64::is_finite));
    }
    assert!(report.ownership.iter().flatten().all(|value| (-1.0..=1.0).contains(value)));
});
