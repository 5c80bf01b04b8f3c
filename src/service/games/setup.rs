//! What a new daemon needs to go on with a game, beside its moves.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::journal::Unfinished;
use super::keeper::Keeper;
use super::players::{Player, WirePlayer};
use super::run::Agreed;
use super::update::{GameInfo, ListedState, PlayerInfo, Sides};
use crate::go::clock::{Clock, Overtime, TimeControl};
use crate::go::{Color, Move, Position};
use crate::service::documents;
use crate::service::error::{Error, Kind, Result};
use crate::service::positions::{self, Place};
use crate::service::wire::{NodeRef, PathStep};
use crate::service::writeback::{Side, Value};
use crate::sgf::line_index::Columns;
use crate::sgf::{self, NewProperty, NewValue, NodeId, Record, new_node};

/// All of that, as it stands on the disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Setup {
    /// The configured names of the engines, Black's first; `None` is a person.
    pub players: [Option<String>; 2],
    /// One process plays both sides.
    one_engine: bool,
    /// The document that the game is written into.
    pub document: Option<String>,
    /// The record that it began in, and where.
    text: String,
    game: u32,
    path: Vec<PathStep>,
    /// The rules when they are not those of the record.
    rules: Option<String>,
    /// Nodes of the journal before the first move.
    nodes: usize,
    time: Option<Time>,
    limit: Option<u32>,
    delay_ms: u64,
}

/// A time control, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Time {
    main: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    byoyomi: Option<(u64, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    canadian: Option<(u64, u32)>,
}

impl From<TimeControl> for Time {
    fn from(TimeControl { main, overtime }: TimeControl) -> Time {
        let none = Time { main, byoyomi: None, canadian: None };
        match overtime {
            Overtime::None => none,
            Overtime::Byoyomi { period, periods } => Time { byoyomi: Some((period, periods)), ..none },
            Overtime::Canadian { time, stones } => Time { canadian: Some((time, stones)), ..none },
        }
    }
}

impl From<Time> for TimeControl {
    fn from(Time { main, byoyomi, canadian }: Time) -> TimeControl {
        let overtime = match (byoyomi, canadian) {
            (Some((period, periods)), _) => Overtime::Byoyomi { period, periods },
            (None, Some((time, stones))) => Overtime::Canadian { time, stones },
            (None, None) => Overtime::None,
        };
        TimeControl { main, overtime }
    }
}

impl Unfinished {
    /// What the list says of it; `None` when its journal is broken.
    pub fn info(&self) -> Option<GameInfo> {
        let (players, moves, to_play) = self.setup.info(&self.text)?;
        Some(GameInfo {
            game_id: self.id.clone(),
            state: ListedState::Unfinished,
            players,
            moves,
            to_play: to_play.into(),
            document: self.setup.document.clone(),
            journal: Some(self.path.display().to_string()),
        })
    }
}

/// A move in a journal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noted {
    /// What was played.
    pub play: Move,
    /// What its engine thought of it.
    pub value: Option<Value>,
    /// The clock of the side that moved.
    pub clock: Option<Clock>,
}

impl Setup {
    /// Of a game that begins. `journal` is the record without its last parenthesis.
    pub fn new(
        keeper: &Keeper,
        journal: &str,
        position: &Position,
        agreed: &Agreed,
        players: &[Player; 2],
    ) -> Setup {
        let base = keeper.base();
        let mut setup = Setup {
            players: [None, None],
            one_engine: false,
            document: base.document.uri.clone(),
            text: base.document.text.to_string(),
            game: base.node.game,
            path: base.node.path.clone(),
            rules: position.rules.clone(),
            nodes: Record::parse(journal.to_owned()).node_count(),
            time: agreed.time.map(Time::from),
            limit: agreed.limit,
            delay_ms: u64::try_from(agreed.delay.as_millis()).unwrap_or(u64::MAX),
        };
        setup.seat(players);
        setup
    }

    /// Others play on.
    pub fn seat(&mut self, players: &[Player; 2]) {
        let [black, white] = players.each_ref().map(Player::seated);
        self.players = [black, white].map(|seated| seated.map(|seated| seated.attached.configured.clone()));
        self.one_engine = black.zip(white).is_some_and(|(black, white)| Arc::ptr_eq(black, white));
    }

    /// What the list says of the game that was left.
    fn info(&self, journal: &str) -> Option<(Sides<PlayerInfo>, u32, Color)> {
        let moves = self.moves(journal).ok()?;
        let to_play = match moves.last() {
            Some(noted) => noted.play.color.opponent(),
            None => positions::at(&self.base().ok()?).ok()?.to_play,
        };
        let [black, white] = self.players.clone().map(|name| {
            let human = name.is_none();
            PlayerInfo { name, engine_id: None, human }
        });
        Some((Sides { black, white }, moves.len() as u32, to_play))
    }

    /// Who played when the game was left; White is `None` when Black's engine plays both.
    pub fn wanted(&self) -> [Option<WirePlayer>; 2] {
        let [black, white] = self.players.clone().map(|name| match name {
            Some(name) => WirePlayer { engine: Some(name), ..WirePlayer::default() },
            None => WirePlayer { human: Some(true), ..WirePlayer::default() },
        });
        [Some(black), Some(white).filter(|_| !self.one_engine)]
    }

    /// What the sides have agreed upon.
    pub fn agreed(&self) -> Agreed {
        Agreed {
            time: self.time.map(TimeControl::from),
            limit: self.limit,
            delay: Duration::from_millis(self.delay_ms),
        }
    }

    /// Where the game began, in a record of its own.
    ///
    /// # Errors
    /// Those of [`positions::find`].
    pub fn base(&self) -> Result<Place> {
        let node = NodeRef { game: Some(self.game), path: Some(self.path.clone()), position: None };
        positions::find(Columns::Utf16, documents::from_text(&self.text), Some(&node))
    }

    /// The place in a document where the game began, when it is still the same position there.
    pub fn place_in(&self, document: Arc<documents::Document>, base: &Position) -> Option<Place> {
        let node = NodeRef { game: Some(self.game), path: Some(self.path.clone()), position: None };
        let place = positions::find(Columns::Utf16, document, Some(&node)).ok()?;
        (positions::at(&place).ok()? == *base).then_some(place)
    }

    /// The position at its beginning, under the game's rules.
    pub fn under_rules(&self, position: Position) -> Position {
        Position { rules: self.rules.clone(), ..position }
    }

    /// The moves in a journal.
    ///
    /// # Errors
    /// `NotFound` when it is none.
    pub fn moves(&self, journal: &str) -> Result<Vec<Noted>> {
        let record = Record::parse(journal.to_owned());
        if self.nodes == 0 || record.node_count() < self.nodes {
            return Err(Error::new(Kind::NotFound, "the journal of the game lacks its beginning"));
        }
        let nodes = (self.nodes..record.node_count()).map(|node| NodeId(node as u32));
        // A node that lost its move is the last one.
        Ok(nodes.map_while(|node| self.noted(&record, node)).collect())
    }

    fn noted(&self, record: &Record, node: NodeId) -> Option<Noted> {
        let (_, play) = sgf::last_move(record, node).filter(|(at, _)| *at == node)?;
        let number = |name: &str| {
            let value = record.values_of(node, name).next()?;
            sgf::value::real(value.raw()).ok()
        };
        let value =
            number("SBKV").map(|winrate| Value { black: Side { winrate, score_lead: number("SBKS") } });
        let [count, time] = clock_properties(play.color);
        let clock = self.time.zip(number(time)).map(|(control, seconds)| {
            let milliseconds = (seconds.max(0.0) * 1000.0).round() as u64;
            Clock::standing(control.into(), milliseconds, number(count).map(|count| count as u32))
        });
        Some(Noted { play, value, clock })
    }
}

/// What is left of a side's time, in SGF: moves or periods, and seconds. In this order: seconds of a node that was
/// being written at a crash are never taken for main time.
fn clock_properties(color: Color) -> [&'static str; 2] {
    match color {
        Color::Black => ["OB", "BL"],
        Color::White => ["OW", "WL"],
    }
}

impl Noted {
    /// The node of a journal.
    pub fn node(&self) -> String {
        let mut more = self.value.map(|value| value.properties()).unwrap_or_default();
        if let Some((time, count)) = self.clock.map(Clock::left) {
            let names = clock_properties(self.play.color);
            let seconds = Some((time as f64 / 1000.0).to_string());
            let numbers = [count.map(|count| count.to_string()), seconds];
            let known = names.into_iter().zip(numbers).filter_map(|(name, number)| Some((name, number?)));
            more.extend(known.map(|(name, number)| (name, [NewValue::text(&number)])));
        }
        let more: Vec<NewProperty<'_>> = more.iter().map(|(name, value)| (*name, value.as_slice())).collect();
        new_node(self.play, &more)
    }
}
