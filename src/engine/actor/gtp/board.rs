//! Bringing the engine's board to a position, and what is believed about it.

use std::collections::VecDeque;

use super::super::position::no_position;
use super::talk::Response;
use super::{Actor, Gtp};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::codec;
use crate::engine::request::Synced;
use crate::engine::sync::{self, Command, Lost, Plan, Refusal, Strategy};
use crate::go::{Position, Size};

/// Commands that may be on their way at once.
const WINDOW: usize = 32;

/// A command that the engine refused, and what it said.
#[derive(Debug, Clone)]
struct Refused {
    command: String,
    reply: String,
}

/// A command on its way.
struct Underway<'a> {
    id: u32,
    line: String,
    command: &'a Command,
    /// Keeps the file until the engine has read it.
    _file: Option<tempfile::TempPath>,
}

impl Actor<Gtp> {
    /// The request `sync`.
    pub(super) async fn sync(&mut self, position: &Position) -> Result<Synced, EngineError> {
        self.free_engine().await?;
        self.make_ready().await?;
        let synced = self.bring(position).await?;
        self.well_done();
        Ok(synced)
    }

    /// Brings the engine to the position asked for, or to where it was last asked to be.
    pub(super) async fn bring_to(&mut self, position: Option<Position>) -> Result<Synced, EngineError> {
        match position.or_else(|| self.wanted.clone()) {
            Some(position) => self.bring(&position).await,
            None => Err(no_position()),
        }
    }

    /// Puts the board right after something that the caller has not wanted: the end of the program, a
    /// move whose caller has given up, another client's work. A client sees nothing of the board of another.
    pub(super) async fn come_back(&mut self) -> Result<(), EngineError> {
        let (foreign, revision) = (self.talk.foreign, self.revision());
        match self.wanted.clone() {
            Some(position) if self.talk.astray => self.bring(&position).await?,
            None if foreign => {
                let empty = self.bring(&Position::new(Size::STANDARD)).await?;
                self.wanted = None;
                empty
            }
            _ => return Ok(()),
        };
        if foreign {
            self.client.set_revision(revision);
        }
        Ok(())
    }

    /// Plans and sends until a plan is carried out whole. A refused command makes the board
    /// unknown, and its strategy is not tried again.
    pub(super) async fn bring(&mut self, want: &Position) -> Result<Synced, EngineError> {
        if self.talk.foreign {
            self.forget_rules_of_others(want).await?;
        }
        let elsewhere = self.was_elsewhere(want);
        self.wanted = None;
        (self.talk.astray, self.talk.foreign) = (false, false);
        let mut banned: Vec<Strategy> = Vec::new();
        let mut last: Option<Refused> = None;
        loop {
            let plan = sync::plan(self.talk.known.as_ref(), want, &self.info.abilities, &banned);
            let plan = match plan {
                Ok(plan) if banned.contains(&plan.strategy) => Err(Refusal::CannotRecreate),
                plan => plan,
            };
            let mut plan = match plan {
                Ok(plan) => plan,
                Err(refusal) => return Err(self.no_plan(refusal, last).await),
            };
            self.note_own_rules(&plan).await?;
            let carried_out = self.carry_out(&mut plan).await;
            if carried_out.is_err() && self.link.is_none() {
                // Once it runs again it is brought here.
                self.want(want.clone());
                self.talk.astray = true;
            }
            match carried_out? {
                Ok(commands) => {
                    if commands.is_empty() && elsewhere {
                        self.turn_page();
                    }
                    self.want(want.clone());
                    return Ok(self.synced(plan, commands));
                }
                Err(refused) => {
                    self.give_up_on(&refused, want).await?;
                    banned.push(plan.strategy);
                    last = Some(refused);
                }
            }
        }
    }

    /// Asks an engine for the rules that it has by itself, before it is told others.
    async fn note_own_rules(&mut self, plan: &Plan) -> Result<(), EngineError> {
        let tells =
            plan.commands.iter().any(|command| matches!(command, Command::Optional { what: "rules", .. }));
        if tells && self.talk.own_rules.is_none() && self.info.commands.contains("kata-get-rules") {
            let response = self.exchange("kata-get-rules", self.patience()).await?;
            self.talk.own_rules = Some(response.text).filter(|_| response.ok);
        }
        Ok(())
    }

    /// Gives the engine its own rules back for a client that names none, after one that did.
    async fn forget_rules_of_others(&mut self, want: &Position) -> Result<(), EngineError> {
        let told = self.talk.known.as_ref().is_none_or(|known| known.rules.is_some());
        let Some(rules) = self.talk.own_rules.clone().filter(|_| told && want.rules.is_none()) else {
            return Ok(());
        };
        let response = self.exchange(&format!("kata-set-rules {rules}"), self.patience()).await?;
        if let Some(known) = self.talk.known.as_mut().filter(|_| response.ok) {
            known.rules = None;
        }
        Ok(())
    }

    /// The answer for a plan that the engine has taken.
    fn synced(&mut self, plan: Plan, commands: Vec<String>) -> Synced {
        let Plan { strategy, after, lost, .. } = plan;
        let (komi, rules) = (after.komi, after.rules.clone());
        self.talk.known = Some(after);
        Synced { strategy, commands, lost, komi, rules, revision: self.revision() }
    }

    /// Whether this client's board is another one. It changes then, also when others have brought the engine there.
    fn was_elsewhere(&self, want: &Position) -> bool {
        self.wanted.as_ref().is_some_and(|before| before != want)
    }

    /// The way to a position that needs no command, if the engine stands there already.
    pub(super) fn stands_on(&mut self, want: &Position) -> Option<Synced> {
        let known = self.talk.known.as_ref()?;
        let plan = sync::plan(Some(known), want, &self.info.abilities, &[]).ok()?;
        if !plan.commands.is_empty() {
            return None;
        }
        if self.was_elsewhere(want) {
            self.turn_page();
        }
        self.want(want.clone());
        Some(self.synced(plan, Vec::new()))
    }

    /// Sends a plan's commands, several at a time, and looks at each answer.
    async fn carry_out(&mut self, plan: &mut Plan) -> Result<Result<Vec<String>, Refused>, EngineError> {
        if !plan.commands.is_empty() {
            self.talk.known = None;
            self.turn_page();
        }
        let mut sent = Vec::new();
        let mut refused = None;
        let mut lost = Vec::new();
        let mut commands = plan.commands.iter();
        let mut underway: VecDeque<Underway> = VecDeque::new();
        loop {
            while underway.len() < WINDOW && refused.is_none() {
                let Some(command) = commands.next() else { break };
                let next = self.send_off(command)?;
                sent.push(next.line.clone());
                underway.push_back(next);
            }
            let Some(oldest) = underway.pop_front() else { break };
            let patience = if codec::word(&oldest.line) == "loadsgf" { None } else { self.patience() };
            let response = match self.answer(oldest.id, patience).await {
                Ok(response) => response,
                Err(halt) => return Err(self.halted(halt, &oldest.line).await),
            };
            if !response.ok && refused.is_none() {
                refused = look_at(oldest, response, &mut lost);
            }
        }
        if lost.iter().any(|item: &Lost| item.what == "rules") {
            plan.after.rules_refused();
        }
        plan.lost.extend(lost);
        Ok(refused.map_or(Ok(sent), Err))
    }

    fn send_off<'a>(&mut self, command: &'a Command) -> Result<Underway<'a>, EngineError> {
        let (line, file) = match command {
            Command::Essential(line) | Command::Optional { line, .. } => (line.clone(), None),
            Command::LoadSgf(text) => {
                let file = write_sgf(text).map_err(|error| {
                    let message = format!("the position cannot be written to a temporary file: {error}");
                    EngineError::new(ErrorKind::SyncFailed, message).cause("temporary-file")
                })?;
                (format!("loadsgf {}", file.display()), Some(file))
            }
        };
        Ok(Underway { id: self.post(&line), line, command, _file: file })
    }

    /// Refusals that no other strategy can get around.
    async fn give_up_on(&mut self, refused: &Refused, want: &Position) -> Result<(), EngineError> {
        let Refused { command, reply } = refused;
        match codec::word(command) {
            "boardsize" | "rectangular_boardsize" => {
                let message = format!("the engine refuses a board of {}", want.size);
                Err(self.refused(ErrorKind::BoardTooLarge, message, command, reply).await)
            }
            "komi" => {
                let komi = command.strip_prefix("komi").unwrap_or_default().trim();
                let message = format!("the engine refuses a komi of {komi}");
                Err(self.refused(ErrorKind::EngineRefused, message, command, reply).await)
            }
            _ => Ok(()),
        }
    }

    async fn no_plan(&mut self, refusal: Refusal, last: Option<Refused>) -> EngineError {
        let error = EngineError::from(refusal);
        match last {
            None => error,
            Some(Refused { command, reply }) => {
                let tail = self.stderr_tail().await;
                error.command(command).reply(reply).stderr(tail)
            }
        }
    }
}

/// A refusal: of something that matters, or something to be reported as lost.
fn look_at(underway: Underway, response: Response, lost: &mut Vec<Lost>) -> Option<Refused> {
    match underway.command {
        Command::Optional { what, .. } => {
            let why = format!("the engine refuses `{}`: {}", underway.line, response.text);
            lost.push(Lost { what, why });
            None
        }
        _ => Some(Refused { command: underway.line, reply: response.text }),
    }
}

fn write_sgf(text: &str) -> std::io::Result<tempfile::TempPath> {
    use std::io::Write;
    let mut file = tempfile::Builder::new().prefix("kifud-").suffix(".sgf").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file.into_temp_path())
}
