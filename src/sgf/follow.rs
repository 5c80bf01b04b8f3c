//! Nodes of one version of a record, found again in another.

use std::collections::HashMap;

use super::{NodeId, Record};

/// What decides about a position: two nodes are the same when their lines agree in these.
const DECIDING: [&str; 8] = ["AB", "AE", "AW", "B", "KM", "PL", "RU", "W"];

/// What is written about a node without making it another one.
const VALUES: [&str; 3] = [super::CANDIDATES, "SBKS", "SBKV"];

/// The number of a line of steps, the same in both records.
type Line = u32;

/// The nodes of an older record in a newer one.
#[derive(Debug)]
pub struct Follow {
    /// The line that leads to each node of the older record.
    old: Vec<Line>,
    /// The nodes of the newer record that each line leads to.
    new: HashMap<Line, Vec<NodeId>>,
}

impl Follow {
    /// Compares two records, in one pass through each.
    pub fn new(old: &Record, new: &Record) -> Follow {
        let mut lines = HashMap::new();
        let old = lines_of(old, &mut lines);
        let mut nodes: HashMap<Line, Vec<NodeId>> = HashMap::new();
        for (index, line) in lines_of(new, &mut lines).into_iter().enumerate() {
            nodes.entry(line).or_default().push(NodeId(index as u32));
        }
        Follow { old, new: nodes }
    }

    /// Where a node of the older record is in the newer one. It is the node with the same moves
    /// and set-up on its way; when there are several, the one with the same text, and then the
    /// one at the same path. `None` when there is none, or no telling which.
    ///
    /// `old` and `new` must be the records that were compared.
    pub fn node(&self, old: &Record, node: NodeId, new: &Record) -> Option<NodeId> {
        let line = self.old.get(node.0 as usize)?;
        let same_step = |found: &NodeId| steps(new, *found).is_empty() == steps(old, node).is_empty();
        let mut found: Vec<NodeId> = self.new.get(line)?.iter().copied().filter(same_step).collect();
        if found.len() > 1 {
            let text = text_of(old, node);
            let alike: Vec<NodeId> =
                found.iter().copied().filter(|found| text_of(new, *found) == text).collect();
            found = if alike.is_empty() { found } else { alike };
        }
        match found[..] {
            [] => None,
            [only] => Some(only),
            _ => {
                let there = new.find(old.node(node).game, &old.path_of(node))?;
                found.contains(&there).then_some(there)
            }
        }
    }
}

/// The line that leads to each node. Nodes without a step are on the line of the node before.
fn lines_of(record: &Record, known: &mut HashMap<(Line, String), Line>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(record.node_count());
    for id in (0..record.node_count() as u32).map(NodeId) {
        let mut step = steps(record, id);
        let before = match record.parent(id) {
            Some(parent) => lines.get(parent.0 as usize).copied().unwrap_or_default(),
            None => {
                step.push_str(&format!("{} {:?}", record.size(id), record.kind(id)));
                Line::MAX
            }
        };
        let next = known.len() as Line;
        let line = if step.is_empty() { before } else { *known.entry((before, step)).or_insert(next) };
        lines.push(line);
    }
    lines
}

/// What a node does to the position, as text; empty when it does nothing.
fn steps(record: &Record, id: NodeId) -> String {
    let deciding = record.properties(id).filter(|property| DECIDING.contains(&property.ident().as_ref()));
    let mut steps: Vec<_> = deciding.map(|property| (property.ident(), property)).collect();
    steps.sort_by(|(one, _), (two, _)| one.cmp(two));
    let mut text = String::new();
    for (ident, property) in steps {
        text.push_str(&ident);
        property.values().for_each(|value| text.extend(["[", value.raw(), "]"]));
    }
    text
}

/// A node's properties but for the values of analyses.
fn text_of(record: &Record, id: NodeId) -> String {
    let own = record.properties(id).filter(|property| !VALUES.contains(&property.ident().as_ref()));
    own.map(|property| property.span().slice(record.text())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The new place of node `node`, as the number of the node in the order of the text.
    fn followed(old: &str, node: u32, new: &str) -> Option<u32> {
        let (old, new) = (Record::parse(old), Record::parse(new));
        Follow::new(&old, &new).node(&old, NodeId(node), &new).map(|node| node.0)
    }

    #[test]
    fn nodes_are_followed_by_what_leads_to_them() {
        let old = "(;SZ[9];B[aa];W[bb])";
        let cases = [
            ("the same text", old, 1, old, Some(1)),
            ("a comment before it", old, 1, "(;SZ[9];C[new];B[aa];W[bb])", Some(2)),
            ("a variation before it", old, 2, "(;SZ[9](;B[ii])(;B[aa];W[bb]))", Some(3)),
            ("a game before it", old, 2, "(;SZ[13])(;SZ[9];B[aa];W[bb])", Some(3)),
            ("moves before it: another position", old, 1, "(;SZ[9];B[ii];W[hh];B[aa];W[bb])", None),
            ("its move is another", old, 1, "(;SZ[9];B[cc];W[bb])", None),
            ("its colour is another", old, 1, "(;SZ[9];W[aa];W[bb])", None),
            ("another board", old, 1, "(;SZ[13];B[aa];W[bb])", None),
            ("another komi", old, 1, "(;SZ[9]KM[6.5];B[aa];W[bb])", None),
            ("another game altogether", old, 0, "(;GM[11]SZ[9])", None),
            ("nothing left", old, 1, "", None),
            ("set-up moved into a node of its own", "(;AB[aa];W[bb])", 0, "(;;AB[aa];W[bb])", None),
            ("set-up", "(;SZ[9];AB[aa][bb]AW[cc])", 1, "(;SZ[9]PB[x];C[y];AW[cc]AB[aa][bb])", Some(2)),
            ("its variation is gone", "(;SZ[9](;B[aa])(;B[bb]))", 1, "(;SZ[9](;B[bb]))", None),
            ("twins by text", "(;(;B[aa]C[1])(;B[aa]C[2]))", 1, "(;(;B[aa]C[2])(;B[aa]C[1]))", Some(2)),
            ("twins by path", "(;(;B[aa])(;B[aa]))", 2, "(;(;B[aa])(;B[aa]))", Some(2)),
            ("twins that cannot be told apart", "(;;B[aa])", 1, "(;(;C[1];B[aa])(;C[2];B[aa]))", None),
            ("values do not matter", "(;;B[aa])", 1, "(;(;B[aa]SBKV[5])(;B[aa]C[x]))", Some(1)),
            ("nor do candidates", "(;;B[aa])", 1, "(;(;B[aa]KFCA[bb 1 50 0])(;B[aa]C[x]))", Some(1)),
            ("a comment stays a comment", "(;B[aa];C[x])", 1, "(;B[aa];C[new];C[x])", Some(2)),
            ("no such node", old, 9, old, None),
        ];
        for (what, old, node, new, expected) in cases {
            assert_eq!(followed(old, node, new), expected, "{what}");
        }
    }
}
