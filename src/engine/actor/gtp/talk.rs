//! Talking to the engine: commands sent, answers waited for.

use std::time::Duration;

use tokio::time::Instant;

use super::super::wait::Halt;
use super::link::{Link, Msg};
use super::{Actor, Gtp};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::spec::mask;

/// What ends any engine's analysis: a command that all know and that changes nothing. Neither an
/// empty line nor `stop` is understood everywhere.
pub(super) const ABORT: &str = "protocol_version";

/// An engine's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) ok: bool,
    pub(super) text: String,
}

impl Actor<Gtp> {
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
                    self.shared.set_stuck(true);
                    let message = "the engine still works on an older command; only detaching ends that";
                    let command = mask(&command, &self.secrets);
                    return Err(EngineError::new(ErrorKind::EngineBusy, message).command(command));
                }
                Err(halt) => return Err(self.halted(halt, &command).await),
            }
        }
        self.shared.set_stuck(false);
        Ok(())
    }
}
