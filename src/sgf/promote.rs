//! Making a line the main one.

use super::edit::{NO_IDENT, content, has_semicolon, proven, tree_end, tree_of};
use super::record::NONE;
use super::{EditError, NodeId, Record, Span, TextEdit};

/// Makes the line to a node the first variation at every branch before it. The variations that
/// stood before it come right behind it, in their order and with their bytes. No edits when the
/// line is the main one already.
///
/// # Errors
/// `UnknownNode`; `BrokenTree` where parentheses are missing around the line.
pub fn promote(record: &Record, node: NodeId) -> Result<Vec<TextEdit>, EditError> {
    record.data(node).ok_or(EditError::UnknownNode)?;
    let line = record.line(node);
    let mut edits = Vec::new();
    for (parent, child) in line.iter().zip(line.iter().skip(1)) {
        let before: Vec<NodeId> = record.children(*parent).take_while(|other| other != child).collect();
        if let (Some(first), Some(last)) = (before.first(), before.last()) {
            let first = variation(record, *parent, *first)?.span.start;
            let last = variation(record, *parent, *last)?.span.end;
            rotate(record, Span::new(first, last), variation(record, *parent, *child)?, &mut edits)?;
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    proven(record, edits, |after| same_but_order(record, after, &line))
}

/// Takes a node and all behind it away, with its parentheses.
///
/// # Errors
/// `UnknownNode`, also for the root of a game; `BrokenTree` where parentheses are missing around it.
pub fn remove_node(record: &Record, node: NodeId) -> Result<Vec<TextEdit>, EditError> {
    let parent = record.parent(node).ok_or(EditError::UnknownNode)?;
    let span = variation(record, parent, node)?.span;
    proven(record, vec![TextEdit::replace(span, "")], |after| same_but_branch(record, after, node))
}

/// Whether the trees differ in nothing but that one node and all behind it is gone.
fn same_but_branch(before: &Record, after: &Record, gone: NodeId) -> bool {
    let roots = |record: &Record| record.games().map(|game| game.root).collect::<Vec<_>>();
    let (old, new) = (roots(before), roots(after));
    if old.len() != new.len() {
        return false;
    }
    let mut pairs: Vec<(NodeId, NodeId)> = old.into_iter().zip(new).collect();
    while let Some((old, new)) = pairs.pop() {
        let left: Vec<NodeId> = before.children(old).filter(|child| *child != gone).collect();
        let now: Vec<NodeId> = after.children(new).collect();
        if content(before, old, NO_IDENT) != content(after, new, NO_IDENT) || left.len() != now.len() {
            return false;
        }
        pairs.extend(left.into_iter().zip(now));
    }
    true
}

/// A node and all behind it, as it stands in the text.
struct Variation {
    span: Span,
    /// It has no parentheses of its own.
    bare: bool,
    /// It starts without `;`.
    headless: bool,
}

fn variation(record: &Record, parent: NodeId, child: NodeId) -> Result<Variation, EditError> {
    let start = record.node(child).span.start;
    let tree = tree_of(record, start)?;
    let bare = tree == tree_of(record, record.node(parent).span.start)?;
    let data = record.trees.get(tree as usize).ok_or(EditError::BrokenTree)?;
    if data.close == NONE {
        return Err(EditError::BrokenTree);
    }
    let (end, _) = tree_end(record, tree, bare)?;
    let start = if bare { start } else { data.open };
    Ok(Variation { span: Span::new(start, end), bare, headless: !has_semicolon(record, start) && bare })
}

/// Moves the variations before a chosen one behind it, what stands between them included.
fn rotate(
    record: &Record,
    before: Span,
    chosen: Variation,
    edits: &mut Vec<TextEdit>,
) -> Result<(), EditError> {
    if before.end > chosen.span.start {
        return Err(EditError::BrokenTree);
    }
    let text = record.text();
    let between = Span::new(before.end, chosen.span.start).slice(text);
    let (open, close) = match (chosen.bare, chosen.headless) {
        (false, _) => ("", ""),
        (true, false) => ("(", ")"),
        (true, true) => ("(;", ")"),
    };
    edits.push(TextEdit::replace(Span::new(before.start, chosen.span.start), open));
    edits.push(TextEdit::insert(chosen.span.end, format!("{close}{between}{}", before.slice(text))));
    Ok(())
}

/// Whether the trees differ in nothing but that the nodes of `line` are first among theirs.
fn same_but_order(before: &Record, after: &Record, line: &[NodeId]) -> bool {
    if before.node_count() != after.node_count() || before.games().len() != after.games().len() {
        return false;
    }
    let roots = |record: &Record| record.games().map(|game| game.root).collect::<Vec<_>>();
    let mut pairs: Vec<(NodeId, NodeId)> = roots(before).into_iter().zip(roots(after)).collect();
    let on_line: std::collections::HashSet<NodeId> = line.iter().copied().collect();
    while let Some((old, new)) = pairs.pop() {
        if content(before, old, NO_IDENT) != content(after, new, NO_IDENT) {
            return false;
        }
        let mut children: Vec<NodeId> = before.children(old).collect();
        // Stable: the others keep their order.
        children.sort_by_key(|child| !on_line.contains(child));
        let now: Vec<NodeId> = after.children(new).collect();
        if children.len() != now.len() {
            return false;
        }
        pairs.extend(children.into_iter().zip(now));
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::apply_edits;
    use super::*;

    fn promoted(text: &str, node: u32) -> Result<String, EditError> {
        let record = Record::parse(text);
        promote(&record, NodeId(node)).map(|edits| apply_edits(text, &edits))
    }

    #[test]
    fn a_line_comes_first_at_every_branch() {
        // Nodes are counted in the order of the text, from 0.
        let cases = [
            ("(;B[aa];W[bb])", 1, "(;B[aa];W[bb])"),
            ("(;B[aa](;W[bb])(;W[cc]))", 1, "(;B[aa](;W[bb])(;W[cc]))"),
            ("(;B[aa](;W[bb])(;W[cc]))", 2, "(;B[aa](;W[cc])(;W[bb]))"),
            ("(;B[aa](;W[bb])(;W[cc])(;W[dd]))", 3, "(;B[aa](;W[dd])(;W[bb])(;W[cc]))"),
            ("(;B[aa]\n(;W[bb])\n (;W[cc])\n)\n", 2, "(;B[aa]\n(;W[cc])\n (;W[bb])\n)\n"),
            ("(;A[](;B[])(;C[](;D[])(;E[];F[])))", 5, "(;A[](;C[](;E[];F[])(;D[]))(;B[]))"),
            ("(;A[](;B[]);C[];D[])", 3, "(;A[](;C[];D[])(;B[]))"),
            ("(;A[]) (;B[](;C[])(;D[]))", 3, "(;A[]) (;B[](;D[])(;C[]))"),
        ];
        for (before, node, after) in cases {
            assert_eq!(promoted(before, node).as_deref(), Ok(after), "{before}");
        }
    }

    #[test]
    fn a_branch_goes_with_its_parentheses() {
        for (before, node, after) in [
            ("(;B[aa];W[bb];B[cc])", 1, "(;B[aa])"),
            ("(;B[aa](;W[bb];B[dd])\n(;W[cc]))", 1, "(;B[aa]\n(;W[cc]))"),
            ("(;B[aa](;W[bb])(;W[cc](;B[dd])(;B[ee])))", 2, "(;B[aa](;W[bb]))"),
            ("(;A[]) (;B[];C[])", 2, "(;A[]) (;B[])"),
        ] {
            let edits = remove_node(&Record::parse(before), NodeId(node)).unwrap();
            assert_eq!(apply_edits(before, &edits), after);
        }
        assert_eq!(remove_node(&Record::parse("(;A[])"), NodeId(0)), Err(EditError::UnknownNode));
        assert_eq!(remove_node(&Record::parse("(;A[](;B[](;C[])"), NodeId(1)), Err(EditError::BrokenTree));
    }

    #[test]
    fn what_cannot_be_moved_is_told() {
        assert_eq!(promoted("(;A[](;B[])(;C[]", 2), Err(EditError::BrokenTree));
        assert_eq!(promoted("(;A[])", 1), Err(EditError::UnknownNode));
    }

    #[test]
    fn a_hundred_thousand_branches_are_no_trouble() {
        let depth = 100_000;
        let text = format!("(;A[]{}{}", "(;B[])(;C[]".repeat(depth), ")".repeat(depth + 1));
        let record = Record::parse(text.as_str());
        let last = NodeId(record.node_count() as u32 - 1);
        let edits = promote(&record, last).unwrap();
        assert_eq!(edits.len(), 2 * depth);
        let after = Record::parse(apply_edits(&text, &edits));
        assert_eq!(after.node_count(), record.node_count());
        assert_eq!(after.line(NodeId(depth as u32)).len(), depth + 1, "the line is written first");
    }

    const TEXT: &str = "(\\(;|\\)|\\(|;B\\[aa\\]|;| |\n|C\\[x\\]){0,30}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn only_the_order_changes(text in TEXT, pick in any::<usize>()) {
            let text = format!("(;{text}");
            let record = Record::parse(text.as_str());
            let node = NodeId((pick % record.node_count()) as u32);
            if let Ok(edits) = promote(&record, node) {
                let line = record.line(node);
                let after = Record::parse(apply_edits(&text, &edits));
                prop_assert!(same_but_order(&record, &after, &line), "{text:?} -> {:?}", after.text());
                let mut sorted: Vec<u8> = text.bytes().collect();
                let mut now: Vec<u8> = after.text().bytes().filter(|_| true).collect();
                sorted.sort_unstable();
                now.sort_unstable();
                prop_assert!(now.len() >= sorted.len(), "no byte is lost");
            }
        }
    }
}
