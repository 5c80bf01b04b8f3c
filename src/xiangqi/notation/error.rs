//! Why a text is not read as a move.

use std::fmt;

use super::numerals::count_text;
use super::text::MAX_CHARS;
use super::{Notation, Nowhere};
use crate::xiangqi::{Move, Piece};

/// Why a text is not read as a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// There is no text, or only blanks and punctuation.
    Empty,
    /// More than 64 characters.
    TooLong,
    /// A character that the notation does not use.
    Character(char),
    /// It does not have the form of a move; the notation that was asked for, if any.
    Form(Option<Notation>),
    /// The number after the way is missing: `炮二平`.
    Incomplete,
    /// Red's move in digits: `马8进7`. Red counts in Chinese numerals.
    RedDigits {
        /// How the only legal move that fits is written, if there is one.
        meant: Option<String>,
    },
    /// The side to move has no such piece.
    NoPiece {
        /// The piece that is named.
        piece: Piece,
        /// The file that is named, 1 to 9 from the side's right.
        file: Option<u8>,
        /// Whether the text says which of several pieces on one file: `前炮平五`.
        among: bool,
    },
    /// The piece is there but nothing like it ever goes so.
    Nowhere {
        /// The piece that is named.
        piece: Piece,
        /// What is wrong with the way and the number.
        why: Nowhere,
    },
    /// What it names is against the rules: one move, or the same by several pieces. None is legal.
    Illegal {
        /// The moves, at least one.
        moves: Vec<Move>,
    },
    /// More than one legal move fits.
    Ambiguous {
        /// The moves, at least two.
        candidates: Vec<Move>,
    },
}

impl ReadError {
    /// A stable code. For one illegal move the code of the rule against it says more.
    pub const fn code(&self) -> &'static str {
        match self {
            ReadError::Empty => "empty",
            ReadError::TooLong => "too-long",
            ReadError::Character(_) => "unknown-character",
            ReadError::Form(_) => "malformed",
            ReadError::Incomplete => "incomplete",
            ReadError::RedDigits { .. } => "red-digits",
            ReadError::NoPiece { .. } => "no-piece",
            ReadError::Nowhere { why: Nowhere::OffBoard, .. } => "off-board",
            ReadError::Nowhere { why: Nowhere::WrongShape, .. } => "wrong-shape",
            ReadError::Illegal { .. } => "illegal",
            ReadError::Ambiguous { .. } => "ambiguous",
        }
    }

    /// The move that the text names, if it names exactly one and the rules are against it.
    pub fn illegal_move(&self) -> Option<Move> {
        match self {
            ReadError::Illegal { moves } if moves.len() == 1 => moves.first().copied(),
            _ => None,
        }
    }

    /// The reason in Chinese.
    pub fn reason_zh(&self) -> String {
        match self {
            ReadError::Empty => "没有着法文字".into(),
            ReadError::TooLong => format!("着法文字超过 {MAX_CHARS} 个字符"),
            ReadError::Character(character) => format!("着法中有不认识的字符 {character:?}"),
            ReadError::Form(None) => "不是着法，应如“炮二平五”“C2=5”或“h2e2”".into(),
            ReadError::Form(Some(notation)) => {
                format!("不是着法（{}），应如“{}”", notation.name_zh(), notation.example())
            }
            ReadError::Incomplete => "着法不完整：进、退、平之后缺少数字，应如“炮二平五”".into(),
            ReadError::RedDigits { meant: Some(meant) } => format!("红方用中文数字，应写“{meant}”"),
            ReadError::RedDigits { meant: None } => "红方用中文数字，从红方右手边数起".into(),
            ReadError::NoPiece { piece, file: None, .. } => {
                format!("{}没有足够多的{}在同一路上，不能这样称呼", piece.side.name_zh(), piece.name_zh())
            }
            ReadError::NoPiece { piece, file: Some(file), among } => format!(
                "{}{}路上没有{}{}",
                piece.side.name_zh(),
                count_text(*file, piece.side),
                if *among { "这样的" } else { "" },
                piece.name_zh()
            ),
            ReadError::Nowhere { piece, why: Nowhere::OffBoard } => format!("{}会走出棋盘", piece.name_zh()),
            ReadError::Nowhere { piece, why: Nowhere::WrongShape } => {
                format!("{}不能这样走", piece.name_zh())
            }
            ReadError::Illegal { moves } => format!("{} 不合规则", listed(moves)),
            ReadError::Ambiguous { candidates } => format!("有歧义，可以是 {}", listed(candidates)),
        }
    }
}

/// The reason in English.
impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Empty => f.write_str("there is no move"),
            ReadError::TooLong => write!(f, "the text has more than {MAX_CHARS} characters"),
            ReadError::Character(character) => write!(f, "the move has the unknown character {character:?}"),
            ReadError::Form(None) => {
                f.write_str("this is no move; one is written like 炮二平五, C2=5 or h2e2")
            }
            ReadError::Form(Some(notation)) => {
                write!(f, "this is no move in {}, like {}", notation.title(), notation.example())
            }
            ReadError::Incomplete => {
                f.write_str("the number at the end is missing; a move is written like 炮二平五")
            }
            ReadError::RedDigits { meant: Some(meant) } => {
                write!(f, "Red counts in Chinese numerals: write {meant}")
            }
            ReadError::RedDigits { meant: None } => {
                f.write_str("Red counts in Chinese numerals, from Red's right")
            }
            ReadError::NoPiece { piece, file: None, .. } => {
                write!(f, "{} has too few {}s on one file for that name", piece.side, piece.kind.name())
            }
            ReadError::NoPiece { piece, file: Some(file), among } => {
                let such = if *among { "such " } else { "" };
                write!(f, "{} has no {such}{} on file {file}", piece.side, piece.kind.name())
            }
            ReadError::Nowhere { piece, why: Nowhere::OffBoard } => {
                write!(f, "the {} would leave the board", piece.kind.name())
            }
            ReadError::Nowhere { piece, why: Nowhere::WrongShape } => {
                write!(f, "a {} never goes so", piece.kind.name())
            }
            ReadError::Illegal { moves } => write!(f, "{} is against the rules", listed(moves)),
            ReadError::Ambiguous { candidates } => {
                write!(f, "it is not clear which of {} is meant", listed(candidates))
            }
        }
    }
}

impl std::error::Error for ReadError {}

fn listed(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(", ")
}
