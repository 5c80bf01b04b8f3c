//! Names of commands that ask an engine for reports. They are sent as they stand, so whoever may name one may
//! not name any other command.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Reads commands that analyse: `analyze`, or an engine's own such as `kata-analyze`.
pub(super) fn analyze<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    read(deserializer, "analyze")
}

/// Reads commands that analyse while they find a move: `genmove_analyze`, or an engine's own.
pub(super) fn genmove_analyze<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    read(deserializer, "genmove_analyze")
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, ending: &str) -> Result<Option<Vec<String>>, D::Error> {
    let names = Option::<Vec<String>>::deserialize(deserializer)?;
    match names.iter().flatten().find(|name| !is_named(name, ending)) {
        Some(name) => {
            let name: String = name.chars().take(60).collect();
            Err(D::Error::custom(format!(
                "{name:?} is neither {ending} nor an engine's own, such as kata-{ending}"
            )))
        }
        None => Ok(names),
    }
}

/// Whether a name is this ending, alone or behind the letters and digits of a program and a hyphen.
fn is_named(name: &str, ending: &str) -> bool {
    let Some(program) = name.strip_suffix(ending) else { return false };
    let own = |program: &str| !program.is_empty() && program.bytes().all(|byte| byte.is_ascii_alphanumeric());
    program.is_empty() || program.strip_suffix('-').is_some_and(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_an_analysis_is_named() {
        for name in ["analyze", "kata-analyze", "lz-analyze", "sai2-analyze"] {
            assert!(is_named(name, "analyze"), "{name}");
        }
        for name in [
            "genmove",
            "kata-genmove_analyze",
            "quit\nanalyze",
            "-analyze",
            "play b A1 analyze",
            "xanalyze",
            "",
        ] {
            assert!(!is_named(name, "analyze"), "{name}");
        }
        assert!(is_named("kata-genmove_analyze", "genmove_analyze"));
        assert!(!is_named("kata-search_analyze", "genmove_analyze"));
    }
}
