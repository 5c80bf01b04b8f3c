//! Time controls, as engines are told them. Pure but for [`Engine::set_time`].
//!
//! GTP's own `time_settings MAIN BYOYOMI STONES` knows absolute time and Canadian overtime.
//! KataGo's `kata-time_settings` and KGS's `kgs-time_settings` also know Japanese periods; whether
//! KataGo's takes a kind is told by `kata-list_time_settings`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::error::{EngineError, ErrorKind};
use super::handle::Engine;
use crate::go::Color;

/// How much time a player has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeControl {
    /// As much as wanted.
    Unlimited,
    /// So much for the whole game.
    Absolute {
        /// For all moves.
        main: Duration,
    },
    /// Japanese: periods that are whole again after a move within one.
    Byoyomi {
        /// Before the first period.
        main: Duration,
        /// A period.
        period: Duration,
        /// How many periods.
        periods: u32,
    },
    /// Canadian: so many moves in each period.
    Canadian {
        /// Before the first period.
        main: Duration,
        /// A period.
        period: Duration,
        /// Moves to be made in it.
        stones: u32,
    },
}

/// The command that tells an engine its time; `None` when it knows none. `kinds` is its answer to
/// `kata-list_time_settings`, empty when it has not been asked.
pub fn time_command(control: TimeControl, commands: &BTreeSet<String>, kinds: &str) -> Option<String> {
    let (kind, numbers) = match control {
        TimeControl::Unlimited => ("none", String::new()),
        TimeControl::Absolute { main } => ("absolute", format!(" {}", whole(main))),
        TimeControl::Byoyomi { main, period, periods } => {
            ("byoyomi", format!(" {} {} {periods}", whole(main), whole(period)))
        }
        TimeControl::Canadian { main, period, stones } => {
            ("canadian", format!(" {} {} {stones}", whole(main), whole(period)))
        }
    };
    if commands.contains("kata-time_settings") && kinds.split_whitespace().any(|known| known == kind) {
        return Some(format!("kata-time_settings {kind}{numbers}"));
    }
    if commands.contains("kgs-time_settings") {
        return Some(format!("kgs-time_settings {kind}{numbers}"));
    }
    commands.contains("time_settings").then(|| standard(control))
}

/// GTP's own command. Japanese periods become Canadian ones of one move; all but the last are
/// main time, since each can be used up once.
fn standard(control: TimeControl) -> String {
    let (main, period, stones) = match control {
        // A period for no stones stands for no limit.
        TimeControl::Unlimited => (0, 1, 0),
        TimeControl::Absolute { main } => (whole(main), 0, 0),
        TimeControl::Byoyomi { main, period, periods } => {
            let spare = u64::from(periods.saturating_sub(1)).saturating_mul(whole(period));
            (whole(main).saturating_add(spare), whole(period), u32::from(periods > 0))
        }
        TimeControl::Canadian { main, period, stones } => (whole(main), whole(period), stones),
    };
    format!("time_settings {main} {period} {stones}")
}

/// `time_left`: `stones` are those still to be made in the period, 0 in main time.
pub fn time_left(color: Color, left: Duration, stones: u32) -> String {
    format!("time_left {} {} {stones}", color.letter().to_ascii_lowercase(), whole(left))
}

/// GTP counts whole seconds; a rest of one is no time to promise.
fn whole(time: Duration) -> u64 {
    time.as_secs()
}

impl Engine {
    /// Tells the engine its time, in the best way it knows; the command, or `None` when it knows
    /// none. It is told again when it is started again.
    ///
    /// # Errors
    /// Those of [`Engine::send`]; `EngineRefused` when the engine does not take it.
    pub async fn set_time(&self, control: TimeControl) -> Result<Option<String>, EngineError> {
        let commands = &self.info().commands;
        let asks = commands.contains("kata-time_settings") && commands.contains("kata-list_time_settings");
        let kinds = if asks { self.send("kata-list_time_settings", None).await?.text } else { String::new() };
        let Some(command) = time_command(control, commands, &kinds) else { return Ok(None) };
        let reply = self.send(&command, None).await?;
        if reply.ok {
            return Ok(Some(command));
        }
        let error = EngineError::new(ErrorKind::EngineRefused, "the engine does not take this time control");
        Err(error.command(command).reply(reply.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_told_in_its_own_way() {
        let seconds = Duration::from_secs;
        let controls = [
            TimeControl::Unlimited,
            TimeControl::Absolute { main: seconds(600) },
            TimeControl::Byoyomi { main: seconds(60), period: seconds(30), periods: 5 },
            TimeControl::Canadian { main: seconds(60), period: seconds(300), stones: 25 },
        ];
        let all = |listed: &str, kinds: &str| {
            let listed = listed.split_whitespace().map(str::to_owned).collect();
            controls.map(|control| time_command(control, &listed, kinds).unwrap_or_default()).join("\n")
        };
        let kinds = "none absolute byoyomi canadian fischer fischer-capped";
        expect_test::expect![[r#"
            kata-time_settings none
            kata-time_settings absolute 600
            kata-time_settings byoyomi 60 30 5
            kata-time_settings canadian 60 300 25"#]]
        .assert_eq(&all("kata-time_settings kgs-time_settings time_settings", kinds));
        expect_test::expect![[r#"
            kgs-time_settings none
            kgs-time_settings absolute 600
            kgs-time_settings byoyomi 60 30 5
            kgs-time_settings canadian 60 300 25"#]]
        .assert_eq(&all("kgs-time_settings time_settings", kinds));
        expect_test::expect![[r#"
            time_settings 0 1 0
            time_settings 600 0 0
            time_settings 180 30 1
            time_settings 60 300 25"#]]
        .assert_eq(&all("kata-time_settings time_settings", "none-such"));
        assert_eq!(all("genmove", ""), "\n\n\n");
    }

    #[test]
    fn what_is_left_is_told_in_whole_seconds() {
        assert_eq!(time_left(Color::White, Duration::from_millis(61_900), 3), "time_left w 61 3");
        assert_eq!(time_left(Color::Black, Duration::from_millis(900), 0), "time_left b 0 0");
    }
}
