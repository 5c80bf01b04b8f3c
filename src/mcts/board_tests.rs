use super::super::random::Random;
use super::*;
use crate::go::{Move, Size, Vertex};

/// Everything that the fast board says about itself, held against the plain one.
fn assert_same(fast: &Board, plain: &go::Board) {
    let grid = fast.grid();
    let mut empties = 0;
    for point in plain.size().points() {
        let place = grid.place(point);
        let Some(color) = plain.at(point) else {
            assert_eq!(fast.at(place), EMPTY, "{point:?}");
            assert!(fast.empties().contains(&place));
            empties += 1;
            continue;
        };
        assert_eq!(fast.at(place), stone(color), "{point:?}");
        let liberties = plain.liberties(point);
        let chain = plain.chain(point);
        assert_eq!(usize::from(fast.liberties(place)), liberties.len(), "{point:?}");
        assert_eq!(usize::from(fast.size(place)), chain.len(), "{point:?}");
        let mut stones: Vec<_> = fast.chain_stones(place).map(|place| grid.point(place)).collect();
        stones.sort_by_key(|point| plain.size().index(*point));
        assert_eq!(stones, chain);
        if let [only] = liberties[..] {
            assert_eq!(fast.liberty(place), grid.place(only));
        }
        if let [one, other] = liberties[..] {
            let mut two = fast.two_liberties(place);
            two.sort_unstable();
            assert_eq!(two, [grid.place(one), grid.place(other)]);
        }
    }
    assert_eq!(fast.empties().len(), empties);
    for color in Color::ALL {
        let stones = plain.stones().filter(|(_, there)| *there == color).count();
        assert_eq!(usize::from(fast.count(stone(color))), stones);
        for point in plain.size().points() {
            let play = Move { color, vertex: Vertex::At(point) };
            // The fast board forbids the ko to whoever moves; nobody moves twice in its games.
            if plain.ko() != Some(point) {
                let legal = plain.legality(play).is_ok();
                assert_eq!(fast.is_legal(grid.place(point), stone(color)), legal, "{play:?}");
            }
        }
    }
    assert_eq!(fast.ko(), plain.ko().map_or(NOWHERE, |point| grid.place(point)));
}

fn random_size(random: &mut Random) -> Size {
    let choices = if random.chance(26) { 18 } else { 7 };
    let mut side = || 2 + random.below(choices) as u8;
    Size::new(side(), side()).unwrap()
}

#[test]
fn random_games_are_the_same_on_the_plain_board() {
    let mut random = Random::new(1);
    let games = if cfg!(debug_assertions) { 40 } else { 2_000 };
    for _ in 0..games {
        let size = random_size(&mut random);
        let mut plain = go::Board::new(size);
        let mut fast = Board::new(&plain).unwrap();
        let mut color = Color::Black;
        let mut taken = 0;
        let start = fast.hash();
        for turn in 0..3 * size.area() {
            let legal: Vec<_> =
                fast.empties().iter().copied().filter(|place| fast.is_legal(*place, stone(color))).collect();
            let place = match legal.len() {
                0 => NOWHERE,
                several => legal[random.below(several)],
            };
            fast.play(place, stone(color));
            let outcome = plain.execute(Move { color, vertex: fast.grid().vertex(place) });
            assert_eq!(outcome.illegal, None);
            assert_eq!(usize::from(fast.taken()), outcome.captured.len());
            taken += outcome.captured.len();
            if turn % 7 == 0 || turn < 30 {
                assert_same(&fast, &plain);
            }
            color = color.opponent();
        }
        let again = Board::new(&plain).unwrap();
        assert_same(&again, &plain);
        assert_eq!(fast.hash(), again.hash());
        for place in fast.empties() {
            assert_eq!(fast.shape(*place), again.shape(*place));
        }
        assert!(taken > 0 || fast.hash() != start, "something happened");
        let mut copy = Board::empty(*fast.grid());
        copy.copy_from(&fast);
        assert_same(&copy, &plain);
    }
}

#[test]
fn shapes_are_what_lies_around() {
    let mut board = Board::empty(Grid::new(Size::new(3, 2).unwrap()).unwrap());
    let size = board.grid().size();
    let at = |text| Grid::new(size).unwrap().place_of(Vertex::parse_gtp(text, size).unwrap());
    board.play(at("A2"), BLACK);
    board.play(at("C1"), WHITE);
    // Of B1: above B2, below border, left A1, right C1, above left A2, below right border, above
    // right C2, below left border.
    let lies = [EMPTY, BORDER, EMPTY, WHITE, BLACK, BORDER, EMPTY, BORDER];
    let shape = lies.iter().enumerate().map(|(side, stone)| u16::from(*stone) << (2 * side)).sum::<u16>();
    assert_eq!(board.shape(at("B1")), shape);
}

#[test]
fn unsuitable_positions() {
    assert_eq!(Board::new(&go::Board::new(Size::new(1, 5).unwrap())).err(), Some(Unsuitable::Size));
    assert_eq!(Board::new(&go::Board::new(Size::new(20, 5).unwrap())).err(), Some(Unsuitable::Size));
    let mut full = go::Board::new(Size::square(2).unwrap());
    for point in full.size().points() {
        full.set(point, Some(Color::White));
    }
    assert_eq!(Board::new(&full).err(), Some(Unsuitable::NoLiberties));
}
