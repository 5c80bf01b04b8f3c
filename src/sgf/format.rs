//! The layout of a record: white space between its signs, and nothing else.
//!
//! Names, values and their order keep their bytes. White space beside text that has no place in
//! the grammar stays as it is, since it may matter there.

use super::lexer::{Lexer, Token, TokenKind};
use super::{NodeId, Record, Span, TextEdit};

/// How a record is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// For people: the root's properties line by line, a line for each variation and each commented
    /// node, as many other nodes on a line as fit into 78 columns.
    Canonical,
    /// For machines: a line for each game, and no other white space.
    Compact,
}

/// The columns that nodes fill.
const WIDTH: usize = 78;

/// The edits that lay a record out; none when it is so already, or when the outcome would not be the
/// same record. Done twice, the second time changes nothing.
pub fn format(record: &Record, style: Style) -> Vec<TextEdit> {
    let text = record.text();
    let signs: Vec<Token> = Lexer::new(text).filter(|token| token.kind != TokenKind::Space).collect();
    let mut layout = Layout {
        text,
        signs: &signs,
        style,
        line_break: record.line_break(),
        column: 0,
        depth: 0,
        root: false,
        ends_line: false,
    };
    let mut edits = Vec::new();
    for index in 0..=signs.len() {
        let gap = layout.gap_before(index);
        let wanted = layout.wanted(index).filter(|wanted| *wanted != gap.slice(text));
        if let Some(wanted) = wanted {
            layout.go_over(wanted);
            edits.push(TextEdit::replace(gap, wanted));
        } else {
            layout.go_over(gap.slice(text));
        }
        layout.pass(index);
    }
    if is_same(record, &signs, &super::apply_edits(text, &edits)) { edits } else { Vec::new() }
}

/// The edits of [`format`] that lie inside a range of the text.
pub fn format_range(record: &Record, style: Style, range: Span) -> Vec<TextEdit> {
    let mut edits = format(record, style);
    edits.retain(|edit| edit.span.start >= range.start && edit.span.end <= range.end);
    edits
}

/// Whether the new text has the same signs, and the same nodes follow each other.
fn is_same(record: &Record, signs: &[Token], new: &str) -> bool {
    let after = Record::parse(new);
    let again = Lexer::new(new).filter(|token| token.kind != TokenKind::Space);
    let old = signs.iter().map(|token| (token.kind, token.span.slice(record.text())));
    let parents = |record: &Record| -> Vec<Option<NodeId>> {
        (0..record.node_count() as u32).map(|node| record.parent(NodeId(node))).collect()
    };
    again.map(|token| (token.kind, token.span.slice(new))).eq(old) && parents(record) == parents(&after)
}

struct Layout<'t> {
    text: &'t str,
    signs: &'t [Token],
    style: Style,
    line_break: &'static str,
    /// The column of the new text.
    column: usize,
    depth: usize,
    /// In the root of a game.
    root: bool,
    /// Nothing may follow the node that ends here on its line.
    ends_line: bool,
}

impl<'t> Layout<'t> {
    fn kind(&self, index: usize) -> Option<TokenKind> {
        self.signs.get(index).map(|sign| sign.kind)
    }

    fn gap_before(&self, index: usize) -> Span {
        let start =
            index.checked_sub(1).and_then(|before| self.signs.get(before)).map_or(0, |sign| sign.span.end);
        let end = self.signs.get(index).map_or(self.text.len() as u32, |sign| sign.span.start);
        Span::new(start, end)
    }

    /// The white space that should stand before a sign; `None` when it has to stay.
    fn wanted(&mut self, index: usize) -> Option<&'static str> {
        use TokenKind::*;
        let before = index.checked_sub(1).and_then(|before| self.kind(before));
        let next = self.kind(index);
        match (before, next) {
            (None, Some(Open)) => Some(""),
            (Some(Close), None) => Some(self.line_break),
            (None, _) | (_, None) | (_, Some(Stray | Outside | UnclosedValue)) => None,
            (Some(Stray | Outside | UnclosedValue), _) => None,
            (Some(Ident), Some(Value)) => Some(""),
            (Some(Ident), _) => None,
            (Some(before), Some(next)) => {
                Some(if self.breaks(before, next, index) { self.line_break } else { "" })
            }
        }
    }

    fn breaks(&mut self, before: TokenKind, next: TokenKind, index: usize) -> bool {
        use TokenKind::*;
        if self.depth == 0 {
            return before == Close && next == Open;
        }
        if self.style == Style::Compact {
            return false;
        }
        match next {
            Open => true,
            Semicolon if before == Open => false,
            Semicolon => {
                let node = self.node(index);
                self.ends_line || node.own_line || self.column + node.width > WIDTH
            }
            Ident => self.root && before == Value,
            _ => false,
        }
    }

    /// How much room the node takes that starts with this sign.
    fn node(&self, index: usize) -> NodeSize {
        let mut size = NodeSize { width: 1, own_line: false };
        for sign in self.signs.get(index + 1..).unwrap_or(&[]) {
            let text = sign.span.slice(self.text);
            match sign.kind {
                TokenKind::Ident => size.own_line |= text == "C",
                TokenKind::Value => size.own_line |= text.contains(['\n', '\r']),
                _ => break,
            }
            size.width += text.chars().count();
        }
        size
    }

    /// Moves on over a sign that stands in the new text.
    fn pass(&mut self, index: usize) {
        let Some(sign) = self.signs.get(index) else { return };
        match sign.kind {
            TokenKind::Open => {
                self.root = self.depth == 0;
                self.depth += 1;
            }
            TokenKind::Close => {
                self.depth = self.depth.saturating_sub(1);
                self.root = false;
            }
            TokenKind::Semicolon => {
                let follows_open = index > 0 && self.kind(index - 1) == Some(TokenKind::Open);
                self.root &= follows_open;
                self.ends_line = self.style == Style::Canonical && (self.root || self.node(index).own_line);
            }
            _ => {}
        }
        self.go_over(sign.span.slice(self.text));
    }

    fn go_over(&mut self, text: &str) {
        self.column = match text.rfind(['\n', '\r']) {
            Some(at) => text[at + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
    }
}

/// See [`Layout::node`].
struct NodeSize {
    width: usize,
    own_line: bool,
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::super::apply_edits;
    use super::*;

    fn laid_out(text: &str, style: Style) -> String {
        apply_edits(text, &format(&Record::parse(text), style))
    }

    fn shown(text: &str, style: Style, expected: Expect) {
        expected.assert_eq(&laid_out(text, style));
    }

    const GAME: &str = "( ;GM[1] FF [4]\nSZ[19]AB[aa] [bb];B[pd];W[dd]C[two\nlines]  ;B[dp](;W[pp]\n;B[cc])(;W[qq])\n)(;B[aa])";

    #[test]
    fn canonical() {
        shown(
            GAME,
            Style::Canonical,
            expect![[r#"
                (;GM[1]
                FF[4]
                SZ[19]
                AB[aa][bb]
                ;B[pd]
                ;W[dd]C[two
                lines]
                ;B[dp]
                (;W[pp];B[cc])
                (;W[qq]))
                (;B[aa])
            "#]],
        );
        let long = format!("(;SZ[19]{})", ";B[aa];W[bb]".repeat(20));
        assert!(laid_out(&long, Style::Canonical).lines().all(|line| line.len() <= WIDTH + 1));
    }

    #[test]
    fn compact() {
        shown(
            GAME,
            Style::Compact,
            expect![[r#"
                (;GM[1]FF[4]SZ[19]AB[aa][bb];B[pd];W[dd]C[two
                lines];B[dp](;W[pp];B[cc])(;W[qq]))
                (;B[aa])
            "#]],
        );
    }

    #[test]
    fn what_has_no_place_is_left_alone() {
        for text in ["", "no game at all", "(;B[aa] x y ] C[open", "hello  (JST) \n"] {
            assert_eq!(laid_out(text, Style::Compact), text);
        }
        assert_eq!(
            laid_out("mail \n\n( ;KO B[aa] , W[bb] )\r\nbye", Style::Compact),
            "mail \n\n(;KO B[aa] , W[bb])\r\nbye"
        );
    }

    #[test]
    fn line_ends_and_ranges() {
        assert_eq!(laid_out("(;GM[1]FF[4]\r\n;B[aa])", Style::Canonical), "(;GM[1]\r\nFF[4]\r\n;B[aa])\r\n");
        let text = "( ;B[aa] ; W[bb] )";
        let edits = format_range(&Record::parse(text), Style::Compact, Span::new(4, 11));
        assert_eq!(apply_edits(text, &edits), "( ;B[aa];W[bb] )");
    }

    #[test]
    fn deep_and_long_in_linear_time() {
        let deep = format!("{}{}", "(;B[aa]".repeat(10_000), ")".repeat(10_000));
        assert_eq!(laid_out(&deep, Style::Canonical).lines().count(), 10_000);
        let wide = format!("(;AB{})", "[aa]".repeat(100_000));
        assert_eq!(laid_out(&wide, Style::Compact).len(), wide.len() + 1);
    }

    proptest! {
        #[test]
        fn twice_is_once(text in "([();\\[\\]\\\\ \n:]|\\(;|;B\\[aa\\]|C\\[x|AB\\[aa\\]|\\)\n|é){0,40}") {
            for style in [Style::Canonical, Style::Compact] {
                let once = laid_out(&text, style);
                prop_assert_eq!(laid_out(&once, style), once.as_str(), "{:?}", text);
                let squeeze = |text: &str| text.split_ascii_whitespace().collect::<String>();
                prop_assert_eq!(squeeze(&once), squeeze(&text));
            }
        }
    }
}
