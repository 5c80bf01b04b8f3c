//! Sockets: WebSocket and HTTP over loopback TCP or a Unix socket. jsonrpsee serves the
//! connections; a WebSocket is then a conversation like the one on pipes, a POST one message.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper_util::rt::TokioIo;
use jsonrpsee::server::{
    HttpBody, HttpRequest, HttpResponse, StopHandle, serve_with_graceful_shutdown, stop_channel, ws,
};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::conversation::{Limits, converse};
use super::framing::Framing;
use super::outbox::Outbox;
use super::{guard, json, post, websocket};
use crate::locale::Locale;
use crate::service::Service;
use crate::service::error::{Error, Kind};
use crate::service::session::Session;

/// The content type of JSON-RPC.
pub(super) const JSON: &str = "application/json; charset=utf-8";
/// Connections of a door that have not shown yet whether they may come in.
const AT_THE_DOOR: usize = 64;
/// They have so much time for it.
const FIRST_REQUEST: Duration = Duration::from_secs(5);
/// Time for the last bytes to a client when the door closes.
const GOODBYE: Duration = Duration::from_millis(300);

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Loopback TCP; port 0 takes a free one.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.is_empty() {
                Err("unix: needs a path".to_owned())
            } else {
                Ok(Address::Unix(path.into()))
            };
        }
        let address: SocketAddr = text
            .parse()
            .map_err(|_| format!("{text:?} is neither IP:PORT nor unix:PATH, such as 127.0.0.1:0"))?;
        match address.ip().is_loopback() {
            true => Ok(Address::Tcp(address)),
            false => {
                Err(format!("{address} is not a loopback address; use an ssh tunnel to reach this machine"))
            }
        }
    }
}

/// A door that is open.
pub struct Listening {
    /// Where it really listens.
    pub address: Address,
    handle: jsonrpsee::server::ServerHandle,
}

impl Listening {
    /// Closes the door.
    pub fn stop(&self) {
        let _ = self.handle.stop();
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop();
        if let Address::Unix(path) = &self.address {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Opens a TCP door. Every client must bring the token.
///
/// # Errors
/// The address cannot be had.
pub async fn listen_tcp(
    service: Arc<Service>,
    address: SocketAddr,
    token: String,
) -> std::io::Result<Listening> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let (stop, handle) = stop_channel();
    let door = Door::new(service, Some(token), stop);
    tokio::spawn(door.serve(async move || {
        let (io, _) = listener.accept().await?;
        let _ = io.set_nodelay(true);
        Ok(io)
    }));
    Ok(Listening { address: Address::Tcp(address), handle })
}

/// Opens a Unix socket for the same user.
///
/// # Errors
/// The path cannot be had.
#[cfg(unix)]
pub async fn listen_unix(service: Arc<Service>, path: &Path) -> std::io::Result<Listening> {
    let listener = tokio::net::UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    let (stop, handle) = stop_channel();
    let door = Door::new(service, None, stop);
    tokio::spawn(door.serve(async move || Ok(listener.accept().await?.0)));
    Ok(Listening { address: Address::Unix(path.to_owned()), handle })
}

/// What all connections of one address share.
pub(super) struct Door {
    pub service: Arc<Service>,
    /// `None`: the file's permissions guard the door, and who comes in is trusted.
    token: Option<String>,
    /// Bytes of one message.
    pub message: usize,
    stop: StopHandle,
}

impl Door {
    fn new(service: Arc<Service>, token: Option<String>, stop: StopHandle) -> Arc<Door> {
        let Limits { message, .. } = Limits::of(&service.settings().limits, token.is_none());
        Arc::new(Door { service, token, message, stop })
    }

    /// Accepts connections until the door closes.
    async fn serve<IO>(self: Arc<Self>, accept: impl AsyncFn() -> std::io::Result<IO>)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let places = Arc::new(Semaphore::new(AT_THE_DOOR));
        let accepting = async {
            loop {
                // While all places are taken, others wait in the listener's queue.
                let Ok(place) = places.clone().acquire_owned().await else { return };
                match accept().await {
                    Ok(io) => self.connect(io, place),
                    Err(error) => pause_after(&error).await,
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            () = self.stop.clone().shutdown() => {}
        }
    }

    fn connect<IO>(self: &Arc<Self>, io: IO, place: OwnedSemaphorePermit)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (door, admission) = (self.clone(), Arc::new(Admission::new(place)));
        let service = {
            let admission = admission.clone();
            tower::service_fn(move |request| {
                let (door, admission) = (door.clone(), admission.clone());
                async move { Ok::<_, Infallible>(door.answer(request, &admission).await) }
            })
        };
        let stopped = self.stop.clone().shutdown();
        tokio::spawn(async move {
            tokio::select! {
                end = serve_with_graceful_shutdown(io, service, stopped) => {
                    if let Err(error) = end {
                        tracing::debug!(%error, "a connection ended");
                    }
                }
                () = admission.overdue() => tracing::debug!("a connection brought no request in time"),
            }
        });
    }

    /// Answers one HTTP request. Nobody gets a session before the guard has let them in, and a
    /// connection is kept only for a WebSocket.
    async fn answer(self: Arc<Self>, request: HttpRequest<Incoming>, admission: &Admission) -> HttpResponse {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let refusal = self.token.as_deref().and_then(|token| {
            guard::turn_away(header("host"), header("origin"), header("authorization"), token)
        });
        let answer = match refusal {
            Some((status, why)) => respond(status, "text/plain", why),
            None => {
                admission.grant();
                match ws::is_upgrade_request(&request) {
                    true => self.upgrade(request),
                    false => post::answer(&self, request).await,
                }
            }
        };
        without_keep_alive(answer)
    }

    /// Opens the session of a client that has been let in.
    ///
    /// # Errors
    /// `LimitExceeded` when there are too many.
    pub fn open_session(&self) -> Result<Arc<Session>, Error> {
        self.service.open_session(self.token.is_none())
    }

    fn upgrade(self: Arc<Self>, request: HttpRequest<Incoming>) -> HttpResponse {
        let handshake = match soketto::handshake::http::Server::new().receive_request(&request) {
            Ok(handshake) => handshake,
            Err(error) => {
                let message = format!("this is no WebSocket handshake: {error}");
                return refuse(400, &Error::new(Kind::InvalidRequest, message));
            }
        };
        let session = match self.open_session() {
            Ok(session) => session,
            Err(error) => return refuse(503, &error),
        };
        let upgraded = hyper::upgrade::on(request);
        tokio::spawn(async move {
            match upgraded.await {
                Ok(io) => self.converse(session, TokioIo::new(io)).await,
                Err(error) => tracing::debug!(%error, "a connection ended in the handshake"),
            }
        });
        handshake.map(|()| HttpBody::empty())
    }

    /// One WebSocket, one session.
    async fn converse(&self, session: Arc<Session>, io: impl AsyncRead + AsyncWrite + Send) {
        let outbox = Arc::new(Outbox::new(Framing::WebSocket, Limits::default().outbox));
        let (input, mut output) = tokio::io::split(io);
        let input = BufReader::with_capacity(64 * 1024, input);
        let mut frames = websocket::Reader::new(input, self.message, outbox.clone());
        let talking = converse(self.service.clone(), session, &mut frames, outbox.clone(), &mut output);
        tokio::pin!(talking);
        let end = tokio::select! {
            end = &mut talking => end,
            () = self.stop.clone().shutdown() => {
                websocket::close(&outbox, websocket::GOING_AWAY);
                outbox.close();
                let _ = tokio::time::timeout(GOODBYE, talking).await;
                return;
            }
        };
        if let Err(error) = end {
            tracing::debug!(%error, "a connection ended");
        }
    }
}

/// A connection's place at the door, until a request of it has been let in.
struct Admission {
    place: Mutex<Option<OwnedSemaphorePermit>>,
    granted: Notify,
}

impl Admission {
    fn new(place: OwnedSemaphorePermit) -> Admission {
        Admission { place: Mutex::new(Some(place)), granted: Notify::new() }
    }

    fn grant(&self) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.granted.notify_one();
    }

    /// Waits for the end of the time; for ever once a request has been let in.
    async fn overdue(&self) {
        if tokio::time::timeout(FIRST_REQUEST, self.granted.notified()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    }
}

/// Too many open files and the like: the next try shall not spin.
async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// An HTTP answer.
pub(super) fn respond(status: u16, content_type: &'static str, body: impl Into<HttpBody>) -> HttpResponse {
    let mut response = HttpResponse::new(body.into());
    *response.status_mut() = status.try_into().unwrap_or_default();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// An HTTP answer that carries a JSON-RPC error of no request in particular.
pub(super) fn refuse(status: u16, error: &Error) -> HttpResponse {
    respond(status, JSON, json::error(None, error, Locale::English))
}

fn without_keep_alive(mut response: HttpResponse) -> HttpResponse {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert!(matches!("127.0.0.1:0".parse(), Ok(Address::Tcp(_))));
        assert!(matches!("[::1]:9".parse(), Ok(Address::Tcp(_))));
        assert_eq!("unix:/run/x".parse(), Ok(Address::Unix("/run/x".into())));
        for bad in ["0.0.0.0:80", "192.168.0.1:1", "localhost:1", "unix:", "8080", ""] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
