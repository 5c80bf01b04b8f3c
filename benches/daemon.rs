//! What a client waits for: start, round trip, and the way of a report from the engine to the client.
//!
//! `cargo bench --bench daemon` prints a line a figure. The round trip is measured beside a bare
//! tower-lsp server in the same run, call by call in turn, so that only their ratio matters. Needs
//! the example programs: `cargo build --release --examples`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

mod server;

use server::{Server, kifud, micros, percentile};

fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_kifud")).parent().expect("a folder").join("examples");
    folder.join(name)
}

fn start_to_initialize() {
    let mut times: Vec<f64> = (0..31)
        .map(|_| {
            let start = Instant::now();
            let mut server = Server::start(kifud());
            server.initialize(json!({}));
            micros(start) / 1000.0
        })
        .collect();
    println!(
        "start to initialize: median {:.1} ms, p90 {:.1} ms",
        percentile(&mut times, 0.5),
        percentile(&mut times, 0.9)
    );
}

fn idle_memory() {
    let mut server = Server::start(kifud());
    server.initialize(json!({}));
    std::thread::sleep(Duration::from_secs(1));
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap_or_default();
    let kib: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(f64::NAN);
    println!("idle memory: {:.1} MB resident", kib * 1024.0 / 1e6);
}

/// The two servers in turn, call by call.
fn round_trip() {
    let mut ours = Server::start(kifud());
    let mut bare = Server::start(Command::new(example("bare-echo")));
    ours.initialize(json!({}));
    bare.initialize(json!({}));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for call in 0..22_000 {
        for (server, times) in [(&mut ours, &mut a), (&mut bare, &mut b)] {
            let start = Instant::now();
            server.send(&json!({"jsonrpc": "2.0", "id": call, "method": "kifud/status", "params": {}}));
            server.receive();
            if call >= 2000 {
                times.push(micros(start));
            }
        }
    }
    for share in [0.5, 0.99] {
        let (ours, bare) = (percentile(&mut a, share), percentile(&mut b, share));
        println!(
            "round trip p{:.0}: kifud {ours:.1} us, bare tower-lsp {bare:.1} us, ratio {:.2}",
            share * 100.0,
            ours / bare
        );
    }
}

/// From the engine's newline to the client's last byte, less the encoding of the same value: the
/// engine stamps each line with the time at which it prints it.
fn report_latency() {
    let mut server = Server::start(kifud());
    server.initialize(json!({}));
    // A record as KataGo prints it on 19x19, with all its keys: 361 of them make 100 KB.
    let keys = "keys edgeVisits 12 utility -0.0314159 scoreMean -0.271828 scoreStdev 21.4142 scoreLead -0.271828 \
                scoreSelfplay -0.316228 prior 0.00277008 lcb 0.451239 utilityLcb -0.149071 weight 12.3456";
    let args = ["commands +kata-analyze", "stamp", "moves 361", "pv 14", "every 10", keys];
    let engine = json!({"engine": {"name": "fake", "path": example("fake-engine"), "args": args}});
    let id = server.call("engine/attach", &engine)["engine"]["id"].clone();
    let params = json!({"engineId": id, "interval": 1, "position": {"boardSize": 19}});
    let subscription = server.call("engine/analyze", &params);
    let (mut waits, mut nets, mut bytes) = (Vec::new(), Vec::new(), 0);
    while waits.len() < 1000 {
        let body = server.receive();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos() as f64;
        let event: Value = serde_json::from_slice(&body).expect("JSON");
        let result = &event["params"]["result"];
        if event["params"]["subscription"] != subscription || result["state"] != "running" {
            continue;
        }
        let stamp: f64 =
            result["moves"].as_array().and_then(|moves| moves.last()).expect("moves")["extra"]["stamp"]
                .as_str()
                .expect("a stamp")
                .parse()
                .expect("a number");
        let start = Instant::now();
        std::hint::black_box(serde_json::to_vec(result).expect("JSON"));
        let encoding = micros(start);
        let wait = (now - stamp) / 1000.0;
        waits.push(wait);
        nets.push(wait - encoding);
        bytes = body.len();
    }
    println!(
        "report latency ({} kB an event): with encoding p50 {:.0} us, p99 {:.0} us; without p50 {:.0} us, p99 {:.0} us",
        bytes / 1000,
        percentile(&mut waits, 0.5),
        percentile(&mut waits, 0.99),
        percentile(&mut nets, 0.5),
        percentile(&mut nets, 0.99)
    );
}

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    start_to_initialize();
    idle_memory();
    round_trip();
    report_latency();
}
