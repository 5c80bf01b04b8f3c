//! `kifud check`: what is wrong with records, for people, scripts and CI.

mod excerpt;
mod mend;
mod show;

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::input::{Input, write_pipe};
use super::{REFUSED, USAGE};
use crate::locale::Locale;
use crate::service::error::Result;
use crate::service::files::SourceFile;
use crate::service::levels;
use crate::text::Levels;
pub use excerpt::one_line;
use mend::Mended;
use show::{Look, Sum, Text};

#[derive(clap::Args)]
pub struct Args {
    /// Records (SGF; PGN and DhtmlXQ of xiangqi), patterns of them (*, ?, **), folders (their .sgf, .pgn, .ubb and
    /// .dhtmlxq files, also in folders below), or - for stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One JSON object a finding and line: file, line, column, endLine, endColumn (characters, from 1; the end
    /// is the first place behind), code, severity, message, fix.
    #[arg(long)]
    json: bool,
    /// Put right what can be put right unseen: in the file and its own charset, or from stdin to stdout.
    #[arg(long)]
    fix: bool,
    /// The language of messages.
    #[arg(long, value_enum, default_value_t)]
    locale: Language,
}

#[derive(clap::ValueEnum, Clone, Copy, Default)]
enum Language {
    #[default]
    En,
    Zh,
}

/// Exit code 0 when there are no errors, 1 when there are or something was refused, 2 for wrong usage and a
/// `.kifud.toml` that cannot be read.
pub fn run(args: &Args) -> ExitCode {
    let inputs = Input::all(&args.files, &["sgf", "pgn", "ubb", "dhtmlxq"]);
    let mut run = Run::new(args, args.fix && inputs.iter().flatten().any(|input| *input == Input::Pipe));
    for input in inputs {
        let checked = input.and_then(|input| run.check(&input));
        if let Err(error) = checked {
            run.refuse(&error.message, REFUSED);
        }
    }
    if !args.json && run.sum.files > 0 {
        let line = run.sum.line(run.look);
        run.print(&line);
    }
    ExitCode::from(if run.sum.has_errors() { run.code.max(REFUSED) } else { run.code })
}

struct Run<'a> {
    args: &'a Args,
    look: Look,
    /// stdout is taken by the fixed text.
    to_stderr: bool,
    sum: Sum,
    code: u8,
    /// The levels of each `.kifud.toml`; `None` for those that cannot be read.
    levels: HashMap<PathBuf, Option<Levels>>,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args, to_stderr: bool) -> Run<'a> {
        let terminal =
            if to_stderr { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
        // https://no-color.org
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let locale = match args.locale {
            Language::En => Locale::English,
            Language::Zh => Locale::Chinese,
        };
        let look = Look { locale, color: terminal && !plain };
        Run { args, look, to_stderr, sum: Sum::default(), code: 0, levels: HashMap::new() }
    }

    fn check(&mut self, input: &Input) -> Result<()> {
        let source = input.read_record()?;
        let Some(levels) = self.levels_for(input) else {
            // Unchecked, but not lost on its way through a pipe.
            return self.pass_through(input, &source);
        };
        let mut mended = Mended::default();
        if self.args.fix {
            match mend::mend(&source, &levels).and_then(|mended| self.put(input, &source, mended)) {
                Ok(done) => mended = done,
                Err(error) => {
                    self.refuse(&error.message, REFUSED);
                    mended.findings = mend::findings(&source, &levels);
                    self.pass_through(input, &source)?;
                }
            }
        } else {
            mended.findings = mend::findings(&source, &levels);
        }
        self.report(input, &source, &mended);
        Ok(())
    }

    /// Writes what was mended; a file without fixes is not touched.
    fn put(&self, input: &Input, source: &SourceFile, mended: Mended) -> Result<Mended> {
        match (&mended.edited, input) {
            (Some(edited), _) => input.write(source, edited)?,
            (None, Input::Pipe) => write_pipe(&source.bytes)?,
            (None, Input::File(_)) => {}
        }
        Ok(mended)
    }

    fn pass_through(&self, input: &Input, source: &SourceFile) -> Result<()> {
        if self.args.fix && *input == Input::Pipe { write_pipe(&source.bytes) } else { Ok(()) }
    }

    fn report(&mut self, input: &Input, source: &SourceFile, mended: &Mended) {
        self.sum.add(&mended.findings);
        self.sum.fixed += mended.done.len();
        let checked = mended.edited.as_ref().unwrap_or(source);
        let name = input.name();
        let text = Text::new(&name, &checked.decoded.text);
        let mut shown = String::new();
        for (place, finding) in &mended.done {
            shown.push_str(&match self.args.json {
                true => text.json(finding, Some(*place), self.look.locale),
                false => text.fixed(*place, finding, self.look),
            });
        }
        for finding in &mended.findings {
            shown.push_str(&match self.args.json {
                true => text.json(finding, None, self.look.locale),
                false => text.finding(finding, self.look),
            });
        }
        self.print(&shown);
    }

    /// The levels that count for an input. A file that cannot be read is told once.
    fn levels_for(&mut self, input: &Input) -> Option<Levels> {
        let Some(file) = levels::find(input.folder()) else { return Some(Levels::default()) };
        if let Some(known) = self.levels.get(&file) {
            return known.clone();
        }
        let levels = match levels::read(&file) {
            Ok(levels) => Some(levels),
            Err(error) => {
                self.refuse(&error.message, USAGE);
                None
            }
        };
        self.levels.insert(file, levels.clone());
        levels
    }

    fn refuse(&mut self, message: &str, code: u8) {
        eprintln!("kifud: {}", one_line(message));
        self.code = self.code.max(code);
    }

    /// Somebody who has read enough is no fault.
    fn print(&self, text: &str) {
        let _ = if self.to_stderr {
            std::io::stderr().lock().write_all(text.as_bytes())
        } else {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        };
    }
}
