//! Looks ahead: nobody waits for them, so they give way to all else.

use super::super::error::{EngineError, ErrorKind};
use super::super::slot::EndReason;
use super::look::{Follower, Look};
use super::{Actor, Link, Talk};

impl<T: Talk> Actor<T> {
    /// Ends looks ahead, and refuses others, while anybody wants anything of the engine or has it.
    pub(super) async fn give_way(&mut self, leased: bool) {
        let ahead = |follower: &Follower| follower.client.ahead;
        let somebody_looks = |look: &Look| look.clients().any(|client| !client.ahead);
        let works = self.link.as_ref().is_none_or(Link::works);
        let looks = self.analysis.iter().chain(self.desk.parked()).any(somebody_looks);
        if leased || works || looks || self.desk.is_asked() {
            // An engine that does not fall silent is the trouble of whoever asks next.
            let _ = self.end_for(ahead, EndReason::Superseded).await;
            self.desk.end_parked(ahead, EndReason::Superseded);
            let error = EngineError::new(ErrorKind::EngineBusy, "the engine has something else to do");
            self.desk.refuse_ahead(&error.cause("ahead"));
        }
    }
}
