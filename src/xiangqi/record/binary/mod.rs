//! Binary records: XQF (象棋演播室), CBR and CBL (象棋桥). They are read, not written.
//!
//! Both write the tree in the same order: a move, then its first continuation and all that follows,
//! then the move's next sibling. Two bits of every move say whether there are such.

mod bytes;
pub mod cbl;
pub mod cbr;
mod stream;
pub mod xqf;
mod xqf_key;

use crate::xiangqi::{Faults, Kind, Piece, Position, Setup, Side, Square};

/// Why bytes are not read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BinaryError {
    /// The file does not start as its format does.
    #[error("the file does not start with {expected:?}")]
    Signature {
        /// What it would start with.
        expected: &'static str,
    },
    /// The head of the file is cut off.
    #[error("the file ends after {length} bytes, before its head of {needed} does")]
    Short {
        /// Bytes it has.
        length: usize,
        /// Bytes of the head.
        needed: usize,
    },
    /// A version that nobody has described.
    #[error("version {0} of the format is not known")]
    Version(u8),
}

impl BinaryError {
    /// A stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            BinaryError::Signature { .. } => "wrong-signature",
            BinaryError::Short { .. } => "file-too-short",
            BinaryError::Version(_) => "unknown-version",
        }
    }

    /// The reason in Chinese.
    pub fn reason_zh(&self) -> String {
        match self {
            BinaryError::Signature { expected } => format!("文件开头不是 {expected:?}"),
            BinaryError::Short { length, needed } => {
                format!("文件只有 {length} 字节，文件头应有 {needed} 字节")
            }
            BinaryError::Version(version) => format!("不认识的格式版本 {version}"),
        }
    }
}

/// The order of the 32 pieces in XQF and DhtmlXQ: each side's back rank from one end to the other,
/// cannons, pawns; Red first.
const ORDER: [Kind; 16] = [
    Kind::Rook,
    Kind::Horse,
    Kind::Elephant,
    Kind::Advisor,
    Kind::King,
    Kind::Advisor,
    Kind::Elephant,
    Kind::Horse,
    Kind::Rook,
    Kind::Cannon,
    Kind::Cannon,
    Kind::Pawn,
    Kind::Pawn,
    Kind::Pawn,
    Kind::Pawn,
    Kind::Pawn,
];

/// How DhtmlXQ writes the point of a piece that is gone.
pub(super) const GONE: &str = "99";

fn all_pieces() -> impl Iterator<Item = Piece> {
    Side::ALL.into_iter().flat_map(|side| ORDER.into_iter().map(move |kind| Piece::new(side, kind)))
}

/// The position in which the 32 pieces stand on these points; `None` for a piece that is gone.
///
/// # Errors
/// Why it is no position.
pub(super) fn pieces(points: impl Iterator<Item = Option<Square>>) -> Result<Position, Faults> {
    let mut setup = Setup::empty();
    for (piece, square) in all_pieces().zip(points) {
        if let Some(square) = square {
            setup.board[square.index()] = Some(piece);
        }
    }
    either_side(setup)
}

/// A set-up whose side to move is not known, or not to be relied on: Red if that is possible.
fn either_side(mut setup: Setup) -> Result<Position, Faults> {
    match Position::new(setup.clone()) {
        Ok(position) => Ok(position),
        Err(faults) => {
            setup.turn = setup.turn.opposite();
            Position::new(setup).map_err(|_| faults)
        }
    }
}

/// The points of the 32 pieces; pieces of one kind in the order of the points, left to right from the
/// side's own home.
pub(super) fn piece_points(position: &Position) -> [Option<Square>; 32] {
    let mut points = [None; 32];
    let mut used = [false; crate::xiangqi::SQUARES];
    for (point, piece) in points.iter_mut().zip(all_pieces()) {
        let free = |square: &Square| !used[square.index()] && position.piece_at(*square) == Some(piece);
        let found = match piece.side {
            Side::Red => Square::all().rev().collect::<Vec<_>>(),
            Side::Black => Square::all().collect(),
        };
        // Left to right on every rank, the home rank first.
        let found = found.chunks(9).flat_map(|rank| {
            let mut rank = rank.to_vec();
            rank.sort_unstable();
            rank
        });
        let square = found.into_iter().find(free);
        if let Some(square) = square {
            used[square.index()] = true;
        }
        *point = square;
    }
    points
}

#[cfg(test)]
pub(in crate::xiangqi::record) mod made;
#[cfg(test)]
mod tests;
