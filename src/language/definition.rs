//! Where a thing comes from: a stone from its move, a variation from the node it leaves.

use crate::go::Vertex;
use crate::sgf::{NodeId, Record, Span, value};

use super::highlight::pointed;
use super::outline::first_property;
use super::place::place;
use super::trace::{Stone, Trace};

/// A place to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The node's text.
    pub span: Span,
    /// The part to put the cursor on, inside `span`.
    pub selection: Span,
}

/// Where the thing at an offset comes from.
///
/// * A move that takes stones: the moves and set-up that placed them.
/// * A move on a stone: what placed it. Any other move: itself.
/// * A point of set-up or markup: what placed the stone there.
/// * The `(` or `;` of a variation's first node: the node before it.
pub fn definition(record: &Record, offset: u32) -> Vec<Target> {
    if let Some(parent) = branching_node(record, offset) {
        let selection = first_property(record, parent);
        return vec![Target { span: record.node(parent).span, selection }];
    }
    let Some((place, point)) = pointed(record, offset) else { return Vec::new() };
    let Some(property) = place.property else { return Vec::new() };
    let ident = property.ident();
    let Some(mut trace) = Trace::before(record, place.node) else { return Vec::new() };
    let before = trace.stone(point);
    let mut stones: Vec<Stone> = match ident.as_ref() {
        "B" | "W" => {
            trace.enter(place.node);
            let own = trace.stone(point).filter(|stone| stone.node == place.node);
            let played =
                place.value.and_then(|value| value::vertex(value.raw(), record.size(place.node)).ok());
            let last = trace.last.map(|last| last.vertex) == played && played == Some(Vertex::At(point));
            let taken = if last { trace.taken.clone() } else { Vec::new() };
            if taken.is_empty() { before.or(own).into_iter().collect() } else { taken }
        }
        "AB" | "AW" | "AE" => before.into_iter().collect(),
        _ => {
            trace.enter(place.node);
            trace.stone(point).into_iter().collect()
        }
    };
    stones.sort_by_key(|stone| stone.span.start);
    stones.dedup_by_key(|stone| stone.span);
    stones.into_iter().map(|stone| target(record, stone)).collect()
}

fn target(record: &Record, stone: Stone) -> Target {
    Target { span: record.node(stone.node).span, selection: stone.span }
}

/// The node that a variation leaves, for an offset on the `(` or `;` that starts the variation.
fn branching_node(record: &Record, offset: u32) -> Option<NodeId> {
    let opens = record.text().as_bytes().get(offset as usize) == Some(&b'(');
    let tree = record.tree_at(offset).and_then(|tree| record.tree(tree));
    let first = match tree {
        Some(tree) if opens && tree.span.start == offset => tree.first?,
        _ => {
            let place = place(record, offset)?;
            let start = record.node(place.node).span.start;
            let on_it = place.property.is_none() && (start == offset || start + 1 == offset);
            on_it.then_some(place.node)?
        }
    };
    let parent = record.parent(first)?;
    (record.children(parent).nth(1).is_some()).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(marked: &str) -> Vec<String> {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let record = Record::parse(text.as_str());
        let line = |target: Target| format!("{} {}", target.span.slice(&text), target.selection.slice(&text));
        definition(&record, offset as u32).into_iter().map(line).collect()
    }

    #[test]
    fn stones_come_from_moves() {
        // A capture goes to what it took.
        assert_eq!(shown("(;SZ[3];B[aa];W[ba];B[cc];W[|ab])"), [";B[aa] [aa]"]);
        assert_eq!(shown("(;SZ[3]AW[aa:ba]AB[ca][ab];|B[bb])"), [";SZ[3]AW[aa:ba]AB[ca][ab] [aa:ba]"]);
        // Another move is its own.
        assert_eq!(shown("(;SZ[3];B[|aa])"), [";B[aa] [aa]"]);
        assert_eq!(shown("(;SZ[3];B[aa];W[|aa])"), [";B[aa] [aa]"]);
        // Set-up and marks.
        assert_eq!(shown("(;SZ[3];B[aa];AE[|aa])"), [";B[aa] [aa]"]);
        assert_eq!(shown("(;SZ[3];B[aa]TR[|aa])"), [";B[aa]TR[aa] [aa]"]);
        assert_eq!(shown("(;SZ[3];B[aa];TR[b|b])"), [""; 0]);
    }

    #[test]
    fn variations_come_from_branches() {
        assert_eq!(shown("(;B[aa];C[x]|(;W[bb])(;W[cc]))"), [";C[x] C[x]"]);
        assert_eq!(shown("(;B[aa];C[x](;W[bb])(|;W[cc]))"), [";C[x] C[x]"]);
        assert_eq!(shown("(;B[aa];|C[x])"), [""; 0]);
        assert_eq!(shown("|(;B[aa])"), [""; 0]);
    }
}
