//! GTP: one command after the other, each answered before the next request is looked at. The engine
//! has a board, and what is believed about it is kept here.

mod analysis;
mod board;
mod form;
mod genmove;
mod handshake;
mod link;
mod play;
mod talk;

use super::super::error::EngineError;
use super::super::handle::{Ask, Info};
use super::super::process::Process;
use super::super::request::{AnalyzeRequest, Synced};
use super::super::sync::Known;
use super::look::Begun;
use super::{Actor, Talk, reply};
use crate::go::{Color, Position};
use link::{Link, Msg};

/// What is remembered about an engine that speaks GTP.
#[derive(Debug, Default)]
pub(super) struct Gtp {
    /// What the engine's board is believed to be; `None` after anything unexpected.
    known: Option<Known>,
    /// The engine's board may differ from what was last asked for, through no wish of a caller.
    astray: bool,
    /// It was left there by another client.
    foreign: bool,
    /// How far down the list of analyze forms this engine has refused.
    form: usize,
    /// The same of the ways to ask for a move.
    asking: usize,
    /// The rules that it had before it was told others.
    own_rules: Option<String>,
    /// The command that set its clock, and the party that sent it.
    time: Option<(String, u64)>,
}

impl Talk for Gtp {
    type Link = Link;

    const NAME: &str = "GTP";

    const FOREIGN: (&str, &str) = (
        "it is KataGo's JSON analysis engine",
        "start it with `gtp` in place of `analysis`, or set protocol = \"katago-json\"",
    );

    fn is_foreign(line: &[u8]) -> bool {
        line.starts_with(br#"{"error":"#)
    }

    async fn greet(actor: &mut Actor<Gtp>, process: Process, info: Info) -> Result<Info, EngineError> {
        actor.link = Some(Link::new(process));
        actor.introduce(info).await
    }

    async fn serve(actor: &mut Actor<Gtp>, ask: Ask) {
        match ask {
            Ask::Sync(position, answer) => reply(answer, actor.sync(&position).await),
            Ask::Analyze(request, answer) => reply(answer, actor.analyze(request).await),
            Ask::Retarget(id, position, color, answer) => {
                reply(answer, actor.retarget(id, position, color).await);
            }
            Ask::Stop(id, answer) => reply(answer, actor.stop(id).await),
            Ask::Genmove(request, answer) => reply(answer, actor.genmove(request).await),
            Ask::Search(request, answer) => reply(answer, actor.search(request).await),
            Ask::Send(command, revision, answer) => reply(answer, actor.raw(&command, revision).await),
        }
    }

    async fn overhear(actor: &mut Actor<Gtp>, msg: Msg) {
        actor.follow(msg).await;
    }

    fn can_analyze(actor: &Actor<Gtp>, request: &AnalyzeRequest) -> Result<(), EngineError> {
        actor.choose(&request.order, request.says_more()).map(drop)
    }

    async fn begin(
        actor: &mut Actor<Gtp>,
        request: &AnalyzeRequest,
        position: &Position,
        color: Option<Color>,
    ) -> Result<Begun, EngineError> {
        actor.begin(request, position, color).await
    }

    fn stands_on(actor: &mut Actor<Gtp>, position: &Position) -> Option<Synced> {
        actor.stands_on(position)
    }

    async fn hush(actor: &mut Actor<Gtp>) -> Result<(), EngineError> {
        actor.silence().await?;
        actor.well_done();
        Ok(())
    }

    fn turned(actor: &mut Actor<Gtp>) {
        (actor.talk.astray, actor.talk.foreign) = (true, true);
    }

    async fn come_back(actor: &mut Actor<Gtp>) -> Result<(), EngineError> {
        actor.come_back().await
    }

    fn abandoned(actor: &mut Actor<Gtp>) {
        if let Some(link) = &mut actor.link {
            link.abandon();
        }
        actor.forget_board();
    }

    fn buried(actor: &mut Actor<Gtp>) {
        actor.forget_board();
        actor.talk.astray = true;
    }
}

impl Actor<Gtp> {
    fn forget_board(&mut self) {
        if self.talk.known.take().is_some() {
            self.turn_page();
        }
    }
}
