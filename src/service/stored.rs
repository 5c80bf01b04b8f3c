//! A stored analysis as clients see it: the numbers of a node, and the heat map that its moves had.

use schemars::JsonSchema;
use serde::Serialize;

use super::report::{BlackValue, tidy};
use super::writeback::Value;
use crate::engine::gtp::analyze::{MoveInfo, Report};
use crate::engine::gtp::heatmap::{Mark, Measure, Scale, heatmap};
use crate::go::{Color, Position, Vertex};
use crate::language::Analysis;
use crate::sgf;

/// A stored analysis. Numbers are of the side to move, as in `analysis/update`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredAnalysis {
    /// The property that it was read from; `C` for a comment.
    source: String,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    winrate: Option<f64>,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_lead: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visits: Option<u64>,
    black: StoredBlack,
    /// The moves that the engine thought of, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<StoredCandidate>,
    /// The engine's line, where no candidates are stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pv: Vec<String>,
}

/// The same numbers from Black's side.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredBlack {
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    winrate: Option<f64>,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_lead: Option<f64>,
}

/// A move that an engine thought of, with its mark in the heat map.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredCandidate {
    vertex: String,
    visits: u64,
    /// Percent.
    winrate: f64,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_lead: Option<f64>,
    black: BlackValue,
    pv: Vec<String>,
    /// 1 to 9.
    strength: u8,
    /// As the settings `analysisType` and `analysisValueType` say; empty under 10 visits.
    text: String,
}

/// For a node of this position.
pub fn stored(found: Analysis, position: &Position, (measure, scale): (Measure, Scale)) -> StoredAnalysis {
    let (color, size) = (position.to_play, position.size);
    let spell = |line: &[Vertex]| line.iter().map(|vertex| vertex.to_gtp(size)).collect::<Vec<_>>();
    let own = |candidate: &sgf::Candidate| {
        Value::new(Color::Black, candidate.winrate, candidate.lead).for_color(color)
    };
    let info = |(order, candidate): (usize, &sgf::Candidate)| {
        let value = own(candidate);
        MoveInfo {
            order: order as u32,
            visits: candidate.visits,
            winrate: value.winrate,
            score_lead: value.score_lead,
            ..MoveInfo::new(candidate.vertex)
        }
    };
    let moves = found.candidates.iter().enumerate().map(info).collect();
    let marks = heatmap(&Report { moves, ..Report::default() }, measure, scale);
    let candidate = |(candidate, mark): (&sgf::Candidate, Mark)| {
        let value = own(candidate);
        StoredCandidate {
            vertex: candidate.vertex.to_gtp(size),
            visits: candidate.visits,
            winrate: tidy(value.winrate),
            score_lead: value.score_lead.map(tidy),
            black: BlackValue { winrate: tidy(candidate.winrate), score_lead: candidate.lead.map(tidy) },
            pv: spell(&candidate.line),
            strength: mark.strength,
            text: mark.text.unwrap_or_default(),
        }
    };
    let is_black = color == Color::Black;
    StoredAnalysis {
        source: found.source.to_owned(),
        winrate: found.winrate.map(|rate| tidy(if is_black { rate } else { 100.0 - rate })),
        score_lead: found.lead.map(|lead| tidy(if is_black { lead } else { -lead })),
        visits: found.visits,
        black: StoredBlack { winrate: found.winrate.map(tidy), score_lead: found.lead.map(tidy) },
        candidates: found.candidates.iter().zip(marks).map(candidate).collect(),
        pv: if found.candidates.is_empty() { spell(&found.line) } else { Vec::new() },
    }
}
