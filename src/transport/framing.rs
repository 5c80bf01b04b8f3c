//! LSP's framing: `Content-Length` headers, a blank line, a body. Reading is bounded, survives
//! rubbish and finds the next message again.
//!
//! Source: the base protocol of the Language Server Protocol, 3.17.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// A line of a header longer than this is rubbish.
const MAX_LINE: u64 = 8 * 1024;

/// What the stream holds next.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The bytes of one message.
    Body(Vec<u8>),
    /// Something that is no message; it was skipped.
    Bad {
        /// One sentence for the client.
        why: String,
        /// A body that is over the limit, not a broken header.
        too_large: bool,
    },
    /// The end of the input.
    End,
}

/// Reads the next frame. A body longer than `limit` bytes is skipped, not stored.
///
/// # Errors
/// Only those of the underlying reader.
pub async fn read_frame(input: &mut (impl AsyncBufRead + Unpin), limit: usize) -> std::io::Result<Frame> {
    let Some(header) = read_header(input).await? else {
        return Ok(Frame::End);
    };
    match header {
        Header::Length(length) if length > limit as u64 => {
            let skipped = tokio::io::copy(&mut input.take(length), &mut tokio::io::sink()).await?;
            if skipped < length {
                return Ok(Frame::End);
            }
            let why = format!("a message of {length} bytes is over the limit of {limit} bytes");
            Ok(Frame::Bad { why, too_large: true })
        }
        Header::Length(length) => {
            // The buffer grows with what really arrives, not with what was announced.
            let mut body = Vec::with_capacity(length.min(64 * 1024) as usize);
            let read = input.take(length).read_to_end(&mut body).await?;
            Ok(if (read as u64) < length { Frame::End } else { Frame::Body(body) })
        }
        Header::Malformed(line) => {
            let why = format!("expected a Content-Length header, got {line:?}");
            Ok(Frame::Bad { why, too_large: false })
        }
    }
}

enum Header {
    Length(u64),
    Malformed(String),
}

/// Reads up to the blank line; `None` at the end of the input.
async fn read_header(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Header>> {
    let mut length = None;
    let mut rubbish: Option<String> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut *input).take(MAX_LINE).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            match (length, rubbish.take()) {
                (Some(length), _) => return Ok(Some(Header::Length(length))),
                (None, Some(line)) => return Ok(Some(Header::Malformed(line))),
                (None, None) => continue,
            }
        }
        match content_length(text) {
            Some(Ok(value)) => length = Some(value),
            Some(Err(())) => rubbish = Some(excerpt(text)),
            None => {
                rubbish.get_or_insert_with(|| excerpt(text));
            }
        }
    }
}

/// The value of a `Content-Length` header, also behind rubbish that ended without a newline.
fn content_length(line: &[u8]) -> Option<Result<u64, ()>> {
    const NAME: &[u8] = b"content-length";
    let colon = line.iter().rposition(|byte| *byte == b':')?;
    let name = line[..colon].trim_ascii_end();
    let start = name.len().checked_sub(NAME.len())?;
    if !name[start..].eq_ignore_ascii_case(NAME) {
        return None;
    }
    let value = std::str::from_utf8(line[colon + 1..].trim_ascii()).ok();
    Some(value.and_then(|value| value.parse().ok()).ok_or(()))
}

fn excerpt(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned()
}

/// Appends one framed message to a buffer.
pub fn write_frame(buffer: &mut Vec<u8>, body: &[&[u8]]) {
    use std::io::Write;
    let length: usize = body.iter().map(|part| part.len()).sum();
    let _ = write!(buffer, "Content-Length: {length}\r\n\r\n");
    for part in body {
        buffer.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(input: &[u8]) -> Vec<String> {
        let mut reader = input;
        let mut seen = Vec::new();
        loop {
            match read_frame(&mut reader, 1000).await.unwrap() {
                Frame::Body(body) => seen.push(String::from_utf8_lossy(&body).into_owned()),
                Frame::Bad { why, .. } => seen.push(format!("! {why}")),
                Frame::End => return seen,
            }
        }
    }

    #[tokio::test]
    async fn headers_in_every_dress() {
        let expect = ["{}"];
        for input in [
            "Content-Length: 2\r\n\r\n{}",
            "content-length:2\n\n{}",
            "X-A: 1\r\nCONTENT-LENGTH: 2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{}",
            "\r\n\r\nContent-Length: 2\r\n\r\n{}",
            "rubbish without newlineContent-Length: 2\r\n\r\n{}",
        ] {
            assert_eq!(frames(input.as_bytes()).await, expect, "{input:?}");
        }
    }

    #[tokio::test]
    async fn rubbish_is_reported_and_the_next_message_is_found() {
        for rubbish in [
            "hello world\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 1000000000000000000000000000000\r\n\r\n",
            "X-Only: 1\r\n\r\n",
        ] {
            let seen = frames(format!("{rubbish}Content-Length: 2\r\n\r\n{{}}").as_bytes()).await;
            assert_eq!(seen.len(), 2, "{rubbish:?} {seen:?}");
            assert!(seen[0].starts_with("! expected a Content-Length"), "{seen:?}");
            assert_eq!(seen[1], "{}");
        }
    }

    #[tokio::test]
    async fn a_large_body_is_skipped_and_a_cut_one_is_the_end() {
        let large = format!("Content-Length: 1001\r\n\r\n{}Content-Length: 2\r\n\r\n{{}}", "x".repeat(1001));
        let seen = frames(large.as_bytes()).await;
        assert_eq!(seen[1], "{}");
        assert!(seen[0].contains("over the limit"));
        assert!(frames(b"Content-Length: 10\r\n\r\n{}").await.is_empty());
        assert!(frames(b"Content-Length: 8000000000\r\n\r\nxxx").await.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn written_frames_are_read_back(bodies in proptest::collection::vec(".{0,200}", 0..8)) {
            let mut wire = Vec::new();
            for body in &bodies {
                write_frame(&mut wire, &[body.as_bytes()]);
            }
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            proptest::prop_assert_eq!(runtime.block_on(frames(&wire)), bodies);
        }
    }
}
