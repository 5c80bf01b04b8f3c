//! `kifud convert`: records of other programs as records that kifud edits.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::input::{Input, write_pipe};
use super::{REFUSED, USAGE, complain};
use crate::formats::{self, Converted, Format, Options, Target};
use crate::replace;
use crate::service::error::{Error, Kind, Result};
use crate::service::files::{SourceFile, unreplaced};
use crate::sgf::encoding::decode;
use crate::sgf::line_index::{Columns, LineIndex};
use crate::xiangqi::record::Loss;

/// Files that are looked for in folders. SGF is what Go files become, so it is not among them.
const ENDS: [&str; 10] = ["gib", "ngf", "ugf", "ugi", "pgn", "ubb", "dhtmlxq", "xqf", "cbr", "cbl"];

#[derive(clap::Args)]
pub struct Args {
    /// Records (GIB, NGF, UGF, PGN, DhtmlXQ, XQF, CBR, CBL; SGF for another charset), folders of them, or - for
    /// stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format. Default: SGF for Go, PGN for xiangqi.
    #[arg(long, value_enum)]
    to: Option<To>,
    /// The file or, ending in / or there already, the folder for the results; - for stdout. Default: beside
    /// each file, or stdout for what comes from stdin.
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// The charset of the results.
    #[arg(long, value_enum, default_value_t)]
    charset: Charset,
    /// Overwrite files.
    #[arg(long)]
    force: bool,
}

#[derive(clap::ValueEnum, Clone, Copy)]
enum To {
    Sgf,
    Pgn,
    #[value(name = "dhtmlxq")]
    DhtmlXq,
}

#[derive(clap::ValueEnum, Clone, Copy, Default)]
enum Charset {
    #[default]
    #[value(name = "utf-8")]
    Utf8,
    Gbk,
}

/// Exit code 0, 1 when something was refused, 2 for wrong usage. What a conversion loses is told on stderr.
pub fn run(args: &Args) -> ExitCode {
    let inputs = Input::all(&args.files, &ENDS);
    if inputs.len() > 1 && args.out.as_deref().is_some_and(|out| !is_folder(out)) {
        let message = "several records do not fit into one file; --out DIR/ takes them";
        return complain(&Error::new(Kind::InvalidParams, message), USAGE);
    }
    let mut written = HashSet::new();
    let mut code = 0;
    for input in inputs {
        if let Err(error) = input.and_then(|input| one(&input, args, &mut written)) {
            complain(&error, REFUSED);
            code = REFUSED;
        }
    }
    ExitCode::from(code)
}

/// Also when it is not there yet, but called like one.
fn is_folder(out: &Path) -> bool {
    out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn one(input: &Input, args: &Args, written: &mut HashSet<PathBuf>) -> Result<()> {
    let source = input.read()?;
    let name = input.name();
    let from = formats::detect(&source.bytes, Some(&name)).format;
    let to = match args.to {
        Some(To::Sgf) => Target::Sgf,
        Some(To::Pgn) => Target::Pgn,
        Some(To::DhtmlXq) => Target::DhtmlXq,
        None if from.is_some_and(Format::is_xiangqi) => Target::Pgn,
        None => Target::Sgf,
    };
    let charset = match args.charset {
        Charset::Utf8 => formats::Charset::Utf8,
        Charset::Gbk => formats::Charset::Gbk,
    };
    let options = Options { from, charset, ..Options::to(to) };
    let converted = formats::convert(&source.bytes, Some(&name), options)
        .map_err(|error| Error::new(Kind::InvalidParams, format!("{name}: {error}")))?;
    match place(input, to, args.out.as_deref()) {
        None => write_pipe(&converted.bytes)?,
        Some(path) => {
            put(&path, &converted, args.force && !written.contains(&path))?;
            written.insert(path);
        }
    }
    tell_losses(&name, &source, &converted);
    Ok(())
}

/// Where a result goes; `None` for stdout.
fn place(input: &Input, to: Target, out: Option<&Path>) -> Option<PathBuf> {
    let end = match to {
        Target::Sgf => "sgf",
        Target::Pgn => "pgn",
        Target::DhtmlXq => "ubb",
    };
    match (input, out) {
        (_, Some(out)) if out.as_os_str() == "-" => None,
        (Input::File(path), Some(out)) if is_folder(out) => {
            Some(out.join(path.file_name().unwrap_or_default()).with_extension(end))
        }
        (Input::Pipe, Some(out)) if is_folder(out) => Some(out.join("stdin").with_extension(end)),
        (_, Some(out)) => Some(out.to_owned()),
        (Input::File(path), None) => Some(path.with_extension(end)),
        (Input::Pipe, None) => None,
    }
}

fn put(path: &Path, converted: &Converted, force: bool) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::new(Kind::NotFound, format!("{}: {error}", folder.display())))?;
    }
    let outcome =
        if force { replace::write(path, &converted.bytes) } else { replace::add(path, &converted.bytes) };
    outcome.map_err(|error| match error {
        replace::ReplaceError::Changed => {
            let message = format!("{} is there already; --force overwrites it", path.display());
            Error::new(Kind::StaleDocument, message)
        }
        error => unreplaced(path, &error),
    })
}

/// What the result does not have, each with its place in the source as far as it is known.
fn tell_losses(name: &str, source: &SourceFile, converted: &Converted) {
    if converted.losses.is_empty() {
        return;
    }
    // Ranges are of the text as the readers of the text formats decode it.
    let text = decode(&source.bytes, Some("gb18030")).text;
    let lines = matches!(converted.from, Format::Pgn | Format::DhtmlXq).then(|| LineIndex::new(&text));
    for loss in &converted.losses {
        let place = match (loss, loss.place()) {
            (Loss::Line(..), _) | (_, None) => String::new(),
            (_, Some(place)) => {
                let span = place.span.zip(lines.as_ref()).map(|(span, lines)| {
                    let start = lines.place(&text, span.start as usize, Columns::Utf32);
                    format!(":{}:{}", start.line + 1, start.column + 1)
                });
                span.unwrap_or_else(|| match converted.games {
                    1 => String::new(),
                    _ => format!(": game {}", place.game + 1),
                })
            }
        };
        let message = format!("{name}{place}: {loss}");
        eprintln!("{}", super::check::one_line(&message));
    }
}
