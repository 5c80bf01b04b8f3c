//! `engine/*`: attaching programs, putting them on positions, letting them play.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;
use tokio::sync::watch;

use crate::engine::sync::Strategy;
use crate::engine::{Engine, EngineSpec, GenmovePlay, GenmoveRequest, Running, Synced, Tap};
use crate::go::Vertex;
use crate::service::engines::{Attached, EngineInfo, Key};
use crate::service::error::{Error, Kind, Result};
use crate::service::events::{Body, Topic};
use crate::service::played::{Played, Written};
use crate::service::positions;
use crate::service::recall::{self, Results};
use crate::service::recorder::{Ears, Recorder};
use crate::service::report::{AnalysisEventOut, ReportOut, value_after};
use crate::service::review;
use crate::service::settings::EngineSettings;
use crate::service::table::Cx;
use crate::service::wire::{Done, Node, Nothing, WireColor, WireMove, WirePosition};
use crate::service::writeback::Edit;

/// The engines there are.
#[derive(Serialize, JsonSchema)]
pub struct List {
    /// From the settings.
    configured: Vec<Configured>,
    /// Attached by this session.
    attached: Vec<EngineInfo>,
}

/// A configured engine; its arguments stay private.
#[derive(Serialize, JsonSchema)]
pub struct Configured {
    name: String,
    /// Empty for untrusted sessions.
    path: String,
    protocol: String,
}

/// `engine/list`
pub async fn list(cx: Cx, _: Nothing) -> Result<List> {
    let (settings, trusted) = (cx.settings(), cx.session.trusted());
    let configured = settings.available().map(|engine| Configured {
        name: engine.name.clone(),
        path: if trusted { engine.program().to_owned() } else { String::new() },
        protocol: engine.protocol().to_owned(),
    });
    let attached = cx.session.engines.all();
    Ok(List {
        configured: configured.collect(),
        attached: attached.iter().map(|a| EngineInfo::of(a, trusted)).collect(),
    })
}

/// Which engine: by its name in the settings, or spelled out (trusted sessions only).
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// A configured engine.
    name: Option<String>,
    /// An engine that the settings do not know.
    engine: Option<EngineSettings>,
}

/// The engine, through its handshake.
#[derive(Serialize, JsonSchema)]
pub struct AttachedEngine {
    engine: EngineInfo,
}

/// `engine/attach`
pub async fn attach(cx: Cx, params: Attach) -> Result<AttachedEngine> {
    let engine = match (params.name, params.engine) {
        (Some(name), None) => cx.settings().engine(&name)?.clone(),
        (None, Some(engine)) if cx.session.trusted() => engine,
        (None, Some(_)) => {
            let message = "an untrusted session may only attach engines by their configured name";
            return Err(Error::new(Kind::NotTrusted, message));
        }
        _ => return Err(Error::field("name", "give either name or engine")),
    };
    let attached = attach_engine(&cx, engine).await?;
    Ok(AttachedEngine { engine: EngineInfo::of(&attached, cx.session.trusted()) })
}

/// Attaches an engine for the session, and tells how far it is. One that is configured as shared may be used
/// by other sessions already.
///
/// # Errors
/// `LimitExceeded`, `EngineStartFailed`, `EngineTimeout`, and those of the log.
pub async fn attach_engine(cx: &Cx, engine: EngineSettings) -> Result<Arc<Attached>> {
    let shared = engine.shared.unwrap_or(false);
    attach_as(cx, engine, shared).await
}

/// Starts an engine for one piece of work, which nobody shares.
///
/// # Errors
/// Those of [`attach_engine`].
pub async fn attach_own(cx: &Cx, engine: EngineSettings) -> Result<Arc<Attached>> {
    attach_as(cx, engine, false).await
}

async fn attach_as(cx: &Cx, engine: EngineSettings, shared: bool) -> Result<Arc<Attached>> {
    let settings = cx.settings();
    let quit = settings.quit_timeout(&engine);
    let spec = EngineSpec { analyze_commands: settings.analyze_commands.clone(), ..engine.spec()? };
    let setup = review::setup(&spec);
    let (spec, start_in) = cx.session.at_home(spec, engine.base);
    let seat = cx.session.engines.seat(&spec.name, cx.session.trusted());
    let configured = spec.name.clone();
    let key = Key::of(&spec, &start_in);
    let pool = &cx.service.pool;
    // Others who want the same wait for it instead of starting it once more.
    let gate = key.as_ref().filter(|_| shared).map(|key| pool.gate(key));
    let _turn = match &gate {
        Some(gate) => Some(gate.lock().await),
        None => None,
    };
    if let Some(share) = key.as_ref().and_then(|key| pool.find(key, shared)) {
        let engine = share.keeper().join();
        share.ears().add(engine.party(), Recorder::begin(cx, &seat, &spec));
        return Ok(cx.session.engines.insert(seat, configured, engine, share, quit, setup));
    }
    let place = match cx.service.places.take() {
        Err(_) if pool.make_room().await => cx.service.places.take(),
        place => place,
    }?;
    let progress = cx.progress(&format!("Starting {configured}"));
    let ears = Arc::new(Ears::begin(cx, &seat, &spec)?);
    let results = Results::new(cx.service.cache.clone(), setup, &spec, &start_in);
    let tap = Tap::new(ears.clone());
    let engine = Engine::attach_heard(&cx.service.engines, spec, start_in, tap).await.inspect_err(|error| {
        ears.remark(&format!("the engine is not attached: {}", error.message));
    });
    progress.end();
    let engine = engine?;
    let linger = Duration::from_secs(settings.keep_engines_seconds);
    let share = pool.add(key, shared, engine.keeper(), (ears, results), linger, place);
    Ok(cx.session.engines.insert(seat, configured, engine, share, quit, setup))
}

/// Lets an engine go that was started for one piece of work; for the end of that work.
pub fn let_go(cx: &Cx, attached: &Attached) {
    // A daemon that ends lets all engines go by itself.
    let (Ok(attached), Ok(runtime)) =
        (cx.session.engines.remove(&attached.id), tokio::runtime::Handle::try_current())
    else {
        return;
    };
    runtime.spawn(async move { attached.let_go(attached.quit).await });
}

/// Which engine, and how patient.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Detach {
    engine_id: String,
    /// How long the engine may take to quit; as the settings say (3000) when absent.
    timeout_ms: Option<u64>,
}

/// `engine/detach`
pub async fn detach(cx: Cx, params: Detach) -> Result<Done> {
    let attached = cx.session.engines.remove(&params.engine_id)?;
    let timeout = params.timeout_ms.map_or(attached.quit, |ms| Duration::from_millis(ms.min(60_000)));
    // The engine is let go even when the client cancels the wait.
    let detached = tokio::spawn(async move { attached.let_go(timeout).await }).await;
    match detached {
        Ok(_) => Ok(Done {}),
        Err(_) => Err(Error::new(Kind::Internal, "the engine could not be let go; the log has the place")),
    }
}

/// Which engine, which position.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sync {
    engine_id: String,
    position: WirePosition,
}

/// How the engine was brought there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SyncResult {
    /// `none`, `extend`, `undo`, `replay`, `rearrange` or `rebuild`.
    pub strategy: WireStrategy,
    /// What was sent.
    pub commands: Vec<String>,
    /// What the engine could not be told.
    pub lost: Vec<WireLost>,
    /// The komi in force.
    pub komi: Option<f64>,
    /// The rules that were told, when they were.
    pub rules: Option<String>,
    /// Counts the changes of the engine's board.
    pub revision: u64,
}

/// How an engine is brought to a position.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "Strategy")]
#[serde(rename_all = "camelCase")]
pub enum WireStrategy {
    /// It was there.
    None,
    /// Moves were added.
    Extend,
    /// Moves were taken back, others added.
    Undo,
    /// Everything was played from the empty board.
    Replay,
    /// Only the points that differ were played.
    Rearrange,
    /// The board was built anew; the engine knows no history.
    Rebuild,
}

/// Something that the engine could not be told.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Lost")]
pub struct WireLost {
    /// `komi`, `rules`, `history`, `ko` …
    pub what: String,
    /// One sentence.
    pub why: String,
}

impl From<Synced> for SyncResult {
    fn from(synced: Synced) -> SyncResult {
        SyncResult {
            strategy: match synced.strategy {
                Strategy::None => WireStrategy::None,
                Strategy::Extend => WireStrategy::Extend,
                Strategy::Undo => WireStrategy::Undo,
                Strategy::Replay => WireStrategy::Replay,
                Strategy::Rearrange => WireStrategy::Rearrange,
                Strategy::Rebuild(_) => WireStrategy::Rebuild,
            },
            commands: synced.commands,
            lost: synced
                .lost
                .into_iter()
                .map(|lost| WireLost { what: lost.what.to_owned(), why: lost.why })
                .collect(),
            komi: synced.komi,
            rules: synced.rules,
            revision: synced.revision,
        }
    }
}

/// `engine/sync`
pub async fn sync(cx: Cx, params: Sync) -> Result<SyncResult> {
    let attached = cx.session.engines.get(&params.engine_id)?;
    let target = positions::resolve(&cx.session, &params.position).await?;
    Ok(attached.engine.sync(target.position).await?.into())
}

/// Which engine shall play, where, for whom.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Genmove {
    engine_id: String,
    /// The engine's own board when absent.
    position: Option<WirePosition>,
    /// The side to move of the position when absent.
    color: Option<WireColor>,
    /// Refuse when the engine's board is at another revision.
    if_revision: Option<u64>,
}

/// The engine's move.
#[derive(Serialize, JsonSchema)]
pub struct Generated {
    /// Absent when it resigns.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    play: Option<WireMove>,
    /// Stones taken.
    captured: u32,
    resign: bool,
    pass: bool,
    /// What the engine thought last, where it says so; about the board before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<AnalysisEventOut>,
    /// The change that writes the move into the record, when the position was a node of one: a node
    /// with SBKV and SBKS, or for a resignation the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<Edit>,
    /// The move's node, once the change is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<Node>,
    revision: u64,
}

/// `engine/genmove`
pub async fn genmove(cx: Cx, params: Genmove) -> Result<Generated> {
    let attached = cx.session.engines.get(&params.engine_id)?;
    let (position, place) = match &params.position {
        Some(position) => {
            let target = positions::resolve(&cx.session, position).await?;
            (Some(target.position), target.node)
        }
        None => (None, None),
    };
    let settings = cx.settings();
    let (sender, reports) = watch::channel(None);
    let request = GenmoveRequest {
        position,
        color: params.color.map(Into::into),
        interval_cs: settings.analysis_interval,
        order: settings.genmove_analyze_commands.clone(),
        reports: Some(sender),
        if_revision: params.if_revision,
    };
    let node = place.as_ref().map(|place| place.node.clone());
    let answer = tokio::select! {
        answer = attached.engine.genmove(request) => answer?,
        never = tell(&cx, reports, &attached.id, &node) => match never {},
    };
    let vertex = match answer.play {
        GenmovePlay::Play(vertex) => Some(vertex),
        GenmovePlay::Resign => None,
    };
    let info = attached.engine.info();
    let valued = answer.report.as_ref().zip(vertex);
    let value = valued.and_then(|(report, vertex)| value_after(&info, report, vertex));
    let written = match &place {
        Some(place) => {
            Played { color: answer.color, play: answer.play, value }.write(&cx.session, place).await
        }
        None => Written::default(),
    };
    let report = answer.report.map(|running| ReportOut::plain(running, &attached.id, node));
    Ok(Generated {
        play: vertex
            .map(|vertex| WireMove { color: answer.color.into(), vertex: vertex.to_gtp(answer.size) }),
        captured: answer.captured,
        resign: vertex.is_none(),
        pass: vertex == Some(Vertex::Pass),
        analysis: report.map(|report| AnalysisEventOut::Report(Box::new(report))),
        edit: written.edit,
        node: written.node,
        revision: answer.revision,
    })
}

/// Tells those who have subscribed to analyses what the engine thinks, until this is dropped.
pub async fn tell(
    cx: &Cx,
    mut reports: watch::Receiver<Option<Running>>,
    engine_id: &str,
    node: &Option<Node>,
) -> Infallible {
    let engine: Arc<str> = engine_id.into();
    while reports.changed().await.is_ok() {
        let Some(running) = reports.borrow_and_update().clone() else { continue };
        if cx.session.events.wants(Topic::Analysis) {
            let report = Box::new(ReportOut::plain(running, engine_id, node.clone()));
            match to_raw_value(&AnalysisEventOut::Report(report)) {
                Ok(json) => cx.session.events.publish(Some(&engine), Body::Analysis(json)),
                Err(error) => tracing::error!(%error, "a report could not be encoded"),
            }
        }
    }
    std::future::pending().await
}

/// A raw command.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Send {
    engine_id: String,
    /// One line of GTP, without id.
    command: String,
    /// Refuse when the engine's board is at another revision.
    if_revision: Option<u64>,
}

/// What the engine said.
#[derive(Serialize, JsonSchema)]
pub struct Reply {
    /// `=` rather than `?`.
    ok: bool,
    text: String,
    revision: u64,
}

/// `engine/send`
pub async fn send(cx: Cx, params: Send) -> Result<Reply> {
    let attached = cx.session.engines.get(&params.engine_id)?;
    let reply = recall::send(&attached, &params.command, params.if_revision).await?;
    Ok(Reply { ok: reply.ok, text: reply.text, revision: reply.revision })
}
