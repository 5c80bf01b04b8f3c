//! Ranges of the text that belong together.

use std::collections::HashMap;

use super::super::folding::LineBreaks;
use super::super::{Fold, FoldKind, MAX_FOLDS};
use crate::text::Span;
use crate::xiangqi::record::pgn::{Kind, tokens};
use crate::xiangqi::record::{Form, Game, Games, dhtmlxq};

/// The variations of a game as they stand in its own text: parentheses of PGN, blocks of DhtmlXQ.
pub(super) struct Brackets {
    /// In the order of their starts.
    list: Vec<Span>,
    /// The one that begins with the move at an offset.
    by_move: HashMap<u32, Span>,
}

impl Brackets {
    pub fn of(game: &Game<'_>) -> Brackets {
        match game.form {
            Form::Pgn => Brackets::parentheses(game.text),
            Form::DhtmlXq => Brackets { list: dhtmlxq::spans(game.text).collect(), by_move: HashMap::new() },
        }
    }

    fn parentheses(text: &str) -> Brackets {
        let mut found = Brackets { list: Vec::new(), by_move: HashMap::new() };
        // The place in the list of each that is open, and its first move.
        let mut open: Vec<(usize, Option<u32>)> = Vec::new();
        for token in tokens(text) {
            match token.kind {
                Kind::Open => {
                    open.push((found.list.len(), None));
                    found.list.push(token.span);
                }
                Kind::Word => {
                    if let Some((_, first)) = open.last_mut() {
                        first.get_or_insert(token.span.start);
                    }
                }
                Kind::Close => {
                    let Some((index, first)) = open.pop() else { continue };
                    let Some(span) = found.list.get_mut(index) else { continue };
                    span.end = token.span.end;
                    found.by_move.extend(first.map(|first| (first, *span)));
                }
                _ => {}
            }
        }
        found
    }

    /// The variation that begins with the move at an offset of the game's text.
    pub fn around(&self, first: u32) -> Option<Span> {
        self.by_move.get(&first).copied()
    }
}

/// What stands on more than one line: games, their tags, variations and comments.
pub fn folding(games: &Games) -> Vec<Fold> {
    let mut breaks = LineBreaks::of(games.text());
    let mut folds: Vec<Fold> = Vec::new();
    for game in games.iter() {
        let before = folds.len();
        let mut add = |kind, span: Span| folds.push(Fold { kind, span });
        add(FoldKind::Tree, game.whole());
        if game.form == Form::Pgn {
            add(FoldKind::List, game.tags());
        }
        Brackets::of(&game).list.iter().for_each(|span| add(FoldKind::Tree, game.span(*span)));
        for (_, node) in game.record.nodes() {
            node.comment_spans.iter().for_each(|span| add(FoldKind::Comment, game.span(*span)));
        }
        let mut own = folds.split_off(before);
        own.sort_by_key(|fold| (fold.span.start, std::cmp::Reverse(fold.span.end)));
        own.dedup_by(|later, earlier| later.span == earlier.span);
        folds.extend(own.into_iter().filter(|fold| breaks.inside(fold.span)));
        if folds.len() >= MAX_FOLDS {
            break;
        }
    }
    folds.truncate(MAX_FOLDS);
    folds
}

/// The ranges around an offset: value, move or comment, variations, game, text.
pub fn selection(games: &Games, offset: u32) -> Vec<Span> {
    let offset = offset.min(games.text().len() as u32);
    let mut around: Vec<Span> = Vec::new();
    if let Some(game) = games.at(offset) {
        let own = offset - game.start;
        let record = game.record;
        around.extend(record.tags().iter().map(|tag| tag.span));
        if game.form == Form::Pgn {
            for token in tokens(game.text) {
                if token.span.start > own {
                    break;
                }
                if let Kind::Comment { closed: true } = token.kind {
                    around.push(Span::new(token.span.start + 1, token.span.end - 1));
                }
                if token.kind != Kind::Space {
                    around.push(token.span);
                }
            }
        }
        around.extend(record.nodes().map(|(_, node)| node.span));
        around.extend(record.nodes().flat_map(|(_, node)| &node.comment_spans));
        around.extend(Brackets::of(&game).list);
        around.push(Span::new(record.span().start, record.span().end));
        around.retain(|span| span.start <= own && own <= span.end && !span.is_empty());
        around.iter_mut().for_each(|span| *span = game.span(*span));
        let tags = game.tags();
        if tags.touches(Span::at(offset)) && !tags.is_empty() {
            around.push(tags);
        }
    }
    around.push(Span::new(0, games.text().len() as u32));
    // From the inside out; two that only cross are not both around the offset's thing.
    around.sort_by_key(|span| (span.len(), span.start));
    let mut grown: Vec<Span> = Vec::new();
    for span in around {
        let holds = |last: &Span| span.start <= last.start && last.end <= span.end && span != *last;
        if grown.last().is_none_or(holds) {
            grown.push(span);
        }
    }
    grown
}
