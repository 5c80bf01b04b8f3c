//! The legal moves of a description.

use crate::xiangqi::catalogue::{Entry, catalogue};
use crate::xiangqi::position::Position;

/// The groups in their order: names, and which moves belong there.
type Group = (&'static str, &'static str, fn(&Entry) -> bool);

const GROUPS: [Group; 3] = [
    ("吃子", "Captures", |entry| entry.captured.is_some()),
    ("将军", "Checks", |entry| entry.captured.is_none() && entry.check),
    ("其它", "Others", |entry| entry.captured.is_none() && !entry.check),
];

/// Captures, then checks, then the others, at most `max` in all.
pub(super) fn lines(position: &Position, max: usize, zh: bool) -> Vec<String> {
    let entries = catalogue(position);
    let total = entries.len();
    let mut left = max;
    let mut lines = vec![head(total, max, zh)];
    for (name_zh, name, belongs) in GROUPS {
        let group: Vec<&Entry> = entries.iter().filter(|entry| belongs(entry)).collect();
        let listed: Vec<String> = group.iter().take(left).map(|entry| text(entry, zh)).collect();
        left -= listed.len();
        let count = group.len();
        match (listed.is_empty(), zh) {
            (true, _) => {}
            (false, true) => lines.push(format!("  {name_zh} {count} 种：{}", listed.join("；"))),
            (false, false) => lines.push(format!("  {name} ({count}): {}", listed.join("; "))),
        }
    }
    lines
}

fn head(total: usize, max: usize, zh: bool) -> String {
    match (total, zh) {
        (0, true) => "合法着法：无".into(),
        (0, false) => "Legal moves: none".into(),
        (_, true) if max == 0 => format!("合法着法共 {total} 种，不列出"),
        (_, false) if max == 0 => format!("Legal moves: {total}, not listed"),
        (_, true) if total > max => {
            format!("合法着法共 {total} 种，按吃子、将军、其它的次序只列出前 {max} 种：")
        }
        (_, false) if total > max => {
            format!("Legal moves: {total}, only the first {max} are listed, captures, checks, others:")
        }
        (_, true) => format!("合法着法共 {total} 种："),
        (_, false) => format!("Legal moves: {total}:"),
    }
}

/// `h2h9 炮二进七 吃马`.
fn text(entry: &Entry, zh: bool) -> String {
    let mut text = format!("{} {}", entry.played, entry.zh);
    if let Some(captured) = entry.captured {
        text += &if zh {
            format!(" 吃{}", captured.name_zh())
        } else {
            format!(" takes {}", captured.kind.name())
        };
        if entry.check {
            text += if zh { "并将军" } else { " with check" };
        }
    }
    text
}
