//! What others may try at the doors: each attempt is refused with its status, and nothing comes of it.
//! `SECURITY.md` names these tests.
#![cfg(target_os = "linux")]

#[path = "support/door.rs"]
mod door;
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use door::{Daemon, Response, kind, until};
use serde_json::{Value, json};
use support::{Conversation, PATIENCE, kifud};

const ATTACH: &str = r#"{"jsonrpc":"2.0","id":1,"method":"engine/attach","params":{"name":"fake"}}"#;
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
/// Some other user.
const NOBODY: u32 = 65_534;

/// A WebSocket handshake and a POST that would start an engine, with these headers.
fn both(daemon: &Daemon, headers: &str) -> [Response; 2] {
    let post = format!(
        "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{ATTACH}",
        ATTACH.len()
    );
    [format!("GET / HTTP/1.1\r\n{UPGRADE}{headers}\r\n"), post].map(|request| daemon.http(request.as_bytes()))
}

fn refused_at_the_door(daemon: &Daemon, headers: &str, status: u16) {
    for response in both(daemon, headers) {
        assert_eq!(response.status, status, "{headers} {response:?}");
        assert!(!response.head.contains("access-control-"), "{response:?}");
        assert!(!response.body.contains(&daemon.token), "{response:?}");
        assert_eq!(response.head.contains("www-authenticate: bearer"), status == 401, "{response:?}");
    }
}

#[test]
fn no_token_or_a_wrong_one_is_401() {
    let mut daemon = Daemon::start(&[]);
    let token = daemon.token.clone();
    let wrong = token.replace(|_: char| true, "0");
    refused_at_the_door(&daemon, "Host: localhost\r\n", 401);
    for value in
        ["", "Bearer", "Bearer ", &format!("Bearer {wrong}"), &format!("Bearer {}", &token[1..]), &token]
    {
        refused_at_the_door(&daemon, &format!("Host: localhost\r\nAuthorization: {value}\r\n"), 401);
    }
    for value in ["kifud", "kifud, token.", &format!("kifud, token.{wrong}"), &format!("kifud, {token}")] {
        refused_at_the_door(&daemon, &format!("Host: localhost\r\nSec-WebSocket-Protocol: {value}\r\n"), 401);
    }
    refused_at_the_door(
        &daemon,
        &format!("Host: localhost\r\nAuthorization: Bearer {token}\r\nAuthorization: x\r\n"),
        401,
    );
    let in_the_address =
        format!("POST /?token={token} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(daemon.http(in_the_address.as_bytes()).status, 401);
    assert!(!daemon.log().contains(&token));
    daemon.nothing_came_of_it();
}

#[test]
fn a_page_of_another_origin_is_403() {
    let mut daemon = Daemon::start(&[]);
    let good = format!("Host: {}\r\nAuthorization: Bearer {}\r\n", daemon.address, daemon.token);
    let over_tls = format!("https://{}", daemon.address);
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://127.0.0.1@evil.example",
        // Other servers of this machine.
        "http://127.0.0.1:1",
        &over_tls,
    ] {
        refused_at_the_door(&daemon, &format!("{good}Origin: {origin}\r\n"), 403);
        for request in ["GET / HTTP/1.1", "OPTIONS / HTTP/1.1\r\nAccess-Control-Request-Method: POST"] {
            let response =
                daemon.http(format!("{request}\r\nHost: localhost\r\nOrigin: {origin}\r\n\r\n").as_bytes());
            assert_eq!(response.status, 403, "{origin} {response:?}");
            assert!(!response.head.contains("access-control-"), "{response:?}");
        }
    }
    refused_at_the_door(
        &daemon,
        &format!("{good}Origin: http://localhost\r\nOrigin: https://evil.example\r\n"),
        403,
    );
    daemon.nothing_came_of_it();
}

#[test]
fn a_rebound_host_is_403() {
    let mut daemon = Daemon::start(&[]);
    let (_, port) = daemon.address.rsplit_once(':').unwrap();
    let token = format!("Authorization: Bearer {}\r\n", daemon.token);
    for host in
        ["evil.example", &format!("evil.example:{port}"), "127.0.0.1.evil.example", "0.0.0.0", "localhost."]
    {
        refused_at_the_door(&daemon, &format!("Host: {host}\r\n{token}"), 403);
        let page = daemon.http(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(page.status, 403, "{page:?}");
    }
    refused_at_the_door(&daemon, &format!("Host: localhost\r\nHost: evil.example\r\n{token}"), 403);
    refused_at_the_door(&daemon, &token, 403);
    // Said in the first line, which counts more than the header.
    let post = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", ATTACH.len());
    for (method, headers, body) in [("POST", post.as_str(), ATTACH), ("GET", UPGRADE, ""), ("GET", "", "")] {
        let request = format!(
            "{method} http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n{token}{headers}\r\n{body}"
        );
        let response = daemon.http(request.as_bytes());
        assert_eq!(response.status, 403, "{request} {response:?}");
    }
    daemon.nothing_came_of_it();
}

#[test]
fn paths_lead_to_no_file() {
    let mut daemon = Daemon::start(&[]);
    for path in [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/status.js/../../token",
        "/status.js%00",
        "/..%5c..%5ctoken",
        "/token",
        "*",
    ] {
        let response = daemon.http(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes());
        assert!([400, 404].contains(&response.status), "{path} {response:?}");
        assert!(!response.body.contains("root:") && !response.body.contains(&daemon.token), "{response:?}");
    }
    daemon.nothing_came_of_it();
}

#[test]
fn an_untrusted_client_reads_what_was_shared_and_nothing_else() {
    let mut daemon = Daemon::start(&[]);
    let records = daemon.path("records");
    std::fs::create_dir(&records).unwrap();
    for name in ["shared.sgf", "secret.sgf"] {
        std::fs::write(records.join(name), format!("(;SZ[9]C[{name}])")).unwrap();
    }
    let uri = |name: &str| format!("file://{}/{name}", records.display());
    let mut client = daemon.client();
    let text = |client: &mut door::Client, uri: &str| {
        client.call("document/text", json!({"document": {"uri": uri}}))
    };
    let shared = uri("shared.sgf");
    assert_eq!(kind(&text(&mut client, &shared)), "NotTrusted");
    assert_eq!(client.refused("document/share", json!({"uri": shared})), "NotTrusted");
    daemon.trusted.request("document/share", json!({"uri": shared}));
    assert_eq!(text(&mut client, &shared)["result"]["text"], "(;SZ[9]C[shared.sgf])");
    let board = client.request("record/board", json!({"document": {"uri": shared}}));
    assert_eq!(board["size"], 9);
    let elsewhere = [
        uri("secret.sgf"),
        uri("shared.sgf/../secret.sgf"),
        uri("../records/secret.sgf"),
        uri("%2e%2e/records/secret.sgf"),
        uri("none.sgf"),
        // Ways to the shared file that are there or not.
        uri("../records/shared.sgf"),
        format!("/proc/self/root{}/shared.sgf", records.display()),
        format!("/proc/{}/..{}/shared.sgf", std::process::id(), "/..".to_owned() + records.to_str().unwrap()),
        daemon.path("token").display().to_string(),
        "file:///etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
    ];
    for uri in &elsewhere {
        assert_eq!(kind(&text(&mut client, uri)), "NotTrusted", "{uri}");
        for method in ["record/tree", "record/board", "record/nodeAt", "record/edit", "analysis/report"] {
            let params = json!({"document": {"uri": uri}, "node": {"path": []}, "ops": [],
                                "position": {"line": 0, "character": 0}});
            let answer = client.call(method, params);
            assert!(answer.get("result").is_none(), "{method} {uri}: {answer}");
            assert!(!answer.to_string().contains("secret.sgf]"), "{answer}");
        }
        let review = json!({"document": {"uri": uri}, "limit": {"visits": 1}});
        assert_eq!(client.refused("analysis/game", review), "NotTrusted", "{uri}");
    }
    let review = json!({"document": {"uri": shared}, "limit": {"visits": 1}, "write": true});
    assert_eq!(client.refused("analysis/game", review), "NotTrusted", "shared for reading");
    daemon.trusted.request("document/share", json!({"uri": shared, "shared": false}));
    assert_eq!(kind(&text(&mut client, &shared)), "NotTrusted");
    drop(client);
    daemon.nothing_came_of_it();
}

#[test]
fn games_of_untrusted_clients_leave_no_files() {
    let mut daemon = Daemon::start(&[]);
    let folder = daemon.path("kifud/games");
    let files = || std::fs::read_dir(&folder).map_or(0, |files| files.count());
    let players = json!({"black": {"human": true}, "white": {"human": true}});
    let first = json!({"gameId": "game-1", "move": {"color": "B", "vertex": "A1"}});
    let mut client = daemon.client();
    client.request("game/start", players.clone());
    client.request("game/play", first);
    assert_eq!(files(), 0);
    drop(client);
    // Those of others are journalled, and gone when nobody has moved.
    daemon.trusted.request("game/start", players);
    assert_eq!(files(), 2);
    daemon.trusted.request("game/stop", json!({"gameId": "game-1"}));
    until("nothing is left", || files() == 0);
    daemon.nothing_came_of_it();
}

/// More than any limit.
const GIGABYTE: u64 = 1 << 30;

/// Memory that a daemon has, with much to spare, as long as it keeps nothing of a gigabyte.
fn is_small(daemon: &Daemon) {
    assert!(daemon.trusted.rss_mib() < 150, "{} MiB", daemon.trusted.rss_mib());
}

#[test]
fn a_message_of_a_gigabyte_is_refused_when_it_is_announced_and_while_it_comes() {
    let mut daemon = Daemon::start(&[]);
    let announced = daemon.http(daemon.post_head(&format!("Content-Length: {GIGABYTE}")).as_bytes());
    assert_eq!((announced.status, announced.kind().as_str()), (413, "LimitExceeded"));

    let mut stream = TcpStream::connect(&daemon.address).unwrap();
    let head = daemon.post_head("Transfer-Encoding: chunked");
    stream.write_all(format!("{head}6\r\n{{\"a\":\"\r\n").as_bytes()).unwrap();
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    let sent = (0..GIGABYTE >> 20).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!(sent < 100, "{sent} MiB were taken");
    let streamed = Response::read(stream);
    assert_eq!((streamed.status, streamed.kind().as_str()), (413, "LimitExceeded"));

    // A WebSocket is told at the header of the frame, and may go on when the frame is over.
    let mut client = daemon.client();
    client.socket.frame(0x81, GIGABYTE, b"");
    assert_eq!(kind(&client.next()), "LimitExceeded");
    drop(client);
    let mut client = daemon.client();
    let piece = vec![b'x'; 1 << 20];
    client.socket.frame(0x01, piece.len() as u64, &piece);
    for _ in 1..(GIGABYTE >> 20) - 1 {
        client.socket.frame(0x00, piece.len() as u64, &piece);
    }
    client.socket.frame(0x80, piece.len() as u64, &piece);
    assert_eq!(kind(&client.next()), "LimitExceeded");
    is_small(&daemon);
    client.request("kifud/status", json!({}));
    drop(client);
    daemon.nothing_came_of_it();
}

#[test]
fn a_hundred_thousand_levels_of_json_are_refused() {
    let mut daemon = Daemon::start(&[]);
    let (lists, objects) = ("[".repeat(100_000), r#"{"a":"#.repeat(100_000));
    let closed = format!("{lists}{}", "]".repeat(100_000));
    let mut client = daemon.client();
    for message in [
        lists.clone(),
        objects,
        closed.clone(),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"engine/attach","params":{{"name":{closed}}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{closed}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{closed},"method":"kifud/status"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{closed}}}"#),
    ] {
        client.socket.send(&message);
        assert_eq!(kind(&client.next()), "LimitExceeded", "{}", &message[..60]);
        let response = daemon.post(&message);
        assert_eq!((response.status, response.kind().as_str()), (200, "LimitExceeded"));
    }
    daemon.trusted.send(&serde_json::from_str("[]").unwrap());
    daemon.trusted.raw(format!("Content-Length: {}\r\n\r\n{closed}", closed.len()).as_bytes());
    let told = daemon.trusted.wait("an error", |message| message["error"]["data"]["kind"] == "LimitExceeded");
    assert_eq!(told["id"], Value::Null);
    drop(client);
    daemon.nothing_came_of_it();
}

#[test]
fn a_batch_of_ten_thousand_is_one_refusal() {
    let mut daemon = Daemon::start(&[]);
    let batch = format!("[{}]", vec![ATTACH; 10_000].join(","));
    let mut client = daemon.client();
    client.socket.send(&batch);
    assert_eq!(kind(&client.next()), "InvalidRequest");
    let id = client.ask("kifud/status", json!({}));
    assert_eq!(client.next()["id"], id, "nothing else was answered");
    let response = daemon.post(&batch);
    assert_eq!((response.status, response.kind().as_str()), (200, "InvalidRequest"));
    daemon.trusted.say(batch.as_bytes());
    let told = daemon.trusted.wait("an error", |message| message.get("error").is_some());
    assert_eq!(kind(&told), "InvalidRequest");
    drop(client);
    daemon.nothing_came_of_it();
}

#[test]
fn headers_that_come_slowly_are_408_and_endless_ones_431() {
    let mut daemon = Daemon::start(&["limits.headerSeconds=1"]);
    assert_eq!(daemon.http(b"").status, 408, "nothing at all");
    assert_eq!(daemon.http(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").status, 408);
    // A byte now and then gains no time.
    let mut stream = TcpStream::connect(&daemon.address).unwrap();
    let mut dripping = stream.try_clone().unwrap();
    let dripper = std::thread::spawn(move || {
        let end = Instant::now() + PATIENCE;
        while dripping.write_all(b"x").is_ok() {
            assert!(Instant::now() < end, "it may still send");
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 408");
    drop(stream);
    dripper.join().unwrap();
    assert_eq!(daemon.http(&[b'x'; 20_000]).status, 431);
    // Many requests on one connection: its preface is refused.
    assert_eq!(daemon.http(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").status, 505);
    daemon.client().request("kifud/status", json!({}));
    daemon.nothing_came_of_it();
}

#[test]
fn an_untrusted_client_starts_no_program_of_its_choice() {
    let daemon = Daemon::start(&[]);
    let (trap, caught) = (daemon.path("trap"), daemon.path("caught"));
    std::fs::write(&trap, format!("#!/bin/sh\ntouch {}\n", caught.display())).unwrap();
    std::fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
    let settings = std::fs::read(daemon.path("kifud.toml")).unwrap();
    let engine = json!({"name": "x", "path": trap});
    let instead = json!({"name": "fake", "path": trap});
    let attempts = [
        ("engine/attach", json!({"engine": engine}), "NotTrusted"),
        ("engine/attach", json!({"engine": instead}), "NotTrusted"),
        ("engine/attach", json!({"name": trap}), "EngineNotFound"),
        ("engine/attach", json!({"name": "fake", "engine": engine}), "InvalidParams"),
        ("kifud/configure", json!({"set": {"engines": [engine, instead]}}), "NotTrusted"),
        ("kifud/configure", json!({"addEngine": engine}), "NotTrusted"),
        ("kifud/configure", json!({"editEngine": {"name": "fake", "engine": instead}}), "NotTrusted"),
        ("kifud/configure", json!({"removeEngine": {"name": "fake"}}), "NotTrusted"),
        ("kifud/configure", json!({"set": {"log": {"enabled": true, "folder": "/tmp"}}}), "InvalidParams"),
        ("game/start", json!({"black": {"engine": engine}}), "InvalidParams"),
        ("game/start", json!({"black": {"engine": "x"}, "white": {"engine": "x"}}), "EngineNotFound"),
        ("engine/send", json!({"engineId": "engine-1", "command": "quit"}), "NotTrusted"),
    ];
    let mut client = daemon.client();
    let all = |client: &mut door::Client| {
        for (method, params, expected) in &attempts {
            assert_eq!(client.refused(method, params.clone()), *expected, "{method} {params}");
        }
        assert_eq!(client.refused("engine/attach", json!({"name": "x"})), "EngineNotFound");
    };
    all(&mut client);
    // An editor that vouches for its workspace is as little trusted here.
    let options = json!({"trusted": true, "engines": [engine, instead]});
    client.request("initialize", json!({"capabilities": {}, "initializationOptions": options}));
    for settings in [json!({"engines": [engine, instead]}), json!({"kifud": {"engines": [engine, instead]}})]
    {
        let change = json!({"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration",
                            "params": {"settings": settings}});
        client.socket.send(&change.to_string());
    }
    all(&mut client);
    assert!(!caught.exists());
    assert_eq!(std::fs::read(daemon.path("kifud.toml")).unwrap(), settings);
    assert!(daemon.children().is_empty());
    assert!(!daemon.log().contains("a process was started"));
    // It knows engines by name alone, and what is started in the end is the one of the settings.
    let listed = client.request("engine/list", json!({}))["configured"].clone();
    assert!(listed.as_array().unwrap().iter().all(|engine| engine["path"] == ""), "{listed}");
    client.request("engine/attach", json!({"name": "fake"}));
    assert!(!caught.exists());
}

#[test]
fn an_untrusted_client_sees_no_paths_and_nothing_that_engines_print() {
    let fake = support::example("fake-engine");
    let engine = |name: &str, path: &Path, script: &str| {
        format!("{{name = '{name}', path = {path:?}, args = ['{script}'], commands = 'secret-command'}}")
    };
    let engines = [
        engine("missing", Path::new("/secret/place/engine"), "--model /secret/net"),
        engine("broken", &fake, "on start: stderr cannot open /secret/net; exit 3"),
        engine("good", &fake, "on genmove: stderr /secret/found; exit 3"),
    ];
    let engines = format!("engines=[{}]", engines.join(", "));
    let daemon = Daemon::start(&[&engines, "log.folder='/secret/log'"]);
    let mut client = daemon.client();
    let mut said = String::new();
    let mut call = |method: &str, params: Value| {
        let id = client.ask(method, params);
        loop {
            let message = client.next();
            said += &message.to_string();
            if message["id"] == id {
                return message;
            }
        }
    };
    call("events/subscribe", json!({"topics": ["engine", "output", "game", "progress"]}));
    for name in ["missing", "broken"] {
        assert_eq!(kind(&call("engine/attach", json!({"name": name}))), "EngineStartFailed");
    }
    let attached = call("engine/attach", json!({"name": "good"}));
    let engine = &attached["result"]["engine"]["id"];
    let genmove = json!({"engineId": engine, "position": {"boardSize": 9}});
    assert_eq!(kind(&call("engine/genmove", genmove)), "EngineExited");
    let settings = call("kifud/configure", json!({"get": ["tokenFile", "log", "engines", "listen"]}));
    assert_eq!(settings["result"]["settings"]["log"]["enabled"], false);
    call("engine/list", json!({}));
    // What it has made the engine do it hears.
    assert!(said.contains("genmove"), "{said}");
    let folder = daemon.folder.path().to_str().unwrap();
    assert!(!said.contains("secret") && !said.contains(folder), "{said}");
    for told in ["/secret/place/engine", "/secret/net", "/secret/found"] {
        daemon.logged(told);
    }
}

#[test]
fn each_process_that_is_started_is_in_the_log() {
    let mut daemon = Daemon::start(&[]);
    let mut client = daemon.client();
    client.request("engine/attach", json!({"name": "fake"}));
    let line = daemon.logged("a process was started");
    assert!(line.contains("trusted=false") && line.contains("fake-engine"), "{line}");
    assert!(line.contains("session="), "{line}");
    let engine =
        json!({"name": "mine", "path": support::example("fake-engine"), "args": ["--password", "hunter2"]});
    // It ends at once: the arguments are no script of it.
    daemon.trusted.call("engine/attach", json!({"engine": engine}));
    let line = daemon.logged("trusted=true");
    assert!(line.contains("name=\"mine\"") && line.contains("***"), "{line}");
    assert!(!daemon.log().contains("hunter2"));
    let processes = daemon
        .log()
        .lines()
        .filter_map(|line| line.split("process=").nth(1)?.split(' ').next()?.parse().ok())
        .collect::<Vec<u32>>();
    assert!(processes.len() >= 2 && processes.iter().all(|process| *process > 1), "{processes:?}");
}

#[test]
fn another_session_s_subscription_is_not_there() {
    let daemon = Daemon::start(&[]);
    let (mut one, mut two) = (daemon.client(), daemon.client());
    let engine = one.request("engine/attach", json!({"name": "fake"}))["engine"]["id"].clone();
    let subscription = one
        .request("engine/analyze", json!({"engineId": engine, "position": {"boardSize": 9}, "interval": 1}));
    let topics = json!({"topics": ["engine", "output", "analysis", "game", "documents", "progress"]});
    let heard = two.request("events/subscribe", topics);
    let mut guesses: Vec<Value> =
        (1..4).flat_map(|s| (1..4).map(move |n| json!(format!("{s}-{n}")))).collect();
    guesses.retain(|guess| *guess != heard);
    assert!(guesses.contains(&subscription));
    let mut seen = Vec::new();
    let mut call = |method: &str, params: Value| {
        let id = two.ask(method, params);
        loop {
            let message = two.next();
            if message["id"] == id {
                return message;
            }
            seen.push(message);
        }
    };
    for guess in guesses {
        assert_eq!(call("kifud/unsubscribe", json!({"subscription": guess}))["result"]["ended"], false);
        assert_eq!(kind(&call("engine/stop", json!({"subscription": guess}))), "NotFound");
        let retarget = json!({"subscription": guess, "position": {"boardSize": 9}});
        assert_eq!(kind(&call("analysis/retarget", retarget)), "NotFound");
    }
    for method in ["engine/stop", "engine/detach", "engine/genmove"] {
        assert_eq!(kind(&call(method, json!({"engineId": engine}))), "EngineNotFound", "{method}");
    }
    for id in 0..10 {
        assert_eq!(call("kifud/cancel", json!({"id": id}))["result"]["cancelled"], false);
    }
    // Others are numbers and names of engines.
    let sessions = call("kifud/sessions", json!({}))["result"]["sessions"].clone();
    let other = sessions.as_array().unwrap().iter().find(|s| s["engines"] != json!([])).unwrap().clone();
    assert_eq!((&other["own"], &other["analyses"][0]["engine"]), (&json!(false), &json!("fake")));
    assert_eq!(other["analyses"][0].get("winrate"), None);
    // It goes on, undisturbed and unheard.
    for _ in 0..20 {
        assert_eq!(one.next()["params"]["subscription"], subscription);
    }
    one.request("kifud/status", json!({}));
    call("kifud/status", json!({}));
    seen.retain(|message| message["params"]["result"]["state"] != "started");
    assert_eq!(seen, Vec::<Value>::new());
}

#[test]
fn a_client_that_does_not_read_is_dropped_and_the_log_says_so() {
    let mut daemon = Daemon::start(&["limits.stallSeconds=1"]);
    let mut silent = daemon.client();
    let mut other = daemon.client();
    for _ in 0..200 {
        silent.ask("rpc.discover", json!({}));
    }
    let line = daemon.logged("has not read for 1 s and is dropped");
    assert!(line.contains("WARN") && line.contains("127.0.0.1:"), "{line}");
    until("its session has ended", || daemon.status()["sessions"] == 2);
    other.request("kifud/status", json!({}));
    is_small(&daemon);
    drop((silent, other));
    daemon.nothing_came_of_it();
}

#[test]
fn what_one_client_may_have_at_once_is_limited() {
    let mut daemon = Daemon::start(&["limits.connections=2", "limits.requests=1", "limits.streams=1"]);
    let (mut one, two) = (daemon.client(), daemon.client());
    let authorization = format!("Bearer {}", daemon.token);
    let third = daemon.connect(&[("Authorization", &authorization)]).err().unwrap();
    assert!(third.contains(" 503 "), "{third}");
    let response = daemon.post(ATTACH);
    assert_eq!((response.status, response.kind().as_str()), (503, "LimitExceeded"));
    drop(two);
    until("there is room again", || daemon.connect(&[("Authorization", &authorization)]).is_ok());

    one.request("events/subscribe", json!({"topics": ["game"]}));
    assert_eq!(one.refused("events/subscribe", json!({"topics": ["game"]})), "LimitExceeded");
    let engine = one.request("engine/attach", json!({"name": "fake"}))["engine"]["id"].clone();
    let thinking = one.ask("engine/genmove", json!({"engineId": engine, "position": {"boardSize": 9}}));
    assert_eq!(one.refused("kifud/sessions", json!({})), "LimitExceeded");
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": thinking}});
    one.socket.send(&cancel.to_string());
    assert_eq!(kind(&one.next()), "Cancelled");
    one.request("kifud/sessions", json!({}));
    assert_eq!(daemon.status()["engines"], 1);
}

fn serve(folder: &Path, args: &[&str]) -> Output {
    Command::new(kifud()).args(["serve", "--stdio"]).args(args).current_dir(folder).output().unwrap()
}

#[test]
fn a_token_file_that_others_can_choose_or_read_opens_no_door() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let good = "0123456789abcdef".repeat(4);
    let write = |name: &str, text: &str, mode: u32| {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    write("good", &good, 0o600);
    write("open", &good, 0o644);
    write("short", "password", 0o600);
    symlink(path("good"), path("link")).unwrap();
    symlink(path("nowhere"), path("dangling")).unwrap();
    let mut cases = vec![
        ("link", "is a symbolic link"),
        ("dangling", "is a symbolic link"),
        ("open", "is open to other users"),
        ("short", "holds no token"),
        (".", "is not a file"),
    ];
    write("theirs", &good, 0o600);
    match std::os::unix::fs::chown(path("theirs"), Some(NOBODY), None) {
        Ok(()) => cases.push(("theirs", "belongs to another user")),
        Err(error) => eprintln!("SKIPPED: a token file of another user: {error}"),
    }
    for (name, why) in cases {
        let output = serve(folder.path(), &["--listen", "127.0.0.1:0", "--token-file", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(why) && !said.contains("listening"), "{name}: {said}");
    }
    assert!(!path("nowhere").exists());
    assert_eq!(std::fs::read_to_string(path("good")).unwrap(), good);
}

#[test]
fn addresses_of_other_machines_need_two_words() {
    let folder = tempfile::tempdir().unwrap();
    // 192.0.2.1 is for documentation (RFC 5737): no machine has it, so that nothing is ever opened.
    let remote = ["--listen", "192.0.2.1:0"];
    let said = |args: &[&str]| {
        let output = serve(folder.path(), &[&remote[..], args].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for args in [&[][..], &["--token-file", "token"]] {
        let (code, said) = said(args);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("--allow-remote"), "{said}");
    }
    let (code, without) = said(&["--allow-remote"]);
    assert_eq!(code, Some(2), "{without}");
    assert!(without.contains("--token-file"), "{without}");
    let (code, allowed) = said(&["--allow-remote", "--token-file", "token"]);
    assert_eq!(code, Some(1), "{allowed}");
    assert!(allowed.contains("cannot listen on 192.0.2.1:0"), "{allowed}");
    let mut set = Command::new(kifud());
    set.args(["--set", "listen=['0.0.0.0:0']", "serve", "--token-file", "token"]).current_dir(folder.path());
    assert_eq!(set.output().unwrap().status.code(), Some(2), "the settings alone open no door to others");
}

/// A runtime folder with a socket in it at which somebody listens.
fn planted(home: &Path) -> std::os::unix::net::UnixListener {
    let folder = home.join("kifud");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    let listener = std::os::unix::net::UnixListener::bind(folder.join("shared-1.0.sock")).unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

/// kifud for a user with this home.
fn at_home(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(kifud());
    for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"] {
        command.env(name, home);
    }
    command.env_remove("KIFUD_CONFIG").args(args);
    command
}

/// These commands say why they do not use what they find in this home; an editor is served by a daemon of its
/// own, and hears why.
fn keep_away(home: &Path, commands: [&[&str]; 3], why: &str) {
    for args in commands {
        let output = at_home(home, args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(why), "{said}");
    }
    let mut client = Conversation::spawn(at_home(home, &["connect"]));
    client.initialize(json!({}));
    let shown = client.wait("a warning", |message| message["method"] == "window/showMessage");
    assert!(shown["params"]["message"].as_str().unwrap().contains(why), "{shown}");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_socket_that_another_user_has_planted_is_not_used() {
    let give_away = |path: &Path| std::os::unix::fs::chown(path, Some(NOBODY), None);
    for place in ["kifud/shared-1.0.sock", "kifud"] {
        let home = tempfile::tempdir().unwrap();
        let listener = planted(home.path());
        if let Err(error) = give_away(&home.path().join(place)) {
            eprintln!("SKIPPED: only root can give files away: {error}");
            return;
        }
        keep_away(home.path(), [&["status"], &["stop"], &["serve", "--shared"]], "belongs to another user");
        let came = listener.accept().map(|_| ());
        assert_eq!(
            came.map_err(|error| error.kind()),
            Err(std::io::ErrorKind::WouldBlock),
            "nobody came to it"
        );
    }
}

#[test]
fn who_speaks_another_protocol_is_refused_in_words() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Conversation::spawn(at_home(home.path(), &["connect"]));
    client.initialize(json!({}));
    let first = |message: Value| {
        let mut stream = UnixStream::connect(home.path().join("kifud/shared-1.0.sock")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = message.to_string();
        stream.write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str::<Value>(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    for (method, params, words) in [
        ("bridge/hello", json!({"protocol": "0.9"}), "speaks protocol 1.0 and not 0.9"),
        ("bridge/hello", json!({}), "missing field `protocol`"),
        ("kifud/status", json!({}), "bridge/hello comes first"),
    ] {
        let answer = first(json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}));
        assert_eq!(answer["id"], 7, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    }
    assert_eq!(client.request("kifud/status", json!({}))["sessions"], 1);
    assert_eq!(client.leave(), 0);
    assert!(at_home(home.path(), &["stop"]).status().unwrap().success());
}

/// The socket is our own, but who answers at it is not.
#[test]
fn a_daemon_of_another_user_is_told_nothing() {
    let home = tempfile::tempdir().unwrap();
    drop(planted(home.path()));
    let socket = home.path().join("kifud/shared-1.0.sock");
    std::fs::remove_file(&socket).unwrap();
    let script = "import os, socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n\
                  os.chmod(sys.argv[1], 0o600)\nos.setuid(int(sys.argv[2]))\ns.listen()\n\
                  print('listens', flush=True)\nwhile True: print(s.accept()[0].recv(99), flush=True)\n";
    let heard = home.path().join("heard");
    let mut impostor = Command::new("python3");
    impostor.args(["-c", script]).arg(&socket).arg(NOBODY.to_string());
    impostor.stdout(std::fs::File::create(&heard).unwrap()).stderr(std::process::Stdio::null());
    let mut impostor = impostor.spawn().unwrap();
    let heard = || std::fs::read_to_string(&heard).unwrap();
    until("it listens", || heard().contains("listens") || impostor.try_wait().unwrap().is_some());
    if impostor.try_wait().unwrap().is_some() {
        eprintln!("SKIPPED: only root can become another user");
        return;
    }
    keep_away(home.path(), [&["status"], &["stop"], &["rpc", "--connect", "kifud/status"]], "another user");
    let said = heard();
    assert!(said.lines().skip(1).all(|line| line == "b''"), "{said}");
    impostor.kill().unwrap();
    impostor.wait().unwrap();
}

#[test]
fn another_user_is_turned_away_from_a_unix_socket_whatever_its_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let log = folder.path().join("log");
    let mut command = Command::new("sh");
    command.args(["-c", r#"exec "$0" "$@" 2>"$LOG""#, kifud(), "serve", "--stdio", "--listen"]);
    command.arg(format!("unix:{}", socket.display())).env("LOG", &log).env_remove("KIFUD_LOG");
    let mut daemon = Conversation::spawn(command);
    until("it listens", || std::fs::read_to_string(&log).is_ok_and(|log| log.contains("listening on")));
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&socket, PermissionsExt::from_mode(0o666)).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let script = "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\ntry:\n \
                  s.sendall(b'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')\n sys.stdout.write(repr(s.recv(99)))\n\
                  except OSError:\n sys.stdout.write(\"b''\")\n";
    let visit = |user: Option<u32>| {
        let mut command = Command::new("python3");
        command.args(["-c", script]).arg(&socket).current_dir("/");
        user.map(|user| command.uid(user));
        command.output()
    };
    let own = visit(None).unwrap();
    assert!(String::from_utf8_lossy(&own.stdout).contains("200 OK"), "{own:?}");
    match visit(Some(NOBODY)) {
        Ok(output) => {
            assert_eq!(String::from_utf8_lossy(&output.stdout), "b''", "{output:?}");
            until("the log says so", || {
                std::fs::read_to_string(&log).unwrap().contains("another user was turned away")
            });
        }
        Err(error) => eprintln!("SKIPPED: only root can come as another user: {error}"),
    }
    assert_eq!(daemon.request("kifud/status", json!({}))["sessions"], 1);
}
