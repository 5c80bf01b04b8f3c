//! The layout of every record that we have: the same record, in the file's own charset, and once is enough.

mod support;

use std::path::{Path, PathBuf};

use kifud::service::files::SourceFile;
use kifud::sgf::{Record, Style, format};

/// The `.sgf` files of a folder and below.
fn records(folder: &Path) -> Vec<PathBuf> {
    let mut waiting = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "sgf") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All nodes: what each follows, and what it says.
fn nodes(record: &Record) -> Vec<String> {
    let games = 0..record.games().len();
    let node = |node| {
        let said = record.properties(node).map(|property| {
            let values: Vec<&str> = property.values().map(|value| value.raw()).collect();
            format!("{}{values:?}", property.written_ident())
        });
        format!("{:?} {}", record.parent(node), said.collect::<String>())
    };
    games.flat_map(|game| record.nodes(game)).map(node).collect()
}

#[test]
fn every_record_keeps_its_tree_and_is_laid_out_once() {
    let shared = ["inputs", "corpus/sgf"].into_iter().filter_map(support::shared);
    let folders = shared.chain([support::fixture("sgf")]);
    let files: Vec<PathBuf> = folders.flat_map(|folder| records(&folder)).collect();
    assert!(files.len() > 10, "{files:?}");
    let mut changed = 0;
    for path in files {
        let source = SourceFile::read(&path, 64 << 20).unwrap();
        let before = Record::parse(source.decoded.text.as_str());
        for style in [Style::Canonical, Style::Compact] {
            let edits = format(&before, style);
            let white =
                |text: &str| text.chars().all(|letter| letter.is_ascii_whitespace() || letter == '\u{b}');
            for edit in &edits {
                assert!(
                    white(&edit.new_text) && white(edit.span.slice(before.text())),
                    "{}: {edit:?}",
                    path.display()
                );
            }
            let Ok(after) = source.edited(&edits) else { panic!("{}: {style:?}", path.display()) };
            let record = Record::parse(after.decoded.text.as_str());
            assert_eq!(nodes(&record), nodes(&before), "{}", path.display());
            assert_eq!(format(&record, style), [], "{}: {style:?} twice", path.display());
            changed += usize::from(!edits.is_empty());
        }
    }
    assert!(changed > 0);
}
