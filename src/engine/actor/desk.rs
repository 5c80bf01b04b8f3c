//! What waits for the engine: requests of its clients, and analyses that others have taken it from.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot::error::TryRecvError;
use tokio::time::Instant;

use super::super::client::Client;
use super::super::error::EngineError;
use super::super::handle::{Ask, Job};
use super::super::slot::EndReason;
use super::super::turns::{Turn, Turns, Wish};
use super::look::{Follower, Look};
use super::{refuse, reply};

/// Whose turn it is, and what that client wants first.
pub(super) enum Next {
    /// Nobody wants anything.
    Nothing,
    /// A request.
    Serve(Box<Job>),
    /// The analysis that this client follows, till then.
    Analyse(Arc<Client>, Option<Instant>),
}

#[derive(Debug)]
pub(super) struct Desk {
    began: Instant,
    turns: Turns,
    queues: BTreeMap<u64, (Arc<Client>, VecDeque<Job>)>,
    parked: Vec<Look>,
}

impl Desk {
    pub(super) fn new(slice: Duration) -> Desk {
        Desk { began: Instant::now(), turns: Turns::new(slice), queues: BTreeMap::new(), parked: Vec::new() }
    }

    /// A request that has arrived. To stop an analysis that waits anyway needs nobody's turn.
    pub(super) fn take_in(&mut self, job: Job, running: Option<&Look>) {
        let runs = |client: &Client, id| running.is_some_and(|look| look.is_meant(client, id));
        let Job { client, ask, .. } = &job;
        match ask {
            Ask::Stop(id, _)
                if self.parked.iter().any(|look| look.is_meant(client, *id)) && !runs(client, *id) =>
            {
                let ended = self.end_parked(|follower| follower.is_meant(client, *id), EndReason::Stopped);
                if let Ask::Stop(_, answer) = job.ask {
                    reply(answer, Ok(ended));
                }
            }
            _ => {
                let queue = self.queues.entry(client.id);
                queue.or_insert_with(|| (client.clone(), VecDeque::new())).1.push_back(job);
            }
        }
    }

    /// Who is next; only one client, when it has the engine for itself.
    pub(super) fn next(&mut self, running: Option<&Look>, lease: Option<(u64, EngineError)>) -> Next {
        self.forget_withdrawn();
        if let Some((holder, error)) = &lease {
            self.turn_away(*holder, error);
        }
        let mut clients: BTreeMap<u64, (Arc<Client>, bool)> = BTreeMap::new();
        for (id, (client, queue)) in &self.queues {
            clients.insert(*id, (client.clone(), !queue.is_empty()));
        }
        let looks = self.parked.iter().chain(running);
        for client in looks.flat_map(Look::clients) {
            clients.entry(client.id).or_insert_with(|| (client.clone(), false));
        }
        if let Some((holder, _)) = lease {
            // What others have asked to be stopped is stopped.
            clients.retain(|id, (_, requests)| *id == holder || *requests);
        }
        let wish = |(client, requests): &(Arc<Client>, bool)| Wish {
            client: client.id,
            batch: client.batch,
            requests: *requests,
        };
        let wishes: Vec<Wish> = clients.values().map(wish).collect();
        let Turn::Of(id, until) = self.turns.next(&wishes, self.began.elapsed()) else {
            return Next::Nothing;
        };
        if let Some((_, queue)) = self.queues.get_mut(&id)
            && let Some(job) = queue.pop_front()
        {
            return Next::Serve(Box::new(job));
        }
        match clients.remove(&id) {
            Some((client, _)) => Next::Analyse(client, until.map(|until| self.began + until)),
            None => Next::Nothing,
        }
    }

    fn forget_withdrawn(&mut self) {
        for (_, queue) in self.queues.values_mut() {
            queue.retain_mut(|job| job.withdrawn.try_recv() != Err(TryRecvError::Closed));
        }
        self.queues.retain(|_, (_, queue)| !queue.is_empty());
    }

    /// Somebody has the engine for itself: others are told so.
    fn turn_away(&mut self, holder: u64, error: &EngineError) {
        for (id, (_, queue)) in &mut self.queues {
            let allowed = |job: &Job| *id == holder || job.leased || matches!(job.ask, Ask::Stop(..));
            let (stay, go): (VecDeque<Job>, VecDeque<Job>) = queue.drain(..).partition(allowed);
            *queue = stay;
            go.into_iter().for_each(|job| refuse(job.ask, error));
        }
    }

    /// Whether anybody asks who does not just look ahead.
    pub(super) fn is_asked(&self) -> bool {
        self.queues.values().any(|(client, queue)| !client.ahead && !queue.is_empty())
    }

    /// Nobody looks ahead now.
    pub(super) fn refuse_ahead(&mut self, error: &EngineError) {
        for (_, queue) in
            self.queues.extract_if(.., |_, (client, _)| client.ahead).map(|(_, waiting)| waiting)
        {
            queue.into_iter().for_each(|job| refuse(job.ask, error));
        }
    }

    /// An analysis that has to wait.
    pub(super) fn park(&mut self, look: Look) {
        self.parked.push(look);
    }

    /// The waiting analysis that fits, to be gone on with.
    pub(super) fn unpark(&mut self, fits: impl FnMut(&Look) -> bool) -> Option<Look> {
        let place = self.parked.iter().position(fits)?;
        Some(self.parked.remove(place))
    }

    /// The waiting analyses.
    pub(super) fn parked(&self) -> &[Look] {
        &self.parked
    }

    /// The waiting analyses, to be followed or left.
    pub(super) fn parked_mut(&mut self) -> &mut Vec<Look> {
        &mut self.parked
    }

    /// Ends waiting analyses for these followers; whether there was any.
    pub(super) fn end_parked(&mut self, which: impl Fn(&Follower) -> bool, reason: EndReason) -> bool {
        let mut any = false;
        for look in &mut self.parked {
            any |= look.end_for(&which, reason, None);
        }
        self.parked.retain(|look| !look.is_deserted());
        any
    }

    /// The engine is gone: nobody gets anything.
    pub(super) fn fail(&mut self, reason: EndReason, cause: Option<&EngineError>, error: &EngineError) {
        for look in &mut self.parked {
            look.end_for(&|_| true, reason, cause);
        }
        self.parked.clear();
        for (_, (_, queue)) in std::mem::take(&mut self.queues) {
            queue.into_iter().for_each(|job| refuse(job.ask, error));
        }
    }
}
