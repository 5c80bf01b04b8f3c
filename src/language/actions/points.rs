//! Point lists in their two forms: single points, and rectangles.

use crate::go::{Point, Size};
use crate::sgf::props::ValueType;
use crate::sgf::value::{self, Rectangle, point_text};
use crate::sgf::{Property, Record, Span, TextEdit};

use crate::language::place::type_of;

/// The most points that a list is expanded to.
const MAX_POINTS: usize = 20_000;

/// The rectangles of a list that can be read as a whole.
fn rectangles(record: &Record, property: Property<'_>) -> Option<(Size, Vec<(Span, Rectangle)>)> {
    if !matches!(type_of(&property), Some(ValueType::Points | ValueType::PointsOrNone)) {
        return None;
    }
    let size = record.size(record.node_at(property.ident_span().start)?);
    let mut found = Vec::new();
    let mut points = 0;
    for value in property.values() {
        let rectangle = value::rectangle(value.raw(), size).ok().filter(|_| value.is_closed())?;
        points += rectangle.area();
        if points > MAX_POINTS {
            return None;
        }
        found.push((value.span(), rectangle));
    }
    Some((size, found))
}

/// Replaces each rectangle of a list by its points; values that are single points stay as they
/// are. `None` when there is no rectangle, or a value that cannot be read.
pub fn expand(record: &Record, property: Property<'_>) -> Option<Vec<TextEdit>> {
    let (_, rectangles) = rectangles(record, property)?;
    let edits: Vec<TextEdit> = rectangles
        .into_iter()
        .filter(|(_, rectangle)| rectangle.area() > 1)
        .map(|(span, rectangle)| {
            TextEdit::replace(span, rectangle.points().map(bracketed).collect::<String>())
        })
        .collect();
    (!edits.is_empty()).then_some(edits)
}

/// Writes the points of a list as rectangles. `None` when that takes no fewer values, or when a
/// value cannot be read.
pub fn compress(record: &Record, property: Property<'_>) -> Option<Vec<TextEdit>> {
    let (size, rectangles) = rectangles(record, property)?;
    let mut marked = vec![false; size.area()];
    for point in rectangles.iter().flat_map(|(_, rectangle)| rectangle.points()) {
        marked[size.index(point)] = true;
    }
    let cover = cover(size, marked);
    if cover.len() >= rectangles.len() {
        return None;
    }
    let (first, last) = (rectangles.first()?.0, rectangles.last()?.0);
    let text: String = cover.into_iter().map(written).collect();
    Some(vec![TextEdit::replace(Span::new(first.start, last.end), text)])
}

/// Rectangles without overlap that cover the marked points: each takes as much of its first row
/// as it can, then as many rows.
fn cover(size: Size, mut marked: Vec<bool>) -> Vec<Rectangle> {
    let mut found = Vec::new();
    for from in size.points() {
        if !marked[size.index(from)] {
            continue;
        }
        let mut to = from;
        let row_is_marked = |marked: &[bool], row: u8, to: u8| {
            row < size.height() && (from.col..=to).all(|col| marked[size.index(Point::new(col, row))])
        };
        while to.col + 1 < size.width() && marked[size.index(Point::new(to.col + 1, from.row))] {
            to.col += 1;
        }
        while row_is_marked(&marked, to.row + 1, to.col) {
            to.row += 1;
        }
        let rectangle = Rectangle { from, to };
        for point in rectangle.points() {
            marked[size.index(point)] = false;
        }
        found.push(rectangle);
    }
    found
}

fn bracketed(point: Point) -> String {
    format!("[{}]", point_text(point).unwrap_or_default())
}

fn written(rectangle: Rectangle) -> String {
    let text = |point| point_text(point).unwrap_or_default();
    match rectangle.area() {
        1 => bracketed(rectangle.from),
        _ => format!("[{}:{}]", text(rectangle.from), text(rectangle.to)),
    }
}
