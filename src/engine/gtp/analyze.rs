//! Reading the `info move …` lines that analysing engines print. Pure and allocation-shy.

use crate::go::{Size, Vertex};

/// How a command prints numbers, known from the command's name, never from their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `kata-…`: probabilities 0..1, score lead in points.
    Kata,
    /// `lz-…`: hundredths of a percent.
    Lz,
    /// Plain `analyze` of a program without a profile: an integer is hundredths of a percent,
    /// a decimal is a probability (Sabaki's guide for engine authors).
    Plain,
}

/// One report: everything that one `info …` line says. Numbers are for the side that was analysed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Candidate moves in the engine's order.
    pub moves: Vec<MoveInfo>,
    /// `rootInfo`, where the engine gives it.
    pub root: Option<RootInfo>,
    /// One value a point, row by row from the top left, +1 = the side analysed.
    pub ownership: Option<Vec<f32>>,
    /// Records and numbers that could not be used (no move, visits or winrate; garbage floats).
    pub skipped: u32,
}

/// One candidate move.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveInfo {
    /// The move.
    pub vertex: Vertex,
    /// The engine's rank, 0 = best.
    pub order: u32,
    /// Visits (0 is possible: only the net has looked).
    pub visits: u64,
    /// Percent, 0..100.
    pub winrate: f64,
    /// Points.
    pub score_lead: Option<f64>,
    /// Lower confidence bound of the win rate, percent; may be negative.
    pub lcb: Option<f64>,
    /// Policy, percent.
    pub prior: Option<f64>,
    /// Principal variation, passes included.
    pub pv: Vec<Vertex>,
    /// The move that this one mirrors.
    pub symmetry_of: Option<Vertex>,
    /// Visits along the pv.
    pub pv_visits: Vec<u64>,
    /// Ownership if this move is played, as [`Report::ownership`].
    pub moves_ownership: Option<Vec<f32>>,
    /// Other keys, raw, in the engine's order.
    pub extra: Vec<(String, String)>,
}

/// What the engine says of the position itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RootInfo {
    /// Visits of the root.
    pub visits: u64,
    /// Percent, 0..100.
    pub winrate: Option<f64>,
    /// Points.
    pub score_lead: Option<f64>,
}

/// Reads one physical line (without its line end).
pub fn parse_line(_line: &[u8], _dialect: Dialect, _size: Size) -> Report {
    Report::default()
}
