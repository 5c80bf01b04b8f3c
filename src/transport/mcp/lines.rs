//! What comes in, line by line. The protocol's library keeps silent about lines that it cannot read, and their sender
//! would wait for ever: here they are refused, and only messages are passed on.

use std::borrow::Cow;

use futures_util::future::BoxFuture;
use rmcp::model::RequestId;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;

use crate::service::error::{Error, Kind};
use crate::transport::json;
use crate::transport::streams::{Input, Output};

/// Bytes of a line at most, with its end.
const LONGEST: usize = 16 << 20;

type Refusal = TxJsonRpcMessage<RoleServer>;

/// One client's lines.
pub struct Lines {
    messages: AsyncRwTransport<RoleServer, DuplexStream, Output>,
    refusals: mpsc::Receiver<Refusal>,
    /// A refusal on its way out: `receive` may be dropped at any moment.
    sending: Option<BoxFuture<'static, std::io::Result<()>>>,
}

impl Lines {
    /// Reads and writes these streams; for a task of the runtime.
    pub fn new((input, output): (Input, Output)) -> Lines {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (refuse, refusals) = mpsc::channel(1);
        tokio::spawn(sort(input, far, refuse));
        // A last line gets an end, and a replaced character may be longer.
        let messages = AsyncRwTransport::new_server(near, output).with_max_line_length(2 * LONGEST);
        Lines { messages, refusals, sending: None }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = std::io::Error;

    fn send(&mut self, message: Refusal) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        self.messages.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(sending) = &mut self.sending {
                let _ = sending.await;
                self.sending = None;
            }
            tokio::select! {
                biased;
                Some(refusal) = self.refusals.recv() => {
                    self.sending = Some(Box::pin(self.messages.send(refusal)));
                }
                message = self.messages.receive() => return message,
            }
        }
    }

    async fn close(&mut self) -> std::io::Result<()> {
        self.messages.close().await
    }
}

/// Passes messages on and has the rest refused, until the input ends or nobody is there any more.
async fn sort(input: Input, mut messages: DuplexStream, refuse: mpsc::Sender<Refusal>) {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input).take(LONGEST as u64 + 1).read_until(b'\n', &mut line).await;
        if !read.is_ok_and(|read| read > 0) {
            return;
        }
        let judged = match line.len() > LONGEST {
            true if !line.ends_with(b"\n") && skip_line(&mut input).await.is_err() => return,
            true => {
                let message = format!("a message has at most {LONGEST} bytes, and a line end");
                Err(Error::new(Kind::LimitExceeded, message))
            }
            false => judge(&line),
        };
        let passed_on = match judged {
            Ok(message) if message.is_empty() => true,
            Ok(message) => {
                let line = [&*message, b"\n"].concat();
                messages.write_all(&line).await.is_ok()
            }
            Err(error) => refuse.send(refusal(&error, &line)).await.is_ok(),
        };
        if !passed_on {
            return;
        }
    }
}

/// The message in a line, as the library can read it; nothing in an empty line.
fn judge(line: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    let no_json =
        |error: &dyn std::fmt::Display| Error::new(Kind::ParseError, format!("this is no JSON: {error}"));
    std::str::from_utf8(line).map_err(|error| no_json(&error))?;
    let message = json::without_lone_surrogates(line);
    if !message.is_empty() {
        json::receive(&message)?;
        // All of it: a number may be too large.
        serde_json::from_slice::<serde_json::Value>(&message).map_err(|error| no_json(&error))?;
    }
    Ok(message)
}

fn refusal(error: &Error, line: &[u8]) -> Refusal {
    let (message, id) = (error.message.clone(), id_of(line));
    match error.kind {
        Kind::ParseError => Refusal::error(ErrorData::parse_error(message, None), None),
        _ => Refusal::error(ErrorData::invalid_request(message, None), id),
    }
}

/// The id of a message, which may be there in part only.
fn id_of(start: &[u8]) -> Option<RequestId> {
    struct Fields<'a>(&'a mut Option<RequestId>);
    impl<'de> Visitor<'de> for Fields<'_> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a message")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
            while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
                match &*name {
                    "id" => *self.0 = fields.next_value()?,
                    _ => drop(fields.next_value::<IgnoredAny>()?),
                }
            }
            Ok(())
        }
    }
    let mut id = None;
    let _ = serde_json::Deserializer::from_slice(start).deserialize_map(Fields(&mut id));
    id
}

async fn skip_line(input: &mut BufReader<Input>) -> std::io::Result<()> {
    loop {
        let read = input.fill_buf().await?;
        let (skipped, whole) = match memchr::memchr(b'\n', read) {
            Some(end) => (end + 1, true),
            None => (read.len(), read.is_empty()),
        };
        input.consume(skipped);
        if whole {
            return Ok(());
        }
    }
}
