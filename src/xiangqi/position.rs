//! A position of a game: a set-up that the rules allow.

use std::fmt;

use super::board::{Board, MoveList};
use super::fault::Faults;
use super::fen::{self, MAX_COUNTER, START_FEN};
use super::moves::Move;
use super::piece::{Piece, Side};
use super::rules::{self, Grid};
use super::setup::{self, Setup};
use super::square::Square;

/// A position: one king a side, no more pieces than at the start, each where it can come, the kings
/// apart, the side that has just moved not in check. It never changes; a move gives a new one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position(Setup);

impl Position {
    /// The position a game starts from.
    pub fn start() -> Position {
        match Position::from_fen(START_FEN) {
            Ok(position) => position,
            Err(faults) => unreachable!("the start is a position: {faults}"),
        }
    }

    /// Checks a set-up: the only door to a position.
    ///
    /// # Errors
    /// Every reason why the rules do not allow it.
    pub fn new(setup: Setup) -> Result<Position, Faults> {
        let faults = setup.faults();
        if faults.is_empty() { Ok(Position(setup)) } else { Err(Faults(faults)) }
    }

    /// Reads a FEN of either dialect.
    ///
    /// # Errors
    /// Every reason why it is no position: of the text and of the board.
    pub fn from_fen(text: &str) -> Result<Position, Faults> {
        setup::from_fen(text).map(Position)
    }

    /// The FEN, in the `n`/`b` dialect.
    pub fn to_fen(&self) -> String {
        self.0.to_fen()
    }

    /// What repeats when a position repeats: the pieces and the side to move, as the first two fields
    /// of the FEN.
    pub fn key(&self) -> String {
        format!("{} {}", fen::ranks(self.board()), self.turn().to_fen_char())
    }

    /// The plain data.
    pub const fn setup(&self) -> &Setup {
        &self.0
    }

    /// The pieces, by index of the point.
    pub const fn board(&self) -> &Grid {
        &self.0.board
    }

    /// Who is to move.
    pub const fn turn(&self) -> Side {
        self.0.turn
    }

    /// Plies since the last capture.
    pub const fn halfmove(&self) -> u32 {
        self.0.halfmove
    }

    /// Number of the pair of moves, from 1.
    pub const fn fullmove(&self) -> u32 {
        self.0.fullmove
    }

    /// What stands on a point.
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        rules::at(&self.0.board, square)
    }

    /// Every move the pieces could make if the own king did not matter, by index of from and to.
    pub fn pseudo_legal_moves(&self) -> Vec<Move> {
        rules::pseudo_legal_moves(self.board(), self.turn()).collect()
    }

    /// Every legal move, by index of from and to.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut list = MoveList::new();
        Board::from(self).legal(&mut list);
        let mut moves: Vec<Move> = list.iter().collect();
        moves.sort_unstable();
        moves
    }

    /// Whether a move is legal.
    pub fn is_legal(&self, played: Move) -> bool {
        self.piece_at(played.from).is_some_and(|piece| piece.side == self.turn())
            && rules::targets(self.board(), played.from).contains(played.to)
            && !rules::in_check(self.after(played).board(), self.turn())
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.in_check(self.turn())
    }

    /// Whether a side's king is attacked. Only the side to move ever can be.
    pub fn in_check(&self, side: Side) -> bool {
        rules::in_check(self.board(), side)
    }

    /// The position after a legal move. Whether it is legal is not asked: after any other move the
    /// result is a position in name only.
    #[must_use]
    pub fn after(&self, played: Move) -> Position {
        let mut next = self.0.clone();
        let piece = next.board[played.from.index()].take();
        let captured = std::mem::replace(&mut next.board[played.to.index()], piece);
        next.halfmove = if captured.is_some() { 0 } else { (next.halfmove + 1).min(MAX_COUNTER) };
        if next.turn == Side::Black {
            next.fullmove = (next.fullmove + 1).min(MAX_COUNTER);
        }
        next.turn = next.turn.opposite();
        Position(next)
    }

    /// The position before `played`, the move that led here; `captured` is what it took and `halfmove`
    /// the count before it.
    #[must_use]
    pub(super) fn before(&self, played: Move, captured: Option<Piece>, halfmove: u32) -> Position {
        let mut former = self.0.clone();
        let piece = std::mem::replace(&mut former.board[played.to.index()], captured);
        former.board[played.from.index()] = piece;
        former.halfmove = halfmove;
        former.turn = former.turn.opposite();
        if former.turn == Side::Black {
            former.fullmove = former.fullmove.saturating_sub(1);
        }
        Position(former)
    }
}

/// The FEN.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_fen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::fen::normalize_dialect;

    fn codes(fen: &str) -> Vec<&'static str> {
        Position::from_fen(fen).unwrap_err().0.iter().map(super::super::fault::Fault::code).collect()
    }

    #[test]
    fn the_start() {
        let start = Position::start();
        assert_eq!(start.to_fen(), START_FEN);
        assert_eq!(start.legal_moves().len(), 44);
        assert!(!start.is_check());
        assert_eq!(start.key(), "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w");
        let cannon = Move::from_code(70 | 67 << 7).unwrap();
        let next = start.after(cannon);
        assert_eq!(next.to_fen(), "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1");
        assert_eq!(start.to_fen(), START_FEN, "the old position is as it was");
    }

    #[test]
    fn both_dialects_and_short_forms() {
        let ranks = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";
        for rest in ["", " w", " r", " r - - 0 1", " w - -", "  w  -  - 0", " w 0 1", " w - - 0 0"] {
            let fen = format!("{ranks}{rest}");
            assert_eq!(Position::from_fen(&fen).unwrap().to_fen(), START_FEN, "{fen}");
        }
        let black = Position::from_fen(&format!("{ranks} b - - 7 12")).unwrap();
        assert_eq!((black.turn(), black.halfmove(), black.fullmove()), (Side::Black, 7, 12));
        assert_eq!(
            normalize_dialect(&format!(" {ranks} b he")),
            format!(" {} b he", &START_FEN[..START_FEN.len() - 10])
        );
    }

    #[test]
    fn every_fault_is_named() {
        let long = "9/".repeat(5000);
        let cases: &[(&str, &[&str])] = &[
            ("", &["empty"]),
            (" \n", &["empty"]),
            (&long, &["too-long"]),
            ("4k4/9/9/9/9/9/9/9/4K4 w", &["rank-count"]),
            ("4k4/9/9/9/9/9/9/9/8/3K5 w", &["rank-width"]),
            ("4k4/9/9/9/9/9/9/9/91/3K5 w", &["rank-width"]),
            ("4k4/9/9/9/4x4/9/9/9/9/3K5 w", &["unknown-character"]),
            ("4k4/9/9/9/4马4/9/9/9/9/3K5 w", &["unknown-character"]),
            ("4k4/9/9/9/0p8/9/9/9/9/3K5 w", &["unknown-character", "rank-width"]),
            ("4k4/9/9/9/9/9/9/9/9/3K5 x", &["side-to-move"]),
            ("4k4/9/9/9/9/9/9/9/9/3K5 w - - -1 1", &["bad-counter"]),
            ("4k4/9/9/9/9/9/9/9/9/3K5 w - - +1 1", &["bad-counter"]),
            ("4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 99999999999", &["bad-counter"]),
            ("4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1 x", &["excess-text"]),
            ("9/9/9/9/9/9/9/9/9/9 w", &["king-missing", "king-missing"]),
            ("4k4/9/9/9/9/9/9/9/3K5/3K5 w", &["too-many-pieces"]),
            ("4k4/9/9/9/RRR6/9/9/9/9/3K5 w", &["too-many-pieces"]),
            ("4k4/9/9/9/9/9/9/9/9/4K4 w", &["kings-face"]),
            ("4k4/9/9/4R4/9/9/9/9/9/3K5 w", &["opponent-in-check"]),
            ("4k4/9/9/9/9/9/9/9/9/P2K5 w", &["impossible-square"]),
            ("4k4/9/9/9/9/9/1P7/9/9/3K5 w", &["impossible-square"]),
            ("3ak4/9/9/9/9/9/9/9/9/K3A4 w", &["impossible-square", "impossible-square"]),
            (
                "4k4/9/9/9/9/9/9/9/7x/4K4 q - - 0 z",
                &["unknown-character", "rank-width", "side-to-move", "bad-counter"],
            ),
        ];
        for (fen, want) in cases {
            assert_eq!(codes(fen), *want, "{fen}");
        }
        let faults = Position::from_fen("4k4/9/9/9/9/9/9/9/8/4K4 w").unwrap_err();
        assert_eq!(faults.to_string(), "rank 9 from the top has 8 files, not 9");
        assert_eq!(faults.reason_zh(), "第 9 行应有 9 列，实为 8 列");
    }

    #[test]
    fn counters() {
        let position = Position::from_fen("4k4/9/9/9/9/9/9/4p4/9/R3K4 b - - 5 9").unwrap();
        let rook =
            position.after(Move::new(Square::from_iccs("e2").unwrap(), Square::from_iccs("e1").unwrap()));
        assert_eq!((rook.halfmove(), rook.fullmove()), (6, 10));
        let taken = rook.after(Move::new(Square::from_iccs("e0").unwrap(), Square::from_iccs("e1").unwrap()));
        assert_eq!((taken.halfmove(), taken.fullmove()), (0, 10));
    }

    /// What is written can be read, however long the game.
    #[test]
    fn counters_have_an_end() {
        let setup =
            Setup { halfmove: MAX_COUNTER, fullmove: MAX_COUNTER, ..Position::start().setup().clone() };
        let late = Position::new(setup.clone()).unwrap();
        let next = late.after(late.legal_moves()[0]);
        assert_eq!(Position::from_fen(&next.to_fen()), Ok(next));
        let beyond = Position::new(Setup { fullmove: MAX_COUNTER + 1, ..setup }).unwrap_err();
        assert_eq!(beyond.0[0].code(), "bad-counter");
    }
}
