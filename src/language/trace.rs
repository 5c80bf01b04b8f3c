//! The board at a node, and for each stone where in the text it was placed.

use crate::go::{Board, Color, Move, Point, Size, Vertex};
use crate::sgf::{GameKind, NodeId, Property, Record, Span, value};

use super::place::moves;

/// The most points that all set-up on the way to a node may cover: rectangles of a few bytes
/// cover thousands each. What comes later is left out.
const MAX_SETUP: usize = 1_000_000;

/// A stone and the value that placed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stone {
    /// Where it stands or stood.
    pub point: Point,
    /// Its colour.
    pub color: Color,
    /// The node that placed it.
    pub node: NodeId,
    /// The value that placed it, with its brackets.
    pub span: Span,
}

/// A walk along a line, node by node.
#[derive(Debug, Clone)]
pub(super) struct Trace<'r> {
    record: &'r Record,
    size: Size,
    /// The board after the last node.
    pub board: Board,
    placed: Vec<Option<Stone>>,
    /// The stones that the last node's moves took, their own in a suicide.
    pub taken: Vec<Stone>,
    /// The last move that can be read.
    pub last: Option<Move>,
    /// The number of the last move, as [`crate::sgf::move_number`] counts.
    pub number: i64,
    setup: usize,
}

impl<'r> Trace<'r> {
    /// The empty board of a node's game; `None` when that is not Go.
    fn new(record: &'r Record, node: NodeId) -> Option<Trace<'r>> {
        (record.kind(node) == GameKind::Go).then(|| {
            let size = record.size(node);
            let placed = vec![None; size.area()];
            let board = Board::new(size);
            Trace { record, size, board, placed, taken: Vec::new(), last: None, number: 0, setup: 0 }
        })
    }

    /// After a node.
    pub fn at(record: &'r Record, node: NodeId) -> Option<Trace<'r>> {
        let mut trace = Trace::new(record, node)?;
        record.line(node).into_iter().for_each(|node| trace.enter(node));
        Some(trace)
    }

    /// Before a node: after the one that it follows, or on the empty board.
    pub fn before(record: &'r Record, node: NodeId) -> Option<Trace<'r>> {
        match record.parent(node) {
            Some(parent) => Trace::at(record, parent),
            None => Trace::new(record, node),
        }
    }

    /// The stone on a point.
    pub fn stone(&self, point: Point) -> Option<Stone> {
        self.placed.get(self.index(point)?).copied().flatten()
    }

    fn index(&self, point: Point) -> Option<usize> {
        self.size.contains(point).then(|| self.size.index(point))
    }

    /// Goes on to a node: its set-up first, then its moves.
    pub fn enter(&mut self, node: NodeId) {
        self.taken.clear();
        let mut stated = None;
        for property in self.record.properties(node) {
            match property.ident().as_ref() {
                "AB" => self.put(node, property, Some(Color::Black)),
                "AW" => self.put(node, property, Some(Color::White)),
                "AE" => self.put(node, property, None),
                "MN" if stated.is_none() => stated = Some(property),
                _ => {}
            }
        }
        for (color, value) in moves(self.record, node) {
            self.number = self.number.saturating_add(1);
            if let Ok(vertex) = value::vertex(value.raw(), self.size) {
                self.play(node, Move { color, vertex }, value.span());
            }
        }
        if let Some(number) = stated.and_then(|mn| value::number(mn.first_raw()).ok()) {
            self.number = number;
        }
    }

    fn put(&mut self, node: NodeId, property: Property<'_>, color: Option<Color>) {
        for value in property.values() {
            let Ok(rectangle) = value::rectangle(value.raw(), self.size) else {
                continue;
            };
            self.setup += rectangle.area();
            if self.setup > MAX_SETUP {
                return;
            }
            for point in rectangle.points() {
                self.board.set(point, color);
                let stone = color.map(|color| Stone { point, color, node, span: value.span() });
                self.place(point, stone);
            }
        }
    }

    fn place(&mut self, point: Point, stone: Option<Stone>) -> Option<Stone> {
        let index = self.index(point)?;
        self.placed.get_mut(index).and_then(|place| std::mem::replace(place, stone))
    }

    fn play(&mut self, node: NodeId, play: Move, span: Span) {
        self.last = Some(play);
        let outcome = self.board.execute(play);
        let Vertex::At(point) = play.vertex else {
            return;
        };
        self.place(point, Some(Stone { point, color: play.color, node, span }));
        for point in outcome.captured {
            let stone = self.place(point, None);
            self.taken.extend(stone);
        }
        if outcome.suicide {
            for place in &mut self.placed {
                if place.is_some_and(|stone| self.board.at(stone.point).is_none()) {
                    self.taken.extend(place.take());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans(text: &str, stones: &[Stone]) -> Vec<String> {
        stones.iter().map(|stone| format!("{:?} {}", stone.node.0, stone.span.slice(text))).collect()
    }

    #[test]
    fn taken_stones_know_who_placed_them() {
        let text = "(;SZ[3]AW[aa:ba];B[ca];B[ab];B[bb])";
        let record = Record::parse(text);
        let trace = Trace::at(&record, NodeId(3)).unwrap();
        assert_eq!(spans(text, &trace.taken), ["0 [aa:ba]", "0 [aa:ba]"]);
        assert_eq!(trace.stone(Point::new(0, 0)), None);
        assert_eq!(trace.number, 3);
        assert!(Trace::at(&Record::parse("(;GM[2])"), NodeId(0)).is_none());
    }

    #[test]
    fn a_suicide_takes_its_own_stones() {
        let text = "(;SZ[2]AB[ab][ba];W[aa])";
        let record = Record::parse(text);
        let trace = Trace::at(&record, NodeId(1)).unwrap();
        assert_eq!(spans(text, &trace.taken), ["1 [aa]"]);
    }

    proptest! {
        #[test]
        fn the_board_is_the_record_s(moves in prop::collection::vec((0u8..3, 0u8..5, 0u8..5), 0..60)) {
            let letter = |at: u8| char::from(b'a' + at);
            let mut text = String::from("(;SZ[5]");
            for (kind, col, row) in moves {
                let name = ["B", "W", "AE"][usize::from(kind)];
                text.push_str(&format!(";{name}[{}{}]", letter(col), letter(row)));
            }
            text.push(')');
            let record = Record::parse(text);
            let last = NodeId(record.node_count() as u32 - 1);
            let trace = Trace::at(&record, last).unwrap();
            let found = crate::sgf::position(&record, last).unwrap();
            prop_assert_eq!(&trace.board, &found.position.board());
            prop_assert_eq!(trace.number, crate::sgf::move_number(&record, last));
            for point in trace.board.size().points() {
                prop_assert_eq!(trace.stone(point).map(|stone| stone.color), trace.board.at(point));
            }
        }
    }
}
