//! Starting a program and getting to know it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::super::error::{EngineError, ErrorKind};
use super::super::gtp::codec;
use super::super::handle::{Info, Supports};
use super::super::process::{Input, Process};
use super::super::profile::{Profile, diagnose};
use super::super::request::ANALYZE_COMMANDS;
use super::super::spec::{Surroundings, mask, resolve};
use super::super::sync::Abilities;
use super::Actor;
use super::link::{Link, Msg};
use super::talk::{Halt, Response};

/// Lines that are no GTP before a program is taken for something else.
const MUCH_NOISE: u32 = 2000;
/// Bytes of noise that are kept to find out what went wrong.
const MUCH_SAID: usize = 4096;
/// Lines of it that an error shows.
const SHOWN: usize = 8;

/// Finds out whether a program answers our commands with something that is not GTP, without
/// mistaking a loading engine's chatter for answers: it is asked again after growing silences,
/// and each time has to say something at once. No regular chatter fits all three.
#[derive(Debug, Default)]
struct Chatter {
    lines: u32,
    sample: String,
    /// Everything that was said, as far as it is worth keeping.
    said: String,
    heard: Option<Instant>,
    asked: Option<Instant>,
    rounds: usize,
    answers: usize,
}

impl Chatter {
    const SILENCES: [Duration; 3] =
        [Duration::from_millis(500), Duration::from_millis(1000), Duration::from_millis(2000)];
    const AT_ONCE: Duration = Duration::from_millis(450);

    fn hear(&mut self, line: &[u8]) {
        let now = Instant::now();
        self.lines = self.lines.saturating_add(1);
        if self.sample.is_empty() {
            self.sample = String::from_utf8_lossy(line).chars().take(200).collect();
        }
        if self.said.len() < MUCH_SAID {
            self.said.push_str(&String::from_utf8_lossy(line).chars().take(500).collect::<String>());
            self.said.push('\n');
        }
        self.heard = Some(now);
        if self.asked.take().is_some_and(|asked| now - asked < Self::AT_ONCE) {
            self.answers += 1;
        }
    }

    /// When to ask again, if that is worth it.
    fn ask_at(&self) -> Option<Instant> {
        let silence = Self::SILENCES.get(self.rounds)?;
        (self.answers == self.rounds).then_some(self.heard? + *silence)
    }

    fn is_garbage(&self) -> bool {
        self.answers == Self::SILENCES.len() || self.lines > MUCH_NOISE
    }
}

impl Actor {
    /// Starts the program and greets it.
    pub(super) async fn start(&mut self) -> Result<(), EngineError> {
        let failures = self.life.failures;
        let result = self.try_start().await;
        if let Err(error) = &result {
            if let Some(mut link) = self.link.take() {
                link.process.kill().await;
            }
            // An end among the initial commands has been counted already.
            self.life.failures = failures;
            self.life.failed(error, &self.setting.timeouts);
        }
        result
    }

    async fn try_start(&mut self) -> Result<(), EngineError> {
        let setting = &self.setting;
        if let Some(protocol) = setting.spec.protocol.as_deref().filter(|p| !p.eq_ignore_ascii_case("gtp")) {
            let message = format!("engines that speak {protocol:?} are not supported; only \"gtp\" is");
            return Err(EngineError::new(ErrorKind::EngineUnsupported, message).cause("protocol"));
        }
        let program = resolve(&setting.spec, &setting.start_in, &Surroundings::here())?;
        let tap = self.shared.tap.clone();
        tap.remark(|| format!("starting {}", setting.spec.command_line()));
        let process =
            Process::start(&program, &setting.spec, setting.timeouts.max_line, &setting.reaper, tap)
                .map_err(|error| error.command(setting.spec.command_line()))?;
        tracing::debug!(engine = setting.spec.name, command = setting.spec.command_line(), "started");
        let mut info = Info {
            name: setting.spec.name.clone(),
            process: process.group(),
            command_line: setting.spec.command_line(),
            ..Info::default()
        };
        self.link = Some(Link::new(process));
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
        if let Some(time) = self.time.clone() {
            self.exchange(&time, self.patience()).await?;
        }
        (self.form, self.asking) = (0, 0);
        self.life.started = Some(Instant::now());
        self.forget_board();
        self.info = Arc::new(info);
        *self.shared.info.write().unwrap_or_else(PoisonError::into_inner) = self.info.clone();
        Ok(())
    }

    /// One command of the handshake. Patience is renewed by whatever the program prints.
    async fn greet(&mut self, command: &str, started: Instant) -> Result<Response, EngineError> {
        let id = self.post(command);
        let timeouts = self.setting.timeouts.clone();
        let mut chatter = Chatter::default();
        let mut response = Response::default();
        let halt = loop {
            let Some(link) = &mut self.link else { break Halt::Missed };
            let heard = link.process.last_heard();
            let deadline = (heard + timeouts.handshake).min(started + timeouts.handshake_max);
            let ask_at = if link.speaks_gtp() { None } else { chatter.ask_at() };
            let until = ask_at.map_or(deadline, |ask| ask.min(deadline));
            match self.next(Some(until)).await {
                Ok(Msg::Noise) => {
                    chatter.hear(self.link.as_ref().map(Link::line).unwrap_or_default());
                    if chatter.is_garbage() && !self.link.as_ref().is_some_and(Link::speaks_gtp) {
                        break Halt::Timeout;
                    }
                }
                Ok(msg) => match self.collect(&msg, id, &mut response) {
                    Ok(true) => return Ok(response),
                    Ok(false) => {}
                    Err(halt) => break halt,
                },
                Err(Halt::Timeout) if ask_at == Some(until) => {
                    chatter.rounds += 1;
                    chatter.asked = Some(Instant::now());
                    self.post("name");
                }
                // Something was printed on stderr meanwhile.
                Err(Halt::Timeout) if self.link.as_ref().is_some_and(|l| l.process.last_heard() > heard) => {}
                Err(halt) => break halt,
            }
        };
        Err(self.greeting_failed(halt, command, &chatter).await)
    }

    async fn greeting_failed(&mut self, halt: Halt, command: &str, chatter: &Chatter) -> EngineError {
        let shown = self.setting.spec.command_line();
        let fail = |cause, message| EngineError::new(ErrorKind::EngineStartFailed, message).cause(cause);
        let tail = self.stderr_tail().await;
        let spec = &self.setting.spec;
        let diagnosis = diagnose(spec.profile(), &spec.args, &format!("{}{tail}", chatter.said));
        let error = match halt {
            Halt::Ended(Input::Exited(exit)) => {
                let message = format!("the program ended before it answered {command:?}: {exit}");
                let mut error = fail("exited", message).command(shown).exit(Some(exit)).stderr(tail);
                let said = chatter.said.lines().take(SHOWN).collect::<Vec<_>>().join("\n");
                error.evidence.reply = (!said.is_empty()).then(|| mask(&said, &self.secrets));
                error
            }
            Halt::Ended(Input::Closed) => {
                let message =
                    "the program closed its output without an answer, but went on running".to_owned();
                fail("closed-stdout", message).command(shown).stderr(tail)
            }
            Halt::Ended(_) => {
                fail("flood", "the program prints without end of line; it is no GTP engine".to_owned())
                    .command(shown)
                    .stderr(tail)
            }
            Halt::Timeout | Halt::Missed if chatter.lines > 0 => {
                fail("garbage", "the program answers something that is not GTP".to_owned())
                    .command(shown)
                    .reply(mask(&chatter.sample, &self.secrets))
                    .stderr(tail)
            }
            Halt::Timeout => {
                let message = format!("the program has not answered {command:?} and is silent");
                EngineError::new(ErrorKind::EngineTimeout, message)
                    .cause("silent")
                    .command(shown)
                    .stderr(tail)
            }
            halt => return self.halted(halt, command).await,
        };
        error.diagnosis(diagnosis)
    }

    /// The known program behind an engine: the one that the settings name, else what the engine
    /// calls itself, else what its file is called.
    fn profile(&self, info: &Info) -> Option<&'static Profile> {
        let spec = &self.setting.spec;
        let named = spec.profile.as_deref().and_then(Profile::named);
        named.or_else(|| Profile::of_answers(&info.program, &info.version)).or_else(|| spec.profile())
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
