//! Time, as engines are told it. Pure but for the two requests of [`Engine`].
//!
//! GTP's own `time_settings MAIN TIME STONES` knows absolute time and Canadian overtime. KataGo's
//! `kata-time_settings` and KGS's `kgs-time_settings` also know Japanese periods; `kata-list_time_settings` tells
//! which kinds KataGo's takes.

use std::collections::BTreeSet;

use super::error::{EngineError, ErrorKind};
use super::gtp::codec::word;
use super::handle::Engine;
use crate::go::Color;
use crate::go::clock::{Clock, Overtime, TimeControl};

/// Whether a command sets the clock.
pub(super) fn sets_time(command: &str) -> bool {
    ["time_settings", "kgs-time_settings", "kata-time_settings"].contains(&word(command))
}

/// How an engine was told its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The command.
    pub command: String,
    /// Whether it was told of byoyomi periods, and expects to hear how many it has left.
    pub periods: bool,
}

/// The command that tells an engine its time, `None` being as much as it wants; `None` when it takes no such
/// command. `kinds` is its answer to `kata-list_time_settings`, empty when it has not been asked.
fn settings(control: Option<TimeControl>, commands: &BTreeSet<String>, kinds: &str) -> Option<Told> {
    let (kind, numbers) = match control {
        None => ("none", String::new()),
        Some(TimeControl { main, overtime: Overtime::None }) => {
            ("absolute", seconds(main).max(1).to_string())
        }
        Some(TimeControl { main, overtime: Overtime::Byoyomi { period, periods } }) => {
            ("byoyomi", format!("{} {} {periods}", seconds(main), seconds(period).max(1)))
        }
        Some(TimeControl { main, overtime: Overtime::Canadian { time, stones } }) => {
            ("canadian", format!("{} {} {stones}", seconds(main), seconds(time).max(1)))
        }
    };
    let words = |word: &str, arguments: &str| format!("{word} {arguments}").trim_end().to_owned();
    let kata = commands.contains("kata-time_settings") && kinds.split_whitespace().any(|known| known == kind);
    if kata || commands.contains("kgs-time_settings") {
        let word = if kata { "kata-time_settings" } else { "kgs-time_settings" };
        return Some(Told { command: words(word, &words(kind, &numbers)), periods: true });
    }
    // GTP: a stretch for no moves stands for no limit. A period is a Canadian stretch for one move: that is what the
    // last one is. The others are not counted into the main time, since what is left would then not fall while an
    // engine moves within a period, and GNU Go, which goes by that, would think ever longer and lose on time.
    let numbers = match control {
        None => "0 1 0".to_owned(),
        Some(TimeControl { overtime: Overtime::None, .. }) => numbers + " 0 0",
        Some(TimeControl { main, overtime: Overtime::Byoyomi { period, .. } }) => {
            format!("{} {} 1", seconds(main), seconds(period).max(1))
        }
        Some(TimeControl { overtime: Overtime::Canadian { .. }, .. }) => numbers,
    };
    let command = words("time_settings", &numbers);
    commands.contains("time_settings").then_some(Told { command, periods: false })
}

/// The command that tells an engine that it has as much time as it wants; `None` when it takes none.
pub(super) fn no_limit(commands: &BTreeSet<String>) -> Option<String> {
    settings(None, commands, "").map(|told| told.command)
}

/// GTP's `time_left`. In main time its stones are 0; in overtime they are the moves still to make in the stretch, and
/// in byoyomi the periods left for an engine that was told of them, else 1.
fn left(color: Color, clock: Clock, periods: bool) -> String {
    let (time, stones) = match (clock.left(), clock.control().overtime) {
        ((time, Some(_)), Overtime::Byoyomi { .. }) if !periods => (time, 1),
        ((time, count), _) => (time, count.unwrap_or(0)),
    };
    format!("time_left {} {} {stones}", color.letter(), seconds(time))
}

/// GTP counts whole seconds. Of what is left, a rest of one is no time to promise; what is agreed upon is at least
/// one, since 0 means something else to engines.
fn seconds(milliseconds: u64) -> u64 {
    milliseconds / 1000
}

impl Engine {
    /// Tells the engine the time of its side in the best way it knows; the answer is `None` when it knows none. With
    /// no control, an engine that was told one before gets back what its initial commands say, or else all the time
    /// it wants. It is told again when it is started again.
    ///
    /// # Errors
    /// Those of [`Engine::send`]; `EngineRefused` when the engine does not take it.
    pub async fn set_time(&self, control: Option<TimeControl>) -> Result<Option<Told>, EngineError> {
        let told = match (control, self.own_time()) {
            (None, _) if !self.is_timed() => return Ok(None),
            (None, Some(command)) => Some(Told { command, periods: false }),
            _ => {
                let commands = &self.info().commands;
                let lists = |command: &str| commands.contains(command);
                let kinds = match lists("kata-time_settings") && lists("kata-list_time_settings") {
                    true => self.send("kata-list_time_settings", None).await?.text,
                    false => String::new(),
                };
                settings(control, commands, &kinds)
            }
        };
        let Some(told) = told else { return Ok(None) };
        let reply = self.send(&told.command, None).await?;
        if reply.ok {
            self.set_timed(control.is_some());
            return Ok(Some(told));
        }
        let error = EngineError::new(ErrorKind::EngineRefused, "the engine does not take this time control");
        Err(error.command(told.command).reply(reply.text))
    }

    /// Tells the engine what a side has left, where it lists `time_left`; `periods` as [`Engine::set_time`] has
    /// answered.
    ///
    /// # Errors
    /// As [`Engine::set_time`].
    pub async fn set_time_left(&self, color: Color, clock: Clock, periods: bool) -> Result<(), EngineError> {
        if !self.info().commands.contains("time_left") {
            return Ok(());
        }
        let command = left(color, clock, periods);
        let reply = self.send(&command, None).await?;
        if reply.ok {
            return Ok(());
        }
        let error = EngineError::new(ErrorKind::EngineRefused, "the engine does not take what time is left");
        Err(error.command(command).reply(reply.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYOYOMI: TimeControl =
        TimeControl { main: 600_000, overtime: Overtime::Byoyomi { period: 30_000, periods: 5 } };
    const CANADIAN: TimeControl =
        TimeControl { main: 60_000, overtime: Overtime::Canadian { time: 300_000, stones: 25 } };

    #[test]
    fn each_engine_is_told_in_its_own_way() {
        let short = |overtime| Some(TimeControl { main: 500, overtime });
        let controls = [
            None,
            Some(TimeControl { main: 600_000, overtime: Overtime::None }),
            Some(BYOYOMI),
            Some(CANADIAN),
            short(Overtime::None),
            short(Overtime::Byoyomi { period: 900, periods: 3 }),
        ];
        let all = |listed: &str, kinds: &str| {
            let listed = listed.split_whitespace().map(str::to_owned).collect();
            let told = controls.map(|control| settings(control, &listed, kinds));
            told.map(|told| told.map_or_else(String::new, |told| told.command)).join("\n")
        };
        let kinds = "none absolute byoyomi canadian fischer fischer-capped";
        expect_test::expect![[r#"
            kata-time_settings none
            kata-time_settings absolute 600
            kata-time_settings byoyomi 600 30 5
            kata-time_settings canadian 60 300 25
            kata-time_settings absolute 1
            kata-time_settings byoyomi 0 1 3"#]]
        .assert_eq(&all("kata-time_settings kgs-time_settings time_settings", kinds));
        expect_test::expect![[r#"
            kgs-time_settings none
            kgs-time_settings absolute 600
            kgs-time_settings byoyomi 600 30 5
            kgs-time_settings canadian 60 300 25
            kgs-time_settings absolute 1
            kgs-time_settings byoyomi 0 1 3"#]]
        .assert_eq(&all("kgs-time_settings time_settings", kinds));
        expect_test::expect![[r#"
            time_settings 0 1 0
            time_settings 600 0 0
            time_settings 600 30 1
            time_settings 60 300 25
            time_settings 1 0 0
            time_settings 0 1 1"#]]
        .assert_eq(&all("kata-time_settings time_settings", "none-such"));
        assert_eq!(all("genmove", ""), "\n".repeat(5));
    }

    #[test]
    fn what_is_left_is_told_in_whole_seconds() {
        let told = |control, thought, periods| {
            left(Color::Black, Clock::new(control).after(thought).unwrap(), periods)
        };
        let absolute = TimeControl { main: 60_900, overtime: Overtime::None };
        let cases = [
            (absolute, 0, true, "time_left B 60 0"),
            (absolute, 60_000, true, "time_left B 0 0"),
            (BYOYOMI, 10_000, true, "time_left B 590 0"),
            // A hundred seconds over: three periods are lost.
            (BYOYOMI, 700_000, true, "time_left B 30 2"),
            (BYOYOMI, 700_000, false, "time_left B 30 1"),
            (CANADIAN, 160_000, false, "time_left B 200 24"),
        ];
        for (control, thought, periods, expected) in cases {
            assert_eq!(told(control, thought, periods), expected);
        }
        assert_eq!(left(Color::White, Clock::new(CANADIAN), false), "time_left W 60 0");
    }
}
