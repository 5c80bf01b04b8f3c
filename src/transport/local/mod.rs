//! The daemon that a user's clients share: where its socket is, how the two ends greet each other.
//! LSP's framing all the way; the first message says who comes, then it is a conversation as on
//! stdio.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::time::{Instant, sleep, timeout};

use super::framing::{Frame, Frames, Framing, Reader};
use super::json;
use super::streams::{Input, Output};
use crate::engine::environment::{self, Environment};
use crate::engine::os;
use crate::paths;
use crate::service::PROTOCOL;

#[cfg(not(unix))]
pub use other::{Door, detach, look};
#[cfg(unix)]
pub use unix::{Door, detach, look};

/// The first message of a client.
pub(super) const HELLO: &str = "bridge/hello";
/// The first message of who wants the daemon to end.
pub(super) const STOP: &str = "bridge/stop";
/// The last message of a daemon that ends in order.
pub(super) const GOODBYE: &str = "bridge/goodbye";

/// The first message and its answer come within this time.
const GREETING: Duration = Duration::from_secs(10);
/// Between two tries for a lock.
const TICK: Duration = Duration::from_millis(20);

/// Why there is no daemon to be had.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// What is there must not be used, or does nothing; it will be no better later.
    #[error("{0}")]
    Refused(String),
    /// It may work at another time.
    #[error("{0}")]
    NotYet(String),
}

/// Who holds what, while they hold its lock.
#[derive(Debug, Clone, Copy)]
pub enum Lock {
    /// Who looks for a daemon and starts one if there is none.
    Start,
    /// The daemon, for as long as it lives: the socket is its own.
    Daemon,
}

/// Where one shared daemon is found.
#[derive(Debug, Clone)]
pub struct Place {
    folder: PathBuf,
    name: String,
}

impl Place {
    /// In this folder, for this version of the protocol; `settings` tells apart daemons with
    /// different ones.
    pub fn new(folder: PathBuf, settings: Option<&str>) -> Place {
        let settings = settings.map(|settings| format!("-{settings}")).unwrap_or_default();
        Place { folder, name: format!("shared-{PROTOCOL}{settings}") }
    }

    /// The folder, which is nobody else's.
    ///
    /// # Errors
    /// `Refused`
    pub fn prepare(&self) -> Result<&Path, Trouble> {
        paths::make_private(&self.folder).map(|()| &*self.folder).map_err(Trouble::Refused)
    }

    /// The daemon's socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(format!("{}.sock", self.name))
    }

    /// Takes a lock, which is free again when the file is closed, in whatever way.
    ///
    /// # Errors
    /// `NotYet` when somebody holds it all the time.
    pub async fn lock(&self, what: Lock, patience: Duration) -> Result<File, Trouble> {
        let end = match what {
            Lock::Start => "start",
            Lock::Daemon => "daemon",
        };
        let path = self.folder.join(format!("{}.{end}.lock", self.name));
        let failed = |error: std::io::Error| Trouble::NotYet(format!("{}: {error}", path.display()));
        let open = File::options().create(true).truncate(false).read(true).write(true).open(&path);
        let file = open.map_err(failed)?;
        let until = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(TICK).await,
                Err(TryLockError::WouldBlock) => {
                    return Err(Trouble::NotYet(format!("another process holds {}", path.display())));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

/// Who comes to a daemon.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: String,
    /// The folder that the client works in: relative paths of its engines start there.
    pub cwd: Option<String>,
    /// The variables of its environment that make a difference to its engines.
    #[serde(default)]
    pub environment: Option<Environment>,
}

/// Who is found there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Welcome {
    /// The daemon's process.
    pub pid: u32,
    /// kifud's version.
    pub version: String,
}

/// A daemon that has greeted.
pub struct Greeted {
    /// Who it is.
    pub welcome: Welcome,
    /// What it says.
    pub frames: Reader<BufReader<Input>>,
    /// What it hears.
    pub output: Output,
}

/// Comes in as a client.
///
/// # Errors
/// `NotYet`: it has no room, or has just ended; `Refused`: it says nothing.
pub async fn enter(daemon: (Input, Output), cwd: Option<&Path>, limit: usize) -> Result<Greeted, Trouble> {
    let cwd = cwd.and_then(Path::to_str).map(str::to_owned);
    let environment = Some(environment::relevant(os::variables()));
    let hello = Hello { protocol: PROTOCOL.to_owned(), cwd, environment };
    ask(daemon, HELLO, &serde_json::json!(hello), limit).await
}

/// Asks a daemon to end. It is gone when its end of the connection is closed and its lock is free.
///
/// # Errors
/// As [`enter`].
pub async fn stop(daemon: (Input, Output)) -> Result<Greeted, Trouble> {
    ask(daemon, STOP, &serde_json::json!({}), 1 << 20).await
}

async fn ask(
    (input, output): (Input, Output),
    method: &str,
    params: &serde_json::Value,
    limit: usize,
) -> Result<Greeted, Trouble> {
    let mut output = output;
    let mut frames = Reader::new(BufReader::with_capacity(64 * 1024, input), limit);
    let answer = timeout(GREETING, async {
        write(
            &mut output,
            &serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}),
        )
        .await?;
        frames.next().await
    });
    let not_yet = |why: &str| Err(Trouble::NotYet(format!("the shared daemon does not answer: {why}")));
    let body = match answer.await {
        Ok(Ok(Frame::Body(body))) => body,
        Ok(Ok(Frame::Bad { why, .. })) => return not_yet(&why),
        Ok(Ok(Frame::End)) => return not_yet("it has closed the connection"),
        Ok(Err(error)) => return not_yet(&error.to_string()),
        // It has been waited for long enough: it is stopped, or hangs.
        Err(_) => {
            return Err(Trouble::Refused("the shared daemon does not answer: it says nothing".to_owned()));
        }
    };
    let incoming = json::parse(&body).map_err(|error| Trouble::NotYet(error.message))?;
    match incoming.result.map(|result| serde_json::from_str(result.get())) {
        Some(Ok(welcome)) => Ok(Greeted { welcome, frames, output }),
        _ => not_yet(&String::from_utf8_lossy(&body)),
    }
}

async fn write(output: &mut Output, message: &serde_json::Value) -> std::io::Result<()> {
    let mut framed = Vec::new();
    Framing::ContentLength.write(&mut framed, &[message.to_string().as_bytes()]);
    output.write_all(&framed).await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_carries_the_protocol_s_version() {
        let name = |settings| Place::new("/run/kifud".into(), settings).socket();
        assert_eq!(name(None), PathBuf::from("/run/kifud/shared-1.0.sock"));
        assert_eq!(name(Some("ab")), PathBuf::from("/run/kifud/shared-1.0-ab.sock"));
    }

    #[tokio::test]
    async fn a_lock_is_one_s_own_until_its_file_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path().to_owned(), None);
        let held = place.lock(Lock::Start, Duration::ZERO).await.unwrap();
        assert!(place.lock(Lock::Daemon, Duration::ZERO).await.is_ok(), "another lock");
        assert!(matches!(place.lock(Lock::Start, Duration::ZERO).await, Err(Trouble::NotYet(_))));
        drop(held);
        assert!(place.lock(Lock::Start, Duration::ZERO).await.is_ok());
    }
}
