//! One game, node by node.

use crate::go::{Color, Size, Vertex};

use super::super::effective::Opening;
use super::super::info::GameKind;
use super::super::lexer::is_space;
use super::super::position::MAX_SETUP;
use super::super::value::number;
use super::super::{Code, Finding, NodeId, Property, Record, Span};
use super::Sink;
use super::line::Line;
use super::lists::PointSets;
use super::names::Names;

/// Checks one game of a collection.
pub(super) fn check<'r>(record: &'r Record, index: usize, sink: &mut Sink<'r>) {
    let Some(game) = record.game(index) else { return };
    if record.kind(game.root) != GameKind::Go {
        return other_game(record, game.root, sink);
    }
    let mut check = GameCheck::new(record, game.root, sink);
    for node in record.nodes(index) {
        check.node(node);
    }
    if !check.unclosed {
        check.opening();
    }
    check.finish();
}

fn other_game<'r>(record: &'r Record, root: NodeId, sink: &mut Sink<'r>) {
    let Some(gm) = record.property(root, "GM") else { return };
    let kind = gm.first_raw();
    if !sink.other_games.insert(kind) {
        return;
    }
    sink.push(Finding::new(
        Code::OtherGame,
        gm.span(),
        format!("GM[{kind}] is not Go: only the structure is checked"),
        format!("GM[{kind}] 不是围棋：只检查结构"),
    ));
}

/// A move of a node: whose, where, and its property.
#[derive(Debug, Clone, Copy)]
pub(super) struct Played {
    pub color: Color,
    /// `None` for a move that is off the board or unreadable, which was said already.
    pub vertex: Option<Vertex>,
    pub span: Span,
}

/// What is in a node, as far as its properties together matter.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The first set-up property of stones, or `PL`.
    pub setup: Option<Span>,
    /// Whether it sets up stones.
    pub stones: bool,
    pub sets_player: bool,
    /// The first property of a root or game info.
    pub game_info: Option<Span>,
    /// Judgements of the move.
    pub judgement: Option<Span>,
    /// Judgements of the position.
    pub position: Option<Span>,
    /// `KO`: illegal moves are meant.
    pub forced: bool,
    /// A value without its `]` has taken the next node with it.
    pub unclosed: bool,
}

pub(super) struct GameCheck<'r, 's> {
    pub record: &'r Record,
    pub root: NodeId,
    pub sink: &'s mut Sink<'r>,
    pub size: Size,
    /// `FF` where it is stated and a number.
    pub format: Option<i64>,
    pub names: Names<'r>,
    pub sets: PointSets,
    pub line: Line,
    pub moves: Vec<Played>,
    pub opening: Opening,
    /// How many of Black's leading moves are handicap stones.
    pub handicap_moves: usize,
    /// How many points lists may still cover before they are no longer looked at.
    pub points_left: usize,
    /// Whether a node is missing because a value has taken it.
    pub unclosed: bool,
}

impl<'r, 's> GameCheck<'r, 's> {
    fn new(record: &'r Record, root: NodeId, sink: &'s mut Sink<'r>) -> GameCheck<'r, 's> {
        let size = record.size(root);
        let stated = |ident| record.property(root, ident).and_then(|found| number(found.first_raw()).ok());
        let opening = Opening::of(record, root);
        GameCheck {
            record,
            root,
            sink,
            size,
            format: stated("FF"),
            names: Names::default(),
            sets: PointSets::default(),
            line: Line::new(size),
            moves: Vec::new(),
            handicap_moves: opening.as_moves(stated("HA")),
            opening,
            points_left: MAX_SETUP,
            unclosed: false,
        }
    }

    /// Whether the record says that it is FF\[4\].
    pub fn is_ff4(&self) -> bool {
        self.format.is_some_and(|format| format >= 4)
    }

    fn node(&mut self, node: NodeId) {
        self.line.enter(self.record, node);
        self.moves.clear();
        let properties = self.record.properties(node);
        let is_root = node == self.root;
        if properties.len() == 0 {
            if !is_root {
                self.empty_node(node);
            }
            self.line.leave();
            return;
        }
        let mut contents = Contents::default();
        for property in properties {
            if let Some(played) = self.plain_move(property) {
                self.moves.push(played);
            } else if let Some(known) = self.name(node, property) {
                self.property(node, property, known, &mut contents);
            }
        }
        self.names.leave_node();
        self.sets.clear();
        self.together(node, &contents);
        self.play(node, &contents);
        if contents.unclosed {
            // A move is missing here, so either side may be next.
            self.line.state.last = None;
        }
        self.line.leave();
    }

    fn empty_node(&mut self, node: NodeId) {
        let span = self.record.node(node).span;
        self.sink.push(Finding::new(Code::EmptyNode, span, "a node without properties", "没有属性的节点"));
    }

    /// Removing this property would leave a node with nothing in it, or without its start, or would
    /// part it from text that may belong to it.
    pub fn must_stay(&self, node: NodeId, property: Property<'_>) -> bool {
        let only = self.record.properties(node).len() == 1 && node != self.root;
        let first = property.span().start == self.record.node(node).span.start;
        only || first || self.stray_behind(node, property)
    }

    /// Whether text that belongs to no property follows this one.
    pub fn stray_behind(&self, node: NodeId, property: Property<'_>) -> bool {
        let end = property.span().end as usize;
        let rest = self.record.text().as_bytes().get(end..).unwrap_or(&[]);
        let space = rest.iter().take_while(|byte| is_space(**byte)).count();
        let start = (end + space) as u32;
        match rest.get(space) {
            None | Some(b';' | b'(' | b')') => false,
            Some(_) => !self.record.properties(node).any(|other| other.span().start == start),
        }
    }
}
