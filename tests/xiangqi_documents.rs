//! Records of xiangqi as documents: PGN and DhtmlXQ, over pipes and from disk.

mod support;

use serde_json::{Value, json};
use support::Conversation;

const URI: &str = "file:///games/two.pgn";

/// 马一进二 has no horse to make it; 😀 is two units of UTF-16.
const TEXT: &str = "[Game \"Chinese Chess\"]\r\n[Event \"第五届😀杯\"]\r\n[Red \"许银川\"]\r\n[Black \"吕钦\"]\r\n[Result \"1-0\"]\r\n\r\n\
    1. 炮二平五 {中炮😀\r\n正着} 马8进7 (1... 炮8平5 {顺炮} 2. 马二进三 (2. 车一进一 马8进7) 马8进7)\r\n 2. 马二进三 车9平8 3. 炮五进四 1-0\r\n\r\n\
    [Event \"second\"]\r\n\r\n1. 兵七进一 {😀} 马一进二 *\r\n";

const DHTMLXQ: &str = "[DhtmlXQ]\n[DhtmlXQ_title]顺炮[/DhtmlXQ_title]\n[DhtmlXQ_red]甲[/DhtmlXQ_red]\n\
    [DhtmlXQ_movelist]77477242[/DhtmlXQ_movelist]\n[DhtmlXQ_move_0_2_1]70627967[/DhtmlXQ_move_0_2_1]\n\
    [DhtmlXQ_comment0]开局||第二行[/DhtmlXQ_comment0]\n[DhtmlXQ_comment2]顺\\u70AE[/DhtmlXQ_comment2]\n[/DhtmlXQ]\n";

fn open(capabilities: Value, language: &str, text: &str) -> Conversation {
    let mut client = Conversation::lsp(&[], json!({"capabilities": capabilities, "locale": "zh-CN"}));
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": URI, "languageId": language, "version": 1, "text": text}}),
    );
    client
}

/// The place of a piece of a text, behind so many of its bytes.
fn place(text: &str, piece: &str, behind: usize) -> Value {
    let offset = text.find(piece).expect("the text holds it") + behind;
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    json!({"line": before.matches('\n').count(), "character": before[start..].encode_utf16().count()})
}

/// The piece of a text in a range.
fn piece(text: &str, range: &Value) -> String {
    let offset = |at: &Value| {
        let line = at["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let wide: Vec<u16> =
            text[start..].encode_utf16().take(at["character"].as_u64().unwrap() as usize).collect();
        start + String::from_utf16(&wide).expect("whole characters").len()
    };
    text[offset(&range["start"])..offset(&range["end"])].to_owned()
}

fn ask(client: &mut Conversation, method: &str, position: Value) -> Value {
    client.request(
        method,
        json!({"textDocument": {"uri": URI}, "position": position, "context": {"includeDeclaration": true}}),
    )
}

#[test]
fn an_illegal_move_is_found_with_its_reason() {
    // The editor's own id says nothing, and neither does that of chess.
    for language in ["xiangqi-pgn", "pgn", "plaintext"] {
        let mut client = open(json!({}), language, TEXT);
        let sent = client.wait("findings", |message| message["method"] == "textDocument/publishDiagnostics");
        let found = sent["params"]["diagnostics"].as_array().unwrap().clone();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(piece(TEXT, &found[0]["range"]), "马一进二");
        assert_eq!((found[0]["code"].as_str(), found[0]["severity"].as_u64()), (Some("no-piece"), Some(1)));
        assert_eq!(found[0]["message"], "黑方1路上没有马");
    }
}

#[test]
fn findings_are_asked_for_and_mended() {
    let text = "1. 炮2平5 马8进7 2. 马二进四 *\n";
    let mut client = open(json!({"textDocument": {"diagnostic": {}}}), "xiangqi-pgn", text);
    let document = json!({"textDocument": {"uri": URI}});
    let found = client.request("textDocument/diagnostic", document)["items"].clone();
    let shown: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["code"].as_str().unwrap(), piece(text, &it["range"]), it["severity"].as_u64().unwrap()))
        .collect();
    assert_eq!(shown, [("red-digits", "炮2平5".to_owned(), 2), ("horse-leg", "马二进四".to_owned(), 1)]);
    let actions = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": []}}),
    );
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(
        (piece(text, &edit["range"]).as_str(), edit["newText"].as_str()),
        ("炮2平5", Some("炮二平五"))
    );
}

#[test]
fn hovers_show_the_board() {
    let capabilities = json!({"textDocument": {"hover": {"contentFormat": ["markdown"]}},
        "experimental": {"kifud": {"hoverImages": true}}});
    let mut client = open(capabilities, "xiangqi-pgn", TEXT);
    let hover = ask(&mut client, "textDocument/hover", place(TEXT, "炮五进四", 3));
    assert_eq!(piece(TEXT, &hover["range"]), "炮五进四");
    let text = hover["contents"]["value"].as_str().unwrap();
    let (words, image) = text.split_once("![board](data:image/svg+xml,").unwrap();
    for part in
        ["**第 5 着：红方 炮五进四**（e2e6，C5+4），吃卒", "6  p  .  p  .  C  .  p  .  p\n", "轮到黑方"]
    {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(image.starts_with("%3Csvg%20") && image.ends_with("%3C/svg%3E)"), "{image}");
    let commented = ask(&mut client, "textDocument/hover", place(TEXT, "正着", 0));
    assert_eq!(piece(TEXT, &commented["range"]), "{中炮😀\r\n正着}");
    let text = commented["contents"]["value"].as_str().unwrap();
    assert!(text.contains("> 中炮😀  \n> 正着"), "{text}");
    let tag = ask(&mut client, "textDocument/hover", place(TEXT, "许银川", 0));
    assert_eq!(piece(TEXT, &tag["range"]), "许银川");
    assert_eq!(ask(&mut client, "textDocument/hover", json!({"line": 99, "character": 0})), Value::Null);
}

#[test]
fn the_outline_has_games_and_variations() {
    let tree = json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
    let mut client = open(tree, "xiangqi-pgn", TEXT);
    let outline = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    let [first, second] = &outline.as_array().unwrap()[..] else { panic!("{outline}") };
    assert_eq!((&first["name"], &second["name"]), (&json!("许银川 – 吕钦"), &json!("second")));
    assert_eq!(first["detail"], "红胜, 第五届😀杯, 第 1–5 手");
    assert!(piece(TEXT, &first["range"]).ends_with("3. 炮五进四 1-0"));
    let variation = &first["children"][0];
    assert_eq!((&variation["name"], &variation["detail"]), (&json!("炮8平5, 第 2–4 手"), &json!("顺炮")));
    assert_eq!(
        piece(TEXT, &variation["range"]),
        "(1... 炮8平5 {顺炮} 2. 马二进三 (2. 车一进一 马8进7) 马8进7)"
    );
    let inner = &variation["children"][0];
    assert_eq!(piece(TEXT, &inner["range"]), "(2. 车一进一 马8进7)");
    assert_eq!(piece(TEXT, &inner["selectionRange"]), "车一进一");
    let names = client.request("workspace/symbol", json!({"query": "吕"}));
    assert_eq!(piece(TEXT, &names[0]["location"]["range"]), "吕钦");

    let folds = client.request("textDocument/foldingRange", json!({"textDocument": {"uri": URI}}));
    let lines: Vec<_> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(0, 8), (0, 4), (6, 7), (10, 12)]);
    let selection = client.request(
        "textDocument/selectionRange",
        json!({"textDocument": {"uri": URI}, "positions": [place(TEXT, "车一进一", 3)]}),
    );
    let mut grown = Vec::new();
    let mut at = &selection[0];
    while at.is_object() {
        grown.push(piece(TEXT, &at["range"]));
        at = &at["parent"];
    }
    assert_eq!(&grown[..3], ["车一进一", "(2. 车一进一 马8进7)", &piece(TEXT, &variation["range"])]);
    assert_eq!(grown.last().unwrap(), TEXT);
}

#[test]
fn moves_lead_to_one_another() {
    let mut client = open(json!({}), "xiangqi-pgn", TEXT);
    // What the cannon takes has never moved; it came itself with the first move.
    let from = ask(&mut client, "textDocument/definition", place(TEXT, "炮五进四", 0));
    assert_eq!(from[0]["range"]["start"], place(TEXT, "炮二平五", 0));
    let branch = ask(&mut client, "textDocument/definition", place(TEXT, "(1...", 0));
    assert_eq!(from[0]["range"], branch[0]["range"]);
    let same = ask(&mut client, "textDocument/references", place(TEXT, "马二进三", 0));
    assert_eq!(same.as_array().unwrap().len(), 2, "in the variation and in the game: {same}");
    let highlights = ask(&mut client, "textDocument/documentHighlight", place(TEXT, "马二进三", 0));
    assert_eq!(highlights.as_array().unwrap().len(), 2, "{highlights}");
}

#[test]
fn records_are_read_from_disk_in_their_charset() {
    let folder = tempfile::tempdir().unwrap();
    let text = TEXT.replace('😀', "好");
    let pgn = folder.path().join("旧谱.pgn");
    std::fs::write(&pgn, encoding_rs::GBK.encode(&text).0).unwrap();
    let mut client = Conversation::start(&[]);
    let document = json!({"uri": format!("file://{}", pgn.display())});
    let tree = client.request("record/tree", json!({"document": document, "paths": true}));
    let [first, second] = &tree["games"].as_array().unwrap()[..] else { panic!("{tree}") };
    assert_eq!(
        (&first["kind"], &first["size"], &second["game"]),
        (&json!("xiangqi"), &json!([9, 10]), &json!(1))
    );
    assert_eq!((&first["info"]["red"], &first["info"]["black"]), (&json!("许银川"), &json!("吕钦")));
    let nodes = first["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 11);
    assert_eq!(
        (&nodes[1]["iccs"], &nodes[1]["props"]["comment"]),
        (&json!("h2e2"), &json!(["中炮好\n正着"]))
    );
    assert_eq!((&nodes[1]["children"], &nodes[3]["path"]), (&json!([2, 3]), &json!([0, 1])));
    assert_eq!(piece(&text, &nodes[3]["range"]), "炮8平5");
    assert_eq!(second["nodes"][0]["index"], 11);

    let board =
        client.request("record/board", json!({"document": document, "node": {"game": 0, "path": ["0*5"]}}));
    assert_eq!(board["fen"], "rnbakabr1/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C4N2/9/RNBAKAB1R b - - 0 3");
    assert_eq!(
        (&board["toPlay"], &board["moveNumber"], &board["inCheck"]),
        (&json!("b"), &json!(5), &json!(false))
    );
    assert_eq!(board["lastMove"], json!({"color": "r", "vertex": "e2e6", "zh": "炮五进四", "wxf": "C5+4"}));
    assert_eq!((&board["captures"]["r"], &board["captures"]["B"]), (&json!(1), &json!(0)));
    assert_eq!(board["node"], json!({"game": 0, "path": ["0*5"]}));

    let at = client
        .request("record/nodeAt", json!({"document": document, "position": place(&text, "车一进一", 3)}));
    assert_eq!(at["node"], json!({"game": 0, "path": [0, "1*2"]}));
    assert_eq!(piece(&text, &at["range"]), "车一进一");
    let page = client.request("record/tree", json!({"document": document, "from": 9, "limit": 3}));
    assert_eq!(page["next"], 12);
    assert_eq!(page["games"][1]["nodes"].as_array().unwrap().len(), 1);
    let none = client.refused("record/board", json!({"document": document, "node": {"game": 2}}));
    assert_eq!(none["data"]["kind"], "NotFound");
}

#[test]
fn a_selection_in_variations_of_variations_grows_and_ends() {
    let depth = 5000;
    let text = format!("[Event \"x\"]\n\n{}炮二平五{} *\n", "1. 炮二平五 (".repeat(depth), ")".repeat(depth));
    let mut client = open(json!({}), "xiangqi-pgn", &text);
    let at = place(&text, "炮二平五)", 0);
    let grown = client
        .request("textDocument/selectionRange", json!({"textDocument": {"uri": URI}, "positions": [at]}));
    let (mut ranges, mut range) = (0, &grown[0]);
    while range.is_object() {
        (ranges, range) = (ranges + 1, &range["parent"]);
    }
    assert!((10..=100).contains(&ranges), "{ranges}");
}

#[test]
fn dhtmlxq_is_a_document_too() {
    let mut client = open(
        json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}}),
        "plaintext",
        DHTMLXQ,
    );
    let outline = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    assert_eq!(outline[0]["name"], "甲 – ?");
    assert_eq!(outline[0]["children"][0]["name"], "7062, 第 2–3 手");
    let hover = ask(&mut client, "textDocument/hover", place(DHTMLXQ, "7242[", 2));
    assert_eq!(piece(DHTMLXQ, &hover["range"]), "7242");
    assert!(hover["contents"]["value"].as_str().unwrap().contains("黑方 炮8平5"), "{hover}");
    let board = client.request("record/board", json!({"document": {"uri": URI}, "node": {"path": [0, 1]}}));
    assert_eq!(board["lastMove"]["zh"], "马8进7");
}

#[test]
fn a_node_is_a_position_of_its_game_only() {
    let mut client = Conversation::start(&[]);
    let document = json!({"text": TEXT});
    let at = |path: Value| json!({"document": document, "node": {"path": path}});
    let position = client.request("xiangqi/position", json!({"position": at(json!(["0*5"]))}));
    assert!(position["fen"].as_str().unwrap().starts_with("rnbakabr1/9/"), "{position}");
    let played = client.request("xiangqi/move", json!({"position": at(json!([])), "move": "炮二平五"}));
    assert_eq!(played["move"]["iccs"], "h2e2");
    let sgf = json!({"position": {"document": {"text": "(;SZ[9])"}}});
    assert_eq!(client.refused("xiangqi/moves", sgf)["data"]["kind"], "UnsupportedGame");
    let both = json!({"position": {"document": document, "board": []}});
    assert_eq!(client.refused("xiangqi/moves", both)["data"]["kind"], "InvalidParams");
    let engine =
        json!({"name": "minimal", "path": support::example("minimal-engine").to_str().unwrap(), "args": ""});
    let engine = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
    let refused = client.refused("engine/sync", json!({"engineId": engine, "position": at(json!([0]))}));
    assert_eq!(refused["data"]["kind"], "UnsupportedGame", "{refused}");
}

#[test]
fn a_move_is_played_and_read_again() {
    let mut client = open(json!({}), "xiangqi-pgn", TEXT);
    let document = json!({"uri": URI, "version": 1});
    let play = |node: Value, text: &str| json!({"document": document, "node": node, "move": text});
    let done = client.request("record/play", play(json!({"path": ["0*5"]}), "卒1进1"));
    assert_eq!((&done["node"], &done["captured"]), (&json!({"game": 0, "path": ["0*6"]}), &json!(0)));
    assert_eq!(done["move"], json!({"color": "b", "vertex": "a6a5", "zh": "卒1进1", "wxf": "P1+1"}));
    let edits = &done["edit"]["documentChanges"][0];
    assert_eq!(edits["textDocument"], json!({"uri": URI, "version": 1}));
    let edit = &edits["edits"][0];
    assert_eq!(edit["range"]["start"], place(TEXT, "炮五进四", "炮五进四".len()));
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2},
            "contentChanges": [{"range": edit["range"], "text": edit["newText"]}]}),
    );
    let board = client.request("record/board", json!({"document": {"uri": URI}, "node": done["node"]}));
    assert_eq!((&board["moveNumber"], &board["lastMove"]["zh"]), (&json!(6), &json!("卒1进1")));
    // Another answer becomes a variation; one that is there is found.
    let document = json!({"text": TEXT});
    let other = json!({"document": document, "node": {"path": []}, "move": "h0g2"});
    let done = client.request("record/play", other);
    assert!(
        done["edit"]["text"].as_str().unwrap().contains("正着} (1. 马二进三) 马8进7 (1... 炮8平5"),
        "{done}"
    );
    assert_eq!(done["node"]["path"], json!([1]));
    let known =
        client.request("record/play", json!({"document": document, "node": {"path": [0]}, "move": "炮8平5"}));
    assert_eq!((known.get("edit"), &known["node"]["path"]), (None, &json!([0, 1])));
    let refused =
        client.refused("record/play", json!({"document": document, "node": {"path": [0]}, "move": "车1进4"}));
    assert_eq!(
        (&refused["data"]["kind"], &refused["data"]["code"]),
        (&json!("IllegalMove"), &json!("blocked-path"))
    );
    assert!(refused["data"]["reasonZh"].as_str().unwrap().contains("卒"), "{refused}");
}

#[test]
fn records_are_edited() {
    let mut client = Conversation::start(&[]);
    let mut edited = |text: &str, path: Value, ops: Value| {
        let answer = client
            .request("record/edit", json!({"document": {"text": text}, "node": {"path": path}, "ops": ops}));
        let after =
            answer["edit"].get("text").map_or(text.to_owned(), |text| text.as_str().unwrap().to_owned());
        (after, answer["node"]["path"].clone())
    };
    let comment = json!([{"op": "setProperty", "name": "comment", "values": ["新"]}]);
    let (text, _) = edited(TEXT, json!([0]), comment.clone());
    assert_eq!(text, TEXT.replace("{中炮😀\r\n正着}", "{新}"));
    let ops = json!([
        {"op": "addNode", "move": "车九进一", "props": {"comment": ["试"]}},
        {"op": "addNode", "move": "车9进1"},
        {"op": "promote"}
    ]);
    let (text, node) = edited("1. 炮二平五 马8进7 (1... 炮8平5) 2. 马二进三 *", json!([0, 1]), ops);
    assert_eq!(node, json!(["0*4"]), "{text}");
    let (text, node) = edited(TEXT, json!([0, 1]), json!([{"op": "removeNode"}]));
    assert_eq!(
        (text, node),
        (TEXT.replace(" (1... 炮8平5 {顺炮} 2. 马二进三 (2. 车一进一 马8进7) 马8进7)", ""), json!([0]))
    );
    let (text, _) =
        edited(DHTMLXQ, json!([]), json!([{"op": "setProperty", "name": "Black", "values": ["乙"]}]));
    assert!(text.contains("\n[DhtmlXQ_black]乙[/DhtmlXQ_black]\n"), "{text}");
    // The same on SGF.
    let sgf = "(;SZ[9];B[aa](;W[bb])(;W[cc]))";
    let (text, node) =
        edited(sgf, json!([0, 1]), json!([{"op": "promote"}, comment_op(), {"op": "addNode", "move": "E5"}]));
    assert_eq!((text.as_str(), node), ("(;SZ[9];B[aa](;W[cc]C[x];B[ee])(;W[bb]))", json!(["0*3"])));
    let (text, node) = edited(sgf, json!([0, 1]), json!([{"op": "removeNode"}]));
    assert_eq!((text.as_str(), node), ("(;SZ[9];B[aa](;W[bb]))", json!([0])));
    let op = json!({"document": {"text": TEXT}, "ops": [{"op": "removeNode"}]});
    assert_eq!(client.refused("record/edit", op)["data"]["kind"], "NotFound");
    let go = json!({"document": {"text": sgf}, "node": {"path": [0]}, "move": "A9"});
    assert_eq!(client.refused("record/play", go)["data"]["kind"], "IllegalMove");
    let go = json!({"document": {"text": sgf}, "node": {"path": [0]}, "move": "E5"});
    assert_eq!(client.request("record/play", go)["edit"]["text"], "(;SZ[9];B[aa](;W[bb])(;W[cc])(;W[ee]))");
}

fn comment_op() -> Value {
    json!({"op": "setProperty", "name": "C", "values": ["x"]})
}

#[test]
fn files_are_checked_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    let text = "[Red \"许银川\"]\r\n1. 炮2平5 马8进7 2. 马二进四 *\r\n";
    std::fs::write(&path, encoding_rs::GBK.encode(text).0).unwrap();
    std::fs::write(folder.path().join(".kifud.toml"), "[findings]\nhorse-leg = \"warning\"\n").unwrap();
    let check = |args: &[&str]| {
        let output =
            std::process::Command::new(support::kifud()).arg("check").args(args).arg(&path).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, shown) = check(&["--locale", "zh"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("a.pgn:2:17: warning[horse-leg]: ") && shown.contains("2 | 1. 炮2平5"), "{shown}");
    let (code, shown) = check(&["--fix", "--json"]);
    assert_eq!(code, Some(0), "{shown}");
    let bytes = std::fs::read(&path).unwrap();
    let (read, _, _) = encoding_rs::GBK.decode(&bytes);
    assert_eq!(read, text.replace("炮2平5", "炮二平五"));
}
