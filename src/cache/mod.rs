//! Results that were found before: in memory, and on disk if the user wants it.
//!
//! A result is found by its [`Key`]: the engine with all that changes its mind ([`Identity`]), the
//! position with its last moves, what was asked beside it, and whether by a trusted session. Of two
//! results of one key the one with more visits is kept. Engines for demos leave nothing on disk.

mod file;
mod identity;
mod key;
mod memory;
mod record;
mod store;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::engine::gtp::analyze::Report;
use crate::go::Size;
use memory::Memory;
use store::Store;

pub use identity::{Fate, Identity, Mind};
pub use key::{HISTORY, Key, Subject, options};

/// Bytes of results in memory.
const MEMORY: usize = 16 << 20;

/// The disk has this long to answer; who looks does not wait for longer.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is known of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The report with the most visits.
    pub report: Arc<Report>,
    /// Visits of the whole search.
    pub visits: u64,
}

/// The results of a daemon.
#[derive(Debug)]
pub struct Cache {
    enabled: bool,
    memory: Mutex<Memory>,
    disk: Mutex<Disk>,
}

#[derive(Debug)]
enum Disk {
    /// Nothing is kept there.
    Off,
    /// A folder for so many bytes, not used yet.
    Place(PathBuf, u64),
    Open(Arc<Store>),
}

impl Cache {
    /// One that keeps results in memory, or none at all.
    pub fn new(enabled: bool) -> Cache {
        Cache { enabled, memory: Mutex::new(Memory::new(MEMORY)), disk: Mutex::new(Disk::Off) }
    }

    /// Keeps results in this folder as well, at most so many bytes. Nothing is there before
    /// [`Cache::open`] is called.
    pub fn keep_in(&self, folder: PathBuf, bytes: u64) {
        if self.enabled {
            *self.disk() = Disk::Place(folder, bytes);
        }
    }

    /// An engine is about to be used: opens the file, in the background.
    pub fn open(&self) {
        let mut disk = self.disk();
        if let Disk::Place(folder, bytes) = &*disk {
            *disk = match Store::open(folder.clone(), *bytes) {
                Ok(store) => Disk::Open(Arc::new(store)),
                Err(error) => {
                    tracing::warn!(%error, "results are kept in memory only");
                    Disk::Off
                }
            };
        }
    }

    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.enabled
    }

    /// What is known of the first of these keys of which anything is, on a board of this size, and which
    /// that is.
    pub async fn find(&self, keys: &[&Key], size: Size) -> Option<(usize, Known)> {
        let until = Instant::now() + PATIENCE;
        for (index, key) in keys.iter().enumerate() {
            if let Some(known) = self.find_one(key, size, until).await {
                return Some((index, known));
            }
        }
        None
    }

    async fn find_one(&self, key: &Key, size: Size, until: Instant) -> Option<Known> {
        let known = self.memory().find(key);
        let record = match known {
            Some(record) => record,
            None => {
                let store = self.store()?;
                let record = store.find(key, until).await?;
                let mut memory = self.memory();
                // Meanwhile more may have been found.
                if memory.visits(key) < record::visits(&record) {
                    memory.keep(key, record.clone());
                }
                record
            }
        };
        let (report, visits) = record::read(&record, size)?;
        Some(Known { report: Arc::new(report), visits })
    }

    /// Keeps a result, unless more is known; `durable` ones also on disk.
    pub fn keep(&self, key: &Key, report: &Report, visits: u64, durable: bool) {
        if !self.enabled || self.memory().visits(key) >= Some(visits) {
            return;
        }
        let Some(record) = record::write(report, visits) else { return };
        let record: Arc<[u8]> = record.into();
        self.memory().keep(key, record.clone());
        if let Some(store) = self.store().filter(|_| durable) {
            store.keep(key, record);
        }
    }

    /// Writes what waits, and lets the file go. Blocks, but not longer than this.
    pub fn close(&self, patience: Duration) {
        let disk = std::mem::replace(&mut *self.disk(), Disk::Off);
        if let Disk::Open(store) = disk {
            store.close(patience);
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> Option<Arc<Store>> {
        match &*self.disk() {
            Disk::Open(store) => Some(store.clone()),
            Disk::Off | Disk::Place(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_disk_that_hangs_is_asked_once() {
        let cache = Cache::new(true);
        let (store, asks) = Store::unserved();
        *cache.disk() = Disk::Open(Arc::new(store));
        let keys = [Key::read(&[1]), Key::read(&[2])];
        for _ in 0..3 {
            assert_eq!(cache.find(&[&keys[0], &keys[1]], Size::STANDARD).await, None);
        }
        let first = asks.try_recv().unwrap();
        assert!(asks.try_recv().is_err(), "for the second key nobody waits, nor the next times");
        // It has answered.
        drop(first);
        assert_eq!(cache.find(&[&keys[1]], Size::STANDARD).await, None);
        assert!(asks.try_recv().is_ok());
    }
}
