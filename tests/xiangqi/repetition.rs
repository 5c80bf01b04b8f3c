//! The ruled repetitions of the World Xiangqi Federation's manual and of Fairy-Stockfish's tests.

use std::collections::BTreeMap;

use kifud::xiangqi::repetition::{History, OCCURRENCES, Repetition, RuleSet, Verdict, judge};
use kifud::xiangqi::{Move, Piece, Position, Setup, Side, Square};
use serde_json::Value;

use super::data::{lines, played};

struct Case {
    line: usize,
    start: Result<Position, String>,
    moves: Vec<Move>,
    verdict: String,
    basic: Option<String>,
}

/// The ruled cases; none if the data are not there.
fn cases() -> Vec<Case> {
    let read = |(line, value): (usize, Value)| {
        let moves = value["moves"].as_array().expect("moves").iter();
        Case {
            line: line + 1,
            start: Position::from_fen(value["fen"].as_str().expect("fen"))
                .map_err(|faults| faults.to_string()),
            moves: moves.map(|text| played(text.as_str().expect("a move"))).collect(),
            verdict: value["verdict"].as_str().expect("verdict").into(),
            basic: value["perpetual_check_only_verdict"].as_str().map(Into::into),
        }
    };
    let lines = lines("rules_cases.jsonl").unwrap_or_default();
    lines.into_iter().enumerate().map(read).filter(|case| case.verdict != "none").collect()
}

fn name(found: &Repetition) -> &'static str {
    match found.verdict {
        None | Some(Verdict::Undecided { .. }) => "undecided",
        Some(verdict) => match verdict.winner() {
            None => "draw",
            Some(Side::Red) => "red-wins",
            Some(Side::Black) => "black-wins",
        },
    }
}

#[test]
fn ruled_cases() {
    let cases = cases();
    if cases.is_empty() {
        return;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        let outcome = match &case.start {
            Err(_) => "no position",
            Ok(start) => {
                let history = History::new(start.clone(), case.moves.clone()).expect("legal moves");
                let basic = judge(&history, RuleSet::Basic, OCCURRENCES);
                assert_eq!(
                    basic.verdict.as_ref().map(|_| name(&basic)),
                    case.basic.as_deref(),
                    "line {}",
                    case.line
                );
                match name(&judge(&history, RuleSet::Asian, OCCURRENCES)) {
                    "undecided" => "undecided",
                    got if got == case.verdict => "right",
                    got => {
                        wrong.push(format!("line {}: {got}, not {}", case.line, case.verdict));
                        "wrong"
                    }
                }
            }
        };
        *counts.entry(outcome).or_default() += 1;
    }
    println!("{} ruled cases: {counts:?}", cases.len());
    assert_eq!(wrong, Vec::<String>::new());
    assert!(counts["right"] >= 150, "{counts:?}");
}

/// Rules know neither colour nor side of the board.
#[test]
fn turned_and_mirrored() {
    let mirror = |at: Square| Square::at(at.row(), 8 - at.col()).expect("on the board");
    let views: [(&dyn Fn(Square) -> Square, bool); 3] =
        [(&Square::turned, true), (&mirror, false), (&|at| mirror(at.turned()), true)];
    for case in cases() {
        let Ok(start) = case.start else { continue };
        for (view, swapped) in views {
            let side = |side: Side| if swapped { side.opposite() } else { side };
            let mut setup = Setup::empty();
            for at in Square::all() {
                setup.board[view(at).index()] =
                    start.piece_at(at).map(|piece| Piece::new(side(piece.side), piece.kind));
            }
            setup.turn = side(start.turn());
            let other = Position::new(setup).expect("a position from any side");
            let moves = case.moves.iter().map(|played| Move::new(view(played.from), view(played.to)));
            let plain = History::new(start.clone(), case.moves.clone()).expect("legal moves");
            let seen = History::new(other, moves.collect()).expect("legal moves");
            for rules in RuleSet::ALL {
                let (plain, seen) = (judge(&plain, rules, OCCURRENCES), judge(&seen, rules, OCCURRENCES));
                let offender = |found: &Repetition| found.verdict.and_then(|verdict| verdict.offender());
                assert_eq!(
                    plain.verdict.map(|verdict| verdict.state()),
                    seen.verdict.map(|verdict| verdict.state()),
                    "line {}",
                    case.line
                );
                assert_eq!(offender(&plain).map(side), offender(&seen), "line {}", case.line);
                let classes = |found: &Repetition| {
                    let plies = found.cycle.iter().flat_map(|cycle| &cycle.plies);
                    plies.map(|ply| (ply.class(), ply.chases.len())).collect::<Vec<_>>()
                };
                assert_eq!(classes(&plain), classes(&seen), "line {}", case.line);
            }
        }
    }
}

/// Every reason is one sentence in each language, and there is one exactly when there is a verdict.
#[test]
fn verdicts_explain_themselves() {
    for case in cases() {
        let Ok(start) = case.start else { continue };
        let history = History::new(start, case.moves).expect("legal moves");
        for rules in RuleSet::ALL {
            let found = judge(&history, rules, OCCURRENCES);
            let (Some(english), Some(chinese)) = (found.reason(), found.reason_zh()) else {
                assert_eq!(found.verdict, None);
                continue;
            };
            assert!(english.starts_with("the position") && english.ends_with("rules)"), "{english}");
            assert!(chinese.starts_with("同一局面") && chinese.ends_with("规则）"), "{chinese}");
        }
    }
}

/// A long game without a capture is judged by its cycle, and nothing grows with its length but that.
#[test]
fn two_thousand_plies() {
    let start = Position::start();
    let shuttle = ["a0a1", "a9a8", "a1a0", "a8a9"].map(played);
    let moves: Vec<Move> = shuttle.into_iter().cycle().take(2000).collect();
    let found = judge(&History::new(start, moves).expect("legal"), RuleSet::Asian, OCCURRENCES);
    assert_eq!((found.repetitions, found.verdict), (501, Some(Verdict::Draw)));
    assert_eq!(found.cycle.map(|cycle| cycle.plies.len()), Some(8));
}
