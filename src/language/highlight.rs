//! Everything in a game that speaks of one point.

use crate::go::Point;
use crate::sgf::props::ValueType;
use crate::sgf::{NodeId, Record, Span, value};

use super::place::{Place, place, point_at, point_parts, span_of, type_of};
use super::trace::{Stone, Trace};

/// What a highlighted place does with the point, or with the move under the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UseKind {
    /// A move there.
    Move,
    /// A set-up there.
    Setup,
    /// A mark there.
    Mark,
    /// A stone that the move under the pointer took.
    Captured,
    /// The move that took the stone under the pointer.
    Capture,
}

/// A place that speaks of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// What it does.
    pub kind: UseKind,
    /// The text that names the point; a rectangle of points as a whole.
    pub span: Span,
}

/// The most places that one answer lists.
pub const MAX_USES: usize = 10_000;

/// What to highlight for the point at an offset: all moves and set-up there in this game, marks
/// there in this node, the stones that this move took, and the move that took this stone.
pub fn highlight(record: &Record, offset: u32) -> Vec<Use> {
    let Some((place, point)) = pointed(record, offset) else { return Vec::new() };
    let mut uses = uses(record, place.node, point, Some(place.node));
    if place.property.is_some_and(|property| property.is("B") || property.is("W")) {
        let stone = |kind, stone: Stone| Use { kind, span: inner(stone.span) };
        if let Some(trace) = Trace::at(record, place.node) {
            uses.extend(trace.taken.iter().map(|taken| stone(UseKind::Captured, *taken)));
            uses.extend(taker(record, trace, point, place.node));
        }
    }
    uses.sort_by_key(|found| (found.span.start, found.kind));
    uses.dedup_by(|later, earlier| later.span == earlier.span && later.kind == earlier.kind);
    uses
}

/// All moves and set-up in this game at the point at an offset, in the order of the text.
pub fn references(record: &Record, offset: u32) -> Vec<Use> {
    let Some((place, point)) = pointed(record, offset) else { return Vec::new() };
    uses(record, place.node, point, None)
}

/// The point that the text at an offset names.
pub(super) fn pointed(record: &Record, offset: u32) -> Option<(Place<'_>, Point)> {
    let mut place = place(record, offset)?;
    if place.value.is_none() {
        // On the name of a move its value is meant.
        let property = place.property.filter(|property| property.is("B") || property.is("W"))?;
        place.value = property.values().next();
    }
    let (point, _) = point_at(record, &place, offset)?;
    let is_go = record.kind(place.node) == crate::sgf::GameKind::Go;
    is_go.then_some((place, point))
}

/// A value without its brackets.
fn inner(span: Span) -> Span {
    Span::new(span.start + 1, span.end.saturating_sub(1).max(span.start + 1))
}

fn uses(record: &Record, node: NodeId, point: Point, marks_in: Option<NodeId>) -> Vec<Use> {
    let mut found = Vec::new();
    let size = record.size(node);
    let game = record.node(node).game;
    let Some(name) = value::point_text(point) else { return found };
    for node in record.nodes(game) {
        for property in record.properties(node) {
            let ident = property.ident();
            let kind = match ident.as_ref() {
                "B" | "W" => UseKind::Move,
                "AB" | "AW" | "AE" => UseKind::Setup,
                _ if marks_in == Some(node) => UseKind::Mark,
                _ => continue,
            };
            for value in property.values() {
                let span = match kind {
                    UseKind::Move => (value::trim(value.raw()) == name).then(|| value.raw_span()),
                    UseKind::Setup => rectangle_with(value.raw(), size, point).then(|| value.raw_span()),
                    _ => type_of(&property)
                        .and_then(|kind| mark(record, kind, value.raw(), &name, size, point)),
                };
                if found.len() >= MAX_USES {
                    return found;
                }
                found.extend(span.map(|span| Use { kind, span }));
            }
        }
    }
    found
}

fn rectangle_with(raw: &str, size: crate::go::Size, point: Point) -> bool {
    let inside = |at: u8, from: u8, to: u8| from <= at && at <= to;
    value::rectangle(raw, size).is_ok_and(|rectangle| {
        inside(point.col, rectangle.from.col, rectangle.to.col)
            && inside(point.row, rectangle.from.row, rectangle.to.row)
    })
}

/// Where a value of markup names the point.
fn mark(
    record: &Record,
    kind: ValueType,
    raw: &str,
    name: &str,
    size: crate::go::Size,
    point: Point,
) -> Option<Span> {
    match kind {
        ValueType::Points | ValueType::PointsOrNone => {
            rectangle_with(raw, size, point).then(|| span_of(record, raw))
        }
        kind => {
            let part = point_parts(kind, raw).into_iter().find(|part| *part == name)?;
            Some(span_of(record, part))
        }
    }
}

/// The move further on in the main line that takes the stone which `node` has placed.
fn taker(record: &Record, mut trace: Trace<'_>, point: Point, node: NodeId) -> Option<Use> {
    let mut here = node;
    while trace.stone(point).is_some_and(|stone| stone.node == node) {
        here = record.children(here).next()?;
        trace.enter(here);
        if trace.taken.iter().any(|stone| stone.node == node) {
            let (_, value) = super::place::moves(record, here).last()?;
            return Some(Use { kind: UseKind::Capture, span: value.raw_span() });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(marked: &str, find: impl Fn(&Record, u32) -> Vec<Use>) -> Vec<String> {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let record = Record::parse(text.as_str());
        let line = |found: Use| {
            format!(
                "{:?} {} in {}",
                found.kind,
                found.span.slice(&text),
                record.node_at(found.span.start).unwrap().0
            )
        };
        find(&record, offset as u32).into_iter().map(line).collect()
    }

    #[test]
    fn moves_at_a_point() {
        let text = "(;SZ[9]AB[aa:bb];W[b|b]TR[bb][cc]LB[bb:x]AR[cc:bb](;B[cc])(;B[ bb]))(;B[bb])";
        assert_eq!(
            shown(text, highlight),
            [
                "Setup aa:bb in 0",
                "Move bb in 1",
                "Mark bb in 1",
                "Mark bb in 1",
                "Mark bb in 1",
                "Move  bb in 3"
            ]
        );
        assert_eq!(shown(text, references), ["Setup aa:bb in 0", "Move bb in 1", "Move  bb in 3"]);
        assert!(shown("(;GM[3]B[b|b])", highlight).is_empty());
        assert!(shown("(;B[|])", highlight).is_empty());
        assert!(shown("(;C[b|b])", references).is_empty());
    }

    #[test]
    fn a_move_and_its_capture() {
        let game = "(;SZ[3];B[aa];W[ba];B[cc];W[ab];B[bb])";
        let on = |place: &str| shown(&game.replacen(place, &format!("|{place}"), 1), highlight);
        assert_eq!(on("aa"), ["Move aa in 1", "Capture ab in 4"]);
        assert_eq!(on("ab"), ["Captured aa in 1", "Move ab in 4"]);
        assert_eq!(on("bb"), ["Move bb in 5"]);
    }
}
