//! A move, or a resignation, on its way into a record.

use super::documents::{self, Document};
use super::positions::{self, Place};
use super::session::Session;
use super::wire::Node;
use super::writeback::{self, Edit, Value};
use crate::engine::GenmovePlay;
use crate::go::{Color, Move};
use crate::sgf::{self, EditError, Follow, NewProperty, NewValue, NodeId, Record, TextEdit};

/// What somebody has played at a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Played {
    /// Who.
    pub color: Color,
    /// What.
    pub play: GenmovePlay,
    /// The value of the position after it.
    pub value: Option<Value>,
}

/// What a move changes in the document as it is now.
#[derive(Debug, Default)]
pub struct Written {
    /// The change; `None` when all of it stands there already, or none can be made.
    pub edit: Option<Edit>,
    /// The node of the move, once the change is made.
    pub node: Option<Node>,
}

impl Played {
    /// Makes the change for the document's present text: a node for the move (none when one is
    /// there), SBKV and SBKS in it; for a resignation the result at the root, and the line first.
    /// The node may have moved since `place` was found.
    pub async fn write(self, session: &Session, place: &Place) -> Written {
        let document = writeback::current(session, &place.document).await;
        let (place, editor, encoding) = (place.clone(), session.is_editor(), session.encoding());
        let work = move |document: &std::sync::Arc<Document>| {
            let Some((edits, node)) = self.changes(document, &place) else { return Ok(Written::default()) };
            Ok(Written { edit: Edit::of(document, &edits, editor, encoding), node })
        };
        documents::offload(document, work).await.unwrap_or_default()
    }

    /// The change of the text, and the address of the move's node.
    pub fn changes(self, document: &Document, place: &Place) -> Option<(Vec<TextEdit>, Option<Node>)> {
        let record = document.record().ok()?;
        let known = place.document.record().ok()?;
        let at = match std::ptr::eq(document, &*place.document) {
            true => Some(place.id),
            false => Follow::new(known, record).node(known, place.id, record),
        };
        let Some(at) = at else {
            tracing::info!(node = ?place.node, "the node of a move is no longer in the record");
            return None;
        };
        let made = match self.play {
            GenmovePlay::Play(vertex) => add_move(record, at, Move { color: self.color, vertex }, self.value),
            GenmovePlay::Resign => resign(record, at, self.color).map(|edits| (edits, None)),
        };
        made.inspect_err(|error| tracing::warn!(%error, "a move could not be written into the record")).ok()
    }
}

fn add_move(
    record: &Record,
    at: NodeId,
    play: Move,
    value: Option<Value>,
) -> Result<(Vec<TextEdit>, Option<Node>), EditError> {
    let numbers: Vec<(&str, [NewValue; 1])> = value.map(|value| value.properties()).unwrap_or_default();
    let same = |child: &NodeId| sgf::last_move(record, *child) == Some((*child, play));
    let address = |child: usize| {
        let mut node = positions::address(record, at);
        node.go_on(child as u32);
        node
    };
    if let Some((index, child)) = record.children(at).enumerate().find(|(_, child)| same(child)) {
        let mut edits = Vec::new();
        for (name, number) in &numbers {
            edits.extend(sgf::set_property(record, child, name, number)?);
        }
        return Ok((edits, Some(address(index))));
    }
    let Some(vertex) = NewValue::vertex(play.vertex) else { return Ok((Vec::new(), None)) };
    let vertex = [vertex];
    let mut properties: Vec<NewProperty<'_>> = vec![(play.color.letter(), &vertex)];
    properties.extend(numbers.iter().map(|(name, number)| (*name, number.as_slice())));
    Ok((sgf::add_node(record, at, &properties)?, Some(address(record.children(at).count()))))
}

/// The result at the root, and the line in which it came about as the main one.
fn resign(record: &Record, at: NodeId, loser: Color) -> Result<Vec<TextEdit>, EditError> {
    let result = NewValue::text(&format!("{}+Resign", loser.opponent().letter()));
    let mut edits = sgf::set_property(record, record.root_of(at), "RE", &[result])?;
    match sgf::promote(record, at) {
        Ok(more) => edits.extend(more),
        Err(error) => tracing::warn!(%error, "the line could not be made the main one"),
    }
    // Stable: at one place the result is inserted before the variations move.
    edits.sort_by_key(|edit| edit.span.start);
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Point, Vertex};
    use crate::sgf::apply_edits;

    fn after(
        text: &str,
        node: u32,
        color: Color,
        play: GenmovePlay,
        value: Option<Value>,
    ) -> (String, String) {
        let document = documents::from_text(text);
        let id = NodeId(node);
        let record = document.record().unwrap();
        let place = Place { id, node: positions::address(record, id), document: document.clone() };
        let (edits, node) = Played { color, play, value }.changes(&document, &place).unwrap();
        let node = node.map(|node| serde_json::to_string(&node.path).unwrap()).unwrap_or_default();
        (apply_edits(text, &edits), node)
    }

    const C7: GenmovePlay = GenmovePlay::Play(Vertex::At(Point { col: 2, row: 2 }));
    const PASS: GenmovePlay = GenmovePlay::Play(Vertex::Pass);

    #[test]
    fn moves_become_nodes() {
        let value = |winrate, lead| Some(Value::new(Color::White, winrate, lead));
        let cases = [
            ("(;SZ[9];B[aa])", 1, C7, None, "(;SZ[9];B[aa];W[cc])", r#"["0*2"]"#),
            ("(;SZ[9];B[aa])", 1, PASS, None, "(;SZ[9];B[aa];W[])", r#"["0*2"]"#),
            ("(;SZ[9];B[aa];W[bb])", 1, C7, None, "(;SZ[9];B[aa](;W[bb])(;W[cc]))", "[0,1]"),
            (
                "(;SZ[9];B[aa])",
                1,
                C7,
                value(40.0, Some(-1.25)),
                "(;SZ[9];B[aa];W[cc]SBKV[60]SBKS[1.25])",
                r#"["0*2"]"#,
            ),
            // A node with this move is there already: only the values are news.
            (
                "(;SZ[9];B[aa];W[cc])",
                1,
                C7,
                value(52.125, None),
                "(;SZ[9];B[aa];W[cc]SBKV[47.88])",
                r#"["0*2"]"#,
            ),
            ("(;SZ[9];B[aa];W[tt])", 1, PASS, None, "(;SZ[9];B[aa];W[tt])", r#"["0*2"]"#),
        ];
        for (text, node, play, value, expected, path) in cases {
            assert_eq!(after(text, node, Color::White, play, value), (expected.to_owned(), path.to_owned()));
        }
    }

    #[test]
    fn a_resignation_is_the_result_and_makes_its_line_the_main_one() {
        let cases = [
            ("(;SZ[9];B[aa])", 1, Color::White, "(;SZ[9]RE[B+Resign];B[aa])"),
            (
                "(;SZ[9]RE[?](;B[aa])(;B[bb];W[cc]))",
                3,
                Color::Black,
                "(;SZ[9]RE[W+Resign](;B[bb];W[cc])(;B[aa]))",
            ),
            ("(;SZ[9](;B[aa])(;B[bb]))", 2, Color::White, "(;SZ[9]RE[B+Resign](;B[bb])(;B[aa]))"),
        ];
        for (text, node, loser, expected) in cases {
            assert_eq!(after(text, node, loser, GenmovePlay::Resign, None).0, expected);
        }
    }
}
