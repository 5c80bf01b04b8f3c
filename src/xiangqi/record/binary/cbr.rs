//! CBR, one game of 象棋桥 (CCBridge).
//!
//! There is no specification; the fields are those that vschess (both versions) and cchess (version 2)
//! read. Texts are UTF-16.

use super::bytes::{Cursor, byte, span, utf16};
use super::stream::{Step, bad_text, cut_off, tree};
use super::{BinaryError, either_side};
use crate::xiangqi::record::finding::{self, Finding};
use crate::xiangqi::record::names::Outcome;
use crate::xiangqi::record::{NodeId, Record};
use crate::xiangqi::{Kind, Piece, Setup, Side, Square};

/// What a file starts with; a byte further on is the version.
pub(super) const SIGNATURE: &[u8; 16] = b"CCBridge Record\0";

/// Texts of the head in version 2; name, where, bytes. Version 1 has the title at 52 and no judge and
/// recorder; the others stand 128 bytes earlier, those behind these two 256.
const TEXTS: [(&str, usize, usize); 18] = [
    ("Title", 180, 128),
    ("Event", 692, 64),
    ("Round", 756, 64),
    ("Group", 820, 32),
    ("Table", 852, 32),
    ("Date", 884, 64),
    ("Site", 948, 64),
    ("Red", 1076, 64),
    ("RedTeam", 1140, 64),
    ("RedTime", 1204, 64),
    ("RedElo", 1268, 32),
    ("Black", 1300, 64),
    ("BlackTeam", 1364, 64),
    ("BlackTime", 1428, 64),
    ("BlackElo", 1492, 32),
    ("Judge", 1524, 64),
    ("Annotator", 1652, 64),
    ("Author", 1780, 64),
];

/// Reads a file.
///
/// # Errors
/// When it is no CBR file, of a version that is not known, or its head is cut off. Anything else is a
/// finding.
pub fn read(file: &[u8]) -> Result<Record, BinaryError> {
    read_at(file, 0)
}

/// Reads a game that stands somewhere in a file; spans count from the start of the file.
pub(super) fn read_at(file: &[u8], offset: usize) -> Result<Record, BinaryError> {
    if !file.starts_with(SIGNATURE) {
        return Err(BinaryError::Signature { expected: "CCBridge Record" });
    }
    let version = byte(file, 19);
    let early = match version {
        1 => 256,
        2 => 0,
        other => return Err(BinaryError::Version(other)),
    };
    let needed = 2218 - early;
    if file.len() < needed {
        return Err(BinaryError::Short { length: file.len(), needed });
    }
    let mut record = Record::with_start(None);
    record.span = span(offset, offset + file.len());
    for (name, at, length) in TEXTS {
        let at = match (version, name) {
            (1, "Judge") => continue,
            (1, "Annotator" | "Author") => at - 256,
            (1, _) => at - 128,
            _ => at,
        };
        let place = span(offset + at, offset + at + length);
        let (text, fits) = utf16(file.get(at..at + length).unwrap_or(&[]));
        if !fits {
            record.findings.push(bad_text(name, place));
        }
        if !text.trim().is_empty() {
            record.push_tag(name, text.trim().into(), place);
        }
    }
    let result = 2076 - early;
    let outcome = Outcome::from_number(byte(file, result)).to_pgn();
    record.push_tag("Result", outcome.into(), span(offset + result, offset + result + 1));
    start(&mut record, file, 2112 - early, offset);
    let cursor = Cursor::new(file, 2214 - early);
    let mut moves = Moves { cursor, old: version == 1, offset, findings: Vec::new() };
    let mut more = false;
    if let Some((root, last)) = moves.step() {
        more = !last;
        if let Some((text, place)) = root.comment {
            record.comment(NodeId::ROOT, &text, place);
        }
    }
    let mut ended = false;
    let steps = std::iter::from_fn(|| if more { moves.step() } else { None }).map(|(step, _)| step);
    let steps = steps.take_while(|step| {
        ended = step.points.is_some_and(|(from, to)| from == to);
        !ended
    });
    let mut record = tree(record, steps);
    moves.findings.into_iter().for_each(|finding| record.findings.push(finding));
    Ok(record)
}

/// The start: side to move, move number, and a byte for each point, row by row from the top left.
fn start(record: &mut Record, file: &[u8], at: usize, offset: usize) {
    let mut setup = Setup::empty();
    for (square, number) in Square::all().zip(at + 8..) {
        setup.board[square.index()] = piece(byte(file, number));
    }
    setup.turn = if byte(file, at) == 2 { Side::Black } else { Side::Red };
    setup.fullmove = (u32::from(byte(file, at + 4)) + u32::from(byte(file, at + 5)) * 256).max(1);
    match either_side(setup) {
        Ok(position) => record.start = Some(position),
        Err(faults) => {
            let place = span(offset + at, offset + at + 98);
            faults.0.iter().for_each(|fault| record.findings.push(finding::start(fault, place)));
        }
    }
}

fn piece(number: u8) -> Option<Piece> {
    let side = match number >> 4 {
        1 => Side::Red,
        2 => Side::Black,
        _ => return None,
    };
    let kind = match number & 15 {
        1 => Kind::Rook,
        2 => Kind::Horse,
        3 => Kind::Elephant,
        4 => Kind::Advisor,
        5 => Kind::King,
        6 => Kind::Cannon,
        7 => Kind::Pawn,
        _ => return None,
    };
    Some(Piece::new(side, kind))
}

struct Moves<'a> {
    cursor: Cursor<'a>,
    /// Version 1 writes column and row in half a byte each.
    old: bool,
    offset: usize,
    findings: Vec<Finding>,
}

impl Moves<'_> {
    /// The next move, and whether it is the last of its line.
    fn step(&mut self) -> Option<(Step, bool)> {
        let start = self.cursor.at();
        let step = self.read(start);
        if step.is_none() {
            let place = span(self.offset + start, self.offset + self.cursor.at());
            self.findings.push(cut_off(place));
        }
        step
    }

    fn read(&mut self, start: usize) -> Option<(Step, bool)> {
        let [flags, _, from, to] = *self.cursor.take(4)?.first_chunk()?;
        let length = if flags & 4 != 0 { self.cursor.number()? } else { 0 };
        let place = span(self.offset + start, self.offset + self.cursor.at());
        let before = self.cursor.at();
        let bytes = self.cursor.take_up_to(usize::try_from(length).unwrap_or(usize::MAX));
        let text_place = span(self.offset + before, self.offset + self.cursor.at());
        let (text, fits) = utf16(bytes);
        if !fits {
            self.findings.push(bad_text("comment", text_place));
        }
        let last = flags & 1 != 0;
        let step = Step {
            points: self.point(from).zip(self.point(to)),
            has_next: !last,
            has_sibling: flags & 2 != 0,
            comment: (!bytes.is_empty()).then_some((text, text_place)),
            span: place,
        };
        (flags < 8).then_some((step, last))
    }

    fn point(&self, number: u8) -> Option<Square> {
        match self.old {
            true => Square::at(usize::from(number & 15), usize::from(number >> 4)),
            false => Square::new(usize::from(number)),
        }
    }
}
