//! Binary files from records, written from the published layouts, for tests.

use encoding_rs::GB18030;

use super::super::{Node, NodeId, Record};
use super::xqf_key::Key;
use super::{all_pieces, cbl, cbr, piece_points};
use crate::xiangqi::{Kind, Side, Square};

/// Every move of a record in the order of the files, with the bits for next and sibling.
fn steps(record: &Record) -> Vec<(NodeId, bool, bool)> {
    let mut steps = Vec::new();
    let mut waiting = vec![NodeId::ROOT];
    while let Some(id) = waiting.pop() {
        let next = record.children(id).count() > 0;
        steps.push((id, next, record.next_sibling(id).is_some()));
        let children: Vec<_> = record.children(id).collect();
        waiting.extend(children.into_iter().rev());
    }
    steps
}

fn xqf_point(square: Square) -> u8 {
    (square.col() * 10 + 9 - square.row()) as u8
}

/// An XQF file. `secrets` are the mask, the four bytes that are or-ed, and the four keys.
pub fn xqf(record: &Record, version: u8, secrets: [u8; 9]) -> Vec<u8> {
    let mut file = vec![0; 1024];
    let [mask, a, b, c, d, keys @ ..] = secrets;
    file[..4].copy_from_slice(&[b'X', b'Q', version, mask]);
    file[8..12].copy_from_slice(&[a, b, c, d]);
    file[12..16].copy_from_slice(&keys);
    let key = Key::new(file.first_chunk().unwrap());
    let start = record.start().unwrap();
    assert_eq!(all_pieces().count(), 32);
    for (index, point) in piece_points(start).into_iter().enumerate() {
        let at = if version >= 12 { (index + 64 - usize::from(key.pieces % 32) - 1) % 32 } else { index };
        file[16 + at] = point.map_or(0xFF_u8, xqf_point).wrapping_add(key.pieces);
    }
    file[0x32] = u8::from(start.turn() == Side::Black);
    file[0x33] = 1;
    file[0x40] = 3;
    let red = GB18030.encode(record.tag("Red").unwrap_or("")).0.into_owned();
    file[0x130] = red.len() as u8;
    file[0x131..0x131 + red.len()].copy_from_slice(&red);
    let mut body = Vec::new();
    for (id, next, sibling) in steps(record) {
        let Node { played, comment, .. } = record.node(id).unwrap();
        let text = GB18030.encode(comment).0.into_owned();
        let points = played.map_or((0, 0), |played| (xqf_point(played.from), xqf_point(played.to)));
        let from = points.0.wrapping_add(24).wrapping_add(key.from);
        let to = points.1.wrapping_add(32).wrapping_add(key.to);
        let flags = match version {
            ..=10 => (u8::from(next) * 0xF0) | (u8::from(sibling) * 0x0F),
            _ => (u8::from(next) * 0x80) | (u8::from(sibling) * 0x40) | (u8::from(!text.is_empty()) * 0x20),
        };
        body.extend([from, to, flags, 0]);
        if version <= 10 || !text.is_empty() {
            body.extend((text.len() as u32 + key.comment).to_le_bytes());
            body.extend(text);
        }
    }
    let scrambled = body.iter().enumerate().map(|(at, byte)| match version {
        ..=10 => *byte,
        _ => byte.wrapping_add(key.stream[at % 32]),
    });
    file.extend(scrambled);
    file
}

fn put(file: &mut [u8], at: usize, text: &str) {
    for (index, unit) in text.encode_utf16().enumerate() {
        file[at + 2 * index..at + 2 * index + 2].copy_from_slice(&unit.to_le_bytes());
    }
}

/// A CBR file.
pub fn cbr(record: &Record, version: u8) -> Vec<u8> {
    let early = if version == 1 { 256 } else { 0 };
    let mut file = vec![0; 2214 - early];
    file[..16].copy_from_slice(cbr::SIGNATURE);
    file[19] = version;
    put(&mut file, if version == 1 { 948 } else { 1076 }, record.tag("Red").unwrap_or(""));
    file[2076 - early] = 2;
    let start = record.start().unwrap();
    let head = 2112 - early;
    file[head] = if start.turn() == Side::Black { 2 } else { 1 };
    file[head + 4] = 1;
    for square in Square::all() {
        file[head + 8 + square.index()] = start.piece_at(square).map_or(0, |piece| {
            let kinds = [
                Kind::Rook,
                Kind::Horse,
                Kind::Elephant,
                Kind::Advisor,
                Kind::King,
                Kind::Cannon,
                Kind::Pawn,
            ];
            let kind = kinds.iter().position(|kind| *kind == piece.kind).unwrap() as u8 + 1;
            kind + if piece.side == Side::Red { 0x10 } else { 0x20 }
        });
    }
    let point = |square: Square| match version {
        1 => (square.col() << 4 | square.row()) as u8,
        _ => square.index() as u8,
    };
    for (id, next, sibling) in steps(record) {
        let Node { played, comment, .. } = record.node(id).unwrap();
        let units: Vec<u8> = comment.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let flags = u8::from(!next) | u8::from(sibling) << 1 | u8::from(!units.is_empty()) << 2;
        let points = played.map_or((0, 0), |played| (point(played.from), point(played.to)));
        file.extend([flags, 0, points.0, points.1]);
        if !units.is_empty() {
            file.extend((units.len() as u32).to_le_bytes());
            file.extend(units);
        }
    }
    file.resize(file.len().next_multiple_of(4096), 0);
    file
}

/// A CBL file with these CBR files in it.
pub fn cbl(name: &str, games: &[Vec<u8>]) -> Vec<u8> {
    let mut file = vec![0; 101_952];
    file[..16].copy_from_slice(cbl::SIGNATURE);
    put(&mut file, 64, name);
    games.iter().for_each(|game| file.extend(game));
    file
}
