//! The actor: one task that owns an engine's process, queue and analysis.
//!
//! What differs between the protocols is behind [`Talk`]: how a program is greeted, asked and
//! understood. All else is here: its start ([`start`]), its end and its next life ([`life`]), what waits for
//! it ([`desk`]), analyses and who follows them ([`analysis`], [`look`]), the states, and how a wait is
//! interrupted ([`wait`]).

mod ahead;
mod analysis;
mod desk;
mod gtp;
mod json;
mod life;
mod look;
mod position;
mod start;
mod wait;

use std::sync::{Arc, PoisonError};

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::client::Client;
use super::error::EngineError;
use super::handle::{Answer, Ask, Info, Job, Shared, State};
use super::host::{Leave, Timeouts};
use super::process::{Input, Process};
use super::reaper::Reaper;
use super::request::{AnalyzeRequest, Synced};
use super::spec::{EngineSpec, Protocol, StartIn};
use crate::go::{Color, Position};
use desk::{Desk, Next};
use life::Life;
use look::{Begun, Look};
use wait::detached;

/// What an actor is made from.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) spec: EngineSpec,
    pub(super) protocol: Protocol,
    pub(super) start_in: StartIn,
    pub(super) timeouts: Timeouts,
    pub(super) reaper: Arc<Reaper>,
}

/// A protocol: what differs between engines that speak another language.
trait Talk: Default + Send + Sized + 'static {
    /// A program that is talked to in it.
    type Link: Link;

    /// What people call it.
    const NAME: &str;

    /// What is wrong with a program that speaks another of our protocols, and what to do.
    const FOREIGN: (&str, &str);

    /// Whether a line shows that.
    fn is_foreign(line: &[u8]) -> bool;

    /// Takes over a program that was just started: completes what is known of it.
    fn greet(
        actor: &mut Actor<Self>,
        process: Process,
        info: Info,
    ) -> impl Future<Output = Result<Info, EngineError>> + Send;

    /// Serves one request, or puts it aside to be answered later.
    fn serve(actor: &mut Actor<Self>, ask: Ask) -> impl Future<Output = ()> + Send;

    /// What the engine says while no request waits for it.
    fn overhear(actor: &mut Actor<Self>, msg: <Self::Link as Link>::Msg) -> impl Future<Output = ()> + Send;

    /// Whether the engine can analyse in the way that is asked for.
    fn can_analyze(actor: &Actor<Self>, request: &AnalyzeRequest) -> Result<(), EngineError>;

    /// Brings the engine, which analyses nothing, to a position, and makes it analyse that; for the side to
    /// move when no other is named.
    fn begin(
        actor: &mut Actor<Self>,
        request: &AnalyzeRequest,
        position: &Position,
        color: Option<Color>,
    ) -> impl Future<Output = Result<Begun, EngineError>> + Send;

    /// What it has begun is known by now.
    fn begun(_: &mut Actor<Self>) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// How the engine comes to a position, if nothing has to be said for it.
    fn stands_on(actor: &mut Actor<Self>, position: &Position) -> Option<Synced>;

    /// Makes the engine stop analysing.
    fn hush(actor: &mut Actor<Self>) -> impl Future<Output = Result<(), EngineError>> + Send;

    /// It works for another client now.
    fn turned(_: &mut Actor<Self>) {}

    /// Brings a program that was started again to where the one before it was.
    fn come_back(actor: &mut Actor<Self>) -> impl Future<Output = Result<(), EngineError>> + Send;

    /// Nobody waits any longer for the answers to what was sent.
    fn abandoned(actor: &mut Actor<Self>);

    /// The program is gone.
    fn buried(actor: &mut Actor<Self>);
}

/// A running program, and what is on its way to it and from it.
trait Link: std::fmt::Debug + Send {
    /// What arrives.
    type Msg: Send;

    /// The line that asks the program to end.
    const GOODBYE: &str;

    /// The program.
    fn process(&mut self) -> &mut Process;

    /// Whether it has answered anything in this protocol.
    fn speaks(&self) -> bool;

    /// Waits for the next message; an error is the program's end. Can be dropped and called again.
    fn next(&mut self) -> impl Future<Output = Result<Self::Msg, Input>> + Send;

    /// Whether it works on requests that were put aside.
    fn works(&self) -> bool;

    /// Answers the requests that were put aside: there will be no other answer.
    fn fail(&mut self, error: &EngineError);
}

struct Actor<T: Talk> {
    setting: Setting,
    secrets: Vec<String>,
    shared: Arc<Shared>,
    queue: mpsc::UnboundedReceiver<Job>,
    desk: Desk,
    leave: watch::Receiver<Option<Leave>>,
    /// Resolves when the caller of the present request has given up.
    withdrawn: Option<oneshot::Receiver<()>>,
    link: Option<T::Link>,
    info: Arc<Info>,
    /// For whom it works, or has worked last.
    client: Arc<Client>,
    /// Where that client last asked it to be.
    wanted: Option<Position>,
    /// What it analyses.
    analysis: Option<Look>,
    analyses: u64,
    life: Life,
    talk: T,
}

/// Tells the handles that the actor is gone, even when it panicked.
struct Gone(Arc<Shared>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.state.send_replace(State::Stopped);
        self.0.tap.state(State::Stopped);
    }
}

/// Runs an engine from its start to its end.
pub(super) async fn run(
    setting: Setting,
    shared: Arc<Shared>,
    client: Arc<Client>,
    queue: mpsc::UnboundedReceiver<Job>,
    ready: Answer<()>,
    withdrawn: oneshot::Receiver<()>,
) {
    match setting.protocol {
        Protocol::Gtp | Protocol::Builtin => {
            live::<gtp::Gtp>(setting, shared, client, queue, ready, withdrawn).await
        }
        Protocol::KatagoJson => live::<json::Json>(setting, shared, client, queue, ready, withdrawn).await,
    }
}

async fn live<T: Talk>(
    setting: Setting,
    shared: Arc<Shared>,
    client: Arc<Client>,
    queue: mpsc::UnboundedReceiver<Job>,
    ready: Answer<()>,
    withdrawn: oneshot::Receiver<()>,
) {
    let _gone = Gone(shared.clone());
    let info = shared.info.read().unwrap_or_else(PoisonError::into_inner).clone();
    let mut actor = Actor::<T> {
        secrets: setting.spec.secrets(),
        leave: shared.leave.subscribe(),
        desk: Desk::new(setting.timeouts.slice),
        client,
        info,
        setting,
        shared,
        queue,
        withdrawn: Some(withdrawn),
        link: None,
        wanted: None,
        analysis: None,
        analyses: 0,
        life: Life::default(),
        talk: T::default(),
    };
    let leaving = actor.leave.borrow().is_some();
    let started = if leaving { Err(detached()) } else { actor.start().await };
    let works = started.is_ok();
    let wanted = ready.send(started).is_ok();
    actor.withdrawn = None;
    if works && wanted {
        actor.work().await;
    }
    actor.quit().await;
}

impl<T: Talk> Actor<T> {
    /// Serves requests until the engine is detached or nobody holds a handle.
    async fn work(&mut self) {
        loop {
            let next = self.next_wish().await;
            if self.leave.borrow().is_some() {
                return;
            }
            let mut alarm = self.analysis.as_ref().and_then(Look::until);
            match next {
                Next::Serve(job) => {
                    self.serve(*job).await;
                    continue;
                }
                // Until it runs again nothing is analysed.
                Next::Analyse(..) if self.link.is_none() => {}
                Next::Analyse(client, until) => {
                    if !self.is_on_engine(client.id) {
                        self.resume(&client).await;
                        continue;
                    }
                    alarm = alarm.into_iter().chain(until).min();
                }
                Next::Nothing => {}
            }
            let again = self.restart_at();
            self.show(match (&self.link, again) {
                (Some(_), _) if self.analysis.is_some() => State::Analysing,
                (Some(link), _) if link.works() => State::Thinking,
                (Some(_), _) => State::Ready,
                (None, Some(_)) => State::Restarting,
                (None, None) => State::Failed,
            });
            tokio::select! {
                biased;
                _ = self.leave.changed() => {}
                job = self.queue.recv() => match job {
                    Some(job) => self.desk.take_in(job, self.analysis.as_ref()),
                    None => return,
                },
                () = self.shared.bell.notified() => {}
                () = sleep_until(alarm.unwrap_or_else(Instant::now)), if alarm.is_some() => {}
                () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                    self.revive().await;
                }
                msg = async {
                    match &mut self.link { Some(link) => link.next().await, None => std::future::pending().await }
                } => match msg {
                    Ok(msg) => T::overhear(self, msg).await,
                    Err(end) => { let _ = self.bury(end).await; }
                },
            }
        }
    }

    /// What is to be done next, by everything that is known by now.
    async fn next_wish(&mut self) -> Next {
        self.tidy().await;
        while let Ok(job) = self.queue.try_recv() {
            self.desk.take_in(job, self.analysis.as_ref());
        }
        let lease = self.shared.holder();
        if lease.as_ref().is_some_and(|(holder, _)| self.analysis.is_some() && !self.is_on_engine(*holder)) {
            // An engine that does not fall silent is somebody else's trouble.
            let _ = self.pause().await;
        }
        self.give_way(lease.is_some()).await;
        self.desk.next(self.analysis.as_ref(), lease)
    }

    /// One request, from its withdrawal check to its answer.
    async fn serve(&mut self, job: Job) {
        let Job { client, ask, mut withdrawn, room, .. } = job;
        drop(room);
        if withdrawn.try_recv() == Err(oneshot::error::TryRecvError::Closed) {
            return;
        }
        self.withdrawn = Some(withdrawn);
        self.turn_to(&client);
        self.show(State::Thinking);
        let sends = matches!(ask, Ask::Send(..));
        self.shared.sending(sends.then_some(&*client));
        T::serve(self, ask).await;
        self.shared.sending(None);
        self.withdrawn = None;
    }

    fn show(&self, state: State) {
        if self.shared.state.send_if_modified(|shown| std::mem::replace(shown, state) != state) {
            self.shared.tap.state(state);
        }
    }
}

/// A caller that has given up needs no answer.
fn reply<T>(answer: Answer<T>, result: Result<T, EngineError>) {
    let _ = answer.send(result);
}

fn refuse(ask: Ask, error: &EngineError) {
    let error = error.clone();
    match ask {
        Ask::Sync(_, answer) | Ask::Retarget(_, _, _, answer) => reply(answer, Err(error)),
        Ask::Analyze(_, answer) => reply(answer, Err(error)),
        Ask::Stop(_, answer) => reply(answer, Err(error)),
        Ask::Genmove(_, answer) => reply(answer, Err(error)),
        Ask::Search(_, answer) => reply(answer, Err(error)),
        Ask::Send(_, _, answer) => reply(answer, Err(error)),
    }
}
