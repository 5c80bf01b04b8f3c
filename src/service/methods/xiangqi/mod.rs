//! `xiangqi/*`: the rules engine. Stateless: every request brings its position.

mod moves;
mod search;
mod wire;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use search::{perft, search, think};

use crate::service::error::{Error, Kind, Locale, Result};
use crate::service::table::Cx;
use crate::xiangqi::describe::{self, DescribeOptions};
use crate::xiangqi::notation;
use crate::xiangqi::repetition::{Cycle, History, HistoryFault, MAX_PLIES, Ply, RuleSet};
use crate::xiangqi::status::{Status, StatusOptions, status as status_of};
use crate::xiangqi::{Kind as PieceKind, Language, Move, Position, Side, Square, rules};
use moves::{GivenMove, WireMove, WireNotation};
use wire::{WireBoard, WireSide};

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
pub async fn position(_: Cx, params: PositionParams) -> Result<XiangqiPosition> {
    let position = wire::position_or_start(params.fen.as_deref(), params.position.as_ref())?;
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
pub async fn moves(_: Cx, params: MovesParams) -> Result<Moves> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
    let moves = match params.pseudo {
        Some(true) => {
            position.pseudo_legal_moves().into_iter().map(|m| moves::describe_pseudo(&position, m)).collect()
        }
        _ => position.legal_moves().into_iter().map(|m| moves::describe(&position, m)).collect(),
    };
    Ok(Moves { moves, in_check: position.is_check() })
}

/// A game so far: a start, and the moves that lead to the position asked about.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiHistory")]
#[serde(deny_unknown_fields)]
pub struct WireHistory {
    /// Where it began; the start of a game when absent.
    fen: Option<String>,
    /// In ICCS.
    moves: Vec<String>,
}

/// Reads a history and holds it against the position it has to lead to.
fn history(given: Option<&WireHistory>, position: &Position) -> Result<Option<History>> {
    let Some(given) = given else { return Ok(None) };
    if given.moves.len() > MAX_PLIES {
        return Err(too_long(given.moves.len()));
    }
    let start = match &given.fen {
        Some(fen) => Position::from_fen(fen).map_err(|faults| wire::invalid("history.fen", &faults))?,
        None => Position::start(),
    };
    let moves: Vec<Move> = (given.moves.iter().enumerate())
        .map(|(index, text)| moves::iccs(&format!("history.moves[{index}]"), text))
        .collect::<Result<_>>()?;
    let history = History::new(start, moves).map_err(|fault| match fault {
        HistoryFault::TooLong(plies) => too_long(plies),
        HistoryFault::Illegal { ply, reason, .. } => {
            moves::illegal(&format!("history.moves[{}]", ply - 1), &reason).with("ply", ply)
        }
    })?;
    if history.end().key() != position.key() {
        let end = history.end().to_fen();
        return Err(Error::new(
            Kind::InvalidPosition,
            format!("history: its moves lead to {end}, not to {}", position.to_fen()),
        )
        .with("field", "history")
        .with("code", "history-mismatch")
        .with("reason", "the moves of the history lead to another position")
        .with("reasonZh", "历史着法没有走到所问的局面")
        .with("leadsTo", end));
    }
    Ok(Some(history))
}

fn too_long(plies: usize) -> Error {
    let message = format!("history.moves: {plies} plies are over the limit of {MAX_PLIES}");
    Error::new(Kind::LimitExceeded, message).with("field", "history.moves")
}

/// Whose rules decide about repetitions.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiRules")]
#[serde(rename_all = "lowercase")]
pub enum WireRules {
    /// Only perpetual check loses.
    Basic,
    /// Perpetual check and perpetual chase, as the Asian and World federations have it.
    Asian,
    /// 《象棋竞赛规则 2020》, as far as it can be decided.
    Chinese,
}

impl From<WireRules> for RuleSet {
    fn from(rules: WireRules) -> RuleSet {
        match rules {
            WireRules::Basic => RuleSet::Basic,
            WireRules::Asian => RuleSet::Asian,
            WireRules::Chinese => RuleSet::Chinese,
        }
    }
}

/// What the state is asked of.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiStatusParams")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// The game so far, for repetitions.
    history: Option<WireHistory>,
    /// `asian` when absent.
    rules: Option<WireRules>,
    /// How often a position has to stand before it is ruled; 3 when absent, at least 2.
    occurrences: Option<u32>,
    /// Plies without a capture that make a draw; 120 when absent.
    move_limit: Option<u32>,
}

/// The state of a game.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct XiangqiStatus {
    /// `playing`, `check`, `checkmate`, `stalemate` (a loss), `draw-repetition`, `draw-fifty`,
    /// `draw-perpetual-check` (see `winner`), `perpetual-chase` or `undecided`.
    state: &'static str,
    /// Who has won.
    winner: Option<WireSide>,
    /// Why, as a stable code such as `perpetual-check`.
    code: &'static str,
    /// One sentence.
    reason: String,
    /// The sentence in Chinese.
    reason_zh: String,
    /// How often the position has stood, this time included; 1 without a history.
    repetitions: u32,
    /// What was played since the first of the counted occurrences.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<WireCycle>,
}

/// What made a position come again.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiCycle")]
#[serde(rename_all = "camelCase")]
pub struct WireCycle {
    /// The plies, in order.
    plies: Vec<WirePly>,
}

/// One ply of a cycle and how it was classed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiPly")]
#[serde(rename_all = "camelCase")]
pub struct WirePly {
    /// Its number in the history, from 1.
    ply: usize,
    /// Who moved.
    side: WireSide,
    /// In ICCS.
    iccs: String,
    /// In Chinese.
    zh: String,
    /// `check`, `chase`, `unclear` or `idle`.
    class: &'static str,
    /// What it does, in words.
    detail: String,
    /// The same in Chinese.
    detail_zh: String,
    /// The captures that it newly threatens.
    chases: Vec<WireChase>,
}

/// A capture that a move newly threatens.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiChase")]
pub struct WireChase {
    /// The FEN letter of the piece that could capture.
    hunter: char,
    /// Where it stands.
    from: String,
    /// The FEN letter of the piece that could be captured.
    prey: char,
    /// Where it stands.
    at: String,
    /// Whether every reading of the rules calls it a chase.
    certain: bool,
}

impl XiangqiStatus {
    fn new(status: Status, history: Option<&History>) -> XiangqiStatus {
        XiangqiStatus {
            state: status.state.name(),
            winner: status.winner.map(WireSide::from),
            code: status.reason.code(),
            reason: status.sentence,
            reason_zh: status.reason_zh,
            repetitions: status.repetitions,
            cycle: status.cycle.zip(history).map(|(cycle, history)| WireCycle::new(&cycle, history)),
        }
    }
}

impl WireCycle {
    fn new(cycle: &Cycle, history: &History) -> WireCycle {
        let mut at = history.start().clone();
        let mut next = 0;
        let mut plies = Vec::with_capacity(cycle.plies.len());
        for ply in &cycle.plies {
            for &played in &history.moves()[next..ply.number - 1] {
                at = at.after(played);
            }
            next = ply.number - 1;
            plies.push(WirePly::new(ply, &at));
        }
        WireCycle { plies }
    }
}

impl WirePly {
    fn new(ply: &Ply, before: &Position) -> WirePly {
        let chases: Vec<_> = (ply.chases.iter())
            .map(|chase| WireChase {
                hunter: chase.hunter.to_fen_char(),
                from: chase.from.to_string(),
                prey: chase.prey.to_fen_char(),
                at: chase.at.to_string(),
                certain: chase.doubt.is_none(),
            })
            .collect();
        WirePly {
            ply: ply.number,
            side: ply.side.into(),
            iccs: ply.played.to_string(),
            zh: notation::chinese(before, ply.played),
            class: ply.class().name(),
            detail: ply.text(),
            detail_zh: ply.text_zh(),
            chases,
        }
    }
}

fn options(
    rules: Option<WireRules>,
    occurrences: Option<u32>,
    move_limit: Option<u32>,
) -> Result<StatusOptions> {
    if occurrences.is_some_and(|occurrences| occurrences < 2) {
        return Err(Error::field("occurrences", "occurrences must be at least 2"));
    }
    let mut options = StatusOptions::default();
    options.rules = rules.map_or(options.rules, RuleSet::from);
    options.occurrences = occurrences.unwrap_or(options.occurrences);
    options.move_limit = move_limit.unwrap_or(options.move_limit);
    Ok(options)
}

/// `xiangqi/status`
pub async fn status(_: Cx, params: StatusParams) -> Result<XiangqiStatus> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
    let options = options(params.rules, params.occurrences, params.move_limit)?;
    let history = history(params.history.as_ref(), &position)?;
    Ok(XiangqiStatus::new(status_of(&position, history.as_ref(), &options), history.as_ref()))
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
pub async fn play(_: Cx, params: PlayParams) -> Result<Played> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
    let before = history(params.history.as_ref(), &position)?;
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
pub async fn parse(_: Cx, params: ParseParams) -> Result<Parsed> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
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
pub async fn format(_: Cx, params: FormatParams) -> Result<Formatted> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
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
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
    let history = history(params.history.as_ref(), &position)?;
    let last_move = params.last_move.as_deref().map(|text| moves::iccs("lastMove", text)).transpose()?;
    let language = match (params.language, cx.session.stated_locale()) {
        (Some(WireLanguage::En), _) | (None, Some(Locale::En)) => Language::English,
        _ => Language::Chinese,
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
pub async fn evaluate(_: Cx, params: PositionParams) -> Result<WireEvaluation> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
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
pub async fn square(_: Cx, params: SquareParams) -> Result<PointInfo> {
    let position = wire::position(params.fen.as_deref(), params.position.as_ref())?;
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
