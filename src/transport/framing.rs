//! LSP's framing: `Content-Length` headers, a blank line, a body. Reading is bounded, survives
//! rubbish and finds the next message again.
//!
//! Source: the base protocol of the Language Server Protocol, 3.17.

use std::future::Future;

use soketto::base::OpCode;
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

/// Where a client's messages come from, one after the other.
pub trait Frames: Send {
    /// The next frame. Not to be called again after [`Frame::End`].
    ///
    /// # Errors
    /// Only those of the underlying reader.
    fn next(&mut self) -> impl Future<Output = std::io::Result<Frame>> + Send;
}

/// The frames of a byte stream.
pub struct Reader<R> {
    input: R,
    limit: usize,
    /// Bytes of a body that was refused and is still to be read.
    skip: u64,
}

impl<R> Reader<R> {
    /// Reads from `input`. A body longer than `limit` bytes is told at once and then skipped, not
    /// stored.
    pub fn new(input: R, limit: usize) -> Reader<R> {
        Reader { input, limit, skip: 0 }
    }
}

impl<R: AsyncBufRead + Unpin + Send> Frames for Reader<R> {
    async fn next(&mut self) -> std::io::Result<Frame> {
        if !skip(&mut self.input, &mut self.skip).await? {
            return Ok(Frame::End);
        }
        let length = match read_header(&mut self.input).await? {
            None => return Ok(Frame::End),
            Some(Header::Length(length)) => length,
            Some(Header::Malformed(line)) => {
                let why = format!("expected one Content-Length header, got {line:?}");
                return Ok(Frame::Bad { why, too_large: false });
            }
        };
        if length > self.limit as u64 {
            self.skip = length;
            return Ok(too_large(length, self.limit));
        }
        let mut body = Vec::new();
        let whole = read_into(&mut self.input, length, &mut body).await?;
        Ok(if whole { Frame::Body(body) } else { Frame::End })
    }
}

/// The frame that tells of a message over the limit.
pub(super) fn too_large(length: u64, limit: usize) -> Frame {
    let why = format!("a message of {length} bytes is over the limit of {limit} bytes");
    Frame::Bad { why, too_large: true }
}

/// Reads and forgets what is to be skipped; false when the input ends before.
pub(super) async fn skip(
    input: &mut (impl AsyncBufRead + Unpin + Send),
    bytes: &mut u64,
) -> std::io::Result<bool> {
    let wanted = std::mem::take(bytes);
    Ok(tokio::io::copy(&mut input.take(wanted), &mut tokio::io::sink()).await? == wanted)
}

/// Appends `length` bytes; false when the input ends before. The buffer grows with what really
/// arrives, not with what was announced.
pub(super) async fn read_into(
    input: &mut (impl AsyncBufRead + Unpin + Send),
    length: u64,
    body: &mut Vec<u8>,
) -> std::io::Result<bool> {
    body.reserve(length.min(64 * 1024) as usize);
    Ok(input.take(length).read_to_end(body).await? as u64 == length)
}

enum Header {
    Length(u64),
    Malformed(String),
}

/// Reads up to the blank line; `None` at the end of the input.
async fn read_header(input: &mut (impl AsyncBufRead + Unpin + Send)) -> std::io::Result<Option<Header>> {
    let mut length = None;
    let mut broken: Option<String> = None;
    let mut rubbish: Option<String> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut *input).take(MAX_LINE).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            match (broken.take(), length, rubbish.take()) {
                (Some(line), ..) | (None, None, Some(line)) => return Ok(Some(Header::Malformed(line))),
                (None, Some(length), _) => return Ok(Some(Header::Length(length))),
                (None, None, None) => continue,
            }
        }
        match content_length(text) {
            // Two lengths that differ: nobody knows where the body ends.
            Some(Ok(value)) if length.is_some_and(|before| before != value) => broken = Some(excerpt(text)),
            Some(Ok(value)) => length = Some(value),
            Some(Err(())) => broken = Some(excerpt(text)),
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

/// How messages are set apart on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// LSP's headers.
    ContentLength,
    /// Text frames of a server's WebSocket.
    WebSocket,
}

impl Framing {
    /// Appends one framed message, given in parts, to a buffer.
    pub fn write(self, buffer: &mut Vec<u8>, body: &[&[u8]]) {
        use std::io::Write;
        let length: usize = body.iter().map(|part| part.len()).sum();
        match self {
            Framing::ContentLength => {
                let _ = write!(buffer, "Content-Length: {length}\r\n\r\n");
            }
            Framing::WebSocket => super::websocket::write_header(buffer, OpCode::Text, length),
        }
        for part in body {
            buffer.extend_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(input: &[u8]) -> Vec<String> {
        let mut reader = Reader::new(input, 1000);
        let mut seen = Vec::new();
        loop {
            match reader.next().await.unwrap() {
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
            "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
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
            "Content-Length: 2\r\nContent-Length: 5\r\n\r\n",
            "Content-Length: 5\r\nContent-Length: x\r\n\r\n",
        ] {
            let seen = frames(format!("{rubbish}Content-Length: 2\r\n\r\n{{}}").as_bytes()).await;
            assert_eq!(seen.len(), 2, "{rubbish:?} {seen:?}");
            assert!(seen[0].starts_with("! expected one Content-Length"), "{seen:?}");
            assert_eq!(seen[1], "{}");
        }
    }

    #[tokio::test]
    async fn a_large_body_is_skipped_and_a_cut_one_is_the_end() {
        let large = format!("Content-Length: 1001\r\n\r\n{}Content-Length: 2\r\n\r\n{{}}", "x".repeat(1001));
        let seen = frames(large.as_bytes()).await;
        assert_eq!(seen[1], "{}");
        assert!(seen[0].contains("over the limit"));
        // The announcement is enough: the client need not send the body to hear of it.
        let mut reader = Reader::new(&b"Content-Length: 8000000000\r\n\r\n"[..], 1000);
        assert!(matches!(reader.next().await.unwrap(), Frame::Bad { too_large: true, .. }));
        assert!(frames(b"Content-Length: 10\r\n\r\n{}").await.is_empty());
        assert_eq!(frames(b"Content-Length: 8000000000\r\n\r\nxxx").await.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_end_and_no_body_is_over_the_limit(pieces in proptest::collection::vec(
            "Content-Length: [0-9]{1,5}\r?\n|\r?\n|[a-z:{}]{0,9}|\\PC{0,9}", 0..20,
        )) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                let text = pieces.concat();
                let mut reader = Reader::new(text.as_bytes(), 12);
                loop {
                    match reader.next().await.unwrap() {
                        Frame::Body(body) => assert!(body.len() <= 12),
                        Frame::Bad { why, .. } => assert!(!why.is_empty()),
                        Frame::End => return,
                    }
                }
            });
        }

        #[test]
        fn written_frames_are_read_back(bodies in proptest::collection::vec(".{0,200}", 0..8)) {
            let mut wire = Vec::new();
            for body in &bodies {
                Framing::ContentLength.write(&mut wire, &[body.as_bytes()]);
            }
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            proptest::prop_assert_eq!(runtime.block_on(frames(&wire)), bodies);
        }
    }
}
