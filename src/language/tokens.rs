//! Semantic tokens: what each piece of the text is.

use crate::go::Color;
use crate::sgf::props::ValueType;
use crate::sgf::{NodeId, Property, Record, Span, Value};

use super::place::{span_of, type_of};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// The name of a property that is known.
    Property,
    /// The name of one that is not.
    UnknownProperty,
    /// A move.
    Move,
    /// A point of a set-up.
    Setup,
    /// A point of markup.
    Markup,
    /// Text.
    Text,
    /// A backslash and what it escapes.
    Escape,
    /// A number.
    Number,
    /// A colour, a charset or another word of the format.
    Keyword,
    /// Text that has no place in the format.
    Stray,
    /// Text before, between and behind the games.
    Outside,
}

/// A piece of the text, inside one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is; never empty.
    pub span: Span,
    /// Whose property it is, for moves and set-up.
    pub color: Option<Color>,
    /// A name spelled as before FF\[4\], with small letters.
    pub old_spelling: bool,
}

/// The tokens that touch a range, by place and without overlap. A piece of many lines is one
/// token a line.
pub fn tokens(record: &Record, range: Span) -> Vec<Token> {
    let mut found = Tokens { record, list: Vec::new() };
    found.read(range);
    found.list.retain(|token| token.span.start < range.end && token.span.end > range.start);
    found.list
}

struct Tokens<'r> {
    record: &'r Record,
    list: Vec<Token>,
}

impl Tokens<'_> {
    fn read(&mut self, range: Span) {
        let record = self.record;
        let first = record.node_at(range.start).map_or(0, |node| node.0);
        // Where what has been read ends.
        let mut end = if first == 0 { 0 } else { record.node(NodeId(first)).span.start };
        for node in (first..record.node_count() as u32).map(NodeId) {
            let place = record.node(node);
            if end >= range.end {
                return;
            }
            if record.parent(node).is_none() {
                self.between_games(end, place.span.start, place.game);
            } else {
                self.gap(Span::new(end, place.span.start));
            }
            end = place.span.start;
            for property in record.properties(node) {
                if end >= range.end {
                    return;
                }
                let span = property.span();
                self.gap(Span::new(end, span.start));
                if span.end > range.start {
                    self.property(property);
                }
                end = span.end;
            }
        }
        if end < range.end {
            self.between_games(end, record.text().len() as u32, record.games().len());
        }
    }

    /// What stands before a game: the end of the one before it, and text outside.
    fn between_games(&mut self, start: u32, end: u32, game: usize) {
        let before = game.checked_sub(1).and_then(|game| self.record.game(game));
        let close = before.map_or(start, |game| game.span.end).clamp(start, end);
        self.gap(Span::new(start, close));
        let span = Span::new(close, end);
        let text = span.slice(self.record.text());
        // The last `(` is the game's own.
        let body = text.trim_end_matches(|letter: char| letter == '(' || letter.is_whitespace());
        let body = body.trim_start_matches(is_sign);
        if !body.is_empty() {
            self.push(TokenKind::Outside, span_of(self.record, body), None);
        }
    }

    /// Adds a piece, line by line.
    fn push(&mut self, kind: TokenKind, span: Span, color: Option<Color>) {
        let text = span.slice(self.record.text());
        let mut at = span.start;
        for line in text.split(['\n', '\r']) {
            let end = at + line.len() as u32;
            if !line.is_empty() {
                self.list.push(Token { kind, span: Span::new(at, end), color, old_spelling: false });
            }
            at = end + 1;
        }
    }

    /// What stands between properties: signs, space and what does not belong there.
    fn gap(&mut self, span: Span) {
        for piece in span.slice(self.record.text()).split_inclusive(is_sign) {
            let body = piece.trim_end_matches(is_sign);
            if !body.is_empty() {
                self.push(TokenKind::Stray, span_of(self.record, body), None);
            }
        }
    }

    fn property(&mut self, property: Property<'_>) {
        let ident = property.ident();
        let name = property.ident_span();
        let kind = type_of(&property);
        if !name.is_empty() {
            let known = if kind.is_some() { TokenKind::Property } else { TokenKind::UnknownProperty };
            let old_spelling = property.written_ident() != ident;
            self.list.push(Token { kind: known, span: name, color: None, old_spelling });
        }
        let mut end = name.end;
        for value in property.values() {
            self.gap(Span::new(end, value.span().start));
            self.value(kind, &ident, value);
            end = value.span().end;
        }
    }

    fn value(&mut self, kind: Option<ValueType>, ident: &str, value: Value<'_>) {
        let span = value.raw_span();
        let color = match ident {
            "B" | "AB" | "TB" => Some(Color::Black),
            "W" | "AW" | "TW" => Some(Color::White),
            _ => None,
        };
        match kind {
            Some(ValueType::Move) => self.push(TokenKind::Move, span, color),
            Some(ValueType::Points | ValueType::PointsOrNone) if matches!(ident, "AB" | "AW" | "AE") => {
                self.push(TokenKind::Setup, span, color);
            }
            Some(ValueType::Points | ValueType::PointsOrNone | ValueType::PointPairs) => {
                self.push(TokenKind::Markup, span, color);
            }
            Some(ValueType::Labels) => {
                let point =
                    crate::sgf::value::composed(value.raw()).map_or(0, |(point, _)| point.len()) as u32;
                self.push(TokenKind::Markup, Span::new(span.start, span.start + point), color);
                self.text(Span::new(span.start + point, span.end));
            }
            Some(ValueType::Number | ValueType::Real | ValueType::Double | ValueType::Size) => {
                self.push(TokenKind::Number, span, None);
            }
            Some(ValueType::Color) => self.push(TokenKind::Keyword, span, None),
            _ if matches!(ident, "RE" | "CA" | "RU") => self.push(TokenKind::Keyword, span, None),
            _ => self.text(span),
        }
    }

    /// Text and the escapes in it.
    fn text(&mut self, span: Span) {
        let bytes = self.record.text().as_bytes();
        let (mut from, end) = (span.start as usize, span.end as usize);
        while let Some(at) = memchr::memchr(b'\\', bytes.get(from..end).unwrap_or_default()) {
            let backslash = from + at;
            let next = self.record.text().get(backslash + 1..end).and_then(|rest| rest.chars().next());
            let behind = backslash + 1 + next.map_or(0, char::len_utf8);
            self.push(TokenKind::Text, Span::new(from as u32, backslash as u32), None);
            self.push(TokenKind::Escape, Span::new(backslash as u32, behind as u32), None);
            from = behind;
        }
        self.push(TokenKind::Text, Span::new(from as u32, end as u32), None);
    }
}

/// The signs of the format outside of values, and white space.
fn is_sign(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '(' | ')' | ';' | '\u{feff}' | '\0')
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn all(record: &Record) -> Vec<Token> {
        tokens(record, Span::new(0, record.text().len() as u32))
    }

    fn check(text: &str, expected: Expect) {
        let shown = all(&Record::parse(text)).into_iter().map(|token| {
            let color = token.color.map_or("", |color| color.letter());
            let old = if token.old_spelling { " old" } else { "" };
            format!("{:?}{color}{old} {:?}\n", token.kind, token.span.slice(text))
        });
        expected.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn pieces() {
        check(
            "Date (JST)\n(;SiZe[19]KM[6.5]RE[B+R]PL[W]AB[aa] [bb:cc]LB[dd:x\\]\\\\]ZZ[q];B[dd]C[a\r\nb\\\n棋])\nbye",
            expect![[r#"
                Outside "Date (JST)"
                Property old "SiZe"
                Number "19"
                Property "KM"
                Text "6.5"
                Property "RE"
                Keyword "B+R"
                Property "PL"
                Keyword "W"
                Property "AB"
                SetupB "aa"
                SetupB "bb:cc"
                Property "LB"
                Markup "dd"
                Text ":x"
                Escape "\\]"
                Escape "\\\\"
                UnknownProperty "ZZ"
                Text "q"
                Property "B"
                MoveB "dd"
                Property "C"
                Text "a"
                Text "b"
                Escape "\\"
                Text "棋"
                Outside "bye"
            "#]],
        );
        check(
            "(;C[a[b]: rest]KM[1], ;[x]B)(;W[])",
            expect![[r#"
                Property "C"
                Text "a[b"
                Stray ":"
                Stray "rest]"
                Property "KM"
                Text "1"
                Stray ","
                Text "x"
                Property "B"
                Property "W"
            "#]],
        );
    }

    proptest! {
        #[test]
        fn tokens_are_in_order(text in "([();\\[\\]\\\\ :,B棋\n]|\\(;|;B\\[aa\\]|C\\[|LB\\[aa:){0,60}", start in 0u32..60, length in 0u32..60) {
            let record = Record::parse(text.as_str());
            let whole = all(&record);
            let mut end = 0;
            for token in &whole {
                prop_assert!(token.span.start >= end && !token.span.is_empty(), "{whole:?}");
                let inside = text.get(token.span.range());
                prop_assert!(inside.is_some_and(|inside| !inside.contains(['\n', '\r'])), "{whole:?}");
                end = token.span.end;
            }
            let range = Span::new(start, start + length);
            let touched: Vec<Token> =
                whole.into_iter().filter(|token| token.span.start < range.end && token.span.end > range.start).collect();
            prop_assert_eq!(tokens(&record, range), touched);
        }
    }
}
