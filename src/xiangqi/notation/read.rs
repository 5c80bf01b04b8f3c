//! Reading a move in any notation.

use super::coordinates::{read_iccs, read_uci};
use super::phrase::Phrase;
use super::text::{Token, clean, tokens};
use super::{ReadError, chinese};
use crate::xiangqi::{Move, Position, Side};

/// A way to write moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Two points, ranks from 0 to 9: `h2e2`.
    Iccs,
    /// Two points, ranks from 1 to 10: `h3e3`.
    Uci,
    /// `炮二平五`.
    Chinese,
    /// `C2=5`.
    Wxf,
}

impl Notation {
    /// All notations.
    pub const ALL: [Notation; 4] = [Notation::Iccs, Notation::Uci, Notation::Chinese, Notation::Wxf];

    /// The name on the wire, as the answers call the field: `iccs`, `uci`, `zh`, `wxf`.
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Iccs => "iccs",
            Notation::Uci => "uci",
            Notation::Chinese => "zh",
            Notation::Wxf => "wxf",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<Notation> {
        Notation::ALL.into_iter().find(|notation| notation.name() == name)
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Notation::Iccs => "ICCS coordinates",
            Notation::Uci => "UCI coordinates",
            Notation::Chinese => "Chinese notation",
            Notation::Wxf => "WXF notation",
        }
    }

    /// What Chinese people call it.
    pub const fn name_zh(self) -> &'static str {
        match self {
            Notation::Iccs => "ICCS 坐标",
            Notation::Uci => "UCI 坐标",
            Notation::Chinese => "中文",
            Notation::Wxf => "WXF",
        }
    }

    /// The same first move in each.
    pub const fn example(self) -> &'static str {
        match self {
            Notation::Iccs => "h2e2",
            Notation::Uci => "h3e3",
            Notation::Chinese => "炮二平五",
            Notation::Wxf => "C2=5",
        }
    }
}

/// Reads a move of the side to move. With no notation given it is found by the text: four characters
/// of coordinates are ICCS, coordinates with a rank 10 are UCI, a Chinese character makes it Chinese,
/// anything else is WXF.
///
/// What is read beyond what is written: blanks and punctuation; full width characters; `H2-E2`;
/// traditional characters and either side's names of the pieces; Black's numbers as Chinese numerals;
/// 前 二 三 四 后 for pawns on one file; the file besides (前兵四平五, 前四平五); 前士 and the like; the file alone
/// (炮二平五) for a pair of which one can go so; WXF in small letters, with `.` or nothing for `=`, with
/// `N` and `B`, with the federation's names for pawns (`P+`, `++`, `3+.4`, `33.4`).
///
/// The text that kifud writes for a legal move is always read as that move.
///
/// # Errors
/// Why no legal move, or no single one, fits. Nothing is chosen among several.
pub fn read(position: &Position, text: &str, notation: Option<Notation>) -> Result<Move, ReadError> {
    let cleaned = clean(text)?;
    let malformed = ReadError::Form(notation);
    let points = match notation {
        Some(Notation::Iccs) => Some(read_iccs(&cleaned).ok_or(malformed)?),
        Some(Notation::Uci) => Some(read_uci(&cleaned).ok_or(malformed)?),
        Some(Notation::Chinese | Notation::Wxf) => None,
        None => read_iccs(&cleaned).or_else(|| read_uci(&cleaned)),
    };
    match points {
        Some(played) if position.is_legal(played) => Ok(played),
        Some(played) => Err(ReadError::Illegal { moves: vec![played] }),
        None => read_words(position, &cleaned, notation),
    }
}

/// Reads Chinese and WXF.
fn read_words(position: &Position, cleaned: &[char], notation: Option<Notation>) -> Result<Move, ReadError> {
    let (tokens, chinese_text) = tokens(cleaned)?;
    if notation.is_some_and(|notation| (notation == Notation::Chinese) != chinese_text) {
        return Err(ReadError::Form(notation));
    }
    let phrase = Phrase::new(&tokens, chinese_text).map_err(|error| match error {
        ReadError::Form(_) => ReadError::Form(notation),
        other => other,
    })?;
    let played = phrase.resolve(position);
    let digits = tokens.iter().any(|token| matches!(token, Token::Number { chinese: false, .. }));
    if chinese_text && digits && position.turn() == Side::Red {
        return Err(ReadError::RedDigits { meant: played.ok().map(|played| chinese(position, played)) });
    }
    played
}

/// A move of a line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// How many moves were read before it.
    pub index: usize,
    /// Why not.
    pub error: ReadError,
}

/// Reads moves played one after the other, each in any notation, except that all coordinates of a line
/// count their ranks alike: from 1 if a rank 10 occurs or if only so every move is legal, else from 0.
///
/// # Errors
/// The first move that cannot be read; with ranks from 0 if neither way leads to the end.
pub fn read_line(start: &Position, texts: &[impl AsRef<str>]) -> Result<Vec<Move>, LineError> {
    let is_uci = |text: &str| clean(text).is_ok_and(|cleaned| read_uci(&cleaned).is_some());
    let is_iccs = |text: &str| clean(text).is_ok_and(|cleaned| read_iccs(&cleaned).is_some());
    let play = |uci: bool| {
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().map(AsRef::as_ref).enumerate() {
            let notation = (uci && (is_uci(text) || is_iccs(text))).then_some(Notation::Uci);
            let played = read(&position, text, notation).map_err(|error| LineError { index, error })?;
            position = position.after(played);
            moves.push(played);
        }
        Ok(moves)
    };
    if texts.iter().map(AsRef::as_ref).any(|text| is_uci(text) && !is_iccs(text)) {
        return play(true);
    }
    play(false).or_else(|error| play(true).map_err(|_| error))
}
