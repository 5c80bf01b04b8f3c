//! Every example of `protocol/examples`, replayed at every door.
#![cfg(unix)]

mod support;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use kifud::service::examples::{self, Exchange, Names};
use kifud::service::methods;
use serde_json::{Value, json};
use support::websocket::WebSocket;
use support::{Conversation, PATIENCE, kifud};

/// The conversations by the names of their files.
fn conversations() -> Vec<(String, Vec<Exchange>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let conversation = |file: &std::path::PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let read = examples::read(&std::fs::read_to_string(file).unwrap());
        (name.clone(), read.unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    files.iter().map(conversation).collect()
}

#[test]
fn every_method_has_an_example() {
    let all: Vec<Exchange> = conversations().into_iter().flat_map(|(_, exchanges)| exchanges).collect();
    assert_eq!(examples::missing(&methods::table(), &all), Vec::<String>::new());
}

/// One session at a door.
trait Session {
    fn send(&mut self, message: &Value);
    fn receive(&mut self) -> Option<Value>;
}

impl Session for Conversation {
    fn send(&mut self, message: &Value) {
        Conversation::send(self, message);
    }

    fn receive(&mut self) -> Option<Value> {
        Conversation::receive(self, PATIENCE)
    }
}

impl Session for WebSocket {
    fn send(&mut self, message: &Value) {
        WebSocket::send(self, &message.to_string());
    }

    fn receive(&mut self) -> Option<Value> {
        Some(serde_json::from_str(&WebSocket::receive(self)?).unwrap())
    }
}

/// Replays all conversations, each in a session of its own.
fn replay_all(trusted: bool, mut open: impl FnMut() -> Box<dyn Session>) {
    let conversations = conversations();
    assert!(conversations.len() > 4, "the examples are where this test looks");
    for (file, exchanges) in conversations {
        let mut session = open();
        let mut replay =
            Replay { session: &mut *session, trusted, names: Names::default(), heard: VecDeque::new() };
        for (id, example) in (1..).zip(&exchanges) {
            if let Err(why) = replay.exchange(id, example) {
                panic!("{file}, example {id} ({}): {why}", example.method);
            }
        }
    }
}

struct Replay<'a> {
    session: &'a mut dyn Session,
    trusted: bool,
    names: Names,
    /// Notifications that no example has asked for yet.
    heard: VecDeque<Value>,
}

impl Replay<'_> {
    fn exchange(&mut self, id: i64, example: &Exchange) -> Result<(), String> {
        let params = self.names.fill(&example.params);
        self.session.send(&json!({"jsonrpc": "2.0", "id": id, "method": example.method, "params": params}));
        let mut answer = loop {
            let message = self.session.receive().ok_or("no answer")?;
            if message["id"] == id {
                break message;
            }
            self.heard.push_back(message);
        };
        let expected = match example.trusted && !self.trusted {
            true => {
                json!({"error": {"code": 1002, "message": "…", "data": {"kind": "NotTrusted", "…": "…"}}})
            }
            false => example.answer(),
        };
        strip(&mut answer);
        self.names.fit(&expected, &answer).map_err(|why| format!("{why}\n{answer}"))?;
        example.events.iter().try_for_each(|event| self.event(event))
    }

    /// Waits for an event; what comes before it is passed over.
    fn event(&mut self, expected: &Value) -> Result<(), String> {
        let mut passed = Vec::new();
        let end = Instant::now() + PATIENCE;
        loop {
            let next = self.heard.pop_front().or_else(|| self.session.receive());
            let Some(mut message) = next.filter(|_| Instant::now() < end) else {
                passed.truncate(5);
                return Err(format!("{expected} has not come, but\n{}", passed.join("\n")));
            };
            strip(&mut message);
            let mut names = self.names.clone();
            match names.fit(expected, &message) {
                Ok(()) => {
                    self.names = names;
                    return Ok(());
                }
                Err(why) => passed.push(format!("{why} in {:.400}", message.to_string())),
            }
        }
    }
}

/// Takes away what all messages have.
fn strip(message: &mut Value) {
    let fields = message.as_object_mut().unwrap();
    assert_eq!(fields.remove("jsonrpc"), Some(json!("2.0")));
    fields.remove("id");
}

/// A program that finds nothing of the user's.
fn command(home: &tempfile::TempDir) -> Command {
    let mut command = Command::new(kifud());
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(name, home.path());
    }
    command.env_remove("KIFUD_CONFIG");
    command
}

#[test]
fn examples_over_stdio() {
    let home = tempfile::tempdir().unwrap();
    replay_all(true, || Box::new(Conversation::spawn(command(&home))));
}

#[test]
fn examples_through_connect() {
    let home = tempfile::tempdir().unwrap();
    replay_all(true, || {
        let mut command = command(&home);
        // The daemon leaves soon after the last conversation.
        command.args(["--set", "leaveAfterSeconds=1", "connect"]);
        Box::new(Conversation::spawn(command))
    });
}

/// A daemon with one door.
struct Daemon(Child);

impl Daemon {
    /// Starts it, and gives where it listens.
    fn start(home: &tempfile::TempDir, listen: &str) -> (Daemon, String) {
        let mut command = command(home);
        // The token is made at the start.
        command.args(["serve", "--listen", listen, "--token-file"]).arg(home.path().join("token"));
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        (Daemon(child), address)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn examples_over_a_websocket() {
    let home = tempfile::tempdir().unwrap();
    let (_daemon, address) = Daemon::start(&home, "127.0.0.1:0");
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    let authorization = format!("Bearer {}", token.trim());
    replay_all(false, || {
        Box::new(WebSocket::connect(&address, &[("Authorization", &authorization)]).unwrap())
    });
}

#[test]
fn examples_over_a_unix_socket() {
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("socket");
    let (_daemon, _) = Daemon::start(&home, &format!("unix:{}", socket.display()));
    replay_all(true, || Box::new(WebSocket::connect_unix(&socket).unwrap()));
}

/// `kifud rpc --connect -`: JSON lines in, JSON lines out.
struct Lines {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Session for Lines {
    fn send(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{message}").and_then(|()| input.flush()).unwrap();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let mut message: Value = serde_json::from_str(&line).unwrap();
        message["jsonrpc"] = json!("2.0");
        Some(message)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.child.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn examples_at_the_shell_through_the_shared_daemon() {
    let home = tempfile::tempdir().unwrap();
    let shared = |arguments: &[&str]| {
        let mut command = command(&home);
        command.args(["--set", "leaveAfterSeconds=1"]).args(arguments);
        command
    };
    let status = || shared(&["rpc", "--connect", "kifud/status"]).output().unwrap();
    let nobody = status();
    assert_eq!(nobody.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no shared daemon is running"));

    let mut editor = Conversation::spawn(shared(&["connect"]));
    editor.request("kifud/status", json!({}));
    let answer: Value = serde_json::from_slice(&status().stdout).unwrap();
    assert_eq!(answer["sessions"], 2, "the editor's and this one's: {answer}");
    replay_all(true, || {
        let mut lines = shared(&["rpc", "--connect", "-"]);
        let mut child = lines.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Box::new(Lines { child, output })
    });
}
