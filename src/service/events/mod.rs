//! What happens in a session, told to whoever has subscribed with `events/subscribe`.
//!
//! Every session has a [`Hub`] of its own, so that it hears of its own engines, games and documents
//! only. Publishing never waits. A subscriber has a bounded queue: lines of output go first when it is
//! full, and the next event says how many are missing; an analysis report replaces an older one of the
//! same engine that still waits.

mod past;
mod queue;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::engines::EngineState;
use past::Past;
pub(crate) use past::is_report;
use queue::Queue;

/// What can be subscribed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Topic {
    /// Engines come, change what they are doing, and go.
    Engine,
    /// What goes over the pipes of engines, line by line.
    Output,
    /// Reports of running analyses.
    Analysis,
    /// Moves, clocks and ends of games.
    Game,
    /// Documents are opened, changed and closed.
    Documents,
    /// How far long requests are.
    Progress,
}

const TOPICS: usize = 6;

/// What happened; one variant a topic.
#[derive(Debug)]
pub enum Body {
    /// An engine does something else now.
    Engine(EngineChange),
    /// A line.
    Output(OutputLine),
    /// A report as in `analysis/update`, encoded.
    Analysis(Box<RawValue>),
    /// A state as in `game/update`, encoded.
    Game(Box<RawValue>),
    /// A document was opened, changed or closed.
    Documents(DocumentChange),
    /// A `$/progress` value, encoded.
    Progress(Box<RawValue>),
}

impl Body {
    /// Its topic.
    pub fn topic(&self) -> Topic {
        match self {
            Body::Engine(_) => Topic::Engine,
            Body::Output(_) => Topic::Output,
            Body::Analysis(_) => Topic::Analysis,
            Body::Game(_) => Topic::Game,
            Body::Documents(_) => Topic::Documents,
            Body::Progress(_) => Topic::Progress,
        }
    }
}

/// An engine and its state.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EngineChange {
    /// Its name in the session.
    pub name: String,
    /// What it is doing now.
    pub state: EngineState,
}

/// A line that went over an engine's pipes, or a remark of kifud about them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OutputLine {
    /// The engine's name in the session.
    pub name: String,
    /// Which way it went.
    pub direction: Direction,
    /// The line without its end, secrets replaced by `***`.
    pub text: String,
    /// Bytes that were cut off a very long line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<u64>,
}

/// Which way a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    /// To the engine.
    In,
    /// From the engine.
    Out,
    /// From the engine's stderr.
    Err,
    /// A remark of kifud.
    Meta,
}

/// A document and its version.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentChange {
    /// Its uri, as the client wrote it.
    pub uri: String,
    /// Its version; absent when it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
}

/// Something that happened.
#[derive(Debug)]
pub struct Happening {
    /// The engine that it is about.
    pub engine_id: Option<Arc<str>>,
    /// When.
    pub at: SystemTime,
    /// What.
    pub body: Body,
}

impl Happening {
    /// About how much memory it takes.
    fn size(&self) -> usize {
        let text = match &self.body {
            Body::Engine(change) => change.name.len(),
            Body::Output(line) => line.text.len(),
            Body::Documents(change) => change.uri.len(),
            Body::Analysis(json) | Body::Game(json) | Body::Progress(json) => json.get().len(),
        };
        size_of::<Happening>() + text
    }
}

/// The happenings of one session.
#[derive(Debug, Default)]
pub struct Hub {
    /// How many subscribers each topic has.
    wanted: [AtomicUsize; TOPICS],
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    queues: Vec<Arc<Queue>>,
    past: BTreeMap<Arc<str>, Past>,
}

impl Hub {
    /// Whether anybody has subscribed to a topic. Costs one relaxed load: ask before preparing an
    /// event that is dear.
    pub fn wants(&self, topic: Topic) -> bool {
        self.wanted[topic as usize].load(Ordering::Relaxed) > 0
    }

    /// Tells all who have subscribed. Never waits for a reader.
    pub fn publish(&self, engine_id: Option<&Arc<str>>, body: Body) {
        self.publish_at(SystemTime::now(), engine_id, body);
    }

    /// The same, for something that happened at a known moment.
    pub fn publish_at(&self, at: SystemTime, engine_id: Option<&Arc<str>>, body: Body) {
        let topic = body.topic();
        let kept = matches!(&body, Body::Output(line) if past::keeps(line));
        if !kept && !self.wants(topic) {
            return;
        }
        let happening = Arc::new(Happening { engine_id: engine_id.cloned(), at, body });
        let mut inner = self.lock();
        for queue in inner.queues.iter().filter(|queue| queue.wants(topic, engine_id)) {
            queue.push(happening.clone());
        }
        if let Some(past) = engine_id.filter(|_| kept).and_then(|id| inner.past.get_mut(id)) {
            past.push(happening);
        }
    }

    /// Keeps the last lines of an engine from now on, for those who subscribe later.
    pub fn remember(&self, engine_id: &Arc<str>) {
        self.lock().past.entry(engine_id.clone()).or_default();
    }

    /// Forgets the past output of an engine that has gone.
    pub fn forget(&self, engine_id: &str) {
        self.lock().past.remove(engine_id);
    }

    /// Subscribes. With [`Topic::Output`] the listener first hears the last lines of the engines; no
    /// line is missed or told twice in between. With an engine's id it hears nothing of other engines.
    pub fn subscribe(self: &Arc<Self>, topics: &[Topic], engine_id: Option<Arc<str>>) -> Listener {
        let queue = Arc::new(Queue::new(topics, engine_id));
        let mut inner = self.lock();
        for (id, past) in &inner.past {
            if queue.wants(Topic::Output, Some(id)) {
                past.lines().for_each(|line| queue.push_past(line.clone()));
            }
        }
        inner.queues.push(queue.clone());
        for topic in queue.topics() {
            self.wanted[topic as usize].fetch_add(1, Ordering::Relaxed);
        }
        drop(inner);
        Listener { hub: self.clone(), queue }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One event as a listener takes it.
#[derive(Debug)]
pub struct Heard {
    /// What happened.
    pub happening: Arc<Happening>,
    /// Whether it happened before the subscription.
    pub past: bool,
    /// Events left out just before this one, because they were not taken in time.
    pub missed: u64,
}

/// A subscriber's end. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Listener {
    hub: Arc<Hub>,
    queue: Arc<Queue>,
}

impl Listener {
    /// Waits for the next event. Dropping the future loses nothing.
    pub async fn next(&self) -> Heard {
        self.queue.next().await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.hub.lock().queues.retain(|queue| !Arc::ptr_eq(queue, &self.queue));
        for topic in self.queue.topics() {
            self.hub.wanted[topic as usize].fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
