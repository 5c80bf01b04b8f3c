//! Two hundred clients follow one analysis with 50 reports of 20 kB a second, and twenty of them read
//! nothing: every client that is there gets the last event, nobody waits for those who do not read, and the
//! daemon's memory does not grow.
//!
//! Prints how old reports are when they arrive: the engine stamps its lines. `KIFUD_LOAD_SECONDS` says for
//! how long; from a minute on, age and losses are held to limits, which are generous.
#![cfg(target_os = "linux")]

mod support;

use std::io::{BufRead, BufReader, Result};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use memchr::memmem;
use serde_json::{Value, json};
use support::{PATIENCE, cpu_seconds, example, kifud};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const READERS: usize = 180;
const IDLERS: usize = 20;
/// Reports in a second.
const RATE: u64 = 50;
/// Megabytes of memory that the daemon may take, and by which the second half of the time may have more.
const MEMORY: f64 = 200.0;
const GROWTH: f64 = 20.0;
/// After so long a client that does not read is dropped, once the kernel keeps no more for it either.
const STALL: Duration = Duration::from_secs(30);
const FILLS: Duration = Duration::from_secs(15);
/// Bytes that may be on the way to a client that does not read: in the outbox and the piece that is being
/// written, each with a report above its limit of 1 MiB, and what the kernel keeps.
const ON_THE_WAY: usize = 16 << 20;

/// A daemon with a TCP door and a Unix socket, and an engine that stamps its lines.
struct Daemon {
    child: Child,
    tcp: String,
    token: String,
    folder: tempfile::TempDir,
}

impl Daemon {
    fn start() -> Daemon {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // As KataGo prints them: 69 such moves are a report of 20 kB.
        let keys = "keys edgeVisits 12 utility -0.0314159 scoreMean -0.271828 scoreStdev 21.4142 \
                    scoreLead -0.271828 prior 0.00277008 lcb 0.451239 utilityLcb -0.149071 weight 12.3456";
        let pause = 1000 / RATE - 1;
        let script = [
            "commands +kata-analyze",
            "stamp",
            "moves 69",
            "pv 6",
            &format!("every {pause}"),
            keys,
            &format!("stop-at {}", path("stop").display()),
        ];
        let settings = format!(
            "[[engines]]\nname = \"fake\"\npath = {:?}\nargs = {script:?}\nshared = true\n",
            example("fake-engine")
        );
        std::fs::write(path("kifud.toml"), settings).unwrap();
        let mut command = Command::new(kifud());
        for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"] {
            command.env(name, folder.path());
        }
        command.arg("--config").arg(path("kifud.toml")).args(["serve", "--listen", "127.0.0.1:0"]);
        command.arg(format!("--listen=unix:{}", path("socket").display()));
        command.arg("--token-file").arg(path("token"));
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(|line| line.unwrap());
        let mut listens = |at: &str| {
            let line = lines.find(|line| line.starts_with("listening on ")).expect("a door");
            assert!(line.contains(at), "{line}");
            line.rsplit(' ').next().unwrap().to_owned()
        };
        let tcp = listens("127.0.0.1:");
        listens("socket");
        std::thread::spawn(move || lines.for_each(|line| eprintln!("daemon: {line}")));
        let token = std::fs::read_to_string(path("token")).unwrap().trim().to_owned();
        Daemon { child, tcp, token, folder }
    }

    /// Lets the engine end what it analyses.
    fn stop(&self) {
        std::fs::write(self.folder.path().join("stop"), "").unwrap();
    }

    fn doors(&self) -> [Door; 2] {
        [Door::Tcp(self.tcp.clone(), self.token.clone()), Door::Unix(self.folder.path().join("socket"))]
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Clone)]
enum Door {
    /// With its token.
    Tcp(String, String),
    Unix(PathBuf),
}

trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}

impl<IO: AsyncRead + AsyncWrite + Unpin + Send> Wire for IO {}

/// A client over a WebSocket (RFC 6455) that looks at as little as it can.
struct Client {
    io: tokio::io::BufReader<Box<dyn Wire>>,
    body: Vec<u8>,
}

impl Client {
    async fn connect(door: &Door) -> Client {
        let (io, token): (Box<dyn Wire>, _) = match door {
            Door::Tcp(address, token) => (Box::new(TcpStream::connect(address).await.unwrap()), &**token),
            Door::Unix(path) => (Box::new(UnixStream::connect(path).await.unwrap()), ""),
        };
        let mut io = tokio::io::BufReader::with_capacity(64 * 1024, io);
        let request = format!(
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        io.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(io.read_u8().await.expect("an answer"));
        }
        assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
        Client { io, body: Vec::new() }
    }

    async fn send(&mut self, message: &Value) {
        let text = message.to_string();
        // A mask of zeros leaves the payload as it is.
        let mut frame = vec![0x81, 0x80 | 126];
        frame.extend((text.len() as u16).to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.io.write_all(&frame).await.unwrap();
    }

    /// Reads the next message into `body`; an error when the connection has ended.
    async fn receive(&mut self) -> Result<()> {
        loop {
            let opcode = self.io.read_u8().await? & 0x0f;
            let length = match self.io.read_u8().await? {
                126 => u64::from(self.io.read_u16().await?),
                127 => self.io.read_u64().await?,
                small => u64::from(small),
            };
            self.body.resize(length as usize, 0);
            self.io.read_exact(&mut self.body).await?;
            if opcode == 1 {
                return Ok(());
            }
        }
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        loop {
            self.receive().await.expect("an answer");
            let message: Value = serde_json::from_slice(&self.body).unwrap();
            if message["id"] == 1 {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
        }
    }

    /// A client with the engine.
    async fn with_engine(door: &Door) -> (Client, Value) {
        let mut client = Client::connect(door).await;
        let attached = client.call("engine/attach", json!({"name": "fake"})).await;
        (client, attached["engine"]["id"].clone())
    }

    async fn follow(&mut self, engine: &Value) {
        let params = json!({"engineId": engine, "interval": 2, "position": {"boardSize": 19}});
        self.call("engine/analyze", params).await;
    }
}

/// What stands in an event.
enum Event {
    /// How many visits, and when the engine printed it: nanoseconds since 1970.
    Running {
        visits: u64,
        stamp: u64,
    },
    /// Why.
    Ended(String),
    Other,
}

fn read(event: &[u8]) -> Event {
    let head = &event[..event.len().min(300)];
    let after = |text: &[u8], found: Option<usize>, key: &str| {
        let rest = &text[found? + key.len()..];
        let length = rest.iter().position(|byte| b"\",}".contains(byte))?;
        Some(String::from_utf8_lossy(&rest[..length]).into_owned())
    };
    let near = |key: &str| after(head, memmem::find(head, key.as_bytes()), key);
    let (visits, stamp) = ("\"visits\":", "\"stamp\":\"");
    match near("\"state\":\"").as_deref() {
        Some("running") => {
            let number = |text: Option<String>| text.expect("a number").parse().expect("a number");
            let stamp = after(event, memmem::rfind(event, stamp.as_bytes()), stamp);
            Event::Running { visits: number(near(visits)), stamp: number(stamp) }
        }
        Some("ended") => {
            let reason = "\"reason\":\"";
            Event::Ended(after(event, memmem::find(event, reason.as_bytes()), reason).unwrap_or_default())
        }
        _ => Event::Other,
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos() as u64
}

/// What a reader has seen.
#[derive(Default)]
struct Seen {
    /// Microseconds on the way.
    ages: Vec<u32>,
    bytes: u64,
    /// Visits of its first and its last report: the engine adds 10 with each.
    visits: Option<(u64, u64)>,
}

impl Seen {
    /// Reports between its first and its last, and how many of them it was shown.
    fn share(&self) -> f64 {
        self.visits.map_or(0.0, |(first, last)| self.ages.len() as f64 / ((last - first) / 10 + 1) as f64)
    }
}

/// Follows, and reads to the last event; counts from when all are there.
async fn reader((mut client, engine): (Client, Value), arrived: watch::Sender<usize>) -> Seen {
    client.follow(&engine).await;
    arrived.send_modify(|count| *count += 1);
    let mut seen = Seen::default();
    loop {
        client.receive().await.expect("the connection stays");
        match read(&client.body) {
            Event::Running { visits, stamp } if *arrived.borrow() == READERS + IDLERS => {
                seen.ages.push((now().saturating_sub(stamp) / 1000) as u32);
                seen.bytes += client.body.len() as u64;
                seen.visits = Some((seen.visits.map_or(visits, |(first, _)| first), visits));
            }
            Event::Ended(reason) => {
                assert_eq!(reason, "finished");
                return seen;
            }
            _ => {}
        }
    }
}

/// What became of those who do not read.
#[derive(Default)]
struct Idle {
    dropped: usize,
    /// They read again in time, and got the last event.
    came_back: usize,
    /// The most bytes that were on the way to one.
    most: usize,
}

/// Does not read until it is dropped, again and again; when the analysis is over it reads again.
async fn idler(
    door: Door,
    (mut client, mut engine): (Client, Value),
    arrived: watch::Sender<usize>,
    mut over: watch::Receiver<bool>,
) -> Idle {
    let mut idle = Idle::default();
    loop {
        client.follow(&engine).await;
        arrived.send_if_modified(|count| {
            let first = idle.dropped == 0;
            *count += usize::from(first);
            first
        });
        let is_over = timeout(STALL + FILLS, over.wait_for(|over| *over)).await.is_ok();
        let (mut bytes, mut ended) = (0, false);
        while !ended && client.receive().await.is_ok() {
            bytes += client.body.len();
            ended = matches!(read(&client.body), Event::Ended(_));
        }
        idle.most = idle.most.max(bytes);
        idle.dropped += usize::from(!ended);
        idle.came_back += usize::from(ended);
        if is_over {
            return idle;
        }
        assert!(!ended, "nobody who does not read for {STALL:?} stays");
        (client, engine) = Client::with_engine(&door).await;
    }
}

/// Memory and processor of the daemon while all are there.
struct Watched {
    /// Bytes, several times a second.
    memory: Vec<u64>,
    seconds: f64,
    /// Shares of a core.
    daemon: f64,
    clients: f64,
}

impl Watched {
    async fn during(time: Duration, pid: u32) -> Watched {
        let (start, own) = (Instant::now(), std::process::id());
        let before = (cpu_seconds(pid), cpu_seconds(own));
        let mut memory = Vec::new();
        while start.elapsed() < time {
            sleep(Duration::from_millis(200)).await;
            memory.push(memory_of(pid));
        }
        let seconds = start.elapsed().as_secs_f64();
        let daemon = (cpu_seconds(pid) - before.0) / seconds;
        Watched { memory, seconds, daemon, clients: (cpu_seconds(own) - before.1) / seconds }
    }

    /// The most in the first and in the second half of the time, in megabytes. It goes down and up again
    /// with those who do not read.
    fn megabytes(&self) -> (f64, f64) {
        let (early, late) = self.memory.split_at(self.memory.len() / 2);
        let most = |some: &[u64]| some.iter().copied().max().unwrap_or_default() as f64 / 1e6;
        (most(early), most(late))
    }
}

/// Bytes of memory of a process.
fn memory_of(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it runs");
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
}

/// Prints what the readers have seen; the age that 99 of 100 reports do not reach, in milliseconds, and
/// the smallest share of the reports that a reader saw.
fn tell_ages(all: &[Seen], seconds: f64) -> (f64, f64) {
    let mut ages: Vec<u32> = all.iter().flat_map(|seen| seen.ages.iter().copied()).collect();
    assert!(!ages.is_empty(), "nobody saw a report");
    ages.sort_unstable();
    let age = |share: f64| f64::from(ages[((ages.len() - 1) as f64 * share) as usize]) / 1000.0;
    let bytes = all.iter().map(|seen| seen.bytes).sum::<u64>() as f64;
    let printed = all.iter().filter_map(|seen| seen.visits).map(|(first, last)| (last - first) / 10).max();
    let least = all.iter().map(Seen::share).fold(1.0, f64::min);
    println!(
        "{READERS} readers, {IDLERS} who do not read, {seconds:.0} s: {:.1} reports/s of {:.1} kB, {:.0} MB/s in all; \
         a reader saw {:.1} % of them, the one who saw fewest {:.1} %",
        printed.unwrap_or(0) as f64 / seconds,
        bytes / ages.len() as f64 / 1000.0,
        bytes / seconds / 1e6,
        100.0 * all.iter().map(Seen::share).sum::<f64>() / all.len() as f64,
        100.0 * least
    );
    println!(
        "age: p50 {:.1} ms, p99 {:.1} ms, p99.9 {:.1} ms, most {:.1} ms",
        age(0.5),
        age(0.99),
        age(0.999),
        age(1.0)
    );
    (age(0.99), least)
}

#[tokio::test]
async fn two_hundred_follow_one_analysis() {
    let seconds: u64 = std::env::var("KIFUD_LOAD_SECONDS").map_or(3, |text| text.parse().expect("seconds"));
    let time = Duration::from_secs(seconds);
    let daemon = Daemon::start();
    let doors = daemon.doors();
    let mut clients = Vec::new();
    for index in 0..READERS + IDLERS {
        clients.push(Client::with_engine(&doors[index % 2]).await);
    }
    let (arrived, mut arrivals) = watch::channel(0);
    let (over, is_over) = watch::channel(false);
    let (mut readers, mut idlers) = (JoinSet::new(), JoinSet::new());
    for (index, client) in clients.into_iter().enumerate() {
        match index < IDLERS {
            true => idlers.spawn(idler(doors[index % 2].clone(), client, arrived.clone(), is_over.clone())),
            false => readers.spawn(reader(client, arrived.clone())),
        };
    }
    let all = arrivals.wait_for(|count| *count == READERS + IDLERS);
    timeout(2 * PATIENCE, all).await.expect("all follow").unwrap();
    let watched = Watched::during(time, daemon.child.id()).await;
    daemon.stop();
    let readers: Vec<Seen> = timeout(2 * PATIENCE, readers.join_all()).await.expect("all get the last event");
    over.send_replace(true);
    let idlers: Vec<Idle> = timeout(2 * PATIENCE, idlers.join_all()).await.expect("all are dropped or told");

    let (p99, least) = tell_ages(&readers, watched.seconds);
    let (early, late) = watched.megabytes();
    println!("memory: at most {early:.1} MB in the first half of the time, {late:.1} MB in the second");
    println!(
        "processor: daemon {:.0} %, clients {:.0} % of a core",
        100.0 * watched.daemon,
        100.0 * watched.clients
    );
    let count = |of: fn(&Idle) -> usize| idlers.iter().map(of).sum::<usize>();
    let (dropped, came_back) = (count(|idle| idle.dropped), count(|idle| idle.came_back));
    let on_the_way = idlers.iter().map(|idle| idle.most).max().expect("some");
    println!(
        "not reading: {dropped} dropped, {came_back} read again and got the last event; at most {:.1} MB for one",
        on_the_way as f64 / 1e6
    );

    assert!(early.max(late) < MEMORY, "{early} and {late} MB of memory");
    // In a moment's run the second half is still filling up.
    assert!(time < STALL || late < early + GROWTH, "memory grows from {early} to {late} MB");
    assert!(on_the_way < ON_THE_WAY, "{on_the_way} bytes wait for one client");
    if time < STALL {
        assert_eq!(came_back, IDLERS);
    } else if time > STALL + FILLS {
        assert!(dropped >= IDLERS, "only {dropped} were dropped");
    }
    if time >= Duration::from_secs(60) {
        assert!(p99 < 1000.0 && least > 0.25, "readers wait: p99 {p99} ms, {least} of the reports");
    }
}
