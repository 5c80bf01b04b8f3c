//! Which engine reviews.

use std::sync::Arc;

use crate::engine::{Engine, Protocol};
use crate::service::engines::Attached;
use crate::service::error::{Error, Kind, Result};
use crate::service::methods::engine::{attach_engine, let_go};
use crate::service::table::Cx;

/// Built for whole games: many positions at once.
const KATAGO_JSON: Protocol = Protocol::KatagoJson;

/// The engine of a review.
pub struct Analyst {
    /// The engine.
    pub attached: Arc<Attached>,
    /// The way to it for work at which nobody looks: it takes turns with analyses.
    pub engine: Engine,
    /// Started for the review, and let go with it.
    started_by: Option<Cx>,
}

impl Drop for Analyst {
    fn drop(&mut self) {
        if let Some(cx) = self.started_by.take() {
            let_go(&cx, &self.attached);
        }
    }
}

/// The engine with this handle.
///
/// # Errors
/// `EngineNotFound`; `EngineUnsupported` when it cannot analyse.
pub fn named(cx: &Cx, id: &str) -> Result<Analyst> {
    able(cx.session.engines.get(id)?, None)
}

/// One that works on many positions at once: attached, else configured; else the first attached one.
///
/// # Errors
/// `EngineNotFound`, `EngineUnsupported`, and those of attaching when there is no other engine.
pub async fn choose(cx: &Cx) -> Result<Analyst> {
    let speaks_json = |attached: &Arc<Attached>| attached.engine.info().protocol == KATAGO_JSON.name();
    let free = |attached: &Arc<Attached>| attached.engine.leased_to().is_none();
    let attached = cx.session.engines.all().into_iter().find(|one| speaks_json(one) && free(one));
    if let Some(attached) = attached {
        return able(attached, None);
    }
    let other = cx.session.engines.analyst(None);
    let settings = cx.settings();
    let configured = settings.engines.iter().find(|engine| engine.protocol() == KATAGO_JSON.name());
    let Some(configured) = configured else { return able(other?, None) };
    match (attach_engine(cx, configured.clone()).await, other) {
        (Ok(attached), _) => able(attached, Some(cx.clone())),
        (Err(error), Ok(other)) => {
            tracing::warn!(%error, engine = configured.name, "another engine reviews instead");
            able(other, None)
        }
        (Err(error), Err(_)) => Err(error),
    }
}

fn able(attached: Arc<Attached>, started_by: Option<Cx>) -> Result<Analyst> {
    let engine = attached.engine.for_batch();
    let analyst = Analyst { attached, engine, started_by };
    if !analyst.attached.engine.info().supports.analyze {
        let name = &analyst.attached.name;
        let message = format!("{name} does not support analysis: it lists no analyze command");
        return Err(Error::new(Kind::EngineUnsupported, message));
    }
    Ok(analyst)
}
