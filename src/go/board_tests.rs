use super::*;
use Color::{Black as B, White as W};
use proptest::prelude::*;

/// Reads rows of `X` (Black), `O` (White) and `.`.
fn board(rows: &[&str]) -> Board {
    let mut board = Board::new(Size::new(rows[0].len() as u8, rows.len() as u8).unwrap());
    for (row, line) in rows.iter().enumerate() {
        for (col, letter) in line.bytes().enumerate() {
            let stone = match letter {
                b'X' => Some(B),
                b'O' => Some(W),
                _ => None,
            };
            board.set(Point::new(col as u8, row as u8), stone);
        }
    }
    board
}

fn rows(board: &Board) -> Vec<String> {
    let size = board.size();
    let letter = |col, row| match board.at(Point::new(col, row)) {
        Some(B) => 'X',
        Some(W) => 'O',
        None => '.',
    };
    (0..size.height()).map(|row| (0..size.width()).map(|col| letter(col, row)).collect()).collect()
}

fn play(color: Color, col: u8, row: u8) -> Move {
    Move { color, vertex: Vertex::At(Point::new(col, row)) }
}

/// Each row: the board, the move, what it breaks, the board after it, stones taken by Black, by White.
#[test]
fn moves_are_executed() {
    type Row<'a> = (&'a str, &'a [&'a str], Move, Option<Illegal>, &'a [&'a str], u32, u32);
    let table: [Row; 11] = [
        ("plain", &["..", ".."], play(B, 1, 0), None, &[".X", ".."], 0, 0),
        ("capture in the corner", &["OX.", "...", "..."], play(B, 0, 1), None, &[".X.", "X..", "..."], 1, 0),
        ("two chains at once", &["O.O", "XXX"], play(B, 1, 0), None, &[".X.", "XXX"], 2, 0),
        (
            "suicide of two",
            &["OO.", ".O.", "XO."],
            play(B, 0, 1),
            Some(Illegal::Suicide),
            &["OO.", ".O.", ".O."],
            0,
            2,
        ),
        ("capture before suicide", &["OX.", ".O.", "XO."], play(B, 0, 1), None, &[".X.", "XO.", "XO."], 1, 0),
        ("single suicide", &[".O", "O."], play(B, 0, 0), Some(Illegal::Suicide), &[".O", "O."], 0, 1),
        ("throw-in that takes", &[".OX", "OX.", "X.."], play(B, 0, 0), None, &["X.X", ".X.", "X.."], 2, 0),
        (
            "overwrites the opponent",
            &["XO.", "..."],
            play(B, 1, 0),
            Some(Illegal::Occupied),
            &["XX.", "..."],
            0,
            0,
        ),
        ("overwrites itself", &["X.", ".."], play(B, 0, 0), Some(Illegal::Occupied), &["X.", ".."], 0, 0),
        ("the only point", &["."], play(W, 0, 0), Some(Illegal::Suicide), &["."], 1, 0),
        ("off the board", &["X."], play(W, 5, 5), Some(Illegal::OffBoard), &["X."], 0, 0),
    ];
    for (name, before, play, illegal, after, by_black, by_white) in table {
        let mut board = board(before);
        assert_eq!(board.legality(play).err(), illegal, "{name}");
        let outcome = board.execute(play);
        assert_eq!(outcome.illegal, illegal, "{name}");
        assert_eq!(rows(&board), after, "{name}");
        assert_eq!((board.captures(B), board.captures(W)), (by_black, by_white), "{name}");
    }
}

#[test]
fn ko_is_forbidden_to_the_opponent_for_one_move() {
    let mut start = board(&[".XO.", "X.XO", ".XO."]);
    assert_eq!(start.execute(play(W, 1, 1)).captured, [Point::new(2, 1)]);
    assert_eq!(start.ko(), Some(Point::new(2, 1)));
    assert_eq!(start.legality(play(B, 2, 1)), Err(Illegal::Ko));
    assert_eq!(start.legality(play(W, 2, 1)), Ok(()), "filling is no retaking");
    let elsewhere = Move { color: B, vertex: Vertex::Pass };
    let mut passed = start.clone();
    passed.execute(elsewhere);
    assert_eq!((passed.ko(), passed.legality(play(B, 2, 1))), (None, Ok(())));
    // In a record it is played all the same, and gives a ko the other way round.
    let outcome = start.execute(play(B, 2, 1));
    assert_eq!((outcome.captured, outcome.illegal), (vec![Point::new(1, 1)], Some(Illegal::Ko)));
    assert_eq!(start.ko(), Some(Point::new(1, 1)));
    start.set(Point::new(3, 2), None);
    assert_eq!(start.ko(), None, "set-up ends a ko");
}

#[test]
fn snapback_is_no_ko() {
    // White takes one stone but stands there as part of a chain; Black takes three back.
    let mut board = board(&["XOO.X", "XXXXX"]);
    board.execute(play(B, 3, 0));
    assert_eq!(rows(&board), ["X..XX", "XXXXX"]);
    let mut board = self::board(&["OOX.X", "XXOOX", "..XXX"]);
    board.execute(play(W, 3, 0));
    assert_eq!(board.ko(), None);
}

#[test]
fn stones_without_liberties_come_from_set_up() {
    let board = board(&["OX.", "XOX", "OXO"]);
    let dead = board.stones_without_liberties();
    assert_eq!(dead, [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)].map(|(col, row)| Point::new(col, row)));
}

#[test]
fn chains_and_liberties() {
    let board = board(&["XX.", ".XO", "O.X"]);
    let points = |list: &[(u8, u8)]| list.iter().map(|(col, row)| Point::new(*col, *row)).collect::<Vec<_>>();
    assert_eq!(board.chain(Point::new(1, 1)), points(&[(0, 0), (1, 0), (1, 1)]));
    assert_eq!(board.liberties(Point::new(0, 0)), points(&[(2, 0), (0, 1), (1, 2)]));
    assert_eq!(board.chain(Point::new(2, 0)), []);
    assert_eq!(board.liberties(Point::new(9, 9)), []);
}

/// A second opinion: a map of stones, floods from scratch, no incremental state.
mod naive {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[derive(Clone, Default)]
    pub struct Model {
        pub stones: BTreeMap<(i32, i32), Color>,
        pub taken: BTreeMap<Color, u32>,
    }

    impl Model {
        fn chain(&self, size: Size, start: (i32, i32)) -> (BTreeSet<(i32, i32)>, bool) {
            let color = self.stones[&start];
            let mut chain = BTreeSet::from([start]);
            let mut alive = false;
            loop {
                let before = chain.len();
                for (x, y) in chain.clone() {
                    for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                        let beside = (x + dx, y + dy);
                        let on = (0..i32::from(size.width())).contains(&beside.0)
                            && (0..i32::from(size.height())).contains(&beside.1);
                        match self.stones.get(&beside) {
                            Some(other) if *other == color => drop(chain.insert(beside)),
                            Some(_) => {}
                            None => alive |= on,
                        }
                    }
                }
                if chain.len() == before {
                    return (chain, alive);
                }
            }
        }

        /// Plays a stone; how many of the opponent's and how many of its own were taken.
        pub fn play(&mut self, size: Size, color: Color, at: (i32, i32)) -> (u32, u32) {
            self.stones.insert(at, color);
            let (x, y) = at;
            let mut counts = [0, 0];
            let beside = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)];
            for (owner, points) in [(color.opponent(), &beside[..]), (color, &[at][..])] {
                for point in points {
                    if self.stones.get(point) != Some(&owner) {
                        continue;
                    }
                    let (chain, alive) = self.chain(size, *point);
                    if !alive {
                        counts[usize::from(owner == color)] += chain.len() as u32;
                        *self.taken.entry(owner.opponent()).or_default() += chain.len() as u32;
                        self.stones.retain(|stone, _| !chain.contains(stone));
                    }
                }
            }
            (counts[0], counts[1])
        }
    }
}

fn sizes() -> impl Strategy<Value = Size> {
    (1u8..=6, 1u8..=6).prop_map(|(width, height)| Size::new(width, height).unwrap())
}

fn actions() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0u8..10, 0u8..6, 0u8..6), 0..120)
}

proptest! {
    #[test]
    fn agrees_with_the_naive_model(size in sizes(), actions in actions()) {
        let mut board = Board::new(size);
        let mut model = naive::Model::default();
        for (kind, x, y) in actions {
            let point = Point::new(x % size.width(), y % size.height());
            let at = (i32::from(point.col), i32::from(point.row));
            let color = if kind % 2 == 0 { B } else { W };
            if kind >= 8 {
                let stone = (kind == 8).then_some(color);
                board.set(point, stone);
                match stone {
                    Some(color) => drop(model.stones.insert(at, color)),
                    None => drop(model.stones.remove(&at)),
                }
            } else {
                let before = board.clone();
                let illegal = board.legality(Move { color, vertex: Vertex::At(point) }).err();
                let empty = !model.stones.contains_key(&at);
                let outcome = board.execute(Move { color, vertex: Vertex::At(point) });
                let (taken, own) = model.play(size, color, at);
                prop_assert_eq!(outcome.captured.len() as u32, taken);
                prop_assert_eq!(outcome.suicide, own > 0);
                match illegal {
                    Some(Illegal::Occupied) => prop_assert!(!empty),
                    Some(Illegal::Suicide) => prop_assert!(empty && own > 0),
                    Some(Illegal::Ko) => prop_assert_eq!(before.ko(), Some(point)),
                    Some(Illegal::OffBoard) => prop_assert!(false),
                    None => prop_assert!(empty && own == 0),
                }
                // A ko is a capture of one that could be answered by a capture of one.
                if let Some(ko) = board.ko() {
                    let mut again = board.clone();
                    again.execute(Move { color: color.opponent(), vertex: Vertex::At(ko) });
                    let sound = before.at(point).is_none() && before.stones_without_liberties().is_empty();
                    prop_assert!(again.same_stones(&before) || !sound);
                }
            }
            let stones: Vec<_> = board.stones().map(|(p, c)| ((i32::from(p.col), i32::from(p.row)), c)).collect();
            let mut expected: Vec<_> = model.stones.iter().map(|(at, color)| (*at, *color)).collect();
            expected.sort_by_key(|((x, y), _)| (*y, *x));
            prop_assert_eq!(stones, expected);
            for color in Color::ALL {
                prop_assert_eq!(board.captures(color), model.taken.get(&color).copied().unwrap_or(0));
            }
        }
    }

    #[test]
    fn hash_depends_on_the_stones_alone(size in sizes(), actions in actions()) {
        let mut board = Board::new(size);
        for (kind, x, y) in actions {
            let color = if kind % 2 == 0 { B } else { W };
            board.execute(play(color, x % size.width(), y % size.height()));
        }
        let mut copy = Board::new(size);
        for (point, color) in board.stones() {
            copy.set(point, Some(color));
        }
        prop_assert_eq!(copy.hash(), board.hash());
        prop_assert!(copy.same_stones(&board));
        for (point, _) in board.stones() {
            copy.set(point, None);
        }
        prop_assert_eq!(copy.hash(), Board::new(size).hash());
    }

    #[test]
    fn diff_leads_from_one_board_to_the_other(size in sizes(), one in actions(), two in actions()) {
        let [mut from, to] = [one, two].map(|actions| {
            let mut board = Board::new(size);
            for (kind, x, y) in actions {
                board.execute(play(if kind % 2 == 0 { B } else { W }, x % size.width(), y % size.height()));
            }
            board
        });
        for (point, stone) in from.diff(&to) {
            from.set(point, stone);
        }
        prop_assert!(from.same_stones(&to));
        prop_assert_eq!(from.diff(&to), []);
    }
}
