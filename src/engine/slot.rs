//! How an analysis reaches its client: first and last event surely, the newest one between.
//!
//! The slot holds at most one report. A slow client finds the newest one; the actor never waits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::error::EngineError;
use super::gtp::analyze::Report;
use super::request::Synced;
use crate::go::{Color, Size};

/// Names one analysis of one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnalysisId(pub(super) u64);

/// A running analysis: how the engine was brought to the position, and the stream of events.
#[derive(Debug)]
pub struct Analysis {
    /// Its name, for `retarget` and `stop`.
    pub id: AnalysisId,
    /// How the engine came to the position.
    pub synced: Synced,
    /// What it finds.
    pub events: AnalysisEvents,
}

/// One event of an analysis.
#[derive(Debug, Clone, PartialEq)]
pub enum AnalysisEvent {
    /// Always first.
    Started(Synced),
    /// The newest report.
    Running(Running),
    /// It is somebody else's turn on the engine.
    Waiting,
    /// Always last, exactly once.
    Ended(Ended),
}

/// What the engine thinks now.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// The engine's line, read.
    pub report: Arc<Report>,
    /// The engine's board that it is about.
    pub revision: u64,
    /// Whose chances the numbers are.
    pub color: Color,
    /// The board's size.
    pub size: Size,
    /// Visits of the whole search.
    pub visits: u64,
    /// When the line was read.
    pub received: Instant,
    /// Records, numbers and whole lines left out since the analysis began.
    pub skipped: u64,
}

/// How an analysis ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Why.
    pub reason: EndReason,
    /// The error behind `EngineExited`, `Refused` and some `Cancelled`.
    pub error: Option<EngineError>,
    /// The newest report of the last revision.
    pub last: Option<Running>,
    /// Reports seen in all; 0 when the engine had nothing to say.
    pub reports: u64,
}

/// Why an analysis ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The client stopped it, or detached the engine.
    Stopped,
    /// Its limit of visits or seconds is reached.
    Limit,
    /// The engine ended it by itself.
    Finished,
    /// Another request took the engine.
    Superseded,
    /// The engine is gone.
    EngineExited,
    /// The engine refused the new position or the command.
    Refused,
    /// The request that was to continue it was withdrawn, or the engine hangs.
    Cancelled,
    /// kifud ends.
    Shutdown,
    /// A mistake in kifud.
    Panic,
}

#[derive(Debug, Default)]
struct State {
    started: Option<Synced>,
    latest: Option<Running>,
    waiting: bool,
    ended: Option<Ended>,
    over: bool,
    /// The client has dropped its end.
    gone: bool,
}

/// The place between actor and client.
#[derive(Debug)]
pub(super) struct Slot {
    state: Mutex<State>,
    news: Notify,
    /// Rings when the client has gone.
    bell: Arc<Notify>,
}

impl Slot {
    pub(super) fn new(bell: Arc<Notify>) -> Slot {
        Slot { state: Mutex::default(), news: Notify::new(), bell }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn start(&self, synced: Synced) {
        self.lock().started = Some(synced);
        self.news.notify_one();
    }

    pub(super) fn publish(&self, running: Running) {
        let mut state = self.lock();
        (state.latest, state.waiting) = (Some(running), false);
        drop(state);
        self.news.notify_one();
    }

    /// Somebody else has the engine now. A report that has not been fetched is still told before.
    pub(super) fn wait(&self) {
        self.lock().waiting = true;
        self.news.notify_one();
    }

    /// The engine works for it again.
    pub(super) fn go_on(&self) {
        self.lock().waiting = false;
    }

    /// Takes back a report that nobody has fetched yet.
    pub(super) fn clear(&self) {
        self.lock().latest = None;
    }

    /// The last event; only the first call counts.
    pub(super) fn end(&self, ended: Ended) {
        let mut state = self.lock();
        if !state.over {
            (state.over, state.waiting) = (true, false);
            state.ended = Some(ended);
        }
        drop(state);
        self.news.notify_one();
    }

    /// Whether the client has dropped its end.
    pub(super) fn is_deserted(&self) -> bool {
        self.lock().gone
    }
}

/// The client's end. Dropping it stops the analysis.
#[derive(Debug)]
pub struct AnalysisEvents {
    slot: Arc<Slot>,
}

impl AnalysisEvents {
    pub(super) fn new(slot: Arc<Slot>) -> AnalysisEvents {
        AnalysisEvents { slot }
    }

    /// The next event: `Started`, then the newest report whenever there is a new one and `Waiting`
    /// whenever others have the engine, then `Ended`; after that `None`. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<AnalysisEvent> {
        loop {
            {
                let mut state = self.slot.lock();
                if let Some(synced) = state.started.take() {
                    return Some(AnalysisEvent::Started(synced));
                }
                if let Some(running) = state.latest.take() {
                    return Some(AnalysisEvent::Running(running));
                }
                if std::mem::take(&mut state.waiting) {
                    return Some(AnalysisEvent::Waiting);
                }
                if let Some(ended) = state.ended.take() {
                    return Some(AnalysisEvent::Ended(ended));
                }
                if state.over {
                    return None;
                }
            }
            self.slot.news.notified().await;
        }
    }
}

impl Drop for AnalysisEvents {
    fn drop(&mut self) {
        self.slot.lock().gone = true;
        self.slot.bell.notify_one();
    }
}
