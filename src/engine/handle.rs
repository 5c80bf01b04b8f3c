//! The handle that the rest of kifud holds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc, oneshot, watch};

use super::actor;
use super::client::{Client, FIRST_PARTY};
use super::clock;
use super::error::{EngineError, ErrorKind, Exit};
use super::host::{Host, Leave};
use super::profile::{Profile, Quirk};
use super::request::{AnalyzeRequest, Genmove, GenmoveRequest, Reply, Search, SearchRequest, Synced};
use super::slot::{Analysis, AnalysisId};
use super::spec::{EngineSpec, StartIn};
use super::sync::Abilities;
use super::tap::Tap;
use crate::go::{Color, Position, Size};

/// Requests of one client that may wait for an engine; more are refused with `EngineBusy`.
pub(super) const QUEUE: usize = 64;

/// What an engine is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It was started and has not finished its handshake.
    Starting,
    /// It waits for work.
    Ready,
    /// It works on a request.
    Thinking,
    /// It analyses.
    Analysing,
    /// It is gone, and will be started again.
    Restarting,
    /// It has ended too often to be started again.
    Failed,
    /// It was detached.
    Stopped,
}

/// What the actor shows to all handles.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: RwLock<Arc<Info>>,
    pub(super) state: watch::Sender<State>,
    /// Counts the changes of what is believed about the engine's board.
    pub(super) revision: AtomicU64,
    pub(super) leave: watch::Sender<Option<Leave>>,
    pub(super) exit: Mutex<Option<Exit>>,
    pub(super) tap: Tap,
    /// Rings for the actor: somebody has dropped an analysis or a lease.
    pub(super) bell: Arc<Notify>,
    access: Mutex<Access>,
    /// Numbers clients and leases.
    numbers: AtomicU64,
    /// A client has changed how the program works: it is no longer what its settings make of it.
    altered: AtomicBool,
    /// It owes an answer that nobody waits for any more, and has not come to it in time.
    stuck: AtomicBool,
    /// The time that its initial commands set.
    own_time: Option<String>,
    /// Whether it has been told another time since.
    timed: AtomicBool,
}

/// Who may ask.
#[derive(Debug, Default)]
struct Access {
    /// Who has the engine for itself.
    lease: Option<Holder>,
    /// Whose own command it works on.
    sender: Option<u64>,
    /// The parties of its clients.
    parties: Vec<u64>,
}

#[derive(Debug)]
struct Holder {
    key: u64,
    client: u64,
    party: u64,
    what: String,
}

impl Shared {
    pub(super) fn leave(&self, how: Leave) {
        self.leave.send_if_modified(|leave| {
            // An earlier wish stands, unless the daemon itself is in a hurry now.
            let news = leave.is_none_or(|old| how.shutdown && !old.shutdown);
            if news {
                *leave = Some(how);
            }
            news
        });
    }

    pub(super) async fn left(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| *state == State::Stopped).await;
    }

    fn access(&self) -> MutexGuard<'_, Access> {
        self.access.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The client that has the engine for itself, and the error for all others.
    pub(super) fn holder(&self) -> Option<(u64, EngineError)> {
        self.access().lease.as_ref().map(|holder| (holder.client, taken(holder, None)))
    }

    /// The engine works on a client's own command, or on none any more.
    pub(super) fn sending(&self, client: Option<&Client>) {
        self.access().sender = client.map(|client| client.party);
    }

    /// Whether others than this party share the engine.
    pub(super) fn is_shared_beside(&self, party: u64) -> bool {
        self.access().parties.iter().any(|other| *other != party)
    }

    /// The command that takes back whatever clock the engine was told of.
    pub(super) fn usual_time(&self, commands: &BTreeSet<String>) -> Option<String> {
        self.timed.store(false, Ordering::Relaxed);
        self.own_time.clone().or_else(|| clock::no_limit(commands))
    }

    pub(super) fn alter(&self) {
        self.altered.store(true, Ordering::Relaxed);
    }

    pub(super) fn set_stuck(&self, stuck: bool) {
        self.stuck.store(stuck, Ordering::Relaxed);
    }
}

/// What an engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// The configured name.
    pub name: String,
    /// Its process id, which is also that of its process group.
    pub process: u32,
    /// Its answer to `name`.
    pub program: String,
    /// Its answer to `version`.
    pub version: String,
    /// Its answer to `protocol_version`.
    pub protocol: String,
    /// What was started, secrets masked.
    pub command_line: String,
    /// The first words of its `list_commands`.
    pub commands: BTreeSet<String>,
    /// The known program that it is.
    pub profile: Option<&'static Profile>,
    /// What the sync planner may use.
    pub abilities: Abilities,
    /// What clients may ask for.
    pub supports: Supports,
    /// How many searches it takes at once ([`Engine::search`]); 1 for an engine that works one
    /// request after the other. More may be asked for: they wait.
    pub capacity: usize,
    /// Initial commands that it refused, each with its answer.
    pub refused: Vec<(String, String)>,
}

impl Default for Info {
    /// An engine of which nothing is known yet.
    fn default() -> Info {
        Info {
            name: String::new(),
            process: 0,
            program: String::new(),
            version: String::new(),
            protocol: String::new(),
            command_line: String::new(),
            commands: BTreeSet::new(),
            profile: None,
            abilities: Abilities::default(),
            supports: Supports::default(),
            capacity: 1,
            refused: Vec::new(),
        }
    }
}

impl Info {
    /// Whether its numbers are worth nothing but a demonstration.
    pub fn is_demo(&self) -> bool {
        self.profile.is_some_and(|profile| profile.has(Quirk::Demo))
    }
}

/// What clients may ask an engine for, from its commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Supports {
    /// Any of the analyze commands.
    pub analyze: bool,
    /// Any `…genmove_analyze`.
    pub genmove_analyze: bool,
    /// `kata-search_analyze` with a settable number of visits.
    pub exact_visits: bool,
    /// `undo`
    pub undo: bool,
    /// `set_free_handicap`
    pub handicap: bool,
    /// `rectangular_boardsize`
    pub rectangular: bool,
    /// `set_position`
    pub set_position: bool,
    /// `loadsgf`
    pub load_sgf: bool,
}

pub(super) type Answer<T> = oneshot::Sender<Result<T, EngineError>>;

/// One request on its way to the actor.
#[derive(Debug)]
pub(super) enum Ask {
    Sync(Position, Answer<Synced>),
    Analyze(AnalyzeRequest, Answer<Analysis>),
    Retarget(AnalysisId, Position, Option<Color>, Answer<Synced>),
    Stop(Option<AnalysisId>, Answer<bool>),
    Genmove(GenmoveRequest, Answer<Genmove>),
    Search(SearchRequest, Answer<Search>),
    Send(String, Option<u64>, Answer<Reply>),
}

/// A request, and the news that its caller has given up (the sender is dropped).
#[derive(Debug)]
pub(super) struct Job {
    pub(super) client: Arc<Client>,
    pub(super) ask: Ask,
    pub(super) withdrawn: oneshot::Receiver<()>,
    /// Asked by the holder of a lease.
    pub(super) leased: bool,
    /// Taken by it while it waits.
    pub(super) room: OwnedSemaphorePermit,
}

/// A handle to one engine. Cheap to clone; the engine ends when the last one is dropped. Clones are the
/// same client of the engine: a request of one ends the analysis of another. [`Keeper::join`] gives a
/// handle of somebody else.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Bounded by the room that each client has.
    jobs: mpsc::UnboundedSender<Job>,
    shared: Arc<Shared>,
    membership: Arc<Membership>,
    /// Opens the lease with this number; 0 opens none.
    key: u64,
}

/// Holds an engine that several clients share. Each of them has, as it seems, a board of its own, and the
/// engine in turn with the others.
#[derive(Debug, Clone)]
pub struct Keeper {
    jobs: mpsc::UnboundedSender<Job>,
    shared: Arc<Shared>,
}

impl Keeper {
    /// The engine for one more client.
    pub fn join(&self) -> Engine {
        let membership = Membership::new(&self.shared, Client::new);
        Engine { jobs: self.jobs.clone(), shared: self.shared.clone(), membership, key: 0 }
    }

    /// What the engine is doing.
    pub fn state(&self) -> State {
        *self.shared.state.borrow()
    }

    /// Whether a client has changed how it works, so that it is no longer what its settings make of it.
    pub fn is_altered(&self) -> bool {
        self.shared.altered.load(Ordering::Relaxed)
    }

    /// Whether it owes an answer that nobody waits for any more: only its end helps.
    pub fn is_stuck(&self) -> bool {
        self.shared.stuck.load(Ordering::Relaxed)
    }

    /// Ends the engine, for all clients, as [`Engine::detach`] does.
    pub async fn detach(&self, patience: Duration) -> Option<Exit> {
        self.shared.leave(Leave::detach(patience));
        self.shared.left().await;
        *self.shared.exit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client, as long as anybody holds a handle of it.
#[derive(Debug)]
struct Membership {
    client: Arc<Client>,
    shared: Arc<Shared>,
}

impl Membership {
    fn new(shared: &Arc<Shared>, client: impl FnOnce(u64) -> Client) -> Arc<Membership> {
        let client = Arc::new(client(shared.number()));
        shared.access().parties.push(client.party);
        Arc::new(Membership { client, shared: shared.clone() })
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let parties = &mut self.shared.access().parties;
        if let Some(place) = parties.iter().position(|party| *party == self.client.party) {
            parties.swap_remove(place);
        }
    }
}

/// An engine that one holder has for itself, until this is dropped: requests through any other
/// handle are refused with `EngineBusy`, but for stopping and detaching.
#[derive(Debug)]
pub struct Lease {
    engine: Engine,
}

impl std::ops::Deref for Lease {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let shared = &self.engine.shared;
        shared.access().lease.take_if(|holder| holder.key == self.engine.key);
        shared.bell.notify_one();
    }
}

impl Engine {
    /// Starts a program, greets it and sends its initial commands. Dropping the future ends it.
    ///
    /// # Errors
    /// `EngineStartFailed` (its `cause` tells which way), `EngineTimeout` when the program is
    /// silent, `EngineUnsupported` for a protocol that kifud does not speak.
    pub async fn attach(host: &Host, spec: EngineSpec, start_in: StartIn) -> Result<Engine, EngineError> {
        Self::attach_heard(host, spec, start_in, Tap::default()).await
    }

    /// The same, with somebody who hears all that goes over its pipes.
    ///
    /// # Errors
    /// Those of [`Engine::attach`].
    pub async fn attach_heard(
        host: &Host,
        spec: EngineSpec,
        start_in: StartIn,
        tap: Tap,
    ) -> Result<Engine, EngineError> {
        let protocol = spec.speaks()?;
        let (jobs, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            info: RwLock::new(Arc::new(Info { name: spec.name.clone(), ..Info::default() })),
            state: watch::Sender::new(State::Starting),
            revision: AtomicU64::new(0),
            leave: watch::Sender::new(None),
            exit: Mutex::default(),
            tap,
            bell: Arc::default(),
            access: Mutex::default(),
            numbers: AtomicU64::new(FIRST_PARTY - 1),
            altered: AtomicBool::new(false),
            stuck: AtomicBool::new(false),
            own_time: spec
                .initial_commands()
                .filter(|command| clock::sets_time(command))
                .last()
                .map(str::to_owned),
            timed: AtomicBool::new(false),
        });
        shared.tap.state(State::Starting);
        host.enlist(&shared);
        let (ready, started) = oneshot::channel();
        let (_hold, withdrawn) = oneshot::channel();
        let host = &host.inner;
        let timeouts = spec.patience.over(&host.timeouts);
        let setting = actor::Setting { spec, protocol, start_in, timeouts, reaper: host.reaper.clone() };
        let membership = Membership::new(&shared, Client::new);
        let client = membership.client.clone();
        tokio::spawn(actor::run(setting, shared.clone(), client, queue, ready, withdrawn));
        started.await.unwrap_or_else(|_| Err(lost()))?;
        Ok(Engine { jobs, shared, membership, key: 0 })
    }

    /// The same engine for work on whole games: its searches leave the analysis of this handle alone, and
    /// take turns with it.
    pub fn for_batch(&self) -> Engine {
        let membership = Membership::new(&self.shared, |id| self.client().batch(id));
        Engine { membership, key: 0, ..self.clone() }
    }

    /// The same engine for what nobody has asked for yet: its analyses are refused with `EngineBusy` unless
    /// the engine is idle, and end with `Superseded` as soon as anybody wants anything of it.
    pub fn for_ahead(&self) -> Engine {
        let membership = Membership::new(&self.shared, |id| self.client().ahead(id));
        Engine { membership, key: 0, ..self.clone() }
    }

    /// Takes leave of an engine that goes on for others: requests of this client get `Cancelled`, its
    /// analysis ends with `Stopped`, its lease is over.
    pub fn leave(&self) {
        let client = self.client();
        client.leave();
        self.shared.access().lease.take_if(|holder| holder.party == client.party);
        self.shared.bell.notify_one();
    }

    /// Holds the engine for clients to come, without being one.
    pub fn keeper(&self) -> Keeper {
        Keeper { jobs: self.jobs.clone(), shared: self.shared.clone() }
    }

    /// What this client, and those for the same person, are called on the engine; its [`super::Ear`] is told
    /// so whose turn it is.
    pub fn party(&self) -> u64 {
        self.client().party
    }

    fn client(&self) -> &Arc<Client> {
        &self.membership.client
    }

    /// What it says of itself.
    pub fn info(&self) -> Arc<Info> {
        self.shared.info.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it is doing.
    pub fn state(&self) -> State {
        *self.shared.state.borrow()
    }

    /// To be told whenever that changes.
    pub fn watch_state(&self) -> watch::Receiver<State> {
        self.shared.state.subscribe()
    }

    /// The size of its board; `None` before the first position.
    pub fn board_size(&self) -> Option<Size> {
        self.client().size()
    }

    /// The revision of its board.
    pub fn revision(&self) -> u64 {
        self.client().revision()
    }

    /// The time that its initial commands set.
    pub(super) fn own_time(&self) -> Option<String> {
        self.shared.own_time.clone()
    }

    /// Whether it has been told another time since.
    pub(super) fn is_timed(&self) -> bool {
        self.shared.timed.load(Ordering::Relaxed)
    }

    pub(super) fn set_timed(&self, timed: bool) {
        self.shared.timed.store(timed, Ordering::Relaxed);
    }

    /// Brings it to a position. Ends a running analysis with `Superseded`. An engine that is told the
    /// whole position with each query has no board to be brought anywhere: it is told nothing yet.
    ///
    /// # Errors
    /// `InvalidPosition`, `BoardTooLarge`, `SyncFailed`; `EngineRefused` for a komi.
    pub async fn sync(&self, position: Position) -> Result<Synced, EngineError> {
        self.ask(|answer| Ask::Sync(position, answer)).await
    }

    /// Starts an analysis. One that runs already ends with `Superseded`.
    ///
    /// # Errors
    /// Those of [`Engine::sync`]; `EngineUnsupported` when no analyze command is listed,
    /// `EngineRefused` when the engine takes none of its forms.
    pub async fn analyze(&self, request: AnalyzeRequest) -> Result<Analysis, EngineError> {
        self.ask(|answer| Ask::Analyze(request, answer)).await
    }

    /// Moves a running analysis to another position. After the answer its events carry the
    /// answer's revision; an event fetched before may still carry the old one. On an error the
    /// analysis has ended.
    ///
    /// # Errors
    /// Those of [`Engine::analyze`]; `Cancelled` when this analysis no longer runs.
    pub async fn retarget(
        &self,
        id: AnalysisId,
        position: Position,
        color: Option<Color>,
    ) -> Result<Synced, EngineError> {
        self.ask(|answer| Ask::Retarget(id, position, color, answer)).await
    }

    /// Stops an analysis (absent: whichever runs for this client, also on whole games); says whether one was stopped. Its last event
    /// stands in its stream by then.
    ///
    /// # Errors
    /// `EngineExited`, `EngineTimeout`.
    pub async fn stop(&self, id: Option<AnalysisId>) -> Result<bool, EngineError> {
        self.ask_anyway(|answer| Ask::Stop(id, answer)).await
    }

    /// Lets the engine play a move, which then stands on its board. Takes as long as the engine
    /// wants. Dropping the future withdraws the request: a search that can be ended is, any other
    /// answer is thrown away, and the next use puts the board right.
    /// Ends a running analysis with `Superseded`.
    ///
    /// # Errors
    /// Those of [`Engine::sync`]; `EngineRefused` when the engine refuses, or answers something
    /// that is no move here.
    pub async fn genmove(&self, request: GenmoveRequest) -> Result<Genmove, EngineError> {
        self.ask(|answer| Ask::Genmove(request, answer)).await
    }

    /// Searches a given number of visits: exactly where the engine can be told
    /// (`kata-search_analyze`, JSON queries), else watched and stopped. Dropping the future withdraws
    /// it. [`Info::capacity`] of them are worked on at once. An engine that works on several
    /// positions at once goes on with a running analysis beside them; any other ends it.
    ///
    /// # Errors
    /// Those of [`Engine::analyze`].
    pub async fn search(&self, request: SearchRequest) -> Result<Search, EngineError> {
        self.ask(|answer| Ask::Search(request, answer)).await
    }

    /// Sends one command as it stands. A command that is not known to leave the board alone makes
    /// the belief about it unknown: the next use syncs in full.
    ///
    /// # Errors
    /// `EngineUnsupported` for a line that is no command, for analyze commands, and for any command to
    /// an engine that does not speak GTP.
    pub async fn send(&self, command: &str, if_revision: Option<u64>) -> Result<Reply, EngineError> {
        let command = command.to_owned();
        self.ask(|answer| Ask::Send(command, if_revision, answer)).await
    }

    /// Takes the engine for one holder, `what` for people (`a game`). An analysis of the same client is
    /// ended by the holder's first request; those of others wait.
    ///
    /// # Errors
    /// `EngineBusy` when somebody else has it.
    pub fn lease(&self, what: &str) -> Result<Lease, EngineError> {
        let client = self.client();
        let mut access = self.shared.access();
        self.admitted(&access)?;
        if let Some(holder) = &access.lease {
            return Err(taken(holder, Some(client.party)));
        }
        let (key, what) = (self.shared.number(), what.to_owned());
        access.lease = Some(Holder { key, client: client.id, party: client.party, what });
        drop(access);
        self.shared.bell.notify_one();
        Ok(Lease { engine: Engine { key, ..self.clone() } })
    }

    /// Who has the engine, when that is somebody else than this handle.
    pub fn leased_to(&self) -> Option<String> {
        let access = self.shared.access();
        access.lease.as_ref().filter(|holder| holder.key != self.key).map(|holder| holder.what.clone())
    }

    /// Whether this handle may ask.
    fn admitted(&self, access: &Access) -> Result<(), EngineError> {
        let client = self.client();
        if let Some(holder) = access.lease.as_ref().filter(|holder| holder.key != self.key) {
            return Err(taken(holder, Some(client.party)));
        }
        // Work on whole games has the time to wait.
        if access.sender.is_some_and(|party| party != client.party) && !client.batch {
            let what = "engine/send".to_owned();
            return Err(taken(&Holder { key: 0, client: 0, party: 0, what }, Some(client.party)));
        }
        Ok(())
    }

    /// Ends the engine: `quit` and end of stdin, after `patience` SIGTERM, a second later SIGKILL,
    /// always to its whole process group. Requests under way get `Cancelled`.
    /// Says how the program ended.
    pub async fn detach(&self, patience: Duration) -> Option<Exit> {
        self.keeper().detach(patience).await
    }

    async fn ask<T>(&self, ask: impl FnOnce(Answer<T>) -> Ask) -> Result<T, EngineError> {
        self.admitted(&self.shared.access())?;
        self.ask_anyway(ask).await
    }

    async fn ask_anyway<T>(&self, ask: impl FnOnce(Answer<T>) -> Ask) -> Result<T, EngineError> {
        let client = self.client().clone();
        let Some(room) = client.room() else {
            let message = format!("{QUEUE} requests wait for this engine already");
            return Err(EngineError::new(ErrorKind::EngineBusy, message).cause("queue"));
        };
        let (answer, result) = oneshot::channel();
        // Dropped together with this future: that is how the actor learns of a withdrawal.
        let (_hold, withdrawn) = oneshot::channel();
        let (leased, ask) = (self.key != 0, ask(answer));
        let job = Job { client: client.clone(), ask, withdrawn, leased, room };
        self.jobs.send(job).map_err(|_| lost())?;
        tokio::select! {
            biased;
            result = result => result.unwrap_or_else(|_| Err(lost())),
            () = client.left() => Err(lost()),
        }
    }
}

/// Somebody else has the engine.
fn taken(holder: &Holder, asker: Option<u64>) -> EngineError {
    let whose = if asker == Some(holder.party) { "" } else { " of another client" };
    let holder = format!("{}{whose}", holder.what);
    EngineError::new(ErrorKind::EngineBusy, format!("{holder} has this engine for itself"))
        .cause("lease")
        .holder(holder)
}

/// The actor is gone without an answer: the engine was detached.
fn lost() -> EngineError {
    EngineError::new(ErrorKind::Cancelled, "the engine was detached").cause("detached")
}
