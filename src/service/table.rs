//! The one method table. A method is declared once: name, types, errors, docs. Every door
//! dispatches here, so panics, cancel, limits and trust are handled in one place.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tracing::Instrument;

use super::Service;
use super::error::{Error, Kind, Result};
use super::events::{Body, Topic};
use super::session::Session;
use super::settings::Settings;
use super::stream::{Publisher, Reader, StreamEvent, Subscription, stream};

/// What a handler is given besides its params.
#[derive(Clone)]
pub struct Cx {
    /// The daemon.
    pub service: Arc<Service>,
    /// Who asks.
    pub session: Arc<Session>,
    /// The client's token for `$/progress`, when it gave one.
    pub work_done_token: Option<serde_json::Value>,
}

/// Who may call a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody, also one HTTP POST without a session.
    Stateless,
    /// Anybody with a session.
    Session,
    /// Only trusted sessions.
    Trusted,
}

/// What a stream's body is given.
pub struct Output<E> {
    /// The subscription's id.
    pub id: String,
    /// Where events go.
    pub events: Publisher<E>,
    /// Becomes the reason (`stopped`, `cancelled`, `shutdown`) when the stream has to end.
    pub stop: Stop,
}

/// A reason to end a stream, once there is one.
type Asked = watch::Receiver<Option<&'static str>>;

/// Says when, and why, a stream has to end: because somebody asked, or because nobody reads it.
#[derive(Clone)]
pub struct Stop {
    asked: Asked,
    reader: Reader,
}

impl Stop {
    /// Waits for the reason.
    pub async fn reason(&mut self) -> &'static str {
        tokio::select! {
            biased;
            asked = self.asked.wait_for(Option::is_some) => match asked {
                Ok(reason) => reason.unwrap_or("stopped"),
                Err(_) => "shutdown",
            },
            () = self.reader.gone() => "cancelled",
        }
    }
}

/// A request as a door hands it over.
pub struct Call<'a> {
    /// The request's id as JSON text, for cancel; `None` for a notification.
    pub id: Option<String>,
    /// The method.
    pub method: &'a str,
    /// The params, not yet read.
    pub params: Option<&'a RawValue>,
    /// The id that a stream shall have; `None`: the session makes one.
    pub subscription: Option<String>,
}

/// A successful answer.
pub enum Answer {
    /// The result.
    Value(Box<RawValue>),
    /// The subscription's id (the result), the name of its events, and the events.
    Stream {
        /// The answer to the request.
        id: String,
        /// The method of the notifications.
        event: &'static str,
        /// Where they come from.
        subscription: Subscription,
    },
}

type CallFn = Box<dyn Fn(Cx, Params) -> BoxFuture<'static, Result<Box<RawValue>>> + Send + Sync>;
type StreamFn = Box<dyn Fn(Cx, Params, String, Asked) -> BoxFuture<'static, Result<Opened>> + Send + Sync>;

/// A stream whose opening succeeded.
struct Opened {
    subscription: Subscription,
    body: BoxFuture<'static, ()>,
}

enum Run {
    Call(CallFn),
    Stream(StreamFn),
}

type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// The events of a stream method.
pub struct Events {
    /// The method of the notifications.
    pub name: &'static str,
    /// Their `params.result`.
    pub schema: SchemaFn,
    /// The last event, in JSON, with nothing in it but this reason.
    pub ended: fn(&str) -> String,
}

/// One entry of the table.
pub struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it does, for the reference.
    pub doc: &'static str,
    /// Who may call it.
    pub access: Access,
    /// The kinds of error it gives besides the general ones.
    pub errors: &'static [Kind],
    /// The schema of its params.
    pub params: SchemaFn,
    /// The schema of its result.
    pub result: SchemaFn,
    /// For streams.
    pub events: Option<Events>,
    run: Run,
}

/// The methods by name.
#[derive(Default)]
pub struct Table {
    methods: BTreeMap<&'static str, Method>,
}

impl Table {
    /// Adds a method with one answer.
    pub fn call<P, R, F, Fut>(
        &mut self,
        name: &'static str,
        access: Access,
        errors: &'static [Kind],
        doc: &'static str,
        handler: F,
    ) where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize + JsonSchema,
        F: Fn(Cx, P) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<R>> + Send + 'static,
    {
        let run = move |cx, params: Params| {
            let handler = handler.clone();
            async move { encode(&handler(cx, params.read()?).await?) }.boxed()
        };
        self.insert(Method {
            name,
            doc,
            access,
            errors,
            params: |generator| generator.subschema_for::<P>(),
            result: |generator| generator.subschema_for::<R>(),
            events: None,
            run: Run::Call(Box::new(run)),
        });
    }

    /// Adds a stream. The handler opens it (an error is the request's answer) and gives its body,
    /// which runs on its own until it returns the last event.
    pub fn stream<P, E, F, Fut, Body>(
        &mut self,
        name: &'static str,
        event: &'static str,
        access: Access,
        errors: &'static [Kind],
        doc: &'static str,
        handler: F,
    ) where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        E: StreamEvent + JsonSchema,
        F: Fn(Cx, P, Output<E>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Body>> + Send + 'static,
        Body: Future<Output = E> + Send + 'static,
    {
        let run = move |cx, params: Params, id, asked| {
            let handler = handler.clone();
            async move {
                let (events, subscription) = stream::<E>();
                let stop = Stop { asked, reader: events.reader() };
                let output = Output { id, events: events.clone(), stop };
                let body = handler(cx, params.read()?, output).await?;
                let body = async move {
                    let last = AssertUnwindSafe(body).catch_unwind().await;
                    events.end(last.unwrap_or_else(|_| E::ended("panic")));
                };
                Ok(Opened { subscription, body: body.boxed() })
            }
            .boxed()
        };
        self.insert(Method {
            name,
            doc,
            access,
            errors,
            params: |generator| generator.subschema_for::<P>(),
            result: |generator| generator.subschema_for::<String>(),
            events: Some(Events {
                name: event,
                schema: |generator| generator.subschema_for::<E>(),
                ended: |reason| serde_json::to_string(&E::ended(reason)).unwrap_or_default(),
            }),
            run: Run::Stream(Box::new(run)),
        });
    }

    fn insert(&mut self, method: Method) {
        let name = method.name;
        let before = self.methods.insert(name, method);
        assert!(before.is_none(), "method {name} is declared twice");
    }

    /// All methods, by name.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.values()
    }

    /// The method of this name.
    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.get(name)
    }

    /// Answers one request. The only way in, for every door.
    ///
    /// Polling the returned future once takes the handler to its first wait, so that a door
    /// that polls before it reads on gives the handler the documents of that moment.
    pub async fn dispatch(service: &Arc<Service>, session: &Arc<Session>, call: Call<'_>) -> Result<Answer> {
        let Some(method) = service.table.methods.get(call.method) else {
            return Err(unknown_method(call.method, &service.table));
        };
        if method.access == Access::Trusted && !session.trusted() {
            let message = format!("{} is not allowed in an untrusted session", call.method);
            return Err(Error::new(Kind::NotTrusted, message));
        }
        let (params, work_done_token) = Params::new(call.params)?;
        let cx = Cx { service: service.clone(), session: session.clone(), work_done_token };
        let (abort, registration) = AbortHandle::new_pair();
        let _running = match &call.id {
            Some(id) => Some(session.begin_request(id.clone(), abort)?),
            None => None,
        };
        let span = tracing::debug_span!("request", method = method.name, session = %session.id);
        let work = run(method, cx, params, call.subscription).instrument(span);
        match Abortable::new(AssertUnwindSafe(work).catch_unwind(), registration).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Error::new(
                Kind::Internal,
                format!("{} failed inside kifud; the log has the place. Please report it.", method.name),
            )),
            Err(_) => Err(Error::new(Kind::Cancelled, "the request was cancelled")),
        }
    }
}

async fn run(method: &Method, cx: Cx, params: Params, subscription: Option<String>) -> Result<Answer> {
    match &method.run {
        Run::Call(call) => call(cx, params).await.map(Answer::Value),
        Run::Stream(open) => {
            let session = cx.session.clone();
            let id = subscription.unwrap_or_else(|| session.next_subscription());
            let (stop, asked) = watch::channel(None);
            let guard = session.begin_stream(id.clone(), stop)?;
            let opened = open(cx, params, id.clone(), asked).await?;
            tokio::spawn(async move {
                opened.body.await;
                drop(guard);
            });
            let event = method.events.as_ref().map_or("", |events| events.name);
            Ok(Answer::Stream { id, event, subscription: opened.subscription })
        }
    }
}

fn unknown_method(name: &str, table: &Table) -> Error {
    let namespace = name.split('/').next().unwrap_or_default();
    let known: Vec<&str> =
        table.methods.keys().copied().filter(|m| m.split('/').next() == Some(namespace)).collect();
    let hint = if known.is_empty() {
        "rpc.discover lists all methods".to_owned()
    } else {
        format!("{namespace}/ has {}", known.join(", "))
    };
    let shown: String = name.chars().take(200).collect();
    Error::new(Kind::MethodNotFound, format!("there is no method {shown}; {hint}"))
}

fn encode<R: Serialize>(result: &R) -> Result<Box<RawValue>> {
    serde_json::value::to_raw_value(result)
        .map_err(|error| Error::new(Kind::Internal, format!("the answer could not be encoded: {error}")))
}

/// Params as they came, without LSP's two tokens.
struct Params(String);

const TOKENS: [&str; 2] = ["workDoneToken", "partialResultToken"];

impl Params {
    fn new(raw: Option<&RawValue>) -> Result<(Params, Option<serde_json::Value>)> {
        let text = raw.map_or("{}", RawValue::get).trim();
        let text = if text == "null" { "{}" } else { text };
        if !text.starts_with('{') {
            return Err(Error::new(Kind::InvalidParams, "params must be an object"));
        }
        if !TOKENS.iter().any(|token| text.contains(token)) {
            return Ok((Params(text.to_owned()), None));
        }
        let mut map: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).map_err(|error| Error::new(Kind::InvalidParams, error.to_string()))?;
        let token = map.remove(TOKENS[0]);
        map.remove(TOKENS[1]);
        Ok((Params(serde_json::Value::Object(map).to_string()), token))
    }

    fn read<P: DeserializeOwned>(self) -> Result<P> {
        let mut reader = serde_json::Deserializer::from_str(&self.0);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            let inner = error.into_inner().to_string();
            let reason: String =
                inner.split(" at line ").next().unwrap_or(&inner).chars().take(400).collect();
            let quoted = || reason.split('`').nth(1).unwrap_or_default().to_owned();
            let names_field = reason.starts_with("missing field") || reason.starts_with("unknown field");
            let field = match path.as_str() {
                "." if names_field => quoted(),
                "." => String::new(),
                _ if reason.starts_with("missing field") => format!("{path}.{}", quoted()),
                _ => path,
            };
            let place = if field.is_empty() { String::new() } else { format!("{field}: ") };
            Error::field(&field, format!("params: {place}{reason}"))
        })
    }
}

/// Work that the client can watch through `$/progress`; ends when dropped.
pub struct Progress {
    session: Arc<Session>,
    token: Option<serde_json::Value>,
}

impl Cx {
    /// The settings in force for this session.
    pub fn settings(&self) -> Arc<Settings> {
        self.service.settings_of(&self.session)
    }

    /// Begins to report progress, when the client gave a token.
    pub fn progress(&self, title: &str) -> Progress {
        let progress = Progress { session: self.session.clone(), token: self.work_done_token.clone() };
        progress.tell(serde_json::json!({"kind": "begin", "title": title, "cancellable": true}));
        progress
    }
}

impl Progress {
    /// How far it is, in percent, and what it is at.
    pub fn report(&self, percentage: u32, message: &str) {
        self.tell(serde_json::json!({"kind": "report", "percentage": percentage, "message": message}));
    }

    /// It is done.
    pub fn end(self) {}

    fn tell(&self, value: serde_json::Value) {
        if self.session.events.wants(Topic::Progress) {
            let told = serde_json::json!({"token": self.token, "value": value});
            if let Ok(json) = serde_json::value::to_raw_value(&told) {
                self.session.events.publish(None, Body::Progress(json));
            }
        }
        if let (Some(token), Some(client)) = (&self.token, self.session.client()) {
            client.notify("$/progress", serde_json::json!({"token": token, "value": value}));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.tell(serde_json::json!({"kind": "end"}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Host, Timeouts};
    use crate::service::settings::Settings;
    use crate::service::wire::Nothing;

    #[derive(Serialize, JsonSchema)]
    struct Event {}

    impl StreamEvent for Event {
        fn ended(_: &str) -> Event {
            Event {}
        }
    }

    /// A daemon with one stream, which tells why it was stopped.
    fn service() -> (Arc<Service>, tokio::sync::mpsc::UnboundedReceiver<&'static str>) {
        let (tell, told) = tokio::sync::mpsc::unbounded_channel();
        let mut table = Table::default();
        table.stream("a/b", "a/event", Access::Session, &[], "", move |_, _: Nothing, out: Output<Event>| {
            let (tell, mut stop) = (tell.clone(), out.stop);
            async move {
                Ok(async move {
                    let _ = tell.send(stop.reason().await);
                    Event {}
                })
            }
        });
        (Service::with_table(Settings::default(), Host::new(Timeouts::default(), "kifud"), table), told)
    }

    async fn open(service: &Arc<Service>, session: &Arc<Session>) -> (String, Subscription) {
        let call = Call { id: Some("1".into()), method: "a/b", params: None, subscription: None };
        match Table::dispatch(service, session, call).await {
            Ok(Answer::Stream { id, subscription, .. }) => (id, subscription),
            _ => panic!("a stream was opened"),
        }
    }

    #[tokio::test]
    async fn a_stream_ends_when_it_is_asked_to_or_nobody_reads_it() {
        let (service, mut told) = service();
        let session = service.open_session(true).unwrap();
        let (_, abandoned) = open(&service, &session).await;
        drop(abandoned);
        assert_eq!(told.recv().await, Some("cancelled"));
        let (id, _kept) = open(&service, &session).await;
        assert!(session.stop_stream(&id, "stopped"));
        assert_eq!(told.recv().await, Some("stopped"));
        let (_, _kept) = open(&service, &session).await;
        session.close();
        assert_eq!(told.recv().await, Some("shutdown"));
    }
}
