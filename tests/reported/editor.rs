//! Reports about the ways of editors: how they come and go, how they change texts and ask.

use std::io::{BufRead, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{self, Conversation, PATIENCE, Random, example, kifud};
use crate::{Editor, URI};

fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "capabilities": {}}})
}

/// Waits for a process to end, by its exit or by its disappearance from `/proc`.
fn ends(child: &mut Child) -> Duration {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < PATIENCE, "still running");
        std::thread::sleep(Duration::from_millis(5));
    }
    start.elapsed()
}

fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

/// Processes that run a program of this name below a process.
fn below(parent: u32, name: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process: &u32| {
            let read = |file| std::fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
            read("status").contains(&format!("PPid:\t{parent}\n")) && read("cmdline").contains(name)
        })
        .collect()
}

#[test]
pub fn r01_it_ends_with_its_editor() {
    // The editor is killed: what it held open is closed.
    let say = format!(
        "printf '%s' {}; exec sleep 600",
        shell_words::quote(&String::from_utf8(frame(&initialize())).unwrap())
    );
    let mut editor = Command::new("sh").args(["-c", &say]).stdout(Stdio::piped()).spawn().unwrap();
    let stdin = Stdio::from(editor.stdout.take().unwrap());
    let mut daemon =
        Command::new(kifud()).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    daemon.stdout.as_mut().unwrap().read_exact(&mut [0; 16]).unwrap();
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert!(ends(&mut daemon) < Duration::from_secs(5));

    // An engine ends with it.
    let mut client = Conversation::lsp(&[], json!({}));
    let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": ["deaf"]});
    client.request("engine/attach", json!({"engine": engine}));
    let engines = below(client.child.id(), "fake-engine");
    assert_eq!(engines.len(), 1);
    client.close_stdin();
    client.exit();
    let start = Instant::now();
    while engines.iter().any(|engine| is_alive(*engine)) {
        assert!(start.elapsed() < PATIENCE, "the engine is left");
        std::thread::sleep(Duration::from_millis(5));
    }

    // Nobody reads its log: it goes on, and ends as ever.
    let mut daemon = Command::new(kifud())
        .env("KIFUD_LOG", "trace")
        .env("RUST_LOG", "trace")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(daemon.stderr.take());
    let mut stdin = daemon.stdin.take().unwrap();
    stdin.write_all(&frame(&initialize())).unwrap();
    daemon.stdout.as_mut().unwrap().read_exact(&mut [0; 16]).unwrap();
    drop(stdin);
    assert!(ends(&mut daemon) < Duration::from_secs(5));
}

#[test]
pub fn r02_the_editor_s_process_is_watched() {
    // stdin stays open, as when a third process has inherited it.
    let mut editor = Command::new("sleep").arg("600").spawn().unwrap();
    let mut client = Conversation::start(&[]);
    client.initialize(json!({"processId": editor.id()}));
    let mut other = Conversation::start(&[]);
    other.initialize(json!({"processId": null}));
    editor.kill().unwrap();
    editor.wait().unwrap();
    client.exit();
    other.request("kifud/status", json!({}));
    assert!(other.is_running(), "null means that nobody is watched");
}

#[test]
pub fn r04_shutdown_and_exit() {
    let mut gone = Conversation::lsp(&[], json!({}));
    assert_eq!(gone.request("shutdown", Value::Null), Value::Null);
    gone.close_stdin();
    assert_eq!(gone.exit().code(), Some(0), "the end of input after shutdown");
    let mut hasty = Conversation::lsp(&[], json!({}));
    hasty.notify("exit", Value::Null);
    assert_eq!(hasty.exit().code(), Some(1), "exit without shutdown");
}

#[test]
pub fn r05_shutdown_at_once() {
    for _ in 0..10 {
        let mut client = Conversation::start(&[]);
        client.raw(&frame(&initialize()));
        client.raw(&frame(&json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})));
        assert!(client.answer(1)["result"]["capabilities"].is_object());
        let answer = client.answer(2);
        assert_eq!((answer.get("result"), answer.get("error")), (Some(&Value::Null), None), "{answer}");
        client.notify("exit", Value::Null);
        assert_eq!(client.exit().code(), Some(0));
    }
}

#[test]
pub fn r07_a_burst_of_changes() {
    let mut editor = Editor::open("(;SZ[9]KM[0])");
    let mut burst = Vec::new();
    let mut before = 1;
    for komi in 1..=100u64 {
        let place = |column: usize| json!({"line": 0, "character": column});
        let range = json!({"start": place(10), "end": place(10 + before)});
        before = komi.to_string().len();
        burst.extend(frame(&json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": URI, "version": komi + 1},
            "contentChanges": [{"range": range, "text": komi.to_string()}]}})));
        burst.extend(frame(&json!({"jsonrpc": "2.0", "id": 1000 + komi, "method": "textDocument/hover",
            "params": {"textDocument": {"uri": URI}, "position": place(10)}})));
    }
    editor.client.raw(&burst);
    for komi in 1..=100i64 {
        let shown = editor.client.answer(1000 + komi)["result"]["contents"]["value"].to_string();
        assert!(shown.contains(&format!("effective komi {komi} ")), "hover after change {komi}: {shown}");
    }
    editor.text = "(;SZ[9]KM[100])".to_owned();
    let tree = editor.tree();
    assert_eq!(tree["games"][0]["nodes"][0]["props"]["KM"], json!(["100"]));
}

#[test]
pub fn r08_changes_one_after_the_other() {
    let mut editor = Editor::open("(;C[a])");
    let place = |line: u32, column: u32| json!({"line": line, "character": column});
    // The second line is there only after the first change.
    let changes = json!([
        {"range": {"start": place(0, 5), "end": place(0, 5)}, "text": "\n棋😀"},
        {"range": {"start": place(1, 1), "end": place(1, 3)}, "text": "b"},
    ]);
    editor.client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": changes}),
    );
    assert_eq!(editor.tree()["games"][0]["nodes"][0]["props"]["C"], json!(["a\n棋b"]));
}

#[test]
pub fn r10_columns_inside_characters() {
    let lines = ["(;PB[围棋😀]C[e\u{301}👨\u{200d}👩\u{200d}👧]", ";B[😀];W[棋", "]AB[aa:cc])"];
    let mut editor = Editor::open(&lines.join("\n"));
    for (line, text) in lines.iter().enumerate() {
        for character in 0..=text.encode_utf16().count() + 2 {
            let at = json!({"line": line, "character": character});
            for method in ["hover", "completion", "definition", "documentHighlight"] {
                let params = json!({"textDocument": {"uri": URI}, "position": at});
                editor.client.request(&format!("textDocument/{method}"), params);
            }
            let range = json!({"start": at, "end": at});
            editor.client.request(
                "textDocument/codeAction",
                json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}}),
            );
        }
    }
}

#[test]
pub fn r11_ranges_behind_chinese_and_emoji() {
    let text = "(;PB[围棋😀]US[x[y]];B[pd];W[zz])";
    for (encoding, bracket, point) in [("utf-16", 17, 26), ("utf-8", 23, 32)] {
        let mut editor = Editor::with(
            json!({"general": {"positionEncodings": [encoding]}, "textDocument": {"diagnostic": {}}}),
            text,
        );
        let findings = editor.findings();
        let starts: Vec<_> = findings
            .iter()
            .map(|finding| (finding["code"].as_str().unwrap(), &finding["range"]["start"]["character"]))
            .collect();
        assert_eq!(
            starts,
            [("unescaped-bracket", &json!(bracket)), ("off-board", &json!(point))],
            "{encoding}"
        );
        if encoding == "utf-16" {
            assert_eq!(editor.slice(&findings[0]["range"]), "]");
            assert_eq!(editor.slice(&findings[1]["range"]), "[zz]");
        }
    }
}

#[test]
pub fn r13_line_ends_of_the_document() {
    let format = |editor: &mut Editor| {
        let ask = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4, "insertSpaces": true}});
        let edits = editor.client.request("textDocument/formatting", ask);
        // Ranges outside the document would not be found here.
        (support::apply(&editor.text, &edits), edits.as_array().map_or(0, Vec::len))
    };
    let text = "(;GM[1]FF[4]SZ[9]\r\nC[围棋]   ;B[ee]\r\n\r\n\r\n;W[cc] (;B[dd])(;B[ff]))";
    for text in [text.to_owned(), format!("{text}\r\n"), text.replace("\r\n", "\n")] {
        let (laid_out, edits) = format(&mut Editor::open(&text));
        assert!(edits > 0);
        let mixed = laid_out.replace("\r\n", "").contains(['\r', '\n']);
        assert_eq!(mixed, !text.contains('\r'), "{laid_out:?}");
        assert_eq!(format(&mut Editor::open(&laid_out)), (laid_out, 0), "nothing is left to do");
    }
}

/// Asks a program one thing after the other; all that it said. Anything on its stdout that is no message
/// is an error.
fn strictly(program: &std::path::Path, requests: &[Value]) -> Vec<Value> {
    let mut child = Command::new(program)
        .env("KIFUD_LOG", "trace")
        .env("RUST_LOG", "trace")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut said: Vec<Value> = Vec::new();
    for request in requests {
        stdin.write_all(&frame(request)).unwrap();
        while !said.iter().any(|message| message["id"] == request["id"]) {
            said.push(strict_message(&mut stdout).expect("an answer"));
        }
    }
    drop(stdin);
    said.extend(std::iter::from_fn(|| strict_message(&mut stdout)));
    ends(&mut child);
    said
}

fn strict_message(stdout: &mut impl BufRead) -> Option<Value> {
    let mut head = String::new();
    if stdout.read_line(&mut head).unwrap() == 0 {
        return None;
    }
    let length = head.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
    let length =
        length.and_then(|text| text.parse::<usize>().ok()).unwrap_or_else(|| panic!("no head: {head:?}"));
    let mut body = vec![0; 2 + length];
    stdout.read_exact(&mut body).unwrap();
    assert_eq!(&body[..2], b"\r\n");
    Some(serde_json::from_slice(&body[2..]).unwrap_or_else(|error| panic!("{error} behind {head:?}")))
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
pub fn r14_only_messages_on_stdout() {
    // An engine that babbles, crashes and comes again, and a panic in between.
    let script = "on start: stderr loading\non genmove: stderr dying; raw garbage; abort";
    let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": [script]});
    let said = strictly(
        &example("probe-daemon"),
        &[
            initialize(),
            request(2, "engine/attach", json!({"engine": engine})),
            request(3, "engine/genmove", json!({"engineId": "engine-1", "position": {"boardSize": 9}})),
            request(4, "probe/panic", json!({})),
            request(5, "kifud/status", json!({})),
        ],
    );
    for id in 1..=5 {
        assert_eq!(said.iter().filter(|message| message["id"] == id).count(), 1, "request {id}");
    }
}

#[test]
pub fn r16_lengths_are_bytes() {
    let text = "(;PB[吴清源😀]C[围棋\u{301}])";
    let said = strictly(
        kifud().as_ref(),
        &[
            request(1, "record/tree", json!({"document": {"text": text}})),
            request(2, "xiangqi/describe", json!({})),
            request(3, "kifud/status", json!({})),
        ],
    );
    let tree = said.iter().find(|message| message["id"] == 1).unwrap();
    assert_eq!(tree["result"]["games"][0]["nodes"][0]["props"]["PB"], json!(["吴清源😀"]));
    assert_eq!(said.len(), 3);
}

#[test]
pub fn r17_one_answer_for_a_cancelled_request() {
    let mut client = Conversation::spawn(Command::new(example("probe-daemon")));
    let mut random = Random(17);
    let mut open: Vec<i64> = Vec::new();
    let mut ids = Vec::new();
    for _ in 0..400 {
        let id = match random.below(3) {
            0 => client.ask("probe/sleep", json!({"ms": 600_000})),
            1 => client.ask("probe/sleep", json!({"ms": random.below(3)})),
            _ => client.ask("record/tree", json!({"document": {"text": "(;C[围棋])"}})),
        };
        open.push(id);
        ids.push(id);
        if random.below(2) == 0 {
            let cancelled = open.swap_remove(random.index(open.len()));
            client.notify("$/cancelRequest", json!({"id": cancelled}));
        }
    }
    open.iter().for_each(|id| client.notify("$/cancelRequest", json!({"id": id})));
    for id in ids {
        let answer = client.answer(id);
        let code = answer["error"]["code"].as_i64();
        assert!(answer.get("result").is_some() || matches!(code, Some(-32800 | -32801)), "{answer}");
    }
    client.request("probe/echo", json!({}));
    assert_eq!(client.drain(Duration::from_millis(100)), Vec::<Value>::new(), "none is answered twice");
}

#[test]
pub fn r19_one_file_among_many() {
    let home = tempfile::tempdir().unwrap();
    for number in 0..10_000 {
        std::fs::write(home.path().join(format!("{number}.sgf")), "(;B[zz]").unwrap();
    }
    let mut command = Command::new(kifud());
    command.env("HOME", home.path()).current_dir(home.path());
    let mut client = Conversation::spawn(command);
    let folder = format!("file://{}", home.path().display());
    client.initialize(json!({"rootUri": folder, "workspaceFolders": [{"uri": folder, "name": "home"}]}));
    let uri = format!("{folder}/5.sgf");
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "sgf", "version": 1, "text": "(;B[zz]"}}),
    );
    let published = |message: &Value| message["method"] == "textDocument/publishDiagnostics";
    assert_eq!(client.wait("findings", published)["params"]["uri"], json!(uri));
    client.drain(Duration::from_millis(500));
    let before = support::cpu_seconds(client.child.id());
    let said = client.drain(Duration::from_secs(3));
    let used = support::cpu_seconds(client.child.id()) - before;
    assert!(!said.iter().any(published), "only what is open is spoken of: {said:?}");
    assert!(used < 0.1, "{used} s of work while nobody asks");
    assert!(client.rss_mib() < 100, "{} MiB", client.rss_mib());
}
