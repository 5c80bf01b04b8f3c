//! Tokens to trees, and what is said about broken texts.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::{NodeId, apply_edits};
use super::*;

/// The tree as a clean file would have it.
fn shape(record: &Record) -> String {
    record.games().map(|game| format!("({})\n", line(record, game.root))).collect()
}

fn line(record: &Record, node: NodeId) -> String {
    let mut shown = String::from(";");
    for property in record.properties(node) {
        shown.push_str(&property.ident());
        property.values().for_each(|value| shown.push_str(&format!("[{}]", value.raw())));
    }
    let children: Vec<String> = record.children(node).map(|child| line(record, child)).collect();
    match children.as_slice() {
        [only] => shown.push_str(only),
        _ => children.iter().for_each(|child| shown.push_str(&format!("({child})"))),
    }
    shown
}

fn check(text: &str, expected: Expect) {
    let record = Record::parse(text);
    let mut shown = shape(&record);
    for finding in record.findings() {
        let fix = finding.fix.as_ref().map(|fix| format!(" -> {:?}", apply_edits(text, &fix.edits)));
        let place = finding.span.slice(text);
        shown.push_str(&format!("{} {place:?}{}\n", finding.code, fix.unwrap_or_default()));
    }
    expected.assert_eq(&shown);
}

#[test]
fn backslashes_before_a_bracket() {
    let cases = [
        (r"(;C[\];B[aa];W[bb])", 2, r"\];B[aa"),
        (r"(;C[\\];B[aa];W[bb])", 3, r"\\"),
        (r"(;C[\\\];B[aa];W[bb])", 2, r"\\\];B[aa"),
        (r"(;C[\\\\];B[aa];W[bb])", 3, r"\\\\"),
    ];
    for (text, nodes, comment) in cases {
        let record = Record::parse(text);
        assert_eq!(record.node_count(), nodes, "{text}");
        assert_eq!(record.property(NodeId(0), "C").unwrap().first_raw(), comment);
        assert_eq!(record.findings(), []);
    }
}

#[test]
fn variations_nest() {
    check(
        "(;B[ee](;W[ec])(;W[gc];B[cc]))",
        expect![[r#"
        (;B[ee](;W[ec])(;W[gc];B[cc]))
    "#]],
    );
}

#[test]
fn an_unescaped_bracket_costs_one_value() {
    check(
        "(;US[Someone[3d]]KM[6.5];B[pd];W[dp])",
        expect![[r#"
        (;US[Someone[3d]KM[6.5];B[pd];W[dp])
        unescaped-bracket "]" -> "(;US[Someone[3d\\]]KM[6.5];B[pd];W[dp])"
    "#]],
    );
    check(
        "(;B[aa]C[someone [3d?]: hi: there];W[bb])",
        expect![[r#"
        (;B[aa]C[someone [3d?];W[bb])
        unescaped-bracket ": hi: there]" -> "(;B[aa]C[someone [3d?\\]: hi: there];W[bb])"
    "#]],
    );
    check(
        "(;AW[de]\n[[dc]](;B[cg])(;B[mk]))",
        expect![[r#"
            (;AW[de][[dc](;B[cg])(;B[mk]))
            unescaped-bracket "]" -> "(;AW[de]\n[dc](;B[cg])(;B[mk]))"
        "#]],
    );
}

#[test]
fn text_around_games() {
    check(
        "Date: 1 Jan (JST)\n(;SiZe[19];Black[aa];)\n-- bye",
        expect![[r#"
        (;SZ[19];B[aa];)
        text-outside-game "Date: 1 Jan (JST)"
        text-outside-game "-- bye"
    "#]],
    );
    check(
        ";;)",
        expect![[r#"
            no-game ""
        "#]],
    );
    check(
        "\u{feff}(;B[aa])\0",
        expect![[r#"
        (;B[aa])
    "#]],
    );
}

#[test]
fn missing_signs() {
    check(
        "(\nTE[cup]KO[7.5]\n;B[qc];W[cq])",
        expect![[r#"
        (;TE[cup]KO[7.5];B[qc];W[cq])
        missing-semicolon "TE" -> "(\n;TE[cup]KO[7.5]\n;B[qc];W[cq])"
    "#]],
    );
    check(
        "(;SZ[19];B[pd](;W[dp];B[dd]",
        expect![[r#"
        (;SZ[19];B[pd];W[dp];B[dd])
        unclosed-tree "(" -> "(;SZ[19];B[pd](;W[dp];B[dd]))"
    "#]],
    );
    check(
        "(;B[aa](;C[never closed;W)",
        expect![[r#"
            (;B[aa];C[never closed;W)])
            unclosed-value "[" -> "(;B[aa](;C[never closed;W)]))"
        "#]],
    );
    check(
        ";GM[1];B[aa])",
        expect![[r#"
        (;GM[1];B[aa])
        missing-open ";" -> "(;GM[1];B[aa])"
    "#]],
    );
    check(
        "(;KO B[aa][];[bb]N)",
        expect![[r#"
            (;KOB[aa][];[bb]N)
            property-without-value "KO" -> "(;KO[] B[aa][];[bb]N)"
            value-without-name "[bb]"
            property-without-value "N" -> "(;KO B[aa][];[bb]N[])"
        "#]],
    );
}

#[test]
fn signs_too_many() {
    check(
        "(;B[aa](;W[bb])(;W[cc]);W[dd])",
        expect![[r#"
            (;B[aa](;W[bb])(;W[cc])(;W[dd]))
            node-after-variations ";" -> "(;B[aa](;W[bb])(;W[cc])(;W[dd]))"
        "#]],
    );
    check(
        "(;B[aa]);W[bb])",
        expect![[r#"
        (;B[aa];W[bb])
        node-outside-tree ";"
    "#]],
    );
    check(
        "(;B[aa]()(()));W[bb])",
        expect![[r#"
            (;B[aa];W[bb])
            empty-tree "()" -> "(;B[aa](()));W[bb])"
            empty-tree "(())" -> "(;B[aa]());W[bb])"
            node-outside-tree ";"
        "#]],
    );
    check(
        "((;A[1])(;B[2]))",
        expect![[r#"
            (;A[1])
            (;B[2])
            text-outside-game "("
            extra-close ")" -> "((;A[1])(;B[2])"
        "#]],
    );
    check(
        "(;a[1](;b[2])C[x])",
        expect![[r#"
            (;A[1](;B[2])(;C[x]))
            missing-semicolon "C" -> "(;a[1](;b[2])(;C[x]))"
        "#]],
    );
    check(
        "(;A[1])) (;B[1]",
        expect![[r#"
            (;A[1])
            (;B[1])
            extra-close ")" -> "(;A[1]) (;B[1]"
            unclosed-tree "(" -> "(;A[1])) (;B[1])"
        "#]],
    );
}

proptest! {
    #[test]
    fn trees_and_paths_agree(text in "([();\\[\\]\\\\ AB:]|\\(;|;B\\[aa\\]|C\\[){0,30}") {
        let record = Record::parse(text.as_str());
        for finding in record.findings() {
            prop_assert!(finding.span.end as usize <= text.len());
            prop_assert!(text.get(finding.span.range()).is_some());
        }
        for node in (0..record.node_count() as u32).map(NodeId) {
            let span = record.node(node).span;
            prop_assert!(span.end as usize <= text.len());
            prop_assert!(record.parent(node).is_none_or(|parent| parent < node));
            let path = record.path_of(node);
            prop_assert_eq!(record.find(record.node(node).game, &path), Some(node));
            prop_assert_eq!(record.node_at(span.start), Some(node));
        }
    }

    #[test]
    fn any_text_gives_a_record(text in any::<String>()) {
        let record = Record::parse(text.as_str());
        prop_assert_eq!(record.text(), text);
    }
}

#[test]
fn long_and_deep_on_a_small_stack() {
    let work = || {
        let long = Record::parse(format!("({})", ";B[aa];W[]".repeat(50_000)));
        let last = NodeId(99_999);
        assert_eq!(long.path_of(last).steps().len(), 1);
        assert_eq!(long.find(0, &long.path_of(last)), Some(last));
        let deep = Record::parse(format!("{}{}", "(;B[aa]".repeat(10_000), ")".repeat(10_000)));
        assert_eq!((deep.node_count(), deep.findings().len()), (10_000, 0));
        let open = Record::parse("(;B[aa]".repeat(10_000));
        assert_eq!((open.node_count(), open.findings().len()), (10_000, 1));
    };
    std::thread::Builder::new().stack_size(128 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn nodes_beyond_the_limit_are_reported() {
    let record = Record::parse(format!("({})", ";".repeat(Record::MAX_NODES + 5)));
    assert_eq!(record.node_count(), Record::MAX_NODES);
    let codes: Vec<_> = record.findings().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::TooLarge]);
}

#[test]
fn findings_are_bounded() {
    let record = Record::parse(format!("(;{})", "[a]!".repeat(3000)));
    assert_eq!(record.findings().len(), 1000);
    assert_eq!(record.findings_left_out(), 5000);
}
