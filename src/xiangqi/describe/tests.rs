use super::*;
use crate::locale::Locale;
use crate::xiangqi::square::Square;
use expect_test::{Expect, expect};

fn played(text: &str) -> Move {
    Move::new(Square::from_iccs(&text[..2]).unwrap(), Square::from_iccs(&text[2..]).unwrap())
}

fn show(fen: &str, options: DescribeOptions<'_>, expected: &Expect) {
    expected.assert_eq(&describe(&Position::from_fen(fen).unwrap(), &options));
}

#[test]
fn the_start() {
    show(
        crate::xiangqi::START_FEN,
        DescribeOptions::default(),
        &expect![[r#"
        中国象棋，第 1 回合，轮到红方走，距上次吃子 0 步
           1  2  3  4  5  6  7  8  9
        9  r  n  b  a  k  a  b  n  r
        8  .  .  .  +  +  +  .  .  .
        7  .  c  .  +  +  +  .  c  .
        6  p  .  p  .  p  .  p  .  p
        5  .  .  .  .  .  .  .  .  .
           ~~~~~~~ 楚河 汉界 ~~~~~~~
        4  .  .  .  .  .  .  .  .  .
        3  P  .  P  .  P  .  P  .  P
        2  .  C  .  +  +  +  .  C  .
        1  .  .  .  +  +  +  .  .  .
        0  R  N  B  A  K  A  B  N  R
           九 八 七 六 五 四 三 二 一
           a  b  c  d  e  f  g  h  i
        大写是红方，小写是黑方：K 帅 k 将，A 仕 a 士，B 相 b 象，N n 马，R r 车，C c 炮，P 兵 p 卒；. 是空点，+ 是九宫里的空点
        上边 1 到 9 是黑方的路数，下边九到一是红方的路数，都从各自的右手边数起；ICCS 坐标是下边的字母加左边的数字
        FEN：rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1
        上一手：无
        状态：对局进行中，轮到红方走（playing）
        合法着法共 44 种：
          吃子 2 种：b2b9 炮八进七 吃马；h2h9 炮二进七 吃马
          其它 42 种：a3a4 兵九进一；c3c4 兵七进一；e3e4 兵五进一；g3g4 兵三进一；i3i4 兵一进一；b2b6 炮八进四；b2b5 炮八进三；b2b4 炮八进二；b2b3 炮八进一；b2a2 炮八平九；b2c2 炮八平七；b2d2 炮八平六；b2e2 炮八平五；b2f2 炮八平四；b2g2 炮八平三；b2b1 炮八退一；h2h6 炮二进四；h2h5 炮二进三；h2h4 炮二进二；h2h3 炮二进一；h2c2 炮二平七；h2d2 炮二平六；h2e2 炮二平五；h2f2 炮二平四；h2g2 炮二平三；h2i2 炮二平一；h2h1 炮二退一；a0a2 车九进二；a0a1 车九进一；b0a2 马八进九；b0c2 马八进七；c0a2 相七进九；c0e2 相七进五；d0e1 仕六进五；e0e1 帅五进一；f0e1 仕四进五；g0e2 相三进五；g0i2 相三进一；h0g2 马二进三；h0i2 马二进一；i0i2 车一进二；i0i1 车一进一
    "#]],
    );
}

#[test]
fn english_after_moves() {
    let moves = ["h2e2", "h9g7", "e2e6", "b9c7"].map(played).to_vec();
    let history = History::new(Position::start(), moves).unwrap();
    let options = DescribeOptions {
        include_eval: true,
        max_moves: 5,
        history: Some(&history),
        language: Locale::English,
        ..DescribeOptions::default()
    };
    expect![[r#"
        Xiangqi, move 3, Red to move, 1 ply since the last capture
           1  2  3  4  5  6  7  8  9
        9  r  .  b  a  k  a  b  .  r
        8  .  .  .  +  +  +  .  .  .
        7  .  c  n  +  +  +  n  c  .
        6  p  .  p  .  C  .  p  .  p
        5  .  .  .  .  .  .  .  .  .
           ~~~~~~~ 楚河 汉界 ~~~~~~~
        4  .  .  .  .  .  .  .  .  .
        3  P  .  P  .  P  .  P  .  P
        2  .  C  .  +  +  +  .  .  .
        1  .  .  .  +  +  +  .  .  .
        0  R  N  B  A  K  A  B  N  R
           九 八 七 六 五 四 三 二 一
           a  b  c  d  e  f  g  h  i
        capitals are Red, small letters Black: K king, A advisor, B elephant, N horse, R rook, C cannon, P pawn; . is an empty point, + one in a palace
        files 1 to 9 above are Black's, 九 (9) to 一 (1) below Red's, each counted from its own right; ICCS is the letter below and the digit at the left
        FEN: r1bakab1r/9/1cn3nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR w - - 1 3
        Last move: Black, b9c7 (马2进3)
        Status: the game goes on, Red is to move (playing)
        Evaluation: Red to move: about even (+46); a rough guide for learners, not an engine's verdict. In pieces, Red is up 1 pawn.
          material +100: Red +4800 (2 rooks +1800, 2 cannons +900, 2 horses +800, 2 advisors +400, 2 elephants +400, 5 pawns +500); Black +4700 (2 rooks +1800, 2 cannons +900, 2 horses +800, 2 advisors +400, 2 elephants +400, 4 pawns +400)
          placement -10: Red -40 (cannon on e6 on the middle file +20, rook on a0 not yet out -15, horse on b0 not yet out -15, horse on h0 not yet out -15, rook on i0 not yet out -15); Black -30 (rook on a9 not yet out -15, rook on i9 not yet out -15)
          mobility -12: Red +82 (2 rooks with 4 moves +16, 2 cannons with 21 moves +42, 2 horses with 4 moves +24); Black +94 (2 rooks with 6 moves +24, 2 cannons with 17 moves +34, 2 horses with 6 moves +36)
          king safety +80: Red 0; Black -80 (the red cannon on e6 looks at the king with nothing between -80)
          pieces under attack -112: Red -112 (red cannon on e6, unprotected, attacked by the black horse on c7 -112); Black 0
          pawns beyond the river 0: Red 0; Black 0
        Legal moves: 41, only the first 5 are listed, captures, checks, others:
          Captures (2): e6a6 炮五平九 takes pawn; e6i6 炮五平一 takes pawn
          Others (39): e6e8 炮五进二; e6e7 炮五进一; e6d6 炮五平六
    "#]].assert_eq(&describe(history.end(), &options));
}

#[test]
fn checked_and_short() {
    let options = DescribeOptions {
        ascii: false,
        include_eval: true,
        last_move: Some(played("a5e5")),
        ..DescribeOptions::default()
    };
    show(
        "4k4/9/9/4P4/4r4/9/9/9/3N5/4K4 w - - 3 40",
        options,
        &expect![[r#"
            中国象棋，第 40 回合，轮到红方走，距上次吃子 3 步
            FEN：4k4/9/9/4P4/4r4/9/9/9/3N5/4K4 w - - 3 40
            上一手：黑方 车1平5（a5e5）
            状态：红方正被 e5 的黑车将军（check）
            评估：轮到红方走，黑方占优势（-450），主要在于子力和将帅安全；这是教学用的粗略估计，不是引擎的定论。红方多一马一兵，黑方多一车。
              子力 -400：红方 +500（马×1 +400，兵×1 +100）；黑方 +900（车×1 +900）
              子力位置 0：红方 0；黑方 0
              机动性 -20：红方 +36（马可走 6 处 +36）；黑方 +56（车可走 14 处 +56）
              将帅安全 -70：红方 -120（缺两仕，对方有车 -70，缺两相 -20，正被将军 -30）；黑方 -50（缺两士 -30，缺两象 -20）
              受攻的子 -50：红方 -50（e6 的红兵被 e5 的黑车捉，没有保护 -50）；黑方 0
              过河兵卒 +90：红方 +90（e6 兵已过河 +90）；黑方 0
            合法着法共 3 种：
              其它 3 种：d1e3 马六进五；e0d0 帅五平六；e0f0 帅五平四
        "#]],
    );
}

#[test]
fn mated() {
    let options = DescribeOptions { ascii: false, ..DescribeOptions::default() };
    show(
        "3k5/9/9/9/9/9/9/9/3r5/3K1r3 w - - 0 60",
        options,
        &expect![[r#"
        中国象棋，第 60 回合，轮到红方走，距上次吃子 0 步
        FEN：3k5/9/9/9/9/9/9/9/3r5/3K1r3 w - - 0 60
        上一手：无
        状态：红方的帅被 d1 的黑车、f0 的黑车将死，黑方胜（checkmate）
        合法着法：无
    "#]],
    );
}

/// Captures come before checks, checks before the rest, however few are listed.
#[test]
fn capped() {
    let fen = "3k5/9/9/9/9/p8/9/9/9/R3K4 w";
    for (max_moves, expected) in [
        (
            0,
            expect![[r#"
                共 9 种，不列出
            "#]],
        ),
        (
            1,
            expect![[r#"
            共 9 种，按吃子、将军、其它的次序只列出前 1 种：
              吃子 1 种：a0a4 车九进四 吃卒
        "#]],
        ),
        (
            2,
            expect![[r#"
            共 9 种，按吃子、将军、其它的次序只列出前 2 种：
              吃子 1 种：a0a4 车九进四 吃卒
              将军 1 种：a0d0 车九平六
        "#]],
        ),
        (
            4,
            expect![[r#"
            共 9 种，按吃子、将军、其它的次序只列出前 4 种：
              吃子 1 种：a0a4 车九进四 吃卒
              将军 1 种：a0d0 车九平六
              其它 7 种：a0a3 车九进三；a0a2 车九进二
        "#]],
        ),
    ] {
        let options = DescribeOptions { ascii: false, max_moves, ..DescribeOptions::default() };
        let text = describe(&Position::from_fen(fen).unwrap(), &options);
        let moves = text.split_once("合法着法").unwrap().1;
        expected.assert_eq(moves);
    }
}

#[test]
fn last_moves() {
    let line = |fen: &str, text: &str| {
        let position = Position::from_fen(fen).unwrap();
        let options = DescribeOptions { last_move: Some(played(text)), ..DescribeOptions::default() };
        last_move(&position, &options, true)
    };
    let cases = [
        ("3k5/9/9/9/9/9/9/9/9/R3K4 b", "a5a0", "上一手：红方 车九退五（a5a0）"),
        // The front of two: the other one stands on the same file.
        ("3k5/9/9/9/R8/9/9/9/9/R3K4 b", "a6a5", "上一手：红方 前车退一（a6a5）"),
        // Something must have been captured: it kept the rook from the king.
        ("3kR4/9/9/9/9/9/9/9/9/4K4 b", "f9e9", "上一手：红方 车四平五（f9e9）"),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 b", "a0a5", "上一手：a0a5，与局面不符"),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 b", "b5a0", "上一手：b5a0，与局面不符"),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 w", "a5a0", "上一手：a5a0，与局面不符"),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 b", "a0a0", "上一手：a0a0，与局面不符"),
    ];
    for (fen, text, want) in cases {
        assert_eq!(line(fen, text), want, "{fen}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(32))]

    /// Along random games, with any last move and any cap: the parts come in their order.
    #[test]
    fn the_order_is_fixed(
        choices in proptest::collection::vec(0usize..1000, 0..120),
        last in 0u16..16_384,
        max_moves in 0usize..100,
    ) {
        let mut position = Position::start();
        for choice in choices {
            let moves = position.legal_moves();
            let Some(&chosen) = moves.get(choice % moves.len().max(1)) else { break };
            position = position.after(chosen);
        }
        let last_move = Move::from_code(last);
        for (language, heads) in [
            (Locale::Chinese, ["中国象棋", "大写是红方", "FEN", "上一手", "状态", "评估", "合法着法"]),
            (Locale::English, ["Xiangqi", "capitals", "FEN", "Last move", "Status", "Evaluation", "Legal moves"]),
        ] {
            let options = DescribeOptions {
                include_eval: true, last_move, max_moves, language, ..DescribeOptions::default()
            };
            let text = describe(&position, &options);
            let places: Vec<_> = heads
                .iter()
                .map(|head| text.lines().position(|line| line.starts_with(head)))
                .collect();
            proptest::prop_assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", text);
            proptest::prop_assert!(text.contains(&position.to_fen()));
        }
    }
}
