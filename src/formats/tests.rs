use proptest::prelude::*;

use super::*;
use crate::xiangqi::notation::Notation;
use crate::xiangqi::record::{Loss, pgn};

const PGN: &str = "[Game \"Chinese Chess\"]\n[Red \"许银川\"]\n\n1. 炮二平五 {中炮} 马8进7! (1... 炮8平5) 2. 马一进二 1-0\n";

#[test]
fn files_say_what_they_are() {
    let mut xqf = vec![0; 1024];
    xqf[..3].copy_from_slice(b"XQ\x12");
    let cases: [(&[u8], Option<&str>, Option<Format>); 16] = [
        (b"(;GM[1])", None, Some(Format::Sgf)),
        (b"\n ( ;SZ[9])", Some("a.txt"), Some(Format::Sgf)),
        (b"mail header\n\n(;FF[4]GM[1])", None, Some(Format::Sgf)),
        (b"\\HS\r\n\\[GAMENAME=x\\]\r\n", None, Some(Format::Gib)),
        (b"x\n19\nPMABBREER\nPMACWEEEE\nPMADBQRRQ\n", None, Some(Format::Ngf)),
        (b"[Header]\nVer=UGF3\n[Data]\n", Some("a.ugi"), Some(Format::Ugf)),
        (PGN.as_bytes(), None, Some(Format::Pgn)),
        ("[Red \"a\"]\n1. 炮二平五".as_bytes(), None, Some(Format::Pgn)),
        ("1. 炮二平五 马8进7 2. 马二进三 马2进3".as_bytes(), None, Some(Format::Pgn)),
        (b"[DhtmlXQ]\n[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]", Some("a.pgn"), Some(Format::DhtmlXq)),
        (&xqf, None, Some(Format::Xqf)),
        (b"CCBridge Record\0", None, Some(Format::Cbr)),
        (b"CCBridgeLibrary\0", None, Some(Format::Cbl)),
        (b"", Some("a.NGF"), Some(Format::Ngf)),
        (b"[Event \"chess\"]\n1. e4 e5", None, None),
        (b"XQ", None, None),
    ];
    for (bytes, name, wanted) in cases {
        let found = detect(bytes, name);
        assert_eq!(found.format, wanted, "{:?} {found:?}", String::from_utf8_lossy(bytes));
        assert_eq!(found.reasons.is_empty(), wanted.is_none());
    }
    let against = detect(b"(;GM[1])", Some("game.xqf"));
    assert_eq!(against.reasons, ["it starts with (;", "although the name is that of xqf"]);
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
}

#[test]
fn what_is_lost_is_said() {
    let there = convert(PGN.as_bytes(), None, Options::to(Target::DhtmlXq)).unwrap();
    assert_eq!((there.from, there.games), (Format::Pgn, 1));
    let losses: Vec<_> = there.losses.iter().map(|loss| (loss.code(), loss.reason_zh())).collect();
    assert_eq!(
        losses,
        [("unread", "没有转换：红方一路上没有马".into()), ("glyphs", "目标格式没有评价符号".into())]
    );
    let Loss::Unread(place, _) = &there.losses[0] else { panic!() };
    assert_eq!(place.span.unwrap().slice(PGN), "马一进二");
    let back = convert(&there.bytes, None, Options::to(Target::Pgn)).unwrap();
    assert_eq!(back.losses, []);
    let wanted = PGN.replace('!', "").replace(" 2. 马一进二", "");
    let shown = |text: &str| pgn::write(&pgn::read(text)[0], pgn::Style::default());
    assert_eq!(String::from_utf8(back.bytes).unwrap(), shown(&wanted));
}

#[test]
fn for_programs_of_the_time_of_gbk() {
    let options = Options { charset: Charset::Gbk, ..Options::to(Target::Pgn) };
    let text = PGN.replace("中炮", "中炮😀\u{e5e5}");
    let old = convert(text.as_bytes(), None, options).unwrap();
    assert!(old.losses.contains(&Loss::BeyondGbk('😀')));
    let (read, _, bad) = encoding_rs::GB18030.decode(&old.bytes);
    assert!(!bad && read.contains("1. 炮二平五 {中炮😀\u{fffd}}\r\n1... 马８进７ $1"), "{read}");
    let again = read_xiangqi(&old.bytes, Format::Pgn).unwrap();
    assert_eq!(again[0].tag("Red"), Some("许银川"));
    let iccs =
        convert(text.as_bytes(), None, Options { notation: Notation::Iccs, ..Options::to(Target::Pgn) });
    assert!(String::from_utf8(iccs.unwrap().bytes).unwrap().contains("1... H9-G7"));
}

#[test]
fn what_cannot_be_converted() {
    let error = |bytes: &[u8], to| convert(bytes, None, Options::to(to)).unwrap_err();
    assert_eq!(error(b"?", Target::Sgf), ConvertError::Unknown);
    assert_eq!(error(PGN.as_bytes(), Target::Sgf).to_string(), "pgn is not converted to Sgf");
    assert_eq!(
        error(b"(;GM[1])", Target::Pgn),
        ConvertError::Unsupported { from: Format::Sgf, to: Target::Pgn }
    );
    assert_eq!(
        error(b"CCBridge Record\0\0\0\0\x02", Target::Pgn).to_string(),
        "the file ends after 20 bytes, before its head of 2218 does"
    );
    let gib = convert(b"\\[GAMENAME=x\\]\nSTO 0 2\n", Some("a.gib"), Options::to(Target::Sgf)).unwrap();
    assert_eq!(
        gib.losses[0].to_string(),
        "line 2: a move has a colour, a column and a row behind two numbers"
    );
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..500), format in 0..9_usize, to in 0..3_usize) {
        let _ = detect(&bytes, None);
        let to = [Target::Sgf, Target::Pgn, Target::DhtmlXq][to];
        let from = Some(Format::ALL[format]);
        for charset in [Charset::Utf8, Charset::Gbk] {
            let _ = convert(&bytes, None, Options { from, charset, ..Options::to(to) });
        }
    }
}
