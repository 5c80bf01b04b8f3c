//! Other players on their way to the board.

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::players::{Player, WirePlayer, seat};
use crate::service::error::{Error, Kind, Result};
use crate::service::table::Cx;

/// Where the answer to the one who wants others to play goes.
type Answer = oneshot::Sender<Result<()>>;

/// The players of the sides that change.
pub type Changed = [Option<Player>; 2];

/// Engines that are being started for a game. Dropping it lets them go.
pub struct Seating {
    players: JoinHandle<Result<Changed>>,
    answer: Option<Answer>,
}

impl Drop for Seating {
    fn drop(&mut self) {
        self.players.abort();
    }
}

impl Seating {
    /// Starts to seat who is wanted; `present` are those of the game already.
    pub fn new(cx: Cx, wanted: [Option<WirePlayer>; 2], present: [Player; 2], answer: Answer) -> Seating {
        let players = tokio::spawn(async move {
            let mut changed = Changed::default();
            for (slot, wanted) in changed.iter_mut().zip(&wanted) {
                if let Some(wanted) = wanted {
                    *slot = Some(seat(&cx, wanted, &present).await?);
                }
            }
            Ok(changed)
        });
        Seating { players, answer: Some(answer) }
    }

    /// Somebody wants others by now.
    pub fn withdraw(mut self) {
        if let Some(answer) = self.answer.take() {
            let message = "other players were wanted before these could sit down";
            let _ = answer.send(Err(Error::new(Kind::Cancelled, message)));
        }
    }
}

/// Waits until the players can sit down, or nobody wants them any more; one who cannot is told to the one who wants
/// them. May be dropped and called again.
pub async fn seated(seating: &mut Option<Seating>) -> Option<(Changed, Answer)> {
    let Some(Seating { players, answer }) = seating else { return std::future::pending().await };
    let withdrawn = async {
        if let Some(answer) = answer {
            answer.closed().await;
        }
    };
    let players = tokio::select! {
        biased;
        players = players => players,
        () = withdrawn => return None,
    };
    let answer = answer.take()?;
    let lost = || Error::new(Kind::Internal, "seating players failed inside kifud; the log has the place");
    match players.unwrap_or_else(|_| Err(lost())) {
        Ok(players) => Some((players, answer)),
        Err(error) => {
            let _ = answer.send(Err(error));
            None
        }
    }
}
