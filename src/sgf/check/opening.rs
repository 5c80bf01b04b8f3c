//! What the beginning of a game says about its handicap.

use super::super::value::number;
use super::super::{Code, Finding, Fix, TextEdit};
use super::game::GameCheck;

impl GameCheck<'_, '_> {
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
            self.sink.push(finding.relating(last, "the last of them", "其中最后一手"));
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
}
