//! Several clients of one daemon share engines: in turns, and without a trace of each other.
#![cfg(unix)]

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Conversation, PATIENCE, example, kifud};

/// A user, whose clients share a daemon. It has two engines, `fake` for all and `own` for one at a time;
/// the log tells what they hear.
struct Home {
    folder: tempfile::TempDir,
    settings: PathBuf,
}

/// Turns are short, and engines end with their last client.
const QUICK: &str = "sliceMs = 200\nkeepEnginesSeconds = 0\n";

impl Home {
    /// Engines that obey a script.
    fn new(settings: &str, script: &str) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let (fake, log) = (example("fake-engine"), folder.path().join("log"));
        let engine = |name: &str, shared: bool| {
            format!(
                "[[engines]]\nname = {name:?}\npath = {fake:?}\nargs = [{script:?}]\nshared = {shared}\n\
                 env = {{ FAKE_LOG = {log:?} }}\n"
            )
        };
        let text = format!("{settings}{}{}", engine("fake", true), engine("own", false));
        let settings = folder.path().join("kifud.toml");
        std::fs::write(&settings, text).unwrap();
        Home { folder, settings }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(kifud());
        command.env("XDG_RUNTIME_DIR", self.folder.path()).env("HOME", self.folder.path());
        // The same for all: clients that differ in it do not share engines.
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env_remove("KIFUD_LOG").arg("--config").arg(&self.settings).args(args);
        command
    }

    fn client(&self) -> Conversation {
        Conversation::spawn(self.command(&["connect"]))
    }

    /// A client and its engine.
    fn player(&self, engine: &str) -> (Conversation, Value) {
        let mut client = self.client();
        let id = attach(&mut client, engine);
        (client, id)
    }

    /// What the engines have heard.
    fn heard(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        log.lines().map(|line| line.split_once(' ').map_or(line, |(_, command)| command).to_owned()).collect()
    }

    /// How many commands began with this.
    fn count(&self, command: &str) -> usize {
        self.heard().iter().filter(|heard| heard.starts_with(command)).count()
    }

    /// How many engines have been started.
    fn starts(&self) -> usize {
        self.count("list_commands")
    }

    fn status(&self) -> Value {
        let output = self.command(&["status", "--json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = self.command(&["stop"]).output();
    }
}

fn attach(client: &mut Conversation, engine: &str) -> Value {
    client.request("engine/attach", json!({"name": engine}))["engine"]["id"].clone()
}

/// A position with so many stones. The engine's win rate is 50 %, and 0.01 % more for each of them.
fn stones(count: usize) -> Value {
    let columns = ["A", "B", "C", "D", "E", "F", "G", "H"];
    let play = |n: usize| {
        let (color, vertex) = (["B", "W"][n % 2], format!("{}{}", columns[n], 1 + 2 * (n % 4)));
        json!({"color": color, "vertex": vertex})
    };
    json!({"boardSize": 9, "komi": 7, "moves": (0..count).map(play).collect::<Vec<_>>()})
}

fn analyze(client: &mut Conversation, engine: &Value, position: Value) -> Value {
    client.request("engine/analyze", json!({"engineId": engine, "position": position, "interval": 5}))
}

/// Reads on until the state has come so many times; every report is about this many stones.
fn reports(client: &mut Conversation, stream: &Value, count: usize, state: &str, times: usize) -> Vec<Value> {
    let mut seen = Vec::new();
    let mut left = times;
    while left > 0 {
        let event = client.event(stream);
        assert_ne!(event["state"], "ended", "{event}");
        if event["state"] == "running" || event.get("winrate").is_some() {
            assert_eq!(event["winrate"], 50.0 + count as f64 / 100.0, "{event}");
        }
        left -= usize::from(event["state"] == state);
        seen.push(event);
    }
    seen
}

/// Reads on to the first event about the board of an answer. What was sent before the answer is older.
fn arrive(client: &mut Conversation, stream: &Value, answer: &Value) -> Value {
    loop {
        let event = client.event(stream);
        assert_ne!(event["state"], "ended", "{event}");
        if event["revision"] == answer["revision"] {
            return event;
        }
        assert!(event["revision"].as_u64() < answer["revision"].as_u64(), "{event}");
    }
}

fn until(what: &str, fits: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !fits() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

const KATA: &str = "commands +kata-analyze +kata-set-param\nevery 5";

#[test]
fn clients_share_what_is_shared_and_nothing_else() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    assert_eq!(home.starts(), 1);
    assert_eq!(one.request("engine/list", json!({}))["attached"][0]["shared"], true);
    attach(&mut one, "own");
    attach(&mut two, "own");
    assert_eq!(home.starts(), 3);
    // Another environment, another engine.
    let mut command = home.command(&["connect"]);
    let mut three = Conversation::spawn({
        command.env("OMP_NUM_THREADS", "1");
        command
    });
    attach(&mut three, "fake");
    assert_eq!(home.starts(), 4);
    // It goes on as long as anybody uses it.
    one.request("engine/detach", json!({"engineId": first}));
    assert_eq!(two.gtp(&second, "name"), "Fake");
    let gone = home.count("quit");
    two.request("engine/detach", json!({"engineId": second}));
    assert_eq!(home.count("quit"), gone + 1);
    // The next one is new.
    attach(&mut one, "fake");
    assert_eq!(home.starts(), 5);
}

#[test]
fn three_who_come_at_once_start_one_engine() {
    let home = Home::new(QUICK, &format!("{KATA}\non name @1: sleep 300; default"));
    let mut clients: Vec<Conversation> = (0..3).map(|_| home.client()).collect();
    let asked: Vec<i64> =
        clients.iter_mut().map(|client| client.ask("engine/attach", json!({"name": "fake"}))).collect();
    for (client, id) in clients.iter_mut().zip(asked) {
        assert_eq!(client.answer(id)["result"]["engine"]["name"], "fake");
    }
    assert_eq!(home.starts(), 1);
}

#[test]
fn analyses_of_three_clients_take_turns() {
    let home = Home::new(QUICK, KATA);
    let mut clients: Vec<(Conversation, Value)> = (0..3).map(|_| home.player("fake")).collect();
    let mut streams = Vec::new();
    for (index, (client, engine)) in clients.iter_mut().enumerate() {
        streams.push(analyze(client, engine, stones(index + 1)));
    }
    let mut revisions = Vec::new();
    for (index, ((client, _), stream)) in clients.iter_mut().zip(&streams).enumerate() {
        let seen = reports(client, stream, index + 1, "waiting", 3);
        assert_eq!(seen[0]["state"], "started");
        // The board is its own: it has not changed.
        let mut own: Vec<u64> = seen.iter().map(|event| event["revision"].as_u64().unwrap()).collect();
        own.dedup();
        assert_eq!(own.len(), 1, "{seen:?}");
        revisions.push(own[0]);
    }
    // A move that is asked for with the revision that was seen is taken for what it is.
    let (client, engine) = &mut clients[1];
    let asked = json!({"engineId": engine, "ifRevision": revisions[1]});
    assert_eq!(client.request("engine/genmove", asked)["move"]["color"], "B");
    assert_eq!(client.event_in(&streams[1], "ended")["reason"], "superseded");
    // The others go on without it.
    for index in [0, 2] {
        reports(&mut clients[index].0, &streams[index], index + 1, "waiting", 2);
    }
}

#[test]
fn an_analysis_that_follows_the_cursor_does_so_between_turns() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let (a, b) = (analyze(&mut one, &first, stones(1)), analyze(&mut two, &second, stones(2)));
    for count in 3..6 {
        let moved = json!({"subscription": b, "position": stones(count)});
        let answer = two.request("analysis/retarget", moved);
        arrive(&mut two, &b, &answer);
        reports(&mut two, &b, count, "running", 2);
        reports(&mut one, &a, 1, "waiting", 1);
    }
    reports(&mut one, &a, 1, "running", 5);
}

#[test]
fn who_looks_at_the_same_shares_an_analysis() {
    let home = Home::new(QUICK, KATA);
    let mut clients: Vec<(Conversation, Value)> = (0..3).map(|_| home.player("fake")).collect();
    let streams: Vec<Value> =
        clients.iter_mut().map(|(client, engine)| analyze(client, engine, stones(2))).collect();
    for ((client, _), stream) in clients.iter_mut().zip(&streams) {
        let seen = reports(client, stream, 2, "running", 4);
        assert!(seen.iter().all(|event| event["state"] != "waiting"), "{seen:?}");
    }
    assert_eq!((home.count("kata-analyze"), home.count("clear_board")), (1, 1), "{:?}", home.heard());
    // One leaves, one is killed: the engine hears nothing of it.
    let heard = home.heard().len();
    let (first, _) = &mut clients[0];
    first.request("engine/stop", json!({"subscription": streams[0]}));
    assert_eq!(first.event_in(&streams[0], "ended")["reason"], "stopped");
    clients[1].0.child.kill().unwrap();
    until("the session is closed", || home.status()["sessions"] == 2);
    reports(&mut clients[2].0, &streams[2], 2, "running", 4);
    assert_eq!(home.heard().len(), heard);
    // The last one takes the analysis along.
    clients[2].0.request("engine/stop", json!({"subscription": streams[2]}));
    assert_eq!(clients[2].0.event_in(&streams[2], "ended")["reason"], "stopped");
    assert_eq!(home.heard()[heard..], ["protocol_version"]);
    // With other options it is another analysis.
    let (first, engine) = &mut clients[0];
    let a = analyze(first, engine, stones(2));
    let other = json!({"engineId": clients[2].1, "position": stones(2), "interval": 5, "avoid": ["A1"]});
    let b = clients[2].0.request("engine/analyze", other);
    reports(&mut clients[0].0, &a, 2, "waiting", 1);
    reports(&mut clients[2].0, &b, 2, "waiting", 1);
}

/// Sums of visits have no room to grow.
#[test]
fn an_engine_may_claim_any_number_of_visits() {
    let home = Home::new(QUICK, &format!("{KATA}\nvisits {}", u64::MAX / 2));
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let (a, b) = (analyze(&mut one, &first, stones(1)), analyze(&mut two, &second, stones(2)));
    reports(&mut one, &a, 1, "waiting", 3);
    reports(&mut two, &b, 2, "waiting", 3);
}

/// The board is another one for a client also when somebody else has brought the engine there.
#[test]
fn a_board_that_others_have_changed_has_another_revision() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let sync = |client: &mut Conversation, engine: &Value, count: usize| {
        client.request("engine/sync", json!({"engineId": engine, "position": stones(count)}))
    };
    let seen = sync(&mut one, &first, 2)["revision"].clone();
    sync(&mut two, &second, 5);
    let synced = sync(&mut one, &first, 5);
    assert_eq!(synced["strategy"], "none");
    assert_ne!(synced["revision"], seen);
    assert_eq!(sync(&mut one, &first, 5)["revision"], synced["revision"], "nothing has changed");
    let error = one.refused("engine/genmove", json!({"engineId": first, "ifRevision": seen}));
    assert_eq!(error["data"]["cause"], "revision", "{error}");
    // The same between the positions of an analysis that is already followed by somebody else.
    let stream = analyze(&mut one, &first, stones(3));
    let here = reports(&mut one, &stream, 3, "running", 1).pop().unwrap()["revision"].clone();
    sync(&mut two, &second, 4);
    let moved = one.request("analysis/retarget", json!({"subscription": stream, "position": stones(4)}));
    assert_ne!(moved["revision"], here);
    arrive(&mut one, &stream, &moved);
    reports(&mut one, &stream, 4, "running", 2);
}

/// Nobody else is given a program that does not come to an answer any more.
#[test]
fn who_attaches_again_gets_away_from_an_engine_that_hangs() {
    let home = Home::new(QUICK, &format!("{KATA}\non genmove @1: hang"));
    let settings = std::fs::read_to_string(&home.settings).unwrap();
    std::fs::write(&home.settings, settings.replace("env =", "timeouts = { commandMs = 3000 }\nenv ="))
        .unwrap();
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    one.ask("engine/genmove", json!({"engineId": first, "position": stones(2)}));
    until("the engine has the command", || home.count("genmove") == 1);
    one.child.kill().unwrap();
    let error = two.refused("engine/sync", json!({"engineId": second, "position": stones(1)}));
    assert_eq!(error["data"]["kind"], "EngineBusy", "{error}");
    let again = attach(&mut two, "fake");
    assert_eq!(home.starts(), 2);
    two.request("engine/sync", json!({"engineId": again, "position": stones(1)}));
}

#[test]
fn one_who_moves_on_leaves_a_shared_analysis_to_the_others_and_may_come_back() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let (a, b) = (analyze(&mut one, &first, stones(2)), analyze(&mut two, &second, stones(2)));
    reports(&mut one, &a, 2, "running", 2);
    reports(&mut two, &b, 2, "running", 2);
    let go = |client: &mut Conversation, stream: &Value, count: usize| {
        client.request("analysis/retarget", json!({"subscription": stream, "position": stones(count)}))
    };
    let moved = go(&mut two, &b, 3);
    arrive(&mut two, &b, &moved);
    reports(&mut one, &a, 2, "waiting", 2);
    reports(&mut two, &b, 3, "waiting", 1);
    let back = go(&mut two, &b, 2);
    assert_eq!(back["strategy"], "none");
    let searches = home.count("kata-analyze");
    arrive(&mut two, &b, &back);
    reports(&mut two, &b, 2, "running", 5);
    reports(&mut one, &a, 2, "running", 5);
    assert!(home.count("kata-analyze") <= searches + 1, "{:?}", home.heard());
}

#[test]
fn a_game_has_the_engine_for_itself_until_its_client_is_gone() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let stream = analyze(&mut two, &second, stones(2));
    reports(&mut two, &stream, 2, "running", 2);
    let game = json!({"black": {"human": true}, "white": {"engineId": first}, "position": stones(0)});
    one.request("game/start", game);
    reports(&mut two, &stream, 2, "waiting", 1);
    for (method, params) in [
        ("engine/genmove", json!({"engineId": second, "position": stones(1)})),
        ("engine/sync", json!({"engineId": second, "position": stones(1)})),
        ("engine/send", json!({"engineId": second, "command": "name"})),
        ("game/start", json!({"black": {"human": true}, "white": {"engineId": second}})),
    ] {
        let error = two.refused(method, params);
        let told = (&error["data"]["kind"], &error["data"]["holder"]);
        assert_eq!(told, (&json!("EngineBusy"), &json!("a game of another client")), "{method}: {error}");
    }
    let own = one.refused("engine/send", json!({"engineId": first, "command": "name"}));
    assert_eq!(own["data"]["holder"], "a game");
    one.child.kill().unwrap();
    reports(&mut two, &stream, 2, "running", 2);
    two.request("engine/genmove", json!({"engineId": second, "position": stones(1)}));
    assert_eq!(two.event_in(&stream, "ended")["reason"], "superseded");
}

#[test]
fn a_raw_command_shows_the_board_of_its_client_and_leaves_the_engine_as_it_was() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    one.request("engine/sync", json!({"engineId": first, "position": stones(2)}));
    assert_eq!(two.gtp(&second, "list_stones black"), "");
    assert_eq!(one.gtp(&first, "list_stones black"), "A1");
    let stream = analyze(&mut one, &first, stones(4));
    reports(&mut one, &stream, 4, "running", 2);
    two.request("engine/sync", json!({"engineId": second, "position": stones(1)}));
    assert_eq!(two.gtp(&second, "list_stones white"), "");
    two.gtp(&second, "play w J9");
    reports(&mut one, &stream, 4, "running", 2);
    // The engine's parameters are everybody's.
    let error =
        two.refused("engine/send", json!({"engineId": second, "command": "kata-set-param maxVisits 1"}));
    assert_eq!((&error["data"]["kind"], &error["data"]["cause"]), (&json!("EngineBusy"), &json!("shared")));
    two.request("engine/detach", json!({"engineId": second}));
    one.gtp(&first, "kata-set-param maxVisits 1");
    // What is no longer as it was configured is not shared any more.
    let starts = home.starts();
    attach(&mut two, "fake");
    assert_eq!(home.starts(), starts + 1);
}

#[test]
fn the_rules_of_one_client_are_not_those_of_another() {
    let script =
        "commands +kata-analyze +kata-set-rules +kata-get-rules\nevery 5\non kata-get-rules: reply own";
    let home = Home::new(QUICK, script);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let with_rules = json!({"boardSize": 9, "komi": 7, "rules": "Japanese", "moves": []});
    let a = analyze(&mut one, &first, with_rules);
    let b = analyze(&mut two, &second, stones(2));
    reports(&mut one, &a, 0, "waiting", 2);
    reports(&mut two, &b, 2, "waiting", 2);
    let told: Vec<String> =
        home.heard().into_iter().filter(|line| line.starts_with("kata-")).take(6).collect();
    let turn =
        |rules: &str| ["kata-set-rules ".to_owned() + rules, "kata-analyze b 5 rootInfo true".to_owned()];
    assert_eq!(
        told,
        [&["kata-get-rules".to_owned()][..], &turn("japanese"), &turn("own"), &turn("japanese")[..1]]
            .concat()
    );
}

#[test]
fn a_long_command_of_one_client_is_busy_for_others_and_ends_with_it() {
    let home =
        Home::new(QUICK, &format!("{KATA}\ncommands +final_score\non final_score @1: sleep 2000; default"));
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let stream = analyze(&mut two, &second, stones(1));
    reports(&mut two, &stream, 1, "running", 2);
    one.ask("engine/send", json!({"engineId": first, "command": "final_score"}));
    reports(&mut two, &stream, 1, "waiting", 1);
    let error = two.refused("engine/send", json!({"engineId": second, "command": "name"}));
    assert_eq!(error["data"]["holder"], "engine/send of another client", "{error}");
    // To stop what waits takes nobody's turn.
    two.request("engine/stop", json!({"subscription": stream}));
    assert_eq!(two.event_in(&stream, "ended")["reason"], "stopped");
    one.child.kill().unwrap();
    until("the session is closed", || home.status()["sessions"] == 1);
    let stream = analyze(&mut two, &second, stones(3));
    reports(&mut two, &stream, 3, "running", 2);
}

#[test]
fn nobody_reaches_or_hears_what_others_do() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let all = json!({"topics": ["output", "analysis", "game", "documents", "progress"]});
    let events = two.request("events/subscribe", all);
    one.initialize(json!({}));
    let item = json!({"uri": "untitled:1", "languageId": "sgf", "version": 1, "text": "(;SZ[9];B[cc])"});
    one.notify("textDocument/didOpen", json!({"textDocument": item}));
    let node = json!({"document": {"uri": "untitled:1"}, "node": {"path": [0]}});
    let stream = analyze(&mut one, &first, node.clone());
    reports(&mut one, &stream, 1, "running", 2);
    for (method, params) in [
        ("analysis/retarget", json!({"subscription": stream, "position": stones(2)})),
        ("engine/stop", json!({"subscription": stream})),
        ("engine/analyze", json!({"engineId": second, "position": node})),
    ] {
        let error = two.refused(method, params);
        assert_eq!(error["data"]["kind"], "NotFound", "{method}: {error}");
    }
    assert_eq!(two.request("kifud/unsubscribe", json!({"subscription": stream}))["ended"], false);
    two.request("engine/stop", json!({"engineId": second}));
    reports(&mut one, &stream, 1, "running", 2);
    // What it does itself it does hear of; before that there was nothing but how the engine started.
    assert_eq!(two.gtp(&second, "list_stones white"), "");
    let mut told = Vec::new();
    while told.last().is_none_or(|line: &String| !line.ends_with("list_stones white")) {
        let event = two.event(&events);
        if event["state"] == "running" {
            assert_eq!(event["topic"], "output", "{event}");
            told.push(event["output"]["text"].as_str().unwrap_or_default().to_owned());
        }
    }
    let others = told.iter().filter(|line| line.contains("kata-analyze") || line.contains("C7"));
    assert_eq!(others.count(), 0, "{told:?}");
}

/// An engine's complaints about one client's wishes are not told to another.
#[test]
fn what_an_engine_complains_of_to_one_is_not_told_to_another() {
    let script =
        format!("{KATA}\non genmove: stderr SECRET; default\non komi 7.5: refuse no\non komi 6.5: refuse no");
    let home = Home::new(QUICK, &script);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let stones = |komi: f64| json!({"boardSize": 9, "komi": komi, "moves": []});
    let own = one.request("engine/genmove", json!({"engineId": first, "position": {"boardSize": 9}}));
    assert!(own["move"].is_object(), "{own}");
    let error = one.refused("engine/sync", json!({"engineId": first, "position": stones(7.5)}));
    assert!(error.to_string().contains("SECRET"), "its own: {error}");
    let error = two.refused("engine/sync", json!({"engineId": second, "position": stones(6.5)}));
    assert_eq!(error["data"]["reply"], "no", "{error}");
    assert!(!error.to_string().contains("SECRET"), "{error}");
}

#[test]
fn work_on_whole_games_takes_turns_with_who_looks() {
    let home = Home::new(QUICK, KATA);
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let game = json!({"text": "(;SZ[9];B[aa];W[bb];B[cc];W[dd])"});
    let review = json!({"document": game, "engineId": first, "limit": {"visits": 200}});
    let rows = one.request("analysis/game", review);
    let stream = analyze(&mut two, &second, stones(6));
    reports(&mut two, &stream, 6, "waiting", 1);
    // One's own cursor beside one's own review.
    let cursor = analyze(&mut one, &first, stones(3));
    reports(&mut one, &cursor, 3, "running", 2);
    let mut nodes = 0;
    loop {
        let row = one.event(&rows);
        if row["state"] == "ended" {
            assert_eq!(row["reason"], "finished", "{row}");
            break;
        }
        nodes += 1;
    }
    assert!(nodes >= 5, "{nodes}");
    reports(&mut one, &cursor, 3, "running", 2);
    reports(&mut two, &stream, 6, "running", 2);
}

#[test]
fn an_engine_stays_a_moment_for_one_who_comes_back() {
    let home = Home::new("keepEnginesSeconds = 60\n", KATA);
    let (mut one, engine) = home.player("own");
    one.request("engine/sync", json!({"engineId": engine, "position": stones(3)}));
    one.child.kill().unwrap();
    until("the session is closed", || home.status()["sessions"] == 0);
    let (mut two, engine) = home.player("own");
    assert_eq!(home.starts(), 1);
    assert_eq!(two.gtp(&engine, "list_stones black"), "", "nothing of the one before is seen");
    // One that is in use is nobody else's.
    let (_three, _) = home.player("own");
    assert_eq!(home.starts(), 2);
    // Who lets it go himself does not come back.
    two.request("engine/detach", json!({"engineId": engine}));
    assert_eq!(home.count("quit"), 1);
}

#[test]
fn a_crash_of_the_engine_ends_the_analyses_of_all_and_it_is_there_again() {
    let home = Home::new(QUICK, &format!("{KATA}\non genmove @1: exit 3"));
    let ((mut one, first), (mut two, second)) = (home.player("fake"), home.player("fake"));
    let stream = analyze(&mut two, &second, stones(1));
    reports(&mut two, &stream, 1, "running", 2);
    let error = one.refused("engine/genmove", json!({"engineId": first, "position": stones(2)}));
    assert_eq!(error["data"]["kind"], "EngineExited");
    assert_eq!(two.event_in(&stream, "ended")["reason"], "engineExited");
    let (a, b) = (analyze(&mut one, &first, stones(4)), analyze(&mut two, &second, stones(5)));
    reports(&mut one, &a, 4, "waiting", 1);
    reports(&mut two, &b, 5, "waiting", 1);
}
