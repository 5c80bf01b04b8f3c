use expect_test::expect;
use proptest::prelude::*;

use super::super::tests::{grown, shown};
use super::super::{NodeId, Outcome};
use super::*;
use crate::text::apply_edits;
use crate::xiangqi::{Move, Square};

/// Findings with the text they are about.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    let games = read(text).into_iter();
    games
        .flat_map(|game| game.findings().iter().map(|it| (it.code, it.span.slice(text))).collect::<Vec<_>>())
        .collect()
}

fn moves(text: &str) -> String {
    read(text)[0].main_line().iter().map(|(_, played)| played.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn however_the_moves_are_written() {
    let wanted = "h2e2 h9g7 h0g2 i9h9";
    for text in [
        "1. 炮二平五 马8进7 2. 马二进三 车9平8",
        "1.炮二平五 馬８進７ 2．傌二進三 車９平８ *",
        "1. 炮二平五, 马8进7 2. 马二进三， 车9平8。",
        "1. 炮二平五马8进7 2. 马二进三车9平8",
        "  1. 炮二平五\n     马８进７\n  2. 马二进三\n     车９平８\n  =========\n 欢迎访问",
        "[Format \"ICCS\"]\n1. H2-E2 H9-G7 2. H0-G2 I9-H9 1/2-1/2",
        "1. h2e2 h9g7 2. h0g2 i9h9",
        "1. h3e3 h10g8 2. h1g3 i10h10",
        "1. C2=5 H8+7 2. H2+3 R9=8",
        "1. C2.5 h8+7 2. H2+3 r9.8 0-1",
        "炮二平五 马8进7 马二进三 车9平8",
        "1 炮二平五 马8进7 2 马二进三 车9平8",
        "\u{FEFF}1. 炮二平五! 马8进7!? 2. 马二进三 $1 车9平8 ; to the end (of the line",
        "1... 炮二平五 {a comment (with} 马8进7 (1... 炮8平5) 2. 马二进三 车9平8",
        "% a note 炮二平五\n1. 炮二平五 马8进7 2. 马二进三 车9平8",
    ] {
        assert_eq!((moves(text).as_str(), found(text)), (wanted, vec![]), "{text}");
    }
}

#[test]
fn a_game_as_programs_write_it() {
    let text = "[Game \"Chinese Chess\"]\r\n[Event \"第24届\"五羊杯\"全国冠军邀请赛\"]\r\n[Red \"a \\\"b\\\" \\\\\"]\r\n\
        [Result \"1-0\"]\r\n[FEN \"3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1\"]\r\n{残局\r\n\r\n　　红先}\r\n  1. 车九进九\r\n\
        {将军} 将4进1 {第一句} {第二句}\r\n 1-0\r\n========\r\n 1. 炮二平五\r\n";
    let games = read(text);
    assert_eq!(games.len(), 1);
    let game = &games[0];
    assert_eq!(game.tag("Event"), Some("第24届\"五羊杯\"全国冠军邀请赛"));
    assert_eq!(game.tag("Red"), Some("a \"b\" \\"));
    assert_eq!((game.outcome(), game.termination().unwrap().1.slice(text)), (Outcome::Red, "1-0"));
    expect![[r#"
        Some(3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1)
        0 - "残局\n\n\u{3000}\u{3000}红先"
        1 a0a9 "将军"
        2 d9d8 "第一句\n第二句"
    "#]]
    .assert_eq(&shown(game));
    let node = game.node(NodeId(2)).unwrap();
    assert_eq!(node.span.slice(text), "将4进1");
    assert_eq!(node.comment_spans[1].slice(text), "{第二句}");
    assert_eq!(game.node_at(node.span.start + 1), Some(NodeId(2)));
    assert_eq!(game.span().slice(text).lines().last(), Some(" 1-0"));
}

#[test]
fn variations_go_back_one_move() {
    let text = "1. 炮二平五 (1. 马二进三 {先} 马8进7) (1. 兵七进一) 马8进7 (1... {再看} 炮8平5 2. 马二进三 (2. 炮五进四)) 2. 马二进三";
    expect![[r#"
        Some(rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1)
        0 - ""
        1 h2e2 ""
        2 h9g7 ""
        3 h0g2 ""
        2 h7e7 "再看"
        3 h0g2 ""
        3 e2e6 ""
        1 h0g2 "先"
        2 h9g7 ""
        1 c3c4 ""
    "#]]
    .assert_eq(&shown(&read(text)[0]));
    assert_eq!(found(text), []);
}

#[test]
fn findings_name_code_and_place() {
    for (text, wanted) in [
        ("1. 马二进四 马8进7", ("horse-leg", "马二进四")),
        ("1. 车一进四 马8进7", ("blocked-path", "车一进四")),
        ("1. 炮二平五 马8进7 2. 马一进二", ("no-piece", "马一进二")),
        ("1. h2g4", ("wrong-shape", "h2g4")),
        ("1. 炮二平五 你好", ("unknown-character", "你好")),
        ("1. 炮2平5 马8进7", ("red-digits", "炮2平5")),
        ("1... 马8进7 2. 炮二平五", ("side-to-move", "马8进7")),
        ("1. 炮二平五 (1. 马二进三", ("unclosed-variation", "(")),
        ("1. 炮二平五 {abc", ("unclosed-comment", "{abc")),
        ("1. 炮二平五 ) 马8进7", ("stray-parenthesis", ")")),
        ("(1. 炮二平五) 1. 马二进三", ("variation-without-move", "(")),
        ("[Result \"1-0\"]\n1. 炮二平五 0-1", ("result-differs", "0-1")),
        ("[FEN \"9/9 w\"]\n1. 炮二平五", ("rank-count", "9/9 w")),
    ] {
        assert_eq!(found(text).first(), Some(&wanted), "{text}");
    }
    assert_eq!(read("1. 炮2平5 马8进7")[0].node_count(), 3, "what is meant is read");
}

/// A tag is written on one line, with blanks for what is no character: that makes no start of it.
#[test]
fn a_start_that_cannot_be_read_is_not_mended_by_writing() {
    for fen in ["3k5/9/9/9/9/9/9/9/9/4K4 w\u{0}- - 0 1", "\u{0}", "9/9 w"] {
        let games = read(&format!("[FEN \"{fen}\"]\n1. 车九进一"));
        assert!(games[0].start().is_none(), "{fen:?}");
        let again = read(&write(&games[0], Style::default()));
        assert!(again[0].start().is_none(), "{fen:?}");
    }
}

#[test]
fn a_line_ends_at_its_first_illegal_move() {
    let text = "1. 炮二平五 马8进9 {好} 2. 车一进四 $1 {注} (2. 马二进三 {副}) 卒3进1 (2... 卒7进1) *";
    let game = &read(text)[0];
    assert_eq!(found(text), [("blocked-path", "车一进四")]);
    assert_eq!(moves(text), "h2e2 h9i7");
    assert_eq!(game.children(NodeId(2)).count(), 1, "what replaces the illegal move is read");
    let unread: Vec<_> = game.unread().iter().map(|span| span.slice(text)).collect();
    assert_eq!(unread, ["车一进四 $1 {注}", "卒3进1 (2... 卒7进1)"]);
    assert!(game.node(NodeId(2)).unwrap().cut && !game.node(NodeId(1)).unwrap().cut);
    assert_eq!(game.outcome(), Outcome::Unknown);
}

/// What would cost the square of its length if the reader looked on to the end each time.
#[test]
fn long_nonsense() {
    for (piece, times) in [
        ("[a \"", 100_000),
        ("[", 400_000),
        ("{", 400_000),
        ("马", 200_000),
        ("马8进7炮二平五", 40_000),
        ("1.", 200_000),
    ] {
        let text = piece.repeat(times);
        assert_eq!(read(&text).len(), 1, "{piece}");
    }
    let text = "[a \"b\"] 1 ".repeat(100_001);
    let games = read(&text);
    assert_eq!((games.len(), games.last().unwrap().findings()[0].code), (100_000, "too-many-games"));
}

#[test]
fn written_with_style() {
    let text = "{起}1. 炮二平五 马8进7 {a}b} (1... 炮8平5 2. 马二进三! {正}) 2. 马二进三 车9平8 1-0";
    let games = read(
        "[Event \"a\"]\n{起} 1. 炮二平五 马8进7 ; a}b\n (1... 炮8平5 2. 马二进三! {正}) 2. 马二进三 车9平8 1-0",
    );
    assert_ne!(found(text), [], "a brace ends a comment");
    expect![[r#"
        [Game "Chinese Chess"]
        [Event "a"]
        [Result "1-0"]

        {起}
        1. 炮二平五 马8进7
        ; a}b
        (1... 炮8平5
        2. 马二进三 $1 {正}
        )
        2. 马二进三 车9平8
        1-0

    "#]]
    .assert_eq(&write(&games[0], Style::default()));
    let style = Style { notation: crate::xiangqi::notation::Notation::Iccs, ..Style::default() };
    assert!(write(&games[0], style).contains("[Format \"ICCS\"]\n\n{起}\n1. H2-E2 H9-G7"));
}

#[test]
fn edits() {
    let text = "[Red \"甲\"]\n\n1. 炮二平五 马8进7 (1... 炮8平5) {注} *\n";
    let game = &read(text)[0];
    let point = |text: &str| Square::from_iccs(text).unwrap();
    let played = |text: &str| Move::new(point(&text[..2]), point(&text[2..]));
    let edited = |edit| apply_edits(text, &[edit]);
    let style = Style::default();
    assert_eq!(edited(set_tag(game, "Red", "乙\"").unwrap()), text.replace('甲', "乙\\\""));
    assert_eq!(edited(set_tag(game, "Black", "丙").unwrap()), text.replace("\"]\n", "\"]\n[Black \"丙\"]\n"));
    let more = edited(add_move(game, text, NodeId(2), played("h0g2"), style).unwrap());
    assert_eq!(more, text.replace("{注}", "{注} 2. 马二进三"));
    let other = edited(add_move(game, text, NodeId(1), played("b7e7"), style).unwrap());
    assert_eq!(other, text.replace("{注}", "{注} (1... 炮2平5)"));
    assert_eq!(read(&other)[0].children(NodeId(1)).count(), 3);
    let first = edited(add_move(game, text, NodeId::ROOT, played("h0g2"), style).unwrap());
    assert_eq!(first, text.replace("五 马", "五 (1. 马二进三) 马"));
    assert!(matches!(add_move(game, text, NodeId(2), played("h0g3"), style), Err(EditError::Illegal(_))));
    let comment = apply_edits(text, &set_comment(game, NodeId(2), "新").unwrap());
    assert_eq!(comment, text.replace("{注}", "{新}"));
    let comment = apply_edits(text, &set_comment(game, NodeId::ROOT, "开头").unwrap());
    assert_eq!(read(&comment)[0].node(NodeId::ROOT).unwrap().comment, "开头");
    assert_eq!(set_comment(game, NodeId(1), "}"), Err(EditError::BadText('}')));
    assert_eq!(apply_edits(text, &remove_comment(game, NodeId(2)).unwrap()), text.replace("{注}", ""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn tokens_are_the_whole_text(text in "[ \n\r{}();$\\[\\]\"\\\\a-zA-Z0-9.%!?炮二平五马8进7，。１-]{0,80}|\\PC{0,60}") {
        let mut at = 0;
        for token in tokens(&text) {
            prop_assert_eq!(token.span.start, at);
            prop_assert!(!token.span.is_empty());
            at = token.span.end;
        }
        prop_assert_eq!(at as usize, text.len());
        for game in read(&text) {
            for finding in game.findings() {
                prop_assert!(text.get(finding.span.range()).is_some());
            }
        }
    }

    /// A move that is added is there, and nothing else has changed.
    #[test]
    fn an_added_move_is_the_only_change(seeds in prop::collection::vec((any::<u16>(), any::<u16>(), "[a-z}; ]{0,6}"), 0..25), at in any::<u16>(), choice in any::<u16>()) {
        let text = write(&grown(&seeds), Style::default());
        let game = read(&text).remove(0);
        let parent = NodeId(u32::from(at) % game.node_count() as u32);
        let legal = game.position(parent).unwrap().legal_moves();
        prop_assume!(!legal.is_empty());
        let played = legal[usize::from(choice) % legal.len()];
        let edit = add_move(&game, &text, parent, played, Style::default()).unwrap();
        let read_again = read(&apply_edits(&text, &[edit])).remove(0);
        let mut wanted = game.clone();
        wanted.push(parent, played, crate::text::Span::at(0));
        prop_assert_eq!(shown(&read_again), shown(&wanted));
        prop_assert_eq!(read_again.findings(), &[]);
    }
}
