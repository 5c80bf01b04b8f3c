//! Who hears what goes over an engine's pipes. The one place is [`super::process`], where all bytes of
//! an engine are read and written; the actor adds what else there is to say.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::handle::State;

/// Which way a line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// To the engine's stdin.
    In,
    /// From its stdout.
    Out,
    /// From its stderr.
    Err,
    /// Nowhere: a remark of kifud.
    Meta,
}

/// Hears an engine. Called from the tasks that drive it: it must not wait.
pub trait Ear: fmt::Debug + Send + Sync {
    /// A line, without its end. Secrets are still in it.
    fn line(&self, way: Way, line: &[u8]);
    /// The engine does something else now.
    fn state(&self, state: State);
    /// From now on it works for this party ([`super::Engine::party`]); for all of them while it starts.
    fn turn(&self, _party: Option<u64>) {}
    /// A process was started for it: its id, the program, and the command that named it, secrets masked.
    fn started(&self, process: u32, program: &Path, command: &str) {
        let _ = (process, program, command);
    }
}

/// Where an engine is heard; nobody hears by default.
#[derive(Debug, Clone, Default)]
pub struct Tap(Option<Arc<dyn Ear>>);

impl Tap {
    /// A tap with somebody at it.
    pub fn new(ear: Arc<dyn Ear>) -> Tap {
        Tap(Some(ear))
    }

    pub(super) fn line(&self, way: Way, line: &[u8]) {
        if let Some(ear) = &self.0 {
            ear.line(way, line.strip_suffix(b"\r").unwrap_or(line));
        }
    }

    pub(super) fn remark(&self, remark: impl FnOnce() -> String) {
        if let Some(ear) = &self.0 {
            ear.line(Way::Meta, remark().as_bytes());
        }
    }

    pub(super) fn turn(&self, party: Option<u64>) {
        if let Some(ear) = &self.0 {
            ear.turn(party);
        }
    }

    pub(super) fn started(&self, process: u32, program: &Path, command: &str) {
        if let Some(ear) = &self.0 {
            ear.started(process, program, command);
        }
    }

    pub(super) fn state(&self, state: State) {
        if let Some(ear) = &self.0 {
            ear.state(state);
        }
    }
}

/// What is kept of a line of stderr that has no end yet; longer ones are told in pieces.
const PIECE: usize = 16 * 1024;

/// Cuts stderr into lines for a tap.
#[derive(Debug)]
pub(super) struct Stderr {
    tap: Tap,
    begun: Vec<u8>,
}

impl Stderr {
    pub(super) fn new(tap: Tap) -> Stderr {
        Stderr { tap, begun: Vec::new() }
    }

    pub(super) fn push(&mut self, mut read: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', read) {
            let (line, rest) = read.split_at(end);
            self.begun.extend_from_slice(line);
            self.tell();
            read = rest.get(1..).unwrap_or_default();
        }
        self.begun.extend_from_slice(read);
        if self.begun.len() >= PIECE {
            self.tell();
        }
    }

    fn tell(&mut self) {
        self.tap.line(Way::Err, &self.begun);
        self.begun.clear();
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        if !self.begun.is_empty() {
            self.tell();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Debug, Default)]
    struct Notes(Mutex<Vec<(Way, String)>>);

    impl Ear for Notes {
        fn line(&self, way: Way, line: &[u8]) {
            self.0.lock().unwrap().push((way, String::from_utf8_lossy(line).into_owned()));
        }

        fn state(&self, _: State) {}
    }

    #[test]
    fn stderr_comes_in_lines_however_it_is_cut() {
        for size in [1, 2, 3, 100] {
            let notes = Arc::new(Notes::default());
            let mut stderr = Stderr::new(Tap::new(notes.clone()));
            b"one\r\n\ntwo\nrest".chunks(size).for_each(|chunk| stderr.push(chunk));
            drop(stderr);
            let heard: Vec<_> = notes.0.lock().unwrap().iter().map(|(_, line)| line.clone()).collect();
            assert_eq!(heard, ["one", "", "two", "rest"], "in pieces of {size}");
        }
    }

    #[test]
    fn stderr_without_line_ends_does_not_fill_memory() {
        let notes = Arc::new(Notes::default());
        let mut stderr = Stderr::new(Tap::new(notes.clone()));
        for _ in 0..1000 {
            stderr.push(&[b'x'; 8192]);
            assert!(stderr.begun.len() < PIECE);
        }
        assert_eq!(notes.0.lock().unwrap().iter().map(|(_, line)| line.len()).sum::<usize>(), 1000 * 8192);
    }
}
