//! What was found before is shown again, and kept over the end of the daemon.
#![cfg(unix)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use support::{Conversation, PATIENCE, Random, example, kifud};

/// The first analysis ends by itself after 500 visits.
const FIRST: &str = "on kata-analyze @1: raw =%id\\ninfo move A9 visits 500 winrate 0.61 scoreLead 2.5 order 0 pv A9 B9\\n\\n";

/// The second says less than that, then more.
const SECOND: &str = "on kata-analyze @2: raw =%id\\ninfo move B9 visits 5 winrate 0.2 order 0 pv B9\\n; \
    sleep 100; raw info move A9 visits 800 winrate 0.63 order 0 pv A9\\n; sleep 100; raw \\n";

/// A user with a cache of his own, and an engine.
struct User {
    folder: tempfile::TempDir,
    script: Vec<String>,
    set: Vec<&'static str>,
}

impl User {
    fn new(script: &[&str]) -> User {
        let script = [&["commands +kata-analyze"], script].concat();
        let script = script.into_iter().map(str::to_owned).collect();
        User { folder: tempfile::tempdir().unwrap(), script, set: Vec::new() }
    }

    fn with(script: &[&str], set: &[&'static str]) -> User {
        User { set: set.to_vec(), ..User::new(script) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The files of the cache.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("cache/kifud")).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// The commands that the engine was sent, without their numbers.
    fn commands(&self) -> Vec<String> {
        let told = std::fs::read_to_string(self.path("told")).unwrap_or_default();
        told.lines()
            .map(|line| line.split_once(' ').map_or(line, |(_, command)| command).to_owned())
            .collect()
    }

    fn engine(&self) -> Value {
        json!({
            "name": "fake", "path": example("fake-engine"), "args": self.script,
            "env": {"FAKE_LOG": self.path("told")},
        })
    }

    /// A daemon on pipes.
    fn daemon(&self) -> Conversation {
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 2>>\"$LOG\"", kifud()]);
        for set in &self.set {
            command.args(["--set", set]);
        }
        command.env("LOG", self.path("log")).env("KIFUD_LOG", "info");
        command.env("XDG_CACHE_HOME", self.path("cache")).env("XDG_STATE_HOME", self.path("state"));
        Conversation::spawn(command)
    }

    /// A daemon with the engine in it.
    fn client(&self) -> (Conversation, Value) {
        let mut client = self.daemon();
        let id = attach(&mut client, &self.engine());
        (client, id)
    }

    /// A life of the daemon: what an analysis of the board tells.
    fn once(&self) -> Vec<Value> {
        let (mut client, engine) = self.client();
        let events = look(&mut client, &engine, board());
        assert_eq!(client.leave(), 0);
        events
    }
}

fn attach(client: &mut Conversation, engine: &Value) -> Value {
    client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone()
}

fn board() -> Value {
    json!({"boardSize": 9, "komi": 6.5})
}

fn analyze(client: &mut Conversation, engine: &Value, position: Value, more: &Value) -> Value {
    let mut params = json!({"engineId": engine, "position": position});
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    client.request("engine/analyze", params)
}

/// All events of a stream up to its end.
fn events(client: &mut Conversation, subscription: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    while events.last().is_none_or(|event: &Value| event["state"] != "ended") {
        events.push(client.event(subscription));
    }
    events
}

/// An analysis that ends by itself.
fn look(client: &mut Conversation, engine: &Value, position: Value) -> Vec<Value> {
    let subscription = analyze(client, engine, position, &json!({}));
    events(client, &subscription)
}

/// State, visits and whether that was known, of each event.
fn short(events: &[Value]) -> Vec<(String, u64, bool)> {
    let one = |event: &Value| {
        let state = event["reason"].as_str().or(event["state"].as_str()).unwrap().to_owned();
        (state, event["visits"].as_u64().unwrap_or(0), event["cached"] == true)
    };
    events.iter().map(one).collect()
}

fn expected(events: &[(&str, u64, bool)]) -> Vec<(String, u64, bool)> {
    events.iter().map(|(state, visits, cached)| ((*state).to_owned(), *visits, *cached)).collect()
}

/// Nothing was known.
fn fresh() -> Vec<(String, u64, bool)> {
    expected(&[("started", 0, false), ("running", 500, false), ("finished", 500, false)])
}

/// Whether an event tells something that was known.
fn remembers(events: &[Value]) -> bool {
    events.iter().any(|event| event["cached"] == true)
}

#[test]
fn a_second_look_shows_at_once_what_is_known_until_there_is_more() {
    let user = User::new(&[FIRST, SECOND]);
    let (mut client, engine) = user.client();
    assert_eq!(short(&look(&mut client, &engine, board())), fresh());
    let again = look(&mut client, &engine, board());
    let wanted =
        [("started", 0, false), ("running", 500, true), ("running", 800, false), ("finished", 800, false)];
    assert_eq!(short(&again), expected(&wanted));
    let known = &again[1];
    assert_eq!(
        (&known["winrate"], &known["scoreLead"], &known["color"]),
        (&json!(61.0), &json!(2.5), &json!("B"))
    );
    assert_eq!(known["moves"][0]["pv"], json!(["A9", "B9"]));
    assert_eq!(known["revision"], again[0]["revision"], "the revision of now");
    assert_eq!(again[2]["moves"][0]["visits"], 800);

    // A limit that is reached already needs no search.
    let subscription = analyze(&mut client, &engine, board(), &json!({"limit": {"visits": 700}}));
    let third = events(&mut client, &subscription);
    assert_eq!(
        short(&third),
        expected(&[("started", 0, false), ("running", 800, true), ("limit", 800, true)])
    );
    assert_eq!(third[2]["winrate"], 63.0);
    assert_eq!(client.leave(), 0);
}

/// Each is another question, so that nothing is known of it.
#[test]
fn what_makes_a_difference_is_not_taken_for_the_same() {
    let user = User::new(&["stop-after 1", "visits 500"]);
    let (mut client, engine) = user.client();
    let mut sees = |position: Value, more: Value| {
        let subscription = analyze(&mut client, &engine, position, &more);
        remembers(&events(&mut client, &subscription))
    };
    assert!(!sees(board(), json!({})));
    assert!(sees(board(), json!({})), "the same");
    assert!(sees(board(), json!({"interval": 3})), "how often is no difference");
    assert!(!sees(board(), json!({"color": "W"})));
    assert!(!sees(board(), json!({"avoid": ["A1"]})));
    assert!(!sees(json!({"boardSize": 9, "komi": 7.5}), json!({})));
    assert!(!sees(json!({"boardSize": 9, "komi": 6.5, "setup": {"B": ["A1"]}}), json!({})));
    // A set that changes its mind.
    let (mut client, engine) = user.client();
    assert!(!remembers(&look(&mut client, &engine, board())), "the other daemon has the file");
    client.gtp(&engine, "showboard");
    assert!(remembers(&look(&mut client, &engine, board())));
    client.call("engine/send", json!({"engineId": engine, "command": "kata-set-param x 1"}));
    assert!(!remembers(&look(&mut client, &engine, board())));
    // Another engine, one with other arguments.
    let other = User::new(&["stop-after 1", "visits 500", "# other"]);
    let other = attach(&mut client, &other.engine());
    assert!(!remembers(&look(&mut client, &other, board())));
}

#[test]
fn the_cursor_goes_where_something_is_known() {
    // From the third analysis on the engine says nothing for a while.
    let user = User::new(&[
        "stop-after 1",
        "visits 500",
        "on kata-analyze @3: raw =%id\\n; sleep 50",
        "on kata-analyze @4: raw =%id\\n; sleep 50; raw \\n",
    ]);
    let (mut client, engine) = user.client();
    let moves = |count: usize| {
        let all = [json!({"color": "B", "vertex": "C3"}), json!({"color": "W", "vertex": "G7"})];
        json!({"boardSize": 9, "komi": 6.5, "moves": all[..count]})
    };
    look(&mut client, &engine, moves(1));
    look(&mut client, &engine, moves(2));
    // Asked anew of the first node; its stream moves on to the second.
    let subscription = analyze(&mut client, &engine, moves(1), &json!({}));
    let first = client.event_in(&subscription, "running");
    assert_eq!((&first["cached"], &first["winrate"]), (&json!(true), &json!(50.01)));
    let moved =
        client.request("analysis/retarget", json!({"subscription": subscription, "position": moves(2)}));
    let second = client.event_in(&subscription, "running");
    assert_eq!((&second["cached"], &second["winrate"]), (&json!(true), &json!(50.02)));
    assert_eq!(second["revision"], moved["revision"]);
}

#[test]
fn a_new_daemon_knows_what_the_last_one_found() {
    let user = User::new(&[FIRST]);
    assert_eq!(short(&user.once()), fresh());
    assert_eq!(user.files(), ["results.lock", "results.redb"]);
    let known = [("started", 0, false), ("running", 500, true), ("finished", 500, true)];
    assert_eq!(short(&user.once()), expected(&known), "as many visits are no news");
    assert_eq!(user.log(), "");
}

#[test]
fn a_file_of_the_engine_that_changes_makes_it_another_one() {
    let mut user = User::new(&[FIRST]);
    let network = user.path("network");
    std::fs::write(&network, "# weights").unwrap();
    user.script.push(network.to_str().unwrap().to_owned());
    let set = |time: SystemTime, text: &str| {
        std::fs::write(&network, text).unwrap();
        std::fs::File::options().write(true).open(&network).unwrap().set_modified(time).unwrap();
    };
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    set(then, "# weights");
    assert!(!remembers(&user.once()));
    assert!(remembers(&user.once()));
    set(then, "# more weights");
    assert!(!remembers(&user.once()), "another size");
    set(then + Duration::from_secs(1), "# weights");
    assert!(!remembers(&user.once()), "another time");
    set(then, "# weights");
    assert!(remembers(&user.once()), "the first one again");
}

#[test]
fn off_means_no_file() {
    let user = User::with(&[FIRST], &["cache.onDisk=false"]);
    let (mut client, engine) = user.client();
    assert!(!remembers(&look(&mut client, &engine, board())));
    let subscription = analyze(&mut client, &engine, board(), &json!({}));
    assert_eq!(client.event_in(&subscription, "running")["cached"], true, "in memory it is");
    assert_eq!(client.leave(), 0);
    assert!(!user.path("cache").exists());
    assert!(!remembers(&user.once()));

    let user = User::with(&["stop-after 1"], &["cache.enabled=false"]);
    let (mut client, engine) = user.client();
    for _ in 0..2 {
        assert!(!remembers(&look(&mut client, &engine, board())));
    }
    assert_eq!(client.leave(), 0);
    assert!(!user.path("cache").exists());
}

#[test]
fn the_engine_in_the_box_leaves_nothing_on_disk() {
    let user = User::new(&[]);
    for _ in 0..2 {
        let mut client = user.daemon();
        let engine = client.request("engine/attach", json!({"name": "builtin"}))["engine"]["id"].clone();
        for second in [false, true] {
            let subscription = analyze(&mut client, &engine, board(), &json!({"limit": {"visits": 30}}));
            assert_eq!(remembers(&events(&mut client, &subscription)), second, "in memory only");
        }
        assert_eq!(client.leave(), 0);
    }
}

#[test]
fn two_daemons_do_not_fight_over_it() {
    let user = User::new(&[FIRST]);
    assert!(!remembers(&user.once()));
    let (mut first, engine) = user.client();
    assert!(remembers(&look(&mut first, &engine, board())), "it has the file");
    let (mut second, other) = user.client();
    assert!(!remembers(&look(&mut second, &other, board())));
    assert!(user.log().contains("another kifud has the kept results"), "{}", user.log());
    assert_eq!(second.leave(), 0);
    assert_eq!(first.leave(), 0);
    assert!(remembers(&user.once()));
    assert_eq!(user.files(), ["results.lock", "results.redb"]);
}

#[test]
fn a_file_that_is_no_cache_is_put_aside() {
    let user = User::new(&[FIRST]);
    let file = user.path("cache/kifud/results.redb");
    user.once();
    let whole = std::fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    let middle = damaged.len() / 3..damaged.len() * 2 / 3;
    damaged[middle].fill(0x55);
    for bytes in [b"(;GM[1]C[a record])".repeat(500), damaged, whole[..whole.len() / 2].to_vec()] {
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(short(&user.once()), fresh());
        assert_eq!(std::fs::read(user.path("cache/kifud/results.redb.bad")).unwrap(), bytes);
        assert!(user.log().contains("they are put aside"), "{}", user.log());
        std::fs::write(user.path("log"), "").unwrap();
        assert!(remembers(&user.once()), "a new one is begun");
    }
    // A folder where the file should be, or a file where the folder should be, keeps nobody from looking.
    let folder = user.path("cache/kifud");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "").unwrap();
    assert_eq!(short(&user.once()), fresh());
    assert!(user.log().contains("results are kept in memory only"), "{}", user.log());
}

/// The board after so many of the points in their order.
fn numbered(number: usize) -> Value {
    let columns = ["A", "B", "C", "D", "E", "F", "G", "H", "J"];
    let vertex = |at: usize| format!("{}{}", columns[at % 9], at / 9 % 9 + 1);
    let moves = [("B", number), ("W", number + 40), ("B", number + 20)];
    let moves = moves.map(|(color, at)| json!({"color": color, "vertex": vertex(at % 81)}));
    json!({"boardSize": 9, "komi": (number / 81) as f64, "moves": moves})
}

#[test]
fn ten_kills_in_the_middle_of_writing_do_no_harm() {
    let user = User::new(&["stop-after 1", "visits 500"]);
    let mut random = Random(20_261_130);
    let mut next = 0;
    for _ in 0..10 {
        let (mut client, engine) = user.client();
        // More than a batch, so that one is written before or while the end comes.
        let count = 70 + random.index(20);
        let asked: Vec<i64> = (0..count)
            .map(|number| {
                client.ask("engine/analyze", json!({"engineId": engine, "position": numbered(next + number)}))
            })
            .collect();
        next += count;
        client.answer(asked[count - 1 - random.index(8)]);
        std::thread::sleep(Duration::from_millis(random.below(40)));
        client.child.kill().unwrap();
        client.child.wait().unwrap();
    }
    let (mut client, engine) = user.client();
    let known = (0..next).filter(|number| remembers(&look(&mut client, &engine, numbered(*number)))).count();
    assert!(known >= 64, "only {known} of {next} are known");
    assert_eq!(client.leave(), 0);
    assert_eq!(user.files(), ["results.lock", "results.redb"], "{}", user.log());
    assert!(!user.log().contains("WARN"), "{}", user.log());
}
