//! Starting a program and finding out whether it is an engine.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::super::error::{EngineError, ErrorKind};
use super::super::handle::Info;
use super::super::process::{Input, Process};
use super::super::profile::{Diagnosis, Profile, diagnose};
use super::super::spec::{Protocol, Surroundings, mask, resolve};
use super::wait::Halt;
use super::{Actor, Link, Talk};

/// Lines that are no answers before a program is taken for something else.
const MUCH_NOISE: u32 = 2000;
/// Bytes of noise that are kept to find out what went wrong.
const MUCH_SAID: usize = 4096;
/// Lines of it that an error shows.
const SHOWN: usize = 8;

/// Finds out whether a program answers our commands in no way that we know, without
/// mistaking a loading engine's chatter for answers: it is asked again after growing silences,
/// and each time has to say something at once. No regular chatter fits all three.
#[derive(Debug, Default)]
pub(super) struct Chatter {
    lines: u32,
    sample: String,
    /// Everything that was said, as far as it is worth keeping.
    said: String,
    heard: Option<Instant>,
    asked: Option<Instant>,
    rounds: usize,
    answers: usize,
    /// It speaks another of our protocols.
    foreign: bool,
}

/// What a message means to somebody who waits for an introduction.
#[derive(Debug)]
pub(super) enum Heard<A> {
    /// The answer.
    Answer(A),
    /// A line that is no answer.
    Noise,
    /// A part of an answer.
    More,
    /// There will be no answer.
    Halt(Halt),
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

impl<T: Talk> Actor<T> {
    /// Starts the program and greets it.
    pub(super) async fn start(&mut self) -> Result<(), EngineError> {
        let failures = self.life.failures;
        let result = self.try_start().await;
        if let Err(error) = &result {
            if let Some(mut link) = self.link.take() {
                link.process().kill().await;
            }
            // An end among the initial commands has been counted already.
            self.life.failures = failures;
            self.life.failed(error, &self.setting.timeouts);
        }
        result
    }

    async fn try_start(&mut self) -> Result<(), EngineError> {
        let setting = &self.setting;
        let tap = self.shared.tap.clone();
        // How it starts is no secret of one of its clients.
        tap.turn(None);
        let (spec, max_line) = (&setting.spec, setting.timeouts.max_line);
        let process = match setting.protocol {
            Protocol::Builtin => Process::start_builtin(spec, max_line, tap)?,
            Protocol::Gtp | Protocol::KatagoJson => {
                let program = resolve(spec, &setting.start_in, &Surroundings::of(&setting.start_in))?;
                tap.remark(|| format!("starting {}", spec.command_line()));
                Process::start(&program, spec, max_line, &setting.reaper, tap)
                    .map_err(|error| error.command(spec.command_line()))?
            }
        };
        tracing::debug!(engine = setting.spec.name, command = setting.spec.command_line(), "started");
        let info = Info {
            name: setting.spec.name.clone(),
            process: process.group(),
            command_line: setting.spec.command_line(),
            ..Info::default()
        };
        let info = T::greet(self, process, info).await?;
        self.life.started = Some(Instant::now());
        self.shared.tap.turn(Some(self.client.party));
        self.info = Arc::new(info);
        *self.shared.info.write().unwrap_or_else(PoisonError::into_inner) = self.info.clone();
        Ok(())
    }

    /// Waits for one answer of the introduction. Patience is renewed by whatever the program prints.
    /// `hear` looks at a message, `again` asks once more.
    pub(super) async fn introduction<A>(
        &mut self,
        command: &str,
        started: Instant,
        mut hear: impl FnMut(&Self, &<T::Link as Link>::Msg) -> Heard<A>,
        again: fn(&mut Self),
    ) -> Result<A, EngineError> {
        let timeouts = self.setting.timeouts.clone();
        let mut chatter = Chatter::default();
        let halt = loop {
            let Some(link) = &mut self.link else { break Halt::Missed };
            let speaks = link.speaks();
            let heard = link.process().last_heard();
            let deadline = (heard + timeouts.handshake).min(started + timeouts.handshake_max);
            let ask_at = if speaks { None } else { chatter.ask_at() };
            let until = ask_at.map_or(deadline, |ask| ask.min(deadline));
            match self.next(Some(until)).await {
                Ok(msg) => match hear(self, &msg) {
                    Heard::Answer(answer) => return Ok(answer),
                    Heard::More => {}
                    Heard::Halt(halt) => break halt,
                    Heard::Noise => {
                        let Some(link) = &mut self.link else { break Halt::Missed };
                        let line = link.process().line().trim_ascii_end();
                        chatter.foreign |= !speaks && T::is_foreign(line);
                        chatter.hear(line);
                        if !speaks && (chatter.foreign || chatter.is_garbage()) {
                            break Halt::Timeout;
                        }
                    }
                },
                Err(Halt::Timeout) if ask_at == Some(until) => {
                    chatter.rounds += 1;
                    chatter.asked = Some(Instant::now());
                    again(self);
                }
                // Something was printed on stderr meanwhile.
                Err(Halt::Timeout)
                    if self.link.as_mut().is_some_and(|l| l.process().last_heard() > heard) => {}
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
            Halt::Ended(_) => fail(
                "flood",
                format!("the program prints without end of line; it does not speak {}", T::NAME),
            )
            .command(shown)
            .stderr(tail),
            Halt::Timeout if chatter.foreign => {
                let (wrong, mend) = T::FOREIGN;
                let diagnosis = Diagnosis { wrong: wrong.to_owned(), mend: mend.to_owned() };
                return fail("wrong-protocol", format!("the program does not speak {}", T::NAME))
                    .command(shown)
                    .reply(mask(&chatter.sample, &self.secrets))
                    .stderr(tail)
                    .diagnosis(Some(diagnosis));
            }
            Halt::Timeout | Halt::Missed if chatter.lines > 0 => {
                fail("garbage", format!("the program answers something that is not {}", T::NAME))
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
    pub(super) fn profile(&self, info: &Info) -> Option<&'static Profile> {
        let spec = &self.setting.spec;
        let named = spec.profile.as_deref().and_then(Profile::named);
        named.or_else(|| Profile::of_answers(&info.program, &info.version)).or_else(|| spec.profile())
    }
}
