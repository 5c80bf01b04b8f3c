//! The tokens of a PGN text: together they are the whole text.

use crate::text::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// White space, commas and stops.
    Space,
    /// `[Name "value"]`.
    Tag {
        /// The name.
        name: Span,
        /// The value between the quotation marks, as written.
        value: Span,
    },
    /// `{…}`; `closed` says whether the brace at the end is there.
    Comment {
        /// Whether it ends before the text does.
        closed: bool,
    },
    /// `;` to the end of the line.
    LineComment,
    /// `%` at the start of a line, to its end: a note of some program.
    Escape,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `$5`, or `!`, `?` and their pairs.
    Glyph(u8),
    /// A move number with its dots: `12.`, `12...`.
    Number,
    /// Anything else without white space: a move, a result, or something wrong.
    Word,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// The tokens of a text, each where the one before it ends.
pub fn tokens(text: &str) -> impl Iterator<Item = Token> + '_ {
    Lexer { text, at: 0, barren: 0 }
}

/// The most bytes that are looked at to see whether moves stand without a blank between them.
const MAX_GLUED: usize = 96;

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Up to here no tag ends: a line without an end of one is not searched again for each bracket.
    barren: usize,
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let (kind, length) = self.token(rest, first);
        let start = self.at;
        self.at += length.max(first.len_utf8());
        Some(Token { kind, span: span(start, self.at) })
    }
}

impl Lexer<'_> {
    /// The kind and the length of what the rest of the text starts with.
    fn token(&mut self, rest: &str, first: char) -> (Kind, usize) {
        match first {
            letter if is_space(letter) => (Kind::Space, run(rest, is_space)),
            '{' => match rest.find('}') {
                Some(end) => (Kind::Comment { closed: true }, end + 1),
                None => (Kind::Comment { closed: false }, rest.len()),
            },
            ';' => (Kind::LineComment, line(rest)),
            '%' if self.at_line_start() => (Kind::Escape, line(rest)),
            '(' => (Kind::Open, 1),
            ')' => (Kind::Close, 1),
            '[' => self.tag(rest).unwrap_or((Kind::Word, word(rest))),
            '$' => {
                let digits = run(&rest[1..], |letter| letter.is_ascii_digit());
                let number = rest[1..=digits].parse();
                number.map_or((Kind::Word, word(rest)), |glyph| (Kind::Glyph(glyph), 1 + digits))
            }
            letter if is_mark(letter) => {
                let length = rest.char_indices().take(2).take_while(|(_, letter)| is_mark(*letter));
                let marks: Vec<_> = length.map(|(_, letter)| letter).collect();
                (Kind::Glyph(glyph(&marks)), marks.iter().map(|letter| letter.len_utf8()).sum())
            }
            _ => number(rest).map_or_else(|| (Kind::Word, word(rest)), |length| (Kind::Number, length)),
        }
    }

    fn at_line_start(&self) -> bool {
        self.text[..self.at].chars().next_back().is_none_or(|letter| matches!(letter, '\n' | '\r'))
    }

    /// A tag ends on its line: at the first quotation mark with a bracket behind it.
    fn tag(&mut self, rest: &str) -> Option<(Kind, usize)> {
        let name = run(&rest[1..], |letter| letter.is_alphanumeric() || letter == '_');
        let blanks = run(&rest[1 + name..], |letter| matches!(letter, ' ' | '\t'));
        let value = 1 + name + blanks + 1;
        rest[value - 1..].strip_prefix('"').filter(|_| name > 0 && self.at >= self.barren)?;
        let inside = &rest[value..];
        let mut escaped = false;
        let mut end = inside.len();
        for (at, letter) in inside.char_indices() {
            if matches!(letter, '\n' | '\r') {
                end = at;
                break;
            }
            if letter == '"' && !escaped {
                let behind = &inside[at + 1..];
                let blanks = run(behind, |letter| matches!(letter, ' ' | '\t'));
                if behind[blanks..].starts_with(']') {
                    let kind = Kind::Tag {
                        name: span(self.at + 1, self.at + 1 + name),
                        value: span(self.at + value, self.at + value + at),
                    };
                    return Some((kind, value + at + 1 + blanks + 1));
                }
            }
            escaped = letter == '\\' && !escaped;
        }
        self.barren = self.at + value + end;
        None
    }
}

/// A span of offsets; texts stay far below 4 GiB.
fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

fn run(text: &str, mut holds: impl FnMut(char) -> bool) -> usize {
    text.find(|letter| !holds(letter)).unwrap_or(text.len())
}

fn line(text: &str) -> usize {
    run(text, |letter| !matches!(letter, '\n' | '\r'))
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | '，' | '。' | '、' | '\u{FEFF}' | '\u{200B}')
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '!' | '?' | '！' | '？')
}

fn glyph(marks: &[char]) -> u8 {
    let good = |letter: &char| matches!(letter, '!' | '！');
    match marks {
        [one] => 2 - u8::from(good(one)),
        [one, two] => match (good(one), good(two)) {
            (true, true) => 3,
            (false, false) => 4,
            (true, false) => 5,
            (false, true) => 6,
        },
        _ => 0,
    }
}

/// Digits with dots behind them, or alone. In WXF a digit and a dot may begin a pawn's move: `33.4`.
fn number(rest: &str) -> Option<usize> {
    let digits = run(rest, |letter| letter.is_ascii_digit());
    let behind = &rest[digits..];
    let dots = run(behind, |letter| matches!(letter, '.' | '．' | '…'));
    let next = behind[dots..].chars().next();
    let ends = match (digits, dots) {
        (0, _) => false,
        (_, 0) => next.is_none_or(|letter| is_space(letter) || letter == '['),
        _ => next.is_none_or(|letter| !letter.is_ascii_digit()) || dots > 1,
    };
    ends.then_some(digits + dots)
}

/// The length of a word. Chinese moves of four characters may stand without a blank between them.
fn word(rest: &str) -> usize {
    let start = front(rest, MAX_GLUED);
    let length = word_end(start);
    let word = &start[..length];
    let letters = word.chars().count();
    // Where so much has no end only the first move is looked at.
    let open = length == start.len() && start.len() < rest.len();
    let wide = word.chars().filter(|letter| !letter.is_ascii()).count() * 2 >= letters;
    let glued = letters > 4 && wide && (open || letters.is_multiple_of(4));
    match word.char_indices().nth(4) {
        Some((fourth, _)) if glued => fourth,
        _ if open => word_end(rest),
        _ => length,
    }
}

fn word_end(rest: &str) -> usize {
    let ends = |letter: char| {
        is_space(letter) || is_mark(letter) || matches!(letter, '{' | ';' | '(' | ')' | '$' | '[' | '.')
    };
    let mut length = 0;
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        let dot = letter == '.' && length > 0 && letters.peek().is_some_and(char::is_ascii_digit);
        if length > 0 && ends(letter) && !dot {
            break;
        }
        length += letter.len_utf8();
    }
    length
}

/// The start of a text, at most so many bytes.
fn front(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
