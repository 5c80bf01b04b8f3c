use proptest::prelude::*;

use super::super::Locale;
use super::*;
use crate::text::Span;
use crate::xiangqi::record::{Form, Games};

/// Whether each element is closed in order.
fn is_well_formed(image: &str) -> bool {
    let mut open = Vec::new();
    for tag in image.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(tag, _)| tag) {
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) if open.pop() != Some(name) => return false,
            (None, false) => open.push(tag.split(' ').next().unwrap_or_default()),
            _ => {}
        }
    }
    open.is_empty()
}

#[test]
fn a_mate_is_told_in_both_languages() {
    // 双车错: the rook gives mate on the last rank.
    let text = "[FEN \"3k5/R8/9/9/9/9/9/9/9/1R2K4 w - - 0 1\"]\n1. 车八进九 {好棋} 1-0";
    let games = Games::read(text, Form::Pgn);
    let at = text.find("车八").unwrap() as u32;
    let shown = hover(&games, at, Locale::English).unwrap();
    assert!(shown.markdown.starts_with("**Move 1: Red 车八进九** (b0b9, R8+9)"), "{}", shown.markdown);
    assert!(shown.markdown.ends_with("Checkmate\n\n> 好棋"), "{}", shown.markdown);
    assert!(hover(&games, at, Locale::Chinese).unwrap().markdown.contains("将死"));
    let image = shown.diagram.unwrap().svg();
    assert!(is_well_formed(&image) && image.contains(">将</text>"), "{image}");
    // The position of a tag is shown, too.
    let start = hover(&games, 8, Locale::English).unwrap();
    assert_eq!(start.span.slice(text), "3k5/R8/9/9/9/9/9/9/9/1R2K4 w - - 0 1");
    assert!(start.markdown.contains("8  R  .  ."), "{}", start.markdown);
}

#[test]
fn captures_and_what_is_captured() {
    let text = "1. 炮二平五 马8进7 2. 炮五进四 马7进5 *";
    let games = Games::read(text, Form::Pgn);
    let at = |piece: &str| text.find(piece).unwrap() as u32;
    let from: Vec<_> =
        definition(&games, at("马7进5")).iter().map(|it| it.span.slice(text).to_owned()).collect();
    assert_eq!(from, ["炮五进四"], "the horse takes the cannon that came there");
    let uses: Vec<_> = highlight(&games, at("炮五进四"))
        .iter()
        .map(|found| format!("{:?} {}", found.kind, found.span.slice(text)))
        .collect();
    assert_eq!(uses, ["Move 炮五进四", "Move 马7进5", "Capture 马7进5"]);
}

/// Ten thousand variations, each in the one before it.
#[test]
fn deep_variations() {
    let text = "a0a1 (".repeat(10_000) + &")".repeat(10_000);
    let games = Games::read(text.as_str(), Form::Pgn);
    assert_eq!(outline(&games, Locale::English)[0].children.len(), 9_999);
    assert!(folding(&games).is_empty());
    assert!(selection(&games, text.len() as u32 / 2).len() > 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Nothing panics, and all ranges are of the text.
    #[test]
    fn any_text_has_answers(
        text in "(\\[Red \"x\"\\]\n|1\\. 炮二平五 |马8进7 |\\{a\n|\\} |\\(|\\)|1-0 |\\*\n|;|\\[DhtmlXQ\\]|\\[DhtmlXQ_movelist\\]|7747|8979|\\[/DhtmlXQ_movelist\\]|\\[DhtmlXQ_move_0_1_1\\]|\n|😀){0,30}",
        offset in 0..200_u32,
    ) {
        for form in [Form::Pgn, Form::DhtmlXq] {
            let games = Games::read(text.as_str(), form);
            let fits = |span: Span| text.get(span.range()).is_some();
            let offset = offset.min(text.len() as u32);
            prop_assert!(hover(&games, offset, Locale::Chinese).is_none_or(|shown| fits(shown.span)));
            prop_assert!(highlight(&games, offset).iter().all(|found| fits(found.span)));
            prop_assert!(definition(&games, offset).iter().all(|found| fits(found.span)));
            prop_assert!(symbols(&games, Locale::English).iter().all(|found| fits(found.span)));
            prop_assert!(folding(&games).iter().all(|fold| fold.span.slice(&text).contains('\n')));
            let ranges = selection(&games, offset);
            prop_assert_eq!(ranges.last().copied(), Some(Span::new(0, text.len() as u32)));
            prop_assert!(ranges.iter().all(|span| fits(*span) && span.start <= offset && offset <= span.end));
            prop_assert!(ranges.windows(2).all(|pair| pair[1].start <= pair[0].start && pair[0].end <= pair[1].end));
            let mut waiting = outline(&games, Locale::English);
            while let Some(entry) = waiting.pop() {
                prop_assert!(!entry.name.is_empty() && fits(entry.span));
                prop_assert!(
                    entry.span.start <= entry.selection.start && entry.selection.end <= entry.span.end,
                    "{:?}", entry
                );
                waiting.extend(entry.children);
            }
        }
    }
}
