//! Plans as text, and a strict engine that carries them out.

use super::*;
use crate::go::{Color, Point};
use expect_test::{Expect, expect};

mod strict;
use strict::Session;

/// Reads steps like `B D4`, `W pass`, `AB D4 E5 AW C3 AE Q16`, separated by `;`.
fn position(side: u8, text: &str) -> Position {
    on(Size::square(side).unwrap(), text)
}

fn point(vertex: Vertex) -> Point {
    match vertex {
        Vertex::At(point) => point,
        Vertex::Pass => panic!("no pass in set-up"),
    }
}

fn on(size: Size, text: &str) -> Position {
    let step = |text: &str| {
        let mut stones = vec![];
        let mut color = None;
        for word in text.split_whitespace() {
            match word {
                "B" | "W" | "AB" | "AW" | "AE" => color = Color::parse(word.trim_start_matches('A')),
                _ => stones.push((Vertex::parse_gtp(word, size).unwrap(), color)),
            }
        }
        match stones[..] {
            [(vertex, Some(color))] if !text.starts_with('A') => Step::Play(Move { color, vertex }),
            _ => Step::Setup(stones.into_iter().map(|(vertex, stone)| (point(vertex), stone)).collect()),
        }
    };
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    Position { komi: Some(6.5), steps: parts.map(step).collect(), ..Position::new(size) }
}

fn gnugo() -> Abilities {
    Abilities { undo: true, set_free_handicap: true, loadsgf: true, ..Abilities::default() }
}

fn katago() -> Abilities {
    Abilities { rectangular_boardsize: true, set_position: true, kata_set_rules: true, ..gnugo() }
}

/// Only the commands that GTP demands.
fn plain() -> Abilities {
    Abilities::default()
}

/// An engine that stands on this position.
fn at(want: &Position, can: &Abilities) -> Session {
    let mut session = Session::default();
    session.follow(&plan(None, want, can, &[]).unwrap(), want, can);
    session
}

/// One line: the strategy, the commands, what is lost.
fn show(result: &Result<Plan, Refusal>) -> String {
    let plan = match result {
        Ok(plan) => plan,
        Err(refusal) => return format!("{refusal:?}"),
    };
    let commands = plan.commands.iter().map(|command| match command {
        Command::Essential(line) => line.clone(),
        Command::Optional { line, what } => format!("{line} ({what})"),
        Command::LoadSgf(sgf) => format!("loadsgf {}", sgf.trim_end()),
    });
    let lost = plan.lost.iter().map(|lost| format!("lost {}", lost.what));
    format!("{}: {}", plan.strategy.name(), commands.chain(lost).collect::<Vec<_>>().join(", "))
}

#[track_caller]
fn check(from: Option<&Session>, want: &Position, can: &Abilities, expected: Expect) {
    let mut session = from.cloned().unwrap_or_default();
    let result = plan(session.known.as_ref(), want, can, &[]);
    if let Ok(plan) = &result {
        session.follow(plan, want, can);
    }
    expected.assert_eq(&show(&result));
}

#[test]
fn from_nothing() {
    check(None, &position(19, ""), &gnugo(), expect!["replay: boardsize 19, clear_board, komi 6.5"]);
    check(
        None,
        &position(9, "B D4; W pass; B E5"),
        &plain(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, play B D4, play W pass, play B E5"],
    );
}

#[test]
fn further_moves() {
    let here = at(&position(9, "B D4; W E5"), &gnugo());
    check(Some(&here), &position(9, "B D4; W E5"), &gnugo(), expect!["none: "]);
    check(
        Some(&here),
        &position(9, "B D4; W E5; W pass; B C3"),
        &gnugo(),
        expect!["extend: play W pass, play B C3"],
    );
    check(
        Some(&here),
        &position(9, "B D4; W E5; AW C4; AB C5"),
        &gnugo(),
        expect!["extend: play W C4, play B C5"],
    );
}

#[test]
fn the_engines_own_move_is_part_of_the_game() {
    let mut here = at(&position(9, "B D4"), &gnugo());
    assert!(here.genmove(Move { color: Color::White, vertex: Vertex::At(Point::new(4, 4)) }));
    check(Some(&here), &position(9, "B D4; W E5; B C3"), &gnugo(), expect!["extend: play B C3"]);
}

#[test]
fn back_and_into_another_branch() {
    let here = at(&position(9, "B D4; W E5; B C3; W G7"), &gnugo());
    check(Some(&here), &position(9, "B D4; W E5; B C3"), &gnugo(), expect!["undo: undo"]);
    check(Some(&here), &position(9, "B D4; W E5; B F3"), &gnugo(), expect!["undo: undo, undo, play B F3"]);
    // Without undo, and where replaying is shorter.
    check(
        Some(&here),
        &position(9, "B D4; W E5; B C3"),
        &plain(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, play B D4, play W E5, play B C3"],
    );
    check(
        Some(&here),
        &position(9, "B F3"),
        &gnugo(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, play B F3"],
    );
}

#[test]
fn komi_and_rules_alone() {
    let here = at(&position(9, "B D4"), &katago());
    let mut want = position(9, "B D4");
    want.komi = Some(-0.5);
    want.rules = Some("Japanese".to_owned());
    check(Some(&here), &want, &katago(), expect!["none: komi -0.5, kata-set-rules japanese (rules)"]);
    let after = at(&want, &katago());
    check(Some(&after), &want, &katago(), expect!["none: "]);
    // The engine refused them: not told again.
    let mut refused = after.clone();
    refused.known.as_mut().unwrap().rules_refused();
    check(Some(&refused), &want, &katago(), expect!["none: lost rules"]);
    // A record without either.
    want.komi = None;
    want.rules = None;
    check(Some(&after), &want, &katago(), expect!["none: komi 0, lost komi, lost rules"]);
}

#[test]
fn komi_is_written_plainly() {
    let cases = [
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (7.5, "7.5", "7.5"),
        (7.25, "7.25", "7.5"),
        (3.75, "3.75", "4"),
        (-3.5, "-3.5", "-3.5"),
        (1e21, "1000000000000000000000", "1000000000000000000000"),
        (f64::NAN, "0", "0"),
        (f64::INFINITY, "0", "0"),
        (f64::MAX, &f64::MAX.to_string(), &f64::MAX.to_string()),
    ];
    for (komi, gnugo_komi, katago_komi) in cases {
        for (can, expected) in [(gnugo(), gnugo_komi), (katago(), katago_komi)] {
            let want = Position { komi: Some(komi), ..position(9, "") };
            let commands = plan(None, &want, &can, &[]).unwrap().commands;
            let line = format!("komi {expected}");
            assert!(commands.contains(&Command::Essential(line)), "{komi}: {commands:?}");
        }
    }
}

#[test]
fn rules_as_records_name_them() {
    let cases = [
        ("Chinese", Some("chinese")),
        ("NZ", Some("new-zealand")),
        ("New Zealand", Some("new-zealand")),
        (" AGA ", Some("aga")),
        ("Tromp_Taylor", Some("tromp-taylor")),
        ("日本", None),
        ("Japanese\nquit", None),
        ("", None),
        ("Ing (8 points for the empty triangle)", None),
    ];
    for (rules, expected) in cases {
        let want = Position { rules: Some(rules.to_owned()), ..position(9, "") };
        let plan = plan(None, &want, &katago(), &[]).unwrap();
        let told = plan.commands.iter().find_map(|command| match command {
            Command::Optional { line, what: "rules" } => line.strip_prefix("kata-set-rules "),
            _ => None,
        });
        assert_eq!(told, expected, "{rules}");
        assert_eq!(plan.lost.is_empty(), expected.is_some(), "{rules}: {:?}", plan.lost);
    }
}

#[test]
fn handicap() {
    let want = position(9, "AB C3 G7 C3; W E5");
    check(
        None,
        &want,
        &gnugo(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, set_free_handicap C3 G7, play W E5"],
    );
    check(
        None,
        &want,
        &plain(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, play B C3, play B G7, play W E5"],
    );
    // One stone is no handicap to GNU Go; White stones are none to anybody.
    check(
        None,
        &position(9, "AB C3; W E5"),
        &gnugo(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, play B C3, play W E5"],
    );
    check(
        None,
        &position(9, "AB C3 D3; AW E5"),
        &gnugo(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, set_free_handicap C3 D3, play W E5"],
    );
    // GNU Go answers `cannot undo` right after it: never undone, so replayed from the start.
    let here = at(&want, &gnugo());
    check(Some(&here), &position(9, "AB C3 G7 C3"), &gnugo(), expect!["undo: undo"]);
    check(
        Some(&here),
        &position(9, "AB C3 G7"),
        &gnugo(),
        expect!["replay: boardsize 9, clear_board, komi 6.5, set_free_handicap C3 G7"],
    );
}

#[test]
fn a_refused_replay_is_tried_without_the_handicap_command() {
    let want = position(9, "AB C3 G7; W E5");
    expect!["rearrange: boardsize 9, clear_board, komi 6.5, play B C3, play B G7, play W E5"]
        .assert_eq(&show(&plan(None, &want, &gnugo(), &[Strategy::Replay])));
}

#[test]
fn set_up_in_mid_game() {
    let want = position(5, "B C3; AW A1 B2 AB A2 A3 AE C3 AW B1; W D4");
    check(
        None,
        &want,
        &gnugo(),
        expect![
            "rebuild: boardsize 5, clear_board, loadsgf (;FF[4]GM[1]SZ[5]KM[6.5]PL[B]AB[ac][ad]AW[db][bd][ae][be]), komi 6.5, lost history"
        ],
    );
    let nothing_taken_away = position(5, "B C3; AW A1 B2 AB A2 A3 AE D3 AW B1; W D4");
    check(
        None,
        &nothing_taken_away,
        &gnugo(),
        expect![
            "replay: boardsize 5, clear_board, komi 6.5, play B C3, play W A1, play W B2, play B A2, play B A3, play W B1, play W D4"
        ],
    );
    // Set-up captures nothing, playing A2 and B1 does: A1 is put back at the end, and takes B1 as the
    // record's last move did.
    check(
        None,
        &position(3, "W A1; AB A2 B1; W B2; W C1"),
        &gnugo(),
        expect![
            "rearrange: boardsize 3, clear_board, komi 6.5, play W A1, play B A2, play B B1, play W B2, play W C1, play W A1, lost history, lost ko"
        ],
    );
}

#[test]
fn stones_taken_away() {
    let want = position(5, "B C3; W D4; AE C3; B B2");
    check(
        None,
        &want,
        &katago(),
        expect!["rebuild: boardsize 5, clear_board, komi 6.5, set_position W D4 B B2, lost history"],
    );
    check(
        None,
        &want,
        &gnugo(),
        expect![
            "rebuild: boardsize 5, clear_board, loadsgf (;FF[4]GM[1]SZ[5]KM[6.5]PL[B]AB[bd]AW[db]), komi 6.5, lost history"
        ],
    );
    check(
        None,
        &want,
        &plain(),
        expect!["rebuild: boardsize 5, clear_board, komi 6.5, play W D4, play B B2, lost history"],
    );
    // The engine follows from there, and takes back to there.
    let here = at(&want, &katago());
    check(
        Some(&here),
        &position(5, "B C3; W D4; AE C3; B B2; W pass"),
        &katago(),
        expect!["extend: play W pass, lost history"],
    );
    check(
        Some(&here),
        &position(5, "B C3; W D4; AE C3"),
        &katago(),
        expect!["rebuild: boardsize 5, clear_board, komi 6.5, set_position W D4, lost history"],
    );
    // Taking nothing away is no change.
    check(
        None,
        &position(5, "B C3; AE A1; W D4"),
        &plain(),
        expect!["replay: boardsize 5, clear_board, komi 6.5, play B C3, play W D4"],
    );
}

const KO: &str = "B B1; W C1; B A2; W D2; B B3; W C3; B C2; W B2";

#[test]
fn an_illegal_ko_in_the_record() {
    let want = position(5, &format!("{KO}; B C2"));
    check(
        None,
        &want,
        &gnugo(),
        expect![
            "rebuild: boardsize 5, clear_board, loadsgf (;FF[4]GM[1]SZ[5]KM[6.5]PL[B]AB[bc][ad][cd][be]AW[cc][dd][ce]), komi 6.5, lost history, lost ko"
        ],
    );
    // Legal after a pair of moves elsewhere.
    check(
        None,
        &position(5, &format!("{KO}; B E5; W D5; B C2")),
        &gnugo(),
        expect![
            "replay: boardsize 5, clear_board, komi 6.5, play B B1, play W C1, play B A2, play W D2, play B B3, play W C3, play B C2, play W B2, play B E5, play W D5, play B C2"
        ],
    );
}

#[test]
fn moves_that_engines_refuse() {
    // On an occupied point of its own colour; over the opponent's stone; suicide of one; of two.
    check(
        None,
        &position(5, "B C3; W D4; B C3"),
        &gnugo(),
        expect!["rearrange: boardsize 5, clear_board, komi 6.5, play B C3, play W D4, lost history"],
    );
    check(
        None,
        &position(5, "B C3; W C3"),
        &gnugo(),
        expect![
            "rebuild: boardsize 5, clear_board, loadsgf (;FF[4]GM[1]SZ[5]KM[6.5]PL[B]AW[cc]), komi 6.5, lost history"
        ],
    );
    check(
        None,
        &position(5, "W A2; W B1; B A1; W E5"),
        &gnugo(),
        expect![
            "rearrange: boardsize 5, clear_board, komi 6.5, play W A2, play W B1, play W E5, lost history"
        ],
    );
    check(
        None,
        &position(5, "B A1; W A3; W B2; W C1; B A2; W pass; B B1"),
        &gnugo(),
        expect![
            "rebuild: boardsize 5, clear_board, loadsgf (;FF[4]GM[1]SZ[5]KM[6.5]PL[B]AW[ac][bd][ce]), komi 6.5, lost history"
        ],
    );
    assert_eq!(
        predicted_refusals(&position(5, "B C3; W C3; W A2; W B1; B A1; AB C3 B1")),
        [("W C3", 1, Illegal::Occupied), ("B A1", 4, Illegal::Suicide), ("B B1", 5, Illegal::Occupied)].map(
            |(text, step, why)| {
                let Step::Play(play) = position(5, text).steps[0].clone() else { unreachable!() };
                (step, play, why)
            }
        )
    );
    let off = Step::Play(Move { color: Color::Black, vertex: Vertex::At(Point::new(30, 30)) });
    check(
        None,
        &Position { steps: vec![off], ..position(5, "") },
        &gnugo(),
        expect!["rearrange: boardsize 5, clear_board, komi 6.5, lost history"],
    );
}

#[test]
fn a_ko_that_the_engine_forgets() {
    // The first move over a stone makes the replay impossible, so the ko at the end is lost too.
    let want = position(5, &format!("B E5; B E5; AE E5; {KO}"));
    check(
        None,
        &want,
        &katago(),
        expect![
            "rebuild: boardsize 5, clear_board, komi 6.5, set_position B B3 W C3 B A2 W B2 W D2 B B1 W C1, lost history, lost ko"
        ],
    );
}

#[test]
fn what_is_lost_is_said_in_sentences() {
    let mut want = position(5, &format!("B E5; B E5; AE E5; {KO}"));
    want.komi = Some(5.25);
    want.rules = Some("house rules, no ko".to_owned());
    let sentences = |can: Abilities| {
        let lost = plan(None, &want, &can, &[]).unwrap().lost;
        lost.into_iter().map(|lost| lost.why + "\n").collect::<String>()
    };
    expect![[r#"
        The engine takes komi in half points: 5.25 became 5.5.
        The engine does not know the rules "house rules, no ko".
        The engine knows the stones; it was not told every move in order.
        The engine does not know that C2 may not be retaken.
    "#]]
    .assert_eq(&sentences(katago()));
    expect![[r#"
        The engine cannot be told rules; the record names "house rules, no ko".
        The engine knows the stones; it was not told every move in order.
        The engine does not know that C2 may not be retaken.
    "#]]
    .assert_eq(&sentences(gnugo()));
}

#[test]
fn only_the_missing_stones() {
    // The same stones in another order of moves, after a move that no engine takes.
    let here = at(&position(5, "B C3; W D4"), &gnugo());
    check(
        Some(&here),
        &position(5, "B C3; W D4; B C3; W E5"),
        &gnugo(),
        expect!["rearrange: play W E5, lost history"],
    );
}

#[test]
fn sizes() {
    let rectangle = on(Size::new(13, 7).unwrap(), "B N7; W A1");
    check(
        None,
        &rectangle,
        &katago(),
        expect!["replay: rectangular_boardsize 13 7, clear_board, komi 6.5, play B N7, play W A1"],
    );
    check(
        None,
        &rectangle,
        &gnugo(),
        expect![[
            r#"Size { size: Size { width: 13, height: 7 }, why: "This engine plays on square boards only." }"#
        ]],
    );
    check(
        None,
        &position(26, "B D4"),
        &katago(),
        expect![[
            r#"Size { size: Size { width: 26, height: 26 }, why: "GTP engines play on boards up to 25x25." }"#
        ]],
    );
    check(
        None,
        &position(25, "B Z25"),
        &katago(),
        expect!["replay: boardsize 25, clear_board, komi 6.5, play B Z25"],
    );
    check(
        None,
        &position(1, "B A1"),
        &katago(),
        expect!["rearrange: boardsize 1, clear_board, komi 6.5, lost history"],
    );
    let here = at(&position(9, "B D4"), &gnugo());
    check(
        Some(&here),
        &position(13, "B D4"),
        &gnugo(),
        expect!["replay: boardsize 13, clear_board, komi 6.5, play B D4"],
    );
    let rebuilt = on(Size::new(3, 2).unwrap(), "AB A1; AW C2; AE A1; B A1");
    check(
        None,
        &rebuilt,
        &katago(),
        expect![
            "rearrange: rectangular_boardsize 3 2, clear_board, komi 6.5, play B A1, play W C2, lost history"
        ],
    );
}

#[test]
fn stones_without_liberties() {
    check(None, &position(3, "AB A1; AW A2 B1"), &katago(), expect![[r#"InvalidPosition { vertex: "A1" }"#]]);
}

#[test]
fn forms_of_rebuild_are_banned_one_by_one() {
    let want = position(3, "B A1; W C3; AE A1");
    let mut banned = vec![];
    let mut names = vec![];
    while let Ok(plan) = plan(None, &want, &katago(), &banned) {
        Session::default().follow(&plan, &want, &katago());
        names.push(plan.strategy);
        banned.push(plan.strategy);
    }
    assert_eq!(names, [Form::SetPosition, Form::LoadSgf, Form::Stones].map(Strategy::Rebuild));
    assert_eq!(plan(None, &want, &katago(), &banned), Err(Refusal::CannotRecreate));
}
