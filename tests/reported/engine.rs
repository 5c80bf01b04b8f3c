//! Reports about what an engine is told of a record.

use kifud::go::Color;
use kifud::sgf::{NodeId, Record, position};
use serde_json::{Value, json};

use crate::found;
use crate::semantics::{replay_plainly, rows};
use crate::support::{Conversation, example};

/// An engine that does what a script says.
struct Fake {
    client: Conversation,
    id: Value,
}

impl Fake {
    fn start(script: &str) -> Fake {
        let mut client = Conversation::start(&[]);
        let engine = json!({"name": "Fake", "path": example("fake-engine"), "args": [script]});
        let id = client.request("engine/attach", json!({"engine": engine}))["engine"]["id"].clone();
        Fake { client, id }
    }

    /// Puts the engine on the node of this number in a line.
    fn sync(&mut self, text: &str, node: usize) -> Value {
        let path = json!([format!("0*{node}")]);
        let position =
            json!({"document": {"text": text}, "node": {"path": if node == 0 { json!([]) } else { path }}});
        self.client.request("engine/sync", json!({"engineId": self.id, "position": position}))
    }

    /// What was sent, and what could not be told.
    fn told(&mut self, text: &str, node: usize) -> (Vec<String>, Vec<String>) {
        let synced = self.sync(text, node);
        let list = |values: &Value, field: Option<&str>| -> Vec<String> {
            let values = values.as_array().unwrap().iter();
            values
                .map(|value| field.map_or(value, |field| &value[field]).as_str().unwrap().to_owned())
                .collect()
        };
        (list(&synced["commands"], None), list(&synced["lost"], Some("what")))
    }

    fn stones(&mut self, color: &str) -> Vec<String> {
        let answer = self.client.gtp(&self.id, &format!("list_stones {color}"));
        let mut stones: Vec<String> = answer.split_whitespace().map(str::to_owned).collect();
        stones.sort();
        stones
    }
}

#[test]
pub fn s04_tt_is_told_as_a_pass() {
    let (commands, lost) = Fake::start("").told("(;SZ[19]KM[6.5];B[tt];W[dd])", 2);
    assert_eq!(commands, ["boardsize 19", "clear_board", "komi 6.5", "play B pass", "play W D16"]);
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
pub fn s06_set_up_in_mid_game() {
    // 40 white and 60 black stones, and the moves of the report around them.
    let points = |range: std::ops::Range<usize>| -> String {
        let letter = |n: usize| char::from(b'a' + n as u8);
        range.map(|n| format!("[{}{}]", letter(n % 10), letter(n / 10))).collect()
    };
    let text = format!(
        "(;SZ[13]KM[6.5];B[jd];AW{}AB{}PL[B];B[lg];W[ll];AE[aa:cc]AW[jd]AB[mm];W[kd])",
        points(0..40),
        points(40..100)
    );
    let record = Record::parse(text.as_str());
    let mut fake = Fake::start("");
    for node in 0..record.node_count() {
        let ours = position(&record, NodeId(node as u32)).unwrap().position;
        let board = ours.board();
        assert_eq!(rows(&board), replay_plainly(13, &ours.steps), "node {node}");
        fake.sync(&text, node);
        let by = |wanted: Color| -> Vec<String> {
            let mut stones: Vec<String> = board
                .stones()
                .filter(|(_, color)| *color == wanted)
                .map(|(point, _)| kifud::go::Vertex::At(point).to_gtp(board.size()))
                .collect();
            stones.sort();
            stones
        };
        assert_eq!(fake.stones("black"), by(Color::Black), "the engine's board at node {node}");
        assert_eq!(fake.stones("white"), by(Color::White), "the engine's board at node {node}");
    }
    let last = position(&record, NodeId(record.node_count() as u32 - 1)).unwrap().position;
    assert_eq!(last.move_number(), 4, "only moves count");
}

#[test]
pub fn s09_a_diagram_without_moves() {
    let mut fake = Fake::start("");
    let (commands, _) = fake.told("(;SZ[9]KM[6.5]AB[cc][gc]AW[ee])", 0);
    assert!(commands.iter().all(|command| !command.starts_with("loadsgf")), "{commands:?}");
    assert_eq!(
        (fake.stones("black"), fake.stones("white")),
        (vec!["C7".into(), "G7".into()], vec!["E5".into()])
    );
}

#[test]
pub fn s10_the_engine_is_told_the_effective_komi() {
    let text = "(;GM[1]SZ[19]KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];B[pd])";
    let (commands, _) = Fake::start("").told(text, 1);
    assert!(commands.iter().any(|command| command == "komi 7.5"), "{commands:?}");
}

#[test]
pub fn s12_the_assumed_komi_is_said() {
    let synced = Fake::start("").sync("(;SZ[7]RU[AGA];B[dd])", 1);
    let lost = synced["lost"].as_array().unwrap();
    let why = lost.iter().find(|lost| lost["what"] == "komi").map(|lost| &lost["why"]);
    assert_eq!(why, Some(&json!("The record names no komi; the engine was told 0.")));
}

#[test]
pub fn s13_handicap_stones_are_those_of_the_file() {
    let text = "(;SZ[13]KM[0.5]HA[3]AB[dj][jj][jd];W[gg])";
    assert_eq!(found(text), Vec::<String>::new());
    // An engine with ideas of its own about where three stones go.
    let mut fake = Fake::start("commands +fixed_handicap\non fixed_handicap: reply D4 K10 D10");
    fake.sync(text, 1);
    assert_eq!(fake.stones("black"), ["D4", "K10", "K4"]);
    assert_eq!(fake.stones("white"), ["G7"]);
    // One that refuses them as handicap gets them as stones.
    let mut fake = Fake::start("on set_free_handicap: refuse bad vertex list");
    fake.sync(text, 1);
    assert_eq!(fake.stones("black"), ["D4", "K10", "K4"]);
}

#[test]
pub fn s18_an_illegal_ko() {
    // Black takes at cb, White retakes at once.
    let text = "(;SZ[5]KM[6.5]AB[bb][ca][cc]AW[cb][da][dc][eb];B[db];W[cb])";
    assert_eq!(found(text), ["ko:W[cb]"]);
    let mut fake = Fake::start("");
    let (_, lost) = fake.told(text, 2);
    assert!(lost.contains(&"history".to_owned()), "how it was approximated: {lost:?}");
    // The engine stands on the record's board, with the stone that it would not have let be played.
    assert_eq!(fake.stones("white"), ["C4", "D3", "D5", "E4"]);
    assert_eq!(fake.stones("black"), ["B4", "C3", "C5"]);
    // One that refuses the stone whatever comes before it is never said to be there.
    let mut fake = Fake::start("on play w c4: refuse illegal move");
    let position = json!({"document": {"text": text}, "node": {"path": ["0*2"]}});
    let error = fake.client.refused("engine/sync", json!({"engineId": fake.id, "position": position}));
    assert_eq!(error["data"]["kind"], "SyncFailed", "{error}");
}
