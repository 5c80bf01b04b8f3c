//! The life of an analysis: opened by `=`, ended only by the engine's blank line.

use tokio::time::Instant;

use super::super::look::{Begun, Reading, Subject};
use super::super::wait::Halt;
use super::form::{analyze_command, forms};
use super::link::{Link, Msg};
use super::talk::{ABORT, Response};
use super::{Actor, Gtp};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::analyze::{Dialect, Report, is_report_line, parse_line};
use crate::engine::profile::Perspective;
use crate::engine::request::{ANALYZE_COMMANDS, AnalyzeRequest};
use crate::engine::slot::EndReason;
use crate::go::{Color, Position, Size};

impl Actor<Gtp> {
    /// Brings the engine to a position and lets it analyse that.
    pub(super) async fn begin(
        &mut self,
        request: &AnalyzeRequest,
        position: &Position,
        color: Option<Color>,
    ) -> Result<Begun, EngineError> {
        let name = self.choose(&request.order, request.says_more())?;
        self.make_ready().await?;
        let synced = self.bring(position).await?;
        self.refuse_after_two_passes()?;
        let subject = self.subject(&name, color, synced.revision);
        let command = self.open_analysis(&name, subject, request).await?;
        Ok(Begun { synced, subject, command })
    }

    /// Which of these commands an analysis is asked for with.
    pub(super) fn choose(&self, order: &[String], says_more: bool) -> Result<String, EngineError> {
        let usual;
        let order = match (order, self.setting.spec.analyze_commands.as_slice()) {
            ([], []) => {
                usual = ANALYZE_COMMANDS.map(str::to_owned);
                usual.as_slice()
            }
            ([], own) => own,
            (order, _) => order,
        };
        analyze_command(&self.info.commands, order, says_more).cloned().ok_or_else(|| {
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
        for (index, form) in forms.iter().enumerate().skip(self.talk.form) {
            if form == tried {
                continue;
            }
            tried = form;
            let id = self.post(form);
            match self.opening(id).await {
                Ok(None) => {
                    self.talk.form = index;
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
        let Some(look) = &mut self.analysis else { return };
        match msg {
            Msg::Line { id } if id == look.command => {
                let news = look.reading.read(&mut self.link, look.subject);
                if news {
                    self.publish().await;
                }
            }
            Msg::Close { id } | Msg::Missed { id } if id == look.command => {
                self.well_done();
                self.finish(EndReason::Finished, None);
            }
            _ => {}
        }
    }

    /// Any command stops any engine's analysis. Its answer comes after the end of the analysis;
    /// what is printed before belongs to nobody any more.
    pub(super) async fn silence(&mut self) -> Result<(), EngineError> {
        self.exchange(ABORT, self.patience()).await.map(drop)
    }
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
        self.keep(report, subject)
    }
}
