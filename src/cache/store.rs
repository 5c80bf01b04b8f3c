//! The results on disk: a thread that owns the file, and the way to it.
//!
//! Nobody waits for the disk: what is to be kept goes over a bounded queue and is written in batches;
//! what does not fit is left out. A file that cannot be used never is an error for anybody but the log.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::time::timeout_at;

use super::file::{File, Trouble};
use super::key::Key;

/// Questions and records that may wait for the thread.
const WAITING: usize = 256;
/// A batch is written this long after its first record,
const BATCH_TIME: Duration = Duration::from_millis(250);
/// or when it has so many.
const BATCH: usize = 64;
/// A file that another process has is asked for again after this time.
const AGAIN: Duration = Duration::from_secs(30);

/// A record, if there is one.
type Found = Option<Arc<[u8]>>;

#[derive(Debug)]
pub(super) enum Ask {
    Find(Key, oneshot::Sender<Found>),
    Keep(Key, Arc<[u8]>),
    /// Write all, close the file, answer and end.
    Close(SyncSender<()>),
}

/// The way to the thread.
#[derive(Debug)]
pub struct Store {
    asks: SyncSender<Ask>,
    /// An answer that has not come in time.
    late: Mutex<Option<oneshot::Receiver<Found>>>,
}

impl Store {
    /// Opens the file in this folder, in the background; at most so many bytes are kept.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn open(folder: PathBuf, bytes: u64) -> std::io::Result<Store> {
        let (sender, asks) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("kifud-cache".to_owned());
        let worker = Worker { folder, bytes, file: None, again: None, batch: Batch::default() };
        thread.spawn(move || worker.work(&asks))?;
        Ok(Store { asks: sender, late: Mutex::default() })
    }

    /// One without a thread.
    #[cfg(test)]
    pub(super) fn unserved() -> (Store, Receiver<Ask>) {
        let (asks, receiver) = sync_channel(WAITING);
        (Store { asks, late: Mutex::default() }, receiver)
    }

    /// What is known of a key; `None` when that is nothing, the thread is busy beyond its queue, or no
    /// answer comes until then. Nobody waits again before that one has come.
    pub async fn find(&self, key: &Key, until: tokio::time::Instant) -> Found {
        if self.is_late() {
            return None;
        }
        let (answer, mut found) = oneshot::channel();
        self.asks.try_send(Ask::Find(key.clone(), answer)).ok()?;
        if let Ok(found) = timeout_at(until, &mut found).await {
            return found.ok()?;
        }
        if self.late().replace(found).is_none() {
            tracing::warn!("the disk with the kept results does not answer; meanwhile nobody waits for it");
        }
        None
    }

    fn is_late(&self) -> bool {
        let mut late = self.late();
        let is_late = late.as_mut().is_some_and(|answer| answer.try_recv() == Err(TryRecvError::Empty));
        if !is_late {
            *late = None;
        }
        is_late
    }

    fn late(&self) -> MutexGuard<'_, Option<oneshot::Receiver<Found>>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a record, unless the one that is kept has as many visits. Does not wait.
    pub fn keep(&self, key: &Key, record: Arc<[u8]>) {
        if let Err(TrySendError::Full(_)) = self.asks.try_send(Ask::Keep(key.clone(), record)) {
            tracing::debug!("a result is not kept: too many wait for the disk");
        }
    }

    /// Writes what waits and closes the file, or gives up when patience ends. Blocks.
    pub fn close(&self, patience: Duration) {
        let (done, wait) = sync_channel(1);
        if self.asks.try_send(Ask::Close(done)).is_ok() {
            let _ = wait.recv_timeout(patience);
        }
    }
}

/// What waits to be written.
#[derive(Debug, Default)]
struct Batch {
    records: HashMap<Key, Arc<[u8]>>,
    used: Vec<Key>,
    since: Option<Instant>,
}

impl Batch {
    fn due(&self) -> Option<Duration> {
        let since = self.since?;
        let full = self.records.len() + self.used.len() >= BATCH;
        Some(if full { Duration::ZERO } else { BATCH_TIME.saturating_sub(since.elapsed()) })
    }
}

/// The thread.
struct Worker {
    folder: PathBuf,
    bytes: u64,
    file: Option<File>,
    /// When to try to open it again; never when absent.
    again: Option<Instant>,
    batch: Batch,
}

impl Worker {
    fn work(mut self, asks: &Receiver<Ask>) {
        self.open();
        loop {
            let ask = match self.batch.due() {
                None => asks.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => asks.recv_timeout(due),
            };
            match ask {
                Ok(Ask::Find(key, answer)) => {
                    let _ = answer.send(self.find(&key));
                }
                Ok(Ask::Keep(key, record)) => {
                    self.batch.since.get_or_insert_with(Instant::now);
                    self.batch.records.insert(key, record);
                }
                Ok(Ask::Close(done)) => {
                    self.write();
                    drop(self.file.take());
                    let _ = done.send(());
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.write();
                    return;
                }
            }
            if self.batch.due() == Some(Duration::ZERO) {
                self.write();
            }
        }
    }

    fn find(&mut self, key: &Key) -> Option<Arc<[u8]>> {
        if let Some(record) = self.batch.records.get(key) {
            return Some(record.clone());
        }
        let found = self.with_file(|file| file.find(key)).flatten()?;
        self.batch.since.get_or_insert_with(Instant::now);
        self.batch.used.push(key.clone());
        Some(found.into())
    }

    fn write(&mut self) {
        let Batch { records, used, .. } = std::mem::take(&mut self.batch);
        if self.file.is_none() && self.again.is_some_and(|again| again <= Instant::now()) {
            self.open();
        }
        if !records.is_empty() || !used.is_empty() {
            self.with_file(|file| file.write(&records, &used));
        }
    }

    /// Does something with the file. When that fails the file is used no more: a new one is begun in place
    /// of a bad one, and without any other nothing is kept.
    fn with_file<T>(&mut self, work: impl FnOnce(&mut File) -> Result<T, Trouble>) -> Option<T> {
        let file = self.file.as_mut()?;
        match guarded(|| work(file)) {
            Ok(done) => Some(done),
            Err(trouble) => {
                let file = self.file.take();
                let _ = guarded(|| {
                    drop(file);
                    Ok(())
                });
                self.open_after(Some(trouble));
                None
            }
        }
    }

    fn open(&mut self) {
        self.open_after(None);
    }

    /// Opens the file; a bad one is put aside, once.
    fn open_after(&mut self, mut trouble: Option<Trouble>) {
        self.again = None;
        let folder = self.folder.display();
        let mut fresh = false;
        loop {
            match trouble {
                None => {}
                Some(Trouble::Bad(why)) if !fresh => {
                    tracing::warn!(%folder, why, "the kept results cannot be used; they are put aside");
                    fresh = true;
                }
                Some(Trouble::Locked) => {
                    tracing::info!(%folder, "another kifud has the kept results; here they are in memory only");
                    self.again = Some(Instant::now() + AGAIN);
                    return;
                }
                Some(Trouble::Bad(why) | Trouble::Disk(why)) => {
                    tracing::warn!(%folder, why, "results are kept in memory only");
                    return;
                }
            }
            match guarded(|| File::open(&self.folder, self.bytes, fresh)) {
                Ok(file) => {
                    self.file = Some(file);
                    return;
                }
                Err(found) => trouble = Some(found),
            }
        }
    }
}

/// What stands in a file may be anything, also what its library never expects.
fn guarded<T>(work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Trouble::Bad("reading it went wrong".to_owned())))
}
