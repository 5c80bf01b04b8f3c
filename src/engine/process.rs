//! The program behind an engine: its pipes, its process group, its end.
//!
//! stdout is read by the owner; stderr is drained and stdin written by tasks of their own, so
//! that neither side can block the other with full pipes. Ends are always those of the whole
//! process group, since many engines are started through wrappers and shells.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::error::{EngineError, ErrorKind, Exit};
use super::lines::Lines;
use super::os;
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
    child: Child,
    group: u32,
    reaper: Arc<Reaper>,
    stdin: Option<mpsc::UnboundedSender<Vec<u8>>>,
    stdout: Lines<ChildStdout>,
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
        let fail = |cause, message| EngineError::new(ErrorKind::EngineStartFailed, message).cause(cause);
        let shown = program.program.display();
        let mut command = Command::new(&program.program);
        command.args(&program.args).envs(&spec.env);
        for key in &spec.unset {
            command.env_remove(key);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(not(unix))]
        command.kill_on_drop(true);
        if let Some(cwd) = &program.cwd {
            if !cwd.is_dir() {
                return Err(fail(
                    "no-folder",
                    format!("the working directory {} does not exist", cwd.display()),
                ));
            }
            command.current_dir(cwd);
        }
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                fail("not-found", format!("{shown} cannot be started: it, or what interprets it, is missing"))
            }
            std::io::ErrorKind::PermissionDenied => {
                fail("not-executable", format!("{shown} cannot be started: no permission"))
            }
            _ => fail("not-executable", format!("{shown} cannot be started: {error}")),
        })?;
        let group = child.id().unwrap_or_default();
        reaper.watch(group);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        if let Some(stdout) = &pipes.1 {
            os::widen_pipe(stdout);
        }
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            signal_group(group, Signal::Kill);
            return Err(fail("not-executable", format!("{shown} was started without pipes")));
        };
        let tail = Tail { bytes: VecDeque::new(), cut: false, heard: Instant::now() };
        let tail = Arc::new(Mutex::new(tail));
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(write_lines(stdin, lines));
        Ok(Process {
            child,
            group,
            reaper: reaper.clone(),
            stdin: Some(sender),
            stdout: Lines::new(stdout, max_line),
            stderr: Some(tokio::spawn(drain_stderr(stderr, tail.clone(), Stderr::new(tap.clone())))),
            tail,
            exit: None,
            patience: None,
            buried: false,
            tap,
        })
    }

    /// Its process group (= the program's process id).
    pub fn group(&self) -> u32 {
        self.group
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
                status = self.child.wait(), if self.exit.is_none() => {
                    self.ended_with(status);
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

    fn ended_with(&mut self, status: std::io::Result<std::process::ExitStatus>) {
        let exit = status.map_or(Exit { code: None, signal: None }, Exit::from);
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
            signal_group(self.group, signal);
            #[cfg(not(unix))]
            let _ = self.child.start_kill();
        }
        let _ = timeout(Duration::from_secs(2), self.ended()).await;
        self.bury();
        self.group_gone().await;
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
        self.group_gone().await;
        self.exit
    }

    fn stop_now(&mut self) {
        self.stdin = None;
        signal_group(self.group, Signal::Kill);
        #[cfg(not(unix))]
        let _ = self.child.start_kill();
    }

    async fn ended(&mut self) {
        while self.exit.is_none() {
            tokio::select! {
                () = self.stdout.fill(), if !self.stdout.ended => while self.pop() {},
                status = self.child.wait() => self.ended_with(status),
            }
        }
    }

    /// Killed processes take a moment to go. Bounded: a dead one that nobody waits for stays.
    async fn group_gone(&self) {
        for _ in 0..20 {
            if !group_alive(self.group) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends whatever the program has left behind in its group.
    fn bury(&mut self) {
        if !self.buried {
            self.buried = true;
            signal_group(self.group, Signal::Kill);
            self.reaper.forget(self.group);
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
            if self.exit.is_some() || !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Writes each command in one piece; ends, and with it the engine's stdin, when the owner
/// drops its end or the engine no longer reads.
async fn write_lines(mut stdin: ChildStdin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
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
