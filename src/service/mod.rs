//! The service: what may be asked, and by whom. Knows nothing of how bytes come and go.

pub mod documents;
pub mod engines;
pub mod error;
pub mod events;
pub mod files;
pub mod gtp_log;
pub mod methods;
pub mod played;
pub mod positions;
pub mod recorder;
pub mod report;
pub mod review;
pub mod schema;
pub mod session;
pub mod settings;
pub mod stream;
pub mod table;
pub mod watch;
pub mod wire;
pub mod work;
pub mod writeback;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use error::{Error, Kind, Result};
use session::{Session, SessionLimits};
use settings::Settings;
use table::Table;

/// The version of the wire: method names, shapes, errors.
pub const PROTOCOL: &str = "1.0";

/// The most sessions at once.
const MAX_SESSIONS: usize = 256;

/// How long the end waits for the last lines of the GTP log.
const LAST_LINES: Duration = Duration::from_millis(200);

/// One daemon.
pub struct Service {
    /// All methods.
    pub table: Table,
    /// Where engine processes live.
    pub engines: crate::engine::Host,
    /// How many of them there may be.
    pub places: engines::Places,
    /// What engines say, in files.
    pub gtp_log: gtp_log::GtpLog,
    /// Where heavy computation runs.
    pub workers: work::Workers,
    settings: RwLock<Arc<Settings>>,
    started: Instant,
    next_session: AtomicU64,
    sessions: Mutex<HashMap<u64, Weak<Session>>>,
}

impl Service {
    /// A daemon with these settings and all methods.
    pub fn new(settings: Settings, engines: crate::engine::Host) -> Arc<Service> {
        Self::with_table(settings, engines, methods::table())
    }

    /// A daemon with a table of its own, for tests that need more methods.
    pub fn with_table(settings: Settings, engines: crate::engine::Host, table: Table) -> Arc<Service> {
        Arc::new(Service {
            table,
            settings: RwLock::new(Arc::new(settings)),
            engines,
            places: engines::Places::default(),
            gtp_log: gtp_log::GtpLog::default(),
            workers: work::Workers::default(),
            started: Instant::now(),
            next_session: AtomicU64::new(1),
            sessions: Mutex::default(),
        })
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts new settings in force; attached engines stay as they are.
    pub fn set_settings(&self, settings: Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    /// Opens a session.
    ///
    /// # Errors
    /// `LimitExceeded` when there are too many.
    pub fn open_session(&self, trusted: bool) -> Result<Arc<Session>> {
        let mut sessions = self.lock();
        sessions.retain(|_, session| session.strong_count() > 0);
        if sessions.len() >= MAX_SESSIONS {
            let message = format!("{MAX_SESSIONS} sessions are open already; close one");
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        let id = self.next_session.fetch_add(1, Ordering::Relaxed);
        let session = Arc::new(Session::new(id, trusted, SessionLimits::default()));
        sessions.insert(id, Arc::downgrade(&session));
        Ok(session)
    }

    /// How many sessions are open.
    pub fn sessions(&self) -> usize {
        self.live().len()
    }

    /// The open sessions.
    pub fn live(&self) -> Vec<Arc<Session>> {
        self.lock().values().filter_map(Weak::upgrade).collect()
    }

    /// Seconds since the start.
    pub fn uptime(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Ends every stream and every engine; within a second.
    pub async fn shutdown(self: &Arc<Self>) {
        for session in self.live() {
            session.close();
        }
        self.engines.shutdown_all().await;
        let service = self.clone();
        let _ = tokio::task::spawn_blocking(move || service.gtp_log.flush(LAST_LINES)).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Weak<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
