//! The legal moves with their names.

use super::{chinese, iccs};
use crate::xiangqi::{Move, Piece, Position};

/// A legal move and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The move.
    pub played: Move,
    /// `h2e2`.
    pub iccs: String,
    /// `炮二平五`.
    pub zh: String,
    /// What it captures.
    pub captured: Option<Piece>,
}

/// Every legal move, by index of from and to.
pub fn catalog(position: &Position) -> Vec<Entry> {
    let entry = |played: Move| Entry {
        played,
        iccs: iccs(played),
        zh: chinese(position, played),
        captured: position.piece_at(played.to),
    };
    position.legal_moves().into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start() {
        let entries = catalog(&Position::start());
        assert_eq!(entries.len(), 44);
        let named = |zh| entries.iter().find(|entry| entry.zh == zh).unwrap();
        assert_eq!((named("炮二平五").iccs.as_str(), named("炮二平五").captured), ("h2e2", None));
        assert_eq!(named("炮二进七").captured, Piece::from_fen_char('n'));
    }
}
