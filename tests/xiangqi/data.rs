//! Data of the shared folder: `$KIFUD_SHARED/xiangqi`, by default `../shared/xiangqi`.

use std::process::Command;

use kifud::xiangqi::{Move, Position, Square, rules};
use serde_json::Value;

use super::support::shared;

/// The objects of a file, a line each; nothing, said loudly, where the folder is not there.
pub fn lines(name: &str) -> Option<Vec<Value>> {
    let path = shared("xiangqi")?.join(name);
    let text = match path.extension().is_some_and(|end| end == "gz") {
        true => Command::new("gzip").arg("-dc").arg(&path).output().expect("gzip runs").stdout,
        false => std::fs::read(&path).expect("the file can be read"),
    };
    let text = String::from_utf8(text).expect("UTF-8");
    let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!objects.is_empty(), "{} holds something", path.display());
    Some(objects)
}

/// The position of an object.
pub fn position(object: &Value) -> Position {
    let fen = object["fen"].as_str().expect("a FEN");
    Position::from_fen(fen).unwrap_or_else(|faults| panic!("{fen}: {faults}"))
}

/// A move in ICCS.
pub fn played(text: &str) -> Move {
    Move::new(
        Square::from_iccs(&text[..2]).expect("a point"),
        Square::from_iccs(&text[2..]).expect("a point"),
    )
}

/// The legal moves by the plain rules, sorted.
pub fn by_rules(position: &Position) -> Vec<Move> {
    rules::legal_moves(position.board(), position.turn())
}
