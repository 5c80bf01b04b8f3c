//! Any text laid out: the record says the same, a second time changes nothing, and a range's share of
//! the edits can be made alone.
//!
//! `cargo fuzz run -s none format`. The first two bytes choose the range, and the style.
#![no_main]

use kifud::claims::{apply_cleanly, said};
use kifud::sgf::{Record, Span, Style, format, format_range};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [from, to, data @ ..] = data else { return };
    let text = String::from_utf8_lossy(data);
    let record = Record::parse(&*text);
    let share = |byte: u8| usize::from(byte) * (text.len() + 1) >> 8;
    let range = Span::new(share(*from) as u32, share(*to) as u32);
    let style = [Style::Canonical, Style::Compact][usize::from(from & 1)];
    let once = Record::parse(apply_cleanly(&text, &format(&record, style)));
    assert_eq!(said(&once), said(&record));
    assert_eq!(format(&once, style), [], "{text:?}");
    let part = Record::parse(apply_cleanly(&text, &format_range(&record, style, range)));
    assert_eq!(said(&part), said(&record));
});
