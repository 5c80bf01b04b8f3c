//! `kifud rpc --connect`: the same calls, made to the shared daemon.

use std::collections::HashSet;
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use super::{Line, REFUSED, print};
use crate::cli::runtime;
use crate::cli::shared::Given;
use crate::service::methods;
use crate::service::settings::Settings;
use crate::transport::framing::{Frame, Frames, Framing};
use crate::transport::local::{self, Greeted};
use crate::transport::stdio::Limits;
use crate::transport::streams::Output;

/// Messages that may wait.
const WAITING: usize = 64;

pub fn run(settings: &Settings, given: &Given, method: &str, params: Option<&RawValue>) -> ExitCode {
    let limit = Limits::of(&settings.limits, true).message;
    let place = given.place();
    let work = async {
        let daemon = local::look(&place).await.map_err(|trouble| trouble.to_string())?;
        let daemon = daemon.ok_or("no shared daemon is running; kifud connect starts one")?;
        let cwd = std::env::current_dir().ok();
        let greeted = local::enter(daemon, cwd.as_deref(), limit).await;
        let mut daemon = Daemon::of(greeted.map_err(|trouble| trouble.to_string())?);
        match method {
            "-" => daemon.lines().await,
            method => daemon.once(method, params).await,
        }
    };
    let outcome = runtime().map_err(|error| error.to_string()).and_then(|runtime| {
        let outcome = runtime.block_on(work);
        // A blocking read of stdin cannot be interrupted; nobody waits for it.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(REFUSED),
        Err(why) => {
            eprintln!("kifud: {why}");
            ExitCode::from(REFUSED)
        }
    }
}

/// What the daemon says.
#[derive(Deserialize)]
struct Incoming {
    id: Option<Value>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Event {
    subscription: String,
    result: Box<RawValue>,
}

/// What is read of an event.
#[derive(Deserialize)]
struct State {
    state: Option<String>,
}

impl Event {
    fn is_last(&self) -> bool {
        serde_json::from_str::<State>(self.result.get())
            .is_ok_and(|read| read.state.is_some_and(|state| state == "ended"))
    }
}

/// The other end, and the streams that are open there.
struct Daemon {
    output: Output,
    incoming: mpsc::Receiver<Incoming>,
    streams: HashSet<String>,
}

const LOST: &str = "the shared daemon has closed the connection";

impl Daemon {
    fn of(greeted: Greeted) -> Daemon {
        let Greeted { mut frames, output, .. } = greeted;
        let (send, incoming) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            while let Ok(Frame::Body(body)) = frames.next().await {
                let Ok(message) = serde_json::from_slice::<Incoming>(&body) else { continue };
                if send.send(message).await.is_err() {
                    return;
                }
            }
        });
        Daemon { output, incoming, streams: HashSet::new() }
    }

    async fn send(&mut self, id: u64, method: &str, params: Option<&RawValue>) -> Result<(), String> {
        let body =
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params.unwrap_or(RawValue::NULL)});
        let mut request = Vec::new();
        Framing::ContentLength.write(&mut request, &[body.to_string().as_bytes()]);
        self.output.write_all(&request).await.map_err(|_| LOST.to_owned())
    }

    /// The answer to a request; events are handed over as they come.
    async fn answer(
        &mut self,
        id: u64,
        mut event: impl FnMut(&str, Event) -> bool,
    ) -> Result<Incoming, String> {
        loop {
            let message = self.incoming.recv().await.ok_or(LOST)?;
            if message.method.is_none() && message.id == Some(id.into()) {
                return Ok(message);
            }
            if !self.hear(message, &mut event) {
                return Err("nobody reads stdout any more".to_owned());
            }
        }
    }

    /// Hands an event over; false when nobody wants it.
    fn hear(&mut self, message: Incoming, event: &mut impl FnMut(&str, Event) -> bool) -> bool {
        let read = message.params.and_then(|params| serde_json::from_str::<Event>(params.get()).ok());
        let (Some(method), Some(told)) = (message.method, read) else { return true };
        if told.is_last() {
            self.streams.remove(&told.subscription);
        }
        event(&method, told)
    }

    /// Notes a stream that an answer has opened.
    fn opened(&mut self, method: &str, result: &RawValue) {
        let is_stream = methods::table().method(method).is_some_and(|method| method.events.is_some());
        if let (true, Ok(id)) = (is_stream, serde_json::from_str(result.get())) {
            self.streams.insert(id);
        }
    }

    /// One call: the result on stdout, or the error on stderr; a stream's events, a line each.
    async fn once(&mut self, method: &str, params: Option<&RawValue>) -> Result<bool, String> {
        let mut show = |_: &str, event: Event| print(event.result.get());
        self.send(1, method, params).await?;
        let answer = self.answer(1, &mut show).await?;
        if let Some(error) = answer.error {
            eprintln!("{}", error.get());
            return Ok(false);
        }
        let result = answer.result.unwrap_or_default();
        self.opened(method, &result);
        if self.streams.is_empty() {
            return Ok(print(result.get()));
        }
        self.rest(&mut show).await
    }

    /// Waits for the ends of streams.
    async fn rest(&mut self, event: &mut impl FnMut(&str, Event) -> bool) -> Result<bool, String> {
        while !self.streams.is_empty() {
            let message = self.incoming.recv().await.ok_or(LOST)?;
            if !self.hear(message, event) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls from stdin, one after the other; streams go on beside them and are waited for at the end.
    async fn lines(&mut self) -> Result<bool, String> {
        let mut show = |method: &str, event: Event| {
            let Event { subscription, result } = event;
            let subscription = Value::from(subscription);
            print(&format!(
                r#"{{"method":"{method}","params":{{"subscription":{subscription},"result":{}}}}}"#,
                result.get()
            ))
        };
        let mut input = BufReader::new(tokio::io::stdin()).split(b'\n');
        let (mut all_well, mut number) = (true, 0);
        loop {
            let line = tokio::select! {
                line = input.next_segment() => line.map_err(|error| format!("stdin cannot be read: {error}"))?,
                message = self.incoming.recv() => {
                    if !self.hear(message.ok_or(LOST)?, &mut show) {
                        return Ok(false);
                    }
                    continue;
                }
            };
            let Some(line) = line else { break };
            if line.trim_ascii().is_empty() {
                continue;
            }
            number += 1;
            let line: Line =
                serde_json::from_slice(&line).map_err(|error| format!("line {number}: {error}"))?;
            let id = line.id.unwrap_or_else(|| number.into());
            self.send(number, &line.method, line.params.as_deref()).await?;
            let answer = self.answer(number, &mut show).await?;
            let result = answer.result.unwrap_or_default();
            let shown = match &answer.error {
                Some(error) => format!(r#"{{"id":{id},"error":{}}}"#, error.get()),
                None => format!(r#"{{"id":{id},"result":{}}}"#, result.get()),
            };
            if !print(&shown) {
                return Ok(false);
            }
            all_well &= answer.error.is_none();
            self.opened(&line.method, &result);
        }
        Ok(self.rest(&mut show).await? && all_well)
    }
}
