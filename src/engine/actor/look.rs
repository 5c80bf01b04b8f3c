//! A position that is looked at, and all who follow what the engine finds there.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::client::Client;
use super::super::error::EngineError;
use super::super::gtp::analyze::{Dialect, Report};
use super::super::request::{AnalyzeRequest, Limit, Synced};
use super::super::slot::{self, AnalysisId, EndReason, Ended, Slot};
use super::super::sync::Strategy;
use crate::go::{Color, Position, Size};

/// What the lines of an analysis are about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    pub(super) color: Color,
    pub(super) size: Size,
    pub(super) revision: u64,
    pub(super) dialect: Dialect,
    /// Whether the engine's numbers are for the other side.
    pub(super) turned: bool,
}

/// An analysis that the engine has begun.
#[derive(Debug)]
pub(super) struct Begun {
    /// How it came to the position.
    pub(super) synced: Synced,
    pub(super) subject: Subject,
    /// The number of the command or query whose answer it is.
    pub(super) command: u32,
}

/// An analysis, on the engine or waiting for it. Those who want the same share it.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) position: Position,
    pub(super) request: AnalyzeRequest,
    pub(super) subject: Subject,
    pub(super) command: u32,
    pub(super) reading: Reading,
    synced: Synced,
    followers: Vec<Follower>,
    /// After a wait the engine may begin afresh: its reports are news once they have more visits than this.
    known: u64,
    /// Visits of earlier turns, and of this one.
    earlier: u64,
    visits: u64,
}

impl Look {
    pub(super) fn new(position: Position, request: AnalyzeRequest, begun: Begun, follower: Follower) -> Look {
        let Begun { synced, subject, command } = begun;
        let (reading, followers) = (Reading::default(), vec![follower]);
        let (known, earlier, visits) = (0, 0, 0);
        Look { position, request, subject, command, reading, synced, followers, known, earlier, visits }
    }

    /// Whether somebody who asks for this is answered by this analysis.
    pub(super) fn answers(&self, request: &AnalyzeRequest, position: &Position, color: Color) -> bool {
        self.position == *position && self.subject.color == color && same(&self.request, request)
    }

    /// The clients that follow it.
    pub(super) fn clients(&self) -> impl Iterator<Item = &Arc<Client>> {
        self.followers.iter().map(|follower| &follower.client)
    }

    /// What this client follows it as; any name when none is given.
    pub(super) fn follower(&self, client: u64, id: Option<AnalysisId>) -> Option<&Follower> {
        self.followers.iter().find(|follower| follower.is(client, id))
    }

    /// Whether this client means it when it wants this analysis stopped.
    pub(super) fn is_meant(&self, client: &Client, id: Option<AnalysisId>) -> bool {
        self.followers.iter().any(|follower| follower.is_meant(client, id))
    }

    /// Nobody follows it.
    pub(super) fn is_deserted(&self) -> bool {
        self.followers.is_empty()
    }

    /// Whether these are some of its followers, and whether all.
    pub(super) fn count(&self, which: &impl Fn(&Follower) -> bool) -> (bool, bool) {
        let count = self.followers.iter().filter(|follower| which(follower)).count();
        (count > 0, count > 0 && count == self.followers.len())
    }

    /// When the first limit of seconds is reached.
    pub(super) fn until(&self) -> Option<Instant> {
        self.followers.iter().filter_map(|follower| follower.until).min()
    }

    /// Somebody more follows it; what it has found so far is told at once.
    pub(super) fn join(&mut self, mut follower: Follower, on_the_engine: bool) {
        if on_the_engine {
            follower.go_on();
        }
        if let Some(last) = &self.reading.last {
            follower.hear(last);
        }
        self.followers.push(follower);
    }

    /// How somebody comes to it who joins.
    pub(super) fn joined(&self, revision: u64) -> Synced {
        Synced { strategy: Strategy::None, commands: Vec::new(), revision, ..self.synced.clone() }
    }

    /// A follower who goes somewhere else.
    pub(super) fn release(&mut self, client: u64) -> Option<Follower> {
        let place = self.followers.iter().position(|follower| follower.client.id == client)?;
        Some(self.followers.remove(place))
    }

    /// The last event for these followers; whether there was any.
    pub(super) fn end_for(
        &mut self,
        which: &impl Fn(&Follower) -> bool,
        reason: EndReason,
        error: Option<&EngineError>,
    ) -> bool {
        let before = self.followers.len();
        for mut follower in self.followers.extract_if(.., |follower| which(follower)) {
            follower.end(reason, error.cloned());
        }
        self.followers.len() < before
    }

    /// Shows the newest report; whether that was all that somebody wanted.
    pub(super) fn publish(&mut self) -> bool {
        let Some(running) = &self.reading.last else { return false };
        self.visits = running.visits;
        let mut enough = false;
        for follower in &mut self.followers {
            if running.visits >= self.known {
                follower.hear(running);
            }
            let wanted = follower.limit.visits;
            follower.enough =
                wanted.is_some_and(|wanted| self.earlier.saturating_add(running.visits) >= wanted);
            enough |= follower.enough;
        }
        enough
    }

    /// Somebody else has the engine now.
    pub(super) fn wait(&mut self) {
        self.followers.iter_mut().for_each(Follower::wait);
    }

    /// The engine works on it again. Until it has found more, what was found before stands.
    pub(super) fn go_on(&mut self, begun: Begun) {
        (self.subject, self.command) = (begun.subject, begun.command);
        self.known = self.known.max(self.visits);
        self.earlier = self.earlier.saturating_add(std::mem::take(&mut self.visits));
        for follower in &mut self.followers {
            follower.go_on();
            if let Some(last) = follower.last.clone() {
                follower.slot.publish(last);
            }
        }
    }
}

/// Whether two requests ask for the same, wherever that is.
fn same(one: &AnalyzeRequest, other: &AnalyzeRequest) -> bool {
    let plain = |request: &AnalyzeRequest| AnalyzeRequest {
        position: None,
        color: None,
        limit: Limit { seconds: None, ..request.limit },
        if_revision: None,
        ..request.clone()
    };
    plain(one) == plain(other)
}

/// One who follows an analysis.
#[derive(Debug)]
pub(super) struct Follower {
    pub(super) id: AnalysisId,
    pub(super) client: Arc<Client>,
    pub(super) slot: Arc<Slot>,
    limit: Limit,
    /// The revision of the client's board that it is about.
    revision: u64,
    /// What is left of its limit of seconds, as far as the engine works for it.
    left: Option<Duration>,
    /// When that is over, while the engine works for it.
    until: Option<Instant>,
    /// The newest report that it was told.
    last: Option<slot::Running>,
    reports: u64,
    /// It has had as many visits as it wanted.
    enough: bool,
}

impl Follower {
    pub(super) fn new(id: AnalysisId, client: Arc<Client>, slot: Arc<Slot>, limit: Limit) -> Follower {
        let (revision, left) = (client.revision(), seconds(limit));
        let (until, last, reports, enough) = (None, None, 0, false);
        Follower { id, client, slot, limit, revision, left, until, last, reports, enough }
    }

    /// It looks at another position now: nothing of the old one is shown any more.
    pub(super) fn turn(&mut self) {
        self.slot.clear();
        (self.last, self.left, self.until, self.enough) = (None, seconds(self.limit), None, false);
    }

    /// The revision of the board that it is about now.
    pub(super) fn turn_to(&mut self, revision: u64) {
        self.revision = revision;
    }

    pub(super) fn is(&self, client: u64, id: Option<AnalysisId>) -> bool {
        self.client.id == client && id.is_none_or(|id| id == self.id)
    }

    /// Whether this client means it when it wants this analysis stopped; no name means all that it has.
    pub(super) fn is_meant(&self, client: &Client, id: Option<AnalysisId>) -> bool {
        self.client.party == client.party && id.is_none_or(|id| id == self.id)
    }

    pub(super) fn has_left(&self) -> bool {
        self.slot.is_deserted() || self.client.has_left()
    }

    pub(super) fn has_enough(&self) -> bool {
        self.enough
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// The engine works for it.
    pub(super) fn go_on(&mut self) {
        self.slot.go_on();
        self.until = self.left.map(|left| Instant::now() + left);
    }

    fn wait(&mut self) {
        let now = Instant::now();
        if let Some(until) = self.until.take() {
            self.left = Some(until.saturating_duration_since(now));
        }
        self.slot.wait();
    }

    fn hear(&mut self, running: &slot::Running) {
        let running = slot::Running { revision: self.revision, ..running.clone() };
        self.reports += 1;
        self.last = Some(running.clone());
        self.slot.publish(running);
    }

    pub(super) fn end(&mut self, reason: EndReason, error: Option<EngineError>) {
        self.slot.end(Ended { reason, error, last: self.last.take(), reports: self.reports });
    }
}

impl Drop for Follower {
    /// No stream stays open, not even when the actor panics.
    fn drop(&mut self) {
        self.end(EndReason::Panic, None);
    }
}

fn seconds(limit: Limit) -> Option<Duration> {
    let seconds = Duration::try_from_secs_f64(limit.seconds?).unwrap_or(Duration::ZERO);
    // A year stands for anything longer.
    Some(seconds.min(Duration::from_secs(31_536_000)))
}

/// The reports of one search, line by line.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The newest report.
    pub(super) last: Option<slot::Running>,
    /// Records, numbers and lines left out.
    pub(super) skipped: u64,
}

impl Reading {
    /// Takes a report, unless it is empty; whether it was taken.
    pub(super) fn keep(&mut self, report: Report, subject: Subject) -> bool {
        if report.moves.is_empty() && report.root.is_none() {
            return false;
        }
        let Subject { color, size, revision, .. } = subject;
        let (visits, received, skipped) = (report.visits(), Instant::now(), self.skipped);
        let report = Arc::new(report);
        self.last = Some(slot::Running { report, revision, color, size, visits, received, skipped });
        true
    }
}
