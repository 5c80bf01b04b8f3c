//! The status page: three files without a build step, which speak the same protocol as everybody.

use hyper::body::Incoming;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use jsonrpsee::server::{HttpRequest, HttpResponse};

use super::socket::respond;

const FILES: [(&str, &str, &str); 3] = [
    ("/", "text/html; charset=utf-8", include_str!("page/status.html")),
    ("/status.js", "text/javascript; charset=utf-8", include_str!("page/status.js")),
    ("/status.css", "text/css; charset=utf-8", include_str!("page/status.css")),
];

/// The page loads its own files, speaks to its own address, and stands in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
];

/// Answers a GET: one of the page's files by its very name. No other file is ever read.
pub(super) fn answer(request: &HttpRequest<Incoming>) -> HttpResponse {
    let path = request.uri().path();
    let Some((_, content_type, text)) = FILES.iter().find(|(name, ..)| *name == path) else {
        return respond(404, "text/plain", "there is nothing of that name; the status page is at /\n");
    };
    let mut response = respond(200, content_type, *text);
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
