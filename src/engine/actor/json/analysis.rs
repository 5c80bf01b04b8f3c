//! The life of an analysis: a query that reports while it is searched.

use tokio::time::Instant;

use super::super::look::{Begun, Subject};
use super::super::wait::Halt;
use super::link::{Link, Msg};
use super::{Actor, Json, Talk};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::analyze::{Dialect, Report};
use crate::engine::katago_json::{Action, Answer, Query};
use crate::engine::request::{AnalyzeRequest, Synced};
use crate::engine::slot::EndReason;
use crate::engine::sync::Whole;
use crate::go::{Color, Position};

/// Before searches that nobody watches; behind those that were asked earlier where it would keep them
/// from ever being begun.
const BEFORE: i32 = 1;
const BEHIND: i32 = -1;

impl Actor<Json> {
    /// Asks about a position, and remembers that the engine is taken to stand on it.
    pub(super) async fn begin(
        &mut self,
        request: &AnalyzeRequest,
        position: &Position,
        color: Option<Color>,
    ) -> Result<Begun, EngineError> {
        self.make_ready().await?;
        let color = color.unwrap_or(position.to_play);
        let (whole, synced) = self.stand_on(position, color)?;
        self.query(request, &whole, color, synced).await
    }

    /// Sends the query and waits until the engine has taken it: errors come before the answer to the
    /// action that is sent behind it. Others are served meanwhile.
    async fn query(
        &mut self,
        request: &AnalyzeRequest,
        whole: &Whole,
        color: Color,
        synced: Synced,
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
        self.talk.early = None;
        loop {
            match self.next(Some(until)).await {
                Ok(Msg::Answer(Answer::Done { id, .. })) if id == taken => break,
                Ok(Msg::Answer(answer)) if about(&answer) == Some(id) => match answer {
                    Answer::Error { field, message, .. } => {
                        self.link.as_mut().and_then(|link| link.close(id));
                        return Err(self.query_refused(field.as_deref(), &message).await);
                    }
                    answer => self.talk.early = Some(answer),
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
        Ok(Begun { synced, subject, command: id })
    }

    /// A report of a query that is still searched.
    pub(super) async fn hear_of(&mut self, id: u32, report: Option<Report>) {
        if let Some(link) = &mut self.link {
            link.lives(id);
        }
        if self.read_report(id, report) {
            self.publish().await;
        }
    }

    /// The last report of the analysis.
    pub(super) async fn analysis_ends(&mut self, id: u32, report: Option<Report>) {
        if self.analysis.as_ref().is_none_or(|look| look.command != id) {
            return;
        }
        if self.read_report(id, report) {
            self.publish().await;
        }
        self.finish(EndReason::Finished, None);
    }

    /// Takes a report of the analysis; whether there is news.
    fn read_report(&mut self, id: u32, report: Option<Report>) -> bool {
        let left_out = self.link.as_mut().map_or(0, Link::take_skipped);
        let Some(look) = self.analysis.as_mut().filter(|look| look.command == id) else {
            return false;
        };
        let Some(mut report) = report else { return false };
        look.reading.skipped += left_out + u64::from(report.skipped);
        if let Some(most) = look.request.max_moves {
            report.moves.sort_by_key(|info| info.order);
            report.moves.truncate(most as usize);
        }
        look.reading.keep(report, look.subject)
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
