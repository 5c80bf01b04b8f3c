//! The engines of one session, by the handles that its client knows.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod pool;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{Error, Kind, Result};
use super::methods::analysis::Watch;
use super::recall::Results;
use super::review::Fingerprint;
use crate::engine::{Engine, EngineError, ErrorKind, State};

pub use pool::{Key, Pool, Share};

/// One attached engine.
pub struct Attached {
    /// The session's handle, `engineId` on the wire.
    pub id: String,
    /// Unique in the session: `GNU Go`, `GNU Go 2`.
    pub name: String,
    /// What its settings call it.
    pub configured: String,
    /// The engine.
    pub engine: Engine,
    /// The session's part in its program.
    share: Share,
    /// Whether that has been given up.
    gone: AtomicBool,
    /// Freed when the session lets the engine go, or else with it.
    seat: Seat,
    /// How long it may take to quit by itself.
    pub quit: Duration,
    /// How it is set up: values of an engine that is set up in another way are not taken for its own.
    pub setup: Fingerprint,
}

impl Attached {
    /// Where what its program finds goes.
    pub fn results(&self) -> &Results {
        self.share.results()
    }

    /// The session's handle, to be shared.
    pub fn handle(&self) -> Arc<str> {
        self.seat.id.clone()
    }

    /// Whether its session is trusted.
    pub fn trusted(&self) -> bool {
        self.seat.trusted
    }

    /// Whether other sessions may use the same program.
    pub fn is_shared(&self) -> bool {
        self.share.is_shared()
    }

    /// The session wants it no more. Its program ends, unless others use it; the session hears that.
    pub async fn let_go(&self, patience: Duration) {
        if self.part() {
            self.share.let_go(patience).await;
            self.turn_away();
        }
    }

    /// The session has gone, and with it what it wanted of the engine. Its program ends after a while,
    /// unless others use it.
    fn abandon(&self) {
        if self.part() {
            self.turn_away();
            tokio::spawn(self.share.abandon(self.quit));
        }
    }

    /// The session hears nothing of it any more.
    fn turn_away(&self) {
        self.share.ears().remove(self.engine.party());
    }

    /// Takes leave of the engine; whether that was news.
    fn part(&self) -> bool {
        let news = !self.gone.swap(true, Ordering::Relaxed);
        if news {
            self.engine.leave();
        }
        news
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if tokio::runtime::Handle::try_current().is_ok() {
            self.abandon();
        }
        // Whoever was letting it go may have been interrupted.
        self.turn_away();
    }
}

/// A handle and a name, taken before the engine is started; free again when dropped.
#[derive(Debug)]
pub struct Seat {
    /// The session's handle.
    pub id: Arc<str>,
    /// Unique in the session.
    pub name: String,
    /// Whether its session is trusted.
    trusted: bool,
    number: u64,
    names: Names,
}

/// The names that are taken, by the number of the engine.
type Names = Arc<Mutex<BTreeMap<u64, String>>>;

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.names).remove(&self.number);
    }
}

/// All engines of a session.
#[derive(Default)]
pub struct SessionEngines {
    next: AtomicU64,
    names: Names,
    attached: Mutex<BTreeMap<u64, Arc<Attached>>>,
    watches: Mutex<HashMap<String, Arc<Watch>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionEngines {
    /// All, in the order they were attached.
    pub fn all(&self) -> Vec<Arc<Attached>> {
        lock(&self.attached).values().cloned().collect()
    }

    /// The engine with this handle.
    ///
    /// # Errors
    /// `EngineNotFound`.
    pub fn get(&self, id: &str) -> Result<Arc<Attached>> {
        let found = lock(&self.attached).values().find(|attached| attached.id == id).cloned();
        found.ok_or_else(|| {
            let message = format!("no engine with id {id:?} is attached; engine/attach starts one");
            Error::new(Kind::EngineNotFound, message).with("engineId", id)
        })
    }

    /// The engine with this handle, or the first that can analyse, preferably one that nobody has for itself.
    ///
    /// # Errors
    /// `EngineNotFound`; `EngineUnsupported` when none can.
    pub fn analyst(&self, id: Option<&str>) -> Result<Arc<Attached>> {
        if let Some(id) = id {
            return self.get(id);
        }
        let all = self.all();
        if all.is_empty() {
            return Err(Error::new(Kind::EngineNotFound, "no engine is attached; engine/attach starts one"));
        }
        let can = all.iter().filter(|attached| attached.engine.info().supports.analyze);
        let free = can.clone().find(|attached| attached.engine.leased_to().is_none());
        free.or_else(|| can.clone().next()).cloned().ok_or_else(|| {
            Error::new(Kind::EngineUnsupported, "none of the attached engines supports analysis")
        })
    }

    /// Takes a handle and a name of its own for an engine, for a session that is `trusted` or not.
    pub fn seat(&self, wanted: &str, trusted: bool) -> Seat {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut names = lock(&self.names);
        let taken = |name: &str| names.values().any(|other| other == name);
        let name = std::iter::once(wanted.to_owned())
            .chain((2..).map(|n| format!("{wanted} {n}")))
            .find(|name| !taken(name))
            .unwrap_or_default();
        names.insert(number, name.clone());
        Seat { id: format!("engine-{number}").into(), name, trusted, number, names: self.names.clone() }
    }

    /// Adds an engine that has started. It may take so long to quit by itself.
    pub fn insert(
        &self,
        seat: Seat,
        configured: String,
        engine: Engine,
        share: Share,
        quit: Duration,
        setup: Fingerprint,
    ) -> Arc<Attached> {
        let (number, id, name) = (seat.number, seat.id.to_string(), seat.name.clone());
        let gone = AtomicBool::new(false);
        let entry = Arc::new(Attached { id, name, configured, engine, share, gone, seat, quit, setup });
        lock(&self.attached).insert(number, entry.clone());
        entry
    }

    /// Forgets an engine.
    ///
    /// # Errors
    /// `EngineNotFound`.
    pub fn remove(&self, id: &str) -> Result<Arc<Attached>> {
        let entry = self.get(id)?;
        lock(&self.attached).retain(|_, attached| attached.id != id);
        lock(&self.names).remove(&entry.seat.number);
        Ok(entry)
    }

    /// Notes the analysis behind a subscription, for retarget and stop.
    pub fn watch(&self, subscription: &str, watch: Arc<Watch>) {
        lock(&self.watches).insert(subscription.to_owned(), watch);
    }

    /// Forgets an analysis.
    pub fn unwatch(&self, subscription: &str) {
        lock(&self.watches).remove(subscription);
    }

    /// The analysis behind a subscription.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn watched(&self, subscription: &str) -> Result<Arc<Watch>> {
        lock(&self.watches).get(subscription).cloned().ok_or_else(|| {
            Error::new(
                Kind::NotFound,
                format!("there is no running analysis {subscription:?} in this session"),
            )
        })
    }

    /// The running analyses.
    pub fn watches(&self) -> Vec<Arc<Watch>> {
        lock(&self.watches).values().cloned().collect()
    }

    /// The client has gone: so have its wishes of every engine.
    pub fn close(&self) {
        let all = std::mem::take(&mut *lock(&self.attached));
        all.values().for_each(|attached| attached.abandon());
    }
}

/// The room that the daemon has for engines.
pub struct Places {
    free: Arc<Semaphore>,
    all: usize,
}

/// Room for one engine; free again when dropped.
pub struct Place(#[expect(dead_code, reason = "held, not read")] OwnedSemaphorePermit);

impl Places {
    /// Room for so many.
    pub fn new(all: usize) -> Places {
        Places { free: Arc::new(Semaphore::new(all)), all }
    }

    /// Takes a place before the engine is started, so that the limit also holds for those that
    /// are being started.
    ///
    /// # Errors
    /// `LimitExceeded` when there is none.
    pub fn take(&self) -> Result<Place> {
        self.free.clone().try_acquire_owned().map(Place).map_err(|_| {
            let message = format!("{} engines are attached already; detach one first", self.all);
            Error::new(Kind::LimitExceeded, message)
        })
    }
}

/// An engine as clients see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineInfo {
    /// The session's handle.
    pub id: String,
    /// Unique in the session.
    pub name: String,
    /// What the program calls itself.
    pub program: String,
    /// Its version, as it says.
    pub version: String,
    /// The version of GTP that it says it speaks, or `katago-json`.
    pub protocol: String,
    /// The commands it lists.
    pub commands: Vec<String>,
    /// Whether its program may be used by other clients as well, in turn.
    pub shared: bool,
    /// Whether it is there for demos only: say so wherever its numbers are shown.
    pub demo: bool,
    /// How many searches it takes at once; 1 for a GTP engine.
    pub capacity: usize,
    /// What it is doing.
    pub state: EngineState,
    /// What it can do.
    pub supports: Supports,
    /// Initial commands that it refused; for trusted sessions.
    pub refused: Vec<RefusedCommand>,
}

/// What an engine is doing.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EngineState {
    /// Not through the handshake yet.
    Starting,
    /// Waiting for work.
    Ready,
    /// Working on a request.
    Thinking,
    /// Streaming reports.
    Analysing,
    /// The program has ended and will be started again.
    Restarting,
    /// The program has ended too often; it is not started any more.
    Failed,
    /// Let go.
    Stopped,
}

impl From<State> for EngineState {
    fn from(state: State) -> EngineState {
        match state {
            State::Starting => EngineState::Starting,
            State::Ready => EngineState::Ready,
            State::Thinking => EngineState::Thinking,
            State::Analysing => EngineState::Analysing,
            State::Restarting => EngineState::Restarting,
            State::Failed => EngineState::Failed,
            State::Stopped => EngineState::Stopped,
        }
    }
}

/// What an engine can do.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Supports {
    /// Streams analysis.
    pub analyze: bool,
    /// Streams analysis while it thinks about a move.
    pub genmove_analyze: bool,
    /// Searches with an exact number of visits.
    pub exact_visits: bool,
    /// Takes moves back.
    pub undo: bool,
    /// Takes handicap stones as such.
    pub handicap: bool,
    /// Plays on boards that are not square.
    pub rectangular: bool,
    /// Takes a whole position at once.
    pub set_position: bool,
    /// Reads SGF files.
    pub load_sgf: bool,
}

/// An initial command that the engine refused.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusedCommand {
    /// What was sent.
    pub command: String,
    /// What it said.
    pub reply: String,
}

impl EngineInfo {
    /// The present state of an attached engine, for a session that is trusted or not.
    pub fn of(attached: &Attached, trusted: bool) -> EngineInfo {
        let info = attached.engine.info();
        EngineInfo {
            id: attached.id.clone(),
            name: attached.name.clone(),
            program: info.program.clone(),
            version: info.version.clone(),
            protocol: info.protocol.clone(),
            commands: info.commands.iter().cloned().collect(),
            shared: attached.is_shared(),
            demo: info.is_demo(),
            capacity: info.capacity,
            state: attached.engine.state().into(),
            supports: Supports {
                analyze: info.supports.analyze,
                genmove_analyze: info.supports.genmove_analyze,
                exact_visits: info.supports.exact_visits,
                undo: info.supports.undo,
                handicap: info.supports.handicap,
                rectangular: info.supports.rectangular,
                set_position: info.supports.set_position,
                load_sgf: info.supports.load_sgf,
            },
            refused: info
                .refused
                .iter()
                .filter(|_| trusted)
                .map(|(command, reply)| RefusedCommand { command: command.clone(), reply: reply.clone() })
                .collect(),
        }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Error {
        let kind = match error.kind {
            ErrorKind::EngineStartFailed => Kind::EngineStartFailed,
            ErrorKind::EngineExited => Kind::EngineExited,
            ErrorKind::EngineTimeout => Kind::EngineTimeout,
            ErrorKind::EngineRefused => Kind::EngineRefused,
            ErrorKind::EngineUnsupported => Kind::EngineUnsupported,
            ErrorKind::EngineBusy => Kind::EngineBusy,
            ErrorKind::SyncFailed => Kind::SyncFailed,
            ErrorKind::BoardTooLarge => Kind::BoardTooLarge,
            ErrorKind::InvalidPosition => Kind::InvalidPosition,
            ErrorKind::Cancelled => Kind::Cancelled,
        };
        let evidence = error.evidence;
        let pieces = [
            ("cause", evidence.cause.map(str::to_owned)),
            ("command", evidence.command),
            ("reply", evidence.reply),
            ("holder", evidence.holder),
            ("exitStatus", evidence.exit_status.map(|exit| exit.to_string())),
            ("stderrTail", evidence.stderr_tail),
            ("hint", evidence.diagnosis.map(|found| format!("{}: {}", found.wrong, found.mend))),
        ];
        let known = pieces.into_iter().filter_map(|(key, value)| Some((key, value?)));
        known.fold(Error::new(kind, error.message), |error, (key, value)| error.with(key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_before_the_engine_is_there_and_comes_back() {
        let places = Places::new(64);
        let mut taken: Vec<Place> = (0..64).map(|_| places.take().unwrap()).collect();
        assert_eq!(places.take().err().map(|error| error.kind), Some(Kind::LimitExceeded));
        taken.pop();
        assert!(places.take().is_ok());
    }
}
