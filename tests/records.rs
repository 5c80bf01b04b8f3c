//! Records through the door: every file opens, every bad request has its own error, and the next
//! good request works.

mod support;

use serde_json::{Value, json};
use support::{Conversation, example, shared};

fn client() -> Conversation {
    Conversation::start(&[])
}

#[test]
fn every_nasty_file_opens() {
    let Some(folder) = shared("inputs") else { return };
    let mut client = client();
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let document = json!({"uri": path.to_str().unwrap()});
        let tree = client.request("record/tree", json!({"document": document, "limit": 50, "paths": true}));
        for game in tree["games"].as_array().unwrap() {
            let last = game["nodes"].as_array().unwrap().last().unwrap();
            let node = json!({"game": game["game"], "path": last["path"]});
            let board = client.call("record/board", json!({"document": document, "node": node}));
            match game["kind"] == "go" {
                true => assert!(board["result"]["stones"].is_array(), "{path:?} {board}"),
                false => assert_eq!(board["error"]["data"]["kind"], "UnsupportedGame", "{path:?} {board}"),
            }
        }
        seen += 1;
    }
    assert!(seen > 50, "{seen} files");
}

#[test]
fn players_are_read_in_every_charset() {
    let Some(folder) = shared("inputs") else { return };
    let mut client = client();
    // With CA the charset is certain.
    for name in ["big5", "euc_jp", "euc_kr", "gb18030", "shift_jis"] {
        let path = folder.join(format!("E01-{name}-ca.sgf"));
        let tree = client.request("record/tree", json!({"document": {"uri": path.to_str().unwrap()}}));
        let text = tree["games"][0].to_string();
        assert!(!text.contains('\u{fffd}'), "{name}: {text}");
        assert!(text.chars().any(|c| c > '\u{1100}'), "{name}: {text}");
    }
}

#[test]
fn each_bad_request_has_its_own_kind_of_error() {
    let mut client = client();
    client.request(
        "document/open",
        json!({"uri": "mem:a.sgf", "text": "(;SZ[9];B[aa](;W[bb])(;W[cc]))", "version": 3}),
    );
    let text = |text: &str| json!({"text": text});
    let open = json!({"uri": "mem:a.sgf"});
    let cases: Vec<(&str, Value, &str)> = vec![
        ("record/board", json!({"document": {"uri": "mem:none.sgf"}}), "NotFound"),
        ("record/board", json!({"document": {"uri": "file:///no/such/file.sgf"}}), "NotFound"),
        ("record/board", json!({"document": {"uri": "mem:a.sgf", "version": 2}}), "StaleDocument"),
        ("record/board", json!({"document": open, "node": {"game": 1, "path": []}}), "NotFound"),
        ("record/board", json!({"document": open, "node": {"path": [0, 2]}}), "NotFound"),
        ("record/board", json!({"document": open, "node": {"path": ["0*4294967295"]}}), "NotFound"),
        (
            "record/board",
            json!({"document": open, "node": {"path": [0], "position": {"line": 0, "character": 0}}}),
            "InvalidParams",
        ),
        ("record/board", json!({"document": text("(;GM[11];B[a1-b2])")}), "UnsupportedGame"),
        ("record/board", json!({"document": text("")}), "NotFound"),
        ("record/board", json!({"document": {"text": "1.e4", "languageId": "pgn"}}), "UnsupportedGame"),
        ("document/change", json!({"uri": "mem:b.sgf", "version": 1, "changes": []}), "NotFound"),
        ("document/close", json!({"uri": "mem:b.sgf"}), "NotFound"),
        ("engine/attach", json!({"name": "none"}), "EngineNotFound"),
        ("engine/attach", json!({"engine": {"name": "x", "path": "/no/such/engine"}}), "EngineStartFailed"),
        ("engine/attach", json!({"engine": {"name": "x", "path": "/etc/passwd"}}), "EngineStartFailed"),
        ("engine/attach", json!({"engine": {"name": "x", "path": "/bin/false"}}), "EngineStartFailed"),
        (
            "engine/attach",
            json!({"engine": {"name": "x", "path": "/bin/sh", "protocol": "uci"}}),
            "InvalidParams",
        ),
        ("engine/attach", json!({}), "InvalidParams"),
        ("engine/sync", json!({"engineId": "engine-7", "position": {"boardSize": 9}}), "EngineNotFound"),
        ("engine/analyze", json!({"position": {"boardSize": 9}}), "EngineNotFound"),
        ("engine/stop", json!({"subscription": "1-7"}), "NotFound"),
        ("analysis/retarget", json!({"subscription": "1-7", "position": {"boardSize": 9}}), "NotFound"),
        ("no/such", json!({}), "MethodNotFound"),
        ("record/boards", json!({}), "MethodNotFound"),
    ];
    for (method, params, kind) in cases {
        let error = client.refused(method, params.clone());
        assert_eq!(error["data"]["kind"], kind, "{method} {params}: {error}");
        assert!(error["message"].as_str().unwrap().len() > 10, "a sentence: {error}");
        let board = client.request("record/board", json!({"document": open, "node": {"path": [0, 1]}}));
        assert_eq!(board["lastMove"], json!({"color": "W", "vertex": "C7"}));
    }
}

#[test]
fn a_board_by_hand() {
    // White takes one stone in the corner, and Black may not take back at once.
    let text = "(;SZ[4]KM[6.5]PB[甲];B[ba];W[aa];B[ab];W[ca]LB[aa:x]C[a\\]b])";
    let mut client = client();
    let board = |client: &mut Conversation, path: Value| {
        client.request("record/board", json!({"document": {"text": text}, "node": {"path": path}}))
    };
    let after = board(&mut client, json!(["0*3"]));
    assert_eq!(after["stones"], json!([".X..", "X...", "....", "...."]), "Black has taken the corner stone");
    assert_eq!((&after["captures"], &after["komi"]), (&json!({"B": 1, "W": 0}), &json!(6.5)));
    assert_eq!((&after["toPlay"], &after["toPlayReason"]), (&json!("W"), &json!("nextMove")));
    let last = board(&mut client, json!(["0*4"]));
    assert_eq!(
        (&last["comment"], &last["markup"]),
        (&json!("a]b"), &json!({"labels": [{"vertex": "A4", "text": "x"}]}))
    );
    assert_eq!(
        (&last["moveNumber"], &last["toPlay"], &last["toPlayReason"]),
        (&json!(4), &json!("B"), &json!("lastMove"))
    );
    let tree = client.request("record/tree", json!({"document": {"text": text}}));
    assert_eq!(tree["games"][0]["info"], json!({"black": "甲", "komi": 6.5}));
    assert_eq!(tree["games"][0]["nodes"][4]["props"]["C"], json!(["a\\]b"]));
    let at = client.request(
        "record/nodeAt",
        json!({"document": {"text": text}, "position": {"line": 0, "character": 22}}),
    );
    assert_eq!(at["node"], json!({"game": 0, "path": [0]}));
    assert_eq!(at["range"]["start"], json!({"line": 0, "character": 19}), "columns count UTF-16 units");
}

#[test]
fn large_records_are_pages_and_answers_stay_quick() {
    let moves = ";B[aa];W[bb]".repeat(50_000);
    let text = format!("(;SZ[19]{moves})");
    let mut client = client();
    client.request("document/open", json!({"uri": "mem:long.sgf", "text": text}));
    let document = json!({"uri": "mem:long.sgf"});
    let page = client
        .request("record/tree", json!({"document": document, "from": 99_990, "limit": 5, "paths": true}));
    assert_eq!(page["games"][0]["nodes"][0]["path"], json!(["0*99990"]));
    assert_eq!(page["next"], 99_995);
    let board = client.request("record/board", json!({"document": document, "node": {"path": ["0*100000"]}}));
    assert_eq!(board["moveNumber"], 100_000);
    let nested = format!("{}{}", "(;B[aa]".repeat(10_000), ")".repeat(10_000));
    let board =
        client.request("record/board", json!({"document": {"text": nested}, "node": {"path": ["0*9999"]}}));
    assert_eq!(board["moveNumber"], 10_000);
}

#[test]
fn files_that_never_end_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.sgf");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut client = client();
    let document = |path: &str| json!({"document": {"uri": path}});
    for path in [pipe.to_str().unwrap(), "/dev/zero", "/proc/kmsg", folder.path().to_str().unwrap()] {
        let error = client.refused("record/board", document(path));
        assert_eq!(error["data"]["kind"], "NotFound", "{path}: {error}");
    }
}

#[test]
fn many_changes_of_a_large_document() {
    let line = ";B[aa]C[围棋]\n";
    let mut client = client();
    client
        .request("document/open", json!({"uri": "mem:large.sgf", "version": 1, "text": line.repeat(20_000)}));
    let change = |line: u32, character: u32| {
        let at = json!({"line": line, "character": character});
        json!({"range": {"start": at, "end": at}, "text": ";C[好]\n"})
    };
    // From the end to the start, so that each line is still where it was.
    let changes: Vec<Value> = (0..2_000).rev().map(|n| change(n * 10, 0)).collect();
    client.request("document/change", json!({"uri": "mem:large.sgf", "version": 2, "changes": changes}));
    let tree = client.request("record/tree", json!({"document": {"uri": "mem:large.sgf"}, "limit": 12}));
    let nodes = tree["games"][0]["nodes"].as_array().unwrap();
    let comments: Vec<&str> = nodes.iter().map(|node| node["props"]["C"][0].as_str().unwrap()).collect();
    let expected: Vec<&str> = (0..12).map(|n| if n % 11 == 0 { "好" } else { "围棋" }).collect();
    assert_eq!(comments, expected);
    let older = json!({"uri": "mem:large.sgf", "version": 1, "changes": [{"text": ""}]});
    assert_eq!(client.refused("document/change", older)["data"]["kind"], "StaleDocument");
    assert!(
        client.request("record/tree", json!({"document": {"uri": "mem:large.sgf"}, "limit": 1}))["next"]
            .is_u64()
    );
}

/// A line that goes on in the first and in the second variation by turns.
fn zig_zag(levels: usize) -> String {
    let mut text = String::from("(;SZ[9]");
    (0..levels).for_each(|level| text.push_str(if level % 2 == 0 { "(;B[aa]" } else { "(;C[x])(;W[bb]" }));
    (0..levels).rev().for_each(|level| text.push_str(if level % 2 == 0 { ")(;C[x])" } else { ")" }));
    text + ")"
}

#[test]
fn trees_of_any_shape_come_in_pages_of_bounded_size() {
    let wide = format!("(;SZ[9]{})", "(;B[aa])".repeat(100_000));
    let nested = format!("(;SZ[9]{}{})", "(;B[aa]".repeat(100_000), ")".repeat(100_000));
    let comb = format!("(;SZ[9]{}{})", "(;B[aa]".repeat(50_000), "(;C[x]))".repeat(50_000));
    let comments = format!("(;SZ[9]{})", format!(";C[{}]", "x".repeat(1 << 20)).repeat(20));
    // The paths of a zig-zag line are as long as they can be: all of a small one, the ends of a large one.
    let cases = [
        ("wide", wide, None),
        ("nested", nested, None),
        ("comb", comb, None),
        ("comments", comments, None),
        ("zig-zag", zig_zag(1_600), None),
        ("long zig-zag", zig_zag(100_000), Some(99_000)),
    ];
    for (shape, text, skipped_to) in cases {
        let mut client = client();
        client.request("document/open", json!({"uri": "mem:tree.sgf", "text": text}));
        let document = json!({"uri": "mem:tree.sgf"});
        let mut seen = 0;
        let mut from = Some(skipped_to.unwrap_or(0));
        while let Some(start) = from {
            let page =
                client.request("record/tree", json!({"document": document, "paths": true, "from": start}));
            let nodes = page["games"][0]["nodes"].as_array().unwrap();
            assert!(!nodes.is_empty() && nodes.len() <= 100_000, "{shape}");
            assert!(page.to_string().len() < 64 << 20, "{shape}: {} bytes", page.to_string().len());
            for (node, index) in nodes.iter().zip(start..) {
                assert_eq!(node["index"], index, "{shape}");
            }
            seen += nodes.len();
            let node = &nodes[nodes.len() - 1];
            let at = json!({"document": document, "node": {"path": node["path"]}});
            assert_eq!(client.request("record/board", at)["node"]["path"], node["path"], "{shape}");
            from = page["next"].as_u64().filter(|_| skipped_to.is_none());
        }
        let expected = text.matches(';').count();
        assert!(skipped_to.is_some() || seen == expected, "{shape}: {seen} of {expected}");
        assert!(client.rss_mib() < 1024, "{shape}: {} MiB", client.rss_mib());
    }
}

/// A client with an engine that does what a script says.
fn with_engine(script: &[&str]) -> (Conversation, Value) {
    let mut client = client();
    let args: Vec<&str> = [&["commands +kata-analyze"], script].concat();
    let engine = json!({"name": "fake", "path": example("fake-engine").to_str().unwrap(), "args": args});
    let id = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
    (client, id)
}

/// Starts a review of three nodes.
fn review(client: &mut Conversation, limit: Value) -> Value {
    let document = json!({"text": "(;SZ[9];B[aa];W[bb])"});
    client.request("analysis/game", json!({"document": document, "limit": limit}))
}

/// A search that gives way to a command is taken up again, for what is left of its time.
#[test]
fn a_search_that_is_interrupted_goes_on() {
    let (mut client, engine) = with_engine(&[]);
    let output = client.request("events/subscribe", json!({"topics": ["output"], "engineId": engine}));
    let subscription = review(&mut client, json!({"seconds": 0.5}));
    let (mut searches, mut row) = (0, None);
    while row.is_none() {
        client.request("engine/send", json!({"engineId": engine, "command": "name"}));
        for message in client.drain(std::time::Duration::from_millis(50)) {
            let (params, event) = (&message["params"], &message["params"]["result"]);
            let line = event["output"]["text"].as_str().unwrap_or_default();
            searches += usize::from(params["subscription"] == output && line.contains("kata-analyze"));
            if params["subscription"] == subscription && event["state"] == "running" {
                row = row.or(Some(event.clone()));
            }
        }
    }
    let row = row.unwrap();
    assert!(searches > 1, "it was never interrupted");
    assert!(row["visits"].as_u64() >= Some(10) && row["winrate"].is_number(), "{row}");
    assert!(row.get("error").is_none(), "{row}");
    // The engine is stopped: the review is over.
    client.request("engine/stop", json!({"engineId": engine}));
    let ended = client.event_in(&subscription, "ended");
    assert_eq!((&ended["reason"], ended.get("error")), (&json!("stopped"), None));
}

#[test]
fn the_shortest_limit_gives_numbers_or_says_why_not() {
    // Its first line comes long after the limit.
    let (mut client, _) = with_engine(&["every 400"]);
    let subscription = review(&mut client, json!({"seconds": 0.01}));
    for _ in 0..3 {
        let row = client.event_in(&subscription, "running");
        assert!(row["winrate"].is_number(), "{row}");
    }
    assert_eq!(client.event_in(&subscription, "ended")["reason"], "finished");
    // It ends by itself and has said nothing.
    let (mut client, _) = with_engine(&["on kata-analyze: reply"]);
    let subscription = review(&mut client, json!({"seconds": 0.01}));
    let row = client.event_in(&subscription, "running");
    assert_eq!(row["error"]["data"]["kind"], "EngineRefused", "{row}");
}
