//! The nodes of a review and what is known of each.

use std::sync::Arc;

use super::critical::Step;
use super::fingerprint::{Fingerprint, fingerprints};
use super::row::{LossUnit, Row};
use crate::go::{Color, Move, Position, Size, Vertex};
use crate::service::documents::Document;
use crate::service::error::{Error, Kind, Result};
use crate::service::positions::{self, Place};
use crate::service::report::{BlackValue, StreamState, tidy};
use crate::service::writeback::{Opinion, Value};
use crate::sgf::{self, Candidate, NodeId};

/// What one search said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finding {
    /// The value of the position.
    pub value: Option<Value>,
    /// The engine's first choice, and how it would go on.
    pub line: Vec<Vertex>,
    /// The value of the position after that choice.
    pub line_value: Option<Value>,
    /// The moves that the engine thought of, as far as they are to be written.
    pub candidates: Vec<Candidate>,
    /// Visits that were spent.
    pub visits: u64,
}

/// What a move lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// How much; negative when it gained.
    pub amount: f64,
    /// Of what.
    pub unit: LossUnit,
}

impl Loss {
    /// What `mover` lost between two positions: points where both have a score, else percent. With the
    /// digits that are shown, so that nobody sees a loss that has reached a bound and is not judged so.
    pub fn between(before: Value, after: Value, mover: Color) -> Loss {
        let (before, after) = (before.for_color(mover), after.for_color(mover));
        match before.score_lead.zip(after.score_lead) {
            Some((before, after)) => Loss { amount: tidy(before - after), unit: LossUnit::Points },
            None => Loss { amount: tidy(before.winrate - after.winrate), unit: LossUnit::Percent },
        }
    }
}

/// What is known of a node's position once it was looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Moves up to and with the node.
    move_number: usize,
    to_play: Color,
    size: Size,
}

impl Seen {
    /// From the position.
    pub fn of(position: &Position) -> Seen {
        Seen { move_number: position.move_number(), to_play: position.to_play, size: position.size }
    }
}

/// One node.
struct Spot {
    id: NodeId,
    fingerprint: Fingerprint,
    /// The node before it, when it is in the review too.
    parent: Option<usize>,
    children: Vec<usize>,
    /// Its own move.
    played: Option<Move>,
    seen: Option<Seen>,
    /// What each pass found; an error when the first found nothing.
    found: [Option<Finding>; 2],
    error: Option<serde_json::Value>,
    /// Its row has been sent.
    sent: bool,
}

impl Spot {
    fn newest(&self) -> Option<&Finding> {
        let [first, second] = &self.found;
        second.as_ref().or(first.as_ref())
    }

    fn resolved(&self) -> bool {
        self.error.is_some() || self.newest().is_some()
    }
}

/// A move with what was better.
#[derive(Debug, Clone, PartialEq)]
pub struct Blunder {
    /// The node before the move.
    pub before: NodeId,
    /// What the move lost.
    pub loss: f64,
    /// What was played.
    pub played: Move,
    /// What the engine would have played for the same side, and how it goes on.
    pub line: Vec<Vertex>,
    /// The value after its first move.
    pub value: Option<Value>,
}

/// All nodes of a review, in the order of the text: every parent stands before its children.
pub struct Nodes {
    /// The record.
    pub document: Arc<Document>,
    spots: Vec<Spot>,
}

impl Nodes {
    /// The main line of a game, or all of it.
    ///
    /// # Errors
    /// `NotFound` when there is no such game, `UnsupportedGame`.
    pub fn of(document: Arc<Document>, game: u32, variations: bool) -> Result<Nodes> {
        let record = document.record()?;
        let found = record.game(game as usize).ok_or_else(|| {
            let message = format!("there is no game {game}; the document holds {}", record.games().len());
            Error::new(Kind::NotFound, message)
        })?;
        let fingerprints = fingerprints(record, game as usize);
        let number = |id: NodeId| (id.0 - found.root.0) as usize;
        let ids: Vec<NodeId> = match variations {
            true => record.nodes(game as usize).collect(),
            false => std::iter::successors(Some(found.root), |node| record.children(*node).next()).collect(),
        };
        let mut places = vec![None; fingerprints.len()];
        let mut spots: Vec<Spot> = Vec::with_capacity(ids.len());
        for (index, id) in ids.into_iter().enumerate() {
            if let Some(place) = places.get_mut(number(id)) {
                *place = Some(index);
            }
            let parent = record.parent(id).and_then(|parent| places.get(number(parent)).copied().flatten());
            if let Some(parent) = parent.and_then(|parent| spots.get_mut(parent)) {
                parent.children.push(index);
            }
            spots.push(Spot {
                id,
                fingerprint: fingerprints.get(number(id)).map_or(0, |(_, fingerprint)| *fingerprint),
                parent,
                children: Vec::new(),
                played: sgf::own_move(record, id),
                seen: None,
                found: [None, None],
                error: None,
                sent: false,
            });
        }
        let nodes = Nodes { document, spots };
        // A record of another game is refused before the stream begins.
        nodes.position(0)?;
        Ok(nodes)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.spots.len()
    }

    /// The size of the game's board.
    pub fn size(&self) -> Size {
        let root = self.spots.first().zip(self.document.record().ok());
        root.map_or(Size::STANDARD, |(spot, record)| record.size(spot.id))
    }

    /// What names a node's position.
    pub fn fingerprint(&self, node: usize) -> Fingerprint {
        self.spots.get(node).map_or(0, |spot| spot.fingerprint)
    }

    /// Where a node stands.
    ///
    /// # Errors
    /// `NotFound` for a number that no node has.
    pub fn place(&self, node: usize) -> Result<Place> {
        let spot = self.spots.get(node).ok_or_else(|| Error::new(Kind::NotFound, "there is no such node"))?;
        self.place_of_id(spot.id)
    }

    /// Where a node of the record stands.
    ///
    /// # Errors
    /// `UnsupportedGame`.
    pub fn place_of_id(&self, id: NodeId) -> Result<Place> {
        let node = positions::address(self.document.record()?, id);
        Ok(Place { document: self.document.clone(), id, node })
    }

    /// A node's position.
    ///
    /// # Errors
    /// Those of [`positions::at`].
    pub fn position(&self, node: usize) -> Result<Position> {
        positions::at(&self.place(node)?)
    }

    /// Notes what a pass found at a node, or why the node has no numbers. Says which rows are news.
    pub fn take(
        &mut self,
        node: usize,
        pass: u8,
        seen: Seen,
        outcome: std::result::Result<Finding, serde_json::Value>,
    ) -> Vec<usize> {
        let Some(spot) = self.spots.get_mut(node) else { return Vec::new() };
        spot.seen = Some(seen);
        match outcome {
            Ok(finding) if pass == 2 => spot.found[1] = Some(finding),
            Ok(finding) => spot.found[0] = Some(finding),
            // The second pass only adds to what is there.
            Err(_) if pass == 2 => return Vec::new(),
            Err(error) => spot.error = Some(error),
        }
        let children = spot.children.clone();
        let news = std::iter::once(node).chain(children);
        news.filter(|node| self.may_be_sent(*node)).collect()
    }

    /// A row waits for the node before it: the loss needs both.
    fn may_be_sent(&self, node: usize) -> bool {
        let Some(spot) = self.spots.get(node) else { return false };
        let parent = spot.parent.and_then(|parent| self.spots.get(parent));
        spot.resolved() && parent.is_none_or(Spot::resolved)
    }

    /// Nodes that have numbers but no row yet, since nobody will look at the node before them.
    pub fn waiting(&self) -> Vec<usize> {
        let waiting = self.spots.iter().enumerate().filter(|(_, spot)| spot.resolved() && !spot.sent);
        waiting.map(|(node, _)| node).collect()
    }

    /// How many nodes have not been looked at.
    pub fn left(&self) -> usize {
        self.spots.iter().filter(|spot| !spot.resolved()).count()
    }

    /// What is newest of every node.
    pub fn opinions(&self) -> impl Iterator<Item = (usize, Opinion)> {
        let opinion = |(node, spot): (usize, &Spot)| {
            let found = spot.newest()?;
            Some((node, Opinion { value: found.value?, candidates: found.candidates.clone() }))
        };
        self.spots.iter().enumerate().filter_map(opinion)
    }

    fn before(&self, spot: &Spot) -> Option<&Spot> {
        spot.parent.and_then(|parent| self.spots.get(parent))
    }

    fn loss(&self, spot: &Spot) -> Option<Loss> {
        let before = self.before(spot)?.newest()?.value?;
        Some(Loss::between(before, spot.newest()?.value?, spot.played?.color))
    }

    /// The steps between nodes as the first pass found them.
    pub fn steps(&self) -> Vec<Step> {
        let first = |spot: &Spot| spot.found[0].as_ref()?.value;
        let step = |(to, spot): (usize, &Spot)| {
            let (before, after) = (first(self.before(spot)?)?, first(spot)?);
            Some(Step {
                from: spot.parent?,
                to,
                loss: spot.played.map(|played| Loss::between(before, after, played.color)),
                swing: after.black.winrate - before.black.winrate,
            })
        };
        self.spots.iter().enumerate().filter_map(step).collect()
    }

    /// Moves that lost something while the engine would have played another one.
    pub fn blunders(&self) -> Vec<Blunder> {
        let blunder = |spot: &Spot| {
            let (before, played) = (self.before(spot)?, spot.played?);
            let better = before.newest()?;
            let first = *better.line.first()?;
            // The engine spoke for whose turn the record says it was.
            let same_side = before.seen.is_some_and(|seen| seen.to_play == played.color);
            (same_side && first != played.vertex).then_some(())?;
            Some(Blunder {
                before: before.id,
                loss: self.loss(spot)?.amount,
                played,
                line: better.line.clone(),
                value: better.line_value,
            })
        };
        self.spots.iter().filter_map(blunder).collect()
    }

    /// The row of a node.
    ///
    /// # Errors
    /// Those of [`Nodes::place`].
    pub fn row(&mut self, node: usize) -> Result<Row> {
        let place = self.place(node)?;
        let mut row = Row { state: StreamState::Running, node: Some(place.node), ..Row::default() };
        let Some(spot) = self.spots.get(node) else { return Ok(row) };
        let size = spot.seen.map_or(Size::STANDARD, |seen| seen.size);
        let mover = spot.played.map(|played| played.color);
        let color = mover.or(spot.seen.map(|seen| seen.to_play)).unwrap_or(Color::Black);
        row.move_number = spot.seen.map(|seen| seen.move_number);
        row.color = Some(color.into());
        row.played = spot.played.map(|played| played.vertex.to_gtp(size));
        row.error = spot.error.clone().filter(|_| spot.newest().is_none());
        if let Some(finding) = spot.newest() {
            row.visits = Some(finding.visits);
            let choice = self.before(spot).and_then(|before| before.newest()?.line.first());
            row.best = choice.filter(|_| spot.played.is_some()).map(|vertex| vertex.to_gtp(size));
            if let Some(value) = finding.value {
                let own = value.for_color(color);
                row.winrate = Some(tidy(own.winrate));
                row.score_lead = own.score_lead.map(tidy);
                row.black = Some(BlackValue {
                    winrate: tidy(value.black.winrate),
                    score_lead: value.black.score_lead.map(tidy),
                });
            }
            let loss = self.loss(spot);
            row.loss = loss.map(|loss| loss.amount);
            row.loss_unit = loss.map(|loss| loss.unit);
        }
        if let Some(spot) = self.spots.get_mut(node) {
            spot.sent = true;
        }
        Ok(row)
    }
}
