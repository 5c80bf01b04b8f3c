//! Text to tokens. Every byte belongs to exactly one token, whatever the text.
//!
//! Inside a game the grammar is FF\[4\]'s. Two things make the lexer more than a table:
//! * Between games lies free text (mail headers, signatures). There a `(` opens a game only
//!   when `;` or a property follows, so `(JST)` in a header stays text.
//! * A `]` that should have been escaped ends its value too early. What is left of the value
//!   becomes one stray token up to the next `]`, so that the nodes behind it survive.

use memchr::{memchr2, memchr2_iter};

use super::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `;`
    Semicolon,
    /// A property's name: a letter, then letters and digits.
    Ident,
    /// A value with its brackets.
    Value,
    /// A value without closing bracket: always the last token.
    UnclosedValue,
    /// White space.
    Space,
    /// Text that has no place in the grammar, inside a game.
    Stray,
    /// Text before, between and behind the games.
    Outside,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is; the next token starts at its end.
    pub span: Span,
}

/// An iterator over the tokens of a text, in order and without gaps.
#[derive(Debug, Clone)]
pub struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    /// A run of `(` and white space that was looked through, and whether a node follows it.
    run: (usize, bool),
    /// Where the next of `;()[]` is, as far as known; see [`Lexer::structural`].
    structural: usize,
}

impl<'t> Lexer<'t> {
    /// The tokens of `text`; offsets are 32 bits wide, so only its first 4 GiB.
    pub fn new(text: &'t str) -> Lexer<'t> {
        let bytes = text.as_bytes();
        let limit = bytes.len().min(u32::MAX as usize);
        Lexer { bytes: &bytes[..limit], at: 0, depth: 0, run: (0, false), structural: 0 }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn past(&self, mut at: usize, what: impl Fn(u8) -> bool) -> usize {
        while self.byte(at).is_some_and(&what) {
            at += 1;
        }
        at
    }

    /// Whether an identifier ends at `at` and a value follows.
    fn value_follows(&self, at: usize) -> bool {
        self.byte(self.past(at, is_space)) == Some(b'[')
    }

    /// Whether a property with a value starts at `at`.
    fn property_at(&self, at: usize) -> bool {
        let end = ident_end(self.bytes, at);
        end > at && self.value_follows(end)
    }

    /// Whether the `(` at `at` opens a tree. A whole run of `(((` shares one answer, which
    /// keeps long runs linear.
    fn opens_tree(&mut self, at: usize) -> bool {
        if at >= self.run.0 {
            let end = self.past(at, |byte| byte == b'(' || is_space(byte));
            self.run = (end, self.byte(end) == Some(b';') || self.property_at(end));
        }
        self.run.1
    }

    /// The first of `;()[]` at or behind `at` (the text's length when there is none); a
    /// backslash hides the byte behind it.
    fn structural(&mut self, at: usize) -> usize {
        if self.structural < at {
            let mut found = at;
            while let Some(byte) = self.byte(found) {
                match byte {
                    b';' | b'(' | b')' | b'[' | b']' => break,
                    b'\\' => found += 2,
                    _ => found += 1,
                }
            }
            self.structural = found.min(self.bytes.len());
        }
        self.structural
    }

    fn value(&self, start: usize) -> (TokenKind, usize) {
        match value_end(self.bytes, start) {
            Some(end) => (TokenKind::Value, end),
            None => (TokenKind::UnclosedValue, self.bytes.len()),
        }
    }

    fn inside(&mut self, first: u8) -> (TokenKind, usize) {
        let at = self.at;
        match first {
            b';' => (TokenKind::Semicolon, at + 1),
            b'[' => self.value(at),
            b')' => {
                self.depth -= 1;
                (TokenKind::Close, at + 1)
            }
            b'(' => {
                // `()` is an empty tree; its `)` must not close the tree around it.
                if !self.opens_tree(at) && self.byte(self.run.0) != Some(b')') {
                    return (TokenKind::Stray, at + 1);
                }
                self.depth += 1;
                (TokenKind::Open, at + 1)
            }
            _ if is_space(first) => (TokenKind::Space, self.past(at + 1, is_space)),
            _ => self.word(at),
        }
    }

    /// An identifier, or text that has no place here.
    fn word(&mut self, at: usize) -> (TokenKind, usize) {
        let ident = ident_end(self.bytes, at);
        if ident > at && self.value_follows(ident) {
            return (TokenKind::Ident, ident);
        }
        let stop = self.structural(at);
        match self.byte(stop) {
            // The rest of a value that a `]` has cut.
            Some(b']') => (TokenKind::Stray, self.past(stop, |byte| byte == b']')),
            _ if ident > at => (TokenKind::Ident, ident),
            Some(b'[') => (TokenKind::Stray, self.ident_before(stop, at)),
            _ => (TokenKind::Stray, self.trim_space(stop, at + 1)),
        }
    }

    /// Where the identifier of the value at `value` starts, not before `floor`; `value`
    /// itself when it has none.
    fn ident_before(&self, value: usize, floor: usize) -> usize {
        let end = self.trim_space(value, floor + 1);
        let mut start = end;
        while start > floor + 1 && self.bytes[start - 1].is_ascii_alphanumeric() {
            start -= 1;
        }
        while start < end && !self.bytes[start].is_ascii_alphabetic() {
            start += 1;
        }
        if start < end { start } else { value }
    }

    fn trim_space(&self, mut end: usize, floor: usize) -> usize {
        while end > floor && is_space(self.bytes[end - 1]) {
            end -= 1;
        }
        end.max(floor)
    }

    /// Between games: a game's start, or everything up to the next one.
    fn outside(&mut self, first: u8) -> (TokenKind, usize) {
        if is_space(first) {
            return (TokenKind::Space, self.past(self.at + 1, is_space));
        }
        let rest = &self.bytes[self.at..];
        for offset in memchr2_iter(b'(', b';', rest) {
            let at = self.at + offset;
            let next = self.past(at + 1, is_space);
            let open = self.bytes[at] == b'(';
            // Only the last `(` of several can be meant: `sorry :(` may end a header.
            let starts = (open && self.byte(next) == Some(b';')) || self.property_at(next);
            if !starts {
                continue;
            }
            if offset > 0 {
                return (TokenKind::Outside, at);
            }
            self.depth = 1;
            return (if open { TokenKind::Open } else { TokenKind::Semicolon }, at + 1);
        }
        (TokenKind::Outside, self.bytes.len())
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        let first = self.byte(self.at)?;
        let (kind, end) = if self.depth == 0 { self.outside(first) } else { self.inside(first) };
        let span = Span::new(self.at as u32, end as u32);
        self.at = end;
        Some(Token { kind, span })
    }
}

/// SGF's white space.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The end of the identifier at `at`; `at` itself when there is none.
#[inline]
pub(crate) fn ident_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or(&[]);
    match rest.first() {
        Some(first) if first.is_ascii_alphabetic() => {
            let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
            at + end.unwrap_or(rest.len())
        }
        _ => at,
    }
}

/// The offset behind the `]` that closes the value opened at `start`.
#[inline]
pub(crate) fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    // Most values are points: a few bytes are read faster one by one.
    let mut at = start + 1;
    let quick = (at + 8).min(bytes.len());
    while at < quick {
        match bytes[at] {
            b']' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    loop {
        let rest = bytes.get(at..)?;
        let offset = memchr2(b']', b'\\', rest)?;
        if rest[offset] == b']' {
            return Some(at + offset + 1);
        }
        at += offset + 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tokens as `kind text`, one a line.
    fn shown(text: &str) -> Vec<String> {
        Lexer::new(text).map(|token| format!("{:?} {:?}", token.kind, token.span.slice(text))).collect()
    }

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        Lexer::new(text)
            .filter(|token| token.kind != TokenKind::Space)
            .map(|token| (token.kind, token.span.slice(text)))
            .collect()
    }

    #[test]
    fn a_plain_game() {
        use TokenKind::*;
        assert_eq!(
            kinds("(;AB[aa] [b\\]]\n(;))"),
            [
                (Open, "("),
                (Semicolon, ";"),
                (Ident, "AB"),
                (Value, "[aa]"),
                (Value, "[b\\]]"),
                (Open, "("),
                (Semicolon, ";"),
                (Close, ")"),
                (Close, ")"),
            ]
        );
    }

    #[test]
    fn a_mail_header_stays_outside() {
        use TokenKind::*;
        assert_eq!(kinds("Date (JST); x\n(;B[aa])bye")[..2], [(Outside, "Date (JST); x\n"), (Open, "(")]);
        assert_eq!(kinds(";;)"), [(Outside, ";;)")]);
    }

    #[test]
    fn the_rest_of_a_cut_value_is_one_token() {
        use TokenKind::*;
        assert_eq!(
            kinds("(;C[a [3d]: hi there]US[x[y] Smith]]KM[1], N[2])")[2..],
            [
                (Ident, "C"),
                (Value, "[a [3d]"),
                (Stray, ": hi there]"),
                (Ident, "US"),
                (Value, "[x[y]"),
                (Stray, "Smith]]"),
                (Ident, "KM"),
                (Value, "[1]"),
                (Stray, ", "),
                (Ident, "N"),
                (Value, "[2]"),
                (Close, ")"),
            ]
        );
    }

    #[test]
    fn every_short_string_is_covered() {
        let alphabet = [b'(', b')', b';', b'[', b']', b'\\', b'A', b' '];
        for length in 0..=5u32 {
            for number in 0..alphabet.len().pow(length) {
                let digit = |place: u32| alphabet[number / alphabet.len().pow(place) % alphabet.len()];
                let text: String = (0..length).map(|place| char::from(digit(place))).collect();
                let joined: String = Lexer::new(&text).map(|token| token.span.slice(&text)).collect();
                assert_eq!(joined, text, "{:?}", shown(&text));
            }
        }
    }

    proptest! {
        #[test]
        fn tokens_join_to_the_text(text in "([();\\[\\]\\\\ \nABcé棋:-]|\\(;|;B\\[aa\\]){0,60}") {
            let mut end = 0;
            for token in Lexer::new(&text) {
                prop_assert_eq!(token.span.start, end);
                prop_assert!(!token.span.slice(&text).is_empty());
                end = token.span.end;
            }
            prop_assert_eq!(end as usize, text.len());
        }

        #[test]
        fn any_text_is_covered(text in any::<String>()) {
            let joined: String = Lexer::new(&text).map(|token| token.span.slice(&text)).collect();
            prop_assert_eq!(joined, text);
        }
    }

    #[test]
    fn long_runs_take_linear_time() {
        // Quadratic behaviour would take hours here.
        for piece in ["(", "A ", "(A", ";", "(;(", "[", ")", "(;A ", "\\", ", ", "(;, "] {
            let text = piece.repeat(300_000);
            assert!(Lexer::new(&text).count() > 0);
            let text = format!("(;{text}");
            assert!(Lexer::new(&text).count() > 0);
        }
    }
}
