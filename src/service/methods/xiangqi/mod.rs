//! `xiangqi/*`: the rules engine. Stateless: every request brings its position.

pub(super) mod moves;
mod search;
mod status;
pub(super) mod wire;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use search::{perft, search, think};
pub use status::status;
pub use words::{describe, evaluate, square};

use crate::service::error::{Error, Kind, Result};
use crate::service::table::Cx;
use crate::xiangqi::notation;
use crate::xiangqi::repetition::History;
use crate::xiangqi::status::status as status_of;
use moves::{GivenMove, WireMove, WireNotation};
use status::{WireHistory, WireRules, XiangqiStatus, history, options};
use wire::{Asked, WireBoard, WireSide};

/// A position, by its FEN or as plain data.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiPositionParams")]
#[serde(deny_unknown_fields)]
pub struct PositionParams {
    /// The position; the start when neither is given.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
}

/// A position in full.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct XiangqiPosition {
    /// In the `n`/`b` dialect.
    fen: String,
    /// What repeats when a position repeats: pieces and side to move.
    key: String,
    /// 90 points, row by row from Black's back rank: a FEN letter, or `""`.
    board: Vec<String>,
    /// Who is to move.
    turn: WireSide,
    /// Plies since the last capture.
    halfmove: u32,
    /// Number of the pair of moves, from 1.
    fullmove: u32,
    /// Whether the side to move is in check.
    in_check: bool,
}

/// `xiangqi/position`
pub async fn position(cx: Cx, params: PositionParams) -> Result<XiangqiPosition> {
    let Asked { position, .. } =
        wire::position_or_start(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let letter = |piece: &Option<crate::xiangqi::Piece>| {
        piece.map_or_else(String::new, |piece| piece.to_fen_char().to_string())
    };
    Ok(XiangqiPosition {
        fen: position.to_fen(),
        key: position.key(),
        board: position.board().iter().map(letter).collect(),
        turn: position.turn().into(),
        halfmove: position.halfmove(),
        fullmove: position.fullmove(),
        in_check: position.is_check(),
    })
}

/// Which moves.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiMovesParams")]
#[serde(deny_unknown_fields)]
pub struct MovesParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// Also the moves that would leave the own king attacked, with the reason.
    pseudo: Option<bool>,
}

/// The moves of a position.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiMoves")]
#[serde(rename_all = "camelCase")]
pub struct Moves {
    /// By index of from and to.
    moves: Vec<WireMove>,
    /// Whether the side to move is in check.
    in_check: bool,
}

/// `xiangqi/moves`
pub async fn moves(cx: Cx, params: MovesParams) -> Result<Moves> {
    let Asked { position, .. } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let moves = match params.pseudo {
        Some(true) => {
            position.pseudo_legal_moves().into_iter().map(|m| moves::describe_pseudo(&position, m)).collect()
        }
        _ => position.legal_moves().into_iter().map(|m| moves::describe(&position, m)).collect(),
    };
    Ok(Moves { moves, in_check: position.is_check() })
}

/// A move to be made.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiPlayParams")]
#[serde(deny_unknown_fields)]
pub struct PlayParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// The move.
    #[serde(rename = "move")]
    played: GivenMove,
    /// How the text names it; found out when absent.
    notation: Option<WireNotation>,
    /// The game so far, for the status after the move.
    history: Option<WireHistory>,
    /// Whose rules decide about repetitions; `asian` when absent.
    rules: Option<WireRules>,
}

/// A move that was made.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiPlayed")]
pub struct Played {
    /// The position after it.
    fen: String,
    /// The move.
    #[serde(rename = "move")]
    played: WireMove,
    /// The FEN letter of the piece it took, or `""`.
    captured: String,
    /// The state after it.
    status: XiangqiStatus,
}

/// `xiangqi/move`
pub async fn play(cx: Cx, params: PlayParams) -> Result<Played> {
    let Asked { position, history: known } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let before = history(params.history.as_ref(), &position)?.or(known);
    let played = moves::read(&position, "move", &params.played, params.notation)?;
    let next = position.after(played);
    let (start, mut line) = match before {
        Some(history) => (history.start().clone(), history.moves().to_vec()),
        None => (position.clone(), Vec::new()),
    };
    line.push(played);
    // One ply too many for a history: the move is made all the same, and repetitions are not looked at.
    let history = History::new(start, line).ok();
    let options = options(params.rules, None, None)?;
    let status = status_of(&next, history.as_ref(), &options);
    let played = moves::describe(&position, played);
    Ok(Played {
        fen: next.to_fen(),
        captured: played.captured().to_owned(),
        played,
        status: XiangqiStatus::new(status, history.as_ref()),
    })
}

/// A text that names a move.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiParseParams")]
#[serde(deny_unknown_fields)]
pub struct ParseParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// `h2e2`, 炮二平五, `C2.5` …
    text: String,
    /// How the text names it; found out when absent.
    notation: Option<WireNotation>,
}

/// The move that a text names.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiParsed")]
pub struct Parsed {
    /// The move, always legal.
    #[serde(rename = "move")]
    played: WireMove,
}

/// `xiangqi/parse`
pub async fn parse(cx: Cx, params: ParseParams) -> Result<Parsed> {
    let Asked { position, .. } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let played = moves::read(&position, "text", &GivenMove::Text(params.text), params.notation)?;
    Ok(Parsed { played: moves::describe(&position, played) })
}

/// A move to be written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiFormatParams")]
#[serde(deny_unknown_fields)]
pub struct FormatParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// The move.
    #[serde(rename = "move")]
    played: GivenMove,
}

/// A move in every notation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiFormatted")]
pub struct Formatted {
    /// `h2e2`.
    iccs: String,
    /// `h3e3`.
    uci: String,
    /// 炮二平五.
    zh: String,
    /// `C2=5`.
    wxf: String,
    /// The move taken apart.
    parts: WireParts,
}

/// A move taken apart as Chinese notation says it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiMoveParts")]
pub struct WireParts {
    /// The character on the piece.
    piece: &'static str,
    /// 前, 中, 后 or 一 to 五, where several of a kind share a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordinal: Option<&'static str>,
    /// The file it leaves, 1 to 9 from its side's right.
    file: u8,
    /// `advance` 进, `retreat` 退 or `traverse` 平.
    action: &'static str,
    /// The file it goes to, or, for a piece that goes straight ahead or back, its steps.
    target: u8,
}

/// `xiangqi/format`
pub async fn format(cx: Cx, params: FormatParams) -> Result<Formatted> {
    let Asked { position, .. } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let played = moves::read(&position, "move", &params.played, None)?;
    let Some(parts) = notation::parts(&position, played) else {
        return Err(Error::new(Kind::Internal, "a legal move has no parts"));
    };
    Ok(Formatted {
        iccs: played.to_string(),
        uci: notation::uci(played),
        zh: notation::chinese(&position, played),
        wxf: notation::wxf(&position, played),
        parts: WireParts {
            piece: parts.piece.name_zh(),
            ordinal: parts.ordinal.map(notation::Ordinal::text),
            file: parts.file,
            action: parts.action.name(),
            target: parts.target,
        },
    })
}
