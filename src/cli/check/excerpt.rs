//! The line of a finding with a mark beneath, for terminals.

use crate::sgf::Span;

/// The columns of a line that are shown.
const WIDTH: usize = 100;
/// As many of them stand before the place at most.
const BEFORE: usize = 40;
/// What a tab takes; lines start anywhere, so that there are no stops.
const TAB: &str = "    ";

/// A part of one line of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// As it is printed.
    pub line: String,
    /// Columns before the mark.
    pub indent: usize,
    /// Columns of the mark, at least one.
    pub length: usize,
}

impl Excerpt {
    /// The line where a range starts. Only what is shown of it is looked at, however long it is.
    pub fn of(text: &str, span: Span) -> Excerpt {
        let place = start_of(text, span.start as usize);
        let (front, behind) = text.split_at(place);
        let end = (span.end as usize).saturating_sub(place);
        let mut columns = 0;
        let mut first = place;
        let mut cut_front = false;
        for (at, letter) in front.char_indices().rev().take_while(|(_, letter)| !is_break(*letter)) {
            columns += width(letter);
            cut_front = columns > BEFORE;
            if cut_front {
                break;
            }
            first = at;
        }
        let mut excerpt = Excerpt { line: String::new(), indent: 0, length: 0 };
        if cut_front {
            excerpt.put('…');
        }
        front[first..].chars().for_each(|letter| excerpt.put(letter));
        excerpt.indent = excerpt.length;
        let mut columns = excerpt.indent;
        let mut marked = excerpt.indent;
        for (at, letter) in behind.char_indices().take_while(|(_, letter)| !is_break(*letter)) {
            if columns + width(letter) > WIDTH {
                excerpt.line.push('…');
                break;
            }
            columns += width(letter);
            excerpt.put(letter);
            if at < end {
                marked = columns;
            }
        }
        excerpt.length = (marked - excerpt.indent).max(1);
        excerpt
    }

    /// Adds a character; `length` is the width so far.
    fn put(&mut self, letter: char) {
        self.length += width(letter);
        match letter {
            '\t' => self.line.push_str(TAB),
            letter => self.line.push(visible(letter)),
        }
    }
}

/// A text on one line, without what a terminal would obey.
pub fn one_line(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// The start of the character at an offset. A place between CR and LF is the end of its line.
fn start_of(text: &str, offset: usize) -> usize {
    let mut place = offset.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    let bytes = text.as_bytes();
    let inside = bytes.get(place) == Some(&b'\n') && place > 0 && bytes.get(place - 1) == Some(&b'\r');
    place - usize::from(inside)
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r')
}

/// Control characters as their pictures, and what turns the direction of writing as `�`: a record may not
/// tell the terminal what to do.
fn visible(letter: char) -> char {
    match letter {
        '\0'..='\x1f' => char::from_u32(0x2400 + letter as u32).unwrap_or('�'),
        '\x7f' => '␡',
        '\u{80}'..='\u{9f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '�',
        letter => letter,
    }
}

/// The columns of a character: two where East Asian Width (Unicode annex 11) says wide or full-width, none for
/// combining marks.
fn width(letter: char) -> usize {
    match letter as u32 {
        0x09 => TAB.len(),
        0x300..=0x36f | 0x20d0..=0x20ff | 0x200b..=0x200f | 0x3099..=0x309a | 0xfe00..=0xfe0f | 0xfeff => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0x4dbf | 0x4e00..=0xa4cf | 0xa960..=0xa97f => 2,
        0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff01..=0xff60 | 0xffe0..=0xffe6 => 2,
        0x1f004 | 0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The excerpt of the range of `part`, with the mark beneath.
    fn drawn(text: &str, part: &str) -> [String; 2] {
        let start = text.find(part).unwrap();
        let excerpt = Excerpt::of(text, Span::new(start as u32, (start + part.len()) as u32));
        [excerpt.line, format!("{}{}", " ".repeat(excerpt.indent), "^".repeat(excerpt.length))]
    }

    #[test]
    fn marks_stand_beneath() {
        assert_eq!(drawn("(;SZ[9]\n;B[zz])", "zz"), [";B[zz])", "   ^^"]);
        assert_eq!(drawn("a\tb", "b"), ["a    b", "     ^"]);
        assert_eq!(drawn("围棋x目y", "目"), ["围棋x目y", "     ^^"]);
        assert_eq!(drawn("e\u{301}x", "x"), ["e\u{301}x", " ^"]);
        assert_eq!(drawn("한글🀄x", "x"), ["한글🀄x", "      ^"]);
        assert_eq!(drawn("ab[c\r\nd]e", "b[c\r\nd]"), ["ab[c", " ^^^"]);
        assert_eq!(drawn("ab\r\nc", "\nc"), ["ab", "  ^"]);
        assert_eq!(drawn("", ""), ["", "^"]);
        assert_eq!(drawn("x\x1b[31m\u{202e}y", "y"), ["x␛[31m�y", "       ^"]);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}PLACE{}", "a".repeat(1000), "b".repeat(1000));
        let line = format!("…{}PLACE{}…", "a".repeat(40), "b".repeat(54));
        assert_eq!(drawn(&text, "PLACE"), [line, format!("{}^^^^^", " ".repeat(41))]);
        let text = format!("{}x", "围".repeat(50));
        assert_eq!(drawn(&text, "x")[0], format!("…{}x", "围".repeat(20)));
        let text = "x".repeat(1000);
        assert_eq!(drawn(&text, &text), [format!("{}…", "x".repeat(100)), "^".repeat(100)]);
        assert_eq!(Excerpt::of("é", Span::new(1, 9)).indent, 0);
    }
}
