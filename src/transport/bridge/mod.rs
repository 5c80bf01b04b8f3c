//! The bridge between an editor's pipes and the daemon that it shares with others.
//!
//! Messages pass as they are, each way by itself. What a new daemon would have to know is kept:
//! the client's greeting and its texts. When the daemon is lost, the client hears the end of what
//! was going on, and goes on with the next one.

mod calls;
mod daemons;
mod greeting;
#[cfg(test)]
mod tests;
mod texts;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::FusedFuture;
use serde_json::{Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use self::calls::Calls;
pub use self::daemons::{Alone, Shared, start};
use self::greeting::Greeting;
use self::texts::Texts;
use super::conversation::End;
use super::framing::{Frame, Frames, Framing, Reader};
use super::json::{self as message, Incoming};
use super::outbox::Outbox;
use super::streams::{Input, Output};
use crate::service::error::{Audience, Error, Kind};
use crate::service::session::MessageLevel;
use crate::service::table::Table;

/// Bytes that may wait for either side.
const OUTBOX: usize = 1 << 20;
/// What a client that leaves has asked for is still answered within this time.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// Time for the last bytes to the client.
const LAST_BYTES: Duration = Duration::from_millis(300);

/// Where daemons come from.
pub trait Daemons {
    /// The next daemon; `well` when the last one has answered something. `None` when there is none
    /// to be had.
    fn next(&mut self, well: bool) -> impl Future<Output = Option<Link>>;
}

/// A connection to a daemon that has just begun.
pub struct Link {
    /// What it says.
    pub frames: Reader<BufReader<Input>>,
    /// What it hears.
    pub output: Output,
    /// What the user should know about it.
    pub warning: Option<String>,
}

/// Carries everything between one client and its daemons until the client leaves.
pub async fn run(
    daemons: &mut impl Daemons,
    table: Arc<Table>,
    frames: &mut impl Frames,
    output: &mut (impl AsyncWrite + Unpin),
) -> End {
    let bridge = Bridge {
        said: Mutex::default(),
        calls: Mutex::new(Calls::new(table)),
        to_client: Outbox::new(Framing::ContentLength, OUTBOX),
        link: watch::Sender::new(State::Waiting),
        wanted: Notify::new(),
    };
    let reading = bridge.read(frames);
    let linking = bridge.keep_link(daemons).fuse();
    let writing = bridge.to_client.write_to(output);
    tokio::pin!(reading, linking, writing);
    let end = tokio::select! {
        end = &mut reading => end,
        () = &mut linking => End::Abrupt,
        _ = &mut writing => return End::Abrupt,
    };
    if bridge.leave() && !linking.is_terminated() {
        tokio::select! {
            _ = timeout(LAST_ANSWERS, linking) => {}
            _ = &mut writing => return end,
        }
    }
    bridge.to_client.close();
    let _ = timeout(LAST_BYTES, writing).await;
    end
}

struct Bridge {
    said: Mutex<Said>,
    /// To be locked after `said`, where both are.
    calls: Mutex<Calls>,
    to_client: Outbox,
    link: watch::Sender<State>,
    /// The client has something for a daemon.
    wanted: Notify,
}

/// What a new daemon has to hear. While it is locked, a message can be noted and handed to the
/// daemon of this life in one step, so that none is lost between two lives, or told twice.
#[derive(Default)]
struct Said {
    life: u64,
    leaving: bool,
    greeting: Greeting,
    texts: Texts,
    /// Waits for an editor that can show it.
    warning: Option<String>,
    ready: bool,
}

#[derive(Clone)]
enum State {
    /// There will be a daemon.
    Waiting,
    Up(Arc<Up>),
    /// The client has shut its session down, and the daemon is gone.
    Over,
}

/// A daemon that is there.
struct Up {
    life: u64,
    outbox: Outbox,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bridge {
    /// From the client to the daemon.
    async fn read(&self, frames: &mut impl Frames) -> End {
        loop {
            match frames.next().await {
                Ok(Frame::Body(body)) => {
                    if let Some(end) = self.pass_on(&body).await {
                        return end;
                    }
                }
                Ok(Frame::Bad { why, too_large }) => {
                    let kind = if too_large { Kind::LimitExceeded } else { Kind::ParseError };
                    if !self.to_client.room().await {
                        return End::Abrupt;
                    }
                    self.fail(None, &Error::new(kind, why));
                }
                Ok(Frame::End) => return self.end(!lock(&self.said).greeting.is_editor()),
                Err(error) => {
                    tracing::error!(%error, "reading from the client failed");
                    return End::Abrupt;
                }
            }
        }
    }

    fn end(&self, clean: bool) -> End {
        if clean || lock(&self.calls).is_shut_down() { End::Clean } else { End::Abrupt }
    }

    /// Hands a message to the daemon, as soon as there is one with room for it; `Some` when it was
    /// the last.
    async fn pass_on(&self, body: &[u8]) -> Option<End> {
        let mended = message::without_lone_surrogates(body);
        let incoming = message::parse(&mended).ok().filter(|incoming| message::check(incoming).is_ok());
        if incoming.as_ref().is_some_and(|incoming| incoming.method.as_deref() == Some("exit")) {
            if let State::Up(up) = &*self.link.borrow() {
                up.outbox.push(&[body]);
            }
            return Some(self.end(false));
        }
        let mut link = self.link.subscribe();
        loop {
            if matches!(*link.borrow(), State::Waiting) {
                self.wanted.notify_one();
            }
            let state = link.wait_for(|state| !matches!(state, State::Waiting)).await.ok()?.clone();
            let State::Up(up) = state else {
                self.too_late(incoming.as_ref());
                return None;
            };
            if !up.outbox.room().await {
                let later = |state: &State| !matches!(state, State::Up(other) if other.life == up.life);
                link.wait_for(later).await.ok()?;
            } else if self.hand_over(&up, incoming.as_ref(), body, &mended) {
                return None;
            }
        }
    }

    /// False when the daemon is gone.
    fn hand_over(&self, up: &Up, incoming: Option<&Incoming<'_>>, body: &[u8], mended: &[u8]) -> bool {
        let mut said = lock(&self.said);
        if said.life != up.life {
            return false;
        }
        let Some(incoming) = incoming else {
            up.outbox.push(&[body]);
            return true;
        };
        if let Some(method) = incoming.method.as_deref() {
            if let Some(columns) = said.greeting.note(method, incoming, mended) {
                said.texts.columns = columns;
            }
            if let Some(params) = incoming.params {
                said.texts.note(method, params);
            }
            said.ready |= method == "initialized";
        }
        // Only an answer to the daemon needs its id looked at, and that is in the mended bytes.
        let body = if incoming.method.is_some() { body } else { mended };
        if let Some(body) = lock(&self.calls).client_says(incoming, body) {
            up.outbox.push(&[&body]);
        }
        self.show_warning(&mut said);
        true
    }

    /// Between `shutdown` and `exit` nobody is asked any more.
    fn too_late(&self, incoming: Option<&Incoming<'_>>) {
        let id = incoming.filter(|incoming| incoming.method.is_some()).and_then(|incoming| incoming.id);
        if let Some(id) = id {
            let error = Error::new(Kind::InvalidRequest, "after shutdown only exit is expected");
            self.fail(Some(id.get()), &error);
        }
    }

    fn fail(&self, id: Option<&str>, error: &Error) {
        let locale = lock(&self.said).greeting.locale();
        let to = Audience { locale, ..Audience::USER };
        self.to_client.push(&[message::error(id, error, to).as_bytes()]);
    }

    /// One daemon after the other.
    async fn keep_link(&self, daemons: &mut impl Daemons) {
        let mut well = true;
        while let Some(link) = daemons.next(well).await {
            self.live(link).await;
            well = lock(&self.calls).has_answered();
            if lock(&self.said).leaving {
                return;
            }
            let in_order = self.lost();
            if lock(&self.said).greeting.has_vanished() {
                tracing::info!("the client's process has ended");
                return;
            }
            if lock(&self.calls).is_shut_down() {
                self.link.send_replace(State::Over);
                return std::future::pending().await;
            }
            // A daemon that was stopped shall not come back before it is needed.
            if in_order && !lock(&self.calls).is_initializing() {
                self.wanted.notified().await;
            }
        }
    }

    /// The life of one daemon, or of the connection to it.
    async fn live(&self, Link { mut frames, mut output, warning }: Link) {
        let up = self.greet(warning);
        let reading = self.hear(&mut frames);
        let writing = async {
            let _ = up.outbox.write_to(&mut output).await;
            let _ = output.shutdown().await;
        };
        tokio::pin!(reading, writing);
        tokio::select! {
            () = &mut reading => {}
            // What it has still to say is heard.
            () = &mut writing => reading.await,
        }
        up.outbox.close();
    }

    /// Tells a daemon all that it has to know, and lets the client's messages through to it.
    fn greet(&self, warning: Option<String>) -> Arc<Up> {
        let mut said = lock(&self.said);
        let up = Arc::new(Up { life: said.life, outbox: Outbox::new(Framing::ContentLength, OUTBOX) });
        let mut calls = lock(&self.calls);
        let initializing = calls.is_initializing();
        for body in said.greeting.again(initializing, || calls.own_id()) {
            up.outbox.push(&[&body]);
        }
        for (method, params, request) in said.texts.again() {
            let mut open = json!({"jsonrpc": "2.0", "method": method, "params": params});
            if request {
                open["id"] = serde_json::from_str(&calls.own_id()).unwrap_or(Value::Null);
            }
            up.outbox.push(&[open.to_string().as_bytes()]);
        }
        drop(calls);
        if let Some(warning) = warning {
            tracing::warn!("{warning}");
            said.warning = Some(warning);
            self.show_warning(&mut said);
        }
        if !said.leaving {
            self.link.send_replace(State::Up(up.clone()));
        }
        up
    }

    /// From the daemon to the client.
    async fn hear(&self, frames: &mut impl Frames) {
        loop {
            match frames.next().await {
                Ok(Frame::Body(body)) => {
                    if !self.to_client.room().await {
                        return;
                    }
                    let passed =
                        lock(&self.calls).daemon_says(&body).map(|body| self.to_client.push(&[&body]));
                    if passed.is_none() {
                        tracing::debug!("a message of the daemon was the bridge's own");
                    }
                }
                Ok(Frame::Bad { why, .. }) => tracing::warn!(why, "the daemon has said something unreadable"),
                Ok(Frame::End) | Err(_) => return,
            }
        }
    }

    /// The daemon is gone: ends what was going on with it. True when it said goodbye.
    fn lost(&self) -> bool {
        let mut said = lock(&self.said);
        said.life += 1;
        // Only who waits from now on counts.
        let _ = self.wanted.notified().now_or_never();
        self.link.send_replace(State::Waiting);
        let mut calls = lock(&self.calls);
        let (told, in_order) = calls.lost(said.greeting.locale());
        for body in told {
            self.to_client.push(&[body.as_bytes()]);
        }
        if !in_order && !calls.is_shut_down() {
            said.warning = Some(
                "the shared daemon was lost and is started again; engines have to be attached again"
                    .to_owned(),
            );
            drop(calls);
            self.show_warning(&mut said);
        }
        in_order
    }

    /// Shows an editor what it should know, once it can show anything.
    fn show_warning(&self, said: &mut Said) {
        if said.ready
            && let Some(warning) = said.warning.take()
        {
            let params = json!({"type": MessageLevel::Warning as u8, "message": format!("kifud: {warning}")});
            let shown = json!({"jsonrpc": "2.0", "method": "window/showMessage", "params": params});
            self.to_client.push(&[shown.to_string().as_bytes()]);
        }
    }

    /// The client leaves: the daemon hears the end of its input. False when there is none.
    fn leave(&self) -> bool {
        lock(&self.said).leaving = true;
        match &*self.link.borrow() {
            State::Up(up) => {
                up.outbox.close();
                true
            }
            State::Waiting | State::Over => false,
        }
    }
}
