//! Several editors, one daemon: `kifud connect`, `kifud status`, `kifud stop`.
#![cfg(unix)]

#[path = "support/home.rs"]
mod home;
mod support;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use home::{Home, insert, open, processes, properties, until};
use serde_json::{Value, json};
use support::{Conversation, example};

fn attach(client: &mut Conversation, script: &str) -> Value {
    let engine = json!({"name": "fake", "path": example("fake-engine"), "args": [script]});
    client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone()
}

#[test]
fn five_at_once_start_one_daemon() {
    let home = Home::new();
    let mut clients: Vec<Conversation> = (0..5).map(|_| home.connect()).collect();
    for client in &mut clients {
        client.request("kifud/status", json!({}));
    }
    assert_eq!(home.processes("--shared").len(), 1);
    let status = home.status();
    assert_eq!((&status["running"], &status["sessions"]), (&json!(true), &json!(5)));
    assert_eq!(status["pid"], home.processes("--shared")[0]);
    assert_eq!(status["protocol"], "1.0");
}

#[test]
fn an_editor_s_conversation() {
    let home = Home::new();
    let mut client = home.connect();
    let initialized = client.initialize(json!({}));
    assert_eq!(initialized["serverInfo"]["name"], "kifud");
    open(&mut client, "file:///a.sgf", "(;SZ[9];B[aa];W[zz])");
    let found = client.wait("findings", |message| message["method"] == "textDocument/publishDiagnostics");
    assert!(!found["params"]["diagnostics"].as_array().unwrap().is_empty(), "{found}");
    let at = json!({"textDocument": {"uri": "file:///a.sgf"}, "position": {"line": 0, "character": 9}});
    let hover = client.request("textDocument/hover", at);
    assert!(hover["contents"].to_string().contains("A9"), "{hover}");
    insert(&mut client, "file:///a.sgf", 2, 7, "C[围棋]");
    insert(&mut client, "file:///a.sgf", 3, 11, "!");
    assert_eq!(properties(&mut client, "file:///a.sgf")[0], json!({"SZ": ["9"], "C": ["围棋!"]}));
    let error = client.refused("record/board", json!({}));
    assert_eq!(error["data"]["kind"], "InvalidParams");
    client.raw(b"Content-Length: x\r\n\r\n");
    let error = client.wait("an error", |message| message["error"]["data"]["kind"] == "ParseError");
    assert_eq!(error["id"], Value::Null);
    assert_eq!(client.leave(), 0);
    until("its session is closed", || home.status()["sessions"] == 0);
    assert_eq!(home.status()["documents"], 0);
    let mut rude = home.editor();
    rude.close_stdin();
    assert_eq!(rude.exit().code(), Some(1), "an editor says shutdown first");
    let mut plain = home.connect();
    let id = plain.ask("kifud/status", json!({}));
    plain.close_stdin();
    plain.answer(id);
    assert_eq!(plain.exit().code(), Some(0));
}

#[test]
fn two_clients_never_see_each_other_s_documents() {
    let home = Home::new();
    let (mut one, mut two) = (home.editor(), home.editor());
    open(&mut one, "untitled:1", "(;C[one])");
    open(&mut two, "untitled:1", "(;C[two])");
    open(&mut one, "untitled:2", "(;C[mine])");
    insert(&mut two, "untitled:1", 2, 4, "2");
    assert_eq!(properties(&mut one, "untitled:1"), [json!({"C": ["one"]})]);
    assert_eq!(properties(&mut two, "untitled:1"), [json!({"C": ["2two"]})]);
    let error = two.refused("record/tree", json!({"document": {"uri": "untitled:2"}}));
    assert_eq!(error["data"]["kind"], "NotFound");
    assert_eq!(home.status()["documents"], 3);

    // One is killed, the other is not disturbed.
    let engine = attach(&mut two, "commands +kata-analyze");
    let analyze = json!({"engineId": engine, "position": {"boardSize": 9}});
    let subscription = two.request("engine/analyze", analyze);
    two.event_in(&subscription, "running");
    one.child.kill().unwrap();
    until("the session is closed", || home.status()["sessions"] == 1);
    assert_eq!(home.status()["documents"], 1);
    two.event_in(&subscription, "running");
    insert(&mut two, "untitled:1", 3, 4, "3");
    assert_eq!(properties(&mut two, "untitled:1"), [json!({"C": ["32two"]})]);
    assert_eq!(two.leave(), 0);
    until("the engine is gone", || home.status()["engines"] == 0);
}

#[test]
fn a_bridge_ends_with_its_editor() {
    let home = Home::new();
    let mut editor = Command::new("sleep").arg("60").spawn().unwrap();
    let mut client = home.connect();
    client.initialize(json!({"processId": editor.id()}));
    open(&mut client, "untitled:a", "(;)");
    properties(&mut client, "untitled:a");
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert_eq!(client.exit().code(), Some(1), "its pipes are open still");
    until("the session is closed", || home.status()["sessions"] == 0);
    assert_eq!(home.status()["documents"], 0);
}

#[test]
fn relative_paths_start_where_the_client_is() {
    let home = Home::new();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(example("fake-engine"), folder.path().join("engine")).unwrap();
    let mut command = home.command(&["connect"]);
    command.current_dir(folder.path());
    let mut client = Conversation::spawn(command);
    let attached = client.request("engine/attach", json!({"engine": {"name": "here", "path": "./engine"}}));
    assert_eq!(attached["engine"]["name"], "here");
}

#[test]
fn a_daemon_that_is_killed_under_load_comes_back() {
    let home = Home::new();
    let mut client = home.connect();
    client.initialize(json!({"capabilities": {"general": {"positionEncodings": ["utf-8"]}}}));
    open(&mut client, "untitled:a", "(;SZ[9]C[围棋];B[aa])");
    insert(&mut client, "untitled:a", 2, 15, "!");
    let settings = client.request("kifud/configure", json!({"set": {"moveDelayMs": 7}}));
    assert_eq!(settings["settings"]["moveDelayMs"], 7);
    let mark = format!("version killed-{}", std::process::id());
    let script = format!("commands +kata-analyze\n{mark}\non genmove: silence");
    let engine = attach(&mut client, &script);
    let subscription =
        client.request("engine/analyze", json!({"engineId": engine, "position": {"boardSize": 9}}));
    client.event_in(&subscription, "running");
    let other = attach(&mut client, &script);
    let pending = client.ask("engine/genmove", json!({"engineId": other, "position": {"boardSize": 9}}));
    let engines = || processes(|line, _| line.contains(&mark));
    assert_eq!(engines().len(), 2);
    let daemon = home.daemon();

    let killed = Instant::now();
    home.kill(daemon);
    // The scheduler of a busy machine gets as much again.
    while !engines().is_empty() {
        assert!(killed.elapsed() < Duration::from_secs(2), "still there: {:?}", engines());
        std::thread::sleep(Duration::from_millis(10));
    }
    let error = client.answer(pending)["error"].clone();
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(1004), &json!("DaemonLost")));
    let last = client.event_in(&subscription, "ended");
    assert_eq!(last["reason"], "shutdown");
    let shown = client.wait("a warning", |message| message["method"] == "window/showMessage");
    assert!(shown["params"]["message"].as_str().unwrap().contains("lost"), "{shown}");

    assert_eq!(properties(&mut client, "untitled:a")[0], json!({"SZ": ["9"], "C": ["围棋!"]}));
    insert(&mut client, "untitled:a", 3, 15, "?");
    assert_eq!(properties(&mut client, "untitled:a")[0]["C"], json!(["围棋?!"]), "columns count bytes again");
    let settings = client.request("kifud/configure", json!({"get": ["moveDelayMs"]}));
    assert_eq!(settings["settings"]["moveDelayMs"], 7, "{}", home.log());
    let unknown = client.refused("engine/send", json!({"engineId": engine, "command": "name"}));
    assert_eq!(unknown["data"]["kind"], "EngineNotFound");
    let again = attach(&mut client, "commands +kata-analyze");
    let next = client.request("engine/analyze", json!({"engineId": again, "position": {"boardSize": 9}}));
    assert_ne!(next, subscription);
    client.event_in(&next, "running");
    assert_ne!(home.daemon(), daemon);
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_daemon_leaves_when_nobody_needs_it_but_not_during_a_game() {
    let home = Home::with(&["leaveAfterSeconds=1"]);
    let mut client = home.connect();
    let script = "on genmove: sleep 40; default";
    let (black, white) = (attach(&mut client, script), attach(&mut client, script));
    let game = json!({"black": {"engineId": black}, "white": {"engineId": white}, "moveDelayMs": 0,
                      "position": {"boardSize": 19}, "moveLimit": 100});
    let subscription = client.request("game/start", game);
    let last = client.event_in(&subscription, "ended");
    assert_eq!(last["verdict"]["by"], "moveLimit", "{last}");
    let daemon = home.processes("--shared");
    assert_eq!(daemon.len(), 1, "it was there all the time");
    drop(client);
    until("it leaves", || home.processes("--shared").is_empty());
    assert!(!home.run(&["status"]).status.success());
    let left: Vec<_> =
        std::fs::read_dir(home.runtime()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".sock")), "{left:?}");
    home.connect().request("kifud/status", json!({}));
    assert_ne!(home.processes("--shared"), daemon);
}

#[test]
fn status_and_stop() {
    let home = Home::new();
    let say = |output: &Output| String::from_utf8_lossy(&output.stdout).trim().to_owned();
    for command in ["status", "stop"] {
        let output = home.run(&[command]);
        assert_eq!((output.status.code(), say(&output)), (Some(1), "no shared daemon is running".to_owned()));
    }
    assert_eq!(home.status(), json!({"running": false}));
    let mut client = home.editor();
    open(&mut client, "untitled:a", "(;C[a])");
    properties(&mut client, "untitled:a");
    let daemon = home.daemon();
    let output = home.run(&["status"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = say(&output);
    for words in [format!("process    {daemon}"), "sessions   1".to_owned(), "documents  1".to_owned()] {
        assert!(shown.contains(&words), "{shown}");
    }
    assert!(home.status()["rssBytes"].as_u64().unwrap() > 0);
    let output = home.run(&["stop"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(say(&output), format!("the shared daemon (process {daemon}) has ended"));
    // It comes back when it is needed, and not before.
    assert_eq!(
        client
            .drain(Duration::from_millis(300))
            .iter()
            .filter(|m| m["method"] == "window/showMessage")
            .count(),
        0
    );
    assert_eq!(home.status(), json!({"running": false}));
    assert_eq!(properties(&mut client, "untitled:a"), [json!({"C": ["a"]})]);
    assert_ne!(home.daemon(), daemon);
    assert_eq!(client.leave(), 0);
}

#[test]
fn other_settings_are_another_daemon() {
    let (home, mut other) = (Home::new(), Home::with(&["moveDelayMs=5"]));
    other.folder = tempfile::tempdir().unwrap();
    let mut plain = home.connect();
    plain.request("kifud/status", json!({}));
    let mut command = home.command(&["--set", "moveDelayMs=5", "connect"]);
    command.stdin(std::process::Stdio::piped());
    let mut set = Conversation::spawn(command);
    let delay = |client: &mut Conversation| {
        client.request("kifud/configure", json!({"get": ["moveDelayMs"]}))["settings"]["moveDelayMs"].clone()
    };
    assert_eq!((delay(&mut plain), delay(&mut set)), (json!(300), json!(5)));
    assert_eq!(home.processes("--shared").len(), 2);
}

/// Something that must not be used as the runtime folder or the socket, and why not.
type Planted = (fn(&Path), &'static str);

#[test]
fn a_daemon_that_hangs_is_waited_for_once() {
    let home = Home::new();
    let first = home.editor();
    let daemon = home.daemon();
    let signal = |name: &str| Command::new("kill").args([name, &daemon.to_string()]).status().unwrap();
    signal("-STOP");
    // Five times that would be too long for the test.
    let mut second = home.connect();
    second.initialize(json!({}));
    let warned = second.wait("a warning", |message| message["method"] == "window/showMessage");
    assert!(warned.to_string().contains("it says nothing"), "{warned}");
    signal("-CONT");
    assert_eq!((first.leave(), second.leave()), (0, 0));
}

#[test]
fn broken_settings_keep_nobody_from_a_daemon_that_runs() {
    let home = Home::configured("");
    let first = home.editor();
    std::fs::write(home.folder.path().join("kifud.toml"), "broken = [").unwrap();
    let mut second = home.editor();
    second.wait("a warning", |message| {
        let shown = message["params"]["message"].as_str().unwrap_or_default();
        shown.contains("kifud.toml: line 1") && shown.ends_with("goes on with the settings that it has")
    });
    assert_eq!(second.request("kifud/status", json!({}))["sessions"], 2);
    assert_eq!((first.leave(), second.leave()), (0, 0));
    assert!(home.run(&["stop"]).status.success());
    assert_eq!(home.connect().exit().code(), Some(2), "without a daemon they are the user's to mend");
}

#[test]
fn what_was_planted_is_refused_and_the_editor_still_served() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let cases: [Planted; 5] = [
        (|folder| std::fs::write(folder, "").unwrap(), "is not a folder"),
        (
            |folder| {
                std::fs::create_dir(folder.with_extension("real")).unwrap();
                symlink(folder.with_extension("real"), folder).unwrap();
            },
            "is not a folder",
        ),
        (
            |folder| {
                std::fs::create_dir(folder).unwrap();
                std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
            },
            "is open to other users",
        ),
        (|folder| in_private(folder, |socket| std::fs::write(socket, "").unwrap()), "is not a socket"),
        (|folder| in_private(folder, |socket| symlink("/dev/null", socket).unwrap()), "is not a socket"),
    ];
    for (plant, why) in cases {
        let home = Home::new();
        plant(&home.runtime());
        let output = home.run(&["status"]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{said}");
        let said = String::from_utf8_lossy(&home.run(&["serve", "--shared"]).stderr).into_owned();
        assert!(said.contains(why), "{said}");
        let mut client = home.editor();
        let shown = client.wait("a warning", |message| message["method"] == "window/showMessage");
        assert_eq!(shown["params"]["type"], 2);
        assert!(shown["params"]["message"].as_str().unwrap().contains(why), "{shown}");
        open(&mut client, "untitled:a", "(;C[a])");
        assert_eq!(properties(&mut client, "untitled:a"), [json!({"C": ["a"]})]);
        assert!(home.processes("--shared").is_empty(), "nothing was started");
        assert_eq!(client.leave(), 0);
    }
}

fn in_private(folder: &Path, plant: impl Fn(&Path)) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir(folder).unwrap();
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700)).unwrap();
    plant(&folder.join("shared-1.0.sock"));
}
