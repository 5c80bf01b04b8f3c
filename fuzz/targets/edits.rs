//! An editor types: the text and its lines follow as in a plain string, and what is said of the text
//! is about pieces of it, wherever the cursor stands.
//!
//! `cargo fuzz run -s none edits`. Five bytes an edit: what is typed, in which columns, from where, to
//! where. The last edit's choose the columns and the language of what is asked then.
#![no_main]

use kifud::claims::{apply_cleanly, are_sound, is_piece};
use kifud::language::{self, Locale};
use kifud::sgf::line_index::{Columns, LineIndex, apply_change};
use kifud::sgf::{self, Record, Span};
use libfuzzer_sys::fuzz_target;

/// What is typed and pasted.
const PIECES: [&str; 32] = [
    "",
    "(;GM[1]FF[4]SZ[9]",
    "(",
    ")",
    ";",
    "[",
    "]",
    ";B[dd]",
    ";W[dd]C[吴清源😀\r\n第二行]",
    ";B[ee]SBKV[51.2]",
    ";W[]",
    "\\",
    ":",
    "\n",
    "\r",
    "\r\n",
    "KM[6,5]",
    "HA[2]AB[aa:cc][dd]",
    "AW[dd:ba]AE[aa]",
    "LB[aa:棋]TR[dd]",
    "DT[1998-7]RE[b+]",
    "CA[gbk]",
    "(;B[aa](;W[bb])(;W[cc]))",
    "C[kifud: allow off-board]",
    "PL[B]MN[7]N[名]",
    "\u{fffd}",
    "\u{2028}",
    "é",
    "x",
    "CoPyright[a]ko[]",
    "(;GM[2]SZ[8];B[zz])",
    "GC[https://example.org/]",
];

/// The offset of the character that a byte's share of the text falls into, or the text's end.
fn offset(text: &str, share: [u8; 2]) -> usize {
    let mut at = usize::from(u16::from_le_bytes(share)) * (text.len() + 1) >> 16;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fuzz_target!(|data: &[u8]| {
    let (mut text, mut index) = (String::new(), LineIndex::new(""));
    let (mut cursor, mut columns) = (0, Columns::Utf16);
    let mut locale = Locale::English;
    for edit in data.chunks_exact(5).take(60) {
        columns = [Columns::Utf8, Columns::Utf16, Columns::Utf32][usize::from(edit[0] >> 5) % 3];
        locale = [Locale::English, Locale::Chinese][usize::from(edit[1] & 1)];
        let new = PIECES[usize::from(edit[0] & 31)];
        let start = index.place(&text, offset(&text, [edit[1], edit[2]]), columns);
        let end = index.place(&text, offset(&text, [edit[3], edit[4]]), columns);
        // Between CR and LF there is no place: the model takes the one that there is.
        let (one, other) = (index.offset(&text, start, columns), index.offset(&text, end, columns));
        let mut model = text.clone();
        model.replace_range(one.min(other)..one.max(other), new);
        apply_change(&mut text, &mut index, Some((start, end)), new, columns);
        assert_eq!(text, model);
        cursor = one.min(other) + new.len();
    }
    let fresh = LineIndex::new(&text);
    assert_eq!(index.line_count(), fresh.line_count());
    for at in 0..=text.len() {
        let place = fresh.place(&text, at, columns);
        assert_eq!(index.place(&text, at, columns), place);
        assert_eq!(index.offset(&text, place, columns), fresh.offset(&text, place, columns));
    }
    let record = Record::parse(text.as_str());
    are_sound(&record, &sgf::check(&record));
    shown(&record, cursor as u32, locale);
});

/// What an editor shows of the whole text, and of the place of its cursor.
fn shown(record: &Record, cursor: u32, locale: Locale) {
    let text = record.text();
    let (whole, here) = (Span::new(0, text.len() as u32), Span::at(cursor));
    let piece = |span| is_piece(text, span);
    language::hover(record, cursor, locale).iter().for_each(|hover| piece(hover.span));
    language::completion(record, cursor, locale).iter().for_each(|item| piece(item.edit.span));
    language::hints(record, whole, locale).iter().for_each(|hint| piece(Span::at(hint.offset)));
    let mut entries = language::outline(record, locale);
    while let Some(entry) = entries.pop() {
        piece(entry.span);
        assert!(entry.span.start <= entry.selection.start && entry.selection.end <= entry.span.end);
        entries.extend(entry.children);
    }
    let tokens = language::tokens(record, whole);
    assert!(tokens.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{tokens:?} of {text:?}");
    tokens.iter().for_each(|token| piece(token.span));
    language::folding(record).iter().for_each(|fold| piece(fold.span));
    language::links(record).iter().for_each(|link| piece(link.span));
    language::lenses(record, locale).iter().for_each(|lens| piece(lens.span));
    language::symbols(record, locale).iter().for_each(|symbol| piece(symbol.span));
    language::highlight(record, cursor).iter().for_each(|place| piece(place.span));
    language::references(record, cursor).iter().for_each(|place| piece(place.span));
    language::definition(record, cursor).iter().for_each(|target| piece(target.selection));
    let selection = language::selection(record, cursor);
    selection.iter().for_each(|span| piece(*span));
    for offer in language::actions::offers(record, here, locale) {
        if let Ok(edits) = language::actions::edits(record, &offer.action) {
            apply_cleanly(text, &edits);
        }
    }
}
