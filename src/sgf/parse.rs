//! Tokens to a tree. Nothing is refused: what does not fit becomes a finding.

use std::sync::Arc;

use super::finding::{Finding, Findings, Fix};
use super::lexer::{Lexer, Token, TokenKind};
use super::record::{NONE, NodeData, PropertyData, Record, TreeData};
use super::{Code, Span, TextEdit};

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
    /// Nodes behind variations: the finding, the tree, and where the node starts.
    behind: Vec<(usize, u32, u32)>,
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
        self.push_tree(span.start, parent, true);
        self.frames.push(Frame { tree: self.trees.len() as u32 - 1, tip, first: self.nodes.len() as u32 });
        self.in_node = false;
    }

    fn push_tree(&mut self, open: u32, parent: u32, opened: bool) {
        self.trees.push(TreeData { open, close: NONE, parent, opened });
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

    fn empty_tree(&mut self, span: Span) {
        let fix = Fix::new("remove it", "删除", TextEdit::replace(span, "")).safe();
        // `(())` is one finding.
        if let Some(last) = self.findings.last_mut()
            && last.code == Code::EmptyTree
            && last.span.start > span.start
        {
            last.span = span;
            last.fix = Some(fix);
            return;
        }
        let finding = Finding::new(Code::EmptyTree, span, "a variation without a node", "没有节点的变化");
        self.findings.push(finding.with_fix(fix));
    }

    fn semicolon(&mut self, span: Span) {
        if self.frames.is_empty() {
            self.node_outside(span);
        }
        let after_variations = self.frames.last().copied().filter(|frame| {
            frame.tip != NONE && frame.first <= frame.tip && self.last_children[frame.tip as usize] != NONE
        });
        if let Some(frame) = after_variations {
            self.behind.push((self.findings.len(), frame.tree, span.start));
            self.say(
                Code::NodeAfterVariations,
                span,
                "a node behind variations; it is read as one more variation",
                "变化之后的节点；按又一个变化读取",
            );
        }
        self.node(span.start);
    }

    /// A `;` between games: a `)` too many came before it, or its `(` is missing.
    fn node_outside(&mut self, span: Span) {
        let ended = self.ended.take();
        match ended {
            // Two `)` too many are one finding.
            Some(_) if self.close_was_extra() => {}
            Some(frame) => {
                let close = self.trees[frame.tree as usize].close;
                let finding = Finding::new(
                    Code::NodeOutsideTree,
                    span,
                    "a node behind the end of its game; a `)` before it is one too many",
                    "节点出现在棋局结束之后；前面多了一个 `)`",
                );
                let close = Span::new(close, close.saturating_add(1));
                self.findings.push(finding.relating(close, "the game ends here", "棋局在此结束"));
            }
            None => {
                let fix = Fix::new("add the `(`", "补上 `(`", TextEdit::insert(span.start, "(")).safe();
                self.findings.push(
                    Finding::new(Code::MissingOpen, span, "a game without its `(`", "棋局缺少开头的 `(`")
                        .with_fix(fix),
                );
            }
        }
        self.push_tree(span.start, NONE, false);
        self.frames.push(Frame {
            tree: self.trees.len() as u32 - 1,
            tip: ended.map_or(NONE, |frame| frame.tip),
            first: self.nodes.len() as u32,
        });
    }

    /// Whether the last finding is a `)` too many. A node follows it, so taking it away is not enough.
    fn close_was_extra(&mut self) -> bool {
        match self.findings.last_mut() {
            Some(last) if last.code == Code::ExtraClose => {
                last.fix = None;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn node(&mut self, start: u32) {
        let id = self.nodes.len() as u32;
        let Some(frame) = self.frames.last_mut() else { return };
        let parent = frame.tip;
        frame.tip = id;
        let (mut child, mut times, mut before) = (0, 0, NONE);
        if parent == NONE {
            self.games.push((id, frame.tree));
        } else {
            let last = std::mem::replace(&mut self.last_children[parent as usize], id);
            if last == NONE {
                self.nodes[parent as usize].first_child = id;
            } else {
                self.nodes[last as usize].next_sibling = id;
                child = self.nodes[last as usize].child + 1;
            }
            let above = &self.nodes[parent as usize];
            let goes_on = above.times > 0 && above.child == child;
            (times, before) = if goes_on { (above.times + 1, above.before) } else { (1, parent) };
        }
        self.last_children.push(NONE);
        self.nodes.push(NodeData {
            start,
            parent,
            first_child: NONE,
            next_sibling: NONE,
            child,
            times,
            before,
            properties: self.properties.len() as u32,
        });
        self.in_node = true;
    }

    fn property(&mut self, span: Span) {
        if !self.in_node {
            let fix = Fix::new("add the `;`", "补上 `;`", TextEdit::insert(span.start, ";")).safe();
            let finding =
                Finding::new(Code::MissingSemicolon, span, "a `;` is missing before this", "此处之前缺少 `;`");
            self.findings.push(finding.with_fix(fix));
            self.node(span.start);
        }
        self.properties.push(PropertyData { ident: span, values: self.values.len() as u32 });
        self.in_property = true;
    }

    #[inline]
    fn value(&mut self, span: Span) {
        if !self.in_property {
            self.say(
                Code::ValueWithoutName,
                span,
                "a value without a property's name before it",
                "值之前没有属性名",
            );
            if !self.in_node {
                self.node(span.start);
            }
            self.properties
                .push(PropertyData { ident: Span::at(span.start), values: self.values.len() as u32 });
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
            let ident = property.ident;
            self.without_value(ident);
        }
    }

    fn without_value(&mut self, ident: Span) {
        let name = ident.slice(self.text);
        let finding = Finding::new(
            Code::PropertyWithoutValue,
            ident,
            format!("{name} has no value; an empty one is written {name}[]"),
            format!("{name} 没有值；空值写作 {name}[]"),
        );
        let empty = Fix::new("add an empty value", "补上空值", TextEdit::insert(ident.end, "[]"));
        self.findings.push(finding.with_fix(empty));
    }

    fn stray(&mut self, span: Span) {
        // Pieces that only white space parts have one cause.
        let gap = self.text.get(self.stray_end as usize..span.start as usize);
        let joins = gap.is_some_and(|gap| gap.trim().is_empty());
        self.stray_end = span.end;
        if joins && let Some(last) = self.findings.last_mut() {
            last.span.end = span.end;
            if last.code == Code::StrayText {
                last.fix = Some(remove_text(last.span));
            }
            return;
        }
        let cut = self.values.last().copied().filter(|value| {
            let gap = self.text.get(value.end as usize..span.start as usize);
            span.slice(self.text).ends_with(']') && gap.is_some_and(|gap| gap.trim().is_empty())
        });
        let Some(value) = cut else {
            let finding =
                Finding::new(Code::StrayText, span, "text that belongs to no property", "不属于任何属性的文字");
            self.findings.push(finding.with_fix(remove_text(span)));
            return;
        };
        let finding = Finding::new(
            Code::UnescapedBracket,
            span,
            "the value before this was closed by a `]` that should have been written `\\]`",
            "前面的值被一个本应写作 `\\]` 的 `]` 提前结束",
        );
        let finding = finding.relating(Span::new(value.end - 1, value.end), "closed here", "在此结束");
        let doubled = value.slice(self.text).strip_prefix("[[");
        let fix = match doubled {
            // In `[[dc]]` the brackets were doubled, not forgotten.
            Some(_) if span.slice(self.text) == "]" => {
                let inner = TextEdit::replace(Span::new(value.start, value.start + 1), "");
                Fix::new("remove the second pair of brackets", "删除多余的一对括号", inner)
                    .and(TextEdit::replace(span, ""))
            }
            Some(_) => Fix::new("remove this text", "删除这段文字", TextEdit::replace(span, "")),
            None => Fix::new("write it `\\]`", "改写为 `\\]`", TextEdit::insert(value.end - 1, "\\")).safe(),
        };
        self.findings.push(finding.with_fix(fix));
    }

    fn outside(&mut self, span: Span) {
        let text = span.slice(self.text);
        let body = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\0'));
        if body.is_empty() {
            return;
        }
        let start = span.start + (body.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let span = Span::new(start, start + body.len() as u32);
        if body.starts_with(')') && self.ended.is_some() {
            let finding = Finding::new(Code::ExtraClose, span, "a `)` too many", "多余的 `)`");
            let only = body.bytes().all(|byte| byte == b')' || byte.is_ascii_whitespace());
            let fix = Fix::new("remove it", "删除", TextEdit::replace(span, "")).safe();
            self.findings.push(finding.with_fix(only.then_some(fix)));
            return;
        }
        self.say(
            Code::TextOutsideGame,
            span,
            "text outside of any game is ignored",
            "棋局之外的文字被忽略",
        );
    }

    fn finish(&mut self) {
        self.end_property();
        // What goes on behind the end of a game, or lacks its `(`, lacks no `)`.
        self.frames.retain(|frame| self.trees[frame.tree as usize].opened);
        let missing = ")".repeat(self.frames.len());
        let end = self.text.len() as u32;
        if self.unclosed_value {
            // The value took every `)` with it: one cause.
            if let Some(value) = self.values.last().copied() {
                let open = Span::new(value.start, value.start + 1);
                let fix = Fix::new(
                    "close it at the end of the text",
                    "在文本末尾补上",
                    TextEdit::insert(end, format!("]{missing}")),
                );
                self.findings.push(
                    Finding::new(Code::UnclosedValue, open, "this `[` is never closed", "这个 `[` 没有对应的 `]`")
                        .with_fix(fix),
                );
            }
        } else if let Some(frame) = self.frames.last() {
            let open = self.trees[frame.tree as usize].open;
            let (count, s) = (missing.len(), if missing.len() == 1 { "" } else { "s" });
            let finding = Finding::new(
                Code::UnclosedTree,
                Span::new(open, open + 1),
                format!("this tree is never closed; {count} `)` missing at the end"),
                format!("这里的 `(` 没有对应的 `)`；末尾缺少 {count} 个"),
            );
            let fix = Fix::new(
                format!("add {count} bracket{s} at the end"),
                format!("在末尾补上 {count} 个 `)`"),
                TextEdit::insert(end, missing),
            );
            self.findings.push(finding.with_fix(fix.safe()));
        } else if self.games.is_empty() {
            self.findings = Findings::default();
            self.say(
                Code::NoGame,
                Span::at(0),
                "no game: an SGF document starts with `(;`",
                "没有棋局：SGF 文本以 `(;` 开头",
            );
        }
        self.wrap_nodes_behind_variations();
    }

    /// A node behind variations is read as a variation: so it may be written as one.
    fn wrap_nodes_behind_variations(&mut self) {
        for (index, tree, start) in std::mem::take(&mut self.behind) {
            let close = self.trees[tree as usize].close;
            if close != NONE
                && let Some(finding) = self.findings.get_mut(index)
            {
                let open = TextEdit::insert(start, "(");
                let fix = Fix::new("make it a variation", "写成变化", open).and(TextEdit::insert(close, ")"));
                finding.fix = Some(fix.safe());
            }
        }
    }
}

fn remove_text(span: Span) -> Fix {
    Fix::new("remove this text", "删除这段文字", TextEdit::replace(span, ""))
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
