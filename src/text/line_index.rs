//! Offsets of a text as lines and columns, and back.
//!
//! Lines end with LF, CRLF or CR. Columns count UTF-8 bytes, UTF-16 units or characters, as
//! the editor wants it. A place that the text does not have is moved to the nearest one
//! before it: behind the end of a line to its end, inside a character to its start.

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Columns {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, the Language Server Protocol's default.
    Utf16,
    /// Characters (Unicode scalar values).
    Utf32,
}

impl Columns {
    /// How many columns a text takes.
    pub fn width(self, text: &str) -> usize {
        match self {
            Columns::Utf8 => text.len(),
            Columns::Utf16 => text.chars().map(char::len_utf16).sum(),
            Columns::Utf32 => text.chars().count(),
        }
    }

    fn width_of(self, letter: char) -> usize {
        match self {
            Columns::Utf8 => letter.len_utf8(),
            Columns::Utf16 => letter.len_utf16(),
            Columns::Utf32 => 1,
        }
    }
}

/// A place in a text; both numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column, in the units of some [`Columns`].
    pub column: u32,
}

/// Every so many bytes the widths so far are noted, so that a column in a line of megabytes
/// is found without reading the line.
const BLOCK: usize = 4096;

/// Where the lines of one text start. It must be asked about that text only; another text
/// gives wrong places, never a panic.
#[derive(Debug, Clone)]
pub struct LineIndex {
    lines: Vec<u32>,
    /// For each block: where its first character starts, and the UTF-16 units and the
    /// characters before it. Empty when the text is all ASCII.
    blocks: Vec<(u32, u32, u32)>,
    length: usize,
}

impl LineIndex {
    /// Reads a text once.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let mut lines = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if ends_line(bytes, at) {
                lines.push(at as u32 + 1);
            }
        }
        LineIndex { lines, blocks: blocks(text), length: text.len() }
    }

    /// Replaces `range` of the text this index is of, and follows. Both ends must be starts of
    /// characters. Costs little more than moving what stands behind.
    fn replace(&mut self, text: &mut String, range: std::ops::Range<usize>, new: &str) {
        let (start, end) = (range.start, range.end);
        let removed = Widths::of(&text[start..end]);
        let added = Widths::of(new);
        text.replace_range(start..end, new);
        self.length = text.len();
        // Whether a line starts at a place depends on the characters before and behind it.
        let low = self.lines.partition_point(|line| (*line as usize) < start.max(1));
        let high = self.lines.partition_point(|line| *line as usize <= end).max(low);
        for line in &mut self.lines[high..] {
            *line = *line - removed.utf8 + added.utf8;
        }
        let bytes = text.as_bytes();
        let from = start.saturating_sub(1);
        let fresh = memchr::memchr2_iter(b'\n', b'\r', &bytes[from..start + new.len()])
            .map(|at| from + at)
            .filter(|at| ends_line(bytes, *at))
            .map(|at| at as u32 + 1);
        drop(self.lines.splice(low..high, fresh.collect::<Vec<_>>()));
        self.replace_blocks(text, range, removed, added);
    }

    fn replace_blocks(&mut self, text: &str, range: std::ops::Range<usize>, removed: Widths, added: Widths) {
        if self.blocks.is_empty() {
            if added.utf8 != added.utf32 {
                self.blocks = blocks(text);
            }
            return;
        }
        let low = self.blocks.partition_point(|block| block.0 as usize <= range.start);
        let high = self.blocks.partition_point(|block| block.0 as usize <= range.end);
        for (utf8, utf16, utf32) in &mut self.blocks[high..] {
            *utf8 = *utf8 - removed.utf8 + added.utf8;
            *utf16 = *utf16 - removed.utf16 + added.utf16;
            *utf32 = *utf32 - removed.utf32 + added.utf32;
        }
        // The block in which the change is may have grown too long.
        let (start, mut utf16, mut utf32) = self.blocks[low - 1];
        let end = self.blocks.get(high).map_or(text.len(), |next| next.0 as usize);
        let mut fresh = Vec::new();
        let mut at = start as usize;
        while end - at > 4 * BLOCK {
            let next = floor(text, at + BLOCK);
            let widths = Widths::of(&text[at..next]);
            at = next;
            (utf16, utf32) = (utf16 + widths.utf16, utf32 + widths.utf32);
            fresh.push((at as u32, utf16, utf32));
        }
        drop(self.blocks.splice(low..high, fresh));
    }

    /// The number of lines; a text that ends with a line break has an empty last one.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Where a line starts and where it ends, line break left out.
    fn line_range(&self, text: &str, line: usize) -> (usize, usize) {
        let start = self.lines.get(line).map_or(self.length, |start| *start as usize);
        let next = self.lines.get(line + 1).map_or(self.length, |start| *start as usize);
        let bytes = text.as_bytes();
        let mut end = next;
        if line + 1 < self.lines.len() {
            end -= 1;
            if bytes.get(end) == Some(&b'\n') && end > start && bytes.get(end - 1) == Some(&b'\r') {
                end -= 1;
            }
        }
        (start.min(text.len()), end.min(text.len()))
    }

    /// The width of the text before `offset`, which must be a character's start.
    fn width_before(&self, text: &str, offset: usize, columns: Columns) -> usize {
        if columns == Columns::Utf8 || self.blocks.is_empty() {
            return offset;
        }
        let block = self.blocks.partition_point(|block| block.0 as usize <= offset).saturating_sub(1);
        let (start, utf16, utf32) = self.blocks[block];
        let before = if columns == Columns::Utf16 { utf16 } else { utf32 };
        before as usize + columns.width(text.get(start as usize..offset).unwrap_or(""))
    }

    /// The place of an offset.
    pub fn place(&self, text: &str, offset: usize, columns: Columns) -> LineColumn {
        let offset = floor(text, offset);
        let line = self.lines.partition_point(|start| *start as usize <= offset).saturating_sub(1);
        let (start, end) = self.line_range(text, line);
        let offset = offset.min(end);
        let column = self.width_before(text, offset, columns) - self.width_before(text, start, columns);
        LineColumn { line: line as u32, column: column as u32 }
    }

    /// The offset of a place.
    pub fn offset(&self, text: &str, place: LineColumn, columns: Columns) -> usize {
        let (start, end) = self.line_range(text, place.line as usize);
        let column = place.column as usize;
        if columns == Columns::Utf8 || self.blocks.is_empty() {
            return floor(text, start.saturating_add(column).min(end));
        }
        let wanted = self.width_before(text, start, columns) + column;
        // The last block that starts at or before the place.
        let block = self.blocks.partition_point(|&(_, utf16, utf32)| {
            (if columns == Columns::Utf16 { utf16 } else { utf32 }) as usize <= wanted
        });
        let (mut at, utf16, utf32) = self.blocks[block.saturating_sub(1)];
        let mut width = (if columns == Columns::Utf16 { utf16 } else { utf32 }) as usize;
        if (at as usize) < start {
            (at, width) = (start as u32, wanted - column);
        }
        let at = (at as usize).min(end);
        for (step, letter) in text.get(at..end).unwrap_or("").char_indices() {
            width += columns.width_of(letter);
            if width > wanted {
                return at + step;
            }
        }
        end
    }
}

/// Whether the CR or LF at `at` is the last byte of a line: CRLF counts once, at its LF.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n')
}

/// How long a text is, in each unit.
#[derive(Debug, Clone, Copy)]
struct Widths {
    utf8: u32,
    utf16: u32,
    utf32: u32,
}

impl Widths {
    fn of(text: &str) -> Widths {
        let [utf8, utf16, utf32] =
            [Columns::Utf8, Columns::Utf16, Columns::Utf32].map(|columns| columns.width(text) as u32);
        Widths { utf8, utf16, utf32 }
    }
}

fn blocks(text: &str) -> Vec<(u32, u32, u32)> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut blocks = vec![(0, 0, 0)];
    let (mut start, mut utf16, mut utf32) = (0, 0, 0);
    while start < text.len() {
        let end = floor(text, start + BLOCK);
        let block = text.get(start..end).unwrap_or("");
        utf16 += Columns::Utf16.width(block);
        utf32 += Columns::Utf32.width(block);
        start = end;
        blocks.push((start as u32, utf16 as u32, utf32 as u32));
    }
    blocks
}

/// The start of the character at `offset`, or the text's end.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// One change of an editor: `range` (start and end) of the text is replaced by `new`; without a
/// range `new` is the whole text. Places that the text does not have are moved as [`LineIndex`]
/// says; a range that ends before it starts is taken the other way round. `index` must be the
/// text's own, and is the changed text's own afterwards.
pub fn apply_change(
    text: &mut String,
    index: &mut LineIndex,
    range: Option<(LineColumn, LineColumn)>,
    new: &str,
    columns: Columns,
) {
    let Some((start, end)) = range else {
        new.clone_into(text);
        *index = LineIndex::new(new);
        return;
    };
    let start = floor(text, index.offset(text, start, columns));
    let end = floor(text, index.offset(text, end, columns));
    index.replace(text, start.min(end)..start.max(end), new);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, column: u32) -> LineColumn {
        LineColumn { line, column }
    }

    #[test]
    fn all_three_line_ends() {
        let text = "a\nb\r\nc\rd\n\r";
        let index = LineIndex::new(text);
        assert_eq!(index.line_count(), 6);
        let offsets: Vec<_> = (0..6).map(|line| index.offset(text, at(line, 0), Columns::Utf16)).collect();
        assert_eq!(offsets, [0, 2, 5, 7, 9, 10]);
        // Behind the end of a line is its end; between CR and LF too; behind the text its end.
        assert_eq!(index.offset(text, at(1, 9), Columns::Utf16), 3);
        assert_eq!(index.place(text, 4, Columns::Utf16), at(1, 1));
        assert_eq!(index.offset(text, at(99, 0), Columns::Utf16), text.len());
    }

    #[test]
    fn columns_of_wide_characters() {
        // é is 2 bytes, 棋 3, 😀 4 bytes and 2 UTF-16 units.
        let text = "x\né棋😀.";
        let index = LineIndex::new(text);
        let dot = text.find('.').unwrap();
        assert_eq!(index.place(text, dot, Columns::Utf8), at(1, 9));
        assert_eq!(index.place(text, dot, Columns::Utf16), at(1, 4));
        assert_eq!(index.place(text, dot, Columns::Utf32), at(1, 3));
        // Inside 😀 is its start.
        assert_eq!(index.offset(text, at(1, 3), Columns::Utf16), text.find('😀').unwrap());
        assert_eq!(index.place(text, dot - 1, Columns::Utf16), at(1, 2));
    }

    const TEXT: &str = "([a-cé棋😀]|\r\n|\n|\r|\u{301}){0,40}";

    /// Lines by the definition: split one character at a time.
    fn model_lines(text: &str) -> Vec<(usize, &str)> {
        let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
        while at < text.len() {
            let rest = &text[at..];
            let ending = ["\r\n", "\n", "\r"].iter().find(|ending| rest.starts_with(**ending));
            match ending {
                Some(ending) => {
                    lines.push((start, &text[start..at]));
                    at += ending.len();
                    start = at;
                }
                None => at += rest.chars().next().unwrap().len_utf8(),
            }
        }
        lines.push((start, &text[start..]));
        lines
    }

    proptest! {
        #[test]
        fn places_agree_with_the_definition(text in TEXT, pad in 0usize..3) {
            // Padding moves the text over the edge of a block.
            let text = format!("{}{text}", "棋".repeat(pad * 1365));
            let index = LineIndex::new(&text);
            let lines = model_lines(&text);
            prop_assert_eq!(index.line_count(), lines.len());
            for columns in [Columns::Utf8, Columns::Utf16, Columns::Utf32] {
                for (line, (start, content)) in lines.iter().enumerate() {
                    let tail = content.char_indices().rev().take(45).map(|(at, _)| at);
                    for inner in tail.chain([content.len()]) {
                        let place = at(line as u32, columns.width(&content[..inner]) as u32);
                        prop_assert_eq!(index.place(&text, start + inner, columns), place);
                        prop_assert_eq!(index.offset(&text, place, columns), start + inner);
                    }
                }
            }
        }

        #[test]
        fn an_index_that_followed_changes_knows_every_place(
            text in TEXT,
            changes in prop::collection::vec((0u32..9, 0u32..30, 0u32..9, 0u32..30, TEXT, 0usize..400), 1..8),
        ) {
            let mut text = text;
            let mut index = LineIndex::new(&text);
            for (line, column, line2, column2, new, repeated) in changes {
                // Some changes are longer than several blocks.
                let new = if repeated > 350 { new.repeat(repeated) } else { new };
                let range = Some((at(line, column), at(line2, column2)));
                apply_change(&mut text, &mut index, range, &new, Columns::Utf16);
                let fresh = LineIndex::new(&text);
                prop_assert_eq!(&index.lines, &fresh.lines);
                prop_assert_eq!(index.length, fresh.length);
                for offset in (0..text.len() + 1).step_by(1 + text.len() / 200) {
                    for columns in [Columns::Utf8, Columns::Utf16, Columns::Utf32] {
                        let place = fresh.place(&text, offset, columns);
                        prop_assert_eq!(index.place(&text, offset, columns), place);
                        prop_assert_eq!(index.offset(&text, place, columns), fresh.offset(&text, place, columns));
                    }
                }
            }
        }

        #[test]
        fn no_place_panics_and_all_are_character_starts(text in TEXT, line in 0u32..9, column in 0u32..30) {
            let index = LineIndex::new(&text);
            for columns in [Columns::Utf8, Columns::Utf16, Columns::Utf32] {
                prop_assert!(text.is_char_boundary(index.offset(&text, at(line, column), columns)));
            }
            for offset in 0..text.len() + 3 {
                index.place(&text, offset, Columns::Utf16);
            }
        }

        #[test]
        fn a_change_of_a_slice_is_that_slice(text in TEXT, new in TEXT, one in 0usize..99, two in 0usize..99) {
            let index = LineIndex::new(&text);
            let (one, two) = (floor(&text, one), floor(&text, two));
            let (start, end) = (one.min(two), one.max(two));
            let place = |offset| index.place(&text, offset, Columns::Utf16);
            // Offsets between CR and LF have no place of their own.
            let own = |offset| index.offset(&text, place(offset), Columns::Utf16) == offset;
            if own(start) && own(end) {
                let range = Some((place(start), place(end)));
                let (mut changed, mut index) = (text.clone(), index);
                apply_change(&mut changed, &mut index, range, &new, Columns::Utf16);
                prop_assert_eq!(changed, format!("{}{new}{}", &text[..start], &text[end..]));
            }
        }
    }

    #[test]
    fn another_text_gives_no_panic() {
        let index = LineIndex::new("é\r\né\r\nlong enough, 棋");
        for text in ["", "é", "\r\n"] {
            for line in 0..4 {
                for column in 0..4 {
                    index.offset(text, at(line, column), Columns::Utf16);
                }
            }
            (0..30).for_each(|offset| {
                index.place(text, offset, Columns::Utf16);
            });
        }
    }
}
