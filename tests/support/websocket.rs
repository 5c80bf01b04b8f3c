//! A WebSocket client that shows the very bytes of each message (RFC 6455, text frames only).

#![allow(dead_code, reason = "every test file uses another part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub struct WebSocket {
    pub reader: Reader,
    pub writer: Writer,
}

/// The half that is told.
pub struct Reader(BufReader<Box<dyn Read + Send>>);

/// The half that sends.
pub struct Writer(Box<dyn Write + Send>);

impl WebSocket {
    /// Connects; gives the HTTP status line when the server says no.
    pub fn connect(address: &str, headers: &[(&str, &str)]) -> Result<WebSocket, String> {
        let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let reader = stream.try_clone().unwrap();
        WebSocket::over(Box::new(reader), Box::new(stream), address, headers)
    }

    /// The same over a Unix socket.
    #[cfg(unix)]
    pub fn connect_unix(path: &std::path::Path) -> Result<WebSocket, String> {
        let stream = std::os::unix::net::UnixStream::connect(path).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let reader = stream.try_clone().unwrap();
        WebSocket::over(Box::new(reader), Box::new(stream), "localhost", &[])
    }

    fn over(
        reader: Box<dyn Read + Send>,
        mut writer: Box<dyn Write + Send>,
        host: &str,
        headers: &[(&str, &str)],
    ) -> Result<WebSocket, String> {
        let mut request = format!(
            "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        writer.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(reader);
        let mut status = String::new();
        reader.read_line(&mut status).map_err(|error| error.to_string())?;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                break;
            }
        }
        if status.contains(" 101 ") {
            Ok(WebSocket { reader: Reader(reader), writer: Writer(writer) })
        } else {
            Err(status.trim().to_owned())
        }
    }

    /// Sends one text message.
    pub fn send(&mut self, text: &str) {
        self.writer.send(text.as_bytes()).expect("the server reads");
    }

    /// Begins a frame of this first byte, which announces so many bytes, and sends some of them.
    pub fn frame(&mut self, first: u8, announced: u64, payload: &[u8]) {
        let mut head = vec![first, 0x80 | 127];
        head.extend(announced.to_be_bytes());
        // A mask of zeros leaves the payload as it is.
        head.extend([0; 4]);
        self.writer.0.write_all(&head).and_then(|()| self.writer.0.write_all(payload)).unwrap();
    }

    /// The next text message; `None` when the connection is closed.
    pub fn receive(&mut self) -> Option<String> {
        self.reader.receive()
    }
}

impl Reader {
    /// The next text message; `None` when the connection is closed.
    pub fn receive(&mut self) -> Option<String> {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).ok()?;
            let length = match head[1] & 0x7f {
                126 => {
                    let mut bytes = [0; 2];
                    self.0.read_exact(&mut bytes).ok()?;
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.0.read_exact(&mut bytes).ok()?;
                    u64::from_be_bytes(bytes)
                }
                small => u64::from(small),
            };
            let mut payload = vec![0; usize::try_from(length).ok()?];
            self.0.read_exact(&mut payload).ok()?;
            match head[0] & 0x0f {
                1 => return String::from_utf8(payload).ok(),
                8 => return None,
                _ => {}
            }
        }
    }
}

impl Writer {
    /// Sends one text message.
    pub fn send(&mut self, text: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![0x81];
        match text.len() {
            small @ 0..=125 => frame.push(0x80 | small as u8),
            length @ 126..=0xffff => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        frame.extend(mask);
        frame.extend(text.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.0.write_all(&frame)
    }
}
