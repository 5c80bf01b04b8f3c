use proptest::prelude::*;

use super::tests::{grown, shown};
use super::*;
use crate::text::{Levels, Span, apply_edits};
use crate::xiangqi::{Move, Square};

const PGN: &str = "[Red \"甲\"]\n[Result \"1-0\"]\n\n1. 炮二平五 {中} 马8进7 (1... 炮8平5 2. 马二进三 (2. 车一进一)) 2. 马二进三 1-0\n\n[Red \"乙\"]\n1. 兵七进一 马一进二 *\n";

const DHTMLXQ: &str = "[DhtmlXQ]\n[DhtmlXQ_red]甲[/DhtmlXQ_red]\n[DhtmlXQ_movelist]77477242[/DhtmlXQ_movelist]\n\
    [DhtmlXQ_move_0_2_1]70627967[/DhtmlXQ_move_0_2_1]\n[DhtmlXQ_comment2]顺炮[/DhtmlXQ_comment2]\n[/DhtmlXQ]\n";

fn played(text: &str) -> Move {
    let point = |text| Square::from_iccs(text).unwrap();
    Move::new(point(&text[..2]), point(&text[2..]))
}

/// The text after a change of the first game.
fn changed(
    text: &str,
    form: Form,
    change: impl Fn(&Game<'_>) -> Result<Change, pgn::EditError>,
) -> Result<String, pgn::EditError> {
    let games = Games::read(text, form);
    change(&games.game(0).unwrap()).map(|change| apply_edits(text, &change.edits))
}

#[test]
fn the_games_of_a_text() {
    let games = Games::read(PGN, Form::Pgn);
    assert_eq!(games.len(), 2);
    let second = games.game(1).unwrap();
    assert_eq!(second.whole().slice(PGN), "[Red \"乙\"]\n1. 兵七进一 马一进二 *");
    assert_eq!(second.tags().slice(PGN), "[Red \"乙\"]");
    assert_eq!(second.node_span(NodeId(1)).slice(PGN), "兵七进一");
    let found = games.findings(&Levels::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].span.slice(PGN)), ("no-piece", "马一进二"));
    let mut levels = Levels::default();
    levels.set("no-piece", crate::text::Level::Off);
    assert_eq!(games.findings(&levels), []);
    let at = |piece: &str| games.at(PGN.find(piece).unwrap() as u32).map(|game| game.index);
    assert_eq!((at("甲"), at("[Red \"乙"), at("兵七")), (Some(0), Some(1), Some(1)));
    assert!(Games::read("no block", Form::DhtmlXq).is_empty());
}

#[test]
fn many_findings_are_counted() {
    let games = Games::read("[Red \"x\"]\n1. 马一进二 *\n".repeat(1000), Form::Pgn);
    let found = games.findings(&Levels::default());
    assert_eq!(found.len(), 201);
    assert_eq!(found[200].message.en, "800 further findings are not shown");
}

#[test]
fn changes_of_pgn() {
    let first = "[Red \"甲\"]\n[Result \"1-0\"]\n\n";
    for (id, change, wanted) in [
        (NodeId(1), "remove", format!("{first} 1-0")),
        // The variation takes the place of its move.
        (
            NodeId(2),
            "remove",
            format!("{first}1. 炮二平五 {{中}}\n1... 炮8平5\n2. 马二进三\n(2. 车一进一)\n1-0"),
        ),
        (NodeId(3), "remove", format!("{first}1. 炮二平五 {{中}} 马8进7 2. 马二进三 1-0")),
        (
            NodeId(5),
            "remove",
            format!("{first}1. 炮二平五 {{中}} 马8进7 (1... 炮8平5 2. 马二进三) 2. 马二进三 1-0"),
        ),
        (
            NodeId(6),
            "remove",
            format!("{first}1. 炮二平五 {{中}} 马8进7 (1... 炮8平5 2. 马二进三 (2. 车一进一)) 1-0"),
        ),
        (
            NodeId(5),
            "promote",
            format!(
                "{first}1. 炮二平五 {{中}}\n1... 炮8平5\n(1... 马8进7\n2. 马二进三)\n2. 车一进一\n(2. 马二进三)\n1-0"
            ),
        ),
    ] {
        let after =
            changed(
                PGN,
                Form::Pgn,
                |game| if change == "remove" { game.remove(id) } else { game.promote(id) },
            );
        let (after, rest) = (after.unwrap(), PGN.split_once("1-0\n\n").unwrap().1);
        let (mine, theirs) = after.split_once("\n\n[Red").unwrap();
        assert_eq!(mine, wanted, "{change} {id:?}");
        assert_eq!(format!("[Red{theirs}"), rest);
    }
    let removed = changed(PGN, Form::Pgn, |game| game.set_tag("Red", None)).unwrap();
    assert_eq!(removed, PGN.replacen("[Red \"甲\"]\n", "", 1));
    let end = changed(PGN, Form::Pgn, |game| game.remove(NodeId::ROOT));
    assert_eq!(end, Err(pgn::EditError::UnknownNode));
    // With Black's move before it, Red's unreadable one would be read.
    let broken = "1. 炮二平五 a0a1 *";
    let added = changed(broken, Form::Pgn, |game| game.add_move(NodeId(1), played("h9g7")));
    assert_eq!(added, Err(pgn::EditError::Unsafe));
}

#[test]
fn moves_in_the_notation_of_the_game() {
    for (text, wanted) in [
        ("1. 炮二平五 马８进７ *", "1. 炮二平五 马８进７ 2. 马二进三 *"),
        ("1. H2-E2 H9-G7 *", "1. H2-E2 H9-G7 2. H0-G2 *"),
        ("1. C2=5 H8+7 *", "1. C2=5 H8+7 2. H2+3 *"),
    ] {
        assert_eq!(
            changed(text, Form::Pgn, |game| game.add_move(NodeId(2), played("h0g2"))).as_deref(),
            Ok(wanted)
        );
    }
    let known = changed(PGN, Form::Pgn, |game| game.add_move(NodeId(1), played("h7e7")));
    assert_eq!(known.as_deref(), Ok(PGN), "it is there");
}

#[test]
fn changes_of_dhtmlxq() {
    let after = |change: &dyn Fn(&Game<'_>) -> Result<Change, pgn::EditError>| {
        changed(DHTMLXQ, Form::DhtmlXq, change).unwrap()
    };
    let longer = after(&|game| game.add_move(NodeId(2), played("h0g2")));
    assert_eq!(longer, DHTMLXQ.replace("77477242[", "774772427967["));
    let other = after(&|game| game.add_move(NodeId(3), played("i0i1")));
    let branch = "[/DhtmlXQ_move_0_2_1]\n[DhtmlXQ_move_1_3_2]8988[/DhtmlXQ_move_1_3_2]";
    assert_eq!(other, DHTMLXQ.replace("[/DhtmlXQ_move_0_2_1]", branch));
    assert_eq!(after(&|game| game.set_comment(NodeId(2), "好\n棋")), DHTMLXQ.replace("顺炮", "好||棋"));
    let comment = after(&|game| game.set_comment(NodeId(3), "马"));
    assert!(
        comment.contains("[/DhtmlXQ_comment2]\n[DhtmlXQ_comment1_2]马[/DhtmlXQ_comment1_2]\n[/DhtmlXQ]"),
        "{comment}"
    );
    let tag = after(&|game| game.set_tag("Black", Some("乙")));
    assert_eq!(tag, DHTMLXQ.replace("[/DhtmlXQ_red]", "[/DhtmlXQ_red]\n[DhtmlXQ_black]乙[/DhtmlXQ_black]"));
    assert_eq!(after(&|game| game.set_tag("Red", Some("丙"))), DHTMLXQ.replace('甲', "丙"));
    let without = after(&|game| game.remove(NodeId(3)));
    assert!(!without.contains("move_0_2_1") && without.contains("顺炮"), "{without}");
}

fn style(choice: u8) -> pgn::Style {
    use crate::xiangqi::notation::Notation::*;
    let notation = [Chinese, Iccs, Wxf][usize::from(choice) % 3];
    pgn::Style { notation, wide_digits: choice & 4 > 0, crlf: choice & 8 > 0 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// A change makes the record that was wanted, in either format; and what is told of the node is right.
    #[test]
    fn a_changed_text_is_the_changed_record(
        seeds in prop::collection::vec((any::<u16>(), any::<u16>(), "[a-z; ]{0,6}"), 1..20),
        at in any::<u16>(),
        op in 0..4_u8,
        choice in any::<u8>(),
    ) {
        let record = grown(&seeds);
        for form in [Form::Pgn, Form::DhtmlXq] {
            let text = match form {
                Form::Pgn => pgn::write(&record, style(choice)),
                Form::DhtmlXq => dhtmlxq::write(&record),
            };
            let games = Games::read(text.as_str(), form);
            let game = games.game(0).unwrap();
            let id = NodeId(u32::from(at) % game.record.node_count() as u32);
            let legal = game.record.position(id).unwrap().legal_moves();
            let change = match op {
                0 if legal.is_empty() => continue,
                0 => game.add_move(id, legal[usize::from(choice) % legal.len()]),
                1 => game.set_comment(id, "新"),
                2 if id == NodeId::ROOT => continue,
                2 => game.remove(id),
                _ => game.promote(id),
            };
            let change = change.unwrap();
            let after = Games::read_after(apply_edits(&text, &change.edits), &games);
            let after = after.game(0).unwrap();
            prop_assert_eq!(after.record.findings(), &[]);
            match op {
                0 => prop_assert!(after.record.node_count() <= game.record.node_count() + 1),
                1 => prop_assert_eq!(&after.record.node(change.node).unwrap().comment, "新"),
                2 => prop_assert_eq!(
                    after.record.position(change.node),
                    game.record.position(game.record.parent(id).unwrap())
                ),
                _ => prop_assert_eq!(after.record.position(change.node), game.record.position(id)),
            }
        }
    }

    /// Games that are read one by one are those of the whole text, also after a change.
    #[test]
    fn parts_are_read_as_the_whole(
        text in "(\\[Red \"x\"\\]\n|1\\. 炮二平五 |马8进7 |\\{a |\\} |\\(|\\)|1-0 |\\*\n|=====\n|[%;]|\\[DhtmlXQ\\]|\\[DhtmlXQ_movelist\\]|7747|\\[/DhtmlXQ_movelist\\]|\n|😀){0,40}",
        start in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
        new in "(\\[Red \"x\"\\]\n|1\\. 炮二平五 |\\}|\\*\n|\\[DhtmlXQ\\]|7747|😀){0,3}",
    ) {
        let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        let (a, b) = (*start.get(&places), *end.get(&places));
        let after = format!("{}{new}{}", &text[..a.min(b)], &text[a.max(b)..]);
        for form in [Form::Pgn, Form::DhtmlXq] {
            let before = Games::read(text.as_str(), form);
            before.iter().for_each(drop);
            let changed = Games::read_after(after.as_str(), &before);
            let fresh = Games::read(after.as_str(), form);
            let whole = match form {
                Form::Pgn => pgn::read(&after),
                Form::DhtmlXq => dhtmlxq::read(&after),
            };
            prop_assert_eq!(changed.len(), whole.len());
            prop_assert_eq!(changed.findings(&Levels::default()), fresh.findings(&Levels::default()));
            for ((game, new), old) in changed.iter().zip(fresh.iter()).zip(&whole) {
                prop_assert_eq!(shown(game.record), shown(old));
                prop_assert_eq!(game.whole(), old.span());
                prop_assert_eq!(game.whole(), new.whole());
                let moves: Vec<Span> = game.record.nodes().map(|(_, node)| game.span(node.span)).skip(1).collect();
                let wanted: Vec<Span> = old.nodes().map(|(_, node)| node.span).skip(1).collect();
                prop_assert_eq!(moves, wanted);
                let found: Vec<_> = game.record.findings().iter().map(|it| it.clone().shifted(game.start)).collect();
                prop_assert_eq!(found.as_slice(), old.findings());
            }
        }
    }
}
