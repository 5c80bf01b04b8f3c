//! However the daemon ends, nothing of its engines is left after a second.

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Conversation, example};

/// Starts two engines: one as it is, one behind a shell that waits for it.
fn daemon_with_engines() -> (Conversation, String) {
    let mark = format!("kifud-mark-{}-{}", std::process::id(), line!() + rand());
    let mut client = Conversation::start(&[]);
    let fake = example("fake-engine");
    let fake = fake.to_str().unwrap();
    let script = format!("version {mark}");
    let plain = json!({"name": "plain", "path": fake, "args": ["commands +kata-analyze", script]});
    let line = format!("exec 3<&0; {fake} 'commands +kata-analyze' '{script}' deaf <&3 & wait");
    let shell = json!({"name": "shell", "path": "/bin/sh", "args": ["-c", line]});
    for engine in [plain, shell] {
        let id = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
        let subscription =
            client.request("engine/analyze", json!({"engineId": id, "position": {"boardSize": 9}}));
        client.event_in(&subscription, "running");
    }
    assert_eq!(processes(&mark).len(), 3, "two engines and a shell");
    (client, mark)
}

/// A number that differs between the tests of this file, which may run in one process.
fn rand() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(1000);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Processes whose command line holds the mark.
fn processes(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(mark) {
            found.push(pid);
        }
    }
    found
}

fn all_gone_within_a_second(mark: &str, since: Instant) {
    let limit = Duration::from_secs(1);
    while !processes(mark).is_empty() {
        // The scheduler of a busy machine gets as much again.
        assert!(since.elapsed() < 2 * limit, "still there: {:?}", processes(mark));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(client: &Conversation, name: &str) {
    Command::new("kill").args([name, &client.child.id().to_string()]).status().unwrap();
}

#[test]
fn after_sigkill() {
    let (client, mark) = daemon_with_engines();
    let start = Instant::now();
    signal(&client, "-KILL");
    all_gone_within_a_second(&mark, start);
}

#[test]
fn after_sigterm() {
    let (mut client, mark) = daemon_with_engines();
    let start = Instant::now();
    signal(&client, "-TERM");
    all_gone_within_a_second(&mark, start);
    client.exit();
}

#[test]
fn after_the_end_of_input() {
    let (mut client, mark) = daemon_with_engines();
    let start = Instant::now();
    client.close_stdin();
    all_gone_within_a_second(&mark, start);
    client.exit();
}

#[test]
fn after_shutdown_and_exit() {
    let (mut client, mark) = daemon_with_engines();
    client.initialize(json!({}));
    client.request("shutdown", Value::Null);
    let start = Instant::now();
    client.notify("exit", Value::Null);
    all_gone_within_a_second(&mark, start);
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn after_detach() {
    let (mut client, mark) = daemon_with_engines();
    client.request("engine/detach", json!({"engineId": "engine-1"}));
    client.request("engine/detach", json!({"engineId": "engine-2", "timeoutMs": 100}));
    all_gone_within_a_second(&mark, Instant::now());
    assert_eq!(client.request("kifud/status", json!({}))["engines"], 0);
}

#[test]
fn a_shell_that_reads_no_more_ends_the_calls() {
    use std::io::{BufRead, BufReader, Write};
    let fake = example("fake-engine");
    let attach = json!({"method": "engine/attach", "params":
        {"engine": {"name": "f", "path": fake.to_str().unwrap(), "args": ["commands +kata-analyze"]}}});
    let analyze = json!({"method": "engine/analyze", "params":
        {"engineId": "engine-1", "position": {"boardSize": 9}}});
    for lines in [vec![json!({"method": "kifud/status"})], vec![attach, analyze]] {
        let mut child = Command::new(support::kifud())
            .args(["rpc", "-"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        for line in &lines {
            writeln!(stdin, "{line}").unwrap();
            assert!(stdout.read_line(&mut String::new()).unwrap() > 0);
        }
        drop(stdout);
        if lines.len() == 1 {
            writeln!(stdin, "{}", lines[0]).unwrap();
        }
        // stdin stays open: it is the unread answer, or the unread event, that ends it.
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}
