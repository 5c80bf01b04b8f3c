//! A set-up: any pieces anywhere. Only [`Position::new`](super::Position::new) makes a position of it.

use super::fault::{Fault, Faults};
use super::fen::{self, MAX_COUNTER};
use super::piece::{Kind, Piece, Side};
use super::rules::{self, Grid};
use super::square::{SQUARES, Square};

/// Pieces on a board and whose turn it is, as plain data. Nothing is promised about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The pieces, by index of the point.
    pub board: Grid,
    /// Who is to move.
    pub turn: Side,
    /// Plies since the last capture.
    pub halfmove: u32,
    /// Number of the pair of moves, from 1; it grows after Black's move.
    pub fullmove: u32,
}

impl Setup {
    /// An empty board, Red to move.
    pub const fn empty() -> Setup {
        Setup { board: [None; SQUARES], turn: Side::Red, halfmove: 0, fullmove: 1 }
    }

    /// Every reason why the game does not allow this; none if it does.
    pub fn faults(&self) -> Vec<Fault> {
        let counters = [("halfmove", self.halfmove), ("fullmove", self.fullmove)];
        let mut faults: Vec<_> = (counters.into_iter())
            .filter(|&(_, number)| number > MAX_COUNTER)
            .map(|(name, number)| Fault::Counter { name, text: number.to_string() })
            .collect();
        faults.extend(material(self.board.iter().flatten().copied()));
        faults.extend(self.placement());
        faults
    }

    fn placement(&self) -> Vec<Fault> {
        let mut faults: Vec<_> = Square::all()
            .filter_map(|square| Some((square, rules::at(&self.board, square)?)))
            .filter(|&(square, piece)| !rules::may_stand(piece, square))
            .map(|(square, piece)| Fault::CannotStand { piece, square })
            .collect();
        let waiting = self.turn.opposite();
        if rules::kings_face(&self.board) {
            faults.push(Fault::KingsFace);
        } else if rules::in_check(&self.board, waiting) {
            faults.push(Fault::OpponentInCheck(waiting));
        }
        faults
    }
}

/// Missing kings and pieces beyond the set that a side starts with: none ever comes back.
fn material(pieces: impl Iterator<Item = Piece> + Clone) -> Vec<Fault> {
    let mut faults = Vec::new();
    for side in Side::ALL {
        for kind in Kind::ALL {
            let piece = Piece::new(side, kind);
            let count = pieces.clone().filter(|&other| other == piece).count();
            if kind == Kind::King && count == 0 {
                faults.push(Fault::NoKing(side));
            } else if count > kind.limit() {
                faults.push(Fault::TooMany { piece, count });
            }
        }
    }
    faults
}

/// Reads a FEN and asks everything at once: the text, the material, and, where the pieces are on the
/// points that are meant, the placement.
///
/// # Errors
/// Every reason why it is no position.
pub(super) fn from_fen(text: &str) -> Result<Setup, Faults> {
    let reading = fen::read(text);
    let mut faults = reading.faults;
    if !matches!(faults[..], [Fault::Empty | Fault::TooLong(_)]) {
        faults.extend(material(reading.pieces.iter().copied()));
    }
    if reading.shaped {
        faults.extend(reading.setup.placement());
    }
    if faults.is_empty() { Ok(reading.setup) } else { Err(Faults(faults)) }
}
