//! One small position a principle, each verdict argued from the rules.

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::xiangqi::{Move, Position, Side, Square};

fn read(moves: &str) -> Vec<Move> {
    let at = |text: &str| Square::from_iccs(text).unwrap();
    moves.split_whitespace().map(|text| Move::new(at(&text[..2]), at(&text[2..]))).collect()
}

/// Plays a round of moves so often that the first position stands for the third time.
fn twice(fen: &str, round: &str) -> History {
    let start = Position::from_fen(fen).unwrap();
    History::new(start, [read(round), read(round)].concat()).unwrap()
}

fn asian(fen: &str, round: &str) -> Repetition {
    judge(&twice(fen, round), RuleSet::Asian, OCCURRENCES)
}

const DRAW: Option<Verdict> = Some(Verdict::Draw);
const RED_CHASES: Option<Verdict> = Some(Verdict::PerpetualChase { offender: Some(Side::Red) });
const RED_CHECKS: Option<Verdict> = Some(Verdict::PerpetualCheck { offender: Some(Side::Red) });

const HORSE_HUNT: (&str, &str) = ("3k4n/9/9/9/9/9/9/9/9/4K2R1 w", "h0i0 i9h7 i0h0 h7i9");
const ROOK_CHECKS: (&str, &str) = ("4k4/8R/9/9/9/9/9/9/9/3K5 w", "i8i9 e9e8 i9i8 e8e9");

#[test]
fn the_asian_rules() {
    let cases = [
        // A rook checks with every move, the king steps to and fro: loses (6).
        (ROOK_CHECKS.0, ROOK_CHECKS.1, RED_CHECKS),
        // One of its four moves is no check, and attacks nothing.
        (ROOK_CHECKS.0, "i8i9 e9e8 i9h9 e8e7 h9i9 e7e8 i9i8 e8e9", DRAW),
        // A rook runs after a horse that nobody protects: loses (3).
        (HORSE_HUNT.0, HORSE_HUNT.1, RED_CHASES),
        // The same, but on h7 a rook protects the horse: protected once is enough (17).
        ("3k4n/9/r8/9/9/9/9/9/9/4K2R1 w", "h0i0 i9h7 i0h0 h7i9", DRAW),
        // The rook that protects may not leave its file for the king's sake: a false protector (34).
        ("4k3n/9/4r4/9/9/9/4R4/9/9/3K3R1 w", "h0i0 i9h7 i0h0 h7i9", RED_CHASES),
        // A horse protects the rook on both points, but no cannon may chase a rook (15).
        ("3k5/3n5/9/2r6/9/9/2P1P4/9/4C4/5K3 w", "e1c1 c6e6 c1e1 e6c6", RED_CHASES),
        // The same horse protects a cannon: a rook may attack it for ever (17).
        ("3k5/3n5/9/2c6/9/9/9/9/4R4/5K3 w", "e1c1 c6e6 c1e1 e6c6", DRAW),
        // Two pieces in turn, each protected by the reply: no perpetual chase (32).
        ("6r2/3k5/9/2c3n2/9/9/9/9/6R2/5K3 w", "g1c1 g9c9 c1g1 c9g9", DRAW),
        // Rook and rook can take each other: offers to exchange (24).
        ("3k5/9/9/r8/9/9/9/9/8R/5K3 w", "i1a1 a6i6 a1i1 i6a6", DRAW),
        // A cannon confines the rook to its file: it cannot strike back, so this is a chase; and its own
        // steps towards the cannon are none (27).
        ("4k4/4a4/9/9/4r4/R8/9/9/4C4/3K5 w", "a4a5 e5e4 a5a4 e4e5", RED_CHASES),
        // Kings may chase (28), and so may pawns (29).
        ("5k3/9/9/9/9/9/9/4c4/3K5/9 w", "d1e1 e2d2 e1d1 d2e2", DRAW),
        ("4k3c/7P1/9/9/9/9/9/9/9/3K5 w", "h8i8 i9h9 i8h8 h9i9", DRAW),
        // The pawn cuts off the protecting cannon, as a second screen and then by taking the only one
        // away, each time that the elephant has mended it (example after 40).
        ("4ck3/3P5/4b4/9/R3n4/9/9/9/9/3K5 w", "d8e8 e7g9 e8d8 g9e7", RED_CHASES),
        // The cannon stays under attack and never runs: no move attacks it anew (example after 40).
        ("3k5/9/9/9/9/7c1/9/9/9/4K2R1 w", "h0h1 h4h5 h1h0 h5h4", DRAW),
        // A threat of mate on the back rank, parried by the king: allowed (9).
        ("3k5/9/3P5/9/9/9/9/9/7R1/5K3 w", "h1i1 d9e9 i1h1 e9d9", DRAW),
    ];
    for (fen, round, want) in cases {
        assert_eq!(asian(fen, round).verdict, want, "{fen} {round}");
    }
}

#[test]
fn rule_sets() {
    let verdicts = |(fen, round)| RuleSet::ALL.map(|rules| judge(&twice(fen, round), rules, 3).verdict);
    assert_eq!(verdicts(HORSE_HUNT), [DRAW, RED_CHASES, RED_CHASES]);
    assert_eq!(verdicts(ROOK_CHECKS), [RED_CHECKS; 3]);
    // Neither can capture or check: idle by any rules.
    let idle = ("4k4/9/9/9/9/9/9/9/9/3K5 w", "d0d1 e9e8 d1d0 e8e9");
    assert_eq!(verdicts(idle), [DRAW; 3]);
    // The rook could check next: whether that is a threat of mate, a referee has to say.
    let open = ("4k4/9/9/9/9/9/9/9/R8/3K5 w", "a1a2 e9e8 a2a1 e8e9");
    assert_eq!(verdicts(open), [DRAW, DRAW, Some(Verdict::Undecided { why: Why::Combination })]);
    for rules in RuleSet::ALL {
        assert_eq!(RuleSet::from_name(rules.name()), Some(rules));
    }
    assert_eq!(RuleSet::from_name("Asian"), None);
}

#[test]
fn what_is_open_is_said() {
    let why = |fen, round| match asian(fen, round).verdict {
        Some(Verdict::Undecided { why }) => (why.text(), why.text_zh()),
        other => panic!("{fen}: {other:?}"),
    };
    // Elephant against a rook that its fellow protects.
    let (english, chinese) = why("4k4/9/9/9/9/r1r6/3C5/4B4/9/5K3 w", "d3f3 c4g4 f3d3 g4c4");
    expect!["it is not certain that Red chases the rook: an elephant or an advisor attacks a protected rook"]
        .assert_eq(&english);
    expect!["红方是否长捉黑方车不确定（士象捉有根车）"].assert_eq(&chinese);
    // One of two attacks on the pawn comes with a check.
    let (english, _) = why("5k3/9/9/5C3/5c3/5C3/9/9/5p3/4K4 w", "f4d4 f5d5 d4f4 d5f5");
    expect!["it is not certain that Red chases the pawn: a move checks as well"].assert_eq(&english);
}

#[test]
fn occurrences() {
    let (fen, round) = HORSE_HUNT;
    let start = Position::from_fen(fen).unwrap();
    let moves = read(&format!("{round} {round}"));
    let judged = |plies: usize, occurrences| {
        let history = History::new(start.clone(), moves[..plies].to_vec()).unwrap();
        let found = judge(&history, RuleSet::Asian, occurrences);
        let cycle = found.cycle.map(|cycle| cycle.plies.iter().map(|ply| ply.number).collect::<Vec<_>>());
        (found.repetitions, found.verdict, cycle)
    };
    assert_eq!(judged(0, 3), (1, None, None));
    assert_eq!(judged(3, 3), (1, None, None));
    assert_eq!(judged(4, 3), (2, None, Some(vec![1, 2, 3, 4])));
    assert_eq!(judged(4, 2), (2, RED_CHASES, Some(vec![1, 2, 3, 4])));
    assert_eq!(judged(8, 2), (3, RED_CHASES, Some(vec![5, 6, 7, 8])));
    assert_eq!(judged(8, 3), (3, RED_CHASES, Some((1..=8).collect())));
    assert_eq!(judged(8, 4), (3, None, Some((1..=8).collect())));
    assert_eq!(judged(8, u32::MAX), (3, None, Some((1..=8).collect())));
    assert_eq!(judged(8, 0), judged(8, 2), "once is no repetition");
}

#[test]
fn a_capture_begins_anew() {
    let fen = "3k4n/9/9/9/9/9/9/9/7p1/4K2R1 w";
    let moves = read("e0e1 d9d8 e1e0 d8d9 h0h1 d9d8 h1i1 d8d9 i1h1 d9d8 h1i1 d8d9 i1h1 d9d8");
    let history = History::new(Position::from_fen(fen).unwrap(), moves).unwrap();
    let found = judge(&history, RuleSet::Asian, 3);
    assert_eq!((found.repetitions, found.verdict), (3, DRAW));
    assert_eq!(found.cycle.unwrap().plies[0].number, 7);
}

fn shown(found: &Repetition) -> String {
    let mut text = format!("{}\n{}\n", found.reason().unwrap(), found.reason_zh().unwrap());
    for ply in found.cycle.iter().flat_map(|cycle| &cycle.plies).take(4) {
        text += &format!("{} {} {}: {} {}\n", ply.number, ply.side, ply.played, ply.text(), ply.text_zh());
    }
    text
}

#[test]
fn a_verdict_explains_itself() {
    expect![[r#"
        the position stands for the 3rd time; in plies 1 to 8 Red chases the same horse with every move and loses (asian rules)
        同一局面第 3 次出现，第 1 至 8 步红方长捉黑方马，判负（亚洲规则）
        1 Red h0i0: chase (rook i0 attacks horse i9) 捉（车捉马）
        2 Black i9h7: idle 闲
        3 Red i0h0: chase (rook h0 attacks horse h7) 捉（车捉马）
        4 Black h7i9: idle 闲
    "#]].assert_eq(&shown(&asian(HORSE_HUNT.0, HORSE_HUNT.1)));
    expect![[r#"
        the position stands for the 3rd time; in plies 1 to 8 Red checks with every move and loses (asian rules)
        同一局面第 3 次出现，第 1 至 8 步红方长将，判负（亚洲规则）
        1 Red i8i9: check 将
        2 Black e9e8: idle 闲
        3 Red i9i8: check 将
        4 Black e8e9: idle 闲
    "#]].assert_eq(&shown(&asian(ROOK_CHECKS.0, ROOK_CHECKS.1)));
}

proptest! {
    /// Whatever is played, a judgement comes back, and a verdict exactly from the wanted count on.
    #[test]
    fn never_panics(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60), fen in 0usize..3) {
        let fens = ["4k4/9/4b4/9/9/9/9/4p4/9/R3K4 w", "3ak4/9/9/2c6/9/9/2P6/9/4C4/3RK4 b", crate::xiangqi::START_FEN];
        let start = Position::from_fen(fens[fen]).unwrap();
        let (mut here, mut moves) = (start.clone(), Vec::new());
        for choice in choices {
            let legal = here.legal_moves();
            if legal.is_empty() {
                break;
            }
            let next = legal[choice.index(legal.len())];
            moves.push(next);
            here = here.after(next);
        }
        let history = History::new(start, moves).unwrap();
        for rules in RuleSet::ALL {
            let found = judge(&history, rules, 2);
            prop_assert_eq!(found.verdict.is_some(), found.repetitions >= 2);
            prop_assert_eq!(found.reason().is_some(), found.verdict.is_some());
        }
    }
}
