//! The sync planner: what the engine has, what the node wants, what the engine can,
//! in; the commands that bring it there, or a typed refusal, out. Pure.

use crate::go::{Board, Position, Size};

/// How an engine is brought to a position, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// It is there already.
    None,
    /// Only further moves are played.
    Extend,
    /// Moves are taken back to the common prefix, then others played.
    Undo,
    /// Empty board, then everything in game order.
    Replay,
    /// Only the points that differ are played.
    Rearrange,
    /// The final board, stone by stone or with one set-up command.
    Rebuild,
}

/// What an engine can be told, from its `list_commands`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Abilities {
    /// `undo`
    pub undo: bool,
    /// `set_free_handicap`
    pub set_free_handicap: bool,
    /// `rectangular_boardsize`
    pub rectangular_boardsize: bool,
    /// `set_position`
    pub set_position: bool,
    /// `loadsgf`
    pub loadsgf: bool,
    /// `kata-set-rules`
    pub kata_set_rules: bool,
}

/// What the engine is believed to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its board size.
    pub size: Size,
    /// Its komi in points.
    pub komi: Option<f64>,
    /// Its rules, when they were told.
    pub rules: Option<String>,
    /// What was acknowledged since the board was cleared.
    pub history: Vec<Entry>,
    /// The board that follows from the history.
    pub board: Board,
}

/// One acknowledged change of the engine's board. To be extended by the planner.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// One `play`; `undo` takes it back.
    Play(crate::go::Move),
    /// Anything that `undo` cannot be trusted to take back (handicap, set_position, loadsgf).
    Fixed,
}

/// One command of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Sent as it stands; a refusal ends the plan.
    Essential(String),
    /// Sent as it stands; a refusal is reported as lost (rules, komi rounding …), the plan goes on.
    Optional {
        /// The line to send.
        line: String,
        /// What is lost when it is refused: `"rules"` …
        what: &'static str,
    },
    /// The text is written to a temporary file and `loadsgf FILE` is sent; a refusal ends the plan.
    LoadSgf(String),
}

/// Something that the engine could not be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// `komi`, `rules`, `history`, `ko` …
    pub what: &'static str,
    /// One sentence.
    pub why: String,
}

/// The way to a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Its name.
    pub strategy: Strategy,
    /// In order.
    pub commands: Vec<Command>,
    /// What the engine holds once all are acknowledged.
    pub after: Known,
    /// What it cannot be told this way.
    pub lost: Vec<Lost>,
}

/// Why no plan exists.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// Larger than 25x25, or not square and the engine has no `rectangular_boardsize`.
    Size {
        /// The size wanted.
        size: Size,
        /// One sentence.
        why: String,
    },
    /// Stones without liberties stand on the board.
    InvalidPosition {
        /// GTP spelling of the first such point.
        vertex: String,
    },
    /// Every strategy that is left gives another board.
    CannotRecreate,
}

/// Finds the first strategy, in [`Strategy`]'s order, whose board equals the position's.
///
/// `known` is `None` when the engine's board is not known (start, refused command, crash).
/// `banned` are strategies (and forms of rebuild) that the engine has just refused.
pub fn plan(
    _known: Option<&Known>,
    _want: &Position,
    _can: &Abilities,
    _banned: &[Strategy],
) -> Result<Plan, Refusal> {
    Err(Refusal::CannotRecreate)
}
