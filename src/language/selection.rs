//! Growing selections: value, property, node, sequence, variation, game, document.

use crate::sgf::{Record, Span};

use super::place::{place, point_parts, span_of, type_of};

/// The most variations around an offset that a selection grows through, from the inside.
const MAX_TREES: usize = 200;

/// The ranges around an offset from the inside to the outside; each holds the one before it
/// and is longer. The last one is the whole document.
pub fn selection(record: &Record, offset: u32) -> Vec<Span> {
    let offset = offset.min(record.text().len() as u32);
    let mut ranges = Ranges { offset, list: Vec::new() };
    if let Some(place) = place(record, offset) {
        if let (Some(property), Some(value)) = (place.property, place.value) {
            if let Some(kind) = type_of(&property) {
                let parts = point_parts(kind, value.raw());
                parts.into_iter().for_each(|part| ranges.add(span_of(record, part)));
            }
            ranges.add(value.raw_span());
            ranges.add(value.span());
        }
        if let Some(property) = place.property {
            ranges.add(property.ident_span());
            ranges.add(property.span());
        }
        ranges.add(record.node(place.node).span);
    }
    let mut tree = record.tree_at(offset).or(record.tree_at(offset.saturating_sub(1)));
    for _ in 0..MAX_TREES {
        let Some(index) = tree else { break };
        let Some(found) = record.tree(index) else {
            break;
        };
        ranges.add(sequence(record, index).unwrap_or(Span::at(offset)));
        ranges.add(found.span);
        tree = found.parent;
    }
    if let Some(place) = place(record, offset)
        && let Some(game) = record.game(record.node(place.node).game)
    {
        ranges.add(game.span);
    }
    ranges.add(Span::new(0, record.text().len() as u32));
    if ranges.list.is_empty() {
        ranges.list.push(Span::at(offset));
    }
    ranges.list
}

/// The nodes of a tree before its first variation.
fn sequence(record: &Record, tree: usize) -> Option<Span> {
    let found = record.tree(tree)?;
    let first = record.node(found.first?).span;
    let inner = record.tree(tree + 1).map_or(u32::MAX, |inner| inner.span.start);
    let last = record.node_at(inner.min(found.span.end).checked_sub(1)?)?;
    let end = record.node(last).span.end;
    (inner > first.start && end <= found.span.end).then(|| Span::new(first.start, end))
}

struct Ranges {
    offset: u32,
    list: Vec<Span>,
}

impl Ranges {
    /// Adds a range that holds the offset and all before it, and is longer.
    fn add(&mut self, span: Span) {
        let holds = span.start <= self.offset && self.offset <= span.end;
        let grows = self.list.last().is_none_or(|last| {
            span.start <= last.start
                && last.end <= span.end
                && (span.start, span.end) != (last.start, last.end)
        });
        if holds && grows && !span.is_empty() {
            self.list.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(marked: &str) -> Vec<String> {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let record = Record::parse(text.as_str());
        selection(&record, offset as u32).iter().map(|span| span.slice(&text).to_owned()).collect()
    }

    #[test]
    fn it_grows_step_by_step() {
        assert_eq!(
            shown("(;B[aa](;AW[bb][c|c:dd];B[ee](;W[x]))(;W[ff])) "),
            [
                "cc",
                "cc:dd",
                "[cc:dd]",
                "AW[bb][cc:dd]",
                ";AW[bb][cc:dd]",
                ";AW[bb][cc:dd];B[ee]",
                "(;AW[bb][cc:dd];B[ee](;W[x]))",
                "(;B[aa](;AW[bb][cc:dd];B[ee](;W[x]))(;W[ff]))",
                "(;B[aa](;AW[bb][cc:dd];B[ee](;W[x]))(;W[ff])) ",
            ]
        );
        assert_eq!(shown("(;C|[x])"), ["[x]", "C[x]", ";C[x]", "(;C[x])"]);
        assert_eq!(shown("(;B[a|"), ["a", "[a", "B[a", ";B[a", "(;B[a"]);
        assert_eq!(shown("no game| here"), ["no game here"]);
        assert_eq!(shown("|"), [""]);
    }

    proptest! {
        #[test]
        fn ranges_grow(text in "([();\\[\\] :B棋]|\\(;|;B\\[aa\\]|C\\[){0,40}", offset in 0u32..80) {
            let record = Record::parse(text.as_str());
            let ranges = selection(&record, offset);
            let offset = offset.min(text.len() as u32);
            prop_assert!(!ranges.is_empty());
            prop_assert_eq!(ranges.last().copied(), Some(Span::new(0, text.len() as u32)));
            prop_assert!(ranges.iter().all(|span| span.start <= offset && offset <= span.end && text.get(span.range()).is_some()));
            prop_assert!(ranges.windows(2).all(|pair| pair[1].start <= pair[0].start && pair[0].end <= pair[1].end && pair[0] != pair[1]));
        }
    }
}
