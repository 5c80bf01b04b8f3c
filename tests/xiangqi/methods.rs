//! `xiangqi/*` through the door.

use serde_json::{Value, json};

use super::support::Conversation;

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

fn client() -> Conversation {
    Conversation::start(&[])
}

#[test]
fn first_moves() {
    let mut client = client();
    let start = client.request("xiangqi/position", json!({}));
    assert_eq!(start["fen"], START);
    assert_eq!(start["board"].as_array().unwrap().len(), 90);
    assert_eq!(start["board"][70], "C");
    assert_eq!((&start["turn"], &start["inCheck"]), (&json!("r"), &json!(false)));
    let moves = client.request("xiangqi/moves", json!({"fen": START}));
    assert_eq!(moves["moves"].as_array().unwrap().len(), 44);
    let cannon = moves["moves"].as_array().unwrap().iter().find(|m| m["iccs"] == "h2e2").unwrap();
    assert_eq!(
        *cannon,
        json!({"iccs": "h2e2", "uci": "h3e3", "zh": "炮二平五", "wxf": "C2=5", "from": 70, "to": 67,
               "piece": "C", "captured": "", "check": false})
    );
    // The whole answer may come back as the position.
    let again = client.request("xiangqi/moves", json!({"position": start}));
    assert_eq!(again, moves);
    let after = client.request("xiangqi/move", json!({"fen": START, "move": {"from": 70, "to": 67}}));
    assert_eq!(after["fen"], "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1");
    assert_eq!(after["status"]["state"], "playing");
    let reply = client.request("xiangqi/move", json!({"fen": after["fen"], "move": "馬8進7"}));
    assert_eq!(reply["move"]["iccs"], "h9g7");
}

#[test]
fn the_dialect_of_the_published_tables_is_read() {
    let mut client = client();
    let ranks = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";
    for rest in ["", " w", " r - - 0 1"] {
        let read = client.request("xiangqi/position", json!({"fen": format!("{ranks}{rest}")}));
        assert_eq!(read["fen"], START, "{rest}");
    }
}

#[test]
fn every_bad_position_has_its_reasons() {
    let mut client = client();
    let long = "9/".repeat(5_000);
    let cases: &[(&str, &str)] = &[
        ("", "empty"),
        (&long, "too-long"),
        ("4k4/9/9/9/9/9/9/9/8/3K5 w", "rank-width"),
        ("4k4/9/9/9/9/9/9/9/91/3K5 w", "rank-width"),
        ("4k4/9/9/9/9/9/9/9/3K5/3K5 w", "too-many-pieces"),
        ("4k4/9/9/9/9/9/9/9/9/9 w", "king-missing"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "kings-face"),
        ("4k4/9/9/9/9/9/9/9/9/P2K5 w", "impossible-square"),
        ("4k4/9/9/9/4x4/9/9/9/9/3K5 w", "unknown-character"),
        ("4k4/9/9/9/9/9/9/9/9/3K5 w - - -1 1", "bad-counter"),
        ("4k4/9/9/4R4/9/9/9/9/9/3K5 w", "opponent-in-check"),
    ];
    for (fen, code) in cases {
        let error = client.refused("xiangqi/moves", json!({"fen": fen}));
        assert_eq!(error["data"]["kind"], "InvalidPosition", "{fen}");
        assert_eq!(error["data"]["code"], *code, "{fen}");
        assert_eq!(error["data"]["reasons"][0]["code"], *code, "{fen}");
        assert!(!error["data"]["reasonZh"].as_str().unwrap().is_empty(), "{fen}");
    }
    let mut board = vec![""; 90];
    (board[3], board[85]) = ("k", "K");
    let plain = |board: &[&str]| json!({"position": {"board": board, "turn": "b"}});
    assert_eq!(client.request("xiangqi/position", plain(&board))["fen"], "3k5/9/9/9/9/9/9/9/9/4K4 b - - 0 1");
    board[0] = "xx";
    let error = client.refused("xiangqi/position", plain(&board));
    assert_eq!(error["data"]["field"], "position.board[0]");
    let error = client.refused("xiangqi/position", plain(&board[..80]));
    assert_eq!(error["data"]["field"], "position.board");
    assert_eq!(client.refused("xiangqi/moves", json!({}))["data"]["field"], "fen");
}

#[test]
fn bad_moves_have_a_code_and_a_sentence() {
    let mut client = client();
    // One cannon of Red's on h2, another far off its file.
    let cases = [
        (json!({"fen": START, "move": "h2e9"}), "IllegalMove", "wrong-shape"),
        (json!({"fen": START, "move": "a0a0"}), "IllegalMove", "wrong-shape"),
        (json!({"fen": START, "move": "炮二平"}), "IllegalMove", "incomplete"),
        (json!({"fen": START, "move": "前炮平五"}), "IllegalMove", "no-piece"),
        (json!({"fen": START, "move": "馬8进7"}), "IllegalMove", "red-digits"),
        (json!({"fen": START, "move": "e5e6"}), "IllegalMove", "no-piece"),
        (json!({"fen": START, "move": "h9g7"}), "IllegalMove", "not-your-piece"),
        (json!({"fen": START, "move": "i0h0"}), "IllegalMove", "own-piece"),
        (json!({"fen": START, "move": "h0f1"}), "IllegalMove", "horse-leg"),
        (json!({"fen": START, "move": "i0i4"}), "IllegalMove", "blocked-path"),
        (json!({"fen": START, "move": "h2h8"}), "IllegalMove", "blocked-path"),
        (json!({"fen": START, "move": "h2i9"}), "IllegalMove", "wrong-shape"),
        (json!({"fen": START, "move": "a3b3"}), "IllegalMove", "pawn-sideways-before-river"),
        (json!({"fen": START, "move": {"from": 0, "to": 90}}), "IllegalMove", "off-board"),
        (json!({"fen": START, "move": {"from": -1, "to": 0}}), "IllegalMove", "off-board"),
    ];
    for (params, kind, code) in cases {
        let error = client.refused("xiangqi/move", params.clone());
        assert_eq!(
            (&error["data"]["kind"], &error["data"]["code"]),
            (&json!(kind), &json!(code)),
            "{params}"
        );
        for field in ["reason", "reasonZh", "field"] {
            assert!(!error["data"][field].as_str().unwrap_or_default().is_empty(), "{params} {error}");
        }
    }
    // Two doubled files of pawns, and a name that fits three of them.
    let fen = "4k4/3P1P3/4P4/3P1P3/9/9/9/9/9/4K4 w";
    let error = client.refused("xiangqi/parse", json!({"fen": fen, "text": "前兵平五"}));
    assert_eq!(error["data"]["kind"], "AmbiguousMove");
    let candidates = error["data"]["candidates"].as_array().unwrap();
    assert!(
        candidates.len() > 1 && candidates.iter().all(|one| one["zh"].as_str().unwrap().ends_with("平五"))
    );
    let bad = client.refused("xiangqi/move", json!({"fen": START, "move": 7}));
    assert_eq!((&bad["data"]["kind"], &bad["data"]["field"]), (&json!("InvalidParams"), &json!("move")));
}

#[test]
fn coordinates_are_iccs_unless_they_say_otherwise() {
    let mut client = client();
    let parse = |client: &mut Conversation, params: Value| {
        client.request("xiangqi/parse", params)["move"]["zh"].clone()
    };
    assert_eq!(parse(&mut client, json!({"fen": START, "text": "h2e2"})), "炮二平五");
    assert_eq!(parse(&mut client, json!({"fen": START, "text": "h3e3", "notation": "uci"})), "炮二平五");
    let black = START.replace(" w ", " b ");
    assert_eq!(parse(&mut client, json!({"fen": black, "text": "h10g8"})), "马8进7");
    assert_eq!(parse(&mut client, json!({"fen": black, "text": "h9g7"})), "马8进7");
}

/// Red's rook checks on both files in turn, Black's king steps aside: a game that repeats.
fn perpetual() -> (String, Vec<String>) {
    let fen = "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1".to_owned();
    let cycle = ["a9a8", "d8d9", "a8a9", "d9d8"];
    let moves =
        ["a0a9", "d9d8"].iter().chain(cycle.iter().cycle().take(12)).map(ToString::to_string).collect();
    (fen, moves)
}

#[test]
fn perpetual_check_loses() {
    let mut client = client();
    let (fen, moves) = perpetual();
    let mut at = fen.clone();
    let mut line: Vec<String> = Vec::new();
    let mut ruled = None;
    for played in moves {
        let history = json!({"fen": fen, "moves": line});
        let answer = client.request("xiangqi/move", json!({"fen": at, "move": played, "history": history}));
        at = answer["fen"].as_str().unwrap().to_owned();
        line.push(played);
        if answer["status"]["state"] == "draw-perpetual-check" {
            ruled = Some(answer["status"].clone());
            break;
        }
    }
    let ruled = ruled.expect("the third occurrence is ruled");
    assert_eq!((&ruled["winner"], &ruled["repetitions"]), (&json!("b"), &json!(3)));
    let plies = ruled["cycle"]["plies"].as_array().unwrap();
    assert!(plies.iter().filter(|ply| ply["side"] == "r").all(|ply| ply["class"] == "check"));
    let history = json!({"fen": fen, "moves": line});
    let same = client.request("xiangqi/status", json!({"fen": at, "history": history, "rules": "basic"}));
    assert_eq!(same["winner"], "b");
    assert_eq!(client.request("xiangqi/status", json!({"fen": at}))["repetitions"], 1);
    let later = client.request("xiangqi/status", json!({"fen": at, "history": history, "occurrences": 4}));
    assert_ne!(later["state"], "draw-perpetual-check");
}

#[test]
fn a_history_must_lead_to_the_position() {
    let mut client = client();
    let status = |history: Value| json!({"fen": START, "history": history});
    let error = client.refused("xiangqi/status", status(json!({"moves": ["h2e2"]})));
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["code"]),
        (&json!("InvalidPosition"), &json!("history-mismatch"))
    );
    let error = client.refused("xiangqi/status", status(json!({"moves": ["h2e2", "h9g8"]})));
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["field"]),
        (&json!("IllegalMove"), &json!("history.moves[1]"))
    );
    let error = client.refused("xiangqi/status", status(json!({"moves": ["h2"]})));
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["field"]),
        (&json!("InvalidParams"), &json!("history.moves[0]"))
    );
    let error = client.refused("xiangqi/status", status(json!({"moves": vec!["h2e2"; 2001]})));
    assert_eq!(error["data"]["kind"], "LimitExceeded");
    let error = client.refused("xiangqi/status", status(json!({"fen": "x", "moves": []})));
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["field"]),
        (&json!("InvalidPosition"), &json!("history.fen"))
    );
}

#[test]
fn stalemate_and_mate_lose() {
    let mut client = client();
    let stalemate = client.request("xiangqi/status", json!({"fen": "3k5/4P4/9/9/9/9/9/9/9/4K4 b"}));
    assert_eq!((&stalemate["state"], &stalemate["winner"]), (&json!("stalemate"), &json!("r")));
    let mate = client.request("xiangqi/status", json!({"fen": "3kR4/R8/9/9/9/9/9/9/9/4K4 b"}));
    assert_eq!((&mate["state"], &mate["winner"]), (&json!("checkmate"), &json!("r")));
    // Mate comes before the draw of a long game without captures.
    let mate = client.request("xiangqi/status", json!({"fen": "3kR4/R8/9/9/9/9/9/9/9/4K4 b - - 130 99"}));
    assert_eq!(mate["state"], "checkmate");
    let draw = client.request("xiangqi/status", json!({"fen": "3k5/9/9/9/9/9/9/9/9/4K3R w - - 120 99"}));
    assert_eq!((&draw["state"], &draw["winner"]), (&json!("draw-fifty"), &Value::Null));
    let set = json!({"fen": "3k5/9/9/9/9/9/9/9/9/4K3R w - - 120 99", "moveLimit": 200});
    assert_eq!(client.request("xiangqi/status", set)["state"], "playing");
}

#[test]
fn a_search_is_legal_seeded_and_bounded() {
    let mut client = client();
    let fixed = json!({"fen": START, "depth": 3, "seed": 7});
    let one = client.request("xiangqi/search", fixed.clone());
    let two = client.request("xiangqi/search", fixed);
    assert_eq!(one, two);
    assert_eq!(one["depth"], 3);
    let parsed = client.request("xiangqi/parse", json!({"fen": START, "text": one["move"]["zh"]}));
    assert_eq!(parsed["move"], one["move"]);
    assert_eq!(one["pv"][0], one["move"]["iccs"]);
    let none = client.request("xiangqi/search", json!({"fen": "3k5/4P4/9/9/9/9/9/9/9/4K4 b"}));
    assert_eq!((&none["move"], &none["depth"]), (&Value::Null, &json!(0)));
    for (params, kind) in [
        (json!({"fen": START, "depth": 65}), "LimitExceeded"),
        (json!({"fen": START, "depth": 0}), "InvalidParams"),
        (json!({"fen": START, "timeMs": 600_001}), "LimitExceeded"),
        (json!({"fen": START, "depth": -1}), "InvalidParams"),
    ] {
        assert_eq!(client.refused("xiangqi/search", params)["data"]["kind"], kind);
    }
    assert_eq!(client.refused("xiangqi/perft", json!({"depth": 9}))["data"]["kind"], "LimitExceeded");
}

#[test]
fn long_work_is_cancelled_and_hinders_nobody() {
    let mut client = client();
    let perft = client.ask("xiangqi/perft", json!({"depth": 8}));
    let long = client.ask("xiangqi/search", json!({"fen": START, "timeMs": 600_000}));
    let think = client.request("xiangqi/think", json!({"fen": START, "timeMs": 600_000}));
    let short = client.request("xiangqi/search", json!({"fen": START, "depth": 1}));
    assert_eq!(short["depth"], 1);
    let update = client.event_in(&think, "running");
    assert!(update["depth"].as_u64().unwrap() >= 1);
    client.request("kifud/unsubscribe", json!({"subscription": think}));
    let last = client.event_in(&think, "ended");
    assert_eq!(last["reason"], "cancelled");
    assert!(last["move"]["iccs"].is_string(), "{last}");
    for id in [perft, long] {
        client.notify("$/cancelRequest", json!({"id": id}));
        assert_eq!(client.answer(id)["error"]["data"]["kind"], "Cancelled");
    }
    let counted = client.request("xiangqi/perft", json!({"depth": 3, "divide": true}));
    assert_eq!((&counted["nodes"], &counted["checks"]), (&json!(79_666), &json!(384)));
    let divide = counted["divide"].as_object().unwrap();
    assert_eq!(divide.len(), 44);
    assert_eq!(divide.values().map(|nodes| nodes.as_u64().unwrap()).sum::<u64>(), 79_666);
}

#[test]
fn cancelled_work_leaves_its_place_at_once() {
    let mut client = client();
    for _ in 0..100 {
        let id = client.ask("xiangqi/search", json!({"fen": START, "timeMs": 600_000}));
        client.notify("$/cancelRequest", json!({"id": id}));
        assert_eq!(client.answer(id)["error"]["data"]["kind"], "Cancelled");
    }
    assert_eq!(client.request("xiangqi/search", json!({"fen": START, "depth": 1}))["depth"], 1);
}

#[test]
fn a_chinese_client_reads_chinese() {
    let mut client = Conversation::lsp(&[], json!({"locale": "zh-CN"}));
    let refused = client.refused("xiangqi/move", json!({"fen": START, "move": "h2e9"}));
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("着法不合规则：炮"), "{message}");
    let text = client.request("xiangqi/describe", json!({"fen": START}))["text"].clone();
    assert!(text.as_str().unwrap().contains("红方"));
}

#[test]
fn an_illegal_move_gives_no_check() {
    let mut client = client();
    let fen = "3k5/4r4/9/9/9/9/9/4B4/9/4K4 w";
    let moves = client.request("xiangqi/moves", json!({"fen": fen, "pseudo": true}));
    let aside = moves["moves"].as_array().unwrap().iter().find(|one| one["iccs"] == "e0d0").unwrap();
    assert_eq!((&aside["check"], &aside["illegal"]["code"]), (&json!(false), &json!("kings-face")));
}

#[test]
fn a_point_and_a_move_taken_apart() {
    let mut client = client();
    let horse = client.request("xiangqi/square", json!({"fen": START, "square": "b0"}));
    assert_eq!((&horse["piece"], &horse["nameZh"]), (&json!("N"), &json!("马")));
    assert_eq!(horse["legalTo"], json!(["a2", "c2"]));
    let legs = horse["horseLegs"].as_array().unwrap();
    let blocked: Vec<_> =
        legs.iter().filter(|leg| leg["blocked"] == true).map(|leg| leg["at"].clone()).collect();
    assert_eq!(blocked, ["c0"]);
    assert_eq!(horse["attackers"], json!(["b7"]), "the black cannon, over the red one");
    let bad = client.refused("xiangqi/square", json!({"fen": START, "square": "j0"}));
    assert_eq!((&bad["data"]["kind"], &bad["data"]["field"]), (&json!("InvalidParams"), &json!("square")));
    let parts = client.request("xiangqi/format", json!({"fen": START, "move": "炮二平五"}))["parts"].clone();
    assert_eq!(parts, json!({"piece": "炮", "file": 2, "action": "traverse", "target": 5}));
}

#[test]
fn words_come_in_both_languages() {
    let mut client = client();
    let text = |client: &mut Conversation, language: &str| {
        let params = json!({"fen": START, "language": language, "includeEval": true, "maxMoves": 10});
        client.request("xiangqi/describe", params)["text"].as_str().unwrap().to_owned()
    };
    let (zh, en) = (text(&mut client, "zh"), text(&mut client, "en"));
    for part in [START, "h2h9 炮二进七"] {
        assert!(zh.contains(part) && en.contains(part), "{part}\n{zh}\n{en}");
    }
    assert!(zh.contains("红方") && en.contains("Red"));
    let value = client.request("xiangqi/evaluate", json!({"fen": START}));
    let sum: i64 =
        value["breakdown"].as_array().unwrap().iter().map(|item| item["score"].as_i64().unwrap()).sum();
    assert_eq!(value["score"].as_i64(), Some(sum));
    assert!(
        !value["summaryZh"].as_str().unwrap().is_empty() && !value["materialZh"].as_str().unwrap().is_empty()
    );
}
