//! The review of a whole game: every node is searched, a row a node; then once more and deeper where a
//! move lost much or the values swing. What was found is journalled, so that a review that was ended
//! early can go on, and at the end it is written into the record, with better lines for the worst moves.

mod analyst;
mod critical;
mod fingerprint;
mod found;
mod journal;
mod judge;
mod kept;
mod plan;
mod report;
mod row;
mod run;
mod search;
mod summary;
mod verdicts;
mod words;

use std::future::Future;

use analyst::Analyst;
pub use fingerprint::{Fingerprint, setup};
use found::Nodes;
use journal::{Journal, Known};
pub use kept::Reviews;
pub use plan::{Deeper, Review};
pub use report::{ReportAnswer, ReportParams, report};
pub use row::{Count, LossUnit, Row};
use run::Run;

use super::documents;
use super::error::{Error, Kind, Result};
use super::report::StreamState;
use super::table::{Cx, Output};

/// `analysis/game`
///
/// A row comes as soon as its node and the one before it are known, since the loss needs both: in the order
/// of the text, unless the engine works on many positions at once. In the second pass the rows come again of the nodes that were searched
/// deeper, and of the moves behind them whose loss that changes.
pub async fn game(
    cx: Cx,
    params: Review,
    out: Output<Row>,
) -> Result<impl Future<Output = Row> + Send + 'static> {
    let plan = params.plan()?;
    let resume = params.resume.unwrap_or(false);
    if resume && !cx.session.trusted() {
        let message = "an untrusted session's reviews are not journalled, so none can be resumed";
        return Err(Error::new(Kind::NotTrusted, message));
    }
    // Engines that are there already are asked for at once, one that must be started after all else is
    // in order.
    let named = params.engine_id.as_deref().map(|id| analyst::named(&cx, id)).transpose()?;
    let document = documents::resolve(&cx.session, &params.document).await?;
    let (game, variations) = (params.game.unwrap_or(0), params.variations.unwrap_or(false));
    let write = params.write.unwrap_or(false);
    if let Some(file) = document.file.as_ref().filter(|_| write) {
        if !cx.session.trusted() {
            return Err(Error::new(
                Kind::NotTrusted,
                "an untrusted session writes no files, also none that it may read",
            ));
        }
        file.check_writable()?;
    }
    let read = documents::offload(document, move |document| Nodes::of(document.clone(), game, variations));
    let nodes = read.await?;
    let analyst = match named {
        Some(analyst) => analyst,
        None => analyst::choose(&cx).await?,
    };
    let (nodes, journal, known) = journalled(&cx, &analyst, nodes, plan, resume).await?;
    let resumed = resume.then(|| run::resumed(&nodes, &plan, &known));
    Ok(async move {
        out.events.send(Row {
            state: StreamState::Started,
            total: Some(nodes.count()),
            resumed,
            engine_id: Some(analyst.attached.id.clone()),
            ..Row::default()
        });
        let run = Run::new(cx, analyst, nodes, plan, (journal, known), out.events, out.stop);
        run.finish(write).await
    })
}

/// The review's journal, and what is known from an earlier one's.
async fn journalled(
    cx: &Cx,
    analyst: &Analyst,
    nodes: Nodes,
    plan: plan::Plan,
    resume: bool,
) -> Result<(Nodes, Journal, Known)> {
    let folder = crate::paths::state_folder().filter(|_| cx.session.trusted());
    let info = analyst.attached.engine.info();
    let engine = fingerprint::engine(&info, analyst.attached.setup);
    let read = tokio::task::spawn_blocking(move || {
        let mut journal = Journal::begin(folder, engine, &info.name, nodes.size());
        journal.prune();
        let known = match resume {
            true => {
                let wanted = run::keys(&nodes, &plan);
                journal.resume(|key| wanted.contains(key))
            }
            false => Known::new(),
        };
        (nodes, journal, known)
    });
    read.await.map_err(|_| {
        Error::new(Kind::Internal, "reading journals failed inside kifud; the log has the place")
    })
}
