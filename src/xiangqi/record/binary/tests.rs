use super::super::{NodeId, Record, pgn};
use super::*;

/// The worked example at the end of the author's specification of XQF 1.0, as far as it differs from
/// zero.
fn published() -> Vec<u8> {
    let mut file = vec![0_u8; 0x400];
    let mut put = |at: usize, hex: &str| {
        for (index, byte) in hex.split_ascii_whitespace().enumerate() {
            file[at + index] = u8::from_str_radix(byte, 16).unwrap();
        }
    };
    put(0, "58 51 0A");
    put(0x10, "50 46 3C 32 28 1E 14 0A 00 48 0C 53 3F 2B 17 03");
    put(0x20, "09 13 1D 27 31 3B 45 4F 59 11 4D 06 1A 2E 42 56");
    put(0x33, "02");
    put(0x50, "10 CF C9 C8 CB D6 B8 C2 B7 B6 D4 C6 F0 C2 ED BE D6");
    put(0x110, "0E 31 39 39 37 C4 EA 31 31 D4 C2 31 36 C8 D5");
    put(0x130, "06 C1 F8 B4 F3 BB AA");
    put(0x140, "06 C2 C0 20 20 C7 D5");
    let moves =
        "18 20 F0 FF 00 00 00 00 2F 38 F0 00 00 00 00 00 67 63 F0 00 00 00 00 00 57 60 F0 00 00 00 00 00
        29 3B F0 00 00 00 00 00 2C 4A F0 00 00 00 00 00 2B 27 F0 00 00 00 00 00 22 36 F0 00 00 00 00 00
        21 33 F0 00 00 00 00 00 18 2A F0 00 00 00 00 00 2B 2F F0 00 00 00 00 00 24 22 F0 00 00 00 00 00
        27 6B F0 00 00 00 00 00 60 6D F0 00 00 00 00 00 33 6D F0 00 00 00 00 00 5E 5E F0 00 00 00 00 00
        71 6F 00 00 00 00 00 00";
    file.extend(moves.split_ascii_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    file
}

#[test]
fn the_published_example() {
    let record = xqf::read(&published(), None).unwrap();
    assert_eq!(record.findings(), []);
    let played: Vec<_> = record.main_line().into_iter().map(|(_, played)| played).collect();
    // The moves as the specification lists them, with narrow digits.
    let said = "兵七进一 马8进7 兵三进一 炮2平3 相七进五 马2进1 马八进七 车1平2 车九平八 车2进4 炮八平九 车2平8 炮二进五 炮3平8 马二进三 车9平8";
    assert_eq!(crate::xiangqi::notation::chinese_line(&Position::start(), &played).join(" "), said);
    let tags: Vec<_> = record.tags().iter().map(|tag| format!("{}={}", tag.name, tag.value)).collect();
    assert_eq!(
        tags.join(" "),
        "Title=仙人指路对起马局 Date=1997年11月16日 Red=柳大华 Black=吕  钦 Result=0-1"
    );
}

#[test]
fn what_is_no_such_file() {
    let short = xqf::read(b"XQ\x0a", None).unwrap_err();
    assert_eq!(short, BinaryError::Short { length: 3, needed: 1024 });
    assert_eq!(xqf::read(b"PK", None).unwrap_err().code(), "wrong-signature");
    assert_eq!(cbr::read(b"CCBridge Record\0\0\0\0\x09").unwrap_err(), BinaryError::Version(9));
    assert_eq!(cbl::read(b"CCBridge Record\0").unwrap_err().code(), "wrong-signature");
    let mut cut = published();
    cut.truncate(0x400 + 19);
    let record = xqf::read(&cut, None).unwrap();
    assert_eq!((record.node_count(), record.findings()[0].code), (2, "file-cut-off"));
}

/// The second move is changed to one that is not legal: the line ends there.
#[test]
fn an_illegal_move_ends_the_line() {
    let mut file = published();
    file[0x400 + 17] = 0x64;
    let record = xqf::read(&file, None).unwrap();
    assert_eq!(record.node_count(), 2);
    let finding = &record.findings()[0];
    assert_eq!((finding.code, finding.span.range()), ("wrong-shape", 0x410..0x418));
    assert_eq!(finding.message.zh, "马走“日”字，不能从 h9 走到 g8");
    assert_eq!(record.unread().first().map(|span| span.range()), Some(0x410..0x488));
}

#[test]
fn black_to_move_is_seen_at_the_first_move() {
    let text =
        "[FEN \"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b\"]\n1... 马8进7 2. 炮二平五";
    let record = &pgn::read(text)[0];
    let mut file = made::xqf(record, 18, [3, 1, 4, 1, 5, 9, 2, 6, 5]);
    file[0x32] = 0;
    let read = xqf::read(&file, None).unwrap();
    assert_eq!((read.start(), read.node_count()), (record.start(), 3));
    assert_eq!(read.findings()[0].code, "side-to-move");
}

#[test]
fn a_library() {
    let mut games: Vec<Record> = pgn::read("1. 炮二平五 马8进7 (1... 炮8平5 {顺炮})");
    games[0].set_tag("Red", "胡荣华");
    let file = made::cbr(&games[0], 2);
    let mut bad = file.clone();
    bad[19] = 7;
    let library = cbl::read(&made::cbl("一本棋谱", &[file, bad, made::cbr(&games[0], 1)])).unwrap();
    assert_eq!((library.name.as_str(), library.games.len()), ("一本棋谱", 2));
    assert_eq!(library.bad, [(101_952 + 4096, BinaryError::Version(7))]);
    let second = &library.games[1];
    assert_eq!(second.tag("Red"), Some("胡荣华"));
    assert_eq!(second.node(NodeId(3)).unwrap().comment, "顺炮");
    assert_eq!(second.node(NodeId(1)).unwrap().span.start, 101_952 + 8192 + 1958 + 4, "counted in the file");
}

#[test]
fn pieces_have_their_places() {
    let start = Position::start();
    let points = piece_points(&start);
    assert_eq!(points[0].unwrap().to_string(), "a0");
    assert_eq!(points[24].unwrap().to_string(), "i9");
    assert_eq!(pieces(points.into_iter()), Ok(start));
    assert!(pieces(std::iter::empty()).is_err());
}
