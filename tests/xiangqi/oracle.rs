//! A thousand positions on which four other programs agree: legal moves, check, result and perft.
//!
//! They lie in `oracle_public.jsonl.gz` of the shared folder; without it there is nothing to test.

use kifud::xiangqi::Move;
use kifud::xiangqi::board::{Board, MoveList, perft};
use serde_json::Value;

use super::data::{by_rules, lines, position};

fn iccs(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
    let mut texts: Vec<String> = moves.into_iter().map(|played| played.to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn public_positions() {
    let Some(entries) = lines("oracle_public.jsonl.gz") else { return };
    for entry in &entries {
        let fen = &entry["fen"];
        let position = position(entry);
        let mut board = Board::from(&position);

        let want: Vec<&str> =
            entry["legal"].as_array().expect("moves").iter().filter_map(Value::as_str).collect();
        let mut list = MoveList::new();
        board.legal(&mut list);
        assert_eq!(iccs(list.iter()), want, "{fen}");
        assert_eq!(iccs(by_rules(&position)), want, "{fen}: the plain rules");
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
