//! The life of an analysis: a query that reports while it is searched.

use tokio::time::Instant;

use super::super::analysis::Subject;
use super::super::position::no_position;
use super::super::wait::Halt;
use super::link::{Link, Msg};
use super::{Actor, Json, Talk};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::analyze::{Dialect, Report};
use crate::engine::katago_json::{Action, Answer, Query};
use crate::engine::request::{AnalyzeRequest, Synced};
use crate::engine::slot::{Analysis, AnalysisId, EndReason};
use crate::engine::sync::Whole;
use crate::go::{Color, Position};

/// Before searches that nobody watches; behind those that were asked earlier where it would keep them
/// from ever being begun.
const BEFORE: i32 = 1;
const BEHIND: i32 = -1;

/// A query that the engine has taken.
struct Begun {
    id: u32,
    subject: Subject,
    /// What it said about it before that was known.
    early: Option<Answer>,
}

impl Actor<Json> {
    /// The request `analyze`.
    pub(super) async fn analyze(&mut self, request: AnalyzeRequest) -> Result<Analysis, EngineError> {
        self.check_revision(request.if_revision)?;
        let position = request.position.clone().or_else(|| self.wanted.clone()).ok_or_else(no_position)?;
        self.drop_analysis(EndReason::Superseded);
        self.make_ready().await?;
        let color = request.color.unwrap_or(position.to_play);
        let (whole, synced) = self.stand_on(&position, color)?;
        let Begun { id, subject, early } = self.begin(&request, &whole, color, &synced).await?;
        let analysis = self.begin_analysis(synced, request, subject, id);
        if let Some(answer) = early {
            self.hear(answer).await;
        }
        Ok(analysis)
    }

    /// The request `retarget`: another query. Nothing of the old position is shown after its answer.
    pub(super) async fn retarget(
        &mut self,
        id: AnalysisId,
        position: Position,
        color: Option<Color>,
    ) -> Result<Synced, EngineError> {
        let (request, old) = self.running(id)?;
        let color = color.unwrap_or(position.to_play);
        if color == old.color && self.wanted.as_ref() == Some(&position) {
            return Ok(self.told(&position, color)?.1);
        }
        if let (Some(link), Some(analysis)) = (&mut self.link, &self.analysis) {
            link.terminate(analysis.command);
        }
        self.clear_reports();
        let moved = self.move_analysis(&request, &position, color).await;
        self.moved(moved)
    }

    async fn move_analysis(
        &mut self,
        request: &AnalyzeRequest,
        position: &Position,
        color: Color,
    ) -> Result<Synced, EngineError> {
        let (whole, synced) = self.stand_on(position, color)?;
        let Begun { id, subject, early } = self.begin(request, &whole, color, &synced).await?;
        self.follow_with(subject, id);
        if let Some(answer) = early {
            self.hear(answer).await;
        }
        Ok(synced)
    }

    /// Sends the query and waits until the engine has taken it: errors come before the answer to the
    /// action that is sent behind it. Others are served meanwhile.
    async fn begin(
        &mut self,
        request: &AnalyzeRequest,
        whole: &Whole,
        color: Color,
        synced: &Synced,
    ) -> Result<Begun, EngineError> {
        if !request.allow.is_empty() && request.allow.iter().all(|vertex| request.avoid.contains(vertex)) {
            let message = "no move is left: all that are allowed are to be avoided";
            return Err(EngineError::new(ErrorKind::EngineRefused, message));
        }
        let size = whole.stones.size();
        let subject =
            Subject { color, size, revision: synced.revision, dialect: Dialect::Kata, turned: false };
        let query = Query {
            whole,
            to_move: color,
            visits: request.limit.visits,
            every_cs: Some(request.interval_cs),
            ownership: request.ownership,
            allow: &request.allow,
            avoid: &request.avoid,
            priority: if self.talk.alone { BEHIND } else { BEFORE },
        };
        let Some(link) = &mut self.link else { return Err(self.halted(Halt::Missed, "").await) };
        let id = link.ask(&query);
        let taken = link.act(Action::Version);
        let until = Instant::now() + self.setting.timeouts.command;
        let mut early = None;
        loop {
            match self.next(Some(until)).await {
                Ok(Msg::Answer(Answer::Done { id, .. })) if id == taken => break,
                Ok(Msg::Answer(answer)) if about(&answer) == Some(id) => match answer {
                    Answer::Error { field, message, .. } => {
                        self.link.as_mut().and_then(|link| link.close(id));
                        return Err(self.query_refused(field.as_deref(), &message).await);
                    }
                    answer => early = Some(answer),
                },
                Ok(msg) => Json::overhear(self, msg).await,
                Err(halt) => {
                    if let (Some(link), false) = (&mut self.link, matches!(halt, Halt::Ended(_))) {
                        link.terminate(id);
                    }
                    return Err(self.halted(halt, "").await);
                }
            }
            // An error without id may have been taken for this query's.
            if self.link.as_ref().is_none_or(|link| !link.has(id)) {
                return Err(self.query_refused(None, "").await);
            }
        }
        Ok(Begun { id, subject, early })
    }

    /// A report of a query that is still searched.
    pub(super) fn hear_of(&mut self, id: u32, report: Option<Report>) {
        if let Some(link) = &mut self.link {
            link.lives(id);
        }
        if self.read_report(id, report) {
            self.drop_analysis(EndReason::Limit);
        }
    }

    /// The last report of the analysis.
    pub(super) fn analysis_ends(&mut self, id: u32, report: Option<Report>) {
        if self.analysis.as_ref().is_none_or(|analysis| analysis.command != id) {
            return;
        }
        let enough = self.read_report(id, report);
        self.finish(if enough { EndReason::Limit } else { EndReason::Finished }, None);
    }

    /// Shows a report of the analysis; whether that was all that was wanted.
    fn read_report(&mut self, id: u32, report: Option<Report>) -> bool {
        let left_out = self.link.as_mut().map_or(0, Link::take_skipped);
        let Some(analysis) = self.analysis.as_mut().filter(|analysis| analysis.command == id) else {
            return false;
        };
        let Some(mut report) = report else { return false };
        analysis.reading.skipped += left_out + u64::from(report.skipped);
        if let Some(most) = analysis.request.max_moves {
            report.moves.sort_by_key(|info| info.order);
            report.moves.truncate(most as usize);
        }
        analysis.reading.keep(report, analysis.subject) && analysis.publish()
    }

    /// Ends the analysis that runs. The engine is told, and not waited for.
    pub(super) fn drop_analysis(&mut self, reason: EndReason) -> bool {
        let Some(analysis) = &self.analysis else { return false };
        if let Some(link) = &mut self.link {
            link.terminate(analysis.command);
        }
        self.finish(reason, None);
        true
    }
}

/// The query that an answer is about.
fn about(answer: &Answer) -> Option<u32> {
    match answer {
        Answer::Report { id, .. } => Some(*id),
        Answer::Error { id, .. } => *id,
        Answer::Warning { .. } | Answer::Done { .. } => None,
    }
}
