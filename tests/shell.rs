//! kifud at the shell: output, files and exit codes.

mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use support::{example, fixture, kifud, without_values};

fn run(args: &[&str]) -> Output {
    Command::new(kifud()).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Analyses a file with the recorded engine.
fn analyze(file: &Path, more: &[&str]) -> Output {
    let transcripts = fixture("transcripts/katago-real");
    let mut args =
        vec!["analyze", file.to_str().unwrap(), "--replay", transcripts.to_str().unwrap(), "--visits", "50"];
    args.extend(more);
    run(&args)
}

#[test]
fn one_call() {
    let output =
        run(&["rpc", "record/board", r#"{"document": {"text": "(;SZ[2];B[aa])"}, "node": {"path": [0]}}"#]);
    assert!(output.status.success());
    let board: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(board["stones"], json!(["X.", ".."]));

    let output = run(&["rpc", "record/board", r#"{"document": {"text": "(;GM[11])"}}"#]);
    assert_eq!(output.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["data"]["kind"], "UnsupportedGame");
    assert_eq!(run(&["rpc", "record/board", "{"]).status.code(), Some(2));
    assert_eq!(run(&["nonsense"]).status.code(), Some(2));
    assert_eq!(run(&["--config", "/no/such.toml", "rpc", "kifud/status"]).status.code(), Some(2));
}

#[test]
fn calls_as_lines() {
    let mut child = Command::new(kifud())
        .args(["rpc", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = "{\"method\": \"document/open\", \"params\": {\"uri\": \"a\", \"text\": \"(;SZ[3])\"}}\n\n\
                 {\"id\": \"x\", \"method\": \"record/board\", \"params\": {\"document\": {\"uri\": \"a\"}}}\n\
                 {broken\n\
                 {\"method\": \"no/such\"}\n";
    // The last line but one is no UTF-8.
    let bytes = [lines.as_bytes(), b"\xff\xfe\n{\"method\": \"kifud/status\"}"].concat();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0], json!({"id": 1, "result": {}}));
    assert_eq!((&answers[1]["id"], &answers[1]["result"]["size"]), (&json!("x"), &json!(3)));
    assert_eq!(answers[2]["error"]["data"]["kind"], "ParseError");
    assert_eq!(answers[3]["error"]["data"]["kind"], "MethodNotFound");
    assert_eq!(answers[4]["error"]["data"]["kind"], "ParseError");
    assert_eq!(answers[5]["result"]["protocol"], "1.0");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_table_of_a_game() {
    let output = analyze(&fixture("games/short-9x9.sgf"), &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 31, "a heading, the root and 29 moves: {text}");
    assert!(
        lines[0].split_whitespace().eq(["move", "played", "win", "rate", "score", "loss", "best", "visits"]),
        "{text}"
    );
    assert!(lines[1..].iter().all(|line| line.ends_with(" 50")), "every node has its 50 visits: {text}");
    assert!(lines[30].contains("B pass"), "{text}");
}

#[test]
fn rows_as_json_and_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("game.svg");
    let output = analyze(&fixture("games/short-9x9.sgf"), &["--json", "--graph", graph.to_str().unwrap()]);
    let rows: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 31);
    assert_eq!(rows[30]["reason"], "finished");
    for pair in rows[..30].windows(2) {
        // Loss = what the mover had before, less what it has after: both from Black's numbers.
        let sign = if pair[1]["color"] == "B" { 1.0 } else { -1.0 };
        let lead = |row: &Value| sign * row["black"]["scoreLead"].as_f64().unwrap();
        let loss = lead(&pair[0]) - lead(&pair[1]);
        assert!((pair[1]["loss"].as_f64().unwrap() - loss).abs() < 2e-4, "{} {}", pair[0], pair[1]);
        let mover = pair[1]["winrate"].as_f64().unwrap();
        let black = pair[1]["black"]["winrate"].as_f64().unwrap();
        assert!((mover - if sign > 0.0 { black } else { 100.0 - black }).abs() < 2e-4);
    }
    let drawing = std::fs::read_to_string(graph).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.ends_with("</svg>\n"));
}

#[test]
fn writing_touches_only_the_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let original = std::fs::read_to_string(fixture("games/short-9x9.sgf")).unwrap().replace('\n', "\r\n");
    // The same game as an old Chinese program would have written it.
    let original = original.replace("CA[UTF-8]", "CA[GB18030]");
    let (bytes, _, lossy) = encoding_rs::GB18030.encode(&original);
    assert!(!lossy);
    std::fs::write(&path, &bytes).unwrap();
    let output = analyze(&path, &["--write"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read(&path).unwrap();
    let (text, _, broken) = encoding_rs::GB18030.decode(&written);
    assert!(!broken);
    assert_eq!(text.matches("SBKV[").count(), 30, "every node of the main line");
    assert_eq!(without_values(&text), original, "all other bytes are as they were");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left in the folder");
}

#[test]
fn an_interrupted_review_leaves_the_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    std::fs::copy(fixture("games/short-9x9.sgf"), &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut child = Command::new(kifud())
        .args([
            "analyze",
            path.to_str().unwrap(),
            "--replay",
            fixture("transcripts/katago-real").to_str().unwrap(),
        ])
        .args(["--seconds", "5", "--write", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    std::io::BufRead::read_line(&mut out, &mut first).unwrap();
    assert!(first.contains("\"running\""), "{first}");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// Analyses files with an engine that always has something to say.
fn analyze_with_fake(folder: &Path, files: &[&std::ffi::OsStr], more: &[&str]) -> Command {
    let config = folder.join("fake.toml");
    let fake = example("fake-engine");
    let args = r#"args = ["commands +kata-analyze", "every 5"]"#;
    let text = format!("[[engines]]\nname = \"fake\"\npath = {:?}\n{args}\n", fake.to_str().unwrap());
    std::fs::write(&config, text).unwrap();
    let mut command = Command::new(kifud());
    command.arg("--config").arg(&config).arg("analyze").args(files).args(["--visits", "10"]).args(more);
    command.current_dir(folder);
    command
}

#[test]
fn every_game_of_every_file_is_analysed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("two.sgf"), "(;SZ[9];B[aa])\n(;SZ[9];B[bb];W[cc])").unwrap();
    std::fs::write(at("chess.sgf"), "(;GM[3])(;SZ[9];B[dd])").unwrap();
    let files = ["none.sgf", "two.sgf", "chess.sgf"].map(std::ffi::OsStr::new);
    let more = ["--json", "--write", "--graph", "game.svg"];
    let output = analyze_with_fake(folder.path(), &files, &more).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "two of them had something wrong");
    assert!(said.contains("none.sgf") && said.contains("GM[3]"), "{said}");
    let rows: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let games: Vec<u64> = rows.iter().filter_map(|row| row["node"]["game"].as_u64()).collect();
    assert_eq!(games, [0, 0, 1, 1, 1, 1, 1], "{said}");
    for (name, nodes) in [("two.sgf", 5), ("chess.sgf", 2)] {
        let text = std::fs::read_to_string(at(name)).unwrap();
        assert_eq!(text.matches("SBKV[").count(), nodes, "{text}");
    }
    for graph in ["game.svg", "game-2.svg", "game-3.svg"] {
        assert!(at(graph).exists(), "{graph}");
    }
    // The table says which game.
    let table = analyze_with_fake(folder.path(), &files[1..2], &[]).output().unwrap();
    assert!(table.status.success());
    assert_eq!(stdout(&table).lines().filter(|line| *line == "two.sgf, game 2").count(), 1);
}

#[test]
fn a_game_without_any_value_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.sgf"), "(;SZ[9];B[aa])").unwrap();
    let mut command = analyze_with_fake(folder.path(), &[std::ffi::OsStr::new("a.sgf")], &[]);
    let config = folder.path().join("fake.toml");
    let text = std::fs::read_to_string(&config).unwrap().replace("every 5", "board 19");
    std::fs::write(&config, text).unwrap();
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("a.sgf: "), "{output:?}");
}

#[cfg(unix)]
#[test]
fn file_names_need_not_be_utf8_and_read_only_files_stay() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xce\xa7\xc6\xe5 50%.sgf");
    let path = folder.path().join(name);
    std::fs::write(&path, "(;SZ[9];B[aa])").unwrap();
    let output = analyze_with_fake(folder.path(), &[name], &["--write"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let written = std::fs::read(&path).unwrap();
    assert!(written.windows(5).any(|bytes| bytes == b"SBKV["));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let output = analyze_with_fake(folder.path(), &[name], &["--write"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("read-only"), "{output:?}");
    assert!(output.stdout.is_empty(), "it is said before the work");
    assert_eq!(std::fs::read(&path).unwrap(), written);
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.sgf"), format!("(;SZ[9]{})", ";B[aa];W[bb]".repeat(200))).unwrap();
    for more in [&["--json"][..], &[]] {
        let mut command = analyze_with_fake(folder.path(), &[std::ffi::OsStr::new("a.sgf")], more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let weak = run(&["analyze", fixture("games/short-9x9.sgf").to_str().unwrap(), "--visits", "2"]);
    assert!(
        weak.status.success() && String::from_utf8_lossy(&weak.stderr).contains("demo engine"),
        "{weak:?}"
    );
    let missing = analyze(Path::new("/no/such.sgf"), &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/no/such.sgf"), "{missing:?}");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bad.toml");
    std::fs::write(&config, "[[engines]]\nname = 5\n").unwrap();
    let bad = run(&["--config", config.to_str().unwrap(), "rpc", "engine/list"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("line 2, column 8"), "{bad:?}");
}

#[test]
fn the_documents_of_the_protocol_match_and_breaking_changes_are_refused() {
    let root = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(kifud()).args(["schema", "--check"]).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    // The examples are written by hand and stand beside the documents.
    std::fs::create_dir(folder.path().join("examples")).unwrap();
    for example in std::fs::read_dir(Path::new(root).join("protocol/examples")).unwrap() {
        let example = example.unwrap();
        if example.file_type().unwrap().is_file() {
            std::fs::copy(example.path(), folder.path().join("examples").join(example.file_name())).unwrap();
        }
    }
    assert!(run(&["schema", "--out", out]).status.success());
    // As if an older version had had one more method, and a result field that is gone now.
    let path = folder.path().join("openrpc.json");
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    document["components"]["schemas"]["Status"]["properties"]["uptimeMinutes"] = json!({"type": "integer"});
    let mut extra = document["methods"][0].clone();
    extra["name"] = "record/gone".into();
    document["methods"].as_array_mut().unwrap().push(extra);
    std::fs::write(&path, document.to_string()).unwrap();
    for args in [vec!["schema", "--out", out, "--check"], vec!["schema", "--out", out]] {
        let refused = run(&args);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(
            said.contains("method record/gone is gone") && said.contains("uptimeMinutes is gone"),
            "{said}"
        );
    }
    // A raised version allows it.
    document["info"]["version"] = "0.9".into();
    std::fs::write(&path, document.to_string()).unwrap();
    assert!(run(&["schema", "--out", out]).status.success());
    assert!(run(&["schema", "--out", out, "--check"]).status.success());
}
