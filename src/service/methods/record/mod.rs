//! `record/*`: what stands in a game record.

mod edit;
mod play;
mod xiangqi;

pub use edit::edit;
pub use play::play;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::gtp::heatmap::{Measure, Scale};
use crate::go::{Color, Point, Size, Vertex};
use crate::language::{self, Content};
use crate::service::documents::{self, Document};
use crate::service::error::{Error, Kind, Result};
use crate::service::positions::{self, Place};
use crate::service::stored::{StoredAnalysis, stored};
use crate::service::table::Cx;
use crate::service::wire::{DocumentRef, Game, Node, NodeRef, PathStep, TextPosition, TextRange, WireSize};
use crate::sgf::{self, GameInfo, GameKind, NodeId, Record};

/// The most nodes in one answer.
const MAX_NODES: u32 = 100_000;

/// The most bytes of the record in one answer, or what takes as much room.
const MAX_BYTES: usize = 16 << 20;

/// Which part of a record.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeParams {
    document: DocumentRef,
    /// The first node's index in the document, 0 when absent.
    from: Option<u32>,
    /// At most so many nodes; 100000 when absent, and never more. Large nodes and long paths make
    /// it fewer.
    limit: Option<u32>,
    /// Also every node's path.
    paths: Option<bool>,
}

/// The games of a record.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    games: Vec<GameTree>,
    /// Ask again from this node; absent when nothing is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u32>,
}

/// One game.
#[derive(Serialize, JsonSchema)]
pub struct GameTree {
    /// Its index in the collection.
    game: u32,
    /// Which game it is; absent for others than Go and xiangqi.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Game>,
    size: WireSize,
    info: Info,
    /// In the order of the text: parents before children.
    nodes: Vec<TreeNode>,
}

/// What a game says about itself.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    #[serde(skip_serializing_if = "Option::is_none")]
    black: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<String>,
    /// Xiangqi: who has Red.
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black_rank: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white_rank: Option<String>,
    /// Effective komi; absent when the record does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    komi: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handicap: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl From<GameInfo> for Info {
    fn from(info: GameInfo) -> Info {
        Info {
            black: info.black,
            white: info.white,
            red: None,
            black_rank: info.black_rank,
            white_rank: info.white_rank,
            komi: info.komi.points,
            handicap: info.handicap,
            rules: info.rules,
            result: info.result,
            date: info.date,
            event: info.event,
            round: info.round,
            place: info.place,
            name: info.name,
        }
    }
}

/// One node.
#[derive(Serialize, JsonSchema)]
pub struct TreeNode {
    /// Its index in the document.
    index: u32,
    /// The node before it; absent for a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
    children: Vec<u32>,
    range: TextRange,
    /// Values as written, between the brackets; properties of one name together. Xiangqi: the tags in the
    /// root; `move` as written, `comment`, `glyphs` (numbers of PGN).
    props: BTreeMap<String, Vec<String>>,
    /// With `paths`.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Vec<PathStep>>,
    /// Xiangqi: the move in ICCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    iccs: Option<String>,
}

/// `record/tree`
pub async fn tree(cx: Cx, params: TreeParams) -> Result<Tree> {
    let document = documents::resolve(&cx.session, &params.document).await?;
    let encoding = cx.session.encoding();
    documents::offload(document.clone(), move |document| {
        let record = match document.content()? {
            Content::Sgf(record) => record,
            Content::Xiangqi(_) => return xiangqi::tree(document, &params, encoding),
        };
        let page = page(record, &params);
        let mut games = Vec::new();
        for (index, game) in record.games().enumerate() {
            let nodes = game.root.0.max(page.start)..game.end.0.min(page.end);
            if nodes.is_empty() {
                continue;
            }
            let nodes = nodes.map(NodeId).map(|id| TreeNode {
                index: id.0,
                parent: record.parent(id).map(|parent| parent.0),
                children: record.children(id).map(|child| child.0).collect(),
                range: document.range(record.node(id).span, encoding),
                props: props(record, id),
                path: params.paths.unwrap_or(false).then(|| positions::address(record, id).path),
                iccs: None,
            });
            games.push(GameTree {
                game: index as u32,
                kind: (record.kind(game.root) == GameKind::Go).then_some(Game::Go),
                size: WireSize(record.size(game.root)),
                info: record.info(index).map(Info::from).unwrap_or_default(),
                nodes: nodes.collect(),
            });
        }
        let next = (page.end < record.node_count() as u32).then_some(page.end);
        Ok(Tree { games, next })
    })
    .await
}

/// The nodes of one answer: as many as have room in it, and at least one.
fn page(record: &Record, params: &TreeParams) -> std::ops::Range<u32> {
    let start = params.from.unwrap_or(0);
    let limit = params.limit.map_or(MAX_NODES, |limit| limit.min(MAX_NODES));
    let last = start.saturating_add(limit).min(record.node_count() as u32);
    let mut room = MAX_BYTES;
    let mut end = start;
    while end < last {
        let id = NodeId(end);
        let steps = if params.paths.unwrap_or(false) { record.path_length(id) } else { 0 };
        let bytes = record.node(id).span.len() + (record.children(id).count() + steps) * STEP_BYTES;
        if bytes > room && end > start {
            break;
        }
        room = room.saturating_sub(bytes);
        end += 1;
    }
    start..end
}

/// What a step of a path, or the number of a child, takes.
const STEP_BYTES: usize = 8;

fn props(record: &Record, id: NodeId) -> BTreeMap<String, Vec<String>> {
    let mut props: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for property in record.properties(id) {
        let values = props.entry(property.ident().into_owned()).or_default();
        values.extend(property.values().map(|value| value.raw().to_owned()));
    }
    props
}

/// Which node.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardParams {
    document: DocumentRef,
    /// The root of the first game when absent.
    node: Option<NodeRef>,
}

/// The board at a node.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardAnswer {
    game: Game,
    node: Node,
    size: WireSize,
    /// A string a row, top first: `.` empty, `X` Black, `O` White; xiangqi: the letters of FEN.
    stones: Vec<String>,
    /// Who moves next.
    to_play: BoardColor,
    /// Why.
    to_play_reason: TurnReason,
    move_number: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_move: Option<LastMove>,
    /// The point where simple ko forbids the next stone.
    #[serde(skip_serializing_if = "Option::is_none")]
    ko: Option<String>,
    captures: Captures,
    /// Effective komi; absent when the record does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    komi: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// What an engine thought of the node, as stored in the record: SBKV, SBKS and KFCA, or what other
    /// programs store.
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<StoredAnalysis>,
    markup: WireMarkup,
    /// Moves and stones that are not on the board, or not readable.
    skipped: Vec<TextRange>,
    /// Xiangqi: the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    /// Xiangqi: whether the side to move is in check.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_check: Option<bool>,
}

/// Who plays: `"B"` or `"W"`, in xiangqi `"r"` or `"b"`.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
pub enum BoardColor {
    /// Black of Go.
    #[serde(rename = "B")]
    Black,
    /// White.
    #[serde(rename = "W")]
    White,
    /// Red.
    #[serde(rename = "r")]
    Red,
    /// Black of xiangqi.
    #[serde(rename = "b")]
    XiangqiBlack,
}

impl From<Color> for BoardColor {
    fn from(color: Color) -> BoardColor {
        match color {
            Color::Black => BoardColor::Black,
            Color::White => BoardColor::White,
        }
    }
}

/// The move that led to a board.
#[derive(Serialize, JsonSchema)]
pub struct LastMove {
    /// Whose.
    color: BoardColor,
    /// GTP spelling: `"Q16"`, `"pass"`; xiangqi: ICCS.
    vertex: String,
    /// Xiangqi: in Chinese.
    #[serde(skip_serializing_if = "Option::is_none")]
    zh: Option<String>,
    /// Xiangqi: in WXF.
    #[serde(skip_serializing_if = "Option::is_none")]
    wxf: Option<String>,
}

/// Why it is somebody's turn.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TurnReason {
    /// PL says so.
    Stated,
    /// The next node is a move of this player.
    NextMove,
    /// The other player has made the last move.
    LastMove,
    /// Black has handicap stones.
    Handicap,
    /// Black begins.
    Opening,
}

/// Stones taken.
#[derive(Serialize, JsonSchema)]
pub struct Captures {
    /// White stones that Black has taken; xiangqi: Red's pieces that Black has taken.
    #[serde(rename = "B")]
    black: u32,
    /// Black stones that White has taken.
    #[serde(rename = "W")]
    white: u32,
    /// Xiangqi: Black's pieces that Red has taken.
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    red: Option<u32>,
}

/// The markup of a node; vertices in GTP spelling.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "Markup")]
#[serde(rename_all = "camelCase")]
pub struct WireMarkup {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    triangles: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    squares: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    circles: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crosses: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    selected: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Label>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arrows: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    black_territory: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    white_territory: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dimmed: Vec<String>,
    /// Empty: the whole board.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    visible: Vec<String>,
}

/// A text on a point.
#[derive(Serialize, JsonSchema)]
pub struct Label {
    vertex: String,
    text: String,
}

/// `record/board`
pub async fn board(cx: Cx, params: BoardParams) -> Result<BoardAnswer> {
    let document = documents::resolve(&cx.session, &params.document).await?;
    let encoding = cx.session.encoding();
    let settings = cx.settings();
    let label = (settings.analysis_type.into(), settings.analysis_value_type.into());
    documents::offload(document, move |document| {
        if let Content::Xiangqi(_) = document.content()? {
            let place = positions::find_xiangqi(encoding, document.clone(), params.node.as_ref())?;
            return xiangqi::board(&place, encoding);
        }
        let place = positions::find(encoding, document.clone(), params.node.as_ref())?;
        board_at(document, &place, label, |span| document.range(span, encoding))
    })
    .await
}

fn board_at(
    document: &Document,
    place: &Place,
    label: (Measure, Scale),
    range: impl Fn(sgf::Span) -> TextRange,
) -> Result<BoardAnswer> {
    let record = document.record()?;
    let found = sgf::position(record, place.id).map_err(|error| positions::no_position(&error))?;
    let position = &found.position;
    let (board, size) = (position.board(), position.size);
    let spell = |point: Point| Vertex::At(point).to_gtp(size);
    let row = |row: u8| {
        let stone = |col| match board.at(Point::new(col, row)) {
            None => '.',
            Some(Color::Black) => 'X',
            Some(Color::White) => 'O',
        };
        (0..size.width()).map(stone).collect()
    };
    let comment = record.property(place.id, "C").map(|c| sgf::value::text(c.first_raw()).into_owned());
    Ok(BoardAnswer {
        game: Game::Go,
        node: place.node.clone(),
        size: WireSize(size),
        stones: (0..size.height()).map(row).collect(),
        to_play: position.to_play.into(),
        to_play_reason: match found.turn {
            sgf::Turn::Stated => TurnReason::Stated,
            sgf::Turn::NextMove => TurnReason::NextMove,
            sgf::Turn::LastMove => TurnReason::LastMove,
            sgf::Turn::Handicap => TurnReason::Handicap,
            sgf::Turn::Opening => TurnReason::Opening,
        },
        move_number: sgf::move_number(record, place.id),
        last_move: sgf::last_move(record, place.id).map(|(_, last)| LastMove {
            color: last.color.into(),
            vertex: last.vertex.to_gtp(size),
            zh: None,
            wxf: None,
        }),
        ko: board.ko().map(spell),
        captures: Captures {
            black: board.captures(Color::Black),
            white: board.captures(Color::White),
            red: None,
        },
        komi: found.komi.points,
        comment,
        analysis: language::analysis(record, place.id).map(|found| stored(found, position, label)),
        markup: markup(record, place.id, size),
        skipped: found.skipped.iter().map(|span| range(*span)).collect(),
        fen: None,
        in_check: None,
    })
}

fn markup(record: &Record, id: NodeId, size: Size) -> WireMarkup {
    let found = sgf::markup(record, id);
    let spell = |point: Point| Vertex::At(point).to_gtp(size);
    let points = |points: Vec<Point>| points.into_iter().map(spell).collect();
    let pairs = |pairs: Vec<(Point, Point)>| pairs.into_iter().map(|(a, b)| [spell(a), spell(b)]).collect();
    WireMarkup {
        triangles: points(found.triangles),
        squares: points(found.squares),
        circles: points(found.circles),
        crosses: points(found.crosses),
        selected: points(found.selected),
        labels: found.labels.into_iter().map(|(at, text)| Label { vertex: spell(at), text }).collect(),
        arrows: pairs(found.arrows),
        lines: pairs(found.lines),
        black_territory: points(found.black_territory),
        white_territory: points(found.white_territory),
        dimmed: points(found.dimmed),
        visible: points(found.visible),
    }
}

/// A place in a text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeAtParams {
    document: DocumentRef,
    position: TextPosition,
}

/// The node there.
#[derive(Serialize, JsonSchema)]
pub struct NodeAt {
    node: Node,
    range: TextRange,
}

/// `record/nodeAt`
pub async fn node_at(cx: Cx, params: NodeAtParams) -> Result<NodeAt> {
    let document = documents::resolve(&cx.session, &params.document).await?;
    let encoding = cx.session.encoding();
    documents::offload(document, move |document| {
        let record = match document.content()? {
            Content::Sgf(record) => record,
            Content::Xiangqi(games) => return xiangqi::node_at(document, games, params.position, encoding),
        };
        let offset = document.offset(params.position, encoding);
        let id = record
            .node_at(offset as u32)
            .ok_or_else(|| Error::new(Kind::NotFound, "the document holds no node"))?;
        let range = document.range(record.node(id).span, encoding);
        Ok(NodeAt { node: positions::address(record, id), range })
    })
    .await
}
