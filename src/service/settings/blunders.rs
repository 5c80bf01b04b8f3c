//! Which moves a review finds fault with.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::layer::within;

/// Losses from which on a move is an inaccuracy, a mistake, a blunder.
pub type Steps = [f64; 3];

/// Moves that a review has found to lose much are told as findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Blunders {
    /// Whether they are; true by default.
    pub show: bool,
    /// Points that make an inaccuracy, a mistake, a blunder: 2, 4, 8. They count where the engine tells
    /// the score.
    pub points: Steps,
    /// Percent of win rate that do: 5, 10, 20. They count elsewhere.
    pub percent: Steps,
    /// Whose moves: `black`, `white`, or a name as in PB or PW; empty: of both.
    pub player: String,
    /// At most so many in a game, the worst; 200.
    pub limit: usize,
}

impl Default for Blunders {
    fn default() -> Blunders {
        let (points, percent) = ([2.0, 4.0, 8.0], [5.0, 10.0, 20.0]);
        Blunders { show: true, points, percent, player: String::new(), limit: 200 }
    }
}

/// What a layer says of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "BlunderSettings")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlundersLayer {
    /// Whether moves that lose much are told as findings after a review.
    pub show: Option<bool>,
    /// Points that make an inaccuracy, a mistake, a blunder; each at least the one before.
    #[serde(default, deserialize_with = "rising")]
    pub points: Option<Steps>,
    /// Percent of win rate that do, where there are no points.
    #[serde(default, deserialize_with = "rising")]
    pub percent: Option<Steps>,
    /// Whose moves: `black`, `white`, or a name as in PB or PW; empty: of both.
    pub player: Option<String>,
    /// At most so many in a game, the worst.
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
}

impl BlundersLayer {
    /// Takes over what another layer says.
    pub(super) fn put(&mut self, above: BlundersLayer) {
        self.show = above.show.or(self.show);
        self.points = above.points.or(self.points);
        self.percent = above.percent.or(self.percent);
        self.player = above.player.or(self.player.take());
        self.limit = above.limit.or(self.limit);
    }

    /// Puts this layer over settings.
    pub(super) fn onto(&self, blunders: &mut Blunders) {
        blunders.show = self.show.unwrap_or(blunders.show);
        blunders.points = self.points.unwrap_or(blunders.points);
        blunders.percent = self.percent.unwrap_or(blunders.percent);
        blunders.limit = self.limit.unwrap_or(blunders.limit);
        if let Some(player) = &self.player {
            blunders.player.clone_from(player);
        }
    }
}

/// Reads three numbers, none negative and none below the one before.
fn rising<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Steps>, D::Error> {
    let Some(steps) = Option::<Steps>::deserialize(deserializer)? else { return Ok(None) };
    let [first, second, third] = steps;
    match 0.0 <= first && first <= second && second <= third && third.is_finite() {
        true => Ok(Some(steps)),
        false => Err(serde::de::Error::custom(format!(
            "{steps:?} must be three numbers, each at least the one before and none negative"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Layer, Settings};
    use super::*;

    #[test]
    fn layers_go_over_one_another() {
        let file = "[blunders]\npoints = [1, 2, 3]\nplayer = 'Lee'\nlimit = 5\n";
        let settings = Settings::parse(file).unwrap();
        let expected =
            Blunders { points: [1.0, 2.0, 3.0], player: "Lee".into(), limit: 5, ..Blunders::default() };
        assert_eq!(settings.blunders, expected);
        let mut own = Layer::of_session(serde_json::json!({"blunders": {"limit": 7}})).unwrap();
        own.put(Layer::of_session(serde_json::json!({"blunders": {"show": false, "player": ""}})).unwrap());
        let expected = Blunders { show: false, player: String::new(), limit: 7, ..expected };
        assert_eq!(settings.with(&own).blunders, expected);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (bad, words) in [
            ("points = [3, 2, 4]", "each at least the one before"),
            ("percent = [-1, 2, 4]", "none negative"),
            ("percent = [1, 2]", ""),
            ("limit = 0", "between 1 and 200"),
            ("from = 2", "unknown field"),
        ] {
            let error = Settings::parse(&format!("[blunders]\n{bad}\n")).unwrap_err();
            assert!(error.message.contains(words), "{bad}: {error}");
        }
    }
}
