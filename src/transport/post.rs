//! HTTP POST: one message, one answer, no session that outlives it. So only methods that need none.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use jsonrpsee::core::http_helpers::{HttpError, read_body};
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse, http};
use serde_json::value::RawValue;

use super::conversation::Closing;
use super::json;
use super::socket::{Door, JSON, refuse, respond};
use crate::service::Service;
use crate::service::error::{Error, Kind};
use crate::service::session::Session;
use crate::service::table::{Access, Answer, Call, Table};

/// A body must be there by then.
const BODY: Duration = Duration::from_secs(30);

/// Answers one POST.
pub(super) async fn answer(door: &Door, request: HttpRequest<Incoming>) -> HttpResponse {
    if !http::content_type_is_json(&request) {
        return http::response::unsupported_content_type();
    }
    let (head, body) = request.into_parts();
    let limit = u32::try_from(door.limits.message).unwrap_or(u32::MAX);
    let body = match tokio::time::timeout(BODY, read_body(&head.headers, body, limit)).await {
        Ok(Ok((body, _))) => body,
        Ok(Err(error)) if is_too_large(&error) => {
            let message = format!("the message is over the limit of {limit} bytes");
            return refuse(413, &Error::new(Kind::LimitExceeded, message));
        }
        Ok(Err(HttpError::Malformed | HttpError::TooLarge)) => {
            return refuse(400, &Error::new(Kind::ParseError, "the body is no JSON-RPC message"));
        }
        Ok(Err(HttpError::Stream(error))) => {
            let message = format!("the body cannot be read: {error}");
            return refuse(400, &Error::new(Kind::InvalidRequest, message));
        }
        Err(_) => return refuse(408, &Error::new(Kind::InvalidRequest, "the body did not come in time")),
    };
    let session = match door.open_session() {
        Ok(session) => Closing(session),
        Err(error) => return refuse(503, &error),
    };
    match message(&door.service, &session.0, &body).await {
        Some(text) => respond(200, JSON, text),
        None => respond(204, JSON, HttpBody::empty()),
    }
}

/// Answers one message; `None` for a notification.
async fn message(service: &Arc<Service>, session: &Arc<Session>, body: &[u8]) -> Option<String> {
    let body = json::without_lone_surrogates(body);
    let incoming = match json::receive(&body) {
        Ok(incoming) => incoming,
        Err(error) => return Some(json::error(None, &error, session.audience())),
    };
    let id = incoming.id.map(RawValue::get);
    let answer = match (json::check(&incoming), incoming.method.as_deref()) {
        (Ok(()), Some(method)) => call(service, session, id, method, incoming.params).await,
        (Ok(()), None) => Err(Error::new(Kind::InvalidRequest, "nothing was asked here")),
        (Err(error), _) => return Some(json::error(id, &error, session.audience())),
    };
    let id = id?;
    Some(match answer {
        Ok(result) => String::from_utf8_lossy(&json::result(id, result.get()).concat()).into_owned(),
        Err(error) => json::error(Some(id), &error, session.audience()),
    })
}

async fn call(
    service: &Arc<Service>,
    session: &Arc<Session>,
    id: Option<&str>,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Box<RawValue>, Error> {
    let needs = |what: &str| {
        let message = format!("{method} {what}; connect a WebSocket to this address instead of using POST");
        Err(Error::new(Kind::InvalidRequest, message))
    };
    match service.table.method(method) {
        Some(found) if found.events.is_some() => return needs("sends events"),
        Some(found) if found.access != Access::Stateless => return needs("needs a session"),
        _ => {}
    }
    let call = Call { id: id.map(str::to_owned), method, params, subscription: None };
    match Table::dispatch(service, session, call).await? {
        Answer::Value(result) => Ok(result),
        Answer::Stream { .. } => needs("sends events"),
    }
}

/// Whether a body is over the limit. One that comes in chunks shows it only while it is read.
fn is_too_large(error: &HttpError) -> bool {
    match error {
        HttpError::TooLarge => true,
        HttpError::Stream(error) => error.to_string().contains("length limit exceeded"),
        HttpError::Malformed => false,
    }
}
