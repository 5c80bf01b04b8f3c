//! The position at a node: everything that happened on the way from the root, in order.
//!
//! Within one node set-up comes first and moves come second, each in the order of the record.
//! FF\[4\] forbids to mix them; where files do, the set-up is a handicap or a correction made
//! for the move.

use crate::go::{Color, Move, Point, Position, Size, Step, Stones};

use super::info::{GameKind, Komi};
use super::value::{self, simple_text};
use super::{NodeId, Property, Record, Span};

/// Why a node has no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The tree records another game than Go, or none that is known.
    #[error("GM[{0}] is not Go; only the structure of such a record is known")]
    UnsupportedGame(String),
    /// The node is not in the record.
    #[error("the record has no such node")]
    UnknownNode,
    /// The set-up on the way sums up to more points than any real record has.
    #[error("the set-up on the way to this node covers more than {MAX_SETUP} points")]
    TooMuchSetup,
}

/// The most points that all set-up on the way to a node may cover: rectangles of a few bytes
/// cover thousands each.
pub const MAX_SETUP: usize = 4_000_000;

/// Places that are named for skipped values, at most.
const MAX_SKIPPED: usize = 1000;

/// Why it is this player's turn; see [`turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Turn {
    /// `PL` says so.
    Stated,
    /// The next node is a move of this player.
    NextMove,
    /// The other player has made the last move.
    LastMove,
    /// Nobody has moved, and Black has handicap stones.
    Handicap,
    /// Nobody has moved: Black begins.
    Opening,
}

/// The position at a node and where its parts come from.
#[derive(Debug, Clone, PartialEq)]
pub struct NodePosition {
    /// The position.
    pub position: Position,
    /// Why it is this player's turn.
    pub turn: Turn,
    /// Where its komi comes from.
    pub komi: Komi,
    /// Moves and stones that were left out because they are not on the board or not
    /// readable; at most 1000 of them.
    pub skipped: Vec<Span>,
}

/// The position after a node. See [`turn`] for who moves next.
pub fn position(record: &Record, node: NodeId) -> Result<NodePosition, PositionError> {
    position_towards(record, node, None)
}

/// The position after a node for somebody who is about to follow the child `chosen`.
pub fn position_towards(
    record: &Record,
    node: NodeId,
    chosen: Option<NodeId>,
) -> Result<NodePosition, PositionError> {
    if record.data(node).is_none() {
        return Err(PositionError::UnknownNode);
    }
    if let GameKind::Other(kind) = record.kind(node) {
        return Err(PositionError::UnsupportedGame(kind));
    }
    let mut walk =
        Walk { size: record.size(node), steps: Vec::new(), setup: 0, skipped: Vec::new(), rules: None };
    for node in record.line(node) {
        walk.enter(record, node)?;
    }
    let komi = record.komi(node);
    let rules = walk.rules.map(|ru| simple_text(ru.first_raw()).trim().to_owned());
    let (to_play, turn) = turn(record, node, chosen);
    let position = Position {
        size: walk.size,
        komi: komi.points,
        rules: rules.filter(|rules| !rules.is_empty()),
        steps: walk.steps,
        to_play,
    };
    Ok(NodePosition { position, turn, komi, skipped: walk.skipped })
}

struct Walk<'r> {
    size: Size,
    steps: Vec<Step>,
    setup: usize,
    skipped: Vec<Span>,
    rules: Option<Property<'r>>,
}

impl<'r> Walk<'r> {
    fn enter(&mut self, record: &'r Record, node: NodeId) -> Result<(), PositionError> {
        let mut stones = Stones::new();
        for property in record.properties(node) {
            match property.ident().as_ref() {
                "AB" => self.put(property, Some(Color::Black), &mut stones)?,
                "AW" => self.put(property, Some(Color::White), &mut stones)?,
                "AE" => self.put(property, None, &mut stones)?,
                "RU" => self.rules = Some(property),
                _ => {}
            }
        }
        if !stones.is_empty() {
            self.steps.push(Step::Setup(stones));
        }
        for (color, property) in movers(record, node) {
            match value::vertex(property.first_raw(), self.size) {
                Ok(vertex) => self.steps.push(Step::Play(Move { color, vertex })),
                Err(_) => self.skip(property.span()),
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        property: Property<'_>,
        stone: Option<Color>,
        stones: &mut Stones,
    ) -> Result<(), PositionError> {
        for value in property.values() {
            let Ok(rectangle) = value::rectangle(value.raw(), self.size) else {
                self.skip(value.span());
                continue;
            };
            self.setup += rectangle.area();
            if self.setup > MAX_SETUP {
                return Err(PositionError::TooMuchSetup);
            }
            stones.extend(rectangle.points().map(|point| (point, stone)));
        }
        Ok(())
    }

    fn skip(&mut self, span: Span) {
        if self.skipped.len() < MAX_SKIPPED {
            self.skipped.push(span);
        }
    }
}

/// The moves of a node in the order of the record: its `B` and `W` properties that have a value.
pub(super) fn movers(record: &Record, node: NodeId) -> impl Iterator<Item = (Color, Property<'_>)> {
    record.properties(node).filter_map(|property| {
        let color = match property.ident().as_ref() {
            "B" => Color::Black,
            "W" => Color::White,
            _ => return None,
        };
        property.values().next().map(|_| (color, property))
    })
}

/// Who moves after a node, and why. The first of these that answers:
///
/// 1. `PL`, of the node or of the nearest one before it that no move has followed (the last
///    readable one when a node has several);
/// 2. the colour of the next move: of `chosen` when it is a move, else of the first child
///    that is one;
/// 3. the opponent of who moved last, passes and moves off the board included;
/// 4. White when Black has a handicap: `HA` is 2 or more, or the root sets up two or more
///    black stones and no white one;
/// 5. Black.
pub fn turn(record: &Record, node: NodeId, chosen: Option<NodeId>) -> (Color, Turn) {
    let mut last_mover = None;
    let mut root = node;
    for node in std::iter::successors(Some(node), |node| record.parent(*node)) {
        root = node;
        let stated = record.values_of(node, "PL").filter_map(|pl| value::color(pl.raw()).ok()).last();
        if let Some(color) = stated {
            return (color, Turn::Stated);
        }
        last_mover = movers(record, node).last().map(|(color, _)| color);
        if last_mover.is_some() {
            break;
        }
    }
    let mut next = chosen.into_iter().chain(record.children(node));
    let next_mover = next.find_map(|child| movers(record, child).next());
    if let Some((color, _)) = next_mover {
        return (color, Turn::NextMove);
    }
    if let Some(color) = last_mover {
        return (color.opponent(), Turn::LastMove);
    }
    if has_handicap(record, root) {
        return (Color::White, Turn::Handicap);
    }
    (Color::Black, Turn::Opening)
}

fn has_handicap(record: &Record, root: NodeId) -> bool {
    let stated = record.property(root, "HA").and_then(|ha| value::number(ha.first_raw()).ok());
    if stated.is_some_and(|stones| stones >= 2) {
        return true;
    }
    if record.property(root, "AW").is_some() {
        return false;
    }
    let size = record.size(root);
    let stones = record.values_of(root, "AB").filter_map(|ab| value::rectangle(ab.raw(), size).ok());
    let mut first: Option<Point> = None;
    stones.flat_map(|rectangle| rectangle.points()).any(|point| point != *first.get_or_insert(point))
}

#[cfg(test)]
mod tests {
    use crate::go::Vertex;

    use super::*;

    fn at(text: &str, node: u32) -> NodePosition {
        position(&Record::parse(text), NodeId(node)).unwrap()
    }

    /// Steps in short: `B:cc`, `W:pass`, `+Baa`, `-bb`.
    fn steps(text: &str, node: u32) -> String {
        let letter = |point| value::point_text(point).unwrap();
        let mut shown = Vec::new();
        for step in at(text, node).position.steps {
            match step {
                Step::Setup(stones) => {
                    let stones = stones.into_iter().map(|(point, stone)| match stone {
                        Some(color) => format!("+{}{}", color.letter(), letter(point)),
                        None => format!("-{}", letter(point)),
                    });
                    shown.push(stones.collect::<String>());
                }
                Step::Play(Move { color, vertex: Vertex::Pass }) => {
                    shown.push(format!("{}:pass", color.letter()))
                }
                Step::Play(Move { color, vertex: Vertex::At(point) }) => {
                    shown.push(format!("{}:{}", color.letter(), letter(point)));
                }
            }
        }
        shown.join(" ")
    }

    #[test]
    fn steps_in_game_order() {
        let text = "(;SZ[9]AB[aa:ba]AW[cc];B[dd](;W[ee];B[];W[tt])(;W[ff]))";
        assert_eq!(steps(text, 0), "+Baa+Bba+Wcc");
        assert_eq!(steps(text, 4), "+Baa+Bba+Wcc B:dd W:ee B:pass W:pass");
        assert_eq!(steps(text, 5), "+Baa+Bba+Wcc B:dd W:ff");
        assert_eq!(steps("(;SZ[19]HA[2]AB[dd]AB[pp];W[pd])", 1), "+Bdd+Bpp W:pd");
        assert_eq!(steps("(;AE[aa]AB[aa]AE[aa])", 0), "-aa+Baa-aa");
    }

    #[test]
    fn a_node_with_setup_and_moves_does_both() {
        assert_eq!(steps("(;B[aa]AE[bb]W[cc])", 0), "-bb B:aa W:cc");
        assert_eq!(steps("(;B;Black[aa];B[bb][cc])", 2), "B:aa B:bb");
    }

    #[test]
    fn what_is_off_the_board_is_left_out_and_named() {
        let text = "(;SZ[9]AB[aa][zz];B[jj];W[ee])";
        assert_eq!(steps(text, 2), "+Baa W:ee");
        let skipped: Vec<_> = at(text, 2).skipped.into_iter().map(|span| span.slice(text)).collect();
        assert_eq!(skipped, ["[zz]", "B[jj]"]);
    }

    #[test]
    fn who_moves_next() {
        use Color::*;
        let cases = [
            ("(;SZ[19])", 0, Black, Turn::Opening),
            ("(;SZ[19]AB[dd][pp]AW[pd][dp](;W[fc])(;B[fc]))", 0, White, Turn::NextMove),
            ("(;AB[aa]PL[W])", 0, White, Turn::Stated),
            ("(;HA[2]AB[dd][pp])", 0, White, Turn::Handicap),
            ("(;HA[2])", 0, White, Turn::Handicap),
            ("(;HA[1])", 0, Black, Turn::Opening),
            ("(;AB[dd][pp])", 0, White, Turn::Handicap),
            ("(;AB[dd:ee])", 0, White, Turn::Handicap),
            ("(;AB[dd][dd])", 0, Black, Turn::Opening),
            ("(;AB[dd][pp]AW[aa])", 0, Black, Turn::Opening),
            ("(;HA[2]AB[dd][pp];B[aa])", 0, Black, Turn::NextMove),
            ("(;B[aa])", 0, White, Turn::LastMove),
            ("(;B[aa];C[x])", 1, White, Turn::LastMove),
            ("(;B[aa];B[bb])", 0, Black, Turn::NextMove),
            ("(;B[aa];C[x](;C[y])(;B[cc]))", 1, Black, Turn::NextMove),
            ("(;PL[W];C[x];C[y])", 2, White, Turn::Stated),
            ("(;PL[W];W[aa])", 1, Black, Turn::LastMove),
            ("(;PL[W];W[aa];W[bb])", 1, White, Turn::NextMove),
            ("(;B[aa]PL[B])", 0, Black, Turn::Stated),
            ("(;PL[?])", 0, Black, Turn::Opening),
            ("(;SZ[9];B[zz])", 1, White, Turn::LastMove),
        ];
        for (text, node, color, reason) in cases {
            assert_eq!(turn(&Record::parse(text), NodeId(node), None), (color, reason), "{text}");
        }
        let record = Record::parse("(;SZ[19]AB[dd][pp]AW[pd][dp](;W[fc])(;B[fc]))");
        assert_eq!(turn(&record, NodeId(0), Some(NodeId(2))), (Black, Turn::NextMove));
    }

    #[test]
    fn komi_and_rules_come_along() {
        let found = at("(;KM[375]AP[foxwq]RU[ Chinese ];B[aa])", 1);
        assert_eq!(found.position.komi, Some(7.5));
        assert_eq!(found.position.rules.as_deref(), Some("Chinese"));
        let empty = at("(;KM[]RU[])", 0).position;
        assert_eq!((empty.komi, empty.rules), (None, None));
    }

    #[test]
    fn other_games_have_no_position() {
        for kind in ["2", "11", "xiangqi"] {
            let record = Record::parse(format!("(;GM[{kind}];B[a1-b2])"));
            let error = position(&record, NodeId(1)).unwrap_err();
            assert_eq!(error, PositionError::UnsupportedGame(kind.to_owned()));
        }
        let record = Record::parse("(;GM[]SZ[9])");
        assert_eq!(position(&record, NodeId(0)).unwrap().position.size, Size::square(9).unwrap());
        assert_eq!(position(&record, NodeId(7)), Err(PositionError::UnknownNode));
    }

    #[test]
    fn a_long_line_has_all_its_steps() {
        let record = Record::parse(format!("(;SZ[19]{})", ";B[aa];W[]".repeat(50_000)));
        assert_eq!(position(&record, NodeId(100_000)).unwrap().position.steps.len(), 100_000);
    }

    #[test]
    fn setup_without_end_is_refused() {
        let record = Record::parse(format!("(;SZ[52]AB{})", "[aa:ZZ]".repeat(2000)));
        assert_eq!(position(&record, NodeId(0)), Err(PositionError::TooMuchSetup));
    }
}
