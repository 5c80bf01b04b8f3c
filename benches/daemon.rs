//! What a client waits for: start, round trip, and the way of a report from the engine to the client.
//!
//! `cargo bench --bench daemon` prints a line a figure. The round trip is measured beside a bare
//! tower-lsp server in the same run, call by call in turn, so that only their ratio matters; calls over a
//! WebSocket likewise beside a bare jsonrpsee server. Needs the example programs:
//! `cargo build --release --examples`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

mod server;
#[path = "server/socket.rs"]
mod socket;

use server::{Server, kifud, micros, percentile};
use socket::Socket;

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

/// Ends with its owner.
struct Listening(Child);

impl Listening {
    /// Starts a server that says on this stream where it listens.
    fn start(command: &mut Command, on_stderr: bool) -> (Listening, String) {
        match on_stderr {
            true => command.stderr(Stdio::piped()),
            false => command.stdout(Stdio::piped()),
        };
        let mut child = command.spawn().expect("it starts");
        let out: Box<dyn std::io::Read + Send> = match on_stderr {
            true => Box::new(child.stderr.take().expect("a pipe")),
            false => Box::new(child.stdout.take().expect("a pipe")),
        };
        let mut lines = BufReader::new(out).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("listening on ")).expect("an address");
        // What else it has to say must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        (Listening(child), line.trim_start_matches("listening on ").to_owned())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Calls over one WebSocket each with 64 in flight, the two servers in turn.
fn socket_calls() {
    const AT_ONCE: usize = 64;
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    let mut command = kifud();
    for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"] {
        command.env(name, folder.path());
    }
    command.args(["serve", "--listen", "127.0.0.1:0", "--token-file"]).arg(&token);
    let (_ours, our_address) = Listening::start(&mut command, true);
    let (_bare, bare_address) = Listening::start(&mut Command::new(example("bare-jsonrpsee")), false);
    let token = std::fs::read_to_string(token).expect("a token");
    let mut ours = Socket::connect(&our_address, token.trim());
    let mut bare = Socket::connect(&bare_address, "");
    let status = ("kifud/status", "{}", "uptimeSeconds");
    let echo = ("echo", r#"["hello"]"#, "\"result\":\"hello\"");
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for round in 0..41 {
        for (socket, (method, params, sign), times) in
            [(&mut ours, status, &mut a), (&mut bare, echo, &mut b)]
        {
            let start = Instant::now();
            let last = socket.calls(method, params, 5000, AT_ONCE);
            assert!(last.contains(sign), "{last}");
            // The first round warms up.
            if round > 0 {
                times.push(micros(start) / 5000.0);
            }
        }
    }
    let (ours, bare) = (percentile(&mut a, 0.5), percentile(&mut b, 0.5));
    println!(
        "calls over a WebSocket, {AT_ONCE} in flight: kifud {:.0}/s, bare jsonrpsee {:.0}/s, ratio {:.2}",
        1e6 / ours,
        1e6 / bare,
        bare / ours
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
    socket_calls();
    report_latency();
}
