//! Small positions, each with the move that has to be found or must not be played, in `positions.txt`.
//!
//! The first line of each says who is to move, the komi (chosen so that the move decides the game) and what it
//! is about. `X` is black. One of the points `a` must be played, or a pass where the first line says so;
//! none of the points `z` may be.

use super::report::{Choice, Manners};
use super::search::{Limits, Worker};
use super::tree::{Settings, Tree};
use crate::go::{Color, Point, Position, Size, Step, Vertex};

const POSITIONS: &str = include_str!("positions.txt");

struct Problem<'a> {
    name: &'a str,
    position: Position,
    right: Vec<Vertex>,
    wrong: Vec<Vertex>,
}

fn problem(text: &str) -> Problem<'_> {
    let mut lines = text.lines();
    let (head, name) = lines.next().unwrap().split_once(": ").unwrap();
    let rows: Vec<Vec<char>> = lines.map(|line| line.chars().filter(|char| *char != ' ').collect()).collect();
    let size = Size::new(rows[0].len() as u8, rows.len() as u8).unwrap();
    let (mut stones, mut right, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for point in size.points() {
        match rows[usize::from(point.row)][usize::from(point.col)] {
            'X' => stones.push((point, Some(Color::Black))),
            'O' => stones.push((point, Some(Color::White))),
            'a' => right.push(Vertex::At(point)),
            'z' => wrong.push(Vertex::At(point)),
            '.' => {}
            other => panic!("{name}: {other}"),
        }
    }
    let mut words = head.split(' ');
    let to_play = Color::parse(words.next().unwrap()).unwrap();
    let komi = words.next().map(|word| word.parse().unwrap());
    if words.next() == Some("pass") {
        right.push(Vertex::Pass);
    }
    let position = Position { komi, to_play, steps: vec![Step::Setup(stones)], ..Position::new(size) };
    Problem { name, position, right, wrong }
}

fn searched(position: &Position, visits: u32, seed: u64) -> Tree {
    let tree = Tree::new(position, Settings::default()).unwrap();
    let mut worker = Worker::new(&tree, seed);
    tree.prepare(&mut worker, &|_| true);
    tree.search(&mut worker, Limits { visits: Some(visits), ..Limits::default() }, &|| false);
    tree
}

/// Without optimization a search takes thirty times as long; the problems are easy enough for less.
const VISITS: u32 = if cfg!(debug_assertions) { 500 } else { 3_000 };

#[test]
fn nineteen_of_twenty_are_found() {
    let problems: Vec<_> = POSITIONS.trim().split("\n\n").map(problem).collect();
    assert!(problems.len() >= 60);
    let mut missed = Vec::new();
    for problem in &problems {
        let tree = searched(&problem.position, VISITS, 1);
        let found = tree.report().candidates[0].vertex;
        if (!problem.right.is_empty() && !problem.right.contains(&found)) || problem.wrong.contains(&found) {
            missed.push((problem.name, found.to_gtp(problem.position.size)));
        }
    }
    assert!(missed.len() * 20 <= problems.len(), "{} of {}: {missed:?}", missed.len(), problems.len());
}

/// The game of `fixtures/games/endgame-9x9.sgf`.
fn decided() -> Position {
    const MOVES: &str = "fd cf fg dc fc dg dd cc cd bd be bc ce eb bf gb ge hc hd fb gc hb ae id ie ic ad ac";
    let size = Size::square(9).unwrap();
    let mut position = Position { komi: Some(7.0), ..Position::new(size) };
    for (number, text) in MOVES.split(' ').enumerate() {
        let at = text.as_bytes();
        let vertex = Vertex::At(Point::new(at[0] - b'a', at[1] - b'a'));
        let color = Color::ALL[number % 2];
        position.steps.push(Step::Play(crate::go::Move { color, vertex }));
        position.to_play = color.opponent();
    }
    position
}

#[test]
fn a_decided_game_is_seen_as_decided() {
    let position = decided();
    let report = searched(&position, VISITS, 1).report();
    assert!(report.winrate > 0.7, "{}", report.winrate);
    assert!(report.score_lead > 0.0, "{}", report.score_lead);
    // White's corner at the top left, Black's side at the bottom right.
    for (text, owner) in
        [("A9", -1.0), ("C9", -1.0), ("H8", -1.0), ("F1", 1.0), ("J1", 1.0), ("H4", 1.0), ("B4", 1.0)]
    {
        let Some(Vertex::At(point)) = Vertex::parse_gtp(text, position.size) else { panic!() };
        let share = report.ownership[position.size.index(point)];
        assert!(share * owner > 0.5, "{text} {share}");
    }
}

#[test]
fn one_worker_and_a_seed_always_find_the_same() {
    let position = decided();
    let reports = [1, 1, 2].map(|seed| searched(&position, 200, seed).report());
    assert_eq!(reports[0], reports[1]);
    assert_ne!(reports[0], reports[2]);
}

#[test]
fn who_is_lost_resigns_and_who_has_won_passes() {
    let size = Size::square(5).unwrap();
    let rows = [".XX.X", "XXXXX", "XX.XX", "OOOXX", ".O.OX"];
    let mut stones = Vec::new();
    for point in size.points() {
        match rows[usize::from(point.row)].as_bytes()[usize::from(point.col)] {
            b'X' => stones.push((point, Some(Color::Black))),
            b'O' => stones.push((point, Some(Color::White))),
            _ => {}
        }
    }
    let position = Position { komi: Some(5.5), steps: vec![Step::Setup(stones)], ..Position::new(size) };
    let tree = searched(&position, 500, 1);
    assert_eq!(tree.choose(&Manners::default()), Choice::Play(Vertex::Pass));
    let lost = Position { to_play: Color::White, ..position };
    let tree = searched(&lost, 500, 1);
    assert_eq!(tree.choose(&Manners::default()), Choice::Resign);
    assert_ne!(tree.choose(&Manners { resign_below: 0.0 }), Choice::Resign);
}
