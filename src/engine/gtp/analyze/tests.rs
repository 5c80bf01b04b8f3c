//! Whole lines. The lines are made by hand in the shape of each program; the expected values
//! are what the digits of the line say, moved by two places.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use std::fmt::Write as _;

const NINE: Size = Size::square(9).unwrap();
const TWO: Size = Size::square(2).unwrap();

/// One line for the root, one a move; only what is there.
fn show(report: &Report, size: Size) -> String {
    let mut text = String::new();
    let optional = |name: &str, value: Option<f64>| value.map_or(String::new(), |v| format!(" {name} {v}"));
    if let Some(root) = &report.root {
        let (winrate, lead) = (optional("winrate", root.winrate), optional("lead", root.score_lead));
        writeln!(text, "root: {} visits{winrate}{lead}", root.visits).unwrap();
    }
    if let Some(ownership) = &report.ownership {
        writeln!(text, "ownership {ownership:?}").unwrap();
    }
    for info in &report.moves {
        let vertices = |list: &[Vertex]| list.iter().map(|v| v.to_gtp(size)).collect::<Vec<_>>().join(" ");
        write!(text, "{}. {}: {} visits", info.order, info.vertex.to_gtp(size), info.visits).unwrap();
        write!(text, " winrate {}{}", info.winrate, optional("lead", info.score_lead)).unwrap();
        write!(text, "{}{}", optional("lcb", info.lcb), optional("prior", info.prior)).unwrap();
        write!(text, " pv [{}]", vertices(&info.pv)).unwrap();
        if let Some(vertex) = info.symmetry_of {
            write!(text, " mirrors {}", vertex.to_gtp(size)).unwrap();
        }
        if !info.pv_visits.is_empty() {
            write!(text, " pvVisits {:?}", info.pv_visits).unwrap();
        }
        if let Some(ownership) = &info.moves_ownership {
            write!(text, " ownership {ownership:?}").unwrap();
        }
        if !info.extra.is_empty() {
            write!(text, " {:?}", info.extra).unwrap();
        }
        text.push('\n');
    }
    if report.skipped > 0 {
        writeln!(text, "skipped {}", report.skipped).unwrap();
    }
    text
}

fn check(dialect: Dialect, size: Size, line: &str, expected: Expect) {
    expected.assert_eq(&show(&parse_line(line.as_bytes(), dialect, size), size));
}

#[test]
fn leela_zero() {
    check(
        Dialect::Lz,
        Size::STANDARD,
        "info move D4 visits 171 winrate 4445 prior 1890 lcb 4425 order 0 pv D4 Q16 Q4 D16 \
         info move R16 visits 1 winrate 4431 prior 120 lcb 0 order 1 pv R16",
        expect![[r#"
            0. D4: 171 visits winrate 44.45 lcb 44.25 prior 18.9 pv [D4 Q16 Q4 D16]
            1. R16: 1 visits winrate 44.31 lcb 0 prior 1.2 pv [R16]
        "#]],
    );
}

#[test]
fn leela_zero_before_prior_and_lcb() {
    check(
        Dialect::Lz,
        Size::STANDARD,
        "info move Q16 visits 9 winrate 50 order 0 pv Q16 D4 \r",
        expect![[r#"
            0. Q16: 9 visits winrate 0.5 pv [Q16 D4]
        "#]],
    );
}

#[test]
fn katago_in_lz_dialect_has_negative_bounds_and_passes() {
    check(
        Dialect::Lz,
        NINE,
        "info move pass visits 1 winrate 4213 prior 139 lcb -8287 order 15 pv pass",
        expect![[r#"
            15. pass: 1 visits winrate 42.13 lcb -82.87 prior 1.39 pv [pass]
        "#]],
    );
}

#[test]
fn katago_with_everything() {
    check(
        Dialect::Kata,
        TWO,
        "info move A1 visits 8 edgeVisits 7 utility -0.25 winrate 0.5213 scoreMean 1.5 scoreStdev 9.5 \
         scoreLead 1.5 scoreSelfplay 1.75 noResultValue 0 prior 0.25 lcb -0.0625 utilityLcb -1.5 weight 6.5 \
         order 0 pv A1 pass B2 pvVisits 8 3 1 pvEdgeVisits 8 2 1 movesOwnership 0.5 -0.25 1 -1 \
         movesOwnershipStdev 0.5 0.5 0.5 0.5 \
         info move B2 visits 0 winrate 1 scoreLead -3 prior 4.85318e-05 isSymmetryOf A1 order 1 pv B2 \
         rootInfo visits 9 utility 0.5 winrate 0.5 scoreLead 0.125 rawStWrError 0.4 \
         ownership 0 -0.5 0.25 1 ownershipStdev 0.5 0.5 0.5 0.5",
        expect![[r#"
            root: 9 visits winrate 50 lead 0.125
            ownership [0.0, -0.5, 0.25, 1.0]
            0. A1: 8 visits winrate 52.13 lead 1.5 lcb -6.25 prior 25 pv [A1 pass B2] pvVisits [8, 3, 1] ownership [0.5, -0.25, 1.0, -1.0] {"edgeVisits": "7", "utility": "-0.25", "scoreMean": "1.5", "scoreStdev": "9.5", "scoreSelfplay": "1.75", "noResultValue": "0", "utilityLcb": "-1.5", "weight": "6.5", "pvEdgeVisits": "8 2 1"}
            1. B2: 0 visits winrate 100 lead -3 prior 0.00485318 pv [B2] mirrors A1
        "#]],
    );
}

#[test]
fn sayuri_calls_the_root_null_and_prints_ownership_after_each_pv() {
    check(
        Dialect::Kata,
        TWO,
        "info move null visits 40 winrate 0.510000 drawrate 0.000000 scorelead 0.400000 ownership 0.5 0.5 0 0 \
         info move A1 visits 20 winrate 0.515000 drawrate 0.0 scorelead 0.5 prior 0.2 lcb 0.49 order 0 pv A1 B2 \
         ownership 1 1 0 0",
        expect![[r#"
            root: 40 visits winrate 51 lead 0.4
            ownership [0.5, 0.5, 0.0, 0.0]
            0. A1: 20 visits winrate 51.5 lead 0.5 lcb 49 prior 20 pv [A1 B2] ownership [1.0, 1.0, 0.0, 0.0] {"drawrate": "0.0"}
        "#]],
    );
}

#[test]
fn sai_has_two_scores_and_only_the_lead_is_for_the_side_analysed() {
    check(
        Dialect::Lz,
        NINE,
        "info move C3 visits 9 winrate 5011 scoreLead 2.5 prior 900 lcb 4800 areas -12345 order 0 pv C3",
        expect![[r#"
            0. C3: 9 visits winrate 50.11 lead 2.5 lcb 48 prior 9 pv [C3] {"areas": "-12345"}
        "#]],
    );
}

#[test]
fn pachi_has_no_bound_and_a_blank_at_the_end() {
    check(
        Dialect::Lz,
        NINE,
        "info move G4 visits 1082 winrate 5351 prior 10000 order 0 pv G4 G6 info move H6 visits 655 winrate 5343 order 1 pv H6 F7 ",
        expect![[r#"
            0. G4: 1082 visits winrate 53.51 prior 100 pv [G4 G6]
            1. H6: 655 visits winrate 53.43 pv [H6 F7]
        "#]],
    );
}

#[test]
fn keys_come_in_any_order_and_unknown_ones_stay_raw() {
    check(
        Dialect::Kata,
        NINE,
        "info pv E5 pass order 3 mood good likes D4 hidden flag winrate 0.25 series 1 2.5 nan move E5 visits 2 bare",
        expect![[r#"
            3. E5: 2 visits winrate 25 pv [E5 pass] {"mood": "good", "likes": "D4", "hidden": "flag", "series": "1 2.5 nan", "bare": ""}
        "#]],
    );
}

#[test]
fn a_record_that_lacks_the_essentials_is_skipped_alone() {
    check(
        Dialect::Kata,
        NINE,
        "info visits 3 winrate 0.5 order 0 info move D4 winrate 0.5 info move D4 visits 3 \
         info move D4 visits 3 winrate nan info move D4 visits -3 winrate 0.5 info move D4 visits 3 winrate 4445 \
         info info move D5 visits 3 winrate 0.5 order 7 pv",
        expect![[r#"
            7. D5: 3 visits winrate 50 pv []
            skipped 7
        "#]],
    );
}

#[test]
fn vertices_off_the_board_take_their_record_with_them() {
    check(
        Dialect::Lz,
        NINE,
        "info move R16 visits 3 winrate 5000 order 0 pv R16 info move E5 visits 3 winrate 5000 order 1 pv E5 K10 \
         info move E5 visits 3 winrate 5000 order 2 isSymmetryOf I5 info move D5 visits 3 winrate 5000 order 3 pv D5",
        expect![[r#"
            3. D5: 3 visits winrate 50 pv [D5]
            skipped 3
        "#]],
    );
}

#[test]
fn single_bad_numbers_are_dropped_and_counted() {
    check(
        Dialect::Kata,
        TWO,
        "info move A1 visits 3 winrate 0.5 scoreLead nan lcb -inf prior 7 order 0 pv A1 null A2 pvVisits 3 -1 2",
        expect![[r#"
            0. A1: 3 visits winrate 50 pv [A1] pvVisits [3, 2]
            skipped 4
        "#]],
    );
}

#[test]
fn ownership_is_whole_or_absent() {
    for (values, skipped) in [
        ("0 0 0 nan", 1),
        ("0 inf 0 -3.60924e+227", 2),
        ("0 0 0 1.5", 1),
        ("0 0 0 -nan(ind)", 1),
        ("0 0 0", 1),
        ("0 0 0 0 0", 1),
        ("", 1),
    ] {
        let line = format!(
            "info move A1 visits 3 winrate 0.5 movesOwnership {values} order 2 rootInfo visits 3 winrate 0.5 ownership {values}"
        );
        let report = parse_line(line.as_bytes(), Dialect::Kata, TWO);
        assert_eq!((report.ownership, report.skipped), (None, 2 * skipped), "{values:?}");
        assert_eq!((&report.moves[0].moves_ownership, report.moves[0].order), (&None, 2), "{values:?}");
        let report = parse_line_with(line.as_bytes(), Dialect::Kata, TWO, Keep::MOVES);
        assert_eq!((report.moves[0].order, report.skipped), (2, 0), "not kept, not counted: {values:?}");
    }
}

#[test]
fn the_scale_comes_from_the_dialect() {
    use Dialect::{Kata, Lz, Plain};
    for (dialect, winrate, percent) in [
        (Kata, "1", 100.0),
        (Kata, "0", 0.0),
        (Kata, "-0", 0.0),
        (Kata, "0.5213", 52.13),
        (Kata, "4.85318e-05", 0.00485318),
        (Kata, "1.00001", 100.0),
        (Lz, "1", 0.01),
        (Lz, "50", 0.5),
        (Lz, "5213", 52.13),
        (Lz, "10000", 100.0),
        (Plain, "1", 0.01),
        (Plain, "9543", 95.43),
        (Plain, "1.0", 100.0),
        (Plain, "0.9543", 95.43),
        (Plain, "2e-05", 0.002),
    ] {
        let line = format!("info move D4 visits 1 winrate {winrate} order 0 pv D4");
        let report = parse_line(line.as_bytes(), dialect, NINE);
        assert_eq!(report.moves[0].winrate, percent, "{dialect:?} {winrate}");
        assert!(report.moves[0].winrate.is_sign_positive());
    }
}

#[test]
fn commands_and_their_dialects() {
    for (command, dialect) in [
        ("kata-analyze", Dialect::Kata),
        ("kata-search_analyze_cancellable", Dialect::Kata),
        ("lz-analyze", Dialect::Lz),
        ("lz-genmove_analyze", Dialect::Lz),
        ("sai-analyze", Dialect::Lz),
        ("analyze", Dialect::Plain),
        ("genmove_analyze", Dialect::Plain),
        ("sayuri-analyze", Dialect::Plain),
    ] {
        assert_eq!(Dialect::of_command(command), dialect, "{command}");
    }
}

#[test]
fn the_value_is_the_roots_else_that_of_the_engines_first_move() {
    let moves = "info move D4 visits 1 winrate 0.75 scoreLead 4 order 1 info move E5 visits 9 winrate 0.5 scoreLead 1 order 0";
    let report = parse_line(moves.as_bytes(), Dialect::Kata, NINE);
    assert_eq!(report.value(), Some(Value { winrate: 50.0, score_lead: Some(1.0), visits: 10 }));
    assert_eq!(report.max_winrate(), Some(75.0));

    let report =
        parse_line(format!("{moves} rootInfo visits 11 winrate 0.25").as_bytes(), Dialect::Kata, NINE);
    assert_eq!(report.value(), Some(Value { winrate: 25.0, score_lead: Some(1.0), visits: 11 }));

    let unranked = "info move D4 visits 1 winrate 0.5 info move E5 visits 9 winrate 0.25";
    let report = parse_line(unranked.as_bytes(), Dialect::Kata, NINE);
    assert_eq!(report.best().map(|best| best.winrate), Some(50.0));
    assert_eq!(report.moves[1].order, 1);

    assert_eq!((Report::default().value(), Report::default().max_winrate()), (None, None));
}

#[test]
fn a_report_may_go_on_over_several_lines() {
    let read = |line: &str| parse_line(line.as_bytes(), Dialect::Kata, TWO);
    let mut report = read("info move A1 visits 5 winrate 0.5 order 0");
    assert_eq!(report.absorb(read("info move B2 visits 4 winrate 0.5 order 1")), None);
    assert_eq!(report.absorb(read("rootInfo visits 10 winrate 0.5")), None);
    assert_eq!(report.absorb(read("ownership 0 0 0 1")), None);
    let fresh = read("info move B1 visits 9 winrate 0.5 order 0");
    assert_eq!(report.absorb(fresh.clone()), Some(fresh));
    expect![[r#"
        root: 10 visits winrate 50
        ownership [0.0, 0.0, 0.0, 1.0]
        0. A1: 5 visits winrate 50 pv []
        1. B2: 4 visits winrate 50 pv []
    "#]]
    .assert_eq(&show(&report, TWO));
}

#[test]
fn report_lines_and_play_lines() {
    for line in ["info move D4", "info", " info move D4", "rootInfo visits 1"] {
        assert!(is_report_line(line.as_bytes()), "{line}");
    }
    for line in ["", "=", "information", "play D4", "= info move D4", "Info move D4"] {
        assert!(!is_report_line(line.as_bytes()), "{line}");
    }
    let at = |text| Vertex::parse_gtp(text, NINE).map(Played::Vertex);
    for (line, expected) in [
        ("play D4", at("D4")),
        ("play pass\r", at("pass")),
        ("play PASS", at("pass")),
        ("play resign", Some(Played::Resign)),
        ("play cancelled", Some(Played::Cancelled)),
        ("play R16", None),
        ("play null", None),
        ("play", None),
        ("playD4", None),
        ("info move D4", None),
    ] {
        assert_eq!(parse_play(line.as_bytes(), NINE), expected, "{line}");
    }
}

#[test]
fn more_moves_than_the_board_has_are_not_kept() {
    let line = "info move A1 visits 1 winrate 0.5 ".repeat(100);
    let report = parse_line(line.as_bytes(), Dialect::Kata, TWO);
    assert_eq!((report.moves.len(), report.skipped), (5, 95));
}

/// Every number of a report is finite and in its range.
fn assert_sane(report: &Report, size: Size) {
    let percent = |value: f64| assert!((0.0..=100.0).contains(&value), "{value}");
    let ownership = |values: &Option<Vec<f32>>| {
        if let Some(values) = values {
            assert_eq!(values.len(), size.area());
            assert!(values.iter().all(|value| (-1.0..=1.0).contains(value)));
        }
    };
    ownership(&report.ownership);
    if let Some(root) = &report.root {
        root.winrate.into_iter().for_each(percent);
        assert!(root.score_lead.is_none_or(f64::is_finite));
    }
    for info in &report.moves {
        percent(info.winrate);
        info.prior.into_iter().for_each(percent);
        assert!(info.lcb.is_none_or(f64::is_finite) && info.score_lead.is_none_or(f64::is_finite));
        ownership(&info.moves_ownership);
    }
}

const TOKENS: &str = "info|move|null|pass|A1|B2|T19|I5|visits|winrate|scoreLead|scorelead|lcb|prior|order|pv|pvVisits|\
     isSymmetryOf|movesOwnership|movesOwnershipStdev|ownership|ownershipStdev|rootInfo|[a-z]{1,5}|nan|inf|-nan|\
     -?[0-9]{1,5}|-?[0-9]\\.[0-9]{0,7}|[0-9]e-?[0-9]{1,3}";

#[test]
fn a_line_cut_anywhere_keeps_every_record_before_the_cut() {
    let record = |vertex: &str, order: u32| {
        format!(
            "info move {vertex} visits 8 utility -2.5e-05 winrate 0.5 scoreLead -1.5 prior 4.8e-05 isSymmetryOf A1 \
             order {order} pv {vertex} pass A2 pvVisits 8 3 1 movesOwnership 0.5 -0.25 1 -1 "
        )
    };
    let records = [record("A1", 0), record("B2", 1), record("pass", 2)];
    let line = records.concat() + "rootInfo visits 9 winrate 0.5 ownership 0 0 0 0.5 ownershipStdev 0 0 0 0";
    let full = parse_line(line.as_bytes(), Dialect::Kata, TWO);
    for cut in 0..line.len() {
        let report = parse_line(&line.as_bytes()[..cut], Dialect::Kata, TWO);
        assert_sane(&report, TWO);
        // A record is over when the word behind it, `info` or `rootInfo`, is there in full.
        let end = |count: usize| records[..count].concat().len() + "rootInfo".len();
        let whole = (1..=3).take_while(|count| end(*count) <= cut).count();
        assert_eq!(report.moves[..whole], full.moves[..whole], "cut at {cut}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_give_a_sane_report(line in proptest::collection::vec(any::<u8>(), 0..300)) {
        for dialect in [Dialect::Kata, Dialect::Lz, Dialect::Plain] {
            assert_sane(&parse_line(&line, dialect, TWO), TWO);
        }
    }

    #[test]
    fn any_run_of_tokens_gives_a_sane_report_that_keep_only_thins(tokens in proptest::collection::vec(TOKENS, 0..40)) {
        let line = tokens.join(" ");
        let full = parse_line(line.as_bytes(), Dialect::Kata, TWO);
        assert_sane(&full, TWO);
        let thin = parse_line_with(line.as_bytes(), Dialect::Kata, TWO, Keep::MOVES);
        let mut expected = full;
        expected.ownership = None;
        for info in &mut expected.moves {
            info.moves_ownership = None;
            info.extra = Extra::default();
        }
        expected.skipped = thin.skipped;
        prop_assert_eq!(thin, expected);
    }

    #[test]
    fn the_order_of_keys_does_not_matter(
        fields in Just([
            "move D4", "visits 20", "winrate 0.5", "scoreLead 1.5", "lcb 0.25", "prior 0.125", "order 3",
            "pv D4 pass E5", "pvVisits 20 10 5", "isSymmetryOf E4", "weight 5", "word text", "likes E5",
        ].to_vec()).prop_shuffle()
    ) {
        let read = |fields: &[&str]| {
            let mut report = parse_line(format!("info {}", fields.join(" ")).as_bytes(), Dialect::Kata, NINE);
            let mut extra: Vec<_> = report.moves[0].extra.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            extra.sort();
            report.moves[0].extra = Extra::default();
            (report, extra)
        };
        let mut sorted = fields.clone();
        sorted.sort_unstable();
        prop_assert_eq!(read(&fields), read(&sorted));
    }
}

/// The table of known keys is what the reader knows: exactly these are not passed on raw.
#[test]
fn known_keys_are_read_and_others_passed_on() {
    let passed_on = |key: &str| {
        let line = format!("info move D4 visits 1 winrate 0.5 {key} 0.5");
        let report = parse_line(line.as_bytes(), Dialect::Kata, Size::STANDARD);
        report.moves.iter().any(|info| info.extra.get(key).is_some())
    };
    for key in KEYS {
        assert!(!passed_on(key), "{key}");
    }
    for key in ["utility", "scoreMean", "edgeVisits", "winRate", "scoreLEAD"] {
        assert!(passed_on(key), "{key}");
    }
}

#[test]
fn the_numbers_of_the_other_side() {
    let line =
        b"info move A1 visits 9 winrate 0.25 scoreLead 2.5 lcb 0.2 order 0 pv A1 movesOwnership 1 0 0 -0.5 \
                 rootInfo visits 9 winrate 0.125 scoreLead -1 ownership 0.5 0 0 -1";
    let before = parse_line(line, Dialect::Kata, TWO);
    let mut report = before.clone();
    report.turn();
    let info = &report.moves[0];
    assert_eq!((info.winrate, info.lcb, info.score_lead), (75.0, Some(80.0), Some(-2.5)));
    assert_eq!(info.moves_ownership.as_deref(), Some([-1.0, 0.0, 0.0, 0.5].as_slice()));
    let root = report.root.as_ref().unwrap();
    assert_eq!((root.winrate, root.score_lead, root.visits), (Some(87.5), Some(1.0), 9));
    assert_eq!(report.ownership.as_deref(), Some([-0.5, 0.0, 0.0, 1.0].as_slice()));
    report.turn();
    assert_eq!(report, before);
}
