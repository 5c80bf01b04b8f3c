use super::super::board::stone;
use super::super::grid::NOWHERE;
use super::super::playout::{Habits, run};
use super::super::random::Random;
use super::*;
use crate::go::{self, Color, Move, Position, Size, Step, Vertex, referee};

#[test]
fn playouts_end_and_two_scorers_agree() {
    two_scorers_agree(7, 2_000);
}

#[test]
#[ignore = "half a minute without optimization"]
fn ten_thousand_playouts_end_and_two_scorers_agree() {
    two_scorers_agree(8, 10_000);
}

fn two_scorers_agree(seed: u64, games: u32) {
    let mut random = Random::new(seed);
    let mut owners = Owners::new();
    let mut neutral = 0;
    for _ in 0..games {
        let size = Size::new(2 + random.below(8) as u8, 2 + random.below(8) as u8).unwrap();
        let mut board = Board::new(&go::Board::new(size)).unwrap();
        let mut moves = Vec::new();
        run(&mut board, BLACK, &Habits::default(), &mut random, |place, stone| moves.push((place, stone)));
        assert!(moves.len() <= 3 * size.area());
        let mut position = Position::new(size);
        for (place, own) in moves {
            assert_ne!(place, NOWHERE);
            let color = if own == BLACK { Color::Black } else { Color::White };
            position.steps.push(Step::Play(Move { color, vertex: board.grid().vertex(place) }));
        }
        let plain = position.board();
        let [black, white] = referee::area(&plain);
        assert_eq!(owners.count(&board), black as i32 - white as i32);
        let points = plain.size().points().map(|point| owners.at(board.grid().place(point)));
        let mut counted = [0; 3];
        points.for_each(|owner| counted[usize::from(owner)] += 1);
        assert_eq!(counted[1..], [black, white]);
        neutral += counted[0];
        for (point, color) in plain.stones() {
            assert_eq!(owners.at(board.grid().place(point)), stone(color));
        }
    }
    assert!(neutral > 0, "some end with points that are nobody's");
}

#[test]
fn an_empty_board_is_nobodys() {
    let board = Board::new(&go::Board::new(Size::square(5).unwrap())).unwrap();
    let mut owners = Owners::default();
    assert_eq!(owners.count(&board), 0);
    assert_eq!(
        owners.at(board.grid().place_of(Vertex::parse_gtp("C3", Size::square(5).unwrap()).unwrap())),
        EMPTY
    );
}
