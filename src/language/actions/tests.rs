use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::sgf::apply_edits;

/// All that is offered at the `|`, with the text after it.
fn check(marked: &str, locale: Locale, expected: Expect) {
    let offset = marked.find('|').unwrap() as u32;
    let text = marked.replacen('|', "", 1);
    let record = Record::parse(text.as_str());
    let mut shown = String::new();
    for offer in offers(&record, Span::at(offset), locale) {
        let after = edits(&record, &offer.action).map(|edits| apply_edits(&text, &edits));
        let after = after.unwrap_or_else(|error| error.to_string());
        shown.push_str(&format!("{:?} {}\n  {}\n", offer.group, offer.title, after.replace('\n', "\n  ")));
    }
    expected.assert_eq(&shown);
}

#[test]
fn point_lists() {
    check(
        "(;SZ[5]A|B[aa:bb] [cc][dc:dd])",
        Locale::English,
        expect![[r#"
        Rewrite Write the points one by one
          (;SZ[5]AB[aa][ba][ab][bb] [cc][dc][dd])
    "#]],
    );
    check(
        "(;SZ[5]TR[aa][b|a][ab] [bb][cc][bb])",
        Locale::Chinese,
        expect![[r#"
        Rewrite 将点列表压缩为矩形
          (;SZ[5]TR[aa:bb][cc])
        Clean 从本局删除三角
          (;SZ[5])
    "#]],
    );
    check("(;SZ[5]AB[|aa][zz:bb])", Locale::English, expect![[r#""#]]);
}

#[test]
fn variations() {
    check(
        "(;SZ[3]KM[0.5]PB[A]C[x];B[aa](;W[ba])(;W[ab]|;B[cc](;W[bb])(;W[bc])))",
        Locale::English,
        expect![[r#"
            Move Make this the main line
              (;SZ[3]KM[0.5]PB[A]C[x];B[aa](;W[ab];B[cc](;W[bb])(;W[bc]))(;W[ba]))
            Extract Copy from here into a game of its own
              (;SZ[3]KM[0.5]PB[A]C[x];B[aa](;W[ba])(;W[ab];B[cc](;W[bb])(;W[bc])))
              (;SZ[3]KM[0.5]PB[A]AB[aa]AW[ab]PL[B]
              ;B[cc](;W[bb])(;W[bc]))
        "#]],
    );
    check(
        "(;B[aa](;W[ba])(;W[|ab]",
        Locale::Chinese,
        expect![[r#"
        Move 设为主变化
          the parentheses around this node do not fit; repair them first
        Extract 将此后内容复制为独立棋局
          the parentheses around this node do not fit; repair them first
    "#]],
    );
}

#[test]
fn the_engine_s_line() {
    check(
        "(;SZ[9];B[ee]LZ[x| 50 9\nmove E7 pv E7 C5 pass];W[ec];B[aa])",
        Locale::English,
        expect![[r#"
        Extract Copy from here into a game of its own
          (;SZ[9];B[ee]LZ[x 50 9
          move E7 pv E7 C5 pass];W[ec];B[aa])
          (;SZ[9]PL[B]
          ;B[ee]LZ[x 50 9
          move E7 pv E7 C5 pass];W[ec];B[aa])
        Extract Add the engine's line as a variation
          (;SZ[9];B[ee]LZ[x 50 9
          move E7 pv E7 C5 pass];W[ec](;B[aa])(;B[ce];W[]))
        Clean Remove stored analysis from this node
          (;SZ[9];B[ee];W[ec];B[aa])
    "#]],
    );
    check(
        "(;SZ[9];B[ee]LZ[x| 50 9\nmove E7 pv E7];W[ec])",
        Locale::Chinese,
        expect![[r#"
        Extract 将此后内容复制为独立棋局
          (;SZ[9];B[ee]LZ[x 50 9
          move E7 pv E7];W[ec])
          (;SZ[9]PL[B]
          ;B[ee]LZ[x 50 9
          move E7 pv E7];W[ec])
        Clean 从本节点删除已存分析
          (;SZ[9];B[ee];W[ec])
    "#]],
    );
}

#[test]
fn classes() {
    check(
        "(|;C[x]B[aa]TE[1]TR[aa];C[y]W[bb])",
        Locale::English,
        expect![[r#"
        Clean Remove triangles from this game
          (;C[x]B[aa]TE[1];C[y]W[bb])
        Clean Remove comments from this game
          (;B[aa]TE[1]TR[aa];W[bb])
        Clean Remove annotations from this game
          (;C[x]B[aa]TR[aa];C[y]W[bb])
    "#]],
    );
}

#[test]
fn what_kifud_stores_is_a_line_to_add_and_an_analysis_to_remove() {
    check(
        "(;SZ[9]SBKV[50]SBKS[1]KFCA[ee 9 50 1 pass][dd 3 40 -];|B[cc]SBKV[45]KFCA[gg 8 45 -])",
        Locale::English,
        expect![[r#"
        Extract Copy from here into a game of its own
          (;SZ[9]SBKV[50]SBKS[1]KFCA[ee 9 50 1 pass][dd 3 40 -];B[cc]SBKV[45]KFCA[gg 8 45 -])
          (;SZ[9]PL[B]
          ;B[cc]SBKV[45]KFCA[gg 8 45 -])
        Extract Add the engine's line as a variation
          (;SZ[9]SBKV[50]SBKS[1]KFCA[ee 9 50 1 pass][dd 3 40 -];B[cc]SBKV[45]KFCA[gg 8 45 -];W[gg])
        Clean Remove stored analysis from this node
          (;SZ[9]SBKV[50]SBKS[1]KFCA[ee 9 50 1 pass][dd 3 40 -];B[cc])
    "#]],
    );
}

#[test]
fn collections() {
    let one = Record::parse("mail\n(;PB[a];B[aa])\n(;W[bb]) bye");
    assert_eq!(split(&one), ["(;PB[a];B[aa])", "(;W[bb])"]);
    let open = Record::parse("(;B[cc](;W[dd]");
    assert_eq!(merge(&[&one, &open]).as_deref(), Ok("(;PB[a];B[aa])\n(;W[bb])\n(;B[cc](;W[dd]))\n"));
    let text = Record::parse("(;C[open");
    let added = |record: &Record| append(record, &[&one]).map(|edits| apply_edits(record.text(), &edits));
    let closed = Record::parse("(;B[cc])\nbye");
    assert_eq!(added(&closed).as_deref(), Ok("(;B[cc])\n(;PB[a];B[aa])\n(;W[bb])\nbye"));
    assert_eq!(added(&open), Err(crate::sgf::EditError::BrokenTree));
    assert_eq!(merge(&[&text, &one]).as_deref(), Ok("(;C[open])\n(;PB[a];B[aa])\n(;W[bb])\n"));
}

/// Nodes as their parents and what they say, without the properties that an action is about.
fn nodes(record: &Record, but: impl Fn(&str) -> bool) -> Vec<String> {
    let node = |id: u32| {
        let id = NodeId(id);
        let kept = record.properties(id).filter(|property| !but(&property.ident()));
        let said: String = kept.map(|property| property.span().slice(record.text())).collect();
        format!("{:?} {said}", record.parent(id))
    };
    (0..record.node_count() as u32).map(node).collect()
}

const TEXT: &str = "(\\(;|\\)|;B\\[aa\\]|;W\\[bb\\]|AB\\[aa:bb\\]|TR\\[aa\\]\\[ba\\]\\[bb\\]|C\\[棋\\]|;| |\n|x|LB\\[aa:x\\]|LZ\\[a 5 5\npv C3 D4\\]){0,25}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn actions_change_what_they_say(text in TEXT, at in 0u32..100) {
        let text = format!("(;SZ[5]{text}");
        let record = Record::parse(text.as_str());
        for offer in offers(&record, Span::at(at), Locale::English) {
            let Ok(changes) = edits(&record, &offer.action) else { continue };
            prop_assert!(changes.iter().all(|edit| text.get(edit.span.range()).is_some()));
            let after = Record::parse(apply_edits(&text, &changes));
            let all = |record: &Record| nodes(record, |_| false);
            match &offer.action {
                Action::ExpandPoints { .. } | Action::CompressPoints { .. } => {
                    let lists = |ident: &str| matches!(ident, "AB" | "TR");
                    prop_assert_eq!(nodes(&after, lists), nodes(&record, lists));
                    for node in (0..record.node_count() as u32).map(NodeId) {
                        let marked = |record: &Record| -> BTreeSet<_> {
                            sgf::markup(record, node).triangles.into_iter().collect()
                        };
                        prop_assert_eq!(marked(&record), marked(&after));
                        prop_assert_eq!(sgf::position(&record, node).map(|found| found.position.board()),
                            sgf::position(&after, node).map(|found| found.position.board()));
                    }
                }
                Action::Promote { .. } => prop_assert_eq!(after.node_count(), record.node_count()),
                Action::SubtreeAsGame { node } => {
                    prop_assert_eq!(after.games().len(), record.games().len() + 1);
                    // What stands before the new game is untouched.
                    let game = record.game(record.node(*node).game).unwrap();
                    let kept = game.end.0 as usize;
                    prop_assert_eq!(&all(&after)[..kept], &all(&record)[..kept]);
                    // It starts from the position before the node.
                    let before = record.parent(*node).map(|parent| sgf::position(&record, parent).unwrap().position);
                    let root = NodeId(game.end.0);
                    let set_up = sgf::position(&after, root).unwrap().position;
                    let before = before.unwrap();
                    prop_assert!(set_up.board().same_stones(&before.board()));
                }
                Action::InsertLine { .. } => {
                    prop_assert!(after.node_count() > record.node_count());
                    let mut had = nodes(&record, |_| false).into_iter().map(|node| node.split_once(' ').map(|(_, said)| said.to_owned())).collect::<Vec<_>>();
                    for node in nodes(&after, |_| false) {
                        let said = node.split_once(' ').map(|(_, said)| said.to_owned());
                        if let Some(at) = had.iter().position(|node| *node == said) {
                            had.remove(at);
                        }
                    }
                    prop_assert!(had.is_empty(), "{:?}", had);
                }
                Action::Normalise | Action::ToUtf8 => prop_assert!(false, "of the whole record"),
                Action::Strip { class, .. } => {
                    let but = |ident: &str| StripClass::of(ident) == Some(*class);
                    prop_assert_eq!(nodes(&after, but), nodes(&record, but));
                }
            }
        }
    }
}
