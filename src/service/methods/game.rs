//! `game/*`: games of engines and people.

use std::future::Future;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::go::clock::{Overtime, TimeControl};
use crate::go::{Size, Vertex};
use crate::service::error::{Error, Kind, Result};
use crate::service::games::update::GameUpdate;
use crate::service::games::{Agreed, Ask, Game, WirePlayer, players};
use crate::service::positions::{self, Target};
use crate::service::table::{Cx, Output};
use crate::service::wire::{Done, WireMove, WirePosition};

/// Who plays, from where, under which conditions.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    /// Where the game begins; an empty 19x19 board when absent.
    position: Option<WirePosition>,
    /// Black; when absent the first engine of the list that does not play White.
    black: Option<WirePlayer>,
    /// White; when absent the first engine of the list that does not play Black, else Black's.
    white: Option<WirePlayer>,
    /// The rules, over those of the position.
    rules: Option<String>,
    /// The time of each side; unlimited when absent.
    time: Option<WireTime>,
    /// The game is over after so many moves.
    move_limit: Option<u32>,
    /// At least between two moves when engines play each other; as the settings say (300) when absent.
    move_delay_ms: Option<u64>,
}

/// The time of each side, in seconds.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "Time")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WireTime {
    /// Main time.
    main: Option<f64>,
    /// Periods after it; a move within one gives it back.
    byoyomi: Option<Byoyomi>,
    /// Stretches after it, each for a number of moves.
    canadian: Option<Canadian>,
}

/// Byoyomi.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Byoyomi {
    /// One period.
    seconds: f64,
    /// How many.
    periods: u32,
}

/// Canadian overtime.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Canadian {
    /// The stretch.
    seconds: f64,
    /// Moves in it.
    stones: u32,
}

impl WireTime {
    fn control(self) -> Result<TimeControl> {
        let ms = |seconds: f64, field: &str, least: f64| match (least..=1e7).contains(&seconds) {
            true => Ok((seconds * 1000.0) as u64),
            false => Err(Error::field(field, format!("{field} must be a number of seconds from {least} on"))),
        };
        let count = |count: u32, field: &str| match (1..=10_000).contains(&count) {
            true => Ok(count),
            false => Err(Error::field(field, format!("{field} must be from 1 to 10000"))),
        };
        let overtime = match (self.byoyomi, self.canadian) {
            (None, None) => Overtime::None,
            (Some(Byoyomi { seconds, periods }), None) => Overtime::Byoyomi {
                period: ms(seconds, "time.byoyomi.seconds", 0.001)?,
                periods: count(periods, "time.byoyomi.periods")?,
            },
            (None, Some(Canadian { seconds, stones })) => Overtime::Canadian {
                time: ms(seconds, "time.canadian.seconds", 0.001)?,
                stones: count(stones, "time.canadian.stones")?,
            },
            _ => return Err(Error::field("time", "time: give either byoyomi or canadian")),
        };
        Ok(TimeControl { main: ms(self.main.unwrap_or(0.0), "time.main", 0.0)?, overtime })
    }
}

/// `game/start`
pub async fn start(
    cx: Cx,
    params: Start,
    out: Output<GameUpdate>,
) -> Result<impl Future<Output = GameUpdate> + Send + 'static> {
    let mut target: Target = positions::resolve(&cx.session, &params.position.unwrap_or_default()).await?;
    if params.rules.is_some() {
        target.position.rules = params.rules;
    }
    if params.move_limit == Some(0) {
        return Err(Error::field("moveLimit", "moveLimit must be at least 1"));
    }
    let delay = params.move_delay_ms.unwrap_or(cx.settings().move_delay_ms).min(3_600_000);
    let agreed = Agreed {
        time: params.time.map(WireTime::control).transpose()?,
        limit: params.move_limit,
        delay: Duration::from_millis(delay),
    };
    let players = players::seat_both(&cx, [params.black, params.white]).await?;
    let listed = cx.session.games.list(target.position.size);
    let game = Game::new(cx, listed, target, players, agreed, out.events);
    Ok(game.run(out.stop))
}

/// Which game, which move.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Play {
    game_id: String,
    /// A person's move; the vertex may be `pass` or `resign`.
    #[serde(rename = "move")]
    play: WireMove,
}

/// `game/play`
pub async fn play(cx: Cx, params: Play) -> Result<Done> {
    let size: Size = cx.session.games.size(&params.game_id)?;
    let text = &params.play.vertex;
    let vertex = match text.eq_ignore_ascii_case("resign") {
        true => None,
        false => Some(Vertex::parse_gtp(text, size).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Error::new(Kind::IllegalMove, format!("{shown:?} is no point of a {size} board, pass or resign"))
        })?),
    };
    ask(cx, &params.game_id, Ask::Play(params.play.color.into(), vertex)).await
}

/// Which game.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Which {
    game_id: String,
}

/// `game/pause`
pub async fn pause(cx: Cx, params: Which) -> Result<Done> {
    ask(cx, &params.game_id, Ask::Pause).await
}

/// `game/resume`
pub async fn resume(cx: Cx, params: Which) -> Result<Done> {
    ask(cx, &params.game_id, Ask::Resume).await
}

/// `game/stop`
pub async fn stop(cx: Cx, params: Which) -> Result<Done> {
    ask(cx, &params.game_id, Ask::Stop).await
}

/// Which game, who plays on.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetPlayers {
    game_id: String,
    /// Black from now on; as before when absent.
    black: Option<WirePlayer>,
    /// White from now on; as before when absent.
    white: Option<WirePlayer>,
}

/// `game/setPlayers`
pub async fn set_players(cx: Cx, params: SetPlayers) -> Result<Done> {
    ask(cx, &params.game_id, Ask::SetPlayers([params.black, params.white])).await
}

async fn ask(cx: Cx, game: &str, ask: Ask) -> Result<Done> {
    cx.session.games.ask(game, ask).await?;
    Ok(Done {})
}
