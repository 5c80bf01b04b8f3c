//! What somebody who types in a large record waits for, over pipes: from a keystroke to its findings,
//! and to the answers of hover and completion.
//!
//! `cargo bench --bench editor` prints a line a figure. A keystroke is one character that comes or goes
//! at any place of the text. The editor asks for findings right behind it; those that are sent unasked
//! come the same way after a quiet of 100 ms, which is taken off.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod records;
mod server;

use server::{Server, kifud, micros, percentile};

const URI: &str = "file:///typed.sgf";
const SAMPLES: usize = 600;
const QUIET: Duration = Duration::from_millis(100);

struct Editor {
    server: Server,
    text: String,
    version: i64,
    /// A multiplicative congruence.
    numbers: u64,
    /// Where a character was typed that goes with the next keystroke.
    typed: Option<usize>,
}

impl Editor {
    fn open(text: String, capabilities: Value) -> Editor {
        let mut server = Server::start(kifud());
        server.initialize(json!({"textDocument": capabilities}));
        let document = json!({"uri": URI, "languageId": "sgf", "version": 1, "text": text});
        server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}));
        Editor { server, text, version: 1, numbers: 1, typed: None }
    }

    fn anywhere(&mut self) -> usize {
        self.numbers =
            self.numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.numbers >> 33) as usize % self.text.len()
    }

    /// The records are ASCII, and their lines end with LF.
    fn position(&self, offset: usize) -> Value {
        let before = &self.text[..offset];
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        json!({"line": line, "character": offset - start})
    }

    /// The next keystroke, ready to be sent.
    fn keystroke(&mut self) -> Value {
        let (at, old, new) = match self.typed.take() {
            Some(at) => (at, 1, ""),
            None => (self.anywhere(), 0, "x"),
        };
        let range = json!({"start": self.position(at), "end": self.position(at + old)});
        self.text.replace_range(at..at + old, new);
        self.typed = (old == 0).then_some(at);
        self.version += 1;
        let document = json!({"uri": URI, "version": self.version});
        let params = json!({"textDocument": document, "contentChanges": [{"range": range, "text": new}]});
        json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params})
    }

    /// Microseconds until a request about a place is answered, behind a keystroke or without one.
    fn ask(&mut self, method: &str, typing: bool) -> f64 {
        let keystroke = typing.then(|| self.keystroke());
        let at = match self.typed {
            Some(at) if typing => at + 1,
            _ => self.anywhere(),
        };
        let params = json!({"textDocument": {"uri": URI}, "position": self.position(at)});
        let start = Instant::now();
        keystroke.iter().for_each(|message| self.server.send(message));
        self.server.call(method, &params);
        micros(start)
    }

    /// Microseconds from a keystroke to its findings as they are sent unasked, less the quiet.
    fn published(&mut self) -> f64 {
        let keystroke = self.keystroke();
        let start = Instant::now();
        self.server.send(&keystroke);
        loop {
            let message: Value = serde_json::from_slice(&self.server.receive()).expect("JSON");
            if message["params"]["version"] == self.version {
                return micros(start + QUIET);
            }
        }
    }
}

fn show(name: &str, what: &str, mut times: Vec<f64>) {
    let [middle, most, max] = [0.5, 0.99, 1.0].map(|share| percentile(&mut times, share) / 1000.0);
    println!("{name}: {what}: p50 {middle:.2} ms, p99 {most:.2} ms, max {max:.2} ms of {}", times.len());
}

fn type_in(name: &str, text: String) {
    println!("{name}: {} nodes, {:.2} MB", text.matches(';').count(), text.len() as f64 / 1e6);
    let hover = json!({"contentFormat": ["markdown", "plaintext"]});
    let asking = json!({"diagnostic": {}, "hover": hover});
    let mut editor = Editor::open(text.clone(), asking);
    for (what, method, typing) in [
        ("keystroke to findings", "textDocument/diagnostic", true),
        ("hover", "textDocument/hover", false),
        ("completion", "textDocument/completion", false),
        ("keystroke to hover", "textDocument/hover", true),
        ("keystroke to completion", "textDocument/completion", true),
    ] {
        (0..20).for_each(|_| _ = editor.ask(method, typing));
        let times = (0..SAMPLES).map(|_| editor.ask(method, typing)).collect();
        show(name, what, times);
    }
    let mut editor = Editor::open(text, json!({}));
    editor.published();
    let times = (0..SAMPLES / 6).map(|_| editor.published()).collect();
    show(name, "keystroke to findings sent unasked", times);
}

fn main() {
    // `cargo test --benches` only wants to know that it builds.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    type_in("tree", records::tree(37_000));
    type_in("line", records::line(3000));
    type_in("long line", records::line(37_000));
}
