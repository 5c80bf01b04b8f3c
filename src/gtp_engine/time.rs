//! How long a move may take.

use crate::go::Color;

/// Seconds for a move when nothing has been said about time.
const DEFAULT: f64 = 1.0;
/// The share of the main time that one move gets.
const SHARE: f64 = 1.0 / 30.0;
/// What answers cost on the way, in seconds.
const LAG: f64 = 0.05;

/// GTP's Canadian time: main time, then so many stones in so much time, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Time {
    settings: Option<(f64, f64, f64)>,
    left: [Option<(f64, f64)>; 2],
}

impl Time {
    /// `time_settings`; a period without stones means no limit.
    pub fn set(&mut self, main: f64, period: f64, stones: f64) {
        let limited = !(period > 0.0 && stones == 0.0);
        *self = Time { settings: limited.then_some((main, period, stones)), left: [None; 2] };
    }

    /// `time_left`; no stones means that it is main time.
    pub fn set_left(&mut self, color: Color, seconds: f64, stones: f64) {
        self.left[color as usize] = Some((seconds, stones));
    }

    /// Seconds for the next move.
    pub fn budget(&self, color: Color) -> f64 {
        let main = |seconds: f64, (period, stones): (f64, f64)| {
            let overtime = if stones > 0.0 { period / stones } else { 0.0 };
            (seconds * SHARE).max(overtime.min(seconds))
        };
        let seconds = match (self.left[color as usize], self.settings) {
            (Some((seconds, stones)), _) if stones > 0.0 => seconds / stones,
            (Some((seconds, _)), Some((_, period, stones))) => main(seconds, (period, stones)),
            (Some((seconds, _)), None) => seconds * SHARE,
            (None, Some((seconds, period, stones))) if seconds > 0.0 => main(seconds, (period, stones)),
            (None, Some((_, period, stones))) if stones > 0.0 => period / stones,
            (None, Some(_)) => 0.0,
            (None, None) => DEFAULT + LAG,
        };
        (seconds - LAG).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets() {
        let mut time = Time::default();
        assert_eq!(time.budget(Color::Black), 1.0);
        time.set(0.0, 1.05, 1.0);
        assert_eq!(time.budget(Color::Black), 1.0);
        time.set(300.0, 0.0, 0.0);
        assert!((time.budget(Color::White) - 9.95).abs() < 1e-9);
        time.set_left(Color::White, 3.0, 0.0);
        assert!((time.budget(Color::White) - 0.05).abs() < 1e-9);
        time.set_left(Color::White, 10.0, 5.0);
        assert!((time.budget(Color::White) - 1.95).abs() < 1e-9);
        time.set(0.0, 10.0, 0.0);
        assert_eq!(time.budget(Color::White), 1.0, "no limit");
    }
}
