//! Who is let in at a TCP door: clients of this machine that bring the token. A Unix socket has no
//! token; its permissions and the system's word on who calls guard it.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};

use super::token::Token;

/// The WebSocket subprotocol of kifud.
pub const SUBPROTOCOL: &str = "kifud";
/// Before the token in a subprotocol that is offered beside it: browsers can send nothing else.
const TOKEN_PROTOCOL: &str = "token.";

/// Why a request is turned away: the HTTP status and a sentence.
pub type Refusal = (u16, &'static str);

/// Whether a request comes from where it may. `here` is the address that it came to, at a door
/// that is open to other machines. `named` is the host that the request's first line may name; it counts
/// more than the header (RFC 9112, 3.2.2), so that both are looked at.
///
/// A page of another origin, be it one of this machine's, cannot lie about its `Origin`, and one whose name was bound to this
/// machine's address still sends that name as `Host`.
pub fn stranger(headers: &HeaderMap, named: Option<&str>, here: Option<IpAddr>) -> Option<Refusal> {
    let local = |host: &str| names_this_machine(host, here);
    let host = one(headers, &HOST).flatten().filter(|host| local(host));
    let (Some(host), true) = (host, named.is_none_or(local)) else {
        return Some((403, "the Host header must name this machine: localhost or 127.0.0.1\n"));
    };
    // Another port or scheme is another origin (RFC 6454, 4).
    let from_here = |origin: &str| match origin.split_once("://") {
        Some((scheme, of)) => scheme.eq_ignore_ascii_case("http") && with_port(of) == with_port(host),
        None => false,
    };
    match one(headers, &ORIGIN) {
        Some(None) => None,
        Some(Some(origin)) if from_here(origin) => None,
        _ => Some((403, "pages of other origins may not connect\n")),
    }
}

/// Whether a request brings the token: `Authorization: Bearer TOKEN`, or the subprotocol
/// `token.TOKEN` of a WebSocket.
pub fn no_token(headers: &HeaderMap, token: &Token) -> Option<Refusal> {
    let authorization = one(headers, &AUTHORIZATION).flatten().and_then(|value| value.split_once(' '));
    let bearer =
        authorization.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token);
    let offered = offered(headers).find_map(|name| name.strip_prefix(TOKEN_PROTOCOL));
    match bearer.or(offered).is_some_and(|given| token.is(given)) {
        true => None,
        false => Some((
            401,
            "send the header Authorization: Bearer TOKEN, or open a WebSocket with the subprotocols kifud and \
             token.TOKEN\n",
        )),
    }
}

/// Whether a WebSocket's client offers kifud's subprotocol, and so waits for it in the answer.
pub fn offers_subprotocol(headers: &HeaderMap) -> bool {
    offered(headers).any(|name| name == SUBPROTOCOL)
}

fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).into_iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim)
}

/// The one value of a header, if it is there; `None` when it is there twice or is no text.
fn one<'a>(headers: &'a HeaderMap, name: &hyper::header::HeaderName) -> Option<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Some(None),
        (Some(value), None) => value.to_str().ok().map(Some),
        (Some(_), Some(_)) => None,
    }
}

/// A host as every spelling of it is compared, and its port: that of `http` where none is named.
fn with_port(host: &str) -> (String, u16) {
    let named = host.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse().ok()?)));
    let (name, port) = named.unwrap_or((host, 80));
    (name.to_ascii_lowercase(), port)
}

fn names_this_machine(host: &str, here: Option<IpAddr>) -> bool {
    let (name, _) = with_port(host);
    let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&name);
    let is_here =
        || literal.parse().is_ok_and(|named: IpAddr| Some(named) == here.map(|ip| ip.to_canonical()));
    matches!(&*name, "localhost" | "127.0.0.1" | "[::1]") || is_here()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn where_requests_may_come_from() {
        let status = |lines: &[(&'static str, &str)], here: Option<&str>| {
            stranger(&headers(lines), None, here.map(|here| here.parse().unwrap())).map(|(status, _)| status)
        };
        for host in ["127.0.0.1:80", "localhost", "LocalHost:9", "[::1]", "[::1]:9"] {
            assert_eq!(status(&[("host", host)], None), None, "{host}");
        }
        for host in ["evil.example", "192.168.0.7", "127.0.0.1.evil.example:80", "localhost.evil.example", ""]
        {
            assert_eq!(status(&[("host", host)], None), Some(403), "{host}");
        }
        assert_eq!(status(&[], None), Some(403), "no host");
        assert_eq!(status(&[("host", "localhost"), ("host", "evil.example")], None), Some(403));
        let from = |host, origin| status(&[("host", host), ("origin", origin)], None);
        for (host, origin) in [
            ("localhost:9", "http://localhost:9"),
            ("LOCALHOST:9", "HTTP://localhost:9"),
            ("localhost", "http://localhost"),
            ("127.0.0.1:80", "http://127.0.0.1"),
            ("[::1]:9", "http://[::1]:9"),
        ] {
            assert_eq!(from(host, origin), None, "{origin}");
        }
        for origin in [
            "https://evil.example",
            "null",
            "localhost:9",
            "http://localhost.evil.example:9",
            "file://",
            "http://localhost:3000",
            "http://localhost",
            "https://localhost:9",
            "http://127.0.0.1:9",
            "http://localhost:9/",
        ] {
            assert_eq!(from("localhost:9", origin), Some(403), "{origin}");
        }
        let first_line = |named| stranger(&headers(&[("host", "localhost")]), Some(named), None).is_none();
        assert!(first_line("127.0.0.1:80") && !first_line("evil.example"));
        let here = Some("192.168.0.7");
        assert_eq!(status(&[("host", "192.168.0.7:9")], here), None);
        assert_eq!(status(&[("host", "192.168.0.7:9"), ("origin", "http://192.168.0.7:9")], here), None);
        assert_eq!(status(&[("host", "192.168.0.8")], here), Some(403), "another machine's address");
        assert_eq!(
            status(&[("host", "evil.example")], here),
            Some(403),
            "a name can be bound to any address"
        );
        assert_eq!(status(&[("host", "192.168.0.7")], Some("::ffff:192.168.0.7")), None);
    }

    #[test]
    fn the_token_comes_in_a_header_or_as_a_subprotocol() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let token = Token::of_file(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.trim();
        let status = |name: &'static str, value: &str| {
            no_token(&headers(&[(name, value)]), &token).map(|(status, _)| status)
        };
        assert_eq!(status("authorization", &format!("Bearer {text}")), None);
        assert_eq!(status("authorization", &format!("bearer {text}")), None);
        assert_eq!(status("sec-websocket-protocol", &format!("kifud, token.{text}")), None);
        assert_eq!(status("sec-websocket-protocol", &format!("token.{text},kifud")), None);
        for wrong in
            [text.to_owned(), format!("Basic {text}"), format!("Bearer {text}x"), "Bearer ".to_owned()]
        {
            assert_eq!(status("authorization", &wrong), Some(401), "{wrong}");
        }
        assert_eq!(status("sec-websocket-protocol", "kifud, token."), Some(401));
        assert_eq!(status("x-token", text), Some(401));
        assert!(offers_subprotocol(&headers(&[("sec-websocket-protocol", "token.x, kifud")])));
        assert!(!offers_subprotocol(&headers(&[("sec-websocket-protocol", "token.kifud")])));
    }
}
