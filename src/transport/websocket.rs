//! WebSocket's framing for the server's end of an upgraded connection: messages in, whole or in
//! fragments; pings answered. Reading is bounded as it is on pipes.
//!
//! Source: RFC 6455, section 5.

use std::sync::Arc;

use soketto::Parsing;
use soketto::base::{Codec, Header, OpCode};
use tokio::io::AsyncBufRead;

use super::framing::{Frame, Frames, read_into, skip, too_large};
use super::outbox::Outbox;

/// The client broke the protocol.
const PROTOCOL_ERROR: u16 = 1002;
/// The server goes away.
pub const GOING_AWAY: u16 = 1001;

/// The frames of a WebSocket. Pings and the client's good-bye are answered through the outbox.
pub struct Reader<R> {
    input: R,
    limit: usize,
    outbox: Arc<Outbox>,
    codec: Codec,
    /// Payload of a refused message that is still to be read.
    skip: u64,
    message: Message,
}

/// The message that is being read.
enum Message {
    /// None.
    Between,
    /// Its fragments so far.
    Part(Vec<u8>),
    /// It was refused; its other fragments are dropped.
    Refused,
}

impl<R: AsyncBufRead + Unpin + Send> Reader<R> {
    /// Reads from `input`. A message longer than `limit` bytes is told at once and then skipped.
    pub fn new(input: R, limit: usize, outbox: Arc<Outbox>) -> Reader<R> {
        let mut codec = Codec::new();
        codec.set_max_data_size(usize::MAX);
        Reader { input, limit, outbox, codec, skip: 0, message: Message::Between }
    }

    /// The next header; `None` at the end of the input or when it breaks the protocol.
    async fn header(&mut self) -> std::io::Result<Option<Header>> {
        let mut bytes = Vec::with_capacity(14);
        loop {
            match self.codec.decode_header(&bytes) {
                Ok(Parsing::Done { value, .. }) if value.is_masked() => return Ok(Some(value)),
                Ok(Parsing::NeedMore(more)) => {
                    if !read_into(&mut self.input, more as u64, &mut bytes).await? {
                        return Ok(None);
                    }
                }
                _ => {
                    close(&self.outbox, PROTOCOL_ERROR);
                    return Ok(None);
                }
            }
        }
    }

    /// Reads a payload behind what is there; false at the end of the input.
    async fn payload(&mut self, header: &Header, body: &mut Vec<u8>) -> std::io::Result<bool> {
        let start = body.len();
        let whole = read_into(&mut self.input, header.payload_len() as u64, body).await?;
        Codec::apply_mask(header, &mut body[start..]);
        Ok(whole)
    }

    /// Handles a ping, a pong or a close; false when the conversation is over.
    async fn control(&mut self, header: &Header) -> std::io::Result<bool> {
        let mut payload = Vec::new();
        if !self.payload(header, &mut payload).await? {
            return Ok(false);
        }
        let answer = match header.opcode() {
            OpCode::Ping => OpCode::Pong,
            OpCode::Close => OpCode::Close,
            _ => return Ok(true),
        };
        // One who pings and does not read is not answered without end.
        let room = self.outbox.room().await;
        control(&self.outbox, answer, &payload);
        Ok(room && answer == OpCode::Pong)
    }

    /// Reads one frame of a message; `None` when the message goes on.
    async fn data(&mut self, header: &Header) -> std::io::Result<Option<Frame>> {
        let first = header.opcode() != OpCode::Continue;
        let message = std::mem::replace(&mut self.message, Message::Between);
        let mut body = match (message, first) {
            (Message::Between, true) => Vec::new(),
            (Message::Part(body), false) => body,
            (Message::Refused, false) => {
                self.skip = header.payload_len() as u64;
                if !header.is_fin() {
                    self.message = Message::Refused;
                }
                return Ok(None);
            }
            _ => {
                close(&self.outbox, PROTOCOL_ERROR);
                return Ok(Some(Frame::End));
            }
        };
        let length = (body.len() as u64).saturating_add(header.payload_len() as u64);
        if length > self.limit as u64 {
            self.skip = header.payload_len() as u64;
            if !header.is_fin() {
                self.message = Message::Refused;
            }
            return Ok(Some(too_large(length, self.limit)));
        }
        if !self.payload(header, &mut body).await? {
            return Ok(Some(Frame::End));
        }
        if header.is_fin() {
            return Ok(Some(Frame::Body(body)));
        }
        self.message = Message::Part(body);
        Ok(None)
    }
}

impl<R: AsyncBufRead + Unpin + Send> Frames for Reader<R> {
    async fn next(&mut self) -> std::io::Result<Frame> {
        loop {
            if !skip(&mut self.input, &mut self.skip).await? {
                return Ok(Frame::End);
            }
            let Some(header) = self.header().await? else { return Ok(Frame::End) };
            if header.opcode().is_control() {
                if !self.control(&header).await? {
                    return Ok(Frame::End);
                }
            } else if let Some(frame) = self.data(&header).await? {
                return Ok(frame);
            }
        }
    }
}

/// Appends the header of an unfragmented frame from the server.
pub(super) fn write_header(buffer: &mut Vec<u8>, opcode: OpCode, length: usize) {
    let mut header = Header::new(opcode);
    header.set_payload_len(length);
    buffer.extend_from_slice(Codec::new().encode_header(&header));
}

fn control(outbox: &Outbox, opcode: OpCode, payload: &[u8]) {
    let mut frame = Vec::new();
    write_header(&mut frame, opcode, payload.len());
    frame.extend_from_slice(payload);
    outbox.push_raw(&frame);
}

/// Says good-bye with a status of RFC 6455, section 7.4.
pub fn close(outbox: &Outbox, status: u16) {
    control(outbox, OpCode::Close, &status.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::framing::Framing;

    const FIN: u8 = 0x80;
    const TEXT: u8 = 1;
    const CONTINUE: u8 = 0;

    /// A client's frame as RFC 6455 draws it, with a mask.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![first];
        match payload.len() {
            small @ 0..=125 => bytes.push(0x80 | small as u8),
            length => {
                bytes.push(0x80 | 126);
                bytes.extend((length as u16).to_be_bytes());
            }
        }
        let mask = [0x37, 0xfa, 0x21, 0x3d];
        bytes.extend(mask);
        bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }

    /// What was read, and what was answered.
    async fn talk(input: &[u8]) -> (Vec<String>, Vec<u8>) {
        let outbox = Arc::new(Outbox::new(Framing::WebSocket, 1000));
        let mut reader = Reader::new(input, 1000, outbox.clone());
        let mut seen = Vec::new();
        loop {
            match reader.next().await.unwrap() {
                Frame::Body(body) => seen.push(String::from_utf8_lossy(&body).into_owned()),
                Frame::Bad { why, too_large } => {
                    assert!(too_large, "{why}");
                    seen.push("! too large".to_owned());
                }
                Frame::End => break,
            }
        }
        outbox.close();
        let mut answer = Vec::new();
        outbox.write_to(&mut answer).await.unwrap();
        (seen, answer)
    }

    #[tokio::test]
    async fn the_examples_of_the_rfc() {
        // Section 5.7: a masked "Hello", a masked ping of "Hello" and the pong of the same.
        let hello = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        let ping = [0x89, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        assert_eq!(talk(&hello).await, (vec!["Hello".to_owned()], vec![]));
        let (seen, answer) = talk(&ping).await;
        assert!(seen.is_empty());
        assert_eq!(answer, b"\x8a\x05Hello");
        let mut wire = Vec::new();
        Framing::WebSocket.write(&mut wire, &[b"Hel", b"lo"]);
        assert_eq!(wire, b"\x81\x05Hello");
        wire.clear();
        Framing::WebSocket.write(&mut wire, &[&[b'x'; 256]]);
        assert_eq!(wire[..4], [0x81, 0x7e, 0x01, 0x00]);
    }

    #[tokio::test]
    async fn fragments_are_put_together_also_around_a_ping() {
        let wire =
            [frame(TEXT, b"He"), frame(FIN | 9, b"?"), frame(CONTINUE, b"l"), frame(FIN | CONTINUE, b"lo")];
        assert_eq!(talk(&wire.concat()).await, (vec!["Hello".to_owned()], b"\x8a\x01?".to_vec()));
    }

    #[tokio::test]
    async fn what_is_too_large_is_told_once_and_skipped() {
        let large = vec![b'x'; 1001];
        let part = vec![b'x'; 600];
        let hello = frame(FIN | TEXT, b"Hello");
        let whole = [frame(FIN | TEXT, &large), hello.clone()].concat();
        let parts =
            [frame(TEXT, &part), frame(0, &part), frame(0, &part), frame(FIN, &part), hello.clone()].concat();
        for wire in [whole, parts] {
            assert_eq!(talk(&wire).await.0, ["! too large", "Hello"]);
        }
        // An announcement alone is answered, and nothing is reserved for it.
        let announced = [0x81, 0xff, 0, 0, 0x7f, 0, 0, 0, 0, 0, 1, 2, 3, 4];
        assert_eq!(talk(&announced).await.0, ["! too large"]);
    }

    #[tokio::test]
    async fn a_broken_protocol_ends_with_a_status() {
        let broken: [&[u8]; 5] = [
            b"\x81\x05Hello",
            &frame(FIN | CONTINUE, b"x"),
            &[frame(TEXT, b"x"), frame(TEXT, b"y")].concat(),
            &frame(FIN | 3, b""),
            &frame(9, b"a ping in fragments"),
        ];
        for wire in broken {
            assert_eq!(talk(wire).await, (vec![], b"\x88\x02\x03\xea".to_vec()), "{wire:x?}");
        }
        let goodbye = [frame(FIN | 8, &1000u16.to_be_bytes()), frame(FIN | TEXT, b"late")].concat();
        assert_eq!(talk(&goodbye).await, (vec![], b"\x88\x02\x03\xe8".to_vec()));
    }
}
