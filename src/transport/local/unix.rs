//! Unix: a socket in the user's own folder. Both ends look who the other is.

use std::fs::File;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::io::BufReader;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{GREETING, HELLO, Hello, Input, Lock, Output, Place, STOP, Trouble, Welcome, write};
use crate::engine::environment;
use crate::paths::user;
use crate::service::error::{Audience, Error, Kind};
use crate::service::session::Session;
use crate::service::{PROTOCOL, Service};
use crate::transport::conversation::{Limits, converse};
use crate::transport::framing::{Frame, Frames, Framing, Reader};
use crate::transport::json::{self, Incoming};
use crate::transport::outbox::Outbox;

/// Connections that have not said yet who they are.
const AT_THE_DOOR: usize = 64;
/// A daemon before this one may take so long to leave.
const PREDECESSOR: Duration = Duration::from_secs(5);
/// Time for the last bytes to clients when the door closes.
const LAST_BYTES: Duration = Duration::from_millis(300);

/// Leaves the terminal and the process group of whoever has started this daemon: what ends them
/// shall not end it. One that was started in a group of its own stays there.
pub fn detach() {
    let _ = rustix::process::setsid();
}

/// Looks for a daemon: a connection to it, or `None` when nobody listens.
///
/// # Errors
/// `Refused` when what is there is no socket, or another user's; `NotYet` when the system says no.
pub async fn look(place: &Place) -> Result<Option<(Input, Output)>, Trouble> {
    place.prepare()?;
    let path = place.socket();
    if !is_ours(&path)? {
        return Ok(None);
    }
    let stream = match UnixStream::connect(&path).await {
        Ok(stream) => stream,
        Err(error) => {
            return match error.kind() {
                std::io::ErrorKind::ConnectionRefused | std::io::ErrorKind::NotFound => Ok(None),
                _ => Err(Trouble::NotYet(format!("{}: {error}", path.display()))),
            };
        }
    };
    if !is_same_user(&stream) {
        return Err(Trouble::Refused(format!("another user listens at {}", path.display())));
    }
    let (input, output) = stream.into_split();
    Ok(Some((Box::pin(input), Box::pin(output))))
}

/// Whether the socket is there. Anything else in its place is refused.
fn is_ours(path: &Path) -> Result<bool, Trouble> {
    let refused = |why: String| Err(Trouble::Refused(format!("{} {why}", path.display())));
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => refused("is not a socket; remove it".to_owned()),
        Ok(found) if found.uid() != user() => refused(format!("belongs to another user ({})", found.uid())),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => refused(format!("cannot be looked at: {error}")),
    }
}

fn is_same_user(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == user())
}

/// The shared daemon's door.
pub struct Door {
    listener: UnixListener,
    path: PathBuf,
    _lock: File,
}

impl Door {
    /// Opens the door, once no other daemon has it. What a daemon that was killed has left is
    /// removed.
    ///
    /// # Errors
    /// `NotYet` when another daemon is there, or the socket cannot be had; `Refused` when its
    /// place must not be used.
    pub async fn open(place: Place) -> Result<Door, Trouble> {
        place.prepare()?;
        let _lock = place.lock(Lock::Daemon, PREDECESSOR).await?;
        let path = place.socket();
        let failed = |error: std::io::Error| Trouble::NotYet(format!("{}: {error}", path.display()));
        if is_ours(&path)? {
            std::fs::remove_file(&path).map_err(failed)?;
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).map_err(failed)?;
        Ok(Door { listener, path, _lock })
    }

    /// Lets clients in until `stop` says true, which a client may say; then says goodbye to them.
    /// As long as the door is held, no other daemon opens one in its place.
    pub async fn serve(&self, service: &Arc<Service>, stop: &watch::Sender<bool>) {
        let places = Arc::new(Semaphore::new(AT_THE_DOOR));
        let mut stopped = stop.subscribe();
        let mut visits = JoinSet::new();
        let accepting = async {
            loop {
                let Ok(place) = places.clone().acquire_owned().await else { return };
                match self.listener.accept().await {
                    Ok((stream, _)) if is_same_user(&stream) => {
                        visits.spawn(visit(stream, service.clone(), stop.clone(), place));
                        while visits.try_join_next().is_some() {}
                    }
                    Ok(_) => tracing::warn!("another user was turned away from the shared daemon"),
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        sleep(Duration::from_millis(100)).await;
                    }
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            () = until(&mut stopped) => {}
        }
        let _ = std::fs::remove_file(&self.path);
        let _ = timeout(LAST_BYTES, async { while visits.join_next().await.is_some() {} }).await;
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn until(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// One connection, from its first message to its last.
async fn visit(
    stream: UnixStream,
    service: Arc<Service>,
    stop: watch::Sender<bool>,
    place: OwnedSemaphorePermit,
) {
    let limits = Limits::of(&service.settings().limits, true);
    let (input, output) = stream.into_split();
    let mut output: Output = Box::pin(output);
    let mut frames = Reader::new(BufReader::with_capacity(64 * 1024, input), limits.message);
    let Ok(Ok(Frame::Body(body))) = timeout(GREETING, frames.next()).await else { return };
    drop(place);
    let incoming = json::parse(&body);
    let id = incoming.as_ref().ok().and_then(|incoming| incoming.id).map(RawValue::get);
    let welcome = Welcome { pid: std::process::id(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let welcome = serde_json::json!({"jsonrpc": "2.0", "id": id_value(id), "result": welcome});
    match incoming.and_then(|incoming| admit(&service, &incoming)) {
        Ok(Some(session)) => {
            if write(&mut output, &welcome).await.is_ok() {
                talk(service, session, &mut frames, &mut output, limits, stop.subscribe()).await;
            }
        }
        Ok(None) => {
            let _ = write(&mut output, &welcome).await;
            stop.send_replace(true);
        }
        Err(error) => {
            let refusal = error.to_json(Audience::USER);
            let refusal = serde_json::json!({"jsonrpc": "2.0", "id": id_value(id), "error": refusal});
            let _ = write(&mut output, &refusal).await;
        }
    }
}

/// The id of a request as it came.
fn id_value(id: Option<&str>) -> serde_json::Value {
    id.and_then(|id| serde_json::from_str(id).ok()).unwrap_or_default()
}

/// A session for who says hello; none for who wants the daemon to end.
fn admit(service: &Service, incoming: &Incoming<'_>) -> Result<Option<Arc<Session>>, Error> {
    match incoming.method.as_deref() {
        Some(STOP) => return Ok(None),
        Some(HELLO) => {}
        _ => return Err(Error::new(Kind::InvalidRequest, format!("{HELLO} comes first"))),
    }
    let params = incoming.params.map_or("null", |params| params.get());
    let hello: Hello = serde_json::from_str(params)
        .map_err(|error| Error::new(Kind::InvalidParams, format!("{HELLO}: {error}")))?;
    if hello.protocol != PROTOCOL {
        let message = format!(
            "this daemon speaks protocol {PROTOCOL} and not {:.20}; use kifud {} here, or end the daemon with \
             kifud stop",
            hello.protocol,
            env!("CARGO_PKG_VERSION"),
        );
        return Err(Error::new(Kind::InvalidRequest, message));
    }
    tracing::info!(protocol = hello.protocol, cwd = hello.cwd, "a client comes");
    let session = service.open_session(true)?;
    if let Some(environment) = hello.environment {
        session.set_environment(environment::relevant(environment.into_iter()));
    }
    if let Some(folder) = hello.cwd {
        session.set_workspace(folder.into());
    }
    Ok(Some(session))
}

async fn talk(
    service: Arc<Service>,
    session: Arc<Session>,
    frames: &mut impl Frames,
    output: &mut Output,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) {
    let outbox = Arc::new(Outbox::new(Framing::ContentLength, limits.outbox).holding(limits.answers));
    let talking = converse(service, session, frames, outbox.clone(), output);
    tokio::pin!(talking);
    tokio::select! {
        end = &mut talking => {
            if let Err(error) = end {
                tracing::debug!(%error, "a connection ended");
            }
        }
        () = until(&mut stopped) => {
            outbox.push(&[format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, super::GOODBYE).as_bytes()]);
            outbox.close();
            let _ = timeout(LAST_BYTES, talking).await;
        }
    }
}
