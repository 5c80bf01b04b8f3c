//! Every code of an illegal move against the oracle positions.

use std::path::PathBuf;
use std::process::Command;

use kifud::xiangqi::legality::explain;
use kifud::xiangqi::{Move, Position, Square};
use serde_json::Value;

/// The lines of a packed file of the shared data; `None`, said on stderr, where there is none.
fn lines(name: &str) -> Option<Vec<Value>> {
    let shared = std::env::var_os("KIFUD_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = shared.join("xiangqi").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    let output = Command::new("gzip").arg("-dc").arg(&path).output().unwrap();
    assert!(output.status.success(), "{} cannot be unpacked", path.display());
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn played(text: &str) -> Move {
    Move::new(Square::from_iccs(&text[..2]).unwrap(), Square::from_iccs(&text[2..]).unwrap())
}

#[test]
fn rejected_moves_have_the_code_of_the_oracle() {
    let Some(oracle) = lines("oracle_public.jsonl.gz") else { return };
    let (mut rejected, mut legal) = (0, 0);
    for line in oracle {
        let fen = line["fen"].as_str().unwrap();
        let position = Position::from_fen(fen).unwrap();
        for (text, why) in line["pseudo_illegal"].as_object().unwrap() {
            let code = explain(&position, played(text)).map(|illegal| illegal.code());
            let why: Vec<_> = why.as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect();
            let fits = match code {
                Some("leaves-king-in-check") => why.contains(&"check"),
                Some("kings-face") => why.contains(&"facing"),
                _ => false,
            };
            assert!(fits, "{fen} {text}: {code:?} for {why:?}");
            rejected += 1;
        }
        for text in line["legal"].as_array().unwrap() {
            assert_eq!(explain(&position, played(text.as_str().unwrap())), None, "{fen} {text}");
            legal += 1;
        }
    }
    assert!(rejected > 0 && legal > 0);
    eprintln!("{rejected} rejected moves, {legal} legal ones");
}

/// Every pair of points that is no legal move has a reason of its own, no legal move has one.
#[test]
fn every_other_pair_of_points_has_a_reason() {
    let Some(oracle) = lines("oracle_public.jsonl.gz") else { return };
    for line in oracle {
        let position = Position::from_fen(line["fen"].as_str().unwrap()).unwrap();
        let found: Vec<_> = Square::all()
            .flat_map(|from| Square::all().map(move |to| Move::new(from, to)))
            .filter(|&played| explain(&position, played).is_none())
            .collect();
        assert_eq!(found, position.legal_moves(), "{position:?}");
    }
}
