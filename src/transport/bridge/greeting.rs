//! What a client has said of itself and its wishes, which a new daemon has to hear again.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::locale::Locale;
use crate::sgf::line_index::Columns;
use crate::transport::json::{self, Incoming};

/// Calls of `kifud/configure` that are kept; each says something else, as a rule.
const WISHES: usize = 64;

/// Messages that make a session what it is, in the order in which a daemon needs them.
#[derive(Default)]
pub struct Greeting {
    /// LSP's `initialize`.
    initialize: Option<Vec<u8>>,
    initialized: Option<Vec<u8>>,
    /// `session/open` of a plain client.
    session: Option<Vec<u8>>,
    /// The client's settings: the last whole ones, and calls of `kifud/configure` since.
    wishes: Vec<Vec<u8>>,
    locale: Locale,
    process: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize {
    process_id: Option<u32>,
    locale: Option<String>,
    #[serde(default)]
    capabilities: Capabilities,
}

#[derive(Default, Deserialize)]
struct Capabilities {
    general: Option<General>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct General {
    position_encodings: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenSession {
    position_encoding: Option<String>,
}

#[derive(Deserialize)]
struct Configure<'a> {
    #[serde(borrow)]
    set: Option<&'a RawValue>,
}

impl Greeting {
    /// Follows one message; how columns count from now on, when it says so.
    pub fn note(&mut self, method: &str, incoming: &Incoming<'_>, body: &[u8]) -> Option<Columns> {
        let params = incoming.params.map_or("{}", RawValue::get);
        match method {
            "initialize" if self.initialize.is_none() && incoming.id.is_some() => {
                self.initialize = Some(body.to_vec());
                let said: Initialize = serde_json::from_str(params).ok()?;
                self.locale = said.locale.as_deref().map(Locale::of_tag).unwrap_or_default();
                self.process = said.process_id.filter(|pid| crate::engine::os::alive(*pid));
                let offered = said.capabilities.general.and_then(|general| general.position_encodings);
                let utf8 = offered.is_some_and(|offered| offered.iter().any(|kind| kind == "utf-8"));
                Some(if utf8 { Columns::Utf8 } else { Columns::Utf16 })
            }
            "initialized" => {
                self.initialized = Some(body.to_vec());
                None
            }
            "session/open" => {
                let said: OpenSession = serde_json::from_str(params).ok()?;
                let columns = match said.position_encoding.as_deref() {
                    None | Some("utf-16") => Columns::Utf16,
                    Some("utf-8") => Columns::Utf8,
                    Some(_) => return None,
                };
                self.session = Some(body.to_vec());
                Some(columns)
            }
            "workspace/didChangeConfiguration" => {
                self.wishes = vec![body.to_vec()];
                None
            }
            "kifud/configure" => {
                let said: Configure<'_> = serde_json::from_str(params).ok()?;
                said.set?;
                self.wishes.push(body.to_vec());
                let excess = self.wishes.len().saturating_sub(WISHES);
                self.wishes.drain(..excess);
                None
            }
            _ => None,
        }
    }

    /// Whether the client is an editor, and so follows LSP's rules for leaving.
    pub fn is_editor(&self) -> bool {
        self.initialize.is_some()
    }

    /// The language of its messages.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Whether its process was there and is no more.
    pub fn has_vanished(&self) -> bool {
        self.process.is_some_and(|pid| !crate::engine::os::alive(pid))
    }

    /// Everything once more. Requests get an id of `id`'s; only an `initialize` that waits for its
    /// answer keeps the client's own.
    pub fn again(&self, initializing: bool, mut id: impl FnMut() -> String) -> Vec<Vec<u8>> {
        let parts = [&self.initialize, &self.initialized, &self.session];
        let bodies = parts.into_iter().flatten().chain(&self.wishes);
        let renumbered = bodies.enumerate().map(|(index, body)| match json::parse(body) {
            Ok(incoming) if incoming.id.is_some() && !(index == 0 && initializing) => {
                json::with_id(body, &incoming, &id())
            }
            _ => body.clone(),
        });
        renumbered.collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn noted(messages: &[&str]) -> (Greeting, Vec<Option<Columns>>) {
        let mut greeting = Greeting::default();
        let columns = messages.iter().map(|body| {
            let incoming = json::parse(body.as_bytes()).unwrap();
            greeting.note(incoming.method.as_deref().unwrap(), &incoming, body.as_bytes())
        });
        let columns = columns.collect();
        (greeting, columns)
    }

    fn again(greeting: &Greeting, initializing: bool) -> String {
        let mut number = 0;
        let all = greeting.again(initializing, || {
            number += 1;
            format!("\"own {number}\"")
        });
        all.iter().map(|body| String::from_utf8_lossy(body) + "\n").collect()
    }

    #[test]
    fn an_editor_s_greeting() {
        let (greeting, columns) = noted(&[
            r#"{"id":1,"method":"initialize","params":{"locale":"zh","capabilities":{"general":{"positionEncodings":["utf-8"]}}}}"#,
            r#"{"method":"initialized","params":{}}"#,
            r#"{"id":2,"method":"kifud/configure","params":{"set":{"moveDelayMs":1}}}"#,
            r#"{"method":"workspace/didChangeConfiguration","params":{"settings":{}}}"#,
            r#"{"id":3,"method":"kifud/configure","params":{"get":["moveDelayMs"]}}"#,
            r#"{"id":4,"method":"kifud/configure","params":{"set":{"moveDelayMs":2}}}"#,
            r#"{"id":5,"method":"initialize","params":{}}"#,
        ]);
        assert_eq!(columns.iter().flatten().collect::<Vec<_>>(), [&Columns::Utf8]);
        assert_eq!((greeting.is_editor(), greeting.locale()), (true, Locale::Chinese));
        expect![[r#"
            {"id":"own 1","method":"initialize","params":{"locale":"zh","capabilities":{"general":{"positionEncodings":["utf-8"]}}}}
            {"method":"initialized","params":{}}
            {"method":"workspace/didChangeConfiguration","params":{"settings":{}}}
            {"id":"own 2","method":"kifud/configure","params":{"set":{"moveDelayMs":2}}}
        "#]]
        .assert_eq(&again(&greeting, false));
        assert!(again(&greeting, true).starts_with(r#"{"id":1,"method":"initialize""#));
    }

    #[test]
    fn a_plain_client_s_greeting() {
        let (greeting, columns) = noted(&[
            r#"{"id":1,"method":"session/open","params":{"client":"a","positionEncoding":"utf-8"}}"#,
            r#"{"id":2,"method":"session/open","params":{"client":"a","positionEncoding":"utf-7"}}"#,
        ]);
        assert_eq!(columns, [Some(Columns::Utf8), None]);
        assert!(!greeting.is_editor() && !greeting.has_vanished());
        let expected =
            r#"{"id":"own 1","method":"session/open","params":{"client":"a","positionEncoding":"utf-8"}}"#;
        assert_eq!(again(&greeting, false).trim(), expected);
    }
}
