//! Talking to the engine: commands sent, answers waited for, waits interrupted.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::super::error::{EngineError, ErrorKind};
use super::super::process::Input;
use super::super::spec::mask;
use super::Actor;
use super::link::{Link, Msg};

/// What ends any engine's analysis: a command that all know and that changes nothing. Neither an
/// empty line nor `stop` is understood everywhere.
pub(super) const ABORT: &str = "protocol_version";

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

/// An engine's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) ok: bool,
    pub(super) text: String,
}

impl Actor {
    /// Waits for the next message, as long as anybody wants to wait.
    pub(super) async fn next(&mut self, until: Option<Instant>) -> Result<Msg, Halt> {
        let Some(link) = &mut self.link else {
            return Err(Halt::Missed);
        };
        if self.leave.borrow().is_some() {
            return Err(Halt::Leaving);
        }
        let withdrawn = &mut self.withdrawn;
        tokio::select! {
            biased;
            _ = self.leave.changed() => Err(Halt::Leaving),
            () = gone(withdrawn) => Err(Halt::Withdrawn),
            msg = link.next() => match msg {
                Msg::End(end) => Err(Halt::Ended(end)),
                msg => Ok(msg),
            },
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => Err(Halt::Timeout),
        }
    }

    /// The whole answer to a command that was sent. Each of its lines renews the patience.
    pub(super) async fn answer(&mut self, id: u32, patience: Option<Duration>) -> Result<Response, Halt> {
        let mut response = Response::default();
        let mut until = patience.map(|patience| Instant::now() + patience);
        loop {
            let msg = self.next(until).await?;
            if self.collect(&msg, id, &mut response)? {
                return Ok(response);
            }
            if matches!(msg, Msg::Open { .. } | Msg::Line { .. }) {
                until = patience.map(|patience| Instant::now() + patience);
            }
        }
    }

    /// Adds a message to the answer it belongs to; true when that is complete.
    pub(super) fn collect(&self, msg: &Msg, wanted: u32, response: &mut Response) -> Result<bool, Halt> {
        match msg {
            Msg::Open { id, ok, text } if *id == wanted => {
                *response = Response { ok: *ok, text: text.clone() };
            }
            Msg::Line { id } if *id == wanted => {
                let line = self.link.as_ref().map(Link::line).unwrap_or_default();
                if response.text.len() + line.len() < self.setting.timeouts.max_line {
                    if !response.text.is_empty() {
                        response.text.push('\n');
                    }
                    response.text.push_str(&String::from_utf8_lossy(line));
                }
            }
            Msg::Close { id } if *id == wanted => return Ok(true),
            Msg::Missed { id } if *id == wanted => return Err(Halt::Missed),
            _ => {}
        }
        Ok(false)
    }

    /// Sends a command and waits for its answer.
    pub(super) async fn exchange(
        &mut self,
        command: &str,
        patience: Option<Duration>,
    ) -> Result<Response, EngineError> {
        let id = self.post(command);
        match self.answer(id, patience).await {
            Ok(response) => Ok(response),
            Err(halt) => Err(self.halted(halt, command).await),
        }
    }

    pub(super) fn post(&mut self, command: &str) -> u32 {
        self.link.as_mut().map_or(0, |link| link.send(command))
    }

    pub(super) fn patience(&self) -> Option<Duration> {
        Some(self.setting.timeouts.command)
    }

    /// Makes the engine ready for a request: it runs, and owes no answer. An answer that was
    /// given up is waited for, or seen to be missing when a later command is answered.
    pub(super) async fn make_ready(&mut self) -> Result<(), EngineError> {
        if self.link.is_none() {
            self.restart().await?;
        }
        let until = Instant::now() + self.setting.timeouts.command;
        if let Some(link) = self.link.as_mut().filter(|link| link.unanswered().is_some()) {
            link.probe();
        }
        while let Some(command) = self.link.as_ref().and_then(Link::unanswered).map(str::to_owned) {
            match self.next(Some(until)).await {
                Ok(_) => {}
                Err(Halt::Timeout) => {
                    let message = "the engine still works on an older command; only detaching ends that";
                    let command = mask(&command, &self.secrets);
                    return Err(EngineError::new(ErrorKind::EngineBusy, message).command(command));
                }
                Err(halt) => return Err(self.halted(halt, &command).await),
            }
        }
        Ok(())
    }

    /// Turns an interrupted wait into the error for its caller. Whatever was sent is owed no
    /// longer, and the engine's board is unknown.
    pub(super) async fn halted(&mut self, halt: Halt, command: &str) -> EngineError {
        if let Halt::Ended(end) = halt {
            return self.bury(end).await.command(mask(command, &self.secrets));
        }
        if let Some(link) = &mut self.link {
            link.abandon();
        }
        self.forget_board();
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
            Some(link) => mask(&link.process.stderr_tail().await, &self.secrets),
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
