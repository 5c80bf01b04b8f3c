//! `xiangqi/search`, `xiangqi/think`, `xiangqi/perft`: what takes time. They compute on the workers,
//! in turns, and stop when their request is cancelled.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::moves::{self, WireMove};
use super::status::{WireHistory, history};
use super::wire::{self, Asked, WireBoard};
use crate::service::error::{Error, Kind, Result};
use crate::service::report::StreamState;
use crate::service::session::Session;
use crate::service::stream::StreamEvent;
use crate::service::table::{Cx, Output};
use crate::service::work::Turn;
use crate::xiangqi::board::{self, Board};
use crate::xiangqi::search::{self as engine, Best, Limits, Report};
use crate::xiangqi::{Position, notation};

/// The deepest perft over the wire, in plies.
const MAX_PERFT_DEPTH: u32 = 8;

/// What shall be searched, and how long.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiSearchParams")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchParams {
    /// The position.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// The game so far, so that repetitions are seen.
    history: Option<WireHistory>,
    /// Plies, at most 64. 4 when neither depth nor time is given.
    depth: Option<u32>,
    /// Milliseconds, at most 600000. 300 when neither depth nor time is given.
    time_ms: Option<u64>,
    /// Decides between moves of equal value; 1 when absent.
    seed: Option<u64>,
}

/// A search that is ready to run.
struct Task {
    position: Position,
    /// The positions that led to it.
    earlier: Vec<Position>,
    depth: u32,
    time: Duration,
    seed: u64,
}

impl SearchParams {
    async fn task(self, session: &Session) -> Result<Task> {
        let Asked { position, history: known } =
            wire::position(session, self.fen.as_deref(), self.position.as_ref()).await?;
        let history = history(self.history.as_ref(), &position)?.or(known);
        let (depth, time_ms) = engine::depth_and_time(self.depth, self.time_ms);
        limit("depth", u64::from(depth), u64::from(engine::MAX_DEPTH))?;
        limit("timeMs", time_ms, engine::MAX_TIME_MS)?;
        let time = Duration::from_millis(time_ms);
        let earlier = history.map_or_else(Vec::new, |history| history.earlier().collect());
        Ok(Task { position, earlier, depth, time, seed: self.seed.unwrap_or(1) })
    }
}

/// From 1 to the limit.
fn limit(field: &str, value: u64, most: u64) -> Result<()> {
    if value > most {
        let message = format!("{field}: {value} is over the limit of {most}");
        return Err(Error::new(Kind::LimitExceeded, message).with("field", field).with("limit", most));
    }
    if value == 0 {
        return Err(Error::field(field, format!("{field} must be at least 1")));
    }
    Ok(())
}

impl Task {
    /// Searches; the time counts from the moment it is this job's turn.
    fn run(&self, turn: &Turn, report: &mut dyn FnMut(&Report)) -> Best {
        turn.give(self.time);
        let limits = Limits { depth: Some(self.depth), ..Limits::default() };
        engine::search(&self.position, &self.earlier, &limits, self.seed, &|| turn.stop(), report)
    }
}

/// The best move that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "XiangqiBest")]
#[serde(rename_all = "camelCase")]
pub struct WireBest {
    /// Always legal; `null` when there is no legal move.
    #[serde(rename = "move")]
    played: Option<WireMove>,
    /// Centipawns, + = good for the side to move.
    score: i32,
    /// Moves to mate: + when the side to move mates.
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    /// The last complete iteration, in plies; 0 when there is no legal move.
    depth: u32,
    /// Positions looked at.
    nodes: u64,
    /// The line that is expected, in ICCS.
    pv: Vec<String>,
    /// The line in Chinese.
    pv_zh: Vec<String>,
}

impl WireBest {
    fn new(position: &Position, best: &Best) -> WireBest {
        WireBest {
            played: best.played.map(|played| moves::describe(position, played)),
            score: best.score,
            mate: best.mate,
            depth: best.depth,
            nodes: best.nodes,
            pv: best.pv.iter().map(ToString::to_string).collect(),
            pv_zh: notation::chinese_line(position, &best.pv),
        }
    }
}

impl WireBest {
    fn of_iteration(position: &Position, report: &Report) -> WireBest {
        let Report { depth, score, mate, nodes, pv } = report.clone();
        WireBest::new(position, &Best { played: pv.first().copied(), score, mate, depth, nodes, pv })
    }
}

/// `xiangqi/search`
pub async fn search(cx: Cx, params: SearchParams) -> Result<WireBest> {
    let task = params.task(&cx.session).await?;
    let work = move |turn: &Turn| WireBest::new(&task.position, &task.run(turn, &mut |_| ()));
    cx.service.workers.run(cx.session.id, work).await
}

/// An iteration of a search, or its end.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct XiangqiUpdate {
    /// `started`, `running`, and once, last, `ended`.
    state: StreamState,
    /// Why it ended: `limit`, `cancelled`, `refused` (too many computations), `shutdown`, `panic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The newest complete iteration.
    #[serde(flatten)]
    best: Option<WireBest>,
}

impl StreamEvent for XiangqiUpdate {
    fn ended(reason: &str) -> XiangqiUpdate {
        XiangqiUpdate { state: StreamState::Ended, reason: Some(reason.to_owned()), best: None }
    }
}

/// `xiangqi/think`
pub async fn think(
    cx: Cx,
    params: SearchParams,
    mut out: Output<XiangqiUpdate>,
) -> Result<impl Future<Output = XiangqiUpdate> + Send + 'static> {
    let task = params.task(&cx.session).await?;
    out.events.send(XiangqiUpdate { state: StreamState::Started, reason: None, best: None });
    let newest = Arc::new(Mutex::new(None::<WireBest>));
    let keep = newest.clone();
    let events = out.events.clone();
    let work = move |turn: &Turn| {
        let best = task.run(turn, &mut |best| {
            let best = WireBest::of_iteration(&task.position, best);
            *keep.lock().unwrap_or_else(PoisonError::into_inner) = Some(best.clone());
            events.latest(XiangqiUpdate { state: StreamState::Running, reason: None, best: Some(best) });
        });
        WireBest::new(&task.position, &best)
    };
    Ok(async move {
        tokio::select! {
            best = cx.service.workers.run(cx.session.id, work) => match best {
                Ok(best) => XiangqiUpdate { best: Some(best), ..XiangqiUpdate::ended("limit") },
                Err(error) if error.kind == Kind::LimitExceeded => XiangqiUpdate::ended("refused"),
                Err(_) => XiangqiUpdate::ended("panic"),
            },
            reason = out.stop.reason() => {
                let best = newest.lock().unwrap_or_else(PoisonError::into_inner).take();
                XiangqiUpdate { best, ..XiangqiUpdate::ended(reason) }
            }
        }
    })
}

/// What shall be counted.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiPerftParams")]
#[serde(deny_unknown_fields)]
pub struct PerftParams {
    /// The position; the start when neither is given.
    fen: Option<String>,
    /// The position as plain data, instead of `fen`.
    position: Option<WireBoard>,
    /// Plies, 1 to 8.
    depth: u32,
    /// Also the nodes behind each legal move.
    divide: Option<bool>,
}

/// Lines of play of one length.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "XiangqiPerft")]
pub struct Perft {
    /// All of them.
    nodes: u64,
    /// Those that end with a capture.
    captures: u64,
    /// Those that end with a check.
    checks: u64,
    /// Those that end with mate.
    mates: u64,
    /// What it took.
    seconds: f64,
    /// Nodes by the first move, in ICCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<std::collections::BTreeMap<String, u64>>,
}

/// `xiangqi/perft`
pub async fn perft(cx: Cx, params: PerftParams) -> Result<Perft> {
    let Asked { position, .. } =
        wire::position_or_start(&cx.session, params.fen.as_deref(), params.position.as_ref()).await?;
    let depth = params.depth;
    limit("depth", u64::from(depth), u64::from(MAX_PERFT_DEPTH))?;
    let divide = params.divide.unwrap_or(false);
    let work = move |turn: &Turn| count(&Board::from(&position), depth, divide, &|| turn.stop());
    let stopped = || Error::new(Kind::Cancelled, "the count was stopped");
    cx.service.workers.run(cx.session.id, work).await?.ok_or_else(stopped)
}

fn count(board: &Board, depth: u32, divide: bool, stop: board::Stop<'_>) -> Option<Perft> {
    let start = Instant::now();
    let count = board::columns(board, depth, &board::alone, stop)?;
    let seconds = start.elapsed().as_secs_f64();
    let divide = match divide {
        true => {
            let parts = board::divide(board, depth, &board::alone, stop)?;
            Some(parts.into_iter().map(|(played, nodes)| (played.to_string(), nodes)).collect())
        }
        false => None,
    };
    let board::Columns { nodes, captures, checks, mates } = count;
    Some(Perft { nodes, captures, checks, mates, seconds, divide })
}
