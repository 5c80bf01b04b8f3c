//! The life of an analysis: opened by `=`, ended only by the engine's blank line.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::error::{EngineError, ErrorKind};
use super::super::gtp::analyze::{Dialect, Report, is_report_line, parse_line};
use super::super::profile::Perspective;
use super::super::request::{ANALYZE_COMMANDS, AnalyzeRequest, Synced};
use super::super::slot::{self, Analysis, AnalysisEvents, AnalysisId, EndReason, Ended, Slot};
use super::Actor;
use super::form::forms;
use super::link::{Link, Msg};
use super::talk::{ABORT, Halt, Response};
use crate::go::{Color, Position, Size};

/// The analysis that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) id: AnalysisId,
    pub(super) slot: Arc<Slot>,
    /// When its limit of seconds is reached.
    pub(super) until: Option<Instant>,
    request: AnalyzeRequest,
    name: String,
    subject: Subject,
    command: u32,
    reports: u64,
    reading: Reading,
}

impl Running {
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

impl Actor {
    /// The request `analyze`.
    pub(super) async fn analyze(&mut self, request: AnalyzeRequest) -> Result<Analysis, EngineError> {
        self.check_revision(request.if_revision)?;
        let name = self.choose(&request.order)?;
        self.end_analysis(EndReason::Superseded).await?;
        self.make_ready().await?;
        let synced = self.bring_to(request.position.clone()).await?;
        self.refuse_after_two_passes()?;
        let subject = self.subject(&name, request.color, synced.revision);
        let command = self.open_analysis(&name, subject, &request).await?;
        self.analyses += 1;
        let id = AnalysisId(self.analyses);
        let slot = Arc::new(Slot::default());
        slot.start(synced.clone());
        let until = deadline(&request);
        let events = AnalysisEvents::new(slot.clone());
        self.analysis = Some(Running {
            id,
            slot,
            until,
            request,
            name,
            subject,
            command,
            reports: 0,
            reading: Reading::default(),
        });
        Ok(Analysis { id, synced, events })
    }

    /// The request `retarget`: nothing of the old position is shown after its answer.
    pub(super) async fn retarget(
        &mut self,
        id: AnalysisId,
        position: Position,
        color: Option<Color>,
    ) -> Result<Synced, EngineError> {
        let Some((name, request, old)) = self
            .analysis
            .as_ref()
            .filter(|analysis| analysis.id == id)
            .map(|analysis| (analysis.name.clone(), analysis.request.clone(), analysis.subject))
        else {
            return Err(EngineError::new(ErrorKind::Cancelled, "this analysis has ended").cause("ended"));
        };
        if color.unwrap_or(position.to_play) == old.color
            && let Some(synced) = self.stands_on(&position)
        {
            return Ok(synced);
        }
        match self.move_analysis(&name, &request, position, color).await {
            Ok(synced) => Ok(synced),
            Err(error) => {
                let reason = match error.kind {
                    ErrorKind::Cancelled | ErrorKind::EngineTimeout => EndReason::Cancelled,
                    _ => EndReason::Refused,
                };
                self.finish(reason, Some(error.clone()));
                Err(error)
            }
        }
    }

    async fn move_analysis(
        &mut self,
        name: &str,
        request: &AnalyzeRequest,
        position: Position,
        color: Option<Color>,
    ) -> Result<Synced, EngineError> {
        self.silence().await?;
        if let Some(analysis) = &mut self.analysis {
            analysis.slot.clear();
            analysis.reading.last = None;
        }
        let synced = self.bring(&position).await?;
        let subject = self.subject(name, color, synced.revision);
        let command = self.open_analysis(name, subject, request).await?;
        if let Some(analysis) = &mut self.analysis {
            (analysis.subject, analysis.command) = (subject, command);
            analysis.until = deadline(request);
        }
        Ok(synced)
    }

    /// The request `stop`.
    pub(super) async fn stop(&mut self, id: Option<AnalysisId>) -> Result<bool, EngineError> {
        let runs = self.analysis.as_ref().is_some_and(|analysis| id.is_none_or(|id| id == analysis.id));
        if runs { self.end_analysis(EndReason::Stopped).await } else { Ok(false) }
    }

    /// The first of these commands that the engine lists.
    pub(super) fn choose(&self, order: &[String]) -> Result<String, EngineError> {
        let usual;
        let order = match (order, self.setting.spec.analyze_commands.as_slice()) {
            ([], []) => {
                usual = ANALYZE_COMMANDS.map(str::to_owned);
                usual.as_slice()
            }
            ([], own) => own,
            (order, _) => order,
        };
        let listed = order.iter().find(|command| self.info.commands.contains(*command));
        listed.cloned().ok_or_else(|| {
            let program = if self.info.program.is_empty() { &self.info.name } else { &self.info.program };
            let message =
                format!("{program} does not support analysis: it lists none of {}", order.join(", "));
            EngineError::new(ErrorKind::EngineUnsupported, message).cause("analyze")
        })
    }

    /// What an analysis of the present position is about.
    pub(super) fn subject(&self, command: &str, color: Option<Color>, revision: u64) -> Subject {
        let wanted = self.wanted.as_ref();
        let color = color.or_else(|| wanted.map(|position| position.to_play)).unwrap_or(Color::Black);
        let size = wanted.map_or(Size::STANDARD, |position| position.size);
        let profile = self.info.profile;
        let dialect = match (Dialect::of_command(command), profile) {
            (Dialect::Plain, Some(profile)) => profile.dialect,
            (dialect, _) => dialect,
        };
        let perspective =
            self.setting.spec.perspective.or_else(|| profile.map(|profile| profile.perspective));
        let turned = match perspective.unwrap_or_default() {
            Perspective::SideToMove => false,
            Perspective::Black => color == Color::White,
            Perspective::White => color == Color::Black,
        };
        Subject { color, size, revision, dialect, turned }
    }

    /// Sends the analyze command in the first form that the engine takes, and remembers which.
    pub(super) async fn open_analysis(
        &mut self,
        name: &str,
        subject: Subject,
        request: &AnalyzeRequest,
    ) -> Result<u32, EngineError> {
        let must_name = self.wanted.as_ref().is_none_or(|position| position.to_play != subject.color);
        let forms = forms(name, subject.color, subject.size, request, must_name);
        let mut refused: Option<(String, String)> = None;
        let mut tried = "";
        for (index, form) in forms.iter().enumerate().skip(self.form) {
            if form == tried {
                continue;
            }
            tried = form;
            let id = self.post(form);
            match self.opening(id).await {
                Ok(None) => {
                    self.form = index;
                    return Ok(id);
                }
                Ok(Some(reply)) => _ = refused.get_or_insert((form.clone(), reply)),
                Err(halt) => return Err(self.halted(halt, form).await),
            }
        }
        let (command, reply) = refused.unwrap_or_default();
        let message = "the engine refuses to analyse";
        Err(self.refused(ErrorKind::EngineRefused, message, &command, &reply).await)
    }

    /// Waits for the first line of an answer; the text of a refusal.
    async fn opening(&mut self, id: u32) -> Result<Option<String>, Halt> {
        let until = Instant::now() + self.setting.timeouts.command;
        let mut response = Response::default();
        loop {
            let msg = self.next(Some(until)).await?;
            if matches!(&msg, Msg::Open { id: opened, ok: true, .. } if *opened == id) {
                return Ok(None);
            }
            if self.collect(&msg, id, &mut response)? {
                return Ok(Some(response.text));
            }
        }
    }

    /// Reads what the running analysis says; called while no request waits.
    pub(super) async fn follow(&mut self, msg: Msg) {
        let Some(analysis) = &mut self.analysis else { return };
        match msg {
            Msg::Line { id } if id == analysis.command => {
                if !analysis.reading.read(&mut self.link, analysis.subject) {
                    return;
                }
                let Some(running) = analysis.reading.last.clone() else { return };
                let enough = analysis.request.limit.visits.is_some_and(|visits| running.visits >= visits);
                analysis.reports += 1;
                analysis.slot.publish(running);
                if enough {
                    let _ = self.end_analysis(EndReason::Limit).await;
                }
            }
            Msg::Close { id } | Msg::Missed { id } if id == analysis.command => {
                self.well_done();
                self.finish(EndReason::Finished, None);
            }
            _ => {}
        }
    }

    /// Makes the engine stop analysing, then gives the last event. Says whether one ran.
    pub(super) async fn end_analysis(&mut self, reason: EndReason) -> Result<bool, EngineError> {
        if self.analysis.is_none() {
            return Ok(false);
        }
        match self.silence().await {
            Ok(()) => {
                self.well_done();
                self.finish(reason, None);
                Ok(true)
            }
            Err(error) => {
                self.finish(EndReason::Cancelled, Some(error.clone()));
                Err(error)
            }
        }
    }

    /// Any command stops any engine's analysis. Its answer comes after the end of the analysis;
    /// what is printed before belongs to nobody any more.
    pub(super) async fn silence(&mut self) -> Result<(), EngineError> {
        self.exchange(ABORT, self.patience()).await.map(drop)
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
    skipped: u64,
}

impl Reading {
    /// Reads the present line, unless a newer report waits behind it; true when that gave news.
    pub(super) fn read(&mut self, link: &mut Option<Link>, subject: Subject) -> bool {
        let Some(link) = link else { return false };
        self.skipped += link.process.take_dropped();
        let line = link.line();
        if !is_report_line(line) {
            return false;
        }
        // A line without its first move goes on with the report before it (some engines break
        // theirs over several lines): only a new report makes this one old.
        if link.process.waiting_line().is_some_and(|next| memchr::memmem::find(next, b" order 0").is_some()) {
            self.skipped += 1;
            return false;
        }
        let mut report = parse_line(line, subject.dialect, subject.size);
        if subject.turned {
            report.turn();
        }
        self.skipped += u64::from(report.skipped);
        let begins = report.moves.iter().any(|info| info.order == 0);
        if let Some(last) = self.last.as_ref().filter(|_| !begins) {
            let mut whole = Report::clone(&last.report);
            report = whole.absorb(report).unwrap_or(whole);
        }
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
