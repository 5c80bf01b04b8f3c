//! The settings file, read again when it changes. Its folder is watched, not the file: editors save
//! by renaming, and a watch on the file itself would see that once and then nothing more.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};
use tokio::sync::Notify;

use super::Service;
use super::session::MessageLevel;

/// Editors write in several steps; this is long enough for all of them.
const PAUSE: Duration = Duration::from_millis(150);

/// Keeps a daemon's settings as the file says until the daemon ends. A good change takes effect for
/// the next request and leaves attached engines alone; a bad one is logged and shown in the editors, and
/// the old settings stay.
///
/// # Errors
/// The folder cannot be watched.
pub fn follow(service: &Arc<Service>, path: &Path) -> notify::Result<()> {
    let path = std::path::absolute(path)?;
    let folder = path.parent().unwrap_or_else(|| Path::new("/")).to_owned();
    let changed = Arc::new(Notify::new());
    let wake = changed.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Events are hints only: which file it was is found out by reading.
        if !matches!(event.map(|event| event.kind), Ok(EventKind::Access(_))) {
            wake.notify_one();
        }
    })?;
    watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    let service = Arc::downgrade(service);
    let mut known = std::fs::read(&path).ok();
    tokio::spawn(async move {
        let _watcher = watcher;
        loop {
            changed.notified().await;
            tokio::time::sleep(PAUSE).await;
            let Some(service) = service.upgrade() else { return };
            known = reread(&service, &path, known);
        }
    });
    Ok(())
}

/// Takes the file over when its content is new; gives the content.
fn reread(service: &Service, path: &Path, known: Option<Vec<u8>>) -> Option<Vec<u8>> {
    let content = std::fs::read(path).ok();
    // Between a removal and the rename that follows there is no file: the old settings stay.
    if content.is_none() || content == known {
        return known;
    }
    if let Err(mut error) = service.reread_settings() {
        error.message = format!("{}; the old settings stay", error.message);
        tracing::error!("{}", error.message);
        // It names the file.
        for session in service.live().iter().filter(|session| session.trusted()) {
            session.show(MessageLevel::Error, &error);
        }
    }
    content
}
