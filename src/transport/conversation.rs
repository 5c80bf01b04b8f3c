//! One client on a wire that keeps the order: requests of kifud's table and of LSP, in one loop.
//!
//! Notifications are handled in order and before the next message is read. A request is polled
//! once before the next message is read, so that it sees the documents of its moment, and then
//! runs beside the others. `$/cancelRequest` acts at once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, BoxFuture, FusedFuture};
use futures_util::{FutureExt, Sink, SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncWrite;
use tower::Service as _;
use tower_lsp::jsonrpc;

use super::framing::{Frame, Frames};
use super::json::{self, Incoming};
use super::lsp;
use super::outbox::{Outbox, Turn};
use crate::service::error::{Error, Kind};
use crate::service::session::Session;
use crate::service::settings;
use crate::service::table::{Answer, Call, Table};
use crate::service::{Service, stream::Subscription};

/// How long requests may still run after the end of the input.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

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
    /// Bytes of answers that may wait for a place among them.
    pub answers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::of(&settings::Limits::default(), true)
    }
}

impl Limits {
    /// As the settings have them, for a door behind which clients are trusted or not.
    pub fn of(limits: &settings::Limits, trusted: bool) -> Limits {
        let message = if trusted { limits.message_bytes } else { limits.untrusted_message_bytes };
        Limits { message, outbox: 1 << 20, answers: limits.waiting_bytes }
    }
}

/// Speaks with one client until it leaves, and closes its session.
///
/// # Errors
/// Only those of reading; a client that cannot be written to has left.
pub async fn converse(
    service: Arc<Service>,
    session: Arc<Session>,
    frames: &mut impl Frames,
    outbox: Arc<Outbox>,
    output: &mut (impl AsyncWrite + Unpin),
) -> std::io::Result<End> {
    let _closing = Closing(session.clone());
    let (editor, socket) = lsp::service(service.clone(), session.clone(), outbox.clone());
    let (mut to_client, from_client) = socket.split();
    let gone = editor.inner().gone();
    let mut connection =
        Connection { service, session, outbox: outbox.clone(), editor, from_client, shutdown: false };
    let requests_to_client = async {
        while let Some(request) = to_client.next().await {
            push_json(&outbox, &without_null_params(&request));
        }
        std::future::pending::<()>().await;
    };
    {
        let reading = connection.read(frames);
        let writing = outbox.write_to(output).fuse();
        tokio::pin!(writing);
        let end = tokio::select! {
            end = reading => end,
            _ = &mut writing => Ok(End::Abrupt),
            () = requests_to_client => Ok(End::Abrupt),
            () = gone.notified() => Ok(End::Abrupt),
        };
        outbox.close();
        // The last answers still go out, but nobody waits long for a client that does not read.
        if !writing.is_terminated() {
            let _ = tokio::time::timeout(std::time::Duration::from_millis(300), writing).await;
        }
        end
    }
}

/// Closes the session however the conversation ends.
pub(super) struct Closing(pub Arc<Session>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
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
    async fn read(&mut self, frames: &mut impl Frames) -> std::io::Result<End> {
        loop {
            if !self.outbox.room().await {
                return Ok(End::Abrupt);
            }
            match frames.next().await? {
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
                    if clean {
                        self.last_answers().await;
                    }
                    return Ok(if clean { End::Clean } else { End::Abrupt });
                }
            }
        }
    }

    /// What a plain client has asked before it closed its end is still answered, if it takes no
    /// longer than a moment.
    async fn last_answers(&self) {
        let waiting = async {
            // An answer is handed over right after its request has ended, hence once more.
            while self.session.running_requests() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::task::yield_now().await;
        };
        let _ = tokio::time::timeout(LAST_ANSWERS, waiting).await;
    }

    /// Handles one message; `Some` when the conversation is over.
    async fn message(&mut self, body: &[u8]) -> Option<End> {
        let body = json::without_lone_surrogates(body);
        let incoming: Incoming<'_> = match json::receive(&body) {
            Ok(incoming) => incoming,
            Err(error) => {
                self.fail(None, &error);
                return None;
            }
        };
        let id = incoming.id.map(RawValue::get);
        if let Err(error) = json::check(&incoming) {
            self.fail(id, &error);
            return None;
        }
        let Some(method) = incoming.method.as_deref() else {
            self.response(&body).await;
            return None;
        };
        match method {
            "exit" => return Some(if self.shutdown { End::Clean } else { End::Abrupt }),
            "$/cancelRequest" => {
                self.cancel(incoming.params);
                return None;
            }
            // Before initialize it is refused, and nothing has been shut down.
            "shutdown" => self.shutdown = self.session.is_editor(),
            _ if self.shutdown && id.is_some() => {
                let message = "after shutdown only exit is expected";
                self.fail(id, &Error::new(Kind::InvalidRequest, message));
                return None;
            }
            _ => {}
        }
        if id.is_none() && self.service.table.method(method).is_some_and(|found| found.events.is_some()) {
            tracing::warn!(%method, "a stream needs a request: nobody could end it or read it");
        } else if is_lsp(method) {
            self.lsp(id, method, incoming.params).await;
        } else {
            self.table(id, method, incoming.params).await;
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
            let length = match &answer {
                Ok(Answer::Value(result)) => result.get().len(),
                _ => 0,
            };
            let answer = match outbox.turn(length).await {
                Turn::Now => answer,
                Turn::Never(waiting) => Err(unread(waiting)),
                Turn::Gone => return,
            };
            match answer {
                Ok(Answer::Value(result)) => outbox.push(&json::result(&id, result.get())),
                Ok(Answer::Stream { id: name, event, subscription }) => {
                    let result = serde_json::Value::from(name.as_str()).to_string();
                    outbox.push(&json::result(&id, &result));
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
        let name: String = method.chars().take(200).collect();
        let work = async move {
            let work = Abortable::new(std::panic::AssertUnwindSafe(work).catch_unwind(), registration);
            let answer = work.await;
            drop(running);
            match answer {
                Ok(Ok(Ok(Some(response)))) => {
                    let response = with_kind(response).to_string();
                    match outbox.turn(response.len()).await {
                        Turn::Now => outbox.push(&[response.as_bytes()]),
                        Turn::Never(waiting) => push_error(&outbox, Some(&id), &unread(waiting), &session),
                        Turn::Gone => {}
                    }
                }
                // LSP lets its optional notifications go unanswered, but a request never.
                Ok(Ok(_)) => {
                    let error = Error::new(Kind::MethodNotFound, format!("there is no method {name}"));
                    push_error(&outbox, Some(&id), &error, &session);
                }
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
    let mut buffer = Vec::new();
    while subscription.ready().await {
        if !outbox.room().await {
            return;
        }
        subscription.deliver(&mut buffer, |result| {
            outbox.push(&[
                br#"{"jsonrpc":"2.0","method":""#,
                event.as_bytes(),
                br#"","params":{"subscription":"#,
                id.as_bytes(),
                br#","result":"#,
                result,
                b"}}",
            ]);
        });
    }
}

/// The names that LSP has given out. Everything else is kifud's to answer, or to know nothing of.
fn is_lsp(method: &str) -> bool {
    const METHODS: [&str; 4] = ["initialize", "initialized", "shutdown", "exit"];
    const NAMESPACES: [&str; 15] = [
        "$",
        "callHierarchy",
        "client",
        "codeAction",
        "codeLens",
        "completionItem",
        "documentLink",
        "inlayHint",
        "notebookDocument",
        "telemetry",
        "textDocument",
        "typeHierarchy",
        "window",
        "workspace",
        "workspaceSymbol",
    ];
    match method.split_once('/') {
        Some((namespace, _)) => NAMESPACES.contains(&namespace),
        None => METHODS.contains(&method),
    }
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

/// JSON-RPC has no `null` for the parameters of a method that has none: they are absent.
fn without_null_params(request: &jsonrpc::Request) -> serde_json::Value {
    let mut value = serde_json::to_value(request).unwrap_or_default();
    if let Some(request) = value.as_object_mut()
        && request.get("params").is_some_and(serde_json::Value::is_null)
    {
        request.remove("params");
    }
    value
}

fn push_json(outbox: &Outbox, message: &impl serde::Serialize) {
    match serde_json::to_vec(message) {
        Ok(body) => outbox.push(&[&body]),
        Err(error) => tracing::error!(%error, "a message could not be encoded"),
    }
}

/// Instead of an answer for a client that asks for much and reads nothing.
fn unread(waiting: usize) -> Error {
    let message = format!("answers of {waiting} bytes wait to be read; read them before you ask for more");
    Error::new(Kind::LimitExceeded, message)
}

fn push_error(outbox: &Outbox, id: Option<&str>, error: &Error, session: &Session) {
    outbox.push(&[json::error(id, error, session.audience()).as_bytes()]);
}
