//! A board as people look at it: stones, last move, ko, markup.

use crate::go::{Board, Point, Size, Vertex};
use crate::sgf::{self, Markup, NodeId, Record};

use super::trace::Trace;

/// What there is to see at a node.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The stones.
    pub board: Board,
    /// The point of the last move, while its stone stands.
    pub last: Option<Point>,
    /// The node's markup.
    pub markup: Markup,
}

/// A board of either game.
#[derive(Debug, Clone)]
pub enum Diagram {
    /// Of Go.
    Go(Scene),
    /// Of xiangqi.
    Xiangqi(super::xiangqi::Scene),
}

impl Diagram {
    /// The board as an SVG image.
    pub fn svg(&self) -> String {
        match self {
            Diagram::Go(scene) => super::svg(scene),
            Diagram::Xiangqi(scene) => super::xiangqi::svg(scene),
        }
    }
}

/// The scene at a node; `None` when its game is not Go.
pub fn scene(record: &Record, node: NodeId) -> Option<Scene> {
    Trace::at(record, node).map(|trace| of_trace(&trace, record, node))
}

/// The scene where a walk stands.
pub(super) fn of_trace(trace: &Trace<'_>, record: &Record, node: NodeId) -> Scene {
    let last = trace.last.and_then(|play| match play.vertex {
        Vertex::At(point) if trace.board.at(point) == Some(play.color) => Some(point),
        _ => None,
    });
    Scene { board: trace.board.clone(), last, markup: sgf::markup(record, node) }
}

/// The handicap points that boards have by custom; none on small and oblong ones.
pub(super) fn is_star(size: Size, point: Point) -> bool {
    let on = |side: u8, at: u8| {
        let edge = if side < 12 { 2 } else { 3 };
        let middle = side % 2 == 1 && at == side / 2;
        side >= 7 && (at == edge || at + 1 + edge == side || (middle && (side > 12 || side == 9)))
    };
    let (col, row) = (on(size.width(), point.col), on(size.height(), point.row));
    // On 9x9 only the middle one of the points between.
    let middle = |side: u8, at: u8| at == side / 2;
    let between = middle(size.width(), point.col) != middle(size.height(), point.row);
    col && row && size.is_square() && !(size.width() < 13 && between)
}
