//! Tables of spellings, wrong texts, and properties over arbitrary positions and texts.

use std::collections::HashSet;

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::xiangqi::{Kind, Move, Piece, Position, START_FEN, Setup, Side, Square, rules};

const BLACK_START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b";

/// What a text is read as: a move, the candidates, or an error's code.
fn reading(position: &Position, text: &str, notation: Option<Notation>) -> String {
    match read(position, text, notation) {
        Ok(played) => played.to_string(),
        Err(ReadError::Ambiguous { candidates }) => {
            candidates.iter().map(Move::to_string).collect::<Vec<_>>().join("|")
        }
        Err(error) => error.code().to_owned(),
    }
}

fn check(fen: &str, cases: &[(&str, &str)]) {
    let position = Position::from_fen(fen).unwrap();
    for (texts, want) in cases {
        for text in texts.split(' ') {
            assert_eq!(reading(&position, text, None), *want, "{text} in {fen}");
        }
    }
}

#[test]
fn characters_and_digits() {
    check(
        START_FEN,
        &[
            ("炮二平五 砲二平五 包二平五 炮二=五 C2=5 C2.5 c2.5 C25 Ｃ２＝５", "h2e2"),
            ("h2e2 H2-E2 h2-e2 h2–e2 ｈ２ｅ２ h2,e2", "h2e2"),
            ("马二进三 馬二進三 傌二进三 H2+3 N2+3 h2+3 n2+3", "h0g2"),
            ("车一进一 車一進一 俥一進一 R1+1", "i0i1"),
            ("相三进五 象三進五 E3+5 B3+5", "g0e2"),
            ("仕四进五 士四進五 A4+5", "f0e1"),
            ("帅五进一 帥五進一 将五进一 將五進一 K5+1", "e0e1"),
            ("兵七进一 卒七進一 P7+1", "c3c4"),
            (
                "炮二平五。 “炮二平五” 炮二平五！ （炮二平五） 炮二平五. 炮二·平五 \u{FEFF}炮二平五 C2.5.",
                "h2e2",
            ),
        ],
    );
    assert_eq!(reading(&Position::start(), "\t炮 二　平 五 \r\n", None), "h2e2");
    check(
        BLACK_START,
        &[
            ("马8进7 馬8進7 马８进７ 马八进七 傌八進７ H8+7 h8+7 n8+7 h10g8 h9g7", "h9g7"),
            ("将5进1 帅5进1 将五进一", "e9e8"),
            ("卒3进1 兵3进1 p3+1", "c6c5"),
        ],
    );
}

#[test]
fn pairs() {
    check(
        "3k5/9/9/9/9/9/9/5A1R1/9/4KA1R1 w",
        &[
            ("前车平一 前車平一 R+=1 R+.1 r+.1 前车二平一 车前平一", "h2i2"),
            ("后车平一 後車平一 R-=1 R-.1", "h0i0"),
            ("车二平一 R2=1", "h2i2|h0i0"),
            ("前车进一 R++1", "h2h3"),
            ("后车进一 R-+1", "h0h1"),
            ("车二退一 R2-1 前车退一 R+-1", "h2h1"),
            ("前仕退五 仕四退五 前士退五 A4-5 A+-5", "f2e1"),
            ("后仕进五 仕四进五 A4+5 A-+5", "f0e1"),
            ("前仕进五", "illegal"),
            ("中车平一 三车平一", "no-piece"),
        ],
    );
    let elephants = Position::from_fen("3k5/9/9/9/9/6B2/9/9/9/5KB2 w").unwrap();
    for (texts, want, zh) in [
        ("相三退五 前相退五 E3-5 E+-5", "g4e2", "相三退五"),
        ("相三进五 后相进五 E3+5 E-+5", "g0e2", "相三进五"),
    ] {
        for text in texts.split(' ') {
            let played = read(&elephants, text, None).unwrap();
            assert_eq!((iccs(played).as_str(), chinese(&elephants, played).as_str()), (want, zh), "{text}");
        }
    }
    // The rear horse, as playOK and the records of the federation write it.
    check("3k5/9/9/9/4N4/9/4N4/9/9/5K3 w", &[("H-+3 h-+3 后马进三", "e3g4"), ("H++3", "e5g6")]);
}

/// Five pawns on a file; `P+`, `P2` and so on as the federation names them there.
#[test]
fn five_pawns_on_a_file() {
    check(
        "3k5/9/9/9/9/1p7/1p7/1p7/1p7/1p3K3 b",
        &[
            ("一卒平3 1卒平3 １卒平３ 前卒平3 前兵平三 一兵平三 前卒2平3 前2平3 12=3 12.3 ++=3 ++.3", "b0c0"),
            ("二卒平3 ２卒平３ 二兵平三 22=3 P+=3 p+.3", "b1c1"),
            ("三卒平3 中卒平3 32=3 P2=3 p2.3", "b2c2"),
            ("四卒平3 42=3 P-=3 p-.3", "b3c3"),
            ("五卒平3 后卒平3 後卒平３ 52=3 --=3 --.3", "b4c4"),
            // 22 is also the federation's way to say the middle pawn of file 2.
            ("22.3", "b2c2|b1c1"),
            ("卒2平3", "b4c4|b3c3|b2c2|b1c1|b0c0"),
            ("六卒平3", "no-piece"),
            ("一卒进1", "off-board"),
        ],
    );
    check("1R1cka3/4a4/9/9/p8/p8/p8/p8/9/4K4 b", &[("一卒进1 前卒进1 一兵进1", "a2a1")]);
}

/// The federation's example with four pawns on file 3.
#[test]
fn four_pawns_on_a_file() {
    check(
        "4k4/6P2/6P2/6P2/6P2/9/9/9/9/3K5 w",
        &[
            ("++.4 ++=4 13=4 一兵平四 前兵平四", "g8f8"),
            ("P+.4 23=4 二兵平四", "g7f7"),
            ("P-.4 33=4 33.4 三兵平四", "g6f6"),
            ("--.4 43=4 四兵平四 后兵平四", "g5f5"),
            ("中兵平四", "no-piece"),
            ("P3.4", "g8f8|g7f7|g6f6|g5f5"),
        ],
    );
}

#[test]
fn three_pawns_on_a_file() {
    check(
        "4k4/2P6/2P6/2P6/9/9/9/9/9/5K3 w",
        &[
            ("前兵平六 一兵平六 17=6 P+=6 P+.6", "c8d8"),
            ("中兵平六 二兵平六 27=6 P7=6 P7.6 77=6 77.6", "c7d7"),
            ("后兵平六 三兵平六 37=6 P-=6 P-.6", "c6d6"),
            ("兵七平六", "c8d8|c7d7|c6d6"),
            ("四兵平六 ++=6 --=6", "no-piece"),
        ],
    );
}

/// On file 2 the second of three pawns is the middle one, so that both meanings of 22 are one.
#[test]
fn two_meanings_that_agree() {
    let fen = "4k4/7P1/7P1/7P1/9/9/9/9/9/3K5 w";
    check(fen, &[("22.1 22=1", "h7i7")]);
    let h7h8 = Move::new(Square::from_iccs("h7").unwrap(), Square::from_iccs("h8").unwrap());
    let position = Position::from_fen(fen).unwrap();
    for text in ["22+1", "P2+1"] {
        assert_eq!(read(&position, text, None), Err(ReadError::Illegal { moves: vec![h7h8] }), "{text}");
    }
}

/// Fairy-Stockfish's form: place from the front, then the file.
#[test]
fn wxf_of_heaps() {
    for (fen, want) in [
        ("4k4/2P6/9/2P6/9/9/9/9/9/5K3 w", "P++1 P+=8 P+=6 P-+1 P-=8 P-=6"),
        ("4k4/2P6/9/2P6/2P6/9/9/9/9/5K3 w", "17+1 17=8 17=6 27+1 27=8 27=6 37=8 37=6"),
        ("4k4/2P3P2/9/2P6/6P2/9/9/9/9/5K3 w", "17+1 17=8 17=6 13+1 13=4 13=2 27+1 27=8 27=6 23+1 23=4 23=2"),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let pawns = position.legal_moves().into_iter().filter(|played| played.from.row() < 5);
        let written: Vec<_> = pawns.map(|played| wxf(&position, played)).collect();
        assert_eq!(written.join(" "), want);
    }
}

#[test]
fn pawns_on_two_files() {
    // The worked example of 《中国象棋电脑应用规范(二)》.
    check(
        "4k4/3P1P3/4P4/3P1P3/9/9/9/9/9/4K4 w",
        &[
            ("一兵平五 前兵四平五 前四平五 14=5 4+=5 4+.5", "f8e8"),
            ("二兵平五 后兵四平五 后四平五 後四平五 24=5 4-=5 4-.5", "f6e6"),
            ("三兵平五 前兵六平五 前六平五 16=5 6+.5", "d8e8"),
            ("四兵平五 后兵六平五 后六平五 26=5 6-.5", "d6e6"),
            ("兵五进一 P5+1", "e7e8"),
            ("前兵平五 P+=5 P+.5", "d8e8|f8e8"),
            ("后兵平五 P-.5", "d6e6|f6e6"),
            ("五兵平五", "no-piece"),
        ],
    );
    check("3a1kb2/2P1a1P1R/1RC6/n1N2PPc1/2b6/2B2pNr1/2P6/2n2App1/2p2K1p1/2B2ArC1 w", &[("一兵平四", "g8f8")]);
    // The federation's example: three pawns on file 3 and two on file 7.
    check(
        "4k4/2P3P2/6P2/2P3P2/9/9/9/9/9/3K5 w",
        &[
            ("3+.4 13=4 13.4 一兵平四 前兵平四", "g8f8"),
            ("23=4 二兵平四 中兵三平四 中三平四", "g7f7"),
            ("3-.4 33=4 三兵平四 后兵三平四 后三平四", "g6f6"),
            ("7+.6 17=6 四兵平六", "c8d8"),
            ("7-.6 27=6 五兵平六", "c6d6"),
            // With a dot it is the middle pawn for the federation, the third one in the rules of 2018.
            ("33.4", "g7f7|g6f6"),
            ("前兵进一", "c8c9|g8g9"),
        ],
    );
}

#[test]
fn wrong_texts() {
    check(
        START_FEN,
        &[
            ("h2e9 a0a0 a10a10 b0d1 e4e5 h9g7 炮二进五 车一平二 马八进六", "illegal"),
            ("炮二平 C2= 兵七进", "incomplete"),
            ("炮 炮二 二平五 平五 炮二平五五 炮炮平五 C2 h2e h2e2e R+5 ++++5 炮二五 前二", "malformed"),
            ("前炮平五 R+=5 前兵进一 二兵进一 三车进一 炮九平五 C9=5 15+1 3+.4 前四平五", "no-piece"),
            ("马8进7 馬8进7 马８进７ 炮2平5 炮二平5", "red-digits"),
            ("马八平七 炮二平二 仕四进二 相三进四 马二进五", "wrong-shape"),
            ("炮二进八 炮二退三 马二退三", "off-board"),
            ("j2e2 炮二平十 炮〇平五 王五进一 😀 炮0平五 日本語", "unknown-character"),
            ("。 ，， ()", "empty"),
        ],
    );
    let start = Position::start();
    for text in ["", " ", "\n"] {
        assert_eq!(read(&start, text, None), Err(ReadError::Empty));
    }
    assert_eq!(read(&start, &"炮".repeat(65), None), Err(ReadError::TooLong));
    assert_eq!(read(&start, &"h2e2 ".repeat(2000), None), Err(ReadError::TooLong));
    assert_eq!(reading(&start, &format!("{}炮二平五", " ".repeat(60)), None), "h2e2");
    for (text, notation) in [
        ("h2e2", Notation::Chinese),
        ("h2e2", Notation::Wxf),
        ("炮二平五", Notation::Iccs),
        ("炮二平五", Notation::Wxf),
        ("C2=5", Notation::Chinese),
        ("C2=5", Notation::Uci),
        ("h10g8", Notation::Iccs),
        ("a0a1", Notation::Uci),
    ] {
        assert_eq!(read(&start, text, Some(notation)), Err(ReadError::Form(Some(notation))), "{text}");
    }
    assert_eq!(reading(&start, "h3e3", Some(Notation::Uci)), "h2e2");
    assert_eq!(reading(&start, "h3e3", Some(Notation::Iccs)), "illegal");
}

#[test]
fn sentences() {
    let start = Position::start();
    let mut text = String::new();
    for wrong in [
        "",
        "炮二平",
        "炮二",
        "炮○平五",
        "马8进7",
        "马8进6",
        "前炮平五",
        "炮九平五",
        "前兵一平二",
        "炮二进八",
        "马二平三",
        "h2e9",
        "车一平二",
    ] {
        let error = read(&start, wrong, None).unwrap_err();
        text += &format!("{wrong}: {error} / {}\n", error.reason_zh());
    }
    let error = read(&start, "h3e3e", Some(Notation::Uci)).unwrap_err();
    text += &format!("{error} / {}\n", error.reason_zh());
    let pawns = Position::from_fen("4k4/3P1P3/4P4/3P1P3/9/9/9/9/9/4K4 w").unwrap();
    let error = read(&pawns, "前兵进一", None).unwrap_err();
    text += &format!("{error} / {}\n", error.reason_zh());
    expect![[r#"
        : there is no move / 没有着法文字
        炮二平: the number at the end is missing; a move is written like 炮二平五 / 着法不完整：进、退、平之后缺少数字，应如“炮二平五”
        炮二: this is no move; one is written like 炮二平五, C2=5 or h2e2 / 不是着法，应如“炮二平五”“C2=5”或“h2e2”
        炮○平五: the move has the unknown character '○' / 着法中有不认识的字符 '○'
        马8进7: Red counts in Chinese numerals: write 马八进七 / 红方用中文数字，应写“马八进七”
        马8进6: Red counts in Chinese numerals, from Red's right / 红方用中文数字，从红方右手边数起
        前炮平五: Red has too few cannons on one file for that name / 红方没有足够多的炮在同一路上，不能这样称呼
        炮九平五: Red has no cannon on file 9 / 红方九路上没有炮
        前兵一平二: Red has no such pawn on file 1 / 红方一路上没有这样的兵
        炮二进八: the cannon would leave the board / 炮会走出棋盘
        马二平三: a horse never goes so / 马不能这样走
        h2e9: h2e9 is against the rules / h2e9 不合规则
        车一平二: i0h0 is against the rules / i0h0 不合规则
        this is no move in UCI coordinates, like h3e3 / 不是着法（UCI 坐标），应如“h3e3”
        it is not clear which of d8d9, f8f9 is meant / 有歧义，可以是 d8d9, f8f9
    "#]].assert_eq(&text);
}

#[test]
fn the_only_move_meant_is_known() {
    let start = Position::start();
    let named = |text| read(&start, text, None).unwrap_err().illegal_move().map(iccs);
    assert_eq!(named("h2e9").as_deref(), Some("h2e9"));
    assert_eq!(named("车一平二").as_deref(), Some("i0h0"));
    assert_eq!(named("炮二平"), None);
}

#[test]
fn names_of_notations() {
    for notation in Notation::ALL {
        assert_eq!(Notation::from_name(notation.name()), Some(notation));
        assert_eq!(reading(&Position::start(), notation.example(), Some(notation)), "h2e2");
    }
    assert_eq!(Notation::from_name("ICCS"), None);
}

/// A game of two engines, as it is recorded in ICCS.
const GAME: &str = "g3g4 b9c7 h0g2 c6c5 c0e2 c9e7 i0i1 h9i7 i1c1 b7b9 c3c4 c5c4 c1c4 b9c9 c4b4 i9i8 a0a1 i8f8 \
    i3i4 f8f5 a1d1 d9e8 d1d6 i6i5 i4i5 f5i5 b4b3 i5i3 g2f4 i3f3 f4d5 c7d5 d6d5 c9d9 d0e1 e8d7 d5b5 a9c9 b0c2 \
    h7h3 b2b0 c9c6 b0d0 c6d6 b5b9 f3g3 h2f2 h3h6 b9d9 e9d9 b3b9 d9d8 e1d2 d6c6 c2b4 c6c3 b9e9 g3e3 b4d5 c3a3 \
    d5c7 a3b3 e9d9 d8e8 d9d7 e8f8 d7e7 f9e8 f0e1 b3b7 c7d9 e8d9 e7b7 h6h0 f2f0 h0f0 d0f0 f8e8 b7g7 e3d3";

/// The game in a notation.
fn game_in(write: impl Fn(&Position, Move) -> String) -> Vec<String> {
    let mut position = Position::start();
    let mut texts = Vec::new();
    for text in GAME.split_whitespace() {
        let played = read(&position, text, Some(Notation::Iccs)).unwrap();
        texts.push(write(&position, played));
        position = position.after(played);
    }
    texts
}

#[test]
fn one_game_in_many_notations() {
    let start = Position::start();
    let iccs_texts = game_in(|_, played| iccs(played));
    let moves = read_line(&start, &iccs_texts).unwrap();
    assert_eq!(moves.len(), 80);
    let old = |text: String, from: &str, to: &str| -> String {
        let pairs: Vec<_> = from.chars().zip(to.chars()).collect();
        text.chars()
            .map(|letter| pairs.iter().find(|pair| pair.0 == letter).map_or(letter, |pair| pair.1))
            .collect()
    };
    let traditional = |text| old(text, "马车炮进后帅将123456789", "馬車砲進後帥將１２３４５６７８９");
    for texts in [
        game_in(|_, played| uci(played)),
        game_in(|_, played| iccs(played).to_uppercase()),
        game_in(chinese),
        game_in(|position, played| traditional(chinese(position, played))),
        game_in(wxf),
        game_in(|position, played| wxf(position, played).replace('=', ".").to_lowercase()),
        game_in(|position, played| wxf(position, played).replace('H', "N").replace('E', "B")),
    ] {
        assert_eq!(read_line(&start, &texts).as_ref(), Ok(&moves), "{texts:?}");
    }
}

#[test]
fn ranks_of_a_line_count_alike() {
    let start = Position::start();
    let line = |texts: &str| {
        let texts: Vec<_> = texts.split(' ').collect();
        read_line(&start, &texts)
            .map(|moves| moves.into_iter().map(iccs).collect::<Vec<_>>().join(" "))
            .map_err(|error| (error.index, error.error.code()))
    };
    assert_eq!(line("h2e2 h9g7"), Ok("h2e2 h9g7".into()));
    assert_eq!(line("h3e3 h10g8"), Ok("h2e2 h9g7".into()), "a rank 10 says UCI");
    assert_eq!(line("h3e3 h8e8"), Ok("h2e2 h7e7".into()), "legal only as UCI");
    assert_eq!(line("炮二平五 h10g8 车一进一"), Ok("h2e2 h9g7 i0i1".into()), "words and points may mix");
    assert_eq!(line("h2e2 h10g8"), Err((0, "illegal")), "the ranks of the first do not count from 1");
    assert_eq!(line("h2e2 h2e2"), Err((1, "illegal")));
}

/// Positions with two heaps of pawns and pairs of the other pieces, anywhere, either side to move.
fn positions() -> impl Strategy<Value = Position> {
    let piece = (0..2usize, 0..7usize, 0..10usize, 0..4usize);
    (prop::array::uniform4(0..9usize), prop::collection::vec(piece, 1..40), any::<bool>()).prop_filter_map(
        "the rules allow it",
        |(files, pieces, red)| {
            let mut setup = Setup::empty();
            setup.turn = if red { Side::Red } else { Side::Black };
            setup.board[Square::at(0, 3)?.index()] = Some(Piece::new(Side::Black, Kind::King));
            setup.board[Square::at(9, 5)?.index()] = Some(Piece::new(Side::Red, Kind::King));
            for (side, kind, row, file) in pieces {
                let piece = Piece::new(Side::ALL[side], Kind::ALL[kind]);
                let square = Square::at(row, files[file])?;
                let count = setup.board.iter().filter(|&&other| other == Some(piece)).count();
                let free = rules::at(&setup.board, square).is_none();
                if free && count < piece.kind.limit() && rules::may_stand(piece, square) {
                    setup.board[square.index()] = Some(piece);
                }
            }
            Position::new(setup).ok()
        },
    )
}

/// Texts of the characters that moves are made of, and any text at all.
fn texts() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(
        "帅仕相马车炮兵前中后进退平一二三四五九123459+-=.KAEHRCPabi0 ，".chars().collect::<Vec<_>>(),
    );
    prop_oneof![
        4 => prop::collection::vec(letter, 0..7).prop_map(String::from_iter),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_legal_move_has_its_own_text(position in positions()) {
        let moves = position.legal_moves();
        let mut written = HashSet::new();
        for &played in &moves {
            for (notation, text) in [
                (Notation::Iccs, iccs(played)),
                (Notation::Uci, uci(played)),
                (Notation::Chinese, chinese(&position, played)),
                (Notation::Wxf, wxf(&position, played)),
            ] {
                prop_assert_eq!(read(&position, &text, Some(notation)), Ok(played), "{}", text);
                prop_assert!(written.insert((notation, text)));
            }
        }
        prop_assert_eq!(written.len(), moves.len() * 4);
    }

    #[test]
    fn any_text_is_read_or_refused_for_a_reason(
        position in positions(),
        text in texts(),
        notation in prop::option::of(prop::sample::select(&Notation::ALL[..])),
    ) {
        match read(&position, &text, notation) {
            Ok(played) => prop_assert!(position.is_legal(played)),
            Err(ReadError::Ambiguous { candidates }) => {
                prop_assert!(candidates.len() > 1);
                prop_assert!(candidates.is_sorted_by(|one, next| one < next));
                prop_assert!(candidates.iter().all(|&played| position.is_legal(played)));
            }
            Err(ReadError::Illegal { moves }) => {
                prop_assert!(!moves.is_empty() && !moves.iter().any(|&played| position.is_legal(played)));
            }
            Err(error) => prop_assert!(!error.reason_zh().is_empty() && !error.to_string().is_empty()),
        }
    }

    /// The text of any piece's move, legal or not, by Chinese notation's parts.
    #[test]
    fn what_a_move_that_is_not_legal_says(position in positions(), from in 0..90usize, to in 0..90usize) {
        let played = Move::new(Square::new(from).unwrap(), Square::new(to).unwrap());
        let text = chinese(&position, played);
        prop_assert_eq!(parts(&position, played).map(|parts| parts.to_string()), (text != iccs(played)).then_some(text.clone()));
        if position.piece_at(played.from).is_some_and(|piece| piece.side == position.turn()) {
            match read(&position, &text, None) {
                Ok(found) => prop_assert!(position.is_legal(found)),
                Err(ReadError::Illegal { moves }) => prop_assert!(moves.contains(&played), "{}", text),
                Err(ReadError::Ambiguous { candidates }) => prop_assert!(candidates.len() > 1),
                Err(error) => prop_assert!(false, "{}: {}", text, error),
            }
        }
    }
}
