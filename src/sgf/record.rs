//! A document as a tree of nodes: a view on the text, held in flat arrays.
//!
//! Nodes stand in the order of the text, so the nodes of one game are one range, and a
//! node's number grows along every line. Nothing here recurses: a line of a million nodes
//! costs no stack, neither to read nor to drop.

use std::borrow::Cow;
use std::sync::Arc;

use super::finding::Findings;
use super::lexer::ident_end;
use super::{Finding, Path, PathStep, Span};

/// No node, no tree.
pub(super) const NONE: u32 = u32::MAX;

/// A node of one [`Record`]. Numbers of another record, or of an older version of the
/// document, name other nodes or none; every method takes that calmly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// What the arrays know of a node. A first child is the node behind its parent, and no other node is.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeData {
    pub start: u32,
    pub parent: u32,
    pub next_sibling: u32,
    /// Of a first child: how many steps to first children end here. Of another child: the place of its
    /// [`Run`] among the branches.
    pub run: u32,
    /// The first of its properties; they end where the next node's start.
    pub properties: u32,
}

/// Steps of a line that go to children of one number, up to a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// Which child of its parent the node is.
    pub child: u32,
    /// How many of the steps that end here go to a child of this number,
    pub times: u32,
    /// and the node before the first of them.
    pub before: u32,
}

/// The run that ends at a node; `None` for a root.
pub(super) fn run_to(nodes: &[NodeData], branches: &[Run], id: u32) -> Option<Run> {
    let data = nodes.get(id as usize)?;
    match data.parent {
        NONE => None,
        parent if parent + 1 == id => Some(Run { child: 0, times: data.run, before: id - data.run }),
        _ => branches.get(data.run as usize).copied(),
    }
}

/// What the arrays know of a property.
#[derive(Debug, Clone, Copy)]
pub(super) struct PropertyData {
    /// Where its name starts; of a value without a name, where that starts.
    pub start: u32,
    /// The first of its values; they end where the next property's start.
    pub values: u32,
}

/// A pair of parentheses.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeData {
    /// Offset of the `(`; of the `;` when the parenthesis is missing.
    pub open: u32,
    /// Offset of the `)`, or [`NONE`].
    pub close: u32,
    pub parent: u32,
}

impl TreeData {
    /// Whether the `(` is there.
    pub fn is_opened(&self, text: &str) -> bool {
        text.as_bytes().get(self.open as usize) == Some(&b'(')
    }
}

/// One game of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    /// Its first node.
    pub root: NodeId,
    /// One behind its last node.
    pub end: NodeId,
    /// From its `(` to behind its `)`.
    pub span: Span,
}

/// Where a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// From its `;` to the end of its last property.
    pub span: Span,
    /// The node before it.
    pub parent: Option<NodeId>,
    /// The index of its game in the document.
    pub game: usize,
}

/// An SGF document: its text, the nodes in it, and what is wrong with it.
#[derive(Debug, Clone)]
pub struct Record {
    pub(super) text: Arc<str>,
    pub(super) nodes: Vec<NodeData>,
    /// The runs that end at nodes which are no first children.
    pub(super) branches: Vec<Run>,
    pub(super) properties: Vec<PropertyData>,
    pub(super) values: Vec<Span>,
    pub(super) trees: Vec<TreeData>,
    /// Root node and tree of each game.
    pub(super) games: Vec<(u32, u32)>,
    pub(super) unclosed_value: bool,
    pub(super) findings: Findings,
}

impl Record {
    /// The most nodes, the most trees and the most properties and values that are read;
    /// what follows in the text is reported and left alone.
    pub const MAX_NODES: usize = 1_000_000;
    /// The most properties, and the most values, that are read.
    pub const MAX_VALUES: usize = 16_000_000;

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, shared.
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// What is wrong with the syntax, in the order of the text; at most 1000 findings.
    /// [`super::check`] adds what is wrong with the values.
    pub fn findings(&self) -> &[Finding] {
        self.findings.list()
    }

    /// How many further findings were not kept.
    pub fn findings_left_out(&self) -> usize {
        self.findings.left_out()
    }

    /// The games of the collection, in order.
    pub fn games(&self) -> impl ExactSizeIterator<Item = Game> + '_ {
        (0..self.games.len()).map(|index| self.game_at(index))
    }

    /// One game of the collection.
    pub fn game(&self, index: usize) -> Option<Game> {
        (index < self.games.len()).then(|| self.game_at(index))
    }

    fn game_at(&self, index: usize) -> Game {
        let (root, tree) = self.games[index];
        let end = self.games.get(index + 1).map_or(self.nodes.len() as u32, |game| game.0);
        let tree = self.trees[tree as usize];
        let close = if tree.close == NONE { self.text.len() as u32 } else { tree.close + 1 };
        // A game whose last `)` came too early goes on behind it.
        let last = self.node_end(end - 1);
        Game { root: NodeId(root), end: NodeId(end), span: Span::new(tree.open, close.max(last)) }
    }

    /// The number of nodes in all games.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes of a game in the order of the text: every parent stands before its children.
    pub fn nodes(&self, game: usize) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        let (root, end) = self.game(game).map_or((0, 0), |game| (game.root.0, game.end.0));
        (root..end).map(NodeId)
    }

    pub(super) fn data(&self, id: NodeId) -> Option<&NodeData> {
        self.nodes.get(id.0 as usize)
    }

    /// Where a node stands; an empty span at the start for a node that is not of this record.
    pub fn node(&self, id: NodeId) -> Node {
        let Some(data) = self.data(id) else {
            return Node { span: Span::at(0), parent: None, game: 0 };
        };
        let game = self.games.partition_point(|game| game.0 <= id.0).saturating_sub(1);
        Node { span: Span::new(data.start, self.node_end(id.0)), parent: some(data.parent), game }
    }

    /// The node before this one; `None` for a root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.data(id)?.parent)
    }

    /// The node's continuations in the order of the text; the first is the main line.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + Clone + '_ {
        std::iter::successors(self.first_child(id), |child| some(self.data(*child)?.next_sibling))
    }

    fn first_child(&self, id: NodeId) -> Option<NodeId> {
        let next = NodeId(id.0.checked_add(1)?);
        self.data(next).filter(|data| data.parent == id.0).map(|_| next)
    }

    /// The continuation behind this one, of the same parent.
    pub(super) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        some(self.data(id)?.next_sibling)
    }

    /// Whether the node has more than one continuation.
    pub(super) fn has_variations(&self, id: NodeId) -> bool {
        self.first_child(id).is_some_and(|first| self.next_sibling(first).is_some())
    }

    /// The line from the root to this node, both included.
    pub fn line(&self, id: NodeId) -> Vec<NodeId> {
        let known = self.data(id).map(|_| id);
        let mut line: Vec<NodeId> = std::iter::successors(known, |node| self.parent(*node)).collect();
        line.reverse();
        line
    }

    /// The first node of the game that this node is in.
    pub fn root_of(&self, id: NodeId) -> NodeId {
        let game = self.node(id).game;
        self.game(game).map_or(id, |game| game.root)
    }

    fn property_range(&self, id: u32) -> std::ops::Range<u32> {
        let start = |id: u32| self.nodes.get(id as usize).map(|node| node.properties);
        let end = self.properties.len() as u32;
        start(id).unwrap_or(end)..start(id.saturating_add(1)).unwrap_or(end)
    }

    fn node_end(&self, id: u32) -> u32 {
        let start = self.nodes[id as usize].start;
        match self.property_range(id).next_back() {
            Some(index) => Property { record: self, index }.span().end,
            // Without properties it is its `;`.
            None => start + 1,
        }
    }

    /// The node's properties in the order of the text. A value that has no name stands here
    /// with an empty one.
    pub fn properties(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = Property<'_>> + ExactSizeIterator + Clone {
        self.property_range(id.0).map(|index| Property { record: self, index })
    }

    /// The first property of this name.
    pub fn property(&self, id: NodeId, ident: &str) -> Option<Property<'_>> {
        self.properties(id).find(|property| property.is(ident))
    }

    /// The values of all properties of this name, in the order of the text: a property that
    /// is written twice counts as one.
    pub fn values_of<'r>(&'r self, id: NodeId, ident: &str) -> impl Iterator<Item = Value<'r>> {
        self.properties(id).filter(move |property| property.is(ident)).flat_map(|property| property.values())
    }

    /// The node that a path leads to in a game.
    pub fn find(&self, game: usize, path: &Path) -> Option<NodeId> {
        let mut node = self.game(game)?.root;
        for step in path.steps() {
            for _ in 0..step.times {
                node = self.children(node).nth(step.child as usize)?;
            }
        }
        Some(node)
    }

    /// The path from the root of its game to this node. Takes as long as the path has runs,
    /// however many nodes they pass.
    pub fn path_of(&self, id: NodeId) -> Path {
        let mut steps: Vec<_> =
            self.runs(id).map(|run| PathStep { child: run.child, times: run.times }).collect();
        steps.reverse();
        steps.into_iter().collect()
    }

    /// The number of steps that [`Record::path_of`] gives.
    pub fn path_length(&self, id: NodeId) -> usize {
        self.runs(id).count()
    }

    /// The runs on the way to a node, backwards.
    fn runs(&self, id: NodeId) -> impl Iterator<Item = Run> {
        let run_to = |id| run_to(&self.nodes, &self.branches, id);
        std::iter::successors(run_to(id.0), move |run| run_to(run.before))
    }

    /// The node at an offset of the text: the last one that starts at or before it, or the
    /// first one of the document. `None` only when the document has no node.
    pub fn node_at(&self, offset: u32) -> Option<NodeId> {
        let behind = self.nodes.partition_point(|node| node.start <= offset);
        (!self.nodes.is_empty()).then(|| NodeId(behind.saturating_sub(1) as u32))
    }
}

fn some(id: u32) -> Option<NodeId> {
    (id != NONE).then_some(NodeId(id))
}

/// A property of a node.
#[derive(Debug, Clone, Copy)]
pub struct Property<'r> {
    record: &'r Record,
    index: u32,
}

impl<'r> Property<'r> {
    fn data(&self) -> &'r PropertyData {
        &self.record.properties[self.index as usize]
    }

    fn value_range(&self) -> std::ops::Range<u32> {
        let next = self.record.properties.get(self.index as usize + 1);
        self.data().values..next.map_or(self.record.values.len() as u32, |next| next.values)
    }

    /// Where it starts.
    pub(super) fn start(&self) -> u32 {
        self.data().start
    }

    /// Where its name is.
    pub fn ident_span(&self) -> Span {
        let start = self.start();
        Span::new(start, ident_end(self.record.text.as_bytes(), start as usize) as u32)
    }

    /// Its name as written.
    pub fn written_ident(&self) -> &'r str {
        self.ident_span().slice(&self.record.text)
    }

    /// Its name as FF\[4\] spells it: old versions wrote `CoPyright` for `CP`, and said that
    /// lower-case letters do not count. A name without any capital is taken in capitals.
    pub fn ident(&self) -> Cow<'r, str> {
        normal_ident(self.written_ident())
    }

    /// Whether this is its FF\[4\] name.
    pub fn is(&self, ident: &str) -> bool {
        // A capital at the start stays, however the rest is spelled.
        let first = self.record.text.as_bytes().get(self.start() as usize);
        if first.is_some_and(u8::is_ascii_uppercase) && first != ident.as_bytes().first() {
            return false;
        }
        let written = self.written_ident();
        written == ident || (has_lower_case(written) && normal_ident(written) == ident)
    }

    /// Its values, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = Value<'r>> + ExactSizeIterator + Clone + use<'r> {
        let record = self.record;
        self.value_range().map(move |index| Value { record, index })
    }

    /// The text between the brackets of the first value; `""` when there is none.
    pub fn first_raw(&self) -> &'r str {
        self.values().next().map_or("", |value| value.raw())
    }

    /// From its name to the end of its last value.
    pub fn span(&self) -> Span {
        let end = self.values().next_back().map(|value| value.span().end);
        Span::new(self.start(), end.unwrap_or_else(|| self.ident_span().end))
    }
}

/// A value of a property.
#[derive(Debug, Clone, Copy)]
pub struct Value<'r> {
    record: &'r Record,
    index: u32,
}

impl<'r> Value<'r> {
    /// Where it is, with its brackets.
    pub fn span(&self) -> Span {
        self.record.values[self.index as usize]
    }

    /// Whether its `]` is there.
    pub fn is_closed(&self) -> bool {
        !(self.record.unclosed_value && self.index as usize + 1 == self.record.values.len())
    }

    /// The text between the brackets, as written.
    pub fn raw(&self) -> &'r str {
        self.raw_span().slice(&self.record.text)
    }

    /// Where [`Value::raw`] is.
    pub fn raw_span(&self) -> Span {
        let Span { start, end } = self.span();
        Span::new(start + 1, end - u32::from(self.is_closed()))
    }
}

pub(super) fn has_lower_case(ident: &str) -> bool {
    ident.bytes().any(|byte| byte.is_ascii_lowercase())
}

pub(super) fn normal_ident(written: &str) -> Cow<'_, str> {
    if !has_lower_case(written) {
        Cow::Borrowed(written)
    } else if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(written.chars().filter(|letter| !letter.is_ascii_lowercase()).collect())
    } else {
        Cow::Owned(written.to_ascii_uppercase())
    }
}
