//! Sockets: WebSocket and HTTP over TCP or a Unix socket. Connections are accepted, timed and counted
//! here; jsonrpsee serves their HTTP. A WebSocket is then a conversation like the one on pipes, a POST
//! one message, and a GET the status page.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, SEC_WEBSOCKET_PROTOCOL, WWW_AUTHENTICATE};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use jsonrpsee::server::{
    HttpBody, HttpRequest, HttpResponse, StopHandle, http, serve_with_graceful_shutdown, stop_channel, ws,
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

pub use super::address::Address;
use super::conversation::{Limits, converse};
use super::framing::Framing;
use super::outbox::Outbox;
use super::token::Token;
use super::wire::Wire;
use super::{guard, json, page, post, websocket};
use crate::service::Service;
use crate::service::error::{Audience, Error, Kind};
use crate::service::session::Session;

/// The content type of JSON-RPC.
pub(super) const JSON: &str = "application/json; charset=utf-8";
/// Connections of a door that have not shown yet whether they may come in.
const AT_THE_DOOR: usize = 64;
/// Time for the last bytes to a client when the door closes.
const GOODBYE: Duration = Duration::from_millis(300);

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
    token: Token,
) -> std::io::Result<Listening> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    let address = Address::Tcp(listener.local_addr()?);
    let (stop, handle) = stop_channel();
    let remote = address.is_remote();
    let door = Door::new(service, Some(token), stop);
    tokio::spawn(door.serve(async move || {
        let (io, peer) = listener.accept().await?;
        let _ = io.set_nodelay(true);
        let here = io.local_addr().ok().filter(|_| remote).map(|address| address.ip());
        Ok(Some(Visitor { io, who: peer.to_string(), here }))
    }));
    Ok(Listening { address, handle })
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
    let who = format!("unix:{}", path.display());
    tokio::spawn(door.serve(async move || {
        let (io, _) = listener.accept().await?;
        // Also who came before the permissions were set.
        let peer = io.peer_cred()?.uid();
        if peer != crate::paths::user() {
            tracing::warn!(peer, "another user was turned away from {who}");
            return Ok(None);
        }
        Ok(Some(Visitor { io, who: who.clone(), here: None }))
    }));
    Ok(Listening { address: Address::Unix(path.to_owned()), handle })
}

/// A connection that was accepted.
struct Visitor<IO> {
    io: IO,
    /// For the log.
    who: String,
    /// The address that it came to, at a door that is open to other machines.
    here: Option<IpAddr>,
}

/// What all connections of one address share.
pub(super) struct Door {
    pub service: Arc<Service>,
    /// `None`: the file's permissions guard the door, and who comes in is trusted.
    token: Option<Token>,
    /// What one conversation may take and hold.
    pub limits: Limits,
    /// Connections that may be inside.
    inside: Arc<Semaphore>,
    /// Time for a request's head.
    head: Duration,
    /// Time for a client to read something of what waits for it.
    stall: Duration,
    stop: StopHandle,
}

impl Door {
    fn new(service: Arc<Service>, token: Option<Token>, stop: StopHandle) -> Arc<Door> {
        let limits = service.settings().limits.clone();
        Arc::new(Door {
            limits: Limits::of(&limits, token.is_none()),
            inside: Arc::new(Semaphore::new(limits.connections)),
            head: Duration::from_secs(limits.header_seconds),
            stall: Duration::from_secs(limits.stall_seconds),
            service,
            token,
            stop,
        })
    }

    /// Accepts connections until the door closes.
    async fn serve<IO>(self: Arc<Self>, accept: impl AsyncFn() -> std::io::Result<Option<Visitor<IO>>>)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let places = Arc::new(Semaphore::new(AT_THE_DOOR));
        let accepting = async {
            loop {
                // While all places are taken, others wait in the listener's queue.
                let Ok(place) = places.clone().acquire_owned().await else { return };
                match accept().await {
                    Ok(Some(visitor)) => {
                        tokio::spawn(self.clone().visit(visitor, place));
                    }
                    Ok(None) => {}
                    Err(error) => pause_after(&error).await,
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            () = self.stop.clone().shutdown() => {}
        }
    }

    /// One connection.
    async fn visit<IO>(self: Arc<Self>, visitor: Visitor<IO>, place: OwnedSemaphorePermit)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Visitor { io, who, here } = visitor;
        let mut wire = Wire::new(io, who, self.stall);
        let refusal = match timeout(self.head, wire.read_head()).await {
            Ok(Ok(refusal)) => refusal,
            Ok(Err(_)) => return,
            Err(_) => Some("408 Request Timeout"),
        };
        if let Some(status) = refusal {
            let answer = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            let _ = timeout(GOODBYE, wire.write_all(answer.as_bytes())).await;
            return;
        }
        let admission = Arc::new(Admission::new(place, here));
        let service = {
            let (door, admission) = (self.clone(), admission.clone());
            tower::service_fn(move |request| {
                let (door, admission) = (door.clone(), admission.clone());
                async move { Ok::<_, Infallible>(door.answer(request, &admission).await) }
            })
        };
        tokio::select! {
            end = serve_with_graceful_shutdown(wire, service, self.stop.clone().shutdown()) => {
                if let Err(error) = end {
                    tracing::debug!(%error, "a connection ended");
                }
            }
            () = admission.overdue(self.head) => tracing::debug!("a connection was not let in in time"),
        }
    }

    /// Answers one HTTP request. Nobody gets a session before the guard has let them in, and a
    /// connection is kept only for a WebSocket.
    async fn answer(self: Arc<Self>, request: HttpRequest<Incoming>, admission: &Admission) -> HttpResponse {
        without_keep_alive(match self.refusal(&request, admission.here) {
            Some((status, why)) => turned_away(status, why),
            None => match self.inside.clone().try_acquire_owned() {
                Ok(place) => self.let_in(request, admission, place).await,
                Err(_) => {
                    let message = "this address has as many connections as it takes; close one";
                    refuse(503, &Error::new(Kind::LimitExceeded, message))
                }
            },
        })
    }

    /// Why a request is turned away. The status page holds nothing that is worth a token: a browser
    /// could not send one for it.
    fn refusal(&self, request: &HttpRequest<Incoming>, here: Option<IpAddr>) -> Option<guard::Refusal> {
        let token = self.token.as_ref()?;
        let page = request.method() == Method::GET && !ws::is_upgrade_request(request);
        let headers = request.headers();
        let named = request.uri().authority().map(|authority| authority.as_str());
        guard::stranger(headers, named, here).or_else(|| guard::no_token(headers, token).filter(|_| !page))
    }

    async fn let_in(
        self: Arc<Self>,
        request: HttpRequest<Incoming>,
        admission: &Admission,
        place: OwnedSemaphorePermit,
    ) -> HttpResponse {
        if ws::is_upgrade_request(&request) {
            admission.grant();
            return self.upgrade(request, place);
        }
        match *request.method() {
            Method::GET => page::answer(&request),
            Method::POST => {
                admission.grant();
                admission.keep(place);
                post::answer(&self, request).await
            }
            _ => http::response::method_not_allowed(),
        }
    }

    /// Opens the session of a client that has been let in.
    ///
    /// # Errors
    /// `LimitExceeded` when there are too many.
    pub fn open_session(&self) -> Result<Arc<Session>, Error> {
        self.service.open_session(self.token.is_none())
    }

    fn upgrade(self: Arc<Self>, request: HttpRequest<Incoming>, place: OwnedSemaphorePermit) -> HttpResponse {
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
        let mut response = handshake.map(|()| HttpBody::empty());
        if guard::offers_subprotocol(request.headers()) {
            let name = HeaderValue::from_static(guard::SUBPROTOCOL);
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
        }
        let upgraded = hyper::upgrade::on(request);
        tokio::spawn(async move {
            match upgraded.await {
                Ok(io) => self.converse(session, TokioIo::new(io)).await,
                Err(error) => tracing::debug!(%error, "a connection ended in the handshake"),
            }
            drop(place);
        });
        response
    }

    /// One WebSocket, one session.
    async fn converse(&self, session: Arc<Session>, io: impl AsyncRead + AsyncWrite + Send) {
        let outbox = Outbox::new(Framing::WebSocket, self.limits.outbox).holding(self.limits.answers);
        let outbox = Arc::new(outbox);
        let (input, mut output) = tokio::io::split(io);
        let input = BufReader::with_capacity(64 * 1024, input);
        let mut frames = websocket::Reader::new(input, self.limits.message, outbox.clone());
        let talking = converse(self.service.clone(), session, &mut frames, outbox.clone(), &mut output);
        tokio::pin!(talking);
        let end = tokio::select! {
            end = &mut talking => end,
            () = self.stop.clone().shutdown() => {
                websocket::close(&outbox, websocket::GOING_AWAY);
                outbox.close();
                let _ = timeout(GOODBYE, talking).await;
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
    /// Its place inside, until it ends.
    inside: Mutex<Option<OwnedSemaphorePermit>>,
    /// The address that it came to, at a door that is open to other machines.
    here: Option<IpAddr>,
}

impl Admission {
    fn new(place: OwnedSemaphorePermit, here: Option<IpAddr>) -> Admission {
        let (place, inside) = (Mutex::new(Some(place)), Mutex::default());
        Admission { place, granted: Notify::new(), inside, here }
    }

    fn grant(&self) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.granted.notify_one();
    }

    fn keep(&self, inside: OwnedSemaphorePermit) {
        *self.inside.lock().unwrap_or_else(PoisonError::into_inner) = Some(inside);
    }

    /// Waits for the end of the time; for ever once a request has been let in.
    async fn overdue(&self, time: Duration) {
        if timeout(time, self.granted.notified()).await.is_ok() {
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

fn turned_away(status: u16, why: &'static str) -> HttpResponse {
    let mut response = respond(status, "text/plain", why);
    if response.status() == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"kifud\""));
    }
    response
}

/// An HTTP answer that carries a JSON-RPC error of no request in particular.
pub(super) fn refuse(status: u16, error: &Error) -> HttpResponse {
    respond(status, JSON, json::error(None, error, Audience::STRANGER))
}

fn without_keep_alive(mut response: HttpResponse) -> HttpResponse {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
