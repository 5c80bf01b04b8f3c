//! What a front end shows beside the stones: move numbers, the last move, markup.

use crate::go::{Move, Point, Size};

use super::position::movers;
use super::value::{self, composed, simple_text};
use super::{NodeId, Record};

/// The number of the last move at a node: each `B` and `W` on the way counts, `MN` sets it.
pub fn move_number(record: &Record, node: NodeId) -> i64 {
    let mut count = 0;
    for node in std::iter::successors(Some(node), |node| record.parent(*node)) {
        let stated = record.property(node, "MN").and_then(|mn| value::number(mn.first_raw()).ok());
        if let Some(number) = stated {
            return number.saturating_add(count);
        }
        count += movers(record, node).count() as i64;
    }
    count
}

/// The last move at or before a node that can be read, and the node that has it.
pub fn last_move(record: &Record, node: NodeId) -> Option<(NodeId, Move)> {
    let mut line = std::iter::successors(Some(node), |node| record.parent(*node));
    line.find_map(|node| own_move(record, node).map(|last| (node, last)))
}

/// The last move that stands in a node itself and can be read.
pub fn own_move(record: &Record, node: NodeId) -> Option<Move> {
    let moves = movers(record, node).filter_map(|(color, property)| {
        let vertex = value::vertex(property.first_raw(), record.size(node)).ok()?;
        Some(Move { color, vertex })
    });
    moves.last()
}

/// Points in the order of the record, without repetition.
pub type MarkedPoints = Vec<Point>;

/// The markup of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup {
    /// `TR`
    pub triangles: MarkedPoints,
    /// `SQ`
    pub squares: MarkedPoints,
    /// `CR`
    pub circles: MarkedPoints,
    /// `MA`, crosses
    pub crosses: MarkedPoints,
    /// `SL`
    pub selected: MarkedPoints,
    /// `LB`: at most one text a point, the last one.
    pub labels: Vec<(Point, String)>,
    /// `AR`, from and to
    pub arrows: Vec<(Point, Point)>,
    /// `LN`
    pub lines: Vec<(Point, Point)>,
    /// `TB`
    pub black_territory: MarkedPoints,
    /// `TW`
    pub white_territory: MarkedPoints,
    /// `DD`, inherited from the nearest node before that has it; `DD[]` ends it.
    pub dimmed: MarkedPoints,
    /// `VW`, inherited as `DD`; empty = the whole board.
    pub visible: MarkedPoints,
}

/// The markup of a node. What is not on the board or not readable is left out.
pub fn markup(record: &Record, node: NodeId) -> Markup {
    let size = record.size(node);
    let own = |ident| marked(record.values_of(node, ident).map(|value| value.raw()), size);
    let inherited = |ident| {
        let mut line = std::iter::successors(Some(node), |node| record.parent(*node));
        let near = line.find(|node| record.property(*node, ident).is_some());
        near.map_or_else(Vec::new, |near| {
            marked(record.values_of(near, ident).map(|value| value.raw()), size)
        })
    };
    Markup {
        triangles: own("TR"),
        squares: own("SQ"),
        circles: own("CR"),
        crosses: own("MA"),
        selected: own("SL"),
        labels: labels(record, node, size),
        arrows: pairs(record, node, "AR", size),
        lines: pairs(record, node, "LN", size),
        black_territory: own("TB"),
        white_territory: own("TW"),
        dimmed: inherited("DD"),
        visible: inherited("VW"),
    }
}

/// Rectangles that are opened for one property, at most; more cannot show anything new.
const MAX_RECTANGLES: usize = 10_000;

fn marked<'r>(values: impl Iterator<Item = &'r str>, size: Size) -> MarkedPoints {
    let mut seen = vec![false; size.area()];
    let mut points = Vec::new();
    let rectangles = values.filter_map(|raw| value::rectangle(raw, size).ok());
    for point in rectangles.take(MAX_RECTANGLES).flat_map(|rectangle| rectangle.points()) {
        if let Some(seen) = seen.get_mut(size.index(point))
            && !std::mem::replace(seen, true)
        {
            points.push(point);
        }
    }
    points
}

fn labels(record: &Record, node: NodeId, size: Size) -> Vec<(Point, String)> {
    let mut places: Vec<Option<usize>> = vec![None; size.area()];
    let mut labels: Vec<(Point, String)> = Vec::new();
    for value in record.values_of(node, "LB") {
        let Ok((point, text)) = composed(value.raw()) else { continue };
        let Ok(point) = value::point(point, size) else { continue };
        let text = simple_text(text).into_owned();
        let Some(place) = places.get_mut(size.index(point)) else { continue };
        match place.and_then(|index| labels.get_mut(index)) {
            Some(label) => label.1 = text,
            None => {
                *place = Some(labels.len());
                labels.push((point, text));
            }
        }
    }
    labels
}

fn pairs(record: &Record, node: NodeId, ident: &str, size: Size) -> Vec<(Point, Point)> {
    let pair = |raw| {
        let (from, to) = composed(raw).ok()?;
        Some((value::point(from, size).ok()?, value::point(to, size).ok()?))
    };
    record.values_of(node, ident).filter_map(|value| pair(value.raw())).take(MAX_RECTANGLES).collect()
}

#[cfg(test)]
mod tests {
    use crate::go::{Color, Vertex};

    use super::*;

    #[test]
    fn move_numbers() {
        let record = Record::parse("(;AB[aa];B[bb];C[x];W[];MN[50]B[cc];W[dd]MN[7];B[ee]W[ff])");
        let numbers: Vec<_> = record.nodes(0).map(|node| move_number(&record, node)).collect();
        assert_eq!(numbers, [0, 1, 1, 2, 50, 7, 9]);
    }

    #[test]
    fn the_last_move_is_looked_for_backwards() {
        let record = Record::parse("(;SZ[9];B[aa];C[x];W[zz])");
        let black = Move { color: Color::Black, vertex: Vertex::At(Point::new(0, 0)) };
        assert_eq!(last_move(&record, NodeId(3)), Some((NodeId(1), black)));
        assert_eq!(last_move(&record, NodeId(0)), None);
    }

    #[test]
    fn marks_of_a_node() {
        let record = Record::parse(
            "(;SZ[9]DD[aa:ab]VW[ii];TR[aa][aa]TR[bb:cb]LB[dd:A][dd:B\\:1][zz:x][ee]AR[aa:bb][aa]TB[aa][zz];DD[])",
        );
        let point = |text: &str| value::point(text, Size::STANDARD).unwrap();
        let marks = markup(&record, NodeId(1));
        assert_eq!(marks.triangles, ["aa", "bb", "cb"].map(point));
        assert_eq!(marks.labels, [(point("dd"), "B:1".to_owned())]);
        assert_eq!(marks.arrows, [(point("aa"), point("bb"))]);
        assert_eq!(marks.black_territory, [point("aa")]);
        assert_eq!((marks.dimmed, marks.visible), (vec![point("aa"), point("ab")], vec![point("ii")]));
        assert_eq!(markup(&record, NodeId(2)).dimmed, []);
    }
}
