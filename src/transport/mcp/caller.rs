//! Who calls a tool: the desk that the work is done at, and the client's ear for how far it is.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

use super::desk::Desk;

/// One call of a tool.
pub struct Caller {
    desk: Arc<Desk>,
    /// Where progress is told, when the client has asked for it.
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
    /// What was told last: the protocol wants numbers that grow.
    told: AtomicU64,
}

impl Caller {
    /// The call that a request asks for.
    pub fn new(desk: Arc<Desk>, context: &RequestContext<RoleServer>) -> Caller {
        let token = context.meta.get_progress_token();
        Caller { desk, listener: token.map(|token| (context.peer.clone(), token)), told: AtomicU64::new(0) }
    }

    /// Tells the client that `done` of `total` are done. A client that does not hear is no reason to stop.
    pub async fn progress(&self, done: u64, total: u64, unit: &str) {
        let Some((peer, token)) = &self.listener else { return };
        if self.told.fetch_max(done, Ordering::Relaxed) >= done {
            return;
        }
        let told = ProgressNotificationParam::new(token.clone(), done as f64)
            .with_total(total as f64)
            .with_message(format!("{done} of {total} {unit}"));
        if let Err(error) = peer.notify_progress(told).await {
            tracing::debug!(%error, "progress could not be told");
        }
    }
}

impl Deref for Caller {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.desk
    }
}
