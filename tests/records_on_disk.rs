//! Open records and what lies beside them: their files, `.kifud.toml`, other open records; and records too large to be
//! judged. Over pipes.

mod support;

use std::path::Path;

use encoding_rs::{Encoding, GBK};
use serde_json::{Value, json};
use support::Conversation;
use tempfile::TempDir;

/// A folder that is a repository, so that no settings from outside count.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn open(client: &mut Conversation, uri: &str, text: &str) {
    let document = json!({"uri": uri, "languageId": "sgf", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

/// The next findings that are sent of a text.
fn sent(client: &mut Conversation, uri: &str) -> Vec<Value> {
    let message = client.wait("findings", |message| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
    });
    message["params"]["diagnostics"].as_array().unwrap().clone()
}

fn codes(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// What is offered at a place of the first line, all or of a sort.
fn offered(client: &mut Conversation, uri: &str, character: usize, only: Option<&str>) -> Vec<Value> {
    let at = json!({"line": 0, "character": character});
    let context = match only {
        Some(only) => json!({"diagnostics": [], "only": [only]}),
        None => json!({"diagnostics": []}),
    };
    let ask = json!({"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": context});
    client.request("textDocument/codeAction", ask).as_array().unwrap().clone()
}

/// The edits of an action that changes one text, in either form.
fn changes(action: &Value) -> &Value {
    let edit = &action["edit"];
    match edit["documentChanges"].get(0) {
        Some(document) => &document["edits"],
        None => edit["changes"].as_object().and_then(|texts| texts.values().next()).unwrap_or(&Value::Null),
    }
}

/// A text after LSP's edits; columns are of UTF-16.
fn applied(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| {
        let [line, units] = ["line", "character"].map(|key| at[key].as_u64().unwrap() as usize);
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let wide: Vec<u16> = text[start..].encode_utf16().take(units).collect();
        start + String::from_utf16(&wide).unwrap().len()
    };
    let mut edits: Vec<_> = (edits.as_array().unwrap().iter())
        .map(|edit| {
            (
                offset(&edit["range"]["start"]),
                offset(&edit["range"]["end"]),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let (mut after, mut done) = (String::new(), 0);
    for (start, end, new) in edits {
        after.push_str(&text[done..start]);
        after.push_str(new);
        done = end;
    }
    after + &text[done..]
}

const LOST: &str = "(;GM[1]FF[4]CA[GBK]SZ[9]PB[吴清源]PW[木谷实];B[ee])";

/// A file in a charset, and what an editor shows that takes it for UTF-8.
fn misread(folder: &TempDir, charset: &'static Encoding, text: &str) -> (String, String) {
    let bytes = charset.encode(text).0.into_owned();
    let path = folder.path().join("a.sgf");
    std::fs::write(&path, &bytes).unwrap();
    (uri(&path), String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn a_text_full_of_lost_characters_is_read_again() {
    let folder = folder();
    let (uri, shown) = misread(&folder, GBK, LOST);
    let mut client = Conversation::lsp(&[], json!({}));
    open(&mut client, &uri, &shown);
    let found = sent(&mut client, &uri);
    assert_eq!(codes(&found), ["lost-characters"]);
    let start = found[0]["range"]["start"]["character"].as_u64().unwrap() as usize;
    let offers = offered(&mut client, &uri, start, Some("quickfix"));
    assert_eq!(offers[0]["title"], "read the file again as GBK");
    let after = applied(&shown, changes(&offers[0]));
    assert_eq!(after, LOST.replace("GBK", "UTF-8"));
    // Nobody who is not trusted learns what is in files.
    let mut stranger = Conversation::lsp(&[], json!({"initializationOptions": {"trusted": false}}));
    open(&mut stranger, &uri, &shown);
    assert!(codes(&sent(&mut stranger, &uri)).iter().all(|code| *code != "charset-contradiction"));
    assert_eq!(offered(&mut stranger, &uri, start, Some("quickfix")), Vec::<Value>::new());
}

#[test]
fn the_declared_charset_is_held_against_the_file() {
    let folder = folder();
    let (uri, _) = misread(&folder, GBK, LOST);
    let mut client = Conversation::lsp(&[], json!({}));
    // The editor has read the file as GBK, and will write it so.
    open(&mut client, &uri, LOST);
    assert_eq!(codes(&sent(&mut client, &uri)), Vec::<&str>::new());
    // Somebody writes UTF-8: found again when the editor has saved, or tells of the file.
    std::fs::write(folder.path().join("a.sgf"), LOST).unwrap();
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    assert_eq!(codes(&sent(&mut client, &uri)), ["charset-contradiction"]);
    let (_, _) = misread(&folder, GBK, LOST);
    let changed = json!({"changes": [{"uri": uri, "type": 2}]});
    client.notify("workspace/didChangeWatchedFiles", changed);
    assert_eq!(codes(&sent(&mut client, &uri)), Vec::<&str>::new());
    // A text without a file: the editor will write UTF-8.
    open(&mut client, "untitled:1", LOST);
    assert_eq!(codes(&sent(&mut client, "untitled:1")), ["editor-charset"]);
}

const WATCHES: &str = "workspace/didChangeWatchedFiles";

#[test]
fn settings_of_findings_count_as_soon_as_they_change() {
    let folder = folder();
    let (record, settings) = (uri(&folder.path().join("a.sgf")), folder.path().join(".kifud.toml"));
    let capabilities = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let mut client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
    let asked = client.serve("client/registerCapability", Value::Null);
    assert_eq!(asked["registrations"][0]["method"], WATCHES);
    let globs = asked["registrations"][0]["registerOptions"]["watchers"].as_array().unwrap().clone();
    assert_eq!(globs, [json!({"globPattern": "**/.kifud.toml"}), json!({"globPattern": "**/*.sgf"})]);
    open(&mut client, &record, "(;GM[1]FF[4]SZ[9];B[zz])");
    assert_eq!(sent(&mut client, &record)[0]["severity"], 1);
    for (text, severity) in [("off-board = \"hint\"", Some(4)), ("off-board = \"off\"", None), ("", Some(1))]
    {
        std::fs::write(&settings, format!("[findings]\n{text}\n")).unwrap();
        client.notify(WATCHES, json!({"changes": [{"uri": uri(&settings), "type": 2}]}));
        let found = sent(&mut client, &record);
        assert_eq!(found.first().map(|finding| finding["severity"].as_i64().unwrap()), severity, "{text}");
    }
}

#[test]
fn editors_that_ask_are_told_to_ask_again() {
    let folder = folder();
    let (record, settings) = (uri(&folder.path().join("a.sgf")), folder.path().join(".kifud.toml"));
    let capabilities = json!({"textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}}});
    let mut client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
    open(&mut client, &record, "(;GM[1]FF[4]SZ[9];B[zz])");
    let ask = json!({"textDocument": {"uri": record}});
    let before = client.request("textDocument/diagnostic", ask.clone());
    assert_eq!(before["items"].as_array().unwrap().len(), 1);
    std::fs::write(&settings, "[findings]\noff-board = \"off\"\n").unwrap();
    client.notify(WATCHES, json!({"changes": [{"uri": uri(&settings), "type": 1}]}));
    client.serve("workspace/diagnostic/refresh", Value::Null);
    let again = json!({"textDocument": {"uri": record}, "previousResultId": before["resultId"]});
    let after = client.request("textDocument/diagnostic", again);
    assert_eq!((&after["kind"], &after["items"]), (&json!("full"), &json!([])));
}

#[test]
fn comments_in_the_record_hide_findings() {
    let mut client = Conversation::lsp(&[], json!({}));
    for (comment, expected) in [
        ("so it was", &["off-board", "off-board"][..]),
        ("so it was\nkifud: allow off-board, ko", &["off-board"]),
        ("kifud: allow-game off-board", &["off-board", "off-board"]),
    ] {
        open(&mut client, "file:///a.sgf", &format!("(;GM[1]FF[4]SZ[9];B[zz]C[{comment}];W[zz])"));
        assert_eq!(codes(&sent(&mut client, "file:///a.sgf")), expected, "{comment}");
    }
    open(&mut client, "file:///a.sgf", "(;GM[1]FF[4]SZ[9]C[kifud: allow-game off-board];B[zz];W[zz])");
    assert_eq!(codes(&sent(&mut client, "file:///a.sgf")), Vec::<&str>::new());
}

#[test]
fn of_a_large_record_only_the_structure_is_looked_at() {
    let folder = folder();
    let config = folder.path().join("kifud.toml");
    std::fs::write(&config, "[limits]\nfindingsBytes = 2000\n").unwrap();
    let mut client = Conversation::lsp(&["--config", config.to_str().unwrap()], json!({}));
    let text = format!("(;GM[1]FF[4]SZ[9]PB[A]PW[B]{}", ";B[zz];W[aa]".repeat(200));
    open(&mut client, "file:///a.sgf", &text);
    let found = sent(&mut client, "file:///a.sgf");
    assert_eq!(codes(&found), ["unclosed-tree", "structure-only"]);
    assert_eq!(found[1]["severity"], 3);
    let document = json!({"textDocument": {"uri": "file:///a.sgf"}});
    let outline = client.request("textDocument/documentSymbol", document.clone());
    assert!(outline[0]["name"].as_str().unwrap().contains('A'), "{outline}");
    let hover = json!({"textDocument": {"uri": "file:///a.sgf"}, "position": {"line": 0, "character": 40}});
    assert!(client.request("textDocument/hover", hover)["contents"].is_object());
    let tokens = client.request("textDocument/semanticTokens/full", document);
    assert_eq!(tokens["data"], json!([]));
    let ask =
        json!({"textDocument": {"uri": "file:///a.sgf"}, "options": {"tabSize": 4, "insertSpaces": true}});
    assert_eq!(client.request("textDocument/formatting", ask), json!([]));
    let fixes = offered(&mut client, "file:///a.sgf", 1, Some("source.fixAll"));
    assert_eq!(applied(&text, changes(&fixes[0])), text.clone() + ")");
    // A smaller text of the same name is judged.
    open(&mut client, "file:///a.sgf", "(;GM[1]FF[4]SZ[9];B[zz])");
    assert_eq!(codes(&sent(&mut client, "file:///a.sgf")), ["off-board"]);
}

/// A record with something for each action, and `|` where it is offered.
const ACTIONS: [(&str, &str, &str, &str); 12] = [
    ("quickfix", "write a decimal point", "(;SZ[9]KM[|6,5])", "(;SZ[9]KM[6.5])"),
    ("source.fixAll", "Fix all that can be fixed safely", "(;|SZ[9]KM[6,5])", "(;SZ[9]KM[6.5])"),
    (
        "source",
        "Write the dialects of servers as FF[4] has them",
        "(;|SZ[9]FF[3]CoPyright[x]KO[5,5]HA[2];B[cc];B[gg];W[tt])",
        "(;SZ[9]FF[3]CP[x]KO[5,5]HA[2]AB[cc][gg];W[])",
    ),
    ("refactor.rewrite", "Write the points one by one", "(;SZ[9]A|B[aa:ba])", "(;SZ[9]AB[aa][ba])"),
    ("refactor.rewrite", "Write the points as rectangles", "(;SZ[9]A|B[aa][ba])", "(;SZ[9]AB[aa:ba])"),
    (
        "refactor.move",
        "Make this the main line",
        "(;SZ[9];B[aa](;W[bb])(;|W[cc]))",
        "(;SZ[9];B[aa](;W[cc])(;W[bb]))",
    ),
    (
        "refactor.extract",
        "Copy from here into a game of its own",
        "(;SZ[9];B[aa];|W[bb])",
        "(;SZ[9];B[aa];W[bb])\n(;SZ[9]AB[aa]PL[W]\n;W[bb])",
    ),
    (
        "refactor.extract",
        "Add the engine's line as a variation",
        "(;SZ[9];|B[ee]LZ[x 50 9\nmove E7 pv E7 C5];W[aa])",
        "(;SZ[9];B[ee]LZ[x 50 9\nmove E7 pv E7 C5](;W[aa])(;W[ec];B[ce]))",
    ),
    ("source", "Remove triangles from this game", "(;|SZ[9];B[aa]TR[aa])", "(;SZ[9];B[aa])"),
    ("source", "Remove comments from this node", "(;SZ[9];|B[aa]C[x])", "(;SZ[9];B[aa])"),
    (
        "source",
        "State UTF-8 as the charset; save the file in it",
        "(;|CA[GB2312]PB[吴清源])",
        "(;CA[UTF-8]PB[吴清源])",
    ),
    ("refactor.inline", "Add the games of the other open records (1)", "(;|SZ[9])", "(;SZ[9])\n(;PB[other])"),
];

#[test]
fn every_action_is_offered_and_does_what_it_says() {
    for later in [false, true] {
        let support = if later { json!({"resolveSupport": {"properties": ["edit"]}}) } else { json!({}) };
        let capabilities = json!({"textDocument": {"codeAction": support}});
        let mut client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
        open(&mut client, "file:///other.sgf", "(;PB[other])");
        for (kind, title, marked, expected) in ACTIONS {
            let at = marked.find('|').unwrap();
            let text = marked.replacen('|', "", 1);
            open(&mut client, "file:///a.sgf", &text);
            let offers = offered(&mut client, "file:///a.sgf", at, Some(kind));
            let mut action =
                offers.iter().find(|offer| offer["title"] == title).cloned().unwrap_or_else(|| {
                    panic!("{title} is not offered: {offers:?}");
                });
            assert_eq!(action["kind"], kind);
            if later && action.get("edit").is_none() {
                action = client.request("codeAction/resolve", action);
            }
            let edits = changes(&action);
            assert_eq!(applied(&text, edits), expected, "{title}");
        }
    }
}

#[test]
fn a_collection_becomes_files() {
    let edit = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let capabilities = json!({"workspace": {"workspaceEdit": edit}});
    let mut client = Conversation::lsp(&[], json!({"capabilities": capabilities}));
    open(&mut client, "file:///g/two.x.sgf", "mail\n(;PB[a];B[aa])\n(;PB[b])");
    let at = json!({"line": 1, "character": 1});
    let ask = json!({"textDocument": {"uri": "file:///g/two.x.sgf"}, "range": {"start": at, "end": at},
        "context": {"diagnostics": [], "only": ["refactor.extract"]}});
    let offers = client.request("textDocument/codeAction", ask.clone());
    assert_eq!(offers[0]["title"], "Copy each game into a file of its own");
    let operations = offers[0]["edit"]["documentChanges"].as_array().unwrap().clone();
    let made: Vec<_> = (operations.chunks(2))
        .map(|pair| {
            assert_eq!(pair[0]["kind"], "create");
            assert_eq!(pair[0]["options"], json!({"overwrite": false, "ignoreIfExists": false}));
            assert_eq!(pair[0]["uri"], pair[1]["textDocument"]["uri"]);
            (pair[0]["uri"].as_str().unwrap(), pair[1]["edits"][0]["newText"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        made,
        [("file:///g/two.x-1.sgf", "(;PB[a];B[aa])\n"), ("file:///g/two.x-2.sgf", "(;PB[b])\n")]
    );
    let mut plain = Conversation::lsp(&[], json!({}));
    open(&mut plain, "file:///g/two.x.sgf", "mail\n(;PB[a];B[aa])\n(;PB[b])");
    assert_eq!(plain.request("textDocument/codeAction", ask), json!([]), "who cannot create files");
}

#[test]
fn layouts_by_setting_and_by_range() {
    let text = "( ;GM[1] FF[4]C[two\nlines]\n;B[aa] ; W[bb] )";
    let ask =
        json!({"textDocument": {"uri": "file:///a.sgf"}, "options": {"tabSize": 4, "insertSpaces": true}});
    for (style, expected) in [
        (Value::Null, "(;GM[1]\nFF[4]\nC[two\nlines]\n;B[aa];W[bb])\n"),
        (json!("compact"), "(;GM[1]FF[4]C[two\nlines];B[aa];W[bb])\n"),
    ] {
        let mut client = Conversation::lsp(&[], json!({"initializationOptions": {"formatStyle": style}}));
        open(&mut client, "file:///a.sgf", text);
        let edits = client.request("textDocument/formatting", ask.clone());
        assert_eq!(applied(text, &edits), expected);
        open(&mut client, "file:///a.sgf", expected);
        assert_eq!(client.request("textDocument/formatting", ask.clone()), json!([]));
        let mut part = ask.clone();
        part["range"] = json!({"start": {"line": 2, "character": 6}, "end": {"line": 2, "character": 9}});
        open(&mut client, "file:///a.sgf", text);
        let edits = client.request("textDocument/rangeFormatting", part);
        assert_eq!(applied(text, &edits), text.replace("B[aa] ; W", "B[aa];W"));
    }
}
