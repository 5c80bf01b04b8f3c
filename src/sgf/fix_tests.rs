//! Fixes: each puts its finding right, brings no new one, and leaves the rest of the text alone.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Code, Finding, Record, apply_edits, bulk_edits, check};

/// How often each code is found.
fn counts(findings: &[Finding]) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    findings.iter().for_each(|finding| *counts.entry(finding.code).or_default() += 1);
    counts
}

/// What a fix may uncover, because another finding stood for both.
fn may_follow(fixed: Code) -> &'static [Code] {
    match fixed {
        // The texts that the faults had swallowed or cut are read now.
        Code::UnclosedValue | Code::UnescapedBracket | Code::StrayText => Code::ALL,
        Code::PropertyWithoutValue | Code::LowerCaseName | Code::OldSpelling => Code::ALL,
        // Nodes are other ones now.
        Code::TwoMoves | Code::MoveInRoot | Code::NodeOutsideTree => Code::ALL,
        Code::OffBoard => &[Code::SameColorTwice, Code::HandicapWithoutStones],
        // A property by its right name, and a version by which it is read, may be wrong otherwise.
        Code::KomiInKo | Code::ForeignName | Code::FormatVersion | Code::DuplicateProperty => Code::ALL,
        Code::ConflictingAnnotations => &[Code::AnnotationWithoutMove],
        _ => &[],
    }
}

fn try_fixes(text: &str) -> Result<(), TestCaseError> {
    let findings = check(&Record::parse(text));
    let before = counts(&findings);
    for finding in &findings {
        prop_assert!(text.get(finding.span.range()).is_some(), "{text:?} {finding:?}");
        for related in &finding.related {
            prop_assert!(text.get(related.span.range()).is_some(), "{text:?} {finding:?}");
        }
        let Some(fix) = &finding.fix else { continue };
        let mut end = 0;
        for edit in &fix.edits {
            prop_assert!(edit.span.start >= end && text.get(edit.span.range()).is_some(), "{text:?} {fix:?}");
            end = edit.span.end;
        }
        let fixed = apply_edits(text, &fix.edits);
        let after = counts(&check(&Record::parse(fixed.as_str())));
        let count = |counts: &BTreeMap<Code, usize>, code| counts.get(&code).copied().unwrap_or(0);
        prop_assert!(
            count(&after, finding.code) < count(&before, finding.code),
            "{} stays: {text:?} -> {fixed:?}",
            finding.code
        );
        for code in after.keys().filter(|code| !may_follow(finding.code).contains(code)) {
            prop_assert!(
                count(&after, *code) <= count(&before, *code),
                "{} brings {code}: {text:?} -> {fixed:?}",
                finding.code
            );
        }
    }
    Ok(())
}

/// What a reader makes of a record, so far as fixes that are applied unseen may not change it.
fn meaning(text: &str) -> Vec<String> {
    let record = Record::parse(text);
    let board = |node| {
        let position = super::position(&record, node).ok()?.position;
        let board = position.board();
        let stones: Vec<_> = board.stones().collect();
        Some((board.size(), stones, position.plays().collect::<Vec<_>>()))
    };
    let games = 0..record.games().len();
    games.flat_map(|game| record.nodes(game)).map(|node| format!("{:?}", board(node))).collect()
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "(",
        ")",
        ";",
        "(;",
        ";B[aa]",
        ";W[bb]",
        "B[cc]",
        "W[tt]",
        ";B[]",
        "AB[aa][bb]",
        "AB[cc:aa]",
        "AB[aa]",
        "AW[bb][bb]",
        "AE[aa]",
        "AW[aa:aa]",
        "CR[aa]",
        "TR[aa][zz]",
        "TB[]",
        "LB[aa:x]",
        "LB[bb]",
        "KM[6,5]",
        "KM[]",
        "KO[7.5]",
        "KO[]",
        "HA[2]",
        "SZ[9]",
        "SZ[9:9]",
        "FF[4]",
        "FF[3]",
        "RE[b+r]",
        "RE[x]",
        "DT[2001/2/3]",
        "DM[]",
        "GB[1]",
        "TE[1]",
        "BM[]",
        "PL[W]",
        "Black[dd]",
        "b[dd]",
        "C[a [3d]: hi]",
        "C[x]",
        "N[y]",
        "N",
        "XX[1]",
        "[dd]",
        "word ",
        ", ",
        "[[dc]]",
        "C[open",
        "AP[x]",
        "AP[x:1]",
        "ST[9]",
        "\n",
        "PB[a]",
        "B[zz]",
        "AR[aa:bb]",
        "AR[aa]",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| format!("(;{})", pieces.concat()))
}

/// The stones at the end of each game's main line.
fn ends(text: &str) -> Vec<String> {
    let record = Record::parse(text);
    let end =
        |root| std::iter::successors(Some(root), |node| record.children(*node).next()).last().unwrap_or(root);
    let stones = |node| {
        let found = super::position(&record, node).ok()?;
        Some(found.position.board().stones().collect::<Vec<_>>())
    };
    record.games().map(|game| format!("{:?}", stones(end(game.root)))).collect()
}

proptest! {
    #[test]
    fn games_are_the_same_without_their_dialect(text in pieces()) {
        let after = apply_edits(&text, &super::normalise(&Record::parse(text.as_str())));
        prop_assert_eq!(ends(&text), ends(&after), "{:?} -> {:?}", text, after);
    }

    #[test]
    fn a_fix_puts_its_finding_right(text in pieces()) {
        try_fixes(&text)?;
    }

    #[test]
    fn bulk_fixes_come_to_an_end_and_keep_the_game(text in pieces()) {
        let mut now = text.clone();
        for _ in 0..20 {
            let edits = bulk_edits(&check(&Record::parse(now.as_str())));
            if edits.is_empty() {
                break;
            }
            now = apply_edits(&now, &edits);
        }
        let findings = check(&Record::parse(now.as_str()));
        prop_assert!(bulk_edits(&findings).is_empty(), "{text:?} -> {now:?} {findings:?}");
        // An unescaped bracket has hidden what comes back now.
        if !text.contains("3d") {
            prop_assert_eq!(meaning(&text), meaning(&now), "{:?} -> {:?}", text, now);
        }
    }
}
