//! A position with its history: what has to be done, in order, to stand on it.

use super::{Board, Color, Move, Point, Size, Vertex};

/// Set-up of one node: points that get a stone or become empty, in the order of the record.
pub type Stones = Vec<(Point, Option<Color>)>;

/// One step from the empty board towards a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Stones put or taken away by hand (SGF's AB, AW, AE); captures nothing.
    Setup(Stones),
    /// A move, executed whether it is legal or not.
    Play(Move),
}

impl Step {
    /// Does this step on a board.
    pub fn execute(&self, board: &mut Board) {
        match self {
            Step::Setup(stones) => stones.iter().for_each(|(point, stone)| board.set(*point, *stone)),
            Step::Play(play) => {
                board.execute(*play);
            }
        }
    }

    /// The move, if it is one.
    pub fn as_play(&self) -> Option<Move> {
        match self {
            Step::Play(play) => Some(*play),
            Step::Setup(_) => None,
        }
    }
}

/// A position and how it came about: the common coin between records, requests and engines.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The board's size.
    pub size: Size,
    /// Effective komi in points, `None` when the record names none.
    pub komi: Option<f64>,
    /// The rules as the record names them, `None` when it names none.
    pub rules: Option<String>,
    /// From the empty board, in game order.
    pub steps: Vec<Step>,
    /// Who moves next.
    pub to_play: Color,
}

impl Position {
    /// An empty board with Black to play; komi and rules unnamed.
    pub fn new(size: Size) -> Position {
        Position { size, komi: None, rules: None, steps: Vec::new(), to_play: Color::Black }
    }

    /// The board after all steps, with captures and ko.
    pub fn board(&self) -> Board {
        let mut board = Board::new(self.size);
        self.steps.iter().for_each(|step| step.execute(&mut board));
        board
    }

    /// The moves among the steps, passes included.
    pub fn plays(&self) -> impl DoubleEndedIterator<Item = Move> {
        self.steps.iter().filter_map(Step::as_play)
    }

    /// The number of moves, passes included.
    pub fn move_number(&self) -> usize {
        self.plays().count()
    }

    /// The last move, whatever was set up after it.
    pub fn last_move(&self) -> Option<Move> {
        self.plays().next_back()
    }

    /// The number of steps after which the same stones stood already, when the last step is a
    /// stone played (not a pass): positional superko, as in the Chinese, New Zealand and
    /// Tromp-Taylor rules. The earliest such number; 0 is the empty board.
    pub fn repetition(&self) -> Option<usize> {
        let Some(Step::Play(Move { vertex: Vertex::At(_), .. })) = self.steps.last() else {
            return None;
        };
        let end = self.board().hash();
        let mut board = Board::new(self.size);
        for (done, step) in self.steps.iter().enumerate() {
            if board.hash() == end {
                return Some(done);
            }
            step.execute(&mut board);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(side: u8, moves: &[(Color, Option<(u8, u8)>)]) -> Position {
        let size = Size::square(side).unwrap();
        let vertex =
            |at: Option<(u8, u8)>| at.map_or(Vertex::Pass, |(col, row)| Vertex::At(Point::new(col, row)));
        let steps =
            moves.iter().map(|(color, at)| Step::Play(Move { color: *color, vertex: vertex(*at) })).collect();
        Position { steps, ..Position::new(size) }
    }

    use Color::{Black as B, White as W};

    #[test]
    fn retaking_on_two_points_repeats() {
        // On a board of two points:
        // B a; W b takes a; B a takes b; the board of step 1 is back.
        let size = Size::new(2, 1).unwrap();
        let mut game =
            Position { size, ..position(2, &[(B, Some((0, 0))), (W, Some((1, 0))), (B, Some((0, 0)))]) };
        assert_eq!(game.repetition(), Some(1));
        game.steps.pop();
        assert_eq!(game.repetition(), None);
        game.steps.push(Step::Play(Move { color: B, vertex: Vertex::Pass }));
        assert_eq!(game.repetition(), None, "a pass repeats nothing");
    }

    #[test]
    fn suicide_of_the_first_stone_repeats_the_empty_board() {
        assert_eq!(position(1, &[(B, Some((0, 0)))]).repetition(), Some(0));
    }

    #[test]
    fn numbers_and_last_move() {
        let mut game = position(5, &[(B, Some((2, 2))), (W, None), (W, Some((0, 0)))]);
        game.steps.push(Step::Setup(vec![(Point::new(1, 1), Some(B)), (Point::new(2, 2), None)]));
        assert_eq!(game.move_number(), 3);
        assert_eq!(game.last_move(), Some(Move { color: W, vertex: Vertex::At(Point::new(0, 0)) }));
        let stones: Vec<_> = game.board().stones().collect();
        assert_eq!(stones, [(Point::new(0, 0), W), (Point::new(1, 1), B)]);
    }
}
