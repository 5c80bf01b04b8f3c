//! A thousand positions on which four other programs agree: legal moves, check, result and perft.
//!
//! They lie in `xiangqi/oracle_public.jsonl.gz` of the folder `$KIFUD_SHARED` (by default `../shared`);
//! without it there is nothing to test.

use std::path::PathBuf;
use std::process::Command;

use kifud::xiangqi::board::{Board, MoveList, perft};
use kifud::xiangqi::{Move, Position};
use serde_json::Value;

/// The lines of a gzipped file of the shared folder, if it is there.
fn lines(name: &str) -> Option<Vec<Value>> {
    let shared = std::env::var_os("KIFUD_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = shared.join("xiangqi").join(name);
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return None;
    }
    let unpacked = Command::new("gzip").arg("-dc").arg(&path).output().expect("gzip runs");
    assert!(unpacked.status.success(), "{} is no gzip file", path.display());
    let text = String::from_utf8(unpacked.stdout).expect("UTF-8");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

fn iccs(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
    let mut texts: Vec<String> = moves.into_iter().map(|played| played.to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn public_positions() {
    let Some(entries) = lines("oracle_public.jsonl.gz") else { return };
    for entry in &entries {
        let fen = entry["fen"].as_str().expect("a FEN");
        let position = Position::from_fen(fen).unwrap_or_else(|faults| panic!("{fen}: {faults}"));
        let mut board = Board::from(&position);

        let want: Vec<&str> =
            entry["legal"].as_array().expect("moves").iter().filter_map(Value::as_str).collect();
        let mut list = MoveList::new();
        board.legal(&mut list);
        assert_eq!(iccs(list.iter()), want, "{fen}");
        assert_eq!(iccs(position.legal_moves()), want, "{fen}: the plain rules");
        assert_eq!(board.count_legal() as usize, want.len(), "{fen}: counted");

        assert_eq!(Some(board.in_check()), entry["in_check"].as_bool(), "{fen}");
        let result = match (want.is_empty(), board.in_check()) {
            (false, _) => None,
            (true, true) => Some("checkmate"),
            (true, false) => Some("stalemate"),
        };
        assert_eq!(entry["result"].as_str(), result, "{fen}");

        let counts = [1, 2, 3].map(|depth| perft(&mut board, depth));
        let want: Vec<u64> =
            entry["perft"].as_array().expect("counts").iter().filter_map(Value::as_u64).collect();
        assert_eq!(counts[..], want, "{fen}");
    }
    println!("{} positions", entries.len());
    assert!(entries.len() >= 1000);
}
