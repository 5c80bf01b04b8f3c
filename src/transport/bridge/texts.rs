//! The texts that a client has open, as it has them: what a new daemon has to be told.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::service::uris::percent_decode;
use crate::service::wire::{TextPosition, TextRange};
use crate::sgf::line_index::{Columns, LineColumn, LineIndex, apply_change};

/// The most bytes of text that are kept, twice what a daemon takes.
const ROOM: usize = 1 << 30;
/// The most bytes that the changes of one message may move about, as in the daemon.
const MAX_WORK: usize = 1 << 37;

/// All open texts of one client.
pub struct Texts {
    open: BTreeMap<Vec<u8>, Open>,
    /// How the client's columns count.
    pub columns: Columns,
}

struct Open {
    /// Opened by LSP's `didOpen`, or by `document/open`.
    editor: bool,
    uri: String,
    language: Option<String>,
    version: i32,
    /// `None` when it is not known any more; a change of the whole text brings it back.
    text: Option<(String, LineIndex)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidOpen {
    text_document: Item,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    uri: String,
    language_id: String,
    version: i32,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainOpen {
    uri: String,
    language_id: Option<String>,
    version: Option<i32>,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: Versioned,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Versioned {
    uri: String,
    version: i32,
}

#[derive(Deserialize)]
struct PlainChange {
    uri: String,
    version: i32,
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    range: Option<TextRange>,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidClose {
    text_document: Named,
}

#[derive(Deserialize)]
struct Named {
    uri: String,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { open: BTreeMap::new(), columns: Columns::Utf16 }
    }
}

impl Texts {
    /// Follows one message of the client. What a daemon cannot read, or refuses, changes nothing.
    pub fn note(&mut self, method: &str, params: &RawValue) {
        fn read<'a, T: Deserialize<'a>>(params: &'a RawValue) -> Option<T> {
            serde_json::from_str(params.get()).ok()
        }
        match method {
            "textDocument/didOpen" => {
                if let Some(DidOpen { text_document: item }) = read(params) {
                    self.open(true, item.uri, Some(item.language_id), item.version, item.text);
                }
            }
            "document/open" => {
                if let Some(PlainOpen { uri, language_id, version, text }) = read(params) {
                    self.open(false, uri, language_id, version.unwrap_or(0), text);
                }
            }
            "textDocument/didChange" => {
                if let Some(DidChange { text_document: text, content_changes }) = read(params) {
                    self.change(&text.uri, text.version, content_changes);
                }
            }
            "document/change" => {
                if let Some(PlainChange { uri, version, changes }) = read(params) {
                    self.change(&uri, version, changes);
                }
            }
            "textDocument/didClose" => {
                if let Some(DidClose { text_document: Named { uri } }) = read(params) {
                    self.open.remove(&percent_decode(&uri));
                }
            }
            "document/close" => {
                if let Some(Named { uri }) = read(params) {
                    self.open.remove(&percent_decode(&uri));
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, editor: bool, uri: String, language: Option<String>, version: i32, text: String) {
        let lines = LineIndex::new(&text);
        let key = percent_decode(&uri);
        self.open.insert(key.clone(), Open { editor, uri, language, version, text: Some((text, lines)) });
        self.forget_if_too_large(&key);
    }

    fn change(&mut self, uri: &str, version: i32, mut changes: Vec<Change>) {
        let (columns, key) = (self.columns, percent_decode(uri));
        let Some(open) = self.open.get_mut(&key).filter(|open| version >= open.version) else { return };
        // What is before a whole text does not matter.
        let whole = changes.iter().rposition(|change| change.range.is_none());
        drop(whole.map(|whole| changes.drain(..whole)));
        if whole.is_some() {
            open.text = Some((String::new(), LineIndex::new("")));
        }
        open.version = version;
        let mut work = 0usize;
        for Change { range, text: new } in changes {
            let Some((text, lines)) = &mut open.text else { return };
            work = work.saturating_add(text.len());
            if work > MAX_WORK || text.len().saturating_add(new.len()) > ROOM {
                open.text = None;
                return;
            }
            let range = range.map(|range| (place(range.start), place(range.end)));
            apply_change(text, lines, range, &new, columns);
        }
        self.forget_if_too_large(&key);
    }

    fn forget_if_too_large(&mut self, key: &[u8]) {
        let bytes: usize =
            self.open.values().filter_map(|open| open.text.as_ref()).map(|text| text.0.len()).sum();
        if bytes > ROOM
            && let Some(open) = self.open.get_mut(key)
        {
            open.text = None;
        }
    }

    /// What opens them again: methods and params, and whether they are requests.
    pub fn again(&self) -> impl Iterator<Item = (&'static str, Value, bool)> {
        self.open.values().filter_map(|Open { editor, uri, language, version, text }| {
            let (text, _) = text.as_ref()?;
            Some(match editor {
                true => {
                    let item = json!({"uri": uri, "languageId": language, "version": version, "text": text});
                    ("textDocument/didOpen", json!({"textDocument": item}), false)
                }
                false => {
                    let params =
                        json!({"uri": uri, "languageId": language, "version": version, "text": text});
                    ("document/open", params, true)
                }
            })
        })
    }
}

fn place(at: TextPosition) -> LineColumn {
    LineColumn { line: at.line, column: at.character }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::service::documents::{self, Documents};

    fn note(texts: &mut Texts, method: &str, params: Value) {
        texts.note(method, &RawValue::from_string(params.to_string()).unwrap());
    }

    /// Uri, version and text of what would be opened again.
    fn held(texts: &Texts) -> Vec<(String, i64, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let open = texts.again().map(|(_, params, _)| params.get("textDocument").cloned().unwrap_or(params));
        open.map(|open| (text(&open["uri"]), open["version"].as_i64().unwrap(), text(&open["text"])))
            .collect()
    }

    #[test]
    fn both_kinds_of_document_are_followed() {
        let mut texts = Texts::default();
        let item = json!({"uri": "file:///a%20b.sgf", "languageId": "sgf", "version": 1, "text": "(;C[😀])"});
        note(&mut texts, "textDocument/didOpen", json!({"textDocument": item}));
        note(&mut texts, "document/open", json!({"uri": "b", "text": "(;)"}));
        let range = json!({"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 6}});
        let changes = json!([{"range": range, "text": "棋"}, {"range": range, "text": "!"}]);
        let named = json!({"uri": "file:///a b.sgf", "version": 2});
        note(&mut texts, "textDocument/didChange", json!({"textDocument": named, "contentChanges": changes}));
        note(
            &mut texts,
            "document/change",
            json!({"uri": "b", "version": 7, "changes": [{"text": "(;B[aa])"}]}),
        );
        let editor = ("file:///a%20b.sgf".to_owned(), 2, "(;C[!)".to_owned());
        assert_eq!(held(&texts), [("b".to_owned(), 7, "(;B[aa])".to_owned()), editor]);
        let again: Vec<_> = texts.again().map(|(method, _, request)| (method, request)).collect();
        assert_eq!(again, [("document/open", true), ("textDocument/didOpen", false)]);
        note(&mut texts, "textDocument/didClose", json!({"textDocument": {"uri": "file:///a b.sgf"}}));
        note(&mut texts, "document/close", json!({"uri": "b"}));
        assert!(held(&texts).is_empty());
    }

    #[test]
    fn what_a_daemon_refuses_changes_nothing() {
        let mut texts = Texts::default();
        note(&mut texts, "document/open", json!({"uri": "a", "version": 5, "text": "(;)"}));
        for (method, params) in [
            ("document/change", json!({"uri": "a", "version": 4, "changes": [{"text": "x"}]})),
            ("document/change", json!({"uri": "a", "changes": [{"text": "x"}]})),
            ("document/change", json!({"uri": "b", "version": 6, "changes": [{"text": "x"}]})),
            ("document/open", json!({"uri": "a"})),
            ("textDocument/didOpen", json!({"textDocument": {"uri": "a", "text": "x"}})),
            ("document/close", json!({"uri": "b"})),
            ("textDocument/hover", json!({"textDocument": {"uri": "a"}})),
        ] {
            note(&mut texts, method, params);
            assert_eq!(held(&texts), [("a".to_owned(), 5, "(;)".to_owned())], "{method}");
        }
    }

    fn edits() -> impl Strategy<Value = Vec<(Option<[u32; 4]>, String, i32)>> {
        let place = prop::array::uniform4(0u32..12);
        prop::collection::vec((prop::option::weighted(0.9, place), "[a\n\r围😀]{0,6}", -1..3), 0..20)
    }

    proptest! {
        #[test]
        fn the_mirror_equals_the_daemon_s_texts(start in "[a\n\r围😀]{0,30}", edits in edits(), utf8: bool) {
            let columns = if utf8 { Columns::Utf8 } else { Columns::Utf16 };
            let (mut texts, documents) = (Texts::default(), Documents::telling(Arc::default()));
            texts.columns = columns;
            note(&mut texts, "document/open", json!({"uri": "a", "text": start}));
            documents.open("a", 0, "sgf", start, true).unwrap();
            let mut version = 0;
            for (range, text, step) in edits {
                version += step;
                let range = range.map(|[a, b, c, d]| {
                    let at = |line, character| TextPosition { line: line % 4, character };
                    TextRange { start: at(a, b), end: at(c, d) }
                });
                let change = json!({"range": range, "text": text});
                note(&mut texts, "document/change", json!({"uri": "a", "version": version, "changes": [change]}));
                let _ = documents.change("a", version, [documents::Change { range, text }], columns);
                let theirs = documents.get("a").unwrap();
                let expected = ("a".to_owned(), i64::from(theirs.version), theirs.text.to_string());
                prop_assert_eq!(held(&texts), [expected]);
            }
        }
    }
}
