//! A server over pipes, as benches speak to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

pub struct Server {
    pub child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    pub fn start(mut command: Command) -> Server {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Server { child, stdin, stdout: BufReader::with_capacity(1 << 20, stdout) }
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.stdin.write_all(framed.as_bytes()).expect("the server reads");
    }

    pub fn receive(&mut self) -> Vec<u8> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).expect("the server writes") > 0, "the server has left");
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
        self.stdout.read_exact(&mut body).expect("the server writes");
        body
    }

    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        loop {
            let answer: Value = serde_json::from_slice(&self.receive()).expect("JSON");
            if answer["id"] == 1 {
                return answer["result"].clone();
            }
        }
    }

    pub fn initialize(&mut self, capabilities: Value) {
        self.call("initialize", &json!({"processId": null, "capabilities": capabilities}));
        self.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn kifud() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kifud"))
}

pub fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * share) as usize]
}

pub fn micros(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e6
}
