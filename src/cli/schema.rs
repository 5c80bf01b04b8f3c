//! `kifud schema`: the documents in protocol/, written from the types.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{REFUSED, complain};
use crate::service::error::{Error, Kind};
use crate::service::examples::{self, Exchange};
use crate::service::{methods, schema};

#[derive(clap::Args)]
pub struct Args {
    /// Where the documents stand.
    #[arg(long, value_name = "DIR", default_value = "protocol")]
    out: PathBuf,
    /// Only compare; exit 1 when a document is stale, or a change would break clients.
    #[arg(long)]
    check: bool,
}

pub fn run(args: &Args) -> ExitCode {
    let table = methods::table();
    let document = schema::openrpc(&table);
    let examples = match read_examples(&args.out.join("examples")) {
        Ok(examples) => examples,
        Err(error) => return complain(&error, REFUSED),
    };
    let missing = examples::missing(&table, &examples);
    if !missing.is_empty() {
        eprintln!("kifud: the examples in {}/examples: {}", args.out.display(), missing.join("; "));
        return ExitCode::from(REFUSED);
    }
    let committed = read_document(&args.out);
    let broken = committed.as_ref().map(|old| breaks(old, &document)).unwrap_or_default();
    if !broken.is_empty() {
        eprintln!("kifud: these changes break clients of protocol {}:", document["info"]["version"]);
        for line in &broken {
            eprintln!("  {line}");
        }
        eprintln!("Keep the old form, or raise PROTOCOL in src/service/mod.rs.");
        return ExitCode::from(REFUSED);
    }
    let files = files(&document, &examples);
    if args.check { check(&args.out, &files) } else { write(&args.out, &files) }
}

fn read_document(folder: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(folder.join("openrpc.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// The conversations in a folder, in the order of their names.
fn read_examples(folder: &Path) -> Result<Vec<Exchange>, Error> {
    let unread = |error: std::io::Error| Error::new(Kind::NotFound, format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        files.push(entry.map_err(unread)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let mut exchanges = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(unread)?;
        let read = examples::read(&text);
        exchanges.extend(
            read.map_err(|error| Error::new(error.kind, format!("{}: {}", file.display(), error.message)))?,
        );
    }
    Ok(exchanges)
}

/// Breaking changes; a raised protocol version allows them.
fn breaks(old: &Value, new: &Value) -> Vec<String> {
    if old["info"]["version"] != new["info"]["version"] { Vec::new() } else { schema::breaking(old, new) }
}

/// Every document with its name.
fn files(document: &Value, examples: &[Exchange]) -> Vec<(String, String)> {
    let pretty = |value: &Value| format!("{value:#}\n");
    let mut files = vec![
        ("openrpc.json".to_owned(), pretty(document)),
        ("types.ts".to_owned(), schema::typescript(document)),
        ("METHODS.md".to_owned(), schema::markdown(document, &examples::by_method(examples))),
    ];
    let definitions = &document["components"]["schemas"];
    files.push((
        "schemas.json".to_owned(),
        pretty(&json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Every shape of kifud's protocol",
            "definitions": relocate(definitions),
        })),
    ));
    files
}

/// The same schemas with references into `#/definitions`.
fn relocate(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), relocate(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(relocate).collect(),
        Value::String(text) => text.replace("#/components/schemas/", "#/definitions/").into(),
        other => other.clone(),
    }
}

fn check(folder: &Path, files: &[(String, String)]) -> ExitCode {
    let stale = files.iter().filter(|(name, text)| {
        std::fs::read_to_string(folder.join(name)).map_or(true, |committed| committed != *text)
    });
    let stale: Vec<&str> = stale.map(|(name, _)| name.as_str()).collect();
    if stale.is_empty() {
        println!("{}: {} documents match the code", folder.display(), files.len());
        return ExitCode::SUCCESS;
    }
    eprintln!("kifud: stale in {}: {}; run `kifud schema`", folder.display(), stale.join(", "));
    ExitCode::from(REFUSED)
}

fn write(folder: &Path, files: &[(String, String)]) -> ExitCode {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| files.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text)));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kifud: {} cannot be written: {error}", folder.display());
            ExitCode::from(REFUSED)
        }
    }
}
