//! What can be folded away: games, variations, nodes and long values.

use crate::sgf::props::ValueType;
use crate::sgf::{Record, Span};

use super::place::type_of;

/// What a fold hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// A tree: a game or a variation.
    Tree,
    /// A node.
    Node,
    /// The values of one property.
    List,
    /// A text.
    Comment,
}

/// A range of more than one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// What it hides.
    pub kind: FoldKind,
    /// Where.
    pub span: Span,
}

/// The most folds of a document; the trees come first, then what is in the nodes.
pub const MAX_FOLDS: usize = 50_000;

/// All folds, by start and then the longer first. Two of them are disjoint or one holds the
/// other.
pub fn folding(record: &Record) -> Vec<Fold> {
    let breaks = LineBreaks::of(record.text());
    let mut folds: Vec<Fold> = Vec::new();
    let trees = (0..record.tree_count()).filter_map(|index| record.tree(index));
    let mut seen = breaks.clone();
    let trees = trees.filter(|tree| tree.first.is_some() && seen.inside(tree.span));
    folds.extend(trees.take(MAX_FOLDS).map(|tree| Fold { kind: FoldKind::Tree, span: tree.span }));
    let mut seen = breaks;
    for game in 0..record.games().len() {
        for node in record.nodes(game) {
            if folds.len() >= MAX_FOLDS {
                break;
            }
            let span = record.node(node).span;
            if !seen.inside(span) {
                continue;
            }
            folds.push(Fold { kind: FoldKind::Node, span });
            let mut inner = seen.clone();
            for property in record.properties(node).filter(|property| inner.inside(property.span())) {
                let is_text = matches!(type_of(&property), Some(ValueType::Text | ValueType::SimpleText));
                let kind = if is_text { FoldKind::Comment } else { FoldKind::List };
                folds.push(Fold { kind, span: property.span() });
            }
        }
    }
    folds.truncate(MAX_FOLDS);
    folds.sort_by_key(|fold| (fold.span.start, std::cmp::Reverse(fold.span.end)));
    // One property that fills its node folds once, and so does a node that fills its tree.
    folds.dedup_by(|later, earlier| later.span == earlier.span);
    folds
}

/// Where line breaks are, asked from the front to the back of a text.
#[derive(Clone)]
pub(super) struct LineBreaks<'t> {
    text: &'t [u8],
    from: usize,
    /// The first line break at or behind `from`.
    next: Option<usize>,
}

impl<'t> LineBreaks<'t> {
    /// Those of a text.
    pub fn of(text: &'t str) -> LineBreaks<'t> {
        LineBreaks { text: text.as_bytes(), from: 0, next: None }
    }

    /// Whether a range has a line break; ranges must come by their starts.
    pub fn inside(&mut self, span: Span) -> bool {
        let start = span.start as usize;
        if self.from == 0 || self.next.is_some_and(|next| next < start) {
            self.from = start + 1;
            let rest = self.text.get(start..).unwrap_or_default();
            self.next = memchr::memchr2(b'\n', b'\r', rest).map(|at| start + at);
        }
        self.next.is_some_and(|next| next < span.end as usize)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_spans_lines_folds() {
        let text = "(;C[a\nb]AB[aa]\n[bb]\n(;B[aa])\n(;W[bb]\r;B[cc])\n)";
        let folds = folding(&Record::parse(text));
        let shown: String =
            folds.iter().map(|fold| format!("{:?} {:?}\n", fold.kind, fold.span.slice(text))).collect();
        expect![[r#"
            Tree "(;C[a\nb]AB[aa]\n[bb]\n(;B[aa])\n(;W[bb]\r;B[cc])\n)"
            Node ";C[a\nb]AB[aa]\n[bb]"
            Comment "C[a\nb]"
            List "AB[aa]\n[bb]"
            Tree "(;W[bb]\r;B[cc])"
        "#]]
        .assert_eq(&shown);
    }

    proptest! {
        #[test]
        fn folds_are_well_formed(text in "([();\\[\\] B棋\n\r]|\\(;|;B\\[aa\\]|C\\[|AB\n\\[aa\\]){0,60}") {
            let record = Record::parse(text.as_str());
            let folds = folding(&record);
            let mut open: Vec<Span> = Vec::new();
            for fold in &folds {
                let inside = fold.span.slice(&text);
                prop_assert!(inside.contains(['\n', '\r']));
                while open.last().is_some_and(|outer| outer.end <= fold.span.start) {
                    open.pop();
                }
                prop_assert!(open.last().is_none_or(|outer| fold.span.end <= outer.end), "{folds:?}");
                open.push(fold.span);
            }
        }
    }
}
