use super::*;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::Piece;
use crate::xiangqi::setup::Setup;
use crate::xiangqi::square::Square;
use expect_test::{Expect, expect};

/// The same game with the colours changed: the board turned and every piece given to the other side.
fn swapped(position: &Position) -> Position {
    let mut setup = Setup { turn: position.turn().opposite(), ..position.setup().clone() };
    for square in Square::all() {
        let other = position.piece_at(square).map(|piece| Piece::new(piece.side.opposite(), piece.kind));
        setup.board[square.turned().index()] = other;
    }
    Position::new(setup).unwrap()
}

fn show(fen: &str, expected: &Expect) {
    let evaluation = evaluate(&Position::from_fen(fen).unwrap());
    let mut text = String::new();
    for item in &evaluation.breakdown {
        let _ = writeln!(text, "{} {} {}: {}", item.id, signed(item.score), item.name_zh, item.detail_zh);
        let _ = writeln!(text, "  {}: {}", item.name, item.detail);
    }
    let _ = writeln!(text, "{}\n{}", evaluation.summary_zh, evaluation.summary);
    let _ = writeln!(text, "{}; {}", evaluation.material_zh, evaluation.material);
    expected.assert_eq(&text);
}

#[test]
fn the_start_is_even() {
    show(
        crate::xiangqi::START_FEN,
        &expect![[r#"
            material 0 子力: 红方 +4800（车×2 +1800，炮×2 +900，马×2 +800，仕×2 +400，相×2 +400，兵×5 +500）；黑方 +4800（车×2 +1800，炮×2 +900，马×2 +800，士×2 +400，象×2 +400，卒×5 +500）
              material: Red +4800 (2 rooks +1800, 2 cannons +900, 2 horses +800, 2 advisors +400, 2 elephants +400, 5 pawns +500); Black +4800 (2 rooks +1800, 2 cannons +900, 2 horses +800, 2 advisors +400, 2 elephants +400, 5 pawns +500)
            placement 0 子力位置: 红方 -60（a0 车未出 -15，b0 马未跳出 -15，h0 马未跳出 -15，i0 车未出 -15）；黑方 -60（a9 车未出 -15，b9 马未跳出 -15，h9 马未跳出 -15，i9 车未出 -15）
              placement: Red -60 (rook on a0 not yet out -15, horse on b0 not yet out -15, horse on h0 not yet out -15, rook on i0 not yet out -15); Black -60 (rook on a9 not yet out -15, horse on b9 not yet out -15, horse on h9 not yet out -15, rook on i9 not yet out -15)
            mobility 0 机动性: 红方 +88（车可走 4 处 +16，炮可走 24 处 +48，马可走 4 处 +24）；黑方 +88（车可走 4 处 +16，炮可走 24 处 +48，马可走 4 处 +24）
              mobility: Red +88 (2 rooks with 4 moves +16, 2 cannons with 24 moves +48, 2 horses with 4 moves +24); Black +88 (2 rooks with 4 moves +16, 2 cannons with 24 moves +48, 2 horses with 4 moves +24)
            king-safety 0 将帅安全: 红方 0；黑方 0
              king safety: Red 0; Black 0
            threats 0 受攻的子: 红方 0；黑方 0
              pieces under attack: Red 0; Black 0
            pawns 0 过河兵卒: 红方 0；黑方 0
              pawns beyond the river: Red 0; Black 0
            轮到红方走，双方大致均势（0）；这是教学用的粗略估计，不是引擎的定论。
            Red to move: about even (0); a rough guide for learners, not an engine's verdict.
            双方子力相等; material is even
        "#]],
    );
}

#[test]
fn a_middle_game() {
    show(
        "r1bakab1r/9/1cn3n1c/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 5",
        &expect![[r#"
            material 0 子力: 红方 +4800（车×2 +1800，炮×2 +900，马×2 +800，仕×2 +400，相×2 +400，兵×5 +500）；黑方 +4800（车×2 +1800，炮×2 +900，马×2 +800，士×2 +400，象×2 +400，卒×5 +500）
              material: Red +4800 (2 rooks +1800, 2 cannons +900, 2 horses +800, 2 advisors +400, 2 elephants +400, 5 pawns +500); Black +4800 (2 rooks +1800, 2 cannons +900, 2 horses +800, 2 advisors +400, 2 elephants +400, 5 pawns +500)
            placement +20 子力位置: 红方 -10（e2 炮占中路 +20，a0 车未出 -15，b0 马未跳出 -15）；黑方 -30（a9 车未出 -15，i9 车未出 -15）
              placement: Red -10 (cannon on e2 on the middle file +20, rook on a0 not yet out -15, horse on b0 not yet out -15); Black -30 (rook on a9 not yet out -15, rook on i9 not yet out -15)
            mobility +14 机动性: 红方 +98（车可走 12 处 +48，炮可走 13 处 +26，马可走 4 处 +24）；黑方 +84（车可走 5 处 +20，炮可走 11 处 +22，马可走 7 处 +42）
              mobility: Red +98 (2 rooks with 12 moves +48, 2 cannons with 13 moves +26, 2 horses with 4 moves +24); Black +84 (2 rooks with 5 moves +20, 2 cannons with 11 moves +22, 2 horses with 7 moves +42)
            king-safety 0 将帅安全: 红方 0；黑方 0
              king safety: Red 0; Black 0
            threats 0 受攻的子: 红方 0；黑方 0
              pieces under attack: Red 0; Black 0
            pawns 0 过河兵卒: 红方 0；黑方 0
              pawns beyond the river: Red 0; Black 0
            轮到红方走，双方大致均势（+34）；这是教学用的粗略估计，不是引擎的定论。
            Red to move: about even (+34); a rough guide for learners, not an engine's verdict.
            双方子力相等; material is even
        "#]],
    );
}

#[test]
fn a_bare_king() {
    show(
        "4k4/2N1P4/3PP4/9/9/9/9/4C4/9/3K1R3 b",
        &expect![[r#"
            material -2050 子力: 红方 +2050（车×1 +900，炮×1 +450，马×1 +400，兵×3 +300）；黑方 0
              material: Red +2050 (1 rook +900, 1 cannon +450, 1 horse +400, 3 pawns +300); Black 0
            placement -55 子力位置: 红方 +55（c8 马卧槽 +35，e2 炮占中路 +20）；黑方 0
              placement: Red +55 (horse on c8 in the trough by the palace +35, cannon on e2 on the middle file +20); Black 0
            mobility -110 机动性: 红方 +110（车可走 13 处 +52，炮可走 14 处 +28，马可走 5 处 +30）；黑方 0
              mobility: Red +110 (1 rook with 13 moves +52, 1 cannon with 14 moves +28, 1 horse with 5 moves +30); Black 0
            king-safety -100 将帅安全: 红方 -50（缺两仕 -30，缺两相 -20）；黑方 -150（缺两士，对方有车 -70，缺两象，对方有炮 -50，正被将军 -30）
              king safety: Red -50 (2 advisors missing -30, 2 elephants missing -20); Black -150 (2 advisors missing against rooks -70, 2 elephants missing against cannons -50, in check -30)
            threats 0 受攻的子: 红方 0；黑方 0
              pieces under attack: Red 0; Black 0
            pawns -350 过河兵卒: 红方 +350（e8 兵逼近九宫 +110，d7 兵逼近九宫 +110，e7 兵逼近九宫 +110，d7 牵手兵 +20）；黑方 0
              pawns beyond the river: Red +350 (pawn on e8 close to the palace +110, pawn on d7 close to the palace +110, pawn on e7 close to the palace +110, pawns side by side from d7 +20); Black 0
            轮到黑方走，红方大占优势（-2665），主要在于子力和过河兵卒；这是教学用的粗略估计，不是引擎的定论。
            Black to move: Red is much better (-2665), above all by material and pawns beyond the river; a rough guide for learners, not an engine's verdict.
            红方多一车一炮一马三兵; Red is up 1 rook, 1 cannon, 1 horse and 3 pawns
        "#]],
    );
}

#[test]
fn an_attack() {
    show(
        "3akab2/9/4b4/R8/4C4/2n6/8P/4B2c1/4A4/2rNKA1R1 b",
        &expect![[r#"
            material -800 子力: 红方 +3350（车×2 +1800，炮×1 +450，马×1 +400，仕×2 +400，相×1 +200，兵×1 +100）；黑方 +2550（车×1 +900，炮×1 +450，马×1 +400，士×2 +400，象×2 +400）
              material: Red +3350 (2 rooks +1800, 1 cannon +450, 1 horse +400, 2 advisors +400, 1 elephant +200, 1 pawn +100); Black +2550 (1 rook +900, 1 cannon +450, 1 horse +400, 2 advisors +400, 2 elephants +400)
            placement +15 子力位置: 红方 +25（a6 车过河 +15，e5 炮占中路 +20，e2 相居中 +5，d0 马未跳出 -15）；黑方 +40（e7 象居中 +5，c4 马过河 +20，c0 车过河 +15）
              placement: Red +25 (rook on a6 beyond the river +15, cannon on e5 on the middle file +20, elephant on e2 in the middle +5, horse on d0 not yet out -15); Black +40 (elephant on e7 in the middle +5, horse on c4 beyond the river +20, rook on c0 beyond the river +15)
            mobility -20 机动性: 红方 +114（车可走 21 处 +84，炮可走 12 处 +24，马可走 1 处 +6）；黑方 +94（车可走 6 处 +24，炮可走 11 处 +22，马可走 8 处 +48）
              mobility: Red +114 (2 rooks with 21 moves +84, 1 cannon with 12 moves +24, 1 horse with 1 move +6); Black +94 (1 rook with 6 moves +24, 1 cannon with 11 moves +22, 1 horse with 8 moves +48)
            king-safety -5 将帅安全: 红方 -25（缺一相，对方有炮 -25）；黑方 -30（正被将军 -30）
              king safety: Red -25 (1 elephant missing against cannons -25); Black -30 (in check -30)
            threats -85 受攻的子: 红方 -225（e5 的红炮被 c4 的黑马捉，没有保护 -225）；黑方 -310（c0 的黑车被 e2 的红相捉，没有保护 -225，h2 的黑炮被 h0 的红车捉，没有保护 -45，c4 的黑马被 e2 的红相捉，没有保护 -40）
              pieces under attack: Red -225 (red cannon on e5, unprotected, attacked by the black horse on c4 -225); Black -310 (black rook on c0, unprotected, attacked by the red elephant on e2 -225, black cannon on h2, unprotected, attacked by the red rook on h0 -45, black horse on c4, unprotected, attacked by the red elephant on e2 -40)
            pawns 0 过河兵卒: 红方 0；黑方 0
              pawns beyond the river: Red 0; Black 0
            轮到黑方走，红方大占优势（-895），主要在于子力和受攻的子；这是教学用的粗略估计，不是引擎的定论。
            Black to move: Red is much better (-895), above all by material and pieces under attack; a rough guide for learners, not an engine's verdict.
            红方多一车一兵，黑方多一象; Red is up 1 rook and 1 pawn, Black is up 1 elephant
        "#]],
    );
}

#[test]
fn the_game_is_over() {
    show(
        "3k5/9/9/9/9/9/9/9/3r5/3K1r3 w",
        &expect![[r#"
            material -1800 子力: 红方 0；黑方 +1800（车×2 +1800）
              material: Red 0; Black +1800 (2 rooks +1800)
            placement -30 子力位置: 红方 0；黑方 +30（d1 车过河 +15，f0 车过河 +15）
              placement: Red 0; Black +30 (rook on d1 beyond the river +15, rook on f0 beyond the river +15)
            mobility -120 机动性: 红方 0；黑方 +120（车可走 30 处 +120）
              mobility: Red 0; Black +120 (2 rooks with 30 moves +120)
            king-safety -110 将帅安全: 红方 -160（缺两仕，对方有车 -110，缺两相 -20，正被将军 -30）；黑方 -50（缺两士 -30，缺两象 -20）
              king safety: Red -160 (2 advisors missing against rooks -110, 2 elephants missing -20, in check -30); Black -50 (2 advisors missing -30, 2 elephants missing -20)
            threats 0 受攻的子: 红方 0；黑方 0
              pieces under attack: Red 0; Black 0
            pawns 0 过河兵卒: 红方 0；黑方 0
              pawns beyond the river: Red 0; Black 0
            no-move -30000 无着可走: 红方被将死
              no legal move: Red is checkmated
            轮到红方走，已无着可走，红方负；这是教学用的粗略估计，不是引擎的定论。
            Red to move: Red has no legal move and has lost; a rough guide for learners, not an engine's verdict.
            黑方多两车; Black is up 2 rooks
        "#]],
    );
}

/// A rook attacked by a pawn is lost although it is protected; a pinned protector protects nothing.
#[test]
fn threats_count_only_what_the_rules_allow() {
    let attacked = |fen: &str, side| {
        threats(Position::from_fen(fen).unwrap().board(), side)
            .into_iter()
            .map(|threat| (threat.target.square.to_string(), threat.protected, threat.gain))
            .collect::<Vec<_>>()
    };
    assert_eq!(attacked("3k5/9/9/4p4/4R4/9/9/9/9/4RK3 b", Side::Red), [("e5".to_owned(), true, 900 - 100)]);
    // Once the rook has left the file the horse stands between the kings and cannot take back.
    assert_eq!(attacked("4k4/9/9/2r6/9/9/2P6/4N4/9/4K4 b", Side::Red), [("c3".to_owned(), false, 100)]);
    assert_eq!(attacked("5k3/9/9/2r6/9/9/2P6/4N4/9/4K4 b", Side::Red), []);
    // A king takes only what nobody protects.
    assert_eq!(attacked("3k5/3R5/9/9/9/9/9/9/9/3RK4 b", Side::Red), []);
    assert_eq!(attacked("3k5/3R5/9/9/9/9/9/9/9/4KR3 b", Side::Red), [("d8".to_owned(), false, 900)]);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]

    /// Along random games: the score is the sum of its items and the colours are treated alike.
    #[test]
    fn sums_and_symmetry(choices in proptest::collection::vec(0usize..1000, 0..200)) {
        let mut position = Position::start();
        for choice in choices {
            let moves: Vec<Move> = position.legal_moves();
            let Some(&chosen) = moves.get(choice % moves.len().max(1)) else { break };
            position = position.after(chosen);
        }
        let evaluation = evaluate(&position);
        proptest::prop_assert_eq!(evaluation.score, evaluation.breakdown.iter().map(|item| item.score).sum::<i32>());
        let other = evaluate(&swapped(&position));
        proptest::prop_assert_eq!(evaluation.score, other.score);
        for (item, other) in evaluation.breakdown.iter().zip(&other.breakdown) {
            proptest::prop_assert_eq!((item.id, item.score), (other.id, other.score));
        }
    }
}
