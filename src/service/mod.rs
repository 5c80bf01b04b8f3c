//! The service: what may be asked, and by whom. Knows nothing of how bytes come and go.

pub mod ahead;
pub mod audit;
pub mod documents;
pub mod engines;
pub mod error;
pub mod events;
pub mod examples;
pub mod files;
pub mod games;
pub mod gtp_log;
pub mod languages;
pub mod levels;
pub mod library;
pub mod methods;
pub mod played;
pub mod positions;
pub mod recall;
pub mod recorder;
pub mod report;
pub mod review;
pub mod schema;
pub mod session;
pub mod settings;
pub mod shares;
mod stored;
pub mod stream;
pub mod surroundings;
pub mod table;
pub mod uris;
pub mod walk;
pub mod watch;
pub mod wire;
pub mod work;
pub mod writeback;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use crate::cache::Cache;
use error::{Error, Kind, Result};
use session::{Session, SessionLimits};
use settings::Settings;
use table::Table;

/// The version of the wire: method names, shapes, errors.
pub const PROTOCOL: &str = "1.0";

/// How long the end waits for the last lines of the GTP log,
const LAST_LINES: Duration = Duration::from_millis(200);
/// and for the last results.
const LAST_RESULTS: Duration = Duration::from_millis(200);

/// One daemon.
pub struct Service {
    /// All methods.
    pub table: Table,
    /// Where engine processes live.
    pub engines: crate::engine::Host,
    /// How many of them there may be.
    pub places: engines::Places,
    /// What engines have found.
    pub cache: Arc<Cache>,
    /// Which programs run, and for whom.
    pub pool: Arc<engines::Pool>,
    /// What engines say, in files.
    pub gtp_log: gtp_log::GtpLog,
    /// Where heavy computation runs.
    pub workers: work::Workers,
    settings: RwLock<Arc<Settings>>,
    /// Held while the settings file is changed, so that the daemon's clients do not get into each other's way.
    changing: Mutex<()>,
    started: Instant,
    next_session: AtomicU64,
    sessions: Mutex<HashMap<u64, Weak<Session>>>,
    shares: Arc<shares::Shares>,
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
            engines,
            places: engines::Places::new(settings.limits.engines),
            cache: Arc::new(Cache::new(settings.cache.enabled)),
            pool: Arc::default(),
            gtp_log: gtp_log::GtpLog::default(),
            workers: work::Workers::default(),
            settings: RwLock::new(Arc::new(settings)),
            changing: Mutex::default(),
            started: Instant::now(),
            next_session: AtomicU64::new(1),
            sessions: Mutex::default(),
            shares: Arc::default(),
        })
    }

    /// Keeps results on disk from now on, unless the settings say no.
    pub fn keep_results(&self) {
        let settings = self.settings();
        if let Some(folder) = crate::paths::cache_folder().filter(|_| settings.cache.on_disk) {
            self.cache.keep_in(folder, settings.cache.max_bytes);
        }
    }

    /// Numbers the sessions from here on, so that those of one daemon are not taken for those of another.
    pub fn number_sessions_from(&self, first: u64) {
        self.next_session.store(first, Ordering::Relaxed);
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The settings in force for a session.
    pub fn settings_of(&self, session: &Session) -> Arc<Settings> {
        let settings = self.settings();
        match session.layer() {
            layer if layer.is_empty() => settings,
            layer => Arc::new(settings.with(&layer)),
        }
    }

    /// Puts new settings in force; attached engines stay as they are.
    pub fn set_settings(&self, settings: Settings) {
        if let Err(error) = gtp_log::check(&settings.log) {
            tracing::error!("{}", error.message);
        }
        let limits = settings.limits.clone();
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        for session in self.live() {
            session.documents.set_limits(&limits);
            session.reviews.touch();
        }
    }

    /// Reads the settings again from where they came; attached engines stay as they are.
    ///
    /// # Errors
    /// As [`settings::Origin::read`]; the old settings stay.
    pub fn reread_settings(&self) -> Result<()> {
        let settings = self.settings().origin.clone().read()?;
        tracing::info!(engines = settings.engines.len(), "settings were read again");
        self.set_settings(settings);
        Ok(())
    }

    /// Changes an engine in the user's settings file, and puts that in force.
    ///
    /// # Errors
    /// `NotFound` when there is no such file or it cannot be written, `StaleDocument` when
    /// somebody else changes it meanwhile; see [`settings::edited`].
    pub fn change_settings(&self, change: &settings::Change) -> Result<()> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = self.settings();
        let Some(path) = settings.origin.file.as_deref() else {
            return Err(Error::new(
                Kind::NotFound,
                "there is no settings file; start kifud with --config FILE",
            ));
        };
        match std::fs::read(path) {
            Ok(bytes) => {
                let text = std::str::from_utf8(&bytes).map_err(|_| {
                    Error::new(Kind::InvalidParams, format!("{} is not in UTF-8", path.display()))
                })?;
                files::replace(path, &bytes, settings::edited(text, change)?.as_bytes())?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                files::create(path, settings::edited("", change)?.as_bytes())?;
            }
            Err(error) => {
                let message = format!("{} cannot be read: {error}", path.display());
                return Err(Error::new(Kind::NotFound, message));
            }
        }
        self.reread_settings()
    }

    /// Opens a session.
    ///
    /// # Errors
    /// `LimitExceeded` when there are too many.
    pub fn open_session(&self, trusted: bool) -> Result<Arc<Session>> {
        let mut sessions = self.lock();
        sessions.retain(|_, session| session.strong_count() > 0);
        let limits = self.settings().limits.clone();
        if sessions.len() >= limits.sessions {
            let message = format!("{} sessions are open already; close one", sessions.len());
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        let id = self.next_session.fetch_add(1, Ordering::Relaxed);
        let most = SessionLimits { in_flight: limits.requests, streams: limits.streams };
        let session = Arc::new(Session::new(id, trusted, most, self.shares.clone()));
        session.documents.set_limits(&limits);
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
        let last = move || {
            service.gtp_log.flush(LAST_LINES);
            service.cache.close(LAST_RESULTS);
        };
        let _ = tokio::task::spawn_blocking(last).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Weak<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
