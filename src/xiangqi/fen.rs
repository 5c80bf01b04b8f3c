//! FEN: a position as one line of text.
//!
//! `rnbakabnr/9/… w - - 0 1`: ten ranks from Black's back rank down, then the side to move, two
//! unused fields, the plies since the last capture and the number of the move pair. Both letter
//! dialects are read (`n`/`b` of xqbase and `h`/`e` of the published perft tables), `n`/`b` is
//! written. Everything after the ranks may be left out.

use std::fmt::Write;

use super::fault::{Fault, Faults};
use super::piece::{Piece, Side};
use super::position::Position;
use super::rules::Grid;
use super::setup::Setup;
use super::square::{COLS, ROWS, SQUARES, Square};

/// The position a game starts from.
pub const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// Longer texts are refused unread: no FEN comes near.
const MAX_BYTES: usize = 512;
/// Larger counters are refused: no game comes near.
pub(super) const MAX_COUNTER: u32 = 1_000_000;

/// What a FEN says, right or wrong: the set-up as far as it could be read, and the faults of the text.
pub(super) struct Reading {
    pub setup: Setup,
    pub faults: Vec<Fault>,
    /// Whether every piece is on the point that is meant.
    pub shaped: bool,
    /// Every piece that was read, also those off the board.
    pub pieces: Vec<Piece>,
}

/// Reads a FEN as far as it can be read.
pub(super) fn read(text: &str) -> Reading {
    let mut reading =
        Reading { setup: Setup::empty(), faults: Vec::new(), shaped: false, pieces: Vec::new() };
    let mut fields = text.split_whitespace();
    if text.len() > MAX_BYTES {
        reading.faults.push(Fault::TooLong(text.len()));
    } else if let Some(board) = fields.next() {
        reading.ranks(board);
        reading.rest(fields.collect());
    } else {
        reading.faults.push(Fault::Empty);
    }
    reading
}

impl Reading {
    fn ranks(&mut self, board: &str) {
        let count = board.split('/').count();
        if count != ROWS {
            self.faults.push(Fault::RankCount(count));
        }
        self.shaped = count == ROWS;
        for (row, rank) in board.split('/').enumerate() {
            let files = self.rank(row, rank);
            if files != COLS {
                self.faults.push(Fault::RankWidth { rank: row + 1, files });
                self.shaped = false;
            }
        }
    }

    /// Reads a rank and says how many files it has.
    fn rank(&mut self, row: usize, rank: &str) -> usize {
        let mut col = 0;
        for character in rank.chars() {
            if let Some(empty) = character.to_digit(10).filter(|&empty| empty > 0) {
                col += empty as usize;
                continue;
            }
            match Piece::from_fen_char(character) {
                Some(piece) => {
                    self.pieces.push(piece);
                    if let Some(square) = Square::at(row, col) {
                        self.setup.board[square.index()] = Some(piece);
                    }
                }
                None => self.faults.push(Fault::Character { rank: row + 1, character }),
            }
            col += 1;
        }
        col
    }

    fn rest(&mut self, fields: Vec<&str>) {
        let mut fields = fields.into_iter().peekable();
        if let Some(side) = fields.next() {
            let mut letters = side.chars();
            match (letters.next().and_then(Side::from_fen_char), letters.next()) {
                (Some(side), None) => self.setup.turn = side,
                _ => self.faults.push(Fault::SideToMove(side.into())),
            }
        }
        for _ in 0..2 {
            fields.next_if_eq(&"-");
        }
        if let Some(text) = fields.next() {
            self.setup.halfmove = self.counter("halfmove", text);
        }
        if let Some(text) = fields.next() {
            self.setup.fullmove = self.counter("fullmove", text).max(1);
        }
        if let Some(text) = fields.next() {
            self.faults.push(Fault::Excess(text.into()));
        }
    }

    fn counter(&mut self, name: &'static str, text: &str) -> u32 {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits && number <= MAX_COUNTER => number,
            _ => {
                self.faults.push(Fault::Counter { name, text: text.into() });
                0
            }
        }
    }
}

impl Setup {
    /// Reads a FEN without asking whether the game allows the position.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn from_fen(text: &str) -> Result<Setup, Faults> {
        let Reading { setup, faults, .. } = read(text);
        if faults.is_empty() { Ok(setup) } else { Err(Faults(faults)) }
    }

    /// The FEN, in the `n`/`b` dialect, with all its fields.
    pub fn to_fen(&self) -> String {
        let (halfmove, fullmove) = (self.halfmove, self.fullmove);
        format!("{} {} - - {halfmove} {fullmove}", ranks(&self.board), self.turn.to_fen_char())
    }
}

/// The first field of a FEN.
pub fn ranks(board: &Grid) -> String {
    let mut text = String::with_capacity(SQUARES);
    for (row, rank) in board.chunks(COLS).enumerate() {
        if row > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for piece in rank {
            let Some(piece) = piece else {
                empty += 1;
                continue;
            };
            write_empty(&mut text, &mut empty);
            text.push(piece.to_fen_char());
        }
        write_empty(&mut text, &mut empty);
    }
    text
}

fn write_empty(text: &mut String, empty: &mut usize) {
    if *empty > 0 {
        let _ = write!(text, "{empty}");
        *empty = 0;
    }
}

/// What repeats when the position of a FEN repeats, see [`Position::key`]; `None` if it is no
/// position.
pub fn key(fen: &str) -> Option<String> {
    Position::from_fen(fen).ok().map(|position| position.key())
}

/// A FEN in the `h`/`e` dialect (or in both at once) as the same text in the `n`/`b` dialect. Only
/// the ranks are touched: a side to move `b` stays.
pub fn normalize_dialect(fen: &str) -> String {
    let start = fen.len() - fen.trim_start().len();
    let ranks = fen[start..].find(char::is_whitespace).map_or(fen.len(), |end| start + end);
    let letter = |letter| match letter {
        'h' => 'n',
        'H' => 'N',
        'e' => 'b',
        'E' => 'B',
        other => other,
    };
    fen[..ranks].chars().map(letter).chain(fen[ranks..].chars()).collect()
}
