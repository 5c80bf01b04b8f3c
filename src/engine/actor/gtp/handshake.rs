//! Getting to know an engine: what it is and what it can.

use tokio::time::Instant;

use super::super::start::Heard;
use super::link::Msg;
use super::talk::Response;
use super::{Actor, Gtp};
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::codec;
use crate::engine::handle::{Info, Supports};
use crate::engine::request::ANALYZE_COMMANDS;
use crate::engine::spec::mask;
use crate::engine::sync::Abilities;

impl Actor<Gtp> {
    /// Asks for name, version and commands, and sends the initial commands.
    pub(super) async fn introduce(&mut self, mut info: Info) -> Result<Info, EngineError> {
        let started = Instant::now();
        let text = |response: Response| if response.ok { response.text } else { String::new() };
        info.program = text(self.greet("name", started).await?);
        info.version = text(self.greet("version", started).await?);
        info.protocol = text(self.greet("protocol_version", started).await?);
        if !matches!(info.protocol.as_str(), "2" | "") {
            let message = format!("the engine speaks GTP version {:?}, not 2", info.protocol);
            let error = EngineError::new(ErrorKind::EngineStartFailed, message).cause("wrong-protocol");
            return Err(error.command("protocol_version").reply(info.protocol));
        }
        let list = text(self.greet("list_commands", started).await?);
        // Some engines list arguments, too: the first word is the command.
        info.commands = list.lines().map(|line| codec::word(line).to_owned()).collect();
        info.commands.remove("");
        info.abilities = abilities(&info);
        info.supports = supports(&info, &self.setting.spec.analyze_commands);
        info.profile = self.profile(&info);

        let commands: Vec<String> = self.setting.spec.initial_commands().map(str::to_owned).collect();
        for command in commands {
            let response = match codec::clean(&command) {
                Ok(line) => self.exchange(line, self.patience()).await?,
                Err(bad) => Response { ok: false, text: bad.why().to_owned() },
            };
            if !response.ok {
                info.refused.push((mask(&command, &self.secrets), mask(&response.text, &self.secrets)));
            }
        }
        self.talk.own_rules = None;
        if let Some((time, _)) = self.talk.time.clone() {
            self.exchange(&time, self.patience()).await?;
        }
        (self.talk.form, self.talk.asking) = (0, 0);
        self.forget_board();
        Ok(info)
    }

    /// One command of the handshake.
    async fn greet(&mut self, command: &str, started: Instant) -> Result<Response, EngineError> {
        let id = self.post(command);
        let mut response = Response::default();
        let hear = |actor: &Self, msg: &Msg| match msg {
            Msg::Noise => Heard::Noise,
            msg => match actor.collect(msg, id, &mut response) {
                Ok(true) => Heard::Answer(std::mem::take(&mut response)),
                Ok(false) => Heard::More,
                Err(halt) => Heard::Halt(halt),
            },
        };
        self.introduction(command, started, hear, |actor| _ = actor.post("name")).await
    }
}

fn abilities(info: &Info) -> Abilities {
    let has = |command: &str| info.commands.contains(command);
    Abilities {
        undo: has("undo"),
        set_free_handicap: has("set_free_handicap"),
        rectangular_boardsize: has("rectangular_boardsize"),
        set_position: has("set_position"),
        loadsgf: has("loadsgf"),
        kata_set_rules: has("kata-set-rules"),
    }
}

fn supports(info: &Info, analyze_commands: &[String]) -> Supports {
    let has = |command: &str| info.commands.contains(command);
    Supports {
        analyze: match analyze_commands {
            [] => ANALYZE_COMMANDS.iter().any(|command| has(command)),
            named => named.iter().any(|command| has(command)),
        },
        genmove_analyze: info.commands.iter().any(|command| command.ends_with("genmove_analyze")),
        exact_visits: has("kata-search_analyze") && has("kata-set-param"),
        undo: has("undo"),
        handicap: has("set_free_handicap"),
        rectangular: has("rectangular_boardsize"),
        set_position: has("set_position"),
        load_sgf: has("loadsgf"),
    }
}
