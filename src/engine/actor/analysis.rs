//! Analyses, whatever their engine speaks: begun, moved, shared, put aside for others, ended.

use std::sync::Arc;

use tokio::time::Instant;

use super::super::client::Client;
use super::super::error::{EngineError, ErrorKind};
use super::super::request::{AnalyzeRequest, Synced};
use super::super::slot::{Analysis, AnalysisEvents, AnalysisId, EndReason, Slot};
use super::look::{Begun, Follower, Look};
use super::position::no_position;
use super::{Actor, Talk};
use crate::go::{Color, Position};

impl<T: Talk> Actor<T> {
    /// The request `analyze`.
    pub(super) async fn analyze(&mut self, request: AnalyzeRequest) -> Result<Analysis, EngineError> {
        self.check_revision(request.if_revision)?;
        T::can_analyze(self, &request)?;
        let position = request.position.clone().or_else(|| self.wanted.clone()).ok_or_else(no_position)?;
        let color = request.color.unwrap_or(position.to_play);
        self.leave_off(EndReason::Superseded).await?;
        let begun = match self.join(&request, &position, color) {
            Some(synced) => Err(synced),
            None => {
                self.pause().await?;
                Ok(T::begin(self, &request, &position, request.color).await?)
            }
        };
        self.analyses += 1;
        let id = AnalysisId(self.analyses);
        let slot = Arc::new(Slot::new(self.shared.bell.clone()));
        let events = AnalysisEvents::new(slot.clone());
        let synced = begun.as_ref().map_or_else(Synced::clone, |begun| begun.synced.clone());
        slot.start(synced.clone());
        let follower = Follower::new(id, self.client.clone(), slot, request.limit);
        match begun {
            Ok(begun) => self.look(position, request, begun, follower).await,
            Err(_) => self.follow_along(&request, &position, color, follower),
        }
        Ok(Analysis { id, synced, events })
    }

    /// The request `retarget`: nothing of the old position is shown after its answer.
    pub(super) async fn retarget(
        &mut self,
        id: AnalysisId,
        position: Position,
        color: Option<Color>,
    ) -> Result<Synced, EngineError> {
        let client = self.client.id;
        let mut looks = self.analysis.iter().chain(self.desk.parked());
        let Some(look) = looks.find(|look| look.follower(client, Some(id)).is_some()) else {
            return Err(EngineError::new(ErrorKind::Cancelled, "this analysis has ended").cause("ended"));
        };
        let request = look.request.clone();
        let whose = color.unwrap_or(position.to_play);
        if look.subject.color == whose && look.position == position {
            return Ok(look.joined(self.revision()));
        }
        if look.subject.color == whose
            && self.is_on_engine(client)
            && let Some(synced) = T::stands_on(self, &position)
        {
            return Ok(synced);
        }
        let joined = self.join(&request, &position, whose);
        let silent = match joined {
            Some(_) => self.hush_for(client).await,
            None => self.pause().await,
        };
        let Some(mut follower) = self.release(client) else {
            // It has ended with the engine's silence.
            return Err(silent.err().unwrap_or_else(no_position));
        };
        follower.turn();
        if let Some(synced) = joined {
            follower.turn_to(synced.revision);
            self.follow_along(&request, &position, whose, follower);
            return Ok(synced);
        }
        let begun = match silent {
            Ok(()) => T::begin(self, &request, &position, color).await,
            Err(error) => Err(error),
        };
        match begun {
            Ok(begun) => {
                let synced = begun.synced.clone();
                follower.turn_to(synced.revision);
                self.look(position, request, begun, follower).await;
                Ok(synced)
            }
            Err(error) => {
                follower.end(moved_reason(&error), Some(error.clone()));
                Err(error)
            }
        }
    }

    /// The engine looks at something now.
    async fn look(
        &mut self,
        position: Position,
        request: AnalyzeRequest,
        begun: Begun,
        mut follower: Follower,
    ) {
        follower.go_on();
        self.analysis = Some(Look::new(position, request, begun, follower));
        T::begun(self).await;
    }

    /// Goes on with the waiting analysis that this client follows.
    pub(super) async fn resume(&mut self, client: &Arc<Client>) {
        if self.pause().await.is_err() {
            return;
        }
        let Some(mut look) = self.desk.unpark(|look| look.follower(client.id, None).is_some()) else {
            return;
        };
        self.turn_to(client);
        let revision = self.revision();
        let begun = T::begin(self, &look.request, &look.position, Some(look.subject.color)).await;
        // The client has not asked for anything: its board is as it was.
        self.client.set_revision(revision);
        match begun {
            Ok(begun) => {
                look.go_on(begun);
                self.analysis = Some(look);
                T::begun(self).await;
            }
            // It still works on what a client has left behind, and that is not to be heard of here.
            Err(error) if error.kind == ErrorKind::EngineBusy => self.desk.park(look),
            Err(error) => _ = look.end_for(&|_| true, moved_reason(&error), Some(&error)),
        }
    }

    /// Whether this client follows the analysis that the engine works on.
    pub(super) fn is_on_engine(&self, client: u64) -> bool {
        self.analysis.as_ref().is_some_and(|look| look.follower(client, None).is_some())
    }

    /// How the present client comes to an analysis that others follow already, if there is one.
    fn join(&mut self, request: &AnalyzeRequest, position: &Position, color: Color) -> Option<Synced> {
        let mut looks = self.analysis.iter().chain(self.desk.parked());
        let look = looks.find(|look| look.answers(request, position, color))?;
        let synced = look.joined(self.revision());
        if self.wanted.as_ref() == Some(position) {
            return Some(synced);
        }
        let revision = self.turn_page();
        self.want(position.clone());
        Some(Synced { revision, ..synced })
    }

    /// One more follower of an analysis that is there already.
    fn follow_along(
        &mut self,
        request: &AnalyzeRequest,
        position: &Position,
        color: Color,
        follower: Follower,
    ) {
        let running = self.analysis.as_mut().map(|look| (look, true));
        let waiting = self.desk.parked_mut().iter_mut().map(|look| (look, false));
        let mut looks = running.into_iter().chain(waiting);
        if let Some((look, runs)) = looks.find(|(look, _)| look.answers(request, position, color)) {
            look.join(follower, runs);
        }
    }

    /// Takes a client out of the analysis that it follows.
    fn release(&mut self, client: u64) -> Option<Follower> {
        let mut looks = self.analysis.iter_mut().chain(self.desk.parked_mut());
        let follower = looks.find_map(|look| look.release(client));
        self.analysis.take_if(|look| look.is_deserted());
        self.desk.parked_mut().retain(|look| !look.is_deserted());
        follower
    }

    /// The last event of the present client's analysis. The engine is silenced when nobody else follows it.
    pub(super) async fn leave_off(&mut self, reason: EndReason) -> Result<bool, EngineError> {
        let client = self.client.id;
        let waited = self.desk.end_parked(|follower| follower.is(client, None), reason);
        Ok(self.end_for(|follower| follower.is(client, None), reason).await? || waited)
    }

    /// The engine is free for the present client: its own analysis has ended, those of others wait.
    pub(super) async fn free_engine(&mut self) -> Result<(), EngineError> {
        self.leave_off(EndReason::Superseded).await?;
        self.pause().await
    }

    /// Puts the analysis aside that the engine works on.
    pub(super) async fn pause(&mut self) -> Result<(), EngineError> {
        self.hush().await?;
        if let Some(mut look) = self.analysis.take() {
            look.wait();
            self.desk.park(look);
        }
        Ok(())
    }

    /// Silences the engine if it works for this client alone.
    async fn hush_for(&mut self, client: u64) -> Result<(), EngineError> {
        let sole = |look: &Look| look.count(&|follower| follower.is(client, None)).1;
        if self.analysis.as_ref().is_some_and(sole) { self.hush().await } else { Ok(()) }
    }

    /// Makes the engine stop analysing. When it does not, the analysis has ended.
    async fn hush(&mut self) -> Result<(), EngineError> {
        if self.analysis.is_none() {
            return Ok(());
        }
        let silent = T::hush(self).await;
        if let Err(error) = &silent {
            self.finish(EndReason::Cancelled, Some(error.clone()));
        }
        silent
    }

    /// The request `stop`.
    pub(super) async fn stop(&mut self, id: Option<AnalysisId>) -> Result<bool, EngineError> {
        let client = self.client.clone();
        let meant = |follower: &Follower| follower.is_meant(&client, id);
        let waited = self.desk.end_parked(meant, EndReason::Stopped);
        Ok(self.end_for(meant, EndReason::Stopped).await? || waited)
    }

    /// Ends the analysis that the engine works on for these followers; whether there were any. The engine
    /// is silent before the last of them hears of it.
    pub(super) async fn end_for(
        &mut self,
        which: impl Fn(&Follower) -> bool,
        reason: EndReason,
    ) -> Result<bool, EngineError> {
        let Some(look) = &mut self.analysis else { return Ok(false) };
        let (some, all) = look.count(&which);
        if all {
            self.hush().await?;
            self.finish(reason, None);
        } else {
            look.end_for(&which, reason, None);
        }
        Ok(some)
    }

    /// Ends what nobody wants any more: clients have gone, or the time is over.
    pub(super) async fn tidy(&mut self) {
        self.desk.end_parked(Follower::has_left, EndReason::Stopped);
        let now = Instant::now();
        // An engine that does not fall silent is somebody else's trouble.
        let _ = self.end_for(Follower::has_left, EndReason::Stopped).await;
        let _ = self.end_for(|follower| follower.is_over(now), EndReason::Limit).await;
    }

    /// Shows the newest report.
    pub(super) async fn publish(&mut self) {
        if self.analysis.as_mut().is_some_and(Look::publish) {
            let _ = self.end_for(Follower::has_enough, EndReason::Limit).await;
        }
    }

    /// The last event of the analysis that the engine works on, for all who follow it.
    pub(super) fn finish(&mut self, reason: EndReason, error: Option<EngineError>) {
        if let Some(mut look) = self.analysis.take() {
            look.end_for(&|_| true, reason, error.as_ref());
        }
    }
}

fn moved_reason(error: &EngineError) -> EndReason {
    match error.kind {
        ErrorKind::Cancelled | ErrorKind::EngineTimeout => EndReason::Cancelled,
        ErrorKind::EngineExited => EndReason::EngineExited,
        _ => EndReason::Refused,
    }
}
