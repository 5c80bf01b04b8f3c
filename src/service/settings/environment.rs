//! Settings in environment variables, for containers and scripts.

use serde_json::{Map, Value};

use super::Layer;
use crate::service::error::{Error, Result};

/// How a variable's text is read.
enum Form {
    Number,
    Text,
    /// Separated by commas.
    List,
}

const VARIABLES: [(&str, &str, Form); 9] = [
    ("KIFUD_ANALYZE_COMMANDS", "analyzeCommands", Form::List),
    ("KIFUD_GENMOVE_ANALYZE_COMMANDS", "genmoveAnalyzeCommands", Form::List),
    ("KIFUD_QUIT_TIMEOUT_MS", "quitTimeoutMs", Form::Number),
    ("KIFUD_MOVE_DELAY_MS", "moveDelayMs", Form::Number),
    ("KIFUD_ANALYSIS_INTERVAL", "analysisInterval", Form::Number),
    ("KIFUD_ANALYSIS_TYPE", "analysisType", Form::Text),
    ("KIFUD_ANALYSIS_VALUE_TYPE", "analysisValueType", Form::Text),
    ("KIFUD_STORED_CANDIDATES", "storedCandidates", Form::Number),
    ("KIFUD_FORMAT_STYLE", "formatStyle", Form::Text),
];

/// The layer of the `KIFUD_…` variables. Empty ones are as if they were not there.
///
/// # Errors
/// `InvalidParams`, with the variable's name.
pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Layer> {
    let mut layer = Layer::default();
    for (variable, key, form) in VARIABLES {
        let Some(text) = get(variable).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        else {
            continue;
        };
        let value = match form {
            Form::Number => text.parse().map_or(Value::String(text), |number: u64| number.into()),
            Form::Text => Value::String(text),
            Form::List => text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect(),
        };
        let one = Map::from_iter([(key.to_owned(), value)]);
        let one = serde_json::from_value(Value::Object(one))
            .map_err(|error| Error::field(variable, format!("{variable}: {error}")))?;
        layer.put(one);
    }
    Ok(layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_by_their_form() {
        let of = |variable: &'static str, text: &'static str| {
            from_environment(move |name| (name == variable).then(|| text.to_owned()))
        };
        assert_eq!(of("KIFUD_MOVE_DELAY_MS", " 20 ").unwrap().move_delay_ms, Some(20));
        let list = of("KIFUD_ANALYZE_COMMANDS", "kata-analyze, lz-analyze,").unwrap();
        assert_eq!(list.analyze_commands, Some(vec!["kata-analyze".to_owned(), "lz-analyze".to_owned()]));
        assert_eq!(of("KIFUD_ANALYSIS_INTERVAL", "").unwrap(), Layer::default());
        assert_eq!(of("KIFUD_LOG", "debug").unwrap(), Layer::default());
        for (variable, text) in
            [("KIFUD_ANALYSIS_INTERVAL", "0"), ("KIFUD_MOVE_DELAY_MS", "soon"), ("KIFUD_ANALYSIS_TYPE", "x")]
        {
            let error = of(variable, text).unwrap_err();
            assert!(error.message.starts_with(variable), "{error}");
        }
    }
}
