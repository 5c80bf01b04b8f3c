//! `kifud capture`: records what real engines print while they analyse.
//!
//! A matrix file names engines, positions and commands. Each cell of it is one program started
//! afresh, one position, one command; raw GTP, because the bytes are what is wanted. The
//! recordings feed `kifud replay` and the tests of the parser.

mod manifest;
mod matrix;
mod program;
mod session;
mod target;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use manifest::{Entry, Manifest};
use matrix::{Cell, Matrix};
use target::Target;

use super::{REFUSED, USAGE};
use crate::engine::process::Process;
use crate::engine::reaper::Reaper;
use crate::engine::{EngineSpec, Program, Tap, Timeouts};
use crate::replace::ReplaceError;

/// Last lines of a failed engine's stderr that are shown.
const STDERR_LINES: usize = 6;

/// Arguments of `kifud capture`.
#[derive(clap::Args)]
pub struct Args {
    /// What to record: engines, positions, commands (TOML).
    #[arg(long, value_name = "FILE", default_value = "fixtures/transcripts/matrix.toml")]
    matrix: PathBuf,
    /// Where the recordings go; the folder of the matrix when absent.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only this engine, ENGINE/POSITION or ENGINE/POSITION.COMMAND; may be given several times.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Name the recordings and end.
    #[arg(long)]
    list: bool,
}

/// Exit 0 when every cell was recorded, 1 when one failed or nothing was recorded, 2 when the
/// matrix or the arguments are wrong.
pub fn run(args: &Args) -> ExitCode {
    let complain = |reason: String| {
        eprintln!("kifud capture: {reason}");
        ExitCode::from(USAGE)
    };
    let matrix = match Matrix::read(&args.matrix) {
        Ok(matrix) => matrix,
        Err(reason) => return complain(reason),
    };
    let known = |only: &&String| !matrix.cells().any(|cell| cell.is_meant_by(only));
    if let Some(only) = args.only.iter().find(known) {
        return complain(format!("--only {only}: no such recording; --list names them all"));
    }
    let wanted =
        |cell: &Cell<'_>| args.only.is_empty() || args.only.iter().any(|only| cell.is_meant_by(only));
    let cells: Vec<Cell<'_>> = matrix.cells().filter(wanted).collect();
    if args.list {
        cells.iter().all(|cell| super::print(&cell.name()));
        return ExitCode::SUCCESS;
    }
    let out = args.out.clone().unwrap_or_else(|| matrix.folder.clone());
    let manifest = match Manifest::read(&out) {
        Ok(manifest) => manifest,
        Err(reason) => return complain(reason),
    };
    let started = std::env::current_exe().and_then(|program| Ok((super::runtime()?, Reaper::new(program))));
    let (runtime, reaper) = match started {
        Ok((runtime, reaper)) => (runtime, Arc::new(reaper)),
        Err(error) => return complain(format!("cannot start: {error}")),
    };
    let mut run =
        Run { matrix: &matrix, out: &out, manifest, reaper, programs: BTreeMap::new(), recorded: 0 };
    let began = Instant::now();
    let whole = runtime.block_on(async {
        tokio::select! {
            () = run.all(&cells) => true,
            // The engine ends with the future that held it; what is recorded is in the manifest.
            _ = tokio::signal::ctrl_c() => false,
        }
    });
    if !whole {
        eprintln!("interrupted");
    }
    eprintln!("{} of {} recorded, {:.0} s", run.recorded, cells.len(), began.elapsed().as_secs_f64());
    if run.recorded == 0 || run.recorded < cells.len() { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS }
}

/// The work of one call.
struct Run<'a> {
    matrix: &'a Matrix,
    out: &'a Path,
    manifest: Manifest,
    reaper: Arc<Reaper>,
    /// How each engine is started, or why it cannot be; found once.
    programs: BTreeMap<&'a str, Result<Program, String>>,
    recorded: usize,
}

impl<'a> Run<'a> {
    async fn all(&mut self, cells: &[Cell<'a>]) {
        for (index, cell) in cells.iter().enumerate() {
            let began = Instant::now();
            let place = format!("[{}/{}] {}", index + 1, cells.len(), cell.name());
            match self.cell(cell).await {
                Ok(lines) => {
                    self.recorded += 1;
                    eprintln!("{place}: {lines} lines, {:.1} s", began.elapsed().as_secs_f64());
                }
                Err(reason) => eprintln!("{place} FAILED: {reason}"),
            }
        }
    }

    /// Records one cell; the number of its lines.
    async fn cell(&mut self, cell: &Cell<'a>) -> Result<usize, String> {
        let id = cell.engine.id.as_str();
        let program = match self.programs.get(id) {
            Some(program) => program.clone(),
            None => {
                let program = program::prepare(self.matrix, cell.engine).await;
                self.programs.insert(id, program.clone());
                program
            }
        }?;
        let target = Target::read(&self.matrix.folder.join(&self.matrix.games), cell.position)?;
        let limits = &self.matrix.capture;
        let max_line = Timeouts::default().max_line;
        let spec = EngineSpec::default();
        let mut process = Process::start(&program, &spec, max_line, &self.reaper, Tap::default())
            .map_err(|error| error.to_string())?;
        let recorded = session::record(&mut process, &target.commands(cell, limits), limits).await;
        let recording = match recorded {
            Ok(recording) => recording,
            Err(reason) => return Err(with_last_words(reason, &process.stderr_tail().await)),
        };
        if !recording.version.starts_with(&cell.engine.version) {
            let (answer, version) = (&recording.version, &cell.engine.version);
            return Err(format!("`version`: the engine says {answer:?}, the matrix {version:?}"));
        }
        let entry = Entry::new(cell, &target, limits, &recording);
        let unwritable = |error: ReplaceError| format!("{}: {error}", self.out.display());
        self.manifest.add(self.out, entry, &recording).map_err(unwritable)?;
        Ok(recording.lines.len())
    }
}

/// A reason and the end of what the engine said on stderr.
fn with_last_words(reason: String, stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().collect();
    let last = lines.get(lines.len().saturating_sub(STDERR_LINES)..).unwrap_or_default();
    last.iter().fold(reason, |text, line| text + "\n    " + line)
}
