//! Every code of an illegal move against the oracle positions.

use kifud::xiangqi::legality::explain;
use kifud::xiangqi::{Move, Square};

use super::data::{by_rules, lines, played, position};

#[test]
fn rejected_moves_have_the_code_of_the_oracle() {
    let Some(oracle) = lines("oracle_public.jsonl.gz") else { return };
    let (mut rejected, mut legal) = (0, 0);
    for line in oracle {
        let position = position(&line);
        for (text, why) in line["pseudo_illegal"].as_object().unwrap() {
            let code = explain(&position, played(text)).map(|illegal| illegal.code());
            let why: Vec<_> = why.as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect();
            let fits = match code {
                Some("leaves-king-in-check") => why.contains(&"check"),
                Some("kings-face") => why.contains(&"facing"),
                _ => false,
            };
            assert!(fits, "{position:?} {text}: {code:?} for {why:?}");
            rejected += 1;
        }
        for text in line["legal"].as_array().unwrap() {
            assert_eq!(explain(&position, played(text.as_str().unwrap())), None, "{position:?} {text}");
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
        let position = position(&line);
        let found: Vec<_> = Square::all()
            .flat_map(|from| Square::all().map(move |to| Move::new(from, to)))
            .filter(|&played| explain(&position, played).is_none())
            .collect();
        assert_eq!(found, by_rules(&position), "{position:?}");
    }
}
