//! Tokens to a tree. Nothing is refused: what does not fit becomes a finding.

use std::sync::Arc;

use super::finding::{Finding, Findings, Severity};
use super::lexer::{Lexer, Token, TokenKind};
use super::record::{NONE, NodeData, PropertyData, Record, TreeData};
use super::{Span, TextEdit};

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
        let message = format!("too large: only the first {} nodes are read", self.nodes.len());
        self.findings.push(Finding::new("too-large", Severity::Error, rest, message));
        self.in_property = false;
        self.frames.clear();
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.findings.push(Finding::new(code, Severity::Error, span, message));
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
        // `(())` is one finding.
        if let Some(last) = self.findings.last_mut()
            && last.code == "empty-tree"
            && last.span.start > span.start
        {
            last.span = span;
            return;
        }
        let message = "a variation without a node";
        self.findings.push(Finding::new("empty-tree", Severity::Warning, span, message));
    }

    fn semicolon(&mut self, span: Span) {
        if self.frames.is_empty() {
            self.node_outside(span);
        }
        let after_variations = self.frames.last().is_some_and(|frame| {
            frame.tip != NONE && frame.first <= frame.tip && self.last_children[frame.tip as usize] != NONE
        });
        if after_variations {
            self.error(
                "node-after-variations",
                span,
                "a node behind variations; it is read as one more variation",
            );
        }
        self.node(span.start);
    }

    /// A `;` between games: a `)` too many came before it, or its `(` is missing.
    fn node_outside(&mut self, span: Span) {
        let ended = self.ended.take();
        match ended {
            // Two `)` too many are one finding.
            Some(_) if self.findings.last_mut().is_some_and(|last| last.code == "extra-close") => {}
            Some(_) => self.error(
                "node-outside-tree",
                span,
                "a node behind the end of its game; a `)` before it is one too many",
            ),
            None => self.findings.push(
                Finding::new("missing-open", Severity::Error, span, "a game without its `(`")
                    .with_fix(TextEdit::insert(span.start, "(")),
            ),
        }
        self.push_tree(span.start, NONE, false);
        self.frames.push(Frame {
            tree: self.trees.len() as u32 - 1,
            tip: ended.map_or(NONE, |frame| frame.tip),
            first: self.nodes.len() as u32,
        });
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
            self.findings.push(
                Finding::new("missing-semicolon", Severity::Error, span, "a `;` is missing before this")
                    .with_fix(TextEdit::insert(span.start, ";")),
            );
            self.node(span.start);
        }
        self.properties.push(PropertyData { ident: span, values: self.values.len() as u32 });
        self.in_property = true;
    }

    #[inline]
    fn value(&mut self, span: Span) {
        if !self.in_property {
            self.error("value-without-identifier", span, "a value without a property's name before it");
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
            let name = ident.slice(self.text);
            let finding = Finding::new(
                "property-without-value",
                Severity::Error,
                ident,
                format!("{name} has no value; an empty one is written {name}[]"),
            );
            self.findings.push(finding.with_fix(TextEdit::insert(ident.end, "[]")));
        }
    }

    fn stray(&mut self, span: Span) {
        // Pieces that only white space parts have one cause.
        let gap = self.text.get(self.stray_end as usize..span.start as usize);
        let joins = gap.is_some_and(|gap| gap.trim().is_empty());
        self.stray_end = span.end;
        if joins && let Some(last) = self.findings.last_mut() {
            last.span.end = span.end;
            return;
        }
        let cut = self.values.last().copied().filter(|value| {
            let gap = self.text.get(value.end as usize..span.start as usize);
            span.slice(self.text).ends_with(']') && gap.is_some_and(|gap| gap.trim().is_empty())
        });
        let Some(value) = cut else {
            self.error("stray-text", span, "text that belongs to no property");
            return;
        };
        let mut finding = Finding::new(
            "unescaped-bracket",
            Severity::Error,
            span,
            "the value before this was closed by a `]` that should have been written `\\]`",
        );
        // In `[[dc]]` the brackets were doubled, not forgotten.
        if !value.slice(self.text).starts_with("[[") {
            finding.fix = Some(TextEdit::insert(value.end - 1, "\\"));
        }
        self.findings.push(finding);
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
            self.error("extra-close", span, "a `)` too many");
            return;
        }
        self.findings.push(Finding::new(
            "text-outside-game",
            Severity::Hint,
            span,
            "text outside of any game is ignored",
        ));
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
                self.findings.push(
                    Finding::new("unclosed-value", Severity::Error, open, "this `[` is never closed")
                        .with_fix(TextEdit::insert(end, format!("]{missing}"))),
                );
            }
        } else if let Some(frame) = self.frames.last() {
            let open = self.trees[frame.tree as usize].open;
            let message = match missing.len() {
                1 => "this tree is never closed; a `)` is missing at the end".to_owned(),
                count => format!("this tree is never closed; {count} `)` are missing at the end"),
            };
            self.findings.push(
                Finding::new("unclosed-tree", Severity::Error, Span::new(open, open + 1), message)
                    .with_fix(TextEdit::insert(end, missing)),
            );
        } else if self.games.is_empty() {
            let message = "no game: an SGF document starts with `(;`";
            self.findings = Findings::default();
            self.error("no-game", Span::at(0), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::super::{NodeId, apply_edits};
    use super::*;

    /// The tree as a clean file would have it.
    fn shape(record: &Record) -> String {
        record.games().map(|game| format!("({})\n", line(record, game.root))).collect()
    }

    fn line(record: &Record, node: NodeId) -> String {
        let mut shown = String::from(";");
        for property in record.properties(node) {
            shown.push_str(&property.ident());
            property.values().for_each(|value| shown.push_str(&format!("[{}]", value.raw())));
        }
        let children: Vec<String> = record.children(node).map(|child| line(record, child)).collect();
        match children.as_slice() {
            [only] => shown.push_str(only),
            _ => children.iter().for_each(|child| shown.push_str(&format!("({child})"))),
        }
        shown
    }

    fn check(text: &str, expected: Expect) {
        let record = Record::parse(text);
        let mut shown = shape(&record);
        for finding in record.findings() {
            let fix = finding
                .fix
                .as_ref()
                .map(|fix| format!(" -> {:?}", apply_edits(text, std::slice::from_ref(fix))));
            let place = finding.span.slice(text);
            shown.push_str(&format!("{} {place:?}{}\n", finding.code, fix.unwrap_or_default()));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn backslashes_before_a_bracket() {
        let cases = [
            (r"(;C[\];B[aa];W[bb])", 2, r"\];B[aa"),
            (r"(;C[\\];B[aa];W[bb])", 3, r"\\"),
            (r"(;C[\\\];B[aa];W[bb])", 2, r"\\\];B[aa"),
            (r"(;C[\\\\];B[aa];W[bb])", 3, r"\\\\"),
        ];
        for (text, nodes, comment) in cases {
            let record = Record::parse(text);
            assert_eq!(record.node_count(), nodes, "{text}");
            assert_eq!(record.property(NodeId(0), "C").unwrap().first_raw(), comment);
            assert_eq!(record.findings(), []);
        }
    }

    #[test]
    fn variations_nest() {
        check(
            "(;B[ee](;W[ec])(;W[gc];B[cc]))",
            expect![[r#"
            (;B[ee](;W[ec])(;W[gc];B[cc]))
        "#]],
        );
    }

    #[test]
    fn an_unescaped_bracket_costs_one_value() {
        check(
            "(;US[Someone[3d]]KM[6.5];B[pd];W[dp])",
            expect![[r#"
            (;US[Someone[3d]KM[6.5];B[pd];W[dp])
            unescaped-bracket "]" -> "(;US[Someone[3d\\]]KM[6.5];B[pd];W[dp])"
        "#]],
        );
        check(
            "(;B[aa]C[someone [3d?]: hi: there];W[bb])",
            expect![[r#"
            (;B[aa]C[someone [3d?];W[bb])
            unescaped-bracket ": hi: there]" -> "(;B[aa]C[someone [3d?\\]: hi: there];W[bb])"
        "#]],
        );
        check(
            "(;AW[de]\n[[dc]](;B[cg])(;B[mk]))",
            expect![[r#"
            (;AW[de][[dc](;B[cg])(;B[mk]))
            unescaped-bracket "]"
        "#]],
        );
    }

    #[test]
    fn text_around_games() {
        check(
            "Date: 1 Jan (JST)\n(;SiZe[19];Black[aa];)\n-- bye",
            expect![[r#"
            (;SZ[19];B[aa];)
            text-outside-game "Date: 1 Jan (JST)"
            text-outside-game "-- bye"
        "#]],
        );
        check(
            ";;)",
            expect![[r#"
                no-game ""
            "#]],
        );
        check(
            "\u{feff}(;B[aa])\0",
            expect![[r#"
            (;B[aa])
        "#]],
        );
    }

    #[test]
    fn missing_signs() {
        check(
            "(\nTE[cup]KO[7.5]\n;B[qc];W[cq])",
            expect![[r#"
            (;TE[cup]KO[7.5];B[qc];W[cq])
            missing-semicolon "TE" -> "(\n;TE[cup]KO[7.5]\n;B[qc];W[cq])"
        "#]],
        );
        check(
            "(;SZ[19];B[pd](;W[dp];B[dd]",
            expect![[r#"
            (;SZ[19];B[pd];W[dp];B[dd])
            unclosed-tree "(" -> "(;SZ[19];B[pd](;W[dp];B[dd]))"
        "#]],
        );
        check(
            "(;B[aa](;C[never closed;W)",
            expect![[r#"
                (;B[aa];C[never closed;W)])
                unclosed-value "[" -> "(;B[aa](;C[never closed;W)]))"
            "#]],
        );
        check(
            ";GM[1];B[aa])",
            expect![[r#"
            (;GM[1];B[aa])
            missing-open ";" -> "(;GM[1];B[aa])"
        "#]],
        );
        check(
            "(;KO B[aa][];[bb]N)",
            expect![[r#"
            (;KOB[aa][];[bb]N)
            property-without-value "KO" -> "(;KO[] B[aa][];[bb]N)"
            value-without-identifier "[bb]"
            property-without-value "N" -> "(;KO B[aa][];[bb]N[])"
        "#]],
        );
    }

    #[test]
    fn signs_too_many() {
        check(
            "(;B[aa](;W[bb])(;W[cc]);W[dd])",
            expect![[r#"
            (;B[aa](;W[bb])(;W[cc])(;W[dd]))
            node-after-variations ";"
        "#]],
        );
        check(
            "(;B[aa]);W[bb])",
            expect![[r#"
            (;B[aa];W[bb])
            node-outside-tree ";"
        "#]],
        );
        check(
            "(;B[aa]()(()));W[bb])",
            expect![[r#"
                (;B[aa];W[bb])
                empty-tree "()"
                empty-tree "(())"
                node-outside-tree ";"
            "#]],
        );
        check(
            "((;A[1])(;B[2]))",
            expect![[r#"
                (;A[1])
                (;B[2])
                text-outside-game "("
                extra-close ")"
            "#]],
        );
        check(
            "(;a[1](;b[2])C[x])",
            expect![[r#"
            (;A[1](;B[2])(;C[x]))
            missing-semicolon "C" -> "(;a[1](;b[2]);C[x])"
        "#]],
        );
        check(
            "(;A[1])) (;B[1]",
            expect![[r#"
            (;A[1])
            (;B[1])
            extra-close ")"
            unclosed-tree "(" -> "(;A[1])) (;B[1])"
        "#]],
        );
    }

    proptest! {
        #[test]
        fn trees_and_paths_agree(text in "([();\\[\\]\\\\ AB:]|\\(;|;B\\[aa\\]|C\\[){0,30}") {
            let record = Record::parse(text.as_str());
            for finding in record.findings() {
                prop_assert!(finding.span.end as usize <= text.len());
                prop_assert!(text.get(finding.span.range()).is_some());
            }
            for node in (0..record.node_count() as u32).map(NodeId) {
                let span = record.node(node).span;
                prop_assert!(span.end as usize <= text.len());
                prop_assert!(record.parent(node).is_none_or(|parent| parent < node));
                let path = record.path_of(node);
                prop_assert_eq!(record.find(record.node(node).game, &path), Some(node));
                prop_assert_eq!(record.node_at(span.start), Some(node));
            }
        }

        #[test]
        fn any_text_gives_a_record(text in any::<String>()) {
            let record = Record::parse(text.as_str());
            prop_assert_eq!(record.text(), text);
        }
    }

    #[test]
    fn long_and_deep_on_a_small_stack() {
        let work = || {
            let long = Record::parse(format!("({})", ";B[aa];W[]".repeat(50_000)));
            let last = NodeId(99_999);
            assert_eq!(long.path_of(last).steps().len(), 1);
            assert_eq!(long.find(0, &long.path_of(last)), Some(last));
            let deep = Record::parse(format!("{}{}", "(;B[aa]".repeat(10_000), ")".repeat(10_000)));
            assert_eq!((deep.node_count(), deep.findings().len()), (10_000, 0));
            let open = Record::parse("(;B[aa]".repeat(10_000));
            assert_eq!((open.node_count(), open.findings().len()), (10_000, 1));
        };
        std::thread::Builder::new().stack_size(128 << 10).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn nodes_beyond_the_limit_are_reported() {
        let record = Record::parse(format!("({})", ";".repeat(Record::MAX_NODES + 5)));
        assert_eq!(record.node_count(), Record::MAX_NODES);
        let codes: Vec<_> = record.findings().iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["too-large"]);
    }

    #[test]
    fn findings_are_bounded() {
        let record = Record::parse(format!("(;{})", "[a]!".repeat(3000)));
        assert_eq!(record.findings().len(), 1000);
        assert_eq!(record.findings_left_out(), 5000);
    }
}
