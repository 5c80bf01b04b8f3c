//! Bytes cut into lines, with a limit on what is kept in memory.

use std::ops::Range;

use tokio::io::{AsyncRead, AsyncReadExt};

/// What is read at once.
const CHUNK: usize = 64 * 1024;

/// Cuts a stream of bytes into lines, with a limit on what is kept in memory.
#[derive(Debug)]
pub(super) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// The line that was popped last.
    line: Range<usize>,
    /// Where the next line starts, and how far it was searched for its end.
    start: usize,
    searched: usize,
    limit: usize,
    /// Bytes of the present line that were thrown away.
    skipped: usize,
    /// Lines that were thrown away.
    pub(super) dropped: u64,
    /// The source has nothing more.
    pub(super) ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(source: R, limit: usize) -> Lines<R> {
        let buffer = Vec::with_capacity(CHUNK);
        Lines {
            source,
            buffer,
            line: 0..0,
            start: 0,
            searched: 0,
            limit,
            skipped: 0,
            dropped: 0,
            ended: false,
        }
    }

    /// Reads once. Dropping the future loses nothing.
    pub(super) async fn fill(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched = self.searched.saturating_sub(self.start);
            (self.start, self.line) = (0, 0..0);
        }
        self.buffer.reserve(CHUNK);
        match self.source.read_buf(&mut self.buffer).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => {
                self.ended = true;
                // A last line without its end is still a line.
                if !self.buffer.is_empty() {
                    self.buffer.push(b'\n');
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        (self.start, self.searched, self.line) = (0, 0, 0..0);
    }

    /// Takes the next whole line, if one has been read.
    pub(super) fn pop(&mut self) -> bool {
        loop {
            let fresh = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(found) = memchr::memchr(b'\n', fresh) else {
                self.searched = self.buffer.len();
                if self.searched - self.start > self.limit {
                    self.skipped += self.searched - self.start;
                    self.clear();
                }
                return false;
            };
            let end = self.searched + found;
            self.line = self.start..end;
            (self.start, self.searched) = (end + 1, end + 1);
            if self.skipped == 0 && self.line.len() <= self.limit {
                return true;
            }
            self.skipped = 0;
            self.dropped += 1;
        }
    }

    pub(super) fn line(&self) -> &[u8] {
        self.buffer.get(self.line.clone()).unwrap_or_default()
    }

    /// The line after the one that was popped last, if it is there whole.
    pub(super) fn waiting_line(&self) -> Option<&[u8]> {
        let rest = self.buffer.get(self.start..)?;
        rest.get(..memchr::memchr(b'\n', rest)?)
    }

    /// A line so long that no end can be expected any more.
    pub(super) fn runaway(&self) -> bool {
        self.skipped > self.limit.saturating_mul(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_all(bytes: &[u8], limit: usize) -> (Vec<String>, u64) {
        let mut lines = Lines::new(bytes, limit);
        let mut all = Vec::new();
        loop {
            while lines.pop() {
                all.push(String::from_utf8_lossy(lines.line()).into_owned());
            }
            if lines.ended {
                return (all, lines.dropped);
            }
            lines.fill().await;
        }
    }

    #[tokio::test]
    async fn lines_are_cut_and_too_long_ones_dropped() {
        let (lines, dropped) = read_all(b"a\n\nbb\nccccc\ndd", 4).await;
        assert_eq!((lines, dropped), (vec!["a".into(), "".into(), "bb".into(), "dd".into()], 1));
        // Longer than one read: thrown away piece by piece.
        let mut long = vec![b'x'; 3 * CHUNK];
        long.extend(b"\nnext\n");
        assert_eq!(read_all(&long, 100).await, (vec!["next".to_owned()], 1));
    }

    #[tokio::test]
    async fn a_line_that_never_ends_is_a_runaway() {
        let flood = vec![b'x'; 10 * CHUNK];
        let mut lines = Lines::new(flood.as_slice(), CHUNK);
        while !lines.runaway() {
            assert!(!lines.pop() && !lines.ended);
            lines.fill().await;
        }
        assert!(lines.buffer.capacity() < 4 * CHUNK);
    }
}
