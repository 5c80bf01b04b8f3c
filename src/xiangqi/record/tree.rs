//! The tree of a record, held in one flat list: nothing recurses, neither to build nor to drop.

use super::Outcome;
use super::finding::{Finding, Findings};
use super::walk::Walk;
use crate::text::Span;
use crate::xiangqi::{Illegal, Move, Position};

const NONE: u32 = u32::MAX;

/// A node of one [`Record`]: 0 is the start, every other one a move. A parent's number is smaller than
/// its children's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The start, before any move.
    pub const ROOT: NodeId = NodeId(0);
}

/// A move, and what is said about it; or the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The move that leads here; `None` for the start.
    pub played: Option<Move>,
    /// The move as written: bytes of the text, in binary formats of the file; empty for the start and
    /// for moves that were added.
    pub span: Span,
    /// The comment on it; empty if there is none. Lines end with `\n`.
    pub comment: String,
    /// Where the comment stands, with its braces or tags; several if the text has it in pieces.
    pub comment_spans: Vec<Span>,
    /// PGN's numeric annotation glyphs; `!` is 1, `?` 2, `!!` 3, `??` 4, `!?` 5, `?!` 6.
    pub nags: Vec<u8>,
    /// Moves since the start.
    pub ply: u32,
    /// Whether the move that follows in the text could not be read: its line ends here, although moves
    /// in its place may follow.
    pub cut: bool,
    parent: u32,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
}

/// A piece of information about the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its name, PGN's where there is one: `Event`, `Red`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where the value stands; empty for tags that were added.
    pub span: Span,
}

/// One game.
#[derive(Debug, Clone)]
pub struct Record {
    tags: Vec<Tag>,
    pub(super) start: Option<Position>,
    nodes: Vec<Node>,
    pub(super) findings: Findings,
    pub(super) unread: Vec<Span>,
    pub(super) span: Span,
    pub(super) end: Option<(Outcome, Span)>,
}

impl Record {
    /// The most nodes of one game; what follows in a file is reported and left alone.
    pub const MAX_NODES: usize = 1_000_000;

    /// A game without moves.
    pub fn new(start: Position) -> Record {
        Record::with_start(Some(start))
    }

    pub(super) fn with_start(start: Option<Position>) -> Record {
        let root = Node {
            played: None,
            span: Span::at(0),
            comment: String::new(),
            comment_spans: Vec::new(),
            nags: Vec::new(),
            ply: 0,
            cut: false,
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
        };
        Record {
            tags: Vec::new(),
            start,
            nodes: vec![root],
            findings: Findings::default(),
            unread: Vec::new(),
            span: Span::at(0),
            end: None,
        }
    }

    /// The position the moves start from; `None` if the record says one that the rules do not allow.
    pub fn start(&self) -> Option<&Position> {
        self.start.as_ref()
    }

    /// The game's stretch of the text or file.
    pub fn span(&self) -> Span {
        self.span
    }

    /// What is wrong, in the order of the text as far as it could be read in order; at most 1000.
    pub fn findings(&self) -> &[Finding] {
        &self.findings.list
    }

    /// How many further findings were not kept.
    pub fn findings_left_out(&self) -> usize {
        self.findings.left_out
    }

    /// Stretches of the text that are not in the tree: illegal moves and what follows them.
    pub fn unread(&self) -> &[Span] {
        &self.unread
    }

    /// The result at the end of PGN's moves, and where it stands.
    pub fn termination(&self) -> Option<(Outcome, Span)> {
        self.end
    }

    /// How the game ended: what the tag `Result` says, else what stands behind the moves.
    pub fn outcome(&self) -> Outcome {
        let tag = self.tag("Result").and_then(Outcome::parse).filter(|said| *said != Outcome::Unknown);
        tag.or(self.end.map(|(outcome, _)| outcome)).unwrap_or_default()
    }

    /// All tags, in order.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The value of the first tag of this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
    }

    /// Sets a tag, or adds it behind the others.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|tag| tag.name == name) {
            Some(tag) => tag.value = value.into(),
            None => self.push_tag(name, value.into(), Span::at(0)),
        }
    }

    /// Takes every tag of this name away.
    pub fn remove_tag(&mut self, name: &str) {
        self.tags.retain(|tag| tag.name != name);
    }

    /// The start alone is left, with its comment.
    pub(super) fn clear_moves(&mut self) {
        self.nodes.truncate(1);
        if let Some(root) = self.nodes.first_mut() {
            (root.first_child, root.last_child) = (NONE, NONE);
        }
    }

    /// Gives a node the comment and the glyphs of another one.
    pub(super) fn copy_words(&mut self, id: NodeId, from: &Node) {
        if let Some(node) = self.node_mut(id) {
            node.comment.clone_from(&from.comment);
            node.nags.clone_from(&from.nags);
        }
    }

    pub(super) fn push_tag(&mut self, name: &str, value: String, span: Span) {
        self.tags.push(Tag { name: name.into(), value, span });
    }

    /// The number of nodes, the start included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node; `None` if it is not of this record.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0 as usize)
    }

    /// All nodes, every parent before its children.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// The node before; `None` for the start.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).and_then(|node| some(node.parent))
    }

    /// The continuations in order; the first is the main line.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.node(id).and_then(|node| some(node.first_child));
        std::iter::successors(first, |child| self.next_sibling(*child))
    }

    pub(super) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).and_then(|node| some(node.first_child))
    }

    pub(super) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).and_then(|node| some(node.next_sibling))
    }

    /// The moves from the start to a node, each with its node.
    pub fn line(&self, id: NodeId) -> Vec<(NodeId, Move)> {
        let mut line: Vec<_> = std::iter::successors(Some(id), |node| self.parent(*node))
            .filter_map(|node| Some((node, self.node(node)?.played?)))
            .collect();
        line.reverse();
        line
    }

    /// The main line: from the start always the first continuation. It ends where a move of it could
    /// not be read.
    pub fn main_line(&self) -> Vec<(NodeId, Move)> {
        let next = |id: NodeId| self.first_child(id).filter(|_| self.node(id).is_some_and(|node| !node.cut));
        let nodes = std::iter::successors(next(NodeId::ROOT), |node| next(*node));
        nodes.filter_map(|node| Some((node, self.node(node)?.played?))).collect()
    }

    /// The node whose move or comment stands at an offset of the text.
    pub fn node_at(&self, offset: u32) -> Option<NodeId> {
        let holds = |span: &Span| !span.is_empty() && span.start <= offset && offset <= span.end;
        let by_move = self.nodes().find(|(_, node)| holds(&node.span));
        by_move.or_else(|| self.nodes().find(|(_, node)| node.comment_spans.iter().any(holds))).map(|it| it.0)
    }

    /// The position after a node's move; `None` without a start, or for a node of another record. For
    /// many nodes a [`Walk`] is faster.
    pub fn position(&self, id: NodeId) -> Option<Position> {
        let mut walk = Walk::new(self)?;
        walk.go(self, id).cloned()
    }

    /// Adds a move after a node; if it is there already that node is the answer.
    ///
    /// # Errors
    /// The rule against the move; `None` for a node that is not of this record, a record without a
    /// start, and beyond [`Record::MAX_NODES`].
    pub fn add(&mut self, parent: NodeId, played: Move) -> Result<NodeId, Option<Illegal>> {
        let position = self.position(parent).ok_or(None)?;
        position.play(played).map_err(Some)?;
        let known =
            self.children(parent).find(|child| self.node(*child).and_then(|it| it.played) == Some(played));
        known.or_else(|| self.push(parent, played, Span::at(0))).ok_or(None)
    }

    /// Sets the comment of a node of this record.
    pub fn set_comment(&mut self, id: NodeId, comment: impl Into<String>) {
        if let Some(node) = self.node_mut(id) {
            node.comment = comment.into();
        }
    }

    /// Adds a move that has been checked; `None` when there are too many.
    pub(super) fn push(&mut self, parent: NodeId, played: Move, span: Span) -> Option<NodeId> {
        let id = self.nodes.len() as u32;
        if self.nodes.len() >= Self::MAX_NODES {
            return None;
        }
        let above = self.node_mut(parent)?;
        let elder = std::mem::replace(&mut above.last_child, id);
        if elder == NONE {
            above.first_child = id;
        }
        let ply = above.ply + 1;
        if let Some(elder) = some(elder) {
            self.node_mut(elder)?.next_sibling = id;
        }
        self.nodes.push(Node {
            played: Some(played),
            span,
            comment: String::new(),
            comment_spans: Vec::new(),
            nags: Vec::new(),
            ply,
            cut: false,
            parent: parent.0,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
        });
        Some(NodeId(id))
    }

    /// Adds a piece of comment below what a node has already.
    pub(super) fn comment(&mut self, id: NodeId, text: &str, span: Span) {
        let Some(node) = self.node_mut(id) else { return };
        if !node.comment_spans.is_empty() {
            node.comment.push('\n');
        }
        node.comment.push_str(text);
        node.comment_spans.push(span);
    }

    /// Ends the reading of comments: no white space around them.
    pub(super) fn trim_comments(&mut self) {
        for node in &mut self.nodes {
            let trimmed = trim(&node.comment);
            if trimmed.len() != node.comment.len() {
                node.comment = trimmed.into();
            }
        }
    }
}

/// Without ASCII white space at both ends: Chinese paragraphs begin with wide blanks.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_ascii_whitespace())
}

fn some(id: u32) -> Option<NodeId> {
    (id != NONE).then_some(NodeId(id))
}
