//! Whole games on real engines: every node is analysed, and the engine's own board is ours.
//!
//! Runs when `KIFUD_ENGINES` names the folder that `tests/engines/setup.sh` filled.

#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use support::{Conversation, fixture, katago_rows, kifud};

/// The settings of the installed engines; says loudly when there are none.
fn config() -> Option<String> {
    let Some(engines) = std::env::var_os("KIFUD_ENGINES").map(PathBuf::from) else {
        eprintln!("SKIPPED: real engines; KIFUD_ENGINES names the folder of tests/engines/setup.sh");
        return None;
    };
    Some(engines.join("kifud.toml").to_str().unwrap().to_owned())
}

fn game() -> PathBuf {
    fixture("games/handicap-19x19.sgf")
}

/// Every node of the game as `{game, path}`.
fn nodes(client: &mut Conversation, document: &Value) -> Vec<Value> {
    let tree = client.request("record/tree", json!({"document": document, "paths": true}));
    let nodes = tree["games"][0]["nodes"].as_array().unwrap();
    nodes.iter().map(|node| json!({"game": 0, "path": node["path"]})).collect()
}

/// Analyses the whole game at the shell, variations too; gives the rows.
fn analyze(config: &str, engine: &str) -> Vec<Value> {
    let output = Command::new(kifud())
        .args(["--config", config, "analyze", game().to_str().unwrap(), "--engine", engine])
        .args(["--visits", "50", "--variations", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = rows.pop().unwrap();
    assert_eq!((&last["state"], &last["reason"]), (&json!("ended"), &json!("finished")), "{last}");
    rows
}

fn katago_board(client: &mut Conversation, engine: &Value) -> Vec<String> {
    katago_rows(&client.gtp(engine, "showboard"), 19)
}

/// Leela Zero draws on stderr; its record of the game tells the same on stdout.
fn leelaz_board(client: &mut Conversation, engine: &Value) -> Vec<String> {
    let text = client.gtp(engine, "printsgf");
    let document = json!({"text": text});
    let last = nodes(client, &document).pop().unwrap();
    let board = client.request("record/board", json!({"document": document, "node": last}));
    strings(&board["stones"])
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
}

fn every_node(engine: &str, engine_board: impl Fn(&mut Conversation, &Value) -> Vec<String>, score: bool) {
    let Some(config) = config() else { return };
    let rows = analyze(&config, engine);
    let mut client = Conversation::start(&["--config", &config]);
    let document = json!({"uri": game().to_str().unwrap()});
    let nodes = nodes(&mut client, &document);
    assert_eq!(rows.len(), nodes.len(), "a row a node");
    for (row, node) in rows.iter().zip(&nodes) {
        assert_eq!(&row["node"], node);
        let winrate = row["black"]["winrate"].as_f64().unwrap_or_else(|| panic!("{row}"));
        assert!((0.0..=100.0).contains(&winrate), "{row}");
        assert!(row["visits"].as_u64().unwrap() >= 50, "{row}");
        assert_eq!(row["scoreLead"].is_number(), score, "{row}");
    }
    let id = client.request("engine/attach", json!({"name": engine}))["engine"]["id"].clone();
    let mut passes = 0;
    for node in &nodes {
        let position = json!({"document": document, "node": node});
        let synced = client.request("engine/sync", json!({"engineId": id, "position": position}));
        let board = client.request("record/board", position);
        passes += usize::from(board["lastMove"]["vertex"] == "pass");
        assert_eq!(engine_board(&mut client, &id), strings(&board["stones"]), "{node} {synced}");
    }
    assert!(passes > 0, "the game has a pass");
    let spent: u64 = rows.iter().map(|row| row["visits"].as_u64().unwrap()).sum();
    println!("{engine}: {} nodes, {spent} visits, every board equals the engine's own", nodes.len());
    client.request("engine/detach", json!({"engineId": id}));
}

#[test]
fn katago_stands_on_every_node() {
    every_node("katago", katago_board, true);
}

#[test]
fn leela_zero_stands_on_every_node() {
    every_node("leelaz", leelaz_board, false);
}

#[test]
fn katago_s_analysis_engine_searches_every_node() {
    let Some(config) = config() else { return };
    let rows = analyze(&config, "katago-json");
    let mut client = Conversation::lsp(&["--config", &config], json!({}));
    let document = json!({"uri": game().to_str().unwrap()});
    assert_eq!(rows.len(), nodes(&mut client, &document).len(), "a row a node");
    for row in &rows {
        let winrate = row["black"]["winrate"].as_f64().unwrap_or_else(|| panic!("{row}"));
        assert!((0.0..=100.0).contains(&winrate), "{row}");
        assert_eq!((&row["visits"], row["scoreLead"].is_number()), (&json!(50), true), "exactly: {row}");
    }
    let attached = client.request("engine/attach", json!({"name": "katago-json"}))["engine"].clone();
    assert_eq!(
        (&attached["protocol"], &attached["capacity"]),
        (&json!("katago-json"), &json!(8)),
        "{attached}"
    );
    let at = |path: &str| json!({"document": document, "node": {"path": [path]}});
    let id = &attached["id"];
    let synced = client.request("engine/sync", json!({"engineId": id, "position": at("0*30")}));
    assert_eq!((&synced["strategy"], &synced["commands"]), (&json!("rebuild"), &json!([])), "{synced}");
    let subscription =
        client.request("engine/analyze", json!({"engineId": id, "position": at("0*20"), "interval": 10}));
    let running = client.event_in(&subscription, "running");
    assert!(running["moves"][0]["pv"].is_array(), "{running}");
    client.request("engine/stop", json!({"subscription": subscription}));
    assert_eq!(client.event_in(&subscription, "ended")["reason"], "stopped");
    for (method, params) in [
        ("engine/genmove", json!({"engineId": id, "position": at("0*20")})),
        ("engine/send", json!({"engineId": id, "command": "showboard"})),
    ] {
        let refused = client.refused(method, params);
        assert_eq!(refused["data"]["kind"], "EngineUnsupported", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("`katago gtp`"), "{refused}");
    }
    client.request("engine/detach", json!({"engineId": id}));
}

#[test]
fn gnu_go_plays_but_does_not_analyse() {
    let Some(config) = config() else { return };
    let mut client = Conversation::start(&["--config", &config]);
    let attached = client.request("engine/attach", json!({"name": "gnugo"}))["engine"].clone();
    assert_eq!(attached["supports"]["analyze"], false);
    let document = json!({"uri": game().to_str().unwrap()});
    let position = json!({"document": document, "node": {"path": ["0*44"]}});
    let refused = client.refused("engine/analyze", json!({"engineId": attached["id"], "position": position}));
    assert_eq!(refused["data"]["kind"], "EngineUnsupported", "{refused}");
    let none = client.refused("engine/analyze", json!({"position": position}));
    assert!(
        none["message"].as_str().unwrap().contains("none of the attached engines supports analysis"),
        "{none}"
    );
    let played = client.request("engine/genmove", json!({"engineId": attached["id"], "position": position}));
    let board = client.request("record/board", position);
    assert_eq!(played["move"]["color"], board["toPlay"]);
    assert_eq!((&played["resign"], &played["pass"]), (&json!(false), &json!(false)));
    client.request("engine/detach", json!({"engineId": attached["id"]}));

    let output = Command::new(kifud())
        .args(["--config", &config, "analyze", game().to_str().unwrap(), "--engine", "gnugo"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("does not support analysis"), "{said}");
}

#[test]
fn killed_engines_are_told_and_started_again_with_the_whole_state() {
    let Some(config) = config() else { return };
    let mut client = Conversation::start(&["--config", &config]);
    let document = json!({"uri": game().to_str().unwrap()});
    let at = |path: &str| json!({"document": document, "node": {"path": [path]}});
    let id = client.request("engine/attach", json!({"name": "katago"}))["engine"]["id"].clone();
    let subscription =
        client.request("engine/analyze", json!({"engineId": id, "position": at("0*20"), "interval": 10}));
    client.event_in(&subscription, "running");
    let pids = children(client.child.id(), "katago");
    assert_eq!(pids.len(), 1, "{pids:?}");
    Command::new("kill").args(["-9", &pids[0].to_string()]).status().unwrap();
    let ended = client.event_in(&subscription, "ended");
    assert_eq!(ended["reason"], "engineExited", "{ended}");
    assert!(ended["error"]["data"]["exitStatus"].as_str().unwrap().contains("SIGKILL"), "{ended}");
    let synced = client.request("engine/sync", json!({"engineId": id, "position": at("0*30")}));
    assert_eq!(synced["strategy"], "replay");
    assert_eq!(synced["commands"][0], "boardsize 19", "the whole state is sent again: {synced}");
    let board = client.request("record/board", at("0*30"));
    assert_eq!(katago_board(&mut client, &id), strings(&board["stones"]));
}

/// Two passes and better lines by the tiny net, whose opinions change with every visit. Every line is one that
/// the engine itself can be brought to, and nothing else of the record is touched.
#[test]
fn katago_reviews_in_two_passes_and_writes_lines_that_can_be_played() {
    let Some(config) = config() else { return };
    let folder = tempfile::tempdir().unwrap();
    for engine in ["katago", "katago-json"] {
        let file = folder.path().join(format!("{engine}.sgf"));
        std::fs::copy(fixture("games/short-9x9.sgf"), &file).unwrap();
        let before = std::fs::read_to_string(&file).unwrap();
        let output = Command::new(kifud())
            .env("XDG_STATE_HOME", folder.path())
            .args(["--config", &config, "analyze", file.to_str().unwrap(), "--engine", engine, "--json"])
            .args([
                "--visits",
                "20",
                "--deeper",
                "60",
                "--write",
                "--loss",
                "0",
                "--lines",
                "5",
                "--line-moves",
                "3",
            ])
            .output()
            .unwrap();
        assert!(output.status.success(), "{engine}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let visits = |pass: u64| {
            let of_pass = rows.iter().filter(|row| row["pass"] == pass);
            of_pass.map(|row| row["visits"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(visits(1), [20; 30], "{engine}");
        let deeper = visits(2).into_iter().filter(|visits| *visits == 60).count();
        assert!(
            deeper <= 8 + 8,
            "{engine}: a quarter of the nodes, some again when their loss changed: {deeper}"
        );
        let after = std::fs::read_to_string(&file).unwrap();
        let lines = after.matches('(').count() - before.matches('(').count();
        assert!((2..=10).contains(&lines), "{engine}: two parentheses a line: {after}");
        let mut client = Conversation::start(&["--config", &config]);
        let id = client.request("engine/attach", json!({"name": "katago"}))["engine"]["id"].clone();
        let document = json!({"uri": file.to_str().unwrap()});
        let all = nodes(&mut client, &document);
        let most = nodes(&mut client, &json!({"text": before})).len() + 5 * 3;
        assert!(all.len() <= most, "{engine}: {} nodes", all.len());
        for node in all {
            let position = json!({"document": document, "node": node});
            let synced = client.request("engine/sync", json!({"engineId": id, "position": position}));
            let board = client.request("record/board", position);
            assert_eq!(
                katago_rows(&client.gtp(&id, "showboard"), 9),
                strings(&board["stones"]),
                "{node} {synced}"
            );
        }
    }
}

/// Processes below `parent` whose command line names `program`.
fn children(parent: u32, program: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let ppid = stat.rsplit(')').next().unwrap_or_default().split_whitespace().nth(1).map(str::to_owned);
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        if ppid == Some(parent.to_string()) && line.contains(program) {
            found.push(pid);
        }
    }
    found
}

/// A whole game reviewed by KataGo: the findings are the rows that lose enough, the report is their sum,
/// and the better line of the worst of them can be put into the record and played.
#[test]
fn what_katago_finds_fault_with_is_shown_and_counted() {
    let Some(config) = config() else { return };
    let mut client = Conversation::lsp(&["--config", &config], json!({}));
    let uri = "file:///reviewed.sgf";
    // In one line, where columns are bytes.
    let plain = |character: char| if (' '..='~').contains(&character) { character } else { ' ' };
    let text: String = std::fs::read_to_string(game()).unwrap().chars().map(plain).collect();
    let open = json!({"uri": uri, "languageId": "sgf", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": open}));
    let id = client.request("engine/attach", json!({"name": "katago-json"}))["engine"]["id"].clone();
    let params = json!({"document": {"uri": uri}, "engineId": id, "limit": {"visits": 50}});
    let subscription = client.request("analysis/game", params);
    let rows = support::desk::events(&mut client, &subscription);
    assert_eq!(rows.last().unwrap()["reason"], "finished");
    let rows: Vec<&Value> = rows.iter().filter(|row| row["loss"].is_number()).collect();
    let loss = |row: &Value| row["loss"].as_f64().unwrap();

    // The tiny net has small opinions: the bounds are put between the losses that it has found.
    let others = rows.iter().filter(|row| row["best"] != row["played"]);
    let mut losses: Vec<f64> = others.map(|row| loss(row)).filter(|loss| *loss > 0.0).collect();
    losses.sort_by(f64::total_cmp);
    let bound = |part: usize| {
        let at = (losses.len() * part / 4).max(1);
        (losses[at - 1] + losses[at]) / 2.0
    };
    let points = [bound(1), bound(2), bound(3)];
    client.request("kifud/configure", json!({"set": {"blunders": {"points": points}}}));
    let class = |row: &Value| match loss(row) {
        _ if row["best"] == row["played"] => None,
        loss if loss >= points[2] => Some("blunder"),
        loss if loss >= points[1] => Some("mistake"),
        loss if loss >= points[0] => Some("inaccuracy"),
        _ => None,
    };
    let mut expected: Vec<&str> = rows.iter().filter_map(|row| class(row)).collect();
    assert!(expected.len() >= 3, "the net finds something: {losses:?}");
    expected.sort_unstable();
    let codes = |message: &Value| {
        let all = message["params"]["diagnostics"].as_array().unwrap().clone();
        let verdict = |code: &Value| code == "blunder" || code == "mistake" || code == "inaccuracy";
        all.into_iter().filter(|finding| verdict(&finding["code"])).collect::<Vec<Value>>()
    };
    let told = client.wait("all verdicts", |message| {
        message["method"] == "textDocument/publishDiagnostics" && codes(message).len() == expected.len()
    });
    let findings = codes(&told);
    let mut found: Vec<&str> = findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, expected);

    let report = client.request("analysis/report", json!({"document": {"uri": uri}}))["report"].clone();
    for color in ["B", "W"] {
        let own: Vec<f64> =
            rows.iter().filter(|row| row["color"] == color).map(|row| loss(row).max(0.0)).collect();
        let total = &report["players"][color]["total"];
        assert_eq!(total["moves"], own.len(), "{total}");
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((total["meanPoints"].as_f64().unwrap() - mean).abs() < 1e-3, "{total}: {mean}");
        let best = rows.iter().filter(|row| row["color"] == color && row["best"] == row["played"]).count();
        let rate = 100.0 * best as f64 / own.len() as f64;
        assert!((total["bestRate"].as_f64().unwrap() - rate).abs() < 1e-3, "{total}: {rate}");
    }

    let fix = findings.iter().find_map(|finding| {
        let params = json!({
            "textDocument": {"uri": uri}, "range": finding["range"],
            "context": {"diagnostics": [], "only": ["quickfix"]},
        });
        let actions = client.request("textDocument/codeAction", params);
        let offered = actions.as_array().unwrap().iter();
        offered.clone().find(|action| action["title"].as_str().unwrap().contains("engine's line")).cloned()
    });
    let mut edits =
        fix.expect("a better line")["edit"]["documentChanges"][0]["edits"].as_array().unwrap().clone();
    let at = |edit: &Value, end: &str| edit["range"][end]["character"].as_u64().unwrap() as usize;
    edits.sort_by_key(|edit| std::cmp::Reverse(at(edit, "start")));
    let mut after = text.clone();
    for edit in &edits {
        after.replace_range(at(edit, "start")..at(edit, "end"), edit["newText"].as_str().unwrap());
    }
    let document = json!({"text": after});
    let (before, now) = (nodes(&mut client, &json!({"text": text})), nodes(&mut client, &document));
    assert!(now.len() > before.len(), "{after}");
    let last = now.iter().max_by_key(|node| node["path"].as_array().unwrap().len()).unwrap();
    let board = client.request("record/board", json!({"document": document, "node": last}));
    assert_eq!(board["skipped"], json!([]), "every move of the line is on the board");
    println!("{} moves, {} verdicts", rows.len(), findings.len());
    client.request("engine/detach", json!({"engineId": id}));
}
