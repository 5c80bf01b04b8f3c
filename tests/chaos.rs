//! An engine that is killed, stopped and made to print rubbish while it works: every request is
//! answered once, every stream ends once, the board is right afterwards, nothing is left behind.
//!
//! `KIFUD_CHAOS` rounds (200), from the seed `KIFUD_CHAOS_SEED` (1).
#![cfg(target_os = "linux")]

mod support;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use kifud::go::{Board, Color, Move, Size, Vertex};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use support::{Conversation, PATIENCE, Random, example};

/// What may be answered to a good request about a bad engine.
const EXPECTED: [&str; 10] = [
    "Cancelled",
    "EngineBusy",
    "EngineExited",
    "EngineRefused",
    "EngineStartFailed",
    "EngineTimeout",
    "EngineUnsupported",
    "InvalidPosition",
    "NotFound",
    "SyncFailed",
];

#[derive(Default)]
struct Answers {
    /// How often each request was answered.
    counts: HashMap<i64, u32>,
    results: HashMap<i64, Value>,
    kinds: BTreeMap<String, u32>,
    /// Streams that were opened, and how often each has ended.
    opened: HashSet<String>,
    ended: HashMap<String, u32>,
}

struct Chaos {
    client: Conversation,
    random: Random,
    answers: Answers,
    engine: Value,
    mark: String,
    garbage: tempfile::NamedTempFile,
    /// Requests to analyse, by id, and the newest stream.
    analyses: HashSet<i64>,
    stream: Option<String>,
    asked: Vec<i64>,
    methods: HashMap<i64, &'static str>,
    /// The position of the last request.
    last: Vec<Move>,
    disturbed: BTreeMap<&'static str, u32>,
}

impl Chaos {
    fn start(seed: u64) -> Chaos {
        let mut command = Command::new(example("probe-daemon"));
        command.env("PROBE_PATIENCE", "2000");
        let mut chaos = Chaos {
            client: Conversation::spawn(command),
            random: Random(seed),
            answers: Answers::default(),
            engine: Value::Null,
            mark: format!("kifud-chaos-{}-{seed}", std::process::id()),
            garbage: tempfile::NamedTempFile::new().expect("a file"),
            analyses: HashSet::new(),
            stream: None,
            asked: Vec::new(),
            methods: HashMap::new(),
            last: Vec::new(),
            disturbed: BTreeMap::new(),
        };
        chaos.attach();
        chaos
    }

    /// Attaches the engine, or one more when it was given up.
    fn attach(&mut self) {
        let script = format!(
            "version {}\ngarbage {}\ncommands +lz-analyze +lz-genmove_analyze\nevery 3\nthink 5",
            self.mark,
            self.garbage.path().display()
        );
        let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": [script]});
        let id = self.client.ask("engine/attach", json!({"engine": engine}));
        let answer = self.answer(id);
        self.engine = answer["result"]["engine"]["id"].clone();
        assert!(self.engine.is_string(), "{answer}");
    }

    fn take(&mut self, message: Value) {
        if let (Some(id), None) = (message["id"].as_i64(), message.get("method")) {
            *self.answers.counts.entry(id).or_default() += 1;
            if let Some(kind) = message["error"]["data"]["kind"].as_str() {
                assert!(EXPECTED.contains(&kind), "{message}");
                *self.answers.kinds.entry(kind.to_owned()).or_default() += 1;
            } else {
                *self.answers.kinds.entry("done".to_owned()).or_default() += 1;
            }
            if self.analyses.contains(&id)
                && let Some(stream) = message["result"].as_str()
            {
                self.answers.opened.insert(stream.to_owned());
                self.stream = Some(stream.to_owned());
            }
            self.answers.results.insert(id, message);
        } else if message["params"]["result"]["state"] == "ended" {
            let stream = message["params"]["subscription"].as_str().unwrap_or_default();
            *self.answers.ended.entry(stream.to_owned()).or_default() += 1;
        }
    }

    /// Waits until a request is answered.
    fn answer(&mut self, id: i64) -> Value {
        let end = Instant::now() + PATIENCE;
        while !self.answers.counts.contains_key(&id) {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.client.receive(left);
            let message =
                message.unwrap_or_else(|| panic!("request {id} ({:?}) has no answer", self.methods.get(&id)));
            self.take(message);
        }
        self.answers.results.remove(&id).unwrap_or_default()
    }

    /// Up to 12 moves on 9x9; some are illegal.
    fn moves(&mut self) -> Vec<Move> {
        let size = Size::square(9).expect("a size");
        let count = self.random.below(12);
        (0..count)
            .map(|index| {
                let color = if index % 2 == 0 { Color::Black } else { Color::White };
                let point = size.points().nth(self.random.below(81) as usize).expect("a point");
                Move { color, vertex: Vertex::At(point) }
            })
            .collect()
    }

    fn position(moves: &[Move]) -> Value {
        let size = Size::square(9).expect("a size");
        let moves: Vec<Value> = moves
            .iter()
            .map(|play| json!({"color": play.color.letter(), "vertex": play.vertex.to_gtp(size)}))
            .collect();
        json!({"boardSize": 9, "komi": 7.5, "moves": moves})
    }

    /// One request of any kind.
    fn ask(&mut self) {
        let moves = self.moves();
        let (engine, position) = (self.engine.clone(), Self::position(&moves));
        self.last = moves;
        let stream = self.stream.clone().unwrap_or_else(|| "0-0".to_owned());
        let choice = self.random.below(11);
        let command = ["showboard", "list_stones black", "bogus", "undo"][self.random.below(4) as usize];
        let (method, params) = match choice {
            0 | 1 => ("engine/sync", json!({"engineId": engine, "position": position})),
            2 | 3 => ("engine/analyze", json!({"engineId": engine, "position": position, "interval": 1})),
            4 => ("analysis/retarget", json!({"subscription": stream, "position": position})),
            5 | 6 => ("engine/genmove", json!({"engineId": engine, "position": position})),
            7 => ("engine/send", json!({"engineId": engine, "command": command})),
            8 => ("engine/stop", json!({"engineId": engine})),
            9 => {
                // A move that is given up while the engine thinks about it.
                let id = self.client.ask("engine/genmove", json!({"engineId": engine, "position": position}));
                self.asked.push(id);
                self.methods.insert(id, "engine/genmove, cancelled");
                std::thread::sleep(Duration::from_millis(self.random.below(25)));
                ("kifud/cancel", json!({"id": id}))
            }
            _ => {
                let id = self.asked.last().copied().unwrap_or_default();
                ("kifud/cancel", json!({"id": id}))
            }
        };
        let id = self.client.ask(method, params);
        if method == "engine/analyze" {
            self.analyses.insert(id);
        }
        self.asked.push(id);
        self.methods.insert(id, method);
    }

    fn signal(&self, signal: Signal) {
        for process in processes(&self.mark) {
            if let Some(pid) = Pid::from_raw(process as i32) {
                let _ = kill_process(pid, signal);
            }
        }
    }

    fn disturb(&mut self) {
        let pause = Duration::from_millis(self.random.below(30));
        std::thread::sleep(pause);
        let what = match self.random.below(12) {
            0..=3 => {
                self.signal(Signal::KILL);
                "killed"
            }
            4..=6 => {
                self.signal(Signal::STOP);
                std::thread::sleep(pause);
                self.signal(Signal::CONT);
                "stalled"
            }
            7 => {
                self.signal(Signal::STOP);
                std::thread::sleep(pause);
                self.signal(Signal::KILL);
                "stalled and killed"
            }
            _ => {
                let burst = vec![b'x'; 1 + self.random.below(150) as usize];
                self.garbage.write_all(&burst).expect("a file");
                "garbage"
            }
        };
        *self.disturbed.entry(what).or_default() += 1;
    }

    fn round(&mut self) {
        let first = self.asked.len();
        for _ in 0..1 + self.random.below(4) {
            self.ask();
            if self.random.below(3) == 0 {
                self.disturb();
            }
        }
        if self.random.below(4) > 0 {
            for id in self.asked.split_off(first) {
                self.asked.push(id);
                self.answer(id);
            }
        }
    }

    /// All is answered, and a new position stands on the engine's own board.
    fn settle(&mut self) {
        for id in self.asked.clone() {
            self.answer(id);
        }
        // Half of the time where the engine should stand already: wrong beliefs show there.
        let moves = if self.random.below(2) == 0 { self.last.clone() } else { self.moves() };
        let mut board = Board::new(Size::square(9).expect("a size"));
        moves.iter().for_each(|play| {
            board.execute(*play);
        });
        // The last burst may still be on its way, and what it spoils is told as an error.
        for _ in 0..10 {
            let position = Self::position(&moves);
            let id = self.client.ask("engine/sync", json!({"engineId": self.engine, "position": position}));
            let synced = self.answer(id);
            match synced["error"]["data"]["kind"].as_str() {
                None => break,
                Some("EngineExited") if synced["error"]["data"]["cause"] == "gave-up" => self.attach(),
                Some(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
        let id = self.client.ask("engine/send", json!({"engineId": self.engine, "command": "showboard"}));
        let shown = self.answer(id)["result"]["text"].clone();
        let rows: String = board
            .size()
            .points()
            .map(|point| match (point.col, board.at(point)) {
                (0, stone) => format!("\n{}", letter(stone)),
                (_, stone) => format!(" {}", letter(stone)),
            })
            .collect();
        assert_eq!(shown.as_str().unwrap_or_default().trim(), rows.trim(), "{moves:?}");
    }
}

fn letter(stone: Option<Color>) -> char {
    match stone {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    }
}

/// Processes whose command line holds the mark.
fn processes(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    })
    .collect()
}

#[test]
fn whatever_happens_to_the_engine() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    let (rounds, seed) = (number("KIFUD_CHAOS", 200), number("KIFUD_CHAOS_SEED", 1));
    let mut chaos = Chaos::start(seed);
    let mut memory = Vec::new();
    for round in 1..=rounds {
        chaos.round();
        if round % 4 == 0 || round == rounds {
            chaos.settle();
        }
        if round % 40 == 0 || round == rounds {
            memory.push(chaos.client.rss_mib());
        }
    }
    let id = chaos.client.ask("engine/stop", json!({"engineId": chaos.engine}));
    chaos.answer(id);
    // What was superseded long ago has ended by now; the rest of the events is on its way.
    let end = Instant::now() + PATIENCE;
    while chaos.answers.ended.len() < chaos.answers.opened.len() && Instant::now() < end {
        if let Some(message) = chaos.client.receive(Duration::from_millis(100)) {
            chaos.take(message);
        }
    }
    while let Some(message) = chaos.client.receive(Duration::from_millis(200)) {
        chaos.take(message);
    }
    let answers = &chaos.answers;
    for id in &chaos.asked {
        assert_eq!(answers.counts.get(id), Some(&1), "answers to request {id}");
    }
    for stream in &answers.opened {
        assert_eq!(answers.ended.get(stream), Some(&1), "ends of stream {stream}");
    }
    eprintln!(
        "seed {seed}, {rounds} rounds: {} requests {:?}, {} streams, disturbed {:?}, MiB {memory:?}",
        chaos.asked.len(),
        answers.kinds,
        answers.opened.len(),
        chaos.disturbed
    );
    assert!(chaos.disturbed.len() == 4 && answers.kinds["done"] > rounds as u32 / 2, "it was a real fight");
    let (first, last) = (memory[0], memory[memory.len() - 1]);
    assert!(last <= first + 8, "memory grew: {memory:?} MiB");
    assert_eq!(processes(&chaos.mark).len(), 1, "the engine that runs, and nothing of those before");
    let (mark, garbage) = (chaos.mark.clone(), chaos.garbage);
    chaos.client.close_stdin();
    chaos.client.exit();
    let end = Instant::now() + Duration::from_secs(5);
    while !processes(&mark).is_empty() {
        assert!(Instant::now() < end, "left: {:?}", processes(&mark));
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(garbage);
}
