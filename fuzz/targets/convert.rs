//! Any bytes as a file of another program: what it becomes is read again, and becomes itself.
//!
//! `cargo fuzz run -s none convert`. The first byte chooses the format, the second what it becomes.
#![no_main]

use kifud::claims::said;
use kifud::formats::{Charset, Format, Options, Target, convert, detect, read_xiangqi};
use kifud::sgf::{self, Record};
use kifud::xiangqi::notation::Notation;
use libfuzzer_sys::fuzz_target;

const FORMATS: [Format; 8] = [
    Format::Gib,
    Format::Ngf,
    Format::Ugf,
    Format::Pgn,
    Format::DhtmlXq,
    Format::Xqf,
    Format::Cbr,
    Format::Cbl,
];

fuzz_target!(|data: &[u8]| {
    let [format, choice, file @ ..] = data else { return };
    let found = detect(file, None);
    assert_eq!(found.format.is_none(), found.reasons.is_empty());
    let from = FORMATS[usize::from(format & 7)];
    let to = match from.is_xiangqi() {
        false => Target::Sgf,
        true => [Target::Pgn, Target::DhtmlXq][usize::from(choice & 1)],
    };
    let notation = Notation::ALL[usize::from(choice >> 1) % Notation::ALL.len()];
    let charset = [Charset::Utf8, Charset::Gbk][usize::from(choice >> 7)];
    let options = Options { from: Some(from), to, notation, charset };
    let Ok(there) = convert(file, None, options) else { return };
    for loss in &there.losses {
        assert!(!loss.to_string().is_empty() && !loss.reason_zh().is_empty());
    }
    match to {
        Target::Sgf => is_a_record(&there.bytes),
        Target::Pgn => is_read_again(&there.bytes, Format::Pgn, there.games, options),
        Target::DhtmlXq => is_read_again(&there.bytes, Format::DhtmlXq, there.games, options),
    }
});

/// One game without a fault of syntax or of values.
fn is_a_record(bytes: &[u8]) {
    let text = sgf::encoding::decode(bytes, Some("gb18030")).text;
    let record = Record::parse(text.as_str());
    assert_eq!((record.games().len(), record.findings()), (1, &[][..]), "{text:?}");
    assert!(!said(&record).is_empty());
}

fn is_read_again(bytes: &[u8], format: Format, games: usize, options: Options) {
    let read = read_xiangqi(bytes, format).expect("what is written can be read");
    assert_eq!(read.len(), games, "{:?}", String::from_utf8_lossy(bytes));
    let again = convert(bytes, None, Options { from: Some(format), ..options }).expect("and converted");
    assert_eq!(String::from_utf8_lossy(&again.bytes), String::from_utf8_lossy(bytes));
}
