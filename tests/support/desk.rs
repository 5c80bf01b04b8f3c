//! A folder, an engine that says what a script says, and the game that it reviews.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::{Conversation, example, kifud};

/// Black loses nothing, White's second move loses 20 points.
pub const GAME: &str = "(;SZ[9];B[ee];W[cc];B[gg];W[aa];B[gc])";

/// A folder with an engine's log and kifud's state.
pub struct Desk {
    pub folder: tempfile::TempDir,
    pub script: Vec<String>,
}

impl Desk {
    /// An engine that searches exactly so many visits.
    pub fn exact(script: &[String]) -> Desk {
        let exact = "commands +kata-analyze +kata-search_analyze +kata-get-param +kata-set-param".to_owned();
        Desk { folder: tempfile::tempdir().unwrap(), script: [&[exact], script].concat() }
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// The journals of reviews.
    pub fn journals(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.state().join("kifud/reviews")).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    pub fn engine(&self) -> Value {
        let log = self.folder.path().join("log");
        json!({
            "name": "fake", "path": example("fake-engine").to_str().unwrap(), "args": self.script,
            "env": {"FAKE_LOG": log.to_str().unwrap()},
        })
    }

    /// A daemon, and the engine in it.
    pub fn client(&self) -> (Conversation, Value) {
        let mut command = Command::new(kifud());
        command.env("XDG_STATE_HOME", self.state());
        let mut client = Conversation::spawn(command);
        let id = client.request("engine/attach", json!({"engine": self.engine()}))["engine"]["id"].clone();
        (client, id)
    }

    /// How many searches the engine has been asked for.
    pub fn searches(&self) -> usize {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        log.lines().filter(|line| line.contains("analyze")).count()
    }
}

/// The `number`-th search of an engine: for Black, a win rate and a lead; `line` is what it would play.
pub fn search(number: usize, turn: &str, winrate: f64, lead: f64, line: &str) -> String {
    let (winrate, lead) = if turn == "B" { (winrate, lead) } else { (100.0 - winrate, -lead) };
    let (winrate, best) = (winrate / 100.0, line.split(' ').next().unwrap());
    // The first move of the line is a little worse than the whole.
    let (after, after_lead) = (winrate - 0.01, lead - 1.0);
    format!(
        "on kata-search_analyze @{number}: raw =%id\\ninfo move {best} visits 40 winrate {after:.4} \
         scoreLead {after_lead} order 0 pv {line} rootInfo visits 50 winrate {winrate:.4} scoreLead {lead}\
         \\nplay {best}\\n\\n"
    )
}

/// The searches of both passes of the game with one blunder: all six nodes, then the two around it.
pub fn one_blunder() -> Vec<String> {
    vec![
        search(1, "B", 50.0, 0.0, "E5"),
        search(2, "W", 50.0, 0.0, "C7"),
        search(3, "B", 50.0, 0.0, "G3"),
        search(4, "W", 50.0, 0.0, "F6 F4"),
        search(5, "B", 90.0, 20.0, "G7"),
        search(6, "W", 90.0, 20.0, "pass"),
        search(7, "W", 52.0, 0.5, "F7 F3 pass D4"),
        search(8, "B", 95.0, 22.0, "G7"),
    ]
}

/// All events of a review up to its end.
pub fn events(client: &mut Conversation, subscription: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        events.push(client.event(subscription));
        if events.last().unwrap()["state"] == "ended" {
            return events;
        }
    }
}

/// The depth of a row's node on the main line.
pub fn depth(row: &Value) -> u64 {
    match row["node"]["path"].as_array().unwrap().first() {
        None => 0,
        Some(Value::String(run)) => run.strip_prefix("0*").unwrap().parse().unwrap(),
        Some(step) => 1 + step.as_u64().unwrap(),
    }
}

/// Rows in short: node, pass, loss.
pub fn short(events: &[Value]) -> Vec<(u64, u64, Option<f64>)> {
    let rows = events.iter().filter(|event| event["state"] == "running");
    rows.map(|row| (depth(row), row["pass"].as_u64().unwrap(), row["loss"].as_f64())).collect()
}
