//! The outline of a document: games, their variations, named nodes.

use std::collections::HashMap;

use crate::sgf::{GameKind, NodeId, Record, Span};

use super::Locale;
use super::place::moves;
use super::words::{shorten, summary};

/// What an outline entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A game of the collection.
    Game,
    /// A line that leaves another one.
    Variation,
    /// A node with a name (`N`).
    NamedNode,
}

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it stands for.
    pub kind: EntryKind,
    /// Players, moves or the node's name; never empty.
    pub name: String,
    /// Result, date, first words of the comment; may be empty.
    pub detail: String,
    /// All of it.
    pub span: Span,
    /// Its first line, inside `span`.
    pub selection: Span,
    /// What is inside it, in the order of the text; nested at most [`MAX_NESTING`] deep.
    pub children: Vec<Entry>,
}

/// Variations of variations are shown inside one another so deep; deeper ones stand beside
/// those of the last level.
pub const MAX_NESTING: usize = 24;

/// The most entries of an outline; what comes later in the text is left out.
pub const MAX_ENTRIES: usize = 20_000;

/// Characters of a comment that are shown.
const WORDS: usize = 40;

/// A line while it is read.
struct Line {
    kind: EntryKind,
    node: NodeId,
    /// The entry that it stands in.
    parent: usize,
    depth: usize,
    /// Numbers of its first and last move.
    first: i64,
    last: i64,
    moves: usize,
    end: u32,
}

/// The outline of a document. The main line of a game or a variation is not nested: only what
/// leaves it is.
pub fn outline(record: &Record, locale: Locale) -> Vec<Entry> {
    let mut lines: Vec<Line> = Vec::new();
    for game in 0..record.games().len() {
        read_game(record, game, &mut lines);
    }
    close(record, &mut lines);
    assemble(record, &lines, locale)
}

/// The lines of one game, in the order of the text.
fn read_game(record: &Record, game: usize, lines: &mut Vec<Line>) {
    // For each node of the game: its line and the number of its last move.
    let mut places: Vec<(usize, i64)> = Vec::new();
    let mut first_children: HashMap<NodeId, NodeId> = HashMap::new();
    let Some(root) = record.game(game).map(|game| game.root) else {
        return;
    };
    for node in record.nodes(game) {
        if lines.len() >= MAX_ENTRIES {
            return;
        }
        let parent = record.parent(node);
        let above = parent.and_then(|parent| places.get((parent.0 - root.0) as usize).copied());
        let goes_on = parent.is_some_and(|parent| *first_children.entry(parent).or_insert(node) == node);
        let (mut line, before) = above.unwrap_or((lines.len(), 0));
        let (number, own) = numbered(record, node, before);
        if !goes_on {
            let (kind, depth) = match above.and_then(|(line, _)| lines.get(line)) {
                Some(outer) => (EntryKind::Variation, outer.depth + 1),
                None => (EntryKind::Game, 0),
            };
            lines.push(Line {
                kind,
                node,
                parent: line,
                depth,
                first: number,
                last: number,
                moves: 0,
                end: record.node(node).span.end,
            });
            line = lines.len() - 1;
        }
        if let Some(line) = lines.get_mut(line) {
            if line.moves == 0 {
                line.first = number;
            }
            line.moves += own;
            line.last = number;
        }
        if parent.is_some() && goes_on && record.property(node, "N").is_some() {
            let depth = lines.get(line).map_or(1, |line| line.depth + 1);
            let end = record.node(node).span.end;
            lines.push(Line {
                kind: EntryKind::NamedNode,
                node,
                parent: line,
                depth,
                first: number,
                last: number,
                moves: own,
                end,
            });
        }
        places.push((line, number));
    }
}

/// The number of a node's last move, and how many moves it has.
pub(super) fn numbered(record: &Record, node: NodeId, before: i64) -> (i64, usize) {
    let own = moves(record, node).count();
    let stated = record.property(node, "MN").and_then(|mn| crate::sgf::value::number(mn.first_raw()).ok());
    (stated.unwrap_or(before.saturating_add(own as i64)), own)
}

/// Lines end where the last line inside them ends, or behind their `)`.
fn close(record: &Record, lines: &mut [Line]) {
    for index in (0..lines.len()).rev() {
        let line = &mut lines[index];
        if line.kind == EntryKind::Variation {
            let tree = record.tree_starting_with(line.node).and_then(|tree| record.tree(tree));
            line.end = line.end.max(tree.map_or(0, |tree| tree.span.end));
        }
        if line.kind == EntryKind::Game {
            let game = record.game(record.node(line.node).game);
            line.end = line.end.max(game.map_or(0, |game| game.span.end));
        }
        let (end, parent) = (line.end, line.parent);
        if parent < index {
            lines[parent].end = lines[parent].end.max(end);
        }
    }
}

fn assemble(record: &Record, lines: &[Line], locale: Locale) -> Vec<Entry> {
    let mut nest = Nest::default();
    lines.iter().for_each(|line| nest.push(line.depth, entry(record, line, locale)));
    nest.finish()
}

/// Entries that come one behind the other, each with its depth, as a tree.
#[derive(Default)]
pub(super) struct Nest {
    done: Vec<Entry>,
    /// The entries that are open, each inside the one before it.
    open: Vec<Entry>,
    count: usize,
}

impl Nest {
    /// How many have come.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The next entry, inside the last one of a smaller depth.
    pub fn push(&mut self, depth: usize, entry: Entry) {
        while self.open.len() > depth.min(MAX_NESTING - 1) {
            self.shut();
        }
        self.open.push(entry);
        self.count += 1;
    }

    /// All of them.
    pub fn finish(mut self) -> Vec<Entry> {
        while !self.open.is_empty() {
            self.shut();
        }
        self.done
    }

    fn shut(&mut self) {
        if let Some(entry) = self.open.pop() {
            match self.open.last_mut() {
                Some(outer) => outer.children.push(entry),
                None => self.done.push(entry),
            }
        }
    }
}

fn entry(record: &Record, line: &Line, locale: Locale) -> Entry {
    let node = record.node(line.node).span;
    let start = match (line.kind, record.tree_starting_with(line.node)) {
        (EntryKind::NamedNode, _) | (_, None) => node.start,
        (_, Some(tree)) => record.tree(tree).map_or(node.start, |tree| tree.span.start),
    };
    let words = |ident| {
        let text = record.property(line.node, ident).map(|property| property.first_raw());
        text.map_or(String::new(), |raw| summary(raw, WORDS))
    };
    let (name, detail) = match line.kind {
        EntryKind::Game => game_words(record, line, locale),
        EntryKind::Variation => (moves_words(line, locale), joined(&[words("N"), words("C")], ": ")),
        EntryKind::NamedNode => (words("N"), joined(&[moves_words(line, locale), words("C")], ": ")),
    };
    let name = if name.is_empty() { moves_words(line, locale) } else { name };
    let span = Span::new(start, line.end.max(node.end));
    Entry {
        kind: line.kind,
        name,
        detail,
        span,
        selection: first_property(record, line.node),
        children: Vec::new(),
    }
}

/// A node's first property, or its `;`.
pub(super) fn first_property(record: &Record, node: NodeId) -> Span {
    let start = record.node(node).span.start;
    let first = record.properties(node).next();
    first.map_or(Span::new(start, start + 1), |property| property.span())
}

pub(super) fn joined(parts: &[String], between: &str) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(between)
}

fn game_words(record: &Record, line: &Line, locale: Locale) -> (String, String) {
    let game = record.node(line.node).game;
    let Some(info) = record.info(game) else {
        return (String::new(), String::new());
    };
    let title = game_title(record, game, locale);
    let kind = match info.kind {
        GameKind::Go => None,
        GameKind::Other(kind) => Some(format!("GM[{kind}]")),
    };
    let count = (line.moves > 0).then(|| moves_words(line, locale));
    let parts = [info.result, info.date, info.event, kind, count].map(Option::unwrap_or_default);
    let parts = parts.map(|part| shorten(&part, WORDS, false));
    (title, joined(&parts, ", "))
}

/// The players of a game, else its name, else its number in the collection.
pub(super) fn game_title(record: &Record, game: usize, locale: Locale) -> String {
    let info = record.info(game);
    let short = |text: &Option<String>| text.as_ref().map(|text| shorten(text, WORDS, false));
    let (black, white) = info.as_ref().map_or((None, None), |info| (short(&info.black), short(&info.white)));
    if black.is_some() || white.is_some() {
        let name = |name: Option<String>| name.unwrap_or_else(|| "?".to_owned());
        return format!("{} – {}", name(black), name(white));
    }
    let named = info.and_then(|info| short(&info.name));
    named.unwrap_or_else(|| format!("{} {}", locale.pick("Game", "对局"), game + 1))
}

/// The numbers of the first and the last move of a line.
pub(super) fn range_words(first: i64, last: i64, locale: Locale) -> String {
    match locale {
        Locale::English if first == last => format!("move {last}"),
        Locale::Chinese if first == last => format!("第 {last} 手"),
        Locale::English => format!("moves {first}–{last}"),
        Locale::Chinese => format!("第 {first}–{last} 手"),
    }
}

fn moves_words(line: &Line, locale: Locale) -> String {
    let (first, last) = (line.first, line.last);
    match (line.moves, locale) {
        (0, Locale::English) => format!("after move {last}"),
        (0, Locale::Chinese) => format!("第 {last} 手之后"),
        (_, _) => range_words(first, last, locale),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, entries: &[Entry], depth: usize, into: &mut String) {
        for entry in entries {
            let indent = "  ".repeat(depth);
            let (all, own) = (entry.span.slice(text), entry.selection.slice(text));
            into.push_str(&format!(
                "{indent}{:?} {} | {} | {all:?} {own:?}\n",
                entry.kind, entry.name, entry.detail
            ));
            shown(text, &entry.children, depth + 1, into);
        }
    }

    fn check(text: &str, locale: Locale, expected: Expect) {
        let mut list = String::new();
        shown(text, &outline(&Record::parse(text), locale), 0, &mut list);
        expected.assert_eq(&list);
    }

    #[test]
    fn games_and_variations() {
        check(
            "(;PB[A]PW[B\\]b]RE[B+3.5]DT[2001-02-03];B[aa];W[bb](;B[cc];W[dd]N[end](;B[ee])(;B[ff]C[why\n not]))(;B[gg]C[x];W[hh]))(;GN[second])(;)",
            Locale::English,
            expect![[r#"
                Game A – B]b | B+3.5, 2001-02-03, moves 1–5 | "(;PB[A]PW[B\\]b]RE[B+3.5]DT[2001-02-03];B[aa];W[bb](;B[cc];W[dd]N[end](;B[ee])(;B[ff]C[why\n not]))(;B[gg]C[x];W[hh]))" "PB[A]"
                  NamedNode end | move 4 | ";W[dd]N[end]" "W[dd]"
                  Variation move 5 | why not | "(;B[ff]C[why\n not])" "B[ff]"
                  Variation moves 3–4 | x | "(;B[gg]C[x];W[hh])" "B[gg]"
                Game second |  | "(;GN[second])" "GN[second]"
                Game Game 3 |  | "(;)" ";"
            "#]],
        );
        check(
            "(;PB[甲];B[aa](;W[bb])(;W[cc];B[dd]))",
            Locale::Chinese,
            expect![[r#"
                Game 甲 – ? | 第 1–2 手 | "(;PB[甲];B[aa](;W[bb])(;W[cc];B[dd]))" "PB[甲]"
                  Variation 第 2–3 手 |  | "(;W[cc];B[dd])" "W[cc]"
            "#]],
        );
        check(
            "(;GM[7];B[aa](;W[bb]);W[cc]",
            Locale::English,
            expect![[r#"
            Game Game 1 | GM[7], moves 1–2 | "(;GM[7];B[aa](;W[bb]);W[cc]" "GM[7]"
              Variation move 2 |  | ";W[cc]" "W[cc]"
        "#]],
        );
        check(
            "(;MN[50]B[aa];W[bb](;B[cc])(;C[no move](;B[dd])(;B[ee];MN[1]B[ff])))",
            Locale::English,
            expect![[r#"
                Game Game 1 | moves 50–52 | "(;MN[50]B[aa];W[bb](;B[cc])(;C[no move](;B[dd])(;B[ee];MN[1]B[ff])))" "MN[50]"
                  Variation move 52 | no move | "(;C[no move](;B[dd])(;B[ee];MN[1]B[ff]))" "C[no move]"
                    Variation moves 52–1 |  | "(;B[ee];MN[1]B[ff])" "B[ee]"
            "#]],
        );
    }

    fn depth(entries: &[Entry]) -> usize {
        entries.iter().map(|entry| 1 + depth(&entry.children)).max().unwrap_or(0)
    }

    #[test]
    fn nesting_is_bounded() {
        let text = format!("(;B[aa]{}{}", "(;W[bb])(;W[cc]".repeat(5000), ")".repeat(5001));
        let found = outline(&Record::parse(text), Locale::English);
        assert_eq!(depth(&found), MAX_NESTING);
    }

    fn well_formed(text: &str, outer: Span, entries: &[Entry]) -> bool {
        entries.iter().all(|entry| {
            outer.start <= entry.span.start
                && entry.span.end <= outer.end
                && entry.span.start <= entry.selection.start
                && entry.selection.end <= entry.span.end
                && text.get(entry.span.range()).is_some()
                && text.get(entry.selection.range()).is_some()
                && !entry.name.is_empty()
                && well_formed(text, entry.span, &entry.children)
        })
    }

    proptest! {
        #[test]
        fn entries_lie_in_one_another(text in "([();\\[\\] BWN棋]|\\(;|;B\\[aa\\]|C\\[|\\)\\(;W\\[bb\\]){0,60}") {
            let found = outline(&Record::parse(text.as_str()), Locale::English);
            prop_assert!(well_formed(&text, Span::new(0, text.len() as u32), &found), "{:?}", found);
        }
    }
}
