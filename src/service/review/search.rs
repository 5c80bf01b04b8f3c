//! One search of one position, and why it may come to nothing.

use std::sync::Arc;

use super::found::Finding;
use crate::engine::gtp::analyze::Report;
use crate::engine::{AnalysisEvent, AnalyzeRequest, EndReason, Ended, Engine, Limit, SearchRequest};
use crate::go::{Color, Position};
use crate::service::engines::Attached;
use crate::service::error::{Error, Kind, Result};
use crate::service::recall::{keep_search, mind};
use crate::service::report::candidates_of;
use crate::service::writeback::Value;

/// Why a review, or the search of one node, goes no further.
pub enum Halt {
    /// Somebody stopped the engine, or let it go.
    Stopped,
    /// Something went wrong.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Halt {
    fn from(error: E) -> Halt {
        let error = error.into();
        // Nothing else cancels a search that is still waited for.
        if error.kind == Kind::Cancelled { Halt::Stopped } else { Halt::Failed(error) }
    }
}

/// How many seconds an engine has for its first word on a position, however short the limit.
const FIRST_WORD: f64 = 120.0;

/// Searches a position: exactly so many visits, or for a time. At most so many `candidates` are kept.
///
/// # Errors
/// `Stopped` when somebody stopped the engine or let it go; errors of the engine, see [`is_about_the_position`].
pub async fn search(
    attached: Arc<Attached>,
    engine: Engine,
    position: Position,
    limit: Limit,
    candidates: usize,
) -> std::result::Result<Finding, Halt> {
    let found = match (limit.visits, limit.seconds) {
        (Some(visits), None) => {
            let before = mind(&attached);
            let search = engine.search(SearchRequest::new(position.clone(), visits)).await?;
            keep_search(&attached, before, &position, &search);
            finding(&search.report, search.color, search.visits, candidates)
        }
        _ => timed(&engine, &position, limit, candidates).await?,
    };
    match found.value {
        Some(_) => Ok(found),
        None => {
            let message = "the engine gave no value for this position";
            Err(Error::new(Kind::EngineRefused, message).into())
        }
    }
}

fn finding(report: &Report, color: Color, visits: u64, candidates: usize) -> Finding {
    let value = |winrate, score_lead| Value::new(color, winrate, score_lead);
    let best = report.best();
    Finding {
        value: report.value().map(|found| value(found.winrate, found.score_lead)),
        line: best.map(|best| line(best.vertex, &best.pv)).unwrap_or_default(),
        line_value: best.map(|best| value(best.winrate, best.score_lead)),
        candidates: candidates_of(report, color, candidates),
        visits,
    }
}

/// The most moves of a line that are kept.
const LINE: usize = 100;

/// The engine's choice and how it goes on; some engines give no variation, or another one.
fn line(choice: crate::go::Vertex, pv: &[crate::go::Vertex]) -> Vec<crate::go::Vertex> {
    match pv.first() == Some(&choice) {
        true => pv.iter().copied().take(LINE).collect(),
        false => vec![choice],
    }
}

/// A search that ends after a time, or a number of visits, whichever comes first. When somebody else
/// takes the engine meanwhile, it is made once more; when the time is over before the engine has said
/// anything, its first word is waited for.
async fn timed(
    engine: &Engine,
    position: &Position,
    limit: Limit,
    candidates: usize,
) -> std::result::Result<Finding, Halt> {
    let mut limit = limit;
    let (mut taken, mut waited) = (false, false);
    loop {
        let ended = analyze(engine, position, limit).await?;
        match (ended.reason, ended.last) {
            (EndReason::Limit | EndReason::Finished, Some(last)) => {
                return Ok(finding(&last.report, last.color, last.visits, candidates));
            }
            // Any first report has a visit.
            (EndReason::Limit, None) if !waited => {
                waited = true;
                limit = Limit { visits: Some(1), seconds: Some(FIRST_WORD) };
            }
            (EndReason::Limit | EndReason::Finished, None) => return Ok(Finding::default()),
            (EndReason::Superseded, _) if !taken => taken = true,
            (EndReason::Superseded, _) => {
                let message = "another request took the engine while this position was looked at";
                return Err(Error::new(Kind::EngineBusy, message).into());
            }
            (EndReason::Stopped, _) => return Err(Halt::Stopped),
            (reason, _) => {
                let gone = || format!("the engine ended the search: {reason:?}");
                let error = ended.error.map(Error::from);
                return Err(error.unwrap_or_else(|| Error::new(Kind::EngineExited, gone())).into());
            }
        }
    }
}

/// One analysis, to its end.
async fn analyze(engine: &Engine, position: &Position, limit: Limit) -> Result<Ended> {
    let request = AnalyzeRequest {
        position: Some(position.clone()),
        limit,
        interval_cs: interval(limit),
        root_info: true,
        ..AnalyzeRequest::default()
    };
    let mut analysis = engine.analyze(request).await?;
    while let Some(event) = analysis.events.next().await {
        if let AnalysisEvent::Ended(ended) = event {
            return Ok(ended);
        }
    }
    Err(Error::new(Kind::EngineExited, "the engine went away during the review"))
}

/// Centiseconds between reports: several in the time that there is.
fn interval(limit: Limit) -> u32 {
    limit.seconds.map_or(10, |seconds| (seconds * 25.0).clamp(1.0, 10.0) as u32)
}

/// Errors that concern one node, not the engine.
pub fn is_about_the_position(error: &Error) -> bool {
    matches!(
        error.kind,
        Kind::SyncFailed
            | Kind::BoardTooLarge
            | Kind::InvalidPosition
            | Kind::EngineRefused
            | Kind::EngineBusy
            | Kind::UnsupportedGame
    )
}
