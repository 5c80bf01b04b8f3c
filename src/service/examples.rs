//! Examples of the methods: conversations as data, shown in the reference and replayed by the tests.
//!
//! A file is a conversation of one session, one exchange a line. In what the daemon says, `"…"` stands
//! for any value, as the last item of a list or as a field for any number of further ones. `"<name>"`
//! stands for a value that the daemon chooses, the same wherever the name stands.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::error::{Error, Kind, Result};
use super::table::Table;

/// Stands for what is left out.
const MORE: &str = "…";

/// A request, and what comes back.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The method.
    pub method: String,
    /// What is asked.
    #[serde(default = "nothing")]
    pub params: Value,
    /// The answer, when it goes well.
    pub result: Option<Value>,
    /// The answer, when it does not.
    pub error: Option<Value>,
    /// Notifications that follow: among others, but in this order.
    #[serde(default)]
    pub events: Vec<Value>,
    /// Only for trusted sessions; others get `NotTrusted`.
    #[serde(default)]
    pub trusted: bool,
    /// It is there for the others of its conversation, and not shown.
    #[serde(default)]
    pub hidden: bool,
}

fn nothing() -> Value {
    json!({})
}

impl Exchange {
    /// The answer without its id: an object with `result` or `error`.
    pub fn answer(&self) -> Value {
        match &self.error {
            Some(error) => json!({"error": error}),
            None => json!({"result": self.result}),
        }
    }
}

/// The exchanges of a file.
///
/// # Errors
/// `InvalidParams` with the line that is none.
pub fn read(text: &str) -> Result<Vec<Exchange>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let exchange = |(number, line)| -> Result<Exchange> {
        let wrong = |why: String| Error::new(Kind::InvalidParams, format!("line {}: {why}", number + 1));
        let exchange: Exchange = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if exchange.result.is_some() == exchange.error.is_some() {
            return Err(wrong("an exchange has either a result or an error".to_owned()));
        }
        Ok(exchange)
    };
    lines.map(exchange).collect()
}

/// The methods of a table that no example shows, and those of examples that are not in the table.
pub fn missing(table: &Table, examples: &[Exchange]) -> Vec<String> {
    let shown = |name: &str| examples.iter().any(|example| !example.hidden && example.method == name);
    let unshown = table.methods().filter(|method| !shown(method.name));
    let unknown = examples.iter().filter(|example| table.method(&example.method).is_none());
    unshown
        .map(|method| format!("{} has no example", method.name))
        .chain(unknown.map(|example| format!("{}: there is no such method", example.method)))
        .collect()
}

/// The examples of each method, laid out for the reference.
pub fn by_method(examples: &[Exchange]) -> BTreeMap<&str, Vec<String>> {
    let mut shown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (id, example) in (1..).zip(examples.iter().filter(|example| !example.hidden)) {
        shown.entry(&example.method).or_default().push(example_text(id, example));
    }
    shown
}

fn example_text(id: u32, example: &Exchange) -> String {
    let request = json!({"id": id, "method": example.method, "params": example.params});
    let mut answer = json!({"id": id});
    if let (Some(fields), Value::Object(more)) = (answer.as_object_mut(), example.answer()) {
        fields.extend(more);
    }
    let messages = std::iter::once(("→ ", &request))
        .chain(std::iter::once(("← ", &answer)))
        .chain(example.events.iter().map(|event| ("← ", event)));
    let mut text = String::new();
    for (arrow, message) in messages {
        text.push_str(arrow);
        lay_out(&mut text, message, 2);
        text.push('\n');
    }
    text
}

/// Characters of a line of the reference.
const WIDTH: usize = 110;

/// Writes a value on the rest of the line where it fits, else a line for each of its parts.
fn lay_out(out: &mut String, value: &Value, indent: usize) {
    let line = one_line(value);
    let column = out.chars().rev().take_while(|letter| *letter != '\n').count();
    let (open, parts, close) = match value {
        Value::Object(fields) if column + line.chars().count() > WIDTH => {
            ('{', fields.iter().map(|(name, part)| (Some(name), part)).collect::<Vec<_>>(), '}')
        }
        Value::Array(items) if column + line.chars().count() > WIDTH => {
            ('[', items.iter().map(|part| (None, part)).collect(), ']')
        }
        _ => return out.push_str(&line),
    };
    out.push(open);
    let deeper = indent + 2;
    for (at, (name, part)) in parts.iter().enumerate() {
        out.push_str(&format!("{}\n{:deeper$}", if at > 0 { "," } else { "" }, ""));
        match name {
            Some(name) if *name == MORE => out.push_str(MORE),
            Some(name) => {
                out.push_str(&format!("{}: ", Value::from(name.as_str())));
                lay_out(out, part, deeper);
            }
            None => lay_out(out, part, deeper),
        }
    }
    out.push_str(&format!("\n{:indent$}{close}", ""));
}

fn one_line(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(fields) => {
            let part = |(name, part): (&String, &Value)| match name == MORE {
                true => MORE.to_owned(),
                false => format!("{}: {}", Value::from(name.as_str()), one_line(part)),
            };
            format!("{{{}}}", list(fields.iter().map(part).collect()))
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(one_line).collect())),
        Value::String(text) if text == MORE => MORE.to_owned(),
        other => other.to_string(),
    }
}

/// What the names of a conversation stand for.
#[derive(Debug, Clone, Default)]
pub struct Names(HashMap<String, Value>);

impl Names {
    /// A value with every known name replaced by what it stands for.
    pub fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.0.get(text).unwrap_or(value).clone(),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, part)| (name.clone(), self.fill(part)))
                .collect::<Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }

    /// Holds what came against what is expected, and learns what new names stand for.
    ///
    /// # Errors
    /// Where the two differ, as a sentence.
    pub fn fit(&mut self, expected: &Value, got: &Value) -> std::result::Result<(), String> {
        self.fit_at("", expected, got)
    }

    fn fit_at(&mut self, place: &str, expected: &Value, got: &Value) -> std::result::Result<(), String> {
        match (expected, got) {
            (Value::String(text), _) if text == MORE => Ok(()),
            (Value::String(text), _) if text.starts_with('<') && text.ends_with('>') => {
                let known = self.0.entry(text.clone()).or_insert_with(|| got.clone());
                if known == got { Ok(()) } else { Err(format!("{place}: {text} is {known}, not {got}")) }
            }
            (Value::Array(items), Value::Array(others)) => {
                let open = items.last().is_some_and(|item| item == MORE);
                let items = if open { &items[..items.len() - 1] } else { items };
                if items.len() > others.len() || !open && items.len() < others.len() {
                    return Err(format!("{place}: {} items, not {}", items.len(), others.len()));
                }
                let mut pairs = items.iter().zip(others).enumerate();
                pairs.try_for_each(|(at, (item, other))| self.fit_at(&format!("{place}[{at}]"), item, other))
            }
            (Value::Object(fields), Value::Object(others)) => {
                for (name, part) in fields.iter().filter(|(name, _)| *name != MORE) {
                    let Some(other) = others.get(name) else {
                        return Err(format!("{place}.{name} is missing"));
                    };
                    self.fit_at(&format!("{place}.{name}"), part, other)?;
                }
                match others.keys().find(|name| !fields.contains_key(*name)) {
                    Some(name) if !fields.contains_key(MORE) => {
                        Err(format!("{place}.{name} is not expected"))
                    }
                    _ => Ok(()),
                }
            }
            _ if expected == got => Ok(()),
            _ => Err(format!("{place}: {expected}, not {got}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits() {
        let cases = [
            (json!({"a": 1}), json!({"a": 1}), ""),
            (json!({"a": 1}), json!({"a": 2}), ".a: 1, not 2"),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), ".b is not expected"),
            (json!({"a": 1, "…": "…"}), json!({"a": 1, "b": 2}), ""),
            (json!({"a": 1, "…": "…"}), json!({"b": 2}), ".a is missing"),
            (json!([1, "…"]), json!([1, 2, 3]), ""),
            (json!([1, "…"]), json!([]), ": 1 items, not 0"),
            (json!([1]), json!([1, 2]), ": 1 items, not 2"),
            (json!({"a": "…"}), json!({"a": {"b": []}}), ""),
            (json!(["<x>", "<x>"]), json!([7, 7]), ""),
            (json!(["<x>", "<x>"]), json!([7, 8]), "[1]: <x> is 7, not 8"),
        ];
        for (expected, got, why) in cases {
            let outcome = Names::default().fit(&expected, &got).err().unwrap_or_default();
            assert_eq!(outcome, why, "{expected} and {got}");
        }
    }

    #[test]
    fn names_are_learned_and_filled_in() {
        let mut names = Names::default();
        names.fit(&json!({"id": "<engine>"}), &json!({"id": "engine-3"})).unwrap();
        assert_eq!(
            names.fill(&json!({"engineId": "<engine>", "of": ["<other>"]})),
            json!({"engineId": "engine-3", "of": ["<other>"]})
        );
    }

    #[test]
    fn lines_that_are_no_exchange_are_told() {
        assert_eq!(read("\n{\"method\":\"a\",\"result\":1}\n").unwrap().len(), 1);
        assert!(read("\n{\"method\":\"a\"}").unwrap_err().message.starts_with("line 2: "));
        assert!(read("{\"method\":\"a\",\"result\":1,\"resutl\":1}").is_err());
    }

    #[test]
    fn long_values_are_broken() {
        let example = Exchange {
            method: "a/b".to_owned(),
            params: json!({"text": "x".repeat(90), "more": [1, "…"]}),
            result: Some(json!({"…": "…"})),
            error: None,
            events: Vec::new(),
            trusted: false,
            hidden: false,
        };
        let long = "x".repeat(90);
        let expected = format!(
            "→ {{\n    \"id\": 1,\n    \"method\": \"a/b\",\n    \"params\": {{\n      \"text\": \"{long}\",\
             \n      \"more\": [1, …]\n    }}\n  }}\n← {{\"id\": 1, \"result\": {{…}}}}\n"
        );
        assert_eq!(example_text(1, &example), expected);
    }
}
