//! A WebSocket (RFC 6455, text frames only) with many calls in flight.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

pub struct Socket {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    /// Frames that are not sent yet.
    frames: Vec<u8>,
    body: Vec<u8>,
}

impl Socket {
    /// Connects to a server; the token may be empty.
    pub fn connect(address: &str, token: &str) -> Socket {
        let mut writer = TcpStream::connect(address).expect("the server listens");
        writer.set_nodelay(true).expect("a socket");
        let request = format!(
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        writer.write_all(request.as_bytes()).expect("the server reads");
        let reader = writer.try_clone().expect("a socket");
        let mut reader = BufReader::with_capacity(64 * 1024, reader);
        let mut line = String::new();
        reader.read_line(&mut line).expect("an answer");
        assert!(line.contains(" 101 "), "{line}");
        while line.trim_end() != "" {
            line.clear();
            reader.read_line(&mut line).expect("an answer");
        }
        Socket { reader, writer, frames: Vec::new(), body: Vec::new() }
    }

    /// Makes so many calls, at most `at_once` in flight, with ids from 1; the last answer.
    pub fn calls(&mut self, method: &str, params: &str, count: usize, at_once: usize) -> String {
        let call =
            |id: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        for id in 1..=at_once.min(count) {
            self.write(&call(id));
        }
        for answered in 0..count {
            // What can be sent goes in one piece before there is a wait.
            if self.reader.buffer().is_empty() && !self.frames.is_empty() {
                self.writer.write_all(&self.frames).expect("the server reads");
                self.frames.clear();
            }
            self.receive();
            if answered + at_once < count {
                self.write(&call(answered + at_once + 1));
            }
        }
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn write(&mut self, text: &str) {
        let length = u8::try_from(text.len()).ok().filter(|length| *length < 126).expect("a short call");
        // A mask of zeros leaves the payload as it is.
        self.frames.extend([0x81, 0x80 | length, 0, 0, 0, 0]);
        self.frames.extend(text.as_bytes());
    }

    fn receive(&mut self) {
        let mut read = |bytes: &mut [u8]| self.reader.read_exact(bytes).expect("the server writes");
        let mut head = [0; 2];
        read(&mut head);
        let length = match head[1] {
            126 => {
                let mut length = [0; 2];
                read(&mut length);
                u16::from_be_bytes(length)
            }
            length => length.into(),
        };
        self.body.resize(length.into(), 0);
        read(&mut self.body);
        assert_eq!(head[0], 0x81, "a whole text");
    }
}
