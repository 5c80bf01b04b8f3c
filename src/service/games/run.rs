//! One game, from its first move to its record: the loop of its task.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::to_raw_value;
use tokio::sync::{oneshot, watch};

use super::journal::Journal;
use super::keeper::{Keeper, won_by};
use super::players::{Player, Seated};
use super::score;
use super::seating::{Changed, Seating, seated};
use super::setup::{Noted, Setup};
use super::update::{
    ClockInfo, GameInfo, GameState, GameUpdate, ListedState, Score, Sides, Verdict, VerdictBy,
};
use super::{Ask, Asked, Listed};
use crate::engine::{EngineError, ErrorKind, Genmove, GenmovePlay, GenmoveRequest};
use crate::go::clock::{Clock, TimeControl};
use crate::go::referee::{Fault, Over, Played, Referee};
use crate::go::{Color, Move, Position, Step, Vertex};
use crate::service::error::{Audience, Error, Kind, Result};
use crate::service::events::{Body, Topic};
use crate::service::methods::engine::tell;
use crate::service::report::{BlackValue, value_after};
use crate::service::stream::Publisher;
use crate::service::table::{Cx, Stop};
use crate::service::wire::Node;
use crate::service::writeback::{Edit, Value};

/// What the sides have agreed upon.
pub struct Agreed {
    /// The time of each side.
    pub time: Option<TimeControl>,
    /// The most moves.
    pub limit: Option<u32>,
    /// At least between two moves of engines.
    pub delay: Duration,
}

/// A game that is played.
pub struct Game {
    pub(super) cx: Cx,
    pub(super) listed: Listed,
    pub(super) agreed: Agreed,
    pub(super) players: [Player; 2],
    pub(super) position: Position,
    pub(super) referee: Referee,
    pub(super) clocks: Option<[Clock; 2]>,
    pub(super) keeper: Keeper,
    pub(super) journal: Journal,
    pub(super) events: Publisher<GameUpdate>,
    pub(super) paused: bool,
    pub(super) last_move: Option<Instant>,
    pub(super) over: Option<Over>,
    pub(super) setup: Setup,
    pub(super) seating: Option<Seating>,
}

/// Where the answer to a person's move goes.
type Answer = oneshot::Sender<Result<()>>;

/// Why play ends.
enum End {
    Verdict(Verdict),
    /// Somebody wants it to end, or it cannot go on.
    Broken {
        reason: &'static str,
        error: Option<Error>,
    },
}

/// What happens in a turn.
enum Turn {
    /// It begins anew: other players, or a pause.
    Anew,
    /// A move, and whom to tell that it is kept: a person's.
    Made(Move, Option<Value>, Option<Answer>),
    End(End),
}

impl Game {
    /// Plays it to its end.
    pub async fn run(mut self, mut stop: Stop) -> GameUpdate {
        let journal = self.journal.path().map(|path| path.display().to_string());
        let (edit, node) = self.restored().await;
        let players = Some(self.sides());
        let state = GameState::Started;
        self.publish(GameUpdate { state, players, journal, edit, node, ..GameUpdate::default() });
        // The client has the change from this event, when it has none to apply by itself.
        if self.referee.moves() > 0 {
            self.keeper.settle(&self.cx.session).await;
        }
        let end = loop {
            if let Some(over) = self.over {
                break End::Verdict(over_by(over));
            }
            match self.turn(&mut stop).await {
                Turn::Anew => {}
                Turn::Made(play, value, answer) => match self.make(play, value, answer).await {
                    Ok(over) => self.over = over,
                    Err(fault) => {
                        let vertex = play.vertex.to_gtp(self.position.size);
                        break End::Verdict(illegal(play.color, format!("{vertex}: {}", fault.why())));
                    }
                },
                Turn::End(end) => break end,
            }
        };
        self.finish(end, &mut stop).await
    }

    /// What a game that was taken up lacks in its document, or its whole record.
    async fn restored(&mut self) -> (Option<Edit>, Option<Node>) {
        if self.referee.moves() == 0 {
            return (None, None);
        }
        let (edit, node) = self.keeper.write(&self.cx.session).await;
        (self.keeper.whole().or(edit), node)
    }

    /// Waits until the side to move has moved, or something else has happened.
    async fn turn(&mut self, stop: &mut Stop) -> Turn {
        let color = self.referee.to_play();
        let begin = self.begin();
        let clock = self.clocks.map(|clocks| clocks[color as usize]);
        let flag =
            clock.filter(|_| !self.paused).map(|clock| begin + Duration::from_millis(clock.allowance()));
        let player = self.players[color as usize].clone();
        let thinking =
            think(self.cx.clone(), player, self.position.clone(), color, begin, clock, self.paused);
        tokio::pin!(thinking);
        loop {
            tokio::select! {
                reason = stop.reason() => return Turn::End(End::Broken { reason, error: None }),
                asked = self.listed.asks.recv() => {
                    let Some(asked) = asked else {
                        return Turn::End(End::Broken { reason: "stopped", error: None });
                    };
                    if let Some(turn) = self.answer(asked, begin) {
                        return turn;
                    }
                }
                seated = seated(&mut self.seating), if self.seating.is_some() => {
                    self.seating = None;
                    if let Some((seated, answer)) = seated {
                        self.seat(seated);
                        let _ = answer.send(Ok(()));
                        return Turn::Anew;
                    }
                }
                () = sleep_until(flag), if flag.is_some() => {
                    return Turn::End(End::Verdict(offence(VerdictBy::Time, color)));
                }
                answer = &mut thinking => return match answer {
                    Ok(made) => self.answered(made, begin),
                    Err(error) => Turn::End(broken(error, color, self.cx.session.audience())),
                },
            }
        }
    }

    /// When the turn begins: after the pause between the moves of engines.
    fn begin(&self) -> Instant {
        let now = Instant::now();
        let engines = self.players.iter().all(|player| player.seated().is_some());
        match self.last_move.filter(|_| engines) {
            Some(last) => now.max(last + self.agreed.delay),
            None => now,
        }
    }

    /// What an engine has answered.
    fn answered(&mut self, made: Genmove, begin: Instant) -> Turn {
        match made.play {
            GenmovePlay::Resign => Turn::End(End::Verdict(offence(VerdictBy::Resign, made.color))),
            GenmovePlay::Play(vertex) => {
                let info = self.players[made.color as usize].seated().map(|seated| seated.lease.info());
                let valued = info.zip(made.report.as_ref());
                let value = valued.and_then(|(info, report)| value_after(&info, report, vertex));
                match self.spend(made.color, begin) {
                    true => Turn::Made(Move { color: made.color, vertex }, value, None),
                    false => Turn::End(End::Verdict(offence(VerdictBy::Time, made.color))),
                }
            }
        }
    }

    /// Takes the time of a move off its side's clock; false when it had no more.
    fn spend(&mut self, color: Color, begin: Instant) -> bool {
        let Some(clocks) = &mut self.clocks else { return true };
        let thought = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        match clocks[color as usize].after(thought) {
            Some(clock) => {
                clocks[color as usize] = clock;
                true
            }
            None => false,
        }
    }

    /// Does what somebody asks of the game; the turn's end, when it is one.
    fn answer(&mut self, asked: Asked, begin: Instant) -> Option<Turn> {
        let (answer, turn) = match asked.ask {
            Ask::Play(color, vertex) => match self.person(color, vertex, begin) {
                // It is answered once the move is kept.
                Ok(Turn::Made(play, value, _)) => return Some(Turn::Made(play, value, Some(asked.answer))),
                Ok(turn) => (Ok(()), Some(turn)),
                Err(error) => (Err(error), None),
            },
            Ask::Pause | Ask::Resume => {
                let paused = matches!(asked.ask, Ask::Pause);
                let news = std::mem::replace(&mut self.paused, paused) != paused;
                if news {
                    self.publish(GameUpdate::default());
                }
                (Ok(()), news.then_some(Turn::Anew))
            }
            Ask::Stop => (Ok(()), Some(Turn::End(End::Broken { reason: "stopped", error: None }))),
            Ask::SetPlayers(wanted) => {
                // An engine may take long to start. Until it has, the game goes on as it is; a newer wish replaces
                // an older one.
                let seating = Seating::new(self.cx.clone(), wanted, self.players.clone(), asked.answer);
                if let Some(old) = self.seating.replace(seating) {
                    old.withdraw();
                }
                return None;
            }
        };
        let _ = asked.answer.send(answer);
        turn
    }

    /// A person's move. One that is not legal is refused, and the game goes on.
    fn person(&mut self, color: Color, vertex: Option<Vertex>, begin: Instant) -> Result<Turn> {
        let illegal = |why: &str| Error::new(Kind::IllegalMove, format!("the move is not legal: {why}"));
        if self.players[color as usize].seated().is_some() {
            return Err(illegal("an engine plays this side"));
        }
        let Some(vertex) = vertex else {
            return Ok(Turn::End(End::Verdict(offence(VerdictBy::Resign, color))));
        };
        if self.paused {
            return Err(illegal("the game is paused"));
        }
        let play = Move { color, vertex };
        self.referee.clone().play(play).map_err(|fault| illegal(fault.why()))?;
        match self.spend(color, begin) {
            true => Ok(Turn::Made(play, None, None)),
            false => Ok(Turn::End(End::Verdict(offence(VerdictBy::Time, color)))),
        }
    }

    /// Lets others play on.
    fn seat(&mut self, seated: Changed) {
        for (player, seated) in self.players.iter_mut().zip(seated) {
            if let Some(seated) = seated {
                *player = seated;
            }
        }
        self.setup.seat(&self.players);
        self.journal.change(&self.setup);
        self.publish(GameUpdate { players: Some(self.sides()), ..GameUpdate::default() });
    }

    /// Makes a move: on the board, in the record, for those who watch.
    async fn make(
        &mut self,
        play: Move,
        value: Option<Value>,
        answer: Option<Answer>,
    ) -> std::result::Result<Option<Over>, Fault> {
        let Played { captured, over } = self.referee.play(play)?;
        self.position.steps.push(Step::Play(play));
        self.position.to_play = self.referee.to_play();
        let clock = self.clocks.map(|clocks| clocks[play.color as usize]);
        self.journal.add(Noted { play, value, clock }.node()).await;
        if let Some(answer) = answer {
            let _ = answer.send(Ok(()));
        }
        self.keeper.add(play, value);
        let (edit, node) = self.keeper.write(&self.cx.session).await;
        let vertex = play.vertex.to_gtp(self.position.size);
        self.publish(GameUpdate {
            captured: Some(captured),
            black: value
                .map(|value| BlackValue { winrate: value.black.winrate, score_lead: value.black.score_lead }),
            edit,
            node,
            ..GameUpdate::moved(play.color, vertex)
        });
        self.last_move = Some(Instant::now());
        self.keeper.settle(&self.cx.session).await;
        Ok(over)
    }

    /// The last event: the result, in the record as well.
    async fn finish(mut self, end: End, stop: &mut Stop) -> GameUpdate {
        let mut last = self.filled(GameUpdate::default());
        last.state = GameState::Ended;
        match end {
            End::Broken { reason, error } => {
                last.reason = Some(reason.to_owned());
                last.error = error.map(|error| error.to_json(self.cx.session.audience()));
            }
            End::Verdict(verdict) => {
                let (result, score) = self.result(&verdict, stop).await;
                self.keeper.end(&result, verdict.by == VerdictBy::Resign);
                last.reason = Some("finished".to_owned());
                (last.result, last.score, last.verdict) = (Some(result), score, Some(verdict));
            }
        }
        // A client that has gone has the game from here.
        let gone = matches!(last.reason.as_deref(), Some("cancelled" | "shutdown"));
        if !gone {
            (last.edit, _) = self.keeper.write(&self.cx.session).await;
        }
        self.tell_hub(&last);
        // One that an engine could not go on with may be taken up with another.
        self.journal.end((gone || last.error.is_some()) && self.referee.moves() > 0);
        last
    }

    async fn result(&mut self, verdict: &Verdict, stop: &mut Stop) -> (String, Option<Score>) {
        let winner = verdict.offender.map(|offender| Color::from(offender).opponent());
        let how = match verdict.by {
            VerdictBy::Resign => "Resign",
            VerdictBy::Time => "Time",
            _ => "Forfeit",
        };
        if let Some(winner) = winner {
            return (won_by(winner, how), None);
        }
        let (result, score) = tokio::select! {
            counted = score::count(&self.players, &self.position) => counted,
            _ = stop.reason() => score::count_area(&self.position),
            () = stopped(&mut self.listed.asks) => score::count_area(&self.position),
        };
        (result, Some(score))
    }

    fn sides(&self) -> Sides<super::update::PlayerInfo> {
        let [black, white] = &self.players;
        Sides { black: black.info(), white: white.info() }
    }

    /// What others see of it in the list.
    fn info(&self) -> GameInfo {
        GameInfo {
            game_id: self.listed.id.clone(),
            state: if self.paused { ListedState::Waiting } else { ListedState::Running },
            players: self.sides(),
            moves: self.referee.moves(),
            to_play: self.referee.to_play().into(),
            document: self.setup.document.clone(),
            journal: self.journal.path().map(|path| path.display().to_string()),
        }
    }

    /// An update with what every update tells.
    fn filled(&self, update: GameUpdate) -> GameUpdate {
        let state = match update.state {
            GameState::Started => GameState::Started,
            _ if self.paused => GameState::Waiting,
            _ => GameState::Running,
        };
        let clocks =
            self.clocks.map(|[black, white]| Sides::<ClockInfo> { black: black.into(), white: white.into() });
        GameUpdate {
            state,
            game_id: self.listed.id.clone(),
            to_play: Some(self.referee.to_play().into()),
            moves: Some(self.referee.moves()),
            clocks,
            ..update
        }
    }

    fn publish(&self, update: GameUpdate) {
        let update = self.filled(update);
        self.listed.show(self.info());
        self.tell_hub(&update);
        self.events.send(update);
    }

    fn tell_hub(&self, update: &GameUpdate) {
        if !self.cx.session.events.wants(Topic::Game) {
            return;
        }
        match to_raw_value(update) {
            Ok(json) => self.cx.session.events.publish(None, Body::Game(json)),
            Err(error) => tracing::error!(%error, "an update of a game could not be encoded"),
        }
    }
}

/// The move of a player; of a person, and in a pause, none ever.
async fn think(
    cx: Cx,
    player: Player,
    position: Position,
    color: Color,
    begin: Instant,
    clock: Option<Clock>,
    paused: bool,
) -> std::result::Result<Genmove, EngineError> {
    let Some(seated) = player.seated().filter(|_| !paused) else {
        return std::future::pending().await;
    };
    tokio::time::sleep_until(begin.into()).await;
    seated.tell_time(clock.map(Clock::control)).await;
    if let Some(clock) = clock {
        seated.tell_time_left(color, clock).await;
    }
    match genmove(&cx, seated, &position, color).await {
        // It is started again by itself, and put on the position anew: once.
        Err(error) if error.kind == ErrorKind::EngineExited => genmove(&cx, seated, &position, color).await,
        answer => answer,
    }
}

async fn genmove(
    cx: &Cx,
    seated: &Arc<Seated>,
    position: &Position,
    color: Color,
) -> std::result::Result<Genmove, EngineError> {
    let settings = cx.settings();
    let (sender, reports) = watch::channel(None);
    let request = GenmoveRequest {
        position: Some(position.clone()),
        color: Some(color),
        interval_cs: settings.analysis_interval,
        order: settings.genmove_analyze_commands.clone(),
        reports: Some(sender),
        if_revision: None,
    };
    tokio::select! {
        answer = seated.lease.genmove(request) => answer,
        never = tell(cx, reports, &seated.attached.id, &None) => match never {},
    }
}

/// Waits until somebody stops the counting; play is over, so all else is refused.
async fn stopped(asks: &mut tokio::sync::mpsc::Receiver<Asked>) {
    while let Some(asked) = asks.recv().await {
        let stop = matches!(asked.ask, Ask::Stop);
        let refused = || Error::new(Kind::NotFound, "play is over; the points are being counted");
        let _ = asked.answer.send(if stop { Ok(()) } else { Err(refused()) });
        if stop {
            return;
        }
    }
    std::future::pending().await
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant.into()).await,
        None => std::future::pending().await,
    }
}

fn offence(by: VerdictBy, offender: Color) -> Verdict {
    Verdict { by, offender: Some(offender.into()), why: None }
}

fn illegal(offender: Color, why: String) -> Verdict {
    Verdict { why: Some(why), ..offence(VerdictBy::IllegalMove, offender) }
}

fn over_by(over: Over) -> Verdict {
    let by = match over {
        Over::Passes => VerdictBy::Passes,
        Over::MoveLimit => VerdictBy::MoveLimit,
    };
    Verdict { by, offender: None, why: None }
}

/// What it means for the game that an engine has not moved.
fn broken(error: EngineError, color: Color, to: Audience) -> End {
    match error.kind {
        ErrorKind::EngineExited => {
            let why = Error::from(error).told_to(to).message.clone();
            End::Verdict(Verdict { why: Some(why), ..offence(VerdictBy::EngineExited, color) })
        }
        ErrorKind::EngineRefused if error.evidence.cause == Some("illegal-move") => {
            let reply = error.evidence.reply.unwrap_or_default();
            End::Verdict(illegal(color, format!("{reply}: {}", error.message)))
        }
        ErrorKind::Cancelled => End::Broken { reason: "engineExited", error: Some(error.into()) },
        _ => End::Broken { reason: "refused", error: Some(error.into()) },
    }
}
