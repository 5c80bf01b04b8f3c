//! XQF, the format of 象棋演播室 (XQStudio): version 10 is plain, later ones (11 to 18 are seen) are
//! scrambled.
//!
//! Sources: the author's 《XQF文件格式说明》 of 2001 for version 10 and the fields of the head; for later
//! versions what xqbase's converter, vschess and cchess agree about. Text is in the charset of the
//! writer's Windows, nearly always GBK.

use encoding_rs::Encoding;

use super::bytes::{Cursor, byte, narrow, span};
use super::stream::{Step, bad_text, cut_off, tree};
use super::xqf_key::Key;
use super::{BinaryError, all_pieces, either_side};
use crate::text::Span;
use crate::xiangqi::record::finding::{self, Finding};
use crate::xiangqi::record::names::Outcome;
use crate::xiangqi::record::{NodeId, Record};
use crate::xiangqi::{Faults, Position, Setup, Side, Square};

/// Bytes before the moves.
const HEAD: usize = 1024;

/// Texts in the head, each with its length before it: name, where, room.
const TEXTS: [(&str, usize, usize); 11] = [
    ("Title", 0x50, 63),
    ("Event", 0xD0, 63),
    ("Date", 0x110, 15),
    ("Site", 0x120, 15),
    ("Red", 0x130, 15),
    ("Black", 0x140, 15),
    ("TimeControl", 0x150, 63),
    ("RedTime", 0x190, 15),
    ("BlackTime", 0x1A0, 15),
    ("Annotator", 0x1D0, 15),
    ("Author", 0x1E0, 15),
];

/// Reads a file. `charset` is that of its texts, GB18030 if there is none.
///
/// # Errors
/// When it is no XQF file or its head is cut off. Anything else is a finding.
pub fn read(file: &[u8], charset: Option<&'static Encoding>) -> Result<Record, BinaryError> {
    if !file.starts_with(b"XQ") {
        return Err(BinaryError::Signature { expected: "XQ" });
    }
    let short = BinaryError::Short { length: file.len(), needed: HEAD };
    let (head, body) = file.split_at_checked(HEAD).ok_or(short.clone())?;
    let key = Key::new(head.first_chunk().ok_or(short)?);
    let version = byte(head, 2);
    let mut record = Record::with_start(None);
    record.span = span(0, file.len());
    start(&mut record, head, version, key.pieces);
    for (name, at, room) in TEXTS {
        let length = usize::from(byte(head, at)).min(room);
        let bytes = head.get(at + 1..at + 1 + length).unwrap_or(&[]);
        let place = span(at + 1, at + 1 + length);
        let (text, fits) = narrow(bytes, charset);
        if !fits {
            record.findings.push(bad_text(name, place));
        }
        if !text.trim().is_empty() {
            record.push_tag(name, text.trim().into(), place);
        }
    }
    let outcome = Outcome::from_number(byte(head, 0x33));
    record.push_tag("Result", outcome.to_pgn().into(), span(0x33, 0x34));
    let bytes: Vec<u8> = match version {
        ..=10 => body.to_vec(),
        _ => body.iter().zip(key.stream.iter().cycle()).map(|(byte, key)| byte.wrapping_sub(*key)).collect(),
    };
    let mut moves =
        Moves { cursor: Cursor::new(&bytes, 0), plain: version <= 10, key, charset, findings: Vec::new() };
    let mut more = false;
    if let Some(root) = moves.next() {
        more = root.has_next;
        if let Some((text, place)) = root.comment {
            record.comment(NodeId::ROOT, &text, place);
        }
    }
    let mut record = tree(record, moves.by_ref().take(if more { Record::MAX_NODES } else { 0 }));
    moves.findings.into_iter().for_each(|finding| record.findings.push(finding));
    Ok(record)
}

/// The start: the points of the 32 pieces and the side to move. Files of whole games and of openings
/// (types 0 and 1) that have no position there start as usual.
fn start(record: &mut Record, head: &[u8], version: u8, key: u8) {
    match position(head, version, key) {
        Ok(position) => record.start = Some(position),
        Err(_) if byte(head, 0x40) < 2 => record.start = Some(Position::start()),
        Err(faults) => {
            let place = span(0x10, 0x30);
            faults.0.iter().for_each(|fault| record.findings.push(finding::start(fault, place)));
        }
    }
}

fn position(head: &[u8], version: u8, key: u8) -> Result<Position, Faults> {
    let mut setup = Setup::empty();
    let order: Vec<_> = all_pieces().collect();
    for index in 0..32 {
        let turned = if version >= 12 { usize::from(key) + index + 1 } else { index };
        let square = point(byte(head, 0x10 + index).wrapping_sub(key));
        if let (Some(square), Some(piece)) = (square, order.get(turned % 32)) {
            setup.board[square.index()] = Some(*piece);
        }
    }
    setup.turn = if byte(head, 0x32) == 1 { Side::Black } else { Side::Red };
    let step = u32::from(byte(head, 0x30)) + u32::from(byte(head, 0x31)) * 256;
    setup.fullmove = (step / 2).max(1);
    either_side(setup)
}

/// Column · 10 + row, both from 0, from Red's left.
fn point(number: u8) -> Option<Square> {
    let rank = usize::from(number % 10);
    Square::at(9 - rank, usize::from(number / 10))
}

/// The moves of a file one after the other, the empty one before the first included.
struct Moves<'a> {
    cursor: Cursor<'a>,
    plain: bool,
    key: Key,
    charset: Option<&'static Encoding>,
    findings: Vec<Finding>,
}

impl Iterator for Moves<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let start = self.cursor.at();
        let step = self.step(start);
        if step.is_none() {
            self.findings.push(cut_off(place(start, self.cursor.at())));
        }
        step
    }
}

impl Moves<'_> {
    fn step(&mut self, start: usize) -> Option<Step> {
        let [from, to, flags, _] = *self.cursor.take(4)?.first_chunk()?;
        let (has_next, has_sibling, has_comment) = match self.plain {
            true => (flags & 0xF0 != 0, flags & 0x0F != 0, true),
            false => (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x20 != 0),
        };
        let length = if has_comment { self.cursor.number()?.wrapping_sub(self.key.comment) } else { 0 };
        let span = place(start, self.cursor.at());
        let comment = self.comment(length);
        let from = point(from.wrapping_sub(24).wrapping_sub(self.key.from));
        let to = point(to.wrapping_sub(32).wrapping_sub(self.key.to));
        Some(Step { points: from.zip(to), has_next, has_sibling, comment, span })
    }

    fn comment(&mut self, length: u32) -> Option<(String, Span)> {
        let start = self.cursor.at();
        // A length below zero is a slip of some writer's.
        let length = usize::try_from(length as i32).unwrap_or(0);
        let bytes = self.cursor.take_up_to(length);
        let span = place(start, self.cursor.at());
        let (text, fits) = narrow(bytes, self.charset);
        if !fits {
            self.findings.push(bad_text("comment", span));
        }
        (!bytes.is_empty()).then_some((text, span))
    }
}

/// A range of the file; the moves stand behind the head.
fn place(start: usize, end: usize) -> Span {
    span(HEAD + start, HEAD + end)
}
