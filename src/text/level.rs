//! Which findings are shown, and how bad they are taken.

use super::Severity;

/// How findings of one code are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Not at all.
    Off,
    /// As bad as this.
    Show(Severity),
}

impl Level {
    /// Reads `off`, `hint`, `information` (or `info`), `warning`, `error`.
    pub fn parse(text: &str) -> Option<Level> {
        Some(match text {
            "off" => Level::Off,
            "hint" => Level::Show(Severity::Hint),
            "info" | "information" => Level::Show(Severity::Information),
            "warning" => Level::Show(Severity::Warning),
            "error" => Level::Show(Severity::Error),
            _ => return None,
        })
    }
}

/// The user's choice for some codes, by their names. Codes without one are shown as each finding says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels {
    chosen: Vec<(&'static str, Level)>,
}

impl Levels {
    /// Chooses for one code; the last choice counts.
    pub fn set(&mut self, code: impl Into<&'static str>, level: Level) {
        let code = code.into();
        self.chosen.retain(|(other, _)| *other != code);
        self.chosen.push((code, level));
    }

    /// The choice for a code, if there is one.
    pub fn get(&self, code: impl Into<&'static str>) -> Option<Level> {
        let code = code.into();
        self.chosen.iter().find(|(other, _)| *other == code).map(|(_, level)| *level)
    }
}
