//! Moves that have to do with one another.

use super::super::{MAX_USES, Target, Use, UseKind};
use crate::text::Span;
use crate::xiangqi::record::{Game, Games, NodeId};
use crate::xiangqi::{Move, Square};

/// The game and the move at an offset.
fn pointed(games: &Games, offset: u32) -> Option<(Game<'_>, NodeId, Move)> {
    let game = games.at(offset)?;
    let id = game.record.node_at(offset - game.start)?;
    let node = game.record.node(id)?;
    let on_it = node.span.touches(Span::at(offset - game.start));
    Some((game, id, node.played.filter(|_| on_it)?))
}

/// For the move at an offset: all moves of its game to the same point, the move that brought what it
/// takes, and the one that takes its piece.
pub fn highlight(games: &Games, offset: u32) -> Vec<Use> {
    let Some((game, id, played)) = pointed(games, offset) else { return Vec::new() };
    let mut uses = to_point(&game, played.to);
    let found = |kind, node: NodeId| {
        let span = game.record.node(node).map(|node| game.span(node.span))?;
        Some(Use { kind, span })
    };
    uses.extend(taken(&game, id, played).and_then(|node| found(UseKind::Captured, node)));
    uses.extend(taker(&game, id, played.to).and_then(|node| found(UseKind::Capture, node)));
    uses.sort_by_key(|found| (found.span.start, found.kind));
    uses.dedup_by(|later, earlier| later.span == earlier.span && later.kind == earlier.kind);
    uses
}

/// All moves of the game to the point of the move at an offset.
pub fn references(games: &Games, offset: u32) -> Vec<Use> {
    pointed(games, offset).map_or_else(Vec::new, |(game, _, played)| to_point(&game, played.to))
}

fn to_point(game: &Game<'_>, point: Square) -> Vec<Use> {
    let there = game.record.nodes().filter(|(_, node)| node.played.is_some_and(|played| played.to == point));
    let mut uses: Vec<Use> = there
        .map(|(_, node)| Use { kind: UseKind::Move, span: game.span(node.span) })
        .take(MAX_USES)
        .collect();
    uses.sort_by_key(|found| found.span.start);
    uses
}

/// The last move before a node that went to a point.
fn last_to(game: &Game<'_>, before: NodeId, point: Square) -> Option<NodeId> {
    let line = std::iter::successors(game.record.parent(before), |id| game.record.parent(*id));
    line.into_iter().find(|id| {
        let node = game.record.node(*id);
        node.and_then(|node| node.played).is_some_and(|played| played.to == point)
    })
}

/// The move that brought the piece that a move takes.
fn taken(game: &Game<'_>, id: NodeId, played: Move) -> Option<NodeId> {
    let before = game.record.position(game.record.parent(id)?)?;
    before.piece_at(played.to)?;
    last_to(game, id, played.to)
}

/// The move of the first continuation that takes the piece that has come to a point.
fn taker(game: &Game<'_>, id: NodeId, mut point: Square) -> Option<NodeId> {
    let next = |id: &NodeId| game.record.children(*id).next();
    for node in std::iter::successors(next(&id), next) {
        let played = game.record.node(node)?.played?;
        match (played.from == point, played.to == point) {
            (true, _) => point = played.to,
            (false, true) => return Some(node),
            (false, false) => {}
        }
    }
    None
}

/// Where the move at an offset comes from: the move that brought what it takes, else the last one of the
/// same piece. From the parenthesis of a variation: the move after which it begins.
pub fn definition(games: &Games, offset: u32) -> Vec<Target> {
    let target = |game: &Game<'_>, id: NodeId| {
        let span = game.node_span(id);
        Target { span, selection: span }
    };
    if games.text().as_bytes().get(offset as usize) == Some(&b'(')
        && let Some(game) = games.at(offset)
    {
        let behind = game.record.nodes().filter(|(_, node)| node.span.start > offset - game.start);
        let first = behind.min_by_key(|(_, node)| node.span.start).map(|(id, _)| id);
        let branching = first.and_then(|first| game.record.parent(first));
        return branching.map(|id| target(&game, id)).into_iter().collect();
    }
    let Some((game, id, played)) = pointed(games, offset) else { return Vec::new() };
    let from = taken(&game, id, played).or_else(|| last_to(&game, id, played.from));
    from.map(|id| target(&game, id)).into_iter().collect()
}
