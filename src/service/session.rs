//! One client: its trust, its language, what it is waiting for, its documents.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use futures_util::future::{AbortHandle, BoxFuture};
use tokio::sync::watch;

use super::documents::Documents;
use super::engines::SessionEngines;
use super::error::{Audience, Error, Kind, Result};
use super::events::Hub;
use super::games::Games;
use super::library::Library;
use super::review::Reviews;
use super::settings::Layer;
use super::shares::Shares;
use super::surroundings::Beside;
use crate::engine::environment::{self, Environment};
use crate::engine::{EngineSpec, StartIn, os};
use crate::locale::Locale;
use crate::sgf::line_index::Columns;

/// What the service may ask of a client that has more than requests: LSP editors.
pub trait Client: Send + Sync {
    /// Sends a notification, dropped when the client has gone.
    fn notify(&self, method: &str, params: serde_json::Value);
    /// Whether it takes `workspace/applyEdit`.
    fn can_edit(&self) -> bool;
    /// Whether it knows annotations of the parts of an edit.
    fn knows_annotations(&self) -> bool {
        false
    }
    /// `workspace/applyEdit`; true when the client applied it.
    fn apply_edit(&self, edit: serde_json::Value) -> BoxFuture<'static, bool>;
}

/// LSP's `MessageType`.
#[derive(Debug, Clone, Copy)]
pub enum MessageLevel {
    /// Something does not work.
    Error = 1,
    /// Something was left out.
    Warning = 2,
}

/// Limits of one session.
#[derive(Debug, Clone, Copy)]
pub struct SessionLimits {
    /// Requests that may run at once.
    pub in_flight: usize,
    /// Streams that may run at once.
    pub streams: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        SessionLimits { in_flight: 512, streams: 256 }
    }
}

/// A session, from its first message to its last.
pub struct Session {
    /// Unique in this daemon; the first half of subscription ids.
    pub id: u64,
    /// Open documents.
    pub documents: Documents,
    /// What lies beside them on disk.
    pub beside: Arc<Beside>,
    /// The records in the folders of its workspace.
    pub library: Arc<Library>,
    /// The engines that it has attached.
    pub engines: SessionEngines,
    /// The games that are being played in it.
    pub games: Games,
    /// What reviews have found in it.
    pub reviews: Reviews,
    /// What happens in it, for those who have subscribed.
    pub events: Arc<Hub>,
    /// Files that untrusted sessions may read, of all sessions.
    pub shares: Arc<Shares>,
    opened: Instant,
    trusted: AtomicBool,
    limits: SessionLimits,
    locale: Mutex<Option<Locale>>,
    encoding: Mutex<Columns>,
    workspace: Mutex<Option<std::path::PathBuf>>,
    environment: Mutex<Option<Environment>>,
    subscriptions: AtomicU64,
    requests: Mutex<HashMap<String, AbortHandle>>,
    streams: Mutex<HashMap<String, watch::Sender<Option<&'static str>>>>,
    client: OnceLock<Arc<dyn Client>>,
    editor: AtomicBool,
    workspace_trusted: AtomicBool,
    layer: Mutex<Layer>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// A new session.
    pub fn new(id: u64, trusted: bool, limits: SessionLimits, shares: Arc<Shares>) -> Session {
        let events = Arc::<Hub>::default();
        Session {
            id,
            documents: Documents::telling(events.clone()),
            beside: Arc::default(),
            library: Arc::default(),
            engines: SessionEngines::default(),
            games: Games::default(),
            reviews: Reviews::default(),
            events,
            shares,
            opened: Instant::now(),
            trusted: AtomicBool::new(trusted),
            limits,
            locale: Mutex::default(),
            encoding: Mutex::new(Columns::Utf16),
            workspace: Mutex::default(),
            environment: Mutex::default(),
            subscriptions: AtomicU64::new(0),
            requests: Mutex::default(),
            streams: Mutex::default(),
            client: OnceLock::new(),
            editor: AtomicBool::new(false),
            workspace_trusted: AtomicBool::new(false),
            layer: Mutex::default(),
        }
    }

    /// Whether it may name programs and read files.
    pub fn trusted(&self) -> bool {
        self.trusted.load(Ordering::Relaxed)
    }

    /// Takes the trust away. Nothing gives it back.
    pub fn distrust(&self) {
        self.trusted.store(false, Ordering::Relaxed);
    }

    /// The language of its messages.
    pub fn locale(&self) -> Locale {
        self.stated_locale().unwrap_or_default()
    }

    /// Who is told of its errors.
    pub fn audience(&self) -> Audience {
        Audience { locale: self.locale(), trusted: self.trusted() }
    }

    /// The language that the client has named.
    pub fn stated_locale(&self) -> Option<Locale> {
        *lock(&self.locale)
    }

    /// Sets the language of its messages.
    pub fn set_locale(&self, locale: Locale) {
        *lock(&self.locale) = Some(locale);
    }

    /// How its columns count.
    pub fn encoding(&self) -> Columns {
        *lock(&self.encoding)
    }

    /// Sets how its columns count.
    pub fn set_encoding(&self, encoding: Columns) {
        *lock(&self.encoding) = encoding;
    }

    /// The client's workspace folder, where bare engine names are started.
    pub fn workspace(&self) -> Option<std::path::PathBuf> {
        lock(&self.workspace).clone()
    }

    /// Sets the workspace folder.
    pub fn set_workspace(&self, folder: std::path::PathBuf) {
        *lock(&self.workspace) = Some(folder);
    }

    /// Sets the variables of the client's environment that make a difference to engines.
    pub fn set_environment(&self, environment: Environment) {
        *lock(&self.environment) = Some(environment);
    }

    /// An engine as it is started for this client: in its folder and its environment, as far as the engine's
    /// own settings say nothing else. `base` is where relative paths of those settings start.
    pub fn at_home(&self, spec: EngineSpec, base: Option<std::path::PathBuf>) -> (EngineSpec, StartIn) {
        let mut spec = spec;
        let environment = lock(&self.environment).clone();
        if let Some(client) = &environment {
            let (set, unset) = environment::differences(&environment::relevant(os::variables()), client);
            spec.unset.extend(unset.into_iter().filter(|name| !spec.env.contains_key(name)));
            for (name, value) in set {
                spec.env.entry(name).or_insert(value);
            }
        }
        let path = environment.and_then(|mut client| client.remove("PATH")).map(Into::into);
        (spec, StartIn { workspace: self.workspace(), base, path })
    }

    /// Whether the client has said `initialize`, and so follows LSP's rules for leaving.
    pub fn is_editor(&self) -> bool {
        self.editor.load(Ordering::Relaxed)
    }

    /// The client has said `initialize`.
    pub fn set_editor(&self) {
        self.editor.store(true, Ordering::Relaxed);
    }

    /// The client has said that its workspace is trusted.
    pub fn trust_workspace(&self) {
        self.workspace_trusted.store(true, Ordering::Relaxed);
    }

    /// Whether its settings may add or change programs. What an editor sends may come from the
    /// workspace that it shows, so it has to vouch for that first.
    fn may_set_engines(&self) -> bool {
        self.trusted() && (!self.is_editor() || self.workspace_trusted.load(Ordering::Relaxed))
    }

    /// What the session sets for itself.
    pub fn layer(&self) -> Layer {
        lock(&self.layer).clone()
    }

    /// Sets more (or, with `whole`, all) of the session's own settings. Engines are left out when
    /// the session may not name programs.
    ///
    /// # Errors
    /// `NotTrusted` when that happened; the rest is in force.
    pub fn set_layer(&self, mut layer: Layer, whole: bool) -> Result<()> {
        let refused = !layer.engines.is_empty() && !self.may_set_engines();
        if refused {
            layer.engines.clear();
        }
        let mut own = lock(&self.layer);
        match whole {
            true => *own = layer,
            false => own.put(layer),
        }
        drop(own);
        self.reviews.touch();
        match refused {
            true => {
                let message = "engines in a workspace's settings are left out until the client says that it trusts \
                               the workspace (initializationOptions.trusted: true)";
                Err(Error::new(Kind::NotTrusted, message))
            }
            false => Ok(()),
        }
    }

    /// The editor behind the session, if it is one that can be asked things.
    pub fn client(&self) -> Option<&Arc<dyn Client>> {
        self.client.get()
    }

    /// Names the editor behind the session, once.
    pub fn set_client(&self, client: Arc<dyn Client>) {
        let _ = self.client.set(client);
    }

    /// Shows the user of an editor what went wrong.
    pub fn show(&self, level: MessageLevel, error: &Error) {
        if let Some(client) = self.client().filter(|_| self.is_editor()) {
            let message = format!("kifud: {}", error.told_to(self.audience()).sentence(self.locale()));
            client.notify("window/showMessage", serde_json::json!({"type": level as u8, "message": message}));
        }
    }

    /// A fresh subscription id, `"<session>-<n>"`.
    pub fn next_subscription(&self) -> String {
        format!("{}-{}", self.id, self.subscriptions.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The editor behind the session, if it is one that applies edits.
    pub fn editing_client(&self) -> Option<&Arc<dyn Client>> {
        self.client().filter(|client| self.is_editor() && client.can_edit())
    }

    /// How many requests are running.
    pub fn running_requests(&self) -> usize {
        lock(&self.requests).len()
    }

    /// How many streams are running.
    pub fn running_streams(&self) -> usize {
        lock(&self.streams).len()
    }

    /// Seconds since it was opened.
    pub fn age(&self) -> u64 {
        self.opened.elapsed().as_secs()
    }

    /// Notes a running request, so that it can be cancelled and counted.
    pub fn begin_request(self: &Arc<Self>, id: String, abort: AbortHandle) -> Result<RunningRequest> {
        let mut requests = lock(&self.requests);
        if requests.len() >= self.limits.in_flight {
            let message = format!("{} requests are already running; wait for answers", requests.len());
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        if requests.contains_key(&id) {
            let message = format!("a request with id {id} is still running");
            return Err(Error::new(Kind::InvalidRequest, message));
        }
        requests.insert(id.clone(), abort);
        Ok(RunningRequest { session: self.clone(), id })
    }

    /// Cancels a running request; false when there is none of that id.
    pub fn cancel(&self, id: &str) -> bool {
        match lock(&self.requests).get(id) {
            Some(abort) => {
                abort.abort();
                true
            }
            None => false,
        }
    }

    /// Notes a running stream.
    pub fn begin_stream(
        self: &Arc<Self>,
        id: String,
        stop: watch::Sender<Option<&'static str>>,
    ) -> Result<RunningStream> {
        let mut streams = lock(&self.streams);
        if streams.len() >= self.limits.streams {
            let message = format!("{} streams are already running; end some", streams.len());
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        streams.insert(id.clone(), stop);
        Ok(RunningStream { session: self.clone(), id })
    }

    /// Asks a stream to end for this reason; false when there is none of that id.
    pub fn stop_stream(&self, id: &str, reason: &'static str) -> bool {
        match lock(&self.streams).get(id) {
            Some(stop) => {
                stop.send_replace(Some(reason));
                true
            }
            None => false,
        }
    }

    /// The client has gone: cancels requests, ends streams, closes documents.
    pub fn close(&self) {
        for (_, abort) in lock(&self.requests).drain() {
            abort.abort();
        }
        for stop in lock(&self.streams).values() {
            stop.send_replace(Some("shutdown"));
        }
        self.shares.forget(self.id);
        self.documents.clear();
        self.reviews.close();
        self.engines.close();
    }
}

/// A request that runs; forgets itself when dropped.
pub struct RunningRequest {
    session: Arc<Session>,
    id: String,
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        lock(&self.session.requests).remove(&self.id);
    }
}

/// A stream that runs; forgets itself when dropped.
pub struct RunningStream {
    session: Arc<Session>,
    id: String,
}

impl Drop for RunningStream {
    fn drop(&mut self) {
        lock(&self.session.streams).remove(&self.id);
    }
}
