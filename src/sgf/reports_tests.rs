//! Reports of how other programs failed on records, by their numbers in our collection: the same
//! inputs, and what is expected of us.

use super::encoding::{Decoded, decode};
use super::{
    CheckOptions, Code, Finding, KomiSource, NodeId, Origin, Record, Severity, apply_edits, bulk_edits,
    check, check_with, effective, position, value,
};
use crate::go::Color;

/// Codes and places of all findings, hints included: `code:text`.
fn found(text: &str) -> Vec<String> {
    let findings = check(&Record::parse(text));
    findings.iter().map(|finding| format!("{}:{}", finding.code, finding.span.slice(text))).collect()
}

fn fixed(text: &str, code: Code) -> String {
    let findings = check(&Record::parse(text));
    let fix =
        findings.into_iter().find(|finding| finding.code == code).and_then(|finding| finding.fix).unwrap();
    apply_edits(text, &fix.edits)
}

fn is_clean(text: &str) -> bool {
    check(&Record::parse(text)).iter().all(|finding| finding.severity > Severity::Warning)
}

fn nodes(text: &str) -> usize {
    Record::parse(text).node_count()
}

#[test]
fn syntax_reports() {
    // (report, input, what is found)
    let cases: &[(&str, &str, &[&str])] = &[
        ("P01", r"(;C[\];B[aa];W[bb])", &[]),
        ("P01", r"(;C[\\\\];B[aa];W[bb])", &[]),
        ("P03", r"(;B[aa]C[someone [3d?\]: hi\: there];W[bb])", &["move-in-root:B[aa]"]),
        ("P04", "(;GM[1]SZ[19]US[Someone[3d]]KM[6.5];B[pd];W[dp])", &["unescaped-bracket:]"]),
        (
            "P06",
            "Date: 1 Jan 01:23:45 +0900 (JST)\n(;SiZe[19];Black[aa];White[ba];)",
            &["text-outside-game:Date: 1 Jan 01:23:45 +0900 (JST)", "empty-node:;"],
        ),
        ("P07", "(;GM[1]SZ[19]\nCoPyright[\nCopyright (c) SERVER\nUse of this game is ok.\n]\n;B[pd])", &[]),
        ("P07", "(;GM[1]FF[4]SZ[19]\nCoPyright[x]\n;B[pd])", &["old-spelling:CoPyright"]),
        ("P09", "(;SZ[19]HA[2]AB[dd]AB[pp];W[pd])", &["duplicate-property:AB"]),
        ("P10", ";;)", &["no-game:"]),
        ("P15", "(;SZ[19];B[pd](;W[dp];B[dd]", &["unclosed-tree:("]),
        (
            "P16",
            "(\nTE[cup]RD[2018-04-24]KO[7.5]PB[x]PW[y]\n;B[qc];W[cq])",
            &["missing-semicolon:TE", "foreign-name:TE", "foreign-name:RD", "komi-in-ko:KO"],
        ),
        ("P18", "(;SZ[9];B[ee](;W[ec])(;W[gc];B[cc];W[cg]))", &[]),
        ("P19", "(;SZ[19]AW[de]\n[[dc]](;B[cg])(;B[mk]))", &["bad-point:[[dc]", "unescaped-bracket:]"]),
        ("P21", "(;SZ[19]EV[x]KM[]RE[白胜43.5目];B[pc])", &["empty-value:[]", "bad-result:[白胜43.5目]"]),
        ("P22", "(;FF[1]GM[1]SZ[19];B[aa])", &[]),
        ("P24", "(;C[a [b c];B[aa](;W[bb])(;W[cc]))", &[]),
    ];
    for (report, text, expected) in cases {
        assert_eq!(found(text), *expected, "{report}");
    }
}

#[test]
fn syntax_reports_in_detail() {
    // P01, P04, P16: every node is there.
    assert_eq!(nodes("(;GM[1]SZ[19]US[Someone[3d]]KM[6.5];B[pd];W[dp])"), 3);
    let p04 = fixed("(;US[Someone[3d]]KM[6.5];B[pd])", Code::UnescapedBracket);
    assert_eq!(p04, r"(;US[Someone[3d\]]KM[6.5];B[pd])");
    assert!(is_clean(&p04));
    // P09: both stones, and one list after the fix.
    let p09 = "(;SZ[19]HA[2]AB[dd]AB[pp];W[pd])";
    assert_eq!(position(&Record::parse(p09), NodeId(1)).unwrap().position.board().stones().count(), 3);
    assert_eq!(fixed(p09, Code::DuplicateProperty), "(;SZ[19]HA[2]AB[dd][pp];W[pd])");
    // P16: applied in bulk, the record is as FF[4] wants it.
    let mut p16 = "(\nTE[cup]RD[2018-04-24]KO[7.5]PB[x]PW[y]\n;B[qc];W[cq])".to_owned();
    for _ in 0..2 {
        p16 = apply_edits(&p16, &bulk_edits(&check(&Record::parse(p16.as_str()))));
    }
    assert_eq!(p16, "(\n;EV[cup]DT[2018-04-24]KM[7.5]PB[x]PW[y]\n;B[qc];W[cq])");
    assert!(is_clean(&p16));
    // P21: the komi is unknown, and the result is understood.
    let p21 = "(;SZ[19]EV[x]KM[]RE[白胜43.5目];B[pc])";
    assert_eq!(Record::parse(p21).komi(NodeId(0)).source, KomiSource::Empty);
    assert_eq!(fixed(p21, Code::BadResult), "(;SZ[19]EV[x]KM[]RE[W+43.5];B[pc])");
    // P15: the finding names what was opened.
    let p15 = "(;SZ[19];B[pd](;W[dp];B[dd]";
    assert_eq!(check(&Record::parse(p15))[0].span.start, 14);
}

/// P13: text by the book.
#[test]
fn text_reports() {
    for (raw, text) in [("a\\nb", "anb"), ("a\\\nb", "ab"), ("a\tb", "a b"), ("a\nb", "a\nb")] {
        assert_eq!(value::text(raw), text);
    }
    assert_eq!(value::simple_text("a\nb"), "a b");
}

#[test]
fn semantics_reports() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("S01", "(;SZ[19]AB[dd][pp]AW[pd][dp](;W[fc])(;B[fc]))", &[]),
        ("S03", "(;SZ[18];B[ss])", &["off-board:[ss]"]),
        ("S03", "(;SZ[19];B[tt];W[])", &[]),
        ("S03", "(;SZ[20];B[tt])", &[]),
        ("S07", "(;SZ[19]AB[aa][ab]AW[ao](;B[dj])(;B[dl]))", &[]),
        (
            "S10",
            "(;GM[1]SZ[19]KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];B[pd])",
            &["fox-komi:[375]", "duplicate-property:AP"],
        ),
        ("S10", "(;KM[375];B[pd])", &["odd-komi:[375]"]),
        ("S12", "(;SZ[7]RU[AGA];B[dd])", &[]),
        ("S13", "(;SZ[13]HA[3]AB[dj][jj][jd];W[gg])", &[]),
        ("S15", "(;SZ[9]HA[2]AB[cc][gg];W[ee])", &[]),
        ("S21", "(;SZ[27];B[AA])", &[]),
        // Black's two stones fill their own last liberties.
        ("S16", "(;SZ[5]RU[NZ]AB[aa]AW[ac][bb][ba];B[ab])", &[]),
        ("S16", "(;SZ[5]RU[Japanese]AB[aa]AW[ac][bb][ba];B[ab])", &["suicide:B[ab]"]),
        // Black takes at cb, White retakes at once.
        ("S18", "(;SZ[5]AB[bb][ca][cc]AW[cb][da][dc][eb];B[db];W[cb])", &["ko:W[cb]"]),
        ("S24", "(;TM[1800]OT[5x30 byo-yomi];B[qd]BL[1779.066];W[od]WL[1770.5]OW[5])", &[]),
        ("W06", r"(;AB[aa:cc]C[a\: b]XX[keep me])", &["unknown-property:XX"]),
        ("W12", "(;SZ[9];B[aa])(;SZ[9];B[bb])", &[]),
    ];
    for (report, text, expected) in cases {
        assert_eq!(found(text), *expected, "{report} {text}");
    }
}

#[test]
fn semantics_reports_in_detail() {
    let at = |text: &str| effective(&Record::parse(text), NodeId(0));
    // S10: the Fox server's komi by its name, not by magnitude.
    assert_eq!(at("(;KM[375]AP[GNU Go:3.8]AP[foxwq])").komi.value, Some(7.5));
    assert_eq!(at("(;KM[50]HA[2]RU[Japanese]AP[foxwq])").komi.value, Some(0.5));
    assert_eq!(at("(;KM[650]AP[foxwq])").komi.value, Some(6.5));
    assert_eq!(at("(;KM[375])").komi.value, Some(375.0));
    // S12: a missing komi is unknown.
    assert_eq!(at("(;SZ[7]RU[AGA];B[dd])").komi.value, None);
    // S01: who moves, and why.
    assert_eq!(at("(;AB[aa]PL[W])").to_play.value, Color::White);
    assert_eq!(at("(;HA[2]AB[dd][pp])").to_play.reason.en, "Black has handicap stones");
    // S03: the fix makes it a pass.
    assert_eq!(fixed("(;SZ[18];B[ss])", Code::OffBoard), "(;SZ[18];B[])");
}

/// S19: sending two, returning one, on three points in a row. `B.W` stands after moves 2 and 5, with
/// Black to move first and White then.
#[test]
fn repetition_reports() {
    let text = |rules: &str| format!("(;SZ[3:1]{rules};B[aa];W[ca];B[ba];W[ca];B[aa])");
    assert_eq!(found(&text("RU[Chinese]")), ["superko:B[aa]"]);
    assert_eq!(found(&text("RU[AGA]")), Vec::<String>::new());
    assert_eq!(found(&text("RU[Japanese]")), ["repeated-position:B[aa]"]);
    assert_eq!(found(&text("")), ["repeated-position:B[aa]"]);
    let finding = check(&Record::parse(text("RU[Chinese]"))).pop().unwrap();
    assert_eq!(finding.related[0].words.en, "after move 2");
}

/// Codes of a file, as opened from disk.
fn found_in_file(bytes: &[u8]) -> (Vec<Finding>, Decoded) {
    let decoded = decode(bytes, None);
    let record = Record::parse(decoded.text.as_str());
    let options = CheckOptions { origin: Origin::File(&decoded), ..CheckOptions::default() };
    (check_with(&record, &options), decoded)
}

#[test]
fn charset_reports() {
    // E03: the charset that is named is not the one of the bytes.
    let (findings, _) = found_in_file("(;CA[GB2312]PB[棋士甲]EV[名人戦])".as_bytes());
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::CharsetContradiction]);
    assert_eq!(findings[0].message.en, "CA says GB2312, but the file is UTF-8");
    // E07: a byte that is no character.
    let (findings, decoded) = found_in_file(b"(;CA[UTF-8]PB[caf\xe9 \xe6\xa3\x8b])");
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::LostCharacters]);
    assert_eq!(findings[0].span.slice(&decoded.text), "\u{fffd}");
    // E09: a name cut in the middle of a character: one warning, and the file stays UTF-8.
    let (findings, decoded) = found_in_file(b"(;CA[UTF-8]PB[\xe4\xbd\xa0\xe5\x9b]BR[9\xe6\xae\xb5])");
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::CutCharacter]);
    assert_eq!(decoded.charset(), "UTF-8");
}

/// E04: the text of an editor is Unicode, whatever `CA` says.
#[test]
fn editor_reports() {
    let codes = |text: &str, file: Option<&Decoded>| {
        let record = Record::parse(text);
        let options = CheckOptions { origin: Origin::Editor(file), ..CheckOptions::default() };
        check_with(&record, &options)
    };
    let found = codes("(;CA[GB2312]C[中文])", None);
    assert_eq!((found.len(), found[0].code), (1, Code::EditorCharset));
    assert_eq!(codes("(;CA[GB2312]C[ascii])", None), []);
    assert_eq!(codes("(;CA[UTF-8]C[中文])", None), []);
    // An editor that took a GBK file for UTF-8: the file reads better, so it can be had again.
    let bytes = b"(;CA[GBK]PB[\xc6\xe5\xca\xd6])";
    let file = decode(bytes, None);
    let damaged = String::from_utf8_lossy(bytes).into_owned();
    let found = codes(&damaged, Some(&file));
    assert_eq!((found.len(), found[0].code), (1, Code::LostCharacters));
    // As the editor writes it, which takes it for UTF-8.
    let fix = found[0].fix.clone().unwrap();
    assert_eq!(apply_edits(&damaged, &fix.edits), "(;CA[UTF-8]PB[棋手])");
    assert!(!fix.safe);
}
