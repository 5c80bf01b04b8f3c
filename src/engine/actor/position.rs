//! Where the engine stands, as far as all protocols see it alike.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::client::Client;
use super::super::error::{EngineError, ErrorKind};
use super::super::sync::Refusal;
use super::{Actor, Link, Talk};
use crate::go::Position;

impl<T: Talk> Actor<T> {
    /// Refuses when the engine's board is not the one that the caller thinks of.
    pub(super) fn check_revision(&self, wanted: Option<u64>) -> Result<(), EngineError> {
        let now = self.revision();
        match wanted {
            Some(wanted) if wanted != now => {
                let message = format!("the engine's board is at revision {now}, not {wanted}");
                Err(EngineError::new(ErrorKind::SyncFailed, message).cause("revision"))
            }
            _ => Ok(()),
        }
    }

    /// The engine stands on this position now.
    pub(super) fn want(&mut self, position: Position) {
        self.client.set_size(position.size);
        self.wanted = Some(position);
    }

    /// The belief about the engine's board has changed, by a wish of the present client.
    pub(super) fn turn_page(&mut self) -> u64 {
        let revision = self.shared.revision.fetch_add(1, Ordering::SeqCst) + 1;
        self.client.set_revision(revision);
        revision
    }

    /// The revision of the board, as the present client sees it.
    pub(super) fn revision(&self) -> u64 {
        self.client.revision()
    }

    /// From now on the engine works for this client.
    pub(super) fn turn_to(&mut self, client: &Arc<Client>) {
        if self.client.id == client.id {
            return;
        }
        let last = std::mem::replace(&mut self.client, client.clone());
        if last.party != client.party
            && let Some(link) = &mut self.link
        {
            link.process().forget_stderr();
        }
        last.put_by(self.wanted.take());
        self.wanted = self.client.take_up();
        self.shared.tap.turn(Some(client.party));
        T::turned(self);
    }
}

pub(super) fn no_position() -> EngineError {
    let message = "the engine has not been brought to any position yet; name one";
    EngineError::new(ErrorKind::InvalidPosition, message).cause("no-position")
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> EngineError {
        match refusal {
            Refusal::Size { why, .. } => EngineError::new(ErrorKind::BoardTooLarge, why),
            Refusal::InvalidPosition { vertex } => {
                let message = format!("the stone on {vertex} has no liberty");
                EngineError::new(ErrorKind::InvalidPosition, message)
            }
            Refusal::CannotRecreate => {
                let message = "this arrangement cannot be recreated on the engine";
                EngineError::new(ErrorKind::SyncFailed, message)
            }
        }
    }
}
