//! Against what KataGo 1.18.1 has said, and against any bytes.

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::engine::gtp::analyze::{Dialect, Report, parse_line};
use crate::engine::sync::whole;
use crate::go::{Color, Move, Point, Position, Size, Step, Vertex};

/// One query with ownership, one for the version, a line that is no JSON, a bad move, one terminated.
const RECORDED: &str = include_str!("../../../fixtures/katago-json/answers.jsonl");

fn nine() -> Size {
    Size::square(9).unwrap()
}

fn read_here(line: &str) -> Option<Answer> {
    // The recorded ids are words; kifud's own are numbers.
    let line = line.replace(r#""id":"q1""#, r#""id":"1""#).replace(r#""id":"v""#, r#""id":"2""#);
    read(
        line.replace(r#""id":"bad""#, r#""id":"3""#).replace(r#""id":"t1""#, r#""id":"4""#).as_bytes(),
        |_| nine(),
    )
}

fn report(line: &str) -> Report {
    match read(line.as_bytes(), |_| nine()) {
        Some(Answer::Report { report: Some(report), .. }) => report,
        other => panic!("no report: {other:?}"),
    }
}

#[test]
fn what_katago_has_said_is_read() {
    let answers: Vec<_> = RECORDED.lines().map(|line| read_here(line).unwrap()).collect();
    let [Answer::Report { id: 1, during: false, report: Some(report) }, rest @ ..] = answers.as_slice()
    else {
        panic!("{answers:?}");
    };
    assert_eq!((report.moves.len(), report.skipped), (34, 0));
    let best = report.best().unwrap();
    assert_eq!(best.vertex.to_gtp(nine()), "A1");
    assert_eq!((best.order, best.visits, best.pv.len()), (0, 1, 1));
    // 0.455030724, 0.183720455, -0.794969282 and 0.0126338489 in the file.
    assert_eq!(best.winrate, 45.5030724);
    assert_eq!(best.score_lead, Some(0.183720455));
    assert_eq!(best.lcb, Some(-79.4969282));
    assert_eq!(best.prior, Some(1.26338489));
    assert_eq!(best.extra.get("edgeVisits"), Some("1"));
    assert_eq!(best.extra.get("scoreStdev"), Some("13.9584983"));
    assert_eq!(best.extra.get("winrate"), None, "what has a field is not raw, too");
    assert_eq!(report.moves[2].symmetry_of.map(|at| at.to_gtp(nine())).as_deref(), Some("J1"));
    assert_eq!(report.visits(), 20);
    assert_eq!(report.ownership.as_ref().map(Vec::len), Some(81));
    assert!(matches!(&rest[0], Answer::Done { id: 2, version: Some(version) } if version == "1.18.1"));
    assert!(matches!(&rest[1], Answer::Error { id: None, field: None, .. }));
    let Answer::Error { id: Some(3), field: Some(field), message } = &rest[2] else { panic!("{rest:?}") };
    assert_eq!((field.as_str(), message.as_str()), ("moves", "Could not parse board location: Z99"));
    assert_eq!(rest[3], Answer::Done { id: 4, version: None });
    assert_eq!(rest.len(), 4);
}

/// The same numbers, as `kata-analyze` would print them: both readers have to agree.
#[test]
fn both_dialects_of_katago_give_the_same_report() {
    let gtp = "info move E5 visits 12 winrate 0.5213 scoreLead -0.25 lcb 0.4 prior 0.01 isSymmetryOf E5 order 0 \
               edgeVisits 11 pv E5 pass pvVisits 12 3 \
               info move pass visits 0 winrate 4.85318e-05 scoreLead 1 lcb -0.9 prior 0 order 1 pv pass \
               rootInfo visits 13 winrate 0.5 scoreLead 0";
    let json = r#"{"id":"1","isDuringSearch":true,"turnNumber":0,"moveInfos":[
        {"move":"E5","visits":12,"winrate":0.5213,"scoreLead":-0.25,"lcb":0.4,"prior":0.01,"isSymmetryOf":"E5",
         "order":0,"edgeVisits":11,"pv":["E5","pass"],"pvVisits":[12,3]},
        {"move":"pass","visits":0,"winrate":4.85318e-05,"scoreLead":1,"lcb":-0.9,"prior":0,"order":1,"pv":["pass"]}],
        "rootInfo":{"visits":13,"winrate":0.5,"scoreLead":0,"currentPlayer":"B"}}"#;
    assert_eq!(report(json), parse_line(gtp.as_bytes(), Dialect::Kata, nine()));
}

#[test]
fn what_cannot_be_used_is_counted_and_spoils_nothing_else() {
    let with = |fields: &str| {
        format!(
            r#"{{"id":"1","moveInfos":[{{"move":"A1","visits":1,"winrate":0.5}},{{{fields}}}],"rootInfo":{{"visits":2,"winrate":0.5}}}}"#
        )
    };
    let cases = [
        // Moves that are none.
        (r#""visits":1,"winrate":0.5"#, 1, 1),
        (r#""move":"Z99","visits":1,"winrate":0.5"#, 1, 1),
        (r#""move":"I5","visits":1,"winrate":0.5"#, 1, 1),
        (r#""move":5,"visits":1,"winrate":0.5"#, 1, 1),
        (r#""move":"B1","visits":-1,"winrate":0.5"#, 1, 1),
        (r#""move":"B1","visits":1,"winrate":1.5"#, 1, 1),
        (r#""move":"B1","visits":1,"winrate":null"#, 1, 1),
        (r#""move":"B1","visits":1,"winrate":1e999"#, 1, 1),
        (r#""move":"B1","visits":1,"winrate":0.5,"pv":["B1","K10"]"#, 1, 1),
        // Single numbers.
        (r#""move":"B1","visits":1,"winrate":0.5,"scoreLead":"much""#, 2, 1),
        (r#""move":"B1","visits":1,"winrate":0.5,"lcb":null,"prior":7"#, 2, 2),
        (r#""move":"B1","visits":1,"winrate":0.5,"pvVisits":[1,"x",2]"#, 2, 1),
        // What nobody knows is passed on, or has no raw form.
        (r#""move":"B1","visits":1e0,"winrate":0.5,"new":{"a":[1]},"other":[1,"b"]"#, 2, 0),
    ];
    for (fields, moves, skipped) in cases {
        let report = report(&with(fields));
        assert_eq!((report.moves.len(), report.skipped), (moves, skipped), "{fields}");
    }
    let last = report(&with(
        r#""move":"B1","visits":1,"winrate":0.5,"new":{"a":1},"other":[1,"b c"],"w":"x\ny","b l":1"#,
    ));
    assert_eq!(format!("{:?}", last.moves[1].extra), r#"{"other": "1 b c", "w": "x y"}"#);
}

#[test]
fn ownership_is_whole_or_absent() {
    let with = |values: &str| {
        let report = report(&format!(
            r#"{{"id":"1","moveInfos":[{{"move":"A1","visits":1,"winrate":0.5,"ownership":{values}}}],"ownership":{values}}}"#
        ));
        assert_eq!(report.ownership, report.moves[0].moves_ownership);
        (report.ownership.map(|values| values[0]), report.skipped)
    };
    let values = |first: &str| format!("[{first}{}]", ",0.25".repeat(80));
    assert_eq!(with(&values("-1")), (Some(-1.0), 0));
    assert_eq!(with(&values("1.00001")), (Some(1.0), 0), "rounding is put on the edge");
    for garbage in ["-3.60924e+227", "1.1", "null", "\"x\"", "1e999", "0.5,0.5"] {
        assert_eq!(with(&values(garbage)), (None, 2), "{garbage}");
    }
    assert_eq!(with("[]"), (None, 2));
    assert_eq!(with("7"), (None, 2));
}

#[test]
fn errors_belong_to_queries() {
    let error = |line: &str| match read(line.as_bytes(), |_| nine()) {
        Some(Answer::Error { id, field, .. }) => (id, field),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        error(r#"{"error":"Illegal move 1: D4","field":"moves","id":"17"}"#),
        (Some(17), Some("moves".into()))
    );
    // A line that could not be read is repeated.
    assert_eq!(
        error(r#"{"error":"could not parse input line as json request: {\"id\":\"23\",\"moves\":[[\"B"}"#),
        (Some(23), None)
    );
    assert_eq!(error(r#"{"error":"Request must have a string \"id\" field"}"#), (None, None));
    assert_eq!(error(r#"{"error":"x","id":"not ours"}"#), (None, None));
    let none = read(br#"{"id":"5","isDuringSearch":false,"noResults":true,"turnNumber":3}"#, |_| nine());
    assert_eq!(none, Some(Answer::Report { id: 5, during: false, report: None }));
    let warning = read(br#"{"field":"x","id":"6","warning":"Unexpected or unused field"}"#, |_| nine());
    assert!(matches!(warning, Some(Answer::Warning { id: Some(6), .. })));
}

#[test]
fn only_a_later_report_of_the_same_query_makes_one_old() {
    let report =
        |id: u32, during: bool| format!(r#"{{"id":"{id}","isDuringSearch":{during},"moveInfos":[]}}"#);
    let old = |line: &str, next: &str| is_outdated(line.as_bytes(), next.as_bytes());
    assert!(old(&report(1, true), &report(1, true)));
    assert!(old(&report(1, true), &report(1, false)));
    assert!(!old(&report(1, false), &report(1, true)), "the last one counts");
    assert!(!old(&report(1, true), &report(11, true)));
    assert!(!old(&report(1, true), r#"{"error":"x","id":"1"}"#));
    assert!(!old("", "") && !old("{", "{"));
}

#[test]
fn lines_that_are_no_answers() {
    for line in
        ["", "=1 ", "{", "[]", "5", "null", "{}", r#"{"id":"7"}"#, r#"{"id":7,"moveInfos":[]}"#, "\u{feff}{}"]
    {
        assert_eq!(read(line.as_bytes(), |_| nine()), None, "{line}");
    }
    assert_eq!(read(b"\xff\xfe", |_| nine()), None);
    assert_eq!(read("[".repeat(100_000).as_bytes(), |_| nine()), None);
    let deep = format!(r#"{{"id":"1","moveInfos":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(deep.as_bytes(), |_| nine()).is_none_or(|answer| matches!(answer, Answer::Report { .. })));
}

#[test]
fn queries_are_written() {
    let d4 = Vertex::At(Point::new(3, 5));
    let mut game = Position { komi: Some(6.5), rules: Some("Japanese".into()), ..Position::new(nine()) };
    let whole_of = |game: &Position| whole(game, game.to_play).unwrap();
    let plain = |whole: &_, id| {
        Query {
            whole,
            to_move: Color::Black,
            visits: Some(50),
            every_cs: None,
            ownership: false,
            allow: &[],
            avoid: &[],
            priority: 0,
        }
        .line(id)
    };
    expect![[r#"{"id":"1","initialPlayer":"B","moves":[],"rules":"japanese","komi":6.5,"boardXSize":9,"boardYSize":9,"maxVisits":50,"overrideSettings":{"reportAnalysisWinratesAs":"SIDETOMOVE"}}"#]]
        .assert_eq(&plain(&whole_of(&game), 1));

    game.size = Size::new(13, 7).unwrap();
    game.steps = vec![
        Step::Setup(vec![(Point::new(0, 0), Some(Color::Black)), (Point::new(12, 6), Some(Color::Black))]),
        Step::Play(Move { color: Color::White, vertex: d4 }),
        Step::Play(Move { color: Color::Black, vertex: Vertex::Pass }),
    ];
    game.to_play = Color::White;
    let whole = whole_of(&game);
    let query = Query {
        whole: &whole,
        to_move: Color::White,
        visits: None,
        every_cs: Some(0),
        ownership: true,
        allow: &[d4, Vertex::Pass],
        avoid: &[Vertex::Pass],
        priority: 1,
    };
    expect![[r#"{"id":"2","initialStones":[["B","A7"],["B","N1"]],"initialPlayer":"W","moves":[["W","D2"],["B","pass"]],"rules":"japanese","komi":6.5,"boardXSize":13,"boardYSize":7,"maxVisits":1125899906842624,"reportDuringSearchEvery":0.01,"includeOwnership":true,"allowMoves":[{"player":"W","moves":["D2"],"untilDepth":1}],"priority":1,"overrideSettings":{"reportAnalysisWinratesAs":"SIDETOMOVE"}}"#]]
        .assert_eq(&query.line(2));
    let avoiding = Query { allow: &[], ..query }.line(3);
    assert!(
        avoiding.contains(r#""avoidMoves":[{"player":"W","moves":["pass"],"untilDepth":1}]"#),
        "{avoiding}"
    );

    assert_eq!(action(4, Action::Version), r#"{"id":"4","action":"query_version"}"#);
    assert_eq!(action(5, Action::Terminate(2)), r#"{"id":"5","action":"terminate","terminateId":"2"}"#);
    assert_eq!(action(6, Action::TerminateAll), r#"{"id":"6","action":"terminate_all"}"#);
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, |_| nine());
    }

    #[test]
    fn a_recorded_line_with_damage_is_taken(place in 0usize..12_000, with in any::<u8>(), cut in 0usize..12_000) {
        let mut line = RECORDED.lines().next().unwrap().replace("q1", "1").into_bytes();
        line.truncate(cut.max(200));
        let at = place % line.len();
        line[at] = with;
        if let Some(Answer::Report { report: Some(report), .. }) = read(&line, |_| nine()) {
            prop_assert!(report.moves.iter().all(|info| (0.0..=100.0).contains(&info.winrate)));
            prop_assert!(report.ownership.iter().flatten().all(|value| (-1.0..=1.0).contains(value)));
        }
    }

    /// The fields of an answer with values of any kind.
    #[test]
    fn any_values_are_taken(
        key in "move|visits|winrate|lcb|prior|pv|order|isSymmetryOf|ownership|scoreLead|x",
        value in r#"null|true|-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,5})?(e-?[0-9]{1,3})?|"[A-Z]?[0-9]{0,3}"|\[("A1"|1|null|\[\])?\]|\{"a":1\}"#,
    ) {
        let line = format!(r#"{{"id":"1","{key}":{value},"moveInfos":[{{"move":"A1","visits":1,"winrate":0.5,"{key}":{value}}}]}}"#);
        prop_assert!(matches!(read(line.as_bytes(), |_| nine()), Some(Answer::Report { report: Some(_), .. })), "{}", line);
    }
}
