//! Notation against the oracle: what two other programs and the rule books write, and every legal move
//! of the oracle positions there and back.

use std::collections::{BTreeMap, HashSet};

use kifud::xiangqi::Position;
use kifud::xiangqi::notation::{Notation, ReadError, chinese, iccs, read, uci, wxf};
use serde_json::Value;

use super::data::{lines, played, position};

/// The rows of a file; none where it is absent.
fn rows(name: &str) -> Vec<Value> {
    lines(name).unwrap_or_default()
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().expect("a text")
}

/// Every row, agreed or disputed, is written as the reference writes it.
#[test]
fn chinese_is_written_as_the_oracle_writes_it() {
    let mut counts = BTreeMap::new();
    for row in rows("oracle_notation.jsonl.gz") {
        let (kind, status) = (text(&row, "kind").to_owned(), text(&row, "status").to_owned());
        *counts.entry((status, kind)).or_insert(0) += 1;
        assert_eq!(chinese(&position(&row), played(text(&row, "iccs"))), text(&row, "zh"), "{row}");
    }
    println!("{counts:#?}");
}

/// Fairy-Stockfish leaves out the sign of a pair's piece where its twin's target lies off the board;
/// in all other rows the texts are equal.
#[test]
fn wxf_is_written_as_fairy_stockfish_writes_it_but_for_pairs() {
    let (mut equal, mut unsigned) = (0, 0);
    for row in rows("oracle_notation.jsonl.gz") {
        let written = wxf(&position(&row), played(text(&row, "iccs")));
        let fairy = text(&row, "wxf_fsf");
        if written == fairy {
            equal += 1;
            continue;
        }
        unsigned += 1;
        assert_eq!(text(&row, "kind"), "pair", "{written} {row}");
        let sign = if text(&row, "zh").starts_with('前') { '+' } else { '-' };
        let mut signed: Vec<_> = fairy.chars().collect();
        signed[1] = sign;
        assert_eq!(written, signed.into_iter().collect::<String>(), "{row}");
    }
    println!("WXF: {equal} rows as Fairy-Stockfish, {unsigned} with the sign it leaves out");
}

/// Every spelling that was seen is read as its move, or leaves it among the candidates.
#[test]
fn every_spelling_is_read() {
    let mut counts: BTreeMap<String, [u32; 2]> = BTreeMap::new();
    for row in rows("oracle_notation.jsonl.gz") {
        let position = position(&row);
        let want = played(text(&row, "iccs"));
        let fields = ["zh", "cchess", "python_chinese_chess", "wxf_fsf"].map(|field| (field, &row[field]));
        let seen = row["also_seen"].as_object().into_iter().flatten();
        for (source, spelling) in fields.into_iter().chain(seen.map(|(key, value)| (key.as_str(), value))) {
            let Some(spelling) = spelling.as_str() else { continue };
            let count = counts.entry(source.to_owned()).or_default();
            match read(&position, spelling, None) {
                Ok(found) => {
                    assert_eq!(found, want, "{spelling} {row}");
                    count[0] += 1;
                }
                Err(ReadError::Ambiguous { candidates }) if candidates.contains(&want) => count[1] += 1,
                Err(error) => panic!("{source} {spelling}: {error} {row}"),
            }
        }
    }
    for (source, [read, ambiguous]) in counts {
        println!("{source}: {read} read, {ambiguous} ambiguous with the move among the candidates");
        assert!(source != "zh" || ambiguous == 0);
    }
}

/// Every legal move of every oracle position, in every notation, with the notation named and not.
#[test]
fn what_is_written_is_read() {
    let fens: HashSet<_> = ["oracle_public.jsonl.gz", "oracle_notation.jsonl.gz"]
        .into_iter()
        .flat_map(rows)
        .map(|row| text(&row, "fen").to_owned())
        .collect();
    let mut moves = 0;
    for fen in &fens {
        let position = Position::from_fen(fen).expect("a position");
        for played in position.legal_moves() {
            moves += 1;
            for (notation, written) in [
                (Notation::Iccs, iccs(played)),
                (Notation::Uci, uci(played)),
                (Notation::Chinese, chinese(&position, played)),
                (Notation::Wxf, wxf(&position, played)),
            ] {
                assert_eq!(read(&position, &written, Some(notation)), Ok(played), "{fen} {written}");
                if notation != Notation::Uci || written.contains("10") {
                    assert_eq!(read(&position, &written, None), Ok(played), "{fen} {written}");
                }
            }
        }
    }
    println!("{moves} moves of {} positions", fens.len());
}
