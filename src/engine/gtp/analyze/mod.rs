//! Reading the `info move …` lines that analysing engines print. Pure and allocation-shy.
//!
//! A line is a run of records, each a run of keys with values in any order:
//!
//! ```text
//! info move D4 visits 95 winrate 0.5 order 0 pv D4 Q16 info move … rootInfo visits 96 … ownership 0.1 …
//! ```
//!
//! The rules, taken from what the programs print (Leela Zero, KataGo, SAI, Sayuri, Pachi) and from
//! Sabaki's guide for engine authors:
//!
//! - The scale of a number comes from the command that was sent ([`Dialect`]), never from its size.
//! - A key that is not known here keeps its value raw ([`Extra`]); values are never taken for keys.
//! - A record without move, visits or win rate, or with a vertex off the board, is skipped and
//!   counted; its neighbours are not. The same goes for one number that cannot be used.
//! - `info move null` (Sayuri) is the root; on such a line each `ownership` belongs to its record.
//! - Ownership is kept whole or not at all: a value that is not finite or outside -1..1 makes the
//!   array `None` and is counted, and so is an array of the wrong length.
//! - Standard deviations of ownership are not kept.

mod extra;
mod number;
mod reader;
#[cfg(test)]
mod tests;
mod tokens;

pub use extra::Extra;
pub(in crate::engine) use number::number;
pub(in crate::engine) use reader::within_percent;

use crate::go::{Size, Vertex};
use reader::Reader;
use tokens::{Tokens, Word};

/// The words that are read here; any other is passed on raw as an [`Extra`].
/// `protocol/engines.md` tells engine authors what each means.
pub const KEYS: [&str; 17] = [
    "info",
    "rootInfo",
    "move",
    "order",
    "visits",
    "winrate",
    "scoreLead",
    "scorelead",
    "lcb",
    "prior",
    "pv",
    "pvVisits",
    "isSymmetryOf",
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
];

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

impl Dialect {
    /// The dialect of a command, by its name: `kata-…`; `lz-…` and `sai-…`; all others are plain.
    pub fn of_command(name: &str) -> Dialect {
        if name.starts_with("kata") {
            Dialect::Kata
        } else if name.starts_with("lz-") || name.starts_with("sai") {
            Dialect::Lz
        } else {
            Dialect::Plain
        }
    }
}

/// What to keep of a report. A part that is not kept costs neither memory nor a count in
/// [`Report::skipped`]; skipping an array is several times faster than reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// [`Report::ownership`].
    pub ownership: bool,
    /// [`MoveInfo::moves_ownership`].
    pub moves_ownership: bool,
    /// [`MoveInfo::extra`].
    pub extra: bool,
}

impl Keep {
    /// Everything.
    pub const ALL: Keep = Keep { ownership: true, moves_ownership: true, extra: true };
    /// Moves and root only.
    pub const MOVES: Keep = Keep { ownership: false, moves_ownership: false, extra: false };
}

/// One report: everything that one `info …` line says. Numbers are for the side that was analysed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Candidate moves as the line lists them.
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
    /// The engine's rank, 0 = best; the place in the line where the engine gives none.
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
    pub extra: Extra,
}

impl MoveInfo {
    /// A move of which nothing is known: no visits, 0 percent.
    pub fn new(vertex: Vertex) -> MoveInfo {
        MoveInfo {
            vertex,
            order: 0,
            visits: 0,
            winrate: 0.0,
            score_lead: None,
            lcb: None,
            prior: None,
            pv: Vec::new(),
            symmetry_of: None,
            pv_visits: Vec::new(),
            moves_ownership: None,
            extra: Extra::default(),
        }
    }
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

/// One value for the position, for the side analysed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// Percent, 0..100.
    pub winrate: f64,
    /// Points.
    pub score_lead: Option<f64>,
    /// Of the root where the engine says so, else of all moves together.
    pub visits: u64,
}

impl Report {
    /// The move that the engine puts first: the lowest `order`, the first listed among equals.
    pub fn best(&self) -> Option<&MoveInfo> {
        self.moves.iter().min_by_key(|info| info.order)
    }

    /// The value of the position: what the engine says of the root, else of its first move.
    /// `None` when it says neither.
    pub fn value(&self) -> Option<Value> {
        let root = self.root.as_ref();
        let best = self.best();
        Some(Value {
            winrate: root.and_then(|root| root.winrate).or_else(|| best.map(|best| best.winrate))?,
            score_lead: root
                .and_then(|root| root.score_lead)
                .or_else(|| best.and_then(|best| best.score_lead)),
            visits: self.visits(),
        })
    }

    /// Visits of the root where the engine gives them, else the sum over all moves.
    pub fn visits(&self) -> u64 {
        match &self.root {
            Some(root) if root.visits > 0 => root.visits,
            _ => self.moves.iter().fold(0, |sum, info| sum.saturating_add(info.visits)),
        }
    }

    /// The greatest win rate of all moves however few their visits, in percent. This is what
    /// Sabaki takes for the value of the position.
    pub fn max_winrate(&self) -> Option<f64> {
        self.moves.iter().map(|info| info.winrate).reduce(f64::max)
    }

    /// Makes the numbers those of the other side. Keys in [`MoveInfo::extra`] stay as they were printed.
    pub fn turn(&mut self) {
        // Subtracted from nothing: the opposite of 0 is 0, not -0.
        let opposite = |lead: f64| 0.0 - lead;
        let negate = |values: &mut Option<Vec<f32>>| {
            values.iter_mut().flatten().for_each(|value| *value = 0.0 - *value);
        };
        for info in &mut self.moves {
            info.winrate = 100.0 - info.winrate;
            info.lcb = info.lcb.map(|lcb| 100.0 - lcb);
            info.score_lead = info.score_lead.map(opposite);
            negate(&mut info.moves_ownership);
        }
        if let Some(root) = &mut self.root {
            root.winrate = root.winrate.map(|winrate| 100.0 - winrate);
            root.score_lead = root.score_lead.map(opposite);
        }
        negate(&mut self.ownership);
    }

    /// Takes in the report of the line that follows, if that line only goes on with this report:
    /// it has no moves, or all its moves rank behind those here. Gives it back when it is a new
    /// report. For engines that break a report over several lines.
    pub fn absorb(&mut self, next: Report) -> Option<Report> {
        let last = self.moves.iter().map(|info| info.order).max();
        if next.moves.iter().any(|info| last.is_none_or(|last| info.order <= last)) {
            return Some(next);
        }
        self.moves.extend(next.moves);
        self.root = next.root.or(self.root.take());
        self.ownership = next.ownership.or(self.ownership.take());
        self.skipped = self.skipped.saturating_add(next.skipped);
        None
    }
}

/// Reads one physical line (without its line end) and keeps everything. Never fails: what cannot
/// be used is counted in [`Report::skipped`].
pub fn parse_line(line: &[u8], dialect: Dialect, size: Size) -> Report {
    parse_line_with(line, dialect, size, Keep::ALL)
}

/// Reads one physical line and keeps what is asked for.
pub fn parse_line_with(line: &[u8], dialect: Dialect, size: Size, keep: Keep) -> Report {
    Reader::new(line, dialect, size, keep).report()
}

/// Whether a line of an analysis is a report: its first word is `info` or `rootInfo`.
pub fn is_report_line(line: &[u8]) -> bool {
    matches!(Tokens::new(line).next(), Some(b"info" | b"rootInfo"))
}

/// What ends the answer of a `…genmove_analyze` or `kata-search_analyze` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Played {
    /// The move made, or for a search the move found.
    Vertex(Vertex),
    /// The engine gives up the game.
    Resign,
    /// A cancellable search was stopped.
    Cancelled,
}

/// Reads `play <vertex>`, `play resign`, `play cancelled`; `None` when it is no such line or the
/// vertex lies off the board.
pub fn parse_play(line: &[u8], size: Size) -> Option<Played> {
    let mut tokens = Tokens::new(line);
    tokens.next_if(|token| token == b"play")?;
    let token = tokens.next()?;
    if token.eq_ignore_ascii_case(b"resign") {
        return Some(Played::Resign);
    }
    if token.eq_ignore_ascii_case(b"cancelled") {
        return Some(Played::Cancelled);
    }
    match Word::read(token, size) {
        Word::On(vertex) => Some(Played::Vertex(vertex)),
        _ => None,
    }
}
