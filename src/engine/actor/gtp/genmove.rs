//! The request `genmove`: a move of the engine's own, with its reports where it gives any.

use tokio::sync::watch;
use tokio::time::Instant;

use super::super::look::{Reading, Subject};
use super::super::wait::Halt;
use super::form::{Asking, askings};
use super::link::{Link, Msg};
use super::talk::ABORT;
use super::{Actor, Gtp};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::codec;
use crate::engine::request::{Genmove, GenmovePlay, GenmoveRequest};
use crate::engine::slot;
use crate::go::{Color, Move, Position, Step, Vertex};

/// What an engine says when it is asked for a move.
#[derive(Debug, Default)]
struct Said {
    ok: bool,
    /// The move, or why there is none.
    text: String,
    report: Option<slot::Running>,
}

type Reports = Option<watch::Sender<Option<slot::Running>>>;

impl Actor<Gtp> {
    /// The request `genmove`: the first form of asking that the engine takes.
    pub(super) async fn genmove(&mut self, request: GenmoveRequest) -> Result<Genmove, EngineError> {
        self.check_revision(request.if_revision)?;
        self.free_engine().await?;
        self.make_ready().await?;
        self.stop_clock_of_others().await?;
        let mut refused: Option<(String, String)> = None;
        let mut index = self.talk.asking;
        loop {
            let synced = self.bring_to(request.position.clone()).await?;
            self.refuse_after_two_passes()?;
            let color = request.color.or_else(|| self.wanted.as_ref().map(|position| position.to_play));
            let color = color.unwrap_or(Color::Black);
            let forms = askings(&self.info.commands, &request.order, color, request.interval_cs);
            let Some(asking) = forms.get(index) else {
                let (command, reply) = refused.unwrap_or_default();
                let message = "the engine refuses to move";
                return Err(self.refused(ErrorKind::EngineRefused, message, &command, &reply).await);
            };
            let subject = self.subject(asking.word(), Some(color), synced.revision);
            let said = self.ask_for_move(asking, subject, &request.reports).await?;
            if said.ok {
                // A later form of asking is remembered only when it has worked.
                self.talk.asking = index;
                return self.take_move(asking, color, said).await;
            }
            self.forget_board();
            refused.get_or_insert((asking.line.clone(), said.text));
            index += 1;
        }
    }

    /// A clock that another client has set, for a game of its own, is none of this one's.
    async fn stop_clock_of_others(&mut self) -> Result<(), EngineError> {
        if self.talk.time.as_ref().is_none_or(|(_, party)| *party == self.client.party) {
            return Ok(());
        }
        self.talk.time = None;
        if let Some(command) = self.shared.usual_time(&self.info.commands) {
            self.exchange(&command, self.patience()).await?;
        }
        Ok(())
    }

    /// Asks, and listens until the engine has decided.
    async fn ask_for_move(
        &mut self,
        asking: &Asking,
        subject: Subject,
        reports: &Reports,
    ) -> Result<Said, EngineError> {
        let id = self.post(&asking.line);
        match self.listen(id, subject, reports).await {
            Ok(said) => Ok(said),
            Err(halt) => {
                if asking.only_searches && matches!(halt, Halt::Withdrawn) {
                    self.post(ABORT);
                    // A search does not touch the board.
                    let known = self.talk.known.take();
                    let error = self.halted(halt, &asking.line).await;
                    self.talk.known = known;
                    return Err(error);
                }
                // Its move will stand on its board, and nobody wants it.
                self.talk.astray = true;
                Err(self.halted(halt, &asking.line).await)
            }
        }
    }

    /// Reads reports until the end of the answer. Thinking has no limit of time, but after a long
    /// silence a question is put behind: when that is answered and the move is not, it is lost.
    async fn listen(&mut self, id: u32, subject: Subject, reports: &Reports) -> Result<Said, Halt> {
        let mut said = Said::default();
        let mut reading = Reading::default();
        let mut silence = Some(self.setting.timeouts.first_report);
        loop {
            let until = silence.map(|silence| Instant::now() + silence);
            let msg = match self.next(until).await {
                Err(Halt::Timeout) => {
                    silence = None;
                    self.post(ABORT);
                    continue;
                }
                msg => msg?,
            };
            match msg {
                Msg::Open { id: open, ok, text } if open == id => (said.ok, said.text) = (ok, text),
                Msg::Line { id: line } if line == id => {
                    let text = self.link.as_ref().map(Link::line).unwrap_or_default();
                    if let Some(played) = text.strip_prefix(b"play ") {
                        said.text = String::from_utf8_lossy(played).into_owned();
                    } else if reading.read(&mut self.link, subject)
                        && let Some(reports) = reports
                    {
                        reports.send_replace(reading.last.clone());
                    }
                }
                Msg::Close { id: close } if close == id => {
                    said.report = reading.last;
                    return Ok(said);
                }
                Msg::Missed { id: missed } if missed == id => return Err(Halt::Missed),
                _ => {}
            }
        }
    }

    /// What the engine has decided, on its board and in our belief about it.
    async fn take_move(&mut self, asking: &Asking, color: Color, said: Said) -> Result<Genmove, EngineError> {
        let (Some(position), Some(known)) = (self.wanted.clone(), self.talk.known.clone()) else {
            return Err(EngineError::new(ErrorKind::SyncFailed, "the engine's board is not known"));
        };
        if !asking.only_searches {
            // The engine has changed its board, whatever it says.
            self.forget_board();
            self.talk.astray = true;
        }
        let Said { text, report, .. } = said;
        let word = codec::word(&text);
        let size = position.size;
        if word.eq_ignore_ascii_case("resign") {
            self.well_done();
            // Some engines keep a resignation as a move: the next use starts from an empty board.
            let (play, revision) = (GenmovePlay::Resign, self.revision());
            return Ok(Genmove { color, play, size, captured: 0, report, revision });
        }
        if asking.only_searches && word.eq_ignore_ascii_case("cancelled") {
            let message = "the engine fell silent; its search was ended";
            let error = self.refused(ErrorKind::EngineTimeout, message, &asking.line, &text).await;
            return Err(error.cause("silent"));
        }
        let free = |vertex: &Vertex| match vertex {
            Vertex::Pass => true,
            Vertex::At(point) => known.board.at(*point).is_none(),
        };
        let Some(vertex) = Vertex::parse_gtp(word, size).filter(free) else {
            let message = "the engine answers something that is no move here";
            let error = self.refused(ErrorKind::EngineRefused, message, &asking.line, &text).await;
            return Err(error.cause("illegal-move"));
        };
        if asking.only_searches {
            self.play_found(color, vertex, &position).await?;
        }
        self.well_done();
        Ok(self.made(Move { color, vertex }, position, known, report))
    }

    /// Plays the move that a search has found.
    async fn play_found(&mut self, color: Color, vertex: Vertex, at: &Position) -> Result<(), EngineError> {
        let letter = color.letter().to_ascii_lowercase();
        let command = format!("play {letter} {}", vertex.to_gtp(at.size));
        self.forget_board();
        self.talk.astray = true;
        let response = self.exchange(&command, self.patience()).await?;
        if response.ok {
            return Ok(());
        }
        let message = "the engine refuses the move that it has found itself";
        let error = self.refused(ErrorKind::EngineRefused, message, &command, &response.text).await;
        Err(error.cause("illegal-move"))
    }

    /// The move stands on the engine's board.
    fn made(
        &mut self,
        play: Move,
        mut position: Position,
        mut known: super::Known,
        report: Option<slot::Running>,
    ) -> Genmove {
        let before = known.board.captures(play.color);
        known.played(play);
        let captured = known.board.captures(play.color).saturating_sub(before);
        let size = position.size;
        position.steps.push(Step::Play(play));
        position.to_play = play.color.opponent();
        self.talk.known = Some(known);
        self.wanted = Some(position);
        self.talk.astray = false;
        let (color, revision) = (play.color, self.revision());
        Genmove { color, play: GenmovePlay::Play(play.vertex), size, captured, report, revision }
    }
}
