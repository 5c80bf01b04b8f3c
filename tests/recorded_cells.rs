//! What `kifud capture` has recorded, cell by cell: every recording is read by the parser as the
//! manifest says, and played back through a daemon it becomes the right value of the right node.
//!
//! `KIFUD_TRANSCRIPTS` names another folder than the committed one, such as a fresh recording;
//! then its keys are compared with the committed ones too. Numbers never are.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use kifud::engine::gtp::analyze::{Dialect, KEYS, Report, parse_line, parse_play};
use kifud::go::{Board, Color, Illegal, Move, Size, Vertex};
use serde_json::{Value, json};
use support::{Conversation, fixture, kifud};

fn committed() -> PathBuf {
    fixture("transcripts")
}

/// A fresh recording, when there is one.
fn fresh() -> Option<PathBuf> {
    std::env::var_os("KIFUD_TRANSCRIPTS").map(PathBuf::from)
}

fn folder() -> PathBuf {
    fresh().unwrap_or_else(committed)
}

/// One entry of the manifest, and what was recorded.
struct Cell {
    entry: Value,
    text: String,
}

impl Cell {
    fn string(&self, key: &str) -> &str {
        self.entry[key].as_str().unwrap_or_else(|| panic!("no {key} in {}", self.entry))
    }

    fn dialect(&self) -> Dialect {
        Dialect::of_command(self.string("command"))
    }

    fn moves_itself(&self) -> bool {
        self.string("command").contains("genmove")
    }

    fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.text.lines().filter(|line| line.starts_with("info "))
    }

    fn size(&self) -> Size {
        let side = |value: &Value| u8::try_from(value.as_u64().unwrap()).unwrap();
        match &self.entry["boardSize"] {
            Value::Array(sides) => Size::new(side(&sides[0]), side(&sides[1])).unwrap(),
            both => Size::square(side(both)).unwrap(),
        }
    }

    /// The board when the analysis began.
    fn board(&self) -> Board {
        let mut board = Board::new(self.size());
        for text in self.entry["moves"].as_array().unwrap() {
            let (color, vertex) = text.as_str().unwrap().split_once(' ').unwrap();
            let color = Color::parse(color).unwrap();
            board.execute(Move { color, vertex: Vertex::parse_gtp(vertex, self.size()).unwrap() });
        }
        board
    }

    fn report(&self, line: &str) -> Report {
        parse_line(line.as_bytes(), self.dialect(), self.size())
    }

    /// Where the analysis was, for a request.
    fn position(&self, text: &str) -> Value {
        let node = self.entry["node"].as_u64().unwrap();
        let path = if node == 0 { json!([]) } else { json!([format!("0*{node}")]) };
        json!({"document": {"text": text}, "node": {"path": path}})
    }

    fn game(&self) -> String {
        fs::read_to_string(fixture("games").join(self.string("sgf"))).unwrap()
    }
}

/// All recordings below a folder.
///
/// # Panics
/// When there are none: without them there is no test.
fn cells(folder: &Path) -> Vec<Cell> {
    let file = folder.join("manifest.json");
    let manifest = fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; `kifud capture` writes it", file.display()));
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let note = manifest["generated"].as_str().unwrap();
    assert!(note.contains("kifud capture") && note.contains("do not edit"), "{note}");
    let cells: Vec<Cell> = manifest["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let file = folder.join(entry["file"].as_str().unwrap());
            let text = fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{}: {error}; run `kifud capture`", file.display()));
            Cell { entry: entry.clone(), text }
        })
        .collect();
    assert!(!cells.is_empty(), "{} names no recordings; run `kifud capture`", file.display());
    cells
}

/// Looks at every cell, and names all that fail.
fn each_cell(check: impl Fn(&Cell)) {
    let cells = cells(&folder());
    let fails = |cell: &&Cell| catch_unwind(AssertUnwindSafe(|| check(cell))).is_err();
    let failed: Vec<&str> = cells.iter().filter(fails).map(|cell| cell.string("file")).collect();
    assert!(failed.is_empty(), "{} of {} cells: {failed:#?}", failed.len(), cells.len());
}

/// Matrix, manifest and files name the same cells.
#[test]
fn the_committed_recordings_are_whole() {
    let folder = committed();
    let matrix = folder.join("matrix.toml");
    let listed = Command::new(kifud()).args(["capture", "--list", "--matrix"]).arg(matrix).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed: BTreeSet<String> = listed.lines().map(|name| format!("{name}.txt")).collect();
    let cells = cells(&folder);
    let named: BTreeSet<String> = cells.iter().map(|cell| cell.string("file").to_owned()).collect();
    assert_eq!(named, listed);
    let engines: BTreeSet<&str> = cells.iter().map(|cell| cell.string("engineId")).collect();
    let files = engines.iter().flat_map(|engine| fs::read_dir(folder.join(engine)).unwrap());
    let files = files.map(|file| file.unwrap().path().strip_prefix(&folder).unwrap().display().to_string());
    assert_eq!(files.collect::<BTreeSet<_>>(), named);
}

#[test]
fn every_cell_is_read_as_the_manifest_says() {
    each_cell(|cell| {
        assert_eq!(cell.entry["infoLineCount"], cell.lines().count());
        assert!(fixture("games").join(cell.string("sgf")).is_file());
        let last = cell.report(cell.lines().next_back().expect("an info line"));
        assert!(!last.moves.is_empty(), "at least one variation");
        let (board, color) = (cell.board(), Color::parse(cell.string("color")).unwrap());
        for info in &last.moves {
            assert!((0.0..=100.0).contains(&info.winrate), "{info:?}");
            let legality = board.legality(Move { color, vertex: info.vertex });
            // Tromp-Taylor rules allow the suicide of several stones.
            assert!(matches!(legality, Ok(()) | Err(Illegal::Suicide)), "{info:?}");
            assert_eq!(info.pv.first(), Some(&info.vertex));
            match cell.dialect() {
                Dialect::Kata => assert!(info.score_lead.is_some_and(f64::is_finite), "{info:?}"),
                Dialect::Lz => assert_eq!(info.score_lead, None),
                Dialect::Plain => {}
            }
        }
        for line in cell.lines() {
            assert_eq!(cell.report(line).skipped, 0, "nothing is unreadable: {line}");
        }
    });
}

/// Visits straight from the text: the parser could not tell a negative number from a missing one.
#[test]
fn every_visit_count_is_a_whole_number() {
    each_cell(|cell| {
        for line in cell.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let visits: Vec<u64> = words
                .windows(2)
                .filter(|pair| pair[0] == "visits")
                .map(|pair| pair[1].parse().unwrap())
                .collect();
            let report = cell.report(line);
            let read = report.moves.iter().map(|info| info.visits).chain(report.root.map(|root| root.visits));
            assert_eq!(read.collect::<Vec<_>>(), visits);
        }
    });
}

#[test]
fn moves_end_with_what_was_played() {
    each_cell(|cell| {
        let played: Vec<&str> = cell.text.lines().filter(|line| line.starts_with("play ")).collect();
        assert_eq!(played.len(), usize::from(cell.moves_itself()));
        for line in played {
            assert!(parse_play(line.as_bytes(), cell.size()).is_some(), "{line}");
        }
        assert_eq!(cell.lines().count() + usize::from(cell.moves_itself()), cell.text.lines().count());
    });
}

// The contract: which keys there are.

/// The keys of a line. Vertices begin with a capital, numbers with a digit or a sign.
fn keys(line: &str) -> BTreeSet<&str> {
    let words = line.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    words.filter(|word| !["pass", "null", "true", "false", "nan", "inf"].contains(word)).collect()
}

/// Keys of each engine and command, over all positions: some depend on the position.
fn keys_by_command(cells: &[Cell]) -> BTreeMap<(&str, &str), BTreeSet<&str>> {
    let mut found: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for cell in cells {
        let all = found.entry((cell.string("engineId"), cell.string("command"))).or_default();
        cell.lines().for_each(|line| all.extend(keys(line)));
    }
    found
}

#[test]
fn every_key_that_the_parser_knows_is_printed_by_some_engine() {
    let cells = cells(&folder());
    let printed: BTreeSet<&str> = keys_by_command(&cells).into_values().flatten().collect();
    // Sayuri's spelling; it is in no package.
    let known = KEYS.into_iter().filter(|key| *key != "scorelead");
    let missing: Vec<&str> = known.filter(|key| !printed.contains(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let commands = keys_by_command(&cells).into_keys().map(|(_, command)| command);
    let commands = commands.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ");
    let expected = "analyze genmove_analyze kata-analyze kata-genmove_analyze lz-analyze lz-genmove_analyze";
    assert_eq!(commands, expected);
}

#[test]
fn a_fresh_recording_has_the_committed_keys() {
    let Some(fresh) = fresh() else {
        eprintln!("SKIPPED: no fresh recording; KIFUD_TRANSCRIPTS names the folder of one");
        return;
    };
    let (old_cells, new_cells) = (cells(&committed()), cells(&fresh));
    let (old, new) = (keys_by_command(&old_cells), keys_by_command(&new_cells));
    for (command, keys) in &new {
        let before = old.get(command).unwrap_or_else(|| panic!("{command:?} was never recorded before"));
        let gone: Vec<_> = before.difference(keys).collect();
        let come: Vec<_> = keys.difference(before).collect();
        assert!(gone.is_empty() && come.is_empty(), "{command:?}: gone {gone:?}, come {come:?}");
    }
    let kinds: BTreeSet<&str> = new_cells.iter().map(|cell| cell.string("kind")).collect();
    // The engine in the box is none of the known programs.
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["gtp", "katago", "leela-zero"]);
}

/// What is written for engine authors names exactly the keys that are read.
#[test]
fn the_page_for_engine_authors_lists_the_keys() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/engines.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("## Keys").nth(1).expect("a section of keys").split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: BTreeSet<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(listed, BTreeSet::from(KEYS));
    for command in kifud::engine::ANALYZE_COMMANDS {
        assert!(page.contains(&format!("`{command}`")), "{command}");
    }
}

// Played back through a daemon.

/// A daemon with one engine that plays this back, and the engine's id.
fn attach(folder: &tempfile::TempDir, replay: &[&str]) -> (Conversation, Value) {
    let settings = folder.path().join("kifud.toml");
    let args: Vec<&str> = [&["replay", "--transcript"], replay].concat();
    let text = format!("[[engines]]\nname = \"recorded\"\npath = {:?}\nargs = {args:?}\n", kifud());
    fs::write(&settings, text).unwrap();
    let mut client = Conversation::start(&["--config", settings.to_str().unwrap()]);
    let engine = client.request("engine/attach", json!({"name": "recorded"}))["engine"]["id"].clone();
    (client, engine)
}

/// The number that a property of the last edited node has.
fn property(text: &str, name: &str) -> Option<f64> {
    let value = text.split(name).nth(1)?.strip_prefix('[')?;
    Some(value.split(']').next().unwrap().parse().unwrap())
}

/// Attach, analyse, and what then stands in the record.
fn written(replay: &[&str], cell: &Cell) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, engine) = attach(&folder, replay);
    let params = json!({
        "engineId": engine, "interval": 20, "position": cell.position(&cell.game()), "writeBack": "end",
        "limit": {"seconds": 0.3},
    });
    let subscription = client.request("engine/analyze", params);
    let ended = client.event_in(&subscription, "ended");
    ended["edit"]["text"].as_str().unwrap_or_else(|| panic!("no new text: {ended}")).to_owned()
}

#[test]
fn on_the_decided_endgame_black_wins_whoever_is_to_play() {
    let folder = committed();
    let cells = cells(&folder);
    let real =
        |cell: &&Cell| cell.string("engineId").ends_with("-real") && cell.string("sgf").contains("endgame");
    let mut sides = BTreeSet::new();
    for cell in cells.iter().filter(real) {
        let file = folder.join(cell.string("file"));
        let engine = file.parent().unwrap();
        let command = cell.string("command");
        for path in [file.to_str().unwrap(), engine.to_str().unwrap()] {
            let text = written(&[path, "--analyze-command", command], cell);
            let winrate = property(&text, "SBKV").expect("SBKV");
            assert!(winrate > 85.0 && winrate <= 100.0, "{path}: {winrate}");
            match cell.dialect() {
                Dialect::Kata => {
                    let lead = property(&text, "SBKS").expect("SBKS");
                    assert!(lead > 1.0 && lead < 50.0, "{path}: {lead}");
                }
                _ => assert_eq!(property(&text, "SBKS"), None, "{path}"),
            }
        }
        sides.insert((cell.string("color"), command));
    }
    let all = [("B", "kata-analyze"), ("B", "lz-analyze"), ("W", "kata-analyze"), ("W", "lz-analyze")];
    assert_eq!(sides, BTreeSet::from(all));
}

#[test]
fn every_analysis_is_played_back_on_its_node() {
    let root = folder();
    let cells = cells(&root);
    let mut by_engine: BTreeMap<(&str, &str), Vec<&Cell>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| !cell.moves_itself()) {
        by_engine.entry((cell.string("engineId"), cell.string("command"))).or_default().push(cell);
    }
    for ((engine, command), cells) in by_engine {
        let settings = tempfile::tempdir().unwrap();
        let folder = root.join(engine);
        let replay = [folder.to_str().unwrap(), "--analyze-command", command];
        let (mut client, id) = attach(&settings, &replay);
        for cell in cells {
            let file = cell.string("file");
            let position = cell.position(&cell.game());
            let subscription = client
                .request("engine/analyze", json!({"engineId": id, "interval": 20, "position": position}));
            let event = client.event_in(&subscription, "running");
            let winrate = event["winrate"].as_f64().unwrap_or_else(|| panic!("{file}: {event}"));
            assert!((0.0..=100.0).contains(&winrate), "{file}: {event}");
            assert_eq!(event["scoreLead"].is_number(), !command.starts_with("lz"), "{file}: {event}");
            client.request("engine/stop", json!({"subscription": subscription}));
        }
        client.request("engine/detach", json!({"engineId": id}));
    }
}
