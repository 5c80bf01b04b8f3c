//! What an editor is shown of a record, over pipes: hovers, outline, completion, actions and the like.

mod support;

use serde_json::{Value, json};
use support::Conversation;

const URI: &str = "file:///games/two.sgf";
const TEXT: &str = "(;GM[1]FF[4]SZ[9]KM[6.5]PB[吴😀]PW[Cho]RE[B+R]\n;B[ee]C[tengen\nsee other.sgf];W[ed](;B[dd]N[left]\n;W[ec])(;B[fd];W[fc]))\n";

fn open(capabilities: Value) -> Conversation {
    let mut client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": TEXT}}),
    );
    client
}

/// The place of a piece of the text, behind so many of its bytes.
fn at(piece: &str, behind: usize) -> Value {
    let offset = TEXT.find(piece).expect("the text holds it") + behind;
    let before = &TEXT[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    json!({"line": line, "character": before[start..].encode_utf16().count()})
}

/// The piece of `TEXT` in a range.
fn slice(range: &Value) -> String {
    piece(TEXT, range)
}

fn piece(text: &str, range: &Value) -> String {
    let offset = |at: &Value| {
        let line = at["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let units = at["character"].as_u64().unwrap() as usize;
        let wide: Vec<u16> = text[start..].encode_utf16().take(units).collect();
        start + String::from_utf16(&wide).expect("whole characters").len()
    };
    text[offset(&range["start"])..offset(&range["end"])].to_owned()
}

fn ask(client: &mut Conversation, method: &str, position: Value) -> Value {
    client.request(
        method,
        json!({"textDocument": {"uri": URI}, "position": position, "context": {"includeDeclaration": true, "triggerKind": 1}}),
    )
}

#[test]
fn findings_of_many_changes_in_one_breath_are_sent_once() {
    let mut client = open(json!({}));
    for version in 2..12 {
        let document = json!({"uri": URI, "version": version});
        let changes = json!([{"text": format!("(;SZ[9];B[aa];W[zz]C[{version}])")}]);
        client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }
    let sent = client.wait("findings", |message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(sent["params"]["version"], 11);
    let more = client.drain(std::time::Duration::from_millis(400));
    assert!(more.iter().all(|message| message["method"] != "textDocument/publishDiagnostics"), "{more:?}");
}

#[test]
fn hovers() {
    let mut client = open(json!({"textDocument": {"hover": {"contentFormat": ["markdown"]}}}));
    let hover = ask(&mut client, "textDocument/hover", at("[ed]", 1));
    assert_eq!(hover["contents"]["kind"], "markdown");
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("Move 2: White E6"), "{text}");
    assert!(text.contains("```text"), "{text}");
    assert!(!text.contains("data:image"), "{text}");
    assert_eq!(slice(&hover["range"]), "[ed]");
    let property = ask(&mut client, "textDocument/hover", at("KM[", 1));
    assert_eq!(slice(&property["range"]), "KM");
    assert_eq!(ask(&mut client, "textDocument/hover", json!({"line": 99, "character": 0})), Value::Null);
}

#[test]
fn hovers_with_an_image_in_chinese() {
    let mut client = Conversation::lsp(
        &[],
        json!({"locale": "zh-cn", "capabilities": {
            "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}},
            "experimental": {"kifud": {"hoverImages": true}}}}),
    );
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": TEXT}}),
    );
    let hover = ask(&mut client, "textDocument/hover", at("[ed]", 1));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("第 2 手：白方 E6"), "{text}");
    let image = text.split_once("(data:image/svg+xml,").unwrap().1;
    assert!(image.starts_with("%3Csvg%20") && image.ends_with("%3C/svg%3E)"), "{image}");
}

#[test]
fn outline_as_tree_and_as_list() {
    let mut client =
        open(json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}}));
    let tree = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    let game = &tree[0];
    assert_eq!(tree.as_array().unwrap().len(), 1);
    assert!(game["name"].as_str().unwrap().contains("吴😀"), "{game}");
    assert!(game["detail"].as_str().unwrap().contains("B+R"), "{game}");
    assert_eq!(slice(&game["range"]), TEXT.trim_end());
    let inside = game["children"].as_array().unwrap();
    assert!(inside.iter().any(|entry| slice(&entry["range"]).starts_with("(;B[fd]")), "{inside:?}");

    let mut plain = open(json!({}));
    let list = plain.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    assert_eq!(list[0]["location"]["uri"], URI);
    assert_eq!(list.as_array().unwrap().len(), 1 + count(game));
    let found = plain.request("workspace/symbol", json!({"query": "吴"}));
    assert_eq!(slice(&found[0]["location"]["range"]), "吴😀");
    assert_eq!(plain.request("workspace/symbol", json!({"query": "nobody"})), json!([]));
}

fn count(entry: &Value) -> usize {
    entry["children"].as_array().into_iter().flatten().map(|child| 1 + count(child)).sum()
}

#[test]
fn completion_with_and_without_snippets() {
    for snippets in [true, false] {
        let mut client =
            open(json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": snippets}}}}));
        let list = ask(&mut client, "textDocument/completion", at(";W[ec]", 6));
        let items = list["items"].as_array().unwrap();
        let comment = items.iter().find(|item| item["label"].as_str().unwrap().starts_with('C')).unwrap();
        let new_text = comment["textEdit"]["newText"].as_str().unwrap();
        assert_eq!(new_text.contains("$0"), snippets, "{new_text}");
        assert_eq!(comment["insertTextFormat"] == 2, snippets);
        let points = ask(&mut client, "textDocument/completion", at("[ec]", 1));
        assert!(
            points["items"].as_array().unwrap().iter().all(|item| item["label"] != "E5"),
            "taken: {points}"
        );
    }
}

#[test]
fn places_that_belong_together() {
    let mut client = open(json!({"textDocument": {"definition": {"linkSupport": true}}}));
    let definition = ask(&mut client, "textDocument/definition", at("(;B[fd]", 0));
    assert_eq!(slice(&definition[0]["targetRange"]), ";W[ed]");
    assert_eq!(definition[0]["targetUri"], URI);
    let references = ask(&mut client, "textDocument/references", at("[ed]", 1));
    assert_eq!(references.as_array().unwrap().len(), 1);
    assert_eq!(slice(&references[0]["range"]), "ed");
    let highlights = ask(&mut client, "textDocument/documentHighlight", at("[ed]", 1));
    assert_eq!(slice(&highlights[0]["range"]), "ed");
    let folds = client.request("textDocument/foldingRange", json!({"textDocument": {"uri": URI}}));
    assert!(
        folds.as_array().unwrap().iter().any(|fold| fold["startLine"] == 0 && fold["endLine"] == 3),
        "{folds}"
    );
    let selection = client.request(
        "textDocument/selectionRange",
        json!({"textDocument": {"uri": URI}, "positions": [at("[ed]", 1), at("N[left]", 0)]}),
    );
    let mut grown = Vec::new();
    let mut range = &selection[0];
    while range.is_object() {
        grown.push(slice(&range["range"]));
        range = &range["parent"];
    }
    assert_eq!(grown.first().unwrap(), "ed");
    assert_eq!(grown.last().unwrap(), TEXT);
    assert!(
        grown.windows(2).all(|pair| pair[1].contains(&pair[0]) && pair[1].len() > pair[0].len()),
        "{grown:?}"
    );
    let links = client.request("textDocument/documentLink", json!({"textDocument": {"uri": URI}}));
    assert_eq!(links[0]["target"], "file:///games/other.sgf");
}

#[test]
fn semantic_tokens_cover_the_range() {
    let mut client = open(json!({}));
    let tokens = client.request("textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    let data: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!(data.len() % 5, 0);
    let (mut line, mut character) = (0, 0);
    let mut pieces = Vec::new();
    for token in data.chunks(5) {
        line += token[0];
        character = if token[0] == 0 { character + token[1] } else { token[1] };
        let range = json!({"start": {"line": line, "character": character},
                           "end": {"line": line, "character": character + token[2]}});
        pieces.push((slice(&range), token[3], token[4]));
    }
    assert!(pieces.contains(&("ee".to_owned(), 2, 0b0110)), "{pieces:?}");
    assert!(pieces.contains(&("吴😀".to_owned(), 5, 0)), "{pieces:?}");
    let part = client.request(
        "textDocument/semanticTokens/range",
        json!({"textDocument": {"uri": URI}, "range": {"start": at(";W[ec]", 0), "end": at(";W[ec]", 6)}}),
    );
    assert!(part["data"].as_array().unwrap().len() < data.len());
}

#[test]
fn hints_and_lenses() {
    let mut client = open(
        json!({"experimental": {"commands": {"commands": ["kifud.analyzeGame", "kifud.showVariations"]}}}),
    );
    let hints = client.request(
        "textDocument/inlayHint",
        json!({"textDocument": {"uri": URI}, "range": {"start": at("(;GM", 0), "end": {"line": 9, "character": 0}}}),
    );
    assert_eq!(hints[0]["position"], at("B[ee]", 0));
    assert_eq!(hints[0]["label"], "1");
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    let commands: Vec<_> =
        lenses.as_array().unwrap().iter().map(|lens| &lens["command"]["command"]).collect();
    assert_eq!(commands, ["kifud.analyzeGame", "kifud.showVariations"]);
    assert_eq!(lenses[1]["command"]["arguments"][0]["node"], json!({"game": 0, "path": ["0*2"]}));
    assert_eq!(lenses[1]["command"]["arguments"][0]["children"].as_array().unwrap().len(), 2);
    let mut other = open(json!({}));
    assert_eq!(other.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})), json!([]));
}

#[test]
fn actions_are_offered_and_worked_out() {
    let mut client = open(json!({}));
    let range = json!({"start": at(";B[fd]", 1), "end": at(";B[fd]", 1)});
    let ask = json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": [], "only": ["refactor.move"]}});
    let offered = client.request("textDocument/codeAction", ask.clone());
    let [promote] = offered.as_array().unwrap().as_slice() else { panic!("{offered}") };
    assert_eq!(promote["kind"], "refactor.move");
    assert!(promote["edit"]["changes"][URI].is_array(), "{promote}");

    let mut later =
        open(json!({"textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}}}));
    let offered = later.request("textDocument/codeAction", ask);
    assert_eq!(offered[0]["edit"], Value::Null);
    let resolved = later.request("codeAction/resolve", offered[0].clone());
    assert_eq!(resolved["edit"], promote["edit"]);
    later.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "(;)"}]}),
    );
    let error = later.refused("codeAction/resolve", offered[0].clone());
    assert_eq!(error["data"]["kind"], "StaleDocument");
}

/// The findings of the newest text, as the editor was sent them.
fn published(client: &mut Conversation, version: i64) -> Value {
    let message = client.wait("findings", |message| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version
    });
    message["params"]["diagnostics"].clone()
}

fn did_open(client: &mut Conversation, text: &str) {
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": text}}),
    );
}

fn did_change(client: &mut Conversation, version: i64, text: &str) {
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]}),
    );
}

#[test]
fn findings_follow_the_text_and_go_with_it() {
    let mut client = Conversation::lsp(&[], json!({}));
    let text = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6,5];B[zz])";
    did_open(&mut client, text);
    let found = published(&mut client, 1);
    let codes: Vec<_> =
        found.as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 2, "{found}");
    let places: Vec<_> =
        found.as_array().unwrap().iter().map(|finding| piece(text, &finding["range"])).collect();
    assert_eq!(places, ["[6,5]", "[zz]"]);
    assert_eq!(found[0]["source"], "kifud");
    // Of texts that change quickly only the last one is looked at.
    for version in 2..20 {
        did_change(&mut client, version, "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[zz])");
    }
    did_change(&mut client, 20, "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee])");
    assert_eq!(published(&mut client, 20), json!([]));
    did_change(&mut client, 21, "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[zz])");
    assert_eq!(published(&mut client, 21).as_array().unwrap().len(), 1);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    let cleared = client.wait("nothing", |message| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == Value::Null
    });
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
}

#[test]
fn an_editor_that_asks_is_not_sent_findings() {
    let mut client =
        Conversation::lsp(&[], json!({"locale": "zh", "capabilities": {"textDocument": {"diagnostic": {}}}}));
    did_open(&mut client, "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6,5])");
    let ask = json!({"textDocument": {"uri": URI}});
    let report = client.request("textDocument/diagnostic", ask.clone());
    assert_eq!(report["kind"], "full");
    let message = report["items"][0]["message"].as_str().unwrap();
    assert!(message.chars().any(|letter| letter > '\u{4e00}'), "{message}");
    let mut again = ask.clone();
    again["previousResultId"] = report["resultId"].clone();
    assert_eq!(client.request("textDocument/diagnostic", again.clone())["kind"], "unchanged");
    did_change(&mut client, 2, "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5])");
    let report = client.request("textDocument/diagnostic", again);
    assert_eq!((&report["kind"], &report["items"]), (&json!("full"), &json!([])));
    let sent = client.drain(std::time::Duration::from_millis(300));
    assert!(sent.iter().all(|message| message["method"] != "textDocument/publishDiagnostics"), "{sent:?}");
}

#[test]
fn findings_have_fixes() {
    let text = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6,5];B[ee])";
    let mut client = Conversation::lsp(&[], json!({}));
    did_open(&mut client, text);
    let at = json!({"line": 0, "character": 30});
    let actions = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": URI}, "range": {"start": at, "end": at}, "context": {"diagnostics": [], "only": ["quickfix"]}}),
    );
    let [fix] = actions.as_array().unwrap().as_slice() else { panic!("{actions}") };
    assert_eq!(fix["kind"], "quickfix");
    let change = &fix["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({"uri": URI, "version": 1}));
    let edit = &change["edits"][0];
    let (start, end) = (&edit["range"]["start"]["character"], &edit["range"]["end"]["character"]);
    let (start, end) = (start.as_u64().unwrap() as usize, end.as_u64().unwrap() as usize);
    let mended = format!("{}{}{}", &text[..start], edit["newText"].as_str().unwrap(), &text[end..]);
    assert_eq!(mended, text.replace("6,5", "6.5"));
}

#[test]
fn a_record_is_laid_out() {
    let mut client = Conversation::lsp(&[], json!({}));
    did_open(&mut client, "(;GM[1]FF[4]SZ[9]   ;B[ee]\n\n\n;W[cc] )");
    let ask = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4, "insertSpaces": true}});
    let edits = client.request("textDocument/formatting", ask.clone());
    assert!(!edits.as_array().unwrap().is_empty());
    for edit in edits.as_array().unwrap() {
        assert!(edit["newText"].as_str().unwrap().trim().is_empty(), "only white space changes: {edit}");
    }
}

#[test]
fn settings_beside_the_file_say_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join(".kifud.toml"),
        "[findings]\nbad-number = \"off\"\noff-board = \"hint\"\n",
    )
    .unwrap();
    let uri = format!("file://{}/a.sgf", folder.path().display());
    let mut client = Conversation::lsp(&[], json!({}));
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 1, "text": "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[zz])"}}),
    );
    let found = published(&mut client, 1);
    let [finding] = found.as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!((&finding["code"], &finding["severity"]), (&json!("off-board"), &json!(4)));
}

/// The names in a workspace and the ends of their files' names.
fn names(client: &mut Conversation, query: &str) -> Vec<(String, String)> {
    let found = client.request("workspace/symbol", json!({"query": query}));
    let one = |symbol: &Value| {
        let uri = symbol["location"]["uri"].as_str().unwrap();
        (symbol["name"].as_str().unwrap().to_owned(), uri.rsplit('/').next().unwrap().to_owned())
    };
    found.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn names_in_the_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let folders = ["one", "two"].map(|name| folder.path().join(name));
    for (path, text) in [
        ("one/a b.sgf", "(;GM[1]\nPB[Shusaku]EV[Castle game])"),
        ("two/c.sgf", "(;PB[Shuwa])"),
        ("three.sgf", "(;PB[Shusai])"),
    ] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let folders = folders.map(|path| json!({"uri": format!("file://{}", path.display()), "name": ""}));
    let mut client = Conversation::lsp(&[], json!({"workspaceFolders": folders}));
    let pair = |name: &str, file: &str| (name.to_owned(), file.to_owned());
    assert_eq!(names(&mut client, "shu"), [pair("Shusaku", "a%20b.sgf"), pair("Shuwa", "c.sgf")]);
    let found = client.request("workspace/symbol", json!({"query": "castle"}));
    let at = |character: u32| json!({"line": 1, "character": character});
    assert_eq!(found[0]["location"]["range"], json!({"start": at(14), "end": at(25)}));

    // The open text wins, however its editor writes its name.
    let uri = format!("file://{}/one/a b.sgf", folder.path().display()).replace("a b", "%61%20b");
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 1, "text": "(;PB[Shuei])"}}),
    );
    assert_eq!(names(&mut client, "shu"), [pair("Shuei", "%61%20b.sgf"), pair("Shuwa", "c.sgf")]);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    std::fs::write(folder.path().join("two/c.sgf"), "(;PB[Shuho])").unwrap();
    assert_eq!(names(&mut client, "shu"), [pair("Shusaku", "a%20b.sgf"), pair("Shuho", "c.sgf")]);

    let options = json!({"workspaceFolders": folders, "initializationOptions": {"trusted": false}});
    assert_eq!(names(&mut Conversation::lsp(&[], options), "shu"), []);
}

#[test]
fn folders_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let [one, inner] = ["one", "one/inner"].map(|name| folder.path().join(name));
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(one.join("a.sgf"), "(;PB[Shusaku])").unwrap();
    std::fs::write(inner.join("b.sgf"), "(;PB[Shuwa])").unwrap();
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let pair = |name: &str, file: &str| (name.to_owned(), file.to_owned());

    // Editors from before there were workspace folders.
    let mut client = Conversation::lsp(&[], json!({"rootUri": uri(&inner)}));
    assert_eq!(names(&mut client, "shu"), [pair("Shuwa", "b.sgf")]);
    let mut client = Conversation::lsp(&[], json!({"rootUri": null, "rootPath": inner}));
    assert_eq!(names(&mut client, "shu"), [pair("Shuwa", "b.sgf")]);

    let named = |path| json!({"uri": uri(path), "name": ""});
    let change = |client: &mut Conversation, added: Value, removed: Value| {
        let event = json!({"event": {"added": added, "removed": removed}});
        client.notify("workspace/didChangeWorkspaceFolders", event);
    };
    change(&mut client, json!([named(&one)]), json!([]));
    assert_eq!(names(&mut client, "shu"), [pair("Shusaku", "a.sgf"), pair("Shuwa", "b.sgf")]);
    change(&mut client, json!([]), json!([named(&one)]));
    assert_eq!(names(&mut client, "shu"), [pair("Shuwa", "b.sgf")]);
    change(&mut client, json!([]), json!([named(&inner)]));
    assert_eq!(names(&mut client, "shu"), []);
}
