//! The status page: what is served without a token, and that a browser can do it.
#![cfg(target_os = "linux")]

#[path = "support/door.rs"]
mod door;
mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use door::Daemon;

fn get(daemon: &Daemon, path: &str) -> door::Response {
    daemon.http(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", daemon.address).as_bytes())
}

#[test]
fn the_page_is_three_files_that_need_no_token_and_load_nothing_else() {
    let mut daemon = Daemon::start(&[]);
    for (path, content_type) in
        [("/", "text/html"), ("/status.js", "text/javascript"), ("/status.css", "text/css")]
    {
        let response = get(&daemon, path);
        assert_eq!(response.status, 200, "{path}");
        for header in [
            &format!("content-type: {content_type}; charset=utf-8"),
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(response.head.contains(header), "{path} has no {header}: {}", response.head);
        }
        assert!(!response.body.contains("https://") && !response.body.contains("innerHTML"), "{path}");
        assert!(!response.body.contains(&daemon.token));
    }
    assert_eq!(get(&daemon, "/favicon.ico").status, 404);
    daemon.nothing_came_of_it();
}

#[test]
fn a_browser_brings_the_token_as_a_subprotocol_and_does_not_get_it_back() {
    let daemon = Daemon::start(&[]);
    let mut stream = TcpStream::connect(&daemon.address).unwrap();
    let handshake = format!(
        "GET / HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: kifud, token.{1}\r\n\r\n",
        daemon.address, daemon.token
    );
    stream.write_all(handshake.as_bytes()).unwrap();
    let head: Vec<String> =
        BufReader::new(stream).lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
    assert!(head[0].contains(" 101 "), "{head:?}");
    // RFC 6455, section 1.3, gives this answer to this key.
    assert!(head.iter().any(|line| line.ends_with("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")), "{head:?}");
    let chosen: Vec<&String> =
        head.iter().filter(|line| line.to_ascii_lowercase().starts_with("sec-websocket-protocol:")).collect();
    assert_eq!(chosen.len(), 1);
    assert!(chosen[0].ends_with(": kifud"), "{chosen:?}");
}

#[test]
fn a_real_browser_can_do_it() {
    let Some(editors) = std::env::var_os("KIFUD_EDITORS") else {
        eprintln!("SKIPPED: no browser (KIFUD_EDITORS names the folder of tests/editors/setup.sh)");
        return;
    };
    let daemon = Daemon::start(&[]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/browser.mjs");
    let output = Command::new("node")
        .arg(script)
        .args([&daemon.address, &daemon.token])
        .env("TOOLS", Path::new(&editors).join("tools"))
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the page works"), "{said}\n{}", daemon.log());
}
