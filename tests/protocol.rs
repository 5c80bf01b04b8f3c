//! The protocol with odd, many, slow and failing calls: order, cancel, streams, errors.
//!
//! `KIFUD_DOOR` names the door: `stdio`, `connect`, `unix` or `websocket`.

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Conversation, codes, example};

/// kifud with the methods of the probe.
fn probe() -> Conversation {
    Conversation::start_program(&example("probe-daemon"), &[])
}

/// Sends a message of these bytes, then an ordinary request; gives what came before the answer.
fn after(bytes: &[u8]) -> Vec<Value> {
    let mut client = probe();
    client.say(bytes);
    client.before_an_echo()
}

#[test]
fn malformed_messages_get_an_error_and_the_session_goes_on() {
    let cases: [(&[u8], i64); 9] = [
        (b"{not json", -32700),
        (br#"{"a":1}"#, -32600),
        (br#"[{"jsonrpc":"2.0","id":5,"method":"probe/echo","params":{}}]"#, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"probe/echo\",\"params\":\"\xff\xfe\"}", -32700),
        (br#""text""#, -32600),
        (br#"{"jsonrpc":"1.0","id":5,"method":"probe/echo"}"#, -32600),
        (br#"{"jsonrpc":"2.0","id":{},"method":"probe/echo"}"#, -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"probe/echo"}"#, -32600),
        (br#"{"jsonrpc":"2.0","id":5,"method":"no/such","params":{}}"#, -32601),
    ];
    for (body, code) in cases {
        let messages = after(body);
        assert_eq!(codes(&messages), [code], "{} {messages:?}", String::from_utf8_lossy(body));
    }
}

#[test]
fn a_panic_is_one_error_and_the_session_goes_on() {
    let mut client = probe();
    let error = client.refused("probe/panic", json!({}));
    assert_eq!((error["code"].as_i64(), &error["data"]["kind"]), (Some(-32603), &json!("Internal")));
    let subscription = client.request("probe/panicStream", json!({}));
    assert_eq!(client.event(&subscription)["state"], "panic");
    assert_eq!(client.request("probe/echo", json!({"ok": 1})), json!({"ok": 1}));
}

#[test]
fn changes_apply_in_order_and_requests_see_the_text_of_their_moment() {
    let mut client = probe();
    client.initialize(json!({}));
    let uri = "file:///order.sgf";
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 0, "text": "(;C[])"}}),
    );
    let mut asked = Vec::new();
    for version in 1..=500 {
        let at = json!({"line": 0, "character": 4});
        client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version},
                   "contentChanges": [{"range": {"start": at, "end": at}, "text": format!("{version} ")}]}),
        );
        if version % 100 == 0 {
            asked.push((version, client.ask("record/tree", json!({"document": {"uri": uri}}))));
        }
    }
    for (version, id) in asked {
        let tree = client.answer(id)["result"].clone();
        let expected: String = (1..=version).rev().map(|n| format!("{n} ")).collect();
        assert_eq!(tree["games"][0]["nodes"][0]["props"]["C"][0], expected.as_str());
    }
    let stale = client.refused("record/tree", json!({"document": {"uri": uri, "version": 3}}));
    assert_eq!(stale["data"]["kind"], "StaleDocument");
}

#[test]
fn cancel_acts_at_once_however_many_requests_run() {
    let mut client = probe();
    let ids: Vec<i64> = (0..200).map(|_| client.ask("probe/sleep", json!({"ms": 20_000}))).collect();
    let before = Instant::now();
    client.notify("$/cancelRequest", json!({"id": ids[0]}));
    let answer = client.answer(ids[0]);
    assert_eq!(
        (answer["error"]["code"].as_i64(), &answer["error"]["data"]["kind"]),
        (Some(-32800), &json!("Cancelled"))
    );
    assert_eq!(client.request("kifud/cancel", json!({"id": ids[1]})), json!({"cancelled": true}));
    client.answer(ids[1]);
    assert_eq!(client.request("kifud/cancel", json!({"id": ids[1]})), json!({"cancelled": false}));
    assert_eq!(client.request("probe/dropped", json!({})), 2);
    assert!(before.elapsed() < Duration::from_secs(10), "nobody waited for the other sleepers");
}

#[test]
fn one_answer_for_each_request_even_when_cancel_comes_late_or_twice() {
    let mut client = probe();
    for round in 0..100 {
        let id = client.ask("probe/sleep", json!({"ms": round % 3}));
        client.notify("$/cancelRequest", json!({"id": id}));
        client.notify("$/cancelRequest", json!({"id": id}));
        client.answer(id);
    }
    client.notify("$/cancelRequest", json!({"id": "no such"}));
    client.notify("$/cancelRequest", json!({}));
    client.request("probe/echo", json!({}));
    assert_eq!(client.drain(Duration::from_millis(50)), Vec::<Value>::new());
}

#[test]
fn nobody_waits_for_a_slow_or_blocking_request() {
    let mut client = probe();
    for _ in 0..4 {
        client.ask("probe/sleep", json!({"ms": 20_000}));
        client.ask("probe/block", json!({"ms": 20_000}));
    }
    let before = Instant::now();
    client.request("probe/echo", json!({}));
    assert!(before.elapsed() < Duration::from_secs(10));
}

#[test]
fn too_many_requests_are_refused_not_queued_for_ever() {
    let mut client = probe();
    let ids: Vec<i64> = (0..520).map(|_| client.ask("probe/sleep", json!({"ms": 60_000}))).collect();
    for id in &ids[512..] {
        assert_eq!(client.answer(*id)["error"]["data"]["kind"], "LimitExceeded");
    }
    client.notify("$/cancelRequest", json!({"id": ids[0]}));
    client.answer(ids[0]);
    client.request("probe/echo", json!({}));
}

#[test]
fn lossless_events_all_arrive_and_others_end_with_the_last() {
    let mut client = probe();
    let all = client.request("probe/flood", json!({"n": 300, "pad": 10, "lossless": true}));
    for i in 0..300 {
        assert_eq!(client.event(&all)["i"], i);
    }
    assert_eq!(client.event(&all)["state"], "finished");
    let some = client.request("probe/flood", json!({"n": 300, "pad": 10}));
    let mut last = -1;
    loop {
        let event = client.event(&some);
        if event["state"] == "finished" {
            break;
        }
        assert!(event["i"].as_i64().unwrap() > last, "in order");
        last = event["i"].as_i64().unwrap();
    }
    assert_eq!(last, 299, "the newest report is never lost");
}

#[test]
fn initialize_comes_first_for_lsp_and_only_once() {
    let mut client = probe();
    let early = client.refused(
        "textDocument/hover",
        json!({"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}}),
    );
    assert_eq!(early["code"], -32002);
    client.request("kifud/status", json!({}));
    let answer = client.initialize(
        json!({"locale": "zh-CN", "capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}}}),
    );
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(answer["capabilities"]["experimental"]["kifud"]["protocol"], "1.0");
    assert_eq!(answer["capabilities"]["textDocumentSync"]["change"], 2);
    assert_eq!(answer["serverInfo"]["name"], "kifud");
    assert_eq!(client.refused("initialize", json!({"capabilities": {}}))["code"], -32600);
    let error = client.refused("record/board", json!({"document": {"uri": "mem:none.sgf"}}));
    assert!(error["message"].as_str().unwrap().starts_with("找不到"), "{error}");
    client.request("shutdown", Value::Null);
    assert_eq!(client.refused("kifud/status", json!({}))["data"]["kind"], "InvalidRequest");
}

#[test]
fn params_are_checked_and_the_field_is_named() {
    let mut client = probe();
    let cases = [
        ("record/board", json!({"document": {"text": "(;)"}, "nodes": {}}), "nodes"),
        ("record/board", json!({"document": {"txt": "(;)"}}), "document.txt"),
        ("record/board", json!({}), "document"),
        ("record/board", json!({"document": {"text": 5}}), "document.text"),
        ("record/board", json!({"document": {}}), "document"),
        ("record/board", json!({"document": {"text": "(;)"}, "node": {"path": ["x"]}}), "node.path[0]"),
        ("engine/sync", json!({"engineId": "engine-1"}), "position"),
    ];
    for (method, params, field) in cases {
        let error = client.refused(method, params.clone());
        assert_eq!(
            (error["code"].as_i64(), &error["data"]["field"]),
            (Some(-32602), &json!(field)),
            "{params} {error}"
        );
    }
    let tolerated =
        json!({"document": {"text": "(;)"}, "node": null, "workDoneToken": "t", "partialResultToken": 1});
    client.request("record/board", tolerated);
    for params in [Value::Null, json!({})] {
        client.request("kifud/status", params);
    }
    assert_eq!(client.refused("kifud/status", json!([]))["code"], -32602);
}

#[test]
fn unknown_methods_are_answered_by_the_table_and_lsp_only_by_its_own_names() {
    let mut client = probe();
    for (method, hint) in [
        ("no/such", "rpc.discover"),
        ("record/bord", "record/board"),
        ("initialise", "rpc.discover"),
        ("engine/analyze/unsubscribe", "engine/analyze"),
        ("", "rpc.discover"),
    ] {
        let error = client.refused(method, json!({}));
        assert_eq!(error["data"]["kind"], "MethodNotFound", "{method} {error}");
        assert!(error["message"].as_str().unwrap().contains(hint), "{method} {error}");
    }
    client.initialize(json!({}));
    for method in ["textDocument/noSuch", "workspace/noSuch", "$/noSuch"] {
        assert_eq!(client.refused(method, json!({}))["data"]["kind"], "MethodNotFound", "{method}");
    }
}

#[test]
fn a_shutdown_that_is_refused_shuts_nothing_down() {
    let mut client = probe();
    assert_eq!(client.refused("shutdown", Value::Null)["data"]["kind"], "NotInitialized");
    client.request("kifud/status", json!({}));
    client.initialize(json!({}));
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_stream_without_a_request_is_not_started() {
    let mut client = probe();
    client.notify("probe/flood", json!({"n": 3, "pad": 0}));
    client.notify("engine/analyze", json!({"engineId": "engine-1", "position": {"boardSize": 9}}));
    // Were one started, the next stream would be the second of this session.
    let subscription = client.request("probe/flood", json!({"n": 3, "pad": 0}));
    assert!(subscription.as_str().unwrap().ends_with("-1"), "{subscription}");
}

#[test]
fn half_a_character_does_not_lose_the_document() {
    let mut client = probe();
    client.initialize(json!({}));
    let body = r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///half.sgf","languageId":"sgf","version":0,"text":"(;C[a\ud800b])"}}}"#;
    client.say(body.as_bytes());
    let tree = client.request("record/tree", json!({"document": {"uri": "file:///half.sgf"}}));
    assert!(tree.to_string().contains("a\u{fffd}b"), "{tree}");
}
