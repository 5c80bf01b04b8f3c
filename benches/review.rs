//! Three ways to give each of 60 positions 50 visits: polling a running analysis, as front ends do that have
//! nothing else; exact searches over GTP; KataGo's analysis engine.
//!
//! `cargo bench --bench review` runs them one after the other, each on an engine of its own that has just
//! been started, and prints a line a way. Needs the engines of `tests/engines/setup.sh` (`KIFUD_ENGINES`);
//! the third way needs an engine with `protocol = "katago-json"` in their `kifud.toml`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use kifud::engine::gtp::analyze::{Dialect, parse_line};
use kifud::go::{Size, Vertex};
use kifud::service::settings::{EngineSettings, Settings};
use serde_json::json;
use support::Conversation;

const POSITIONS: usize = 60;
const VISITS: u64 = 50;

/// Over GTP one position is searched by all threads; they are as many as small machines have cores. The
/// analysis engine of `tests/engines/setup.sh` has four positions under way.
const THREADS: &str = "kata-set-param numSearchThreads 2";

/// What a way took, its start not counted.
struct Taken {
    seconds: f64,
    visits: u64,
}

fn main() {
    let Some(engines) = std::env::var_os("KIFUD_ENGINES").map(PathBuf::from) else {
        println!("SKIPPED: KIFUD_ENGINES names the folder of tests/engines/setup.sh");
        return;
    };
    let config = engines.join("kifud.toml");
    let settings = Settings::read(&config).unwrap_or_else(|error| panic!("{}", error.message));
    let katago = settings.engine("katago").unwrap_or_else(|error| panic!("{}", error.message));
    let json = settings.engines.iter().find(|engine| engine.protocol() == "katago-json");
    println!("{POSITIONS} positions of a 19x19 game, {VISITS} visits each, tiny net");
    println!("{:<26}{:>8}{:>9}{:>14}", "", "seconds", "visits", "visits/second");
    tell("polling at 50 cs", &polling(katago));
    let gtp = EngineSettings { commands: Some(THREADS.to_owned()), ..katago.clone() };
    let exact = review(&gtp);
    tell("exact visits over GTP", &exact);
    match json {
        Some(engine) => {
            let parallel = review(engine);
            tell("katago-json", &parallel);
            println!(
                "exact over GTP takes {:.2} times as long as katago-json",
                exact.seconds / parallel.seconds
            );
        }
        None => {
            println!("SKIPPED: katago-json; no engine in {} has protocol = \"katago-json\"", config.display())
        }
    }
}

fn tell(what: &str, taken: &Taken) {
    let Taken { seconds, visits } = taken;
    println!("{what:<26}{seconds:>8.2}{visits:>9}{:>14.0}", *visits as f64 / seconds);
}

/// A move for every position but the first, all over the board.
fn moves() -> Vec<(&'static str, Vertex)> {
    // 73 and 361 have no common factor: no point comes twice.
    let points: Vec<_> = Size::STANDARD.points().collect();
    let point = |number: usize| points[(number * 73 + 60) % points.len()];
    (1..POSITIONS).map(|number| (["W", "B"][number % 2], Vertex::At(point(number)))).collect()
}

/// A review by kifud.
fn review(engine: &EngineSettings) -> Taken {
    let letter = |vertex: Vertex| {
        kifud::sgf::NewValue::vertex(vertex)
            .map(|value| value.as_raw().to_owned())
            .expect("it is on the board")
    };
    let nodes: String = moves().into_iter().map(|(color, at)| format!(";{color}[{}]", letter(at))).collect();
    let mut client = Conversation::start(&[]);
    let id = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
    let document = json!({"text": format!("(;SZ[19]KM[7.5]{nodes})")});
    let params = json!({"document": document, "engineId": id, "limit": {"visits": VISITS}});
    let start = Instant::now();
    let subscription = client.request("analysis/game", params);
    let (mut rows, mut visits) = (0, 0);
    let last = loop {
        let event = client.event(&subscription);
        match event["state"].as_str() {
            Some("running") => {
                rows += 1;
                visits += event["visits"].as_u64().unwrap_or_else(|| panic!("{event}"));
            }
            Some("ended") => break event,
            _ => {}
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!((rows, &last["reason"]), (POSITIONS, &json!("finished")), "{last}");
    Taken { seconds, visits }
}

/// An engine behind bare pipes.
struct Pipes {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Pipes {
    fn say(&mut self, command: &str) {
        writeln!(self.stdin, "{command}").expect("the engine reads");
    }

    fn next(&mut self) -> &str {
        self.line.clear();
        let read = self.stdout.read_line(&mut self.line).expect("the engine writes");
        assert!(read > 0, "the engine has left");
        self.line.trim_end()
    }

    /// Says something and waits for the end of the answer.
    fn ask(&mut self, command: &str) {
        self.say(command);
        while !self.next().is_empty() {}
    }
}

/// `kata-analyze` twice a second, stopped as soon as a report has enough visits.
fn polling(engine: &EngineSettings) -> Taken {
    let spec = engine.spec().unwrap_or_else(|error| panic!("{}", error.message));
    let mut child = Command::new(&spec.path)
        .args(&spec.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", spec.path));
    let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut engine = Pipes { stdin, stdout: BufReader::new(stdout), line: String::new() };
    [THREADS, "boardsize 19", "clear_board", "komi 7.5"].iter().for_each(|command| engine.ask(command));
    let start = Instant::now();
    let mut visits = 0;
    let before_each = std::iter::once(None).chain(moves().into_iter().map(Some));
    for (number, play) in before_each.enumerate() {
        if let Some((color, vertex)) = play {
            engine.ask(&format!("play {color} {}", vertex.to_gtp(Size::STANDARD)));
        }
        engine.say(&format!("kata-analyze {} 50", ["b", "w"][number % 2]));
        visits += loop {
            let report = parse_line(engine.next().as_bytes(), Dialect::Kata, Size::STANDARD);
            if report.visits() >= VISITS {
                break report.visits();
            }
        };
        // An empty line ends it; so does its answer.
        engine.ask("");
    }
    let seconds = start.elapsed().as_secs_f64();
    engine.say("quit");
    let _ = child.wait();
    Taken { seconds, visits }
}
