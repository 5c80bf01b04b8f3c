//! What a series of games says: an interval for the score, and Wald's sequential test.

/// Games of one player as that player sees them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Won.
    pub wins: u32,
    /// Neither.
    pub draws: u32,
    /// Lost.
    pub losses: u32,
}

/// The normal distribution's 97.5 % point: 95 % lie within so many deviations.
const Z: f64 = 1.959_964;

impl Tally {
    /// How many there are.
    pub fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points a game, a draw being half a point; 0.5 without games.
    pub fn score(self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(games),
        }
    }

    /// Wilson's 95 % interval (1927) of the score.
    pub fn interval(self) -> (f64, f64) {
        let games = f64::from(self.games());
        if games == 0.0 {
            return (0.0, 1.0);
        }
        let (score, square) = (self.score(), Z * Z);
        let middle = (score + square / (2.0 * games)) / (1.0 + square / games);
        let half = Z / (1.0 + square / games)
            * (score * (1.0 - score) / games + square / (4.0 * games * games)).sqrt();
        ((middle - half).max(0.0), (middle + half).min(1.0))
    }
}

/// The difference in Elo that a score stands for; infinite for all or nothing.
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Wald's sequential test (1945) between two differences in Elo, both errors 5 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// The difference that is assumed.
    pub elo0: f64,
    /// The difference that is hoped for.
    pub elo1: f64,
}

/// What the test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The first difference.
    Accept0,
    /// The second.
    Accept1,
}

impl Sprt {
    /// Reads `0,30`.
    pub fn parse(text: &str) -> Result<Sprt, String> {
        let read = |part: &str| part.trim().parse::<f64>().ok().filter(|elo| elo.is_finite());
        let pair = text.split_once(',').and_then(|(a, b)| read(a).zip(read(b)));
        match pair {
            Some((elo0, elo1)) if elo0 < elo1 => Ok(Sprt { elo0, elo1 }),
            _ => Err("give two differences in Elo, the smaller one first, as in 0,30".to_owned()),
        }
    }

    /// The logarithm of the likelihood ratio; a draw counts as half a win and half a loss.
    pub fn ratio(self, tally: Tally) -> f64 {
        let half = f64::from(tally.draws) / 2.0;
        let (won, lost) = (f64::from(tally.wins) + half, f64::from(tally.losses) + half);
        let expected = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let (score0, score1) = (expected(self.elo0), expected(self.elo1));
        won * (score1 / score0).ln() + lost * ((1.0 - score1) / (1.0 - score0)).ln()
    }

    /// Whether enough has been seen.
    pub fn decision(self, tally: Tally) -> Option<Decision> {
        let bound = (0.95_f64 / 0.05).ln();
        match self.ratio(tally) {
            ratio if ratio >= bound => Some(Decision::Accept1),
            ratio if ratio <= -bound => Some(Decision::Accept0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(wins: u32, draws: u32, losses: u32) -> Tally {
        Tally { wins, draws, losses }
    }

    /// Against the values of published tables of Wilson's interval.
    #[test]
    fn intervals() {
        let cases =
            [(8, 2, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (50, 50, 0.4038, 0.5962), (1, 0, 0.2065, 1.0)];
        for (wins, losses, low, high) in cases {
            let (from, to) = tally(wins, 0, losses).interval();
            assert!((from - low).abs() < 5e-4 && (to - high).abs() < 5e-4, "{wins}:{losses}: {from} {to}");
        }
        assert_eq!(tally(4, 2, 4).score(), 0.5);
        assert_eq!(tally(0, 0, 0).interval(), (0.0, 1.0));
        // 76 % are 200 points (Elo's table).
        assert!((elo(0.76) - 200.0).abs() < 1.0);
    }

    #[test]
    fn the_test_stops_when_enough_is_seen() {
        let sprt = Sprt::parse("0,50").unwrap();
        // By hand: expected scores 0.5 and 0.571463; 60 ln 1.142926 + 40 ln 0.857074.
        assert!((sprt.ratio(tally(60, 0, 40)) - 1.8462).abs() < 1e-3);
        assert_eq!(sprt.ratio(tally(55, 10, 35)), sprt.ratio(tally(60, 0, 40)));
        let cases = [
            (tally(60, 0, 40), None),
            (tally(120, 0, 80), Some(Decision::Accept1)),
            (tally(80, 0, 120), Some(Decision::Accept0)),
            (tally(1, 0, 0), None),
            (tally(0, 0, 0), None),
        ];
        for (tally, decision) in cases {
            assert_eq!(sprt.decision(tally), decision, "{tally:?}");
        }
        for bad in ["", "3", "5,1", "a,b", "0,inf"] {
            assert!(Sprt::parse(bad).is_err(), "{bad}");
        }
    }
}
