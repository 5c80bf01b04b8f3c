//! Platforms where no shared daemon can be had yet.

use std::sync::Arc;

use tokio::sync::watch;

use super::{Input, Output, Place, Trouble};
use crate::service::Service;

const WHY: &str = "a shared daemon needs Unix sockets, which kifud does not use on this platform";

/// There is nothing to leave.
pub fn detach() {}

/// Looks for a daemon.
///
/// # Errors
/// `Refused`, always.
pub async fn look(_: &Place) -> Result<Option<(Input, Output)>, Trouble> {
    Err(Trouble::Refused(WHY.to_owned()))
}

/// The shared daemon's door, which cannot be opened here.
pub struct Door {}

impl Door {
    /// Opens the door.
    ///
    /// # Errors
    /// `Refused`, always.
    pub async fn open(_: Place) -> Result<Door, Trouble> {
        Err(Trouble::Refused(WHY.to_owned()))
    }

    /// Lets clients in.
    pub async fn serve(&self, _: &Arc<Service>, _: &watch::Sender<bool>) {}
}
