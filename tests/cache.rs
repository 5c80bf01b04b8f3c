//! What was found before is shown again, and kept over the end of the daemon.
#![cfg(unix)]

#[path = "support/door.rs"]
mod door;
mod support;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use door::Daemon;
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
        end(client);
        events
    }
}

fn attach(client: &mut Conversation, engine: &Value) -> Value {
    client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone()
}

/// The client leaves; the daemon ends in order.
fn end(mut client: Conversation) {
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
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
    end(client);
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
fn what_an_engine_is_told_counts_for_the_process_that_got_it() {
    let user = User::new(&["commands +kata-set-param", "stop-after 1", "visits 500", "on showboard: exit 3"]);
    let (mut client, engine) = user.client();
    assert!(!remembers(&look(&mut client, &engine, numbered(1))));
    client.refused("engine/send", json!({"engineId": engine, "command": "showboard"}));
    client.gtp(&engine, "kata-set-param x 1");
    assert!(!remembers(&look(&mut client, &engine, numbered(1))), "it was told something after its restart");
    assert!(!remembers(&look(&mut client, &engine, numbered(2))));
    end(client);
    let (mut client, engine) = user.client();
    assert!(!remembers(&look(&mut client, &engine, numbered(2))), "this one was not told");
    assert!(remembers(&look(&mut client, &engine, numbered(1))), "the first was not, either");
    end(client);
}

#[test]
fn a_search_is_kept_under_what_the_engine_knew_when_it_began() {
    let exact = "commands +kata-search_analyze +kata-get-param +kata-set-param";
    let user = User::new(&[exact, "stop-after 1", "on kata-search_analyze: sleep 500; default"]);
    let (mut client, engine) = user.client();
    let document = json!({"text": "(;SZ[9]KM[6.5])"});
    let review = json!({"document": document, "engineId": engine, "limit": {"visits": 40}});
    let subscription = client.request("analysis/game", review);
    let searches = |command: &String| command.starts_with("kata-search_analyze");
    let end = Instant::now() + PATIENCE;
    while !user.commands().iter().any(searches) {
        assert!(Instant::now() < end, "{:?}", user.commands());
        std::thread::sleep(Duration::from_millis(5));
    }
    client.gtp(&engine, "kata-set-param x 1");
    events(&mut client, &subscription);
    assert!(!remembers(&look(&mut client, &engine, board())), "{:?}", user.commands());
}

#[test]
fn what_trusted_and_untrusted_sessions_find_is_kept_apart() {
    let mut daemon = Daemon::start(&["ahead.nodes=0"]);
    let mut untrusted = daemon.client();
    let engine = daemon.trusted.request("engine/attach", json!({"name": "fake"}))["engine"]["id"].clone();
    let other = untrusted.request("engine/attach", json!({"name": "fake"}))["engine"]["id"].clone();
    let limit = json!({"limit": {"visits": 30}});
    let mut trusted_sees = |number: usize| {
        let subscription = analyze(&mut daemon.trusted, &engine, numbered(number), &limit);
        remembers(&events(&mut daemon.trusted, &subscription))
    };
    let mut untrusted_sees = |number: usize| {
        let params = json!({"engineId": other, "position": numbered(number), "limit": {"visits": 30}});
        let subscription = untrusted.request("engine/analyze", params);
        loop {
            let message = untrusted.next();
            let event = &message["params"]["result"];
            if message["params"]["subscription"] == subscription && event["state"] == "ended" {
                return event["cached"] == true;
            }
        }
    };
    assert!(!untrusted_sees(1) && untrusted_sees(1));
    assert!(!trusted_sees(1) && trusted_sees(1), "what an untrusted session has found is not shown");
    assert!(!trusted_sees(2) && trusted_sees(2));
    assert!(!untrusted_sees(2) && untrusted_sees(2), "what a trusted session has found is not shown");
}

#[test]
fn the_cursor_goes_where_something_is_known() {
    // From the third analysis on it takes the engine ten seconds to find as much.
    let found = |time: u32| {
        format!(
            "on kata-analyze @{time}: raw =%id\\ninfo move A9 visits 500 winrate 0.5{time} order 0 pv A9\\n\\n"
        )
    };
    // The last analysis has its first word late: what is known comes before that.
    let late = "on kata-analyze @4: sleep 2000; default";
    let user = User::new(&["visits 1", "every 500", &found(1), &found(2), late]);
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
    assert_eq!((&first["cached"], &first["winrate"]), (&json!(true), &json!(51.0)));
    let moved =
        client.request("analysis/retarget", json!({"subscription": subscription, "position": moves(2)}));
    let second = client.event_in(&subscription, "running");
    assert_eq!((&second["cached"], &second["winrate"]), (&json!(true), &json!(52.0)));
    assert_eq!(second["revision"], moved["revision"]);
}

#[test]
fn a_new_daemon_knows_what_the_last_one_found() {
    let user = User::new(&[FIRST]);
    assert_eq!(short(&user.once()), fresh());
    assert_eq!(user.files(), ["results.lock", "results.redb"]);
    let known = [("started", 0, false), ("running", 500, true), ("finished", 500, true)];
    assert_eq!(short(&user.once()), expected(&known), "as many visits are no news");
    let others =
        user.log().lines().filter(|line| !line.contains("kifud::audit")).collect::<Vec<_>>().join("\n");
    assert_eq!(others, "", "nothing to complain of");
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
    end(client);
    assert!(!user.path("cache").exists());
    assert!(!remembers(&user.once()));

    let user = User::with(&["stop-after 1"], &["cache.enabled=false"]);
    let (mut client, engine) = user.client();
    for _ in 0..2 {
        assert!(!remembers(&look(&mut client, &engine, board())));
    }
    end(client);
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
        end(client);
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
    end(second);
    end(first);
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
        let aside = std::fs::read(user.path("cache/kifud/results.redb.bad")).unwrap_or_default();
        assert!(aside == bytes, "{}", user.log());
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

#[test]
fn a_disk_that_hangs_is_told_of_once() {
    let user = User::new(&["stop-after 1", "visits 500"]);
    user.once();
    // Whoever opens this for writing waits for somebody who reads it.
    let lock = user.path("cache/kifud/results.lock");
    std::fs::remove_file(&lock).unwrap();
    assert!(Command::new("mkfifo").arg(lock).status().unwrap().success());
    let (mut client, engine) = user.client();
    for number in 1..4 {
        assert!(!remembers(&look(&mut client, &engine, numbered(number))));
    }
    assert!(remembers(&look(&mut client, &engine, numbered(2))), "in memory it is");
    assert_eq!(user.log().matches("does not answer").count(), 1, "{}", user.log());
    end(client);
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
        // Batches are written a quarter of a second after their first result.
        let (began, time) = (Instant::now(), Duration::from_millis(250 + random.below(250)));
        while began.elapsed() < time {
            look(&mut client, &engine, numbered(next));
            next += 1;
        }
        client.child.kill().unwrap();
        client.child.wait().unwrap();
    }
    let (mut client, engine) = user.client();
    let known = (0..next).filter(|number| remembers(&look(&mut client, &engine, numbered(*number)))).count();
    assert!(known > 0, "none of {next} is known");
    end(client);
    assert_eq!(user.files(), ["results.lock", "results.redb"], "{}", user.log());
    assert!(!user.log().contains("WARN"), "{}", user.log());
}

/// A record, its cursor at the node of a number on its main line.
fn node(number: usize) -> Value {
    let path = if number == 0 { json!([]) } else { json!([format!("0*{number}")]) };
    let text = "(;SZ[9]KM[6.5];B[ee];W[cc];B[gg];W[gc];B[cg](;W[ec];B[eg])(;W[ge]))";
    json!({"document": {"text": text}, "node": {"game": 0, "path": path}})
}

/// The moves and analyses among commands.
fn work(commands: &[String]) -> Vec<&str> {
    let wanted = |command: &&String| command.starts_with("play") || command.contains("analyze");
    commands.iter().filter(wanted).map(String::as_str).collect()
}

/// Waits until the engine was sent so many analyses.
fn until_analyses(user: &User, count: usize) {
    let end = Instant::now() + PATIENCE;
    let analyses = || user.commands().iter().filter(|command| command.starts_with("kata-analyze")).count();
    while analyses() < count {
        assert!(Instant::now() < end, "{:?}", user.commands());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_idle_engine_looks_at_the_next_nodes_of_the_line() {
    let user = User::with(&["visits 50"], &["ahead.nodes=3", "ahead.visits=200"]);
    let (mut client, engine) = user.client();
    let subscription = analyze(&mut client, &engine, node(1), &json!({"limit": {"visits": 500}}));
    let seen = events(&mut client, &subscription);
    assert_eq!(seen.last().unwrap()["reason"], "limit");
    until_analyses(&user, 4);
    // The third of them is over when it is known.
    let end = Instant::now() + PATIENCE;
    loop {
        let state = client.request("engine/list", json!({}))["attached"][0]["state"].clone();
        if state == "ready" {
            break;
        }
        assert!(Instant::now() < end, "{state}");
    }
    let commands = user.commands();
    let done = work(&commands);
    assert_eq!(done.len(), 8, "{done:?}");
    assert_eq!((done[0], &done[1][..14]), ("play B E5", "kata-analyze w"), "the node under the cursor first");
    assert_eq!(
        [done[2], done[4], done[6]],
        ["play W C7", "play B G3", "play W G7"],
        "then those that follow"
    );
    // Each shows its value at once.
    for (number, winrate) in [(2, 50.02), (3, 50.03), (4, 50.04)] {
        let subscription = analyze(&mut client, &engine, node(number), &json!({}));
        let shown = client.event_in(&subscription, "running");
        assert_eq!((&shown["cached"], &shown["winrate"]), (&json!(true), &json!(winrate)));
        assert!(shown["visits"].as_u64().unwrap() >= 200, "{shown}");
        client.request("kifud/unsubscribe", json!({"subscription": subscription}));
        client.event_in(&subscription, "ended");
    }
    // What is known needs no engine: from the node before, the first that is not known is the fifth.
    let before = user.commands().len();
    let subscription = analyze(&mut client, &engine, node(2), &json!({"limit": {"visits": 100}}));
    assert_eq!(events(&mut client, &subscription).last().unwrap()["cached"], true);
    until_analyses(&user, 9);
    let commands = user.commands();
    let done = work(&commands[before..]);
    assert_eq!(done.last().unwrap()[..14], *"kata-analyze w", "{done:?}");
    assert_eq!(done.iter().filter(|command| command.starts_with("kata-analyze")).count(), 2, "{done:?}");
}

/// Whatever is asked for comes at once, and finds the engine where it left it.
#[test]
fn any_real_request_ends_a_look_ahead_at_once() {
    // Without a limit that it could reach it would look ahead for ever.
    let user = User::with(&["visits 1"], &["ahead.nodes=5", "ahead.visits=10000"]);
    let (mut client, engine) = user.client();
    let requests: [(&str, Value); 4] = [
        ("engine/send", json!({"engineId": engine, "command": "list_stones black"})),
        ("engine/genmove", json!({"engineId": engine})),
        ("engine/sync", json!({"engineId": engine, "position": node(3)})),
        ("engine/stop", json!({"engineId": engine})),
    ];
    for (index, (method, mut params)) in requests.into_iter().enumerate() {
        let subscription = analyze(&mut client, &engine, node(1), &json!({"limit": {"visits": 2 + index}}));
        let seen = events(&mut client, &subscription);
        let revision = seen[0]["revision"].clone();
        until_analyses(&user, 2 * index + 2);
        let before = user.commands().len();
        if method == "engine/send" || method == "engine/genmove" {
            params["ifRevision"] = revision;
        }
        let answer = client.request(method, params);
        let commands = user.commands();
        assert_eq!(commands[before], "protocol_version", "{method} silences the engine first");
        match method {
            "engine/send" => assert_eq!(answer["text"], "E5", "the board of node 1"),
            // Black has moved at node 1; the engine plays the first free point.
            "engine/genmove" => assert_eq!(answer["move"], json!({"color": "W", "vertex": "A9"})),
            "engine/sync" => assert!(answer["revision"].is_u64()),
            _ => {}
        }
        let analyses = user.commands().iter().filter(|command| command.starts_with("kata-analyze")).count();
        assert_eq!(analyses, 2 * index + 2, "it does not go on");
    }
}

#[test]
fn nobody_looks_ahead_unasked() {
    let user = User::with(&["visits 50"], &["ahead.nodes=0"]);
    let (mut client, engine) = user.client();
    let limit = json!({"limit": {"visits": 100}});
    let analyses = || user.commands().iter().filter(|command| command.starts_with("kata-analyze")).count();
    let subscription = analyze(&mut client, &engine, node(1), &limit);
    events(&mut client, &subscription);
    client.gtp(&engine, "name");
    assert_eq!(analyses(), 1, "it is off");
    client.request("kifud/configure", json!({"set": {"ahead": {"nodes": 2}}}));
    // Stopped by its user, it stays silent.
    let subscription = analyze(&mut client, &engine, node(2), &json!({}));
    client.event_in(&subscription, "running");
    client.request("engine/stop", json!({"subscription": subscription}));
    client.event_in(&subscription, "ended");
    client.gtp(&engine, "name");
    assert_eq!(analyses(), 2);
    // A position that is no node has nothing behind it.
    let subscription = analyze(&mut client, &engine, board(), &limit);
    events(&mut client, &subscription);
    client.gtp(&engine, "name");
    assert_eq!(analyses(), 3);
}

#[test]
fn a_reviewed_game_shows_its_values_at_once() {
    let exact = "commands +kata-search_analyze +kata-get-param +kata-set-param";
    let user = User::with(&[exact, "visits 1", "every 500"], &["ahead.nodes=0"]);
    let (mut client, engine) = user.client();
    let document = node(0)["document"].clone();
    let review = json!({"document": document, "engineId": engine, "limit": {"visits": 40}});
    let subscription = client.request("analysis/game", review);
    events(&mut client, &subscription);
    for number in [0, 3, 7] {
        let subscription = analyze(&mut client, &engine, node(number), &json!({"ownership": true}));
        let shown = client.event_in(&subscription, "running");
        assert_eq!((&shown["cached"], &shown["visits"]), (&json!(true), &json!(40)), "node {number}");
    }
}

#[test]
fn a_plainer_answer_is_shown_but_is_not_the_end() {
    let exact = "commands +kata-search_analyze +kata-get-param +kata-set-param";
    let owned = |time: u32| {
        let report = "info move A9 visits 60 winrate 0.7 order 0 pv A9 ownership";
        let owners = " 0.5".repeat(81);
        format!("on kata-analyze @{time}: raw =%id\\n{report}{owners}\\n; sleep 100; raw \\n")
    };
    let user = User::with(&[exact, "every 10", &owned(1), &owned(3)], &["ahead.nodes=0"]);
    let (mut client, engine) = user.client();
    let document = node(0)["document"].clone();
    let review = json!({"document": document, "engineId": engine, "limit": {"visits": 100}});
    let subscription = client.request("analysis/game", review);
    events(&mut client, &subscription);
    let limit = json!({"visits": 50});
    // The points' owners are not known, so that the engine is asked, and its fewer visits are shown.
    let asked = json!({"limit": limit, "ownership": true});
    let subscription = analyze(&mut client, &engine, node(3), &asked);
    let seen = events(&mut client, &subscription);
    let wanted =
        [("started", 0, false), ("running", 100, true), ("running", 60, false), ("limit", 60, false)];
    assert_eq!(short(&seen), expected(&wanted));
    assert!(seen[1]["ownership"].is_null() && seen[2]["ownership"].is_array(), "{seen:?}");
    // One that ends before the engine has said anything does not make it the answer.
    for (asked, visits) in [(json!({"ownership": true}), 100), (asked, 60)] {
        let subscription = analyze(&mut client, &engine, node(4), &asked);
        client.event_in(&subscription, "running");
        if visits == 100 {
            client.request("engine/stop", json!({"subscription": subscription}));
        }
        assert_eq!(events(&mut client, &subscription).last().unwrap()["visits"], visits);
    }
    // Fewer moves are shown of what is known, but fewer visits are no news.
    let asked = json!({"limit": limit, "maxMoves": 1});
    let subscription = analyze(&mut client, &engine, node(5), &asked);
    let seen = events(&mut client, &subscription);
    let wanted = [("started", 0, false), ("running", 100, true), ("limit", 100, true)];
    assert_eq!(short(&seen), expected(&wanted));
    assert_eq!(seen[1]["moves"].as_array().map(Vec::len), Some(1));
    // The same question as the review's.
    let subscription = analyze(&mut client, &engine, node(5), &json!({"limit": limit}));
    assert_eq!(short(&events(&mut client, &subscription)), expected(&wanted));
}
