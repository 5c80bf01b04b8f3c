//! An editor types at random: what is said of the text that grew edit by edit is what is said of the
//! same text opened at once, and every range is about the bytes that the editor has there.
//!
//! `KIFUD_EDITS` edits (200), from the seed `KIFUD_EDITS_SEED` (1).

mod support;

use std::collections::HashMap;

use serde_json::{Value, json};
use support::{Conversation, Random};

const TYPED: &str = "file:///typed.sgf";
const FRESH: &str = "file:///fresh.sgf";

/// The most characters of the text; longer ones shrink.
const LONGEST: usize = 1500;

/// What is typed and pasted.
const PIECES: [&str; 24] = [
    "(;GM[1]FF[4]SZ[19]",
    ")",
    "(",
    ";",
    "[",
    "]",
    ";B[dd]",
    ";W[pp]C[吴清源😀\r\n第二行]",
    "C[see \\] and \\\\]",
    "\n",
    "\r\n",
    "\r",
    "KM[6,5]",
    "AB[aa:cc][dd]",
    "LB[aa:棋]",
    "😀",
    "围棋",
    "é",
    "a",
    "\\",
    ":",
    "(;B[aa](;W[bb])(;W[cc]))",
    "kifud: allow off-board",
    "\u{2028}",
];

fn from_env(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Where lines start, as LSP counts them: behind LF, CRLF and CR.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len()).filter(|at| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|at| at + 1)).collect()
}

fn position(text: &str, offset: usize) -> Value {
    let starts = line_starts(text);
    let line = starts.partition_point(|start| *start <= offset) - 1;
    json!({"line": line, "character": text[starts[line]..offset].encode_utf16().count()})
}

/// Every place that a text has, and its offset.
struct Places(HashMap<(u64, u64), usize>);

impl Places {
    fn of(text: &str) -> Places {
        let mut places = HashMap::new();
        let starts = line_starts(text);
        for (line, start) in starts.iter().enumerate() {
            let end = starts.get(line + 1).copied().unwrap_or(text.len());
            let mut units = 0;
            for (step, letter) in text[*start..end].char_indices() {
                places.insert((line as u64, units), start + step);
                units += letter.len_utf16() as u64;
            }
            if end == text.len() {
                places.insert((line as u64, units), end);
            }
        }
        Places(places)
    }

    /// The offset of a place that the server named; it must be one that the text has.
    fn offset(&self, at: &Value) -> usize {
        self.at(at["line"].as_u64().unwrap(), at["character"].as_u64().unwrap())
    }

    fn at(&self, line: u64, character: u64) -> usize {
        *self.0.get(&(line, character)).unwrap_or_else(|| panic!("no place {line}:{character}"))
    }
}

struct Typist {
    client: Conversation,
    random: Random,
    text: String,
    version: i64,
    fresh: i64,
}

impl Typist {
    fn start(seed: u64) -> Typist {
        let capabilities = json!({"textDocument": {"diagnostic": {},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
        let client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
        let text = std::fs::read_to_string(support::fixture("games/short-9x9.sgf")).unwrap();
        let mut typist = Typist { client, random: Random(seed), text, version: 1, fresh: 0 };
        typist.open(TYPED, 1);
        typist
    }

    fn open(&mut self, uri: &str, version: i64) {
        self.client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": version, "text": self.text}}),
        );
    }

    /// An offset that LSP can name: at a character, not inside CRLF.
    fn anywhere(&mut self) -> usize {
        let mut at = self.random.index(self.text.len() + 1);
        while !self.text.is_char_boundary(at)
            || self.text[..at].ends_with('\r') && self.text[at..].starts_with('\n')
        {
            at -= 1;
        }
        at
    }

    fn edit(&mut self) -> Value {
        let (one, other) = (self.anywhere(), self.anywhere());
        let (start, mut end) = (one.min(other), one.max(other));
        let long = self.text.chars().count() > LONGEST;
        match self.random.below(3) {
            // Now and then a large piece goes; mostly little or nothing.
            _ if long => {}
            0 => end = start,
            _ => {
                end = start
                    + self.text[start..]
                        .chars()
                        .take(self.random.index(6))
                        .map(char::len_utf8)
                        .sum::<usize>();
                while self.text[..end].ends_with('\r') && self.text[end..].starts_with('\n') {
                    end += 1;
                }
            }
        }
        let new = if long { "" } else { PIECES[self.random.index(PIECES.len())] };
        let change = json!({"range": {"start": position(&self.text, start), "end": position(&self.text, end)}, "text": new});
        self.text.replace_range(start..end, new);
        change
    }

    /// One notification with one to three edits, each about the text after those before it.
    fn type_something(&mut self) -> usize {
        let count = 1 + self.random.index(3);
        let changes: Vec<Value> = (0..count).map(|_| self.edit()).collect();
        self.version += 1;
        self.client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": TYPED, "version": self.version}, "contentChanges": changes}),
        );
        count
    }

    /// What the server says about a text.
    fn said(&mut self, uri: &str) -> Value {
        let document = json!({"textDocument": {"uri": uri}});
        let report = self.client.request("textDocument/diagnostic", document.clone());
        let end = position(&self.text, self.text.len());
        let mut ranged = document.clone();
        ranged["range"] = json!({"start": {"line": 0, "character": 0}, "end": end});
        let said = json!({
            "findings": report["items"],
            "tokens": self.client.request("textDocument/semanticTokens/full", document.clone())["data"],
            "outline": self.client.request("textDocument/documentSymbol", document.clone()),
            "folds": self.client.request("textDocument/foldingRange", document.clone()),
            "hints": self.client.request("textDocument/inlayHint", ranged),
            "tree": self.client.request("record/tree", json!({"document": {"uri": uri}})),
        });
        serde_json::from_str(&said.to_string().replace(uri, "URI")).unwrap()
    }

    fn check(&mut self) {
        self.fresh += 1;
        self.open(FRESH, self.fresh);
        let (typed, fresh) = (self.said(TYPED), self.said(FRESH));
        for (what, typed) in typed.as_object().unwrap() {
            assert_eq!(typed, &fresh[what], "{what} of {:?}", self.text);
        }
        self.check_ranges(&typed);
    }

    /// Every range is one that the text has, and the tokens are about what they say.
    fn check_ranges(&self, said: &Value) {
        let places = Places::of(&self.text);
        let mut waiting = vec![said];
        while let Some(value) = waiting.pop() {
            if value["start"].is_object() && value["end"].is_object() {
                let (start, end) = (places.offset(&value["start"]), places.offset(&value["end"]));
                assert!(start <= end, "{value}");
            }
            waiting.extend(value.as_object().into_iter().flat_map(|object| object.values()));
            waiting.extend(value.as_array().into_iter().flatten());
        }
        let games = said["tree"]["games"].as_array().unwrap();
        let nodes = games.iter().flat_map(|game| game["nodes"].as_array().unwrap());
        let starts: Vec<usize> = nodes.map(|node| places.offset(&node["range"]["start"])).collect();
        assert!(starts.is_sorted(), "nodes stand in the order of the text");
        let (mut line, mut character) = (0, 0);
        let numbers: Vec<u64> =
            said["tokens"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        for token in numbers.chunks(5) {
            line += token[0];
            character = if token[0] == 0 { character + token[1] } else { token[1] };
            let start = places.at(line, character);
            let end = places.at(line, character + token[2]);
            assert!(start < end, "an empty token at {line}:{character}");
            assert!(
                !self.text[start..end].contains(['\n', '\r']),
                "a token crosses a line at {line}:{character}"
            );
        }
    }
}

#[test]
fn what_grows_edit_by_edit_is_what_is_opened_at_once() {
    let seed = from_env("KIFUD_EDITS_SEED", 1) as u64;
    let edits = from_env("KIFUD_EDITS", 200);
    let mut typist = Typist::start(seed);
    let mut done = 0;
    while done < edits {
        done += typist.type_something();
        typist.check();
    }
    println!("seed {seed}: {done} edits, {} characters at the end", typist.text.chars().count());
    assert_eq!(typist.client.leave(), 0);
}
