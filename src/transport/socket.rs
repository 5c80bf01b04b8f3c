//! Sockets: WebSocket and HTTP over loopback TCP or a Unix socket. jsonrpsee speaks the wire; every
//! call goes through kifud's own table.

use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use jsonrpsee::core::middleware::{Batch, Notification, RpcServiceBuilder, RpcServiceT};
use jsonrpsee::core::traits::IdProvider;
use jsonrpsee::server::{
    BatchRequestConfig, HttpBody, HttpRequest, HttpResponse, Server, ServerConfig, StopHandle,
    serve_with_graceful_shutdown, stop_channel,
};
use jsonrpsee::types::{ErrorObjectOwned, Params, Request, SubscriptionId};
use jsonrpsee::{Extensions, MethodResponse, PendingSubscriptionSink, RpcModule};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::service::Service;
use crate::service::error::Error;
use crate::service::session::Session;
use crate::service::table::{Answer, Call, Method, Table};

/// Bytes of one message from an untrusted TCP client.
const TCP_MESSAGE: u32 = 4 << 20;
/// Bytes of one message from the same user.
const UNIX_MESSAGE: u32 = 160 << 20;
/// Bytes of one answer.
const ANSWER: u32 = 256 << 20;
/// Messages that may wait for one client.
const WAITING: u32 = 64;
/// Headers must be there by then.
const FIRST_REQUEST: Duration = Duration::from_secs(5);

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
    tokio::spawn(async move {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stop.clone().shutdown() => return,
            };
            match accepted {
                Ok((io, _)) => {
                    let _ = io.set_nodelay(true);
                    connect(&service, io, &stop, Some(token.clone()), TCP_MESSAGE);
                }
                Err(error) => pause_after(&error).await,
            }
        }
    });
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
    tokio::spawn(async move {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stop.clone().shutdown() => return,
            };
            match accepted {
                Ok((io, _)) => connect(&service, io, &stop, None, UNIX_MESSAGE),
                Err(error) => pause_after(&error).await,
            }
        }
    });
    Ok(Listening { address: Address::Unix(path.to_owned()), handle })
}

/// Too many open files and the like: the next try shall not spin.
async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// One connection, one session.
fn connect<IO>(service: &Arc<Service>, io: IO, stop: &StopHandle, token: Option<String>, message: u32)
where
    IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let session = match service.open_session(token.is_none()) {
        Ok(session) => session,
        Err(error) => {
            tracing::warn!(%error, "a connection was refused");
            return;
        }
    };
    let config = ServerConfig::builder()
        .max_request_body_size(message)
        .max_response_body_size(ANSWER)
        .set_message_buffer_capacity(WAITING)
        .set_batch_request_config(BatchRequestConfig::Disabled)
        .set_first_request_timeout(Some(FIRST_REQUEST))
        .set_id_provider(SessionIds(session.clone()))
        .build();
    let inner = Server::builder()
        .set_config(config)
        .set_rpc_middleware(RpcServiceBuilder::new().layer_fn(RememberId))
        .to_service_builder()
        .build(module(service, &session), stop.clone());
    let guarded = Guard { inner, token: token.map(Arc::from) };
    let stopped = stop.clone().shutdown();
    tokio::spawn(async move {
        if let Err(error) = serve_with_graceful_shutdown(io, guarded, stopped).await {
            tracing::debug!(%error, "a connection ended");
        }
        session.close();
    });
}

/// Subscription ids as every door makes them.
#[derive(Clone)]
struct SessionIds(Arc<Session>);

impl std::fmt::Debug for SessionIds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SessionIds({})", self.0.id)
    }
}

impl IdProvider for SessionIds {
    fn next_id(&self) -> SubscriptionId<'static> {
        SubscriptionId::Str(self.0.next_subscription().into())
    }
}

/// The table as jsonrpsee wants it: one closure an entry.
fn module(service: &Arc<Service>, session: &Arc<Session>) -> RpcModule<()> {
    let mut module = RpcModule::new(());
    for method in service.table.methods() {
        let added = match &method.events {
            None => add_call(&mut module, service, session, method),
            Some(events) => add_stream(&mut module, service, session, method, events.name),
        };
        if let Err(error) = added {
            tracing::error!(%error, method = method.name, "a method is missing at the socket");
        }
    }
    module
}

type Added = Result<(), jsonrpsee::core::RegisterMethodError>;

fn add_call(
    module: &mut RpcModule<()>,
    service: &Arc<Service>,
    session: &Arc<Session>,
    method: &Method,
) -> Added {
    let (service, session, name) = (service.clone(), session.clone(), method.name);
    module.register_async_method(name, move |params, _, extensions| {
        let (service, session) = (service.clone(), session.clone());
        async move {
            match dispatch(&service, &session, name, &params, &extensions, None).await {
                Ok(Answer::Value(value)) => Ok(value),
                Ok(Answer::Stream { .. }) => Ok(RawValue::NULL.to_owned()),
                Err(error) => Err(wire_error(&error, &session)),
            }
        }
    })?;
    Ok(())
}

fn add_stream(
    module: &mut RpcModule<()>,
    service: &Arc<Service>,
    session: &Arc<Session>,
    method: &Method,
    event: &'static str,
) -> Added {
    let (service, session, name) = (service.clone(), session.clone(), method.name);
    // jsonrpsee wants a name of its own for the way out; kifud/unsubscribe is the documented one.
    let close: &'static str = Box::leak(format!("{name}/unsubscribe").into_boxed_str());
    module.register_subscription(name, event, close, move |params, pending, _, extensions| {
        let (service, session) = (service.clone(), session.clone());
        async move { stream(&service, &session, name, &params, &extensions, pending).await }
    })?;
    Ok(())
}

async fn stream(
    service: &Arc<Service>,
    session: &Arc<Session>,
    name: &str,
    params: &Params<'_>,
    extensions: &Extensions,
    pending: PendingSubscriptionSink,
) {
    let id = match pending.subscription_id() {
        SubscriptionId::Str(id) => id.into_owned(),
        SubscriptionId::Num(id) => id.to_string(),
    };
    let subscription = match dispatch(service, session, name, params, extensions, Some(id)).await {
        Ok(Answer::Stream { subscription, .. }) => subscription,
        Ok(Answer::Value(_)) => return,
        Err(error) => return pending.reject(wire_error(&error, session)).await,
    };
    let Ok(sink) = pending.accept().await else { return };
    while subscription.ready().await {
        let Some(event) = subscription.take() else { continue };
        if sink.send(event).await.is_err() {
            return;
        }
    }
}

async fn dispatch(
    service: &Arc<Service>,
    session: &Arc<Session>,
    method: &str,
    params: &Params<'_>,
    extensions: &Extensions,
    subscription: Option<String>,
) -> Result<Answer, Error> {
    let raw = params.as_str().and_then(|text| RawValue::from_string(text.to_owned()).ok());
    let id = extensions.get::<RequestId>().map(|id| id.0.clone());
    let call = Call { id, method, params: raw.as_deref(), subscription };
    Table::dispatch(service, session, call).await
}

fn wire_error(error: &Error, session: &Session) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(error.kind.code(), error.sentence(session.locale()), Some(error.wire_data()))
}

/// The request's id as JSON text, for cancel.
#[derive(Clone)]
struct RequestId(String);

/// Puts the request's id where the method's closure finds it.
#[derive(Clone)]
struct RememberId<S>(S);

impl<S> RpcServiceT for RememberId<S>
where
    S: RpcServiceT<MethodResponse = MethodResponse> + Send + Sync + Clone + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = S::NotificationResponse;
    type BatchResponse = S::BatchResponse;

    fn call<'a>(&self, mut request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        if let Ok(id) = serde_json::to_string(&request.id) {
            request.extensions.insert(RequestId(id));
        }
        self.0.call(request)
    }

    fn batch<'a>(&self, batch: Batch<'a>) -> impl Future<Output = Self::BatchResponse> + Send + 'a {
        self.0.batch(batch)
    }

    fn notification<'a>(
        &self,
        notification: Notification<'a>,
    ) -> impl Future<Output = Self::NotificationResponse> + Send + 'a {
        self.0.notification(notification)
    }
}

/// Turns away pages of other origins, rebound names and clients without the token, before any
/// upgrade. A Unix socket has no token: its permissions guard it.
#[derive(Clone)]
struct Guard<S> {
    inner: S,
    token: Option<Arc<str>>,
}

impl<S, B> tower::Service<HttpRequest<B>> for Guard<S>
where
    S: tower::Service<HttpRequest<B>, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HttpRequest<B>) -> Self::Future {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let refusal = match &self.token {
            None => None,
            Some(token) => turn_away(header("host"), header("origin"), header("authorization"), token),
        };
        match refusal {
            Some((status, why)) => {
                let mut response = HttpResponse::new(HttpBody::from(why));
                if let Ok(status) = status.try_into() {
                    *response.status_mut() = status;
                }
                Box::pin(std::future::ready(Ok(response)))
            }
            None => Box::pin(self.inner.call(request)),
        }
    }
}

/// Why a request is turned away: the HTTP status and a sentence.
fn turn_away(
    host: Option<&str>,
    origin: Option<&str>,
    authorization: Option<&str>,
    token: &str,
) -> Option<(u16, &'static str)> {
    if !host.is_some_and(is_loopback) {
        return Some((403, "the Host header must name this machine: localhost or 127.0.0.1\n"));
    }
    if origin.is_some_and(|origin| !origin.split_once("://").is_some_and(|(_, host)| is_loopback(host))) {
        return Some((403, "pages of other origins may not connect\n"));
    }
    let given = authorization.and_then(|value| value.strip_prefix("Bearer "));
    if !given.is_some_and(|given| same(given, token)) {
        return Some((401, "send the header Authorization: Bearer TOKEN\n"));
    }
    None
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Compares without telling by time how much was right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
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

    #[test]
    fn who_is_turned_away() {
        let status = |host, origin, auth| turn_away(host, origin, auth, "secret").map(|(status, _)| status);
        let good = Some("Bearer secret");
        assert_eq!(status(Some("127.0.0.1:80"), None, good), None);
        assert_eq!(status(Some("localhost"), Some("http://localhost:3000"), good), None);
        assert_eq!(status(Some("evil.example"), None, good), Some(403));
        assert_eq!(status(Some("localhost"), Some("https://evil.example"), good), Some(403));
        assert_eq!(status(Some("localhost"), Some("null"), good), Some(403));
        assert_eq!(status(Some("localhost"), None, Some("Bearer secreu")), Some(401));
        assert_eq!(status(Some("localhost"), None, None), Some(401));
    }
}
