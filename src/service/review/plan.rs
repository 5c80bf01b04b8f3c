//! What a review is asked for, checked: how many passes, how deep, how long.

use schemars::JsonSchema;
use serde::Deserialize;

use super::critical::Thresholds;
use crate::engine::Limit;
use crate::service::error::{Error, Result};
use crate::service::methods::analysis::WireLimit;
use crate::service::wire::DocumentRef;

/// Which game, how thoroughly.
///
/// All nodes are searched within `limit`. In a second pass those that matter are searched once more,
/// deeper: asked for with `deeper` or `passes: 2`, and usual with `budgetSeconds`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Review {
    pub(super) document: DocumentRef,
    /// When absent: an attached engine that speaks `katago-json`, else a configured one, started for
    /// this review, else the first attached engine that can analyse.
    pub(super) engine_id: Option<String>,
    /// For each node in the first pass. When absent: one second, or a share of `budgetSeconds`.
    limit: Option<WireLimit>,
    /// Seconds for the whole review, the engine's start not counted. Without `limit` the first pass gets
    /// a third of them (all, when there is no second pass), shared out evenly between the nodes; the
    /// rest goes to the second pass. A search by visits that is under way when they are over is given
    /// up; one by seconds still waits for the engine's first word.
    budget_seconds: Option<f64>,
    /// 1 or 2. When absent: 2 with `deeper` or `budgetSeconds`, else 1.
    #[schemars(range(min = 1, max = 2))]
    passes: Option<u8>,
    /// The second pass.
    deeper: Option<Deeper>,
    /// Which game of the collection, 0 when absent.
    pub(super) game: Option<u32>,
    /// Also the variations of the record.
    pub(super) variations: Option<bool>,
    /// SBKV, SBKS and KFCA go into the record at the end.
    pub(super) write: Option<bool>,
    /// With `write`: at moves that lose at least so much, in the unit of the row's loss, the engine's
    /// better line is written as the last variation of the node before.
    #[schemars(range(min = 0))]
    loss_threshold: Option<f64>,
    /// At most so many of these lines, the worst moves first, 10.
    #[schemars(range(min = 1, max = 1000))]
    max_variations: Option<usize>,
    /// At most so many moves in each of them, 10.
    #[schemars(range(min = 1, max = 100))]
    variation_moves: Option<usize>,
    /// Nodes that an earlier review has searched with the same engine and limits, but was stopped before
    /// it was finished, are not searched again; false when absent. Trusted sessions only.
    pub(super) resume: Option<bool>,
}

/// The second pass: which nodes, how deep.
///
/// A move is looked at again, with the node before it, when it loses much or its values swing.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deeper {
    /// Visits for each of its nodes. When neither this nor `seconds` is given: what is left of
    /// `budgetSeconds`, shared out evenly, else eight times `limit`.
    visits: Option<u64>,
    /// Seconds for each of its nodes.
    seconds: Option<f64>,
    /// A move that loses at least so much, in the unit of the row's loss; 2 points or 5 percent.
    #[schemars(range(min = 0))]
    loss_threshold: Option<f64>,
    /// A move that changes the win rate, in either direction, by at least so many percent; 10.
    #[schemars(range(min = 0, max = 100))]
    swing: Option<f64>,
    /// At most this share of the nodes, those that matter most; 0.25.
    #[schemars(range(min = 0, max = 1))]
    share: Option<f64>,
}

/// How deep a node is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Depth {
    /// So deep.
    Fixed(Limit),
    /// As long as its share of the pass's time lasts.
    Share,
}

/// The second pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Second {
    /// How deep.
    pub depth: Depth,
    /// Which nodes.
    pub thresholds: Thresholds,
}

/// Which better lines go into the record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lines {
    /// A move loses at least so much, in its row's unit.
    pub threshold: f64,
    /// At most so many lines.
    pub count: usize,
    /// At most so many moves each.
    pub moves: usize,
}

/// A review as it will be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The first pass.
    pub first: Depth,
    /// The second pass, if there is one.
    pub second: Option<Second>,
    /// Seconds for everything.
    pub budget: Option<f64>,
    /// Better lines to write.
    pub lines: Option<Lines>,
}

/// The second pass gets so many times what the first had.
const DEEPER: u32 = 8;

/// The first pass has one of so many parts of the budget when a second follows.
const PARTS: f64 = 3.0;

/// No search by seconds is asked to be shorter.
const SHORTEST: f64 = 0.02;

impl Review {
    /// # Errors
    /// `InvalidParams` for numbers out of their range, and fields that do not go together.
    pub fn plan(&self) -> Result<Plan> {
        let limit = self.limit.map(WireLimit::check).transpose()?;
        let limit = limit.filter(|limit| limit.visits.is_some() || limit.seconds.is_some());
        let budget = self.budget_seconds;
        if budget.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 1e7)) {
            return Err(Error::field("budgetSeconds", "budgetSeconds must be more than 0, at most 10000000"));
        }
        let two = match (self.passes, self.deeper) {
            (Some(1), Some(_)) => {
                return Err(Error::field("passes", "deeper is about a second pass: passes cannot be 1"));
            }
            (Some(passes @ (1 | 2)), _) => passes == 2,
            (Some(_), _) => return Err(Error::field("passes", "passes must be 1 or 2")),
            (None, deeper) => deeper.is_some() || budget.is_some(),
        };
        let first = match (limit, budget) {
            (Some(limit), _) => Depth::Fixed(limit),
            (None, Some(_)) => Depth::Share,
            (None, None) => Depth::Fixed(Limit { visits: None, seconds: Some(1.0) }),
        };
        let second = match two {
            true => Some(self.deeper.unwrap_or_default().second(first, budget.is_some())?),
            false => None,
        };
        Ok(Plan { first, second, budget, lines: self.lines()? })
    }

    fn lines(&self) -> Result<Option<Lines>> {
        let Some(threshold) = self.loss_threshold else {
            let (field, given) = match self.max_variations {
                Some(_) => ("maxVariations", true),
                None => ("variationMoves", self.variation_moves.is_some()),
            };
            return match given {
                true => Err(Error::field(field, format!("{field} needs lossThreshold"))),
                false => Ok(None),
            };
        };
        if !(threshold >= 0.0 && threshold.is_finite()) {
            return Err(Error::field("lossThreshold", "lossThreshold must not be negative"));
        }
        if self.write != Some(true) {
            let message = "lossThreshold says which better lines are written: it needs write: true";
            return Err(Error::field("lossThreshold", message));
        }
        let (count, moves) = (self.max_variations.unwrap_or(10), self.variation_moves.unwrap_or(10));
        if !(1..=1000).contains(&count) {
            return Err(Error::field("maxVariations", "maxVariations must be between 1 and 1000"));
        }
        if !(1..=100).contains(&moves) {
            return Err(Error::field("variationMoves", "variationMoves must be between 1 and 100"));
        }
        Ok(Some(Lines { threshold, count, moves }))
    }
}

impl Deeper {
    fn second(self, first: Depth, budget: bool) -> Result<Second> {
        let out_of =
            |field: &'static str, range: &str| Err(Error::field(field, format!("{field} must be {range}")));
        if self.visits == Some(0) {
            return out_of("deeper.visits", "at least 1");
        }
        if self.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 1e7)) {
            return out_of("deeper.seconds", "more than 0, at most 10000000");
        }
        if self.loss_threshold.is_some_and(|loss| !(loss >= 0.0 && loss.is_finite())) {
            return out_of("deeper.lossThreshold", "0 or more");
        }
        if self.swing.is_some_and(|swing| !(0.0..=100.0).contains(&swing)) {
            return out_of("deeper.swing", "between 0 and 100");
        }
        if self.share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return out_of("deeper.share", "between 0 and 1");
        }
        let depth = match (self.visits, self.seconds) {
            (None, None) if budget => Depth::Share,
            (None, None) => first.times(DEEPER),
            (visits, seconds) => Depth::Fixed(Limit { visits, seconds }),
        };
        Ok(Second { depth, thresholds: Thresholds::new(self.loss_threshold, self.swing, self.share) })
    }
}

impl Depth {
    fn times(self, factor: u32) -> Depth {
        match self {
            Depth::Share => Depth::Share,
            Depth::Fixed(Limit { visits, seconds }) => Depth::Fixed(Limit {
                visits: visits.map(|visits| visits.saturating_mul(factor.into())),
                seconds: seconds.map(|seconds| seconds * f64::from(factor)),
            }),
        }
    }

    /// Whether it is a number of visits and nothing else: such searches can be made side by side.
    pub fn is_exact(self) -> bool {
        matches!(self, Depth::Fixed(Limit { visits: Some(_), seconds: None }))
    }

    fn name(self) -> String {
        match self {
            Depth::Share => "share".to_owned(),
            Depth::Fixed(Limit { visits, seconds }) => {
                let part = |unit: &str, number: Option<String>| {
                    number.map(|number| format!("{unit} {number}")).unwrap_or_default()
                };
                let visits = part("visits", visits.map(|visits| visits.to_string()));
                let seconds = part("seconds", seconds.map(|seconds| seconds.to_string()));
                format!("{visits} {seconds}").trim().to_owned()
            }
        }
    }

    /// The limit of the next of `nodes` searches; `time` is what is left of the pass, seconds.
    pub fn limit(self, nodes: usize, time: Option<f64>) -> Limit {
        let even = time.map(|time| (time / nodes.max(1) as f64).max(SHORTEST));
        match self {
            Depth::Share => Limit { visits: None, seconds: even },
            exact if exact.is_exact() => match self {
                Depth::Fixed(limit) => limit,
                Depth::Share => Limit::default(),
            },
            Depth::Fixed(Limit { visits, seconds }) => {
                let seconds = [seconds, even].into_iter().flatten().reduce(f64::min);
                Limit { visits, seconds }
            }
        }
    }
}

impl Plan {
    /// The same text for the same depth: values that were found so deep need not be found again. What a
    /// search by time gets depends on the time of its whole pass.
    pub fn name(&self, pass: u8, depth: Depth) -> String {
        match self.end(pass) {
            Some(end) if !depth.is_exact() => format!("{} in pass {pass} of {end} s", depth.name()),
            _ => depth.name(),
        }
    }

    /// When a pass has to be over, seconds from the beginning; `None`: when it is done.
    pub fn end(&self, pass: u8) -> Option<f64> {
        let early = pass == 1 && self.first == Depth::Share && self.second.is_some();
        self.budget.map(|budget| if early { budget / PARTS } else { budget })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(params: &str) -> std::result::Result<Plan, String> {
        let params = params.strip_prefix('{').unwrap_or(params);
        let review: Review = serde_json::from_str(&format!("{{\"document\": {{\"text\": \"\"}}{params}"))
            .map_err(|error| error.to_string())?;
        review.plan().map_err(|error| error.data["field"].as_str().unwrap_or_default().to_owned())
    }

    fn fixed(visits: Option<u64>, seconds: Option<f64>) -> Depth {
        Depth::Fixed(Limit { visits, seconds })
    }

    #[test]
    fn passes_and_their_depths() {
        let cases = [
            ("}", fixed(None, Some(1.0)), None),
            (r#","limit":{"visits":50}}"#, fixed(Some(50), None), None),
            (r#","limit":{"visits":50},"passes":2}"#, fixed(Some(50), None), Some(fixed(Some(400), None))),
            (
                r#","limit":{"seconds":0.5},"deeper":{}}"#,
                fixed(None, Some(0.5)),
                Some(fixed(None, Some(4.0))),
            ),
            (
                r#","limit":{"visits":50},"deeper":{"visits":90}}"#,
                fixed(Some(50), None),
                Some(fixed(Some(90), None)),
            ),
            (r#","budgetSeconds":60}"#, Depth::Share, Some(Depth::Share)),
            (r#","budgetSeconds":60,"passes":1}"#, Depth::Share, None),
            (r#","budgetSeconds":60,"limit":{"visits":5}}"#, fixed(Some(5), None), Some(Depth::Share)),
            (r#","budgetSeconds":60,"deeper":{"seconds":2}}"#, Depth::Share, Some(fixed(None, Some(2.0)))),
        ];
        for (params, first, second) in cases {
            let plan = plan(params).unwrap();
            assert_eq!((plan.first, plan.second.map(|second| second.depth)), (first, second), "{params}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_named() {
        let cases = [
            (r#","passes":3}"#, "passes"),
            (r#","passes":1,"deeper":{}}"#, "passes"),
            (r#","budgetSeconds":0}"#, "budgetSeconds"),
            (r#","limit":{"visits":0}}"#, "limit.visits"),
            (r#","deeper":{"visits":0}}"#, "deeper.visits"),
            (r#","deeper":{"seconds":0}}"#, "deeper.seconds"),
            (r#","deeper":{"share":1.5}}"#, "deeper.share"),
            (r#","deeper":{"swing":-1}}"#, "deeper.swing"),
            (r#","deeper":{"lossThreshold":-1}}"#, "deeper.lossThreshold"),
            (r#","lossThreshold":2}"#, "lossThreshold"),
            (r#","lossThreshold":-2,"write":true}"#, "lossThreshold"),
            (r#","maxVariations":2,"write":true}"#, "maxVariations"),
            (r#","variationMoves":2,"write":true}"#, "variationMoves"),
            (r#","lossThreshold":2,"write":true,"maxVariations":0}"#, "maxVariations"),
            (r#","lossThreshold":2,"write":true,"variationMoves":101}"#, "variationMoves"),
        ];
        for (params, field) in cases {
            assert_eq!(plan(params), Err(field.to_owned()), "{params}");
        }
    }

    #[test]
    fn upper_bounds_are_named() {
        for params in
            [r#""budgetSeconds":1e308"#, r#""limit":{"seconds":1e308}"#, r#""deeper":{"seconds":1e308}"#]
        {
            let review = format!("{{\"document\":{{\"text\":\"\"}},{params}}}");
            let review: Review = serde_json::from_str(&review).unwrap();
            let message = review.plan().unwrap_err().message;
            assert!(message.ends_with("must be more than 0, at most 10000000"), "{message}");
        }
    }

    #[test]
    fn time_is_shared_out_evenly() {
        let limit = |depth: Depth, nodes, time| {
            let Limit { visits, seconds } = depth.limit(nodes, time);
            (visits, seconds)
        };
        assert_eq!(limit(Depth::Share, 4, Some(2.0)), (None, Some(0.5)));
        assert_eq!(limit(Depth::Share, 1000, Some(1.0)), (None, Some(SHORTEST)));
        assert_eq!(limit(fixed(Some(5), None), 4, Some(2.0)), (Some(5), None), "exactly so many");
        assert_eq!(limit(fixed(None, Some(9.0)), 4, Some(2.0)), (None, Some(0.5)));
        assert_eq!(limit(fixed(Some(5), Some(0.1)), 4, Some(2.0)), (Some(5), Some(0.1)));
        assert_eq!(limit(fixed(None, Some(9.0)), 4, None), (None, Some(9.0)));
        let ends = |params: &str| plan(params).map(|plan| (plan.end(1), plan.end(2)));
        assert_eq!(ends(r#","budgetSeconds":60}"#), Ok((Some(20.0), Some(60.0))));
        assert_eq!(ends(r#","budgetSeconds":60,"passes":1}"#), Ok((Some(60.0), Some(60.0))));
        assert_eq!(ends(r#","budgetSeconds":60,"limit":{"visits":5}}"#), Ok((Some(60.0), Some(60.0))));
        assert_eq!(ends("}"), Ok((None, None)));
    }

    #[test]
    fn depths_have_names() {
        let names = |params: &str| {
            let plan = plan(params).unwrap();
            (plan.name(1, plan.first), plan.second.map(|second| plan.name(2, second.depth)))
        };
        let cases = [
            (r#","limit":{"visits":50}}"#, "visits 50", None),
            (r#","limit":{"visits":50},"budgetSeconds":9,"passes":1}"#, "visits 50", None),
            (r#","limit":{"visits":50,"seconds":0.5}}"#, "visits 50 seconds 0.5", None),
            (r#","limit":{"seconds":2},"deeper":{"visits":9}}"#, "seconds 2", Some("visits 9")),
            (r#","limit":{"seconds":2},"budgetSeconds":9,"passes":1}"#, "seconds 2 in pass 1 of 9 s", None),
            (r#","budgetSeconds":0.2,"passes":1}"#, "share in pass 1 of 0.2 s", None),
            (r#","budgetSeconds":20,"passes":1}"#, "share in pass 1 of 20 s", None),
            (r#","budgetSeconds":60}"#, "share in pass 1 of 20 s", Some("share in pass 2 of 60 s")),
        ];
        for (params, first, second) in cases {
            assert_eq!(names(params), (first.to_owned(), second.map(str::to_owned)), "{params}");
        }
    }
}
