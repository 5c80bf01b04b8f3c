//! A game so far: where it started and the moves since.

use std::fmt;

use crate::xiangqi::legality::{self, Illegal};
use crate::xiangqi::moves::Move;
use crate::xiangqi::position::Position;

/// The longest history that is read, in plies.
pub const MAX_PLIES: usize = 2000;

/// A start and the legal moves that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    start: Position,
    moves: Vec<Move>,
    end: Position,
}

impl History {
    /// Plays the moves from the start.
    ///
    /// # Errors
    /// The first move that is not legal, or that there are more than [`MAX_PLIES`].
    pub fn new(start: Position, moves: Vec<Move>) -> Result<History, HistoryFault> {
        if moves.len() > MAX_PLIES {
            return Err(HistoryFault::TooLong(moves.len()));
        }
        let mut end = start.clone();
        for (index, &played) in moves.iter().enumerate() {
            if let Some(reason) = legality::explain(&end, played) {
                return Err(HistoryFault::Illegal { ply: index + 1, played, reason });
            }
            end = end.after(played);
        }
        Ok(History { start, moves, end })
    }

    /// Where it began.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The positions from the start to the last but one, the oldest first.
    pub fn earlier(&self) -> impl Iterator<Item = Position> + '_ {
        self.moves.iter().scan(self.start.clone(), |at, &played| {
            let next = at.after(played);
            Some(std::mem::replace(at, next))
        })
    }

    /// The moves, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after the last move.
    pub const fn end(&self) -> &Position {
        &self.end
    }
}

/// Why a list of moves is no history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryFault {
    /// More moves than [`MAX_PLIES`]; how many.
    TooLong(usize),
    /// A move that is not legal where it is played.
    Illegal {
        /// Which, from 1.
        ply: usize,
        /// The move.
        played: Move,
        /// What speaks against it.
        reason: Illegal,
    },
}

impl HistoryFault {
    /// The reason in Chinese.
    pub fn reason_zh(&self) -> String {
        match self {
            HistoryFault::TooLong(plies) => format!("着法太多（{plies} 步，最多 {MAX_PLIES} 步）"),
            HistoryFault::Illegal { ply, played, reason } => {
                format!("第 {ply} 步 {played} 不合规则：{}", reason.reason_zh())
            }
        }
    }
}

/// The reason in English.
impl fmt::Display for HistoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryFault::TooLong(plies) => {
                write!(f, "the history has {plies} plies, at most {MAX_PLIES} are read")
            }
            HistoryFault::Illegal { ply, played, reason } => {
                write!(f, "ply {ply}, {played}, is not legal: {reason}")
            }
        }
    }
}

impl std::error::Error for HistoryFault {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::square::Square;

    fn history(fen: &str, moves: &str) -> Result<History, HistoryFault> {
        let at = |text: &str| Square::from_iccs(text).unwrap();
        let moves = moves.split_whitespace().map(|text| Move::new(at(&text[..2]), at(&text[2..]))).collect();
        History::new(Position::from_fen(fen).unwrap(), moves)
    }

    #[test]
    fn the_first_illegal_move_is_named() {
        let start = "3k5/9/9/9/9/9/9/3r5/3N5/3K5 w";
        for (moves, ply, code) in [
            ("e0e1", 1, "no-piece"),
            ("d2c2", 1, "not-your-piece"),
            ("d1d3", 1, "wrong-shape"),
            ("d0e0 d2d1 e0d0", 3, "leaves-king-in-check"),
        ] {
            match history(start, moves).unwrap_err() {
                HistoryFault::Illegal { ply: at, reason, .. } => assert_eq!((at, reason.code()), (ply, code)),
                other => panic!("{moves}: {other}"),
            }
        }
        let fault = history(start, "d0e0 d2c2 c2d2").unwrap_err();
        assert!(fault.reason_zh().starts_with("第 3 步 c2d2 不合规则："), "{}", fault.reason_zh());
    }

    #[test]
    fn ends_where_the_moves_lead() {
        let played = history("3k5/9/9/9/9/9/9/3r5/9/4K4 w", "e0e1 d2d1 e1e0").unwrap();
        assert_eq!(played.end().to_fen(), "3k5/9/9/9/9/9/9/9/3r5/4K4 b - - 3 2");
        assert_eq!((played.moves().len(), played.start().fullmove()), (3, 1));
    }

    #[test]
    fn too_long() {
        let at = |text| Square::from_iccs(text).unwrap();
        let moves = vec![Move::new(at("e0"), at("e1")); MAX_PLIES + 1];
        let start = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4K4 w").unwrap();
        assert_eq!(History::new(start, moves), Err(HistoryFault::TooLong(MAX_PLIES + 1)));
    }
}
