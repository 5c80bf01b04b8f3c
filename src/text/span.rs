//! Ranges of a document's text, and replacements of such ranges.

use std::ops::Range;

/// A range of byte offsets in a document's text.
///
/// Offsets are 32 bits wide: documents are limited far below 4 GiB, and a tree of a
/// million nodes stays small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The empty range at `offset`.
    pub const fn at(offset: u32) -> Span {
        Span { start: offset, end: offset }
    }

    /// The range as `usize`, for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The number of bytes.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Whether the range holds no byte.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether two ranges have a byte or an end in common.
    pub const fn touches(self, other: Span) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// The same bytes of a text that has so many more before it.
    #[must_use]
    pub const fn shifted(self, by: u32) -> Span {
        Span { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }

    /// The text in this range; empty when the range does not fit the text.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or("")
    }
}

/// A replacement of one range of a text. A list of edits always speaks of the text before
/// any of them, sorted and without overlap; several insertions at one offset keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What goes away; empty for an insertion.
    pub span: Span,
    /// What comes in its place.
    pub new_text: String,
}

impl TextEdit {
    /// Inserts `text` at `offset`.
    pub fn insert(offset: u32, text: impl Into<String>) -> TextEdit {
        TextEdit { span: Span::at(offset), new_text: text.into() }
    }

    /// Replaces `span` by `text`.
    pub fn replace(span: Span, text: impl Into<String>) -> TextEdit {
        TextEdit { span, new_text: text.into() }
    }
}

/// The text after the edits. Edits must be sorted and must not overlap; one that does not
/// fit the text is left out.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let added: usize = edits.iter().map(|edit| edit.new_text.len()).sum();
    let mut result = String::with_capacity(text.len() + added);
    let mut done = 0;
    for edit in edits {
        let Range { start, end } = edit.span.range();
        let Some(kept) = text.get(done..start) else { continue };
        if text.get(start..end).is_none() {
            continue;
        }
        result.push_str(kept);
        result.push_str(&edit.new_text);
        done = end;
    }
    result.push_str(text.get(done..).unwrap_or(""));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_speak_of_the_text_before_them() {
        let edits =
            [TextEdit::insert(0, "<"), TextEdit::replace(Span::new(1, 3), "-"), TextEdit::insert(4, ">")];
        assert_eq!(apply_edits("abcd", &edits), "<a-d>");
    }

    #[test]
    fn an_edit_inside_a_character_or_behind_the_end_is_left_out() {
        let edits = [TextEdit::insert(1, "x"), TextEdit::replace(Span::new(3, 99), "y")];
        assert_eq!(apply_edits("é!", &edits), "é!");
    }
}
