//! `kifud fmt`: the layout of SGF files.

use std::path::PathBuf;
use std::process::ExitCode;

use super::input::{Input, write_pipe};
use super::{REFUSED, complain};
use crate::service::error::Result;
use crate::sgf::{Record, Style, format};

#[derive(clap::Args)]
pub struct Args {
    /// SGF files, folders (their .sgf files, also in folders below), or - for stdin to stdout.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One line a game, without white space that is not needed.
    #[arg(long)]
    compact: bool,
    /// Write nothing; exit code 1 when a file would change.
    #[arg(long)]
    check: bool,
}

/// Exit code 0, or 1 when something was refused or would change.
pub fn run(args: &Args) -> ExitCode {
    let mut code = 0;
    for input in Input::all(&args.files, &["sgf"]) {
        match input.and_then(|input| lay_out(&input, args)) {
            Ok(changes) if changes && args.check => code = REFUSED,
            Ok(_) => {}
            Err(error) => {
                complain(&error, REFUSED);
                code = REFUSED;
            }
        }
    }
    ExitCode::from(code)
}

/// Whether the record changes.
fn lay_out(input: &Input, args: &Args) -> Result<bool> {
    let source = input.read_sgf()?;
    let style = if args.compact { Style::Compact } else { Style::Canonical };
    let edits = format(&Record::parse(source.decoded.text.as_str()), style);
    if args.check {
        if !edits.is_empty() {
            super::print(&format!("{}: would be laid out", input.name()));
        }
    } else if !edits.is_empty() {
        input.write(&source, &source.edited(&edits)?)?;
    } else if *input == Input::Pipe {
        write_pipe(&source.bytes)?;
    }
    Ok(!edits.is_empty())
}
