//! What can be asked of an engine, and what it answers.

use std::sync::Arc;

use tokio::sync::watch;

use super::gtp::analyze::Report;
use super::slot::Running;
use super::sync::{Lost, Strategy};
use crate::go::{Color, Position, Size, Vertex};

/// How an engine was brought to a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Synced {
    /// The strategy that worked.
    pub strategy: Strategy,
    /// The commands that were sent for it.
    pub commands: Vec<String>,
    /// What the engine could not be told.
    pub lost: Vec<Lost>,
    /// The komi that the engine was told.
    pub komi: Option<f64>,
    /// The rules that the engine was told and accepted.
    pub rules: Option<String>,
    /// The revision of the engine's board.
    pub revision: u64,
}

/// When an analysis ends by itself; no limit when both are absent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limit {
    /// Visits of the whole search. Watched at an interval of at most 5 cs.
    pub visits: Option<u64>,
    /// Seconds from the start (and again from each retarget).
    pub seconds: Option<f64>,
}

/// The analyze commands in the order of preference.
pub const ANALYZE_COMMANDS: [&str; 3] = ["analyze", "kata-analyze", "lz-analyze"];

/// The commands for a move with reports, in the order of preference.
pub const GENMOVE_COMMANDS: [&str; 3] = ["genmove_analyze", "kata-genmove_analyze", "lz-genmove_analyze"];

/// What to analyse, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalyzeRequest {
    /// Where; absent: where the engine is believed to be.
    pub position: Option<Position>,
    /// For whom; absent: the side to move.
    pub color: Option<Color>,
    /// Centiseconds between reports.
    pub interval_cs: u32,
    /// When to stop.
    pub limit: Limit,
    /// Only these first moves.
    pub allow: Vec<Vertex>,
    /// Not these first moves.
    pub avoid: Vec<Vertex>,
    /// At most so many moves in a report, where the engine can be told.
    pub max_moves: Option<u32>,
    /// Ask for ownership, where the engine can be told.
    pub ownership: bool,
    /// Ask for the position's own value, where the engine can be told.
    pub root_info: bool,
    /// The analyze commands to choose from, in this order; those of its
    /// [`super::EngineSpec`] when empty.
    pub order: Vec<String>,
    /// Refuse unless the engine's board has this revision.
    pub if_revision: Option<u64>,
}

impl AnalyzeRequest {
    /// Whether it asks for what not every analyze command can say.
    pub(super) fn says_more(&self) -> bool {
        self.ownership || self.max_moves.is_some()
    }
}

impl Default for AnalyzeRequest {
    fn default() -> AnalyzeRequest {
        AnalyzeRequest {
            position: None,
            color: None,
            interval_cs: 50,
            limit: Limit::default(),
            allow: Vec::new(),
            avoid: Vec::new(),
            max_moves: None,
            ownership: false,
            root_info: true,
            order: Vec::new(),
            if_revision: None,
        }
    }
}

/// Where to move, and for whom.
#[derive(Debug, Clone)]
pub struct GenmoveRequest {
    /// Where; absent: where the engine is believed to be.
    pub position: Option<Position>,
    /// For whom; absent: the side to move.
    pub color: Option<Color>,
    /// Centiseconds between reports, where the engine gives any.
    pub interval_cs: u32,
    /// The commands to choose from, in this order; `genmove` when the engine lists none of them.
    pub order: Vec<String>,
    /// Where the newest report goes while the engine thinks.
    pub reports: Option<watch::Sender<Option<Running>>>,
    /// Refuse unless the engine's board has this revision.
    pub if_revision: Option<u64>,
}

impl Default for GenmoveRequest {
    fn default() -> GenmoveRequest {
        GenmoveRequest {
            position: None,
            color: None,
            interval_cs: 50,
            order: GENMOVE_COMMANDS.map(str::to_owned).to_vec(),
            reports: None,
            if_revision: None,
        }
    }
}

/// What an engine plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenmovePlay {
    /// A stone or a pass.
    Play(Vertex),
    /// It gives up.
    Resign,
}

/// The engine's move. It stands on the engine's own board already.
#[derive(Debug, Clone, PartialEq)]
pub struct Genmove {
    /// Whose move.
    pub color: Color,
    /// Which.
    pub play: GenmovePlay,
    /// The size of the engine's board.
    pub size: Size,
    /// Stones that it takes.
    pub captured: u32,
    /// The last report before the move, where the engine gives any; about the board before it.
    pub report: Option<Running>,
    /// The revision after the move.
    pub revision: u64,
}

/// A search of a given number of visits.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// Where.
    pub position: Position,
    /// For whom; absent: the side to move.
    pub color: Option<Color>,
    /// How many.
    pub visits: u64,
    /// Ask for ownership, where the engine can be told.
    pub ownership: bool,
    /// The analyze commands to choose from when the search has to be watched; those of its
    /// [`super::EngineSpec`] when empty.
    pub order: Vec<String>,
}

impl SearchRequest {
    /// A search for the side to move, with the usual analyze commands.
    pub fn new(position: Position, visits: u64) -> SearchRequest {
        SearchRequest { position, color: None, visits, ownership: false, order: Vec::new() }
    }
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// How the engine came to the position.
    pub synced: Synced,
    /// Whose chances the numbers are.
    pub color: Color,
    /// The last report.
    pub report: Arc<Report>,
    /// Visits that were spent.
    pub visits: u64,
}

/// The engine's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// `=` rather than `?`.
    pub ok: bool,
    /// The text, lines joined by LF.
    pub text: String,
    /// The revision after the command.
    pub revision: u64,
}
