//! The rows of a review as clients see them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::service::report::{BlackValue, StreamState};
use crate::service::stream::StreamEvent;
use crate::service::wire::{Node, WireColor};
use crate::service::writeback::Edit;

/// One node of a review, or its start or end. A later row of a node takes the place of its earlier ones.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Where the stream is.
    pub state: StreamState,
    /// With `ended`: `finished`, `budget` (the time was over before all was done), `stopped`, `cancelled`,
    /// `engineExited`, `refused` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// With `started`: how many nodes will be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// With `started`, when `resume` was asked for: how many of them need no search, since an earlier
    /// review has been there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<usize>,
    /// With `started`: the engine's handle; one that was started for the review is let go with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_id: Option<String>,
    /// With `ended`: how many nodes have not been looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<usize>,
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<Node>,
    /// In which pass the row is sent, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<u8>,
    /// How far the pass is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Count>,
    /// Moves up to and with this node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_number: Option<usize>,
    /// The side whose chances the numbers are: who played, at set-up nodes who moves next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<WireColor>,
    /// The move of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// After the move, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
    /// After the move, points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_lead: Option<f64>,
    /// The same from Black's side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<BlackValue>,
    /// What the move lost against the position before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// What `loss` counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_unit: Option<LossUnit>,
    /// The engine's first choice in the position before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Visits spent on this node by its newest search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// Why this node has no numbers, or why the review ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
    /// With `ended`: the change that writes values and better lines into the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
}

/// How far a pass is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Count {
    /// Nodes that it is done with.
    pub done: usize,
    /// Nodes that it has to look at.
    pub total: usize,
}

/// What a loss counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LossUnit {
    /// Points, where the engine tells the score.
    Points,
    /// Percent of win rate.
    Percent,
}

impl StreamEvent for Row {
    fn ended(reason: &str) -> Row {
        Row { reason: Some(reason.to_owned()), ..Row::default() }
    }
}
