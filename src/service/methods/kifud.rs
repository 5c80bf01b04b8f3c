//! `kifud/*` and `rpc.discover`: the daemon itself.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::service::engines::{Attached, EngineState};
use crate::service::error::{Error, Kind, Result};
use crate::service::methods::analysis::Watch;
use crate::service::report::{tidy, value_of};
use crate::service::session::Session;
use crate::service::settings::{Change, EngineSettings, Layer, Settings};
use crate::service::table::Cx;
use crate::service::wire::Nothing;
use crate::service::{PROTOCOL, schema, watch};

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

/// Everybody who is there.
#[derive(Serialize, JsonSchema)]
pub struct Sessions {
    /// In the order in which they came.
    sessions: Vec<SessionInfo>,
}

/// A session as others may know of it: numbers and the names of engines, never documents or positions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    session: u64,
    /// Whether it is the one that asks.
    own: bool,
    trusted: bool,
    /// Since it was opened.
    seconds: u64,
    documents: usize,
    /// Running now.
    requests: usize,
    /// Running now.
    streams: usize,
    engines: Vec<SessionEngine>,
    analyses: Vec<SessionAnalysis>,
}

/// An attached engine.
#[derive(Serialize, JsonSchema)]
pub struct SessionEngine {
    name: String,
    state: EngineState,
}

/// A running analysis.
#[derive(Serialize, JsonSchema)]
pub struct SessionAnalysis {
    /// The engine's name.
    engine: String,
    visits: u64,
    /// Black's, in percent. Trusted sessions see those of all, others only their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    winrate: Option<f64>,
}

/// `kifud/sessions`
pub async fn sessions(cx: Cx, _: Nothing) -> Result<Sessions> {
    let mut live = cx.service.live();
    live.sort_by_key(|session| session.id);
    Ok(Sessions { sessions: live.iter().map(|session| session_info(&cx, session)).collect() })
}

fn session_info(cx: &Cx, session: &Session) -> SessionInfo {
    let own = session.id == cx.session.id;
    let engines = session.engines.all();
    let engine = |attached: &Arc<Attached>| SessionEngine {
        name: attached.name.clone(),
        state: attached.engine.state().into(),
    };
    let analysis = |watch: &Arc<Watch>| {
        let (engine, last) = watch.glance();
        let value = last.as_ref().and_then(value_of).filter(|_| own || cx.session.trusted());
        SessionAnalysis {
            engine,
            visits: last.map_or(0, |last| last.visits),
            winrate: value.map(|value| tidy(value.black.winrate)),
        }
    };
    SessionInfo {
        session: session.id,
        own,
        trusted: session.trusted(),
        seconds: session.age(),
        documents: session.documents.count(),
        requests: session.running_requests(),
        streams: session.running_streams(),
        engines: engines.iter().map(engine).collect(),
        analyses: session.engines.watches().iter().map(analysis).collect(),
    }
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

/// What shall be different; nothing: only the settings are wanted. One of the fields at most.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Configure {
    /// Only these settings are answered; all when absent.
    get: Option<Vec<String>>,
    /// Settings for this session alone, on top of all others. `initializationOptions` and
    /// `workspace/didChangeConfiguration` say the same, but replace what was set so before.
    set: Option<Layer>,
    /// One engine more in the user's settings file.
    add_engine: Option<EngineSettings>,
    /// Another engine in place of one in the user's settings file.
    edit_engine: Option<EditEngine>,
    /// One engine less in the user's settings file.
    remove_engine: Option<RemoveEngine>,
}

/// Which engine becomes which.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditEngine {
    /// Its name now.
    name: String,
    /// What it shall be, whole: fields that are absent are removed.
    engine: EngineSettings,
}

/// Which engine goes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveEngine {
    name: String,
}

/// The settings in force for this session.
#[derive(Serialize, JsonSchema)]
pub struct SettingsInForce {
    /// By their names; the documentation lists them. Untrusted sessions see no more of the engines
    /// than their names.
    settings: Map<String, Value>,
    /// The user's settings file, for trusted sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// `kifud/configure`
pub async fn configure(cx: Cx, params: Configure) -> Result<SettingsInForce> {
    let Configure { get, set, add_engine, edit_engine, remove_engine } = params;
    let changes = [
        add_engine.map(Change::Add),
        edit_engine.map(|edit| Change::Edit(edit.name, edit.engine)),
        remove_engine.map(|remove| Change::Remove(remove.name)),
    ];
    let mut changes = changes.into_iter().flatten();
    match (set, changes.next(), changes.next()) {
        (None, None, _) => {}
        (Some(layer), None, _) => {
            layer.check_session()?;
            cx.session.set_layer(layer, false)?;
        }
        (None, Some(change), None) if cx.session.trusted() => {
            let service = cx.service.clone();
            let file = service.settings().origin.file.clone();
            let new_folder = file.filter(|path| path.parent().is_some_and(|folder| !folder.exists()));
            let changed = tokio::task::spawn_blocking(move || service.change_settings(&change)).await;
            changed.map_err(|error| Error::new(Kind::Internal, error.to_string()))??;
            // At the start there was no folder to watch.
            if let Some(Err(error)) = new_folder.map(|path| watch::follow(&cx.service, &path)) {
                tracing::warn!(%error, "the settings file is not watched");
            }
        }
        (None, Some(_), None) => {
            return Err(Error::new(
                Kind::NotTrusted,
                "an untrusted session may not change the settings file",
            ));
        }
        _ => return Err(Error::field("set", "give one of set, addEngine, editEngine and removeEngine")),
    }
    let settings = cx.settings();
    let trusted = cx.session.trusted();
    let file = settings.origin.file.as_ref().filter(|_| trusted).map(|path| path.display().to_string());
    Ok(SettingsInForce { settings: shown(&settings, get.as_deref(), trusted)?, file })
}

/// The settings that were asked for, as far as this client may see them.
fn shown(settings: &Settings, get: Option<&[String]>, trusted: bool) -> Result<Map<String, Value>> {
    let Ok(Value::Object(mut all)) = serde_json::to_value(settings) else {
        return Err(Error::new(Kind::Internal, "the settings cannot be written down"));
    };
    if let Some(key) = get.unwrap_or_default().iter().find(|key| !all.contains_key(*key)) {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        return Err(Error::field(
            "get",
            format!("there is no setting {key:?}; there are {}", known.join(", ")),
        ));
    }
    all.retain(|key, _| get.is_none_or(|keys| keys.contains(key)));
    if !trusted {
        for engine in all.get_mut("engines").and_then(Value::as_array_mut).into_iter().flatten() {
            *engine = serde_json::json!({"name": engine["name"]});
        }
        // Nor does it learn where files are.
        all.entry("tokenFile").and_modify(|path| *path = Value::Null);
        all.entry("log").and_modify(|log| log["folder"] = Value::Null);
        if let Some(listen) = all.get_mut("listen").and_then(Value::as_array_mut) {
            listen.retain(|address| address.as_str().is_some_and(|address| !address.contains('/')));
        }
    }
    Ok(all)
}

/// `rpc.discover`
pub async fn discover(cx: Cx, _: Nothing) -> Result<Value> {
    Ok(schema::openrpc(&cx.service.table))
}
