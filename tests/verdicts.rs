//! What a review leaves behind: findings with better lines, reports, candidates in the record.

mod support;

use std::process::Command;

use serde_json::{Value, json};
use support::desk::{Desk, GAME, events, one_blunder, search};
use support::{Conversation, kifud};

const URI: &str = "file:///game.sgf";

/// Reviews the open document with 50 visits a node.
fn review(client: &mut Conversation) -> Value {
    let params = json!({"document": {"uri": URI}, "limit": {"visits": 50}});
    let subscription = client.request("analysis/game", params);
    events(client, &subscription).pop().unwrap()
}

/// An editor with the game open, and the engine attached.
fn editor(desk: &Desk, capabilities: Value, text: &str) -> Conversation {
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", desk.state());
    let mut client = Conversation::spawn(command);
    client.initialize(json!({"capabilities": capabilities, "initializationOptions": {"trusted": true}}));
    let document = json!({"uri": URI, "languageId": "sgf", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    client.request("engine/attach", json!({"engine": desk.engine()}));
    client
}

fn change(client: &mut Conversation, version: u64, text: &str) {
    let document = json!({"uri": URI, "version": version});
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": document, "contentChanges": [{"text": text}]}),
    );
}

/// The next findings that are sent for a version and fit.
fn sent(client: &mut Conversation, version: u64, fits: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let message = client.wait("findings", |message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["version"] == version
            && fits(message["params"]["diagnostics"].as_array().unwrap())
    });
    message["params"]["diagnostics"].as_array().unwrap().clone()
}

fn codes(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

fn fixes(client: &mut Conversation, range: &Value) -> Vec<Value> {
    let params = json!({
        "textDocument": {"uri": URI}, "range": range,
        "context": {"diagnostics": [], "only": ["quickfix"]},
    });
    client.request("textDocument/codeAction", params).as_array().unwrap().clone()
}

/// A text of one line with an edit of an action applied.
fn applied(text: &str, action: &Value) -> String {
    let mut edits = action["edit"]["changes"][URI].as_array().unwrap().clone();
    let at = |edit: &Value, end: &str| edit["range"][end]["character"].as_u64().unwrap() as usize;
    edits.sort_by_key(|edit| std::cmp::Reverse(at(edit, "start")));
    let mut text = text.to_owned();
    for edit in edits {
        text.replace_range(at(&edit, "start")..at(&edit, "end"), edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn a_blunder_is_a_finding_with_a_better_line_until_its_line_changes() {
    let desk = Desk::exact(&one_blunder());
    let mut client = editor(&desk, json!({}), GAME);
    assert_eq!(sent(&mut client, 1, |_| true), Vec::<Value>::new());
    assert_eq!(review(&mut client)["reason"], "finished");
    let found = sent(&mut client, 1, |found| !found.is_empty());
    assert_eq!(codes(&found), ["blunder"]);
    let finding = &found[0];
    assert_eq!(finding["message"], "a blunder: it loses 20.0 points; F6 was better");
    let start = GAME.find("W[aa]").unwrap();
    let range = json!({
        "start": {"line": 0, "character": start}, "end": {"line": 0, "character": start + 5},
    });
    assert_eq!((&finding["range"], &finding["severity"]), (&range, &json!(2)));
    let fixes_there = fixes(&mut client, &range);
    assert_eq!(fixes_there.len(), 1, "{fixes_there:?}");
    assert_eq!(fixes_there[0]["diagnostics"][0], *finding);
    assert_eq!(fixes_there[0]["kind"], "quickfix");
    let elsewhere = json!({"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 8}});
    assert_eq!(fixes(&mut client, &elsewhere), Vec::<Value>::new());

    // The better line goes in; the move stays a blunder, and there is nothing left to add.
    let text = applied(GAME, &fixes_there[0]);
    assert_eq!(text, "(;SZ[9];B[ee];W[cc];B[gg](;W[aa];B[gc])(;W[fd];B[ff]))");
    change(&mut client, 2, &text);
    let found = sent(&mut client, 2, |_| true);
    assert_eq!(codes(&found), ["blunder"]);
    assert_eq!(fixes(&mut client, &found[0]["range"]), Vec::<Value>::new());

    // Edits elsewhere keep it; one of the line that it stands on does not.
    change(&mut client, 3, &text.replace("B[gc]", "B[gd]").replace("W[cc]", "W[cc]C[x]"));
    assert_eq!(codes(&sent(&mut client, 3, |_| true)), ["blunder"]);
    change(&mut client, 4, &text.replace("B[gg]", "B[gh]"));
    assert_eq!(codes(&sent(&mut client, 4, |_| true)), Vec::<&str>::new());
    change(&mut client, 5, &text);
    assert_eq!(codes(&sent(&mut client, 5, |_| true)), ["blunder"]);

    // A comment allows it, settings change what counts.
    change(&mut client, 6, &text.replace("W[aa]", "W[aa]C[kifud: allow blunder]"));
    assert_eq!(codes(&sent(&mut client, 6, |_| true)), Vec::<&str>::new());
    change(&mut client, 7, &text);
    assert_eq!(codes(&sent(&mut client, 7, |_| true)), ["blunder"]);
    client.request("kifud/configure", json!({"set": {"blunders": {"points": [5, 10, 30]}}}));
    let found = sent(&mut client, 7, |found| codes(found) != ["blunder"]);
    assert_eq!((codes(&found), &found[0]["severity"]), (vec!["mistake"], &json!(3)));
    client.request("kifud/configure", json!({"set": {"blunders": {"player": "black"}}}));
    sent(&mut client, 7, <[Value]>::is_empty);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"kifud": {"blunders": {"percent": [1, 2, 3]}}}}),
    );
    assert_eq!(codes(&sent(&mut client, 7, |found| !found.is_empty())), ["blunder"], "the session's own go");
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"kifud": {"blunders": {"show": false}}}}),
    );
    sent(&mut client, 7, <[Value]>::is_empty);
}

#[test]
fn an_editor_that_asks_is_asked_to_ask_again() {
    let desk = Desk::exact(&one_blunder());
    let capabilities = json!({
        "textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut client = editor(&desk, capabilities, GAME);
    let pull = |client: &mut Conversation, known: Value| {
        let params = json!({"textDocument": {"uri": URI}, "previousResultId": known});
        client.request("textDocument/diagnostic", params)
    };
    let before = pull(&mut client, Value::Null);
    assert_eq!(before["items"], json!([]));
    assert_eq!(pull(&mut client, before["resultId"].clone())["kind"], "unchanged");
    review(&mut client);
    client.serve("workspace/diagnostic/refresh", Value::Null);
    let after = pull(&mut client, before["resultId"].clone());
    assert_eq!((&after["kind"], &after["items"][0]["code"]), (&json!("full"), &json!("blunder")), "{after}");
    assert_eq!(pull(&mut client, after["resultId"].clone())["kind"], "unchanged");
    client.request("kifud/configure", json!({"set": {"blunders": {"show": false}}}));
    let off = pull(&mut client, after["resultId"].clone());
    assert_eq!((&off["kind"], &off["items"]), (&json!("full"), &json!([])));
}

#[test]
fn stored_values_are_hints_and_no_findings() {
    let desk = Desk::exact(&[]);
    let text = "(;SZ[9]SBKV[50]SBKS[0];B[ee]SBKV[1]SBKS[-90])";
    let mut client = editor(&desk, json!({}), text);
    assert_eq!(codes(&sent(&mut client, 1, |_| true)), Vec::<&str>::new());
}

/// A review that writes; the new text.
fn written(desk: &Desk, client: &mut Conversation) -> String {
    let params = json!({
        "document": {"text": GAME}, "limit": {"visits": 50}, "deeper": {"visits": 200}, "write": true,
    });
    let subscription = client.request("analysis/game", params);
    let text = events(client, &subscription).pop().unwrap()["edit"]["text"].as_str().unwrap().to_owned();
    assert_eq!(desk.searches(), 8);
    text
}

#[test]
fn a_reopened_record_shows_its_heat_map() {
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    let text = written(&desk, &mut client);
    assert!(text.contains(";B[gg]SBKV[52]SBKS[0.5]KFCA[fc 40 53 1.5 fg pass df];W[aa]"), "{text}");
    let (mut client, _) = desk.client();
    let node = json!({"path": ["0*3"]});
    let board = client.request("record/board", json!({"document": {"text": text}, "node": node}));
    let expected = json!({
        "source": "SBKV", "winrate": 48.0, "scoreLead": -0.5, "visits": 40,
        "black": {"winrate": 52.0, "scoreLead": 0.5},
        "candidates": [{
            "vertex": "F7", "visits": 40, "winrate": 47.0, "scoreLead": -1.5,
            "black": {"winrate": 53.0, "scoreLead": 1.5}, "pv": ["F7", "F3", "pass", "D4"],
            "strength": 9, "text": "47.0",
        }],
    });
    assert_eq!(board["analysis"], expected);
    let plain = client.request("record/board", json!({"document": {"text": GAME}, "node": node}));
    assert_eq!(plain.get("analysis"), None);
}

#[test]
fn candidates_are_as_many_as_the_settings_say() {
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    client.request("kifud/configure", json!({"set": {"storedCandidates": 0}}));
    let text = written(&desk, &mut client);
    assert!(text.contains("SBKV[") && !text.contains("KFCA"), "{text}");
}

#[test]
fn a_report_of_a_review_and_of_its_record() {
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    let open = json!({"uri": URI, "languageId": "sgf", "version": 1, "text": GAME});
    client.request("document/open", open);
    let refused = client.refused("analysis/report", json!({"document": {"uri": URI}}));
    assert_eq!(refused["data"]["kind"], "NotFound", "{refused}");
    review(&mut client);
    let report = client.request("analysis/report", json!({"document": {"uri": URI}}))["report"].clone();
    assert_eq!((&report["source"], &report["phaseEnds"]), (&json!("review"), &json!([11, 32])));
    // White's moves lose 0 and 20 points, and 0 and 40 percent; the first is the engine's own choice.
    let white = &report["players"]["W"];
    let expected = json!({
        "moves": 2, "meanPoints": 10.0, "meanPercent": 20.0, "bestRate": 50.0,
        "inaccuracies": 0, "mistakes": 0, "blunders": 1,
    });
    assert_eq!((&white["total"], &white["opening"]), (&expected, &expected));
    assert_eq!(white["endgame"]["moves"], 0);
    let worst = json!([{
        "node": {"game": 0, "path": ["0*4"]}, "moveNumber": 4, "played": "A9", "loss": 20.0,
        "lossUnit": "points", "class": "blunder", "best": "F6", "pv": ["F6", "F4"],
    }]);
    assert_eq!(white["worst"], worst);
    let black = &report["players"]["B"]["total"];
    assert_eq!(
        (&black["moves"], &black["meanPoints"], &black["bestRate"]),
        (&json!(3), &json!(0.0), &json!(100.0))
    );
    let none = json!({"document": {"uri": URI}, "lossThreshold": 21});
    assert_eq!(client.request("analysis/report", none)["report"]["players"]["W"]["worst"], json!([]));
    let bad = client.refused("analysis/report", json!({"document": {"uri": URI}, "lossThreshold": -1}));
    assert_eq!(bad["data"]["field"], "lossThreshold");

    // The record that the same review has written says the same without any.
    let (mut client, _) = Desk::exact(&one_blunder()[..6]).client();
    let params = json!({"document": {"text": GAME}, "limit": {"visits": 50}, "write": true});
    let subscription = client.request("analysis/game", params);
    let text = events(&mut client, &subscription).pop().unwrap()["edit"]["text"].clone();
    let stored = client.request("analysis/report", json!({"document": {"text": text}}))["report"].clone();
    assert_eq!(stored["source"], "record");
    assert_eq!(stored["players"], report["players"]);
    let table = json!({"document": {"text": text}, "format": "table"});
    let table = client.request("analysis/report", table)["text"].as_str().unwrap().to_owned();
    expect_test::expect![[r#"
        player  phase    moves  points lost  win rate lost  best moves  inaccuracies  mistakes  blunders
        Black   all          3          0.0           0.0%      100.0%             0         0         0
        Black   opening      3          0.0           0.0%      100.0%             0         0         0
        Black   middle       0            -              -           -             0         0         0
        Black   endgame      0            -              -           -             0         0         0
        White   all          2         10.0          20.0%       50.0%             0         0         1
        White   opening      2         10.0          20.0%       50.0%             0         0         1
        White   middle       0            -              -           -             0         0         0
        White   endgame      0            -              -           -             0         0         0

        player  move  played  loss  class    better
        White      4  A9      20.0  blunder  F6
    "#]]
    .assert_eq(&table);
    let markdown = json!({"document": {"text": text}, "format": "markdown"});
    let markdown = client.request("analysis/report", markdown)["text"].as_str().unwrap().to_owned();
    expect_test::expect![[r#"
        | player | phase | moves | points lost | win rate lost | best moves | inaccuracies | mistakes | blunders |
        |---|---|---|---|---|---|---|---|---|
        | Black | all | 3 | 0.0 | 0.0% | 100.0% | 0 | 0 | 0 |
        | Black | opening | 3 | 0.0 | 0.0% | 100.0% | 0 | 0 | 0 |
        | Black | middle | 0 | - | - | - | 0 | 0 | 0 |
        | Black | endgame | 0 | - | - | - | 0 | 0 | 0 |
        | White | all | 2 | 10.0 | 20.0% | 50.0% | 0 | 0 | 1 |
        | White | opening | 2 | 10.0 | 20.0% | 50.0% | 0 | 0 | 1 |
        | White | middle | 0 | - | - | - | 0 | 0 | 0 |
        | White | endgame | 0 | - | - | - | 0 | 0 | 0 |

        | player | move | played | loss | class | better |
        |---|---|---|---|---|---|
        | White | 4 | A9 | 20.0 | blunder | F6 |

        Values from the record. Opening: up to move 11; middle game: up to move 32. A move that gains loses nothing.
    "#]].assert_eq(&markdown);
}

#[test]
fn reports_at_the_shell() {
    let desk = Desk::exact(&one_blunder()[..6]);
    let file = desk.folder.path().join("game.sgf");
    std::fs::write(&file, GAME).unwrap();
    let config = desk.folder.path().join("shell.toml");
    let engine = desk.engine();
    let text = format!("[[engines]]\nname = 'fake'\npath = {}\nargs = {}\n", engine["path"], engine["args"]);
    std::fs::write(&config, text).unwrap();
    let report = |more: &[&str]| {
        let mut command = Command::new(kifud());
        command.env("XDG_STATE_HOME", desk.state()).arg("--config").arg(&config).arg("analyze").arg(&file);
        command.args(["--visits", "50", "--report"]).args(more);
        command.output().unwrap()
    };
    let output = report(&["json"]);
    assert!(output.status.success(), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["players"]["W"]["total"]["blunders"], 1);
    let output = report(&["markdown", "--write"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("| player | phase |") && text.contains("| A9 | 20.0 | blunder | F6 |"),
        "{text}"
    );
    assert!(std::fs::read_to_string(&file).unwrap().contains("KFCA["));
    assert_eq!(report(&["table", "--json"]).status.code(), Some(2), "one form at a time");
}

#[test]
fn a_newer_review_is_not_mixed_with_an_older_one() {
    // The second review is stopped by its engine's end after three nodes: the moves behind them still
    // have what the first one found, but nothing is said across the border.
    let mut script = one_blunder()[..6].to_vec();
    for number in 7..=9 {
        let turn = if number % 2 == 1 { "B" } else { "W" };
        script.push(search(number, turn, 99.0, 80.0, "J1"));
    }
    script.push("on kata-search_analyze @10: exit 3".to_owned());
    let desk = Desk::exact(&script);
    let mut client = editor(&desk, json!({}), GAME);
    review(&mut client);
    assert_eq!(codes(&sent(&mut client, 1, |found| !found.is_empty())), ["blunder"]);
    assert_eq!(review(&mut client)["reason"], "engineExited");
    change(&mut client, 2, &GAME.replace("SZ[9]", "SZ[9]C[x]"));
    assert_eq!(codes(&sent(&mut client, 2, |_| true)), ["blunder"], "and no 80 points that Black lost");
}
