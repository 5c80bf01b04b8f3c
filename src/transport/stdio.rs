//! One client on a pair of byte streams: requests of kifud's table and of LSP, in one loop.
//!
//! Notifications are handled in order and before the next message is read. A request is polled
//! once before the next message is read, so that it sees the documents of its moment, and then
//! runs beside the others. `$/cancelRequest` acts at once.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use futures_util::{FutureExt, Sink, SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncWrite};
use tower::Service as _;
use tower_lsp::jsonrpc;

use super::framing::{Frame, read_frame};
use super::lsp;
use super::outbox::Outbox;
use crate::service::error::{Error, Kind};
use crate::service::session::Session;
use crate::service::table::{Answer, Call, Table};
use crate::service::{Service, stream::Subscription};

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As agreed: `exit` or the end of input after `shutdown`, or a plain client that left.
    Clean,
    /// `exit` or the end of input without `shutdown`, or the client vanished.
    Abrupt,
}

/// What this door may take and hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of one message.
    pub message: usize,
    /// Bytes that may wait for the client.
    pub outbox: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { message: 160 << 20, outbox: 1 << 20 }
    }
}

/// Any JSON-RPC message, not yet understood.
#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Keeps an explicit `null`, which `Option` would drop.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Speaks with one client until it leaves.
///
/// # Errors
/// Only those of reading; a client that cannot be written to has left.
pub async fn serve(
    service: Arc<Service>,
    session: Arc<Session>,
    input: &mut (impl AsyncBufRead + Unpin),
    output: &mut (impl AsyncWrite + Unpin),
    limits: Limits,
) -> std::io::Result<End> {
    let outbox = Arc::new(Outbox::new(limits.outbox));
    let (editor, socket) = lsp::service(service.clone(), session.clone(), outbox.clone());
    let (mut to_client, from_client) = socket.split();
    let gone = editor.inner().gone();
    let mut connection =
        Connection { service, session, outbox: outbox.clone(), editor, from_client, shutdown: false };
    let requests_to_client = async {
        while let Some(request) = to_client.next().await {
            push_json(&outbox, &request);
        }
        std::future::pending::<()>().await;
    };
    let end = {
        let reading = connection.read(input, limits.message);
        let writing = outbox.write_to(output);
        tokio::pin!(writing);
        let end = tokio::select! {
            end = reading => end,
            _ = &mut writing => Ok(End::Abrupt),
            () = requests_to_client => Ok(End::Abrupt),
            () = gone.notified() => Ok(End::Abrupt),
        };
        outbox.close();
        // The last answers still go out, but nobody waits long for a client that does not read.
        let _ = tokio::time::timeout(std::time::Duration::from_millis(300), writing).await;
        end
    };
    connection.session.close();
    end
}

struct Connection<S> {
    service: Arc<Service>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    editor: tower_lsp::LspService<lsp::Editor>,
    from_client: S,
    shutdown: bool,
}

impl<S: Sink<jsonrpc::Response> + Unpin> Connection<S> {
    async fn read(&mut self, input: &mut (impl AsyncBufRead + Unpin), limit: usize) -> std::io::Result<End> {
        loop {
            if !self.outbox.room().await {
                return Ok(End::Abrupt);
            }
            match read_frame(input, limit).await? {
                Frame::Body(body) => {
                    if let Some(end) = self.message(&body).await {
                        return Ok(end);
                    }
                }
                Frame::Bad { why, too_large } => {
                    let kind = if too_large { Kind::LimitExceeded } else { Kind::ParseError };
                    self.fail(None, &Error::new(kind, why));
                }
                Frame::End => {
                    let clean = self.shutdown || !self.session.is_editor();
                    return Ok(if clean { End::Clean } else { End::Abrupt });
                }
            }
        }
    }

    /// Handles one message; `Some` when the conversation is over.
    async fn message(&mut self, body: &[u8]) -> Option<End> {
        let incoming: Incoming<'_> = match parse(body) {
            Ok(incoming) => incoming,
            Err(error) => {
                self.fail(None, &error);
                return None;
            }
        };
        let id = incoming.id.map(RawValue::get);
        if let Err(error) = check(&incoming) {
            self.fail(id, &error);
            return None;
        }
        let Some(method) = incoming.method.as_deref() else {
            self.response(body).await;
            return None;
        };
        match method {
            "exit" => return Some(if self.shutdown { End::Clean } else { End::Abrupt }),
            "$/cancelRequest" => {
                self.cancel(incoming.params);
                return None;
            }
            "shutdown" => self.shutdown = true,
            _ if self.shutdown && id.is_some() => {
                let message = "after shutdown only exit is expected";
                self.fail(id, &Error::new(Kind::InvalidRequest, message));
                return None;
            }
            _ => {}
        }
        if self.service.table.contains(method) {
            self.table(id, method, incoming.params).await;
        } else {
            self.lsp(id, method, incoming.params).await;
        }
        None
    }

    /// A method of kifud's own.
    async fn table(&self, id: Option<&str>, method: &str, params: Option<&RawValue>) {
        let (service, session, outbox) = (self.service.clone(), self.session.clone(), self.outbox.clone());
        let (id, method, params) = (id.map(str::to_owned), method.to_owned(), params.map(RawValue::to_owned));
        let work = async move {
            let call =
                Call { id: id.clone(), method: &method, params: params.as_deref(), subscription: None };
            let answer = Table::dispatch(&service, &session, call).await;
            let Some(id) = id else {
                if let Err(error) = answer {
                    tracing::warn!(%method, %error, "a notification failed");
                }
                return;
            };
            if !outbox.room().await {
                return;
            }
            match answer {
                Ok(Answer::Value(result)) => push_result(&outbox, &id, result.get()),
                Ok(Answer::Stream { id: name, event, subscription }) => {
                    push_result(&outbox, &id, &serde_json::Value::from(name.as_str()).to_string());
                    tokio::spawn(forward(outbox, name, event, subscription));
                }
                Err(error) => push_error(&outbox, Some(&id), &error, &session),
            }
        };
        run_now_then_aside(work.boxed()).await;
    }

    /// A method of the Language Server Protocol.
    async fn lsp(&mut self, id: Option<&str>, method: &str, params: Option<&RawValue>) {
        let request = match lsp_request(id, method, params) {
            Ok(request) => request,
            Err(error) => {
                self.fail(id, &error);
                return;
            }
        };
        let work = self.editor.call(request);
        let Some(id) = id.map(str::to_owned) else {
            // In order: the next message is not read before this one is done.
            if std::panic::AssertUnwindSafe(work).catch_unwind().await.is_err() {
                tracing::error!(%method, "a notification handler panicked");
            }
            return;
        };
        let (abort, registration) = AbortHandle::new_pair();
        let running = match self.session.begin_request(id.clone(), abort) {
            Ok(running) => running,
            Err(error) => {
                self.fail(Some(&id), &error);
                return;
            }
        };
        let (outbox, session) = (self.outbox.clone(), self.session.clone());
        let work = async move {
            let work = Abortable::new(std::panic::AssertUnwindSafe(work).catch_unwind(), registration);
            let answer = work.await;
            drop(running);
            match answer {
                Ok(Ok(Ok(Some(response)))) => push_json(&outbox, &with_kind(response)),
                Ok(Ok(_)) => {}
                Ok(Err(_)) => {
                    let error =
                        Error::new(Kind::Internal, "the request failed inside kifud; the log has the place");
                    push_error(&outbox, Some(&id), &error, &session);
                }
                Err(_) => {
                    let error = Error::new(Kind::Cancelled, "the request was cancelled");
                    push_error(&outbox, Some(&id), &error, &session);
                }
            }
        };
        run_now_then_aside(work.boxed()).await;
    }

    /// The client's answer to one of our requests.
    async fn response(&mut self, body: &[u8]) {
        match serde_json::from_slice::<jsonrpc::Response>(body) {
            Ok(response) => {
                let _ = self.from_client.send(response).await;
            }
            Err(error) => self.fail(
                None,
                &Error::new(Kind::InvalidRequest, format!("no request and no response: {error}")),
            ),
        }
    }

    fn cancel(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Cancel<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
        }
        if let Some(Ok(cancel)) = params.map(|params| serde_json::from_str::<Cancel<'_>>(params.get())) {
            self.session.cancel(cancel.id.get());
        }
    }

    fn fail(&self, id: Option<&str>, error: &Error) {
        push_error(&self.outbox, id, error, &self.session);
    }
}

/// Polls work once here and leaves the rest to a task of its own.
async fn run_now_then_aside(mut work: BoxFuture<'static, ()>) {
    if futures_util::poll!(&mut work).is_pending() {
        tokio::spawn(work);
    }
}

/// Carries a stream's events to the client. Room first, then the event: so it is the latest.
async fn forward(outbox: Arc<Outbox>, id: String, event: &'static str, subscription: Subscription) {
    let id = serde_json::Value::from(id).to_string();
    while subscription.ready().await {
        if !outbox.room().await {
            return;
        }
        subscription.deliver(|result| {
            outbox.push(&[
                br#"{"jsonrpc":"2.0","method":""#,
                event.as_bytes(),
                br#"","params":{"subscription":"#,
                id.as_bytes(),
                br#","result":"#,
                result.get().as_bytes(),
                b"}}",
            ]);
        });
    }
}

fn parse(body: &[u8]) -> Result<Incoming<'_>, Error> {
    match serde_json::from_slice(body) {
        Ok(incoming) => Ok(incoming),
        Err(error) if error.is_data() => {
            let batch = body.trim_ascii_start().starts_with(b"[");
            let message = match batch {
                true => "batches are not part of the Language Server Protocol; send one message at a time"
                    .to_owned(),
                false => format!("this is no JSON-RPC request: {error}"),
            };
            Err(Error::new(Kind::InvalidRequest, message))
        }
        Err(error) => Err(Error::new(Kind::ParseError, format!("this is no JSON: {error}"))),
    }
}

fn check(incoming: &Incoming<'_>) -> Result<(), Error> {
    let invalid = |message: &str| Err(Error::new(Kind::InvalidRequest, message));
    if incoming.jsonrpc.as_deref() != Some("2.0") {
        return invalid("jsonrpc must be \"2.0\"");
    }
    let answer = incoming.result.is_some() || incoming.error.is_some();
    if incoming.method.is_none() && !answer {
        return invalid("neither method nor result nor error is there");
    }
    let scalar = |id: &str| id.starts_with('"') || id.parse::<i64>().is_ok();
    if incoming.id.is_some_and(|id| !scalar(id.get())) && incoming.method.is_some() {
        return invalid("id must be a string or an integer");
    }
    Ok(())
}

fn lsp_request(id: Option<&str>, method: &str, params: Option<&RawValue>) -> Result<jsonrpc::Request, Error> {
    let mut request = jsonrpc::Request::build(method.to_owned());
    if let Some(params) = params.filter(|params| params.get() != "null") {
        let value: serde_json::Value = serde_json::from_str(params.get())
            .map_err(|error| Error::new(Kind::InvalidParams, error.to_string()))?;
        request = request.params(value);
    }
    if let Some(id) = id {
        let id: jsonrpc::Id =
            serde_json::from_str(id).map_err(|error| Error::new(Kind::InvalidRequest, error.to_string()))?;
        request = request.id(id);
    }
    Ok(request.finish())
}

/// LSP's own errors carry a kind as well.
fn with_kind(response: jsonrpc::Response) -> serde_json::Value {
    let mut value = serde_json::to_value(response).unwrap_or_default();
    if let Some(error) = value.get_mut("error").and_then(serde_json::Value::as_object_mut) {
        let code = error.get("code").and_then(serde_json::Value::as_i64).unwrap_or_default();
        let kind =
            Kind::ALL.into_iter().find(|kind| i64::from(kind.code()) == code).unwrap_or(Kind::Internal);
        error.insert("data".to_owned(), serde_json::json!({"kind": kind.name()}));
    }
    value
}

fn push_json(outbox: &Outbox, message: &impl serde::Serialize) {
    match serde_json::to_vec(message) {
        Ok(body) => outbox.push(&[&body]),
        Err(error) => tracing::error!(%error, "a message could not be encoded"),
    }
}

fn push_result(outbox: &Outbox, id: &str, result: &str) {
    outbox.push(&[br#"{"jsonrpc":"2.0","id":"#, id.as_bytes(), br#","result":"#, result.as_bytes(), b"}"]);
}

fn push_error(outbox: &Outbox, id: Option<&str>, error: &Error, session: &Session) {
    let error = error.to_json(session.locale()).to_string();
    let id = id.unwrap_or("null");
    outbox.push(&[br#"{"jsonrpc":"2.0","id":"#, id.as_bytes(), br#","error":"#, error.as_bytes(), b"}"]);
}
