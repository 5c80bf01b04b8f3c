//! Reports about syntax.

use kifud::sgf::{Code, KomiSource, NodeId, Record, apply_edits, bulk_edits, check, position, value};
use serde_json::json;

use crate::support::{self, Random, written};
use crate::{Editor, fixed, found, is_clean, nodes};

#[test]
pub fn p01_backslashes_before_a_bracket() {
    let cases = [
        (r"(;C[\];B[aa];W[bb])", 2, "];B[aa"),
        (r"(;C[\\];B[aa];W[bb])", 3, r"\"),
        (r"(;C[\\\];B[aa];W[bb])", 2, r"\];B[aa"),
        (r"(;C[\\\\];B[aa];W[bb])", 3, r"\\"),
    ];
    for (text, count, comment) in cases {
        let record = Record::parse(text);
        assert_eq!(record.node_count(), count, "{text}");
        assert_eq!(value::text(record.property(NodeId(0), "C").unwrap().first_raw()), comment, "{text}");
        assert_eq!(written(&record), text);
    }
}

#[test]
pub fn p03_ranks_in_chat() {
    let text = r"(;B[aa]C[someone [3d?\]: hi\: there];W[bb])";
    let record = Record::parse(text);
    assert_eq!(record.node_count(), 2);
    let comments: Vec<_> = record.values_of(NodeId(0), "C").map(|found| value::text(found.raw())).collect();
    assert_eq!(comments, ["someone [3d?]: hi: there"]);
    assert_eq!(found(text), ["move-in-root:B[aa]"]);
}

#[test]
pub fn p04_a_rank_that_is_not_escaped() {
    let text = "(;GM[1]SZ[19]US[Someone[3d]]KM[6.5];B[pd];W[dp])";
    let mut editor = Editor::open(text);
    let findings = editor.findings();
    let errors: Vec<_> = findings.iter().filter(|finding| finding["severity"] == 1).collect();
    let [error] = errors.as_slice() else { panic!("{findings:?}") };
    assert_eq!((&error["code"], editor.slice(&error["range"])), (&json!("unescaped-bracket"), "]"));
    let props = editor.tree()["games"][0]["nodes"].clone();
    assert_eq!((&props[1]["props"]["B"], &props[2]["props"]["W"]), (&json!(["pd"]), &json!(["dp"])));
    let mended = editor.fixed(error);
    assert_eq!(mended, r"(;GM[1]SZ[19]US[Someone[3d\]]KM[6.5];B[pd];W[dp])");
    assert!(is_clean(&mended));
}

#[test]
pub fn p06_mail_header_and_long_names() {
    let text = "Date: 1 Jan 01:23:45 +0900 (JST)\n(;SiZe[19];Black[aa];White[ba];)";
    assert_eq!(
        found(text),
        ["text-outside-game:Date: 1 Jan 01:23:45 +0900 (JST)", "empty-node:;"],
        "a hint about the header, the last node is reported"
    );
    let record = Record::parse(text);
    assert_eq!(record.games().len(), 1, "(JST) is no game");
    let names: Vec<Vec<String>> = record
        .nodes(0)
        .map(|node| record.properties(node).map(|property| property.ident().into_owned()).collect())
        .collect();
    assert_eq!(names, [&["SZ"][..], &["B"], &["W"], &[]]);
    assert_eq!(position(&record, NodeId(3)).unwrap().position.move_number(), 2, "no move of its own");
}

#[test]
pub fn p07_copyright_of_pandanet() {
    let text = "(;GM[1]SZ[19]\nCoPyright[\nCopyright (c) SERVER\nUse of this game is ok.\n]\n;B[pd])";
    let record = Record::parse(text);
    let raw = record.property(NodeId(0), "CP").unwrap();
    assert_eq!(raw.first_raw(), "\nCopyright (c) SERVER\nUse of this game is ok.\n");
    assert_eq!((raw.written_ident(), written(&record).as_str()), ("CoPyright", text));
    assert_eq!(found(text), Vec::<String>::new());
    let ff4 = text.replace("GM[1]", "GM[1]FF[4]");
    assert_eq!(found(&ff4), ["old-spelling:CoPyright"]);
    assert_eq!(fixed(&ff4, Code::OldSpelling), ff4.replace("CoPyright", "CP"));
}

#[test]
pub fn p09_a_property_twice() {
    let text = "(;SZ[19]HA[2]AB[dd]AB[pp];W[pd])";
    assert_eq!(found(text), ["duplicate-property:AB"]);
    let record = Record::parse(text);
    assert_eq!(check(&record)[0].span.start as usize, text.rfind("AB").unwrap(), "the second one");
    assert_eq!(position(&record, NodeId(0)).unwrap().position.board().stones().count(), 2);
    assert_eq!(fixed(text, Code::DuplicateProperty), "(;SZ[19]HA[2]AB[dd][pp];W[pd])");
}

#[test]
pub fn p10_three_bytes() {
    assert_eq!(found(";;)"), ["no-game:"]);
    assert_eq!(nodes(";;)"), 0);
    let mut editor = Editor::open(";;)");
    assert_eq!(editor.findings()[0]["code"], "no-game");
    assert_eq!(editor.tree()["games"], json!([]));
    for length in 0..=4u32 {
        for number in 0..7usize.pow(length) {
            let sign = |place: u32| ["(", ")", ";", "[", "]", "\\", "A"][number / 7usize.pow(place) % 7];
            let text: String = (0..length).map(sign).collect();
            let record = Record::parse(text.as_str());
            assert_eq!(written(&record), text);
            for finding in check(&record) {
                assert!(text.get(finding.span.range()).is_some(), "{text}: {finding:?}");
            }
        }
    }
}

/// The file itself is not ours to keep: a tree of its size and shape, branches of a few moves.
#[test]
pub fn p12_a_large_joseki_dictionary() {
    let branch = "(;W[qc]LB[qc:A][pc:B]C[角上定式](;B[pc];W[qd])(;B[qd];W[pc]))";
    let text = format!("(;GM[1]FF[4]SZ[19];B[pd]{})", branch.repeat(7_514));
    let record = Record::parse(text.as_str());
    assert_eq!((record.node_count(), written(&record) == text), (37_572, true));
    let mut editor = Editor::open(&text);
    let ask = |from: u64| json!({"document": {"uri": super::URI}, "from": from, "limit": 1});
    let last = editor.client.request("record/tree", ask(37_571));
    assert_eq!(last["games"][0]["nodes"][0]["props"], json!({"W": ["pc"]}));
    // A keystroke in the first comment moves what stands behind it by one.
    let place = text.find("角").unwrap() as u64;
    let at = json!({"line": 0, "character": place});
    editor.client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": super::URI, "version": 2},
               "contentChanges": [{"range": {"start": at, "end": at}, "text": "x"}]}),
    );
    let moved = editor.client.request("record/tree", ask(37_571));
    let column =
        |tree: &serde_json::Value| tree["games"][0]["nodes"][0]["range"]["start"]["character"].as_u64();
    assert_eq!(column(&moved), column(&last).map(|column| column + 1));
    assert!(editor.client.rss_mib() < 500, "{} MiB", editor.client.rss_mib());
}

#[test]
pub fn p13_text_by_the_book() {
    // (raw, as Text, as SimpleText)
    let cases = [
        (r"a\nb", "anb", "anb"),
        (r"a\tb", "atb", "atb"),
        ("a\\\nb", "ab", "ab"),
        ("a\\\rb", "ab", "ab"),
        ("a\\\r\nb", "ab", "ab"),
        ("a\\\n\rb", "ab", "ab"),
        ("a\tb", "a b", "a b"),
        ("a\\\tb", "a b", "a b"),
        ("a\nb", "a\nb", "a b"),
        ("a\rb", "a\nb", "a b"),
        ("a\r\nb", "a\nb", "a b"),
        ("a\n\rb", "a\nb", "a b"),
        ("a\n\nb", "a\n\nb", "a  b"),
    ];
    for (raw, text, simple) in cases {
        assert_eq!((&*value::text(raw), &*value::simple_text(raw)), (text, simple), "{raw:?}");
    }
}

#[test]
pub fn p15_cut_off() {
    let text = "(;SZ[19];B[pd](;W[dp];B[dd]";
    assert_eq!(found(text), ["unclosed-tree:("]);
    assert_eq!(check(&Record::parse(text))[0].span.start, 14, "it names what was opened");
    assert_eq!(nodes(text), 4);
    let mut random = Random(15);
    let mut cuts = 0;
    let folders = [Some(support::fixture("games")), support::shared("corpus/sgf")];
    for (path, bytes) in folders.into_iter().flatten().flat_map(|folder| support::sgf_files(&folder)) {
        let text = kifud::sgf::encoding::decode(&bytes, None).text;
        let whole = Record::parse(text.as_str());
        // What is mended by looking ahead is mended otherwise when the rest is missing.
        if !whole.findings().is_empty() || text.len() > 100_000 {
            continue;
        }
        let starts = |record: &Record| -> Vec<u32> {
            (0..record.node_count() as u32).map(|node| record.node(NodeId(node)).span.start).collect()
        };
        let all = starts(&whole);
        for _ in 0..50 {
            let cut = text.floor_char_boundary(random.index(text.len() + 1));
            let kept = starts(&Record::parse(&text[..cut]));
            let expected: Vec<u32> = all.iter().copied().filter(|start| (*start as usize) < cut).collect();
            assert_eq!(kept, expected, "{} cut at {cut}", path.display());
            cuts += 1;
        }
    }
    assert!(cuts > 300, "{cuts}");
}

#[test]
pub fn p16_no_semicolon() {
    let text = "(\nTE[cup]RD[2018-04-24]KO[7.5]PB[x]PW[y]\n;B[qc];W[cq])";
    assert_eq!(found(text), ["missing-semicolon:TE", "foreign-name:TE", "foreign-name:RD", "komi-in-ko:KO"]);
    assert_eq!(nodes(text), 3);
    assert_eq!(Record::parse(text).info(0).unwrap().black.as_deref(), Some("x"));
    let mut mended = text.to_owned();
    for _ in 0..2 {
        mended = apply_edits(&mended, &bulk_edits(&check(&Record::parse(mended.as_str()))));
    }
    assert_eq!(mended, "(\n;EV[cup]DT[2018-04-24]KM[7.5]PB[x]PW[y]\n;B[qc];W[cq])");
    assert!(is_clean(&mended));
}

#[test]
pub fn p18_undo_as_a_branch() {
    let text = "(;SZ[9];B[ee](;W[ec])(;W[gc];B[cc];W[cg]))";
    assert_eq!(found(text), Vec::<String>::new());
    let record = Record::parse(text);
    let children: Vec<usize> = record.nodes(0).map(|node| record.children(node).count()).collect();
    assert_eq!(children, [1, 2, 0, 1, 1, 0]);
    assert_eq!(record.children(NodeId(1)).next(), Some(NodeId(2)), "the first one is the main line");
}

#[test]
pub fn p19_doubled_brackets() {
    let text = "(;SZ[19]AW[de]\n[[dc]](;B[cg])(;B[mk]))";
    assert_eq!(found(text), ["bad-point:[[dc]", "unescaped-bracket:]"]);
    let record = Record::parse(text);
    let values: Vec<_> = record.values_of(NodeId(0), "AW").map(|value| value.raw()).collect();
    assert_eq!(values, ["de", "[dc"]);
    assert_eq!(record.children(NodeId(0)).count(), 2);
}

#[test]
pub fn p21_empty_komi() {
    let text = "(;SZ[19]EV[x]KM[]RE[白胜43.5目];B[pc])";
    assert_eq!(found(text), ["empty-value:[]", "bad-result:[白胜43.5目]"]);
    let komi = Record::parse(text).komi(NodeId(0));
    assert_eq!((komi.points, komi.source), (None, KomiSource::Empty));
    assert_eq!(fixed(text, Code::BadResult), "(;SZ[19]EV[x]KM[]RE[W+43.5];B[pc])");
    let info = Editor::open(text).tree()["games"][0]["info"].clone();
    assert_eq!((&info["komi"], &info["event"]), (&json!(null), &json!("x")));
}

#[test]
pub fn p22_every_finding_says_what_and_where() {
    assert_eq!(found("(;FF[1]GM[1]SZ[19];B[aa])"), Vec::<String>::new(), "FF[1] is accepted");
    let folders = [Some(support::fixture("sgf")), support::shared("inputs")];
    let mut seen = 0;
    for (path, bytes) in folders.into_iter().flatten().flat_map(|folder| support::sgf_files(&folder)) {
        if bytes.len() > 100_000 {
            continue;
        }
        let mut editor = Editor::open(&kifud::sgf::encoding::decode(&bytes, None).text);
        for finding in editor.findings() {
            let code = finding["code"].as_str().unwrap_or_default();
            let message = finding["message"].as_str().unwrap_or_default();
            assert!(code.len() > 4 && message.len() > 10, "{}: {finding}", path.display());
            editor.slice(&finding["range"]);
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
pub fn p24_a_bracket_in_a_comment() {
    let text = "(;C[a [b c];B[aa](;W[bb])(;W[cc]))";
    assert_eq!(found(text), Vec::<String>::new());
    let mut editor = Editor::open(text);
    let document = json!({"uri": super::URI});
    let tree = editor.client.request("record/tree", json!({"document": document, "paths": true}));
    let nodes = tree["games"][0]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 4);
    for node in nodes {
        let at = json!({"document": document, "node": {"path": node["path"]}});
        let board = editor.client.request("record/board", at);
        assert_eq!(board["node"]["path"], node["path"]);
        if node["index"] == 0 {
            assert_eq!(board["comment"], "a [b c");
        }
    }
}
