//! Starting one engine to see whether it works, and saying why not.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::engine::profile::{Diagnosis, Profile};
use crate::engine::{Engine, EngineError, EngineSpec, ErrorKind, Evidence, Host, Protocol, StartIn};
use crate::service::settings::{EngineSettings, Settings};

/// The time to leave after a trial.
const QUIT: Duration = Duration::from_secs(1);

/// Without these a program cannot be played with.
const NEEDED: [&str; 4] = ["boardsize", "clear_board", "play", "genmove"];

/// One engine on trial.
pub struct Trial<'a> {
    pub host: &'a Host,
    pub settings: &'a Settings,
    pub engine: &'a EngineSettings,
}

/// How it went.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// It introduced itself and knows the commands of a game.
    pub works: bool,
    /// Whether it can analyse, when it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<bool>,
    /// What it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// From its start to the end of its introduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// A stable word for what is wrong: `not-found`, `not-executable`, `exited` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

impl Trial<'_> {
    /// Starts the engine, without a display, and lets it go again.
    pub async fn run(&self) -> Outcome {
        let foreign = |profile: &&Profile| Protocol::named(profile.protocol).is_none();
        if let Some(profile) = self.engine.profile().filter(foreign)
            && self.engine.protocol.as_deref().is_none_or(|protocol| protocol == profile.protocol)
        {
            let problem = format!("it plays {} and speaks {}", profile.game, profile.protocol.to_uppercase());
            let mend = Some("kifud drives GTP engines; nothing is to be done".to_owned());
            return Outcome { cause: Some("protocol"), problem: Some(problem), mend, ..Outcome::default() };
        }
        let spec = match self.engine.spec() {
            Ok(spec) => spec,
            Err(error) => {
                return Outcome {
                    cause: Some("settings"),
                    problem: Some(error.message),
                    ..Outcome::default()
                };
            }
        };
        let spec = EngineSpec {
            analyze_commands: self.settings.analyze_commands.clone(),
            // What opens a window instead of answering shall say so at once.
            unset: ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].map(str::to_owned).to_vec(),
            ..spec
        };
        let start_in =
            StartIn { workspace: std::env::current_dir().ok(), base: self.engine.base.clone(), path: None };
        let started = Instant::now();
        match Engine::attach(self.host, spec, start_in).await {
            Ok(engine) => {
                let start_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
                let outcome = Outcome { start_ms: Some(start_ms), ..introduced(&engine) };
                engine.detach(QUIT).await;
                outcome
            }
            Err(error) => failed(error),
        }
    }
}

fn introduced(engine: &Engine) -> Outcome {
    let info = engine.info();
    // The analysis engine has no commands: it is not there to play.
    let analyses = info.protocol == Protocol::KatagoJson.name();
    let needed = NEEDED.into_iter().filter(|_| !analyses);
    let missing: Vec<&str> = needed.filter(|command| !info.commands.contains(*command)).collect();
    let refused = info.refused.first();
    let (problem, mend) = match refused {
        _ if !missing.is_empty() => (
            Some(format!("it does not list {}", missing.join(", "))),
            Some("this program cannot play Go by GTP".to_owned()),
        ),
        Some((command, reply)) => (
            Some(format!("it refuses the initial command {command:?} ({reply})")),
            Some("correct `commands` in its settings".to_owned()),
        ),
        None => (None, None),
    };
    Outcome {
        works: missing.is_empty(),
        analysis: Some(info.supports.analyze),
        program: Some(info.program.clone()).filter(|program| !program.is_empty()),
        version: Some(info.version.clone()).filter(|version| !version.is_empty()),
        problem,
        mend,
        ..Outcome::default()
    }
}

fn failed(error: EngineError) -> Outcome {
    let EngineError { kind, message, evidence } = error;
    let Evidence { cause, reply, exit_status, stderr_tail, diagnosis, .. } = *evidence;
    let said = last_words(stderr_tail.as_deref().unwrap_or_default())
        .or_else(|| last_words(reply.as_deref().unwrap_or_default()));
    let exit = exit_status.map(|exit| exit.to_string());
    let (problem, mend) = match (diagnosis, cause) {
        (Some(Diagnosis { wrong, mend }), _) => {
            let evidence: Vec<String> =
                exit.into_iter().chain(said.map(|said| format!("{said:?}"))).collect();
            let evidence =
                if evidence.is_empty() { String::new() } else { format!(" ({})", evidence.join(", ")) };
            (format!("{wrong}{evidence}"), Some(mend))
        }
        (None, Some("exited")) => {
            let said =
                said.map_or_else(|| "without a word".to_owned(), |said| format!("after saying {said:?}"));
            let problem = format!("it ended {said}: {}", exit.unwrap_or_default());
            (problem, Some("start it by hand with the same arguments and see what it wants".to_owned()))
        }
        (None, cause) => (message, cause.and_then(advice).map(str::to_owned)),
    };
    let cause = cause.or((kind == ErrorKind::EngineTimeout).then_some("silent"));
    Outcome { cause, problem: Some(problem), mend, ..Outcome::default() }
}

/// What to do about a cause that needs no more evidence.
fn advice(cause: &str) -> Option<&'static str> {
    Some(match cause {
        "not-found" => "correct its path, or install it",
        "not-executable" => "make it executable (chmod +x), or name the program instead of its data",
        "no-folder" => "correct `cwd` in its settings",
        "garbage" | "flood" => "this is no GTP engine, or it needs an argument that makes it one",
        "silent" => "this is no GTP engine, or it takes longer to start than a trial lasts",
        "closed-stdout" => "this is no GTP engine, or it runs in the background: keep it in the foreground",
        _ => return None,
    })
}

/// The line of a program's last output that says most: what an exception was about, else the last.
fn last_words(output: &str) -> Option<String> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let what = lines().rev().find_map(|line| line.strip_prefix("what():"));
    let line = what.or_else(|| lines().next_back())?.trim();
    let printable: String = line.chars().filter(|c| !c.is_control() && *c != '\u{fffd}').take(200).collect();
    Some(printable).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_most() {
        let katago = "2026 GTP Engine starting...\nterminate called after throwing an instance of 'IOError'\n  \
                      what():  Could not find key 'logSearchInfo' in config file /tmp/bad.cfg\n\n";
        let key = "Could not find key 'logSearchInfo' in config file /tmp/bad.cfg";
        assert_eq!(last_words(katago).as_deref(), Some(key));
        assert_eq!(last_words("a\nb\n\n").as_deref(), Some("b"));
        assert_eq!(last_words("\u{1}\u{fffd}\n"), None);
    }
}
