//! The engine in the box with what [`crate::gtp_engine`] needs of the world: a clock, threads, files, and
//! somebody to talk to. It is a program of its own behind `kifud gtp`, and a thread of the daemon's
//! behind an engine of the protocol `builtin`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;

use clap::Parser;

use super::error::{EngineError, ErrorKind};
use crate::go::{Position, Step};
use crate::gtp_engine::{Engine, Host, Job};
use crate::sgf::{self, NodeId, Record, encoding};

/// Bytes of a record that is loaded, at most.
const MAX_FILE: u64 = 64 << 20;

/// How it searches.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct Options {
    /// Visits of a move, instead of time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub visits: Option<u32>,
    /// Where its random numbers begin: with one thread and a number of visits, the same seed always
    /// gives the same moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads that search at once; one core is left free when absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: Option<u16>,
}

impl Options {
    /// Reads them from an engine's arguments.
    ///
    /// # Errors
    /// `EngineStartFailed` that says what is wrong.
    pub fn of_args(args: &[String]) -> Result<Options, EngineError> {
        #[derive(Parser)]
        #[command(no_binary_name = true, disable_help_flag = true)]
        struct Args {
            #[command(flatten)]
            options: Options,
        }
        Args::try_parse_from(args).map(|args| args.options).map_err(|error| {
            let text = error.to_string();
            let text = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            EngineError::new(ErrorKind::EngineStartFailed, format!("the built-in engine: {text}"))
                .cause("arguments")
        })
    }

    fn engine(&self) -> Engine {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or(cores.saturating_sub(1).max(1), usize::from);
        let engine = Engine::new(self.seed).with_threads(threads);
        match self.visits {
            Some(visits) => engine.with_visits(visits),
            None => engine,
        }
    }
}

/// Talks until `quit`, the end of the lines, or `gone`: nobody hears it any more.
pub fn serve(options: &Options, lines: Receiver<Vec<u8>>, out: impl Write, gone: &AtomicBool) {
    let mut engine = options.engine();
    let mut seat = Seat {
        lines,
        waiting: RefCell::default(),
        ended: Cell::new(false),
        out,
        deaf: false,
        gone,
        start: Instant::now(),
    };
    while let Some(line) = seat.next() {
        if !engine.hear(&line, &mut seat) || seat.is_gone() {
            return;
        }
    }
}

/// What is around the engine.
struct Seat<'a, W> {
    lines: Receiver<Vec<u8>>,
    /// Lines that came while it was searching.
    waiting: RefCell<VecDeque<String>>,
    /// No more will come.
    ended: Cell<bool>,
    out: W,
    /// Nobody reads what it says.
    deaf: bool,
    gone: &'a AtomicBool,
    start: Instant,
}

impl<W> Seat<'_, W> {
    fn next(&mut self) -> Option<String> {
        loop {
            if let Some(line) = self.waiting.get_mut().pop_front() {
                return Some(line);
            }
            match self.lines.recv() {
                Ok(bytes) => self.take(&bytes),
                Err(_) => return None,
            }
        }
    }

    fn take(&self, bytes: &[u8]) {
        let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
        self.waiting.borrow_mut().extend(lines.map(|line| String::from_utf8_lossy(line).into_owned()));
    }
}

impl<W: Write> Host for Seat<'_, W> {
    fn say(&mut self, text: &str) {
        let said = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        self.deaf |= said.is_err();
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn is_wanted(&self) -> bool {
        match self.lines.try_recv() {
            Ok(bytes) => self.take(&bytes),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => self.ended.set(true),
        }
        self.ended.get() || !self.waiting.borrow().is_empty()
    }

    fn is_gone(&self) -> bool {
        self.deaf || self.gone.load(Ordering::Relaxed)
    }

    fn together(&self, first: &mut dyn FnMut(), others: Vec<Job<'_>>) {
        std::thread::scope(|scope| {
            for other in others {
                // Without another thread the search is slower, and right.
                let _ = std::thread::Builder::new().spawn_scoped(scope, other);
            }
            first();
        });
    }

    fn load(&self, path: &str, moves: Option<usize>) -> Result<Position, String> {
        let bytes = read(Path::new(path)).map_err(|error| error.to_string())?;
        let record = Record::parse(encoding::decode(&bytes, None).text);
        let root = record.game(0).ok_or("it is no SGF")?.root;
        position(&record, root, moves)
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Along the main line to its end, or to where the move of this number is the next.
fn position(record: &Record, root: NodeId, number: Option<usize>) -> Result<Position, String> {
    let line = std::iter::successors(Some(root), |node| record.children(*node).next());
    let line: Vec<NodeId> = line.collect();
    let last = line.last().copied().unwrap_or(root);
    let whole = sgf::position(record, last).map_err(|error| error.to_string())?.position;
    let Some(number) = number else { return Ok(whole) };
    let is_move = |step: &&Step| matches!(step, Step::Play(_));
    let made = number.saturating_sub(1);
    if made >= whole.steps.iter().filter(is_move).count() {
        return Ok(whole);
    }
    let mut moves = 0;
    let kept = whole.steps.iter().take_while(|step| {
        moves += usize::from(is_move(step));
        moves <= made
    });
    let steps: Vec<Step> = kept.cloned().collect();
    let next = whole.steps.get(steps.len());
    let to_play = match next {
        Some(Step::Play(play)) => play.color,
        _ => whole.to_play,
    };
    Ok(Position { steps, to_play, ..whole })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn talk(args: &str, lines: &[&str]) -> String {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        let (sender, receiver) = mpsc::channel();
        for line in lines {
            sender.send(format!("{line}\n").into_bytes()).unwrap();
        }
        drop(sender);
        let mut said = Vec::new();
        serve(&Options::of_args(&args).unwrap(), receiver, &mut said, &AtomicBool::new(false));
        String::from_utf8(said).unwrap()
    }

    #[test]
    fn one_piece_may_hold_several_lines() {
        assert_eq!(talk("", &["1 boardsize 5\n2 play b c3", "quit", "name"]), "=1 \n\n=2 \n\n= \n\n");
    }

    #[test]
    fn the_same_seed_gives_the_same_move() {
        let game = ["boardsize 7", "genmove b", "genmove w", "genmove b"];
        let said = talk("--visits 200 --threads 1 --seed 7", &game);
        assert_eq!(said.matches("= ").count(), 4, "{said}");
        assert_eq!(said, talk("--visits 200 --threads 1 --seed 7", &game));
    }

    #[test]
    fn two_threads_share_a_search() {
        let said = talk(
            "--threads 2",
            &["boardsize 9", "kata-set-param maxVisits 500", "kata-search_analyze b 1000 rootInfo true"],
        );
        let visits = said.split("rootInfo visits ").nth(1).unwrap().split(' ').next().unwrap();
        let visits: u32 = visits.parse().unwrap();
        assert!((500..=502).contains(&visits), "{visits}: at most one more a thread");
    }

    #[test]
    fn nobody_who_hears_ends_a_search() {
        let (sender, receiver) = mpsc::channel();
        sender.send(b"genmove b\n".to_vec()).unwrap();
        let options = Options { visits: Some(50_000_000), ..Options::default() };
        serve(&options, receiver, Vec::new(), &AtomicBool::new(true));
    }

    #[test]
    fn records_are_loaded_to_a_move() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        std::fs::write(&path, "(;SZ[5]KM[3.5]AB[aa];B[cc];W[dd](;B[bb])(;B[ee]))").unwrap();
        let load = |number: &str| {
            let loaded =
                talk("", &[&format!("loadsgf {} {number}", path.display()), "get_komi", "showboard", "undo"]);
            let black = loaded.matches('X').count();
            (loaded.contains("3.5"), black, loaded.matches('O').count())
        };
        assert_eq!(load(""), (true, 3, 1));
        assert_eq!(load("2"), (true, 2, 0));
        assert_eq!(load("1"), (true, 1, 0));
        assert_eq!(load("99"), (true, 3, 1));
        assert!(talk("", &["loadsgf /nowhere/x.sgf"]).starts_with("? Could not load sgf:"));
    }

    #[test]
    fn arguments() {
        let args = |text: &str| Options::of_args(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(args("--visits 5 --threads 2").unwrap().visits, Some(5));
        let error = args("--visits 0").unwrap_err();
        assert!(error.message.contains("--visits"), "{error}");
        assert!(args("--playouts 5").unwrap_err().message.contains("--playouts"));
    }
}
