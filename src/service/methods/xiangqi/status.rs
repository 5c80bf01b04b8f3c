//! `xiangqi/status`, and the histories that several methods take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::moves;
use super::wire::{self, Asked, WireBoard, WireSide};
use crate::service::error::{Error, Kind, Result};
use crate::service::table::Cx;
use crate::xiangqi::notation;
use crate::xiangqi::repetition::{Cycle, History, HistoryFault, MAX_PLIES, Ply, RuleSet};
use crate::xiangqi::status::{Status, StatusOptions, status as status_of};
use crate::xiangqi::{Move, Position};

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
///
/// # Errors
/// `IllegalMove` that names the ply, `InvalidPosition` when it leads elsewhere, `LimitExceeded`.
pub fn history(given: Option<&WireHistory>, position: &Position) -> Result<Option<History>> {
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
    /// Plies without a capture that make a draw; 120 when absent, 0: no number does.
    move_limit: Option<u32>,
}

/// The state of a game.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct XiangqiStatus {
    /// `playing`, `check`, `checkmate`, `stalemate` (a loss), `draw-repetition`, `draw-fifty`,
    /// `draw-perpetual-check` and `perpetual-chase` (who offends loses; without a `winner` both do, a
    /// draw) or `undecided`.
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
    /// A status on the wire, with the plies of its cycle in Chinese too.
    pub fn new(status: Status, history: Option<&History>) -> XiangqiStatus {
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

pub fn options(
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
pub async fn status(cx: Cx, params: StatusParams) -> Result<XiangqiStatus> {
    let Asked { position, .. } =
        wire::position(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let options = options(params.rules, params.occurrences, params.move_limit)?;
    let history = history(params.history.as_ref(), &position)?;
    Ok(XiangqiStatus::new(status_of(&position, history.as_ref(), &options), history.as_ref()))
}
