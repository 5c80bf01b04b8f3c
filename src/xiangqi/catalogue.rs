//! The legal moves of a position with what a reader wants to know of each.

use super::moves::Move;
use super::notation::chinese;
use super::piece::Piece;
use super::position::Position;

/// A legal move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The move; its `Display` is ICCS.
    pub played: Move,
    /// The move in Chinese.
    pub zh: String,
    /// What moves.
    pub piece: Piece,
    /// What it captures.
    pub captured: Option<Piece>,
    /// Whether it checks.
    pub check: bool,
}

/// Every legal move, by index of from and to.
pub fn catalogue(position: &Position) -> Vec<Entry> {
    let entry = |played: Move| {
        let piece = position.piece_at(played.from)?;
        Some(Entry {
            played,
            zh: chinese(position, played),
            piece,
            captured: position.piece_at(played.to),
            check: position.after(played).is_check(),
        })
    };
    position.legal_moves().into_iter().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captures and checks of the published perft tables at depth 1.
    #[test]
    fn counts_of_the_published_tables() {
        let cases = [
            (super::super::START_FEN, 44, 2, 0),
            ("r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w", 38, 1, 1),
            ("5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w", 25, 2, 3),
            ("CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w", 28, 1, 12),
        ];
        for (fen, moves, captures, checks) in cases {
            let entries = catalogue(&Position::from_fen(fen).unwrap());
            let count = |has: fn(&Entry) -> bool| entries.iter().filter(|entry| has(entry)).count();
            assert_eq!(entries.len(), moves, "{fen}");
            assert_eq!(count(|entry| entry.captured.is_some()), captures, "{fen}");
            assert_eq!(count(|entry| entry.check), checks, "{fen}");
        }
    }
}
