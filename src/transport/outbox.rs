//! What waits to be written to one client, bounded in bytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use super::framing::Framing;

/// Framed messages that wait for the writer. When `limit` bytes wait, answers and events wait too:
/// a client that does not read slows down its own work, nobody else's.
pub struct Outbox {
    framing: Framing,
    limit: usize,
    state: Mutex<State>,
    filled: Notify,
    drained: Notify,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    closed: bool,
}

impl Outbox {
    /// An empty outbox for about `limit` bytes.
    pub fn new(framing: Framing, limit: usize) -> Outbox {
        Outbox { framing, limit, state: Mutex::default(), filled: Notify::new(), drained: Notify::new() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

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
