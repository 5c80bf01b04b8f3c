//! The engine in the box, as a program and inside the daemon.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Conversation, kifud};

/// What `kifud gtp` says to lines that are there from the start.
fn gtp(args: &[&str], lines: &str) -> String {
    let mut program = Command::new(kifud());
    program.arg("gtp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = program.spawn().unwrap();
    program.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let said = program.wait_with_output().unwrap();
    assert!(said.status.success(), "{said:?}");
    String::from_utf8(said.stdout).unwrap()
}

#[test]
fn a_gtp_program() {
    let said = gtp(&["--visits", "50"], "1 boardsize 9\n2 komi 7\n3 play b E5\n4 genmove w\n5 showboard\n");
    assert!(said.starts_with("=1 \n\n=2 \n\n=3 \n\n=4 "), "{said}");
    assert_eq!(said.matches('O').count(), 1, "{said}");
    assert_eq!(gtp(&[], "quit\nname\n"), "= \n\n", "nothing is heard after quit");
}

/// The engine's id.
fn attach(client: &mut Conversation) -> Value {
    let attached = client.request("engine/attach", json!({"name": "builtin"}));
    assert_eq!(attached["engine"]["demo"], true);
    assert_eq!(attached["engine"]["program"], "kifud demo engine");
    attached["engine"]["id"].clone()
}

/// Black's two lower rows against White's two upper ones, on 5x5, with the middle to be settled: Black has it.
const SETTLED: &str = "(;SZ[5]KM[0]AB[ac][bc][cc][dc][ec][ad][bd][dd][ed]AW[ab][bb][cb][db][eb][ba][da])";

#[test]
fn it_is_listed_and_analyses_a_node() {
    let mut client = Conversation::start(&[]);
    let listed = client.request("engine/list", json!({}));
    assert_eq!(listed["configured"], json!([{"name": "builtin", "path": "builtin", "protocol": "builtin"}]));
    let engine = attach(&mut client);
    let position = json!({"document": {"text": SETTLED}, "node": {"path": []}});
    let params =
        json!({"engineId": engine, "position": position, "limit": {"visits": 1000}, "ownership": true});
    let stream = client.request("engine/analyze", params);
    let last = client.event_in(&stream, "ended");
    assert_eq!(last["reason"], "limit", "{last}");
    // 15 points against 10.
    assert!(last["black"]["winrate"].as_f64().unwrap() > 85.0, "{last}");
    assert!(last["black"]["scoreLead"].as_f64().unwrap() > 3.0, "{last}");
}

/// Also what only one of its analyze commands can say.
#[test]
fn it_says_who_owns_what_and_no_more_moves_than_were_asked_for() {
    let mut client = Conversation::start(&[]);
    let engine = attach(&mut client);
    let position = json!({"boardSize": 9});
    let params = json!({
        "engineId": engine, "position": position, "interval": 5, "ownership": true, "maxMoves": 3,
        "limit": {"visits": 2000},
    });
    let stream = client.request("engine/analyze", params);
    let report = client.event_in(&stream, "running");
    assert_eq!(report["ownership"].as_array().map(Vec::len), Some(81), "{report}");
    let moves = report["moves"].as_array().unwrap().len();
    assert!((1..=3).contains(&moves), "{report}");
}

#[test]
fn its_moves_bring_no_values_into_a_record() {
    let mut client = Conversation::start(&[]);
    let engine = attach(&mut client);
    client.request("document/open", json!({"uri": "file:///a.sgf", "languageId": "sgf", "text": "(;SZ[5])"}));
    let position = json!({"document": {"uri": "file:///a.sgf"}, "node": {"path": []}});
    let moved = client.request("engine/genmove", json!({"engineId": engine, "position": position}));
    let text = moved["edit"]["edits"][0]["newText"].as_str().unwrap();
    assert!(text.starts_with(";B[") && !text.contains("SBK"), "{moved}");
    assert!(moved["analysis"]["winrate"].is_number(), "{moved}");
}

#[test]
fn a_long_search_ends_at_once_when_it_is_cancelled_or_let_go() {
    let mut client = Conversation::start(&[]);
    let engine = attach(&mut client);
    let id = client.ask("engine/genmove", json!({"engineId": engine, "position": {"boardSize": 19}}));
    std::thread::sleep(Duration::from_millis(200));
    client.request("kifud/cancel", json!({"id": id}));
    assert_eq!(client.answer(id)["error"]["data"]["kind"], "Cancelled");
    // The engine is at hand for the next one.
    let next = json!({"engineId": engine, "position": {"boardSize": 5}});
    assert!(client.request("engine/genmove", next)["move"]["vertex"].is_string());
    client.ask("engine/genmove", json!({"engineId": engine, "position": {"boardSize": 19}}));
    let started = Instant::now();
    client.request("engine/detach", json!({"engineId": engine}));
    assert!(started.elapsed() < Duration::from_secs(3), "it does not wait to be killed");
}

#[test]
fn an_untrusted_session_has_it_and_no_other() {
    let mut client = Conversation::start(&[]);
    client.initialize(json!({"initializationOptions": {"trusted": false}}));
    attach(&mut client);
    let inline = json!({"engine": {"name": "x", "path": "/bin/sh"}});
    assert_eq!(client.refused("engine/attach", inline)["data"]["kind"], "NotTrusted");
}

#[test]
fn what_its_arguments_may_be_is_said() {
    let mut client = Conversation::start(&[]);
    let engine = json!({"name": "mine", "protocol": "builtin", "args": "--visits many"});
    let error = client.refused("engine/attach", json!({"engine": engine}));
    assert_eq!(error["data"]["kind"], "EngineStartFailed");
    assert!(error["message"].as_str().unwrap().contains("--visits"), "{error}");
}
