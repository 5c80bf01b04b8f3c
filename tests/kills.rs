//! The shared daemon is killed while three clients are at work, again and again.
//!
//! `KIFUD_KILLS` says how often (10), `KIFUD_KILLS_SEED` at which moments.
#![cfg(target_os = "linux")]

#[path = "support/home.rs"]
mod home;
mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use home::{Home, insert, open, processes, properties, until};
use serde_json::{Value, json};
use support::desk::depth;
use support::{Conversation, PATIENCE, Random, example};

/// A record whose node `n` has `n` stones, behind a comment that is typed into.
const BEHIND: &str = "]SZ[9];B[aa];W[ca];B[ea];W[ga];B[ac];W[cc];B[ec];W[gc])";

/// Boards that are all different for the cache; gives the number of stones, too.
fn board(number: usize) -> (Value, usize) {
    let points = ["A9", "C9", "E9", "G9", "A7", "C7", "E7", "G7"];
    let stones = number % 9;
    let moves: Vec<Value> = points[..stones]
        .iter()
        .zip(["B", "W"].iter().cycle())
        .map(|(vertex, color)| json!({"color": color, "vertex": vertex}))
        .collect();
    (json!({"boardSize": 9, "komi": (number / 9) as f64, "moves": moves}), stones)
}

/// The engine made for tests says 50 % and 0.01 % for each stone.
fn is_about(event: &Value, stones: usize) {
    let winrate = event["winrate"].as_f64().unwrap_or_else(|| panic!("no value: {event}"));
    let expected = 50.0 + 0.01 * stones as f64;
    assert!((winrate - expected).abs() < 0.001, "{stones} stones: {event}");
}

/// The daemon or what it knew is gone.
fn is_lost(answer: &Value) -> bool {
    ["DaemonLost", "EngineNotFound", "NotFound"].iter().any(|kind| answer["error"]["data"]["kind"] == *kind)
}

/// A client with an open document that it types into.
struct Editor {
    client: Conversation,
    uri: &'static str,
    typed: String,
    version: i32,
    /// A plain client speaks no LSP.
    plain: bool,
}

impl Editor {
    fn new(home: &Home, uri: &'static str, plain: bool) -> Editor {
        let mut client = home.connect();
        let text = format!("(;C[{BEHIND}");
        if plain {
            client.request("document/open", json!({"uri": uri, "text": text, "version": 1}));
        } else {
            client.initialize(json!({}));
            open(&mut client, uri, &text);
        }
        Editor { client, uri, typed: String::new(), version: 1, plain }
    }

    /// Types a letter in front, and reads the text as the daemon has it.
    fn edit(&mut self) {
        self.version += 1;
        self.typed.insert(0, char::from(b'a' + (self.version % 26) as u8));
        let letter = &self.typed[..1];
        if self.plain {
            let at = json!({"line": 0, "character": 4});
            let change = json!({"range": {"start": at, "end": at}, "text": letter});
            let params = json!({"uri": self.uri, "version": self.version, "changes": [change]});
            let answer = self.client.call("document/change", params);
            // What was typed counts in any case.
            assert!(answer["result"].is_object() || is_lost(&answer), "{answer}");
        } else {
            insert(&mut self.client, self.uri, self.version, 4, letter);
        }
        let tree = self.client.call("record/tree", json!({"document": {"uri": self.uri}}));
        match tree["result"]["games"][0]["nodes"][0]["props"]["C"][0].as_str() {
            Some(text) => assert_eq!(text, self.typed, "{}", self.uri),
            None => assert_eq!(tree["error"]["data"]["kind"], "DaemonLost", "{tree}"),
        }
    }

    /// A request that may come to nothing when the daemon goes.
    fn attempt(&mut self, method: &str, params: Value) -> Option<Value> {
        let answer = self.client.call(method, params);
        assert!(answer.get("result").is_some() || is_lost(&answer), "{method}: {answer}");
        answer.get("result").cloned()
    }

    fn attach(&mut self, engine: Value) -> Option<Value> {
        self.attempt("engine/attach", engine).map(|answer| answer["engine"]["id"].clone())
    }

    /// An analysis up to its end, whatever ends it; gives the reports.
    fn look(&mut self, engine: &Value, position: &Value) -> Vec<Value> {
        let params =
            json!({"engineId": engine, "position": position, "interval": 1, "limit": {"visits": 20}});
        let Some(subscription) = self.attempt("engine/analyze", params) else { return Vec::new() };
        let mut reports = Vec::new();
        loop {
            let event = self.client.event(&subscription);
            match event["state"].as_str() {
                Some("running") => reports.push(event),
                Some("ended") => {
                    let reasons = ["limit", "finished", "shutdown"];
                    assert!(reasons.iter().any(|reason| event["reason"] == *reason), "{event}");
                    return reports;
                }
                _ => {}
            }
        }
    }

    /// Has the daemon that is there now, and no engine.
    fn settle(&mut self) {
        let end = Instant::now() + PATIENCE;
        let list = loop {
            match self.attempt("engine/list", json!({})) {
                Some(list) => break list,
                None => assert!(Instant::now() < end, "no daemon any more"),
            }
        };
        // One may have been attached to the new daemon already.
        for engine in list["attached"].as_array().unwrap() {
            self.client.request("engine/detach", json!({"engineId": engine["id"]}));
        }
        let nodes = properties(&mut self.client, self.uri);
        assert_eq!((&nodes[0]["C"], nodes.len()), (&json!([self.typed]), 9), "{}", self.uri);
    }

    /// It was told that its daemon is gone, and of nothing else.
    fn is_warned(&mut self) {
        let shown = self.client.wait("a warning", |message| message["method"] == "window/showMessage");
        let text = shown["params"]["message"].as_str().unwrap();
        assert!(text.contains("lost"), "{text}");
    }
}

/// Works until the daemon has been killed, and a little longer.
fn meanwhile(killed: &AtomicBool, mut step: impl FnMut()) {
    let mut more = 3;
    while more > 0 {
        more -= i32::from(killed.load(Ordering::SeqCst));
        step();
    }
}

/// Looks at one board after the other; each result is kept.
struct Looker {
    editor: Editor,
    seen: usize,
}

impl Looker {
    fn work(&mut self, killed: &AtomicBool) {
        let engine = self.editor.attach(json!({"name": "fake"})).unwrap_or_default();
        meanwhile(killed, || {
            self.editor.edit();
            let (position, stones) = board(self.seen);
            let reports = self.editor.look(&engine, &position);
            self.seen += usize::from(!reports.is_empty());
            reports.iter().for_each(|report| is_about(report, stones));
        });
        self.editor.is_warned();
    }

    /// Asks again for boards that were seen; gives how many are known.
    fn remember(&mut self, random: &mut Random, count: usize) -> usize {
        let engine = self.editor.attach(json!({"name": "fake"})).expect("the daemon is there");
        let known = (0..count.min(self.seen)).filter(|_| {
            let (position, stones) = board(random.index(self.seen));
            let reports = self.editor.look(&engine, &position);
            reports.iter().for_each(|report| is_about(report, stones));
            reports.iter().any(|report| report["cached"] == true)
        });
        let known = known.count();
        self.editor.client.request("engine/detach", json!({"engineId": engine}));
        known
    }
}

/// Goes from node to node on the same engine; gives how many reports came.
fn follow(editor: &mut Editor, random: &mut Random, killed: &AtomicBool) -> usize {
    let node = |number: u64| {
        let path = if number == 0 { json!([]) } else { json!([format!("0*{number}")]) };
        json!({"game": 0, "path": path})
    };
    let position = |uri: &str, number: u64| json!({"document": {"uri": uri}, "node": node(number)});
    let engine = editor.attach(json!({"name": "fake"})).unwrap_or_default();
    let params = json!({"engineId": engine, "position": position(editor.uri, 0), "interval": 1});
    let subscription = editor.attempt("engine/analyze", params);
    let (mut reports, mut reason) = (0, Value::Null);
    meanwhile(killed, || {
        editor.edit();
        let Some(subscription) = &subscription else { return };
        let position = position(editor.uri, random.below(9));
        editor.attempt("analysis/retarget", json!({"subscription": subscription, "position": position}));
        while let Some(event) = editor.client.event_now(subscription) {
            match event["state"].as_str() {
                Some("running") => {
                    is_about(&event, depth(&event) as usize);
                    reports += 1;
                }
                Some("ended") => reason = event["reason"].clone(),
                _ => {}
            }
        }
    });
    if let Some(subscription) = subscription {
        while reason.is_null() {
            let event = editor.client.event(&subscription);
            reason = event.get("reason").cloned().unwrap_or_default();
        }
        assert_eq!(reason, "shutdown");
    }
    editor.is_warned();
    reports
}

/// Waits for an engine that never answers, and lets the engine in the box think; says whether the answer was
/// that the daemon is lost. It is not when the daemon was gone before the question.
fn wait_and_think(editor: &mut Editor, silent: &Value, random: &mut Random, killed: &AtomicBool) -> bool {
    let pending = editor.attach(silent.clone()).map(|engine| {
        editor.client.ask("engine/genmove", json!({"engineId": engine, "position": {"boardSize": 9}}))
    });
    let engine = editor.attach(json!({"name": "builtin"})).unwrap_or_default();
    meanwhile(killed, || {
        editor.edit();
        let (position, _) = board(random.index(100));
        editor.look(&engine, &position);
    });
    let Some(pending) = pending else { return false };
    let answer = editor.client.answer(pending);
    assert!(is_lost(&answer), "{answer}");
    answer["error"]["data"]["kind"] == "DaemonLost"
}

/// Kills the daemon after a while, and the next one, too, as soon as it answers when it shall be done twice; gives
/// how long the engines of the first were there after that.
fn kill(home: &Home, mark: &str, pause: Duration, twice: bool, killed: &AtomicBool) -> Duration {
    let daemon = home.daemon();
    std::thread::sleep(pause);
    let engines = processes(|line, _| line.contains(mark));
    let is_there = |engine: &u32| {
        std::fs::read_to_string(format!("/proc/{engine}/cmdline")).is_ok_and(|line| line.contains(mark))
    };
    home.kill(daemon);
    let since = Instant::now();
    killed.store(true, Ordering::SeqCst);
    while engines.iter().any(is_there) {
        assert!(since.elapsed() < PATIENCE, "still there: {engines:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    let gone = since.elapsed();
    let next = another(home, daemon);
    if twice {
        home.kill(next);
        another(home, next);
    }
    gone
}

/// The daemon after this one.
fn another(home: &Home, daemon: u32) -> u32 {
    let mut next = daemon;
    let end = Instant::now() + PATIENCE;
    while next == daemon {
        assert!(Instant::now() < end, "no other daemon");
        next = home.daemon();
    }
    next
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

#[test]
fn a_daemon_that_is_killed_at_any_moment_comes_back_in_order() {
    let (kills, seed) = (number("KIFUD_KILLS", 10), number("KIFUD_KILLS_SEED", 20_261_130));
    println!("{kills} kills, seed {seed}");
    let mark = format!("version killed-{}-{seed}", std::process::id());
    let script = |more: &str| format!("commands +kata-analyze\n{mark}\n{more}");
    let fake = example("fake-engine");
    let home = Home::configured(&format!(
        "sliceMs = 50\nkeepEnginesSeconds = 0\n[[engines]]\nname = \"fake\"\nshared = true\npath = {fake:?}\nargs = [{:?}]\n",
        script("every 1"),
    ));
    let silent = script("deaf\non genmove: silence\non start: spawn");
    let silent = json!({"engine": {"name": "silent", "path": fake, "args": [silent]}});
    let mut looker = Looker { editor: Editor::new(&home, "file:///looker.sgf", false), seen: 0 };
    let mut follower = Editor::new(&home, "file:///follower.sgf", false);
    let mut thinker = Editor::new(&home, "thinker", true);
    let mut random = Random(seed);
    let mut slowest = Duration::ZERO;
    let (mut known, mut asked, mut reports, mut told) = (0, 0, 0, 0);
    for round in 0..kills {
        // Results are written a quarter of a second after the first.
        let pause = Duration::from_micros(random.below(600_000));
        let twice = random.below(4) == 0;
        let killed = AtomicBool::new(false);
        let mut randoms = [(); 2].map(|()| Random(random.below(u64::MAX)));
        let [for_follower, for_thinker] = &mut randoms;
        let (gone, heard, lost) = std::thread::scope(|scope| {
            let killer = scope.spawn(|| kill(&home, &mark, pause, twice, &killed));
            scope.spawn(|| looker.work(&killed));
            let following = scope.spawn(|| follow(&mut follower, for_follower, &killed));
            let waiting = scope.spawn(|| wait_and_think(&mut thinker, &silent, for_thinker, &killed));
            (killer.join().unwrap(), following.join().unwrap(), waiting.join().unwrap())
        });
        slowest = slowest.max(gone);
        reports += heard;
        told += u64::from(lost);
        for editor in [&mut looker.editor, &mut follower, &mut thinker] {
            editor.settle();
        }
        until("no engine is left", || processes(|line, _| line.contains(&mark)).is_empty());
        until("no child of theirs is left", || home.processes("1000").is_empty());
        until("one daemon is left", || home.processes("--shared").len() == 1);
        // The new daemon starts its own with its first engine.
        until("no other reaper is left", || home.processes("reaper").len() <= 1);
        asked += looker.seen.min(5);
        known += looker.remember(&mut random, 5);
        let log = home.log();
        assert!(!log.contains("WARN") && !log.contains("ERROR"), "round {round}: {log}");
    }
    println!(
        "engines were gone after {slowest:?} at most; {} boards were looked at, {known} of {asked} known \
         again; {reports} reports were followed, {told} times \
         somebody waited for an answer",
        looker.seen
    );
    let mut files: Vec<_> = std::fs::read_dir(home.folder.path().join("cache/kifud"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["results.lock", "results.redb"]);
    assert!(known > 0, "none of {asked} boards is known");
    assert!(reports > 0);
    assert!(told * 2 > kills, "{told} of {kills} times somebody waited");
    assert_eq!((looker.editor.client.leave(), follower.client.leave()), (0, 0));
}
