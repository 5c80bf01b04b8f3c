//! What stands beside moves: their numbers, and the values stored for them.

use crate::go::Color;
use crate::sgf::{GameKind, NodeId, Record, Span};

use super::Locale;
use super::decode::{lead_text, rounded};
use super::hover::loss;
use super::outline::numbered;
use super::place::moves;
use super::stored::analysis;

/// What a hint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// The number of a move.
    Number,
    /// The win rate after a move, and what the move cost.
    Winrate,
}

/// A few words beside a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// What it says.
    pub kind: HintKind,
    /// Where: a number stands before the move's name, a win rate behind its value.
    pub offset: u32,
    /// What is shown.
    pub label: String,
    /// More, for the pointer.
    pub tooltip: String,
    /// The move's node.
    pub node: NodeId,
}

/// The most hints of one answer.
pub const MAX_HINTS: usize = 10_000;

/// The hints of the moves in a range, by place. Games other than Go have numbers only.
pub fn hints(record: &Record, range: Span, locale: Locale) -> Vec<Hint> {
    let mut found = Vec::new();
    let Some(first) = record.node_at(range.start) else { return found };
    // The number of the last move, for each node from the first one on.
    let mut numbers: Vec<i64> = Vec::new();
    for node in (first.0..record.node_count() as u32).map(NodeId) {
        if record.node(node).span.start >= range.end || found.len() >= MAX_HINTS {
            break;
        }
        let parent = record.parent(node);
        let known = parent.and_then(|parent| parent.0.checked_sub(first.0));
        let before = match (known.and_then(|index| numbers.get(index as usize)), parent) {
            (Some(number), _) => *number,
            (None, Some(parent)) => crate::sgf::move_number(record, parent),
            (None, None) => 0,
        };
        let (number, own) = numbered(record, node, before);
        numbers.push(number);
        if own > 0 {
            of_node(record, node, number, range, locale, &mut found);
        }
    }
    found
}

fn of_node(record: &Record, node: NodeId, number: i64, range: Span, locale: Locale, found: &mut Vec<Hint>) {
    let Some((_, value)) = moves(record, node).last() else { return };
    let property = record.properties(node).rev().find(|property| property.is("B") || property.is("W"));
    let Some(start) = property.map(|property| property.span().start) else { return };
    let end = value.span().end;
    let is_in = |offset: u32| range.start <= offset && offset < range.end.max(range.start + 1);
    if is_in(start) {
        let tooltip = match locale {
            Locale::English => format!("Move {number}"),
            Locale::Chinese => format!("第 {number} 手"),
        };
        found.push(Hint { kind: HintKind::Number, offset: start, label: number.to_string(), tooltip, node });
    }
    if is_in(end.saturating_sub(1)) && value.is_closed() && record.kind(node) == GameKind::Go {
        found.extend(winrate(record, node, end, locale));
    }
}

fn winrate(record: &Record, node: NodeId, offset: u32, locale: Locale) -> Option<Hint> {
    let stored = analysis(record, node)?;
    let rate = stored.winrate.map(|rate| format!("{rate:.1} %"));
    let lead = stored.lead.map(|lead| {
        let letter = if lead < 0.0 { Color::White } else { Color::Black }.letter();
        format!("{letter}+{:.1}", lead.abs())
    });
    let cost = loss(record, node, &stored).and_then(|loss| match (loss.points, loss.winrate) {
        (Some(points), _) if points >= 0.05 => Some(format!("−{points:.1}")),
        (None, Some(rate)) if rate >= 0.05 => Some(format!("−{rate:.1} %")),
        _ => None,
    });
    let label: Vec<String> = [rate, lead, cost].into_iter().flatten().collect();
    let mut tooltip: Vec<String> = Vec::new();
    tooltip.extend(stored.winrate.map(|rate| format!("{} {} %", locale.player(Color::Black), rounded(rate))));
    tooltip.extend(stored.lead.map(|lead| lead_text(lead, locale)));
    tooltip.extend(stored.visits.map(|visits| format!("{visits} {}", locale.pick("visits", "次计算"))));
    (!label.is_empty()).then(|| Hint {
        kind: HintKind::Winrate,
        offset,
        label: label.join(" "),
        tooltip: tooltip.join(", "),
        node,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, range: Span) -> String {
        let mut shown = text.to_owned();
        for hint in hints(&Record::parse(text), range, Locale::English).iter().rev() {
            shown.insert_str(hint.offset as usize, &format!("<{}>", hint.label));
        }
        shown
    }

    #[test]
    fn beside_the_moves() {
        let text = "(;SBKV[50]SBKS[0];B[aa]SBKV[45]SBKS[-1.5];W[bb]SBKV[40];C[x](;B[cc])(;MN[9]B[dd];W[ee]))";
        assert_eq!(
            shown(text, Span::new(0, 1000)),
            "(;SBKV[50]SBKS[0];<1>B[aa]<45.0 % B+1.5 −1.5>SBKV[45]SBKS[-1.5];<2>W[bb]<40.0 %>SBKV[40];C[x](;<3>B[cc])(;MN[9]<9>B[dd];<10>W[ee]))"
                .replace("B+1.5", "W+1.5")
        );
        let at = text.find("B[cc]").unwrap() as u32;
        assert!(shown(text, Span::new(at, at + 30)).contains("(;<3>B[cc])(;MN[9]<9>B[dd];<10>W[ee]))"));
        assert_eq!(hints(&Record::parse(text), Span::new(at, at + 1), Locale::Chinese)[0].tooltip, "第 3 手");
    }

    proptest! {
        #[test]
        fn a_range_is_a_part(text in "(;B\\[aa\\]|;W\\[\\]SBKV\\[5\\]|\\(|\\)|;C\\[棋\\]|MN\\[7\\]){0,30}", start in 0u32..60, length in 1u32..60) {
            let record = Record::parse(text.as_str());
            let whole = hints(&record, Span::new(0, text.len() as u32 + 1), Locale::English);
            prop_assert!(whole.windows(2).all(|pair| pair[0].offset <= pair[1].offset));
            for hint in hints(&record, Span::new(start, start + length), Locale::English) {
                prop_assert!(text.is_char_boundary(hint.offset as usize));
                prop_assert!(whole.contains(&hint), "{hint:?}");
            }
        }
    }
}
