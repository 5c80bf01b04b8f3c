//! Fields of a binary file.

use encoding_rs::{Encoding, GB18030, UTF_16LE};

use crate::text::Span;

/// A place in a file from which fields are read one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at: at.min(bytes.len()) }
    }

    /// Where it is.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next bytes; `None`, and no step, if there are not so many.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// The next bytes, or as many as there are.
    pub fn take_up_to(&mut self, length: usize) -> &'a [u8] {
        let rest = self.bytes.len() - self.at;
        self.take(length.min(rest)).unwrap_or(&[])
    }

    /// A number of four bytes, the lowest first.
    pub fn number(&mut self) -> Option<u32> {
        let bytes = self.take(4)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    }
}

/// One byte; 0 behind the end.
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// A range of a file.
pub(super) fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// UTF-16 up to the first zero, and whether every unit was a character.
pub(super) fn utf16(bytes: &[u8]) -> (String, bool) {
    let end = bytes.chunks(2).position(|unit| unit == [0, 0]).map_or(bytes.len(), |units| units * 2);
    let (text, bad) = UTF_16LE.decode_without_bom_handling(bytes.get(..end).unwrap_or(&[]));
    (lines(text.trim_end_matches('\u{0}')), !bad)
}

/// Text of one byte or two a character, up to the first zero, and whether it fitted the charset.
pub(super) fn narrow(bytes: &[u8], charset: Option<&'static Encoding>) -> (String, bool) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let bytes = bytes.get(..end).unwrap_or(&[]);
    let (text, bad) = charset.unwrap_or(GB18030).decode_without_bom_handling(bytes);
    (lines(&text), !bad)
}

/// Windows programs end lines with CRLF, and pad texts with blanks.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
