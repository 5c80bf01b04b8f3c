//! `events/subscribe`: what happens in the session, as it happens.

use std::future::Future;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::service::error::{Error, Result};
use crate::service::events::{Body, DocumentChange, EngineChange, Heard, OutputLine, Topic};
use crate::service::report::StreamState;
use crate::service::stream::StreamEvent;
use crate::service::table::{Cx, Output};

/// Events that may wait at the door. More wait in the hub, where old ones make room.
const AT_THE_DOOR: usize = 16;

/// What to tell.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Subscribe {
    /// At least one.
    topics: Vec<Topic>,
    /// Leaves out what other engines do.
    engine_id: Option<String>,
}

/// Something that happened in the session, or the start or end of the stream. The field named like the
/// topic says what.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Where the stream is.
    state: StreamState,
    /// With `ended`: `stopped`, `cancelled`, `shutdown` or `panic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Events left out just before this one, because the client did not take them in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<Topic>,
    /// The engine that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_id: Option<String>,
    /// When it happened, milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    /// True for lines from before the subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    past: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<EngineChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<OutputLine>,
    /// As in `analysis/update`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    analysis: Option<Box<RawValue>>,
    /// As in `game/update`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    game: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<DocumentChange>,
    /// As in `$/progress`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    progress: Option<Box<RawValue>>,
}

impl StreamEvent for Event {
    fn ended(reason: &str) -> Event {
        Event { reason: Some(reason.to_owned()), ..Event::default() }
    }
}

impl From<Heard> for Event {
    fn from(heard: Heard) -> Event {
        let happening = heard.happening;
        let mut event = Event {
            state: StreamState::Running,
            missed: Some(heard.missed).filter(|missed| *missed > 0),
            topic: Some(happening.body.topic()),
            engine_id: happening.engine_id.as_deref().map(str::to_owned),
            at: Some(milliseconds(happening.at)),
            past: heard.past.then_some(true),
            ..Event::default()
        };
        match &happening.body {
            Body::Engine(change) => event.engine = Some(change.clone()),
            Body::Output(line) => event.output = Some(line.clone()),
            Body::Analysis(json) => event.analysis = Some(json.clone()),
            Body::Game(json) => event.game = Some(json.clone()),
            Body::Documents(change) => event.documents = Some(change.clone()),
            Body::Progress(json) => event.progress = Some(json.clone()),
        }
        event
    }
}

fn milliseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// `events/subscribe`
pub async fn subscribe(
    cx: Cx,
    params: Subscribe,
    out: Output<Event>,
) -> Result<impl Future<Output = Event> + Send + 'static> {
    if params.topics.is_empty() {
        return Err(Error::field("topics", "name at least one topic"));
    }
    if let Some(id) = &params.engine_id {
        cx.session.engines.get(id)?;
    }
    let listener = cx.session.events.subscribe(&params.topics, params.engine_id.map(Arc::from));
    let Output { events, mut stop, .. } = out;
    events.send(Event { state: StreamState::Started, ..Event::default() });
    Ok(async move {
        let tell = async {
            loop {
                events.room(AT_THE_DOOR).await;
                events.send(listener.next().await.into());
            }
        };
        tokio::select! {
            reason = stop.reason() => Event::ended(reason),
            () = tell => Event::ended("stopped"),
        }
    })
}
