//! The blocks of a text, and the values in them.

use crate::text::Span;
use crate::xiangqi::record::names::to_dhtmlxq;

const OPEN: &str = "[DhtmlXQ";
const CLOSE: &str = "[/DhtmlXQ";

/// A block, or a bracket around several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block<'a> {
    /// `[DhtmlXQ]`, `[DhtmlXQiFrame]`: a game starts.
    Start(u32),
    /// `[DhtmlXQ_name]value`.
    Value {
        /// The name behind the underscore.
        name: &'a str,
        /// Where the value stands.
        value: Span,
        /// From its `[` to behind its closing tag.
        span: Span,
        /// Whether the closing tag is there.
        closed: bool,
    },
}

/// The blocks of a text, in order.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text.get(at..)?.find(OPEN)?;
            let rest = &text[start + OPEN.len()..];
            let name_end = rest.find([']', '[', '\n']);
            at = start + OPEN.len();
            let Some(end) = name_end.filter(|end| rest[*end..].starts_with(']')) else { continue };
            let value_start = at + end + 1;
            at = value_start;
            let Some(name) = rest[..end].strip_prefix('_') else {
                return Some(Block::Start(offset(start)));
            };
            let value_end = value_start + mark(&text[value_start..]);
            let closing = text[value_end..].strip_prefix(CLOSE).and_then(|rest| rest.strip_prefix('_'));
            let closing =
                closing.and_then(|rest| rest.strip_prefix(name)).filter(|rest| rest.starts_with(']'));
            let closed = closing.is_some();
            at = if closed { value_end + CLOSE.len() + 1 + name.len() + 1 } else { value_end };
            let value = Span::new(offset(value_start), offset(value_end));
            return Some(Block::Value { name, value, span: Span::new(offset(start), offset(at)), closed });
        }
    })
}

/// The name of a tag's block: letters, digits and underscores of the tag's own, or what DhtmlXQ calls it.
/// `None` where no tag can be written: nothing is left of the name, or a block of this name is not a
/// piece of information.
pub(in crate::xiangqi::record) fn block_name(tag: &str) -> Option<String> {
    let letters: String = tag.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let name = to_dhtmlxq(&letters);
    let is_structure = matches!(name, "" | "movelist" | "init" | "binit" | "fen")
        || name.starts_with("move_")
        || name.starts_with("comment");
    (!is_structure).then(|| name.to_owned())
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Where the next tag of either kind stands, or the end.
fn mark(text: &str) -> usize {
    let brackets = text.match_indices('[').map(|(at, _)| at);
    let mut marks = brackets.filter(|at| text[*at..].starts_with(OPEN) || text[*at..].starts_with(CLOSE));
    marks.next().unwrap_or(text.len())
}

/// What a value says.
pub(super) fn unescape(raw: &str) -> String {
    let mut result = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(letter) = rest.chars().next() {
        let code = rest.strip_prefix("\\u").and_then(|code| code.get(..4));
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let coded = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        let (letter, length) = match coded {
            Some(letter) => (letter, 6),
            None if rest.starts_with("||") => ('\n', 2),
            None if rest.starts_with("\r\n") => ('\n', 2),
            None => (letter, letter.len_utf8()),
        };
        result.push(letter);
        rest = &rest[length..];
    }
    result
}

/// A value that is read as this text.
pub(super) fn escape(text: &str) -> String {
    let text = text.replace("\\u", "\\u005Cu").replace("||", "\\u007C\\u007C");
    // A single bar beside a line break would move the break.
    let text = text.replace("|\n", "\\u007C\n").replace("\n|", "\n\\u007C");
    let text = text.replace(OPEN, "\\u005BDhtmlXQ").replace(CLOSE, "\\u005B/DhtmlXQ");
    text.replace('\n', "||").replace('\r', "\\u000D")
}
