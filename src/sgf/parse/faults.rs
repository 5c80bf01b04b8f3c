//! What does not fit the grammar: how it is read all the same, and what is said about it.

use super::super::Fix;
use super::super::finding::{Finding, Findings};
use super::super::lexer::ident_end;
use super::super::props::{ValueType, lookup};
use super::super::record::normal_ident;
use super::super::result::GameResult;
use super::super::{Code, Span, TextEdit};
use super::super::{date, value};
use super::{Frame, NONE, Parser};
use crate::go::Size;

/// The most properties that are looked at to find the text that they are words of, and its longest length.
const MAX_WORDS: usize = 50;
const MAX_TEXT: usize = 10_000;

impl Parser<'_> {
    pub(super) fn empty_tree(&mut self, span: Span) {
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

    /// A `;` between games: a `)` too many came before it, or its `(` is missing.
    pub(super) fn node_outside(&mut self, span: Span) {
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
        self.push_tree(span.start, NONE);
        self.frames.push(Frame {
            tree: self.trees.len() as u32 - 1,
            tip: ended.map_or(NONE, |frame| frame.tip),
            first: self.nodes.len() as u32,
        });
    }

    /// An empty tree that parts two properties is more than nothing.
    pub(super) fn keep_empty_tree(&mut self) {
        if let Some(last) = self.findings.last_mut().filter(|last| last.code == Code::EmptyTree) {
            last.fix = None;
        }
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

    pub(super) fn without_value(&mut self, ident: Span) {
        if self.follows_stray(ident)
            && let Some(last) = self.findings.last_mut().filter(|last| last.code == Code::StrayText)
        {
            last.span.end = ident.end;
            last.fix = Some(remove_text(last.span));
            self.stray_end = ident.end;
            return;
        }
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

    pub(super) fn stray(&mut self, span: Span) {
        // Pieces that only white space parts have one cause.
        let joins = self.follows_stray(span);
        self.stray_end = span.end;
        if joins && let Some(last) = self.findings.last_mut() {
            last.span.end = span.end;
            if last.code == Code::StrayText {
                last.fix = Some(remove_text(last.span));
            }
            return;
        }
        if let Some(word) = self.word_before(span) {
            let whole = Span::new(word.start, span.end);
            if let Some(last) = self.findings.last_mut() {
                *last = stray_text(whole);
            }
            return;
        }
        let cut =
            self.values.last().copied().filter(|value| {
                span.slice(self.text).ends_with(']') && self.only_space(value.end, span.start)
            });
        let Some(value) = cut else {
            self.findings.push(stray_text(span));
            return;
        };
        let closed = Span::new(value.end - 1, value.end);
        let text = span.slice(self.text);
        let is_doubled = value.slice(self.text).starts_with("[[");
        let known = self.last_name().and_then(|name| lookup(&name));
        let broken = self.broken_text(span.end);
        if broken.is_none() && !is_doubled && known.is_some_and(|known| !may_hold_brackets(known.values)) {
            let finding = Finding::new(Code::StrayText, span, "a `]` too many", "多余的 `]`");
            let raw = Span::new(value.start + 1, value.end - 1).slice(self.text);
            // Words before the `]` may be what is left of something.
            let only = text.bytes().all(|byte| byte == b']');
            let safe = only && known.is_some_and(|known| is_well_formed(known.values, raw));
            let finding = finding.relating(closed, "the value ends here", "值在此结束");
            self.findings.push(finding.with_fix(Fix { safe, ..remove_text(span) }));
            return;
        }
        let finding = Finding::new(
            Code::UnescapedBracket,
            span,
            "the value before this was closed by a `]` that should have been written `\\]`",
            "前面的值被一个本应写作 `\\]` 的 `]` 提前结束",
        );
        let closed = broken.as_ref().and_then(|(closed, _)| closed.first()).copied().unwrap_or(closed);
        let finding = finding.relating(closed, "closed here", "在此结束");
        let escape = |close: Span| TextEdit::insert(close.start, "\\");
        let title = ("write it `\\]`", "改写为 `\\]`");
        let fix = if let Some((closed, safe)) = broken {
            let mut edits = closed.into_iter().map(escape);
            edits.next().map(|first| {
                let fix = edits.fold(Fix::new(title.0, title.1, first), Fix::and);
                Fix { safe, ..fix }
            })
        } else if is_doubled && text == "]" {
            // In `[[dc]]` the brackets were doubled, not forgotten.
            let inner = TextEdit::replace(Span::new(value.start, value.start + 1), "");
            let fix = Fix::new("remove the second pair of brackets", "删除多余的一对括号", inner);
            Some(fix.and(TextEdit::replace(span, "")))
        } else if is_doubled {
            Some(remove_text(span))
        } else {
            let safe = known.is_some_and(|known| is_text(known.values));
            Some(Fix { safe, ..Fix::new(title.0, title.1, escape(closed)) })
        };
        self.findings.push(finding.with_fix(fix));
    }

    /// The name of the last property as FF\[4\] writes it.
    fn last_name(&self) -> Option<String> {
        self.properties.last().map(|property| self.name_at(property.start))
    }

    fn name_at(&self, start: u32) -> String {
        let end = ident_end(self.text.as_bytes(), start as usize);
        normal_ident(self.text.get(start as usize..end).unwrap_or_default()).into_owned()
    }

    /// A text of this node that a `]` has cut, when what follows it up to `end` are words that only look like
    /// properties, as in `C[see [1] and [2]]`: each `]` that should have been escaped, and whether no property
    /// that is known stands between.
    fn broken_text(&self, end: u32) -> Option<(Vec<Span>, bool)> {
        let first = self.nodes.last()?.properties as usize;
        let mut safe = true;
        for (index, property) in self.properties.iter().enumerate().skip(first).rev().take(MAX_WORDS) {
            let known = lookup(&self.name_at(property.start));
            let next = self.properties.get(index + 1).map_or(self.values.len(), |next| next.values as usize);
            if known.is_some_and(|known| is_text(known.values)) {
                let value = self.values.get(property.values as usize..next)?.last()?;
                let closed = inner_closes(self.text.get(value.start as usize..end as usize)?, value.start)?;
                return Some((closed, safe));
            }
            safe &= known.is_none();
        }
        None
    }

    fn only_space(&self, from: u32, to: u32) -> bool {
        self.text.get(from as usize..to as usize).is_some_and(|gap| gap.trim().is_empty())
    }

    fn follows_stray(&self, span: Span) -> bool {
        self.only_space(self.stray_end, span.start)
    }

    /// A word right before stray text that was taken for a property's name: it is part of the text.
    fn word_before(&self, span: Span) -> Option<Span> {
        let last = self.findings.list().last().filter(|_| self.findings.left_out() == 0)?;
        let is_word = last.code == Code::PropertyWithoutValue && self.only_space(last.span.end, span.start);
        is_word.then_some(last.span)
    }

    pub(super) fn outside(&mut self, span: Span) {
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
        self.say(Code::TextOutsideGame, span, "text outside of any game is ignored", "棋局之外的文字被忽略");
    }

    pub(super) fn finish(&mut self) {
        self.end_property();
        // What goes on behind the end of a game, or lacks its `(`, lacks no `)`.
        self.frames.retain(|frame| self.trees[frame.tree as usize].is_opened(self.text));
        let missing = ")".repeat(self.frames.len());
        let is_unclosed = !missing.is_empty();
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
                    Finding::new(
                        Code::UnclosedValue,
                        open,
                        "this `[` is never closed",
                        "这个 `[` 没有对应的 `]`",
                    )
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
        if is_unclosed {
            self.keep_empty_trees();
        }
        self.wrap_nodes_behind_variations();
    }

    /// With brackets missing at the end, those of an empty tree may be others' ones.
    fn keep_empty_trees(&mut self) {
        for index in 0..self.findings.len() {
            if let Some(finding) =
                self.findings.get_mut(index).filter(|finding| finding.code == Code::EmptyTree)
            {
                finding.fix = None;
            }
        }
    }

    /// A node behind variations is read as a variation: so it may be written as one.
    fn wrap_nodes_behind_variations(&mut self) {
        // A node behind the game's end continues what the fix would wrap.
        let sure = !self
            .findings
            .list()
            .iter()
            .any(|other| matches!(other.code, Code::NodeOutsideTree | Code::ExtraClose));
        for (index, tree, open) in std::mem::take(&mut self.behind) {
            let close = self.trees[tree as usize].close;
            if let Some(finding) = self.findings.get_mut(index) {
                let fix = Fix::new("make it a variation", "写成变化", open).and(TextEdit::insert(close, ")"));
                let fix = Fix { safe: sure, ..fix };
                finding.fix = (close != NONE).then_some(fix);
            }
        }
    }
}

fn stray_text(span: Span) -> Finding {
    let (en, zh) = ("text that belongs to no property", "不属于任何属性的文字");
    Finding::new(Code::StrayText, span, en, zh).with_fix(remove_text(span))
}

fn remove_text(span: Span) -> Fix {
    Fix::new("remove this text", "删除这段文字", TextEdit::replace(span, ""))
}

fn is_text(values: ValueType) -> bool {
    matches!(values, ValueType::SimpleText | ValueType::Text)
}

/// Whether values of this type may have a `]` in them.
fn may_hold_brackets(values: ValueType) -> bool {
    is_text(values) || matches!(values, ValueType::Labels | ValueType::Other)
}

/// Whether a value has the form of its type, on the largest board.
fn is_well_formed(values: ValueType, raw: &str) -> bool {
    let Some(size) = Size::square(Size::MAX) else { return false };
    match values {
        ValueType::Number => value::number(raw).is_ok(),
        ValueType::Real | ValueType::Komi => value::real(raw).is_ok(),
        ValueType::Double => value::double(raw).is_ok(),
        ValueType::Color => value::color(raw).is_ok(),
        ValueType::Size => value::size(raw).is_ok(),
        ValueType::Move => value::vertex(raw, size).is_ok(),
        ValueType::Points | ValueType::PointsOrNone => value::rectangle(raw, size).is_ok(),
        ValueType::Result => GameResult::parse(raw).is_some(),
        ValueType::Date => date::is_date_list(value::trim(raw)),
        _ => false,
    }
}

/// In a text from its `[` on: every `]` but the last, when the last one is the first that leaves no `[`
/// open, and a `[` inside the text made the first one come too early.
fn inner_closes(text: &str, start: u32) -> Option<Vec<Span>> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let (mut depth, mut closes) = (0_usize, Vec::new());
    let mut bytes = text.bytes().enumerate();
    while let Some((offset, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' => depth += 1,
            b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (offset + 1 == text.len() && !closes.is_empty()).then_some(closes);
                }
                let at = start + offset as u32;
                closes.push(Span::new(at, at + 1));
            }
            _ => {}
        }
    }
    None
}
