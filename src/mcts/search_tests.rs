//! Small positions, each with the move that has to be found or must not be played, in `positions.txt`.
//!
//! The first line of each says who is to move, the komi (chosen so that the move decides the game) and what it
//! is about. `X` is black. One of the points `a` must be played, or a pass where the first line says so;
//! none of the points `z` may be.

use std::collections::HashSet;

use super::board::BLACK;
use super::random::Random;
use super::report::{Choice, Manners};
use super::search::{Limits, Worker};
use super::tree::{Settings, Tree};
use crate::go::{Color, Move, Position, Size, Step, Vertex};

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

/// A game on 9x9, komi 7, up to its last plays; Black is to move.
fn decided() -> Position {
    const MOVES: &str = "G5 E5 F7 G4 F4 F5 G3 H4 H5 F3 E4 H3 D5 G2 C4 J5 H7 E3 D4 C2 C7 B3 B4 A4 B6 J6 H6 J7 J8 J4 \
                         G8 A5 A6 B5 C5 A3 D6 C3";
    let size = Size::square(9).unwrap();
    let mut position = Position { komi: Some(7.0), ..Position::new(size) };
    for text in MOVES.split_whitespace() {
        push(&mut position, text);
    }
    position
}

fn push(position: &mut Position, text: &str) {
    let vertex = Vertex::parse_gtp(text, position.size).unwrap();
    position.steps.push(Step::Play(Move { color: position.to_play, vertex }));
    position.to_play = position.to_play.opponent();
}

/// Whose the points of [`decided`] are, E5 and F5 being dead and D3 neutral: by GNU Go 3.8, which calls the
/// same stones dead. 45 points to 35.
const OWNERS: [&str; 9] = [
    "XXXXXXXXX",
    "XXXXXXXXX",
    "XXXXXXXXO",
    "XXXXXXXXO",
    "OOXXXXXXO",
    "OXXXXXOOO",
    "OOO.OOOOO",
    "OOOOOOOOO",
    "OOOOOOOOO",
];

#[test]
fn a_decided_game_is_seen_as_decided() {
    let position = decided();
    let report = searched(&position, VISITS, 1).report();
    assert!(report.winrate > 0.85, "{}", report.winrate);
    // Whoever takes D3: three points more or less one.
    assert!((0.0..6.0).contains(&report.score_lead), "{}", report.score_lead);
    for point in position.size.points() {
        let owner = match OWNERS[usize::from(point.row)].as_bytes()[usize::from(point.col)] {
            b'X' => 1.0,
            b'O' => -1.0,
            _ => continue,
        };
        let share = report.ownership[position.size.index(point)];
        assert!(share * owner > 0.5, "{} {share}", Vertex::At(point).to_gtp(position.size));
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

#[test]
fn one_lost_playout_is_no_reason_to_resign() {
    for seed in 0..40 {
        let position = Position::new(Size::square(5).unwrap());
        let tree = searched(&position, 1, seed);
        assert_ne!(tree.choose(&Manners::default()), Choice::Resign);
    }
}

#[test]
fn what_stood_before_may_not_come_back() {
    // Games at random on a board so small that arrangements come back all the time.
    let mut random = Random::new(5);
    let (mut forbidden, mut games) = (0, 0);
    while games < 60 {
        games += 1;
        let mut position = Position { komi: Some(0.5), ..Position::new(Size::new(2, 2).unwrap()) };
        let mut seen = HashSet::from([position.board().hash()]);
        for _ in 0..3 + random.below(6) {
            let board = position.board();
            let color = position.to_play;
            let plays: Vec<_> =
                position.size.points().map(|point| Move { color, vertex: Vertex::At(point) }).collect();
            let legal: Vec<_> = plays.into_iter().filter(|play| board.legality(*play).is_ok()).collect();
            let Some(play) = legal.get(random.below(legal.len())) else { break };
            position.steps.push(Step::Play(*play));
            position.to_play = color.opponent();
            seen.insert(position.board().hash());
        }
        let tree = searched(&position, 50, 1);
        for child in tree.root().children() {
            let vertex = tree.board().grid().vertex(child.place);
            let mut after = position.clone();
            after.steps.push(Step::Play(Move { color: position.to_play, vertex }));
            let repeats = vertex != Vertex::Pass && seen.contains(&after.board().hash());
            assert_eq!(child.is_banned(), repeats, "{vertex:?}");
            assert!(!repeats || child.visits() == 0);
            forbidden += usize::from(repeats);
        }
    }
    assert!(forbidden > 0);
}

#[test]
fn several_threads_grow_one_tree() {
    let position = decided();
    let tree = Tree::new(&position, Settings::default()).unwrap();
    let mut workers = [1, 2, 3].map(|seed| Worker::new(&tree, seed));
    tree.prepare(&mut workers[0], &|_| true);
    let limits = Limits { playouts: Some(u64::from(VISITS)), ..Limits::default() };
    std::thread::scope(|scope| {
        for worker in &mut workers {
            scope.spawn(|| tree.search(worker, limits, &|| false));
        }
    });
    // Every simulation is counted, but for those that found a repetition.
    let total = 3 * VISITS;
    assert!(tree.root().visits() > total - 50 && tree.root().visits() <= total);
    assert_eq!(u64::from(tree.root().visits()), tree.playouts());
    let report = tree.report();
    assert!(report.winrate > 0.85, "{}", report.winrate);
    let below: u32 = report.candidates.iter().map(|candidate| candidate.visits).sum();
    assert!(below <= report.visits && below + 10 > report.visits);
}

#[test]
fn the_tree_keeps_within_its_memory() {
    let size = Size::square(9).unwrap();
    let settings = Settings { nodes: 1_000, ..Settings::default() };
    let tree = Tree::new(&Position::new(size), settings).unwrap();
    let mut worker = Worker::new(&tree, 1);
    tree.prepare(&mut worker, &|_| true);
    tree.search(&mut worker, Limits { visits: Some(1_000), ..Limits::default() }, &|| false);
    assert_eq!(tree.root().visits(), 1_000);
    // The moves of one more node may go beyond the limit.
    assert!(tree.nodes() < 1_000 + size.area() + 1, "{}", tree.nodes());
    assert_eq!(tree.nodes(), tree.root().count());
}

#[test]
fn a_choice_is_clear_when_nothing_can_change_it() {
    let tree = searched(&decided(), VISITS, 1);
    let visits: Vec<u32> = tree.report().candidates.iter().map(|candidate| candidate.visits).collect();
    let gap = visits[0] - visits.get(1).copied().unwrap_or_default();
    assert!(tree.is_clear(gap - 1));
    let open = searched(&Position::new(Size::square(9).unwrap()), 200, 1);
    assert!(!open.is_clear(200));
    assert_eq!(open.to_play(), BLACK);
}
