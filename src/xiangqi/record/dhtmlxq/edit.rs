//! Changes of a DhtmlXQ text as replacements of ranges.

use super::blocks::{Block, block_name, blocks, escape};
use super::write::{block, digits, write};
use crate::text::{Span, TextEdit};
use crate::xiangqi::Move;
use crate::xiangqi::record::names::Outcome;
use crate::xiangqi::record::pgn::EditError;
use crate::xiangqi::record::{NodeId, Record};

/// The lists of moves of a text.
struct Lists {
    /// For each its number, 0 being the game, its value, and the whole block.
    list: Vec<(u32, Span, Span)>,
    /// The last block of any kind.
    last: Span,
}

impl Lists {
    fn of(text: &str) -> Lists {
        let mut found = Lists { list: Vec::new(), last: Span::at(text.len() as u32) };
        for item in blocks(text) {
            let Block::Value { name, value, span, .. } = item else { continue };
            found.last = span;
            let id = match name.strip_prefix("move_").map(|numbers| numbers.rsplit('_').next()) {
                Some(Some(id)) => id.parse().ok(),
                _ => (name == "movelist").then_some(0),
            };
            found.list.extend(id.map(|id| (id, value, span)));
        }
        found
    }

    /// The list that a move stands in.
    fn holding(&self, place: Span) -> Option<(u32, Span, Span)> {
        let holds = |value: &Span| value.start <= place.start && place.end <= value.end;
        self.list.iter().find(|(_, value, _)| holds(value)).copied()
    }

    /// The number of a branch that there is not yet.
    fn free(&self) -> u32 {
        self.list.iter().map(|(id, ..)| *id).max().unwrap_or(0).saturating_add(1)
    }

    /// A new block behind a place, on a line of its own.
    fn behind(place: Span, text: &str, name: &str, value: &str) -> TextEdit {
        let mut new = String::new();
        block(&mut new, name, value);
        let ends = if text.contains("\r\n") { "\r\n" } else { "\n" };
        TextEdit::insert(place.end, format!("{ends}{}", new.trim_end()))
    }
}

/// Adds a move behind a node of this text that has no such child.
///
/// # Errors
/// [`EditError::UnknownNode`].
pub fn add_move(
    record: &Record,
    text: &str,
    parent: NodeId,
    played: Move,
) -> Result<Vec<TextEdit>, EditError> {
    let lists = Lists::of(text);
    let node = record.node(parent).ok_or(EditError::UnknownNode)?;
    if let Some(next) = record.first_child(parent).and_then(|next| record.node(next)) {
        let (branch, ..) = lists.holding(next.span).ok_or(EditError::UnknownNode)?;
        let name = format!("move_{branch}_{}_{}", next.ply, lists.free());
        let last = lists.list.last().map_or(lists.last, |(.., span)| *span);
        return Ok(vec![Lists::behind(last, text, &name, &digits(played))]);
    }
    let main = lists.list.iter().find(|(id, ..)| *id == 0);
    Ok(vec![match (parent == NodeId::ROOT, main) {
        (true, Some((_, value, _))) => TextEdit::insert(value.start, digits(played)),
        (true, None) => Lists::behind(lists.last, text, "movelist", &digits(played)),
        (false, _) => {
            lists.holding(node.span).ok_or(EditError::UnknownNode)?;
            TextEdit::insert(node.span.end, digits(played))
        }
    }])
}

/// Sets the comment on a node of this text; an empty one goes with its block's value.
///
/// # Errors
/// [`EditError::UnknownNode`].
pub fn set_comment(
    record: &Record,
    text: &str,
    id: NodeId,
    comment: &str,
) -> Result<Vec<TextEdit>, EditError> {
    let node = record.node(id).ok_or(EditError::UnknownNode)?;
    if let Some((first, more)) = node.comment_spans.split_first() {
        let more = more.iter().map(|span| TextEdit::replace(*span, ""));
        let mut edits: Vec<_> =
            std::iter::once(TextEdit::replace(*first, escape(comment))).chain(more).collect();
        edits.sort_by_key(|edit| edit.span.start);
        return Ok(edits);
    }
    if comment.is_empty() {
        return Ok(Vec::new());
    }
    let lists = Lists::of(text);
    let branch = match id {
        NodeId::ROOT => 0,
        _ => lists.holding(node.span).ok_or(EditError::UnknownNode)?.0,
    };
    let name = match branch {
        0 => format!("comment{}", node.ply),
        _ => format!("comment{branch}_{}", node.ply),
    };
    Ok(vec![Lists::behind(lists.last, text, &name, &escape(comment))])
}

/// Sets a piece of information of a game of this text.
///
/// # Errors
/// [`EditError::BadName`] for a name that DhtmlXQ uses for something else.
pub fn set_tag(record: &Record, text: &str, name: &str, value: &str) -> Result<Vec<TextEdit>, EditError> {
    // A name that would lose letters is another one when it is read again.
    let whole = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let own = if name == "Result" { Some("result".to_owned()) } else { block_name(name).filter(|_| whole) };
    let own = own.ok_or_else(|| EditError::BadName(name.chars().take(40).collect()))?;
    let outcome = Outcome::parse(value).filter(|_| name == "Result");
    let value = outcome.map_or_else(|| escape(value), |outcome| outcome.to_zh().to_owned());
    if let Some(tag) = record.tags().iter().find(|tag| tag.name == name && tag.span.start > 0) {
        return Ok(vec![TextEdit::replace(tag.span, value)]);
    }
    let last = record.tags().iter().rev().find(|tag| tag.span.start > 0);
    let holds = |span: &Span| last.is_some_and(|tag| span.start < tag.span.start && tag.span.end < span.end);
    let place = super::spans(text).find(holds).unwrap_or(Lists::of(text).last);
    Ok(vec![Lists::behind(place, text, &own, &value)])
}

/// The blocks of a game written anew, and the range of the text that they take the place of.
pub fn anew(record: &Record, text: &str, wanted: &Record) -> (Span, String) {
    let span = record.span();
    let new = write(wanted);
    let new = new.strip_suffix("[/DhtmlXQ]\n").unwrap_or(&new).trim_end();
    let bare = !span.slice(text).starts_with("[DhtmlXQ]") && !span.slice(text).starts_with("[DhtmlXQi");
    let new = if bare { new.trim_start_matches("[DhtmlXQ]\n") } else { new };
    (span, if text.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() })
}
