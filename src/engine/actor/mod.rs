//! The actor: one task that owns an engine's process, queue and board.

mod analysis;
mod board;
mod form;
mod genmove;
mod handshake;
mod life;
mod link;
mod play;
mod talk;

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::error::EngineError;
use super::handle::{Answer, Ask, Info, Job, Shared, State};
use super::host::{Leave, Timeouts};
use super::reaper::Reaper;
use super::slot::EndReason;
use super::spec::{EngineSpec, StartIn};
use super::sync::Known;
use crate::go::Position;
use analysis::Running;
use life::Life;
use link::{Link, Msg};
use talk::detached;

/// What an actor is made from.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) spec: EngineSpec,
    pub(super) start_in: StartIn,
    pub(super) timeouts: Timeouts,
    pub(super) reaper: Arc<Reaper>,
}

struct Actor {
    setting: Setting,
    secrets: Vec<String>,
    shared: Arc<Shared>,
    queue: mpsc::Receiver<Job>,
    leave: watch::Receiver<Option<Leave>>,
    /// Resolves when the caller of the present request has given up.
    withdrawn: Option<oneshot::Receiver<()>>,
    link: Option<Link>,
    info: Arc<Info>,
    /// What the engine's board is believed to be; `None` after anything unexpected.
    known: Option<Known>,
    /// Where the engine was last asked to be.
    wanted: Option<Position>,
    analysis: Option<Running>,
    analyses: u64,
    /// How far down the list of analyze forms this engine has refused.
    form: usize,
    /// The same of the ways to ask for a move.
    asking: usize,
    /// The engine's board may differ from what was last asked for, through no wish of a caller.
    astray: bool,
    /// The command that set its clock.
    time: Option<String>,
    life: Life,
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
    queue: mpsc::Receiver<Job>,
    ready: Answer<()>,
    withdrawn: oneshot::Receiver<()>,
) {
    let _gone = Gone(shared.clone());
    let info = shared.info.read().unwrap_or_else(PoisonError::into_inner).clone();
    let mut actor = Actor {
        secrets: setting.spec.secrets(),
        leave: shared.leave.subscribe(),
        info,
        setting,
        shared,
        queue,
        withdrawn: Some(withdrawn),
        link: None,
        known: None,
        wanted: None,
        analysis: None,
        analyses: 0,
        form: 0,
        asking: 0,
        astray: false,
        time: None,
        life: Life::default(),
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

impl Actor {
    /// Serves requests until the engine is detached or nobody holds a handle.
    async fn work(&mut self) {
        loop {
            let again = self.restart_at();
            self.show(match (&self.link, again) {
                (Some(_), _) if self.analysis.is_some() => State::Analysing,
                (Some(_), _) => State::Ready,
                (None, Some(_)) => State::Restarting,
                (None, None) => State::Failed,
            });
            if self.leave.borrow().is_some() {
                return;
            }
            let alarm = self.analysis.as_ref().and_then(|analysis| analysis.until);
            let slot = self.analysis.as_ref().map(|analysis| analysis.slot.clone());
            tokio::select! {
                biased;
                _ = self.leave.changed() => {}
                job = self.queue.recv() => match job {
                    Some(job) => self.serve(job).await,
                    None => return,
                },
                () = async { if let Some(slot) = &slot { slot.client_gone().await } }, if slot.is_some() => {
                    let _ = self.end_analysis(EndReason::Stopped).await;
                }
                () = sleep_until(alarm.unwrap_or_else(Instant::now)), if alarm.is_some() => {
                    let _ = self.end_analysis(EndReason::Limit).await;
                }
                () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                    self.revive().await;
                }
                msg = async { match &mut self.link { Some(link) => link.next().await, None => Msg::Late } },
                    if self.link.is_some() => self.overhear(msg).await,
            }
        }
    }

    /// One request, from its withdrawal check to its answer.
    async fn serve(&mut self, job: Job) {
        let Job { ask, mut withdrawn } = job;
        if withdrawn.try_recv() == Err(oneshot::error::TryRecvError::Closed) {
            return;
        }
        self.withdrawn = Some(withdrawn);
        self.show(State::Thinking);
        match ask {
            Ask::Sync(position, answer) => reply(answer, self.sync(&position).await),
            Ask::Analyze(request, answer) => reply(answer, self.analyze(request).await),
            Ask::Retarget(id, position, color, answer) => {
                reply(answer, self.retarget(id, position, color).await);
            }
            Ask::Stop(id, answer) => reply(answer, self.stop(id).await),
            Ask::Genmove(request, answer) => reply(answer, self.genmove(request).await),
            Ask::Search(request, answer) => reply(answer, self.search(request).await),
            Ask::Send(command, revision, answer) => reply(answer, self.raw(&command, revision).await),
        }
        self.withdrawn = None;
    }

    /// What the engine says while no request waits for it.
    async fn overhear(&mut self, msg: Msg) {
        match msg {
            Msg::End(end) => {
                let _ = self.bury(end).await;
            }
            msg => self.follow(msg).await,
        }
    }

    fn show(&self, state: State) {
        if self.shared.state.send_if_modified(|shown| std::mem::replace(shown, state) != state) {
            self.shared.tap.state(state);
        }
    }

    /// The engine stands on this position now.
    fn want(&mut self, position: Position) {
        *self.shared.size.lock().unwrap_or_else(PoisonError::into_inner) = Some(position.size);
        self.wanted = Some(position);
    }

    /// The belief about the engine's board has changed.
    fn turn_page(&mut self) -> u64 {
        self.shared.revision.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn revision(&self) -> u64 {
        self.shared.revision.load(Ordering::SeqCst)
    }

    fn forget_board(&mut self) {
        if self.known.take().is_some() {
            self.turn_page();
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
