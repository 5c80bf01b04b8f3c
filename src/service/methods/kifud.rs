//! `kifud/*` and `rpc.discover`: the daemon itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::service::error::Result;
use crate::service::table::Cx;
use crate::service::wire::Nothing;
use crate::service::{PROTOCOL, schema};

/// What is running.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    version: &'static str,
    protocol: &'static str,
    uptime_seconds: u64,
    sessions: usize,
    engines: usize,
    documents: usize,
    /// Memory in use; 0 where the platform does not tell.
    rss_bytes: u64,
}

/// `kifud/status`
pub async fn status(cx: Cx, _: Nothing) -> Result<Status> {
    let live = cx.service.live();
    Ok(Status {
        version: env!("CARGO_PKG_VERSION"),
        protocol: PROTOCOL,
        uptime_seconds: cx.service.uptime(),
        sessions: live.len(),
        engines: live.iter().map(|session| session.engines.all().len()).sum(),
        documents: live.iter().map(|session| session.documents.count()).sum(),
        rss_bytes: crate::engine::os::rss_bytes(),
    })
}

/// Which request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The id of the request: a number or a string.
    id: Value,
}

/// Whether it was still running.
#[derive(Serialize, JsonSchema)]
pub struct Cancelled {
    cancelled: bool,
}

/// `kifud/cancel`
pub async fn cancel(cx: Cx, params: Cancel) -> Result<Cancelled> {
    Ok(Cancelled { cancelled: cx.session.cancel(&params.id.to_string()) })
}

/// Which stream.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unsubscribe {
    subscription: String,
}

/// Whether it was still running.
#[derive(Serialize, JsonSchema)]
pub struct Ended {
    ended: bool,
}

/// `kifud/unsubscribe`
pub async fn unsubscribe(cx: Cx, params: Unsubscribe) -> Result<Ended> {
    Ok(Ended { ended: cx.session.stop_stream(&params.subscription, "cancelled") })
}

/// `rpc.discover`
pub async fn discover(cx: Cx, _: Nothing) -> Result<Value> {
    Ok(schema::openrpc(&cx.service.table))
}
