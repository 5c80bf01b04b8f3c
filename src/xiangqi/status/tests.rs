use super::*;
use crate::xiangqi::moves::Move;
use crate::xiangqi::square::Square;
use expect_test::expect;
use std::fmt::Write;

fn history(fen: &str, moves: &str) -> History {
    let at = |text: &str| Square::from_iccs(text).unwrap();
    let moves = moves.split_whitespace().map(|text| Move::new(at(&text[..2]), at(&text[2..]))).collect();
    History::new(Position::from_fen(fen).unwrap(), moves).unwrap()
}

fn at_end(fen: &str, moves: &str, options: &StatusOptions) -> Status {
    let history = history(fen, moves);
    status(history.end(), Some(&history), options)
}

/// What is over and what is not: FEN, moves, state, winner. Who loses by a repetition and which one
/// is a draw is as in the diagrams of the World Xiangqi Federation.
const CASES: [(&str, &str, &str, Option<Side>); 18] = [
    (crate::xiangqi::START_FEN, "", "playing", None),
    ("4k4/9/9/4r4/9/9/9/9/9/4K4 w", "", "check", None),
    ("3k5/9/9/9/9/9/9/9/3r5/3K1r3 w", "", "checkmate", Some(Side::Black)),
    ("3kR4/9/3R5/9/9/9/9/9/9/4K4 b", "", "checkmate", Some(Side::Red)),
    ("5k3/4P4/9/9/9/9/9/9/9/3K5 b", "", "stalemate", Some(Side::Red)),
    ("3k5/9/9/9/9/9/9/9/4p4/5K3 w", "", "stalemate", Some(Side::Black)),
    // No move at all comes before the move limit.
    ("3k5/9/9/9/9/9/9/9/3r5/3K1r3 w - - 120 90", "", "checkmate", Some(Side::Black)),
    ("3k5/9/9/9/9/9/9/9/4p4/5K3 w - - 500 90", "", "stalemate", Some(Side::Black)),
    ("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 90", "", "playing", None),
    ("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 90", "a0a1", "draw-fifty", None),
    // Twice is not yet a repetition, three times is.
    ("3k5/9/9/9/8r/9/9/9/9/R3K4 w", "a0a1 i5i6 a1a0 i6i5", "playing", None),
    ("3k5/9/9/9/8r/9/9/9/9/R3K4 w", "a0a1 i5i6 a1a0 i6i5 a0a1 i5i6 a1a0 i6i5", "draw-repetition", None),
    // A repetition comes before the move limit.
    (
        "3k5/9/9/9/9/5p3/9/5p3/5K3/5C3 w - - 116 1",
        "f1e1 f2e2 e1f1 e2f2 f1e1 f2e2 e1f1 e2f2",
        "draw-perpetual-check",
        Some(Side::Red),
    ),
    (
        "4R4/3k5/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w",
        "f7f8 d8d7 f8f7 d7d8 f7f8 d8d7 f8f7 d7d8",
        "draw-perpetual-check",
        Some(Side::Black),
    ),
    (
        "9/4c4/3k5/3r5/9/9/4C4/9/4K4/3R5 w",
        "e3d3 d6e6 d3e3 e6d6 e3d3 d6e6 d3e3 e6d6",
        "draw-perpetual-check",
        None,
    ),
    (
        "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w",
        "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0",
        "perpetual-chase",
        Some(Side::Black),
    ),
    (
        "3k5/4P4/4b4/3C5/4c4/9/9/9/9/5K3 w",
        "d6e6 e7g5 e6d6 g5e7 d6e6 e7g5 e6d6 g5e7",
        "perpetual-chase",
        Some(Side::Red),
    ),
    ("5k3/9/9/c8/9/P1P6/9/2C6/9/3K5 w", "c2a2 a6c6 a2c2 c6a6 c2a2 a6c6 a2c2 c6a6", "draw-repetition", None),
];

#[test]
fn states_and_sentences() {
    let mut sentences = String::new();
    for (fen, moves, state, winner) in CASES {
        let status = at_end(fen, moves, &StatusOptions::default());
        assert_eq!((status.state.name(), status.winner), (state, winner), "{fen} {moves}");
        let Status { reason, sentence, reason_zh, repetitions, .. } = &status;
        let _ = writeln!(sentences, "{} ×{repetitions}: {sentence}. {reason_zh}。", reason.code());
    }
    expect![[r#"
        in-progress ×1: the game goes on, Red is to move. 对局进行中，轮到红方走。
        in-check ×1: Red is in check by the black rook on e6. 红方正被 e6 的黑车将军。
        checkmate ×1: Red is checkmated by the black rook on d1 and the black rook on f0, Black wins. 红方的帅被 d1 的黑车、f0 的黑车将死，黑方胜。
        checkmate ×1: Black is checkmated by the red rook on e9 and the red rook on d7, Red wins. 黑方的将被 e9 的红车、d7 的红车将死，红方胜。
        stalemate ×1: Black is not in check but has no legal move, which loses: Red wins. 黑方未被将军但无着可走（困毙），红方胜。
        stalemate ×1: Red is not in check but has no legal move, which loses: Black wins. 红方未被将军但无着可走（困毙），黑方胜。
        checkmate ×1: Red is checkmated by the black rook on d1 and the black rook on f0, Black wins. 红方的帅被 d1 的黑车、f0 的黑车将死，黑方胜。
        stalemate ×1: Red is not in check but has no legal move, which loses: Black wins. 红方未被将军但无着可走（困毙），黑方胜。
        in-progress ×1: the game goes on, Red is to move. 对局进行中，轮到红方走。
        move-limit ×1: 120 plies without a capture: a draw. 连续 120 步（双方合计）没有吃子，到了自然限着，判和。
        in-progress ×2: the game goes on, Red is to move. 对局进行中，轮到红方走。
        repetition ×3: the position stands for the 3rd time; in plies 1 to 8 neither side offends, a draw (asian rules). 同一局面第 3 次出现，第 1 至 8 步双方均无禁止着法，判和（亚洲规则）。
        perpetual-check ×3: the position stands for the 3rd time; in plies 1 to 8 Black checks with every move and loses (asian rules). 同一局面第 3 次出现，第 1 至 8 步黑方长将，判负（亚洲规则）。
        perpetual-check ×3: the position stands for the 3rd time; in plies 1 to 8 Red checks with every move and loses (asian rules). 同一局面第 3 次出现，第 1 至 8 步红方长将，判负（亚洲规则）。
        mutual-perpetual-check ×3: the position stands for the 3rd time; in plies 1 to 8 both sides check perpetually, a draw (asian rules). 同一局面第 3 次出现，第 1 至 8 步双方长将，判和（亚洲规则）。
        perpetual-chase ×3: the position stands for the 3rd time; in plies 1 to 8 Red chases the same cannon with every move and loses (asian rules). 同一局面第 3 次出现，第 1 至 8 步红方长捉黑方炮，判负（亚洲规则）。
        perpetual-chase ×3: the position stands for the 3rd time; in plies 1 to 8 Black chases the same pawn with every move and loses (asian rules). 同一局面第 3 次出现，第 1 至 8 步黑方长捉红方兵，判负（亚洲规则）。
        repetition ×3: the position stands for the 3rd time; in plies 1 to 8 neither side offends, a draw (asian rules). 同一局面第 3 次出现，第 1 至 8 步双方均无禁止着法，判和（亚洲规则）。
    "#]].assert_eq(&sentences);
}

#[test]
fn options() {
    let chase = "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0";
    let fen = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w";
    let judged = |rules, occurrences, moves| {
        let options = StatusOptions { rules, occurrences, ..StatusOptions::default() };
        at_end(fen, moves, &options)
    };
    let basic = judged(RuleSet::Basic, 3, chase);
    assert_eq!((basic.state, basic.winner), (State::DrawRepetition, None));
    let early = judged(RuleSet::Asian, 2, &chase[..19]);
    assert_eq!((early.state, early.winner), (State::PerpetualChase, Some(Side::Black)));
    let late = judged(RuleSet::Asian, 4, chase);
    assert_eq!((late.state, late.repetitions), (State::Playing, 3));
    assert!(late.cycle.is_some_and(|cycle| !cycle.plies.is_empty()));

    let quiet = "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 120 90";
    for (move_limit, state) in [(0, "playing"), (121, "playing"), (100, "draw-fifty")] {
        let options = StatusOptions { move_limit, ..StatusOptions::default() };
        assert_eq!(at_end(quiet, "", &options).state.name(), state);
    }
}

/// The counter of the text may be left out: the history has counted.
#[test]
fn the_history_counts_plies() {
    let played = history("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 90", "a0a1");
    let text = Position::from_fen("3k5/9/9/9/9/9/9/9/R8/4K4 b").unwrap();
    assert!(played.leads_to(&text));
    let options = StatusOptions::default();
    assert_eq!(status(&text, Some(&played), &options).state, State::DrawFifty);
    assert_eq!(status(&text, None, &options).state, State::Playing);
    for other in ["3k5/9/9/9/9/9/9/9/R8/4K4 w", "3k5/9/9/9/9/9/9/9/9/R3K4 b"] {
        assert!(!played.leads_to(&Position::from_fen(other).unwrap()), "{other}");
    }
}

#[test]
fn names() {
    let mut states: Vec<_> = Reason::ALL.iter().map(|reason| reason.state()).collect();
    states.dedup();
    assert_eq!(
        states,
        [
            State::Playing,
            State::Check,
            State::Checkmate,
            State::Stalemate,
            State::DrawRepetition,
            State::DrawFifty,
            State::DrawPerpetualCheck,
            State::PerpetualChase,
            State::Undecided,
        ]
    );
    assert_eq!(states, State::ALL);
    let over = State::ALL.map(State::is_over);
    assert_eq!(over, [false, false, true, true, true, true, true, true, false]);
}
