//! The program behind an engine: its pipes, its process group, its end.
//!
//! stdout is read by the owner; stderr is drained and stdin written by tasks of their own, so
//! that neither side can block the other with full pipes. Ends are always those of the whole
//! process group, since many engines are started through wrappers and shells.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::body::{Body, Born, Output};
use super::error::{EngineError, Exit};
use super::lines::Lines;
use super::reaper::Reaper;
use super::spec::{EngineSpec, Program};
use super::tap::{Stderr, Tap, Way};

/// How much of stderr is kept.
const TAIL_BYTES: usize = 4096;
const TAIL_LINES: usize = 40;
/// Output that is still read after the program has ended, when something else holds its pipe.
const AFTER_EXIT: Duration = Duration::from_millis(200);
/// What a program has said before its end is read for this long, when something else holds its pipe.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a program may live on after it has closed its stdout.
const AFTER_CLOSE: Duration = Duration::from_secs(1);

/// The two ways to ask a process group to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM
    Terminate,
    /// SIGKILL
    Kill,
}

/// Signals a whole process group; one that is gone already is no error.
#[cfg(unix)]
pub fn signal_group(group: u32, signal: Signal) {
    use rustix::process::{Pid, Signal as Unix, kill_process_group};
    let signal = match signal {
        Signal::Terminate => Unix::TERM,
        Signal::Kill => Unix::KILL,
    };
    if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

/// Whether any process of the group is left (one that nobody has waited for counts).
#[cfg(unix)]
pub fn group_alive(group: u32) -> bool {
    use rustix::process::{Pid, test_kill_process_group};
    i32::try_from(group).ok().and_then(Pid::from_raw).is_some_and(|pid| test_kill_process_group(pid).is_ok())
}

/// Process groups are Unix's; elsewhere only the child itself is ended.
#[cfg(not(unix))]
pub fn signal_group(_group: u32, _signal: Signal) {}

/// Process groups are Unix's.
#[cfg(not(unix))]
pub fn group_alive(_group: u32) -> bool {
    false
}

/// What the program did next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// It printed a line; [`Process::line`] is its text.
    Line,
    /// It ended.
    Exited(Exit),
    /// It closed its stdout but lives on.
    Closed,
    /// It prints without ever ending the line.
    Flood,
    /// It has said nothing for longer than its owner waits.
    Silent,
}

/// The last words on stderr, and when something was printed last.
#[derive(Debug)]
struct Tail {
    bytes: VecDeque<u8>,
    cut: bool,
    heard: Instant,
}

/// A running program. Dropping it kills its process group.
#[derive(Debug)]
pub struct Process {
    body: Body,
    stdin: Option<mpsc::UnboundedSender<Vec<u8>>>,
    stdout: Lines<Output>,
    tail: Arc<Mutex<Tail>>,
    stderr: Option<JoinHandle<()>>,
    exit: Option<Exit>,
    /// When to stop waiting for the other half of an end (exit or end of output).
    patience: Option<Instant>,
    buried: bool,
    tap: Tap,
}

impl Process {
    /// Starts the program in a process group of its own.
    ///
    /// # Errors
    /// `EngineStartFailed` with the system's reason.
    pub fn start(
        program: &Program,
        spec: &EngineSpec,
        max_line: usize,
        reaper: &Arc<Reaper>,
        tap: Tap,
    ) -> Result<Process, EngineError> {
        let born = Body::program(program, spec, reaper)?;
        tap.started(born.body.group(), &program.program, &spec.command_line());
        Ok(Process::of(born, max_line, tap))
    }

    /// Starts the engine in the box.
    ///
    /// # Errors
    /// `EngineStartFailed`
    pub fn start_builtin(spec: &EngineSpec, max_line: usize, tap: Tap) -> Result<Process, EngineError> {
        Body::thread(spec).map(|born| Process::of(born, max_line, tap))
    }

    fn of(born: Born, max_line: usize, tap: Tap) -> Process {
        let tail = Tail { bytes: VecDeque::new(), cut: false, heard: Instant::now() };
        let tail = Arc::new(Mutex::new(tail));
        let drain = |stderr| tokio::spawn(drain_stderr(stderr, tail.clone(), Stderr::new(tap.clone())));
        Process {
            stderr: born.stderr.map(drain),
            body: born.body,
            stdin: Some(born.stdin),
            stdout: Lines::new(born.stdout, max_line),
            tail,
            exit: None,
            patience: None,
            buried: false,
            tap,
        }
    }

    /// Its process group (= the program's process id); 0 when it is no program.
    pub fn group(&self) -> u32 {
        self.body.group()
    }

    /// Hands a line to the writer. Never waits; nothing is written to a program that has ended.
    pub fn write(&mut self, line: Vec<u8>) {
        if let (Some(stdin), None) = (&self.stdin, self.exit) {
            self.tap.line(Way::In, line.strip_suffix(b"\n").unwrap_or(&line));
            let _ = stdin.send(line);
        }
    }

    /// Waits for the next thing that the program does. Can be dropped and called again.
    pub async fn next(&mut self) -> Input {
        loop {
            if self.pop() {
                self.heard();
                return Input::Line;
            }
            if self.stdout.runaway() {
                return Input::Flood;
            }
            let late = self.patience.is_some_and(|until| until <= Instant::now());
            match self.exit {
                Some(exit) if self.stdout.ended || late => return Input::Exited(exit),
                None if self.stdout.ended && late => return Input::Closed,
                _ => {}
            }
            let patience = self.patience;
            tokio::select! {
                biased;
                () = self.stdout.fill(), if !self.stdout.ended => {
                    if self.stdout.ended && self.exit.is_none() {
                        self.patience = Some(Instant::now() + AFTER_CLOSE);
                    }
                }
                exit = self.body.wait(), if self.exit.is_none() => {
                    self.ended_with(exit);
                    self.patience = Some(Instant::now() + AFTER_EXIT);
                }
                () = sleep_until(patience.unwrap_or_else(Instant::now)), if patience.is_some() => {}
            }
        }
    }

    /// Takes the next whole line that was read.
    fn pop(&mut self) -> bool {
        let dropped = self.stdout.dropped;
        let popped = self.stdout.pop();
        let dropped = self.stdout.dropped - dropped;
        if dropped > 0 {
            self.tap.remark(|| format!("{dropped} of the engine's lines are too long and were left out"));
        }
        if popped {
            self.tap.line(Way::Out, self.stdout.line());
        }
        popped
    }

    fn ended_with(&mut self, exit: Exit) {
        self.exit = Some(exit);
        self.tap.remark(|| format!("the program has ended: {exit}"));
    }

    /// The line that [`Process::next`] has just announced, without its line end.
    pub fn line(&self) -> &[u8] {
        self.stdout.line()
    }

    /// The line after it, if that has been read already.
    pub fn waiting_line(&self) -> Option<&[u8]> {
        self.stdout.waiting_line()
    }

    /// Lines thrown away because they were too long, since this was asked last.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.stdout.dropped)
    }

    /// When the program last printed anything, on stdout or stderr.
    pub fn last_heard(&self) -> Instant {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).heard
    }

    fn heard(&self) {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).heard = Instant::now();
    }

    /// Forgets what stderr has said so far: it was for somebody else.
    pub fn forget_stderr(&self) {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes.clear();
        tail.cut = false;
    }

    /// The last lines of stderr. After an end it waits a moment for what is still in the pipe.
    pub async fn stderr_tail(&mut self) -> String {
        if self.exit.is_some()
            && let Some(task) = &mut self.stderr
        {
            if timeout(AFTER_EXIT, task).await.is_err() {
                // Something else holds the pipe; it is drained as long as it lives.
            }
            self.stderr = None;
        }
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Ends the program and its group: `goodbye` and end of stdin, after `term` SIGTERM, after
    /// `kill` more SIGKILL. Its output is read meanwhile; only the tap hears it.
    pub async fn stop(&mut self, goodbye: &str, term: Duration, kill: Duration) -> Option<Exit> {
        self.write(format!("{goodbye}\n").into_bytes());
        self.stdin = None;
        for (patience, signal) in [(term, Signal::Terminate), (kill, Signal::Kill)] {
            if timeout(patience, self.ended()).await.is_ok() {
                break;
            }
            self.tap.remark(|| format!("the program does not end by itself: {signal:?}"));
            self.body.signal(signal);
        }
        let _ = timeout(Duration::from_secs(2), self.ended()).await;
        self.bury();
        self.body.group_gone().await;
        let _ = timeout(LAST_WORDS, self.last_words()).await;
        self.exit
    }

    /// Lets the tap hear what is still in the pipe.
    async fn last_words(&mut self) {
        while !self.stdout.ended {
            self.stdout.fill().await;
            while self.pop() {}
        }
    }

    /// Kills the group at once and waits for the program's end.
    pub async fn kill(&mut self) -> Option<Exit> {
        self.stop_now();
        let _ = timeout(Duration::from_secs(2), self.ended()).await;
        self.bury();
        self.body.group_gone().await;
        self.exit
    }

    fn stop_now(&mut self) {
        self.stdin = None;
        self.body.signal(Signal::Kill);
    }

    async fn ended(&mut self) {
        while self.exit.is_none() {
            tokio::select! {
                () = self.stdout.fill(), if !self.stdout.ended => while self.pop() {},
                exit = self.body.wait() => self.ended_with(exit),
            }
        }
    }

    /// Ends whatever the program has left behind in its group.
    fn bury(&mut self) {
        if !self.buried {
            self.buried = true;
            self.body.bury();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.buried {
            return;
        }
        self.stop_now();
        self.bury();
        // Only reached when the actor was dropped or panicked. A killed program ends within
        // milliseconds; waiting for them leaves no zombie even when the runtime is gone.
        for _ in 0..40 {
            if self.exit.is_some() || self.body.has_ended() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

async fn drain_stderr(mut stderr: ChildStderr, tail: Arc<Mutex<Tail>>, mut tap: Stderr) {
    let mut chunk = vec![0; 8192];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        let read = chunk.get(..count).unwrap_or_default();
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(read);
        tap.push(read);
    }
}

impl Tail {
    fn push(&mut self, read: &[u8]) {
        self.heard = Instant::now();
        self.bytes.extend(read);
        let excess = self.bytes.len().saturating_sub(TAIL_BYTES);
        self.cut |= excess > 0;
        self.bytes.drain(..excess);
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // The first line is torn when something was cut off before it.
        let whole = match text.split_once('\n') {
            Some((_, rest)) if self.cut => rest,
            _ => &text,
        };
        let lines: Vec<&str> = whole.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        lines.get(lines.len().saturating_sub(TAIL_LINES)..).unwrap_or_default().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_whole_last_lines() {
        let mut tail = Tail { bytes: VecDeque::new(), cut: false, heard: Instant::now() };
        for number in 0..2000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.starts_with("line 1960\n") && text.ends_with("line 1999"), "{text}");
        assert!(tail.bytes.len() <= TAIL_BYTES);
    }
}
