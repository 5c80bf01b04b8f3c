//! Ahead of the arrow key: once the position under the cursor is done, an engine that has nothing else
//! to do looks at the next ones of the line, so that they have values when the cursor comes there.
//!
//! The engine refuses this while anybody wants anything of it, and whatever is asked of it ends this at
//! once: nothing is waited for, nothing is told to clients, and the engine's place is the old one.

use super::documents;
use super::positions::{self, Place};
use super::recall::{Asked, Recall};
use super::settings::Ahead;
use crate::engine::{AnalysisEvent, EndReason, Engine, Limit};
use crate::go::Position;

/// Looks at the nodes behind one that an analysis has ended at. `recall` is what that analysis knew.
pub fn begin(asked: &Asked, place: Place, recall: &Recall, ahead: &Ahead) {
    let (Some(ahead_of), true) = (asked.ahead(), ahead.nodes > 0) else { return };
    let (recall, limit) = (recall.elsewhere(), Limit { visits: Some(ahead.visits), seconds: None });
    let nodes = ahead.nodes;
    tokio::spawn(async move {
        let document = place.document.clone();
        let next = documents::offload(document, move |_| Ok(next(&place, nodes))).await;
        let Ok(next) = next else { return };
        let engine = ahead_of.attached().engine.for_ahead();
        for position in next {
            if !look(&engine, &ahead_of, &recall, position, limit).await {
                return;
            }
        }
    });
}

/// The positions that come next, up to the first that cannot be shown to an engine.
fn next(place: &Place, nodes: usize) -> Vec<Position> {
    let Ok(record) = place.document.record() else { return Vec::new() };
    let line = std::iter::successors(record.children(place.id).next(), |node| record.children(*node).next());
    let at = |id| positions::at(&Place { id, ..place.clone() }).ok();
    line.take(nodes).map_while(at).collect()
}

/// Looks at one position; whether to go on.
async fn look(engine: &Engine, asked: &Asked, cursor: &Recall, position: Position, limit: Limit) -> bool {
    if asked.again(&position, cursor).await.is_some_and(|recall| recall.suffices(limit)) {
        return true;
    }
    let mind = asked.mind();
    let Ok(mut analysis) = engine.analyze(asked.about(position.clone(), limit)).await else { return false };
    let mut recall = asked.at(mind, &position, None, &analysis.synced).await;
    if recall.suffices(limit) {
        return true;
    }
    while let Some(event) = analysis.events.next().await {
        if let AnalysisEvent::Ended(ended) = event {
            if let Some(last) = &ended.last {
                recall.keep(last);
            }
            return matches!(ended.reason, EndReason::Limit | EndReason::Finished);
        }
    }
    false
}
