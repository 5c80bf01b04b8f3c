use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::sgf::apply_edits;

/// The first items at the `|`, each with the text after it was chosen.
fn check(marked: &str, expected: Expect) {
    let offset = marked.find('|').unwrap();
    let text = marked.replacen('|', "", 1);
    let record = Record::parse(text.as_str());
    let items = completion(&record, offset as u32, Locale::English);
    let mut shown = String::new();
    for item in items.iter().take(3) {
        let start = item.edit.span.start as usize;
        let mut after = apply_edits(&text, std::slice::from_ref(&item.edit));
        after.insert(start + item.caret, '|');
        shown.push_str(&format!("{} ({}): {after}\n", item.label, item.detail));
    }
    shown.push_str(&format!("{} in all\n", items.len()));
    expected.assert_eq(&shown);
}

fn labels(marked: &str, locale: Locale) -> Vec<String> {
    let offset = marked.find('|').unwrap();
    let record = Record::parse(marked.replacen('|', "", 1));
    completion(&record, offset as u32, locale).into_iter().map(|item| item.label).collect()
}

#[test]
fn moves_while_typing() {
    check(
        "(;SZ[2];B[|",
        expect![[r#"
        aa (A2): (;SZ[2];B[aa]|
        ba (B2): (;SZ[2];B[ba]|
        ab (A1): (;SZ[2];B[ab]|
        5 in all
    "#]],
    );
    check(
        "(;SZ[2];B[a|\n;W[bb])",
        expect![[r#"
        aa (A2): (;SZ[2];B[aa]|
        ;W[bb])
        ab (A1): (;SZ[2];B[ab]|
        ;W[bb])
        2 in all
    "#]],
    );
    check(
        "(;SZ[2];B[ab];W[|])",
        expect![[r#"
        aa (A2): (;SZ[2];B[ab];W[aa|])
        ba (B2): (;SZ[2];B[ab];W[ba|])
        bb (B1): (;SZ[2];B[ab];W[bb|])
        4 in all
    "#]],
    );
    check(
        "(;SZ[2];B[a|b])",
        expect![[r#"
        aa (A2): (;SZ[2];B[aa|])
        ab (A1): (;SZ[2];B[ab|])
        2 in all
    "#]],
    );
    check(
        "(;SZ[19];B[Q1|])",
        expect![[r#"
        pa (Q19): (;SZ[19];B[pa|])
        pb (Q18): (;SZ[19];B[pb|])
        pc (Q17): (;SZ[19];B[pc|])
        11 in all
    "#]],
    );
    check(
        "(;SZ[9]LZ[x 50 9\nmove E5 pv E5];B[|])",
        expect![[r#"
        ee (E5, engine's choice): (;SZ[9]LZ[x 50 9
        move E5 pv E5];B[ee|])
        aa (A9): (;SZ[9]LZ[x 50 9
        move E5 pv E5];B[aa|])
        ba (B9): (;SZ[9]LZ[x 50 9
        move E5 pv E5];B[ba|])
        82 in all
    "#]],
    );
}

#[test]
fn points_of_lists() {
    // Taken points and suicides are left out.
    assert_eq!(labels("(;SZ[2]AB[aa][|])", Locale::English), ["ba", "ab", "bb"]);
    assert_eq!(labels("(;SZ[2]AB[aa];AE[|])", Locale::English), ["aa"]);
    assert_eq!(labels("(;SZ[2]AB[aa][ab];W[|])", Locale::Chinese), ["ba", "bb", "停着"]);
    assert_eq!(labels("(;SZ[2]AW[ba][ab];B[|])", Locale::English), ["pass"]);
    check(
        "(;SZ[2];TR[aa][aa:|])",
        expect![[r#"
        ba (B2): (;SZ[2];TR[aa][aa:ba|])
        ab (A1): (;SZ[2];TR[aa][aa:ab|])
        bb (B1): (;SZ[2];TR[aa][aa:bb|])
        3 in all
    "#]],
    );
    check(
        "(;SZ[2];LB[aa:|])",
        expect![[r#"
        0 in all
    "#]],
    );
}

#[test]
fn names_fit_the_node() {
    check(
        "(;SZ[19]K|)",
        expect![[r#"
            KM (komi: points that White gets · a number of points · game info): (;SZ[19]KM[|])
            1 in all
        "#]],
    );
    check(
        "(;SZ[19]K|[6.5])",
        expect![[r#"
            KM (komi: points that White gets · a number of points · game info): (;SZ[19]KM|[6.5])
            1 in all
        "#]],
    );
    check(
        "(;SZ[19];|)",
        expect![[r#"
            B (Black's move · a point, or nothing for a pass · move): (;SZ[19];B[|])
            W (White's move · a point, or nothing for a pass · move): (;SZ[19];W[|])
            AR (arrows · point:point, one or more · any node): (;SZ[19];AR[|])
            32 in all
        "#]],
    );
    check(
        "(;SZ[19];B[aa]|)",
        expect![[r#"
            BL (Black's time left, in seconds · a number · move): (;SZ[19];B[aa]BL[|])
            BM (bad move · 1, or 2 for emphasis · move): (;SZ[19];B[aa]BM[|])
            DO (doubtful move · nothing between the brackets · move): (;SZ[19];B[aa]DO[]|)
            36 in all
        "#]],
    );
    check(
        "(;SZ[19];B[aa];W|",
        expect![[r#"
            W (White's move · a point, or nothing for a pass · move): (;SZ[19];B[aa];W[|]
            1 in all
        "#]],
    );
    for nothing in
        ["(;B[aa])|", "(;B[aa](;W[bb])|)", "mail |header (;B[aa])", "(|;B[aa])", "(;C[free |text])"]
    {
        assert_eq!(labels(nothing, Locale::English), [""; 0], "{nothing}");
    }
    assert!(!labels("(;AB[aa]|)", Locale::English).iter().any(|label| label == "B" || label == "AB"));
}

#[test]
fn words_of_values() {
    check(
        "(;RE[|])",
        expect![[r#"
        B+R (Black wins by resignation): (;RE[B+R|])
        W+R (White wins by resignation): (;RE[W+R|])
        B+T (Black wins on time): (;RE[B+T|])
        11 in all
    "#]],
    );
    check(
        "(;RE[B+|\n;B[aa])",
        expect![[r#"
        B+R (Black wins by resignation): (;RE[B+R]|
        ;B[aa])
        B+T (Black wins on time): (;RE[B+T]|
        ;B[aa])
        B+F (Black wins by forfeit): (;RE[B+F]|
        ;B[aa])
        4 in all
    "#]],
    );
    check(
        "(;RU[j|)",
        expect![[r#"
        Japanese (territory): (;RU[Japanese]|)
        1 in all
    "#]],
    );
    check(
        "(;CA[utf|8])",
        expect![[r#"
        UTF-8 (): (;CA[UTF-8|])
        1 in all
    "#]],
    );
    check(
        "(;PL[|])",
        expect![[r#"
        B (Black): (;PL[B|])
        W (White): (;PL[W|])
        2 in all
    "#]],
    );
    check(
        "|",
        expect![[r#"
        new game ((;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]PB[]PW[])): (;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]PB[|]PW[])
        1 in all
    "#]],
    );
}

proptest! {
    #[test]
    fn any_place_of_any_text(text in "([();\\[\\] :ABK棋\n]|\\(;|;B\\[aa\\]|C\\[|SZ\\[9\\]|;B\\[d|RE\\[){0,40}", at in 0u32..80) {
        let record = Record::parse(text.as_str());
        for item in completion(&record, at, Locale::Chinese) {
            let span = item.edit.span;
            prop_assert!(text.get(span.range()).is_some());
            prop_assert!(span.start <= at && at <= span.end);
            prop_assert!(item.edit.new_text.is_char_boundary(item.caret));
        }
    }
}
