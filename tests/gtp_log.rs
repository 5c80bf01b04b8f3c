//! The GTP log and the events of a session, against what really went over the pipes.

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kifud::engine::{Host, Timeouts};
use kifud::service::Service;
use kifud::service::gtp_log::LogSettings;
use kifud::service::session::Session;
use kifud::service::settings::Settings;
use kifud::service::stream::Subscription;
use kifud::service::table::{Answer, Call, Table};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{Conversation, PATIENCE, example, kifud};

/// The longest analysis line that KataGo is known to have printed, bytes.
const LONG: usize = 1_390_000;

/// A daemon in this process, with its log in a folder.
fn daemon(log: Option<&Path>) -> Arc<Service> {
    let service = Service::new(Settings::default(), Host::new(Timeouts::default(), kifud()));
    service.gtp_log.set(log.map(LogSettings::in_folder));
    service
}

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

async fn call(service: &Arc<Service>, session: &Arc<Session>, method: &str, params: Value) -> Value {
    let params = raw(&params);
    let call = Call { id: None, method, params: Some(&params), subscription: None };
    match Table::dispatch(service, session, call).await {
        Ok(Answer::Value(value)) => serde_json::from_str(value.get()).unwrap(),
        Ok(Answer::Stream { .. }) => panic!("{method} is a stream"),
        Err(error) => panic!("{method}: {error}"),
    }
}

async fn listen(service: &Arc<Service>, session: &Arc<Session>, params: Value) -> Subscription {
    let params = raw(&params);
    let call = Call { id: None, method: "events/subscribe", params: Some(&params), subscription: None };
    match Table::dispatch(service, session, call).await {
        Ok(Answer::Stream { event: "events/event", subscription, .. }) => subscription,
        Ok(_) => panic!("events/subscribe is a stream of events/event"),
        Err(error) => panic!("{error}"),
    }
}

async fn event(subscription: &Subscription) -> Value {
    let next = tokio::time::timeout(PATIENCE, subscription.next()).await.expect("an event comes");
    serde_json::from_str(next.expect("the stream goes on").get()).unwrap()
}

/// Events up to the first that fits.
async fn until(subscription: &Subscription, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut events = Vec::new();
    while !events.last().is_some_and(&fits) {
        events.push(event(subscription).await);
    }
    events
}

async fn attach(service: &Arc<Service>, session: &Arc<Session>, name: &str, script: &[&str]) -> String {
    let engine = json!({"name": name, "path": example("fake-engine"), "args": script});
    let answer = call(service, session, "engine/attach", json!({"engine": engine})).await;
    answer["engine"]["id"].as_str().expect("an id").to_owned()
}

/// Every file of the log by its name: direction and text of each line. Checks all that is around them.
fn read_log(folder: &Path, engine: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut logs = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let mut lines = Vec::new();
        for line in text.split_terminator('\n') {
            let (moment, rest) = line.split_at("[2026-11-30 03:18:40.123] ".len());
            let shape: String = moment.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            assert_eq!(shape, "[0000-00-00 00:00:00.000] ", "{line}");
            let rest = rest.strip_prefix(&format!("<{engine}>   (")).expect("the engine's name");
            let (way, text) = rest.split_once(") : ").expect("the direction");
            lines.push((way.to_owned(), text.to_owned()));
        }
        logs.insert(name, lines);
    }
    logs
}

fn of<'a>(lines: &'a [(String, String)], way: &str) -> Vec<&'a str> {
    lines.iter().filter(|(its, _)| its == way).map(|(_, text)| text.as_str()).collect()
}

/// `tee` keeps what goes over the pipes, so that the log is held against a second opinion.
#[test]
fn the_log_is_what_went_over_the_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let script = "on start: stderr loading; raw noise before\\n\non known_command x: stderr 围棋 hunter2\\nhalf; reply a\\nb hunter2\n";
    std::fs::write(at("script"), script).unwrap();
    let fake = example("fake-engine");
    let line =
        format!("TOKEN=hunter2; tee {} | {} {} | tee {}", at("in"), fake.display(), at("script"), at("out"));
    let mut client = Conversation::start(&["serve", "--gtp-log", logs.to_str().unwrap()]);
    let engine = json!({"name": "Fake", "path": "sh", "args": ["-c", line]});
    for _ in 0..2 {
        let attached = client.request("engine/attach", json!({"engine": engine}));
        let id = &attached["engine"]["id"];
        client.gtp(id, "known_command x");
        let position = json!({"boardSize": 9, "komi": 6.5, "moves": [{"color": "B", "vertex": "E5"}]});
        client.request("engine/sync", json!({"engineId": id, "position": position}));
        client.request("engine/send", json!({"engineId": id, "command": "no_such_command"}));
        client.request("engine/detach", json!({"engineId": id}));
    }
    let pid = client.child.id();
    client.close_stdin();
    client.exit();

    let logs = read_log(&logs, "Fake");
    assert_eq!(logs.len(), 2, "each attach has a file of its own");
    // Both runs were alike, and tee has kept the second.
    let masked = |name: &str| std::fs::read_to_string(at(name)).unwrap().replace("hunter2", "***");
    let (sent, said) = (masked("in"), masked("out"));
    for (name, lines) in &logs {
        assert!(name.starts_with("kifud_2") && name.ends_with(&format!("_{pid}.log")), "{name}");
        assert_eq!(of(lines, "in"), sent.lines().collect::<Vec<_>>());
        assert_eq!(of(lines, "out"), said.lines().collect::<Vec<_>>());
        assert_eq!(of(lines, "err"), ["loading", "围棋 ***", "half"]);
        let remarks = of(lines, "meta");
        assert!(remarks[0].starts_with("starting sh -c 'TOKEN=***'"), "{remarks:?}");
        assert_eq!(remarks[1..], ["the program has ended: exit status 0"]);
        assert_eq!(sent.lines().last(), Some("quit"));
        assert!(said.contains("illegal") || said.contains("unknown command"), "a refusal is in it: {said}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    for args in [&["serve"][..], &["rpc", "engine/list"], &["analyze", "x.sgf", "--replay", "y"]] {
        let output = Command::new(kifud()).args(args).arg("--gtp-log").arg(&missing).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?} {said}");
        assert!(said.contains("missing, does not exist; make it writable, name another folder"), "{said}");
    }
    // A folder that goes away later is told by the next attach.
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let mut client = Conversation::start(&["serve", "--gtp-log", logs.to_str().unwrap()]);
    client.request("kifud/status", json!({}));
    std::fs::remove_dir(&logs).unwrap();
    let engine = json!({"name": "Fake", "path": example("fake-engine")});
    let error = client.refused("engine/attach", json!({"engine": engine}));
    assert_eq!((error["data"]["kind"].as_str(), &error["data"]["folder"]), (Some("NotFound"), &json!(logs)));
    std::fs::create_dir(&logs).unwrap();
    let attached = client.request("engine/attach", json!({"engine": engine}));
    assert_eq!(attached["engine"]["name"], "Fake", "the failed attach has left its name free");
}

#[test]
fn an_engine_that_does_not_start_leaves_a_log_that_says_why() {
    let logs = tempfile::tempdir().unwrap();
    let mut client = Conversation::start(&["serve", "--gtp-log", logs.path().to_str().unwrap()]);
    let script = "on start: stderr cannot load net.bin.gz; exit 3";
    let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": [script]});
    client.refused("engine/attach", json!({"engine": engine}));
    client.close_stdin();
    client.exit();
    let logs = read_log(logs.path(), "Fake");
    let lines = logs.values().next().expect("a file");
    assert_eq!(of(lines, "err"), ["cannot load net.bin.gz"]);
    let remarks = of(lines, "meta");
    assert_eq!(remarks[1], "the program has ended: exit status 3");
    assert!(remarks[2].starts_with("the engine is not attached: the program ended before it answered"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_hears_its_own_engines_from_before_it_listened() {
    let service = daemon(None);
    let (mine, other) = (service.open_session(true).unwrap(), service.open_session(true).unwrap());
    let elsewhere = listen(&service, &other, json!({"topics": ["engine", "output"]})).await;
    let live = listen(&service, &mine, json!({"topics": ["engine"]})).await;
    let fake = attach(&service, &mine, "Fake", &["name Fake One"]).await;
    let second = attach(&service, &mine, "Fake", &[]).await;

    let late = listen(&service, &mine, json!({"topics": ["output"], "engineId": fake})).await;
    call(&service, &mine, "engine/send", json!({"engineId": second, "command": "name"})).await;
    call(&service, &mine, "engine/send", json!({"engineId": fake, "command": "known_command play"})).await;
    call(&service, &mine, "engine/detach", json!({"engineId": fake})).await;

    let heard = until(&late, |event| event["output"]["text"] == "the program has ended: exit status 0").await;
    assert_eq!(heard[0], json!({"state": "started"}));
    assert!(heard[1..].iter().all(|event| event["engineId"] == *fake && event["topic"] == "output"));
    assert!(heard[1..].iter().all(|event| event["missed"].is_null() && event["at"].is_u64()));
    let said = |past: bool| {
        let part = heard[1..].iter().filter(move |event| (event["past"] == true) == past);
        part.map(|event| {
            let line = &event["output"];
            assert_eq!(line["name"], "Fake");
            format!("{} {}", line["direction"].as_str().unwrap(), line["text"].as_str().unwrap())
        })
        .collect::<Vec<_>>()
    };
    let past = said(true);
    assert!(
        past[0].starts_with("meta starting ") && past[1] == "in 1 name" && past[2] == "out =1 Fake One",
        "{past:?}"
    );
    let now = said(false);
    assert!(now[0].starts_with("in ") && now[0].ends_with(" known_command play"), "{now:?}");
    assert!(now[1].starts_with("out =") && now[1].ends_with(" true"), "{now:?}");
    assert!(now.contains(&"in quit".to_owned()), "{now:?}");

    let states =
        until(&live, |event| event["engineId"] == *fake && event["engine"]["state"] == last_state()).await;
    assert_eq!(states[1]["engine"], json!({"name": "Fake", "state": "starting"}));
    assert!(states.iter().any(|event| event["engine"]["name"] == "Fake 2"));

    // Had anything of it reached the other session, it would stand before this.
    attach(&service, &other, "Elsewhere", &[]).await;
    assert_eq!(event(&elsewhere).await, json!({"state": "started"}));
    assert_eq!(event(&elsewhere).await["engine"], json!({"name": "Elsewhere", "state": "starting"}));
    service.shutdown().await;
    let last = until(&live, |event| event["state"] == "ended").await;
    assert_eq!(last.last().unwrap()["reason"], "shutdown");
}

/// The last state of an engine, as the wire spells it.
fn last_state() -> Value {
    serde_json::to_value(kifud::service::engines::EngineState::from(kifud::engine::State::Stopped)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_progress_and_analyses_are_told() {
    let service = daemon(None);
    let session = service.open_session(true).unwrap();
    let topics = json!({"topics": ["documents", "progress", "analysis"]});
    let events = listen(&service, &session, topics).await;
    let uri = "file:///a.sgf";
    call(&service, &session, "document/open", json!({"uri": uri, "text": "(;SZ[9])", "version": 3})).await;
    call(
        &service,
        &session,
        "document/change",
        json!({"uri": uri, "version": 4, "changes": [{"text": "(;)"}]}),
    )
    .await;
    call(&service, &session, "document/close", json!({"uri": uri})).await;
    let fake = attach(&service, &session, "Fake", &["commands +kata-analyze", "every 1"]).await;
    let heard = until(&events, |event| event["progress"]["value"]["kind"] == "end").await;
    let documents: Vec<&Value> = heard.iter().filter(|event| event["topic"] == "documents").collect();
    let told: Vec<Value> = documents.iter().map(|event| event["documents"].clone()).collect();
    assert_eq!(
        told,
        [json!({"uri": uri, "version": 3}), json!({"uri": uri, "version": 4}), json!({"uri": uri})]
    );
    assert!(heard.iter().any(|event| event["progress"]["value"]["title"] == "Starting Fake"));

    let params = raw(&json!({"engineId": fake, "position": {"boardSize": 9, "moves": []}}));
    let analyze = Call { id: None, method: "engine/analyze", params: Some(&params), subscription: None };
    let Ok(Answer::Stream { subscription: _unread, .. }) = Table::dispatch(&service, &session, analyze).await
    else {
        panic!("an analysis runs");
    };
    let heard = until(&events, |event| event["topic"] == "analysis").await;
    let report = heard.last().unwrap();
    assert_eq!((&report["engineId"], &report["analysis"]["engineId"]), (&json!(fake), &json!(fake)));
    assert!(report["analysis"]["visits"].is_u64(), "{report}");
    service.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wishes_that_make_no_sense_are_refused() {
    let service = daemon(None);
    let session = service.open_session(true).unwrap();
    for (params, expected) in [
        (json!({"topics": []}), "InvalidParams"),
        (json!({"topics": ["weather"]}), "InvalidParams"),
        (json!({}), "InvalidParams"),
        (json!({"topics": ["output"], "engineId": "engine-9"}), "EngineNotFound"),
    ] {
        let params = raw(&params);
        let call = Call { id: None, method: "events/subscribe", params: Some(&params), subscription: None };
        let error = Table::dispatch(&service, &session, call).await.err().expect("a refusal");
        assert_eq!(error.kind.name(), expected, "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_a_reader_that_never_reads_nor_the_log_holds_the_engine_up() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    let many: String = (0..10_000).map(|n| format!("{n}\\n")).collect();
    let long = format!("long {}", "x".repeat(LONG));
    std::fs::write(&script, format!("on long: reply {long}\non many: reply {many}end\n")).unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let service = daemon(Some(&logs));
    let session = service.open_session(true).unwrap();
    let unread = listen(&service, &session, json!({"topics": ["engine", "output"]})).await;
    let fake = attach(&service, &session, "Fake", &[script.to_str().unwrap()]).await;
    for _ in 0..5 {
        let reply =
            call(&service, &session, "engine/send", json!({"engineId": fake, "command": "many"})).await;
        assert_eq!(reply["text"].as_str().unwrap().lines().count(), 10_001, "every line is read");
        let reply =
            call(&service, &session, "engine/send", json!({"engineId": fake, "command": "long"})).await;
        assert_eq!(reply["text"].as_str().unwrap().len(), long.len());
    }
    call(&service, &session, "engine/detach", json!({"engineId": fake})).await;
    service.gtp_log.flush(PATIENCE);

    // The log has every line, or says how many it has not.
    let logs = read_log(&logs, "Fake");
    let lines = logs.values().next().expect("a file");
    let missing: usize = of(lines, "meta")
        .iter()
        .filter_map(|text| text.split_once(" lines are missing here"))
        .map(|(count, _)| count.parse::<usize>().unwrap())
        .sum();
    let out = of(lines, "out");
    // An answer of n lines, and an empty line after each.
    let answers = 5 * (10_001 + 1 + 2);
    assert!((answers..answers + 100).contains(&(out.len() + missing)), "{} + {missing}", out.len());
    assert!(
        out.iter().filter(|text| text.contains("long")).all(|text| text.len() >= long.len()),
        "whole lines"
    );

    // The reader has lost output, is told so, and has every state of the engine.
    let heard = until(&unread, |event| event["engine"]["state"] == last_state()).await;
    assert!(heard.len() < 1100, "{} events waited", heard.len());
    let lost: u64 = heard.iter().filter_map(|event| event["missed"].as_u64()).sum();
    assert!(lost > 45_000, "{lost}");
    let texts = heard.iter().filter_map(|event| event["output"]["text"].as_str());
    assert!(texts.clone().all(|text| text.len() <= 16 * 1024));
    let cut = heard.iter().filter_map(|event| event["output"]["cut"].as_u64()).next_back();
    assert!(cut.is_none_or(|cut| cut as usize > LONG - 16 * 1024), "{cut:?}");
    service.shutdown().await;
}

#[test]
fn reports_reach_the_log_and_listeners_but_not_the_past() {
    let logs = tempfile::tempdir().unwrap();
    let mut client = Conversation::start(&["serve", "--gtp-log", logs.path().to_str().unwrap()]);
    let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": ["commands +kata-analyze", "every 1"]});
    let attached = client.request("engine/attach", json!({"engine": engine}));
    let id = attached["engine"]["id"].clone();
    let events = client.request("events/subscribe", json!({"topics": ["output"], "engineId": id}));
    let position = json!({"boardSize": 9, "moves": []});
    let analysis = client.request("engine/analyze", json!({"engineId": id, "position": position}));
    let report =
        |event: &Value| event["output"]["text"].as_str().is_some_and(|text| text.starts_with("info move"));
    while !report(&client.event(&events)) {}
    client.request("kifud/unsubscribe", json!({"subscription": events}));
    client.request("engine/stop", json!({"subscription": analysis}));
    let late = client.request("events/subscribe", json!({"topics": ["output"], "engineId": id}));
    client.gtp(&id, "name");
    loop {
        let event = client.event(&late);
        assert!(event["past"].is_null() || !report(&event), "{event}");
        if event["output"]["text"]
            .as_str()
            .is_some_and(|text| text.ends_with(" name") && event["past"].is_null())
        {
            break;
        }
    }
    client.close_stdin();
    client.exit();
    let logs = read_log(logs.path(), "Fake");
    let lines = logs.values().next().expect("a file");
    assert!(of(lines, "out").iter().any(|text| text.starts_with("info move")));
}
