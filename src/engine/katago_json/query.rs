//! Queries, as lines to send.

use serde::Serialize;

use super::super::sync::Whole;
use crate::go::{Color, Size, Vertex};

/// KataGo takes 1 to 2^50 visits.
const MOST_VISITS: u64 = 1 << 50;

/// What is asked about a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Query<'a> {
    /// The position.
    pub whole: &'a Whole,
    /// Who moves next.
    pub to_move: Color,
    /// Visits to spend; without end when absent.
    pub visits: Option<u64>,
    /// Centiseconds between reports; absent: the last one only.
    pub every_cs: Option<u32>,
    /// Whether ownership is wanted.
    pub ownership: bool,
    /// Only these first moves.
    pub allow: &'a [Vertex],
    /// Not these first moves. Worked into `allow` where both are given: KataGo takes one of them.
    pub avoid: &'a [Vertex],
    /// Of two queries the one with the greater number is searched first.
    pub priority: i32,
}

/// A request that is no query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Who are you? Answered at once, behind the errors of all queries before it.
    Version,
    /// End the query of this number. Answered at once; the query's last answer follows.
    Terminate(u32),
    /// End all.
    TerminateAll,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    id: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    initial_stones: Vec<[String; 2]>,
    initial_player: &'static str,
    moves: Vec<[String; 2]>,
    rules: &'a str,
    komi: f64,
    #[serde(rename = "boardXSize")]
    width: u8,
    #[serde(rename = "boardYSize")]
    height: u8,
    max_visits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    report_during_search_every: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    include_ownership: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_moves: Option<[Moves; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    avoid_moves: Option<[Moves; 1]>,
    #[serde(skip_serializing_if = "is_zero")]
    priority: i32,
    override_settings: Overrides,
}

/// First moves of one side.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Moves {
    player: &'static str,
    moves: Vec<String>,
    until_depth: u32,
}

/// The configuration file may say that all numbers are for Black or White.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Overrides {
    report_analysis_winrates_as: &'static str,
}

fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl Query<'_> {
    /// The line to send, without its end. The answers carry the number as their id.
    pub fn line(&self, id: u32) -> String {
        let Whole { stones, first, moves, komi, rules, .. } = self.whole;
        let size = stones.size();
        let spell = |color: Color, vertex: Vertex| [color.letter().to_owned(), vertex.to_gtp(size)];
        let line = Line {
            id: id.to_string(),
            initial_stones: stones.stones().map(|(at, color)| spell(color, Vertex::At(at))).collect(),
            initial_player: first.letter(),
            moves: moves.iter().map(|play| spell(play.color, play.vertex)).collect(),
            rules,
            komi: *komi,
            width: size.width(),
            height: size.height(),
            max_visits: self.visits.unwrap_or(MOST_VISITS).clamp(1, MOST_VISITS),
            report_during_search_every: self.every_cs.map(|cs| f64::from(cs.max(1)) / 100.0),
            include_ownership: self.ownership,
            allow_moves: (!self.allow.is_empty()).then(|| {
                let left = self.allow.iter().filter(|vertex| !self.avoid.contains(vertex));
                [self.first_moves(left, size)]
            }),
            avoid_moves: (self.allow.is_empty() && !self.avoid.is_empty())
                .then(|| [self.first_moves(self.avoid.iter(), size)]),
            priority: self.priority,
            override_settings: Overrides { report_analysis_winrates_as: "SIDETOMOVE" },
        };
        serde_json::to_string(&line).unwrap_or_default()
    }

    fn first_moves<'v>(&self, vertices: impl Iterator<Item = &'v Vertex>, size: Size) -> Moves {
        Moves {
            player: self.to_move.letter(),
            moves: vertices.map(|vertex| vertex.to_gtp(size)).collect(),
            until_depth: 1,
        }
    }
}

/// The line of a request that is no query.
pub fn action(id: u32, action: Action) -> String {
    let mut line = serde_json::json!({"id": id.to_string()});
    line["action"] = match action {
        Action::Version => "query_version",
        Action::Terminate(_) => "terminate",
        Action::TerminateAll => "terminate_all",
    }
    .into();
    if let Action::Terminate(query) = action {
        line["terminateId"] = query.to_string().into();
    }
    line.to_string()
}
