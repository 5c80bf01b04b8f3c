//! What an engine says and does, passed on to the sessions' events and to the GTP log.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::audit::Audit;
use super::engines::Seat;
use super::error::{Error, Result};
use super::events::{Body, Direction, EngineChange, Hub, OutputLine, Topic, is_report};
use super::gtp_log::{EngineLog, shown};
use super::table::Cx;
use crate::engine::{Ear, EngineSpec, State, Way};

/// What events tell of a line, bytes; the log has all of it.
const TOLD: usize = 16 * 1024;
/// Read beyond that, so that no secret is cut in two.
const BEYOND: usize = 1024;

/// Hears an engine for one session.
#[derive(Debug)]
pub struct Recorder {
    id: Arc<str>,
    name: String,
    secrets: Vec<String>,
    events: Arc<Hub>,
    trusted: bool,
}

impl Recorder {
    /// Begins to record an engine that a session attaches.
    pub fn begin(cx: &Cx, seat: &Seat, spec: &EngineSpec) -> Recorder {
        let events = cx.session.events.clone();
        events.remember(&seat.id);
        let (id, name, trusted) = (seat.id.clone(), seat.name.clone(), cx.session.trusted());
        Recorder { id, name, secrets: spec.secrets(), events, trusted }
    }

    /// Whether a line is meant for its session, when this is its turn, somebody else's or everybody's. Who is not
    /// trusted hears only what it makes the engine say: nothing of how it was started, and of nothing that it
    /// prints.
    fn hears(&self, way: Way, own_turn: Option<bool>) -> bool {
        match self.trusted {
            true => own_turn.unwrap_or(true),
            false => own_turn == Some(true) && matches!(way, Way::In | Way::Out),
        }
    }

    fn line(&self, at: SystemTime, way: Way, line: &[u8]) {
        // Reports of an analysis are many, and nobody asks for them later.
        if self.events.wants(Topic::Output) || way != Way::Out || !is_report(line) {
            self.events.publish_at(at, Some(&self.id), self.told(way, line));
        }
    }

    fn told(&self, way: Way, line: &[u8]) -> Body {
        let head = line.get(..TOLD + BEYOND).unwrap_or(line);
        let mut text = shown(way, head, &self.secrets);
        let cut = line.len().saturating_sub(TOLD);
        if cut > 0 {
            text.truncate(text.floor_char_boundary(TOLD));
        }
        let direction = match way {
            Way::In => Direction::In,
            Way::Out => Direction::Out,
            Way::Err => Direction::Err,
            Way::Meta => Direction::Meta,
        };
        let cut = (cut > 0).then_some(cut as u64);
        Body::Output(OutputLine { name: self.name.clone(), direction, text, cut })
    }

    fn state(&self, state: State) {
        let change = EngineChange { name: self.name.clone(), state: state.into() };
        self.events.publish(Some(&self.id), Body::Engine(change));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.events.forget(&self.id);
    }
}

/// Hears one engine, for the log and for all sessions that use it: each hears what is said while the engine
/// works for it, and nothing of what others want.
#[derive(Debug)]
pub struct Ears {
    /// For the session that has attached it.
    audit: Audit,
    log: Option<EngineLog>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The sessions, by what they are called on the engine.
    recorders: Vec<(u64, Recorder)>,
    /// For whom the engine works.
    turn: Option<u64>,
}

impl Ears {
    /// For an engine that is about to be started.
    ///
    /// # Errors
    /// `NotFound` when the folder of the log cannot be used.
    pub fn begin(cx: &Cx, seat: &Seat, spec: &EngineSpec) -> Result<Ears> {
        let log = cx.service.gtp_log.begin(&cx.service.settings().log, &seat.name, spec.secrets());
        let log = log.map_err(|error| match cx.session.trusted() {
            true => error,
            false => {
                tracing::warn!(%error, "an engine is not started for an untrusted session");
                Error::new(error.kind, "what engines say cannot be logged; the daemon's log says why")
            }
        })?;
        let recorders = vec![(crate::engine::FIRST_PARTY, Recorder::begin(cx, seat, spec))];
        let audit = Audit::new(&cx.session, &seat.name);
        Ok(Ears { audit, log, inner: Mutex::new(Inner { recorders, turn: None }) })
    }

    /// One more session uses the engine.
    pub fn add(&self, party: u64, recorder: Recorder) {
        self.lock().recorders.push((party, recorder));
    }

    /// A session does not use it any more.
    pub fn remove(&self, party: u64) {
        self.lock().recorders.retain(|(other, _)| *other != party);
    }

    /// A remark of kifud.
    pub fn remark(&self, remark: &str) {
        self.line(Way::Meta, remark.as_bytes());
    }

    /// What comes now is meant for all who are still there, whoever it worked for before.
    pub fn to_all(&self) {
        self.lock().turn = None;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ear for Ears {
    fn line(&self, way: Way, line: &[u8]) {
        let at = SystemTime::now();
        if let Some(log) = &self.log {
            log.line(at, way, line);
        }
        let inner = self.lock();
        let own = |party: u64| inner.turn.map(|turn| turn == party);
        let meant = inner.recorders.iter().filter(|(party, recorder)| recorder.hears(way, own(*party)));
        meant.for_each(|(_, recorder)| recorder.line(at, way, line));
    }

    fn state(&self, state: State) {
        self.lock().recorders.iter().for_each(|(_, recorder)| recorder.state(state));
    }

    fn turn(&self, party: Option<u64>) {
        self.lock().turn = party;
    }

    fn started(&self, process: u32, program: &Path, command: &str) {
        self.audit.started(process, program, command);
    }
}
