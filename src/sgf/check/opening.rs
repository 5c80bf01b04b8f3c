//! What the beginning of a game says about its handicap.

use super::super::value::{self, number, point_text};
use super::super::{Code, Finding, Fix, NodeId, Property, Span, TextEdit, Words};
use super::game::GameCheck;

impl<'r> GameCheck<'r, '_> {
    /// Compares `HA` with the stones and moves that stand at the beginning.
    pub fn opening(&mut self) {
        let property = self.record.property(self.root, "HA");
        let stated = property.and_then(|ha| number(ha.first_raw()).ok()).filter(|stones| *stones >= 2);
        let count = self.handicap_moves;
        if let (Some(first), Some(last)) = (self.opening.leading.first(), self.opening.leading.last())
            && count > 0
        {
            let (first, last) = (self.record.node(*first).span, self.record.node(*last).span);
            let finding = Finding::new(
                Code::HandicapAsMoves,
                first,
                format!("Black's first {count} moves are taken for handicap stones"),
                format!("黑方最初的 {count} 手视为让子"),
            );
            let fix = self.stones_instead(stated);
            self.sink.push(finding.relating(last, "the last of them", "其中最后一手").with_fix(fix));
            return;
        }
        let [black, white] = self.opening.stones;
        let (Some(ha), Some(stones), true, 0) = (property, stated, self.opening.is_played, white) else {
            return;
        };
        let Some(value) = ha.values().next() else { return };
        if black == 0 {
            self.sink.push(Finding::new(
                Code::HandicapWithoutStones,
                value.span(),
                format!("a handicap of {stones}, but no black stones are set up"),
                format!("写明让 {stones} 子，但没有摆黑子"),
            ));
        } else if black as i64 != stones {
            let finding = Finding::new(
                Code::HandicapMismatch,
                value.span(),
                format!("a handicap of {stones}, but {black} black stones are set up"),
                format!("写明让 {stones} 子，但摆了 {black} 个黑子"),
            );
            let title = (format!("write {black}"), format!("改写为 {black}"));
            let edit = TextEdit::replace(value.raw_span(), black.to_string());
            self.sink.push(finding.with_fix(Fix::new(title.0, title.1, edit)));
        }
    }

    /// Black's leading moves as handicap stones of the root, where nothing else stands in their nodes and the
    /// variations of the game stay as they are.
    fn stones_instead(&self, stated: Option<i64>) -> Option<Fix> {
        let leading = &self.opening.leading;
        let (first, last) = (*leading.first()?, *leading.last()?);
        let mut before = self.root;
        let mut points = String::new();
        for node in leading {
            if self.record.parent(*node) != Some(before) || self.record.children(before).nth(1).is_some() {
                return None;
            }
            points.push_str(&self.only_stone(*node)?);
            before = *node;
        }
        let text = self.record.text();
        let start = self.record.node(first).span.start;
        let end = self.record.properties(last).next_back()?.span().end;
        let gone = Span::new(start, end).slice(text);
        // One stone takes six bytes or more, so that this is no more than a few hundred.
        if !gone.starts_with(';') || gone.contains(['(', ')']) || 2 * leading.len() > self.size.area() {
            return None;
        }
        let count = leading.len();
        let title = (format!("set up {count} handicap stones"), format!("改为摆 {count} 个让子"));
        let (ha, stones) = (self.record.property(self.root, "HA"), format!("AB{points}"));
        let behind = ha.or(self.record.properties(self.root).next_back())?;
        if behind.values().any(|value| !value.is_closed()) || self.stray_behind(self.root, behind) {
            return None;
        }
        let place = behind.span().end;
        let mut edits = Vec::new();
        match (ha.and_then(|ha| ha.values().next()), stated) {
            (Some(value), None) => edits.push(TextEdit::replace(value.raw_span(), count.to_string())),
            (Some(_), Some(_)) => {}
            (None, _) => edits.push(TextEdit::insert(place, format!("HA[{count}]"))),
        }
        edits.push(TextEdit::insert(place, stones));
        edits.push(TextEdit::replace(Span::new(start, end), ""));
        Some(Fix { title: Words::new(title.0, title.1), edits, safe: false })
    }

    /// The value of a node's only property, a move of Black.
    fn only_stone(&self, node: NodeId) -> Option<String> {
        let mut properties = self.record.properties(node);
        let property: Property<'r> = properties.next()?;
        let alone = properties.next().is_none() && property.is("B") && property.values().len() == 1;
        let closed = property.values().all(|value| value.is_closed());
        if !alone || !closed || self.stray_behind(node, property) {
            return None;
        }
        let point = value::point(property.first_raw(), self.size).ok()?;
        Some(format!("[{}]", point_text(point)?))
    }
}
