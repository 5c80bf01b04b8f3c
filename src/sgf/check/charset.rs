//! The charset that a record names against the bytes of its file, and characters that were lost.

use super::super::encoding::{Decoded, Note, family};
use super::super::{Code, Finding, Fix, Record, Span, TextEdit, charset};
use super::{Origin, Sink};

/// Lost characters that are shown one by one; of more, only the first is shown.
const MAX_LOST: usize = 10;

pub(super) fn check(record: &Record, origin: Origin<'_>, sink: &mut Sink<'_>) {
    let lost = Lost::of(record.text());
    match origin {
        Origin::Unknown => lost.say(record, None, sink),
        Origin::File(decoded) => {
            lost.say(record, None, sink);
            contradiction(record, decoded, sink);
        }
        Origin::Editor(file) => {
            let better = file.filter(|file| Lost::of(&file.text).places.len() < lost.places.len());
            lost.say(record, better, sink);
            match file {
                _ if !lost.places.is_empty() => {}
                Some(file) => on_disk(record, file, sink),
                None => editor(record, sink),
            }
        }
    }
}

/// Whether the file can tell more about the charset of an open text than the text itself: characters were lost, or
/// a charset is declared that matters.
pub fn depends_on_file(record: &Record) -> bool {
    let text = record.text();
    let is_lossy = || memchr::memmem::find(text.as_bytes(), "\u{fffd}".as_bytes()).is_some();
    !text.is_ascii() && (declared(record).is_some() || is_lossy())
}

/// The first `CA` of the record, and its label.
fn declared(record: &Record) -> Option<(Span, Span, &str)> {
    record.games().find_map(|game| {
        let value = record.property(game.root, "CA")?.values().next()?;
        Some((value.span(), value.raw_span(), value.raw().trim()))
    })
}

fn contradiction(record: &Record, decoded: &Decoded, sink: &mut Sink<'_>) {
    let used = decoded.notes.iter().find_map(|note| match note {
        Note::Contradiction { used, .. } => Some(*used),
        _ => None,
    });
    let (Some(used), Some((span, raw, label))) = (used, declared(record)) else { return };
    let finding = Finding::new(
        Code::CharsetContradiction,
        span,
        format!("CA says {label}, but the file is {used}"),
        format!("CA 声明为 {label}，但文件实际是 {used}"),
    );
    let title = (format!("write {used}"), format!("改写为 {used}"));
    sink.push(finding.with_fix(Fix::new(title.0, title.1, TextEdit::replace(raw, used))));
}

/// A whole text against its file: an editor that has read the file as what it is will write it so.
fn on_disk(record: &Record, file: &Decoded, sink: &mut Sink<'_>) {
    let Some((_, _, label)) = declared(record) else { return };
    let said_there = file.notes.iter().any(|note| match note {
        Note::Contradiction { declared, .. } => declared == label,
        _ => false,
    });
    if said_there {
        return contradiction(record, file, sink);
    }
    let same = charset::known(label).is_some_and(|known| family(known) == family(file.encoding()));
    if !same || file.text.is_ascii() {
        editor(record, sink);
    }
}

/// The editor has decoded the file, and will write UTF-8.
fn editor(record: &Record, sink: &mut Sink<'_>) {
    let Some((span, raw, label)) = declared(record) else { return };
    let other = charset::known(label).is_some_and(|known| known != encoding_rs::UTF_8);
    if !other || record.text().is_ascii() {
        return;
    }
    let finding = Finding::new(
        Code::EditorCharset,
        span,
        format!("CA says {label}; saved as UTF-8, the file will contradict it"),
        format!("CA 声明为 {label}；若以 UTF-8 保存，文件将与之不符"),
    );
    let fix = Fix::new("write UTF-8", "改写为 UTF-8", TextEdit::replace(raw, "UTF-8"));
    sink.push(finding.with_fix(fix));
}

/// The replacement characters (U+FFFD) of a text.
struct Lost {
    places: Vec<u32>,
}

impl Lost {
    fn of(text: &str) -> Lost {
        if text.is_ascii() {
            return Lost { places: Vec::new() };
        }
        let places = memchr::memmem::find_iter(text.as_bytes(), "\u{fffd}".as_bytes());
        Lost { places: places.map(|at| at as u32).collect() }
    }

    fn say(&self, record: &Record, better: Option<&Decoded>, sink: &mut Sink<'_>) {
        let Some(first) = self.places.first() else { return };
        if better.is_none() && self.places.len() <= MAX_LOST && !self.lost_words(record.text()) {
            return self.places.iter().for_each(|at| self.say_one(record, *at, sink));
        }
        let count = self.places.len();
        let finding = Finding::new(
            Code::LostCharacters,
            character(*first),
            format!("{count} characters were lost when this text was decoded"),
            format!("解码时丢失了 {count} 个字符"),
        );
        let fix = better.map(|file| {
            let charset = file.charset();
            let whole = Span::new(0, record.text().len() as u32);
            let title = (format!("read the file again as {charset}"), format!("按 {charset} 重新读取文件"));
            Fix::new(title.0, title.1, TextEdit::replace(whole, as_utf8(file)))
        });
        sink.push(finding.with_fix(fix));
    }

    /// Whether a value lost more than one character: then the whole text was read by a wrong charset.
    fn lost_words(&self, text: &str) -> bool {
        let mut pairs = self.places.iter().zip(self.places.iter().skip(1));
        pairs.any(|(one, next)| !Span::new(*one, *next).slice(text).contains(']'))
    }

    fn say_one(&self, record: &Record, at: u32, sink: &mut Sink<'_>) {
        let span = character(at);
        let cut = record.text().as_bytes().get(span.end as usize) == Some(&b']');
        sink.push(if cut {
            Finding::new(
                Code::CutCharacter,
                span,
                "the last character of this value was cut in half",
                "此值的最后一个字符被截断",
            )
        } else {
            Finding::new(Code::LostCharacters, span, "a character was lost here", "此处丢失了一个字符")
        });
    }
}

/// A file's text for an editor that takes it for UTF-8, and will save it so.
fn as_utf8(file: &Decoded) -> String {
    let mut text = file.text.clone();
    let record = Record::parse(file.text.as_str());
    let label = declared(&record).filter(|(_, _, label)| charset::known(label) != Some(encoding_rs::UTF_8));
    if let Some((_, raw, _)) = label {
        text.replace_range(raw.range(), "UTF-8");
    }
    text
}

fn character(at: u32) -> Span {
    Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8() as u32)
}

#[cfg(test)]
mod tests {
    use super::super::super::{CheckOptions, apply_edits, check_with, encoding::decode};
    use super::*;

    #[test]
    fn one_bad_byte_is_one_loss() {
        // 0x5C is the second byte of 能 and no escape.
        let file =
            decode(b"(;CA[Shift_JIS]C[\x95\x5c\xff\x94\x5c\x94\x5c]N[\x95\x5c\x94\x5c\x94\x5c\xff])", None);
        let record = Record::parse(file.text.as_str());
        let options = CheckOptions { origin: Origin::File(&file), ..CheckOptions::default() };
        let codes: Vec<_> = check_with(&record, &options).iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::LostCharacters, Code::CutCharacter]);
    }

    #[test]
    fn a_file_with_one_bad_byte_is_offered_as_what_it_is() {
        let bytes = b"(;CA[GBK]C[\xce\xa7\xc6\xe5\xd6\xd0\xce\xc4\xff])";
        let (file, open) = (decode(bytes, None), String::from_utf8_lossy(bytes));
        let record = Record::parse(&*open);
        let options = CheckOptions { origin: Origin::Editor(Some(&file)), ..CheckOptions::default() };
        let found = check_with(&record, &options);
        let mended = apply_edits(&open, &found[0].fix.as_ref().unwrap().edits);
        assert_eq!(mended, "(;CA[UTF-8]C[围棋中文\u{fffd}])");
    }
}
