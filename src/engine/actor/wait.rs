//! Waiting for the engine, and what ends a wait early.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::super::error::{EngineError, ErrorKind};
use super::super::process::Input;
use super::super::spec::mask;
use super::{Actor, Link, Talk};

/// Why waiting for the engine ended without an answer.
#[derive(Debug)]
pub(super) enum Halt {
    /// The program is gone or must be ended.
    Ended(Input),
    /// Patience is over.
    Timeout,
    /// The engine has answered a later command.
    Missed,
    /// The caller has given up.
    Withdrawn,
    /// The engine is being detached, or kifud ends.
    Leaving,
}

impl<T: Talk> Actor<T> {
    /// Waits for the next message, as long as anybody wants to wait.
    pub(super) async fn next(&mut self, until: Option<Instant>) -> Result<<T::Link as Link>::Msg, Halt> {
        loop {
            let Some(link) = &mut self.link else {
                return Err(Halt::Missed);
            };
            if self.leave.borrow().is_some() {
                return Err(Halt::Leaving);
            }
            let withdrawn = &mut self.withdrawn;
            return tokio::select! {
                biased;
                _ = self.leave.changed() => Err(Halt::Leaving),
                () = gone(withdrawn) => Err(Halt::Withdrawn),
                Some(job) = self.queue.recv() => {
                    self.desk.take_in(job, self.analysis.as_ref());
                    continue;
                }
                msg = link.next() => msg.map_err(Halt::Ended),
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => Err(Halt::Timeout),
            };
        }
    }

    pub(super) fn patience(&self) -> Option<Duration> {
        Some(self.setting.timeouts.command)
    }

    /// Turns an interrupted wait into the error for its caller. Whatever was sent is owed no longer.
    pub(super) async fn halted(&mut self, halt: Halt, command: &str) -> EngineError {
        if let Halt::Ended(end) = halt {
            return self.bury(end).await.command(mask(command, &self.secrets));
        }
        T::abandoned(self);
        let patience = self.setting.timeouts.command;
        let error = match halt {
            Halt::Timeout => {
                let message = format!("the engine has not answered within {patience:?}");
                EngineError::new(ErrorKind::EngineTimeout, message).cause("silent")
            }
            Halt::Missed => EngineError::new(
                ErrorKind::EngineTimeout,
                "the engine gave no answer, but answered a later command",
            )
            .cause("unanswered"),
            Halt::Withdrawn => {
                EngineError::new(ErrorKind::Cancelled, "the request was withdrawn").cause("withdrawn")
            }
            Halt::Leaving | Halt::Ended(_) => detached(),
        };
        let tail = self.stderr_tail().await;
        if command.is_empty() { error } else { error.command(mask(command, &self.secrets)).stderr(tail) }
    }

    pub(super) async fn stderr_tail(&mut self) -> String {
        match &mut self.link {
            Some(link) => mask(&link.process().stderr_tail().await, &self.secrets),
            None => String::new(),
        }
    }

    /// An error about an answer that the engine gave.
    pub(super) async fn refused(
        &mut self,
        kind: ErrorKind,
        message: impl Into<String>,
        command: &str,
        reply: &str,
    ) -> EngineError {
        let tail = self.stderr_tail().await;
        let secrets = &self.secrets;
        EngineError::new(kind, message)
            .command(mask(command, secrets))
            .reply(mask(reply, secrets))
            .stderr(tail)
    }
}

/// Resolves when the caller has given up; never when there is none.
pub(super) async fn gone(withdrawn: &mut Option<oneshot::Receiver<()>>) {
    match withdrawn {
        Some(receiver) => {
            let _ = receiver.await;
            *withdrawn = None;
        }
        None => std::future::pending().await,
    }
}

pub(super) fn detached() -> EngineError {
    EngineError::new(ErrorKind::Cancelled, "the engine is being detached").cause("detached")
}
