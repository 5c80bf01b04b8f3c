//! The clients of `protocol/examples` against a real daemon, each with nothing but a WebSocket library.
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use support::{fixture, kifud};

/// Where `tests/editors/setup.sh` has put the libraries.
fn libraries() -> Option<PathBuf> {
    let folder = std::env::var_os("KIFUD_EDITORS").map(|folder| Path::new(&folder).join("clients"));
    let there = folder.filter(|folder| folder.join("node_modules/ws").exists());
    if there.is_none() {
        eprintln!(
            "SKIPPED: no WebSocket libraries; run tests/editors/setup.sh DEST and set KIFUD_EDITORS=DEST"
        );
    }
    there
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/examples").join(name)
}

/// A daemon that listens on a free port, with a token that it has made.
struct Daemon {
    child: Child,
    address: String,
    home: tempfile::TempDir,
}

impl Daemon {
    fn start() -> Daemon {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(kifud());
        command
            .env("XDG_CONFIG_HOME", home.path())
            .env("XDG_STATE_HOME", home.path())
            .env_remove("KIFUD_CONFIG");
        command.args(["serve", "--listen", "127.0.0.1:0", "--token-file"]).arg(home.path().join("token"));
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Daemon { child, address, home }
    }

    fn run(&self, mut client: Command) -> Output {
        client.arg(&self.address).arg(self.home.path().join("token")).arg(fixture("games/short-9x9.sgf"));
        client.output().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Three reports of the analysis, then the move of xiangqi.
fn assert_told(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    for line in &lines[..3] {
        let (visits, best) = line.split_once(" visits: ").unwrap_or_else(|| panic!("{line}"));
        assert!(visits.parse::<u64>().is_ok() && best.contains('%'), "{line}");
    }
    let after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1";
    assert_eq!(lines[3], format!("炮二平五 h2e2 {after}"));
}

#[test]
fn the_python_client() {
    let Some(libraries) = libraries() else { return };
    let mut client = Command::new(libraries.join("venv/bin/python"));
    client.env("PYTHONIOENCODING", "utf-8").arg(example("client.py"));
    assert_told(&Daemon::start().run(client));
}

#[test]
fn the_node_client() {
    let Some(libraries) = libraries() else { return };
    // A module finds its libraries beside itself.
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(example("client.mjs"), folder.path().join("client.mjs")).unwrap();
    std::os::unix::fs::symlink(libraries.join("node_modules"), folder.path().join("node_modules")).unwrap();
    let mut client = Command::new("node");
    client.arg(folder.path().join("client.mjs"));
    assert_told(&Daemon::start().run(client));
}

#[test]
fn a_client_is_a_page() {
    for name in ["client.py", "client.mjs"] {
        let lines = std::fs::read_to_string(example(name)).unwrap().lines().count();
        assert!(lines <= 60, "{name} has {lines} lines");
    }
}
