//! The characters of a move: what is dropped, what means the same, what each one stands for.

use super::ReadError;
use super::numerals::digit_value;
use super::parts::{Action, Ordinal};
use crate::xiangqi::Kind;

/// Characters a text may have; no notation needs more than six.
pub const MAX_CHARS: usize = 64;

/// A text without blanks and punctuation, full width ASCII made narrow, every dash a hyphen.
///
/// # Errors
/// [`ReadError::TooLong`], [`ReadError::Empty`].
pub(super) fn clean(text: &str) -> Result<Vec<char>, ReadError> {
    if text.len() > MAX_CHARS * 4 || text.chars().count() > MAX_CHARS {
        return Err(ReadError::TooLong);
    }
    let cleaned: Vec<_> = text.chars().map(narrow).filter(|&character| !is_filler(character)).collect();
    if cleaned.is_empty() { Err(ReadError::Empty) } else { Ok(cleaned) }
}

fn narrow(character: char) -> char {
    match character {
        '！'..='～' => char::from_u32(character as u32 - '！' as u32 + '!' as u32).unwrap_or(character),
        '‐'..='―' | '−' => '-',
        other => other,
    }
}

/// Blanks, invisible marks and punctuation that no notation uses.
fn is_filler(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || ",;:!?'\"`()[]{}<>*_，、。；：·…‘’“”「」『』《》〈〉【】〔〕".contains(character)
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

/// What a character stands for in Chinese or WXF notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A kind of piece; the name of either side's piece is read for both.
    Kind(Kind),
    /// 前, 中, 后.
    Ordinal(Ordinal),
    /// 1 to 9.
    Number {
        /// Its value.
        value: u8,
        /// Whether it is a Chinese numeral.
        chinese: bool,
    },
    /// 进, 退, 平.
    Action(Action),
    /// `+`, `-`, `=`: WXF's way, or front and rear.
    Sign(Action),
    /// `.`: WXF's other sign for a sideways move.
    Dot,
}

/// What a cleaned text consists of, without dots at its end, and whether any character is Chinese.
///
/// # Errors
/// [`ReadError::Character`]: the first character that no notation uses.
pub(super) fn tokens(cleaned: &[char]) -> Result<(Vec<Token>, bool), ReadError> {
    let mut tokens = Vec::with_capacity(cleaned.len());
    for &character in cleaned {
        tokens.push(token(character).ok_or(ReadError::Character(character))?);
    }
    while tokens.last() == Some(&Token::Dot) {
        tokens.pop();
    }
    Ok((tokens, cleaned.iter().any(|character| !character.is_ascii())))
}

fn token(character: char) -> Option<Token> {
    if let Some(value) = digit_value(character) {
        return Some(Token::Number { value, chinese: !character.is_ascii() });
    }
    Some(match character {
        '帅' | '帥' | '将' | '將' => Token::Kind(Kind::King),
        '仕' | '士' => Token::Kind(Kind::Advisor),
        '相' | '象' => Token::Kind(Kind::Elephant),
        '马' | '馬' | '傌' => Token::Kind(Kind::Horse),
        '车' | '車' | '俥' => Token::Kind(Kind::Rook),
        '炮' | '砲' | '包' => Token::Kind(Kind::Cannon),
        '兵' | '卒' => Token::Kind(Kind::Pawn),
        '前' => Token::Ordinal(Ordinal::Front),
        '中' => Token::Ordinal(Ordinal::Middle),
        '后' | '後' => Token::Ordinal(Ordinal::Rear),
        '进' | '進' => Token::Action(Action::Advance),
        '退' => Token::Action(Action::Retreat),
        '平' => Token::Action(Action::Traverse),
        '+' => Token::Sign(Action::Advance),
        '-' => Token::Sign(Action::Retreat),
        '=' => Token::Sign(Action::Traverse),
        '.' => Token::Dot,
        letter => Token::Kind(Kind::from_fen_char(letter)?),
    })
}
