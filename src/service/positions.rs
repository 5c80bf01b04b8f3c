//! From positions on the wire to positions for engines.

use std::sync::Arc;

use super::documents::{self, Document};
use super::error::{Error, Kind, Result};
use super::session::Session;
use super::wire::{Game, Node, NodeRef, PathStep, WirePosition};
use crate::go::{Color, Move, Point, Position, Size, Step, Vertex};
use crate::sgf::line_index::Columns;
use crate::sgf::{self, NodeId, Path, Record};
use crate::xiangqi::record::{self as xiangqi, Game as XiangqiGame};

/// A position and, when it came from a record, where it stands there.
pub struct Target {
    /// What an engine is brought to.
    pub position: Position,
    /// The node it was taken from.
    pub node: Option<Place>,
}

/// A node of a document.
#[derive(Clone)]
pub struct Place {
    /// The document at the moment of the request.
    pub document: Arc<Document>,
    /// The node in it.
    pub id: NodeId,
    /// Its address.
    pub node: Node,
}

/// A node of a game of xiangqi.
#[derive(Clone)]
pub struct XiangqiPlace {
    /// The document at the moment of the request.
    pub document: Arc<Document>,
    /// The game in it.
    pub game: usize,
    /// The node of that game.
    pub id: xiangqi::NodeId,
}

impl XiangqiPlace {
    /// The game.
    ///
    /// # Errors
    /// None for a place that [`find_xiangqi`] has found.
    pub fn game(&self) -> Result<XiangqiGame<'_>> {
        let game = self.document.games()?.game(self.game);
        game.ok_or_else(|| Error::new(Kind::NotFound, "the document holds no such game"))
    }

    /// The address of the node.
    ///
    /// # Errors
    /// As [`XiangqiPlace::game`].
    pub fn node(&self) -> Result<Node> {
        Ok(address_xiangqi(self.game, self.game()?.record.path_of(self.id)))
    }
}

/// The address of a node of xiangqi.
pub fn address_xiangqi(game: usize, path: Vec<(u32, u32)>) -> Node {
    let path = path.into_iter().map(|(child, times)| PathStep { child, times });
    Node { game: game as u32, path: path.collect() }
}

/// The most moves in a position that is spelled out.
const MAX_MOVES: usize = 100_000;

/// Reads a position.
///
/// # Errors
/// `InvalidParams` for fields that do not go together, `InvalidPosition` for points off the board,
/// `UnsupportedGame`, and those of [`documents::resolve`] and [`find`].
pub async fn resolve(session: &Session, wire: &WirePosition) -> Result<Target> {
    let spelled = wire.board_size.is_some() || wire.moves.is_some() || wire.setup.is_some();
    match &wire.document {
        Some(_) if spelled || wire.fen.is_some() => Err(Error::field(
            "position",
            "position: give either document and node, or a position spelled out",
        )),
        Some(reference) => {
            let document = documents::resolve(session, reference).await?;
            let (node, encoding) = (wire.node.clone(), session.encoding());
            let work = move |document: &Arc<Document>| {
                let place = find(encoding, document.clone(), node.as_ref())?;
                Ok(Target { position: at(&place)?, node: Some(place) })
            };
            documents::offload(document, work).await
        }
        None if wire.node.is_some() => {
            Err(Error::field("document", "position: node needs the document it belongs to"))
        }
        None if wire.game == Some(Game::Xiangqi) || wire.fen.is_some() => {
            let message = "Go engines cannot be put on a xiangqi position";
            Err(Error::new(Kind::UnsupportedGame, message))
        }
        None => Ok(Target { position: spelled_out(wire)?, node: None }),
    }
}

/// The position at a node of a record.
///
/// # Errors
/// `UnsupportedGame` for records of other games.
pub fn at(place: &Place) -> Result<Position> {
    let record = place.document.record()?;
    Ok(sgf::position(record, place.id).map_err(|error| no_position(&error))?.position)
}

/// Why a node has no position, for clients.
pub fn no_position(error: &sgf::PositionError) -> Error {
    let kind = match error {
        sgf::PositionError::UnsupportedGame(_) => Kind::UnsupportedGame,
        sgf::PositionError::UnknownNode => Kind::NotFound,
        sgf::PositionError::TooMuchSetup => Kind::LimitExceeded,
    };
    Error::new(kind, error.to_string())
}

/// Finds a node; the root of the first game when none is named.
///
/// # Errors
/// `NotFound` for a node that does not exist, `InvalidParams` when path and place are both given.
pub fn find(encoding: Columns, document: Arc<Document>, node: Option<&NodeRef>) -> Result<Place> {
    let record = document.record()?;
    let id = match node {
        None => find_path(record, 0, &[])?,
        Some(NodeRef { position: None, path, game }) => {
            find_path(record, game.unwrap_or(0), path.as_deref().unwrap_or_default())?
        }
        Some(NodeRef { position: Some(at), path: None, game: None }) => {
            let offset = document.offset(*at, encoding);
            record.node_at(offset as u32).ok_or_else(|| {
                Error::new(
                    Kind::NotFound,
                    format!("there is no node at line {}, column {}", at.line, at.character),
                )
            })?
        }
        Some(_) => return Err(Error::field("node", "node: give either game and path, or position")),
    };
    let node = address(record, id);
    Ok(Place { document, id, node })
}

/// Finds a node of xiangqi; the start of the first game when none is named.
///
/// # Errors
/// As [`find`].
pub fn find_xiangqi(
    encoding: Columns,
    document: Arc<Document>,
    node: Option<&NodeRef>,
) -> Result<XiangqiPlace> {
    let games = document.games()?;
    let count = games.len();
    let (game, id) = match node {
        Some(NodeRef { position: Some(at), path: None, game: None }) => {
            let offset = document.offset(*at, encoding) as u32;
            games.at(offset).map(|game| (game.index, game.node_at(offset)))
        }
        Some(NodeRef { position: Some(_), .. }) => {
            return Err(Error::field("node", "node: give either game and path, or position"));
        }
        None => games.game(0).map(|game| (game.index, xiangqi::NodeId::ROOT)),
        Some(NodeRef { path, game, .. }) => {
            let (index, steps) = (game.unwrap_or(0), path.as_deref().unwrap_or_default());
            let Some(game) = games.game(index as usize) else { return Err(no_node(index, steps, count)) };
            let found = game.record.find(steps.iter().map(|step| (step.child, step.times)));
            Some((game.index, found.ok_or_else(|| no_node(index, steps, count))?))
        }
    }
    .ok_or_else(|| no_node(0, &[], 0))?;
    Ok(XiangqiPlace { document: document.clone(), game, id })
}

/// The address of a node.
pub fn address(record: &Record, id: NodeId) -> Node {
    let steps = record.path_of(id);
    let path = steps.steps().iter().map(|step| PathStep { child: step.child, times: step.times });
    Node { game: record.node(id).game as u32, path: path.collect() }
}

fn find_path(record: &Record, game: u32, steps: &[PathStep]) -> Result<NodeId> {
    record.find(game as usize, &path(steps)).ok_or_else(|| no_node(game, steps, record.games().len()))
}

fn no_node(game: u32, steps: &[PathStep], games: usize) -> Error {
    let message = match games {
        0 => "the document holds no game".to_owned(),
        games if game as usize >= games => format!("there is no game {game}; the document holds {games}"),
        _ => {
            let steps: Vec<String> = steps.iter().take(20).map(ToString::to_string).collect();
            format!("there is no node [{}] in game {game}", steps.join(", "))
        }
    };
    Error::new(Kind::NotFound, message)
}

/// A path as the tree takes it.
pub fn path(steps: &[PathStep]) -> Path {
    let mut path = Path::default();
    steps.iter().for_each(|step| path.push(step.child, step.times));
    path
}

fn spelled_out(wire: &WirePosition) -> Result<Position> {
    let size = wire.board_size.map_or(Size::STANDARD, |size| size.0);
    if wire.komi.is_some_and(|komi| !komi.is_finite() || komi.abs() > 10_000.0) {
        return Err(Error::field("komi", "komi must be a number of points between -10000 and 10000"));
    }
    let mut steps = Vec::new();
    if let Some(setup) = &wire.setup {
        let mut stones = Vec::new();
        for (color, list, field) in
            [(Color::Black, &setup.black, "setup.B"), (Color::White, &setup.white, "setup.W")]
        {
            for text in list.iter().flatten() {
                stones.push((point(text, size, field)?, Some(color)));
            }
        }
        if !stones.is_empty() {
            steps.push(Step::Setup(stones));
        }
    }
    let moves = wire.moves.as_deref().unwrap_or_default();
    if moves.len() > MAX_MOVES {
        let message = format!("{} moves are over the limit of {MAX_MOVES}", moves.len());
        return Err(Error::new(Kind::LimitExceeded, message));
    }
    for (index, played) in moves.iter().enumerate() {
        let vertex = Vertex::parse_gtp(&played.vertex, size)
            .ok_or_else(|| off_board(&played.vertex, size, &format!("moves[{index}].vertex")))?;
        steps.push(Step::Play(Move { color: played.color.into(), vertex }));
    }
    let last = moves.last().map(|played| Color::from(played.color).opponent());
    let handicap = wire.setup.as_ref().is_some_and(|setup| {
        setup.black.as_ref().is_some_and(|stones| stones.len() >= 2)
            && setup.white.as_ref().is_none_or(|stones| stones.is_empty())
    });
    let first = if handicap { Color::White } else { Color::Black };
    let to_play = wire.to_play.map(Color::from).or(last).unwrap_or(first);
    Ok(Position { size, komi: wire.komi, rules: wire.rules.clone(), steps, to_play })
}

fn point(text: &str, size: Size, field: &str) -> Result<Point> {
    match Vertex::parse_gtp(text, size) {
        Some(Vertex::At(point)) => Ok(point),
        _ => Err(off_board(text, size, field)),
    }
}

fn off_board(text: &str, size: Size, field: &str) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::new(Kind::InvalidPosition, format!("{field}: {shown:?} is no point of a {size} board"))
        .with("field", field)
}
