//! Who is let in at a TCP door: clients of this machine that bring the token. A Unix socket has no
//! token; its permissions guard it.

/// Why a request is turned away: the HTTP status and a sentence.
pub fn turn_away(
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
