//! Going through a record with the position at hand.

use super::{NodeId, Record};
use crate::xiangqi::{Piece, Position};

/// A place in a record and its position. Going to another node costs the moves in between, so that a
/// whole tree is visited in time that grows with its size, and memory with its depth.
#[derive(Debug, Clone)]
pub struct Walk {
    position: Position,
    at: NodeId,
    /// For each move of the line: what it took, and the count before it.
    undo: Vec<(Option<Piece>, u32)>,
}

impl Walk {
    /// At the start; `None` if the record has no position there.
    pub fn new(record: &Record) -> Option<Walk> {
        Some(Walk { position: record.start.clone()?, at: NodeId::ROOT, undo: Vec::new() })
    }

    /// Where it is.
    pub fn at(&self) -> NodeId {
        self.at
    }

    /// The position there.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Goes to a node of the same record; `None` if it is not of it.
    pub fn go(&mut self, record: &Record, target: NodeId) -> Option<&Position> {
        let ply = |node: NodeId| record.node(node).map(|node| node.ply);
        let mut ahead = Vec::new();
        let mut node = target;
        while node != self.at {
            if ply(node)? > ply(self.at)? {
                ahead.push(node);
                node = record.parent(node)?;
            } else {
                self.back(record)?;
            }
        }
        for node in ahead.into_iter().rev() {
            let played = record.node(node)?.played?;
            self.undo.push((self.position.piece_at(played.to), self.position.halfmove()));
            self.position = self.position.after(played);
            self.at = node;
        }
        Some(&self.position)
    }

    fn back(&mut self, record: &Record) -> Option<()> {
        let played = record.node(self.at)?.played?;
        let (captured, halfmove) = self.undo.pop()?;
        self.position = self.position.before(played, captured, halfmove);
        self.at = record.parent(self.at)?;
        Some(())
    }
}
