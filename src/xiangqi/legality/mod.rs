//! Why a move is not legal, in words that a player understands.

mod words;

pub use words::REJECT_TEXTS;

use super::moves::Move;
use super::piece::{Kind, Piece, Side};
use super::position::Position;
use super::rules::{self, Grid};
use super::square::Square;
use super::words::Placed;

/// Why a move is not legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Illegal {
    /// An index is no point of the board.
    OffBoard(i64),
    /// Nothing stands where the move begins.
    NoPiece(Square),
    /// The piece belongs to the side that is not to move.
    NotYourPiece(Placed),
    /// A piece of the own side stands where the move ends.
    OwnPiece(Placed),
    /// The piece does not move like this, whatever stands around it; or the move goes nowhere.
    WrongShape {
        /// The piece.
        piece: Piece,
        /// The move.
        played: Move,
    },
    /// A piece is in the way of a rook, or of a cannon that goes to an empty point.
    BlockedPath {
        /// The piece that moves.
        piece: Piece,
        /// The nearest piece in its way.
        blocker: Placed,
    },
    /// A piece stands at the horse's leg (蹩马腿).
    HorseLeg(Placed),
    /// A piece stands in the elephant's eye (塞象眼).
    ElephantEye {
        /// Whose elephant it is.
        side: Side,
        /// The piece in its eye.
        blocker: Placed,
    },
    /// An elephant never crosses the river.
    ElephantRiver(Side),
    /// A king or an advisor never leaves the palace.
    OutOfPalace(Piece),
    /// A cannon that captures needs a piece in between (炮架), and there is none.
    CannonScreenMissing(Placed),
    /// A cannon captures over exactly one piece, and there are more.
    CannonScreenTooMany {
        /// What it would capture.
        target: Placed,
        /// The pieces in between, by index of the point.
        screens: Vec<Placed>,
    },
    /// A pawn never goes back.
    PawnBackward(Side),
    /// A pawn goes sideways only beyond the river.
    PawnSidewaysBeforeRiver(Side),
    /// After the move the kings would face each other (照面).
    KingsFace,
    /// After the move the own king could be captured (送将, or a check not answered).
    LeavesKingInCheck {
        /// Whose king.
        side: Side,
        /// Whether that side is in check already.
        already: bool,
        /// The pieces that would capture it, by index of the point.
        attackers: Vec<Placed>,
    },
}

/// Why a move is not legal; `None` if it is.
///
/// The first reason counts, in this order: whose pieces stand on the two points, how the piece moves,
/// what stands in its way, what the own king comes to.
pub fn explain(position: &Position, played: Move) -> Option<Illegal> {
    let board = position.board();
    let Some(mover) = Placed::on(board, played.from) else { return Some(Illegal::NoPiece(played.from)) };
    if mover.piece.side != position.turn() {
        return Some(Illegal::NotYourPiece(mover));
    }
    if played.from != played.to
        && let Some(target) = Placed::on(board, played.to)
        && target.piece.side == position.turn()
    {
        return Some(Illegal::OwnPiece(target));
    }
    movement(board, mover.piece, played).or_else(|| own_king(position, played))
}

/// The move between two indices as they come from outside.
///
/// # Errors
/// [`Illegal::OffBoard`] names the first index that is no point.
pub fn from_indices(from: i64, to: i64) -> Result<Move, Illegal> {
    let point =
        |index: i64| usize::try_from(index).ok().and_then(Square::new).ok_or(Illegal::OffBoard(index));
    Ok(Move::new(point(from)?, point(to)?))
}

/// What the piece's own rules say against the move; nothing is asked about whose piece is captured.
fn movement(board: &Grid, piece: Piece, played: Move) -> Option<Illegal> {
    let Move { from, to } = played;
    let side = piece.side;
    let forward = (to.row() as i8 - from.row() as i8) * side.forward();
    let sideways = (to.col() as i8 - from.col() as i8).abs();
    let on = |square| Placed::on(board, square);
    let wrong = Some(Illegal::WrongShape { piece, played });
    match (piece.kind, forward.abs(), sideways) {
        (Kind::King, 1, 0) | (Kind::King, 0, 1) | (Kind::Advisor, 1, 1) => {
            (!to.in_palace(side)).then_some(Illegal::OutOfPalace(piece))
        }
        (Kind::Elephant, 2, 2) if to.crossed_river(side) => Some(Illegal::ElephantRiver(side)),
        (Kind::Elephant, 2, 2) => {
            let blocker = rules::elephant_eye(from, to).and_then(on)?;
            Some(Illegal::ElephantEye { side, blocker })
        }
        (Kind::Horse, 1, 2) | (Kind::Horse, 2, 1) => {
            rules::horse_leg(from, to).and_then(on).map(Illegal::HorseLeg)
        }
        (Kind::Rook | Kind::Cannon, 1.., 0) | (Kind::Rook | Kind::Cannon, 0, 1..) => {
            path(board, piece, played)
        }
        (Kind::Pawn, 1.., 0) if forward < 0 => Some(Illegal::PawnBackward(side)),
        (Kind::Pawn, 0, 1..) if !from.crossed_river(side) => Some(Illegal::PawnSidewaysBeforeRiver(side)),
        (Kind::Pawn, 1, 0) | (Kind::Pawn, 0, 1) => None,
        _ => wrong,
    }
}

/// What stands against a rook or cannon that goes along a line.
fn path(board: &Grid, piece: Piece, Move { from, to }: Move) -> Option<Illegal> {
    let between: Vec<Placed> =
        rules::between(from, to).into_iter().filter_map(|square| Placed::on(board, square)).collect();
    let captures = Placed::on(board, to).filter(|_| piece.kind == Kind::Cannon);
    match (captures, between.len()) {
        (Some(target), 0) => Some(Illegal::CannonScreenMissing(target)),
        (Some(_), 1) => None,
        (Some(target), _) => Some(Illegal::CannonScreenTooMany { target, screens: between }),
        (None, _) => between
            .into_iter()
            .min_by_key(|blocker| blocker.square.index().abs_diff(from.index()))
            .map(|blocker| Illegal::BlockedPath { piece, blocker }),
    }
}

/// What the own king would come to. A check by a piece is named before the kings facing.
fn own_king(position: &Position, played: Move) -> Option<Illegal> {
    let side = position.turn();
    let next = position.after(played);
    let board = next.board();
    let king = rules::king(board, side)?;
    let attackers: Vec<Placed> = rules::attackers(board, king, side.opposite())
        .into_iter()
        .filter_map(|square| Placed::on(board, square))
        .collect();
    if !attackers.is_empty() {
        return Some(Illegal::LeavesKingInCheck { side, already: position.is_check(), attackers });
    }
    rules::kings_face(board).then_some(Illegal::KingsFace)
}

impl Position {
    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// Why it is not.
    pub fn play(&self, played: Move) -> Result<Position, Illegal> {
        match explain(self, played) {
            None => Ok(self.after(played)),
            Some(illegal) => Err(illegal),
        }
    }
}

impl Illegal {
    /// A stable code, one of [`REJECT_TEXTS`].
    pub const fn code(&self) -> &'static str {
        match self {
            Illegal::OffBoard(_) => "off-board",
            Illegal::NoPiece(_) => "no-piece",
            Illegal::NotYourPiece(_) => "not-your-piece",
            Illegal::OwnPiece(_) => "own-piece",
            Illegal::WrongShape { .. } => "wrong-shape",
            Illegal::BlockedPath { .. } => "blocked-path",
            Illegal::HorseLeg(_) => "horse-leg",
            Illegal::ElephantEye { .. } => "elephant-eye",
            Illegal::ElephantRiver(_) => "elephant-river",
            Illegal::OutOfPalace(_) => "out-of-palace",
            Illegal::CannonScreenMissing(_) => "cannon-screen-missing",
            Illegal::CannonScreenTooMany { .. } => "cannon-screen-too-many",
            Illegal::PawnBackward(_) => "pawn-backward",
            Illegal::PawnSidewaysBeforeRiver(_) => "pawn-sideways-before-river",
            Illegal::KingsFace => "kings-face",
            Illegal::LeavesKingInCheck { .. } => "leaves-king-in-check",
        }
    }
}

impl std::error::Error for Illegal {}

#[cfg(test)]
mod tests;
