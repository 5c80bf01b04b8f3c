use expect_test::expect;

use super::super::tests::shown;
use super::super::{Loss, NodeId, losses_in_dhtmlxq, pgn};
use super::*;

const GAME: &str = "前言\n[DhtmlXQ]\n[DhtmlXQ_title]顺炮[/DhtmlXQ_title]\n[DhtmlXQ_place]北京[/DhtmlXQ_place]\n\
    [DhtmlXQ_result]红先胜[/DhtmlXQ_result]\n\
    [DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]\n\
    [DhtmlXQ_movelist]77477242[/DhtmlXQ_movelist]\n\
    [DhtmlXQ_move_1_3_2]89886284[/DhtmlXQ_move_1_3_2]\n\
    [DhtmlXQ_move_0_2_1]70627967[/DhtmlXQ_move_0_2_1]\n\
    [DhtmlXQ_comment0]开局||第二行[/DhtmlXQ_comment0]\n\
    [DhtmlXQ_comment2]顺\\u70AE[/DhtmlXQ_comment2]\n\
    [DhtmlXQ_comment1_3]正马[/DhtmlXQ_comment1_3]\n[/DhtmlXQ]\n";

#[test]
fn a_game_with_branches() {
    let games = read(GAME);
    assert_eq!(games.len(), 1);
    let record = &games[0];
    let tags: Vec<_> = record.tags().iter().map(|tag| (tag.name.as_str(), tag.value.as_str())).collect();
    assert_eq!(tags, [("Title", "顺炮"), ("Site", "北京"), ("Result", "1-0")]);
    expect![[r#"
        Some(rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1)
        0 - "开局\n第二行"
        1 h2e2 ""
        2 h7e7 "顺炮"
        2 h9g7 ""
        3 h0g2 "正马"
        3 i0i1 ""
    "#]]
    .assert_eq(&shown(record));
    let finding = &record.findings()[0];
    assert_eq!((finding.code, finding.span.slice(GAME)), ("wrong-shape", "6284"));
}

#[test]
fn what_does_not_fit() {
    let text = "[DhtmlXQ_movelist]7747 72x2 7062[/DhtmlXQ_movelist][DhtmlXQ_move_5_2_9]7062[/DhtmlXQ_move_5_2_9]\
        [DhtmlXQ_comment7]?[/DhtmlXQ_comment7][DhtmlXQ_title]";
    let record = &read(text)[0];
    let found: Vec<_> = record.findings().iter().map(|it| (it.code, it.span.slice(text))).collect();
    assert_eq!(
        found,
        [
            ("unclosed-block", ""),
            ("malformed", "72x2"),
            ("branch-from-nowhere", "7062"),
            ("comment-without-move", "?")
        ]
    );
    assert_eq!(
        record.unread().iter().map(|it| it.slice(text)).collect::<Vec<_>>(),
        ["72x2 7062", "7062", "?"]
    );
    assert!(read("no block").is_empty());
    assert_eq!(read(&"[DhtmlXQ_comment3]".repeat(100_000))[0].findings_left_out(), 99_000);
}

#[test]
fn written() {
    let text = "[Red \"许银川\"]\n[ECCO \"B00\"]\n\n{起} 1. 炮二平五 马8进7! (1... 炮8平5 2. 马二进三) (1... 炮2平5) 2. 马二进三 {正} 1-0";
    expect![[r#"
        [DhtmlXQ]
        [DhtmlXQ_red]许银川[/DhtmlXQ_red]
        [DhtmlXQ_ecco]B00[/DhtmlXQ_ecco]
        [DhtmlXQ_result]红胜[/DhtmlXQ_result]
        [DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]
        [DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist]
        [DhtmlXQ_move_0_2_1]72427967[/DhtmlXQ_move_0_2_1]
        [DhtmlXQ_move_0_2_2]1242[/DhtmlXQ_move_0_2_2]
        [DhtmlXQ_comment0]起[/DhtmlXQ_comment0]
        [DhtmlXQ_comment3]正[/DhtmlXQ_comment3]
        [/DhtmlXQ]
    "#]]
    .assert_eq(&write(&pgn::read(text)[0]));
}

#[test]
fn several_games() {
    let two = write(&pgn::read("1. 炮二平五 *")[0]) + &write(&pgn::read("1. 马二进三 马8进7 *")[0]);
    let counts: Vec<_> = read(&two).iter().map(|game| game.node_count()).collect();
    assert_eq!(counts, [2, 3]);
    assert_eq!(read(&two)[1].span().slice(&two).chars().take(10).collect::<String>(), "[DhtmlXQ]\n");
    assert!(read(&two)[0].node(NodeId(9)).is_none());
}

/// Names of tags lose what the formats have no place for, and are then the names of other things.
#[test]
fn a_tag_becomes_no_block_of_another_kind() {
    let text = "[DhtmlXQ]\n[DhtmlXQ_move.list]0001[/DhtmlXQ_move.list]\n[DhtmlXQ_F.EN]9/9 b[/DhtmlXQ_F.EN]\n\
        [DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n";
    let game = &read(text)[0];
    let written = write(game);
    assert!(!written.contains("0001") && !written.contains("9/9"), "{written}");
    let losses: Vec<_> = losses_in_dhtmlxq(0, game).iter().map(Loss::to_string).collect();
    assert_eq!(losses, ["the format has no tag move.list"]);
    let pgn = pgn::write(game, pgn::Style::default());
    assert!(!pgn.contains("FEN"), "{pgn}");
}

#[test]
fn a_start_that_cannot_be_read_stays_so() {
    let comment = "[DhtmlXQ_comment0]残局[/DhtmlXQ_comment0]\n";
    let text = |fen: &str| format!("[DhtmlXQ]\n[DhtmlXQ_fen]{fen}[/DhtmlXQ_fen]\n{comment}[/DhtmlXQ]\n");
    let game = &read(&text("9/9 w"))[0];
    assert_eq!(game.start(), None);
    assert_eq!(write(game), text("?"));
    assert_eq!(read(&text("?"))[0].start(), None);
    let pgn = pgn::write(game, pgn::Style::default());
    assert!(pgn.contains("{残局}"), "{pgn}");
    assert_eq!(pgn::read(&pgn)[0].start(), None, "{pgn}");
}
