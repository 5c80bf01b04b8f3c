//! `game/*`: games of engines and people.

use std::future::Future;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::go::clock::{Overtime, TimeControl};
use crate::go::{Size, Vertex};
use crate::service::error::{Error, Kind, Result};
use crate::service::games::update::{GameInfo, GameUpdate};
use crate::service::games::{Agreed, Ask, Game, Left, Unfinished, WirePlayer, players};
use crate::service::positions::{self, Target};
use crate::service::stream::Publisher;
use crate::service::table::{Cx, Output};
use crate::service::wire::{Done, Nothing, WireMove, WirePosition};

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
    /// An unfinished game of `game/list`, taken up as it stood; beside it only `black` and `white` may be given, for
    /// other players.
    resume: Option<String>,
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
        let most = 1e7;
        let ms = |seconds: f64, field: &str, least: f64| match (least..=most).contains(&seconds) {
            true => Ok((seconds * 1000.0) as u64),
            false => {
                let message = format!("{field} must be a number of seconds from {least} to {most}");
                Err(Error::field(field, message))
            }
        };
        if self.main.is_none() && self.byoyomi.is_none() && self.canadian.is_none() {
            let message = "time: give main, byoyomi or canadian; without time the game has no clock";
            return Err(Error::field("time", message));
        }
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
        // With nothing after it, no main time is no time at all.
        let least = if overtime == Overtime::None { 0.001 } else { 0.0 };
        Ok(TimeControl { main: ms(self.main.unwrap_or(0.0), "time.main", least)?, overtime })
    }
}

/// `game/start`
pub async fn start(
    cx: Cx,
    params: Start,
    out: Output<GameUpdate>,
) -> Result<impl Future<Output = GameUpdate> + Send + 'static> {
    let game = match params.resume.clone() {
        Some(id) => resumed(cx, &id, params, out.events).await?,
        None => begun(cx, params, out.events).await?,
    };
    Ok(game.run(out.stop))
}

/// A new game.
async fn begun(cx: Cx, params: Start, events: Publisher<GameUpdate>) -> Result<Game> {
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
    Ok(Game::new(cx, listed, target, players, agreed, events))
}

/// A game that was left, as it stood; only its players may be others.
async fn resumed(cx: Cx, id: &str, params: Start, events: Publisher<GameUpdate>) -> Result<Game> {
    let Start { position, rules, time, move_limit, move_delay_ms, black, white, .. } = params;
    let others = position.is_some() || rules.is_some() || time.is_some() || move_limit.is_some();
    if others || move_delay_ms.is_some() {
        let message = "a game that is taken up has its own position, rules, time, moveLimit and moveDelayMs";
        return Err(Error::field("resume", message));
    }
    let taken = unfinished(&cx, id).await?;
    let left = Left::read(&cx.session, taken).await?;
    let [old_black, old_white] = left.setup().wanted();
    // An engine that played both sides still does when only one of them is named.
    let white = match (white, old_white) {
        (Some(white), _) => Some(white),
        (None, None) if black.is_some() => old_black.clone(),
        (None, old) => old,
    };
    let players = players::seat_again(&cx, [black.or(old_black), white]).await?;
    Ok(Game::resumed(cx, left, players, events))
}

/// Takes a game that was left.
async fn unfinished(cx: &Cx, id: &str) -> Result<Unfinished> {
    if !cx.session.trusted() {
        return Err(Error::new(Kind::NotTrusted, "an untrusted session cannot take up games that were left"));
    }
    let nowhere = || Error::new(Kind::NotFound, "games are not journalled: the user has no home");
    let (state, id) = (crate::paths::state_folder().ok_or_else(nowhere)?, id.to_owned());
    on_disk(move || Unfinished::take(&state, &id)).await?
}

/// Works on files, on a thread for that.
async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| {
        Error::new(Kind::Internal, "reading journals failed inside kifud; the log has the place")
    })
}

/// The games there are.
#[derive(Serialize, JsonSchema)]
pub struct List {
    /// Those of this session, and for trusted sessions those that were left, oldest first.
    games: Vec<GameInfo>,
}

/// `game/list`
pub async fn list(cx: Cx, _: Nothing) -> Result<List> {
    let mut games = cx.session.games.all();
    if let Some(state) = crate::paths::state_folder().filter(|_| cx.session.trusted()) {
        games.extend(on_disk(move || Unfinished::list(&state)).await?);
    }
    Ok(List { games })
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
    let answer = ask(cx, &params.game_id, Ask::Resume).await;
    answer.map_err(|mut error| {
        if error.kind == Kind::NotFound {
            error.message += "; an unfinished one is taken up by game/start {\"resume\": gameId}";
        }
        error
    })
}

/// `game/stop`
pub async fn stop(cx: Cx, params: Which) -> Result<Done> {
    let id = params.game_id;
    if cx.session.games.has(&id) || !cx.session.trusted() {
        return ask(cx, &id, Ask::Stop).await;
    }
    match unfinished(&cx, &id).await {
        Ok(unfinished) => {
            on_disk(move || unfinished.discard()).await?;
            Ok(Done {})
        }
        Err(error) => Err(error.with("gameId", id)),
    }
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
