//! The words of a line.

use super::number::{Decimal, looks_numeric, number};
use crate::go::{Size, Vertex};

/// A line cut at white space and control characters; always stands at the start of a token.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
    /// Length of the token at the start of `rest`, 0 while nobody has asked.
    length: usize,
}

/// Characters up to the blank part tokens; GTP calls the others controls and drops them.
fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

impl<'a> Tokens<'a> {
    pub(super) fn new(line: &'a [u8]) -> Tokens<'a> {
        let mut tokens = Tokens { rest: line, length: 0 };
        tokens.advance(0);
        tokens
    }

    /// The token that comes next, left where it is.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<&'a [u8]> {
        if self.length == 0 {
            self.length = before_blank(self.rest);
        }
        self.rest.get(..self.length).filter(|token| !token.is_empty())
    }

    /// How much of the line lies ahead.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// Takes the next token if it is wanted.
    #[inline]
    pub(super) fn next_if(&mut self, wanted: impl FnOnce(&[u8]) -> bool) -> Option<&'a [u8]> {
        let token = self.peek().filter(|token| wanted(token))?;
        self.advance(token.len());
        Some(token)
    }

    /// Takes the next token as a number if one belongs there; one that cannot be read is NaN.
    #[inline]
    pub(super) fn next_number(&mut self) -> Option<f64> {
        if let Some((decimal, length)) = Decimal::read(self.rest)
            && self.rest.get(length).is_none_or(|byte| is_blank(*byte))
            && let Some(value) = decimal.to_f64(0)
        {
            self.advance(length);
            return Some(value);
        }
        let token = self.next_if(looks_numeric)?;
        Some(number(token, 0).unwrap_or(f64::NAN))
    }

    /// Steps over all numbers that come next, without reading them.
    pub(super) fn skip_numbers(&mut self) {
        loop {
            self.advance(before_letter(self.rest));
            if self.next_if(looks_numeric).is_none() {
                break;
            }
        }
    }

    /// Steps over `length` bytes and the blanks behind them.
    #[inline]
    fn advance(&mut self, length: usize) {
        let mut start = length;
        while self.rest.get(start).is_some_and(|byte| is_blank(*byte)) {
            start += 1;
        }
        self.rest = self.rest.get(start..).unwrap_or_default();
        self.length = 0;
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        self.next_if(|_| true)
    }
}

/// How many bytes of `text` stand before its first blank, eight bytes a look. Subtracting 33
/// sets the top bit of a blank; bytes that had it before are masked out, and a borrow can only
/// spoil bytes behind the first blank.
#[inline]
fn before_blank(text: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let (words, tail) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let blanks = word.wrapping_sub(EACH * 33) & !word & (EACH * 128);
        if blanks != 0 {
            return index * 8 + blanks.trailing_zeros() as usize / 8;
        }
    }
    text.len() - tail.len() + tail.iter().position(|byte| is_blank(*byte)).unwrap_or(tail.len())
}

/// How many bytes of `text` can be skipped before the token that holds its first letter.
/// Digits, signs, points and blanks have bit 6 clear, letters have it set: eight bytes a look.
/// Other punctuation has it clear too; no engine prints a word of that alone.
fn before_letter(text: &[u8]) -> usize {
    const LETTERS: u64 = 0x4040_4040_4040_4040;
    let (words, _) = text.as_chunks::<8>();
    let clear = words.iter().take_while(|word| u64::from_ne_bytes(**word) & LETTERS == 0).count() * 8;
    let tail = text.get(clear..).unwrap_or_default();
    let letter = clear + tail.iter().position(|byte| byte & 0x40 != 0).unwrap_or(tail.len());
    // Back to the start of the token: the letter may be the `e` of an exponent.
    let head = text.get(..letter).unwrap_or_default();
    head.iter().rposition(|byte| is_blank(*byte)).map_or(0, |blank| blank + 1)
}

/// What a token is among vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A vertex of the board, or a pass.
    On(Vertex),
    /// A vertex of some other board.
    Off,
    /// `null`: no move.
    Null,
    /// Not a vertex.
    Other,
}

impl Word {
    /// Reads `[A-Za-z]{1,2}[0-9]+`, `pass` or `null`.
    #[inline]
    pub(super) fn read(token: &[u8], size: Size) -> Word {
        let letters = token.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let digits = token.get(letters..).unwrap_or_default();
        if matches!(letters, 1 | 2) && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            let text = std::str::from_utf8(token).ok();
            return text.and_then(|text| Vertex::parse_gtp(text, size)).map_or(Word::Off, Word::On);
        }
        if token.eq_ignore_ascii_case(b"pass") {
            Word::On(Vertex::Pass)
        } else if token.eq_ignore_ascii_case(b"null") {
            Word::Null
        } else {
            Word::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_are_cut_at_blanks_and_controls() {
        let tokens: Vec<_> = Tokens::new(b" \tinfo  move\x01D4 \r").collect();
        assert_eq!(tokens, [&b"info"[..], b"move", b"D4"]);
        assert_eq!(Tokens::new(b"").next(), None);
    }

    #[test]
    fn words() {
        let size = Size::square(9).unwrap();
        let cases = [
            ("E5", Word::On(Vertex::parse_gtp("E5", size).unwrap())),
            ("e5", Word::On(Vertex::parse_gtp("E5", size).unwrap())),
            ("Pass", Word::On(Vertex::Pass)),
            ("null", Word::Null),
            ("R16", Word::Off),
            ("I5", Word::Off),
            ("A0", Word::Off),
            ("A12345678901234567890", Word::Off),
            ("pvVisits", Word::Other),
            ("0.5", Word::Other),
            ("E", Word::Other),
            ("", Word::Other),
        ];
        for (token, expected) in cases {
            assert_eq!(Word::read(token.as_bytes(), size), expected, "{token}");
        }
    }

    proptest! {
        #[test]
        fn the_first_blank_is_found(text in proptest::collection::vec(prop_oneof![any::<u8>(), 30u8..36, 126u8..131], 0..40)) {
            let expected = text.iter().position(|byte| *byte <= b' ').unwrap_or(text.len());
            prop_assert_eq!(before_blank(&text), expected);
        }

        #[test]
        fn skipping_numbers_stops_where_reading_them_stops(line in "([-+.0-9eEnaif]{0,9} {1,2}){0,12}(info|nan|order|e5| )?") {
            let mut read = Tokens::new(line.as_bytes());
            while read.next_number().is_some() {}
            let mut skipped = Tokens::new(line.as_bytes());
            skipped.skip_numbers();
            prop_assert_eq!(read.rest, skipped.rest, "{:?}", line);
        }
    }
}
