//! Changes of a PGN text as replacements of ranges.

use super::lex::{Kind, tokens};
use super::write::{Style, move_text};
use crate::text::{Span, TextEdit};
use crate::xiangqi::record::{NodeId, Record};
use crate::xiangqi::{Illegal, Move, Side};

/// Why a game cannot be edited so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The node is not in the record, or was not read from this text.
    #[error("the record has no such node in its text")]
    UnknownNode,
    /// The start is no position.
    #[error("the game has no position to play from")]
    NoStart,
    /// A move against the rules.
    #[error("{0}")]
    Illegal(Illegal),
    /// A tag's name has other characters than letters, digits and `_`.
    #[error("{0:?} is not a tag's name")]
    BadName(String),
    /// Text in braces cannot hold a `}`, and a tag no line break.
    #[error("{0:?} cannot be written here")]
    BadText(char),
    /// The change cannot be made without touching what could not be read.
    #[error("the text around this place could not be read in full; mend it first")]
    Unsafe,
}

/// Sets a tag of a game of this text: replaces the value, or adds the tag behind the others.
///
/// # Errors
/// [`EditError::BadName`], [`EditError::BadText`].
pub fn set_tag(record: &Record, name: &str, value: &str) -> Result<TextEdit, EditError> {
    if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return Err(EditError::BadName(name.chars().take(40).collect()));
    }
    if let Some(bad) = value.chars().find(|letter| letter.is_control()) {
        return Err(EditError::BadText(bad));
    }
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let stands = |span: &Span| span.start > 0;
    if let Some(tag) = record.tags().iter().find(|tag| tag.name == name && stands(&tag.span)) {
        return Ok(TextEdit::replace(tag.span, value));
    }
    let last = record.tags().iter().rev().find(|tag| stands(&tag.span));
    Ok(match last {
        // Behind the quotation mark and the bracket; a blank between them is rare and stays with both.
        Some(tag) => TextEdit::insert(tag.span.end, format!("\"]\n[{name} \"{value}")),
        None => TextEdit::insert(record.span().start, format!("[{name} \"{value}\"]\n\n")),
    })
}

/// Sets the comment on a move of this text, or on the start. Further pieces of the old comment go away.
///
/// # Errors
/// [`EditError::UnknownNode`], [`EditError::BadText`].
pub fn set_comment(record: &Record, id: NodeId, comment: &str) -> Result<Vec<TextEdit>, EditError> {
    if comment.contains('}') {
        return Err(EditError::BadText('}'));
    }
    let node = record.node(id).ok_or(EditError::UnknownNode)?;
    let text = format!("{{{comment}}}");
    if let Some((first, more)) = node.comment_spans.split_first() {
        let more = more.iter().map(|span| TextEdit::replace(*span, ""));
        return Ok(std::iter::once(TextEdit::replace(*first, text)).chain(more).collect());
    }
    if !node.span.is_empty() {
        return Ok(vec![TextEdit::insert(node.span.end, format!(" {text}"))]);
    }
    let first = record.first_child(NodeId::ROOT).and_then(|first| record.node(first));
    let before =
        first.filter(|first| id == NodeId::ROOT && !first.span.is_empty()).ok_or(EditError::UnknownNode)?;
    // Before the number: only digits and dots stand between it and the move.
    Ok(vec![TextEdit::insert(before.span.start, format!("{text} "))])
}

/// Removes the comment on a node of this text.
///
/// # Errors
/// [`EditError::UnknownNode`].
pub fn remove_comment(record: &Record, id: NodeId) -> Result<Vec<TextEdit>, EditError> {
    let node = record.node(id).ok_or(EditError::UnknownNode)?;
    Ok(node.comment_spans.iter().map(|span| TextEdit::replace(*span, "")).collect())
}

/// Adds a move after a node of this text: at the end of its line, or as a variation of the move that
/// follows it. `text` is the text the record was read from.
///
/// # Errors
/// [`EditError::Illegal`], [`EditError::UnknownNode`], [`EditError::NoStart`].
pub fn add_move(
    record: &Record,
    text: &str,
    parent: NodeId,
    played: Move,
    style: Style,
) -> Result<TextEdit, EditError> {
    let node = record.node(parent).ok_or(EditError::UnknownNode)?;
    let position = record.position(parent).ok_or(EditError::NoStart)?;
    position.play(played).map_err(EditError::Illegal)?;
    let dots = if position.turn() == Side::Red { "." } else { "..." };
    let written = format!("{}{dots} {}", position.fullmove(), move_text(&position, played, style));
    if let Some(next) = record.first_child(parent) {
        // Behind everything that belongs to the move it replaces: comments and other variations.
        let next = record.node(next).filter(|next| !next.span.is_empty()).ok_or(EditError::UnknownNode)?;
        let (at, blank) = behind(text, next.span.end);
        return Ok(TextEdit::insert(at, format!("{blank}({written})")));
    }
    let own = if parent == NodeId::ROOT { node.comment_spans.first().map(|span| span.start) } else { None };
    let Some(end) = own.or((!node.span.is_empty()).then_some(node.span.end)) else {
        let result = record.termination().map(|(_, span)| span.start).filter(|_| parent == NodeId::ROOT);
        return match result {
            Some(at) => Ok(TextEdit::insert(at, format!("{written} "))),
            None if parent == NodeId::ROOT => {
                Ok(TextEdit::insert(record.span().end, format!("\n\n{written}")))
            }
            None => Err(EditError::UnknownNode),
        };
    };
    let (at, blank) = behind(text, end);
    Ok(TextEdit::insert(at, format!("{blank}{written}")))
}

/// Takes a move and all behind it away: a variation with its parentheses, or the rest of a line.
///
/// # Errors
/// [`EditError::UnknownNode`]; [`EditError::Unsafe`] for a move that variations could take the place of.
pub fn remove(record: &Record, text: &str, id: NodeId) -> Result<Vec<TextEdit>, EditError> {
    let node = record.node(id).filter(|node| !node.span.is_empty()).ok_or(EditError::UnknownNode)?;
    let parent = record.parent(id).ok_or(EditError::UnknownNode)?;
    let is_first = record.first_child(parent) == Some(id);
    if is_first && record.children(parent).nth(1).is_some() {
        return Err(EditError::Unsafe);
    }
    // Where the line begins to go: behind what belongs to the move before, or at the parenthesis.
    let mut from = None;
    let mut open: Vec<u32> = Vec::new();
    let mut start = None;
    for token in tokens(text) {
        let span = token.span;
        match (start, token.kind) {
            (_, Kind::Space) => continue,
            (None, _) if span.start == node.span.start => {
                start = Some(match (is_first, open.pop()) {
                    (false, Some(open)) => open,
                    (true, _) => from.unwrap_or(span.start),
                    (false, None) => return Err(EditError::Unsafe),
                });
                open.clear();
            }
            (_, Kind::Open) => open.push(span.start),
            (None, Kind::Close) => drop(open.pop()),
            (None, Kind::Number) => {
                from.get_or_insert(span.start);
                continue;
            }
            (None, Kind::Tag { .. }) => continue,
            (Some(start), Kind::Close) if open.pop().is_none() => {
                let end = if is_first { span.start } else { span.end };
                return Ok(vec![TextEdit::replace(gap(text, start, end), "")]);
            }
            (Some(start), Kind::Tag { .. }) => {
                return Ok(vec![TextEdit::replace(gap(text, start, span.start), "")]);
            }
            (Some(start), Kind::Word) if record.termination().is_some_and(|(_, end)| end == span) => {
                return Ok(vec![TextEdit::replace(gap(text, start, span.start), "")]);
            }
            _ => {}
        }
        if start.is_none() {
            from = Some(span.end);
        }
    }
    let start = start.ok_or(EditError::UnknownNode)?;
    Ok(vec![TextEdit::replace(gap(text, start, record.span().end), "")])
}

/// What goes, with the blanks before it, but not those behind it.
fn gap(text: &str, start: u32, end: u32) -> Span {
    let before = text.get(..start as usize).unwrap_or_default().trim_end_matches([' ', '\t']).len() as u32;
    let inside = text.get(start as usize..end as usize).unwrap_or_default();
    let end = start + inside.trim_end().len() as u32;
    Span::new(before.min(end), end)
}

/// The place behind what belongs to a move that ends at `at`: glyphs, comments and variations; and what
/// has to stand between that and more.
fn behind(text: &str, at: u32) -> (u32, &'static str) {
    let rest = text.get(at as usize..).unwrap_or("");
    let (mut end, mut blank, mut depth) = (at, " ", 0_usize);
    for token in tokens(rest) {
        match token.kind {
            Kind::Space => continue,
            Kind::Open => depth += 1,
            Kind::Close if depth > 0 => depth -= 1,
            Kind::Glyph(_) | Kind::Comment { .. } | Kind::LineComment | Kind::Escape => {}
            _ if depth > 0 => {}
            _ => break,
        }
        if depth == 0 {
            end = at + token.span.end;
            blank = if matches!(token.kind, Kind::LineComment | Kind::Escape) { "\n" } else { " " };
        }
    }
    (end, blank)
}
