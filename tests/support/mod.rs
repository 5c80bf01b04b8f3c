//! A client for black-box tests: starts a built program and speaks JSON-RPC over its pipes.

#![allow(dead_code, reason = "every test file uses another part")]

pub mod desk;
pub mod websocket;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use kifud::sgf::{Code, Finding, NodeId, Record};
use serde_json::{Value, json};
use websocket::WebSocket;

/// Generous: the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// SplitMix64 (Steele, Lea, Flood 2014), from a seed.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }
}

/// The built kifud; `KIFUD_PROGRAM` names another build of it, such as the one for users.
pub fn kifud() -> &'static str {
    static NAMED: OnceLock<Option<String>> = OnceLock::new();
    NAMED
        .get_or_init(|| std::env::var("KIFUD_PROGRAM").ok())
        .as_deref()
        .unwrap_or(env!("CARGO_BIN_EXE_kifud"))
}

/// A built example program, beside the built kifud.
pub fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_kifud"))
        .parent()
        .expect("the program stands in a folder")
        .join("examples");
    let path = folder.join(name);
    assert!(path.exists(), "{} is not built; run cargo build --examples", path.display());
    path
}

/// A file of the project.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}

/// The folder with shared data, when it is there. Says so loudly when it is not.
pub fn shared(part: &str) -> Option<PathBuf> {
    let base = std::env::var_os("KIFUD_SHARED").map_or_else(|| "../shared".into(), PathBuf::from);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(base).join(part);
    if folder.exists() {
        return Some(folder);
    }
    eprintln!("SKIPPED: {} is not there (KIFUD_SHARED names the folder)", folder.display());
    None
}

/// All SGF files below a folder, in the order of their paths.
pub fn sgf_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("sgf")) {
                let bytes = std::fs::read(&path).expect("a file");
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

/// A record's text put together again from its tree: names and raw values between their signs. What
/// stands between nodes, properties and values is taken from the text, and must be white space and
/// parentheses, or something that a finding is about.
pub fn written(record: &Record) -> String {
    let text = record.text();
    let mut out = String::with_capacity(text.len());
    let between = |out: &mut String, end: u32| {
        let gap = &text[out.len()..end as usize];
        let blank = |letter: char| letter.is_whitespace() || letter.is_control() || "()".contains(letter);
        let start = out.len() as u32;
        let is_told = || {
            let findings = record.findings();
            let about = |finding: &Finding| finding.span.start < end && finding.span.end > start;
            findings.iter().any(|finding| about(finding) || finding.code == Code::NoGame)
        };
        assert!(gap.chars().all(blank) || is_told(), "nobody says anything about {gap:?} at {start}");
        out.push_str(gap);
    };
    for node in (0..record.node_count() as u32).map(NodeId) {
        let start = record.node(node).span.start;
        between(&mut out, start);
        if text[start as usize..].starts_with(';') {
            out.push(';');
        }
        for property in record.properties(node) {
            between(&mut out, property.ident_span().start);
            out.push_str(property.written_ident());
            for value in property.values() {
                between(&mut out, value.span().start);
                out.extend(["[", value.raw(), if value.is_closed() { "]" } else { "" }]);
            }
        }
    }
    between(&mut out, text.len() as u32);
    out
}

/// The offset of a place that the text has, its column in UTF-16.
pub fn offset(text: &str, at: &Value) -> usize {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len())
        .filter(|at| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    let starts: Vec<usize> = std::iter::once(0).chain(ends.map(|at| at + 1)).collect();
    let line = at["line"].as_u64().expect("a line") as usize;
    let start = *starts.get(line).unwrap_or_else(|| panic!("no line {line} in {text:?}"));
    let units: Vec<u16> = text[start..].encode_utf16().collect();
    let column = at["character"].as_u64().expect("a column") as usize;
    let before = units.get(..column).unwrap_or_else(|| panic!("no column {column} in line {line}"));
    let offset = start + String::from_utf16(before).expect("whole characters").len();
    assert!(starts.get(line + 1).is_none_or(|next| offset < *next), "column {column} is behind line {line}");
    offset
}

/// The text after a list of LSP's edits, which all speak of the text before.
pub fn apply(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .into_iter()
        .flatten()
        .map(|edit| {
            let place = |end: &str| offset(text, &edit["range"][end]);
            (place("start"), place("end"), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    edits.sort_by_key(|edit| edit.0);
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

/// Processor time that a process has used, in seconds.
pub fn cpu_seconds(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Fields 14 and 15, in hundredths; the name before them may have blanks.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// A record's text without what an analysis writes into it.
pub fn without_values(text: &str) -> String {
    without(text, &["SBKV", "SBKS", "KFCA"])
}

/// A record's text without these properties.
pub fn without(text: &str, names: &[&str]) -> String {
    let mut out = text.to_owned();
    for name in names {
        while let Some(start) = out.find(&format!("{name}[")) {
            let mut end = start + name.len();
            while out[end..].starts_with('[') {
                end += out[end..].find(']').expect("a closed value") + 1;
            }
            out.replace_range(start..end, "");
        }
    }
    out
}

/// The rows of KataGo's `showboard`: each is its number and two characters a point, the stone and a
/// mark of late moves.
pub fn katago_rows(picture: &str, width: usize) -> Vec<String> {
    let rows = picture.lines().filter_map(|line| {
        let (number, points) = line.trim_start().split_once(' ')?;
        number.parse::<usize>().ok()?;
        let points = points.as_bytes();
        (0..width).map(|col| points.get(2 * col).map(|byte| char::from(*byte))).collect::<Option<String>>()
    });
    rows.collect()
}

/// What comes from the server, or that nothing more will come.
enum Incoming {
    Message(Value),
    End,
}

/// One conversation, over pipes or at a socket.
pub struct Conversation {
    pub child: Child,
    stdin: Option<ChildStdin>,
    socket: Option<websocket::Writer>,
    incoming: Receiver<Incoming>,
    stash: VecDeque<Value>,
    next_id: i64,
    ended: bool,
    /// Nobody else's: where a shared daemon has its socket, where results are kept, the settings file.
    folders: Vec<tempfile::TempDir>,
}

/// The codes of errors.
pub fn codes(messages: &[Value]) -> Vec<i64> {
    messages.iter().filter_map(|message| message["error"]["code"].as_i64()).collect()
}

impl Conversation {
    /// Starts kifud with these arguments, and speaks with it at the door that `KIFUD_DOOR` names: `stdio`,
    /// `connect`, `unix` or `websocket`. Behind the last one clients are not trusted.
    pub fn start(args: &[&str]) -> Conversation {
        Self::start_program(Path::new(kifud()), args)
    }

    /// The same with another program that has kifud's doors.
    pub fn start_program(program: &Path, args: &[&str]) -> Conversation {
        let mut command = Command::new(program);
        match std::env::var("KIFUD_DOOR").as_deref().unwrap_or("stdio") {
            "stdio" => {
                command.args(args);
                Self::spawn(command)
            }
            "connect" => Self::through_bridge(command, args),
            "unix" => Self::at_socket(command, args, true),
            "websocket" => Self::at_socket(command, args, false),
            other => panic!("KIFUD_DOOR={other}: no such door"),
        }
    }

    /// With an engine made for tests that does what a script says, and writes down what it was told. The settings
    /// name it, so that every client may attach it.
    pub fn with_fake(editor: bool, script: &str, log: Option<&Path>) -> (Conversation, Value) {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = folder.path().join("kifud.toml");
        let log = log.map(|log| format!("env = {{ FAKE_LOG = {log:?} }}\n")).unwrap_or_default();
        let engine = format!("path = {:?}\nargs = [{script:?}]\n{log}", example("fake-engine"));
        std::fs::write(&settings, format!("[[engines]]\nname = \"Fake\"\n{engine}")).expect("the settings");
        let args = ["--config", settings.to_str().expect("a path of plain letters")];
        let mut client = if editor { Self::lsp(&args, json!({})) } else { Self::start(&args) };
        client.folders.push(folder);
        let id = client.request("engine/attach", json!({"name": "Fake"}))["engine"]["id"].clone();
        (client, id)
    }

    /// Behind the bridge to a shared daemon, which leaves soon after the conversation.
    fn through_bridge(mut command: Command, args: &[&str]) -> Conversation {
        let folder = tempfile::tempdir().expect("a folder");
        command.env("XDG_RUNTIME_DIR", folder.path()).env("XDG_STATE_HOME", folder.path());
        command.args(["--set", "leaveAfterSeconds=1"]).args(args).arg("connect");
        let mut conversation = Self::spawn(command);
        conversation.folders.push(folder);
        conversation
    }

    /// At the only socket of a daemon, which ends with the conversation.
    fn at_socket(mut command: Command, args: &[&str], unix: bool) -> Conversation {
        let cache = tempfile::tempdir().expect("a folder");
        let (socket, token) = (cache.path().join("socket"), cache.path().join("token"));
        let address = if unix { format!("unix:{}", socket.display()) } else { "127.0.0.1:0".to_owned() };
        command.env("XDG_CACHE_HOME", cache.path()).args(args).args(["serve", "--listen", &address]);
        command.arg("--token-file").arg(&token);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut log = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
        let mut line = String::new();
        log.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
        let connected = if unix {
            WebSocket::connect_unix(&socket)
        } else {
            let token = std::fs::read_to_string(token).expect("a token");
            WebSocket::connect(address, &[("Authorization", &format!("Bearer {}", token.trim()))])
        };
        let WebSocket { mut reader, writer } = connected.expect("the door is open");
        let shown = std::env::var_os("KIFUD_LOG").is_some();
        std::thread::spawn(move || match shown {
            true => std::io::copy(&mut log, &mut std::io::stderr()),
            false => std::io::copy(&mut log, &mut std::io::sink()),
        });
        let next = move || reader.receive().map(|text| serde_json::from_str(&text).expect("JSON"));
        let mut conversation = Self::of(child, next, cache);
        conversation.socket = Some(writer);
        conversation
    }

    /// Starts a program, with a cache of its own unless the command names another.
    pub fn spawn(mut command: Command) -> Conversation {
        let cache = tempfile::tempdir().expect("a folder");
        if !command.get_envs().any(|(name, _)| name == "XDG_CACHE_HOME") {
            command.env("XDG_CACHE_HOME", cache.path());
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if std::env::var_os("KIFUD_LOG").is_some() { Stdio::inherit() } else { Stdio::null() })
            .spawn()
            .expect("the program starts");
        let stdin = child.stdin.take();
        let mut reader = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let mut conversation = Self::of(child, move || read_message(&mut reader), cache);
        conversation.stdin = stdin;
        conversation
    }

    /// With a program from which messages come.
    fn of(
        child: Child,
        mut next: impl FnMut() -> Option<Value> + Send + 'static,
        cache: tempfile::TempDir,
    ) -> Conversation {
        let (send, incoming) = channel();
        std::thread::spawn(move || {
            while let Some(message) = next() {
                if send.send(Incoming::Message(message)).is_err() {
                    return;
                }
            }
            let _ = send.send(Incoming::End);
        });
        Conversation {
            child,
            stdin: None,
            socket: None,
            incoming,
            stash: VecDeque::new(),
            next_id: 1,
            ended: false,
            folders: vec![cache],
        }
    }

    /// The same, through LSP's `initialize`.
    pub fn lsp(args: &[&str], extra: Value) -> Conversation {
        let mut conversation = Self::start(args);
        conversation.initialize(extra);
        conversation
    }

    pub fn initialize(&mut self, extra: Value) -> Value {
        let workspace = json!({"applyEdit": true, "workspaceEdit": {"documentChanges": true}});
        let mut params = json!({"processId": null, "capabilities": {"workspace": workspace}});
        for (key, value) in extra.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        let answer = self.request("initialize", params);
        self.notify("initialized", json!({}));
        answer
    }

    /// Sends bytes as they are, over pipes.
    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Sends one message of these bytes.
    pub fn say(&mut self, body: &[u8]) {
        if let Some(socket) = &mut self.socket {
            return socket.send(body).expect("the server reads");
        }
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes);
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        self.say(message.to_string().as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request; other messages are kept.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(&format!("the answer to request {id}"), |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    /// Sends a request and waits for its answer, result or error.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Sends a request that must succeed and gives its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert!(answer.get("error").is_none(), "{method} failed: {answer}");
        answer["result"].clone()
    }

    /// Sends a request that must fail and gives its error.
    pub fn refused(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert!(answer.get("result").is_none(), "{method} should fail: {answer}");
        answer["error"].clone()
    }

    /// A command that the engine must take; its answer.
    pub fn gtp(&mut self, engine: &Value, command: &str) -> String {
        let reply = self.request("engine/send", json!({"engineId": engine, "command": command}));
        assert_eq!(reply["ok"], true, "{command}: {reply}");
        reply["text"].as_str().expect("a text").to_owned()
    }

    /// The next event of a stream.
    pub fn event(&mut self, subscription: &Value) -> Value {
        let message = self.wait("an event", |message| message["params"]["subscription"] == *subscription);
        message["params"]["result"].clone()
    }

    /// The next event of a stream, if there is one by now.
    pub fn event_now(&mut self, subscription: &Value) -> Option<Value> {
        while let Some(message) = self.receive(Duration::ZERO) {
            self.stash.push_back(message);
        }
        let at = self.stash.iter().position(|message| message["params"]["subscription"] == *subscription)?;
        self.stash.remove(at).map(|message| message["params"]["result"].clone())
    }

    /// The next event of a stream in this state; earlier ones are dropped.
    pub fn event_in(&mut self, subscription: &Value, state: &str) -> Value {
        loop {
            let event = self.event(subscription);
            if event["state"] == state {
                return event;
            }
            assert_ne!(event["state"], "ended", "ended while waiting for {state}: {event}");
        }
    }

    /// A request from the server; answers it with `result`.
    pub fn serve(&mut self, method: &str, result: Value) -> Value {
        let request = self.wait(method, |message| message["method"] == method && message.get("id").is_some());
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
        request["params"].clone()
    }

    /// The first message that fits; others are kept in order.
    pub fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.stash.iter().position(&fits) {
            return self.stash.remove(at).expect("it was just found");
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match self.receive(end.saturating_duration_since(Instant::now())) {
                Some(message) if fits(&message) => return message,
                Some(message) => self.stash.push_back(message),
                None => panic!("no {what} (ended: {}); kept: {:?}", self.ended, self.stash),
            }
        }
    }

    /// Asks the probe for an echo; gives what came before the answer.
    pub fn before_an_echo(&mut self) -> Vec<Value> {
        let id = self.ask("probe/echo", json!({"ok": 1}));
        let answer = self.answer(id);
        assert_eq!(answer["result"], json!({"ok": 1}), "the next request works");
        self.drain(Duration::ZERO)
    }

    /// Every message that comes within this time, and those kept.
    pub fn drain(&mut self, time: Duration) -> Vec<Value> {
        let end = Instant::now() + time;
        let mut all: Vec<Value> = self.stash.drain(..).collect();
        while let Some(message) = self.receive(end.saturating_duration_since(Instant::now())) {
            all.push(message);
        }
        all
    }

    /// The next message, as it comes.
    pub fn receive(&mut self, time: Duration) -> Option<Value> {
        match self.incoming.recv_timeout(time) {
            Ok(Incoming::Message(message)) => Some(message),
            Ok(Incoming::End) => {
                self.ended = true;
                None
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Waits for the program to end.
    pub fn exit(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                return status;
            }
            assert!(Instant::now() < end, "the server is still running");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// `shutdown`, `exit`, and the exit code. A socket is closed, its daemon stays.
    pub fn leave(mut self) -> i32 {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        if self.socket.is_some() {
            while self.receive(PATIENCE).is_some() {}
            assert!(self.ended, "the connection is open still");
            return 0;
        }
        self.exit().code().expect("it exits by itself")
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the child can be asked").is_none()
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Memory in use, in MiB.
    pub fn rss_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(reader: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(value) = header.strip_prefix("Content-Length: ") {
                    length = value.parse().expect("a length");
                }
            }
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server sends JSON"))
}
