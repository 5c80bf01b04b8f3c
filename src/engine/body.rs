//! What is behind an engine's lines: a program with a process group of its own, or the engine in the box
//! on a thread of this process.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc as std_mpsc};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWriteExt, DuplexStream};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot};

use super::builtin;
use super::error::{EngineError, ErrorKind, Exit};
use super::os;
use super::process::{Signal, group_alive, signal_group};
use super::reaper::Reaper;
use super::spec::{EngineSpec, Program};

/// What the engine in the box says and nobody has read yet, in bytes.
const UNREAD: usize = 64 * 1024;

/// Where an engine's output comes from.
pub(super) type Output = Box<dyn Source>;

/// A stream of bytes of whatever kind.
pub(super) trait Source: AsyncRead + Send + Unpin + std::fmt::Debug {}

impl<T: AsyncRead + Send + Unpin + std::fmt::Debug> Source for T {}

/// A body, and the ways to it and from it.
pub(super) struct Born {
    pub(super) body: Body,
    pub(super) stdin: mpsc::UnboundedSender<Vec<u8>>,
    pub(super) stdout: Output,
    pub(super) stderr: Option<ChildStderr>,
}

/// What runs.
#[derive(Debug)]
pub(super) enum Body {
    /// A program.
    Program { child: Child, group: u32, reaper: Arc<Reaper> },
    /// A thread.
    Thread { ended: oneshot::Receiver<()>, gone: Arc<AtomicBool> },
}

impl Body {
    /// Starts a program in a process group of its own.
    ///
    /// # Errors
    /// `EngineStartFailed` with the system's reason.
    pub(super) fn program(
        program: &Program,
        spec: &EngineSpec,
        reaper: &Arc<Reaper>,
    ) -> Result<Born, EngineError> {
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
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(write_lines(stdin, lines));
        let body = Body::Program { child, group, reaper: reaper.clone() };
        Ok(Born { body, stdin: sender, stdout: Box::new(stdout), stderr: Some(stderr) })
    }

    /// Starts the engine in the box.
    ///
    /// # Errors
    /// `EngineStartFailed` for arguments that it does not know, and without threads.
    pub(super) fn thread(spec: &EngineSpec) -> Result<Born, EngineError> {
        let options = builtin::Options::of_args(&spec.args)?;
        let gone = Arc::new(AtomicBool::new(false));
        let (stdout, out) = tokio::io::duplex(UNREAD);
        let (sender, lines) = mpsc::unbounded_channel();
        let (to_thread, from_here) = std_mpsc::channel();
        tokio::spawn(hand_over(lines, to_thread));
        let (ended, end) = oneshot::channel();
        let out = Said { out, runtime: tokio::runtime::Handle::current() };
        let watched = gone.clone();
        let serve = move || {
            builtin::serve(&options, from_here, out, &watched);
            let _ = ended.send(());
        };
        std::thread::Builder::new().name("kifud-engine".to_owned()).spawn(serve).map_err(|error| {
            let message = format!("there is no thread for the built-in engine: {error}");
            EngineError::new(ErrorKind::EngineStartFailed, message).cause("not-executable")
        })?;
        let body = Body::Thread { ended: end, gone };
        Ok(Born { body, stdin: sender, stdout: Box::new(stdout), stderr: None })
    }

    /// Its process group (= the program's process id); 0 for a thread.
    pub(super) fn group(&self) -> u32 {
        match self {
            Body::Program { group, .. } => *group,
            Body::Thread { .. } => 0,
        }
    }

    /// Waits for its end. Can be dropped and called again until then.
    pub(super) async fn wait(&mut self) -> Exit {
        match self {
            Body::Program { child, .. } => {
                child.wait().await.map_or(Exit { code: None, signal: None }, Exit::from)
            }
            // A thread that panics drops its end of the channel.
            Body::Thread { ended, .. } => {
                let code = ended.await.map_or(101, |()| 0);
                Exit { code: Some(code), signal: None }
            }
        }
    }

    /// Whether it has ended, as far as can be seen without waiting.
    pub(super) fn has_ended(&mut self) -> bool {
        match self {
            Body::Program { child, .. } => !matches!(child.try_wait(), Ok(None)),
            // It notices within a few playouts, and nothing is left of it then.
            Body::Thread { .. } => true,
        }
    }

    /// Asks it to end.
    pub(super) fn signal(&mut self, signal: Signal) {
        match self {
            Body::Program { child, group, .. } => {
                signal_group(*group, signal);
                if cfg!(not(unix)) {
                    let _ = child.start_kill();
                }
            }
            Body::Thread { gone, .. } => gone.store(true, Ordering::Relaxed),
        }
    }

    /// Killed processes take a moment to go. Bounded: a dead one that nobody waits for stays.
    pub(super) async fn group_gone(&self) {
        let Body::Program { group, .. } = self else { return };
        for _ in 0..20 {
            if !group_alive(*group) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends whatever it has left behind.
    pub(super) fn bury(&mut self) {
        self.signal(Signal::Kill);
        if let Body::Program { group, reaper, .. } = self {
            reaper.forget(*group);
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

/// The same for a thread.
async fn hand_over(mut lines: mpsc::UnboundedReceiver<Vec<u8>>, thread: std_mpsc::Sender<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if thread.send(line).is_err() {
            return;
        }
    }
}

/// What a thread says, on its way to the actor; waits while that has too much to read.
struct Said {
    out: DuplexStream,
    runtime: tokio::runtime::Handle,
}

impl std::io::Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.runtime.block_on(self.out.write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
