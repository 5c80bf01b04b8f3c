//! Any bytes as a report: no panic, and only numbers that JSON can carry.
//!
//! `cargo fuzz run -s none report_line`. The first byte chooses dialect and board.
#![no_main]

use kifud::engine::gtp::analyze::{Dialect, parse_line};
use kifud::engine::gtp::heatmap::{Measure, Scale, heatmap};
use kifud::go::Size;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, line)) = data.split_first() else { return };
    let dialect = [Dialect::Kata, Dialect::Lz, Dialect::Plain][usize::from(choice % 3)];
    let size = Size::square([2, 9, 19, 52][usize::from(choice / 3 % 4)]).expect("a size");
    let report = parse_line(line, dialect, size);
    for info in &report.moves {
        assert!((0.0..=100.0).contains(&info.winrate));
        assert!(info.lcb.is_none_or(f64::is_finite) && info.score_lead.is_none_or(f64::is_finite));
        assert!(info.moves_ownership.as_ref().is_none_or(|values| values.len() == size.area()));
    }
    assert!(report.value().is_none_or(|value| value.winrate.is_finite()));
    assert!(heatmap(&report, Measure::Winrate, Scale::Relative).iter().all(|mark| mark.strength <= 9));
});
