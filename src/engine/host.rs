//! The host: what all engines of a daemon share, and how they end together.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::handle::Shared;
use super::reaper::Reaper;

/// How long to be patient, and how much to take in. Settings of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// An answer in the handshake; renewed by whatever the engine prints.
    pub handshake: Duration,
    /// The whole handshake.
    pub handshake_max: Duration,
    /// The answer to a command. `genmove`, searches, loading and scoring have no limit.
    pub command: Duration,
    /// The first report of an exact search that has to be watched; also silence during a genmove,
    /// before the engine is asked whether it is done.
    pub first_report: Duration,
    /// Without any further visit in a search that is watched for a number of visits: it takes what is there.
    pub stall: Duration,
    /// Before the first restart after an end; doubled each time, at most `restart_max`.
    pub restart: Duration,
    /// The longest wait before a restart.
    pub restart_max: Duration,
    /// Restarts in a row before giving up.
    pub restarts: u32,
    /// How long a turn on the engine lasts when several clients want it.
    pub slice: Duration,
    /// The longest line that is kept, in bytes.
    pub max_line: usize,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            handshake: Duration::from_secs(60),
            handshake_max: Duration::from_secs(15 * 60),
            command: Duration::from_secs(30),
            first_report: Duration::from_secs(120),
            stall: Duration::from_secs(10),
            restart: Duration::from_secs(1),
            restart_max: Duration::from_secs(60),
            restarts: 5,
            slice: Duration::from_secs(2),
            max_line: 16 * 1024 * 1024,
        }
    }
}

/// Starts engines, and knows all that run. One a daemon; cheap to clone.
#[derive(Debug, Clone)]
pub struct Host {
    pub(super) inner: Arc<HostInner>,
}

#[derive(Debug)]
pub(super) struct HostInner {
    pub(super) timeouts: Timeouts,
    pub(super) reaper: Arc<Reaper>,
    /// All that may run; `None` once kifud ends.
    engines: Mutex<Option<Vec<Weak<Shared>>>>,
}

impl Host {
    /// A host whose reaper will be `program reaper`; `program` is kifud's own executable.
    pub fn new(timeouts: Timeouts, program: impl AsRef<Path>) -> Host {
        let reaper = Arc::new(Reaper::new(program));
        Host { inner: Arc::new(HostInner { timeouts, reaper, engines: Mutex::new(Some(Vec::new())) }) }
    }

    /// Ends all engines and waits for it, about 1 s at most: `quit` and end of stdin, SIGTERM
    /// after 400 ms, SIGKILL after 800 ms. Analyses end with `Shutdown`. No engine starts afterwards.
    pub async fn shutdown_all(&self) {
        let engines = self.engines().take().unwrap_or_default();
        let engines: Vec<_> = engines.iter().filter_map(Weak::upgrade).collect();
        for engine in &engines {
            engine.leave(Leave::shutdown());
        }
        for engine in &engines {
            engine.left().await;
        }
    }

    fn engines(&self) -> MutexGuard<'_, Option<Vec<Weak<Shared>>>> {
        self.inner.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enlist(&self, shared: &Arc<Shared>) {
        match &mut *self.engines() {
            Some(engines) => {
                engines.retain(|engine| engine.strong_count() > 0);
                engines.push(Arc::downgrade(shared));
            }
            None => shared.leave(Leave::shutdown()),
        }
    }
}

/// How and why an actor ends its engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leave {
    pub(super) term: Duration,
    pub(super) kill: Duration,
    pub(super) shutdown: bool,
}

impl Leave {
    pub(super) fn shutdown() -> Leave {
        let step = Duration::from_millis(400);
        Leave { term: step, kill: step, shutdown: true }
    }

    pub(super) fn detach(term: Duration) -> Leave {
        Leave { term, kill: Duration::from_secs(1), shutdown: false }
    }
}
