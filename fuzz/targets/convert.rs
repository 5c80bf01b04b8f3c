//! Any bytes as a file of another program: what it becomes is read again as the same games.
//!
//! `cargo fuzz run -s none convert`. The first byte chooses the format, the second what it becomes.
#![no_main]

use kifud::claims::said;
use kifud::formats::{Charset, Format, Options, Target, convert, detect, read_xiangqi};
use kifud::sgf::Record;
use kifud::xiangqi::Move;
use kifud::xiangqi::notation::Notation;
use kifud::xiangqi::record::{self, NodeId, Outcome};
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
    // It reads as much as all that follows: an eighth of the files will do.
    if choice >> 4 & 7 == 0 {
        let found = detect(file, None);
        assert_eq!(found.format.is_none(), found.reasons.is_empty());
    }
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
    // Whether a few characters are GBK can only be guessed: here it is known.
    let text = match charset {
        Charset::Utf8 => String::from_utf8(there.bytes).expect("UTF-8"),
        Charset::Gbk => encoding_rs::GB18030.decode(&there.bytes).0.into_owned(),
    };
    match to {
        Target::Sgf => is_a_record(&text),
        Target::Pgn => are_the_same(file, options, &record::pgn::read(&text), &text),
        Target::DhtmlXq => are_the_same(file, options, &record::dhtmlxq::read(&text), &text),
    }
});

/// One game without a fault of syntax or of values.
fn is_a_record(text: &str) {
    let record = Record::parse(text);
    assert_eq!((record.games().len(), record.findings()), (1, &[][..]), "{text:?}");
    assert!(!said(&record).is_empty());
}

/// The games of the file are those of the text that it has become.
fn are_the_same(file: &[u8], options: Options, again: &[record::Record], text: &str) {
    let format = options.from.expect("it is chosen");
    let games = read_xiangqi(file, format).expect("what was converted can be read");
    // A few characters for private use are others when they come back from GBK.
    let comments = options.charset == Charset::Utf8;
    assert_eq!(games.len(), again.len(), "{text}");
    for (one, other) in games.iter().zip(again) {
        assert_eq!(moves_of(one, comments), moves_of(other, comments), "{text}");
    }
}

/// The start, the result, and every move in the order of the tree, with its comment but for white space;
/// nothing more of a game whose start cannot be read.
fn moves_of(
    game: &record::Record,
    comments: bool,
) -> (Option<String>, Outcome, Vec<(u32, Option<Move>, String)>) {
    let mut moves = Vec::new();
    let mut waiting: Vec<_> = game.start().map(|_| NodeId::ROOT).into_iter().collect();
    while let Some(id) = waiting.pop() {
        let node = game.node(id).expect("a node of the game");
        let comment = if comments { node.comment.as_str() } else { "" };
        let comment = comment.chars().filter(|letter| !letter.is_whitespace() && !letter.is_control());
        moves.push((node.ply, node.played, comment.collect()));
        let children: Vec<_> = game.children(id).collect();
        waiting.extend(children.into_iter().rev());
    }
    (game.start().map(|start| start.to_fen()), game.outcome(), moves)
}
