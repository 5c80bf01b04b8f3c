//! The events of `analysis/update`: what an engine thinks, as clients see it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::methods::engine::SyncResult;
use super::stream::StreamEvent;
use super::wire::{Game, Node, SpelledVertex, SpelledVertices, WireColor};
use super::writeback::{Edit, Value};
use crate::engine::gtp::analyze::{Extra, MoveInfo, Report};
use crate::engine::gtp::heatmap::{Mark, Measure, Scale, heatmap};
use crate::engine::{Info, Running};
use crate::go::{Color, Size, Vertex};
use crate::sgf;

/// One report, or the start or the end of the stream.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnalysisUpdate<'a> {
    pub(super) state: StreamState,
    /// With `ended`: `stopped`, `limit`, `finished`, `superseded`, `nodeRemoved`, `engineExited`,
    /// `refused`, `cancelled`, `shutdown` or `panic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// With `started`: how the engine was brought there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sync: Option<SyncResult>,
    pub(super) game: Game,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine_id: Option<String>,
    /// The node, when the position came from a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<Node>,
    /// The side whose chances the numbers are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<WireColor>,
    /// The engine's board that this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) revision: Option<u64>,
    /// Whether this was found earlier: shown until more is found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cached: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) visits: Option<u64>,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) winrate: Option<f64>,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score_lead: Option<f64>,
    /// The same from Black's side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) black: Option<BlackValue>,
    /// The greatest win rate of all moves, however few its visits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_winrate: Option<f64>,
    /// Candidates, best first as the engine orders them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) moves: Option<Vec<Candidate<'a>>>,
    /// Row by row from the top left, +1 = Black.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ownership: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heatmap: Option<Vec<HeatmapCell>>,
    /// Records and numbers of the engine that could not be read, since the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skipped: Option<u64>,
    /// With `ended`: the change that writes the values into the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edit: Option<Edit>,
    /// With `ended`: what went wrong, as the error of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<serde_json::Value>,
}

/// Where a stream is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StreamState {
    /// The first event.
    Started,
    /// Between.
    Running,
    /// Somebody else's turn on the engine; with what has been found so far.
    Waiting,
    /// The last event.
    #[default]
    Ended,
}

/// A value from Black's side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlackValue {
    /// Percent.
    pub winrate: f64,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_lead: Option<f64>,
}

/// One candidate move.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidate<'a> {
    #[schemars(with = "String")]
    vertex: SpelledVertex,
    /// The engine's rank, 0 = best.
    order: u32,
    visits: u64,
    /// Percent.
    winrate: f64,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_lead: Option<f64>,
    /// Lower confidence bound of the win rate, percent; may be negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    lcb: Option<f64>,
    /// Policy, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<f64>,
    /// Principal variation, passes included.
    #[schemars(with = "Vec<String>")]
    pv: SpelledVertices<'a>,
    /// The move that this one mirrors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    is_symmetry_of: Option<SpelledVertex>,
    /// What else the engine said, as it said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    extra: Option<RawKeys<'a>>,
}

/// Keys and values as the engine wrote them.
#[derive(Debug)]
struct RawKeys<'a>(&'a Extra);

impl Serialize for RawKeys<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

/// One point of a heat map.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HeatmapCell {
    #[schemars(with = "String")]
    vertex: SpelledVertex,
    /// 1 to 9.
    strength: u8,
    /// Empty under 10 visits.
    text: String,
}

impl StreamEvent for AnalysisEventOut {
    fn ended(reason: &str) -> Self {
        AnalysisEventOut::Plain(Box::new(AnalysisUpdate {
            reason: Some(reason.to_owned()),
            ..Default::default()
        }))
    }
}

/// An event of `analysis/update`. Reports are turned into their wire form only when a door takes
/// them: most are replaced by newer ones before.
pub enum AnalysisEventOut {
    /// Started or ended.
    Plain(Box<AnalysisUpdate<'static>>),
    /// A report.
    Report(Box<ReportOut>),
}

/// A report and what belongs beside it.
pub struct ReportOut {
    /// `running`, or `waiting` with what was found before.
    pub(super) state: StreamState,
    pub(super) running: Running,
    pub(super) node: Option<Node>,
    pub(super) view: Arc<View>,
    pub(super) cached: bool,
}

/// How a client wants its reports.
pub(super) struct View {
    pub(super) engine_id: String,
    pub(super) heatmap: Option<(Measure, Scale)>,
    pub(super) ownership: bool,
}

impl Serialize for AnalysisEventOut {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            AnalysisEventOut::Plain(update) => update.serialize(serializer),
            AnalysisEventOut::Report(report) => report.wire().serialize(serializer),
        }
    }
}

impl JsonSchema for AnalysisEventOut {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        AnalysisUpdate::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        AnalysisUpdate::json_schema(generator)
    }
}

impl ReportOut {
    /// A report of an engine that thinks about a move at this node.
    pub fn plain(running: Running, engine_id: &str, node: Option<Node>) -> ReportOut {
        let view = View { engine_id: engine_id.to_owned(), heatmap: None, ownership: false };
        ReportOut { state: StreamState::Running, running, node, view: Arc::new(view), cached: false }
    }

    fn wire(&self) -> AnalysisUpdate<'_> {
        let Running { report, color, size, revision, .. } = &self.running;
        let value = value_of(&self.running);
        let spell = |vertex: &Vertex| SpelledVertex(vertex.spell(*size));
        let moves = report.moves.iter().map(|info| Candidate {
            vertex: spell(&info.vertex),
            order: info.order,
            visits: info.visits,
            winrate: tidy(info.winrate),
            score_lead: info.score_lead.map(tidy),
            lcb: info.lcb.map(tidy),
            prior: info.prior.map(tidy),
            pv: SpelledVertices { list: &info.pv, size: *size },
            is_symmetry_of: info.symmetry_of.as_ref().map(spell),
            extra: (!info.extra.is_empty()).then_some(RawKeys(&info.extra)),
        });
        let sign = if *color == Color::Black { 1.0 } else { -1.0 };
        let ownership = report.ownership.as_ref().filter(|_| self.view.ownership);
        AnalysisUpdate {
            state: self.state,
            engine_id: Some(self.view.engine_id.clone()),
            node: self.node.clone(),
            color: Some((*color).into()),
            revision: Some(*revision),
            cached: self.cached.then_some(true),
            visits: Some(self.running.visits),
            winrate: value.map(|value| tidy(value.for_color(*color).winrate)),
            score_lead: value.and_then(|value| value.for_color(*color).score_lead).map(tidy),
            black: value.map(|value| BlackValue {
                winrate: tidy(value.black.winrate),
                score_lead: value.black.score_lead.map(tidy),
            }),
            max_winrate: report.max_winrate().map(tidy),
            moves: Some(moves.collect()),
            ownership: ownership.map(|values| values.iter().map(|v| tidy(sign * f64::from(*v))).collect()),
            heatmap: self.view.heatmap.map(|(measure, scale)| cells(&heatmap(report, measure, scale), *size)),
            skipped: Some(self.running.skipped),
            ..AnalysisUpdate::default()
        }
    }
}

fn cells(marks: &[Mark], size: Size) -> Vec<HeatmapCell> {
    let cell = |mark: &Mark| HeatmapCell {
        vertex: SpelledVertex(mark.vertex.spell(size)),
        strength: mark.strength,
        text: mark.text.clone().unwrap_or_default(),
    };
    marks.iter().map(cell).collect()
}

/// The value of the position, kept from Black's side.
pub fn value_of(running: &Running) -> Option<Value> {
    let value = running.report.value()?;
    Some(Value::new(running.color, value.winrate, value.score_lead))
}

/// The moves that an engine has looked at, its first choice first, at most so many; numbers are kept from
/// Black's side.
pub fn candidates_of(report: &Report, color: Color, most: usize) -> Vec<sgf::Candidate> {
    let mut looked_at: Vec<_> = report.moves.iter().filter(|info| info.visits > 0).collect();
    looked_at.sort_by_key(|info| info.order);
    let candidate = |info: &MoveInfo| {
        let value = Value::new(color, info.winrate, info.score_lead);
        let line = match info.pv.first() == Some(&info.vertex) {
            true => info.pv.iter().copied().take(sgf::MAX_LINE).collect(),
            false => vec![info.vertex],
        };
        sgf::Candidate {
            vertex: info.vertex,
            visits: info.visits,
            winrate: value.black.winrate,
            lead: value.black.score_lead,
            line,
        }
    };
    looked_at.into_iter().take(most).map(candidate).collect()
}

/// The value of the position after a move, kept from Black's side: the move's own, where the
/// engine gives one. None of an engine for demos: nobody has asked for it.
pub fn value_after(engine: &Info, running: &Running, vertex: Vertex) -> Option<Value> {
    if engine.is_demo() {
        return None;
    }
    let info = running.report.moves.iter().find(|info| info.vertex == vertex);
    match info {
        Some(info) => Some(Value::new(running.color, info.winrate, info.score_lead)),
        None => value_of(running),
    }
}

/// Numbers with as many digits as they are worth: four decimals.
pub fn tidy(number: f64) -> f64 {
    let rounded = (number * 1e4).round() / 1e4;
    if rounded == 0.0 { 0.0 } else { rounded }
}
