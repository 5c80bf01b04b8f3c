//! Who asks an engine. Each client of a program that several share has, as it sees it, a board of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::handle::QUEUE;
use crate::go::{Position, Size};

/// The party of the client that has attached an engine.
pub const FIRST_PARTY: u64 = 1;

/// One client of an engine.
#[derive(Debug)]
pub(super) struct Client {
    /// Unique for the engine.
    pub(super) id: u64,
    /// Those of the same party do not have to be protected from each other.
    pub(super) party: u64,
    /// It works on whole games, at which nobody looks.
    pub(super) batch: bool,
    /// It looks at what nobody has asked for yet, and gives way to all others.
    pub(super) ahead: bool,
    board: Mutex<Board>,
    revision: AtomicU64,
    room: Arc<Semaphore>,
    left: Arc<watch::Sender<bool>>,
}

/// The board, as the client sees it.
#[derive(Debug, Default)]
struct Board {
    size: Option<Size>,
    /// Where the engine was last asked to be, while it works for somebody else.
    wanted: Option<Position>,
}

impl Client {
    pub(super) fn new(id: u64) -> Client {
        Client {
            id,
            party: id,
            batch: false,
            ahead: false,
            board: Mutex::default(),
            revision: AtomicU64::new(0),
            room: Arc::new(Semaphore::new(QUEUE)),
            left: Arc::new(watch::Sender::new(false)),
        }
    }

    /// The same person's work on whole games.
    pub(super) fn batch(&self, id: u64) -> Client {
        Client { party: self.party, batch: true, left: self.left.clone(), ..Client::new(id) }
    }

    /// For the same person, what nobody has asked for yet.
    pub(super) fn ahead(&self, id: u64) -> Client {
        Client { ahead: true, ..self.batch(id) }
    }

    /// Room for one more request; `None` when too many wait.
    pub(super) fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.room.clone().try_acquire_owned().ok()
    }

    /// The revision of its board.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    pub(super) fn set_revision(&self, revision: u64) {
        self.revision.store(revision, Ordering::SeqCst);
    }

    pub(super) fn size(&self) -> Option<Size> {
        self.lock().size
    }

    pub(super) fn set_size(&self, size: Size) {
        self.lock().size = Some(size);
    }

    /// Keeps where the engine was for this client, until it works for it again.
    pub(super) fn put_by(&self, wanted: Option<Position>) {
        self.lock().wanted = wanted;
    }

    /// Where the engine was when it last worked for this client.
    pub(super) fn take_up(&self) -> Option<Position> {
        self.lock().wanted.take()
    }

    /// It wants nothing any more: its requests are withdrawn.
    pub(super) fn leave(&self) {
        self.left.send_replace(true);
    }

    /// Resolves when it has left.
    pub(super) async fn left(&self) {
        let mut left = self.left.subscribe();
        let _ = left.wait_for(|left| *left).await;
    }

    pub(super) fn has_left(&self) -> bool {
        *self.left.borrow()
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
