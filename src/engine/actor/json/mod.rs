//! KataGo's JSON analysis engine: queries that carry their whole position, many at once, answered in
//! any order. The engine has no board, so there is nothing to be believed about it.

mod analysis;
mod greet;
mod link;
mod search;

use super::super::error::{EngineError, ErrorKind};
use super::super::handle::{Ask, Info};
use super::super::katago_json::Answer;
use super::super::process::Process;
use super::super::request::{AnalyzeRequest, Synced};
use super::super::slot::EndReason;
use super::super::sync::{self, Form, Strategy, Whole};
use super::look::Begun;
use super::{Actor, Talk, reply};
use crate::go::{Color, Position};
use link::{Asker, Link, Msg};

/// What is remembered about an analysis engine. All that is under way belongs to its program.
#[derive(Debug, Default)]
pub(super) struct Json {
    /// It works on one position at a time: an analysis does not go on beside searches.
    alone: bool,
    /// What it said about the analysis that begins, before that was known.
    early: Option<Answer>,
}

impl Talk for Json {
    type Link = Link;

    const NAME: &str = "KataGo's JSON";

    const FOREIGN: (&str, &str) =
        ("it speaks GTP", "start it with `analysis` in place of `gtp`, or leave out its protocol");

    fn is_foreign(line: &[u8]) -> bool {
        matches!(line, [b'=' | b'?', b' ' | b'0'..=b'9', ..])
    }

    async fn greet(actor: &mut Actor<Json>, process: Process, info: Info) -> Result<Info, EngineError> {
        actor.link = Some(Link::new(process, actor.setting.timeouts.first_report));
        actor.introduce(info).await
    }

    async fn serve(actor: &mut Actor<Json>, ask: Ask) {
        match ask {
            Ask::Search(request, answer) => actor.search(request, answer).await,
            Ask::Sync(position, answer) => reply(answer, actor.sync(&position).await),
            Ask::Analyze(request, answer) => reply(answer, actor.analyze(request).await),
            Ask::Retarget(id, position, color, answer) => {
                reply(answer, actor.retarget(id, position, color).await);
            }
            Ask::Stop(id, answer) => reply(answer, actor.stop(id).await),
            Ask::Genmove(_, answer) => reply(answer, Err(unsupported("does not play"))),
            Ask::Send(_, _, answer) => reply(answer, Err(unsupported("takes no GTP commands"))),
        }
    }

    async fn overhear(actor: &mut Actor<Json>, msg: Msg) {
        match msg {
            Msg::Answer(answer) => actor.hear(answer).await,
            Msg::Withdrawn => {
                if let Some(link) = &mut actor.link {
                    link.let_go();
                }
            }
            Msg::Noise => {}
        }
        if let Some(link) = &mut actor.link {
            link.fill();
        }
    }

    fn can_analyze(_: &Actor<Json>, _: &AnalyzeRequest) -> Result<(), EngineError> {
        Ok(())
    }

    async fn begin(
        actor: &mut Actor<Json>,
        request: &AnalyzeRequest,
        position: &Position,
        color: Option<Color>,
    ) -> Result<Begun, EngineError> {
        actor.begin(request, position, color).await
    }

    async fn begun(actor: &mut Actor<Json>) {
        if let Some(answer) = actor.talk.early.take() {
            Box::pin(actor.hear(answer)).await;
        }
    }

    fn stands_on(actor: &mut Actor<Json>, position: &Position) -> Option<Synced> {
        let stands = actor.wanted.as_ref() == Some(position);
        actor.told(position, position.to_play).ok().filter(|_| stands).map(|(_, synced)| synced)
    }

    /// The engine is told, and not waited for.
    async fn hush(actor: &mut Actor<Json>) -> Result<(), EngineError> {
        if let (Some(link), Some(look)) = (&mut actor.link, &actor.analysis) {
            link.terminate(look.command);
        }
        Ok(())
    }

    async fn come_back(_: &mut Actor<Json>) -> Result<(), EngineError> {
        Ok(())
    }

    fn abandoned(_: &mut Actor<Json>) {}

    fn buried(_: &mut Actor<Json>) {}
}

impl Actor<Json> {
    /// The request `sync`: what the engine will be told with each query about this position.
    async fn sync(&mut self, position: &Position) -> Result<Synced, EngineError> {
        self.leave_off(EndReason::Superseded).await?;
        self.make_ready().await?;
        Ok(self.stand_on(position, position.to_play)?.1)
    }

    /// The engine runs.
    async fn make_ready(&mut self) -> Result<(), EngineError> {
        if self.link.is_none() { self.restart().await } else { Ok(()) }
    }

    /// A position as it is told, with this side to move.
    fn told(&self, position: &Position, color: Color) -> Result<(Whole, Synced), EngineError> {
        let whole = sync::whole(position, color)?;
        let stands = self.wanted.as_ref() == Some(position);
        let synced = Synced {
            strategy: if stands { Strategy::None } else { Strategy::Rebuild(Form::SetPosition) },
            commands: Vec::new(),
            lost: whole.lost.clone(),
            komi: Some(whole.komi),
            rules: Some(whole.rules.clone()),
            revision: self.revision(),
        };
        Ok((whole, synced))
    }

    /// The same, when it becomes the position that the engine is taken to stand on.
    fn stand_on(&mut self, position: &Position, color: Color) -> Result<(Whole, Synced), EngineError> {
        let (whole, mut synced) = self.told(position, color)?;
        if synced.strategy != Strategy::None {
            synced.revision = self.turn_page();
            self.want(position.clone());
        }
        Ok((whole, synced))
    }

    /// An answer that no request is waiting for at this moment.
    async fn hear(&mut self, answer: Answer) {
        match answer {
            Answer::Report { id, during: true, report } => self.hear_of(id, report).await,
            Answer::Report { id, during: false, report } => {
                let Some(asker) = self.link.as_mut().and_then(|link| link.close(id)) else { return };
                self.well_done();
                match asker {
                    Asker::Search(wanted) => self.found(*wanted, report).await,
                    Asker::Analysis => self.analysis_ends(id, report).await,
                    Asker::Nobody => {}
                }
            }
            Answer::Error { id, field, message } => {
                let Some(link) = &mut self.link else { return };
                let guilty = match id {
                    Some(id) => link.close(id).map(|asker| (id, asker)).into_iter().collect(),
                    // An action that it does not know is no query.
                    None if message.contains("'action'") => Vec::new(),
                    None => link.blame(),
                };
                if guilty.is_empty() {
                    tracing::info!(engine = self.setting.spec.name, message, "the engine complains");
                }
                for (id, asker) in guilty {
                    let error = self.query_refused(field.as_deref(), &message).await;
                    match asker {
                        Asker::Search(wanted) => reply(wanted.answer, Err(error)),
                        Asker::Analysis if self.analysis.as_ref().is_some_and(|a| a.command == id) => {
                            self.finish(EndReason::Refused, Some(error));
                        }
                        Asker::Analysis | Asker::Nobody => {}
                    }
                }
            }
            Answer::Warning { message, .. } => {
                tracing::info!(engine = self.setting.spec.name, message, "the engine warns");
            }
            Answer::Done { .. } => {}
        }
    }

    /// The error of a query that the engine does not take.
    async fn query_refused(&mut self, field: Option<&str>, message: &str) -> EngineError {
        let (kind, what) = match field {
            Some("boardXSize" | "boardYSize") => {
                (ErrorKind::BoardTooLarge, "a board of this size".to_owned())
            }
            Some(field) => (ErrorKind::EngineRefused, format!("the {field} of a query")),
            None => (ErrorKind::EngineRefused, "a query".to_owned()),
        };
        self.refused(kind, format!("the engine refuses {what}"), "", message).await
    }
}

fn unsupported(what: &str) -> EngineError {
    let message = format!("KataGo's analysis engine {what}; attach `katago gtp` for that");
    EngineError::new(ErrorKind::EngineUnsupported, message).cause("protocol")
}
