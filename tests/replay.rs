//! `kifud replay` from outside, and the golden transcripts that it plays.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use expect_test::expect;
use serde_json::Value;

fn kifud(transcript: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifud"));
    command.arg("replay").arg("--transcript").arg(transcript).args(more);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Everything the program prints for this input, which then ends.
fn run(transcript: &Path, more: &[&str], input: &str) -> Output {
    let mut child = kifud(transcript, more).spawn().unwrap();
    // A program that refuses its arguments reads nothing: a broken pipe is no failure here.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// A folder with one file `two.txt` of two info lines.
fn two_lines() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.txt");
    fs::write(&file, "info move D4 visits 1\ninfo move E5 visits 2\n").unwrap();
    (folder, file)
}

/// A running program, spoken to line by line.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start(transcript: &Path, more: &[&str]) -> Session {
        let mut child = kifud(transcript, more).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Session { child, input, output }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the output ended");
        line.truncate(line.trim_end_matches('\n').len());
        line
    }

    /// The lines up to an empty one.
    fn block(&mut self) -> Vec<String> {
        std::iter::repeat_with(|| self.line()).take_while(|line| !line.is_empty()).collect()
    }

    fn ask(&mut self, command: &str) -> Vec<String> {
        self.send(command);
        self.block()
    }
}

#[test]
fn handshake_and_set_up_byte_for_byte() {
    let (_folder, file) = two_lines();
    let input = "1 protocol_version\n2 name\nknown_command kata-analyze\n3 known_command genmove\n\
        boardsize 13\r\n4 rectangular_boardsize 13 7\nclear_board\n5 komi 6.5 # by the file\n\n\
        set_free_handicap D4 K4\n\tplay  w N7\n6 undo\n7 undo\nkata-set-rules chinese\n\
        8 play b O1\n9 genmove b\n10 stop\n11 quit\n12 name\n";
    let output = run(&file, &[], input);
    expect![[r#"
        =1 2

        =2 replay

        = true

        =3 false

        = 

        =4 

        = 

        =5 

        = 

        = 

        =6 

        ?7 cannot undo

        = 

        ?8 could not parse the move

        ?9 unknown command

        =10 

        =11 

    "#]]
    .assert_eq(text(&output.stdout));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn commands_are_listed_one_a_line() {
    let (_folder, file) = two_lines();
    let output = run(&file, &["--analyze-command", "lz-analyze"], "list_commands\n");
    let text = text(&output.stdout);
    assert!(text.starts_with("= protocol_version\n") && text.ends_with("\nlz-analyze\n\n"), "{text}");
    assert!(!text.contains("kata-analyze"), "{text}");
}

#[test]
fn lines_repeat_until_any_input() {
    let (_folder, file) = two_lines();
    for stop in ["", "# a remark", "2 name"] {
        let mut session = Session::start(&file, &[]);
        session.send("1 kata-analyze b 20");
        let lines: Vec<String> = (0..5).map(|_| session.line()).collect();
        expect![[r#"
            =1
            info move D4 visits 1
            info move E5 visits 2
            info move D4 visits 1
            info move E5 visits 2"#]]
        .assert_eq(&lines.join("\n"));
        session.send(stop);
        // What was on its way may still arrive; the empty line ends it.
        assert!(session.block().iter().all(|late| late.starts_with("info ")), "{stop:?}");
        if stop == "2 name" {
            assert_eq!(session.block(), ["=2 replay"]);
        }
        assert_eq!(session.ask("3 version"), [concat!("=3 ", env!("CARGO_PKG_VERSION"))]);
        session.send("quit");
        assert!(session.child.wait().unwrap().success());
    }
}

#[test]
fn one_analysis_ends_another() {
    let (_folder, file) = two_lines();
    let mut session = Session::start(&file, &[]);
    session.send("1 kata-analyze b 20");
    session.send("2 kata-analyze w 20");
    assert_eq!(session.block()[0], "=1");
    assert_eq!([session.line(), session.line()], ["=2", "info move D4 visits 1"]);
}

#[test]
fn end_of_input_ends_the_analysis_and_the_program() {
    let (_folder, file) = two_lines();
    let output = run(&file, &[], "kata-analyze b 20\n");
    assert_eq!(text(&output.stdout), "=\ninfo move D4 visits 1\n\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn exit_2_says_why() {
    let (folder, file) = two_lines();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("empty.txt"), "").unwrap();
    fs::write(at("chat.txt"), "= \n\nhello\n").unwrap();
    let manifest = |name: &str, text: &str| {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("manifest.json"), text).unwrap();
    };
    let entry = |file: &str, moves: &str| {
        format!(
            r#"{{"program": "P", "version": "1", "transcripts": [
                {{"file": "{file}", "command": "kata-analyze", "boardSize": 9, "moves": [{moves}]}}]}}"#
        )
    };
    manifest("broken", "{");
    manifest("none", r#"{"program": "P", "version": "1", "transcripts": []}"#);
    manifest("lost", &entry("gone.txt", ""));
    manifest("odd", &entry("../two.txt", r#""B K10""#));
    manifest("good", &entry("../two.txt", ""));
    fs::create_dir(at("bare")).unwrap();

    let cases = [
        (at("nowhere.txt"), None, "nowhere.txt: No such file"),
        (at("empty.txt"), None, "empty.txt: no info lines in it"),
        (at("chat.txt"), None, "chat.txt: no info lines in it"),
        (at("bare"), None, "manifest.json: No such file"),
        (at("broken"), None, "manifest.json: EOF while parsing"),
        (at("none"), None, "none: no transcripts"),
        (at("lost"), None, "gone.txt: No such file"),
        (at("odd"), None, "\"B K10\" is not a move on 9x9"),
        (at("good"), Some("lz-analyze"), "good: no lz-analyze transcripts"),
    ];
    for (path, command, reason) in cases {
        let more = command.map_or(vec![], |name| vec!["--analyze-command", name]);
        let output = run(&path, &more, "name\n");
        assert_eq!(output.status.code(), Some(2), "{}", path.display());
        assert!(text(&output.stderr).contains(reason), "{}: {}", path.display(), text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    for path in [at("good"), file] {
        assert_eq!(run(&path, &[], "quit\n").status.code(), Some(0));
    }
}

/// `kifud capture` describes all engines in one manifest, above their folders.
#[test]
fn one_engine_among_several() {
    let folder = tempfile::tempdir().unwrap();
    let entry = |id: &str, program: &str, command: &str| {
        fs::create_dir_all(folder.path().join(id)).unwrap();
        fs::write(folder.path().join(id).join("p.txt"), "info move D4 visits 1\n").unwrap();
        format!(
            r#"{{"engineId": "{id}", "program": "{program}", "version": "1.0", "file": "{id}/p.txt",
                "command": "{command}", "boardSize": 9, "moves": [], "color": "B"}}"#
        )
    };
    let (one, two) = (entry("one", "One", "kata-analyze"), entry("two", "Two", "lz-analyze"));
    fs::write(folder.path().join("manifest.json"), format!(r#"{{"cells": [{one}, {two}]}}"#)).unwrap();
    let input = "name\nversion\nboardsize 9\nknown_command kata-analyze\nlz-analyze b 20\n";
    let analysed = "= Two\n\n= 1.0\n\n= \n\n= false\n\n=\ninfo move D4 visits 1\n\n";
    for path in ["two", "two/p.txt"] {
        assert_eq!(text(&run(&folder.path().join(path), &[], input).stdout), analysed, "{path}");
    }
    let both = run(folder.path(), &["--analyze-command", "lz-analyze"], input);
    assert_eq!(text(&both.stdout), analysed);
    fs::create_dir(folder.path().join("three")).unwrap();
    let none = run(&folder.path().join("three"), &[], input);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("three: no transcripts"), "{}", text(&none.stderr));
}

// The golden transcripts.

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Each folder of whole games with its manifest; `recorded_cells.rs` looks at the others.
fn manifests() -> Vec<(PathBuf, Value)> {
    let folders = fs::read_dir(fixtures().join("transcripts")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    let folders = folders.filter(|folder| folder.join("manifest.json").is_file());
    folders
        .map(|folder| {
            let manifest = fs::read(folder.join("manifest.json")).unwrap();
            (folder, serde_json::from_slice(&manifest).unwrap())
        })
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The commands that bring an engine to the position of a manifest's entry.
fn set_up(entry: &Value) -> Vec<String> {
    let size = match &entry["boardSize"] {
        Value::Array(sides) => format!("rectangular_boardsize {} {}", sides[0], sides[1]),
        side => format!("boardsize {side}"),
    };
    let mut commands = vec![size, "clear_board".to_owned(), format!("komi {}", entry["komi"])];
    commands.extend(list(&entry["moves"]).iter().map(|played| format!("play {}", string(played))));
    commands
}

#[test]
fn manifests_and_files_agree() {
    let mut recorded = BTreeSet::new();
    for (folder, manifest) in manifests() {
        let mut named = BTreeSet::from(["manifest.json".to_owned()]);
        for entry in list(&manifest["transcripts"]) {
            let file = string(&entry["file"]);
            assert!(named.insert(file.to_owned()), "{file} is named twice");
            let text = fs::read_to_string(folder.join(file)).unwrap();
            let infos = text.lines().filter(|line| line.starts_with("info move ")).count();
            assert_eq!(entry["lines"], infos, "{file}");
            let ends = text.lines().filter(|line| line.starts_with("play ")).count();
            assert_eq!(ends, usize::from(string(&entry["command"]).contains("search")), "{file}");
            assert_eq!(text.lines().count(), infos + ends, "{file}");
            assert!(fixtures().join("games").join(string(&entry["game"])).is_file(), "{file}");
            recorded.insert(format!("{} {} {}", manifest["program"], entry["command"], entry["boardSize"]));
        }
        let found = fs::read_dir(&folder).unwrap();
        let found = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(found.collect::<BTreeSet<_>>(), named, "{}", folder.display());
    }
    expect![[r#"
        "KataGo" "analyze" 9
        "KataGo" "kata-analyze" 13
        "KataGo" "kata-analyze" 19
        "KataGo" "kata-analyze" 9
        "KataGo" "kata-analyze" [13,7]
        "KataGo" "kata-search_analyze" 9
        "KataGo" "lz-analyze" 13
        "KataGo" "lz-analyze" 19
        "KataGo" "lz-analyze" 9
        "KataGo" "lz-analyze" [13,7]
        "Leela Zero" "lz-analyze" 19"#]]
    .assert_eq(&recorded.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_transcript_answers_its_position() {
    for (folder, manifest) in manifests() {
        let mut session = Session::start(&folder, &[]);
        assert_eq!(session.ask("name"), [format!("= {}", string(&manifest["program"]))]);
        assert_eq!(session.ask("version"), [format!("= {}", string(&manifest["version"]))]);
        for entry in list(&manifest["transcripts"]) {
            let file = string(&entry["file"]);
            for command in set_up(entry) {
                assert_eq!(session.ask(&command), ["= "], "{file}: {command}");
            }
            let text = fs::read_to_string(folder.join(file)).unwrap();
            session.send(&format!("9 {} {} 50", string(&entry["command"]), string(&entry["color"])));
            assert_eq!(session.line(), "=9");
            if text.contains("\nplay ") {
                assert_eq!(session.block().join("\n") + "\n", text, "{file}");
            } else {
                assert_eq!(session.line(), text.lines().next().unwrap(), "{file}");
                session.send("");
                session.block();
            }
        }
    }
}

#[test]
fn a_position_without_transcript_is_named() {
    let folder = fixtures().join("transcripts/katago-real");
    let mut session = Session::start(&folder, &[]);
    for command in ["boardsize 9", "komi 7", "play b A1", "play w pass"] {
        assert_eq!(session.ask(command), ["= "]);
    }
    assert_eq!(
        session.ask("4 kata-analyze b 50"),
        ["?4 no kata-analyze transcript for this position: 9x9, komi 7, 2 moves: B A1 W pass, colour B"]
    );
    assert_eq!(session.ask("5 name"), ["=5 KataGo"]);
}

/// The number that follows `key` after the word `rootInfo`.
fn root_value(line: &str, key: &str) -> f64 {
    let words: Vec<&str> = line.rsplit_once("rootInfo ").unwrap().1.split(' ').collect();
    let place = words.iter().position(|word| *word == key).unwrap();
    words[place + 1].parse().unwrap()
}

/// The endgame's title says it: Black is far ahead.
#[test]
fn the_decided_endgame_is_decided() {
    let file = fixtures().join("transcripts/katago-real/endgame-9x9.28.kata-analyze.txt");
    let text = fs::read_to_string(file).unwrap();
    let last = text.lines().last().unwrap();
    assert!(root_value(last, "winrate") > 0.9);
    assert!(root_value(last, "scoreLead") > 10.0);
}

/// Each node of the short game, from the empty board to both passes, was searched for exactly
/// 50 visits; `kata-analyze`, which only time ends, reached about as many.
#[test]
fn the_short_game_is_recorded_at_every_node() {
    let folder = fixtures().join("transcripts/katago-real");
    let (_, manifest) = manifests().into_iter().find(|(found, _)| *found == folder).unwrap();
    for (command, exact) in [("kata-search_analyze", true), ("kata-analyze", false)] {
        let entries = list(&manifest["transcripts"]).iter();
        let entries: Vec<&Value> =
            entries.filter(|entry| entry["game"] == "short-9x9.sgf" && entry["command"] == command).collect();
        let nodes: Vec<&Value> = entries.iter().map(|entry| &entry["node"]).collect();
        assert_eq!(nodes, (0..=29).collect::<Vec<_>>());
        for entry in entries {
            let text = fs::read_to_string(folder.join(string(&entry["file"]))).unwrap();
            let last = text.lines().rfind(|line| line.starts_with("info ")).unwrap();
            let visits = root_value(last, "visits");
            assert!(if exact { visits == 50.0 } else { visits >= 30.0 }, "{}: {visits}", entry["file"]);
        }
    }
}
