//! A whole session as an editor has it: open a record, attach an engine, analyse at the cursor,
//! follow the cursor, write the values into the record. The engine plays back real KataGo output.

mod support;

use serde_json::{Value, json};
use support::{Conversation, fixture, kifud, without_values};

const URI: &str = "file:///games/short.sgf";

/// A settings file that names the replay of the recorded game.
fn settings(folder: &tempfile::TempDir) -> String {
    let path = folder.path().join("kifud.toml");
    let transcripts = fixture("transcripts/katago-real");
    let text = format!(
        "[[engines]]\nname = \"katago\"\npath = {:?}\nargs = [\"replay\", \"--transcript\", {:?}, \"--analyze-command\", \"kata-analyze\"]\n",
        kifud(),
        transcripts.to_str().unwrap()
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn at_node(path: Value) -> Value {
    json!({"document": {"uri": URI}, "node": {"path": path}})
}

/// Applies a list of LSP edits to a text, from the last to the first.
fn apply(text: &str, edits: &Value) -> String {
    let mut edits: Vec<Value> = edits.as_array().unwrap().clone();
    let offset = |at: &Value| {
        let line = at["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let units = at["character"].as_u64().unwrap() as usize;
        let mut seen = 0;
        let column: usize = text[start..]
            .chars()
            .take_while(|c| (seen += c.len_utf16(), seen <= units).1)
            .map(char::len_utf8)
            .sum();
        start + column
    };
    edits.sort_by_key(|edit| offset(&edit["range"]["start"]));
    let mut out = text.to_owned();
    for edit in edits.iter().rev() {
        let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
        out.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    out
}

fn properties(client: &mut Conversation, node: usize) -> Value {
    let tree = client.request("record/tree", json!({"document": {"uri": URI}}));
    tree["games"][0]["nodes"][node]["props"].clone()
}

#[test]
fn a_whole_session_of_an_editor() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(fixture("games/short-9x9.sgf")).unwrap();
    assert!(text.chars().any(|c| c > '\u{4e00}'), "the game has Chinese comments");
    let mut client = Conversation::lsp(&["--config", &settings(&folder)], json!({}));
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": text}}),
    );
    let attached = client.request("engine/attach", json!({"name": "katago", "workDoneToken": "start"}));
    let engine = attached["engine"]["id"].clone();
    assert_eq!(attached["engine"]["program"], "KataGo");
    assert_eq!(attached["engine"]["supports"]["analyze"], true);
    let begin = client.wait("progress", |message| message["method"] == "$/progress");
    assert_eq!(begin["params"]["value"]["kind"], "begin");

    // At the cursor: the node is found by its place in the text.
    let tree = client.request("record/tree", json!({"document": {"uri": URI}, "paths": true}));
    let start = tree["games"][0]["nodes"][4]["range"]["start"].clone();
    assert_eq!(tree["games"][0]["nodes"][4]["path"], json!(["0*4"]));
    let subscription = client.request(
        "engine/analyze",
        json!({"engineId": engine, "interval": 10, "heatmap": true, "writeBack": "end",
               "position": {"document": {"uri": URI, "version": 1}, "node": {"position": start}}}),
    );
    let started = client.event(&subscription);
    assert_eq!((&started["state"], &started["node"]["path"]), (&json!("started"), &json!(["0*4"])));
    assert_eq!(started["sync"]["strategy"], "replay");
    assert_eq!(started["sync"]["komi"], 7.0);
    for _ in 0..5 {
        let event = client.event(&subscription);
        assert_eq!((&event["state"], &event["color"]), (&json!("running"), &json!("B")));
        let (winrate, black) =
            (event["winrate"].as_f64().unwrap(), event["black"]["winrate"].as_f64().unwrap());
        assert!((0.0..=100.0).contains(&winrate) && winrate == black, "Black is to move: {event}");
        assert!(event["scoreLead"].as_f64().unwrap().is_finite());
        assert!(event["maxWinrate"].as_f64().unwrap() <= 100.0);
        let best = &event["moves"][0];
        assert_eq!(best["order"], 0);
        assert_eq!(best["pv"][0], best["vertex"]);
        assert!(
            event["heatmap"]
                .as_array()
                .unwrap()
                .iter()
                .all(|cell| (1..=9).contains(&cell["strength"].as_i64().unwrap()))
        );
    }

    // The cursor moves: never an update for the old node after the answer.
    let mut edited = text.clone();
    for path in [json!(["0*5"]), json!(["0*9"]), json!(["0*2"])] {
        let id = client.ask(
            "analysis/retarget",
            json!({"subscription": subscription, "position": at_node(path.clone())}),
        );
        let synced = client.answer(id)["result"].clone();
        if edited == text {
            // The node that was left is written at once; the next ones wait for the end, within 5 s.
            let edit = client.serve("workspace/applyEdit", json!({"applied": true}));
            edited = change_document(&mut client, &edited, &edit, 1);
        }
        let events = client.drain(std::time::Duration::from_millis(350));
        // drain() also gives what came before the answer; the first event of the new node splits them.
        let nodes: Vec<&Value> = events
            .iter()
            .filter(|message| message["params"]["subscription"] == subscription)
            .map(|message| &message["params"]["result"])
            .collect();
        let first_new =
            nodes.iter().position(|event| event["revision"] == synced["revision"]).expect("a new event");
        assert!(
            nodes[first_new..]
                .iter()
                .all(|event| event["node"]["path"] == path && event["revision"] == synced["revision"]),
            "{path}: {nodes:?}"
        );
    }

    // Stop: one last event, and the values come as an edit for the version at hand.
    let stop = client.ask("engine/stop", json!({"subscription": subscription}));
    client.answer(stop);
    let edit = client.serve("workspace/applyEdit", json!({"applied": true}));
    let ended = client.event_in(&subscription, "ended");
    assert_eq!(ended["reason"], "stopped");
    let edited = change_document(&mut client, &edited, &edit, 2);
    for node in [4, 5, 9, 2] {
        let props = properties(&mut client, node);
        let number = |name: &str| {
            props[name][0]
                .as_str()
                .unwrap_or_else(|| panic!("{name} at {node}: {props}"))
                .parse::<f64>()
                .unwrap()
        };
        assert!((0.0..=100.0).contains(&number("SBKV")), "{props}");
        assert!(number("SBKS").abs() < 100.0, "{props}");
    }
    // Everything else is as it was.
    let without: String = without_values(&edited);
    assert_eq!(without, text);
    client.drain(std::time::Duration::from_millis(100)).iter().for_each(|message| {
        assert_ne!(message["params"]["subscription"], subscription, "nothing after the last event");
    });
    client.request("engine/detach", json!({"engineId": engine}));
    assert_eq!(client.leave(), 0);
}

/// Does what an editor does with an edit: applies it and tells the new text.
fn change_document(client: &mut Conversation, text: &str, edit: &Value, version: i64) -> String {
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({"uri": URI, "version": version}));
    let edited = apply(text, &change["edits"]);
    let document = json!({"uri": URI, "version": version + 1});
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": document, "contentChanges": [{"text": edited}]}),
    );
    edited
}

#[test]
fn a_plain_client_finds_every_node_s_values_in_the_last_event() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(fixture("games/short-9x9.sgf")).unwrap();
    let mut client = Conversation::start(&["--config", &settings(&folder)]);
    client.request("document/open", json!({"uri": URI, "text": text}));
    let engine = client.request("engine/attach", json!({"name": "katago"}))["engine"]["id"].clone();
    let subscription = client.request(
        "engine/analyze",
        json!({"engineId": engine, "interval": 10, "writeBack": "end", "position": at_node(json!([0]))}),
    );
    client.event_in(&subscription, "running");
    for path in [json!(["0*2"]), json!(["0*3"])] {
        let at = json!({"subscription": subscription, "position": at_node(path.clone())});
        client.request("analysis/retarget", at);
        while client.event_in(&subscription, "running")["node"]["path"] != path {}
    }
    client.request("engine/stop", json!({"subscription": subscription}));
    let ended = client.event_in(&subscription, "ended");
    let edited = apply(&text, &ended["edit"]["edits"]);
    assert_eq!(edited.matches("SBKV[").count(), 3, "{ended}");
    assert_eq!(without_values(&edited), text);
}

#[test]
fn an_editor_that_takes_no_edits_finds_them_in_the_last_event() {
    finds_edits_in_the_last_event(json!({}));
}

#[test]
fn so_does_one_whose_edits_know_no_versions() {
    finds_edits_in_the_last_event(json!({"workspace": {"applyEdit": true}}));
}

fn finds_edits_in_the_last_event(capabilities: Value) {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(fixture("games/short-9x9.sgf")).unwrap();
    let mut client =
        Conversation::lsp(&["--config", &settings(&folder)], json!({"capabilities": capabilities}));
    let open = json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": text}});
    client.notify("textDocument/didOpen", open);
    let engine = client.request("engine/attach", json!({"name": "katago"}))["engine"]["id"].clone();
    let subscription = client.request(
        "analysis/game",
        json!({"engineId": engine, "document": {"uri": URI}, "limit": {"visits": 50}, "write": true}),
    );
    let ended = client.event_in(&subscription, "ended");
    let change = &ended["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 1, "{ended}");
    assert_eq!(apply(&text, &change["edits"]).matches("SBKV[").count(), 30);
    assert_eq!(ended["edit"].get("applied"), None);
}

#[test]
fn the_decided_endgame_is_black_s_on_whichever_side_it_is_seen_from() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(fixture("games/endgame-9x9.sgf")).unwrap();
    let mut client = Conversation::start(&["--config", &settings(&folder)]);
    let engine = client.request("engine/attach", json!({"name": "katago"}))["engine"]["id"].clone();
    let position = json!({"document": {"text": text}, "node": {"path": ["0*28"]}});
    let subscription = client.request(
        "engine/analyze",
        json!({"engineId": engine, "interval": 10, "position": position, "writeBack": "end", "limit": {"seconds": 0.5}, "ownership": true}),
    );
    let event = client.event_in(&subscription, "running");
    assert!(event["black"]["winrate"].as_f64().unwrap() > 85.0, "{event}");
    assert!((1.0..50.0).contains(&event["black"]["scoreLead"].as_f64().unwrap()), "{event}");
    let ended = client.event_in(&subscription, "ended");
    assert_eq!(ended["reason"], "limit");
    let text = ended["edit"]["text"].as_str().expect("the new text");
    let value: f64 = text.split("SBKV[").nth(1).unwrap().split(']').next().unwrap().parse().unwrap();
    assert!(value > 85.0, "Black's win rate stands in the record: {value}");
}

#[test]
fn an_edit_that_the_editor_refuses_is_made_again_for_the_newer_text() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(fixture("games/short-9x9.sgf")).unwrap();
    let mut client = Conversation::lsp(&["--config", &settings(&folder)], json!({}));
    let open = json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": text}});
    client.notify("textDocument/didOpen", open);
    let engine = client.request("engine/attach", json!({"name": "katago"}))["engine"]["id"].clone();
    let subscription = client.request(
        "engine/analyze",
        json!({"engineId": engine, "interval": 10, "writeBack": "end", "position": at_node(json!([0]))}),
    );
    client.event_in(&subscription, "running");
    client.request("engine/stop", json!({"engineId": engine}));
    let first = client.wait("applyEdit", |message| message["method"] == "workspace/applyEdit");
    assert_eq!(first["params"]["edit"]["documentChanges"][0]["textDocument"]["version"], 1);
    // The user has typed meanwhile: a blank before everything.
    let at = json!({"line": 0, "character": 0});
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": {"start": at, "end": at}, "text": "\n"}]}),
    );
    client.send(&json!({"jsonrpc": "2.0", "id": first["id"], "result": {"applied": false}}));
    let second = client.serve("workspace/applyEdit", json!({"applied": true}));
    let change = &second["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 2);
    let edited = apply(&format!("\n{text}"), &change["edits"]);
    assert_eq!(without_values(&edited), format!("\n{text}"));
    assert_eq!(client.event_in(&subscription, "ended")["edit"]["applied"], true);
}

#[test]
fn values_follow_their_node_through_edits() {
    let before = "(;SZ[9]\n;B[aa]\n;W[bb]\n)";
    let cases = [
        ("(;SZ[9]\n;C[new]\n;B[aa]\n;W[bb]\n)", Some(2)),
        ("(;SZ[9]\n(;B[ii])\n(;B[aa]\n;W[bb]\n))", Some(2)),
        ("(;SZ[9]\n;B[ii]\n;W[hh]\n;B[aa]\n;W[bb]\n)", None),
        ("(;SZ[9]\n(;B[cc])\n)", None),
        ("(;SZ[13]\n;B[aa]\n)", None),
    ];
    for editor in [true, false] {
        let (mut client, _) = Conversation::with_fake(editor, "commands +kata-analyze", None);
        for (number, (after, line)) in cases.into_iter().enumerate() {
            let uri = format!("file:///follow/{number}.sgf");
            let position = json!({"document": {"uri": uri}, "node": {"path": [0]}});
            let change = json!([{"text": after}]);
            if editor {
                let open = json!({"uri": uri, "languageId": "sgf", "version": 1, "text": before});
                client.notify("textDocument/didOpen", json!({"textDocument": open}));
            } else {
                client.request("document/open", json!({"uri": uri, "version": 1, "text": before}));
            }
            let subscription =
                client.request("engine/analyze", json!({"position": position, "writeBack": "end"}));
            client.event_in(&subscription, "running");
            if editor {
                let document = json!({"uri": uri, "version": 2});
                client.notify(
                    "textDocument/didChange",
                    json!({"textDocument": document, "contentChanges": change}),
                );
            } else {
                client.request("document/change", json!({"uri": uri, "version": 2, "changes": change}));
            }
            client.request("engine/stop", json!({"subscription": subscription}));
            if editor && line.is_some() {
                client.serve("workspace/applyEdit", json!({"applied": true}));
            }
            let edit = client.event_in(&subscription, "ended")["edit"].clone();
            let edits = if editor { &edit["documentChanges"][0]["edits"] } else { &edit["edits"] };
            let at = edits[0]["range"]["start"]["line"].as_u64();
            assert_eq!(at, line, "editor {editor}, {after}: {edit}");
        }
    }
}
