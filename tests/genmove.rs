//! Moves and navigation from outside: what clients get, and what the engine is asked.

mod support;

use serde_json::{Value, json};
use support::{Conversation, example};

/// Attaches a fake engine; its id.
fn attach(client: &mut Conversation, script: &str) -> Value {
    let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": [script]});
    client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone()
}

fn open(client: &mut Conversation, text: &str) -> Value {
    client.request("document/open", json!({"uri": "file:///game.sgf", "languageId": "sgf", "text": text}));
    json!({"uri": "file:///game.sgf"})
}

const FOUND: &str =
    "info move C7 visits 40 winrate 4400 order 0 pv C7 info move D4 visits 2 winrate 4000 order 1 pv D4";

fn finds(answer: &str) -> String {
    format!("commands +lz-genmove_analyze\non lz-genmove_analyze: raw =%id\\n{FOUND}\\nplay {answer}\\n\\n")
}

#[test]
fn a_move_is_answered_with_its_analysis_and_the_edit_that_records_it() {
    let (mut client, engine) = Conversation::with_fake(false, &finds("C7"), None);
    let document = open(&mut client, "(;SZ[9]KM[7.5];B[aa])");
    let position = json!({"document": document, "node": {"path": [0]}});
    let moved = client.request("engine/genmove", json!({"engineId": engine, "position": position}));
    assert_eq!(moved["move"], json!({"color": "W", "vertex": "C7"}));
    assert_eq!(
        (&moved["captured"], &moved["pass"], &moved["resign"]),
        (&json!(0), &json!(false), &json!(false))
    );
    assert_eq!(moved["analysis"]["color"], "W");
    assert_eq!(moved["analysis"]["visits"], 42);
    assert_eq!(moved["analysis"]["winrate"], 44.0);
    assert_eq!(moved["analysis"]["black"]["winrate"], 56.0);
    assert_eq!(moved["analysis"]["node"], json!({"game": 0, "path": [0]}));
    assert_eq!(moved["node"], json!({"game": 0, "path": ["0*2"]}));
    // Behind the last node, before the parenthesis; the value is the move's, as Black sees it.
    let at = json!({"line": 0, "character": 20});
    let edits = json!([{"range": {"start": at, "end": at}, "newText": ";W[cc]SBKV[56]"}]);
    assert_eq!(moved["edit"], json!({"edits": edits}));
    let synced = client.request(
        "engine/sync",
        json!({"engineId": engine, "position": {"boardSize": 9, "komi": 7.5, "moves": [
            {"color": "B", "vertex": "A9"}, {"color": "W", "vertex": "C7"}]}}),
    );
    assert_eq!((&synced["strategy"], &synced["revision"]), (&json!("none"), &moved["revision"]));
}

#[test]
fn an_editor_gets_a_change_of_the_version_it_has_by_then() {
    let (mut client, engine) = Conversation::with_fake(true, "commands +lz-genmove_analyze\nthink 20", None);
    let uri = "file:///game.sgf";
    let text = "(;SZ[9]\n;B[ee]\n)\n";
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 1, "text": text}}),
    );
    let position = json!({"document": {"uri": uri}, "node": {"path": [0]}});
    let id = client.ask("engine/genmove", json!({"engineId": engine, "position": position}));
    // A comment is written at the root while the engine thinks.
    let place = json!({"line": 0, "character": 7});
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
            {"range": {"start": place, "end": place}, "text": "C[first\nsecond]"}]}),
    );
    let moved = client.answer(id)["result"].clone();
    assert_eq!(moved["move"], json!({"color": "W", "vertex": "A9"}));
    let change = &moved["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({"uri": uri, "version": 2}));
    let at = json!({"line": 2, "character": 6});
    assert_eq!(
        change["edits"],
        json!([{"range": {"start": at, "end": at}, "newText": "\n;W[aa]SBKV[49.99]"}])
    );
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_pass_is_a_node_and_a_resignation_the_result() {
    let (mut client, engine) =
        Conversation::with_fake(false, "on genmove w: reply PASS\non genmove b: reply Resign", None);
    let text = "(;SZ[9](;B[aa];W[bb])(;B[cc]))";
    let mut genmove = |path: Value| {
        let position = json!({"document": {"text": text}, "node": {"path": path}});
        client.request("engine/genmove", json!({"engineId": engine, "position": position}))
    };
    let passed = genmove(json!([1]));
    assert_eq!((&passed["move"]["vertex"], &passed["pass"]), (&json!("pass"), &json!(true)));
    assert_eq!(passed["edit"]["text"], "(;SZ[9](;B[aa];W[bb])(;B[cc];W[]))");
    assert_eq!(passed.get("analysis"), None);
    let resigned = genmove(json!(["0*2"]));
    assert_eq!((&resigned["resign"], resigned.get("move"), resigned.get("node")), (&json!(true), None, None));
    assert_eq!(resigned["edit"]["text"], "(;SZ[9]RE[W+Resign](;B[aa];W[bb])(;B[cc]))");
    let position =
        json!({"document": {"text": "(;SZ[9](;B[aa];W[bb])(;B[cc];W[dd]))"}, "node": {"path": [1, 0]}});
    let resigned = client.request("engine/genmove", json!({"engineId": engine, "position": position}));
    assert_eq!(resigned["edit"]["text"], "(;SZ[9]RE[W+Resign](;B[cc];W[dd])(;B[aa];W[bb]))");
}

#[test]
fn subscribers_see_what_the_engine_thinks_about_its_move() {
    let (mut client, engine) =
        Conversation::with_fake(false, "commands +lz-genmove_analyze\nthink 5\nevery 30", None);
    let events = client.request("events/subscribe", json!({"topics": ["analysis"], "engineId": engine}));
    assert_eq!(client.event(&events)["state"], "started");
    let document = open(&mut client, "(;SZ[9];B[ee])");
    let position = json!({"document": document, "node": {"path": [0]}});
    let id = client.ask("engine/genmove", json!({"engineId": engine, "position": position}));
    let event = client.event(&events);
    assert_eq!((&event["topic"], &event["engineId"]), (&json!("analysis"), &engine));
    let report = &event["analysis"];
    assert_eq!((&report["state"], &report["color"]), (&json!("running"), &json!("W")));
    assert_eq!(report["node"], json!({"game": 0, "path": [0]}));
    assert_eq!(report["winrate"], 50.01);
    let moved = client.answer(id)["result"].clone();
    assert_eq!(moved["analysis"]["visits"], 50);
}

#[test]
fn a_cancelled_move_leaves_the_board_as_it_was() {
    for script in [
        "commands +lz-genmove_analyze\nthink 30",
        "commands +kata-genmove_analyze +kata-search_analyze_cancellable\nthink 1000000",
        "on genmove: sleep 500; default",
    ] {
        let (mut client, engine) = Conversation::with_fake(false, script, None);
        let position = json!({"boardSize": 9, "moves": [{"color": "B", "vertex": "E5"}]});
        client.request("engine/sync", json!({"engineId": engine, "position": position}));
        let id = client.ask("engine/genmove", json!({"engineId": engine}));
        while client.request("engine/list", json!({}))["attached"][0]["state"] != "thinking" {}
        assert_eq!(client.request("kifud/cancel", json!({"id": id}))["cancelled"], true);
        assert_eq!(client.answer(id)["error"]["data"]["kind"], "Cancelled");
        let board = client.gtp(&engine, "showboard");
        assert_eq!(board.matches(['X', 'O']).count(), 1, "{script}");
        let synced = client.request("engine/sync", json!({"engineId": engine, "position": position}));
        assert_eq!(synced["strategy"], "none", "{script}");
    }
}

#[test]
fn a_burst_of_retargets_moves_the_engine_once() {
    let log = tempfile::NamedTempFile::new().expect("a log");
    let (mut client, engine) = Conversation::with_fake(false, "commands +lz-analyze", Some(log.path()));
    let text = format!("(;SZ[19]{})", [";B[aa];W[bb];B[cc];W[dd]"; 10].concat().replace("aa", "qd"));
    let document = open(&mut client, &text);
    let at = |moves: usize| json!({"document": document, "node": {"path": [format!("0*{moves}")]}});
    let stream =
        client.request("engine/analyze", json!({"engineId": engine, "position": at(1), "interval": 5}));
    client.event_in(&stream, "running");
    let asked: Vec<i64> = (1..=4)
        .map(|moves| client.ask("analysis/retarget", json!({"subscription": stream, "position": at(moves)})))
        .collect();
    let (last, others) = asked.split_last().expect("some");
    for id in others {
        let error = client.answer(*id)["error"].clone();
        assert_eq!(
            (&error["data"]["kind"], &error["data"]["cause"]),
            (&json!("Cancelled"), &json!("superseded"))
        );
    }
    let synced = client.answer(*last)["result"].clone();
    // The engine was brought to no node between: after events of the first come those of the last.
    let event = loop {
        let event = client.event_in(&stream, "running");
        if event["revision"] == synced["revision"] {
            break event;
        }
        assert_eq!(event["node"]["path"], json!([0]));
    };
    assert_eq!(event["node"]["path"], json!(["0*4"]));
    let received = std::fs::read_to_string(log.path()).expect("the log");
    assert_eq!(received.matches("lz-analyze").count(), 2, "{received}");
    assert_eq!(received.matches("protocol_version").count(), 2, "the handshake's and one stop: {received}");
    // Each was answered once.
    client.request("engine/stop", json!({"subscription": stream}));
    client.event_in(&stream, "ended");
    for message in client.drain(std::time::Duration::from_millis(100)) {
        assert!(message.get("id").is_none(), "a second answer: {message}");
    }
}

#[test]
fn states_and_names_are_seen() {
    let mut client = Conversation::start(&[]);
    let first = attach(&mut client, "commands +lz-analyze\non genmove: exit 3");
    attach(&mut client, "");
    attach(&mut client, "");
    let names = |client: &mut Conversation| {
        let attached = client.request("engine/list", json!({}))["attached"].clone();
        attached.as_array().expect("a list").iter().map(|engine| engine["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&mut client), ["Fake", "Fake 2", "Fake 3"]);
    let state = |client: &mut Conversation| {
        client.request("engine/list", json!({}))["attached"][0]["state"].as_str().expect("a state").to_owned()
    };
    assert_eq!(state(&mut client), "ready");
    let position = json!({"boardSize": 9, "moves": [{"color": "B", "vertex": "E5"}]});
    let stream = client.request("engine/analyze", json!({"engineId": first, "position": position}));
    client.event_in(&stream, "running");
    assert_eq!(state(&mut client), "analysing");
    let error = client.refused("engine/genmove", json!({"engineId": first}));
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["exitStatus"]),
        (&json!("EngineExited"), &json!("exit status 3"))
    );
    assert_eq!(state(&mut client), "restarting");
    // It comes back by itself, and stands where it was asked to be.
    while state(&mut client) != "ready" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(client.gtp(&first, "list_stones black"), "E5");
}
