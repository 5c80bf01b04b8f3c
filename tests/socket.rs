//! The socket door: the same methods, the same bytes, and who is let in.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::websocket::WebSocket;
use support::{Conversation, example, kifud};

const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

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
        std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let mut child = Command::new(kifud())
            .args(["--config", &settings(&folder), "serve", "--listen", "127.0.0.1:0"])
            .arg("--listen")
            .arg(format!("unix:{}", folder.path().join("socket").display()))
            .arg("--token-file")
            .arg(token)
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
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
        .env("XDG_CACHE_HOME", daemon.folder.path().join("other cache"))
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
    assert_eq!(status(&good, &[("Origin", "http://localhost:3000")]).as_deref(), Some("403"));
    assert_eq!(status(&good, &[("Origin", &format!("http://{}", daemon.address))]), None);

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
    let inline = ask(
        r#"{"jsonrpc":"2.0","id":1,"method":"engine/attach","params":{"engine":{"name":"x","path":"/bin/true"}}}"#,
    );
    assert_eq!(inline["error"]["data"]["kind"], "NotTrusted");
    let file = ask(
        r#"{"jsonrpc":"2.0","id":2,"method":"record/tree","params":{"document":{"uri":"file:///etc/hostname"}}}"#,
    );
    assert_eq!(file["error"]["data"]["kind"], "NotTrusted");
    let board = ask(
        r#"{"jsonrpc":"2.0","id":3,"method":"record/board","params":{"document":{"text":"(;SZ[2]AB[aa])"}}}"#,
    );
    assert_eq!(board["result"]["stones"], json!(["X.", ".."]));
    let unknown = ask(r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#);
    assert_eq!(unknown["error"]["code"], -32601);
    let field =
        ask(r#"{"jsonrpc":"2.0","id":5,"method":"record/board","params":{"document":{"txt":"(;)"}}}"#);
    assert_eq!(field["error"]["data"]["field"], "document.txt");
    let cancel = ask(r#"{"jsonrpc":"2.0","id":6,"method":"kifud/cancel","params":{"id":99}}"#);
    assert_eq!(cancel["result"]["cancelled"], false);
}

#[test]
fn a_document_of_one_session_is_not_seen_by_another() {
    let daemon = Daemon::start();
    let mut one = daemon.client();
    let mut two = daemon.client();
    one.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"document/open","params":{"uri":"mem:a","text":"(;SZ[9])"}}"#,
    );
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

#[test]
fn pipelined_changes_apply_in_the_order_in_which_they_were_sent() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    client.send(
        r#"{"jsonrpc":"2.0","id":"open","method":"document/open","params":{"uri":"mem:a","text":"(;C"}}"#,
    );
    let end = json!({"line": 0, "character": 1_000_000});
    let append = |id: usize, text: &str| {
        let changes = json!([{"range": {"start": end, "end": end}, "text": text}]);
        let params = json!({"uri": "mem:a", "version": id + 1, "changes": changes});
        json!({"jsonrpc": "2.0", "id": id, "method": "document/change", "params": params}).to_string()
    };
    let numbers: Vec<String> = (0..200).map(|n| format!("[{n}]")).collect();
    for (id, text) in numbers.iter().enumerate() {
        client.send(&append(id, text));
    }
    client.send(&append(numbers.len(), ")"));
    client.send(
        r#"{"jsonrpc":"2.0","id":"tree","method":"record/tree","params":{"document":{"uri":"mem:a"}}}"#,
    );
    let tree = loop {
        let answer: Value = serde_json::from_str(&client.receive().unwrap()).unwrap();
        assert!(answer.get("error").is_none(), "{answer}");
        if answer["id"] == "tree" {
            break answer;
        }
    };
    let comments = &tree["result"]["games"][0]["nodes"][0]["props"]["C"];
    let expected: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    assert_eq!(*comments, json!(expected));
}

/// Odd messages, each followed by one that is answered.
#[test]
fn odd_messages_are_answered_with_the_same_bytes_over_pipes_and_over_a_websocket() {
    let odd = [
        r#"{"jsonrpc":"2.0","id":-1,"method":"kifud/cancel","params":{"id":1}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"kifud/status"}"#,
        r#"{"jsonrpc":"2.0","id":[],"method":"kifud/status"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"kifud/status"}"#,
        r#"{"jsonrpc":"2.0","method":"document/open","params":{"uri":"mem:n","text":"(;SZ[5])"}}"#,
        r#"{"jsonrpc":"2.0","method":"document/open","params":{"uri":5}}"#,
        r#"{"jsonrpc":"2.0","method":"engine/analyze","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"record/board","params":{"document":{"uri":"mem:n"}}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"engine/analyze/unsubscribe","params":["1-1"]}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"kifud/status","params":[]}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"kifud/status"}]"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"kifud/status"}"#,
        r#"{"a":1}"#,
        "nonsense",
        "",
    ];
    let mark = r#"{"jsonrpc":"2.0","id":"mark","method":"kifud/cancel","params":{"id":1}}"#;
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let mut pipes = Conversation::start(&[]);
    for text in odd {
        let mut over_socket = Vec::new();
        client.send(text);
        client.send(mark);
        loop {
            let answer: Value = serde_json::from_str(&client.receive().unwrap()).unwrap();
            if answer["id"] == "mark" {
                break;
            }
            over_socket.push(answer);
        }
        let mut over_pipes = Vec::new();
        for text in [text, mark] {
            pipes.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        }
        loop {
            let answer = pipes.wait("an answer", |_| true);
            if answer["id"] == "mark" {
                break;
            }
            over_pipes.push(answer);
        }
        assert_eq!(over_socket, over_pipes, "{text}");
        for answer in over_socket {
            assert!(
                answer.get("result").is_some() || answer["error"]["data"]["kind"].is_string(),
                "{answer}"
            );
        }
    }
}

#[test]
fn a_message_over_the_limit_is_told_and_the_session_goes_on() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    client.send(&"x".repeat((4 << 20) + 1));
    assert!(client.receive().unwrap().contains("LimitExceeded"));
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"kifud/status"}"#);
    assert!(client.receive().unwrap().contains("result"));
}

/// The status and the body of an HTTP request on a connection of its own, read to its end.
fn http(daemon: &Daemon, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(&daemon.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server closes the connection");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn post(daemon: &Daemon, body: &str) -> (u16, String) {
    announce(daemon, body.len(), body)
}

/// A POST that says how long its body is.
fn announce(daemon: &Daemon, length: usize, body: &str) -> (u16, String) {
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    http(daemon, &(head + body))
}

#[test]
fn a_post_is_one_message_without_a_session() {
    let daemon = Daemon::start();
    let error = |body: &str| -> (u16, String, String) {
        let (status, body) = post(&daemon, body);
        let answer: Value = serde_json::from_str(&body).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        (status, text(&answer["error"]["data"]["kind"]), text(&answer["error"]["message"]))
    };
    let (status, board) = post(
        &daemon,
        r#"{"jsonrpc":"2.0","id":-3,"method":"record/board","params":{"document":{"text":"(;SZ[2]AB[aa])"}}}"#,
    );
    assert_eq!(status, 200);
    let board: Value = serde_json::from_str(&board).unwrap();
    assert_eq!((&board["id"], &board["result"]["stones"]), (&json!(-3), &json!(["X.", ".."])));
    assert_eq!(post(&daemon, r#"{"jsonrpc":"2.0","method":"kifud/status"}"#), (204, String::new()));
    for method in ["engine/analyze", "analysis/game", "engine/attach", "engine/send", "document/open"] {
        let (status, kind, message) = error(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#));
        assert_eq!((status, kind.as_str()), (200, "InvalidRequest"), "{method}");
        assert!(message.contains("WebSocket"), "{message}");
    }
    let kind = |body: &str| error(body).1;
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#), "MethodNotFound");
    assert_eq!(kind(r#"[{"jsonrpc":"2.0","id":1,"method":"kifud/status"}]"#), "InvalidRequest");
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":[],"method":"kifud/status"}"#), "InvalidRequest");
    assert_eq!(kind("{nonsense"), "ParseError");
    assert_eq!(kind("nonsense"), "ParseError");
    assert_eq!(kind(""), "ParseError");
    let (status, large) = announce(&daemon, (4 << 20) + 1, "");
    assert_eq!(status, 413);
    assert!(large.contains("LimitExceeded"), "{large}");
}

#[test]
fn who_brings_no_token_uses_nothing_up() {
    let daemon = Daemon::start();
    let half = "POST / HTTP/1.1\r\nHost: localhost\r\n";
    // More than there are sessions, all turned away, each on a connection that is then closed.
    for _ in 0..300 {
        assert_eq!(http(&daemon, &format!("{half}\r\n")).0, 401);
    }
    // More than may stand at the door, with half a request each and with none: their time runs out.
    let waiting: Vec<TcpStream> = (0..100)
        .map(|n| {
            let mut stream = TcpStream::connect(&daemon.address).unwrap();
            if n % 2 == 0 {
                stream.write_all(half.as_bytes()).unwrap();
            }
            stream
        })
        .collect();
    let mut client = daemon.client();
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"kifud/status"}"#);
    let status: Value = serde_json::from_str(&client.receive().unwrap()).unwrap();
    assert_eq!(status["result"]["sessions"], 1);
    drop(waiting);
}
