//! The parentheses of a document.

use super::record::NONE;
use super::{NodeId, Record, Span};

/// A pair of parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tree {
    /// From its `(` to behind its `)`; to the end of the text when that is missing.
    pub span: Span,
    /// Whether its `)` is there.
    pub closed: bool,
    /// Its first node; `None` when it has none.
    pub first: Option<NodeId>,
    /// The number of the tree around it.
    pub parent: Option<usize>,
}

impl Record {
    /// The number of trees. They are numbered in the order of their `(`.
    pub fn tree_count(&self) -> usize {
        self.trees.len()
    }

    /// One of the trees.
    pub fn tree(&self, index: usize) -> Option<Tree> {
        let data = self.trees.get(index)?;
        let closed = data.close != NONE;
        let end = if closed { data.close + 1 } else { self.text.len() as u32 };
        let first = self.nodes.partition_point(|node| node.start < data.open);
        let inside = self.nodes.get(first).is_some_and(|node| node.start < end);
        Some(Tree {
            span: Span::new(data.open, end.max(data.open)),
            closed,
            first: inside.then_some(NodeId(first as u32)),
            parent: (data.parent != NONE).then_some(data.parent as usize),
        })
    }

    /// The innermost tree whose span holds the byte at `offset`.
    pub fn tree_at(&self, offset: u32) -> Option<usize> {
        let last = self.trees.partition_point(|tree| tree.open <= offset).checked_sub(1)?;
        let mut tree = last as u32;
        loop {
            let data = self.trees.get(tree as usize)?;
            if data.close == NONE || offset <= data.close {
                return Some(tree as usize);
            }
            tree = data.parent;
        }
    }

    /// The tree that starts with this node; of several, the innermost.
    pub fn tree_starting_with(&self, node: NodeId) -> Option<usize> {
        let start = self.data(node)?.start;
        let last = self.trees.partition_point(|tree| tree.open <= start).checked_sub(1)?;
        (self.tree(last)?.first == Some(node)).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_by_hand() {
        let text = "(;A[](;B[];C[])((;D[]))) (;E[]";
        let record = Record::parse(text);
        let shown: Vec<_> = (0..record.tree_count())
            .filter_map(|index| record.tree(index))
            .map(|tree| (tree.span.slice(text), tree.first.map(|node| node.0), tree.parent, tree.closed))
            .collect();
        let expected = [
            ("(;A[](;B[];C[])((;D[])))", Some(0), None, true),
            ("(;B[];C[])", Some(1), Some(0), true),
            ("((;D[]))", Some(3), Some(0), true),
            ("(;D[])", Some(3), Some(2), true),
            ("(;E[]", Some(4), None, false),
        ];
        assert_eq!(shown, expected);
        let starts: Vec<_> = (0..5).map(|node| record.tree_starting_with(NodeId(node))).collect();
        assert_eq!(starts, [Some(0), Some(1), None, Some(3), Some(4)]);
        let innermost: Vec<_> = [0, 5, 14, 15, 16, 23, 24, 30].map(|at| record.tree_at(at)).to_vec();
        assert_eq!(innermost, [Some(0), Some(1), Some(1), Some(2), Some(3), Some(0), None, Some(4)]);
    }
}
