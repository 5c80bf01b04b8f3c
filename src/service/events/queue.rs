//! What waits for one subscriber.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Body, Happening, Heard, TOPICS, Topic};

/// Events that may wait.
pub(super) const EVENTS: usize = 1024;
/// Memory that they may take, bytes. A single event may be larger.
const BYTES: usize = 1024 * 1024;

const ALL: [Topic; TOPICS] =
    [Topic::Engine, Topic::Output, Topic::Analysis, Topic::Game, Topic::Documents, Topic::Progress];

/// A subscriber's wishes, and the events that it has not taken yet.
#[derive(Debug)]
pub(super) struct Queue {
    topics: [bool; TOPICS],
    engine_id: Option<Arc<str>>,
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    /// What happened before the subscription. Bounded by what is kept of the past.
    past: VecDeque<Arc<Happening>>,
    events: VecDeque<Arc<Happening>>,
    bytes: usize,
    missed: u64,
}

impl Queue {
    pub(super) fn new(topics: &[Topic], engine_id: Option<Arc<str>>) -> Queue {
        Queue {
            topics: ALL.map(|topic| topics.contains(&topic)),
            engine_id,
            waiting: Mutex::default(),
            news: Notify::new(),
        }
    }

    /// The topics that it has asked for, each once.
    pub(super) fn topics(&self) -> impl Iterator<Item = Topic> {
        ALL.into_iter().filter(|topic| self.topics[*topic as usize])
    }

    pub(super) fn wants(&self, topic: Topic, engine_id: Option<&Arc<str>>) -> bool {
        let other = matches!((&self.engine_id, engine_id), (Some(mine), Some(its)) if mine != its);
        self.topics[topic as usize] && !other
    }

    pub(super) fn push_past(&self, happening: Arc<Happening>) {
        self.lock().past.push_back(happening);
    }

    pub(super) fn push(&self, happening: Arc<Happening>) {
        let mut waiting = self.lock();
        if matches!(happening.body, Body::Analysis(_)) {
            let older = |event: &Arc<Happening>| {
                matches!(event.body, Body::Analysis(_)) && event.engine_id == happening.engine_id
            };
            if let Some(place) = waiting.events.iter().rposition(older) {
                waiting.remove(place);
            }
        }
        waiting.bytes += happening.size();
        waiting.events.push_back(happening);
        while waiting.events.len() > 1 && (waiting.events.len() > EVENTS || waiting.bytes > BYTES) {
            let last = waiting.events.len() - 1;
            let output = |event: &Arc<Happening>| matches!(event.body, Body::Output(_));
            let place = waiting.events.iter().take(last).position(output).unwrap_or_default();
            waiting.remove(place);
            waiting.missed += 1;
        }
        drop(waiting);
        self.news.notify_one();
    }

    pub(super) async fn next(&self) -> Heard {
        loop {
            if let Some(heard) = self.lock().take() {
                return heard;
            }
            self.news.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn remove(&mut self, place: usize) -> Option<Arc<Happening>> {
        let event = self.events.remove(place)?;
        self.bytes -= event.size();
        Some(event)
    }

    fn take(&mut self) -> Option<Heard> {
        if let Some(happening) = self.past.pop_front() {
            return Some(Heard { happening, past: true, missed: 0 });
        }
        let happening = self.remove(0)?;
        Some(Heard { happening, past: false, missed: std::mem::take(&mut self.missed) })
    }
}
