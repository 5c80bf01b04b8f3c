//! Counting: an engine's `final_score` where one plays that has it, else the area.

use std::time::Duration;

use super::players::{Player, Seated};
use super::update::{Score, ScoreBy};
use crate::engine::EngineError;
use crate::go::Position;
use crate::go::referee::{area, result_text};

/// How long an engine may count.
const PATIENCE: Duration = Duration::from_secs(60);

/// The result of a game that stands here, and who has counted.
pub async fn count(players: &[Player; 2], position: &Position) -> (String, Score) {
    let can = |seated: &&std::sync::Arc<Seated>| seated.lease.info().commands.contains("final_score");
    if let Some(seated) = players.iter().filter_map(Player::seated).find(can) {
        match tokio::time::timeout(PATIENCE, ask(seated, position)).await {
            Ok(Ok(Some(result))) => {
                let engine_id = Some(seated.attached.id.clone());
                return (result, Score { by: ScoreBy::FinalScore, engine_id });
            }
            Ok(Ok(None)) => tracing::info!("the engine has no final score"),
            Ok(Err(error)) => tracing::info!(%error, "the engine has not counted"),
            Err(_) => tracing::info!("the engine counts for too long"),
        }
    }
    count_area(position)
}

/// The area, with every stone on the board alive.
pub fn count_area(position: &Position) -> (String, Score) {
    let [black, white] = area(&position.board()).map(f64::from);
    let result = result_text(black - white - position.komi.unwrap_or(0.0));
    (result, Score { by: ScoreBy::Area, engine_id: None })
}

async fn ask(seated: &Seated, position: &Position) -> Result<Option<String>, EngineError> {
    seated.lease.sync(position.clone()).await?;
    let reply = seated.lease.send("final_score", None).await?;
    Ok(Some(reply.text).filter(|_| reply.ok).as_deref().and_then(read))
}

/// Reads `B+3.5`, `W+12.0`, `0`, `Draw`, as records write them.
fn read(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?;
    if word == "0" || word.eq_ignore_ascii_case("draw") || word.eq_ignore_ascii_case("jigo") {
        return Some(result_text(0.0));
    }
    let (side, points) = word.split_once('+')?;
    let points: f64 = points.parse().ok().filter(|points: &f64| points.is_finite() && *points >= 0.0)?;
    let lead = match crate::go::Color::parse(side)? {
        crate::go::Color::Black => points,
        crate::go::Color::White => -points,
    };
    Some(result_text(lead))
}

#[cfg(test)]
mod tests {
    #[test]
    fn final_scores_are_read() {
        let cases = [
            ("B+3.5", Some("B+3.5")),
            ("W+12.0 (upper bound: -12.0, lower: -12.0)", Some("W+12")),
            ("0", Some("0")),
            ("Draw", Some("0")),
            ("B+R", None),
            ("B+-3", None),
            ("", None),
            ("cannot score", None),
        ];
        for (text, result) in cases {
            assert_eq!(super::read(text).as_deref(), result, "{text}");
        }
    }
}
