//! JSON-RPC messages of every door: what is one, and what is said of those that are none.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::service::error::{Audience, Error, Kind};

/// Any JSON-RPC message, not yet understood.
#[derive(Deserialize)]
pub(super) struct Incoming<'a> {
    #[serde(borrow)]
    pub jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
}

/// Keeps an explicit `null`, which `Option` would drop.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Lists and objects within each other in a client's message. No method's params come near it.
const MAX_DEPTH: usize = 100;

/// Reads one message of a client.
pub(super) fn receive(body: &[u8]) -> Result<Incoming<'_>, Error> {
    if is_deeper(body, MAX_DEPTH) {
        let message = format!("the message has more than {MAX_DEPTH} lists and objects within each other");
        return Err(Error::new(Kind::LimitExceeded, message));
    }
    parse(body)
}

/// Whether lists and objects are nested deeper. What is no JSON is judged as far as it looks like it.
fn is_deeper(body: &[u8], most: usize) -> bool {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = body.get(at) {
        at += 1;
        match byte {
            b'[' | b'{' if depth == most => return true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at += string_length(body.get(at..).unwrap_or_default()),
            _ => {}
        }
    }
    false
}

/// How long a string is, with its closing quote.
fn string_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += found;
        match text.get(at) {
            Some(b'"') => return at + 1,
            _ => at += 2,
        }
    }
    text.len()
}

/// Reads one message.
pub(super) fn parse(body: &[u8]) -> Result<Incoming<'_>, Error> {
    match serde_json::from_slice(body) {
        Ok(incoming) => Ok(incoming),
        Err(error) if error.is_data() => {
            let batch = body.trim_ascii_start().starts_with(b"[");
            let message = match batch {
                true => "batches are not accepted; send one message at a time".to_owned(),
                false => format!("this is no JSON-RPC request: {error}"),
            };
            Err(Error::new(Kind::InvalidRequest, message))
        }
        Err(error) => Err(Error::new(Kind::ParseError, format!("this is no JSON: {error}"))),
    }
}

/// Whether a message is a request, a notification or a response.
pub(super) fn check(incoming: &Incoming<'_>) -> Result<(), Error> {
    let invalid = |message: &str| Err(Error::new(Kind::InvalidRequest, message));
    if incoming.jsonrpc.as_deref() != Some("2.0") {
        return invalid("jsonrpc must be \"2.0\"");
    }
    let answer = incoming.result.is_some() || incoming.error.is_some();
    if incoming.method.is_none() && !answer {
        return invalid("neither method nor result nor error is there");
    }
    let scalar = |id: &str| id.starts_with('"') || id.parse::<i64>().is_ok();
    if incoming.id.is_some_and(|id| !scalar(id.get())) && incoming.method.is_some() {
        return invalid("id must be a string or an integer");
    }
    Ok(())
}

/// The parts of a response with a result.
pub(super) fn result<'a>(id: &'a str, result: &'a str) -> [&'a [u8]; 5] {
    [br#"{"jsonrpc":"2.0","id":"#, id.as_bytes(), br#","result":"#, result.as_bytes(), b"}"]
}

/// A response with an error; the id is `null` where none is known.
pub(super) fn error(id: Option<&str>, error: &Error, to: Audience) -> String {
    let id = id.unwrap_or("null");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, error.to_json(to))
}

/// The message that was read from `body`, under another id; all other bytes stay.
pub(super) fn with_id(body: &[u8], incoming: &Incoming<'_>, id: &str) -> Vec<u8> {
    let place = incoming.id.and_then(|old| {
        let start = (old.get().as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
        Some((body.get(..start)?, body.get(start + old.get().len()..)?))
    });
    match place {
        Some((before, behind)) => [before, id.as_bytes(), behind].concat(),
        None => body.to_vec(),
    }
}

/// Writes U+FFFD for escapes of lone surrogates, which no text can hold: an editor with half a
/// character in its buffer loses that character, not its document.
pub(super) fn without_lone_surrogates(body: &[u8]) -> Cow<'_, [u8]> {
    let mut kept: Option<Vec<u8>> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', body.get(at..).unwrap_or_default()) {
        at += found;
        at += match (escaped_unit(body, at), escaped_unit(body, at + 6)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                let kept = kept.get_or_insert_default();
                kept.extend_from_slice(body.get(copied..at).unwrap_or_default());
                kept.extend_from_slice(b"\\ufffd");
                copied = at + 6;
                6
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
    }
    match kept {
        None => Cow::Borrowed(body),
        Some(mut kept) => {
            kept.extend_from_slice(body.get(copied..).unwrap_or_default());
            Cow::Owned(kept)
        }
    }
}

/// The UTF-16 unit of a `\uXXXX` at this place.
fn escaped_unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (json, text) in [
            (r#""plain""#, "plain"),
            (r#""\ud800""#, "\u{fffd}"),
            (r#""\uDFFF!""#, "\u{fffd}!"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83dx\ude00""#, "\u{fffd}x\u{fffd}"),
            (r#""\\ud800""#, r"\ud800"),
            (r#""\\\ud800""#, "\\\u{fffd}"),
            (r#""a\"\u00e9""#, "a\"\u{e9}"),
        ] {
            let mended = without_lone_surrogates(json.as_bytes());
            assert_eq!(serde_json::from_slice::<String>(&mended).unwrap(), text, "{json}");
        }
        for broken in [r#""\"#, r#""\u"#, r#""\ud8"#, r#""\ud800"#, r#""\ud800\u"#] {
            assert!(serde_json::from_slice::<String>(&without_lone_surrogates(broken.as_bytes())).is_err());
        }
    }

    #[test]
    fn depth_is_bounded_and_what_stands_in_texts_does_not_count() {
        let nested = |depth: usize| format!(r#"{{"a":{}1{}}}"#, "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(!is_deeper(nested(100).as_bytes(), 100));
        assert!(is_deeper(nested(101).as_bytes(), 100));
        assert!(!is_deeper(format!("[{}]", "[],".repeat(1000)).as_bytes(), 2));
        assert!(!is_deeper(format!(r#"["\\\"{}", "\\"]"#, "[".repeat(1000)).as_bytes(), 1));
        assert!(is_deeper(r#"["\\", [1]]"#.as_bytes(), 1));
        assert!(is_deeper(b"[[[[", 3), "also without an end");
        assert!(!is_deeper(br#"["[[[["#, 3));
        let deep = "[".repeat(100_000);
        assert_eq!(receive(deep.as_bytes()).err().map(|error| error.kind), Some(Kind::LimitExceeded));
    }

    #[test]
    fn another_id_changes_no_other_byte() {
        for (body, expected) in [
            (
                r#"{"jsonrpc":"2.0", "id" : 7 ,"result":{"id":7}}"#,
                r#"{"jsonrpc":"2.0", "id" : "x" ,"result":{"id":7}}"#,
            ),
            (
                r#"{"params":{"id":1},"id":"a b","method":"m"}"#,
                r#"{"params":{"id":1},"id":"x","method":"m"}"#,
            ),
            (r#"{"method":"m"}"#, r#"{"method":"m"}"#),
        ] {
            let incoming = parse(body.as_bytes()).unwrap();
            let changed = with_id(body.as_bytes(), &incoming, r#""x""#);
            assert_eq!(String::from_utf8(changed).unwrap(), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_serde_json_reads_is_left_alone(text in ".{0,40}") {
            let json = serde_json::to_vec(&text).unwrap();
            proptest::prop_assert_eq!(&*without_lone_surrogates(&json), &json[..]);
        }
    }
}
