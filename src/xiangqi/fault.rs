//! What can be wrong with a position, or with the text of one.

use std::fmt;

use super::piece::{Piece, Side};
use super::square::Square;

/// One reason why a FEN or a set-up is not a position of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The text is empty.
    Empty,
    /// The text is longer than any FEN; how many bytes it has.
    TooLong(usize),
    /// The board has not ten ranks; how many it has.
    RankCount(usize),
    /// A rank (1 at the top to 10) has not nine files; how many it has.
    RankWidth {
        /// 1, Black's back rank, to 10, Red's.
        rank: usize,
        /// Files it has.
        files: usize,
    },
    /// A character that is no piece and no number of empty points.
    Character {
        /// The rank, from 1 at the top.
        rank: usize,
        /// The character.
        character: char,
    },
    /// The side to move is none of `w`, `r`, `b`.
    SideToMove(String),
    /// A counter is no whole number, or too large.
    Counter {
        /// `halfmove` or `fullmove`.
        name: &'static str,
        /// What stands there.
        text: String,
    },
    /// Something follows the last field.
    Excess(String),
    /// A side has no king.
    NoKing(Side),
    /// A side has more pieces of a kind than it starts with.
    TooMany {
        /// Which.
        piece: Piece,
        /// How many.
        count: usize,
    },
    /// A piece is where it can never come.
    CannotStand {
        /// Which.
        piece: Piece,
        /// Where.
        square: Square,
    },
    /// The kings see each other.
    KingsFace,
    /// The side that is not to move is in check.
    OpponentInCheck(Side),
}

impl Fault {
    /// A stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Fault::Empty => "empty",
            Fault::TooLong(_) => "too-long",
            Fault::RankCount(_) => "rank-count",
            Fault::RankWidth { .. } => "rank-width",
            Fault::Character { .. } => "unknown-character",
            Fault::SideToMove(_) => "side-to-move",
            Fault::Counter { .. } => "bad-counter",
            Fault::Excess(_) => "excess-text",
            Fault::NoKing(_) => "king-missing",
            Fault::TooMany { .. } => "too-many-pieces",
            Fault::CannotStand { .. } => "impossible-square",
            Fault::KingsFace => "kings-face",
            Fault::OpponentInCheck(_) => "opponent-in-check",
        }
    }

    /// The reason in Chinese.
    pub fn reason_zh(&self) -> String {
        match self {
            Fault::Empty => "没有局面文字".into(),
            Fault::TooLong(bytes) => format!("局面文字太长（{bytes} 字节）"),
            Fault::RankCount(ranks) => format!("棋盘应有 10 行，实为 {ranks} 行"),
            Fault::RankWidth { rank, files } => format!("第 {rank} 行应有 9 列，实为 {files} 列"),
            Fault::Character { rank, character } => format!("第 {rank} 行有不认识的字符 {character:?}"),
            Fault::SideToMove(text) => format!("走子方应为 w、r 或 b，实为 {text:?}"),
            Fault::Counter { name: "halfmove", text } => {
                format!("未吃子步数应为不太大的非负整数，实为 {text:?}")
            }
            Fault::Counter { text, .. } => format!("回合数应为不太大的非负整数，实为 {text:?}"),
            Fault::Excess(text) => format!("末尾有多余的文字 {text:?}"),
            Fault::NoKing(side) => format!("{}没有{}", side.name_zh(), king_zh(*side)),
            Fault::TooMany { piece, count } => format!(
                "{}有 {count} 个{}，最多 {} 个",
                piece.side.name_zh(),
                piece.name_zh(),
                piece.kind.limit()
            ),
            Fault::CannotStand { piece, square } => {
                format!("{}的{}不可能在 {square}", piece.side.name_zh(), piece.name_zh())
            }
            Fault::KingsFace => "将帅照面".into(),
            Fault::OpponentInCheck(side) => {
                format!("轮到{}走，{}却正被将军", side.opposite().name_zh(), side.name_zh())
            }
        }
    }
}

fn king_zh(side: Side) -> &'static str {
    match side {
        Side::Red => "帅",
        Side::Black => "将",
    }
}

/// The reason in English.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Empty => f.write_str("there is no position"),
            Fault::TooLong(bytes) => write!(f, "the text is too long for a position ({bytes} bytes)"),
            Fault::RankCount(ranks) => write!(f, "the board has {ranks} ranks, not 10"),
            Fault::RankWidth { rank, files } => {
                write!(f, "rank {rank} from the top has {files} files, not 9")
            }
            Fault::Character { rank, character } => {
                write!(f, "rank {rank} from the top has the unknown character {character:?}")
            }
            Fault::SideToMove(text) => write!(f, "the side to move is {text:?}, not w, r or b"),
            Fault::Counter { name, text } => {
                write!(f, "the {name} counter is {text:?}, not a whole number of a sane size")
            }
            Fault::Excess(text) => write!(f, "{text:?} follows the last field"),
            Fault::NoKing(side) => write!(f, "{side} has no king"),
            Fault::TooMany { piece: Piece { side, kind }, count } => {
                let (name, limit) = (kind.name(), kind.limit());
                write!(f, "{side} has {count} {name}s, at most {limit} are possible")
            }
            Fault::CannotStand { piece: Piece { side, kind }, square } => {
                write!(f, "the {} of {side} on {square} can never have come there", kind.name())
            }
            Fault::KingsFace => f.write_str("the kings face each other"),
            Fault::OpponentInCheck(side) => {
                write!(f, "{side} is in check while {} is to move", side.opposite())
            }
        }
    }
}

/// Every reason, none left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Faults {
    /// Every reason in Chinese.
    pub fn reason_zh(&self) -> String {
        self.0.iter().map(Fault::reason_zh).collect::<Vec<_>>().join("；")
    }
}

impl std::error::Error for Faults {}
