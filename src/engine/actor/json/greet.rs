//! Getting to know an analysis engine.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::start::Heard;
use super::link::Msg;
use super::{Actor, Json};
use crate::engine::error::EngineError;
use crate::engine::handle::{Info, QUEUE, Supports};
use crate::engine::katago_json::{Action, Answer};
use crate::engine::spec::{Protocol, mask};

/// Searches at once, when the engine does not say how many it works on.
const USUAL: usize = 4;
/// The most: half of what may wait for an engine, so that two clients can fill it.
const MOST: usize = QUEUE / 2;
/// Its words about that, on stderr. They may come a little later than its first answer.
const SAYS: &str = "Analyzing up to ";
const LATE: Duration = Duration::from_millis(20);
const LATE_TIMES: usize = 5;

impl Actor<Json> {
    pub(super) async fn introduce(&mut self, mut info: Info) -> Result<Info, EngineError> {
        info.version = self.ask_version().await?;
        info.program = "KataGo".to_owned();
        info.protocol = Protocol::KatagoJson.name().to_owned();
        info.supports =
            Supports { analyze: true, exact_visits: true, rectangular: true, ..Supports::default() };
        info.profile = self.profile(&info).map(|profile| profile.speaking(&info.protocol));
        info.capacity = self.find_capacity().await;
        for command in self.setting.spec.initial_commands() {
            let why = "the analysis engine takes no GTP commands".to_owned();
            info.refused.push((mask(command, &self.secrets), why));
        }
        if let Some(link) = &mut self.link {
            link.capacity = info.capacity;
        }
        Ok(info)
    }

    async fn ask_version(&mut self) -> Result<String, EngineError> {
        let Some(link) = &mut self.link else { return Ok(String::new()) };
        link.act(Action::Version);
        let hear = |_: &Self, msg: &Msg| match msg {
            Msg::Answer(Answer::Done { version, .. }) => Heard::Answer(version.clone().unwrap_or_default()),
            // One that does not know the action knows JSON, at least.
            Msg::Answer(Answer::Error { .. }) => Heard::Answer(String::new()),
            Msg::Noise => Heard::Noise,
            Msg::Answer(_) | Msg::Withdrawn => Heard::More,
        };
        let again = |actor: &mut Self| {
            if let Some(link) = &mut actor.link {
                link.act(Action::Version);
            }
        };
        self.introduction("query_version", Instant::now(), hear, again).await
    }

    /// As set; else twice the positions that the engine says it works on, so that it never waits for us.
    async fn find_capacity(&mut self) -> usize {
        let mut said = None;
        for _ in 0..LATE_TIMES {
            said = threads(&self.stderr_tail().await);
            if said.is_some() {
                break;
            }
            sleep(LATE).await;
        }
        let capacity = self.setting.spec.capacity;
        self.talk.alone = said == Some(1) || capacity == Some(1);
        capacity.or(said.map(|threads| threads.saturating_mul(2))).unwrap_or(USUAL).clamp(1, MOST)
    }
}

/// How many positions it works on at a time, by its log.
fn threads(log: &str) -> Option<usize> {
    let (_, rest) = log.rsplit_once(SAYS)?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_says_how_many_positions() {
        let log = "2026-11-29 21:16:52+0000: Config override: numAnalysisThreads = 1\n\
                   2026-11-29 21:16:52+0000: Analyzing up to 16 positions at a time in parallel\n\
                   2026-11-29 21:16:52+0000: Started, ready to begin handling requests";
        assert_eq!(threads(log), Some(16));
        assert_eq!(threads("Started, ready to begin handling requests"), None);
        assert_eq!(threads("Analyzing up to"), None);
        assert_eq!(threads("Analyzing up to many positions"), None);
    }
}
