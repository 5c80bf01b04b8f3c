//! Who plays: people and engines, which a game has for itself.

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;

use super::update::PlayerInfo;
use crate::engine::{Lease, Protocol};
use crate::go::Color;
use crate::go::clock::{Clock, TimeControl};
use crate::service::engines::Attached;
use crate::service::error::{Error, Kind, Result};
use crate::service::methods::engine::{attach_own, let_go};
use crate::service::settings::{BUILTIN, EngineSettings};
use crate::service::table::Cx;

/// A player: exactly one of the fields.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Player")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WirePlayer {
    /// An attached engine.
    pub engine_id: Option<String>,
    /// A configured engine by its name: one that is attached and free, else it is started for the game.
    pub engine: Option<String>,
    /// True: a person, who moves with `game/play`.
    pub human: Option<bool>,
}

/// One side's player.
#[derive(Clone)]
pub enum Player {
    /// A person.
    Human,
    /// An engine; the same for both sides when it plays against itself.
    Engine(Arc<Seated>),
}

/// An engine that a game has for itself.
pub struct Seated {
    /// The engine.
    pub attached: Arc<Attached>,
    /// Through this the game speaks to it.
    pub lease: Lease,
    /// Started for the game, and let go with it.
    started_by: Option<Cx>,
    /// Whether it knows of byoyomi periods, once it has been told the time.
    periods: OnceLock<bool>,
}

impl Drop for Seated {
    fn drop(&mut self) {
        if let Some(cx) = self.started_by.take() {
            let_go(&cx, &self.attached);
        }
    }
}

impl Player {
    /// What clients see.
    pub fn info(&self) -> PlayerInfo {
        let seated = self.seated();
        PlayerInfo {
            name: seated.map(|seated| seated.attached.name.clone()),
            engine_id: seated.map(|seated| seated.attached.id.clone()),
            human: seated.is_none(),
        }
    }

    /// The engine, when it is one.
    pub fn seated(&self) -> Option<&Arc<Seated>> {
        match self {
            Player::Human => None,
            Player::Engine(seated) => Some(seated),
        }
    }
}

/// Seats both sides of a new game. A side that is not named is taken by the first engine of the list that does
/// not play the other, or by the same when there is no second.
///
/// # Errors
/// Those of [`seat`]; `EngineNotFound` when there is no engine at all.
pub async fn seat_both(cx: &Cx, wanted: [Option<WirePlayer>; 2]) -> Result<[Player; 2]> {
    let [black, white] = wanted;
    let black = match black {
        Some(player) => Some(seat(cx, &player, &[]).await?),
        None => None,
    };
    let white = match white {
        Some(player) => Some(seat(cx, &player, black.as_slice()).await?),
        None => None,
    };
    Ok(match (black, white) {
        (Some(black), Some(white)) => [black, white],
        (Some(black), None) => {
            let white = next_engine(cx, &black).await?;
            [black, white]
        }
        (None, Some(white)) => [next_engine(cx, &white).await?, white],
        (None, None) => {
            let black = next_engine(cx, &Player::Human).await?;
            let white = next_engine(cx, &black).await?;
            [black, white]
        }
    })
}

/// Seats both sides of a game that was left. White may be whoever plays Black.
///
/// # Errors
/// Those of [`seat`].
pub async fn seat_again(cx: &Cx, wanted: [Option<WirePlayer>; 2]) -> Result<[Player; 2]> {
    let [black, white] = wanted;
    let black = seat(cx, &black.unwrap_or_default(), &[]).await?;
    let white = match white {
        Some(white) => seat(cx, &white, std::slice::from_ref(&black)).await?,
        None => black.clone(),
    };
    Ok([black, white])
}

/// The first engine of the list that does not play the other side; else the other's own.
async fn next_engine(cx: &Cx, other: &Player) -> Result<Player> {
    let free = cx.session.engines.all().into_iter().find_map(|attached| lease(attached, None).ok());
    if let Some(seated) = free {
        return Ok(Player::Engine(Arc::new(seated)));
    }
    let taken = other.seated().map(|seated| seated.attached.configured.clone());
    let settings = cx.settings();
    let able = |engine: &&EngineSettings| plays(engine.protocol()) && Some(&engine.name) != taken.as_ref();
    let configured = settings.engines.iter().find(able);
    // The one in the box is for those who have no other.
    let none = settings.engines.is_empty() && cx.session.engines.all().is_empty();
    let configured = configured.or_else(|| none.then_some(&*BUILTIN).filter(able));
    // Attached engines are the list as long as there is one.
    match (configured, other.seated()) {
        (Some(engine), seated) if seated.is_none_or(|seated| seated.started_by.is_some()) => {
            start(cx, engine.name.as_str()).await
        }
        (_, Some(_)) => Ok(other.clone()),
        (_, None) => {
            let message =
                "there is no engine that could play: attach one, or configure one, or let people play";
            Err(Error::new(Kind::EngineNotFound, message))
        }
    }
}

/// Seats one player; `present` are those of the game already, who may change sides.
///
/// # Errors
/// `InvalidParams`, `EngineNotFound`, `EngineBusy` when somebody else has the engine, `EngineUnsupported` when it
/// cannot play, and those of attaching.
pub async fn seat(cx: &Cx, wanted: &WirePlayer, present: &[Player]) -> Result<Player> {
    match wanted {
        WirePlayer { engine_id: None, engine: None, human: Some(true) } => Ok(Player::Human),
        WirePlayer { engine_id: Some(id), engine: None, human: None | Some(false) } => {
            let here = |player: &&Player| player.seated().is_some_and(|seated| seated.attached.id == *id);
            if let Some(player) = present.iter().find(here) {
                return Ok(player.clone());
            }
            let seated = lease(cx.session.engines.get(id)?, None)?;
            Ok(Player::Engine(Arc::new(seated)))
        }
        WirePlayer { engine_id: None, engine: Some(name), human: None | Some(false) } => {
            let attached = cx.session.engines.all().into_iter();
            let same = attached.filter(|attached| attached.configured == *name);
            let mut unable = None;
            for attached in same {
                match lease(attached, None) {
                    Ok(seated) => return Ok(Player::Engine(Arc::new(seated))),
                    Err(error) if error.kind == Kind::EngineUnsupported => unable = Some(error),
                    Err(_) => {}
                }
            }
            match unable {
                Some(error) => Err(error),
                None => start(cx, name).await,
            }
        }
        _ => Err(Error::field("player", "a player is {engineId}, {engine: name} or {human: true}")),
    }
}

async fn start(cx: &Cx, name: &str) -> Result<Player> {
    let engine = cx.settings().engine(name)?.clone();
    if !plays(engine.protocol()) {
        return Err(cannot_play(name));
    }
    let attached = attach_own(cx, engine).await?;
    Ok(Player::Engine(Arc::new(lease(attached, Some(cx.clone()))?)))
}

/// Whether an engine that speaks this makes moves.
fn plays(protocol: &str) -> bool {
    !protocol.eq_ignore_ascii_case(Protocol::KatagoJson.name())
}

fn cannot_play(name: &str) -> Error {
    let message = format!("{name} does not play: it is an analysis engine; engines that speak GTP play");
    Error::new(Kind::EngineUnsupported, message).with("engine", name)
}

/// Takes an engine for the game.
fn lease(attached: Arc<Attached>, started_by: Option<Cx>) -> Result<Seated> {
    if !plays(&attached.engine.info().protocol) {
        return Err(cannot_play(&attached.name));
    }
    let lease = attached.engine.lease("a game")?;
    Ok(Seated { attached, lease, started_by, periods: OnceLock::new() })
}

impl Seated {
    /// Tells it the time that was agreed, once, where it takes that.
    pub async fn tell_time(&self, control: Option<TimeControl>) {
        if self.periods.get().is_some() {
            return;
        }
        let told = self.lease.set_time(control).await;
        let told = told.inspect_err(|error| tracing::info!(%error, "the engine was not told the time"));
        let _ = self.periods.set(told.is_ok_and(|told| told.is_some_and(|told| told.periods)));
    }

    /// Tells it what a side has left, where it takes that.
    pub async fn tell_time_left(&self, color: Color, clock: Clock) {
        let periods = self.periods.get().is_some_and(|periods| *periods);
        if let Err(error) = self.lease.set_time_left(color, clock, periods).await {
            tracing::info!(%error, "the engine was not told the time left");
        }
    }
}
