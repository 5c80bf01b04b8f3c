//! Games with their players, and the variations in them.

use super::super::outline::{Nest, joined, range_words};
use super::super::words::shorten;
use super::super::{Entry, EntryKind, Locale, MAX_ENTRIES, MAX_SYMBOLS, Symbol, SymbolKind};
use super::spans::Brackets;
use crate::xiangqi::record::{Form, Game, Games, NodeId, Outcome};

/// Characters of a comment or a tag that are shown.
const WORDS: usize = 40;

/// The outline of a text: its games, in each the variations.
pub fn outline(games: &Games, locale: Locale) -> Vec<Entry> {
    let mut nest = Nest::default();
    for game in games.iter() {
        if nest.count() >= MAX_ENTRIES {
            break;
        }
        nest.push(0, of_game(&game, locale));
        let brackets = Brackets::of(&game);
        for line in lines(&game, MAX_ENTRIES.saturating_sub(nest.count())) {
            nest.push(line.depth, variation(&game, &brackets, &line, locale));
        }
    }
    nest.finish()
}

/// A line that leaves another one.
struct Line {
    first: NodeId,
    last: NodeId,
    depth: usize,
}

/// The lines of a game but the main one, each behind the one it leaves.
fn lines(game: &Game<'_>, most: usize) -> Vec<Line> {
    let record = game.record;
    let mut found = Vec::new();
    let mut waiting: Vec<(NodeId, usize)> = record.children(NodeId::ROOT).take(1).map(|it| (it, 0)).collect();
    while let Some((first, depth)) = waiting.pop() {
        let mut last = first;
        let mut inside = Vec::new();
        let mut at = Some(first);
        while let Some(node) = at {
            last = node;
            let parent = record.parent(node).unwrap_or_default();
            // The first move of a variation is a sibling itself.
            if node != first || depth == 0 {
                inside.extend(record.children(parent).skip(1).take(most).map(|other| (other, depth + 1)));
            }
            at = record.children(node).next();
        }
        waiting.extend(inside.into_iter().rev());
        if depth > 0 {
            found.push(Line { first, last, depth });
        }
        if found.len() >= most {
            break;
        }
    }
    if game.form == Form::DhtmlXq {
        // A branch does not stand inside the one that it leaves.
        found.iter_mut().for_each(|line| line.depth = 1);
        found.sort_by_key(|line| line.first);
    }
    found
}

fn of_game(game: &Game<'_>, locale: Locale) -> Entry {
    let record = game.record;
    let moves = record.main_line().last().and_then(|(id, _)| record.node(*id)).map_or(0, |node| node.ply);
    let count = if moves > 0 { range_words(1, i64::from(moves), locale) } else { String::new() };
    let outcome = match (record.outcome(), locale) {
        (Outcome::Unknown, _) => String::new(),
        (outcome, Locale::English) => outcome.to_pgn().to_owned(),
        (outcome, Locale::Chinese) => outcome.to_zh().to_owned(),
    };
    let tag = |name: &str| record.tag(name).map(|value| shorten(value, WORDS, false)).unwrap_or_default();
    let tags = game.tags();
    Entry {
        kind: EntryKind::Game,
        name: title(game, locale),
        detail: joined(&[outcome, tag("Date"), tag("Event"), count], ", "),
        span: game.whole(),
        selection: if tags.is_empty() { game.span(first_move(game)) } else { tags },
        children: Vec::new(),
    }
}

fn first_move(game: &Game<'_>) -> crate::text::Span {
    let start = crate::text::Span::at(game.record.span().start);
    game.record.node(NodeId(1)).map_or(start, |node| node.span)
}

/// The players, else the title or the event, else the number.
fn title(game: &Game<'_>, locale: Locale) -> String {
    let tag = |name: &str| {
        let value = game.record.tag(name).map(|value| shorten(value, WORDS, false));
        value.filter(|value| !value.is_empty())
    };
    match (tag("Red"), tag("Black")) {
        (None, None) => tag("Title")
            .or(tag("Event"))
            .unwrap_or_else(|| format!("{} {}", locale.pick("Game", "对局"), game.index + 1)),
        (red, black) => {
            let name = |name: Option<String>| name.unwrap_or_else(|| "?".to_owned());
            format!("{} – {}", name(red), name(black))
        }
    }
}

/// `炮8平5, moves 2–5`.
fn variation(game: &Game<'_>, brackets: &Brackets, line: &Line, locale: Locale) -> Entry {
    let record = game.record;
    let node = |id: NodeId| record.node(id);
    let ply = |id: NodeId| i64::from(node(id).map_or(0, |node| node.ply));
    let first = node(line.first);
    let own = first.map(|node| node.span).unwrap_or_default();
    let end = node(line.last)
        .map_or(own.end, |last| last.comment_spans.iter().map(|span| span.end).fold(last.span.end, u32::max));
    let around = brackets.around(own.start);
    let span = around.unwrap_or(crate::text::Span::new(own.start, end.max(own.end)));
    let words = first.map_or(String::new(), |node| shorten(&node.comment, WORDS, false));
    let written = first.map_or("", |node| game.written(node));
    Entry {
        kind: EntryKind::Variation,
        name: joined(
            &[shorten(written, WORDS, false), range_words(ply(line.first), ply(line.last), locale)],
            ", ",
        ),
        detail: words,
        span: game.span(span),
        selection: game.span(own),
        children: Vec::new(),
    }
}

/// Players, teams, events and titles.
pub fn symbols(games: &Games, locale: Locale) -> Vec<Symbol> {
    let mut found = Vec::new();
    for game in games.iter() {
        let container = title(&game, locale);
        for tag in game.record.tags() {
            let kind = match tag.name.as_str() {
                "Red" | "Black" => SymbolKind::Player,
                "RedTeam" | "BlackTeam" => SymbolKind::Team,
                "Event" => SymbolKind::Event,
                "Title" => SymbolKind::Game,
                _ => continue,
            };
            let name = shorten(&tag.value, 100, false);
            if name.is_empty() {
                continue;
            }
            found.push(Symbol { kind, name, container: container.clone(), span: game.span(tag.span) });
            if found.len() >= MAX_SYMBOLS {
                return found;
            }
        }
    }
    found
}
