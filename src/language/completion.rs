//! What can be typed at a place: names of properties, and values.

use crate::sgf::props::{KNOWN, KnownProperty, Place, ValueType};
use crate::sgf::value::trim;
use crate::sgf::{NodeId, Property, Record, Span, TextEdit, Value};

use super::Locale;
use super::candidates::{Candidate, points, words};
use super::meaning::line;
use super::place::{moves, place, type_of};

/// What an item inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// A property.
    Property,
    /// A point of the board, or a pass.
    Point,
    /// A value of a list.
    Value,
    /// A whole new record.
    Record,
}

/// Something that can be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it inserts.
    pub kind: ItemKind,
    /// What is shown.
    pub label: String,
    /// What it is, in a few words.
    pub detail: String,
    /// What a client compares with what has been typed; the label when `None`.
    pub filter: Option<String>,
    /// The change of the text.
    pub edit: TextEdit,
    /// Where the cursor goes, in bytes from the start of the new text.
    pub caret: usize,
    /// Items are shown by rank, then in this order.
    pub rank: u8,
}

/// What can be typed at an offset. Works while the text is broken: a value that is not closed
/// yet gets its `]`.
pub fn completion(record: &Record, offset: u32, locale: Locale) -> Vec<Item> {
    let Some(before) = record.text().get(..offset as usize) else { return Vec::new() };
    if record.node_count() == 0 {
        return new_record(record, locale);
    }
    let Some(place) = place(record, offset) else { return Vec::new() };
    if let (Some(property), Some(value)) = (place.property, place.value)
        && is_inside(value, offset)
    {
        return values(record, place.node, property, value, offset, locale);
    }
    let typed = before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count() as u32;
    let start = offset - typed;
    if takes_property(record, place.node, start) {
        names(record, place.node, Span::new(start, offset), locale)
    } else {
        Vec::new()
    }
}

/// Whether an offset is between the brackets of a value.
fn is_inside(value: Value<'_>, offset: u32) -> bool {
    value.span().start < offset && offset <= value.raw_span().end
}

fn new_record(record: &Record, locale: Locale) -> Vec<Item> {
    let text = trim(record.text());
    let text = text.trim_matches(['\u{feff}', '(', ';', ')']);
    if !text.is_empty() {
        return Vec::new();
    }
    let new = "(;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]PB[]PW[])";
    let whole = Span::new(0, record.text().len() as u32);
    vec![Item {
        kind: ItemKind::Record,
        label: locale.pick("new game", "新棋局").to_owned(),
        detail: new.to_owned(),
        filter: Some(record.text().to_owned()),
        edit: TextEdit::replace(whole, new),
        caret: new.find("PB[").map_or(0, |at| at + 3),
        rank: 0,
    }]
}

/// Whether a name at `start` would belong to the node.
fn takes_property(record: &Record, node: NodeId, start: u32) -> bool {
    let span = record.node(node).span;
    let behind = Span::new(span.end.min(start), start).slice(record.text());
    span.start < start && !behind.contains(['(', ')'])
}

fn names(record: &Record, node: NodeId, typed: Span, locale: Locale) -> Vec<Item> {
    let text = record.text();
    let prefix = typed.slice(text).to_ascii_uppercase();
    let rest = text.get(typed.end as usize..).unwrap_or_default();
    let more = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let has_value = rest.get(more..).is_some_and(|rest| rest.starts_with('['));
    let span = Span::new(typed.start, typed.end + more as u32);
    let about = Node::new(record, node, span);
    let known = KNOWN.iter().filter(|known| known.ident.starts_with(&prefix) && is_written(known));
    let mut items: Vec<Item> = known
        .filter_map(|known| {
            let rank = about.rank(known)?;
            let new_text = if has_value { known.ident.to_owned() } else { format!("{}[]", known.ident) };
            let inside = !has_value && known.values != ValueType::None;
            Some(Item {
                kind: ItemKind::Property,
                label: known.ident.to_owned(),
                detail: line(known, locale),
                filter: None,
                caret: new_text.len() - usize::from(inside),
                edit: TextEdit::replace(span, new_text),
                rank,
            })
        })
        .collect();
    items.sort_by_key(|item| item.rank);
    items
}

/// Whether people write a property: what FF\[4\] has, and the values of Sabaki and kifud.
fn is_written(known: &KnownProperty) -> bool {
    known.in_format(4) || known.by == "Sabaki"
}

/// What decides which properties fit a node.
struct Node<'r> {
    is_root: bool,
    has_move: bool,
    has_setup: bool,
    present: Vec<std::borrow::Cow<'r, str>>,
    to_play: &'static str,
}

impl<'r> Node<'r> {
    /// `typed` is the name that is being written, and does not count.
    fn new(record: &'r Record, node: NodeId, typed: Span) -> Node<'r> {
        let others = record.properties(node).filter(|property| property.ident_span().start != typed.start);
        let present: Vec<_> = others.map(|property| property.ident()).collect();
        let has = |names: &[&str]| present.iter().any(|ident| names.contains(&ident.as_ref()));
        let before = record.parent(node).unwrap_or(node);
        Node {
            is_root: record.parent(node).is_none(),
            has_move: has(&["B", "W"]) || moves(record, node).any(|(_, value)| !touches(value, typed)),
            has_setup: has(&["AB", "AW", "AE"]),
            to_play: crate::sgf::turn(record, before, None).0.letter(),
            present,
        }
    }

    /// How well a property fits, 0 best; `None` when it does not.
    fn rank(&self, known: &KnownProperty) -> Option<u8> {
        let ident = known.ident;
        if self.present.iter().any(|present| present.as_ref() == ident) {
            return None;
        }
        // Sabaki's come behind the format's own.
        let added = if known.by.is_empty() { 0 } else { 5 };
        self.fit(ident, known.place).map(|rank| rank + added)
    }

    fn fit(&self, ident: &str, place: Place) -> Option<u8> {
        match place {
            Place::Root | Place::GameInfo => self.is_root.then_some(0),
            Place::Any => Some(2),
            Place::Setup => (!self.has_move).then_some(if self.has_setup { 1 } else { 3 }),
            Place::Move if self.has_setup => None,
            Place::Move => match ident {
                "B" | "W" if self.has_move => None,
                "B" | "W" if self.is_root => Some(4),
                "B" | "W" => Some(if ident == self.to_play { 0 } else { 1 }),
                _ => self.has_move.then_some(1),
            },
        }
    }
}

fn touches(value: Value<'_>, typed: Span) -> bool {
    value.span().start <= typed.end + 1 && typed.start <= value.span().end
}

fn values(
    record: &Record,
    node: NodeId,
    property: Property<'_>,
    value: Value<'_>,
    offset: u32,
    locale: Locale,
) -> Vec<Item> {
    let ident = property.ident();
    let raw = value.raw_span();
    let typed = Span::new(raw.start, offset);
    let rest = Span::new(offset, raw.end).slice(record.text());
    // A value that runs on over the next node lacks its `]`.
    let is_whole = value.is_closed() && !rest.contains(['\n', '\r', ';', '(', '[']);
    let (kind, found, start) = match type_of(&property).and_then(|kind| {
        let part = typed.slice(record.text()).rfind(':').map_or(0, |at| at as u32 + 1);
        let has_part = kind != ValueType::Move;
        let start = raw.start + if has_part { part } else { 0 };
        points(record, node, &property, value, kind, part > 0, locale).map(|points| (points, start))
    }) {
        Some((points, start)) => (ItemKind::Point, points, start),
        None => (ItemKind::Value, words(&ident, &property, locale), raw.start),
    };
    let typed = Span::new(start, offset).slice(record.text());
    let is_gtp = kind == ItemKind::Point && spelled_as_gtp(record, node, typed);
    let end = if !is_whole {
        offset
    } else if kind == ItemKind::Point {
        offset + rest.bytes().take_while(u8::is_ascii_alphanumeric).count() as u32
    } else {
        raw.end
    };
    let close = if is_whole { "" } else { "]" };
    let lower = typed.to_lowercase();
    let fits = |found: &Candidate| {
        let name = if is_gtp { &found.other } else { &found.text };
        name.to_lowercase().starts_with(&lower)
    };
    let items = found.into_iter().filter(fits).map(|found| {
        let new_text = format!("{}{close}", found.text);
        let filter = match (is_gtp, found.label.is_empty()) {
            (true, _) => Some(found.other.clone()),
            (false, false) => Some(found.text.clone()),
            _ => None,
        };
        Item {
            kind,
            label: if found.label.is_empty() { found.text.clone() } else { found.label },
            detail: found.detail,
            filter,
            caret: new_text.len(),
            edit: TextEdit::replace(Span::new(start, end), new_text),
            rank: found.rank,
        }
    });
    let mut items: Vec<Item> = items.collect();
    items.sort_by_key(|item| item.rank);
    items
}

/// Whether what is typed starts a vertex such as `Q16`, and not a point of a large board.
fn spelled_as_gtp(record: &Record, node: NodeId, typed: &str) -> bool {
    let size = record.size(node);
    size.width() <= 26 && size.height() <= 26 && typed.starts_with(|letter: char| letter.is_ascii_uppercase())
}

#[cfg(test)]
#[path = "completion_tests.rs"]
mod tests;
