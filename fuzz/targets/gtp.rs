//! Lines of GTP, mostly real commands with arguments in any order: the engine in the box answers each line in
//! GTP's frame, and its board stays one that can be.
//!
//! `cargo fuzz run -s none gtp`.
#![no_main]

use std::cell::Cell;

use kifud::go::Position;
use kifud::gtp_engine::{COMMANDS, Engine, Host};
use libfuzzer_sys::fuzz_target;

/// Words that a line may have behind its command; longer ones are spelled out byte by byte.
const WORDS: [&str; 32] = [
    "b", "w", "black", "white", "D4", "A1", "J9", "T19", "C3", "c3", "pass", "resign", "9", "5", "2", "13 7", "19", "0",
    "-1", "6.5", "1e9", "nan", "interval", "5", "allow", "avoid", "rootInfo", "true", "ownership", "maxVisits", "dead",
    "nothing.sgf",
];

/// A clock that goes on by a moment each time it is looked at.
struct Desk {
    said: String,
    seconds: Cell<f64>,
}

impl Host for Desk {
    fn say(&mut self, text: &str) {
        self.said.push_str(text);
    }

    fn seconds(&self) -> f64 {
        self.seconds.set(self.seconds.get() + 0.2);
        self.seconds.get()
    }

    fn is_wanted(&self) -> bool {
        true
    }

    fn load(&self, _path: &str, _moves: Option<usize>) -> Result<Position, String> {
        Err("no files here".to_owned())
    }
}

/// A line: an id, a command, words, each chosen by a byte.
fn line(bytes: &[u8]) -> String {
    let mut line = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        match (index, byte) {
            (0, 0..128) => line.push_str(&format!("{byte} ")),
            (0, _) => {}
            (1, _) => line.push_str(COMMANDS[usize::from(*byte) % COMMANDS.len()]),
            (_, 0..192) => line.push_str(WORDS[usize::from(*byte) % WORDS.len()]),
            _ => line.push(char::from(*byte)),
        }
        line.push(' ');
    }
    line
}

fuzz_target!(|data: &[u8]| {
    let mut engine = Engine::new(1).with_visits(4);
    let mut desk = Desk { said: String::new(), seconds: Cell::new(0.0) };
    engine.hear("boardsize 5", &mut desk);
    for bytes in data.split(|byte| *byte == b'\n').take(60) {
        let line = line(bytes);
        desk.said.clear();
        let goes_on = engine.hear(&line, &mut desk);
        let said = &desk.said;
        // Control characters and remarks may leave nothing of a line.
        let is_framed = said.starts_with(['=', '?']) && said.ends_with("\n\n");
        assert!(said.is_empty() || is_framed, "{line:?}: {said:?}");
        assert_eq!(engine.position().board().stones_without_liberties(), [], "{line:?}");
        if !goes_on {
            return;
        }
    }
});
