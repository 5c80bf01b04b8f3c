//! Games: two players, a referee between them, a record that grows.

mod begin;
mod journal;
mod keeper;
pub mod players;
mod run;
mod score;
mod seating;
mod setup;
pub mod update;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

use self::update::GameInfo;
use super::error::{Error, Kind, Result};
use crate::go::{Color, Vertex};
pub use begin::Left;
pub use journal::Unfinished;
pub use players::WirePlayer;
pub use run::{Agreed, Game};

/// Requests that may wait for one game.
const QUEUE: usize = 64;

/// What a game can be asked while it is played.
pub enum Ask {
    /// A person's move, or resignation (no vertex).
    Play(Color, Option<Vertex>),
    /// Nobody moves and no clock runs.
    Pause,
    /// The side to move begins its turn anew.
    Resume,
    /// The game ends without a result.
    Stop,
    /// Others play on.
    SetPlayers([Option<WirePlayer>; 2]),
}

/// A request and where its answer goes.
pub struct Asked {
    ask: Ask,
    answer: oneshot::Sender<Result<()>>,
}

/// The games of one session.
#[derive(Default)]
pub struct Games {
    next: AtomicU64,
    running: Arc<Mutex<BTreeMap<String, Running>>>,
}

/// What others see of a running game.
#[derive(Clone)]
struct Running {
    asks: mpsc::Sender<Asked>,
    size: crate::go::Size,
    /// What the list says, once it has begun.
    info: Option<GameInfo>,
}

type Map = BTreeMap<String, Running>;

fn lock(map: &Mutex<Map>) -> MutexGuard<'_, Map> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A game's place in the list of its session; free again when dropped.
pub struct Listed {
    /// The session's handle.
    pub id: String,
    asks: mpsc::Receiver<Asked>,
    running: Arc<Mutex<Map>>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        lock(&self.running).remove(&self.id);
    }
}

impl Listed {
    /// What the list says of the game from now on.
    fn show(&self, info: GameInfo) {
        if let Some(running) = lock(&self.running).get_mut(&self.id) {
            running.info = Some(info);
        }
    }
}

impl Games {
    /// The games that are played.
    pub fn all(&self) -> Vec<GameInfo> {
        lock(&self.running).values().filter_map(|running| running.info.clone()).collect()
    }

    /// Whether a game of this handle is played.
    pub fn has(&self, id: &str) -> bool {
        lock(&self.running).contains_key(id)
    }

    /// Lists a game that is about to begin.
    pub fn list(&self, size: crate::go::Size) -> Listed {
        let id = format!("game-{}", self.next.fetch_add(1, Ordering::Relaxed) + 1);
        let (sender, asks) = mpsc::channel(QUEUE);
        lock(&self.running).insert(id.clone(), Running { asks: sender, size, info: None });
        Listed { id, asks, running: self.running.clone() }
    }

    fn get(&self, id: &str) -> Result<Running> {
        lock(&self.running).get(id).cloned().ok_or_else(|| over(id))
    }

    /// The size of a game's board.
    ///
    /// # Errors
    /// `NotFound` when no such game is played.
    pub fn size(&self, id: &str) -> Result<crate::go::Size> {
        Ok(self.get(id)?.size)
    }

    /// Asks a game for something.
    ///
    /// # Errors
    /// `NotFound` when no such game is played, and those of the request.
    pub async fn ask(&self, id: &str, ask: Ask) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        let game = self.get(id)?;
        game.asks.try_send(Asked { ask, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                Error::new(Kind::LimitExceeded, format!("{QUEUE} requests wait for this game already"))
            }
            mpsc::error::TrySendError::Closed(_) => over(id),
        })?;
        answered.await.unwrap_or_else(|_| Err(over(id)))
    }
}

fn over(id: &str) -> Error {
    Error::new(Kind::NotFound, format!("no game {id:?} is being played in this session")).with("gameId", id)
}
