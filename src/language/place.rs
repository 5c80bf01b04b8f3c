//! What stands at an offset of the text.

use crate::go::{Color, Point};
use crate::sgf::props::{ValueType, lookup};
use crate::sgf::value::{composed, point, trim};
use crate::sgf::{NodeId, Property, Record, Span, Value};

/// What an offset touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'r> {
    /// The last node that starts at or before the offset.
    pub node: NodeId,
    /// The property that it touches.
    pub property: Option<Property<'r>>,
    /// The value of that property that it touches.
    pub value: Option<Value<'r>>,
}

/// What stands at an offset. Where two things meet, the one that starts there.
pub(super) fn place(record: &Record, offset: u32) -> Option<Place<'_>> {
    let node = record.node_at(offset)?;
    let mut found = Place { node, property: None, value: None };
    if !record.node(node).span.touches(Span::at(offset)) {
        return Some(found);
    }
    let mut properties = record.properties(node).take_while(|property| property.ident_span().start <= offset);
    found.property = properties.by_ref().filter(|property| property.span().touches(Span::at(offset))).last();
    if let Some(property) = found.property {
        let begun = property.values().take_while(|value| value.span().start <= offset);
        found.value = begun.filter(|value| value.span().touches(Span::at(offset))).last();
    }
    Some(found)
}

/// Where a part of a record's text stands in it.
pub(super) fn span_of(record: &Record, part: &str) -> Span {
    let start = (part.as_ptr() as usize).saturating_sub(record.text().as_ptr() as usize) as u32;
    Span::new(start, start + part.len() as u32)
}

/// The type of a property's values, as far as the property is known.
pub(super) fn type_of(property: &Property<'_>) -> Option<ValueType> {
    lookup(&property.ident()).map(|known| known.values)
}

/// The parts of a value that name points, without white space. A rectangle has two.
pub(super) fn point_parts<'r>(kind: ValueType, raw: &'r str) -> Vec<&'r str> {
    let parts: Vec<&'r str> = match (kind, composed(raw)) {
        (ValueType::Points | ValueType::PointsOrNone | ValueType::PointPairs, Ok((one, other))) => {
            vec![one, other]
        }
        (ValueType::Points | ValueType::PointsOrNone | ValueType::Move, _) => vec![raw],
        (ValueType::Labels, Ok((point, _))) => vec![point],
        _ => Vec::new(),
    };
    parts.into_iter().map(trim).collect()
}

/// The point of the board that the value at a place names at `offset`, and where.
pub(super) fn point_at(record: &Record, place: &Place<'_>, offset: u32) -> Option<(Point, Span)> {
    let kind = type_of(&place.property?)?;
    let size = record.size(place.node);
    let mut parts: Vec<(Point, Span)> = Vec::new();
    for part in point_parts(kind, place.value?.raw()) {
        parts.push((point(part, size).ok()?, span_of(record, part)));
    }
    let touched = parts.iter().find(|(_, span)| offset <= span.end);
    touched.or(parts.last()).copied()
}

/// The moves of a node: its `B` and `W` properties that have a value.
pub(super) fn moves(record: &Record, node: NodeId) -> impl Iterator<Item = (Color, Value<'_>)> {
    record.properties(node).filter_map(|property| {
        let color = match property.ident().as_ref() {
            "B" => Color::Black,
            "W" => Color::White,
            _ => return None,
        };
        property.values().next().map(|value| (color, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_two_things_meet_the_second_counts() {
        let text = "(;B[aa]C[x] ;AB[bb][cc:dd])";
        let record = Record::parse(text);
        let shown = |offset| {
            let place = place(&record, offset).unwrap();
            (
                place.node.0,
                place.property.map_or("", |property| property.written_ident()),
                place.value.map_or("-", |value| value.raw()),
            )
        };
        assert_eq!(shown(0), (0, "", "-"));
        assert_eq!(shown(1), (0, "", "-"));
        assert_eq!(shown(2), (0, "B", "-"));
        assert_eq!(shown(3), (0, "B", "aa"));
        assert_eq!(shown(7), (0, "C", "-"));
        assert_eq!(shown(11), (0, "C", "x"));
        assert_eq!(shown(15), (1, "AB", "bb"));
        assert_eq!(shown(19), (1, "AB", "cc:dd"));
        assert_eq!(shown(27), (1, "", "-"));
    }

    #[test]
    fn a_rectangle_names_two_points() {
        let record = Record::parse("(;AB[cc:dd]LB[aa:b:c]AR[aa: bb ])");
        let at = |offset| {
            let place = place(&record, offset).unwrap();
            point_at(&record, &place, offset).map(|(point, span)| ((point.col, point.row), span.start))
        };
        assert_eq!(at(6), Some(((2, 2), 5)));
        assert_eq!(at(8), Some(((3, 3), 8)));
        assert_eq!(at(18), Some(((0, 0), 14)));
        assert_eq!(at(29), Some(((1, 1), 28)));
        assert_eq!(at(2), None);
    }
}
