//! A client's connection as its door sees it: what has gone out is counted, and a client that does
//! not read holds its connection only for a while.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Bytes of a request's head.
const MAX_HEAD: usize = 16 * 1024;

/// A connection whose client is waited for, but not for ever.
pub struct Wire<IO> {
    io: IO,
    /// What was read ahead.
    ahead: std::io::Cursor<Vec<u8>>,
    /// Who it is, for the log.
    who: String,
    patience: Duration,
    /// Runs while the client takes nothing of what waits for it.
    stalled: Option<Pin<Box<Sleep>>>,
    written: u64,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Wire<IO> {
    /// A connection of `who`, who may read nothing for as long as `patience` while something waits.
    pub fn new(io: IO, who: String, patience: Duration) -> Wire<IO> {
        Wire { io, ahead: std::io::Cursor::default(), who, patience, stalled: None, written: 0 }
    }

    /// Reads the head of the first request, up to its blank line, and keeps it for who reads next.
    /// `Some` is the status of one that is not served: too long, or HTTP/2, whose many requests on one
    /// connection no bound here would see. At the end of the input, what there is is kept.
    ///
    /// # Errors
    /// Those of reading.
    pub async fn read_head(&mut self) -> Result<Option<&'static str>> {
        let mut head = Vec::with_capacity(1024);
        while !ends(&head) {
            if head.len() >= MAX_HEAD {
                return Ok(Some("431 Request Header Fields Too Large"));
            }
            if self.io.read_buf(&mut head).await? == 0 {
                break;
            }
        }
        if head.starts_with(b"PRI ") {
            return Ok(Some("505 HTTP Version Not Supported"));
        }
        self.ahead = std::io::Cursor::new(head);
        Ok(None)
    }

    /// Notes what became of an attempt to write.
    fn attempted<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<Result<T>>) -> Poll<Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stalled.as_mut().poll(cx));
        let (who, written, seconds) = (&self.who, self.written, patience.as_secs());
        tracing::warn!(who, written, "a client has not read for {seconds} s and is dropped");
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read")))
    }
}

/// Whether a blank line is there.
fn ends(head: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', head).any(|at| {
        let rest = head.get(at + 1..).unwrap_or_default();
        rest.starts_with(b"\n") || rest.starts_with(b"\r\n")
    })
}

impl<IO: AsyncRead + Unpin> AsyncRead for Wire<IO> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let this = &mut *self;
        match AsyncBufRead::poll_fill_buf(Pin::new(&mut this.ahead), cx) {
            Poll::Ready(Ok([])) | Poll::Pending | Poll::Ready(Err(_)) => {
                Pin::new(&mut this.io).poll_read(cx, buf)
            }
            Poll::Ready(Ok(_)) => Pin::new(&mut this.ahead).poll_read(cx, buf),
        }
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.io).poll_write(cx, bytes);
        if let Poll::Ready(Ok(taken)) = outcome {
            self.written += taken as u64;
        }
        self.attempted(cx, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let outcome = Pin::new(&mut self.io).poll_flush(cx);
        self.attempted(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let outcome = Pin::new(&mut self.io).poll_shutdown(cx);
        self.attempted(cx, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    fn wire(io: tokio::io::DuplexStream, patience: Duration) -> Wire<tokio::io::DuplexStream> {
        Wire::new(io, "a test".to_owned(), patience)
    }

    #[tokio::test]
    async fn one_who_reads_late_gets_everything_and_one_who_does_not_read_is_given_up() {
        let (near, mut far) = tokio::io::duplex(10);
        let mut patient = wire(near, Duration::from_secs(3600));
        let reading = async {
            tokio::task::yield_now().await;
            far.read_exact(&mut [0; 100]).await.unwrap();
        };
        let (written, ()) = tokio::join!(patient.write_all(&[b'x'; 100]), reading);
        written.unwrap();
        let (near, far) = tokio::io::duplex(10);
        let mut impatient = wire(near, Duration::ZERO);
        impatient.write_all(&[b'x'; 10]).await.unwrap();
        let error = impatient.write_all(b"more").await.unwrap_err();
        assert_eq!((error.kind(), impatient.written), (ErrorKind::TimedOut, 10));
        drop(far);
    }

    #[tokio::test]
    async fn a_head_is_read_ahead_and_comes_back() {
        for (sent, refusal) in [
            (b"GET / HTTP/1.1\r\nHost: x\r\n\r\nbody".to_vec(), None),
            (b"GET / HTTP/1.1\nHost: x\n\n".to_vec(), None),
            (b"GET / HT".to_vec(), None),
            (vec![b'x'; MAX_HEAD + 1], Some("431")),
            // The preface of RFC 9113, section 3.4.
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), Some("505")),
        ] {
            let (near, mut far) = tokio::io::duplex(100);
            let mut wire = wire(near, Duration::from_secs(3600));
            let bytes = sent.clone();
            let sending = tokio::spawn(async move {
                let _ = far.write_all(&bytes).await;
            });
            let status = wire.read_head().await.unwrap();
            assert_eq!(status.map(|status| &status[..3]), refusal);
            if refusal.is_none() {
                let mut read = Vec::new();
                wire.read_to_end(&mut read).await.unwrap();
                assert_eq!(read, sent);
            }
            drop(wire);
            sending.await.unwrap();
        }
    }
}
