//! The door for language models, from outside: a client of the protocol's own SDK.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rmcp::model::{CallToolRequestParams, JsonObject, ProgressNotificationParam};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use support::{PATIENCE, fixture, kifud};

/// How far the work is: done, of how much, in words.
type Told = (f64, Option<f64>, Option<String>);

/// Hears it.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<Told>>>);

impl ClientHandler for Ear {
    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push((told.progress, told.total, told.message));
    }
}

/// A model's end of the conversation.
struct Model {
    client: RunningService<RoleClient, Ear>,
    /// Its server finds nothing of the user's here.
    _home: tempfile::TempDir,
}

impl Model {
    async fn start(arguments: &[&str]) -> Model {
        let home = tempfile::tempdir().unwrap();
        let mut command = tokio::process::Command::new(kifud());
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            command.env(name, home.path());
        }
        command.env_remove("KIFUD_CONFIG").arg("mcp").args(["--root", fixture("").to_str().unwrap()]);
        command.args(arguments);
        let client = Ear::default().serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
        Model { client, _home: home }
    }

    /// Calls a tool: its answer, or why it was refused.
    async fn call(&self, tool: &'static str, arguments: Value) -> Result<String, String> {
        let arguments: JsonObject = serde_json::from_value(arguments).unwrap();
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = tokio::time::timeout(PATIENCE, self.client.call_tool(request)).await;
        let result = result.expect("an answer").unwrap();
        let text = result.content.iter().filter_map(|part| part.as_text()).map(|part| part.text.as_str());
        let text: String = text.collect();
        if result.is_error == Some(true) { Err(text) } else { Ok(text) }
    }

    async fn asks(&self, tool: &'static str, arguments: Value) -> String {
        self.call(tool, arguments).await.unwrap_or_else(|why| panic!("{tool}: {why}"))
    }

    async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        match self.call(tool, arguments).await {
            Err(why) => why,
            Ok(text) => panic!("{tool} should refuse: {text}"),
        }
    }
}

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[tokio::test]
async fn tools_are_there_with_words_and_schemas() {
    let model = Model::start(&[]).await;
    let tools = model.client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    for name in ["xiangqi_play", "show_board", "worst_moves", "analyse_node", "xiangqi_explain_repetition"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let play = tools.iter().find(|tool| tool.name == "xiangqi_play").unwrap();
    assert_eq!(play.input_schema["required"], json!(["move"]));
    assert!(
        tools
            .iter()
            .all(|tool| tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) == Some(true))
    );
    let told = model.client.peer_info().unwrap().instructions.clone().unwrap();
    holds(&told, &["xiangqi", "record"]);
    let unknown = model.client.call_tool(CallToolRequestParams::new("resign")).await.unwrap_err().to_string();
    holds(&unknown, &["there is no tool resign", "xiangqi_play"]);
    model.client.cancel().await.unwrap();
}

/// The first ten plies of an opening from the books: 中炮 against 屏风马.
#[tokio::test]
async fn ten_plies_of_xiangqi_in_any_notation() {
    let model = Model::start(&[]).await;
    let opening = [
        ("炮二平五", "h2e2"),
        ("h9g7", "h9g7"),
        ("H2+3", "h0g2"),
        ("车9平8", "i9h9"),
        ("i0h0", "i0h0"),
        ("馬2進3", "b9c7"),
        ("兵七进一", "c3c4"),
        ("卒7进1", "g6g5"),
        ("车二进六", "h0h6"),
        ("炮8平9", "h7i7"),
    ];
    let mut moves: Vec<&str> = Vec::new();
    for (ply, (text, iccs)) in opening.into_iter().enumerate() {
        let said = model.asks("xiangqi_play", json!({"moves": moves, "move": text})).await;
        moves.push(iccs);
        let next = if ply % 2 == 0 { "Black is to move" } else { "Red is to move" };
        holds(&said, &[iccs, next, &format!("To go on, give moves = {}", json!(moves))]);
    }
    let said = model.asks("xiangqi_describe", json!({"moves": moves})).await;
    holds(&said, &["Red to move", "Legal moves"]);
    let table = model.asks("xiangqi_notation", json!({"moves": moves})).await;
    let last = "FEN after them: r1bakabr1/9/1cn3n1c/p1p1p2Rp/6p2/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB2 w";
    holds(&table, &["1 h2e2 h3e3 炮二平五 C2=5", "10 h7i7 h8i8 炮8平9 C8=9", last]);

    let illegal = model.refused("xiangqi_play", json!({"moves": ["h2e2"], "move": "b9d8"})).await;
    holds(&illegal, &["Refused", "blocks the horse's leg", "蹩马腿", "xiangqi_describe"]);
    let earlier = model.refused("xiangqi_play", json!({"moves": ["h2e2", "e9e7"], "move": "h0g2"})).await;
    holds(&earlier, &["ply 2 of moves (e9e7)"]);
    let wrong = model.refused("xiangqi_play", json!({"moves": ["h2e2"], "mv": "h9g7"})).await;
    holds(&wrong, &["unknown field `mv`", "xiangqi_play takes move (required), fen, moves"]);
    let two = json!({"fen": "3k5/9/9/9/9/2R6/9/2R6/9/4K4 w", "move": "车七平八"});
    holds(&model.refused("xiangqi_play", two).await, &["c4b4 前车平八", "c2b2 后车平八"]);

    let shuttle = ["h2e2", "h7e7", "e2h2", "e7h7", "h2e2", "h7e7", "e2h2", "e7h7"];
    let said = model.asks("xiangqi_explain_repetition", json!({"moves": shuttle})).await;
    holds(&said, &["draw-repetition", "stood 3 times", "ply   1 Red   h2e2"]);
    let mate = json!({"fen": "3k5/9/9/9/9/9/9/R8/9/4K3R w", "seconds": 0.2});
    holds(&model.asks("xiangqi_best_move", mate).await, &["车一进八 (i0i8", "mate in 1"]);
}

#[tokio::test]
async fn a_game_is_opened_and_reviewed() {
    let model = Model::start(&[]).await;
    let record = "games/short-9x9.sgf";
    holds(&model.asks("list_records", json!({})).await, &[record, "games/middle-13x13.sgf"]);
    let games = model.asks("list_games", json!({"record": record})).await;
    holds(&games, &["game 1: go, board 9", "黑猫", "白鹤", "last move_number 29, 34 nodes"]);
    let board = model.asks("show_board", json!({"record": record, "move_number": 1})).await;
    // B[fd] is F6: the sixth column, the fourth row from above.
    holds(&board, &["last move B F6", " 6 . . . . . X . . .", "Next in the record: W C7"]);
    let branch = model.asks("show_board", json!({"record": record, "move_number": 8})).await;
    holds(&branch, &["B D8", "B D1"]);
    let known = model.refused("worst_moves", json!({"record": record})).await;
    holds(&known, &["ask review_game first"]);
    let node = json!({"record": record, "move_number": 10, "visits": 30});
    holds(&model.asks("analyse_node", node).await, &["Black to move: win rate", "Candidates for Black"]);
    let heard = model.client.service().0.clone();
    heard.lock().unwrap().clear();
    let review = model.asks("review_game", json!({"record": record, "visits": 10, "seconds": 600})).await;
    holds(
        &review,
        &["30 of 30 positions looked at by builtin (weak), 10 visits each", "Black", "White", "opening"],
    );
    // The client hears them in tasks of their own, maybe after the answer and in another order.
    let all = async {
        while heard.lock().unwrap().len() < 30 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, all).await.expect("progress of every position");
    let mut heard = heard.lock().unwrap().clone();
    heard.sort_by(|one, two| one.0.total_cmp(&two.0));
    let expected = |done: usize| (done as f64, Some(30.0), Some(format!("{done} of 30 positions")));
    assert_eq!(heard, (1..=30).map(expected).collect::<Vec<_>>());
    let worst = model.asks("worst_moves", json!({"record": record, "loss_threshold": 0.1})).await;
    holds(&worst, &["From the review of this server", "lost"]);
    let good = model.asks("check_record", json!({"record": "(;GM[1]FF[4]SZ[9];B[aa];W[bb])"})).await;
    holds(&good, &["Nothing is wrong"]);
    let bad = model.asks("check_record", json!({"record": "(;SZ[9];B[aa];W[zz])"})).await;
    holds(&bad, &["line 1, column 16: error"]);
    let pgn = "[Game \"Chinese Chess\"]\n\n1. 炮二平五 马8进7 *\n";
    let other = model.asks("convert_record", json!({"record": pgn, "to": "dhtmlxq"})).await;
    holds(&other, &["From pgn, games: 1", "[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]"]);
    let xiangqi = model.asks("show_board", json!({"record": pgn, "move_number": 1})).await;
    holds(&xiangqi, &["h2e2", "Next in the record: b h9g7 马8进7"]);
}

#[tokio::test]
async fn only_the_roots_are_read_and_bad_wishes_are_explained() {
    let model = Model::start(&[]).await;
    for record in ["../Cargo.toml", "/etc/hostname", "games/none.sgf", ""] {
        let why = model.refused("show_board", json!({"record": record})).await;
        holds(&why, &["Refused"]);
        assert!(!why.contains("[package]"), "{why}");
    }
    let far = json!({"record": "games/short-9x9.sgf", "move_number": 500});
    holds(&model.refused("show_board", far).await, &["list_games"]);
    let twice = json!({"record": "(;)", "move_number": 1, "path": [0]});
    holds(&model.refused("show_board", twice).await, &["give either move_number or path"]);
    let engine = json!({"record": "(;)", "engine": "katago"});
    holds(&model.refused("analyse_node", engine).await, &["katago", "list_engines", "builtin"]);
    let visits = json!({"record": "(;)", "visits": 0});
    holds(&model.refused("analyse_node", visits).await, &["visits: at least 1"]);
    let pgn = json!({"record": "games/short-9x9.sgf", "to": "pgn"});
    holds(
        &model.refused("convert_record", pgn).await,
        &["convert_record takes record (required), to (required)"],
    );
    let kings = json!({"fen": "4k4/9/9/9/9/9/9/9/9/4K4 w"});
    holds(&model.refused("xiangqi_describe", kings).await, &["the kings face each other", "将帅照面"]);
}

/// A client that says what the protocol's own would not.
#[test]
fn what_is_no_request_is_answered_as_json_rpc_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(kifud());
    command.arg("mcp").current_dir(folder.path()).env_remove("KIFUD_CONFIG").env("HOME", folder.path());
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut answers =
        BufReader::new(output).lines().map(|line| -> Value { serde_json::from_str(&line.unwrap()).unwrap() });
    let mut ask = |line: &[u8]| {
        input.write_all(&[line, b"\n"].concat()).unwrap();
        let answer = answers.next().expect("an answer");
        (answer["id"].clone(), answer["error"]["code"].clone())
    };
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client});
    assert_eq!(ask(initialize.to_string().as_bytes()), (json!(1), Value::Null));
    let call = |id: u32, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#).into_bytes()
    };
    let text = |inner: &str| format!(r#"{{"name":"check_record","arguments":{{"record":{inner}}}}}"#);
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let long = format!("\"{}\"", "x".repeat(17 << 20));
    let surrogate = format!("\"(;C[{}ud800])\"", '\\');
    let cases = [
        (b"garbage".to_vec(), Value::Null, json!(-32700)),
        (b"\xff\xfe{}".to_vec(), Value::Null, json!(-32700)),
        (call(2, "{\"name\":1e999}"), Value::Null, json!(-32700)),
        (b"[]".to_vec(), Value::Null, json!(-32600)),
        (call(3, &text(&deep)), json!(3), json!(-32600)),
        (call(4, &text(&long)), json!(4), json!(-32600)),
        (call(5, r#"{"name":5}"#), json!(5), json!(-32602)),
        (call(6, r#"{"name":"check_record","arguments":[1]}"#), json!(6), json!(-32602)),
        (br#"{"jsonrpc":"2.0","id":7,"method":"nosuch"}"#.to_vec(), json!(7), json!(-32601)),
        (call(8, &text(&surrogate)), json!(8), Value::Null),
        (br#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#.to_vec(), json!(9), Value::Null),
    ];
    for (line, id, code) in cases {
        let start = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        assert_eq!(ask(&line), (id, code), "{start}");
    }
    drop(input);
    assert!(server.wait().unwrap().success());
}

#[tokio::test]
async fn answers_are_bounded() {
    let model = Model::start(&["--tokens", "200"]).await;
    let said = model.asks("xiangqi_describe", json!({})).await;
    assert!(said.chars().count() < 600, "{said}");
    holds(&said, &["[cut here: ", "more characters are not shown"]);
    let many = "(;SZ[9];B[zz];W[zz])".repeat(500);
    let said = model.asks("check_record", json!({"record": many})).await;
    holds(&said, &["Findings: ", "check again]"]);
}
