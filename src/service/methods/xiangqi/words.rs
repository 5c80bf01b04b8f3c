//! `xiangqi/describe`, `xiangqi/evaluate`, `xiangqi/square`: what there is to say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::status::{WireHistory, WireRules, history, options};
use super::wire::{self, Asked, WireBoard, WireSide};
use super::{PositionParams, moves};
use crate::locale::Locale;
use crate::service::error::Result;
use crate::service::table::Cx;
use crate::xiangqi::describe::{self, DescribeOptions};
use crate::xiangqi::{Kind as PieceKind, Position, Side, Square, rules};

/// What shall be told of a position.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiDescribeParams")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DescribeParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// The move that led here, in ICCS; the history's last when absent.
    last_move: Option<String>,
    /// The game so far.
    history: Option<WireHistory>,
    /// The legal moves; true when absent.
    include_moves: Option<bool>,
    /// An evaluation; false when absent.
    include_eval: Option<bool>,
    /// The board as a picture of characters; true when absent.
    ascii: Option<bool>,
    /// At most so many moves, 80 when absent: captures first, then checks, then the others.
    max_moves: Option<u32>,
    /// The language; when absent the client's, and Chinese when it has not named any.
    language: Option<WireLanguage>,
    /// Whose rules decide about repetitions; `asian` when absent.
    rules: Option<WireRules>,
}

/// A language for people.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "Language")]
#[serde(rename_all = "lowercase")]
pub enum WireLanguage {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// A text.
#[derive(Serialize, JsonSchema)]
pub struct Text {
    /// The text.
    text: String,
}

/// `xiangqi/describe`
pub async fn describe(cx: Cx, params: DescribeParams) -> Result<Text> {
    let Asked { position, history: known } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let history = history(params.history.as_ref(), &position)?.or(known);
    let last_move = params.last_move.as_deref().map(|text| moves::iccs("lastMove", text)).transpose()?;
    let language = match (params.language, cx.session.stated_locale()) {
        (Some(WireLanguage::En), _) | (None, Some(Locale::English)) => Locale::English,
        _ => Locale::Chinese,
    };
    let options = DescribeOptions {
        include_moves: params.include_moves.unwrap_or(true),
        include_eval: params.include_eval.unwrap_or(false),
        ascii: params.ascii.unwrap_or(true),
        max_moves: params.max_moves.map_or(DescribeOptions::default().max_moves, |most| most as usize),
        last_move,
        history: history.as_ref(),
        status: options(params.rules, None, None)?,
        language,
    };
    Ok(Text { text: describe::describe(&position, &options) })
}

/// A position by rules of thumb.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiEvaluation")]
#[serde(rename_all = "camelCase")]
pub struct WireEvaluation {
    /// Centipawns, + = good for the side to move; the sum of the breakdown. A teaching aid, not an
    /// engine's verdict.
    score: i32,
    /// Item by item.
    breakdown: Vec<WireItem>,
    /// One sentence.
    summary: String,
    /// The sentence in Chinese.
    summary_zh: String,
    /// Who has more of what, in Chinese.
    material_zh: String,
}

/// One item of an evaluation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiEvaluationItem")]
#[serde(rename_all = "camelCase")]
pub struct WireItem {
    /// A stable name, such as `material`.
    id: &'static str,
    /// The name in Chinese.
    name_zh: &'static str,
    /// Centipawns, + = good for the side to move.
    score: i32,
    /// What each side gets for what.
    detail: String,
    /// The same in Chinese.
    detail_zh: String,
}

/// `xiangqi/evaluate`
pub async fn evaluate(cx: Cx, params: PositionParams) -> Result<WireEvaluation> {
    let Asked { position, .. } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let evaluation = crate::xiangqi::evaluate(&position);
    let item = |item: crate::xiangqi::evaluate::Item| WireItem {
        id: item.id,
        name_zh: item.name_zh,
        score: item.score,
        detail: item.detail,
        detail_zh: item.detail_zh,
    };
    Ok(WireEvaluation {
        score: evaluation.score,
        breakdown: evaluation.breakdown.into_iter().map(item).collect(),
        summary: evaluation.summary,
        summary_zh: evaluation.summary_zh,
        material_zh: evaluation.material_zh,
    })
}

/// A point of a position.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiSquareParams")]
#[serde(deny_unknown_fields)]
pub struct SquareParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// The point, in ICCS.
    square: String,
}

/// What there is to know about a point.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiSquare")]
#[serde(rename_all = "camelCase")]
pub struct PointInfo {
    /// The FEN letter of the piece, or `""`.
    piece: String,
    /// The piece in Chinese, or `""`.
    name_zh: String,
    /// The points of enemy pieces that could capture here; of both sides on an empty point.
    attackers: Vec<String>,
    /// The points of pieces of the same side that could capture back; empty on an empty point.
    protectors: Vec<String>,
    /// Where the piece may legally go; empty when it is not its turn.
    legal_to: Vec<String>,
    /// Whose palace the point is in.
    in_palace: Option<WireSide>,
    /// Whether the piece has crossed the river.
    crossed_river: bool,
    /// For a horse: the points that block it, each with where it then cannot go.
    horse_legs: Vec<Gate>,
    /// For an elephant: the same.
    elephant_eyes: Vec<Gate>,
}

/// A point that blocks a piece when something stands there.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiGate")]
pub struct Gate {
    /// The point.
    at: String,
    /// Whether a piece stands there.
    blocked: bool,
    /// Where the way leads.
    to: Vec<String>,
}

/// `xiangqi/square`
pub async fn square(cx: Cx, params: SquareParams) -> Result<PointInfo> {
    let Asked { position, .. } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let square = wire::square("square", &params.square)?;
    let board = position.board();
    let piece = position.piece_at(square);
    let reach = |side: Side| rules::attackers(board, square, side).into_iter().map(|from| from.to_string());
    let (attackers, protectors) = match piece {
        Some(piece) => (reach(piece.side.opposite()).collect(), reach(piece.side).collect()),
        None => (Side::ALL.into_iter().flat_map(reach).collect(), Vec::new()),
    };
    let is = |kind| piece.is_some_and(|piece| piece.kind == kind);
    let gates = |kind, gate: fn(Square, Square) -> Option<Square>| match is(kind) {
        true => gates(&position, square, gate),
        false => Vec::new(),
    };
    Ok(PointInfo {
        piece: piece.map_or_else(String::new, |piece| piece.to_fen_char().to_string()),
        name_zh: piece.map_or_else(String::new, |piece| piece.name_zh().to_owned()),
        attackers,
        protectors,
        legal_to: (position.legal_moves().into_iter())
            .filter(|played| played.from == square)
            .map(|played| played.to.to_string())
            .collect(),
        in_palace: Side::ALL.into_iter().find(|&side| square.in_palace(side)).map(WireSide::from),
        crossed_river: piece.is_some_and(|piece| square.crossed_river(piece.side)),
        horse_legs: gates(PieceKind::Horse, rules::horse_leg),
        elephant_eyes: gates(PieceKind::Elephant, rules::elephant_eye),
    })
}

/// The gates of a piece, each with the points behind it. An elephant's way over the river is none.
fn gates(position: &Position, from: Square, gate: fn(Square, Square) -> Option<Square>) -> Vec<Gate> {
    let mut gates = std::collections::BTreeMap::<Square, Vec<String>>::new();
    let piece = position.piece_at(from);
    for to in Square::all() {
        let may = piece.is_some_and(|piece| rules::may_stand(piece, to));
        if let (Some(at), true) = (gate(from, to), may) {
            gates.entry(at).or_default().push(to.to_string());
        }
    }
    let blocked = |at| position.piece_at(at).is_some();
    gates.into_iter().map(|(at, to)| Gate { at: at.to_string(), blocked: blocked(at), to }).collect()
}
