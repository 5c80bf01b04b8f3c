//! Records for benches, the same in every run: moves that follow the rules of play, where they are
//! played close to each other as people do.

#![allow(dead_code, reason = "every bench uses another part")]

use kifud::go::{Board, Color, Move, Point, Size, Vertex};

/// A small generator of numbers (a multiplicative congruence).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Plays legal moves, mostly near the last one.
struct Player {
    numbers: Numbers,
    board: Board,
    last: Point,
    next: Color,
}

impl Player {
    fn new(seed: u64) -> Player {
        let numbers = Numbers(seed * 2 + 1);
        Player { numbers, board: Board::new(Size::STANDARD), last: Point::new(3, 3), next: Color::Black }
    }

    fn near(&mut self, at: u8) -> u8 {
        let step = self.numbers.below(7) as i16 - 3;
        (i16::from(at) + step).clamp(0, 18) as u8
    }

    /// A node with a move; a pass where nothing legal is found.
    fn node(&mut self) -> String {
        let color = self.next;
        self.next = color.opponent();
        for _ in 0..50 {
            let point = match self.numbers.below(4) {
                0 => Point::new(self.numbers.below(19) as u8, self.numbers.below(19) as u8),
                _ => Point::new(self.near(self.last.col), self.near(self.last.row)),
            };
            let mut after = self.board.clone();
            if after.execute(Move { color, vertex: Vertex::At(point) }).illegal.is_none() {
                (self.board, self.last) = (after, point);
                return format!(";{}[{}]", color.letter(), letters(point));
            }
        }
        format!(";{}[]", color.letter())
    }
}

fn letters(point: Point) -> String {
    [point.col, point.row].map(|at| char::from(b'a' + at)).iter().collect()
}

const ROOT: &str = "(;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]RU[Japanese]PB[Black]PW[White]RE[B+R]";

/// Moves and nothing else.
pub fn bare_game(number: usize) -> String {
    let mut player = Player::new(number as u64);
    let moves: String = (0..250).map(|_| player.node()).collect();
    format!("{ROOT}{moves})\n")
}

/// Moves with times, comments, marks and values of an engine.
pub fn commented_game(number: usize) -> String {
    let mut player = Player::new(1000 + number as u64);
    let mut text = ROOT.to_owned();
    for index in 0..250 {
        text.push('\n');
        text.push_str(&player.node());
        let (left, rate) = (player.numbers.below(3600), player.numbers.below(10_000));
        text.push_str(&format!("{}L[{left}]SBKV[{}.{:02}]", ["B", "W"][index % 2], rate / 100, rate % 100));
        if index % 5 == 0 {
            let (one, two) = (letters(player.last), letters(Point::new(9, (index % 19) as u8)));
            text.push_str(&format!("C[黑棋在 {one} 应对稳健。 White could have played at {two} instead;\nsee the \\[joseki\\] book.]LB[{two}:A]TR[{one}]"));
        }
    }
    text + ")\n"
}

/// A tree of so many nodes: short lines that part again and again, as in a book of openings.
pub fn tree(nodes: usize) -> String {
    let mut player = Player::new(7);
    let mut text = ROOT.to_owned();
    // The board, last point and next colour behind each open line.
    let mut open: Vec<(Board, Point, Color)> = Vec::new();
    for index in 1..nodes {
        match player.numbers.below(12) {
            0..2 if open.len() < 40 => {
                open.push((player.board.clone(), player.last, player.next));
                text.push_str("\n(");
            }
            2..4 if !open.is_empty() && !text.ends_with('(') => {
                let (board, last, next) = open[open.len() - 1].clone();
                (player.board, player.last, player.next) = (board, last, next);
                text.push_str(")\n(");
            }
            4 if open.len() > 20 && !text.ends_with('(') => {
                // A line that has parted ends; the next one starts where an earlier one did.
                open.pop();
                let (board, last, next) = open[open.len() - 1].clone();
                (player.board, player.last, player.next) = (board, last, next);
                text.push_str("))\n(");
            }
            _ => {}
        }
        text.push_str(&player.node());
        if index % 4 == 0 {
            text.push_str(&format!("C[Line {index}: White must answer, or the corner dies.]"));
        }
    }
    text + &")".repeat(open.len() + 1) + "\n"
}

/// One line of so many moves, on and on with captures.
pub fn line(moves: usize) -> String {
    let mut player = Player::new(8);
    let mut text = ROOT.to_owned();
    for index in 0..moves {
        text.push_str(&player.node());
        if index % 10 == 0 {
            text.push_str(&format!("C[move {index}]\n"));
        }
    }
    text + ")\n"
}
