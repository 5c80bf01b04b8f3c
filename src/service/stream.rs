//! Streams: events that flow to one subscriber. First and last are never lost; between them
//! a slow reader sees the latest, not the oldest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Notify;

/// An event type that the table can end by itself (panic, shutdown).
pub trait StreamEvent: Serialize + Send + 'static {
    /// The last event of a stream, with nothing in it but the reason.
    fn ended(reason: &str) -> Self;
}

/// An event that waits; it is encoded only when the reader takes it.
trait Encode: Send {
    fn encode(&self, out: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl<T: Serialize + Send> Encode for T {
    fn encode(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, self)
    }
}

struct Waiting {
    event: Box<dyn Encode>,
    importance: Importance,
}

/// What may keep an event from its reader.
#[derive(Clone, Copy, PartialEq)]
enum Importance {
    /// A newer one, or a purge.
    Latest,
    /// A purge.
    UntilPurged,
    /// Nothing.
    Sure,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Waiting>,
    /// No more events will come.
    ended: bool,
    /// The reader has gone.
    abandoned: bool,
}

#[derive(Default)]
struct Feed {
    state: Mutex<State>,
    ready: Notify,
    taken: Notify,
    left: Notify,
}

impl Feed {
    fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The writing end.
pub struct Publisher<E> {
    feed: Arc<Feed>,
    event: std::marker::PhantomData<fn(E)>,
}

impl<E> Clone for Publisher<E> {
    fn clone(&self) -> Self {
        Publisher { feed: self.feed.clone(), event: std::marker::PhantomData }
    }
}

/// Tells whether the reading end is still there.
#[derive(Clone)]
pub struct Reader(Arc<Feed>);

impl Reader {
    /// Waits until the reading end has been dropped.
    pub async fn gone(&self) {
        let left = self.0.left.notified();
        tokio::pin!(left);
        left.as_mut().enable();
        if !self.0.with(|state| state.abandoned) {
            left.await;
        }
    }
}

/// The reading end, held by a door.
pub struct Subscription {
    feed: Arc<Feed>,
}

/// A new stream. Bounded by construction: replaceable events take one place, the others are few.
pub fn stream<E: StreamEvent>() -> (Publisher<E>, Subscription) {
    let feed = Arc::new(Feed::default());
    (Publisher { feed: feed.clone(), event: std::marker::PhantomData }, Subscription { feed })
}

impl<E: StreamEvent> Publisher<E> {
    /// An event that must arrive (`started`, a row of a table).
    pub fn send(&self, event: E) {
        self.push(Box::new(event), Importance::Sure);
    }

    /// An event that arrives unless it is purged before.
    pub fn until_purged(&self, event: E) {
        self.push(Box::new(event), Importance::UntilPurged);
    }

    /// An event that a newer one may replace before it is read.
    pub fn latest(&self, event: E) {
        self.push(Box::new(event), Importance::Latest);
    }

    /// The last event. Later calls are ignored.
    pub fn end(&self, event: E) {
        self.push(Box::new(event), Importance::Sure);
        self.feed.with(|state| state.ended = true);
        self.feed.ready.notify_one();
    }

    /// Drops what waits and is not sure to arrive; after this returns no such older event reaches a
    /// door that uses [`Subscription::deliver`].
    pub fn purge(&self) {
        self.feed.with(|state| state.queue.retain(|waiting| waiting.importance == Importance::Sure));
    }

    /// Waits until fewer than `limit` events wait, for streams whose every event must arrive.
    pub async fn room(&self, limit: usize) {
        loop {
            let taken = self.feed.taken.notified();
            if self.feed.with(|state| state.abandoned || state.queue.len() < limit) {
                return;
            }
            taken.await;
        }
    }

    /// Who reads this, so that work can stop when nobody does.
    pub fn reader(&self) -> Reader {
        Reader(self.feed.clone())
    }

    fn push(&self, event: Box<dyn Encode>, importance: Importance) {
        self.feed.with(|state| {
            if state.ended || state.abandoned {
                return;
            }
            let latest = |waiting: &Waiting| waiting.importance == Importance::Latest;
            if importance == Importance::Latest && state.queue.back().is_some_and(latest) {
                state.queue.pop_back();
            }
            state.queue.push_back(Waiting { event, importance });
        });
        self.feed.ready.notify_one();
    }
}

impl Subscription {
    /// Waits until an event is there without taking it; false when the stream is over.
    /// A door first waits for room on its wire, then takes: so it takes the latest.
    pub async fn ready(&self) -> bool {
        loop {
            let notified = self.feed.ready.notified();
            let (waiting, ended) = self.feed.with(|state| (!state.queue.is_empty(), state.ended));
            if waiting || ended {
                return waiting;
            }
            notified.await;
        }
    }

    /// Takes and encodes the next event, if one is there.
    pub fn take(&self) -> Option<Box<RawValue>> {
        let mut bytes = Vec::new();
        self.deliver(&mut bytes, |_| {});
        RawValue::from_string(String::from_utf8(bytes).ok()?).ok()
    }

    /// Takes, encodes and hands over the next event, if one is there, while no event can be
    /// purged: what is purged has either been handed over before or never will be.
    ///
    /// `buffer` is the caller's to use again: what an event needs is known from the one before.
    pub fn deliver(&self, buffer: &mut Vec<u8>, write: impl FnOnce(&[u8])) {
        buffer.clear();
        self.feed.with(|state| {
            if let Some(waiting) = state.queue.pop_front() {
                match waiting.event.encode(buffer) {
                    Ok(()) => write(buffer),
                    Err(error) => tracing::error!(%error, "an event could not be encoded"),
                }
            }
        });
        self.feed.taken.notify_one();
    }

    /// Waits for the next event; `None` after the last.
    pub async fn next(&self) -> Option<Box<RawValue>> {
        while self.ready().await {
            if let Some(event) = self.take() {
                return Some(event);
            }
        }
        None
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.feed.with(|state| {
            state.abandoned = true;
            state.queue.clear();
        });
        self.feed.taken.notify_one();
        self.feed.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl StreamEvent for String {
        fn ended(reason: &str) -> String {
            reason.to_owned()
        }
    }

    #[tokio::test]
    async fn first_and_last_stay_and_the_middle_is_the_latest() {
        let (publisher, subscription) = stream::<String>();
        publisher.send("started".into());
        for n in 0..1000 {
            publisher.latest(format!("running {n}"));
        }
        publisher.end("ended".into());
        publisher.latest("too late".into());
        let mut seen = Vec::new();
        while let Some(event) = subscription.next().await {
            seen.push(event.get().to_owned());
        }
        assert_eq!(seen, [r#""started""#, r#""running 999""#, r#""ended""#]);
    }

    #[tokio::test]
    async fn some_are_replaced_some_purged_and_some_are_sure() {
        let (publisher, subscription) = stream::<String>();
        let fill = || {
            publisher.until_purged("known".into());
            publisher.latest("running 1".into());
            publisher.latest("running 2".into());
        };
        fill();
        publisher.send("turned".into());
        publisher.purge();
        fill();
        publisher.end("ended".into());
        let mut seen = Vec::new();
        while let Some(event) = subscription.next().await {
            seen.push(event.get().to_owned());
        }
        assert_eq!(seen, [r#""turned""#, r#""known""#, r#""running 2""#, r#""ended""#]);
    }

    #[tokio::test]
    async fn a_dropped_reader_is_noticed() {
        let (publisher, subscription) = stream::<String>();
        publisher.send("started".into());
        let reader = publisher.reader();
        let gone = reader.gone();
        tokio::pin!(gone);
        assert!(futures_util::poll!(&mut gone).is_pending());
        drop(subscription);
        gone.await;
        publisher.reader().gone().await;
    }
}
