//! Which nodes deserve a second look: those around moves that lose much or whose values swing. Pure.

use super::found::Loss;
use super::row::LossUnit;

/// When a node deserves depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// A move loses at least so many points,
    points: f64,
    /// or, where there are none, so many percent.
    percent: f64,
    /// A move changes the win rate by at least so many percent.
    swing: f64,
    /// At most this share of all nodes.
    share: f64,
}

impl Thresholds {
    /// What is not given: 2 points or 5 percent, 10 percent, a quarter of the nodes.
    pub fn new(loss: Option<f64>, swing: Option<f64>, share: Option<f64>) -> Thresholds {
        Thresholds {
            points: loss.unwrap_or(2.0),
            percent: loss.unwrap_or(5.0),
            swing: swing.unwrap_or(10.0),
            share: share.unwrap_or(0.25),
        }
    }

    /// How much a step matters: 1 and more deserves depth.
    fn weight(&self, step: &Step) -> f64 {
        let of = |number: f64, threshold: f64| match threshold > 0.0 {
            true => number / threshold,
            false if number >= 0.0 => f64::MAX,
            false => 0.0,
        };
        let loss = step.loss.map_or(0.0, |Loss { amount, unit }| match unit {
            LossUnit::Points => of(amount, self.points),
            LossUnit::Percent => of(amount, self.percent),
        });
        loss.max(of(step.swing.abs(), self.swing))
    }
}

/// From a node to the one behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The node before, by its number in the review.
    pub from: usize,
    /// The node behind it.
    pub to: usize,
    /// What the move lost.
    pub loss: Option<Loss>,
    /// How much the win rate changed, percent.
    pub swing: f64,
}

/// The nodes of a review of `nodes` nodes that deserve depth, in the order of the game: both ends of
/// every step that matters, the heaviest steps first as far as the share goes.
pub fn critical(nodes: usize, steps: &[Step], thresholds: &Thresholds) -> Vec<usize> {
    let room = (nodes as f64 * thresholds.share).ceil() as usize;
    let mut heavy: Vec<(f64, &Step)> = steps
        .iter()
        .map(|step| (thresholds.weight(step), step))
        .filter(|(weight, _)| *weight >= 1.0)
        .collect();
    // Stable: of equal steps the earlier one.
    heavy.sort_by(|(one, _), (two, _)| two.total_cmp(one));
    let mut chosen = std::collections::BTreeSet::new();
    for (_, step) in heavy {
        for node in [step.to, step.from] {
            if chosen.len() < room {
                chosen.insert(node);
            }
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(to: usize, amount: f64, swing: f64) -> Step {
        Step { from: to - 1, to, loss: Some(Loss { amount, unit: LossUnit::Points }), swing }
    }

    fn percent(to: usize, amount: f64) -> Step {
        Step { from: to - 1, to, loss: Some(Loss { amount, unit: LossUnit::Percent }), swing: amount }
    }

    #[test]
    fn nodes_around_heavy_steps() {
        let all = Thresholds::new(None, None, Some(1.0));
        let some = |share| Thresholds::new(None, None, Some(share));
        let cases: [(&str, &[Step], Thresholds, &[usize]); 11] = [
            ("a quiet game", &[points(1, 0.5, 1.0), points(2, 1.9, -9.9)], all, &[]),
            ("a loss, and the node before it", &[points(1, 0.1, 0.0), points(3, 2.0, 1.0)], all, &[2, 3]),
            ("a win rate that falls", &[points(5, 0.0, -10.0)], all, &[4, 5]),
            ("a win rate that jumps up", &[points(5, -3.0, 10.0)], all, &[4, 5]),
            ("percent have their own threshold", &[percent(2, 4.9), percent(4, 5.0)], all, &[3, 4]),
            ("a set-up loses nothing", &[Step { from: 0, to: 1, loss: None, swing: 3.0 }], all, &[]),
            ("steps that share a node", &[points(3, 9.0, 0.0), points(4, 9.0, 0.0)], all, &[2, 3, 4]),
            // 10 nodes: room for 2, for 3, for none.
            ("the heaviest first", &[points(2, 3.0, 0.0), points(8, 6.0, 0.0)], some(0.2), &[7, 8]),
            (
                "the move before the node before it",
                &[points(2, 3.0, 0.0), points(8, 6.0, 0.0)],
                some(0.21),
                &[2, 7, 8],
            ),
            ("no room", &[points(2, 3.0, 0.0)], some(0.0), &[]),
            (
                "no threshold: all",
                &[points(1, 0.0, 0.0), points(2, -1.0, 0.0)],
                Thresholds::new(Some(0.0), Some(50.0), Some(1.0)),
                &[0, 1],
            ),
        ];
        for (what, steps, thresholds, expected) in cases {
            assert_eq!(critical(10, steps, &thresholds), expected, "{what}");
        }
    }
}
