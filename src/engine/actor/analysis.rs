//! The analysis that runs, whatever its engine speaks: its request, its stream, its end.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::error::{EngineError, ErrorKind};
use super::super::gtp::analyze::{Dialect, Report};
use super::super::request::{AnalyzeRequest, Synced};
use super::super::slot::{self, Analysis, AnalysisEvents, AnalysisId, EndReason, Ended, Slot};
use super::{Actor, Talk};
use crate::go::{Color, Size};

/// The analysis that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) id: AnalysisId,
    pub(super) slot: Arc<Slot>,
    /// When its limit of seconds is reached.
    pub(super) until: Option<Instant>,
    pub(super) request: AnalyzeRequest,
    pub(super) subject: Subject,
    /// The number of the command or query whose answer it is.
    pub(super) command: u32,
    pub(super) reading: Reading,
    reports: u64,
}

impl Running {
    /// Shows the newest report; whether that was all that was wanted.
    pub(super) fn publish(&mut self) -> bool {
        let Some(running) = self.reading.last.clone() else { return false };
        let enough = self.request.limit.visits.is_some_and(|visits| running.visits >= visits);
        self.reports += 1;
        self.slot.publish(running);
        enough
    }

    fn finish(&mut self, reason: EndReason, error: Option<EngineError>) {
        self.slot.end(Ended { reason, error, last: self.reading.last.take(), reports: self.reports });
    }
}

impl Drop for Running {
    /// No stream stays open, not even when the actor panics.
    fn drop(&mut self) {
        self.finish(EndReason::Panic, None);
    }
}

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

impl<T: Talk> Actor<T> {
    /// The engine has begun to analyse.
    pub(super) fn begin_analysis(
        &mut self,
        synced: Synced,
        request: AnalyzeRequest,
        subject: Subject,
        command: u32,
    ) -> Analysis {
        self.analyses += 1;
        let id = AnalysisId(self.analyses);
        let slot = Arc::new(Slot::default());
        slot.start(synced.clone());
        let until = deadline(&request);
        let events = AnalysisEvents::new(slot.clone());
        let reading = Reading::default();
        self.analysis = Some(Running { id, slot, until, request, subject, command, reading, reports: 0 });
        Analysis { id, synced, events }
    }

    /// What the analysis of this name was asked for, and what it is about.
    pub(super) fn running(&self, id: AnalysisId) -> Result<(AnalyzeRequest, Subject), EngineError> {
        let running = self.analysis.as_ref().filter(|analysis| analysis.id == id);
        running
            .map(|analysis| (analysis.request.clone(), analysis.subject))
            .ok_or_else(|| EngineError::new(ErrorKind::Cancelled, "this analysis has ended").cause("ended"))
    }

    /// Nothing of the old position is shown any more.
    pub(super) fn clear_reports(&mut self) {
        if let Some(analysis) = &mut self.analysis {
            analysis.slot.clear();
            analysis.reading.last = None;
        }
    }

    /// The analysis goes on with this.
    pub(super) fn follow_with(&mut self, subject: Subject, command: u32) {
        if let Some(analysis) = &mut self.analysis {
            (analysis.subject, analysis.command) = (subject, command);
            analysis.until = deadline(&analysis.request);
        }
    }

    /// An analysis that could not be moved has ended.
    pub(super) fn moved(&mut self, moved: Result<Synced, EngineError>) -> Result<Synced, EngineError> {
        if let Err(error) = &moved {
            let reason = match error.kind {
                ErrorKind::Cancelled | ErrorKind::EngineTimeout => EndReason::Cancelled,
                _ => EndReason::Refused,
            };
            self.finish(reason, Some(error.clone()));
        }
        moved
    }

    /// The request `stop`.
    pub(super) async fn stop(&mut self, id: Option<AnalysisId>) -> Result<bool, EngineError> {
        let runs = self.analysis.as_ref().is_some_and(|analysis| id.is_none_or(|id| id == analysis.id));
        if runs { T::end_analysis(self, EndReason::Stopped).await } else { Ok(false) }
    }

    /// The last event.
    pub(super) fn finish(&mut self, reason: EndReason, error: Option<EngineError>) {
        if let Some(mut analysis) = self.analysis.take() {
            analysis.finish(reason, error);
        }
    }
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

fn deadline(request: &AnalyzeRequest) -> Option<Instant> {
    let seconds = Duration::try_from_secs_f64(request.limit.seconds?).unwrap_or(Duration::ZERO);
    // A year stands for anything longer.
    Some(Instant::now() + seconds.min(Duration::from_secs(31_536_000)))
}
