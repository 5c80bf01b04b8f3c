use super::*;
use crate::go::Size;

/// A board from a picture: `X` is Black.
fn pictured(rows: &[&str]) -> Position {
    let size = Size::new(rows[0].len() as u8, rows.len() as u8).unwrap();
    let stone = |byte: u8| match byte {
        b'X' => Some(Color::Black),
        b'O' => Some(Color::White),
        _ => None,
    };
    let stones =
        size.points().map(|point| (point, stone(rows[point.row as usize].as_bytes()[point.col as usize])));
    let steps = vec![Step::Setup(stones.filter(|(_, stone)| stone.is_some()).collect())];
    Position { steps, ..Position::new(size) }
}

/// Plays `B D4`, `W pass` …; the outcome of the last.
fn last(referee: &mut Referee, moves: &str) -> Result<Played, Fault> {
    let size = referee.board().size();
    let mut outcome = Ok(Played { captured: 0, over: None });
    for text in moves.split(", ") {
        outcome.unwrap_or_else(|fault| panic!("before {text} of {moves}: {fault:?}"));
        let (color, vertex) = text.split_once(' ').unwrap();
        let play =
            Move { color: Color::parse(color).unwrap(), vertex: Vertex::parse_gtp(vertex, size).unwrap() };
        outcome = referee.play(play);
    }
    outcome
}

const OPEN: [&str; 4] = [".XO.", "XO.O", ".XO.", "...."];

#[test]
fn moves_are_judged_by_the_rules_in_force() {
    let went = |captured| Ok(Played { captured, over: None });
    let suicide = [".X..", "X...", "....", "...."];
    type Case<'a> = (&'a [&'a str; 4], &'a str, &'a str, Result<Played, Fault>);
    let cases: &[Case<'_>] = &[
        (&OPEN, "", "B C3", went(1)),
        (&OPEN, "", "B C3, W B3", Err(Fault::Illegal(Illegal::Ko))),
        (&OPEN, "", "B A1, W A1", Err(Fault::Illegal(Illegal::Occupied))),
        (&OPEN, "", "W D1", Err(Fault::NotYourTurn)),
        // After a threat and its answer the board is another one.
        (&OPEN, "Chinese", "B C3, W A1, B B1, W B3", went(1)),
        (&suicide, "Japanese", "B D1, W A4", Err(Fault::Illegal(Illegal::Suicide))),
        (&suicide, "Tromp-Taylor", "B D1, W A4", Err(Fault::Repetition)),
        (&suicide, "NZ", "B D1, W A4", went(0)),
    ];
    for (rows, rules, moves, expected) in cases {
        let rules = Some(*rules).filter(|rules| !rules.is_empty());
        let mut referee = Referee::new(&pictured(*rows), MoveRules::named(rules), None);
        assert_eq!(last(&mut referee, moves), *expected, "{rules:?}: {moves}");
    }
}

proptest::proptest! {
    /// On a board so small that everything comes back soon: superko is a list of pictures.
    #[test]
    fn superko_is_what_its_words_say(points in proptest::collection::vec(0_usize..5, 1..60), situational: bool) {
        let size = Size::new(2, 2).unwrap();
        let ko = if situational { Ko::Situational } else { Ko::Positional };
        let rules = MoveRules { ko, suicide: false };
        let mut referee = Referee::new(&Position::new(size), rules, None);
        let picture = |board: &Board, next: Color| {
            let stones: Vec<_> = size.points().map(|point| board.at(point)).collect();
            (stones, situational.then_some(next))
        };
        let mut seen = vec![picture(referee.board(), Color::Black)];
        for index in points {
            let color = referee.to_play();
            let vertex = if index == 4 { Vertex::Pass } else { Vertex::At(size.point(index)) };
            let play = Move { color, vertex };
            let mut after = referee.board().clone();
            let legal = after.legality(play).is_ok();
            after.execute(play);
            let now = picture(&after, color.opponent());
            let repeats = vertex != Vertex::Pass && seen.contains(&now);
            let judged = referee.play(play);
            proptest::prop_assert_eq!(judged == Err(Fault::Repetition), legal && repeats);
            proptest::prop_assert_eq!(judged.is_ok(), legal && !repeats);
            if judged.is_ok() {
                seen.push(now);
            }
        }
    }
}

#[test]
fn play_is_over_by_two_passes_in_a_row_or_by_the_limit() {
    let over = |over| Ok(Played { captured: 0, over });
    let cases = [
        ("B pass", None, over(None)),
        ("B pass, W pass", None, over(Some(Over::Passes))),
        ("B pass, W A1, B pass", None, over(None)),
        ("B A1, W B1", Some(2), over(Some(Over::MoveLimit))),
        ("B A1, W pass, B pass", Some(3), over(Some(Over::Passes))),
    ];
    for (moves, limit, expected) in cases {
        let start = Position::new(Size::square(9).unwrap());
        let mut referee = Referee::new(&start, MoveRules::named(None), limit);
        assert_eq!(last(&mut referee, moves), expected, "{moves}");
    }
    // A pass before the game is none of the game's.
    let mut start = Position::new(Size::square(9).unwrap());
    start.steps.push(Step::Play(Move { color: Color::Black, vertex: Vertex::Pass }));
    start.to_play = Color::White;
    let mut referee = Referee::new(&start, MoveRules::named(None), None);
    assert_eq!(last(&mut referee, "W pass"), over(None));
}

#[test]
fn area_is_counted_with_every_stone_alive() {
    let cases = [
        (["....", "....", "....", "...."], [0, 0]),
        (["...X", "....", "....", "...."], [16, 0]),
        ([".XO.", ".XO.", ".XO.", ".XO."], [8, 8]),
        // The white stone in the corner stands: the point below it is nobody's, like the column between.
        (["OX.O", ".X.O", "XX.O", "XX.O"], [6, 5]),
    ];
    for (rows, expected) in cases {
        let rows: &[&str; 4] = &rows;
        assert_eq!(area(&pictured(rows).board()), expected, "{rows:?}");
    }
}

#[test]
fn results_are_written_as_records_write_them() {
    let cases = [(3.5, "B+3.5"), (-12.0, "W+12"), (0.0, "0"), (-0.0, "0"), (0.25, "B+0.25")];
    for (lead, text) in cases {
        assert_eq!(result_text(lead), text);
    }
}
