//! A user's session: a runtime folder with the daemon that its clients share, and what they do with documents.

#![allow(dead_code, reason = "every test file uses another part")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Conversation, PATIENCE, kifud};

/// A user's session: a runtime folder of its own. Its daemon ends with it.
pub struct Home {
    pub folder: tempfile::TempDir,
    /// Said before each command: clients that say the same share a daemon.
    said: Vec<String>,
}

impl Home {
    pub fn new() -> Home {
        Home::with(&[])
    }

    /// With settings on the command line.
    pub fn with(set: &[&str]) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let set = set.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]).collect();
        Home { folder, said: set }
    }

    /// With a settings file.
    pub fn configured(settings: &str) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kifud.toml");
        std::fs::write(&file, settings).unwrap();
        Home { folder, said: vec!["--config".to_owned(), file.display().to_string()] }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(kifud());
        command.env("XDG_RUNTIME_DIR", self.folder.path()).env("HOME", self.folder.path());
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        for name in ["XDG_CONFIG_HOME", "KIFUD_CONFIG", "KIFUD_LOG"] {
            command.env_remove(name);
        }
        command.args(&self.said).args(args);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn connect(&self) -> Conversation {
        Conversation::spawn(self.command(&["connect"]))
    }

    pub fn editor(&self) -> Conversation {
        let mut client = self.connect();
        client.initialize(json!({}));
        client
    }

    /// Null when the daemon ends while it is asked.
    pub fn status(&self) -> Value {
        serde_json::from_slice(&self.run(&["status", "--json"]).stdout).unwrap_or_default()
    }

    /// The running daemon, once there is one.
    pub fn daemon(&self) -> u32 {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.status()["pid"].as_u64() {
                Some(pid) => return pid as u32,
                None => assert!(Instant::now() < end, "no daemon"),
            }
        }
    }

    /// Kills the daemon.
    pub fn kill(&self, daemon: u32) {
        Command::new("kill").args(["-KILL", &daemon.to_string()]).status().unwrap();
    }

    pub fn runtime(&self) -> PathBuf {
        self.folder.path().join("kifud")
    }

    /// Processes of this home that were started with an argument.
    pub fn processes(&self, argument: &str) -> Vec<u32> {
        let mark = format!("XDG_RUNTIME_DIR={}", self.folder.path().display());
        processes(|line, environment| {
            line.split('\0').any(|part| part == argument) && environment.split('\0').any(|part| part == mark)
        })
    }

    /// What the daemon has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("state/kifud/daemon.log")).unwrap_or_default()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.processes("--shared").into_iter().for_each(|daemon| self.kill(daemon));
    }
}

/// Processes by command line and environment.
pub fn processes(fits: impl Fn(&str, &str) -> bool) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let read = |name: &str| {
            let bytes = std::fs::read(entry.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        if fits(&read("cmdline"), &read("environ")) {
            found.push(pid);
        }
    }
    found
}

pub fn until(what: &str, fits: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !fits() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn open(client: &mut Conversation, uri: &str, text: &str) {
    let item = json!({"uri": uri, "languageId": "sgf", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": item}));
}

/// Puts text in at a column of the first line.
pub fn insert(client: &mut Conversation, uri: &str, version: i32, column: u32, text: &str) {
    let at = json!({"line": 0, "character": column});
    let change = json!({"range": {"start": at, "end": at}, "text": text});
    let document = json!({"uri": uri, "version": version});
    client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
}

/// The moves of an open document, and its other root properties, as the daemon has them.
pub fn properties(client: &mut Conversation, uri: &str) -> Vec<Value> {
    let tree = client.request("record/tree", json!({"document": {"uri": uri}}));
    tree["games"][0]["nodes"].as_array().unwrap().iter().map(|node| node["props"].clone()).collect()
}
