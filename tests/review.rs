//! Reviews of whole games over the protocol, with engines that say what a script says: two passes, budgets,
//! journals, better lines.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use kifud::engine::{Host, Timeouts};
use kifud::service::Service;
use kifud::service::settings::Settings;
use kifud::service::table::{Answer, Call, Table};
use serde_json::{Value, json};
use support::desk::{Desk, GAME, events, one_blunder, search, short};
use support::{Conversation, example, kifud};

#[test]
fn the_second_pass_looks_again_where_much_was_lost() {
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    let params = json!({"document": {"text": GAME}, "limit": {"visits": 50}, "deeper": {"visits": 200}});
    let subscription = client.request("analysis/game", params);
    let events = events(&mut client, &subscription);
    assert_eq!((&events[0]["total"], events[0].get("resumed")), (&json!(6), None));
    let expected = [
        (0, 1, None),
        (1, 1, Some(0.0)),
        (2, 1, Some(0.0)),
        (3, 1, Some(0.0)),
        (4, 1, Some(20.0)),
        (5, 1, Some(0.0)),
        // Of six nodes a quarter: the two around the blunder. The node before it is better known, and
        // that changes what the blunder lost; then the blunder itself, and what the move after it lost.
        (3, 2, Some(-0.5)),
        (4, 2, Some(19.5)),
        (4, 2, Some(21.5)),
        (5, 2, Some(2.0)),
    ];
    assert_eq!(short(&events), expected);
    let (newest, last) = (&events[9], events.last().unwrap());
    assert_eq!(
        (&newest["best"], &newest["winrate"], &newest["black"]["scoreLead"]),
        (&json!("F7"), &json!(5.0), &json!(22.0))
    );
    assert_eq!(newest["progress"], json!({"done": 2, "total": 2}));
    assert_eq!((&last["reason"], &last["left"], last.get("edit")), (&json!("finished"), &json!(0), None));
    let log = std::fs::read_to_string(desk.folder.path().join("log")).unwrap();
    assert_eq!(log.matches("maxVisits 50\n").count(), 6);
    assert_eq!(log.matches("maxVisits 200\n").count(), 2);
    assert_eq!(desk.journals().len(), 0, "a finished review leaves nothing behind");
}

#[test]
fn one_limit_is_one_pass() {
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    let params = json!({"document": {"text": GAME}, "limit": {"visits": 50}});
    let subscription = client.request("analysis/game", params);
    assert_eq!(short(&events(&mut client, &subscription)).len(), 6);
    assert_eq!(desk.searches(), 6);
}

/// A review of the game with one blunder that writes; gives the new text.
fn written(more: Value) -> String {
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    let mut params = json!({
        "document": {"text": GAME}, "limit": {"visits": 50}, "deeper": {"visits": 200}, "write": true,
    });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let subscription = client.request("analysis/game", params);
    let text = events(&mut client, &subscription).pop().unwrap()["edit"]["text"].as_str().unwrap().to_owned();
    support::without(&text, &["KFCA"])
}

#[test]
fn better_lines_are_written_where_a_move_loses_enough() {
    let values = "(;SZ[9]SBKV[50]SBKS[0];B[ee]SBKV[50]SBKS[0];W[cc]SBKV[50]SBKS[0];B[gg]SBKV[52]SBKS[0.5]";
    let rest = ";W[aa]SBKV[95]SBKS[22];B[gc]SBKV[90]SBKS[20]";
    // F7 is fc, F3 is fg, D4 is df; after F7 White has 47 percent and is 1.5 points behind.
    let line = "(;W[fc]SBKV[53]SBKS[1.5];B[fg];W[];B[df])";
    assert_eq!(written(json!({"lossThreshold": 20})), format!("{values}({rest}){line})"));
    let short = "(;W[fc]SBKV[53]SBKS[1.5];B[fg])";
    assert_eq!(
        written(json!({"lossThreshold": 21.5, "variationMoves": 2})),
        format!("{values}({rest}){short})")
    );
    assert_eq!(
        written(json!({"lossThreshold": 21.6})),
        format!("{values}{rest})"),
        "not below the threshold"
    );
    assert_eq!(written(json!({})), format!("{values}{rest})"));
    // Black's last move loses 2 points, but the engine would have played it, too: only one line.
    assert_eq!(written(json!({"lossThreshold": 0.1})), format!("{values}({rest}){line})"));
}

#[test]
fn at_most_so_many_lines_the_worst_moves_first() {
    // Every other move loses: White's by 3, 5 and 4 points, one after the other.
    let leads = [0.0, 0.0, 3.0, 3.0, 8.0, 8.0, 12.0];
    let script: Vec<String> = leads
        .iter()
        .enumerate()
        .map(|(node, lead)| search(node + 1, if node % 2 == 0 { "B" } else { "W" }, 50.0, *lead, "J1"))
        .collect();
    let text = "(;SZ[9];B[ee];W[cc];B[gg];W[aa];B[gc];W[ac])";
    let lines = |max: usize| {
        let desk = Desk::exact(&script);
        let (mut client, _) = desk.client();
        let params = json!({
            "document": {"text": text}, "limit": {"visits": 50}, "write": true, "lossThreshold": 1,
            "maxVariations": max,
        });
        let subscription = client.request("analysis/game", params);
        let last = events(&mut client, &subscription).pop().unwrap();
        support::without_values(last["edit"]["text"].as_str().unwrap())
    };
    assert_eq!(lines(1), "(;SZ[9];B[ee];W[cc];B[gg](;W[aa];B[gc];W[ac])(;W[ii]))");
    assert_eq!(lines(2), "(;SZ[9];B[ee];W[cc];B[gg](;W[aa];B[gc](;W[ac])(;W[ii]))(;W[ii]))");
    assert_eq!(lines(3), "(;SZ[9];B[ee](;W[cc];B[gg](;W[aa];B[gc](;W[ac])(;W[ii]))(;W[ii]))(;W[ii]))");
}

#[test]
fn an_editor_is_shown_which_part_is_which() {
    for supported in [true, false] {
        let desk = Desk::exact(&one_blunder());
        let mut command = Command::new(kifud());
        command.env("XDG_STATE_HOME", desk.state());
        let mut client = Conversation::spawn(command);
        let mut edits = json!({"documentChanges": true});
        if supported {
            edits["changeAnnotationSupport"] = json!({});
        }
        let workspace = json!({"applyEdit": true, "workspaceEdit": edits});
        client.initialize(json!({"capabilities": {"workspace": workspace}}));
        let uri = "file:///game.sgf";
        let open = json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 7, "text": GAME}});
        client.notify("textDocument/didOpen", open);
        client.request("engine/attach", json!({"engine": desk.engine()}));
        let params = json!({
            "document": {"uri": uri}, "limit": {"visits": 50}, "deeper": {"visits": 200}, "write": true,
            "lossThreshold": 20,
        });
        let subscription = client.request("analysis/game", params);
        let asked = client.serve("workspace/applyEdit", json!({"applied": true}));
        let edit = &asked["edit"];
        let edits = edit["documentChanges"][0]["edits"].as_array().unwrap();
        let line = edits.iter().find(|edit| edit["newText"].as_str().unwrap().contains("W[fc]")).unwrap();
        let value = edits.iter().find(|edit| edit["newText"] == "SBKV[95]").unwrap();
        if supported {
            let confirmed = |edit: &Value| {
                let id = edit["annotationId"].as_str().unwrap();
                asked["edit"]["changeAnnotations"][id]["needsConfirmation"].clone()
            };
            assert_eq!((confirmed(line), confirmed(value)), (json!(true), json!(false)), "{asked}");
        } else {
            assert_eq!(edit.get("changeAnnotations"), None, "{asked}");
            assert!(edits.iter().all(|edit| edit.get("annotationId").is_none()), "{asked}");
        }
        let last = client.event_in(&subscription, "ended");
        assert_eq!(last["edit"]["applied"], true);
    }
}

/// A long game: a pass a node.
fn long_game(moves: usize) -> String {
    let moves: String = (0..moves).map(|number| if number % 2 == 0 { ";B[]" } else { ";W[]" }).collect();
    format!("(;SZ[9]{moves})")
}

#[test]
fn a_budget_bounds_the_whole_review() {
    // Each search takes 100 ms at least: in half a second there are at most six.
    for script in ["on kata-analyze: sleep 100; default", "on kata-search_analyze: sleep 100; default"] {
        let desk = Desk::exact(&[script.to_owned()]);
        let (mut client, _) = desk.client();
        let mut params = json!({"document": {"text": long_game(99)}, "budgetSeconds": 0.5, "write": true});
        if script.contains("search") {
            params["limit"] = json!({"visits": 50});
        }
        let subscription = client.request("analysis/game", params);
        let events = events(&mut client, &subscription);
        let (rows, last) = (short(&events), events.last().unwrap());
        assert_eq!(last["reason"], "budget", "{last}");
        assert!(rows.len() <= 6, "{script}: {} nodes", rows.len());
        assert_eq!(last["left"].as_u64().unwrap() as usize, 100 - rows.len(), "{script}");
        assert_eq!(desk.journals().len(), usize::from(!rows.is_empty()), "{script}: it can be gone on with");
    }
    // All the time of the world: both passes, nothing is left.
    let desk = Desk::exact(&one_blunder());
    let (mut client, _) = desk.client();
    let params = json!({
        "document": {"text": GAME}, "limit": {"visits": 50}, "budgetSeconds": 1000, "deeper": {"visits": 200},
    });
    let subscription = client.request("analysis/game", params);
    let events = events(&mut client, &subscription);
    assert_eq!((short(&events).len(), &events.last().unwrap()["reason"]), (10, &json!("finished")));
}

fn resumable(text: &str) -> Value {
    json!({"document": {"text": text}, "limit": {"visits": 50}, "resume": true})
}

/// Begins a review of a game and waits for so many rows.
fn begin(client: &mut Conversation, text: &str, rows: usize) -> Value {
    let subscription = client.request("analysis/game", resumable(text));
    (0..rows).for_each(|_| _ = client.event_in(&subscription, "running"));
    subscription
}

#[test]
fn a_review_that_was_stopped_goes_on_where_it_was() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let (mut client, _) = desk.client();
    let text = long_game(29);
    let subscription = begin(&mut client, &text, 5);
    client.request("engine/stop", json!({"subscription": subscription}));
    let stopped = client.event_in(&subscription, "ended");
    assert_eq!(stopped["reason"], "stopped");
    let left = stopped["left"].as_u64().unwrap();
    assert_eq!(desk.journals().len(), 1);
    // Another depth is another search.
    let mut deeper = resumable(&text);
    deeper["limit"]["visits"] = json!(51);
    let other = client.request("analysis/game", deeper);
    assert_eq!(client.event_in(&other, "started")["resumed"], 0);
    client.request("engine/stop", json!({"subscription": other}));
    client.event_in(&other, "ended");
    // The search that was given up has ended, too.
    client.request("engine/send", json!({"engineId": "engine-1", "command": "name"}));
    let before = desk.searches();
    let subscription = client.request("analysis/game", resumable(&text));
    let events = events(&mut client, &subscription);
    assert_eq!(events[0]["resumed"].as_u64(), Some(30 - left), "{}", events[0]);
    assert_eq!((short(&events).len(), &events.last().unwrap()["reason"]), (30, &json!("finished")));
    assert_eq!(desk.searches() - before, left as usize, "no node is searched twice");
}

#[test]
fn an_engine_that_is_set_up_in_another_way_is_another_engine() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let (mut client, mut id) = desk.client();
    let text = long_game(29);
    let subscription = begin(&mut client, &text, 3);
    client.request("engine/stop", json!({"subscription": subscription}));
    client.event_in(&subscription, "ended");
    for (key, value, is_known) in [
        ("perspective", json!("black"), false),
        ("commands", json!("known_command name"), false),
        ("env", json!({"FAKE_LOG": desk.folder.path().join("log"), "MODEL": "x"}), false),
        ("cwd", json!(desk.folder.path()), false),
        ("name", json!("the same"), true),
    ] {
        client.request("engine/detach", json!({"engineId": id}));
        let mut engine = desk.engine();
        engine[key] = value;
        id = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
        let subscription = client.request("analysis/game", resumable(&text));
        let started = client.event_in(&subscription, "started");
        assert_eq!(started["resumed"].as_u64().unwrap() >= 3, is_known, "{key}: {started}");
        assert_eq!(started["resumed"] == 0, !is_known, "{key}: {started}");
        client.request("engine/stop", json!({"subscription": subscription}));
        client.event_in(&subscription, "ended");
    }
}

#[test]
fn equal_positions_are_searched_once() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let (mut client, _) = desk.client();
    // Eight nodes of three positions, then twenty more.
    let rest = ";B[];W[]".repeat(10);
    let text = format!("(;SZ[9];B[ee];C[a];C[b];C[c];W[cc];C[d];C[e]{rest})");
    let subscription = begin(&mut client, &text, 6);
    let searches = desk.searches();
    client.request("engine/stop", json!({"subscription": subscription}));
    client.event_in(&subscription, "ended");
    client.request("engine/send", json!({"engineId": "engine-1", "command": "name"}));
    assert!(searches < 6, "{searches} searches for six rows");
    let before = desk.searches();
    let subscription = client.request("analysis/game", resumable(&text));
    let events = events(&mut client, &subscription);
    let resumed = events[0]["resumed"].as_u64().unwrap() as usize;
    assert!((8..28).contains(&resumed), "{}", events[0]);
    assert_eq!((short(&events).len(), &events.last().unwrap()["reason"]), (28, &json!("finished")));
    assert_eq!(desk.searches() - before, 28 - resumed, "all that are told to be known are");
}

#[test]
fn another_budget_is_another_depth() {
    let desk = Desk::exact(&["on kata-analyze: sleep 20; default".to_owned()]);
    let (mut client, _) = desk.client();
    let mut resumed = |budget: f64| {
        let params = json!({
            "document": {"text": long_game(29)}, "budgetSeconds": budget, "passes": 1, "resume": true,
        });
        let subscription = client.request("analysis/game", params);
        let started = client.event_in(&subscription, "started");
        client.event_in(&subscription, "running");
        client.request("engine/stop", json!({"subscription": subscription}));
        client.event_in(&subscription, "ended");
        started["resumed"].as_u64().unwrap()
    };
    assert_eq!(resumed(3.0), 0);
    assert_ne!(resumed(3.0), 0, "the same goes on");
    assert_eq!(resumed(4.0), 0);
}

#[test]
fn an_engine_that_is_let_go_stops_the_review() {
    let slow = |on: &str| vec![format!("on {on}: sleep 50; default")];
    let json_engine = json!({
        "name": "json", "path": example("fake-json-engine").to_str().unwrap(), "protocol": "katago-json",
        "args": ["on maxVisits: sleep 50"],
    });
    for (script, limit, other) in [
        (slow("kata-search_analyze"), json!({"visits": 50}), None),
        (slow("kata-analyze"), json!({"seconds": 0.2}), None),
        (vec![], json!({"visits": 50}), Some(json_engine)),
    ] {
        let desk = Desk::exact(&script);
        let (mut client, mut id) = desk.client();
        if let Some(engine) = other {
            id = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
        }
        let params = json!({"document": {"text": long_game(60)}, "engineId": id, "limit": limit});
        let subscription = client.request("analysis/game", params);
        client.event_in(&subscription, "running");
        client.request("engine/detach", json!({"engineId": id}));
        let ended = client.event_in(&subscription, "ended");
        assert_eq!((&ended["reason"], ended.get("error")), (&json!("stopped"), None), "{limit}: {ended}");
        assert!(ended["left"].as_u64().unwrap() > 0, "{limit}: {ended}");
    }
}

#[test]
fn without_being_asked_to_nothing_is_resumed() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let (mut client, _) = desk.client();
    let subscription = begin(&mut client, &long_game(29), 3);
    client.request("kifud/unsubscribe", json!({"subscription": subscription}));
    let params = json!({"document": {"text": long_game(4)}, "limit": {"visits": 50}});
    let subscription = client.request("analysis/game", params);
    let events = events(&mut client, &subscription);
    assert_eq!((events[0].get("resumed"), &events.last().unwrap()["reason"]), (None, &json!("finished")));
}

#[test]
fn a_review_outlives_the_daemon() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let text = long_game(29);
    let (mut client, _) = desk.client();
    begin(&mut client, &text, 10);
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    drop(client);
    let journals = desk.journals();
    assert_eq!(journals.len(), 1);
    // The crash came in the middle of a line.
    let whole = std::fs::read_to_string(&journals[0]).unwrap();
    let known = whole.lines().count() - 2;
    std::fs::write(&journals[0], &whole[..whole.len() - 7]).unwrap();
    std::fs::write(journals[0].with_file_name("foreign.jsonl"), "not a journal\n").unwrap();
    let (mut client, _) = desk.client();
    let before = desk.searches();
    let subscription = client.request("analysis/game", resumable(&text));
    let events = events(&mut client, &subscription);
    assert_eq!(events[0]["resumed"], known, "all but the torn one");
    assert!(known >= 9, "a row is in the journal before it is sent: {known}");
    assert_eq!((short(&events).len(), &events.last().unwrap()["reason"]), (30, &json!("finished")));
    assert_eq!(desk.searches() - before, 30 - known, "no node is searched twice");
    assert_eq!(desk.journals().len(), 1, "only the foreign file is left");
}

#[test]
fn a_review_outlives_the_engine() {
    let desk = Desk::exact(&["on kata-search_analyze @6: exit 3".to_owned()]);
    let (mut client, id) = desk.client();
    let text = long_game(9);
    let subscription = client.request("analysis/game", resumable(&text));
    let ended = events(&mut client, &subscription).pop().unwrap();
    assert_eq!((&ended["reason"], &ended["left"]), (&json!("engineExited"), &json!(5)), "{ended}");
    client.request("engine/detach", json!({"engineId": id}));
    client.request("engine/attach", json!({"engine": desk.engine()}));
    let before = desk.searches();
    let subscription = client.request("analysis/game", resumable(&text));
    let events = events(&mut client, &subscription);
    assert_eq!((&events[0]["resumed"], &events.last().unwrap()["reason"]), (&json!(5), &json!("finished")));
    assert_eq!(desk.searches() - before, 5);
}

#[test]
fn an_edit_in_between_costs_the_nodes_that_it_changes() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let (mut client, _) = desk.client();
    let text = "(;SZ[9];B[aa];W[bb];B[cc];W[dd];B[ee];W[ff];B[gg])";
    let subscription = begin(&mut client, text, 6);
    client.request("engine/stop", json!({"subscription": subscription}));
    let left = client.event_in(&subscription, "ended")["left"].as_u64().unwrap();
    assert!(left <= 2);
    client.request("engine/send", json!({"engineId": "engine-1", "command": "name"}));
    // A comment changes nothing, a variation of its own neither; another fourth move changes the rest.
    let edited = "(;SZ[9]C[x];B[aa](;W[bb]SBKV[1];B[cc];W[hh];B[ee];W[ff];B[gg])(;W[ii]))";
    let before = desk.searches();
    let subscription = client.request("analysis/game", resumable(edited));
    let events = events(&mut client, &subscription);
    assert_eq!(events[0]["resumed"], 4, "the root and three moves");
    assert_eq!(short(&events).len(), 8);
    assert_eq!(desk.searches() - before, 4);
}

#[test]
fn an_untrusted_session_has_no_journal() {
    let desk = Desk::exact(&[]);
    let config = desk.folder.path().join("kifud.toml");
    let path = example("fake-engine");
    std::fs::write(
        &config,
        format!("[[engines]]\nname = 'fake'\npath = {path:?}\nargs = ['commands +kata-analyze']\n"),
    )
    .unwrap();
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", desk.state()).arg("--config").arg(&config);
    let mut client = Conversation::spawn(command);
    client.initialize(json!({"initializationOptions": {"trusted": false}}));
    client.request("engine/attach", json!({"name": "fake"}));
    let refused = client.refused("analysis/game", resumable(GAME));
    assert_eq!(refused["data"]["kind"], "NotTrusted");
    let params = json!({"document": {"text": long_game(50)}, "limit": {"visits": 50}});
    let subscription = client.request("analysis/game", params);
    client.event_in(&subscription, "running");
    client.request("engine/stop", json!({"subscription": subscription}));
    client.event_in(&subscription, "ended");
    assert_eq!(desk.journals(), Vec::<PathBuf>::new());
}

#[test]
fn bad_params_are_named() {
    let desk = Desk::exact(&[]);
    let (mut client, _) = desk.client();
    for (params, field) in [
        (json!({"passes": 3}), "passes"),
        (json!({"lossThreshold": 2}), "lossThreshold"),
        (json!({"deeper": {"share": 2}}), "deeper.share"),
        (json!({"deeper": {"depth": 2}}), "deeper.depth"),
    ] {
        let mut params = params;
        params["document"] = json!({"text": GAME});
        let error = client.refused("analysis/game", params);
        assert_eq!(
            (&error["data"]["kind"], &error["data"]["field"]),
            (&json!("InvalidParams"), &json!(field)),
            "{error}"
        );
    }
}

#[test]
fn upper_bounds_are_named() {
    let desk = Desk::exact(&[]);
    let (mut client, _) = desk.client();
    for time in [
        json!({"main": 1e308}),
        json!({"byoyomi": {"seconds": 1e308, "periods": 1}}),
        json!({"canadian": {"seconds": 1e308, "stones": 1}}),
    ] {
        let error = client.refused("game/start", json!({"time": time}));
        assert!(error["message"].as_str().unwrap().ends_with(" to 10000000"), "{error}");
    }
    let error = client.refused("engine/analyze", json!({"limit": {"seconds": 1e308}}));
    assert!(error["message"].as_str().unwrap().ends_with("at most 10000000"), "{error}");
}

/// Exit code, stdout and stderr of `kifud analyze` on a file of its own.
fn at_the_shell(desk: &Desk, file: &Path, more: &[&str]) -> Command {
    let config = desk.folder.path().join("shell.toml");
    let engine = desk.engine();
    let text = format!(
        "[[engines]]\nname = 'fake'\npath = {}\nargs = {}\nenv = {{ FAKE_LOG = {} }}\n",
        engine["path"], engine["args"], engine["env"]["FAKE_LOG"]
    );
    std::fs::write(&config, text).unwrap();
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", desk.state()).arg("--config").arg(&config).arg("analyze").arg(file);
    command.args(["--visits", "50"]).args(more);
    command
}

#[test]
fn deeper_and_lines_at_the_shell() {
    let desk = Desk::exact(&one_blunder());
    let file = desk.folder.path().join("game.sgf");
    std::fs::write(&file, GAME).unwrap();
    let more = ["--deeper", "200", "--write", "--loss", "20", "--line-moves", "1"];
    let output = at_the_shell(&desk, &file, &more).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(table.lines().count(), 7, "a heading and a line a node: {table}");
    assert!(table.lines().any(|line| line.contains("W A9") && line.contains("21.5")), "{table}");
    let text = support::without_values(&std::fs::read_to_string(&file).unwrap());
    assert_eq!(text, "(;SZ[9];B[ee];W[cc];B[gg](;W[aa];B[gc])(;W[fc]))");
}

#[test]
fn an_interrupted_command_goes_on_with_resume() {
    let desk = Desk::exact(&["on kata-search_analyze: sleep 20; default".to_owned()]);
    let file = desk.folder.path().join("game.sgf");
    std::fs::write(&file, long_game(29)).unwrap();
    let mut child = at_the_shell(&desk, &file, &["--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    for _ in 0..5 {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut out, &mut line).unwrap();
        assert!(line.contains("running"), "{line}");
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("interrupted") && said.contains("--resume"), "{said}");
    let before = desk.searches();
    let output = at_the_shell(&desk, &file, &["--resume"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(desk.searches() - before <= 25, "what was found is not searched again");
    assert!(String::from_utf8_lossy(&output.stderr).contains("known from an earlier review"), "{output:?}");
}

/// A daemon with a configured engine that speaks JSON.
fn with_json(desk: &Desk, path: &str, script: &str) -> Conversation {
    let config = desk.folder.path().join("json.toml");
    let log = desk.folder.path().join("json-log");
    let text = format!(
        "[[engines]]\nname = 'json'\npath = {path:?}\nargs = [{script:?}]\nprotocol = 'katago-json'\n\
         env = {{ FAKE_LOG = {log:?} }}\n"
    );
    std::fs::write(&config, text).unwrap();
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", desk.state()).arg("--config").arg(&config);
    Conversation::spawn(command)
}

#[test]
fn an_engine_for_many_positions_is_preferred_and_given_many() {
    // It answers when four queries are open, the newest first.
    let desk = Desk::exact(&[]);
    let mut client = with_json(&desk, example("fake-json-engine").to_str().unwrap(), "gather 4");
    client.request("engine/attach", json!({"engine": desk.engine()}));
    let params = json!({"document": {"text": long_game(7)}, "limit": {"visits": 50}});
    let subscription = client.request("analysis/game", params);
    let events = events(&mut client, &subscription);
    assert_eq!(events[0]["engineId"], "engine-2", "started for the review");
    let mut rows = short(&events);
    rows.sort_by_key(|(depth, _, _)| *depth);
    let depths: Vec<u64> = rows.iter().map(|(depth, _, _)| *depth).collect();
    assert_eq!(depths, [0, 1, 2, 3, 4, 5, 6, 7], "each once");
    assert!(rows[1..].iter().all(|(_, _, loss)| loss.is_some()), "with what was before it: {events:?}");
    assert_eq!((desk.searches(), &events.last().unwrap()["reason"]), (0, &json!("finished")));
    let log = std::fs::read_to_string(desk.folder.path().join("json-log")).unwrap();
    assert!(log.contains("!open 4") && !log.contains("!open 5"), "as many as it takes: {log}");
    let attached = client.request("engine/list", json!({}))["attached"].clone();
    let ids: Vec<&Value> = attached.as_array().unwrap().iter().map(|engine| &engine["id"]).collect();
    assert_eq!(ids, ["engine-1"], "let go with the review");
}

#[test]
fn an_engine_that_does_not_start_leaves_the_review_to_another() {
    let desk = Desk::exact(&[]);
    let mut client = with_json(&desk, "/no/such/engine", "");
    let params = json!({"document": {"text": GAME}, "limit": {"visits": 50}});
    let refused = client.refused("analysis/game", params.clone());
    assert_eq!(refused["data"]["kind"], "EngineStartFailed", "there is no other");
    client.request("engine/attach", json!({"engine": desk.engine()}));
    let subscription = client.request("analysis/game", params);
    assert_eq!(short(&events(&mut client, &subscription)).len(), 6);
    assert_eq!(desk.searches(), 6);
}

/// A client that reads nothing: the review waits for it, and goes on as soon as it reads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_client_holds_back_the_searches() {
    let desk = Desk::exact(&[]);
    let mut settings = Settings::default();
    settings.engines.push(serde_json::from_value(desk.engine()).unwrap());
    let service = Service::new(settings, Host::new(Timeouts::default(), kifud()));
    // Not trusted, so no journal is written to this machine's own folder.
    let session = service.open_session(false).unwrap();
    let call = async |method: &str, params: Value| {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        let call = Call { id: None, method, params: Some(&params), subscription: None };
        Table::dispatch(&service, &session, call).await.unwrap()
    };
    call("engine/attach", json!({"name": "fake"})).await;
    let other = async || {
        call("engine/sync", json!({"engineId": "engine-1", "position": {"boardSize": 9}})).await;
    };
    let params = json!({"document": {"text": long_game(399)}, "limit": {"visits": 50}});
    let Answer::Stream { subscription, .. } = call("analysis/game", params).await else {
        panic!("no stream")
    };
    // The first event and 255 rows wait; the search after them was begun when there was room.
    while desk.searches() < 255 {
        other().await;
    }
    // A review that went on would be searching while the engine answers these.
    for _ in 0..20 {
        other().await;
    }
    assert!(desk.searches() <= 256, "{} searches", desk.searches());
    let mut events = 0;
    while subscription.next().await.is_some() {
        events += 1;
    }
    assert_eq!((events, desk.searches()), (402, 400));
    service.shutdown().await;
}
