use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::xiangqi::{Kind, Piece, Position, Setup, Side, Square, rules};

const NEVER: &dyn Fn() -> bool = &|| false;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn to_depth(position: &Position, depth: u32, seed: u64) -> Best {
    Searcher::new(1).search(position, &[], &depth_limit(depth), seed, NEVER, &mut |_| {})
}

fn depth_limit(depth: u32) -> Limits {
    Limits { depth: Some(depth), nodes: None }
}

fn iccs(text: &str) -> Move {
    let at = |range| Square::from_iccs(text.get(range).unwrap()).unwrap();
    Move::new(at(0..2), at(2..4))
}

/// Plays moves, and gives all positions before the last.
fn played(fen: &str, moves: &[&str]) -> (Position, Vec<Position>) {
    let mut line = vec![position(fen)];
    for text in moves {
        let now = &line[line.len() - 1];
        assert!(now.is_legal(iccs(text)), "{text} in {now:?}");
        line.push(now.after(iccs(text)));
    }
    (line.pop().unwrap(), line)
}

#[test]
fn no_legal_move() {
    for fen in [
        // Mate by two rooks; stalemate, which loses as well.
        "R3k4/1R7/9/9/9/9/9/9/9/5K3 b",
        "3k5/4P4/9/9/9/9/9/9/9/5K3 b",
    ] {
        let position = position(fen);
        assert!(position.legal_moves().is_empty(), "{fen}");
        let best = to_depth(&position, 5, 1);
        assert_eq!((best.played, best.depth, best.mate, best.pv.len()), (None, 0, Some(0), 0), "{fen}");
    }
}

#[test]
fn hardly_any_pieces() {
    for fen in [
        "3k5/9/9/9/9/9/9/9/9/4K4 w",
        "3k5/9/9/9/9/9/9/9/9/4K4 b",
        "3k5/9/4P4/9/9/9/9/9/9/5K3 b",
        "4k4/9/9/9/9/9/9/4C4/9/5K3 b",
        "3k1P3/9/9/9/9/9/9/9/9/4K4 w",
    ] {
        let position = position(fen);
        for depth in [1, 2, 9] {
            let best = to_depth(&position, depth, 3);
            assert!(best.played.is_some_and(|played| position.is_legal(played)), "{fen} {best:?}");
        }
    }
    assert_eq!(to_depth(&position("3k5/9/9/9/9/9/9/9/9/4K4 w"), 8, 1).mate, None);
}

#[test]
fn stalemate_is_a_win() {
    // On e8 the pawn takes the last free points from the king and does not attack it.
    let position = position("3k5/9/4P4/9/9/9/9/9/9/4K4 w");
    let best = to_depth(&position, 4, 1);
    assert_eq!(best.mate, Some(1), "{best:?}");
    let end = position.after(best.played.unwrap());
    assert!(end.legal_moves().is_empty() && !end.is_check());
}

#[test]
fn stopped_at_once() {
    let start = Position::start();
    let best = search(&start, &[], &Limits { depth: None, nodes: Some(0) }, 1, NEVER, &mut |_| panic!());
    assert_eq!((best.depth, best.pv.len()), (0, 1));
    assert!(start.is_legal(best.played.unwrap()));
    let best =
        search(&start, &[], &Limits::default(), 1, &|| true, &mut |report| assert!(report.nodes < 1_024));
    assert!(best.depth < 5 && start.is_legal(best.played.unwrap()));
}

#[test]
fn depths_are_bounded() {
    let bare = position("3k5/9/9/9/9/9/9/9/9/4K4 w");
    let mut deepest = 0;
    let limits = Limits { depth: Some(1_000), nodes: Some(2_000_000) };
    let best = search(&bare, &[], &limits, 1, NEVER, &mut |report| deepest = report.depth);
    assert!(best.depth <= MAX_DEPTH && deepest == best.depth);
    assert_eq!(to_depth(&bare, 0, 1).depth, 1);
}

#[test]
fn the_seed_chooses_among_equals() {
    // The start looks the same in the mirror. Of two rooks either mates, and either stalemates on d8.
    let rooks = position("4k4/R7R/9/9/9/9/9/9/9/5K3 w");
    for (position, depth, count) in [(Position::start(), 1, 2), (rooks, 4, 4)] {
        let found: Vec<Best> = (0..30).map(|seed| to_depth(&position, depth, seed)).collect();
        let mut moves: Vec<Move> = found.iter().filter_map(|best| best.played).collect();
        moves.sort();
        moves.dedup();
        assert_eq!(moves.len(), count, "{moves:?}");
        assert!(found.iter().all(|best| best.score == found[0].score && best.nodes == found[0].nodes));
    }
}

#[test]
fn perpetual_check_loses() {
    // Red is lost but for checks from h8 and h9; after two rounds of them Black has won.
    let fen = "c2a1k3/2c1a2R1/b6P1/8p/9/9/9/9/4K4/9 w";
    let round = ["h8h9", "f9f8", "h9h8", "f8f9"];
    let moves = round.repeat(2);
    let (now, history) = played(fen, &moves);
    assert_eq!(now.key(), position(fen).key());
    let mut walk = walk::Walk::new(&now, &history);
    assert_eq!(walk.repeated(), Some(-score::RULED));
    // One round is a warning only.
    let (now, history) = played(fen, &round);
    assert_eq!(walk::Walk::new(&now, &history).repeated(), None);
    // On the line of the search once is enough. The same with nobody in check is a draw.
    walk = walk::Walk::new(&position(fen), &[]);
    for text in round {
        walk.make(iccs(text));
    }
    assert_eq!(walk.repeated(), Some(4 - score::RULED));
    walk = walk::Walk::new(&Position::start(), &[]);
    for text in ["a0a1", "a9a8", "a1a0", "a8a9"] {
        walk.make(iccs(text));
    }
    assert_eq!(walk.repeated(), Some(0));
}

#[test]
fn a_hundred_and_twenty_plies() {
    let fen = "3ak4/9/9/9/9/9/9/R8/9/3K5 w - - ";
    assert!(to_depth(&position(&format!("{fen}0 1")), 5, 1).score > 500);
    assert_eq!(to_depth(&position(&format!("{fen}119 1")), 5, 1).score, 0);
    // Mate comes before the draw, a capture begins anew.
    let mate = position("4k4/R8/1R7/9/9/9/9/9/9/5K3 w - - 119 1");
    assert_eq!(to_depth(&mate, 3, 1).mate, Some(1));
    let capture = position("4k4/9/4b4/9/9/9/9/R8/4R4/5K3 w - - 119 1");
    assert_eq!(to_depth(&capture, 3, 1).played, Some(iccs("e1e7")));
}

/// Pieces where they can stand, thrown at random; positions that the rules do not allow are thrown again.
fn thrown() -> impl Strategy<Value = Position> {
    let piece = (0..2usize, 0..7usize, 0..90usize);
    (any::<bool>(), proptest::collection::vec(piece, 2..40)).prop_filter_map(
        "no position",
        |(red, pieces)| {
            let mut setup = Setup::empty();
            setup.turn = if red { Side::Red } else { Side::Black };
            setup.board[85] = Some(Piece::new(Side::Red, Kind::King));
            setup.board[3] = Some(Piece::new(Side::Black, Kind::King));
            for (side, kind, square) in pieces {
                let piece = Piece::new(Side::ALL[side], Kind::ALL[kind]);
                let count = setup.board.iter().filter(|&&other| other == Some(piece)).count();
                let square = Square::new(square)?;
                let free = setup.board[square.index()].is_none();
                if free && count < kind_limit(piece.kind) && rules::may_stand(piece, square) {
                    setup.board[square.index()] = Some(piece);
                }
            }
            let mut turned = setup.clone();
            turned.turn = setup.turn.opposite();
            Position::new(setup).or_else(|_| Position::new(turned)).ok()
        },
    )
}

fn kind_limit(kind: Kind) -> usize {
    if kind == Kind::King { 1 } else { kind.limit() }
}

/// Plays out a line and gives the position it ends in.
fn play_out(position: &Position, line: &[Move]) -> Result<Position, TestCaseError> {
    let mut now = position.clone();
    for &played in line {
        prop_assert!(now.is_legal(played), "{played} in {now:?}");
        now = now.after(played);
    }
    Ok(now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Lines are legal and begin with the best move; a mate is as far away as it says and the last
    /// position is one; and the same search gives the same.
    #[test]
    fn results_hold(position in thrown(), depth in 1u32..6, seed: u64) {
        let mut reports = Vec::new();
        let mut searcher = Searcher::new(1);
        let best = searcher.search(&position, &[], &depth_limit(depth), seed, NEVER, &mut |report| {
            reports.push(report.clone());
        });
        prop_assert_eq!(best.played.is_none(), position.legal_moves().is_empty());
        prop_assert_eq!(best.played, best.pv.first().copied());
        prop_assert_eq!(reports.last().map_or(0, |report| report.depth), best.depth);
        for report in &reports {
            let end = play_out(&position, &report.pv)?;
            if let Some(mate) = report.mate {
                let plies = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
                prop_assert_eq!(report.pv.len() as i32, plies, "{:?} {:?}", position, report);
                prop_assert!(end.legal_moves().is_empty(), "{:?} {:?}", position, report);
            }
        }
        // The searcher has been used, and still finds the same.
        let again = searcher.search(&position, &[], &depth_limit(depth), seed, NEVER, &mut |_| {});
        prop_assert_eq!(again, best);
    }

    /// Whenever it is stopped, a search has the result of an iteration that was completed.
    #[test]
    fn stopping_changes_nothing(position in thrown(), questions in 0u32..20, seed: u64) {
        let left = Cell::new(questions);
        let stop = || left.replace(left.get().saturating_sub(1)) == 0;
        let limits = Limits { depth: Some(7), nodes: Some(30_000) };
        let mut reports = Vec::new();
        let best = Searcher::new(1).search(&position, &[], &limits, seed, &stop, &mut |_| {});
        Searcher::new(1).search(&position, &[], &limits, seed, NEVER, &mut |report| reports.push(report.clone()));
        match reports.iter().find(|report| report.depth == best.depth) {
            Some(report) => {
                prop_assert_eq!(&report.pv, &best.pv);
                prop_assert_eq!(report.score, best.score);
            }
            None => prop_assert_eq!(best.depth, 0),
        }
        prop_assert!(best.played.is_none_or(|played| position.is_legal(played)));
    }
}
