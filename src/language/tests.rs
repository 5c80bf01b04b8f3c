//! The whole floor: any text, any place; our own nasty files; what users have reported.

use proptest::prelude::*;

use super::*;
use crate::sgf::encoding::decode;
use crate::sgf::{NodeId, Record, Span, apply_edits};

/// Every range that the floor answers about a text, for one offset and one range.
fn everything(record: &Record, offset: u32, range: Span, locale: Locale) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    spans.extend(hover(record, offset, locale).map(|hover| hover.span));
    spans.extend(completion(record, offset, locale).into_iter().map(|item| item.edit.span));
    spans.extend(selection(record, offset));
    spans.extend(highlight(record, offset).into_iter().map(|found| found.span));
    spans.extend(references(record, offset).into_iter().map(|found| found.span));
    spans.extend(definition(record, offset).into_iter().flat_map(|found| [found.span, found.selection]));
    spans.extend(tokens(record, range).into_iter().map(|token| token.span));
    spans.extend(hints(record, range, locale).into_iter().map(|hint| Span::at(hint.offset)));
    for offer in actions::offers(record, range, locale) {
        let edits = actions::edits(record, &offer.action).unwrap_or_default();
        assert_ne!(offer.title, "");
        spans.extend(edits.into_iter().map(|edit| edit.span));
    }
    spans
}

/// The same for what is asked of a document as a whole.
fn whole(record: &Record, locale: Locale) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    spans.extend(folding(record).into_iter().map(|fold| fold.span));
    spans.extend(outline(record, locale).into_iter().flat_map(|entry| [entry.span, entry.selection]));
    spans.extend(symbols(record, locale).into_iter().map(|symbol| symbol.span));
    spans.extend(links(record).into_iter().map(|link| link.span));
    spans.extend(lenses(record, locale).into_iter().map(|lens| lens.span));
    spans
}

fn check(record: &Record, spans: &[Span]) {
    for span in spans {
        assert!(record.text().get(span.range()).is_some(), "{span:?} of {:?}", record.text());
    }
}

const TEXT: &str = "(\\(;|\\)|\\(|;|B\\[aa\\]|W\\[b|AB\\[aa:cc\\]|AE\\[|C\\[|\\]|\\\\|:|棋|😀|é|\r\n|\n| |LZ\\[a 5 5\npv C3\\]|SZ\\[3\\]|MN\\[3\\]|GM\\[2\\]|KM\\[375\\]AP\\[foxwq\\]|LB\\[aa:|RE\\[|DT\\[1996-05,06\\]|lower|x){0,40}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_any_place(text in TEXT, offset in 0u32..120, length in 0u32..40) {
        let record = Record::parse(text.as_str());
        for locale in [Locale::English, Locale::Chinese] {
            check(&record, &everything(&record, offset, Span::new(offset, offset + length), locale));
            check(&record, &whole(&record, locale));
        }
    }

    #[test]
    fn any_string_any_place(text in any::<String>(), offset in any::<u32>()) {
        let record = Record::parse(text.as_str());
        let range = Span::new(offset, offset.saturating_add(10));
        check(&record, &everything(&record, offset, range, Locale::English));
    }
}

#[test]
fn our_own_nasty_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sgf");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ext| ext != "sgf") {
            continue;
        }
        let record = Record::parse(decode(&std::fs::read(&path).unwrap(), None).text);
        let end = record.text().len() as u32;
        let step = (end / 50).max(1);
        for offset in (0..=end).step_by(step as usize) {
            check(&record, &everything(&record, offset, Span::new(offset, offset + 100), Locale::English));
        }
        check(&record, &whole(&record, Locale::Chinese));
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}

/// R10: a place inside a character, or behind the end, is no trouble.
#[test]
fn places_between_and_behind_characters() {
    for text in ["(;PB[围棋😀]C[e\u{301}]B[棋];W[aa])", "(;B[😀", "😀", ""] {
        let record = Record::parse(text);
        for offset in 0..text.len() as u32 + 3 {
            check(&record, &everything(&record, offset, Span::new(offset, offset + 2), Locale::Chinese));
        }
    }
}

/// R11: behind text that is not ASCII the ranges are still those of the things they are about.
#[test]
fn ranges_behind_chinese_and_emoji() {
    let text = "(;PB[围棋😀]US[x[y]];B[pd])";
    let record = Record::parse(text);
    let at = text.find("pd").unwrap() as u32;
    assert_eq!(hover(&record, at, Locale::English).unwrap().span.slice(text), "[pd]");
    assert_eq!(highlight(&record, at).first().unwrap().span.slice(text), "pd");
    let moves: Vec<_> = tokens(&record, Span::new(0, text.len() as u32))
        .into_iter()
        .filter(|token| token.kind == TokenKind::Move)
        .map(|token| token.span.slice(text))
        .collect();
    assert_eq!(moves, ["pd"]);
    assert_eq!(symbols(&record, Locale::English).first().unwrap().name, "围棋😀");
}

/// R13: what is written has the document's line ends, and nothing else changes.
#[test]
fn line_ends_of_the_document() {
    let text = "(;SZ[9]\r\n;B[ee]LZ[x 50 9\r\nmove E7 pv E7 C5]\r\n(;W[aa])\r\n(;W[bb]))\r\n";
    let record = Record::parse(text);
    for node in 1..record.node_count() as u32 {
        let start = record.node(NodeId(node)).span.start;
        for offer in actions::offers(&record, Span::at(start), Locale::English) {
            let edits = actions::edits(&record, &offer.action).unwrap();
            let after = apply_edits(text, &edits);
            assert_eq!(
                after.replace("\r\n", "").matches(['\r', '\n']).count(),
                0,
                "{}: {after:?}",
                offer.title
            );
        }
    }
}

/// S10: the komi that counts is shown with its reason; the text is left alone.
#[test]
fn effective_komi_in_hover() {
    let cases = [
        ("(;KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];B[pd])", "effective komi 7.5"),
        ("(;KM[50]HA[2]RU[Japanese]AP[foxwq])", "effective komi 0.5"),
        ("(;KM[650]AP[foxwq])", "effective komi 6.5"),
        ("(;KM[6.5])", "effective komi 6.5"),
    ];
    for (text, expected) in cases {
        let at = text.find("KM[").unwrap() as u32 + 3;
        let shown = hover(&Record::parse(text), at, Locale::English).unwrap().markdown;
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn deep_and_long_records_on_a_small_stack() {
    let work = || {
        let long = Record::parse(format!("({})", ";B[aa];W[]".repeat(50_000)));
        let deep = Record::parse(format!("{}{}", "(;B[aa](;W[bb])".repeat(10_000), ")".repeat(10_000)));
        for record in [long, deep] {
            let end = record.text().len() as u32;
            for offset in [0, end / 2, end / 2 + 1, end] {
                check(&record, &everything(&record, offset, Span::new(offset, offset + 20), Locale::English));
            }
            check(&record, &whole(&record, Locale::English));
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
}
