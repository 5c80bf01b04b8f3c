//! Records through the door: every file opens, every bad request has its own error, and the next
//! good request works.

mod support;

use serde_json::{Value, json};
use support::{Conversation, shared};

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
        (
            "record/board",
            json!({"document": {"text": "1.e4", "languageId": "xiangqi-pgn"}}),
            "UnsupportedGame",
        ),
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
