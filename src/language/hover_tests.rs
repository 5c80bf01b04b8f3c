use expect_test::{Expect, expect};

use super::*;

/// Hovers at the `|` in the text.
fn check(marked: &str, locale: Locale, expected: Expect) {
    let offset = marked.find('|').unwrap();
    let text = marked.replacen('|', "", 1);
    let record = Record::parse(text.as_str());
    let shown = match hover(&record, offset as u32, locale) {
        Some(hover) => format!("{:?}\n{}\n", hover.span.slice(&text), hover.markdown),
        None => "-\n".to_owned(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn on_a_move() {
    check(
        "(;SZ[3]KM[0]AW[aa:ba]SBKV[60];B[ca]SBKV[40];W[];B[ab];W[cc]C[a *b*\n\n](c)];B[bb|]SBKV[90]SBKS[2]C[Fine, <b>bold\\]</b>\n\nsecond])",
        Locale::English,
        expect![[r#"
                "[bb]"
                **Move 5: Black B2**, takes 2 stones

                ```text
                   A B C
                 3 . . X 3
                 2 X(X). 2
                 1 . . O 1
                   A B C
                ```

                Captures: Black 2, White 0 · White to play

                Stored analysis (SBKV): Black 90 %, Black leads by 2 points

                > Fine, \<b\>bold\]\</b\>  
                > second
            "#]],
    );
    check(
        "(;SZ[3]SBKV[60]SBKS[1];W[b|b]SBKV[55]SBKS[3])",
        Locale::English,
        expect![[r#"
            "[bb]"
            **Move 1: White B2**

            ```text
               A B C
             3 . . . 3
             2 .(O). 2
             1 . . . 1
               A B C
            ```

            Captures: Black 0, White 0 · Black to play

            Stored analysis (SBKV): Black 55 %, Black leads by 3 points, costs 2 points
        "#]],
    );
    check(
        "(;SZ[3];B[ca];|W[bb]SBKV[55])",
        Locale::Chinese,
        expect![[r#"
            "W"
            **W** — 白方着法

            一个点，空值表示停着 · 着法

            **第 2 手：白方 B2**

            ```text
               A B C
             3 . . X 3
             2 .(O). 2
             1 . . . 1
               A B C
            ```

            提子：黑方 0，白方 0 · 轮到黑方

            已存分析 (SBKV): 黑方 55 %
        "#]],
    );
}

#[test]
fn on_points_and_marks() {
    check(
        "(;SZ[3]AB[aa];B[ca];W[bb]TR[c|a])",
        Locale::English,
        expect![[r#"
            "[ca]"
            **TR**: C3

            **Move 2: White B2**

            C3: black stone of move 1

            ```text
               A B C
             3 X . X 3
             2 .(O). 2
             1 . . . 1
               A B C
            ```

            Captures: Black 0, White 0 · Black to play
        "#]],
    );
}

#[test]
fn on_a_root() {
    check(
        "(|;SZ[3]KM[375]HA[2]RU[Chinese]AP[foxwq]AB[aa][cc];W[bb])",
        Locale::Chinese,
        expect![[r#"
        ";"
        **开局**

        ```text
           A B C
         3 X . . 3
         2 . . . 2
         1 . . X 1
           A B C
        ```

        提子：黑方 0，白方 0 · 轮到白方 (下一手是这一方) · 实际贴目 7.5（野狐服务器以百分之一目或子为单位） · 2 让子 (HA 写明) · 规则 Chinese
    "#]],
    );
}

#[test]
fn on_names_and_values() {
    check(
        "(;SZ[19]K|M[375]AP[foxwq])",
        Locale::English,
        expect![[r#"
            "KM"
            **KM** — komi: points that White gets

            a number of points · game info

            effective komi 7.5 (the Fox server writes hundredths, of points or of stones)
        "#]],
    );
    check(
        "(;SZ[19]KM[3|75]AP[foxwq])",
        Locale::English,
        expect![[r#"
            "[375]"
            **KM**: effective komi 7.5 (the Fox server writes hundredths, of points or of stones)
        "#]],
    );
    check(
        "(;SZ[19]RE[W+|R])",
        Locale::Chinese,
        expect![[r#"
            "[W+R]"
            **RE**: 白方中盘胜
        "#]],
    );
    check(
        "(;GM[2]B[a|1])",
        Locale::English,
        expect![[r#"
            -
        "#]],
    );
    check(
        "(;C[he|llo])",
        Locale::English,
        expect![[r#"
            -
        "#]],
    );
    check(
        "(;Z|Z[x])",
        Locale::English,
        expect![[r#"
            -
        "#]],
    );
    check(
        "head|er (;B[aa])",
        Locale::English,
        expect![[r#"
            -
        "#]],
    );
    check(
        "(;B[|",
        Locale::English,
        expect![[r#"
            "["
            **Move 1: Black pass**

            ```text
               A B C D E F G H J K L M N O P Q R S T
            19 . . . . . . . . . . . . . . . . . . . 19
            18 . . . . . . . . . . . . . . . . . . . 18
            17 . . . . . . . . . . . . . . . . . . . 17
            16 . . . + . . . . . + . . . . . + . . . 16
            15 . . . . . . . . . . . . . . . . . . . 15
            14 . . . . . . . . . . . . . . . . . . . 14
            13 . . . . . . . . . . . . . . . . . . . 13
            12 . . . . . . . . . . . . . . . . . . . 12
            11 . . . . . . . . . . . . . . . . . . . 11
            10 . . . + . . . . . + . . . . . + . . . 10
             9 . . . . . . . . . . . . . . . . . . . 9
             8 . . . . . . . . . . . . . . . . . . . 8
             7 . . . . . . . . . . . . . . . . . . . 7
             6 . . . . . . . . . . . . . . . . . . . 6
             5 . . . . . . . . . . . . . . . . . . . 5
             4 . . . + . . . . . + . . . . . + . . . 4
             3 . . . . . . . . . . . . . . . . . . . 3
             2 . . . . . . . . . . . . . . . . . . . 2
             1 . . . . . . . . . . . . . . . . . . . 1
               A B C D E F G H J K L M N O P Q R S T
            ```

            Captures: Black 0, White 0 · White to play (the other side moved last) · there is no KM: the komi is unknown
        "#]],
    );
}
