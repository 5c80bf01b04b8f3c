//! A line of moves as a variation.

use crate::go::{Color, Move, Vertex};
use crate::sgf::{EditError, NewProperty, NewValue, NodeId, Record, TextEdit, add_line, turn, value};

use crate::language::place::moves;

/// Adds a line of moves behind a node, by turns, starting with who is to move there. What the
/// record has already of it is not added again; no edits when it has all.
///
/// # Errors
/// Those of [`add_line`].
pub fn insert_line(record: &Record, node: NodeId, line: &[Vertex]) -> Result<Vec<TextEdit>, EditError> {
    let Some((parent, rest)) = missing(record, node, line) else { return Ok(Vec::new()) };
    let values: Vec<(&str, [NewValue; 1])> = rest
        .into_iter()
        .filter_map(|play| Some((play.color.letter(), [NewValue::vertex(play.vertex)?])))
        .collect();
    let nodes: Vec<[NewProperty<'_>; 1]> = values.iter().map(|(name, value)| [(*name, &value[..])]).collect();
    let nodes: Vec<&[NewProperty<'_>]> = nodes.iter().map(|node| &node[..]).collect();
    add_line(record, parent, &nodes)
}

/// The part of a line that the record does not have, and the node that it starts behind.
pub(super) fn missing(record: &Record, node: NodeId, line: &[Vertex]) -> Option<(NodeId, Vec<Move>)> {
    let (mut color, _) = turn(record, node, None);
    let mut parent = node;
    let mut rest = line.iter().copied();
    while let Some(vertex) = rest.clone().next() {
        let play = Move { color, vertex };
        let Some(child) = record.children(parent).find(|child| is(record, *child, play)) else { break };
        (parent, color) = (child, color.opponent());
        rest.next();
    }
    let by_turns = std::iter::successors(Some(color), |color: &Color| Some(color.opponent()));
    let rest: Vec<Move> = by_turns.zip(rest).map(|(color, vertex)| Move { color, vertex }).collect();
    (!rest.is_empty()).then_some((parent, rest))
}

/// Whether a node is this move.
fn is(record: &Record, node: NodeId, play: Move) -> bool {
    let size = record.size(node);
    moves(record, node)
        .any(|(color, value)| color == play.color && value::vertex(value.raw(), size) == Ok(play.vertex))
}
