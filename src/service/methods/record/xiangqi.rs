//! `record/*` on records of xiangqi, in the shapes of the others.

use std::collections::{BTreeMap, HashMap};

use super::{
    BoardAnswer, BoardColor, Captures, GameTree, Info, LastMove, MAX_BYTES, MAX_NODES, NodeAt, STEP_BYTES,
    Tree, TreeNode, TreeParams, TurnReason, WireMarkup,
};
use crate::go::Size;
use crate::service::documents::Document;
use crate::service::error::{Error, Kind, Result};
use crate::service::methods::xiangqi::wire::no_start;
use crate::service::positions::{self, XiangqiPlace};
use crate::service::wire::{Game, PathStep, TextPosition, WireSize};
use crate::text::line_index::Columns;
use crate::xiangqi::notation::{chinese, wxf};
use crate::xiangqi::record::{self, Games, Node, NodeId, Record};
use crate::xiangqi::{COLS, ROWS, Side, Square};

/// Nine files and ten ranks.
fn size() -> WireSize {
    WireSize(Size::new(COLS as u8, ROWS as u8).unwrap_or(Size::STANDARD))
}

/// `record/tree`
pub fn tree(document: &Document, params: &TreeParams, encoding: Columns) -> Result<Tree> {
    let games = document.games()?;
    let mut page = Page::new(params);
    let mut trees = Vec::new();
    let mut before = 0;
    for game in games.iter() {
        let end = before + game.record.node_count() as u32;
        if end > page.next && page.has_room() {
            let nodes = page.nodes(document, &game, before, encoding);
            trees.push(GameTree {
                game: game.index as u32,
                kind: Some(Game::Xiangqi),
                size: size(),
                info: info(game.record),
                nodes,
            });
        }
        before = end;
        if page.next < before {
            return Ok(Tree { games: trees, next: Some(page.next) });
        }
    }
    Ok(Tree { games: trees, next: None })
}

/// The nodes of one answer: as many as have room in it, and at least one.
struct Page {
    next: u32,
    left: u32,
    room: usize,
    any: bool,
    paths: bool,
}

impl Page {
    fn new(params: &TreeParams) -> Page {
        Page {
            next: params.from.unwrap_or(0),
            left: params.limit.map_or(MAX_NODES, |limit| limit.min(MAX_NODES)),
            room: MAX_BYTES,
            any: false,
            paths: params.paths.unwrap_or(false),
        }
    }

    fn has_room(&self) -> bool {
        self.left > 0 && (self.room > 0 || !self.any)
    }

    /// The nodes of a game from `next` on; the first of the game has the number `first`.
    fn nodes(
        &mut self,
        document: &Document,
        game: &record::Game<'_>,
        first: u32,
        encoding: Columns,
    ) -> Vec<TreeNode> {
        let mut list = Vec::new();
        let mut ways = Ways::default();
        for (id, node) in game.record.nodes() {
            if self.paths {
                ways.enter(game.record, id);
            }
            let index = first + id.0;
            if index < self.next {
                continue;
            }
            let way = if self.paths { ways.way(id) } else { Vec::new() };
            let bytes = node.span.len() + node.comment.len() + (way.len() + 1) * STEP_BYTES;
            if !self.has_room() || (bytes > self.room && self.any) {
                break;
            }
            self.room = self.room.saturating_sub(bytes);
            self.left -= 1;
            (self.next, self.any) = (index + 1, true);
            list.push(TreeNode {
                index,
                parent: game.record.parent(id).map(|parent| first + parent.0),
                children: game.record.children(id).map(|child| first + child.0).collect(),
                range: document.range(game.node_span(id), encoding),
                props: props(game, id, node),
                path: self.paths.then_some(way),
                iccs: node.played.map(|played| played.to_string()),
            });
        }
        list
    }
}

/// The paths of a game's nodes, in the order of the nodes.
#[derive(Default)]
struct Ways {
    /// How many children of a node have come.
    children: HashMap<NodeId, u32>,
    /// For each node the run of equal steps that leads to it, and the node before that run.
    runs: Vec<(PathStep, NodeId)>,
}

impl Ways {
    /// Takes the next node.
    fn enter(&mut self, record: &Record, id: NodeId) {
        let Some(parent) = record.parent(id) else {
            return self.runs.push((PathStep { child: 0, times: 0 }, id));
        };
        let seen = self.children.entry(parent).or_insert(0);
        let child = *seen;
        *seen += 1;
        let run = match self.runs.get(parent.0 as usize) {
            Some((step, before)) if step.child == child && step.times > 0 => {
                (PathStep { times: step.times + 1, ..*step }, *before)
            }
            _ => (PathStep { child, times: 1 }, parent),
        };
        self.runs.push(run);
    }

    /// The path of a node that has come.
    fn way(&self, id: NodeId) -> Vec<PathStep> {
        let mut way = Vec::new();
        let mut at = id;
        while let Some((step, before)) = self.runs.get(at.0 as usize).filter(|(step, _)| step.times > 0) {
            way.push(*step);
            at = *before;
        }
        way.reverse();
        way
    }
}

/// Tags of the start; of a move itself, its comment and glyphs.
fn props(game: &record::Game<'_>, id: NodeId, node: &Node) -> BTreeMap<String, Vec<String>> {
    let mut props: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if id == NodeId::ROOT {
        for tag in game.record.tags() {
            props.entry(tag.name.clone()).or_default().push(tag.value.clone());
        }
    } else {
        props.insert("move".to_owned(), vec![game.written(node).to_owned()]);
    }
    if !node.comment.is_empty() {
        props.insert("comment".to_owned(), vec![node.comment.clone()]);
    }
    if !node.nags.is_empty() {
        props.insert("glyphs".to_owned(), node.nags.iter().map(u8::to_string).collect());
    }
    props
}

fn info(record: &Record) -> Info {
    let tag = |name: &str| record.tag(name).filter(|value| !value.is_empty()).map(str::to_owned);
    Info {
        red: tag("Red"),
        black: tag("Black"),
        result: tag("Result").or(record.termination().map(|(outcome, _)| outcome.to_pgn().to_owned())),
        date: tag("Date"),
        event: tag("Event"),
        round: tag("Round"),
        place: tag("Site"),
        name: tag("Title"),
        ..Info::default()
    }
}

pub fn color(side: Side) -> BoardColor {
    match side {
        Side::Red => BoardColor::Red,
        Side::Black => BoardColor::XiangqiBlack,
    }
}

/// `record/board`
pub fn board(place: &XiangqiPlace, encoding: Columns) -> Result<BoardAnswer> {
    let game = place.game()?;
    let record = game.record;
    let node = record.node(place.id).ok_or_else(|| Error::new(Kind::NotFound, "there is no such node"))?;
    let position = record.position(place.id).ok_or_else(|| no_start(record))?;
    let last_move = last_move(record, place.id, node);
    let row = |row: usize| {
        let piece = |col| Square::at(row, col).and_then(|square| position.piece_at(square));
        (0..COLS).map(|col| piece(col).map_or('.', |piece| piece.to_fen_char())).collect()
    };
    let pieces = |side: Side, board: &crate::xiangqi::rules::Grid| {
        board.iter().flatten().filter(|piece| piece.side == side).count() as u32
    };
    let taken = |of: Side| {
        record
            .start()
            .map_or(0, |start| pieces(of, start.board()).saturating_sub(pieces(of, position.board())))
    };
    Ok(BoardAnswer {
        game: Game::Xiangqi,
        node: place.node()?,
        size: size(),
        stones: (0..ROWS).map(row).collect(),
        to_play: color(position.turn()),
        to_play_reason: if node.played.is_some() { TurnReason::LastMove } else { TurnReason::Stated },
        move_number: i64::from(node.ply),
        last_move,
        ko: None,
        captures: Captures { black: taken(Side::Red), white: 0, red: Some(taken(Side::Black)) },
        komi: None,
        analysis: None,
        comment: (!node.comment.is_empty()).then(|| node.comment.clone()),
        markup: WireMarkup::default(),
        skipped: record
            .unread()
            .iter()
            .map(|span| place.document.range(game.span(*span), encoding))
            .collect(),
        fen: Some(position.to_fen()),
        in_check: Some(position.is_check()),
    })
}

fn last_move(record: &Record, id: NodeId, node: &Node) -> Option<LastMove> {
    let played = node.played?;
    let before = record.position(record.parent(id)?)?;
    Some(LastMove {
        color: color(before.turn()),
        vertex: played.to_string(),
        zh: Some(chinese(&before, played)),
        wxf: Some(wxf(&before, played)),
    })
}

/// `record/nodeAt`
pub fn node_at(document: &Document, games: &Games, at: TextPosition, encoding: Columns) -> Result<NodeAt> {
    let offset = document.offset(at, encoding) as u32;
    let game = games.at(offset).ok_or_else(|| Error::new(Kind::NotFound, "the document holds no game"))?;
    let id = game.node_at(offset);
    let range = document.range(game.node_span(id), encoding);
    Ok(NodeAt { node: positions::address_xiangqi(game.index, game.record.path_of(id)), range })
}
