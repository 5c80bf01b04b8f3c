//! Every SGF file that other programs' tests, servers and users have left us, through the door: it opens
//! from the editor's text and from the disk, is written back byte for byte, and takes less than a second.
//!
//! The files lie beside the checkout, or where `KIFUD_SHARED` says.

mod support;

use std::path::Path;

use kifud::sgf::Record;
use kifud::sgf::encoding::{decode, splice};
use serde_json::{Value, json};
use support::{Conversation, cpu_seconds, sgf_files, shared, written};

/// Processor time for one file, in seconds, of a program as users have it. One that was built for tests is
/// slower.
fn limit() -> f64 {
    if std::env::var_os("KIFUD_PROGRAM").is_some() { 1.0 } else { 10.0 }
}

/// The most nodes that are asked for at once.
const PAGE: usize = 2_000;

/// The raw values of the first nodes of a record and of its last ones, as the tree tells them.
fn told(client: &mut Conversation, uri: &str, nodes: usize) -> Vec<Value> {
    let mut told = Vec::new();
    for from in [0, nodes.saturating_sub(PAGE).max(PAGE)] {
        let ask = json!({"document": {"uri": uri}, "from": from, "limit": PAGE});
        let page = client.request("record/tree", ask);
        let games = page["games"].as_array().unwrap().iter();
        told.extend(
            games.flat_map(|game| game["nodes"].as_array().unwrap()).map(|node| node["props"].clone()),
        );
    }
    assert_eq!(told.len(), nodes.min(2 * PAGE), "{uri}");
    told
}

/// Opens a file as an editor and from the disk; the seconds of work that the first took.
fn open(client: &mut Conversation, path: &Path, bytes: &[u8]) -> f64 {
    let name = path.display();
    let decoded = decode(bytes, None);
    assert_eq!(splice(bytes, &decoded, &[]).as_deref(), Ok(bytes), "{name} on the disk");
    let record = Record::parse(decoded.text.as_str());
    assert_eq!(written(&record), decoded.text, "{name}");

    let uri = "file:///opened.sgf";
    let before = cpu_seconds(client.child.id());
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 1, "text": decoded.text}}),
    );
    client.request("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
    let taken = cpu_seconds(client.child.id()) - before;
    let from_text = told(client, uri, record.node_count());
    let from_disk = told(client, path.to_str().expect("a name in UTF-8"), record.node_count());
    assert_eq!(from_text, from_disk, "{name}");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    taken
}

fn every_file_opens(folder: &str, at_least: usize) {
    let Some(folder) = shared(folder) else { return };
    let mut client = Conversation::lsp(&[], json!({"capabilities": {"textDocument": {"diagnostic": {}}}}));
    let files = sgf_files(&folder);
    assert!(files.len() >= at_least, "{} files", files.len());
    let mut times: Vec<(f64, &Path)> =
        files.iter().map(|(path, bytes)| (open(&mut client, path, bytes), path.as_path())).collect();
    times.sort_by(|one, other| other.0.total_cmp(&one.0));
    let slowest: Vec<String> =
        times.iter().take(3).map(|(taken, path)| format!("{taken:.2} s {}", path.display())).collect();
    println!("{} files; slowest: {}", files.len(), slowest.join(", "));
    assert!(times.iter().all(|(taken, _)| *taken < limit()), "{slowest:?}");
}

#[test]
fn every_input_opens() {
    every_file_opens("inputs", 60);
}

#[test]
fn every_file_of_the_corpus_opens() {
    every_file_opens("corpus/sgf", 600);
}
