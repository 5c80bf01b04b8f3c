//! Reports about what is written.

use kifud::go::referee::{MoveRules, Referee};
use kifud::go::{Color, Move, Position, Size, Vertex};
use kifud::language::actions::merge;
use kifud::sgf::encoding::{decode, splice};
use kifud::sgf::{
    NewValue, NodeId, Record, Severity, add_node, apply_edits, check, open_record, remove_property,
    set_property, value,
};
use serde_json::json;

use crate::support::{self, Random, written};
use crate::{Editor, URI, found};

#[test]
pub fn w01_brackets_are_escaped() {
    let comment = r"test [] test 2 \[\]";
    assert_eq!(NewValue::text(comment).as_raw(), r"test [\] test 2 \\[\\\]");
    let mut random = Random(1);
    let signs = ["]", "[", "\\", ":", ";", "(", ")", "a", "棋", "😀", " ", "\n"];
    for _ in 0..2_000 {
        let length = random.index(12);
        let text: String = (0..length).map(|_| signs[random.index(signs.len())]).collect();
        let one = NewValue::text(&text);
        assert_eq!(value::text(one.as_raw()), text);
        let record = Record::parse(format!("(;C[{}];B[aa])", one.as_raw()));
        assert_eq!((record.node_count(), record.findings()), (2, &[][..]), "{text:?}");
        let composed = NewValue::composed(&text, &text);
        let (first, second) = value::composed(composed.as_raw()).unwrap();
        assert_eq!((value::text(first), value::text(second)), (text.as_str().into(), text.as_str().into()));
    }
}

/// The tree as the editor means it: for each node its parent and properties.
type Model = Vec<(Option<u32>, Vec<(String, Vec<String>)>)>;

fn model(record: &Record) -> Model {
    let nodes = (0..record.node_count() as u32).map(NodeId);
    let properties = |node| {
        let list = record.properties(node).map(|property| {
            (property.ident().into_owned(), property.values().map(|value| value.raw().to_owned()).collect())
        });
        list.collect()
    };
    nodes.map(|node| (record.parent(node).map(|parent| parent.0), properties(node))).collect()
}

#[test]
pub fn w03_two_hundred_edits() {
    let mut random = Random(3);
    let mut text = "(;SZ[9]C[start])".to_owned();
    let mut past = Vec::new();
    for _ in 0..200 {
        let record = Record::parse(text.as_str());
        let before = model(&record);
        let node = NodeId(random.index(record.node_count()) as u32);
        let raw = format!("{}\\]", random.below(1000));
        let edits = match random.below(4) {
            0 => set_property(&record, node, "C", &[NewValue::raw(&raw).unwrap()]),
            1 => remove_property(&record, node, "C"),
            _ => add_node(&record, node, &[("C", &[NewValue::raw(&raw).unwrap()])]),
        };
        let edits = edits.unwrap();
        past.push(text.clone());
        text = apply_edits(&text, &edits);
        let after = Record::parse(text.as_str());
        assert_eq!(after.findings(), []);
        assert_eq!(written(&after), text);
        let changed = model(&after).iter().filter(|node| !before.contains(node)).count();
        assert!(after.node_count() >= record.node_count(), "no variation is dropped");
        assert!(
            changed > 0
                || edits.is_empty()
                || after.node_count() > record.node_count()
                || before != model(&after)
        );
        if random.below(10) == 0 {
            text = past.pop().unwrap();
            assert_eq!(model(&Record::parse(text.as_str())), before, "undo");
        }
    }
    assert!(Record::parse(text).node_count() > 30);
}

#[test]
pub fn w04_variations_keep_their_parentheses() {
    let text = "(;B[aa](;W[ba])(;W[ab]))";
    assert_eq!(written(&Record::parse(text)), text);
    for style in [kifud::sgf::Style::Canonical, kifud::sgf::Style::Compact] {
        let record = Record::parse(text);
        let laid_out = Record::parse(apply_edits(text, &kifud::sgf::format(&record, style)));
        assert_eq!(model(&laid_out), model(&record));
    }
}

#[test]
pub fn w06_what_is_not_edited_stays() {
    let text = "(;AB[aa:cc]C[a\\: b]XX[keep me]\r\n ;B[dd]TE[1]\n;W[ee])";
    let record = Record::parse(text);
    assert_eq!(written(&record), text);
    let edits = set_property(&record, NodeId(1), "TE", &[NewValue::raw("2").unwrap()]).unwrap();
    assert_eq!(apply_edits(text, &edits), text.replace("TE[1]", "TE[2]"), "only that node differs");
}

#[test]
pub fn w07_set_up_is_edited_in_place() {
    // In place: one stone more in the root; the move that stands on it becomes a finding.
    let text = "(;GM[1]FF[4]SZ[9]AB[cc](;W[ee];B[gg])(;W[dd]))";
    let record = Record::parse(text);
    let list = ["cc", "ee"].map(|point| NewValue::raw(point).unwrap());
    let edits = set_property(&record, NodeId(0), "AB", &list).unwrap();
    let after = text.replace("AB[cc]", "AB[cc][ee]");
    assert_eq!(apply_edits(text, &edits), after);
    let mut editor = Editor::open(text);
    assert_eq!(editor.findings(), Vec::<serde_json::Value>::new());
    let start = text.find("](;W[ee]").unwrap() + 1;
    let at = json!({"line": 0, "character": start});
    editor.client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2},
               "contentChanges": [{"range": {"start": at, "end": at}, "text": "[ee]"}]}),
    );
    editor.text = after;
    let findings = editor.findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((&finding["code"], editor.slice(&finding["range"])), (&json!("occupied-point"), "W[ee]"));
    // As a child: the root stays as it was.
    let edits = add_node(&record, NodeId(0), &[("AB", &list[1..])]).unwrap();
    assert_eq!(apply_edits(text, &edits), text.replace("(;W[dd]))", "(;W[dd])(;AB[ee]))"));
}

#[test]
pub fn w09_what_is_written_loads_clean() {
    let mut random = Random(9);
    let size = Size::square(9).unwrap();
    let rules = MoveRules::named(Some("Tromp-Taylor"));
    for game in 0..1_000 {
        let start = Position { komi: Some(7.5), rules: Some("Tromp-Taylor".into()), ..Position::new(size) };
        let mut referee = Referee::new(&start, rules, None);
        let mut text = open_record(&start, &[]);
        let mut color = Color::Black;
        for _ in 0..40 {
            let point = size.point(random.index(81));
            let play = Move { color, vertex: Vertex::At(point) };
            if referee.play(play).is_ok() {
                text.push_str(&kifud::sgf::new_node(play, &[]));
                color = color.opponent();
            }
        }
        text.push(')');
        assert_eq!(found(&text), Vec::<String>::new(), "game {game}");
    }
}

#[test]
fn w12_games_are_put_together() {
    let line = ";B[pd];W[dp];B[pp];W[dd]".repeat(5);
    let texts = [
        format!("(;GM[1]SZ[19]PB[a]{line};B[qq])"),
        format!("(;GM[1]SZ[19]PB[b]{line}(;B[qc])(;B[cc]))\n"),
        "(;GM[1]SZ[9];B[ee])(;GM[1]SZ[13]".to_owned(),
    ];
    let [a, b, c] = texts.each_ref().map(|text| Record::parse(text.as_str()));
    let together = |records: &[&Record]| Record::parse(merge(records).unwrap());
    let all = together(&[&a, &b, &c]);
    assert_eq!(
        all.text(),
        together(&[&together(&[&a, &b]), &c]).text(),
        "in whatever order they come together"
    );
    assert_eq!(all.text(), together(&[&a, &together(&[&b, &c])]).text());
    assert_eq!((all.games().len(), all.node_count()), (4, a.node_count() + b.node_count() + c.node_count()));
    assert_eq!(all.findings(), []);
    let games: Vec<_> = all.games().map(|game| game.span.slice(all.text())).collect();
    assert_eq!(games[..2], [texts[0].as_str(), texts[1].trim_end()]);
}

#[test]
pub fn w13_the_other_games_of_a_collection() {
    let text = "(;GM[1]SZ[9];B[aa])\n(;SZ[19]C[two];B[bb])\n\n(;GM[11]SZ[13] ;B[cc])\n";
    let record = Record::parse(text);
    let second = record.game(1).unwrap().root;
    let edits = set_property(&record, second, "C", &[NewValue::text("zwei")]).unwrap();
    assert_eq!(apply_edits(text, &edits), text.replace("two", "zwei"));
    let Some(folder) = support::shared("inputs") else { return };
    let bytes = std::fs::read(folder.join("collection-3.sgf")).unwrap();
    let decoded = decode(&bytes, None);
    let record = Record::parse(decoded.text.as_str());
    assert_eq!(record.games().len(), 3);
    let second = record.game(1).unwrap();
    let edits = set_property(&record, second.root, "GN", &[NewValue::text("x")]).unwrap();
    let saved = Record::parse(decode(&splice(&bytes, &decoded, &edits).unwrap(), None).text);
    let game =
        |record: &Record, index: usize| record.game(index).unwrap().span.slice(record.text()).to_owned();
    assert_eq!((game(&saved, 0), game(&saved, 2)), (game(&record, 0), game(&record, 2)));
    assert!(check(&saved).iter().all(|finding| finding.severity > Severity::Error));
}
