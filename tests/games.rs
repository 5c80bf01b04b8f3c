//! Games from outside: engines made for tests, people, and the record after each move.

mod support;

use std::process::Command;

use serde_json::{Value, json};
use support::{Conversation, example, kifud};

const URI: &str = "file:///game.sgf";

/// A client whose daemon keeps its journals in a folder of the test.
fn client(state: &tempfile::TempDir) -> Conversation {
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", state.path());
    Conversation::spawn(command)
}

fn state() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// What is left of journals.
fn journals(state: &tempfile::TempDir) -> Vec<String> {
    let files = std::fs::read_dir(state.path().join("kifud/games")).into_iter().flatten();
    files.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("a text")).collect()
}

/// Attaches a fake engine; its id.
fn attach(client: &mut Conversation, script: &str) -> Value {
    let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": [script]});
    client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone()
}

fn minimal(client: &mut Conversation, args: &[&str]) -> Value {
    let engine = json!({"name": "Minimal", "path": example("minimal-engine"), "args": args});
    client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone()
}

/// All events up to the last.
fn to_the_end(client: &mut Conversation, game: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        events.push(client.event(game));
        if events.last().expect("one")["state"] == "ended" {
            return events;
        }
    }
}

fn moves(events: &[Value]) -> Vec<String> {
    let moves = events.iter().filter_map(|event| event.get("move"));
    moves
        .map(|play| format!("{} {}", play["color"].as_str().unwrap(), play["vertex"].as_str().unwrap()))
        .collect()
}

/// Engines with the six commands that make one: boardsize, clear_board, komi, play, genmove, quit.
#[test]
fn two_six_command_engines_play_to_the_end() {
    let state = state();
    let mut client = client(&state);
    minimal(&mut client, &[]);
    minimal(&mut client, &[]);
    let game = json!({"position": {"boardSize": 9, "komi": 6.5}, "moveDelayMs": 0});
    let stream = client.request("game/start", game);
    let events = to_the_end(&mut client, &stream);
    assert_eq!(events[0]["state"], "started");
    assert_eq!(events[0]["players"]["B"], json!({"name": "Minimal", "engineId": "engine-1", "human": false}));
    assert_eq!(events[0]["players"]["W"]["name"], "Minimal 2");
    assert_eq!(moves(&events), ["B pass", "W pass"]);
    let last = events.last().expect("one");
    assert_eq!(last["reason"], "finished");
    assert_eq!(last["verdict"], json!({"by": "passes"}));
    // Nobody has `final_score`; an empty board is White's by komi.
    assert_eq!((&last["result"], &last["score"]), (&json!("W+6.5"), &json!({"by": "area"})));
    let record = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]PB[Minimal]PW[Minimal 2]RE[W+6.5];B[];W[]\n)\n";
    assert_eq!(last["edit"]["text"], record);
    assert_eq!(journals(&state), Vec::<String>::new(), "the client has the game");
    // The engines are free again. A third one gives up at once.
    let white = json!({"engineId": minimal(&mut client, &["--resign-after", "0"])});
    let position = json!({"boardSize": 9, "moves": [{"color": "B", "vertex": "E5"}]});
    let black = json!({"engineId": "engine-1"});
    let game = json!({"position": position, "black": black, "white": white, "moveDelayMs": 0});
    let stream = client.request("game/start", game);
    let events = to_the_end(&mut client, &stream);
    let last = events.last().expect("one");
    assert_eq!(
        (&last["verdict"], &last["result"]),
        (&json!({"by": "resign", "offender": "W"}), &json!("B+Resign"))
    );
}

#[test]
fn one_engine_plays_both_sides_when_there_is_no_other() {
    let state = state();
    let mut client = client(&state);
    let engine = attach(&mut client, "");
    let game = json!({"position": {"boardSize": 9}, "moveLimit": 4, "moveDelayMs": 0});
    let stream = client.request("game/start", game);
    let refused = loop {
        // While the game lasts nobody else may use the engine.
        let answer = client.call("engine/genmove", json!({"engineId": engine}));
        match answer.get("error") {
            Some(error) => break error.clone(),
            None => assert_eq!(client.request("engine/list", json!({}))["attached"][0]["state"], "ready"),
        }
    };
    assert_eq!(refused["data"]["kind"], "EngineBusy");
    let events = to_the_end(&mut client, &stream);
    assert_eq!(moves(&events), ["B A9", "W B9", "B C9", "W D9"]);
    assert_eq!(events.last().expect("one")["verdict"], json!({"by": "moveLimit"}));
}

/// An editor that takes changes as editors do.
struct Editor {
    client: Conversation,
    text: String,
    version: i64,
}

impl Editor {
    fn open(state: &tempfile::TempDir, text: &str) -> Editor {
        let mut client = client(state);
        client.initialize(json!({}));
        let document = json!({"uri": URI, "languageId": "sgf", "version": 1, "text": text});
        client.notify("textDocument/didOpen", json!({"textDocument": document}));
        Editor { client, text: text.to_owned(), version: 1 }
    }

    /// Applies the next change that kifud asks for; the text after it.
    fn apply(&mut self) -> String {
        let request = self.client.wait("an edit", |message| message["method"] == "workspace/applyEdit");
        let change = &request["params"]["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({"uri": URI, "version": self.version}));
        let mut edits = change["edits"].as_array().expect("edits").clone();
        let offset = |at: &Value| {
            let line = at["line"].as_u64().expect("a line") as usize;
            let start: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
            // The text is ASCII.
            start + at["character"].as_u64().expect("a column") as usize
        };
        edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
        let mut text = self.text.clone();
        for edit in &edits {
            let span = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
            text.replace_range(span, edit["newText"].as_str().expect("a text"));
        }
        self.version += 1;
        self.text.clone_from(&text);
        // As some editors do it: the answer first, then the news of the change.
        self.client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": true}}));
        self.client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": self.version}, "contentChanges": [{"text": text}]}),
        );
        text
    }
}

#[test]
fn a_person_plays_an_engine_over_lsp() {
    let state = state();
    let mut editor = Editor::open(&state, "(;GM[1]SZ[9]KM[7]\n)\n");
    let engine = attach(&mut editor.client, "commands +lz-genmove_analyze\nthink 2");
    let position = json!({"document": {"uri": URI}, "node": {"path": []}});
    let players = json!({"position": position, "black": {"human": true}, "white": {"engineId": engine}});
    let stream = editor.client.request("game/start", players);
    let started = editor.client.event(&stream);
    assert_eq!((&started["toPlay"], &started["players"]["B"]), (&json!("B"), &json!({"human": true})));
    let game = started["gameId"].clone();
    let play = |vertex: &str| json!({"gameId": game, "move": {"color": "B", "vertex": vertex}});
    let mut line = String::new();
    // The engine's numbers count the stones on its board, and are White's.
    let answers = [("E5", "ee", "aa", "49.99"), ("C3", "cg", "ba", "49.97"), ("G7", "gc", "ca", "49.95")];
    for (vertex, black, white, value) in answers {
        editor.client.request("game/play", play(vertex));
        line += &format!(";B[{black}]");
        assert_eq!(editor.apply(), format!("(;GM[1]SZ[9]KM[7]{line}\n)\n"));
        line += &format!(";W[{white}]SBKV[{value}]");
        assert_eq!(editor.apply(), format!("(;GM[1]SZ[9]KM[7]{line}\n)\n"));
        let events = [editor.client.event(&stream), editor.client.event(&stream)];
        assert_eq!(events[0]["move"]["vertex"], vertex);
        assert_eq!(events[1]["edit"]["applied"], true);
    }
    // A slip of a person is refused, and the game goes on.
    let error = editor.client.refused("game/play", play("E5"));
    assert_eq!(error["data"]["kind"], "IllegalMove");
    assert!(error["message"].as_str().expect("words").contains("a stone stands there"), "{error}");
    // A pass makes the engine answer.
    editor.client.request("game/play", play("pass"));
    line += ";B[]";
    assert_eq!(editor.apply(), format!("(;GM[1]SZ[9]KM[7]{line}\n)\n"));
    line += ";W[da]SBKV[49.94]";
    assert_eq!(editor.apply(), format!("(;GM[1]SZ[9]KM[7]{line}\n)\n"));
    editor.client.request("game/play", play("resign"));
    assert_eq!(editor.apply(), format!("(;GM[1]SZ[9]KM[7]RE[W+Resign]{line}\n)\n"));
    let ended = editor.client.event_in(&stream, "ended");
    assert_eq!((&ended["result"], &ended["verdict"]["offender"]), (&json!("W+Resign"), &json!("B")));
    let over = editor.client.refused("game/play", play("A1"));
    assert_eq!(over["data"]["kind"], "NotFound");
    assert_eq!(editor.client.leave(), 0);
}

#[test]
fn a_game_is_paused_handed_over_and_stopped() {
    let state = state();
    let mut client = client(&state);
    let slow = attach(&mut client, "on genmove: sleep 600000; default");
    let quick = attach(&mut client, "");
    let human = json!({"human": true});
    let game = json!({"position": {"boardSize": 9}, "black": human, "white": {"engineId": slow}});
    let stream = client.request("game/start", game);
    let id = client.event(&stream)["gameId"].clone();
    let which = json!({"gameId": id});
    let play = |color: &str, vertex: &str| json!({"gameId": id, "move": {"color": color, "vertex": vertex}});
    client.request("game/play", play("B", "E5"));
    assert_eq!(client.event(&stream)["move"]["vertex"], "E5");
    for (color, why) in [("B", "the other side is to move"), ("W", "an engine plays this side")] {
        let error = client.refused("game/play", play(color, "C3"));
        assert!(error["message"].as_str().expect("words").contains(why), "{error}");
    }
    // The pause takes the engine's turn back, for however long it would have thought.
    client.request("game/pause", which.clone());
    assert_eq!(client.event(&stream)["state"], "waiting");
    // White goes to a person, Black to the other engine: the game goes on when it is resumed.
    let players = json!({"gameId": id, "black": {"engineId": quick}, "white": human});
    client.request("game/setPlayers", players);
    let changed = client.event(&stream);
    assert_eq!((&changed["state"], &changed["players"]["W"]), (&json!("waiting"), &human));
    let error = client.refused("game/play", play("W", "C3"));
    assert!(error["message"].as_str().expect("words").contains("paused"), "{error}");
    client.request("game/resume", which.clone());
    assert_eq!(client.event(&stream)["state"], "running");
    client.request("game/play", play("W", "C3"));
    assert_eq!(client.event(&stream)["move"], json!({"color": "W", "vertex": "C3"}));
    assert_eq!(client.event(&stream)["move"], json!({"color": "B", "vertex": "A9"}));
    // The slow engine is nobody's now.
    let other = json!({"black": human, "white": {"engineId": slow}});
    let stream_of_another = client.request("game/start", other.clone());
    assert_eq!(client.event(&stream_of_another)["gameId"], "game-2");
    assert_eq!(client.refused("game/start", other)["data"]["kind"], "EngineBusy");
    // Swapped: the engine plays White, at once.
    client.request("game/setPlayers", json!({"gameId": id, "black": human, "white": {"engineId": quick}}));
    assert_eq!(client.event(&stream)["players"]["B"], human);
    assert_eq!(client.event(&stream)["move"], json!({"color": "W", "vertex": "B9"}));
    client.request("game/stop", which.clone());
    let last = client.event(&stream);
    assert_eq!((&last["state"], &last["reason"]), (&json!("ended"), &json!("stopped")));
    assert_eq!((last.get("result"), last.get("verdict")), (None, None));
    assert_eq!(client.refused("game/stop", which)["data"]["kind"], "NotFound");
}

#[test]
fn an_illegal_move_ends_the_game_and_leaves_the_position() {
    let taken = "on genmove @2: reply A9";
    let retaken = "on genmove @1: reply C3\non genmove @2: reply B3";
    let setup = json!({"B": ["B4", "A3", "B2"], "W": ["C4", "B3", "D3", "C2"]});
    let cases = [
        (taken, json!({"boardSize": 9}), 1, "W", "A9"),
        // Black takes a ko, and White takes it back at once.
        (
            retaken,
            json!({"boardSize": 4, "setup": setup, "toPlay": "B"}),
            1,
            "W",
            "B3: it retakes a ko at once",
        ),
        ("on genmove: reply nowhere", json!({"boardSize": 9}), 0, "B", "nowhere"),
    ];
    for (script, position, moves, offender, why) in cases {
        let state = state();
        let mut client = client(&state);
        attach(&mut client, script);
        let stream = client.request("game/start", json!({"position": position, "moveDelayMs": 0}));
        let last = client.event_in(&stream, "ended");
        assert_eq!(last["verdict"]["by"], "illegalMove", "{last}");
        assert_eq!(last["verdict"]["offender"], offender, "{last}");
        assert!(last["verdict"]["why"].as_str().expect("words").starts_with(why), "{last}");
        let winner = if offender == "B" { "W" } else { "B" };
        assert_eq!(last["result"], format!("{winner}+Forfeit"));
        assert_eq!(last["moves"], moves, "{last}");
        let text = last["edit"]["text"].as_str().expect("the record");
        assert_eq!(text.matches(['\n', ';']).count(), 3 + moves, "a node a legal move: {text}");
    }
}

#[test]
fn an_engine_that_dies_is_started_again_once() {
    let state = state();
    let mut client = client(&state);
    let engine = attach(&mut client, "on genmove @3: exit 3");
    // Each new process counts anew: it dies at its third move, again and again.
    let game = json!({"position": {"boardSize": 9}, "moveLimit": 5, "moveDelayMs": 0});
    let stream = client.request("game/start", game);
    let events = to_the_end(&mut client, &stream);
    assert_eq!(moves(&events), ["B A9", "W B9", "B C9", "W D9", "B E9"]);
    assert_eq!(events.last().expect("one")["verdict"], json!({"by": "moveLimit"}));
    client.request("engine/detach", json!({"engineId": engine}));
    // One that always dies loses.
    attach(&mut client, "on genmove: exit 3");
    let stream = client.request("game/start", json!({"position": {"boardSize": 9}, "moveDelayMs": 0}));
    let last = client.event_in(&stream, "ended");
    assert_eq!((&last["verdict"]["by"], &last["verdict"]["offender"]), (&json!("engineExited"), &json!("B")));
    assert_eq!(last["result"], "W+Forfeit");
}

#[test]
fn time_is_told_and_runs_out() {
    let state = state();
    let mut client = client(&state);
    let log = tempfile::NamedTempFile::new().expect("a log");
    let engine = json!({
        "name": "Fake",
        "path": example("fake-engine"),
        "args": ["commands +time_settings +time_left\non genmove @2: sleep 600000; default"],
        "env": {"FAKE_LOG": log.path()},
    });
    client.request("engine/attach", json!({"engine": engine}));
    for (time, field) in [(json!({}), "time"), (json!({"main": 0}), "time.main")] {
        let refused = client.refused("game/start", json!({"time": time}));
        let told = (&refused["data"]["kind"], &refused["data"]["field"]);
        assert_eq!(told, (&json!("InvalidParams"), &json!(field)), "{time}");
    }
    let time = json!({"main": 0.5, "canadian": {"seconds": 1, "stones": 5}});
    let game = json!({"position": {"boardSize": 9}, "time": time, "moveDelayMs": 0});
    let stream = client.request("game/start", game);
    let started = client.event(&stream);
    assert_eq!(started["clocks"]["B"], json!({"mainMs": 500, "overtimeMs": 1000, "count": 5}));
    let last = client.event_in(&stream, "ended");
    assert_eq!(last["verdict"], json!({"by": "time", "offender": "W"}));
    assert_eq!((&last["result"], &last["moves"]), (&json!("B+Time"), &json!(1)));
    let told = std::fs::read_to_string(log.path()).expect("the log");
    assert!(told.contains("time_settings 0 1 5"), "{told}");
    assert!(told.contains("time_left B 0 0") && told.contains("time_left W 0 0"), "{told}");
}

#[test]
fn final_score_is_asked_where_there_is_one() {
    let state = state();
    let mut client = client(&state);
    let script = "commands +final_score\non genmove: reply pass\non final_score: reply W+12.0 (more or less)";
    let engine = attach(&mut client, script);
    let stream = client.request("game/start", json!({"position": {"boardSize": 9}, "moveDelayMs": 0}));
    let last = client.event_in(&stream, "ended");
    assert_eq!(last["score"], json!({"by": "finalScore", "engineId": engine}));
    assert_eq!(last["result"], "W+12");
}

#[test]
fn counting_can_be_stopped() {
    let state = state();
    let mut client = client(&state);
    attach(&mut client, "commands +final_score\non genmove: reply pass\non final_score: hang");
    let position = json!({"boardSize": 9, "komi": 0.5});
    let stream = client.request("game/start", json!({"position": position, "moveDelayMs": 0}));
    let game = client.event(&stream)["gameId"].clone();
    while client.event_in(&stream, "running")["moves"] != 2 {}
    client.request("game/stop", json!({"gameId": game}));
    let last = client.event_in(&stream, "ended");
    assert_eq!((&last["result"], &last["score"]), (&json!("W+0.5"), &json!({"by": "area"})));
}

#[test]
fn a_crash_loses_no_move() {
    let state = state();
    let mut client = client(&state);
    attach(&mut client, "commands +lz-genmove_analyze\nthink 1\non lz-genmove_analyze w 50 @2: hang");
    let stream = client.request("game/start", json!({"position": {"boardSize": 9}, "moveDelayMs": 0}));
    let journal = client.event(&stream)["journal"].as_str().expect("a path").to_owned();
    for _ in 0..3 {
        client.event_in(&stream, "running");
    }
    client.child.kill().expect("kifud is killed");
    client.exit();
    let text = std::fs::read_to_string(journal).expect("the journal");
    let head =
        "(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[Fake]PW[Fake]\n;B[aa]SBKV[50]\n;W[ba]SBKV[49.99]\n;B[ca]SBKV[50.02]";
    assert_eq!(text, head);
}

#[test]
fn engines_that_only_analyse_do_not_play() {
    let state = state();
    let mut client = client(&state);
    let analyst = |name: &str| json!({"name": name, "path": example("fake-json-engine"), "args": [], "protocol": "katago-json"});
    client.request("engine/attach", json!({"engine": analyst("Analyst")}));
    let position = json!({"boardSize": 9});
    let nobody = client.refused("game/start", json!({"position": position}));
    assert_eq!(nobody["data"]["kind"], "EngineNotFound");
    let human = json!({"human": true});
    let both = json!({"position": position, "black": human, "white": human});
    let stream = client.request("game/start", both);
    let game = client.event(&stream)["gameId"].clone();
    for player in [json!({"engineId": "engine-1"}), json!({"engine": "Analyst"})] {
        let start = json!({"position": position, "black": human, "white": player});
        let refused = client.refused("game/start", start);
        assert_eq!(refused["data"]["kind"], "EngineUnsupported", "{refused}");
        let refused = client.refused("game/setPlayers", json!({"gameId": game, "black": player}));
        assert_eq!(refused["data"]["kind"], "EngineUnsupported", "{refused}");
    }
    // One that is configured is not even started.
    client.request("kifud/configure", json!({"set": {"engines": [analyst("Other")]}}));
    let refused = client.refused("game/setPlayers", json!({"gameId": game, "black": {"engine": "Other"}}));
    assert_eq!(refused["data"]["kind"], "EngineUnsupported", "{refused}");
    assert_eq!(client.request("engine/list", json!({}))["attached"].as_array().map(Vec::len), Some(1));
    // The game goes on as it was.
    client.request("game/play", json!({"gameId": game, "move": {"color": "B", "vertex": "E5"}}));
    assert_eq!(client.event(&stream)["move"]["vertex"], "E5");
    // Whoever is not named is one that plays.
    minimal(&mut client, &[]);
    let stream = client.request("game/start", json!({"position": position, "moveDelayMs": 0}));
    let events = to_the_end(&mut client, &stream);
    assert_eq!(events[0]["players"]["B"]["name"], "Minimal");
    assert_eq!(moves(&events), ["B pass", "W pass"]);
}

#[test]
fn a_game_that_an_engine_cannot_go_on_with_stays() {
    let state = state();
    let mut client = client(&state);
    let engine = attach(&mut client, "on genmove: refuse no idea");
    let human = json!({"human": true});
    let players = json!({"position": {"boardSize": 9}, "black": human, "white": {"engineId": engine}});
    let stream = client.request("game/start", players);
    let game = client.event(&stream)["gameId"].clone();
    client.request("game/play", json!({"gameId": game, "move": {"color": "B", "vertex": "E5"}}));
    let ended = client.event_in(&stream, "ended");
    assert_eq!(
        (&ended["reason"], &ended["error"]["data"]["kind"]),
        (&json!("refused"), &json!("EngineRefused"))
    );
    let left = listed(&mut client);
    assert_eq!((left.len(), left[0].2), (1, 1));
    let stream = client.request("game/start", json!({"resume": left[0].0, "white": human}));
    let started = client.event(&stream);
    assert_eq!((&started["moves"], &started["toPlay"]), (&json!(1), &json!("W")));
}

#[test]
fn a_move_that_was_answered_is_in_the_journal() {
    let state = state();
    let mut client = client(&state);
    let human = json!({"human": true});
    let players = json!({"position": {"boardSize": 9}, "black": human, "white": human});
    let stream = client.request("game/start", players);
    let started = client.event(&stream);
    let journal = started["journal"].as_str().expect("a path").to_owned();
    for row in (1..=9).step_by(2) {
        for (number, column) in "ABCDEFGHJ".chars().enumerate() {
            let color = if (row / 2 * 9 + number) % 2 == 0 { "B" } else { "W" };
            let play = json!({"color": color, "vertex": format!("{column}{row}")});
            client.request("game/play", json!({"gameId": started["gameId"], "move": play}));
            let text = std::fs::read_to_string(&journal).expect("the journal");
            assert_eq!(text.matches(';').count(), 2 + row / 2 * 9 + number, "{play}: {text}");
        }
    }
}

/// What `game/list` says, briefly.
fn listed(client: &mut Conversation) -> Vec<(String, String, u64)> {
    let games = client.request("game/list", json!({}));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let brief = |game: &Value| {
        (text(&game["gameId"]), text(&game["state"]), game["moves"].as_u64().expect("a number"))
    };
    games["games"].as_array().expect("a list").iter().map(brief).collect()
}

/// A daemon that knows two engines with this script.
fn two_engines(state: &tempfile::TempDir, script: &str) -> Conversation {
    let config = state.path().join("kifud.toml");
    let fake = example("fake-engine");
    let engine = |name: &str| format!("[[engines]]\nname = '{name}'\npath = {fake:?}\nargs = [{script:?}]\n");
    std::fs::write(&config, format!("moveDelayMs = 0\n{}{}", engine("one"), engine("two")))
        .expect("the settings");
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", state.path()).arg("--config").arg(config);
    Conversation::spawn(command)
}

fn kill(mut client: Conversation) {
    client.child.kill().expect("kifud is killed");
    client.exit();
}

const VALUED: &str = "commands +lz-genmove_analyze\nthink 1";

/// What the engines play depends on the board alone, not on when they were started.
fn one_against_two() -> Value {
    json!({
        "position": {"boardSize": 9, "komi": 6.5, "moves": [{"color": "B", "vertex": "E5"}, {"color": "W", "vertex": "E6"}]},
        "black": {"engine": "one"},
        "white": {"engine": "two"},
        "moveLimit": 12,
        "time": {"main": 600, "byoyomi": {"seconds": 30, "periods": 3}},
    })
}

#[test]
fn a_game_goes_on_after_a_crash_as_if_there_had_been_none() {
    let state = state();
    let mut client = two_engines(&state, VALUED);
    let stream = client.request("game/start", one_against_two());
    let whole = client.event_in(&stream, "ended");
    assert_eq!(whole["verdict"], json!({"by": "moveLimit"}));
    assert_eq!(listed(&mut client), []);
    // The same with two crashes, the second of them while a move was being written down.
    let slow = format!("{VALUED}\non lz-genmove_analyze w 50 @3: hang");
    let mut client = two_engines(&state, &slow);
    let stream = client.request("game/start", one_against_two());
    let journal = client.event(&stream)["journal"].as_str().expect("a path").to_owned();
    while client.event_in(&stream, "running")["moves"] != 5 {}
    assert_eq!(listed(&mut client), [("game-1".into(), "running".into(), 5)]);
    let id = std::path::Path::new(&journal).file_stem().expect("a name").to_str().expect("text").to_owned();
    // Another daemon sees it neither as one that was left, nor takes it.
    let mut other = two_engines(&state, VALUED);
    assert_eq!(listed(&mut other), []);
    let refused = other.refused("game/start", json!({"resume": id}));
    assert!(refused["message"].as_str().expect("words").contains("being played"), "{refused}");
    assert_eq!(refused["data"]["kind"], "EngineBusy");
    kill(client);
    kill(other);
    let mut client = two_engines(&state, &slow);
    assert_eq!(listed(&mut client), [(id.clone(), "unfinished".into(), 5)]);
    let game = client.request("game/list", json!({}))["games"][0].clone();
    assert_eq!((&game["players"]["W"]["name"], &game["toPlay"]), (&json!("two"), &json!("W")));
    let hint = client.refused("game/resume", json!({"gameId": id}));
    assert!(hint["message"].as_str().expect("words").contains("game/start"), "{hint}");
    let stream = client.request("game/start", json!({"resume": id}));
    let started = client.event(&stream);
    assert_eq!((&started["moves"], &started["toPlay"]), (&json!(5), &json!("W")));
    assert_eq!(started["players"]["B"]["name"], "one");
    kill(client);
    let mut torn = std::fs::OpenOptions::new().append(true).open(&journal).expect("the journal");
    std::io::Write::write_all(&mut torn, b"\n;W[a").expect("a torn move");
    let mut client = two_engines(&state, VALUED);
    let (_, _, kept) = listed(&mut client)[0].clone();
    let stream = client.request("game/start", json!({"resume": id}));
    let started = client.event(&stream);
    assert_eq!(started["moves"], kept, "{started}");
    assert_eq!(started["edit"]["text"].as_str().expect("a record").matches(";").count() as u64, 3 + kept);
    let ended = client.event_in(&stream, "ended");
    assert_eq!((&ended["verdict"], &ended["moves"]), (&whole["verdict"], &whole["moves"]));
    assert_eq!(ended["edit"]["text"], whole["edit"]["text"]);
    assert_eq!(listed(&mut client), []);
    assert_eq!(journals(&state), Vec::<String>::new());
}

#[test]
fn clocks_go_on_as_they_stood() {
    let state = state();
    let mut client = two_engines(&state, "on genmove w: hang");
    let time = json!({"main": 0.001, "byoyomi": {"seconds": 1000, "periods": 3}});
    let players = json!({"black": {"human": true}, "white": {"engine": "two"}, "time": time});
    let stream = client.request("game/start", players);
    let game = client.event(&stream)["gameId"].clone();
    std::thread::sleep(std::time::Duration::from_millis(2));
    client.request("game/play", json!({"gameId": game, "move": {"color": "B", "vertex": "K10"}}));
    let clocks = client.event_in(&stream, "running")["clocks"].clone();
    assert_eq!(clocks["B"], json!({"mainMs": 0, "overtimeMs": 1_000_000, "count": 3}));
    kill(client);
    let mut client = two_engines(&state, "");
    let id = listed(&mut client)[0].0.clone();
    // Other players may sit down.
    let refused = client.refused("game/start", json!({"resume": id, "moveLimit": 5}));
    assert_eq!(refused["data"]["field"], "resume");
    let stream = client.request("game/start", json!({"resume": id, "white": {"human": true}}));
    let started = client.event(&stream);
    assert_eq!((&started["clocks"], &started["players"]["W"]), (&clocks, &json!({"human": true})));
    kill(client);
    // One that nobody wants is thrown away.
    let mut client = two_engines(&state, "");
    client.request("game/stop", json!({"gameId": id}));
    assert_eq!(client.refused("game/stop", json!({"gameId": id}))["data"]["kind"], "NotFound");
    assert_eq!((listed(&mut client), journals(&state)), (vec![], vec![]));
}

#[test]
fn a_game_in_a_document_goes_on_there() {
    let state = state();
    let mut editor = Editor::open(&state, "(;GM[1]SZ[9]KM[7];B[cc]\n)\n");
    let human = json!({"human": true});
    let position = json!({"document": {"uri": URI}, "node": {"path": [0]}});
    let game = json!({"position": position, "black": human, "white": human});
    let stream = editor.client.request("game/start", game);
    let game = editor.client.event(&stream)["gameId"].clone();
    let play = |game: &Value, color: &str, vertex: &str| json!({"gameId": game, "move": {"color": color, "vertex": vertex}});
    editor.client.request("game/play", play(&game, "W", "E5"));
    let saved = editor.apply();
    editor.client.request("game/play", play(&game, "B", "G7"));
    let text = editor.apply();
    assert_eq!(text, "(;GM[1]SZ[9]KM[7];B[cc];W[ee];B[gc]\n)\n");
    kill(editor.client);
    // The editor has lost the last move; the journal has not.
    let mut editor = Editor::open(&state, &saved);
    let id = listed(&mut editor.client)[0].0.clone();
    let stream = editor.client.request("game/start", json!({"resume": id}));
    assert_eq!(editor.apply(), text);
    let started = editor.client.event(&stream);
    assert_eq!((&started["moves"], &started["edit"]["applied"]), (&json!(2), &json!(true)));
    editor.client.request("game/play", play(&started["gameId"], "W", "C3"));
    assert_eq!(editor.apply(), "(;GM[1]SZ[9]KM[7];B[cc];W[ee];B[gc];W[cg]\n)\n");
    kill(editor.client);
}

/// A client that gets its changes with the events alone.
#[test]
fn a_game_in_a_document_that_lacks_moves_begins_at_once() {
    let state = state();
    let open = |client: &mut Conversation| {
        let document =
            json!({"uri": URI, "languageId": "sgf", "version": 1, "text": "(;GM[1]SZ[9]KM[7]\n)\n"});
        client.request("document/open", document);
    };
    let mut client = client(&state);
    open(&mut client);
    let human = json!({"human": true});
    let position = json!({"document": {"uri": URI}});
    let stream = client.request("game/start", json!({"position": position, "black": human, "white": human}));
    let game = client.event(&stream)["gameId"].clone();
    client.request("game/play", json!({"gameId": game, "move": {"color": "B", "vertex": "E5"}}));
    kill(client);
    let mut client = self::client(&state);
    open(&mut client);
    let id = listed(&mut client)[0].0.clone();
    let begin = std::time::Instant::now();
    let stream = client.request("game/start", json!({"resume": id}));
    let started = client.event(&stream);
    assert!(begin.elapsed() < std::time::Duration::from_millis(1500), "{:?}", begin.elapsed());
    assert_eq!((&started["state"], &started["moves"]), (&json!("started"), &json!(1)));
    assert!(started["edit"].to_string().contains(";B[ee]"), "{started}");
}

#[test]
fn players_who_take_long_to_start_stop_nobody() {
    let state = state();
    let config = state.path().join("kifud.toml");
    let fake = example("fake-engine");
    let started = state.path().join("started");
    let script = |name: &str, script: &str| {
        format!("[[engines]]\nname = '{name}'\npath = {fake:?}\nargs = [{script:?}]\n")
    };
    let slow = state.path().join("slow");
    let waits = format!("#!/bin/sh\nwhile [ ! -e {started:?} ]; do sleep 0.05; done\nexec {fake:?} ''\n");
    std::fs::write(&slow, waits).expect("a script");
    std::fs::set_permissions(&slow, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("permissions");
    let slow = format!("[[engines]]\nname = 'slow'\npath = {slow:?}\n");
    let text = [slow, script("never", "on start: hang"), script("broken", "on start: exit 3")];
    std::fs::write(&config, text.concat()).expect("the settings");
    let mut command = Command::new(kifud());
    command.env("XDG_STATE_HOME", state.path()).arg("--config").arg(config);
    let mut client = Conversation::spawn(command);
    let human = json!({"human": true});
    let stream =
        client.request("game/start", json!({"position": {"boardSize": 9}, "black": human, "white": human}));
    let game = client.event(&stream)["gameId"].clone();
    let set = |name: &str| json!({"gameId": game, "white": {"engine": name}});
    let play =
        |color: &str, vertex: &str| json!({"gameId": game, "move": {"color": color, "vertex": vertex}});
    let failed = client.refused("game/setPlayers", set("broken"));
    assert_eq!(failed["data"]["kind"], "EngineStartFailed");
    // While an engine starts, all goes on as it was; a newer wish replaces it.
    let never = client.ask("game/setPlayers", set("never"));
    let slow = client.ask("game/setPlayers", set("slow"));
    assert_eq!(client.answer(never)["error"]["data"]["kind"], "Cancelled");
    client.request("game/play", play("B", "E5"));
    client.request("game/play", play("W", "C3"));
    client.request("game/pause", json!({"gameId": game}));
    client.request("game/resume", json!({"gameId": game}));
    client.request("game/play", play("B", "G7"));
    let moves: Vec<Value> = (0..5).map(|_| client.event(&stream)["move"]["vertex"].clone()).collect();
    assert_eq!(moves, [json!("E5"), json!("C3"), Value::Null, Value::Null, json!("G7")]);
    std::fs::write(&started, "").expect("a file");
    assert!(client.answer(slow).get("error").is_none());
    assert_eq!(client.event(&stream)["players"]["W"]["name"], "slow");
    assert_eq!(client.event(&stream)["move"]["color"], "W");
    // A game that ends waits for nobody.
    let never = client.ask("game/setPlayers", set("never"));
    client.request("game/stop", json!({"gameId": game}));
    assert_eq!(client.answer(never)["error"]["data"]["kind"], "NotFound");
    assert_eq!(client.event_in(&stream, "ended")["reason"], "stopped");
}

#[test]
fn the_game_of_a_client_that_leaves_stays() {
    let state = state();
    let mut client = client(&state);
    let players = json!({"position": {"boardSize": 9}, "black": {"human": true}, "white": {"human": true}});
    let stream = client.request("game/start", players);
    let game = client.event(&stream)["gameId"].clone();
    client.request("game/play", json!({"gameId": game, "move": {"color": "B", "vertex": "E5"}}));
    client.close_stdin();
    client.exit();
    // The daemon leaves with its only client, at once: the last parenthesis may be missing.
    let mut left = journals(&state);
    left.retain(|text| text.starts_with('('));
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].trim_end_matches(['\n', ')']), "(;GM[1]FF[4]CA[UTF-8]SZ[9]\n;B[ee]");
}

/// Runs `kifud match` with engines made for tests; whether it went well, and what it printed.
fn series(folder: &std::path::Path, white: &str, more: &[&str]) -> (bool, String) {
    let minimal = example("minimal-engine");
    let fake = example("fake-engine");
    let config = folder.join("kifud.toml");
    let text = format!(
        "[[engines]]\nname = 'passer'\npath = {minimal:?}\nargs = []\n\
         [[engines]]\nname = 'quitter'\npath = {minimal:?}\nargs = ['--resign-after', '0']\n\
         [[engines]]\nname = 'cheat'\npath = {fake:?}\nargs = ['on genmove: reply E5']\n"
    );
    std::fs::write(&config, text).expect("the settings");
    let output = Command::new(kifud())
        .env("XDG_STATE_HOME", folder)
        .arg("--config")
        .arg(&config)
        .args(["match", "--black", "passer", "--white", white, "--size", "9"])
        .args(more)
        .output()
        .expect("kifud runs");
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn a_series_alternates_colours_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let [book, out] = ["book.jsonl", "out"].map(|name| folder.path().join(name));
    let files = ["--resume", book.to_str().expect("text"), "--out", out.to_str().expect("text")];
    let games = |number| [&files[..], &["--games", number]].concat();
    let (well, table) = series(folder.path(), "quitter", &games("3"));
    assert!(well);
    // Who has nothing to choose plays the same again: the first game and the third are one. Wilson's interval of
    // three wins begins at 3 / (3 + 1.96²).
    let expected = "game  black    white    result    by      moves  counted\n   \
                    1  passer   quitter  B+Resign  resign      1\n   \
                    2  quitter  passer   W+Resign  resign      0\n   \
                    3  passer   quitter  B+Resign  resign      1\n\n\
                    3 games, 2 distinct\n\
                    passer against quitter: 3 won, 0 drawn, 0 lost; 100.0 %, 95 % interval 43.9 to 100.0 % \
                    (+inf Elo, -43 to +inf)\n";
    assert_eq!(table, expected);
    let (well, lines) = series(folder.path(), "quitter", &[&games("4")[..], &["--json"]].concat());
    assert!(well);
    assert_eq!(lines.lines().count(), 2, "the fourth game and the sum: {lines}");
    let record = std::fs::read_to_string(out.join("0004.sgf")).expect("a record");
    let expected = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7.5]PB[quitter]PW[passer]RO[4]RE[W+Resign]\n)\n";
    assert_eq!(record, expected);
    // Another series does not go into the same book.
    assert!(!series(folder.path(), "passer", &games("4")).0);
}

#[test]
fn a_series_stops_when_it_is_clear_and_tells_of_foul_play() {
    let folder = tempfile::tempdir().expect("a folder");
    let openings = folder.path().join("openings.sgf");
    std::fs::write(&openings, "(;SZ[9];B[ee];W[cc])").expect("a file");
    let more =
        ["--games", "100", "--sprt", "0,400", "--openings", openings.to_str().expect("text"), "--json"];
    let (well, lines) = series(folder.path(), "cheat", &more);
    assert!(!well, "an engine broke the rules");
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // Each win counts ln(2 * 10/11) = 0.598: five give 2.99, more than ln(19) = 2.944.
    assert_eq!(rows.len(), 6, "{lines}");
    assert_eq!(rows[5]["sprt"]["accepted"], "B");
    assert!(rows[..5].iter().all(|row| row["by"] == "illegalMove"), "{lines}");
}
