//! The socket door: the same methods, the same bytes, and who is let in.

mod support;
#[path = "support/websocket.rs"]
mod websocket;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use support::{Conversation, example, kifud};
use websocket::WebSocket;

const TOKEN: &str = "0123456789abcdef";

/// A daemon that listens on a free port.
struct Daemon {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Daemon {
    fn start() -> Daemon {
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, TOKEN).unwrap();
        let mut child = Command::new(kifud())
            .args(["--config", &settings(&folder), "serve", "--listen", "127.0.0.1:0"])
            .arg("--listen")
            .arg(format!("unix:{}", folder.path().join("socket").display()))
            .arg("--token-file")
            .arg(token)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.next().unwrap().unwrap().strip_prefix("listening on ").unwrap().to_owned();
        assert!(lines.next().unwrap().unwrap().starts_with("listening on unix:"));
        Daemon { child, address, folder }
    }

    fn connect(&self, authorization: &str, more: &[(&str, &str)]) -> Result<WebSocket, String> {
        let mut headers = vec![("Authorization", authorization)];
        headers.extend(more);
        WebSocket::connect(&self.address, &headers)
    }

    fn client(&self) -> WebSocket {
        self.connect(&format!("Bearer {TOKEN}"), &[]).unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An engine whose analysis ends by itself after two lines.
fn settings(folder: &tempfile::TempDir) -> String {
    let path = folder.path().join("kifud.toml");
    let fake = example("fake-engine");
    let text = format!(
        "[[engines]]\nname = \"fake\"\npath = {:?}\nargs = [\"commands +kata-analyze\", \"stop-after 2\"]\n",
        fake.to_str().unwrap()
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn five_calls() -> Vec<Value> {
    let position = json!({"boardSize": 9, "komi": 6.5, "moves": [{"color": "B", "vertex": "E5"}]});
    vec![
        json!({"jsonrpc": "2.0", "id": 1, "method": "engine/attach", "params": {"name": "fake"}}),
        json!({"jsonrpc": "2.0", "id": "two", "method": "engine/sync", "params": {"engineId": "engine-1", "position": position}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "engine/analyze", "params": {"engineId": "engine-1", "interval": 1}}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "engine/stop", "params": {"engineId": "engine-1"}}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "engine/genmove", "params": {"engineId": "engine-1", "position": position}}),
    ]
}

/// Makes the calls one after the other, and waits for the end of the stream; gives every message
/// but the reports between, of which a slow client sees fewer.
fn talk(mut send: impl FnMut(&str), mut receive: impl FnMut() -> String) -> Vec<String> {
    let mut seen = Vec::new();
    for call in five_calls() {
        send(&call.to_string());
        let analysis = call["method"] == "engine/analyze";
        let mut answered = false;
        let mut streaming = analysis;
        while !answered || streaming {
            let text = receive();
            let message: Value = serde_json::from_str(&text).unwrap();
            answered |= message["id"] == call["id"];
            streaming &= message["params"]["result"]["state"] != "ended";
            if message["params"]["result"]["state"] != "running" {
                seen.push(text);
            }
        }
    }
    seen
}

#[test]
fn five_calls_give_the_same_bytes_over_pipes_and_over_a_websocket() {
    let daemon = Daemon::start();
    let mut socket = daemon.client();
    let mut other = daemon.client();
    let over_socket = {
        let cell = std::cell::RefCell::new(&mut socket);
        talk(|text| cell.borrow_mut().send(text), || cell.borrow_mut().receive().unwrap())
    };
    let mut child = Command::new(kifud())
        .args(["--config", &settings(&daemon.folder)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let over_pipes = talk(
        |text| write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap(),
        || {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            let length = line.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
            stdout.read_line(&mut line).unwrap();
            let mut body = vec![0; length];
            stdout.read_exact(&mut body).unwrap();
            String::from_utf8(body).unwrap()
        },
    );
    assert_eq!(over_pipes.len(), 7, "five answers, the first and the last event: {over_pipes:#?}");
    assert_eq!(over_socket, over_pipes);
    // Another connection is another session: it has no engine of this one.
    other.send(r#"{"jsonrpc":"2.0","id":1,"method":"engine/detach","params":{"engineId":"engine-1"}}"#);
    assert!(other.receive().unwrap().contains("EngineNotFound"));
    drop(stdin);
    child.wait().unwrap();
}

#[test]
fn who_is_let_in() {
    let daemon = Daemon::start();
    let good = format!("Bearer {TOKEN}");
    let status = |authorization: &str, more: &[(&str, &str)]| {
        daemon.connect(authorization, more).err().unwrap_or_default().split(' ').nth(1).map(str::to_owned)
    };
    assert_eq!(status(&good, &[]), None);
    assert_eq!(status("Bearer wrong", &[]).as_deref(), Some("401"));
    assert_eq!(status(&good, &[("Origin", "https://evil.example")]).as_deref(), Some("403"));
    assert_eq!(status(&good, &[("Origin", "http://localhost:3000")]), None);

    let output = Command::new(kifud()).args(["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a TCP door needs a token");
    let output = Command::new(kifud()).args(["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "other addresses are refused");
}

#[test]
fn a_tcp_client_is_not_trusted_but_may_ask() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let mut ask = |text: &str| -> Value {
        client.send(text);
        serde_json::from_str(&client.receive().unwrap()).unwrap()
    };
    let inline = ask(r#"{"jsonrpc":"2.0","id":1,"method":"engine/attach","params":{"engine":{"name":"x","path":"/bin/true"}}}"#);
    assert_eq!(inline["error"]["data"]["kind"], "NotTrusted");
    let file = ask(r#"{"jsonrpc":"2.0","id":2,"method":"record/tree","params":{"document":{"uri":"file:///etc/hostname"}}}"#);
    assert_eq!(file["error"]["data"]["kind"], "NotTrusted");
    let board = ask(r#"{"jsonrpc":"2.0","id":3,"method":"record/board","params":{"document":{"text":"(;SZ[2]AB[aa])"}}}"#);
    assert_eq!(board["result"]["stones"], json!(["X.", ".."]));
    let unknown = ask(r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#);
    assert_eq!(unknown["error"]["code"], -32601);
    let field = ask(r#"{"jsonrpc":"2.0","id":5,"method":"record/board","params":{"document":{"txt":"(;)"}}}"#);
    assert_eq!(field["error"]["data"]["field"], "document.txt");
    let cancel = ask(r#"{"jsonrpc":"2.0","id":6,"method":"kifud/cancel","params":{"id":99}}"#);
    assert_eq!(cancel["result"]["cancelled"], false);
}

#[test]
fn a_document_of_one_session_is_not_seen_by_another() {
    let daemon = Daemon::start();
    let mut one = daemon.client();
    let mut two = daemon.client();
    one.send(r#"{"jsonrpc":"2.0","id":1,"method":"document/open","params":{"uri":"mem:a","text":"(;SZ[9])"}}"#);
    assert!(one.receive().unwrap().contains("result"));
    one.send(r#"{"jsonrpc":"2.0","id":2,"method":"record/board","params":{"document":{"uri":"mem:a"}}}"#);
    assert!(one.receive().unwrap().contains("\"size\":9"));
    two.send(r#"{"jsonrpc":"2.0","id":1,"method":"record/board","params":{"document":{"uri":"mem:a"}}}"#);
    assert!(two.receive().unwrap().contains("NotFound"));
}


#[test]
fn stdio_beside_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix:{}", folder.path().join("s").display());
    let mut client = Conversation::start(&["serve", "--stdio", "--listen", &socket]);
    assert_eq!(client.request("kifud/status", json!({}))["sessions"], 1);
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert!(!folder.path().join("s").exists(), "the socket's file is gone");
}
