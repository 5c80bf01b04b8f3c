//! Small positions, each with the move that has to be found or must not be played.
//!
//! The first line says who is to move, the komi (chosen so that the move decides the game) and what it
//! is about. `X` is black. One of the points `a` must be played, or a pass where the first line says so;
//! none of the points `z` may be.

use super::report::{Choice, Manners};
use super::search::{Limits, Worker};
use super::tree::{Settings, Tree};
use crate::go::{Color, Point, Position, Size, Step, Vertex};

const POSITIONS: &str = "
black -18.5: straight three is killed in its middle
. a . O X . .
O O O O X . .
X X X X X . .
. . . . . . .
. . . . . . .

white 27.5: straight three lives in its middle
. a . O X . .
O O O O X . .
X X X X X . .
. . . . . . .
. . . . . . .

black -9.5: bent three in the corner is killed
a . O X . .
. O O X . .
O O X X . .
X X X . . .
. . . . . .

white 22.5: bent three in the corner lives
a . O X . .
. O O X . .
O O X X . .
X X X . . .
. . . . . .

black -10.5: the T is killed
. a . O X . .
O . O O X . .
X O O X X . .
X X X X . . .
. . . . . . .

white 25.5: the T lives
. a . O X . .
O . O O X . .
X O O X X . .
X X X X . . .
. . . . . . .

black -14.5: bulky five is killed
. a . O X . .
. . O O X . .
O O O X X . .
X X X X . . .
. . . . . . .

white 25.5: bulky five lives
. a . O X . .
. . O O X . .
O O O X X . .
X X X X . . .
. . . . . . .

black -20.5: the cross is killed
X X O O O X X
X O O . O O X
X O . a . O X
X O O . O O X
X X O O O X X
X X X X X X X
. . . . . . .

white 27.5: the cross lives
X X O O O X X
X O O . O O X
X O . a . O X
X O O . O O X
X X O O O X X
X X X X X X X
. . . . . . .

black -20.5: rabbity six is killed
X X O O O O X
X O O . O O X
X O . a . O X
X O . . O O X
X O O O O X X
X X X X X X X
. . . . . . .

white 27.5: rabbity six lives
X X O O O O X
X O O . O O X
X O . a . O X
X O . . O O X
X O O O O X X
X X X X X X X
. . . . . . .

white 15.5: three stones inside leave a middle
. X X a X O .
X X O O O O .
O O O . . . .
. . . . . . .
. . . . . . .

white 8.5: straight three on the side is killed
O X . a . X O
O X X X X X O
O O O O O O O
. . . . . . .

black -17.5: straight three on the side lives
O X . a . X O
O X X X X X O
O O O O O O O
. . . . . . .

black -17.5: an eye is made false
. O X . X . .
O O X X X . .
a O X . . . .
O X X . . . .
X X . . . . .
. . . . . . .

black 11.5: two cutting stones are taken
. . . . . . .
. X X O . . .
. X O O X . .
. . X a X . .
. . O X . . .
. . O . O . .
. . . . . . .

black -28.5: the capture that saves
. . . . . . .
. O O X . . .
O X X O X . .
O X . a X . .
O O X X . . .
. . . . . . .
. . . . . . .

black 7.5: atari on the side where it cannot run
. . . . . . .
. . X X . . .
. . X O a . .
. . . O X . .
. . X z . . .
. . . . . . .
. . . . . . .

black -26.5: the last eye
. X . a O . .
X X X X O . .
O O O O O . .
. . . . . . .
. . . . . . .

white 23.5: the second eye is taken away
. X . a O . .
X X X X O . .
O O O O O . .
. . . . . . .
. . . . . . .

white 27.5: four stones in atari are taken
. . O O . . .
. O X X O . .
. O X X O . .
. . O a . . .
. . . X . . .
. X . . . X .
. . . . . . .

black -38.5: double atari
. . X . X . . .
. X O a O X . .
. X O X O X . .
. X . . . X . .
. . . . . . . .
. O . . . . O .
. O O O O O O .
. . . . . . . .

white 16.5: the cut
. . . . . . . .
X X X a X X X .
O O O X O O O .
. . O X O . O .
. . O O O . . .
. . . . . . . .

black -39.5: connect under on the first line
. X a . X O . .
X X O O X O . .
O O O O X O . .
. . . O O O . .
. . . . . . . .

black -23.5: save by taking the ko
. . . . . . . .
X X X X X X . .
O O O O O X X .
. O . O a O X .
O O O . O X X .
. . O O X X . .
. . . O X . . .
. . . O X . . .

black -32.5: a corner of one eye is closed
. a O . . . .
X X O . . . .
. X O . . . .
X X O O O . .
O O O . . . .
. . . . . . .

white 18.5: a corner of one eye is broken into
. a O . . . .
X X O . . . .
. X O . . . .
X X O O O . .
O O O . . . .
. . . . . . .

black -12.5: the empty corner of the square and one
X X X X . . .
O O O X . . .
. . O X X X .
. a . O O X .
O O O O X X .
X X X X X . .
. . . . . . .

black -13.5: the hane that kills six
. . . . . . . . . .
. X O O O O O O X .
. X X X X X X X X .
. . . . . . . . . .
. . . . . . . . . .

white 46.5: the hane saves six
. . . . . . . . . .
. X O O O O O O X .
. X X X X X X X X .
. . . . . . . . . .
. . . . . . . . . .

black 9.5: a snapback
. X . a O O .
. X O O X O .
. X X X X O .
. . . . X O .
. . . . X O O

white 11.5: the connection against a snapback
. X z a O O .
. X O O X O .
. X X X X O .
. . . . X O .
. . . . X O O

white 30.5: three in a column on the edge live
O O O X . .
O O X X . .
. O X . . .
a O X . . .
. O X . . .
O O X . . .
X X X . . .

black -12.5: bent three on the side is killed
. . . . . . .
X X X X X X .
X O O O O X .
X O . a O X .
X O O . O X .
X X O O O X .
. X X X X X .

white 35.5: bent three on the side lives
. . . . . . .
X X X X X X .
X O O O O X .
X O . a O X .
X O O . O X .
X X O O O X .
. X X X X X .

black -10.5: the T on the side is killed
X O . a . O X
X O O . O O X
X X O O O X X
. X X X X X .
. . . . . . .

white 23.5: the T on the side lives
X O . a . O X
X O O . O O X
X X O O O X X
. X X X X X .
. . . . . . .

white 27.5: a stone in the way is taken with its eye
X X X X X . .
X O O O X X .
X O X a O X .
X O O O O X .
X X X X X X .
. . . . . . .
. . . . . . .

white 28.5: two stones are cut off and taken
. . . . . . . .
. O O O O . . .
. O X X a X . .
. O O O X X . .
. . . O X . . .
. . . O X . . .
. . . O X . . .

black 19.5: a big chain in atari is taken, not a small one
. O X . . . .
z X O O O X .
. X X X O X .
. . . X O X .
. . X X a X .
. . X . . . .
. . . . . . .

black -16.5 pass: a decided board is left alone
. X X . X O .
X X . X X O O
X . X X O O .
X X X O O . O
X X O O . O O

white 19.5 pass: a decided board is left alone
. X X . X O .
X X . X X O O
X . X X O O .
X X X O O . O
X X O O . O O

black -14.5: the last neutral point is taken
. X X . X O .
X X . X X O O
X . X X a O .
X X X O O . O
X X O O . O O

black -40.5: self-atari of many is refused
. . X O . . .
X X X O O O .
O O O X X O .
. O X z X O .
O O X X X O .
O O O O O O .
. . . . . . .

black -14.5: a stone on the second line is driven to the edge
. . . . . . .
. . X X . . .
. X O O a . .
. . X X O . .
. . . X O . .
. . . . . . .

black -6.5 pass: a seki is left alone
. O X z O X .
O O X O O X X
. O X z O X .
O O X O O X X
O O O X X X .

white 5.5 pass: a seki is left alone
. O X z O X .
O O X O O X X
. O X z O X .
O O X O O X X
O O O X X X .

black -17.5: three in the middle of the board are killed
. . . . . . . . .
. X X X X X X X .
. X O O O O O X .
. X O . a . O X .
. X O O O O O X .
. X X X X X X X .
. . . . . . . . .

white 52.5: three in the middle of the board live
. . . . . . . . .
. X X X X X X X .
. X O O O O O X .
. X O . a . O X .
. X O O O O O X .
. X X X X X X X .
. . . . . . . . .

white 11.5: the black T is killed
O X . a . X O
O X X . X X O
O O X X X O O
. O O O O O .
. . . . . . .

black -22.5: the black T lives
O X . a . X O
O X X . X X O
O O X X X O O
. O O O O O .
. . . . . . .

white 18.5: the black bulky five is killed
. . O X . .
. . O X . a
. . O X X .
. . O O X X
. . . O O O
. . . . . .

black -23.5: the black bulky five lives
. . O X . .
. . O X . a
. . O X X .
. . O O X X
. . . O O O
. . . . . .

black -11.5: the last eye in a column is taken away
. O X . .
O O X . .
. O X . .
a O X . .
X X X . .
. . . . .

white 22.5: the last eye in a column
. O X . .
O O X . .
. O X . .
a O X . .
X X X . .
. . . . .

white -10.5: a snapback on three black stones
. X X a . O .
. X O X X O .
. X O O O O .
. X O . . . .
X X O . . . .

black -10.5: the connection against White's snapback
. X X a z O .
. X O X X O .
. X O O O O .
. X O . . . .
X X O . . . .

white 41.5: double atari by White
. . . . . . . .
. X X X X X X .
. X . . . . X .
. . . . . . . .
. O . . . O . .
. O X O X O . .
. O X a X O . .
. . O . O . . .

white 10.5: bent three in the lower right is killed
. . . . . .
. . . O O O
. . O O X X
. . O X X .
. . O X . a

black -21.5: bent three in the lower right lives
. . . . . .
. . . O O O
. . O O X X
. . O X X .
. . O X . a

black -17.5: black four stones in atari are taken
. . X X . . .
. X O O X . .
. X O O X . .
. . X a . . .
. . . O . . .
. O . . . O .
";

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
    assert!(report.winrate > 0.85, "{}", report.winrate);
    assert!(report.score_lead > 0.0, "{}", report.score_lead);
    // White's corner at the top left, Black's side at the bottom right.
    for (text, owner) in [("A9", -1.0), ("C9", -1.0), ("H8", -1.0), ("F1", 1.0), ("J1", 1.0), ("H4", 1.0), ("B4", 1.0)]
    {
        let Some(Vertex::At(point)) = Vertex::parse_gtp(text, position.size) else { panic!() };
        let share = report.ownership[position.size.index(point)];
        assert!(share * owner > 0.6, "{text} {share}");
    }
    // The same seen by White, who is to move and far behind.
    let white = Position { to_play: Color::White, ..position };
    let report = searched(&white, VISITS, 1).report();
    assert!(report.winrate < 0.3 && report.score_lead < 0.0, "{} {}", report.winrate, report.score_lead);
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
