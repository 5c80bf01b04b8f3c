//! What others read in the same files: on valid FF[4] our trees and values are those of `sgf-parse`
//! (<https://crates.io/crates/sgf-parse>) and of sgfmill (<https://mjw.woodcraft.me.uk/sgfmill/>), but
//! for the differences below.
//!
//! `KIFUD_SGFMILL` names a Python that has sgfmill; `run.sh` installs one.

mod generate;
mod reading;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use kifud::go::Size;
use kifud::sgf::encoding::decode;
use kifud::sgf::props::{self, ValueType};
use kifud::sgf::{Code, GameKind, NodeId, Record, check};
use reading::{Reading, Values};
use support::{Random, fixture, sgf_files, shared};

/// Records that are made up, beside those of the files.
const MADE: usize = 300;

/// A property that two readers do not agree about.
#[derive(Debug)]
struct Difference<'r> {
    ident: String,
    /// What stands between its brackets, value behind value.
    raw: Vec<&'r str>,
    size: Size,
    ours: Values,
    theirs: Values,
}

impl std::fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { ident, raw, size, ours, theirs } = self;
        write!(f, "{ident}{raw:?} on {size}: we read {ours:?}, they read {theirs:?}")
    }
}

impl Difference<'_> {
    fn has(&self, piece: &str) -> bool {
        self.raw.iter().any(|raw| raw.contains(piece))
    }

    /// Whether this is what comes of taking the backslashes away first and reading then.
    fn is_read_without_backslashes(&self) -> bool {
        let cut: Vec<String> = self.raw.iter().map(|raw| without_backslashes(raw)).collect();
        let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
        let read = reading::values(&self.ident, &cut, self.size).ok();
        let colons = self.has(r"\:") && cut.iter().any(|value| value.matches(':').count() > 1);
        // A backslash as the last sign and a tab behind one are shown as they are.
        let shown = |values: &[String]| -> Vec<String> {
            let lines = one_kind_of_line(values);
            lines.iter().map(|text| text.trim_end_matches('\\').replace('\t', " ")).collect()
        };
        match &self.theirs {
            Some(theirs) => read.is_some_and(|read| shown(&read) == shown(theirs)),
            None => colons,
        }
    }

    fn is_about_points(&self) -> bool {
        use ValueType::{Labels, Move, PointPairs, Points, PointsOrNone};
        let kinds = [Labels, Move, PointPairs, Points, PointsOrNone];
        props::lookup(&self.ident).is_some_and(|known| kinds.contains(&known.values))
    }

    fn is_about_line_breaks(&self) -> bool {
        let shown = |values: &Values| values.as_deref().map(one_kind_of_line);
        self.ours.is_some() && shown(&self.ours) == shown(&self.theirs)
    }
}

fn one_kind_of_line(values: &[String]) -> Vec<String> {
    values.iter().map(|text| text.replace("\r\n", "\n").replace("\n\r", "\n").replace('\r', "\n")).collect()
}

fn without_backslashes(raw: &str) -> String {
    let mut letters = raw.chars();
    let next = || match letters.next() {
        Some('\\') => letters.next(),
        letter => letter,
    };
    std::iter::from_fn(next).collect()
}

/// A kind of difference: its name, how it is known, who is right by the book and why.
type Kind = (&'static str, fn(&Difference) -> bool, &'static str);

const SGF_PARSE: &[Kind] = &[
    (
        "escapes",
        |it| it.has("\\") && it.is_read_without_backslashes(),
        "we: it takes backslashes away while it cuts values, before it looks for soft line breaks and \
         for the colons of composed values, and once more when it shows a text",
    ),
    (
        "line breaks",
        |it| it.is_about_line_breaks(),
        "both: a line break in a Text is one, however it is written; it shows CR LF as written, we show LF",
    ),
    (
        "tt",
        |it| it.raw == ["tt"] && it.ours == Some(vec![String::new()]),
        "we: on boards up to 19x19 `tt` is a pass, kept by FF[4] for older files",
    ),
    (
        "empty lists",
        |it| it.raw == [""] && it.ours == Some(Vec::new()) && it.theirs.is_none(),
        "we: DD, VW, TB and TW are lists that may be empty, written as one empty value",
    ),
    (
        "off the board",
        |it| it.ours.is_none() && it.theirs.is_some() && it.is_about_points(),
        "we: points have to be on the board; it does not look at SZ",
    ),
    (
        "no handicap",
        |it| it.ident == "HA" && it.theirs.is_none(),
        "it: HA is 2 or more; we read the number that is there",
    ),
];

const SGFMILL: &[Kind] = &[
    (
        "no version",
        |it| it.ident == "AP" && it.ours.is_none() && !it.has(":"),
        "we: AP is a name, a colon and a version; it takes the version for empty",
    ),
    (
        "no point taken away",
        |it| it.ident == "AE" && it.raw == [""] && it.ours.is_none(),
        "we: AE is a list of at least one point",
    ),
];

/// Why a peer takes a record as a whole to be none; `None` where there is no reason.
type Refusal = fn(&Record) -> Option<&'static str>;

fn not_go(record: &Record) -> Option<&'static str> {
    record.games().any(|game| record.kind(game.root) != GameKind::Go).then_some("not Go")
}

fn not_square(record: &Record) -> Option<&'static str> {
    let sizes =
        record.games().map(|game| record.property(game.root, "SZ").map_or("19", |size| size.first_raw()));
    let squares = |size: &str| size.parse().is_ok_and(|side| (1..=26).contains(&side));
    (!sizes.into_iter().all(squares)).then_some("a board that is not square, or above 26x26")
}

/// What was compared, and which kinds of differences were met how often.
#[derive(Default)]
struct Compared {
    files: usize,
    nodes: usize,
    values: usize,
    refused: BTreeMap<&'static str, usize>,
    kinds: BTreeMap<&'static str, usize>,
    unexplained: Vec<String>,
}

impl Compared {
    fn compare(&mut self, name: &str, record: &Record, theirs: &Reading, kinds: &[Kind]) {
        let ours = reading::ours(record);
        let shape = |reading: &Reading| -> Vec<Vec<usize>> {
            reading.iter().map(|game| game.iter().map(|node| node.children).collect()).collect()
        };
        assert_eq!(shape(&ours), shape(theirs), "{name}: the trees");
        self.files += 1;
        let nodes = ours.into_iter().flatten().zip(theirs.iter().flatten()).zip(0..);
        for ((ours, theirs), index) in nodes {
            self.nodes += 1;
            let names = |values: &BTreeMap<String, Values>| values.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&ours.values), names(&theirs.values), "{name}: properties of node {index}");
            for (ident, values) in ours.values {
                self.values += 1;
                if values == theirs.values[&ident] {
                    continue;
                }
                let node = NodeId(index);
                let difference = Difference {
                    raw: record.values_of(node, &ident).map(|value| value.raw()).collect(),
                    size: record.size(node),
                    ours: values,
                    theirs: theirs.values[&ident].clone(),
                    ident,
                };
                let kind = kinds.iter().find(|kind| kind.1(&difference));
                match kind {
                    Some(kind) => *self.kinds.entry(kind.0).or_default() += 1,
                    None => self.unexplained.push(format!("{name}, node {index}: {difference}")),
                }
            }
        }
    }

    fn refuse(&mut self, name: &str, record: &Record, why: Refusal, said: &str) {
        match why(record) {
            Some(why) => *self.refused.entry(why).or_default() += 1,
            None => self.unexplained.push(format!("{name} is refused: {said}")),
        }
    }

    fn tell(&self, peer: &str, kinds: &[Kind]) {
        println!(
            "{peer}: {} files, {} nodes, {} values compared; refused: {:?}; differences:",
            self.files, self.nodes, self.values, self.refused
        );
        for (kind, _, why) in kinds {
            println!("  {kind}, {} times. Right: {why}", self.kinds.get(kind).unwrap_or(&0));
        }
        let some: Vec<&str> = self.unexplained.iter().take(20).map(String::as_str).collect();
        assert!(some.is_empty(), "{} without an explanation:\n{}", self.unexplained.len(), some.join("\n"));
        for (kind, _, why) in kinds.iter().filter(|_| shared("corpus/sgf").is_some()) {
            assert!(self.kinds.contains_key(kind), "{peer}: no {kind} was met any more ({why})");
        }
    }
}

/// Valid FF[4], by the book as far as trees and names go; values may be anything.
fn is_valid(record: &Record) -> bool {
    let duplicate = |finding: &kifud::sgf::Finding| finding.code == Code::DuplicateProperty;
    record.findings().is_empty()
        && record.node_count() < 50_000
        && record.games().len() > 0
        && (0..record.games().len()).all(|game| record.info(game).is_some_and(|info| info.format == 4))
        && !check(record).iter().any(duplicate)
}

/// Names and texts of all records that are compared.
fn records() -> Vec<(String, Record)> {
    let folders = [Some(fixture("games")), Some(fixture("sgf")), shared("corpus/sgf"), shared("inputs")];
    let files = folders.into_iter().flatten().flat_map(|folder| sgf_files(&folder));
    let texts = files.map(|(path, bytes)| (path.display().to_string(), decode(&bytes, None).text));
    let mut random = Random(4);
    let made = (0..MADE).map(|number| (format!("made up {number}"), generate::record(&mut random)));
    let made: Vec<_> = made.map(|(name, text)| (name, Record::parse(text))).collect();
    for (name, record) in &made {
        assert!(is_valid(record), "{name}: {:?} {}", record.findings(), record.text());
    }
    texts.map(|(name, text)| (name, Record::parse(text))).filter(|one| is_valid(&one.1)).chain(made).collect()
}

#[test]
fn sgf_parse_reads_the_same() {
    let work = || {
        let mut compared = Compared::default();
        for (name, record) in records() {
            match reading::sgf_parse(record.text()) {
                Some(theirs) => compared.compare(&name, &record, &theirs, SGF_PARSE),
                None => compared.refuse(&name, &record, not_go, ""),
            }
        }
        compared.tell("sgf-parse", SGF_PARSE);
    };
    // It drops its trees recursively.
    std::thread::Builder::new().stack_size(512 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn sgfmill_reads_the_same() {
    let Some(python) = std::env::var_os("KIFUD_SGFMILL") else {
        eprintln!("SKIPPED: KIFUD_SGFMILL names no Python with sgfmill; tests/peers/run.sh installs one");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/sgfmill_read.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python that KIFUD_SGFMILL names");
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut compared = Compared::default();
    for (name, record) in records() {
        writeln!(stdin, "{}", serde_json::to_string(record.text()).unwrap()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
        match reading::sgfmill(&answer) {
            Some(theirs) => compared.compare(&name, &record, &theirs, SGFMILL),
            None => compared.refuse(&name, &record, not_square, &line),
        }
    }
    drop(stdin);
    child.wait().unwrap();
    compared.tell("sgfmill", SGFMILL);
}
