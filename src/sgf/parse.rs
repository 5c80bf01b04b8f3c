//! Tokens to a tree. Nothing is refused: what does not fit becomes a finding.

use std::sync::Arc;

use super::Fix;
use super::finding::{Finding, Findings};
use super::lexer::{Lexer, Token, TokenKind, ident_end};
use super::record::{NONE, NodeData, PropertyData, Record, Run, TreeData, run_to};
use super::{Code, Span, TextEdit};

mod faults;

impl Record {
    /// Reads a document. Never fails: a broken text gives what could be read, and findings.
    pub fn parse(text: impl Into<Arc<str>>) -> Record {
        let text = text.into();
        Parser::new(&text).run(Arc::clone(&text))
    }
}

/// A tree that is open where the parser stands.
#[derive(Debug, Clone, Copy)]
struct Frame {
    tree: u32,
    /// The node that the next one follows, or [`NONE`].
    tip: u32,
    /// The number of nodes when the tree was opened.
    first: u32,
}

struct Parser<'t> {
    text: &'t str,
    nodes: Vec<NodeData>,
    branches: Vec<Run>,
    /// For each node its last child so far.
    last_children: Vec<u32>,
    properties: Vec<PropertyData>,
    values: Vec<Span>,
    trees: Vec<TreeData>,
    games: Vec<(u32, u32)>,
    frames: Vec<Frame>,
    /// Where the last game ended: nodes right behind it continue it.
    ended: Option<Frame>,
    /// Whether properties belong to the last node, or need one of their own.
    in_node: bool,
    /// Whether values belong to the last property.
    in_property: bool,
    unclosed_value: bool,
    /// The end of the stray text that was found last.
    stray_end: u32,
    /// Nodes behind variations: the finding, the tree, and what makes a variation start.
    behind: Vec<(usize, u32, TextEdit)>,
    findings: Findings,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        // Too many when texts have these signs; room that is not used costs nothing.
        let count = |sign| memchr::memchr_iter(sign, text.as_bytes()).count();
        let nodes = count(b';').min(Record::MAX_NODES);
        let values = count(b'[').min(Record::MAX_VALUES);
        Parser {
            text,
            nodes: Vec::with_capacity(nodes),
            branches: Vec::new(),
            last_children: Vec::with_capacity(nodes),
            properties: Vec::with_capacity(values),
            values: Vec::with_capacity(values),
            trees: Vec::new(),
            games: Vec::new(),
            frames: Vec::new(),
            ended: None,
            in_node: false,
            in_property: false,
            unclosed_value: false,
            stray_end: NONE,
            behind: Vec::new(),
            findings: Findings::default(),
        }
    }

    fn run(mut self, text: Arc<str>) -> Record {
        for token in Lexer::new(self.text) {
            if self.is_full() {
                self.too_large(token);
                break;
            }
            self.take(token);
        }
        self.finish();
        Record {
            text,
            nodes: self.nodes,
            branches: self.branches,
            properties: self.properties,
            values: self.values,
            trees: self.trees,
            games: self.games,
            unclosed_value: self.unclosed_value,
            findings: self.findings,
        }
    }

    #[inline]
    fn take(&mut self, token: Token) {
        let Token { kind, span } = token;
        match kind {
            TokenKind::Semicolon => {
                self.end_property();
                self.semicolon(span);
            }
            TokenKind::Ident => {
                self.end_property();
                self.property(span);
            }
            TokenKind::Value => self.value(span),
            TokenKind::UnclosedValue => {
                self.value(span);
                self.unclosed_value = true;
            }
            TokenKind::Space => {}
            TokenKind::Open => {
                self.end_property();
                self.open(span);
            }
            TokenKind::Close => {
                self.end_property();
                self.close(span);
            }
            TokenKind::Stray => {
                self.end_property();
                self.stray(span);
            }
            TokenKind::Outside => self.outside(span),
        }
    }

    fn is_full(&self) -> bool {
        self.nodes.len() >= Record::MAX_NODES
            || self.trees.len() >= Record::MAX_NODES
            || self.values.len() >= Record::MAX_VALUES
            || self.properties.len() >= Record::MAX_VALUES
    }

    fn too_large(&mut self, token: Token) {
        let rest = Span::new(token.span.start, self.text.len() as u32);
        let count = self.nodes.len();
        self.findings.push(Finding::new(
            Code::TooLarge,
            rest,
            format!("too large: only the first {count} nodes are read"),
            format!("棋谱太大：只读取前 {count} 个节点"),
        ));
        self.in_property = false;
        self.frames.clear();
    }

    fn say(&mut self, code: Code, span: Span, en: &'static str, zh: &'static str) {
        self.findings.push(Finding::new(code, span, en, zh));
    }

    fn open(&mut self, span: Span) {
        let outer = self.frames.last().copied();
        let parent = outer.map_or(NONE, |frame| frame.tree);
        let tip = outer.map_or(NONE, |frame| frame.tip);
        self.push_tree(span.start, parent);
        self.frames.push(Frame { tree: self.trees.len() as u32 - 1, tip, first: self.nodes.len() as u32 });
        self.in_node = false;
    }

    fn push_tree(&mut self, open: u32, parent: u32) {
        self.trees.push(TreeData { open, close: NONE, parent });
    }

    fn close(&mut self, span: Span) {
        self.in_node = false;
        let Some(frame) = self.frames.pop() else { return };
        let tree = &mut self.trees[frame.tree as usize];
        tree.close = span.start;
        let open = tree.open;
        if frame.first == self.nodes.len() as u32 {
            self.empty_tree(Span::new(open, span.end));
        }
        if self.frames.is_empty() {
            self.ended = Some(frame);
        }
    }

    fn semicolon(&mut self, span: Span) {
        if self.frames.is_empty() {
            self.node_outside(span);
        }
        if let Some(tree) = self.tree_with_variations() {
            self.behind.push((self.findings.len(), tree, TextEdit::insert(span.start, "(")));
            self.say(
                Code::NodeAfterVariations,
                span,
                "a node behind variations; it is read as one more variation",
                "变化之后的节点；按又一个变化读取",
            );
        }
        self.node(span.start);
    }

    /// The innermost tree, when variations in it have ended: no node may follow them.
    fn tree_with_variations(&self) -> Option<u32> {
        let frame = self.frames.last()?;
        let last_child = self.last_children.get(frame.tip as usize)?;
        (frame.first <= frame.tip && *last_child != NONE).then_some(frame.tree)
    }

    #[inline]
    fn node(&mut self, start: u32) {
        let id = self.nodes.len() as u32;
        let Some(frame) = self.frames.last_mut() else { return };
        let parent = frame.tip;
        frame.tip = id;
        let mut run = 0;
        if parent == NONE {
            self.games.push((id, frame.tree));
        } else {
            let last = std::mem::replace(&mut self.last_children[parent as usize], id);
            run = if last == NONE { self.first_child(id, parent) } else { self.branch(id, parent, last) };
        }
        self.last_children.push(NONE);
        let properties = self.properties.len() as u32;
        self.nodes.push(NodeData { start, parent, next_sibling: NONE, run, properties });
        self.in_node = true;
    }

    /// Steps to first children up to a new one.
    #[inline]
    fn first_child(&self, id: u32, parent: u32) -> u32 {
        debug_assert_eq!(parent + 1, id, "a first child comes right behind its parent");
        let above = &self.nodes[parent as usize];
        let goes_on = above.parent != NONE && above.parent + 1 == parent;
        if goes_on { above.run + 1 } else { 1 }
    }

    /// Adds the run up to a new child behind the last one, and gives its place.
    fn branch(&mut self, id: u32, parent: u32, last: u32) -> u32 {
        self.nodes[last as usize].next_sibling = id;
        let run_to = |id| run_to(&self.nodes, &self.branches, id);
        let child = run_to(last).map_or(0, |run| run.child) + 1;
        let above = run_to(parent).filter(|run| run.child == child);
        let (times, before) = above.map_or((1, parent), |run| (run.times + 1, run.before));
        self.branches.push(Run { child, times, before });
        self.branches.len() as u32 - 1
    }

    fn property(&mut self, span: Span) {
        if !self.in_node {
            self.keep_empty_tree();
            if let Some(tree) = self.tree_with_variations() {
                self.behind.push((self.findings.len(), tree, TextEdit::insert(span.start, "(;")));
            }
            let fix = Fix::new("add the `;`", "补上 `;`", TextEdit::insert(span.start, ";")).safe();
            let finding = Finding::new(
                Code::MissingSemicolon,
                span,
                "a `;` is missing before this",
                "此处之前缺少 `;`",
            );
            self.findings.push(finding.with_fix(fix));
            self.node(span.start);
        }
        self.properties.push(PropertyData { start: span.start, values: self.values.len() as u32 });
        self.in_property = true;
    }

    #[inline]
    fn value(&mut self, span: Span) {
        if !self.in_property {
            self.keep_empty_tree();
            self.say(
                Code::ValueWithoutName,
                span,
                "a value without a property's name before it",
                "值之前没有属性名",
            );
            if !self.in_node {
                self.node(span.start);
            }
            self.properties.push(PropertyData { start: span.start, values: self.values.len() as u32 });
            self.in_property = true;
        }
        self.values.push(span);
    }

    #[inline]
    fn end_property(&mut self) {
        if !self.in_property {
            return;
        }
        self.in_property = false;
        if let Some(property) = self.properties.last()
            && property.values as usize == self.values.len()
        {
            let start = property.start;
            let end = ident_end(self.text.as_bytes(), start as usize);
            self.without_value(Span::new(start, end as u32));
        }
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
