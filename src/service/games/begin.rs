//! How a game comes about: anew, or from the journal of one that was left.

use std::sync::Arc;

use super::Listed;
use super::journal::{Journal, Unfinished};
use super::keeper::Keeper;
use super::players::Player;
use super::run::{Agreed, Game};
use super::setup::{Noted, Setup};
use super::update::GameUpdate;
use crate::go::clock::Clock;
use crate::go::referee::{MoveRules, Over, Referee};
use crate::go::{Position, Step};
use crate::service::documents::Document;
use crate::service::error::{Error, Kind, Result};
use crate::service::positions::{self, Target};
use crate::service::session::Session;
use crate::service::stream::Publisher;
use crate::service::table::Cx;
use crate::sgf::{NewProperty, NewValue, open_record};

impl Game {
    /// A new game.
    pub fn new(
        cx: Cx,
        listed: Listed,
        target: Target,
        players: [Player; 2],
        agreed: Agreed,
        events: Publisher<GameUpdate>,
    ) -> Game {
        let position = target.position;
        let record = new_record(&position, &players);
        let keeper = match target.node {
            Some(place) => Keeper::in_document(place),
            None => Keeper::new(&(record.clone() + "\n)\n")),
        };
        let setup = Setup::new(&keeper, &record, &position, &agreed, &players);
        // An untrusted session writes none of the user's files, and could take up none of its games.
        let state = crate::paths::state_folder().filter(|_| cx.session.trusted());
        let journal = Journal::begin(state, &listed.id, &record, &setup);
        let referee = referee(&position, &agreed);
        let clocks = agreed.time.map(|time| [Clock::new(time); 2]);
        Game {
            cx,
            listed,
            agreed,
            players,
            position,
            referee,
            clocks,
            keeper,
            journal,
            events,
            paused: false,
            last_move: None,
            over: None,
            setup,
            seating: None,
        }
    }

    /// A game that was left, as it stood: its moves, clocks and agreements.
    pub fn resumed(cx: Cx, left: Left, players: [Player; 2], events: Publisher<GameUpdate>) -> Game {
        let Left { unfinished, position, referee, clocks, over, keeper } = left;
        let listed = cx.session.games.list(position.size);
        let agreed = unfinished.setup.agreed();
        let mut setup = unfinished.setup.clone();
        setup.seat(&players);
        setup.document.clone_from(&keeper.base().document.uri);
        let journal = Journal::go_on(unfinished);
        journal.change(&setup);
        Game {
            cx,
            listed,
            agreed,
            players,
            position,
            referee,
            clocks,
            keeper,
            journal,
            events,
            paused: false,
            last_move: None,
            over,
            setup,
            seating: None,
        }
    }
}

/// A game that was left, taken from its journal.
pub struct Left {
    unfinished: Unfinished,
    position: Position,
    referee: Referee,
    clocks: Option<[Clock; 2]>,
    over: Option<Over>,
    keeper: Keeper,
}

impl Left {
    /// Reads a game that was taken. It goes on in its document when that is open in the session and has the same
    /// position at the same place still, else in a record of its own.
    ///
    /// # Errors
    /// `NotFound` when its journal is broken.
    pub async fn read(session: &Session, unfinished: Unfinished) -> Result<Left> {
        let document = unfinished.setup.document.as_deref().and_then(|uri| session.documents.get(uri));
        let read = tokio::task::spawn_blocking(move || Left::of(unfinished, document)).await;
        read.map_err(|_| {
            Error::new(Kind::Internal, "reading a journal failed inside kifud; the log has the place")
        })?
    }

    fn of(unfinished: Unfinished, document: Option<Arc<Document>>) -> Result<Left> {
        let setup = &unfinished.setup;
        let base = setup.base()?;
        let found = positions::at(&base)?;
        let place = document.and_then(|document| setup.place_in(document, &found));
        let mut keeper = Keeper::in_document(place.unwrap_or(base));
        let mut position = setup.under_rules(found);
        let agreed = setup.agreed();
        let mut referee = referee(&position, &agreed);
        let mut clocks = agreed.time.map(|time| [Clock::new(time); 2]);
        let mut over = None;
        let moves = setup.moves(&unfinished.text)?;
        for Noted { play, clock, .. } in &moves {
            let played = referee.play(*play).map_err(|fault| {
                let message = format!("the journal of the game has an illegal move: {}", fault.why());
                Error::new(Kind::NotFound, message)
            })?;
            over = played.over;
            position.steps.push(Step::Play(*play));
            if let Some((clocks, clock)) = clocks.as_mut().zip(*clock) {
                clocks[play.color as usize] = clock;
            }
        }
        position.to_play = referee.to_play();
        keeper.take_up(moves.iter().map(|noted| (noted.play, noted.value)));
        Ok(Left { unfinished, position, referee, clocks, over, keeper })
    }

    /// What a record does not say of it.
    pub fn setup(&self) -> &Setup {
        &self.unfinished.setup
    }
}

fn referee(position: &Position, agreed: &Agreed) -> Referee {
    Referee::new(position, MoveRules::named(position.rules.as_deref()), agreed.limit)
}

fn new_record(position: &Position, players: &[Player; 2]) -> String {
    let names = players
        .each_ref()
        .map(|player| player.seated().map(|seated| [NewValue::text(&seated.attached.name)]));
    let properties: Vec<NewProperty<'_>> = ["PB", "PW"]
        .into_iter()
        .zip(&names)
        .filter_map(|(property, name)| Some((property, name.as_ref()?.as_slice())))
        .collect();
    open_record(position, &properties)
}
