//! The events of `game/update`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::go::Color;
use crate::go::clock::Clock;
use crate::service::report::BlackValue;
use crate::service::stream::StreamEvent;
use crate::service::wire::{Node, WireColor, WireMove};
use crate::service::writeback::Edit;

/// Something that happened in a game, or its start or end.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameUpdate {
    pub(super) state: GameState,
    /// With `ended`: `finished` (the verdict says how), `stopped`, `engineExited`, `refused`, `cancelled`,
    /// `shutdown` or `panic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// The session's handle of the game.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) game_id: String,
    /// Who is to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_play: Option<WireColor>,
    /// Who plays, with `started` and after `game/setPlayers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) players: Option<Sides<PlayerInfo>>,
    /// The move that was made.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) play: Option<WireMove>,
    /// The moves of this game, passes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) moves: Option<u32>,
    /// Stones that the move took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) captured: Option<u32>,
    /// What the engine that made the move thinks of it, as Black sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) black: Option<BlackValue>,
    /// The time that the sides have left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clocks: Option<Sides<ClockInfo>>,
    /// The change that writes this into the record; for a game without an open document, the whole record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edit: Option<Edit>,
    /// The node of the last move, once the change is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<Node>,
    /// With `ended`: the result as records write it, `B+3.5`, `W+Resign`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<String>,
    /// With `ended`: how the game came to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<Verdict>,
    /// With a result in points: who has counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<Score>,
    /// With `started`: the file that the game is journalled in until it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) journal: Option<String>,
    /// With `ended`: what went wrong, as the error of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<serde_json::Value>,
}

/// Where a game is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GameState {
    /// The first event.
    Started,
    /// Between.
    Running,
    /// Paused.
    Waiting,
    /// The last event.
    #[default]
    Ended,
}

/// Something of both sides.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Sides<T> {
    /// Black's.
    #[serde(rename = "B")]
    pub black: T,
    /// White's.
    #[serde(rename = "W")]
    pub white: T,
}

/// Who plays a side.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerInfo {
    /// The engine's name; absent for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The engine's handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_id: Option<String>,
    /// Whether a person plays.
    pub human: bool,
}

/// A game in the list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameInfo {
    /// Its handle; of an unfinished game, the name of its journal.
    pub game_id: String,
    /// Where it is.
    pub state: ListedState,
    /// Who plays, or played.
    pub players: Sides<PlayerInfo>,
    /// The moves of this game, passes included.
    pub moves: u32,
    /// Who is to move.
    pub to_play: WireColor,
    /// The document that it is written into; absent when it has a record of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The file that it is journalled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
}

/// Where a game of the list is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ListedState {
    /// It is played in this session.
    Running,
    /// The same, and paused.
    Waiting,
    /// It was left, by a crash or by its client, and can be taken up again.
    Unfinished,
}

/// The time of one side.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClockInfo {
    /// Main time left.
    pub main_ms: u64,
    /// Left of the period or of the stretch.
    pub overtime_ms: u64,
    /// Periods left, or moves to make in the stretch.
    pub count: u32,
}

impl From<Clock> for ClockInfo {
    fn from(clock: Clock) -> ClockInfo {
        ClockInfo { main_ms: clock.main, overtime_ms: clock.overtime, count: clock.count }
    }
}

/// How a game came to its end.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// By what.
    pub by: VerdictBy,
    /// The side that resigned, broke the rules, ran out of time or whose engine failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offender: Option<WireColor>,
    /// With `illegalMove`: what the engine wanted to play, and why it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What ends a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum VerdictBy {
    /// A side has given up.
    Resign,
    /// Both have passed, one after the other.
    Passes,
    /// A side has no time left.
    Time,
    /// An engine has played what the rules do not allow.
    IllegalMove,
    /// So many moves have been made as were agreed upon.
    MoveLimit,
    /// An engine has ended, and again after it was started again.
    EngineExited,
}

/// Who has counted the points.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// How.
    pub by: ScoreBy,
    /// With `finalScore`: the engine that has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_id: Option<String>,
}

/// How points are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ScoreBy {
    /// An engine was asked.
    FinalScore,
    /// Stones and what they surround, with every stone on the board alive.
    Area,
}

impl GameUpdate {
    /// The move that a side has made.
    pub(super) fn moved(color: Color, vertex: String) -> GameUpdate {
        let play = Some(WireMove { color: color.into(), vertex });
        GameUpdate { state: GameState::Running, play, ..GameUpdate::default() }
    }
}

impl StreamEvent for GameUpdate {
    fn ended(reason: &str) -> GameUpdate {
        GameUpdate { reason: Some(reason.to_owned()), ..GameUpdate::default() }
    }
}
