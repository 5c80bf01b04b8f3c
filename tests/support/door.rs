//! A daemon with a trusted client on its pipes and a TCP door for everybody else, and raw HTTP.

#![allow(dead_code, reason = "every test file uses another part")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::websocket::WebSocket;
use crate::support::{Conversation, PATIENCE, example, kifud};

pub struct Daemon {
    /// The client on stdin and stdout.
    pub trusted: Conversation,
    /// `127.0.0.1:PORT`.
    pub address: String,
    pub token: String,
    pub folder: tempfile::TempDir,
}

impl Daemon {
    /// With settings over the defaults. One engine is configured, `fake`, which never ends a genmove.
    pub fn start(set: &[&str]) -> Daemon {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let script = "commands +kata-analyze\non genmove: silence";
        let settings = format!(
            "[[engines]]\nname = \"fake\"\npath = {:?}\nargs = [{script:?}]\n",
            example("fake-engine")
        );
        std::fs::write(path("kifud.toml"), settings).unwrap();
        // Its stderr goes to a file, where the log can be read.
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$0" "$@" 2>"$LOG""#, kifud()]).env("LOG", path("log"));
        for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"] {
            command.env(name, folder.path());
        }
        for name in ["KIFUD_LOG", "KIFUD_CONFIG"] {
            command.env_remove(name);
        }
        command.arg("--config").arg(path("kifud.toml"));
        set.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        command.args(["serve", "--stdio", "--listen", "127.0.0.1:0", "--token-file"]).arg(path("token"));
        let mut daemon = Daemon {
            trusted: Conversation::spawn(command),
            address: String::new(),
            token: String::new(),
            folder,
        };
        let line = daemon.logged("listening on ");
        daemon.address = line.strip_prefix("listening on ").unwrap().to_owned();
        daemon.token = std::fs::read_to_string(daemon.path("token")).unwrap().trim().to_owned();
        daemon
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// Waits for a whole line with these words in the log.
    pub fn logged(&self, words: &str) -> String {
        let mut found = None;
        until(words, || {
            let log = self.log();
            let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
            found = whole.lines().find(|line| line.contains(words)).map(str::to_owned);
            found.is_some()
        });
        found.unwrap()
    }

    /// A client with the token.
    pub fn client(&self) -> Client {
        Client {
            socket: self.connect(&[("Authorization", &format!("Bearer {}", self.token))]).unwrap(),
            last: 0,
        }
    }

    /// A WebSocket with these headers; the status line when it is refused.
    pub fn connect(&self, headers: &[(&str, &str)]) -> Result<WebSocket, String> {
        WebSocket::connect(&self.address, headers)
    }

    /// Sends bytes on a connection of its own and reads until it is closed.
    pub fn http(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // The server may have answered and gone before all was sent.
        let _ = stream.write_all(request);
        Response::read(stream)
    }

    /// A POST with the token.
    pub fn post(&self, body: &str) -> Response {
        let head = self.post_head(&format!("Content-Length: {}", body.len()));
        self.http((head + body).as_bytes())
    }

    /// The head of a POST with the token, and with one header more.
    pub fn post_head(&self, header: &str) -> String {
        format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             {header}\r\n\r\n",
            self.token
        )
    }

    pub fn status(&mut self) -> Value {
        self.trusted.request("kifud/status", json!({}))
    }

    /// Nobody has a session but the client on the pipes, and no process was ever started.
    pub fn nothing_came_of_it(&mut self) {
        until("its sessions have ended", || self.status()["sessions"] == 1);
        assert_eq!(self.status()["engines"], 0);
        assert_eq!(self.children(), Vec::<String>::new());
        let log = self.log();
        assert!(!log.contains("a process was started"), "{log}");
    }

    /// Processes of the daemon.
    pub fn children(&self) -> Vec<String> {
        let stats = std::fs::read_dir("/proc").unwrap().flatten();
        let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        let parent = self.trusted.child.id().to_string();
        let parent_of = |stat: &str| Some(stat.rsplit(") ").next()?.split(' ').nth(1)?.to_owned());
        stats.filter(|stat| parent_of(stat).as_ref() == Some(&parent)).collect()
    }
}

/// A client over a WebSocket.
pub struct Client {
    pub socket: WebSocket,
    last: u64,
}

impl Client {
    /// Sends a request; gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.socket.send(&request.to_string());
        self.last
    }

    pub fn next(&mut self) -> Value {
        serde_json::from_str(&self.socket.receive().expect("the connection is there")).unwrap()
    }

    /// The answer to a request; other messages are dropped.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The kind of the error that comes.
    pub fn refused(&mut self, method: &str, params: Value) -> String {
        kind(&self.call(method, params))
    }
}

/// The kind of an error.
pub fn kind(answer: &Value) -> String {
    answer["error"]["data"]["kind"].as_str().unwrap_or_else(|| panic!("no error: {answer}")).to_owned()
}

/// An HTTP answer.
#[derive(Debug)]
pub struct Response {
    /// 0 when there was none.
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    pub fn read(mut stream: TcpStream) -> Response {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut bytes = Vec::new();
        // Whoever is told to go while still sending gets a reset behind the answer.
        let end = stream.read_to_end(&mut bytes);
        assert!(end.is_ok() || !bytes.is_empty(), "the server neither answers nor closes the connection");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Response { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// The kind of the error in the body.
    pub fn kind(&self) -> String {
        kind(&serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}")))
    }
}

pub fn until(what: &str, mut fits: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !fits() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
