//! What is found, and what is not.

use expect_test::{Expect, expect};

use super::super::apply_edits;
use super::*;

fn shown(text: &str, expected: Expect) {
    let mut shown = String::new();
    for finding in check(&Record::parse(text)) {
        let place = finding.span.slice(text);
        shown.push_str(&format!("{} {place}: {}\n", finding.code, finding.message.en));
        if let Some(fix) = finding.fix {
            let sure = if fix.safe { "" } else { " ?" };
            shown.push_str(&format!("    {}{sure}\n", apply_edits(text, &fix.edits)));
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn clean_records() {
    for text in [
        "(;FF[4]GM[1]SZ[19:13]KM[6.5]AP[kifud:1]DD[]TB[]AB[aa:bb]LB[aa:x]AR[aa:bb];B[]C[a:b];W[tt]KO[])",
        "(;FF[1]GM[1]SiZe[19];Black[aa];White[])",
        "(;GM[1]SZ[19]\nCoPyright[x];B[pd])",
    ] {
        assert_eq!(check(&Record::parse(text)), [], "{text}");
    }
}

/// White's last move brings the first position back, and Black is to move there again.
#[test]
fn the_first_position_counts_with_its_side_to_move() {
    let text = "(;GM[1]SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb]PL[B]RU[NZ];B[cb];W[];B[];W[bb])";
    for rules in ["NZ", "AGA", "Chinese"] {
        let found = check(&Record::parse(text.replace("NZ", rules)));
        assert!(found.iter().any(|finding| finding.code == Code::Superko), "{rules}: {found:?}");
    }
}

#[test]
fn names() {
    shown(
        "(;FF[4]CoPyright[x]AB[dd]AB[pp]C[x]AB[aa];;b[cc])",
        expect![[r#"
            old-spelling CoPyright: FF[4] writes names in capitals: CP
                (;FF[4]CP[x]AB[dd]AB[pp]C[x]AB[aa];;b[cc])
            duplicate-property AB: AB a second time in this node; all its values are read as one list
                (;FF[4]CoPyright[x]AB[dd][pp]C[x]AB[aa];;b[cc])
            duplicate-property AB: AB a second time in this node; all its values are read as one list
            empty-node ;: a node without properties
            lower-case-name b: names are capital letters: B
                (;FF[4]CoPyright[x]AB[dd]AB[pp]C[x]AB[aa];;B[cc])
        "#]],
    );
    shown(
        "(;SZ[19]HA[2]AB[dd]AB[pp];W[pd])",
        expect![[r#"
        duplicate-property AB: AB a second time in this node; all its values are read as one list
            (;SZ[19]HA[2]AB[dd][pp];W[pd])
    "#]],
    );
}

#[test]
fn values() {
    shown(
        "(;SZ[0]HA[x]AW[zz][a][aa:zz]PL[x]LB[aa]AR[aa:zz];B[aa][bb]AB[cc]BL[1,5])",
        expect![[r#"
            bad-size [0]: SZ: "0" is not a board size; sizes are 1 to 52, or columns:rows
            bad-number [x]: HA: "x" is not a whole number
            off-board [zz]: AW: "zz" lies off the 19x19 board
            bad-point [a]: AW: "a" is not a point; a point is two letters, column and row
            off-board [aa:zz]: AW: "zz" lies off the 19x19 board
            bad-color [x]: PL: "x" is neither B nor W
            missing-colon [aa]: LB: "aa" has no `:` between its two parts
            off-board [aa:zz]: AR: "zz" lies off the 19x19 board
            too-many-values [bb]: B has one point; further ones are ignored
            setup-and-move AB: set-up and a move in one node; the set-up is done first
            bad-number [1,5]: BL: "1,5" has a decimal comma; SGF writes a point: "1.5"
                (;SZ[0]HA[x]AW[zz][a][aa:zz]PL[x]LB[aa]AR[aa:zz];B[aa][bb]AB[cc]BL[1.5])
        "#]],
    );
    shown(
        "(;SZ[18];B[ss];W[tt])",
        expect![[r#"
            off-board [ss]: B: "ss" lies off the 18x18 board; was it a pass?
                (;SZ[18];B[];W[tt]) ?
        "#]],
    );
}

#[test]
fn one_cause_is_one_finding() {
    let cases: &[(&str, &[&str])] = &[
        // A `]` was forgotten.
        ("(;SZ[9];B[aa]C[hello\n;W[bb];B[cc];W[dd])", &["unclosed-value"]),
        ("(;SZ[9];B[aa];W[bb]C[one\r\ntwo\r\n;B[];W[dd])", &["unclosed-value"]),
        ("(;SZ[9];B[aa ;W[bb];B[cc])", &["unclosed-value"]),
        ("(;SZ[9];B[aa\n;W[bb];B[cc];W[dd])", &["unclosed-value"]),
        // A game that a comment quotes.
        ("(;SZ[9];B[aa]C[so:\n;W[bb\\];B[cc\\]];W[dd])", &[]),
        ("(;SZ[9];B[aa]C[so:\n;W[bb\\]];W[dd])", &[]),
        ("(;SZ[9];B[aa]C[see ;W[bb];W[dd])", &[]),
        ("(;SZ[9];B[aa]C[so:\n;W[bb] is best];W[dd])", &["unescaped-bracket"]),
        ("(;PB[\u{fffd}\u{fffd}\u{fffd}]PW[\u{fffd}])", &["lost-characters"]),
        ("(;PB[a\u{fffd}])", &["cut-character"]),
        ("(;SZ[9] xyz! ;B[aa])", &["stray-text"]),
        ("(;SZ[9] ! xyz ? ;B[aa])", &["stray-text"]),
        ("(;SZ[9];B[aa]AP[x])", &["root-property-elsewhere"]),
        ("(;SZ[9]FF[4];B[aa]AP[x])", &["root-property-elsewhere"]),
        ("(;SZ[9]AR[aa:aa][aa:bb]LN[cc:cc])", &["duplicate-point", "duplicate-point"]),
        ("(;SZ[9]HA[1];B[aa])", &["out-of-range"]),
        ("(;SZ[9]HA[0];B[aa])", &[]),
    ];
    for (text, codes) in cases {
        let found = check(&Record::parse(*text));
        let found: Vec<_> = found.iter().map(|finding| finding.code.name()).collect();
        assert_eq!(found, *codes, "{text:?}");
    }
    shown(
        "(;SZ[9];B[aa]C[hello\n;W[bb];B[cc ;W[dd])",
        expect![[r#"
            unclosed-value [: this `[` is not closed before the next node, which is read as part of the value
                (;SZ[9];B[aa]C[hello]
            ;W[bb];B[cc ;W[dd]) ?
            unclosed-value [: this `[` is not closed before the next node, which is read as part of the value
                (;SZ[9];B[aa]C[hello
            ;W[bb];B[cc] ;W[dd]) ?
        "#]],
    );
}

#[test]
fn komi() {
    shown(
        "(;KM[375]AP[foxwq])(;KM[375])(;KM[])(;KM[6,5])(;KO[7.5])(;KM[x])",
        expect![[r#"
            fox-komi [375]: the Fox server counts so: a komi of 7.5
                (;KM[7.5]AP[foxwq])(;KM[375])(;KM[])(;KM[6,5])(;KO[7.5])(;KM[x]) ?
            odd-komi [375]: a komi of 375 points is hardly meant
            empty-value []: KM: the value is empty; the komi is unknown
                (;KM[375]AP[foxwq])(;KM[375])(;)(;KM[6,5])(;KO[7.5])(;KM[x])
            bad-number [6,5]: KM: "6,5" has a decimal comma; SGF writes a point: "6.5"
                (;KM[375]AP[foxwq])(;KM[375])(;KM[])(;KM[6.5])(;KO[7.5])(;KM[x])
            komi-in-ko KO: the komi belongs into KM, not KO
                (;KM[375]AP[foxwq])(;KM[375])(;KM[])(;KM[6,5])(;KM[7.5])(;KM[x])
            bad-number [x]: KM: "x" is not a number
        "#]],
    );
}

#[test]
fn other_games_are_left_alone() {
    shown(
        "(;GM[11]FF[4];B[a1-b2];W[whatever:x])",
        expect![[r#"
            other-game GM[11]: GM[11] is not Go: only the structure is checked
        "#]],
    );
}

#[test]
fn no_text_takes_more_than_its_length() {
    // Work that grows with the square of the length would take minutes here.
    let pieces =
        ["AB[aa]", "XX[1]", "KM[]", ";B[aa]", "[zz]", "AB[aa:ss]AW[aa:ss]", ";TR[aa:ss]", "C[x]D[y]"];
    for piece in pieces {
        let text = format!("(;SZ[19]{})", piece.repeat(100_000));
        assert!(check(&Record::parse(text)).len() <= MAX_FINDINGS + 1);
    }
    let far = format!("(;B[aa]{}{})", ";C[x]".repeat(900), ";W[];B[aa]".repeat(50_000));
    assert!(check(&Record::parse(far)).len() <= MAX_FINDINGS + 1);
    let ko = format!("(;SZ[2:1]RU[Chinese]{})", ";B[aa];W[ba]".repeat(50_000));
    let found = check(&Record::parse(ko));
    assert_eq!(found.last().unwrap().code, Code::MoreFindings);
}
