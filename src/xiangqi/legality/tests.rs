use super::*;
use crate::xiangqi::START_FEN;
use expect_test::expect;
use std::fmt::Write;

fn played(text: &str) -> Move {
    let (from, to) = text.split_at(2);
    Move::new(Square::from_iccs(from).unwrap(), Square::from_iccs(to).unwrap())
}

fn illegal(fen: &str, text: &str) -> Illegal {
    explain(&Position::from_fen(fen).unwrap(), played(text)).unwrap_or_else(|| panic!("{text} is legal"))
}

/// Position, move, code: the sentences of each below.
const CASES: [(&str, &str, &str); 31] = [
    (START_FEN, "e4e5", "no-piece"),
    (START_FEN, "h7e7", "not-your-piece"),
    (START_FEN, "a0a3", "own-piece"),
    (START_FEN, "a0a0", "wrong-shape"),
    (START_FEN, "a0b1", "wrong-shape"),
    (START_FEN, "b0b1", "wrong-shape"),
    (START_FEN, "e0e2", "wrong-shape"),
    (START_FEN, "d0d1", "wrong-shape"),
    (START_FEN, "c0c2", "wrong-shape"),
    (START_FEN, "e3d4", "wrong-shape"),
    (START_FEN, "e3e5", "wrong-shape"),
    (START_FEN, "h2g3", "own-piece"),
    (START_FEN, "a0a4", "blocked-path"),
    (START_FEN, "h2h8", "blocked-path"),
    (START_FEN, "h2h7", "cannon-screen-missing"),
    (START_FEN, "e3e2", "pawn-backward"),
    (START_FEN, "e3d3", "pawn-sideways-before-river"),
    ("3k5/9/9/9/4P4/9/9/9/9/5K3 w", "e5e4", "pawn-backward"),
    ("3kr4/9/9/4p4/4P4/9/9/4C4/9/5K3 w", "e2e9", "cannon-screen-too-many"),
    (START_FEN, "b0d1", "horse-leg"),
    ("3k5/9/9/9/9/9/9/9/3N5/2B2K3 w", "c0e2", "elephant-eye"),
    ("2b1k4/3n5/9/9/9/9/9/9/9/3K5 b", "c9e7", "elephant-eye"),
    ("3k5/9/9/9/9/2B6/9/9/9/4K4 w", "c4e6", "elephant-river"),
    ("3k5/9/9/9/9/9/9/9/9/5K3 w", "f0g0", "out-of-palace"),
    ("3k5/4a4/3a5/9/9/9/9/9/9/5K3 b", "d7c6", "out-of-palace"),
    ("3k5/9/9/9/9/9/9/9/9/4K4 w", "e0d0", "kings-face"),
    ("4k4/9/9/9/9/9/9/4B4/9/4K4 w", "e2c4", "kings-face"),
    ("4k4/9/9/4r4/9/9/9/4B4/9/4K4 w", "e2c4", "leaves-king-in-check"),
    ("3k5/5r3/9/9/9/9/9/9/9/4K4 w", "e0f0", "leaves-king-in-check"),
    ("4k4/9/9/4r4/9/9/9/9/9/4K4 w", "e0e1", "leaves-king-in-check"),
    ("3k5/9/9/9/9/9/P8/3n5/4r4/4K4 w", "a3a4", "leaves-king-in-check"),
];

#[test]
fn codes_and_sentences() {
    let mut sentences = String::new();
    for (fen, played, code) in CASES {
        let illegal = illegal(fen, played);
        assert_eq!(illegal.code(), code, "{fen} {played}");
        let _ = writeln!(sentences, "{played} {code}: {illegal}. {}。", illegal.reason_zh());
    }
    expect![[r#"
        e4e5 no-piece: there is no piece on e4. e4 没有棋子。
        h7e7 not-your-piece: the black cannon on h7 is not yours to move: Red is to move. h7 是黑方的炮，现在轮到红方走。
        a0a3 own-piece: your own pawn stands on a3. a3 有自己的兵，不能走到那里。
        a0a0 wrong-shape: the move begins and ends on a0. 起点和终点都是 a0，棋子没有走动。
        a0b1 wrong-shape: the rook moves along a line, it cannot go from a0 to b1. 车只能沿横线或竖线走，不能从 a0 走到 b1。
        b0b1 wrong-shape: the horse moves one step along a line and then one along a diagonal, it cannot go from b0 to b1. 马走“日”字，不能从 b0 走到 b1。
        e0e2 wrong-shape: the king moves one step along a line, it cannot go from e0 to e2. 帅每次沿横线或竖线走一步，不能从 e0 走到 e2。
        d0d1 wrong-shape: the advisor moves one step along a diagonal, it cannot go from d0 to d1. 仕每次沿斜线走一步，不能从 d0 走到 d1。
        c0c2 wrong-shape: the elephant moves exactly two steps along a diagonal, it cannot go from c0 to c2. 相走“田”字，不能从 c0 走到 c2。
        e3d4 wrong-shape: the pawn moves one step, and never along a diagonal, it cannot go from e3 to d4. 兵每次只走一步，不能斜走，不能从 e3 走到 d4。
        e3e5 wrong-shape: the pawn moves one step, and never along a diagonal, it cannot go from e3 to e5. 兵每次只走一步，不能斜走，不能从 e3 走到 e5。
        h2g3 own-piece: your own pawn stands on g3. g3 有自己的兵，不能走到那里。
        a0a4 blocked-path: the red pawn on a3 is in the way of the rook. a3 的红兵挡住了车的去路。
        h2h8 blocked-path: the black cannon on h7 is in the way of the cannon. h7 的黑炮挡住了炮的去路。
        h2h7 cannon-screen-missing: the cannon needs one piece as a screen to capture the black cannon on h7, and there is none. 炮要隔一个棋子（炮架）才能吃子，与 h7 的黑炮之间没有炮架。
        e3e2 pawn-backward: the pawn does not go back. 兵不能后退。
        e3d3 pawn-sideways-before-river: the pawn has not crossed the river and does not go sideways. 兵未过河，不能横走。
        e5e4 pawn-backward: the pawn does not go back. 兵不能后退。
        e2e9 cannon-screen-too-many: the cannon captures over one piece, but 2 stand before the black rook on e9: the black pawn on e6 and the red pawn on e5. 炮只能隔一个棋子（炮架）吃子，与 e9 的黑车之间有 2 个：e6 的黑卒、e5 的红兵。
        b0d1 horse-leg: the red elephant on c0 blocks the horse's leg. 蹩马腿：c0 的红相挡住了马。
        c0e2 elephant-eye: the red horse on d1 blocks the elephant's eye. 塞象眼：d1 的红马挡住了相。
        c9e7 elephant-eye: the black horse on d8 blocks the elephant's eye. 塞象眼：d8 的黑马挡住了象。
        c4e6 elephant-river: the elephant does not cross the river. 相不能过河。
        f0g0 out-of-palace: the king does not leave the palace. 帅不能出九宫。
        d7c6 out-of-palace: the advisor does not leave the palace. 士不能出九宫。
        e0d0 kings-face: the kings would face each other with nothing between them. 这样走后将帅照面，中间没有棋子。
        e2c4 kings-face: the kings would face each other with nothing between them. 这样走后将帅照面，中间没有棋子。
        e2c4 leaves-king-in-check: Red would be in check by the black rook on e6. 送将：这样走后 e6 的黑车能吃帅。
        e0f0 leaves-king-in-check: Red would be in check by the black rook on f8. 送将：这样走后 f8 的黑车能吃帅。
        e0e1 leaves-king-in-check: Red is in check and would still be, by the black rook on e6. 红方正被将军，这样走没有解将：e6 的黑车仍能吃帅。
        a3a4 leaves-king-in-check: Red is in check and would still be, by the black horse on d2 and the black rook on e1. 红方正被将军，这样走没有解将：d2 的黑马、e1 的黑车仍能吃帅。
    "#]].assert_eq(&sentences);
}

#[test]
fn every_code_has_a_text_and_a_case() {
    for (code, zh, en) in REJECT_TEXTS {
        assert!(!zh.is_empty() && !en.is_empty());
        let named = CASES.iter().any(|(_, _, case)| *case == code);
        assert!(named || code == "off-board", "{code}");
    }
}

#[test]
fn indices_from_outside() {
    assert_eq!(from_indices(70, 67), Ok(played("h2e2")));
    for (from, to, named) in [(-1, 0, -1), (0, 90, 90), (90, -1, 90), (i64::MIN, i64::MAX, i64::MIN)] {
        assert_eq!(from_indices(from, to), Err(Illegal::OffBoard(named)));
    }
    assert_eq!(Illegal::OffBoard(90).code(), "off-board");
    assert_eq!(Illegal::OffBoard(90).to_string(), "90 is not on the board, its points are 0 to 89");
    assert_eq!(Illegal::OffBoard(90).reason_zh(), "90 不在棋盘上，点的编号是 0 到 89");
}

#[test]
fn a_move_is_played_or_refused() {
    let start = Position::start();
    assert_eq!(start.play(played("h2e2")), Ok(start.after(played("h2e2"))));
    assert_eq!(start.play(played("h2e9")).map_err(|illegal| illegal.code()), Err("wrong-shape"));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]

    /// Along random games, over all pairs of points: no reason exactly for the legal moves.
    #[test]
    fn no_reason_means_legal(choices in proptest::collection::vec(0usize..1000, 0..160)) {
        let mut position = Position::start();
        for choice in choices {
            let moves = position.legal_moves();
            let Some(&chosen) = moves.get(choice % moves.len().max(1)) else { break };
            position = position.after(chosen);
        }
        let (mut found, mut named) = (Vec::new(), 0);
        for played in Square::all().flat_map(|from| Square::all().map(move |to| Move::new(from, to))) {
            match explain(&position, played) {
                None => found.push(played),
                Some(illegal) => {
                    named += 1;
                    proptest::prop_assert!(REJECT_TEXTS.iter().any(|(code, ..)| *code == illegal.code()));
                    proptest::prop_assert!(!illegal.to_string().is_empty() && !illegal.reason_zh().is_empty());
                }
            }
        }
        proptest::prop_assert_eq!(found.len() + named, 8100);
        proptest::prop_assert_eq!(found, position.legal_moves());
    }
}
