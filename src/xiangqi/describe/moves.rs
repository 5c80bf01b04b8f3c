//! The legal moves of a description.

use crate::xiangqi::notation::{Entry, catalog};
use crate::xiangqi::position::Position;

/// Captures, checks and others: in this order they are listed.
pub(super) struct Groups([Vec<Listed>; 3]);

const NAMES: [(&str, &str); 3] = [("吃子", "Captures"), ("将军", "Checks"), ("其它", "Others")];

struct Listed {
    entry: Entry,
    check: bool,
}

impl Groups {
    /// The legal moves of a position; a capture that checks is a capture.
    pub fn of(position: &Position) -> Groups {
        let mut groups = Groups(Default::default());
        let [captures, checks, others] = &mut groups.0;
        for entry in catalog(position) {
            let check = position.after(entry.played).is_check();
            let group = match (entry.captured.is_some(), check) {
                (true, _) => &mut *captures,
                (false, true) => &mut *checks,
                (false, false) => &mut *others,
            };
            group.push(Listed { entry, check });
        }
        groups
    }

    /// How many there are in each group.
    pub fn counts(&self) -> [usize; 3] {
        self.0.each_ref().map(Vec::len)
    }

    /// The lines: how many moves there are, then each group that has any, at most `max` moves in all.
    pub fn lines(&self, max: usize, zh: bool) -> Vec<String> {
        let counts = self.counts();
        let mut left = max;
        let mut lines = vec![head(counts.iter().sum(), max, zh)];
        for ((group, count), (name_zh, name)) in self.0.iter().zip(counts).zip(NAMES) {
            let listed: Vec<String> = group.iter().take(left).map(|listed| listed.text(zh)).collect();
            left -= listed.len();
            match (listed.is_empty(), zh) {
                (true, _) => {}
                (false, true) => lines.push(format!("  {name_zh} {count} 种：{}", listed.join("；"))),
                (false, false) => lines.push(format!("  {name} ({count}): {}", listed.join("; "))),
            }
        }
        lines
    }
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

impl Listed {
    /// `h2h9 炮二进七 吃马`.
    fn text(&self, zh: bool) -> String {
        let Entry { iccs, zh: name, captured, .. } = &self.entry;
        let Some(captured) = captured else { return format!("{iccs} {name}") };
        if zh {
            let check = if self.check { "并将军" } else { "" };
            format!("{iccs} {name} 吃{}{check}", captured.name_zh())
        } else {
            let check = if self.check { " with check" } else { "" };
            format!("{iccs} {name} takes {}{check}", captured.kind.name())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, checks and captures of the published perft tables at depth 1.
    #[test]
    fn counts_of_the_published_tables() {
        let cases = [
            (crate::xiangqi::START_FEN, 44, 0, 2),
            ("r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w", 38, 1, 1),
            ("5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w", 25, 3, 2),
            ("CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w", 28, 12, 1),
        ];
        for (fen, moves, checks, captures) in cases {
            let groups = Groups::of(&Position::from_fen(fen).unwrap());
            assert_eq!(groups.counts().iter().sum::<usize>(), moves, "{fen}");
            assert_eq!(groups.counts()[0], captures, "{fen}");
            assert_eq!(groups.0.iter().flatten().filter(|listed| listed.check).count(), checks, "{fen}");
        }
    }
}
