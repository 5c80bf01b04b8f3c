//! The whole floor on whole files: our own nasty ones, and collections of real ones when they
//! are there.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};

use crate::go::Step;

use super::encoding::{decode, splice};
use super::{
    GameKind, NewValue, NodeId, Record, Style, apply_edits, bulk_edits, check, format, position, set_property,
};

/// Where collections of other people's files lie; tests over them say so when they are not
/// there.
fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("KIFUD_SHARED")
        .map_or_else(|| FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = root.join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no {}; set KIFUD_SHARED to the folder that has it", folder.display());
    None
}

/// All SGF files below a folder, by path.
fn files(folder: &FilePath) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("sgf")) {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Everything that must hold for any file.
fn open(name: &FilePath, bytes: &[u8]) -> Record {
    let name = name.display();
    let decoded = decode(bytes, None);
    assert_eq!(splice(bytes, &decoded, &[]).unwrap(), bytes, "{name}");
    let record = Record::parse(decoded.text.as_str());
    for finding in check(&record) {
        assert!(record.text().get(finding.span.range()).is_some(), "{name}: {finding:?}");
    }
    for index in 0..record.games().len() {
        let game = record.game(index).unwrap();
        let last = NodeId(game.end.0 - 1);
        let path = record.path_of(last);
        assert_eq!(record.find(index, &path), Some(last), "{name}");
        assert_eq!(position(&record, last).is_ok(), record.kind(last) == GameKind::Go, "{name}");
    }
    if record.node_count() > 0 {
        let edits = set_property(&record, NodeId(0), "SBKV", &[NewValue::real(52.1).unwrap()]).unwrap();
        let written = splice(bytes, &decoded, &edits).unwrap();
        let again = Record::parse(apply_edits(&decoded.text, &edits));
        assert_eq!(again.node_count(), record.node_count(), "{name}");
        assert!(written.len() >= bytes.len(), "{name}");
    }
    for style in [Style::Canonical, Style::Compact] {
        let once = apply_edits(record.text(), &format(&record, style));
        assert_eq!(format(&Record::parse(once.as_str()), style), [], "{name}");
    }
    let fixed = apply_edits(record.text(), &bulk_edits(&check(&record)));
    assert!(Record::parse(fixed).node_count() >= record.node_count(), "{name}");
    record
}

/// The example that comes with the format: valid, and with one suicide, which its comment names.
#[test]
fn the_formats_own_example_is_clean() {
    let Some(folder) = shared("corpus/sgf/littlego/sgf/sgfc") else { return };
    let text = decode(&std::fs::read(folder.join("ff4_ex.sgf")).unwrap(), None).text;
    let record = Record::parse(text.as_str());
    let found: Vec<_> =
        check(&record).iter().map(|f| format!("{} {}", f.code, f.span.slice(&text))).collect();
    assert_eq!(found, ["suicide B[qs]"]);
}

#[test]
fn our_own_nasty_files_open() {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sgf");
    let mut shown = String::new();
    for (path, bytes) in files(&folder) {
        let record = open(&path, &bytes);
        let name = path.file_stem().unwrap().to_string_lossy();
        let mut codes: Vec<_> = check(&record).iter().map(|finding| finding.code.name()).collect();
        codes.dedup();
        let line = format!("{name}: {} nodes, {}\n", record.node_count(), codes.join(" "));
        shown.push_str(&line);
    }
    expect_test::expect![[r#"
        big5-trail-bytes: 2 nodes, 
        cut-utf8: 2 nodes, lost-characters cut-character
        empty: 0 nodes, no-game
        extra-close: 4 nodes, extra-close
        mail-header: 4 nodes, text-outside-game empty-node
        no-semicolons: 5 nodes, missing-semicolon komi-in-ko missing-semicolon same-color-twice missing-semicolon empty-node empty-tree
        node-after-variations: 6 nodes, node-after-variations
        three-bytes: 0 nodes, no-game
        unclosed-value: 3 nodes, duplicate-property conflicting-points unclosed-value
        unescaped-bracket: 3 nodes, unescaped-bracket
    "#]]
    .assert_eq(&shown);
}

#[test]
fn every_input_opens() {
    let Some(folder) = shared("inputs") else { return };
    let no_game = ["P10-semis.sgf"];
    for (path, bytes) in files(&folder) {
        let record = open(&path, &bytes);
        let empty = no_game.iter().any(|name| path.ends_with(name));
        assert_eq!(record.games().len() == 0, empty, "{}", path.display());
    }
}

/// The same names with and without `CA` must come out the same.
#[test]
fn inputs_without_charset_read_as_those_with_one() {
    let Some(folder) = shared("inputs") else { return };
    let files = files(&folder);
    let black = |bytes: &[u8]| Record::parse(decode(bytes, None).text).info(0).unwrap().black;
    let mut pairs = 0;
    for (path, bytes) in &files {
        let other = path.to_string_lossy().replace("-noca.sgf", "-ca.sgf");
        let Some(declared) = files.get(FilePath::new(&other)).filter(|_| !path.ends_with(&other)) else {
            continue;
        };
        assert_eq!(black(bytes), black(declared), "{}", path.display());
        pairs += 1;
    }
    assert!(pairs > 0);
}

/// Every text of up to five signs: nothing panics, hangs or points outside.
#[test]
fn every_short_text_opens() {
    let alphabet = ["(", ")", ";", "[", "]", "\\", "B", "a"];
    for length in 0..=5u32 {
        for number in 0..alphabet.len().pow(length) {
            let sign = |place: u32| alphabet[number / alphabet.len().pow(place) % alphabet.len()];
            let text: String = (0..length).map(sign).collect();
            let record = Record::parse(text.as_str());
            for finding in check(&record) {
                assert!(record.text().get(finding.span.range()).is_some(), "{text}: {finding:?}");
            }
            for node in record.nodes(0) {
                assert!(position(&record, node).is_ok(), "{text}");
            }
        }
    }
}

#[test]
fn every_file_of_the_corpus_opens() {
    let Some(folder) = shared("corpus/sgf") else { return };
    for (path, bytes) in files(&folder) {
        open(&path, &bytes);
    }
}

/// A truncated file loses nothing before the cut.
#[test]
fn a_truncated_file_keeps_its_first_nodes() {
    let text = "(;GM[1]SZ[9]C[a\\]b];B[aa](;W[bb];B[cc])(;W[dd]AB[ee][ff])) (;B[gg])";
    let whole = Record::parse(text);
    for end in 0..text.len() {
        let record = Record::parse(&text[..end]);
        let starts: Vec<_> =
            (0..record.node_count() as u32).map(|id| record.node(NodeId(id)).span.start).collect();
        let expected: Vec<_> = (0..whole.node_count() as u32)
            .map(|id| whole.node(NodeId(id)).span.start)
            .take(record.node_count())
            .collect();
        assert_eq!(starts, expected, "{end}");
        let complete = expected.len() + 1 >= whole.node_count()
            || whole.node(NodeId(expected.len() as u32)).span.start as usize + 1 >= end;
        assert!(complete, "{end}");
    }
}

#[test]
fn the_long_line_has_a_position() {
    let Some(folder) = shared("inputs") else { return };
    let bytes = std::fs::read(folder.join("long-100000.sgf")).unwrap();
    let record = Record::parse(decode(&bytes, None).text);
    let last = NodeId(record.node_count() as u32 - 1);
    let steps = position(&record, last).unwrap().position.steps;
    assert_eq!(steps.iter().filter(|step| matches!(step, Step::Play(_))).count(), 100_000);
}
