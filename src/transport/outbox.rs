//! What waits to be written to one client, bounded in bytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use super::framing::Framing;

/// Framed messages that wait for the writer. When `limit` bytes wait, answers and events wait too:
/// a client that does not read slows down its own work, nobody else's. Answers that wait so are
/// counted, and refused beyond `most` bytes.
pub struct Outbox {
    framing: Framing,
    limit: usize,
    most: usize,
    state: Mutex<State>,
    filled: Notify,
    drained: Notify,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// Bytes of answers that wait for room.
    held: usize,
    closed: bool,
}

/// What becomes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It goes.
    Now,
    /// Too much waits already, so many bytes.
    Never(usize),
    /// The client has gone.
    Gone,
}

impl Outbox {
    /// An empty outbox for about `limit` bytes.
    pub fn new(framing: Framing, limit: usize) -> Outbox {
        let (filled, drained) = (Notify::new(), Notify::new());
        Outbox { framing, limit, most: usize::MAX, state: Mutex::default(), filled, drained }
    }

    /// The same, with `most` bytes of answers that wait for room.
    pub fn holding(self, most: usize) -> Outbox {
        Outbox { most, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room; false when the client has gone.
    pub async fn room(&self) -> bool {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            {
                let state = self.state();
                if state.closed {
                    return false;
                }
                if state.waiting.len() < self.limit {
                    return true;
                }
            }
            drained.await;
        }
    }

    /// Waits until an answer of so many bytes may go. One is never too large by itself.
    pub async fn turn(&self, bytes: usize) -> Turn {
        let _held = {
            let mut state = self.state();
            let held = state.held;
            if held > 0 && held.saturating_add(bytes) > self.most {
                return Turn::Never(held);
            }
            state.held += bytes;
            Held { outbox: self, bytes }
        };
        if self.room().await { Turn::Now } else { Turn::Gone }
    }

    /// Adds one message, given in parts, without waiting. Callers that produce much wait for
    /// [`Outbox::room`] first.
    pub fn push(&self, parts: &[&[u8]]) {
        self.append(|waiting| self.framing.write(waiting, parts));
    }

    /// Adds bytes as they are: what a wire needs besides messages.
    pub(super) fn push_raw(&self, bytes: &[u8]) {
        self.append(|waiting| waiting.extend_from_slice(bytes));
    }

    fn append(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state();
        if !state.closed {
            write(&mut state.waiting);
            drop(state);
            self.filled.notify_one();
        }
    }

    /// No further message; the writer ends when all is written.
    pub fn close(&self) {
        self.state().closed = true;
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Writes everything, all that waits in one piece, until the outbox is closed or the client
    /// has gone.
    ///
    /// # Errors
    /// The client's end is closed.
    pub async fn write_to(&self, output: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
        let mut batch = Vec::new();
        loop {
            let filled = self.filled.notified();
            let closed = {
                let mut state = self.state();
                std::mem::swap(&mut state.waiting, &mut batch);
                state.closed
            };
            if batch.is_empty() {
                if closed {
                    return Ok(());
                }
                filled.await;
                continue;
            }
            self.drained.notify_waiters();
            let written = output.write_all(&batch).await;
            if written.is_err() {
                self.close();
            }
            written?;
            output.flush().await?;
            batch.clear();
            // One very large message must not hold its memory for ever.
            batch.shrink_to(self.limit);
        }
    }
}

/// Bytes of an answer that waits; no longer when dropped.
struct Held<'a> {
    outbox: &'a Outbox,
    bytes: usize,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.outbox.state().held -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, poll};
    use std::sync::Arc;

    #[tokio::test]
    async fn answers_that_wait_are_counted_and_refused_beyond_a_bound() {
        let outbox = Outbox::new(Framing::ContentLength, 10).holding(100);
        assert_eq!(outbox.turn(1000).now_or_never(), Some(Turn::Now), "nothing waits");
        outbox.push(&[&[b'x'; 10]]);
        let mut first = Box::pin(outbox.turn(1000));
        assert!(poll!(&mut first).is_pending());
        assert_eq!(outbox.turn(1).now_or_never(), Some(Turn::Never(1000)));
        drop(first);
        let mut some = Box::pin(outbox.turn(60));
        assert!(poll!(&mut some).is_pending());
        assert_eq!(outbox.turn(41).now_or_never(), Some(Turn::Never(60)));
        assert_eq!(outbox.turn(40).now_or_never(), None, "it waits");
        outbox.close();
        assert_eq!(some.await, Turn::Gone);
    }

    #[tokio::test]
    async fn a_reader_that_stands_still_bounds_the_producer() {
        let outbox = Arc::new(Outbox::new(Framing::ContentLength, 1000));
        let (mut near, _far) = tokio::io::duplex(64);
        let writer = {
            let outbox = outbox.clone();
            tokio::spawn(async move { outbox.write_to(&mut near).await })
        };
        let mut pushed = 0;
        let body = [b'x'; 100];
        while tokio::time::timeout(std::time::Duration::from_millis(50), outbox.room()).await.is_ok() {
            outbox.push(&[&body]);
            pushed += 1;
        }
        assert!((10..=25).contains(&pushed), "{pushed}");
        outbox.close();
        assert!(!outbox.room().await);
        writer.abort();
    }
}
