//! `kifud xiangqi` at the shell.

use std::process::{Command, Output};

use serde_json::Value;

use super::support::kifud;

fn run(args: &[&str]) -> Output {
    Command::new(kifud()).arg("xiangqi").args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn perft_counts() {
    let output = run(&["perft", "--depth", "3", "--json", "--threads", "2"]);
    let counted: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let row = &counted["rows"][2];
    let number = |name: &str| row[name].as_u64().unwrap();
    assert_eq!(
        [number("nodes"), number("captures"), number("checks"), number("mates")],
        [79_666, 3159, 384, 0]
    );
    let divided = stdout(&run(&["perft", "--depth", "2", "--divide"]));
    assert!(divided.ends_with("44 moves, 1920 nodes\n"), "{divided}");
    let nodes = stdout(&run(&["perft", "--depth", "3", "--nodes", "--fen", "4k4/9/9/9/9/9/9/9/9/3K5 w"]));
    assert_eq!(nodes.lines().count(), 4, "{nodes}");
    for bad in [&["perft"][..], &["perft", "--depth", "9"], &["perft", "--depth", "1", "--threads", "0"]] {
        assert_eq!(run(bad).status.code(), Some(2), "{bad:?}");
    }
    let refused = run(&["perft", "--depth", "1", "--fen", "9/9 w"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("2 ranks") && said.contains("没有帅"), "{said}");
}

#[test]
fn moves_words_and_a_best_move() {
    let moves = stdout(&run(&["moves"]));
    assert!(moves.ends_with("44 moves\n") && moves.contains("h2e2  h3e3   C2=5  炮二平五"), "{moves}");
    let json: Value = serde_json::from_str(&stdout(&run(&["moves", "--json"]))).unwrap();
    assert_eq!(json["moves"].as_array().unwrap().len(), 44);
    assert!(stdout(&run(&["describe", "--english"])).contains("Red"));
    let best = stdout(&run(&["best", "--depth", "2"]));
    assert!(best.contains("depth 2"), "{best}");
    let json: Value = serde_json::from_str(&stdout(&run(&["best", "--depth", "2", "--json"]))).unwrap();
    assert_eq!(json["depth"], 2);
    let mated = run(&["best", "--fen", "3kR4/R8/9/9/9/9/9/9/9/4K4 b"]);
    assert!(mated.status.success() && stdout(&mated).contains("没有合法着法"));
}

#[test]
fn a_game_against_itself() {
    let game = |seed: &str| stdout(&run(&["play", "--moves", "12", "--depth", "2", "--seed", seed]));
    let sheet = game("3");
    assert_eq!(sheet, game("3"), "the same seed plays the same game");
    assert_eq!(
        sheet.lines().filter(|line| line.trim_start().starts_with(char::is_numeric)).count(),
        7,
        "{sheet}"
    );
    assert!(sheet.contains("12 步"), "{sheet}");
}
