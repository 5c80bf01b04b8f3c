//! A value whose `]` was forgotten: it ends at the next `]`, and has taken the start of the next node.

use super::super::props::{KnownProperty, Place, ValueType, lookup};
use super::super::{Code, Finding, Fix, NodeId, Property, Severity, Span, TextEdit};
use super::game::{GameCheck, Played};
use crate::go::Color;

impl<'r> GameCheck<'r, '_> {
    /// Whether the last value of a property has taken the next node with it; says so.
    pub fn swallows_node(&mut self, node: NodeId, property: Property<'r>, known: &KnownProperty) -> bool {
        let Some(value) = property.values().next_back() else { return false };
        let Some(own) = before_node(value.raw(), known.values) else { return false };
        // Text behind it: a `]` in a quoted game was not escaped, which the syntax has said.
        if self.stray_behind(node, property) {
            return false;
        }
        let (open, start) = (value.span().start, value.raw_span().start);
        let mut finding = Finding::new(
            Code::UnclosedValue,
            Span::new(open, open + 1),
            "this `[` is not closed before the next node, which is read as part of the value",
            "这个 `[` 在下一个节点之前没有闭合；该节点被读作值的一部分",
        );
        finding.severity = Severity::Warning;
        let edit = TextEdit::insert(start + own as u32, "]");
        self.sink.push(finding.with_fix(Fix::new("close it before the node", "在该节点之前补上 `]`", edit)));
        if known.values == ValueType::Move && known.place == Place::Move {
            let color = if known.ident == "B" { Color::Black } else { Color::White };
            self.moves.push(Played { color, vertex: None, span: property.span() });
        }
        true
    }
}

/// How much of a value is its own, where `;`, a known name, `[` and at most two letters follow: on a line of
/// their own, or behind a single point.
fn before_node(raw: &str, kind: ValueType) -> Option<usize> {
    let open = raw.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let named = open.strip_suffix('[').filter(|_| raw.len() - open.len() <= 2)?;
    let before = named.trim_end_matches(|letter: char| letter.is_ascii_uppercase());
    let name = named.get(before.len()..).filter(|name| name.len() <= 2)?;
    let own = before.strip_suffix(';').filter(|_| lookup(name).is_some())?;
    let line = own.trim_end_matches([' ', '\t']);
    let text = own.trim_end_matches([' ', '\t', '\r', '\n']);
    let is_line = line.ends_with(['\n', '\r']);
    let is_point = matches!(kind, ValueType::Move | ValueType::Points | ValueType::PointsOrNone)
        && text.len() <= 2
        && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    // A backslash at the end would hide the new bracket.
    ((is_line || is_point) && !text.ends_with('\\')).then_some(text.len())
}
