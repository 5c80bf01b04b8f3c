//! Real engines against each other with `kifud match`; every record is read again and replayed by GNU Go.
//!
//! Runs when `KIFUD_ENGINES` names the folder that `tests/engines/setup.sh` filled. `KIFUD_MATCH_GAMES` is the
//! number of games (2), `KIFUD_MATCH_DIR` a folder in which a series that was ended goes on.

#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kifud::go::{Board, Color, Position, Step};
use kifud::sgf::{self, NodeId, Record};
use serde_json::Value;
use support::kifud;

/// Settings with an engine that is told to think less, so that a game is a matter of a minute.
fn settings(folder: &Path, engine: &str, more: &[&str]) -> Option<PathBuf> {
    let Some(engines) = std::env::var_os("KIFUD_ENGINES").map(PathBuf::from) else {
        eprintln!("SKIPPED: real engines; KIFUD_ENGINES names the folder of tests/engines/setup.sh");
        return None;
    };
    let text = std::fs::read_to_string(engines.join("kifud.toml")).expect("the settings");
    let mut settings: toml_edit::DocumentMut = text.parse().expect("TOML");
    for table in settings["engines"].as_array_of_tables_mut().expect("engines").iter_mut() {
        if table["name"].as_str() == Some(engine) {
            table["args"].as_array_mut().expect("a list").extend(more.iter().copied());
        }
    }
    let path = folder.join("kifud.toml");
    std::fs::write(&path, settings.to_string()).expect("a file");
    Some(path)
}

/// Where books and records stand: in `KIFUD_MATCH_DIR`, so that a series that was ended goes on, or in a folder of
/// the test.
fn folder(white: &str) -> (Option<tempfile::TempDir>, PathBuf) {
    match std::env::var_os("KIFUD_MATCH_DIR") {
        Some(folder) => (None, PathBuf::from(folder).join(white)),
        None => {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().to_owned();
            (Some(folder), path)
        }
    }
}

/// Plays what is left of the series; the rows of its games.
fn play(config: &Path, white: &str, size: u8, folder: &Path) -> Vec<Value> {
    let games = std::env::var("KIFUD_MATCH_GAMES").unwrap_or_else(|_| "2".to_owned());
    let book = folder.join("book.jsonl");
    let output = Command::new(kifud())
        .env("XDG_STATE_HOME", folder)
        .arg("--config")
        .arg(config)
        .args(["match", "--black", "gnugo", "--white", white, "--keep-colors"])
        .args(["--games", &games, "--move-limit", "400", "--size", &size.to_string()])
        .arg("--out")
        .arg(folder)
        .arg("--resume")
        .arg(&book)
        // Each game is told when it is over.
        .stderr(Stdio::inherit())
        .output()
        .expect("kifud runs");
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{table}");
    println!("{size}x{size}\n{table}");
    let book = std::fs::read_to_string(&book).expect("the book");
    let rows: Vec<Value> =
        book.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len().to_string(), games);
    rows
}

/// Plays a record's moves on GNU Go, which knows the rules; its stones at the end.
fn gnugo(position: &Position) -> Board {
    let mut child = Command::new("gnugo")
        .args(["--mode", "gtp"])
        .env("PATH", format!("{}:/usr/games", std::env::var("PATH").unwrap_or_default()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("GNU Go starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut ask = |command: &str| {
        writeln!(input, "{command}").expect("GNU Go reads");
        let mut answer = String::new();
        while !answer.ends_with("\n\n") {
            assert_ne!(output.read_line(&mut answer).expect("GNU Go answers"), 0, "{command}");
        }
        assert!(answer.starts_with('='), "{command}: {answer}");
        answer.trim_start_matches('=').trim().to_owned()
    };
    ask(&format!("boardsize {}", position.size.width()));
    ask("clear_board");
    for play in position.plays() {
        ask(&format!("play {} {}", play.color.letter(), play.vertex.to_gtp(position.size)));
    }
    let mut board = Board::new(position.size);
    for (color, name) in [(Color::Black, "black"), (Color::White, "white")] {
        for stone in ask(&format!("list_stones {name}")).split_whitespace() {
            if let Some(kifud::go::Vertex::At(point)) = kifud::go::Vertex::parse_gtp(stone, position.size) {
                board.set(point, Some(color));
            }
        }
    }
    ask("quit");
    child.wait().expect("GNU Go ends");
    board
}

fn a_series(white: &str, more: &[&str], size: u8) {
    let (_temporary, out) = folder(white);
    std::fs::create_dir_all(&out).expect("a folder");
    let Some(config) = settings(&out, white, more) else { return };
    let rows = play(&config, white, size, &out);
    for row in &rows {
        let path = out.join(format!("{:04}.sgf", row["game"].as_u64().expect("a number")));
        let record = Record::parse(std::fs::read_to_string(&path).expect("a record"));
        assert_eq!(record.findings(), [], "{}", path.display());
        assert_eq!(record.games().len(), 1);
        let last = NodeId(record.node_count() as u32 - 1);
        assert_eq!(
            record.values_of(NodeId(0), "RE").map(|value| value.raw()).collect::<Vec<_>>(),
            [&row["result"]]
        );
        let position = sgf::position(&record, last).expect("a position").position;
        assert!(position.steps.iter().all(|step| matches!(step, Step::Play(_))));
        assert_eq!(position.move_number() as u64, row["moves"].as_u64().expect("a number"), "{row}");
        assert!(position.move_number() <= 400);
        let colors: BTreeSet<_> = position.plays().enumerate().map(|(n, play)| (n % 2, play.color)).collect();
        assert!(colors.len() <= 2, "the sides alternate");
        assert!(gnugo(&position).same_stones(&position.board()), "{}", path.display());
    }
    println!("{} records replayed by GNU Go", rows.len());
}

#[test]
fn gnugo_against_leela_zero_on_19x19() {
    a_series("leelaz", &["-v", "2"], 19);
}

#[test]
fn gnugo_against_katago_on_9x9() {
    a_series("katago", &[], 9);
}

/// The engine in the box at fixed playouts, so that a slow machine plays the same games.
#[test]
fn the_box_plays_gnugo() {
    if std::env::var_os("KIFUD_ENGINES").is_none() {
        eprintln!("SKIPPED: real engines; KIFUD_ENGINES names the folder of tests/engines/setup.sh");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // A program without optimisation takes ten times as long.
    let black = if std::env::var_os("KIFUD_PROGRAM").is_some() { "box-2000" } else { "box-200" };
    let play = |games: &str| {
        let output = Command::new(kifud())
            .env("XDG_STATE_HOME", folder.path())
            .args([
                "--config",
                "tests/engines/strength.toml",
                "match",
                "--black",
                "box-2000",
                "--white",
                "gnugo",
            ])
            .args([
                "--games", games, "--size", "9", "--komi", "7", "--rules", "chinese", "--seed", "1", "--json",
            ])
            .arg("--resume")
            .arg(folder.path().join("book.jsonl"))
            .stderr(Stdio::inherit())
            .output()
            .expect("kifud runs");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success(), "{text}");
        print!("{text}");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
    };
    let first = play("1");
    let rest = play("4");
    let sum = rest.last().expect("the sum");
    assert_eq!((&sum["games"], &sum["distinct"]), (&4.into(), &4.into()), "{sum}");
    let rows: Vec<_> = first[..1].iter().chain(&rest[..rest.len() - 1]).collect();
    assert_eq!(rows.iter().map(|row| &row["game"]).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for row in rows {
        let by = row["by"].as_str().expect("what ended it");
        assert!(matches!(by, "passes" | "resign"), "{row}");
    }
}
