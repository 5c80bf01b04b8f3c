//! An editor types at random: what is said of the text that grew edit by edit is what is said of the
//! same text opened at once, the server has the text that the editor has, and every range cuts out of it
//! the bytes that it is about.
//!
//! `KIFUD_EDITS` edits (200), from the seed `KIFUD_EDITS_SEED` (1).

mod support;

use std::collections::{BTreeMap, HashMap};

use kifud::language::{self, Locale};
use kifud::sgf::{CheckOptions, NodeId, Origin, Record, Span, check_with};
use serde_json::{Value, json};
use support::{Conversation, Random};

const TYPED: &str = "file:///typed.sgf";
const FRESH: &str = "file:///fresh.sgf";

/// The most characters of a short text; longer ones shrink.
const SHORT: usize = 1_500;

/// Those of a text of long lines, whose columns are counted from many places: each 4 KiB has one.
const LONG: usize = 9_000;

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

/// How the columns of the editor count.
#[derive(Clone, Copy, PartialEq)]
enum Columns {
    Utf8,
    Utf16,
}

impl Columns {
    fn name(self) -> &'static str {
        match self {
            Columns::Utf8 => "utf-8",
            Columns::Utf16 => "utf-16",
        }
    }

    fn width(self, text: &str) -> usize {
        match self {
            Columns::Utf8 => text.len(),
            Columns::Utf16 => text.encode_utf16().count(),
        }
    }

    fn position(self, text: &str, offset: usize) -> Value {
        let starts = line_starts(text);
        let line = starts.partition_point(|start| *start <= offset) - 1;
        json!({"line": line, "character": self.width(&text[starts[line]..offset])})
    }
}

/// A text and every place that it has.
struct Places<'t> {
    text: &'t str,
    offsets: HashMap<(u64, u64), usize>,
}

impl<'t> Places<'t> {
    fn of(text: &'t str, columns: Columns) -> Places<'t> {
        let mut offsets = HashMap::new();
        let starts = line_starts(text);
        for (line, start) in starts.iter().enumerate() {
            let end = starts.get(line + 1).copied().unwrap_or(text.len());
            let mut column = 0;
            for (step, letter) in text[*start..end].char_indices() {
                offsets.insert((line as u64, column), start + step);
                column += columns.width(letter.encode_utf8(&mut [0; 4])) as u64;
            }
            if end == text.len() {
                offsets.insert((line as u64, column), end);
            }
        }
        Places { text, offsets }
    }

    /// The offset of a place that the server named; it must be one that the text has.
    fn offset(&self, at: &Value) -> usize {
        self.at(at["line"].as_u64().unwrap(), at["character"].as_u64().unwrap())
    }

    fn at(&self, line: u64, character: u64) -> usize {
        *self.offsets.get(&(line, character)).unwrap_or_else(|| panic!("no place {line}:{character}"))
    }

    /// Where a range begins and what it cuts out of the text.
    fn cut(&self, range: &Value) -> (usize, &'t str) {
        let (start, end) = (self.offset(&range["start"]), self.offset(&range["end"]));
        (start, &self.text[start..end])
    }
}

struct Typist {
    client: Conversation,
    random: Random,
    columns: Columns,
    longest: usize,
    text: String,
    version: i64,
    fresh: i64,
    /// How many edits took away or put in what is hard to count.
    met: BTreeMap<&'static str, usize>,
}

impl Typist {
    fn start(seed: u64, columns: Columns, longest: usize) -> Typist {
        let capabilities = json!({"general": {"positionEncodings": [columns.name()]},
            "textDocument": {"diagnostic": {}, "documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
        let client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
        let mut text = std::fs::read_to_string(support::fixture("games/short-9x9.sgf")).unwrap();
        if longest == LONG {
            text = ";C[黑棋在右下角下出了新手😀白棋应对稳健]".repeat(LONG / 40) + &text;
        }
        let (random, met) = (Random(seed), BTreeMap::new());
        let mut typist = Typist { client, random, columns, longest, text, version: 1, fresh: 0, met };
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
        let long = self.text.chars().count() > self.longest;
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
        self.note(&[&self.text[start..end], new].map(str::to_owned));
        let place = |offset| self.columns.position(&self.text, offset);
        let change = json!({"range": {"start": place(start), "end": place(end)}, "text": new});
        self.text.replace_range(start..end, new);
        change
    }

    fn note(&mut self, [old, new]: &[String; 2]) {
        let is = |letter: char| ('\u{4e00}'..'\u{a000}').contains(&letter);
        let kinds = [
            ("Chinese", old.contains(is) || new.contains(is)),
            ("emoji", old.contains('😀') || new.contains('😀')),
            ("CRLF", old.contains("\r\n") || new.contains("\r\n")),
            ("across nodes", old.trim_start_matches(';').contains(';')),
        ];
        for (kind, _) in kinds.into_iter().filter(|kind| kind.1) {
            *self.met.entry(kind).or_default() += 1;
        }
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
        let end = self.columns.position(&self.text, self.text.len());
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
        let kept = self.client.request("document/text", json!({"document": {"uri": TYPED}}));
        assert_eq!((&kept["text"], &kept["version"]), (&json!(self.text), &json!(self.version)));
        self.check_ranges(&typed);
    }

    /// Every range is one that the text has; those of findings, nodes, outline and tokens cut out what
    /// they are about: the same bytes that the floors name, which know no lines and columns.
    fn check_ranges(&self, said: &Value) {
        let places = Places::of(&self.text, self.columns);
        let mut waiting = vec![said];
        while let Some(value) = waiting.pop() {
            if value["start"].is_object() && value["end"].is_object() {
                let (start, end) = (places.offset(&value["start"]), places.offset(&value["end"]));
                assert!(start <= end, "{value}");
            }
            waiting.extend(value.as_object().into_iter().flat_map(|object| object.values()));
            waiting.extend(value.as_array().into_iter().flatten());
        }
        let record = Record::parse(self.text.as_str());
        let cut = |span: Span| (span.start as usize, span.slice(&self.text));

        let options = CheckOptions { origin: Origin::Editor(None), ..CheckOptions::default() };
        let findings = check_with(&record, &options);
        let mut expected: Vec<_> =
            findings.iter().map(|finding| (cut(finding.span), finding.code.name().to_owned())).collect();
        let mut published: Vec<_> = list(&said["findings"])
            .map(|finding| (places.cut(&finding["range"]), finding["code"].as_str().unwrap().to_owned()))
            .collect();
        expected.sort();
        published.sort();
        assert_eq!(published, expected, "findings of {:?}", self.text);

        let nodes = list(&said["tree"]["games"]).flat_map(|game| list(&game["nodes"]));
        let published: Vec<_> = nodes.map(|node| places.cut(&node["range"])).collect();
        let ids = (0..record.node_count() as u32).map(NodeId);
        let expected: Vec<_> = ids.map(|id| cut(record.node(id).span)).collect();
        assert_eq!(published, expected, "nodes of {:?}", self.text);

        let (mut published, mut expected) = (Vec::new(), Vec::new());
        list(&said["outline"]).for_each(|symbol| symbols(symbol, &places, &mut published));
        language::outline(&record, Locale::English).iter().for_each(|entry| entries(entry, &mut expected));
        let expected: Vec<_> = expected.into_iter().map(cut).collect();
        assert_eq!(published, expected, "outline of {:?}", self.text);

        let (mut line, mut character) = (0, 0);
        let numbers: Vec<u64> = list(&said["tokens"]).map(|n| n.as_u64().unwrap()).collect();
        let mut published = Vec::new();
        for token in numbers.chunks(5) {
            line += token[0];
            character = if token[0] == 0 { character + token[1] } else { token[1] };
            let (start, end) = (places.at(line, character), places.at(line, character + token[2]));
            published.push((start, &self.text[start..end]));
        }
        let all = language::tokens(&record, Span::new(0, self.text.len() as u32));
        let expected: Vec<_> = all.into_iter().map(|token| cut(token.span)).collect();
        assert_eq!(published, expected, "tokens of {:?}", self.text);
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Ranges of a symbol and of those inside it.
fn symbols<'t>(symbol: &Value, places: &Places<'t>, into: &mut Vec<(usize, &'t str)>) {
    into.extend([places.cut(&symbol["range"]), places.cut(&symbol["selectionRange"])]);
    list(&symbol["children"]).for_each(|child| symbols(child, places, into));
}

fn entries(entry: &language::Entry, into: &mut Vec<Span>) {
    into.extend([entry.span, entry.selection]);
    entry.children.iter().for_each(|child| entries(child, into));
}

fn type_at_random(columns: Columns, longest: usize, edits: usize) {
    let seed = from_env("KIFUD_EDITS_SEED", 1) as u64;
    let mut typist = Typist::start(seed, columns, longest);
    let mut done = 0;
    while done < edits {
        done += typist.type_something();
        typist.check();
    }
    println!(
        "seed {seed}, {}: {done} edits, {} characters at the end; met: {:?}",
        columns.name(),
        typist.text.chars().count(),
        typist.met
    );
    assert!(edits < 100 || typist.met.len() == 4, "Chinese, emoji, CRLF and nodes: {:?}", typist.met);
    assert_eq!(typist.client.leave(), 0);
}

#[test]
fn what_grows_edit_by_edit_is_what_is_opened_at_once() {
    type_at_random(Columns::Utf16, SHORT, from_env("KIFUD_EDITS", 200));
}

/// The same for an editor that counts bytes.
#[test]
fn columns_of_bytes() {
    type_at_random(Columns::Utf8, SHORT, from_env("KIFUD_EDITS", 200).min(100));
}

/// The same in lines of many kilobytes.
#[test]
fn columns_far_behind_wide_characters() {
    type_at_random(Columns::Utf16, LONG, from_env("KIFUD_EDITS", 200).min(50));
}
