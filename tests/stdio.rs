//! What only pipes have: frames, broken bytes, a reader who stops, the ways to leave. What is said at every door is
//! in `protocol.rs`.

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Conversation, codes, example};

/// kifud with the methods of the probe.
fn probe() -> Conversation {
    Conversation::spawn(Command::new(example("probe-daemon")))
}

fn frame(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Sends bytes, then an ordinary request; gives what came before the answer.
fn after(bytes: &[u8]) -> Vec<Value> {
    let mut client = probe();
    client.raw(bytes);
    client.before_an_echo()
}

#[test]
fn broken_frames_are_told_and_the_next_message_is_found() {
    for bytes in [
        &b"hello world\r\n\r\n"[..],
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 1000000000000000000000000000000\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 20\r\n\r\n",
    ] {
        assert_eq!(codes(&after(bytes)), [-32700], "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn headers_in_every_dress_are_understood() {
    let body = br#"{"jsonrpc":"2.0","id":"x","method":"probe/echo","params":{"a":1}}"#;
    let length = body.len();
    for head in [
        format!("content-length: {length}\r\n\r\n"),
        format!("X-A: 1\r\nX-B: 2\r\nContent-Length: {length}\r\n\r\n"),
        format!("Content-Type: application/vscode-jsonrpc\r\nContent-Length:{length}\n\n"),
        format!("garbage without newlineContent-Length: {length}\r\n\r\n"),
    ] {
        let bytes = [head.as_bytes(), body].concat();
        let messages = after(&bytes);
        assert_eq!(messages.len(), 1, "{head:?} {messages:?}");
        assert_eq!(messages[0]["result"], json!({"a": 1}), "{head:?}");
    }
}

#[test]
fn a_body_over_the_limit_is_skipped_without_being_stored() {
    let mut client = probe();
    client.request("probe/echo", json!({}));
    let before = client.rss_mib();
    let megabytes = 170;
    client.raw(format!("Content-Length: {}\r\n\r\n", megabytes << 20).as_bytes());
    // The announcement is enough for an answer.
    let error = client.wait("an error", |message| message.get("error").is_some());
    assert_eq!(error["error"]["data"]["kind"], "LimitExceeded");
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..megabytes {
        client.raw(&chunk);
    }
    assert_eq!(client.request("probe/echo", json!({"ok": 1})), json!({"ok": 1}));
    assert!(client.rss_mib() < before + 20, "{before} then {} MiB", client.rss_mib());
}

#[test]
fn a_client_that_does_not_read_bounds_the_daemon_s_memory() {
    // The program's stdout is a pipe that nobody empties until later.
    let mut child = Command::new(example("probe-daemon"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"probe/flood","params":{"n":400,"pad":1048576}}"#;
    std::io::Write::write_all(&mut stdin, &frame(body)).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let rss: u64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(rss < 64 * 1024, "{rss} KiB while nobody reads");
    drop(stdout);
    drop(stdin);
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn the_ways_to_leave() {
    let mut polite = probe();
    polite.initialize(json!({}));
    assert_eq!(polite.leave(), 0, "shutdown and exit, stdin left open");

    let mut hasty = probe();
    hasty.initialize(json!({}));
    hasty.notify("exit", Value::Null);
    assert_eq!(hasty.exit().code(), Some(1), "exit without shutdown");

    let mut gone = probe();
    gone.initialize(json!({}));
    gone.request("shutdown", Value::Null);
    gone.close_stdin();
    assert_eq!(gone.exit().code(), Some(0), "the end of input after shutdown");

    let mut crashed = probe();
    crashed.initialize(json!({}));
    crashed.ask("probe/sleep", json!({"ms": 60_000}));
    crashed.close_stdin();
    assert_eq!(crashed.exit().code(), Some(1), "the end of input while a request runs");

    let mut plain = probe();
    plain.request("kifud/status", json!({}));
    plain.close_stdin();
    assert_eq!(plain.exit().code(), Some(0), "a plain client just leaves");
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let mut client = probe();
    let id = client.ask("probe/block", json!({"ms": 50}));
    client.close_stdin();
    assert_eq!(client.answer(id)["result"], "blocked");
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn the_daemon_ends_with_a_client_that_closes_its_ear() {
    let mut child = Command::new(example("probe-daemon"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"probe/echo","params":{}}"#;
    let end = Instant::now() + support::PATIENCE;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "still running");
        let _ = std::io::Write::write_all(&mut stdin, &frame(body));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_daemon_ends_with_its_editor_s_process() {
    let mut editor = Command::new("sleep").arg("600").spawn().unwrap();
    let mut client = probe();
    client.initialize(json!({"processId": editor.id()}));
    client.request("probe/echo", json!({}));
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert_eq!(client.exit().code(), Some(1));

    // A process that cannot be seen from here is not watched.
    let mut contained = probe();
    contained.initialize(json!({"processId": 2_000_000_000}));
    std::thread::sleep(Duration::from_millis(700));
    contained.request("probe/echo", json!({}));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_daemon_that_is_busy() {
    let mut client = probe();
    client.request("probe/echo", json!({}));
    client.ask("probe/busy", json!({"ms": 3_600_000}));
    std::thread::sleep(Duration::from_millis(200));
    Command::new("kill").args(["-TERM", &client.child.id().to_string()]).status().unwrap();
    assert_eq!(client.exit().code(), Some(0));
}
