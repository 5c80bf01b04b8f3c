//! `engine/analyze`, `analysis/*`: streams of what engines think.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::to_raw_value;

use super::engine::SyncResult;
use crate::engine::gtp::heatmap::{Measure, Scale};
use crate::engine::{AnalysisEvent, AnalysisId, AnalyzeRequest, EndReason, Ended, Limit, Running};
use crate::go::{Size, Vertex};
use crate::service::ahead;
use crate::service::engines::Attached;
use crate::service::error::{Error, Kind, Result};
use crate::service::events::{Body, Hub, Topic};
use crate::service::positions::{self, Place};
use crate::service::recall::{Asked, Recall};
use crate::service::report::{AnalysisEventOut, AnalysisUpdate, BlackValue, ReportOut, StreamState, View};
use crate::service::report::{candidates_of, tidy, value_of};
use crate::service::settings::{Ahead, AnalysisType, AnalysisValueType, Settings};
use crate::service::stream::{Publisher, StreamEvent};
use crate::service::table::{Cx, Output};
use crate::service::wire::{Done, WireColor, WirePosition};
use crate::service::writeback::{Opinion, WriteBack};

pub use crate::service::review::{game, report};

/// What shall be analysed, and how.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Analyze {
    /// The first attached engine that can analyse when absent.
    engine_id: Option<String>,
    /// The engine's own board when absent.
    position: Option<WirePosition>,
    /// For whom; the side to move when absent.
    color: Option<WireColor>,
    /// Centiseconds between reports; as the settings say (50) when absent.
    interval: Option<u32>,
    /// When to stop by itself; never when absent.
    limit: Option<WireLimit>,
    /// Only these moves.
    allow: Option<Vec<String>>,
    /// Not these moves.
    avoid: Option<Vec<String>>,
    /// At most so many moves a report.
    max_moves: Option<u32>,
    /// Who owns which point.
    ownership: Option<bool>,
    /// The engine's value of the position itself, where it gives one; true when absent.
    root_info: Option<bool>,
    /// A heat map beside the moves.
    heatmap: Option<bool>,
    /// What the heat map's texts show; as the settings say (`winrate`) when absent.
    analysis_type: Option<AnalysisType>,
    /// How they show it; as the settings say (`absolute`) when absent.
    analysis_value_type: Option<AnalysisValueType>,
    /// `end`: SBKV, SBKS and KFCA go into the node when the analysis ends or leaves it.
    write_back: Option<WriteBackWhen>,
    /// Refuse when the engine's board is at another revision.
    if_revision: Option<u64>,
}

/// When an analysis stops by itself.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Limit")]
#[serde(deny_unknown_fields)]
pub struct WireLimit {
    /// After so many visits of the position.
    pub visits: Option<u64>,
    /// After so many seconds.
    pub seconds: Option<f64>,
}

impl WireLimit {
    /// # Errors
    /// `InvalidParams` for nothing at all, and for times that are no times.
    pub fn check(self) -> Result<Limit> {
        if self.visits == Some(0) {
            return Err(Error::field("limit.visits", "limit.visits must be at least 1"));
        }
        if self.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 1e7)) {
            return Err(Error::field("limit.seconds", "limit.seconds must be more than 0, at most 10000000"));
        }
        Ok(Limit { visits: self.visits, seconds: self.seconds })
    }
}

/// When values go into the record.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WriteBackWhen {
    /// Not at all.
    Never,
    /// When the analysis ends or leaves the node.
    End,
}

/// A running analysis, as `analysis/retarget` and `engine/stop` find it.
pub struct Watch {
    attached: Arc<Attached>,
    id: AnalysisId,
    events: Publisher<AnalysisEventOut>,
    hub: Arc<Hub>,
    asked: Asked,
    view: Arc<View>,
    target: Mutex<Target>,
    navigation: Quiet,
}

/// What it looks at now.
struct Target {
    revision: u64,
    place: Option<Place>,
    last: Option<Running>,
    recall: Recall,
    write_back: Option<WriteBack>,
    /// How many candidates are written.
    candidates: usize,
    written: Option<Instant>,
}

/// Between two writes of one stream that moves about.
const WRITE_PAUSE: Duration = Duration::from_secs(5);

impl Watch {
    fn target(&self) -> MutexGuard<'_, Target> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes a report, unless it is about a board that the stream has left, or more is known of this
    /// one.
    fn report(&self, running: Running) {
        let mut target = self.target();
        if running.revision != target.revision || !target.recall.is_outdone_by(&running) {
            return;
        }
        target.recall.note(&running);
        self.show(&mut target, running, false);
    }

    /// Asks the engine to end it.
    async fn stop(&self) {
        if let Err(error) = self.attached.engine.stop(Some(self.id)).await {
            tracing::debug!(%error, "stopping an analysis");
        }
    }

    /// What comes behind its node is looked at now.
    fn look_ahead(&self, settings: &Ahead) {
        let target = self.target();
        if let Some(place) = target.place.clone() {
            ahead::begin(&self.asked, place, &target.recall, settings);
        }
    }

    /// Publishes what is known of a board, unless the stream has left it or knows more by now.
    fn remember(&self, revision: u64, recall: Recall) {
        let mut target = self.target();
        if target.revision != revision {
            return;
        }
        let shown = target.last.as_ref().map_or(0, |last| last.visits);
        let known = recall.known().filter(|known| known.visits > shown).cloned();
        target.recall = recall;
        if let Some(known) = known {
            self.show(&mut target, known, true);
        }
    }

    fn show(&self, target: &mut Target, running: Running, cached: bool) {
        if value_of(&running).is_some() {
            target.last = Some(running.clone());
        }
        let node = target.place.as_ref().map(|place| place.node.clone());
        let (state, view) = (StreamState::Running, self.view.clone());
        let report = ReportOut { state, running, node, view, cached };
        let report = AnalysisEventOut::Report(Box::new(report));
        if self.hub.wants(Topic::Analysis) {
            match to_raw_value(&report) {
                Ok(json) => self.hub.publish(Some(&self.attached.handle()), Body::Analysis(json)),
                Err(error) => tracing::error!(%error, "a report could not be encoded"),
            }
        }
        match cached {
            true => self.events.until_purged(report),
            false => self.events.latest(report),
        }
    }

    /// It is somebody else's turn on the engine. What was found before is told once more: a report that
    /// has not been read yet makes room for this.
    fn wait(&self) {
        let target = self.target();
        let node = target.place.as_ref().map(|place| place.node.clone());
        let (state, view) = (StreamState::Waiting, self.view.clone());
        self.events.latest(match target.last.clone() {
            Some(running) => {
                let cached = target.recall.is_known(&running);
                AnalysisEventOut::Report(Box::new(ReportOut { state, running, node, view, cached }))
            }
            None => AnalysisEventOut::Plain(Box::new(AnalysisUpdate {
                state,
                node,
                engine_id: Some(view.engine_id.clone()),
                revision: Some(target.revision),
                ..AnalysisUpdate::default()
            })),
        });
    }

    /// The engine's name, and what it has said last.
    pub fn glance(&self) -> (String, Option<Running>) {
        (self.attached.name.clone(), self.target().last.clone())
    }

    /// Turns to another node: older reports are dropped, the old node's value is kept for writing.
    fn turn(&self, place: Option<Place>, revision: u64) {
        let mut target = self.target();
        target.keep();
        target.place = place;
        target.revision = revision;
        target.recall = Recall::default();
        self.events.purge();
    }
}

impl Target {
    fn keep(&mut self) {
        let Some(last) = self.last.take() else { return };
        self.recall.keep(&last);
        if let (Some(value), Some(place), Some(write_back)) =
            (value_of(&last), &self.place, &mut self.write_back)
        {
            let candidates = candidates_of(&last.report, last.color, self.candidates);
            write_back.add(place, Opinion { value, candidates });
        }
    }
}

/// `engine/analyze`
pub async fn analyze(
    cx: Cx,
    params: Analyze,
    out: Output<AnalysisEventOut>,
) -> Result<impl Future<Output = AnalysisEventOut> + Send + 'static> {
    let settings = cx.settings();
    let attached = cx.session.engines.analyst(params.engine_id.as_deref())?;
    let target = match &params.position {
        Some(position) => Some(positions::resolve(&cx.session, position).await?),
        None => None,
    };
    let (position, place) = match target {
        Some(target) => (Some(target.position), target.node),
        None => (None, None),
    };
    let size = match &position {
        Some(position) => position.size,
        None => attached.engine.board_size().unwrap_or(Size::STANDARD),
    };
    let request = AnalyzeRequest {
        position,
        color: params.color.map(Into::into),
        interval_cs: params.interval.unwrap_or(settings.analysis_interval).clamp(1, 100_000),
        limit: params.limit.unwrap_or_default().check()?,
        allow: vertices(params.allow.as_deref(), size, "allow")?,
        avoid: vertices(params.avoid.as_deref(), size, "avoid")?,
        max_moves: params.max_moves,
        ownership: params.ownership.unwrap_or(false),
        root_info: params.root_info.unwrap_or(true),
        if_revision: params.if_revision,
        order: settings.analyze_commands.clone(),
    };
    let write_back = write_back(&params, place.as_ref())?;
    let view = Arc::new(View {
        engine_id: attached.id.clone(),
        heatmap: params.heatmap.unwrap_or(false).then(|| label(&params, &settings)),
        ownership: params.ownership.unwrap_or(false),
    });
    let (asked, limit, position) =
        (Asked::new(attached.clone(), &request), request.limit, request.position.clone());
    let mind = asked.mind();
    let analysis = attached.engine.analyze(request).await?;
    let watch = Arc::new(Watch {
        attached: attached.clone(),
        asked,
        view,
        id: analysis.id,
        events: out.events.clone(),
        hub: cx.session.events.clone(),
        target: Mutex::new(Target {
            revision: analysis.synced.revision,
            place,
            last: None,
            recall: Recall::default(),
            write_back,
            candidates: settings.stored_candidates,
            written: None,
        }),
        navigation: Quiet::default(),
    });
    cx.session.engines.watch(&out.id, watch.clone());
    Ok(async move {
        let recall = match &position {
            Some(position) => {
                let color = params.color.map(Into::into);
                watch.asked.at(mind, position, color, &analysis.synced).await
            }
            None => Recall::default(),
        };
        let last = follow(&cx, analysis, &watch, (recall, limit), out.stop).await;
        cx.session.engines.unwatch(&out.id);
        last
    })
}

/// Carries the engine's events to the stream until the end.
async fn follow(
    cx: &Cx,
    mut analysis: crate::engine::Analysis,
    watch: &Watch,
    (recall, limit): (Recall, Limit),
    mut stop: crate::service::table::Stop,
) -> AnalysisEventOut {
    let mut recall = Some(recall);
    let mut asked: Option<&'static str> = None;
    loop {
        let event = tokio::select! {
            event = analysis.events.next() => event,
            reason = stop.reason(), if asked.is_none() => {
                asked = Some(reason);
                watch.stop().await;
                continue;
            }
        };
        match event {
            Some(AnalysisEvent::Started(synced)) => {
                let revision = synced.revision;
                watch.events.send(started(watch, synced.into()));
                let known = recall.take().unwrap_or_default();
                let suffices = known.suffices(limit);
                watch.remember(revision, known);
                if suffices && asked.is_none() {
                    asked = Some("limit");
                    watch.stop().await;
                }
            }
            Some(AnalysisEvent::Running(running)) => watch.report(running),
            Some(AnalysisEvent::Waiting) => watch.wait(),
            Some(AnalysisEvent::Ended(ended)) => {
                let done = matches!(ended.reason, EndReason::Limit | EndReason::Finished);
                let last = finish(cx, watch, ended, asked).await;
                if asked.map_or(done, |asked| asked == "limit") {
                    watch.look_ahead(&cx.settings().ahead);
                }
                return last;
            }
            None => return AnalysisEventOut::ended(asked.unwrap_or("shutdown")),
        }
    }
}

fn started(watch: &Watch, sync: SyncResult) -> AnalysisEventOut {
    let node = watch.target().place.as_ref().map(|place| place.node.clone());
    AnalysisEventOut::Plain(Box::new(AnalysisUpdate {
        state: StreamState::Started,
        engine_id: Some(watch.view.engine_id.clone()),
        revision: Some(sync.revision),
        node,
        sync: Some(sync),
        ..AnalysisUpdate::default()
    }))
}

async fn finish(cx: &Cx, watch: &Watch, ended: Ended, asked: Option<&'static str>) -> AnalysisEventOut {
    if let Some(last) = &ended.last {
        let mut target = watch.target();
        if last.revision == target.revision && target.recall.is_outdone_by(last) {
            target.last = value_of(last).map(|_| last.clone());
        }
    }
    let (write_back, node, shown, cached, revision) = {
        let mut target = watch.target();
        let shown = target.last.clone();
        let cached = shown.as_ref().is_some_and(|shown| target.recall.is_known(shown));
        target.keep();
        let node = target.place.as_ref().map(|place| place.node.clone());
        (target.write_back.take(), node, shown, cached, target.revision)
    };
    let value = shown.as_ref().and_then(value_of);
    let edit = match write_back {
        Some(write_back) => write_back.apply(&cx.session).await,
        None => None,
    };
    let last = shown.as_ref().or(ended.last.as_ref());
    let color = last.map(|last| last.color);
    AnalysisEventOut::Plain(Box::new(AnalysisUpdate {
        state: StreamState::Ended,
        reason: Some(asked.unwrap_or_else(|| reason(ended.reason)).to_owned()),
        engine_id: Some(watch.view.engine_id.clone()),
        node,
        revision: Some(revision),
        color: color.map(Into::into),
        cached: cached.then_some(true),
        visits: last.map(|last| last.visits),
        winrate: color.zip(value).map(|(color, value)| tidy(value.for_color(color).winrate)),
        score_lead: color.zip(value).and_then(|(color, value)| value.for_color(color).score_lead).map(tidy),
        black: value.map(|value| BlackValue {
            winrate: tidy(value.black.winrate),
            score_lead: value.black.score_lead.map(tidy),
        }),
        edit,
        error: ended.error.map(|error| Error::from(error).to_json(cx.session.audience())),
        ..AnalysisUpdate::default()
    }))
}

fn reason(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Stopped => "stopped",
        EndReason::Limit => "limit",
        EndReason::Finished => "finished",
        EndReason::Superseded => "superseded",
        EndReason::EngineExited => "engineExited",
        EndReason::Refused => "refused",
        EndReason::Cancelled => "cancelled",
        EndReason::Shutdown => "shutdown",
        EndReason::Panic => "panic",
    }
}

fn write_back(params: &Analyze, place: Option<&Place>) -> Result<Option<WriteBack>> {
    if params.write_back != Some(WriteBackWhen::End) {
        return Ok(None);
    }
    match place {
        Some(_) => Ok(Some(WriteBack::default())),
        None => Err(Error::field("writeBack", "writeBack needs a position that is a node of a document")),
    }
}

fn label(params: &Analyze, settings: &Settings) -> (Measure, Scale) {
    let measure = params.analysis_type.unwrap_or(settings.analysis_type);
    let scale = params.analysis_value_type.unwrap_or(settings.analysis_value_type);
    (measure.into(), scale.into())
}

fn vertices(texts: Option<&[String]>, size: Size, field: &str) -> Result<Vec<Vertex>> {
    let read = |text: &String| {
        Vertex::parse_gtp(text, size)
            .ok_or_else(|| Error::field(field, format!("{field}: {text:?} is no point of a {size} board")))
    };
    texts.unwrap_or_default().iter().map(read).collect()
}

/// While the cursor moves on, the engine is left alone: it is moved once there was quiet for so long.
const QUIET: Duration = Duration::from_millis(250);

/// Lets only the newest of many requests through, after a moment of quiet.
#[derive(Default)]
struct Quiet {
    newest: tokio::sync::watch::Sender<u64>,
}

impl Quiet {
    /// Waits for the moment of quiet.
    ///
    /// # Errors
    /// `Cancelled` as soon as a newer request has come.
    async fn wait(&self) -> Result<()> {
        let mut newest = self.newest.subscribe();
        let mut mine = 0;
        self.newest.send_modify(|newest| {
            *newest += 1;
            mine = *newest;
        });
        tokio::select! {
            _ = newest.wait_for(|newest| *newest != mine) => {
                let message = "a newer analysis/retarget has taken this one's place";
                Err(Error::new(Kind::Cancelled, message).with("cause", "superseded"))
            }
            () = tokio::time::sleep(QUIET) => Ok(()),
        }
    }
}

/// Which analysis, and where to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retarget {
    subscription: String,
    position: WirePosition,
    /// For whom; the side to move when absent.
    color: Option<WireColor>,
}

/// `analysis/retarget`: moves the engine after a moment of quiet. Of several that come one after
/// the other only the newest is carried out; the others are answered `Cancelled` at once.
pub async fn retarget(cx: Cx, params: Retarget) -> Result<SyncResult> {
    let watch = cx.session.engines.watched(&params.subscription)?;
    let target = positions::resolve(&cx.session, &params.position).await?;
    let color = params.color.map(Into::into);
    watch.navigation.wait().await?;
    let mind = watch.asked.mind();
    let synced = watch.attached.engine.retarget(watch.id, target.position.clone(), color).await?;
    watch.turn(target.node, synced.revision);
    let recall = watch.asked.at(mind, &target.position, color, &synced).await;
    watch.remember(synced.revision, recall);
    let due = {
        let mut target = watch.target();
        // Only an editor can take values now; all others find them in the last event.
        let pause_over = cx.session.editing_client().is_some()
            && target.written.is_none_or(|at| at.elapsed() >= WRITE_PAUSE);
        if pause_over {
            target.written = Some(Instant::now());
        }
        target.write_back.as_mut().filter(|_| pause_over).map(std::mem::take)
    };
    if let Some(due) = due.filter(|due| !due.is_empty()) {
        let session = cx.session.clone();
        tokio::spawn(async move {
            let applied = due.apply(&session).await.is_some_and(|edit| edit.applied == Some(true));
            if !applied && let Some(waiting) = &mut watch.target().write_back {
                waiting.restore(due);
            }
        });
    }
    Ok(synced.into())
}

/// What shall stop: one analysis, or whatever an engine analyses.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopParams {
    engine_id: Option<String>,
    subscription: Option<String>,
}

/// `engine/stop`
pub async fn stop(cx: Cx, params: StopParams) -> Result<Done> {
    match (params.engine_id, params.subscription) {
        (Some(id), None) => {
            cx.session.engines.get(&id)?.engine.stop(None).await?;
        }
        (None, Some(subscription)) => {
            if !cx.session.stop_stream(&subscription, "stopped") {
                let message = format!("there is no running stream {subscription:?} in this session");
                return Err(Error::new(Kind::NotFound, message));
            }
        }
        _ => return Err(Error::field("engineId", "give either engineId or subscription")),
    }
    Ok(Done {})
}
