//! A move taken apart as Chinese notation says it: which piece, whether it goes forward, back or
//! sideways, and how far or to which file.

use std::fmt;

use super::numerals::{self, chinese_numeral, count_text};
use crate::xiangqi::rules::{self, Grid};
use crate::xiangqi::{Kind, Move, Piece, Position, ROWS, Side, Square};

/// Which of several like pieces on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ordinal {
    /// 前: nearest to the enemy.
    Front,
    /// 中: the second of three.
    Middle,
    /// 后: nearest to home.
    Rear,
    /// 一 to 五: counted from the front.
    Nth(u8),
}

impl Ordinal {
    /// 前, 中, 后 or 一 to 五: both sides write Chinese numerals here (一卒平5).
    pub fn text(self) -> &'static str {
        match self {
            Ordinal::Front => "前",
            Ordinal::Middle => "中",
            Ordinal::Rear => "后",
            Ordinal::Nth(nth) => chinese_numeral(nth),
        }
    }

    /// Whether it means the piece with this index from the front among so many on a file. Front,
    /// middle and rear need company.
    pub(super) fn is(self, index: usize, count: usize) -> bool {
        count > 1
            && match self {
                Ordinal::Front => index == 0,
                Ordinal::Middle => count % 2 == 1 && index == count / 2,
                Ordinal::Rear => index + 1 == count,
                Ordinal::Nth(nth) => index + 1 == usize::from(nth),
            }
    }
}

/// Which way a piece goes, as its own side sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// 进: towards the enemy.
    Advance,
    /// 退: towards home.
    Retreat,
    /// 平: along its row.
    Traverse,
}

impl Action {
    /// 进, 退 or 平.
    pub const fn text(self) -> &'static str {
        match self {
            Action::Advance => "进",
            Action::Retreat => "退",
            Action::Traverse => "平",
        }
    }

    /// `advance`, `retreat` or `traverse`.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Advance => "advance",
            Action::Retreat => "retreat",
            Action::Traverse => "traverse",
        }
    }
}

/// A move as Chinese notation says it. Its text (`Display`) is the written move: `炮二平五`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parts {
    /// What moves.
    pub piece: Piece,
    /// Which of several, where the file does not say it; it is then written in place of the file.
    pub ordinal: Option<Ordinal>,
    /// The file where the piece stands, 1 to 9 from its side's right.
    pub file: u8,
    /// Which way it goes.
    pub action: Action,
    /// The file where it arrives, or for a piece that goes straight ahead or back its steps; 1 to 9.
    pub target: u8,
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, side) = (self.piece.name_zh(), self.piece.side);
        match self.ordinal {
            Some(ordinal) => write!(f, "{}{name}", ordinal.text())?,
            None => write!(f, "{name}{}", count_text(self.file, side))?,
        }
        write!(f, "{}{}", self.action.text(), count_text(self.target, side))
    }
}

/// Takes a move apart, of either side. `None` if nobody stands there or the piece never goes so;
/// whether the move is legal is not asked.
pub fn parts(position: &Position, played: Move) -> Option<Parts> {
    let piece = position.piece_at(played.from)?;
    let (action, target) = course(piece, played)?;
    let ordinal = ordinal(position.board(), piece, played.from);
    Some(Parts { piece, ordinal, file: played.from.file_number(piece.side), action, target })
}

/// Which of several like pieces stands on a point, as it is written; `None` where its file is.
///
/// Source: 《象棋竞赛规则 2020》 7.5 for two and three; 《中国象棋电脑应用规范(二)》 for advisors and
/// elephants, which their way to go tells apart, for four and five, and for pawns on two files, which
/// are counted through, the file on the own right first.
fn ordinal(board: &Grid, piece: Piece, from: Square) -> Option<Ordinal> {
    let here = file_of(board, piece, from.file_number(piece.side));
    if here.len() < 2 || matches!(piece.kind, Kind::Advisor | Kind::Elephant) {
        return None;
    }
    let files = doubled_files(board, piece);
    let index = files.concat().iter().position(|&square| square == from)?;
    Some(match (here.len(), index) {
        (2 | 3, _) if files.len() > 1 => nth(index),
        (2 | 3, 0) => Ordinal::Front,
        (2, _) | (3, 2) => Ordinal::Rear,
        (3, _) => Ordinal::Middle,
        _ => nth(index),
    })
}

fn nth(index: usize) -> Ordinal {
    Ordinal::Nth(u8::try_from(index + 1).unwrap_or(u8::MAX))
}

/// The pieces like this one on a file (1 to 9 from its side's right), from the front.
pub(super) fn file_of(board: &Grid, piece: Piece, file: u8) -> Vec<Square> {
    let column = numerals::file_column(file, piece.side);
    let mut squares: Vec<_> = (0..ROWS)
        .filter_map(|row| Square::at(row, column?))
        .filter(|&square| rules::at(board, square) == Some(piece))
        .collect();
    if piece.side == Side::Black {
        squares.reverse();
    }
    squares
}

/// The files with more than one piece like this, from its side's right, each from the front.
pub(super) fn doubled_files(board: &Grid, piece: Piece) -> Vec<Vec<Square>> {
    (1..=9).map(|file| file_of(board, piece, file)).filter(|squares| squares.len() > 1).collect()
}

/// Whether a kind arrives on another file whenever it advances or retreats, so that the file is
/// written and not the steps.
const fn goes_aslant(kind: Kind) -> bool {
    matches!(kind, Kind::Advisor | Kind::Elephant | Kind::Horse)
}

/// Rows that a piece which goes aslant passes when it changes so many files; `None` if it never does.
const fn rows_for(kind: Kind, files: u8) -> Option<i8> {
    match (kind, files) {
        (Kind::Advisor, 1) | (Kind::Horse, 2) => Some(1),
        (Kind::Elephant, 2) | (Kind::Horse, 1) => Some(2),
        _ => None,
    }
}

/// The way and the number of a move; `None` if the piece never goes so.
fn course(piece: Piece, played: Move) -> Option<(Action, u8)> {
    let ahead = (played.to.row() as i8 - played.from.row() as i8) * piece.side.forward();
    let files = (played.to.col() as i8 - played.from.col() as i8).unsigned_abs();
    let file = played.to.file_number(piece.side);
    let action = match ahead {
        0 => Action::Traverse,
        1.. => Action::Advance,
        _ => Action::Retreat,
    };
    if goes_aslant(piece.kind) {
        return (rows_for(piece.kind, files)? == ahead.abs()).then_some((action, file));
    }
    match (ahead, files) {
        (0, 1..) => Some((action, file)),
        (_, 0) if ahead != 0 => Some((action, ahead.unsigned_abs())),
        _ => None,
    }
}

/// Why a way and a number lead a piece nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nowhere {
    /// It would leave the board.
    OffBoard,
    /// The piece never goes so: a horse sideways, an advisor three files on, a rook to its own file.
    WrongShape,
}

/// Where a piece that stands here arrives by a way and a number, whatever stands on the board.
pub(super) fn arrival(piece: Piece, from: Square, action: Action, target: u8) -> Result<Square, Nowhere> {
    let column = numerals::file_column(target, piece.side).ok_or(Nowhere::OffBoard)?;
    let files = column as i8 - from.col() as i8;
    let steps = if goes_aslant(piece.kind) {
        rows_for(piece.kind, files.unsigned_abs()).ok_or(Nowhere::WrongShape)?
    } else {
        target as i8
    };
    let sideways = if goes_aslant(piece.kind) { files } else { 0 };
    let square = match action {
        Action::Advance => from.offset(steps * piece.side.forward(), sideways),
        Action::Retreat => from.offset(-steps * piece.side.forward(), sideways),
        Action::Traverse if goes_aslant(piece.kind) || files == 0 => return Err(Nowhere::WrongShape),
        Action::Traverse => from.offset(0, files),
    };
    square.ok_or(Nowhere::OffBoard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn course_and_arrival_are_inverse() {
        let mut written = 0;
        for piece in Side::ALL.into_iter().flat_map(|side| Kind::ALL.map(|kind| Piece { side, kind })) {
            for (from, to) in Square::all().flat_map(|from| Square::all().map(move |to| (from, to))) {
                if let Some((action, target)) = course(piece, Move { from, to }) {
                    assert_eq!(arrival(piece, from, action, target), Ok(to), "{piece:?} {from} {to}");
                    written += 1;
                }
            }
        }
        // Four kinds go along lines, 17 points from each of 90. An advisor has 4*8*9 steps, an
        // elephant 4*7*8, a horse 4*(7*9 + 8*8) on a board without palace and river.
        assert_eq!(written, 2 * (4 * 90 * 17 + 4 * 8 * 9 + 4 * 7 * 8 + 4 * (7 * 9 + 8 * 8)));
    }

    #[test]
    fn nowhere() {
        let at = |text| Square::from_iccs(text).unwrap();
        let red = |kind| Piece::new(Side::Red, kind);
        for (piece, from, action, target, want) in [
            (red(Kind::Cannon), "h2", Action::Advance, 8, Nowhere::OffBoard),
            (red(Kind::Cannon), "h2", Action::Retreat, 3, Nowhere::OffBoard),
            (red(Kind::Cannon), "h2", Action::Traverse, 2, Nowhere::WrongShape),
            (red(Kind::Horse), "h0", Action::Traverse, 3, Nowhere::WrongShape),
            (red(Kind::Horse), "h0", Action::Retreat, 3, Nowhere::OffBoard),
            (red(Kind::Horse), "h0", Action::Advance, 5, Nowhere::WrongShape),
            (red(Kind::Advisor), "d0", Action::Advance, 6, Nowhere::WrongShape),
            (red(Kind::Elephant), "c0", Action::Advance, 6, Nowhere::WrongShape),
            (red(Kind::Rook), "a0", Action::Advance, 0, Nowhere::OffBoard),
        ] {
            assert_eq!(arrival(piece, at(from), action, target), Err(want), "{piece:?} {from} {target}");
        }
    }
}
