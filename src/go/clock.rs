//! Game clocks as values: time goes in, a clock comes out. Milliseconds; nothing here knows what time it is.

/// What comes after the main time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// Nothing: the game is lost.
    None,
    /// So many periods; a move within one gives it back whole.
    Byoyomi {
        /// One period.
        period: u64,
        /// How many there are, at least 1.
        periods: u32,
    },
    /// So many moves in a stretch of time, again and again.
    Canadian {
        /// The stretch.
        time: u64,
        /// Moves in it, at least 1.
        stones: u32,
    },
}

/// The time of one side as agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeControl {
    /// Main time.
    pub main: u64,
    /// What comes after it.
    pub overtime: Overtime,
}

/// The time that one side has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    /// Main time left.
    pub main: u64,
    /// Overtime left: of the period, or of the stretch.
    pub overtime: u64,
    /// Periods left, or moves still to make in the stretch; 0 without overtime.
    pub count: u32,
}

impl Clock {
    /// A full clock.
    pub fn new(control: TimeControl) -> Clock {
        let (overtime, count) = match control.overtime {
            Overtime::None => (0, 0),
            Overtime::Byoyomi { period, periods } => (period, periods),
            Overtime::Canadian { time, stones } => (time, stones),
        };
        Clock { control, main: control.main, overtime, count }
    }

    /// A clock that stands as [`Clock::left`] has told it; never more than was agreed upon.
    pub fn standing(control: TimeControl, time: u64, count: Option<u32>) -> Clock {
        let full = Clock::new(control);
        match count {
            Some(count) => {
                Clock { main: 0, overtime: time.min(full.overtime), count: count.min(full.count), ..full }
            }
            None => Clock { main: time.min(full.main), ..full },
        }
    }

    /// What is left: of the main time, or of the overtime with its count, the periods or the moves still to make.
    pub fn left(self) -> (u64, Option<u32>) {
        match (self.main, self.control.overtime) {
            (0, Overtime::Byoyomi { .. } | Overtime::Canadian { .. }) => (self.overtime, Some(self.count)),
            (main, _) => (main, None),
        }
    }

    /// What was agreed upon.
    pub fn control(self) -> TimeControl {
        self.control
    }

    /// How long the side may think before it has lost on time.
    pub fn allowance(self) -> u64 {
        let overtime = match self.control.overtime {
            Overtime::None => 0,
            Overtime::Byoyomi { .. } => self.overtime.saturating_mul(u64::from(self.count)),
            Overtime::Canadian { .. } => self.overtime,
        };
        self.main.saturating_add(overtime)
    }

    /// The clock after a move that took so long; `None` when the time was over before.
    pub fn after(mut self, thought: u64) -> Option<Clock> {
        if thought > self.allowance() {
            return None;
        }
        let beyond = thought.saturating_sub(self.main);
        self.main = self.main.saturating_sub(thought);
        if beyond == 0 {
            return Some(self);
        }
        match self.control.overtime {
            Overtime::None => {}
            Overtime::Byoyomi { period, .. } => {
                // A period is lost when more than all of it is used.
                let lost = beyond.saturating_sub(1) / self.overtime.max(1);
                self.count = self.count.saturating_sub(u32::try_from(lost).unwrap_or(u32::MAX));
                self.overtime = period;
            }
            Overtime::Canadian { time, stones } => {
                self.overtime -= beyond.min(self.overtime);
                self.count = self.count.saturating_sub(1);
                if self.count == 0 {
                    (self.overtime, self.count) = (time, stones);
                }
            }
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(main: u64, overtime: Overtime) -> TimeControl {
        TimeControl { main: main * 1000, overtime }
    }

    /// Thinks for these seconds, a move each; main time, overtime and count after each, until the flag falls.
    fn run(control: TimeControl, seconds: &[u64]) -> Vec<(u64, u64, u32)> {
        let mut clock = Clock::new(control);
        let mut seen = Vec::new();
        for second in seconds {
            let Some(next) = clock.after(second * 1000) else { break };
            clock = next;
            seen.push((clock.main / 1000, clock.overtime / 1000, clock.count));
        }
        seen
    }

    #[test]
    fn time_runs_out() {
        let byoyomi = Overtime::Byoyomi { period: 30_000, periods: 3 };
        let canadian = Overtime::Canadian { time: 60_000, stones: 2 };
        type Case<'a> = (TimeControl, &'a [u64], &'a [(u64, u64, u32)]);
        let cases: [Case<'_>; 6] = [
            (control(10, Overtime::None), &[4, 6, 0, 1], &[(6, 0, 0), (0, 0, 0), (0, 0, 0)]),
            // Ten seconds of main time, then 30 within the first period: no period is lost.
            (control(10, byoyomi), &[40, 31, 60, 1], &[(0, 30, 3), (0, 30, 2), (0, 30, 1), (0, 30, 1)]),
            (control(0, byoyomi), &[90, 31], &[(0, 30, 1)]),
            (control(0, byoyomi), &[91], &[]),
            (control(10, canadian), &[5, 15, 50, 60], &[(5, 60, 2), (0, 50, 1), (0, 60, 2), (0, 0, 1)]),
            (control(10, canadian), &[70, 1], &[(0, 0, 1)]),
        ];
        for (control, seconds, expected) in cases {
            assert_eq!(run(control, seconds), expected, "{control:?} {seconds:?}");
        }
    }

    #[test]
    fn a_clock_is_set_up_as_it_stood() {
        let controls = [
            Overtime::None,
            Overtime::Byoyomi { period: 30_000, periods: 3 },
            Overtime::Canadian { time: 60_000, stones: 2 },
        ];
        for control in controls.map(|overtime| control(10, overtime)) {
            for thought in [0, 4, 10, 15, 50] {
                let Some(clock) = Clock::new(control).after(thought * 1000) else { continue };
                let (time, count) = clock.left();
                assert_eq!(Clock::standing(control, time, count), clock, "{control:?} {thought}");
            }
            assert_eq!(Clock::standing(control, 1_000_000, None), Clock::new(control));
        }
    }
}
