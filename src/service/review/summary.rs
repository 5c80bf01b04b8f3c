//! A game in numbers: what each player lost, in each phase, and with which moves. Pure.

use super::judge::{Class, Judged};
use super::row::LossUnit;
use crate::go::{Color, Size};
use crate::service::settings::Blunders;

/// A part of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Moves up to a seventh of the points of the board: 51 on 19x19, 24 on 13x13, 11 on 9x9.
    Opening,
    /// Moves up to two fifths of them: 144, 67, 32.
    Middle,
    /// The rest.
    Endgame,
}

impl Phase {
    /// The last moves of opening and middle game.
    pub fn ends(size: Size) -> [usize; 2] {
        [size.area() / 7, size.area() * 2 / 5]
    }

    /// The phase of a move, by its number from 1.
    pub fn of(number: usize, size: Size) -> Phase {
        let [opening, middle] = Phase::ends(size);
        match number {
            _ if number <= opening => Phase::Opening,
            _ if number <= middle => Phase::Middle,
            _ => Phase::Endgame,
        }
    }
}

/// Some of a player's moves, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Part {
    /// Moves that were judged.
    pub moves: usize,
    /// Points lost in all, and by how many moves that is known. A gain counts as nothing lost.
    pub points: (f64, usize),
    /// Percent of win rate lost in all. A gain counts as nothing lost.
    pub percent: f64,
    /// Moves that were the engine's choice, and of how many that is known.
    pub best: (usize, usize),
    /// Inaccuracies, mistakes, blunders.
    pub classes: [usize; 3],
}

impl Part {
    fn add(&mut self, judged: &Judged, settings: &Blunders) {
        self.moves += 1;
        if judged.loss.unit == LossUnit::Points {
            self.points.0 += judged.loss.amount.max(0.0);
            self.points.1 += 1;
        }
        self.percent += judged.winrate_loss.max(0.0);
        if let Some(is_best) = judged.is_best() {
            self.best.0 += usize::from(is_best);
            self.best.1 += 1;
        }
        if let Some(class) = judged.class(settings) {
            self.classes[class as usize] += 1;
        }
    }

    /// Points lost a move.
    pub fn mean_points(&self) -> Option<f64> {
        mean(self.points.0, self.points.1)
    }

    /// Percent of win rate lost a move.
    pub fn mean_percent(&self) -> Option<f64> {
        mean(self.percent, self.moves)
    }

    /// How many percent of the moves were the engine's choice.
    pub fn best_rate(&self) -> Option<f64> {
        mean(100.0 * self.best.0 as f64, self.best.1)
    }
}

fn mean(sum: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

/// One player's game.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Player<'j> {
    /// All moves.
    pub total: Part,
    /// Opening, middle game, endgame.
    pub phases: [Part; 3],
    /// The moves that lost most, with their numbers; the worst first.
    pub worst: Vec<(usize, &'j Judged)>,
}

/// How many of the worst moves are listed for each player.
const WORST: usize = 10;

/// Counts a player's moves. `moves` are those of a line with their numbers; `threshold` is what a move
/// loses at least, in its own unit, to be listed; when absent, what makes an inaccuracy.
pub fn summary<'j>(
    moves: &'j [(usize, Judged)],
    color: Color,
    size: Size,
    settings: &Blunders,
    threshold: Option<f64>,
) -> Player<'j> {
    let mut player = Player::default();
    for (number, judged) in moves.iter().filter(|(_, judged)| judged.played.color == color) {
        player.total.add(judged, settings);
        player.phases[Phase::of(*number, size) as usize].add(judged, settings);
        let bad = match threshold {
            Some(threshold) => judged.is_best() != Some(true) && judged.loss.amount >= threshold,
            None => judged.class(settings).is_some(),
        };
        if bad {
            player.worst.push((*number, judged));
        }
    }
    // Stable: of equal ones the earlier.
    player.worst.sort_by(|(_, one), (_, two)| two.loss.amount.total_cmp(&one.loss.amount));
    player.worst.truncate(WORST);
    player
}

/// The names of the classes, as they are counted.
pub fn class_name(class: Class) -> &'static str {
    class.code().name()
}

#[cfg(test)]
mod tests {
    use super::super::found::Loss;
    use super::*;
    use crate::go::{Move, Point, Vertex};
    use crate::sgf::NodeId;

    /// A move that lost so many points, or percent; the engine would have played C3, or `best` itself.
    fn judged(color: Color, points: Option<f64>, percent: f64, best: Option<bool>) -> Judged {
        let vertex = Vertex::At(Point::new(0, 0));
        let loss = match points {
            Some(amount) => Loss { amount, unit: LossUnit::Points },
            None => Loss { amount: percent, unit: LossUnit::Percent },
        };
        let line = match best {
            None => Vec::new(),
            Some(true) => vec![vertex],
            Some(false) => vec![Vertex::Pass],
        };
        let played = Move { color, vertex };
        Judged { node: NodeId(1), before: NodeId(0), played, loss, winrate_loss: percent, line }
    }

    #[test]
    fn phases_are_scaled_to_the_board() {
        for (side, ends) in [(19, [51, 144]), (13, [24, 67]), (9, [11, 32]), (1, [0, 0])] {
            assert_eq!(Phase::ends(Size::square(side).unwrap()), ends, "{side}");
        }
        let size = Size::STANDARD;
        let phases = [1, 51, 52, 144, 145].map(|number| Phase::of(number, size));
        let (opening, middle, endgame) = (Phase::Opening, Phase::Middle, Phase::Endgame);
        assert_eq!(phases, [opening, opening, middle, middle, endgame]);
    }

    #[test]
    fn sums_on_paper() {
        let size = Size::square(9).unwrap();
        let black = Color::Black;
        let moves = [
            (1, judged(black, Some(1.0), 2.0, Some(false))),
            (2, judged(Color::White, Some(50.0), 50.0, Some(false))),
            (3, judged(black, Some(-3.0), -6.0, Some(true))),
            (13, judged(black, Some(9.0), 30.0, Some(false))),
            (15, judged(black, Some(9.0), 31.0, Some(true))),
            (33, judged(black, None, 5.0, None)),
            (35, judged(black, Some(2.0), 1.0, Some(false))),
        ];
        let player = summary(&moves, black, size, &Blunders::default(), None);
        // Points: 1, 0, 9, 9, 2 by five moves; percent: 2, 0, 30, 31, 5, 1 by six; best: 2 of 5.
        assert_eq!(player.total.moves, 6);
        assert_eq!(player.total.mean_points(), Some(4.2));
        assert_eq!(player.total.mean_percent(), Some(11.5));
        assert_eq!(player.total.best_rate(), Some(40.0));
        // 9 points are a blunder, unless the engine would have played so; 5 percent and 2 points are
        // inaccuracies.
        assert_eq!(player.total.classes, [2, 0, 1]);
        let [opening, middle, endgame] = player.phases;
        assert_eq!((opening.moves, middle.moves, endgame.moves), (2, 2, 2));
        assert_eq!((opening.mean_points(), opening.best_rate()), (Some(0.5), Some(50.0)));
        assert_eq!((middle.classes, endgame.classes), ([0, 0, 1], [2, 0, 0]));
        assert_eq!((endgame.mean_points(), endgame.mean_percent()), (Some(2.0), Some(3.0)));
        let numbers =
            |player: &Player<'_>| player.worst.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        assert_eq!(numbers(&player), [13, 33, 35]);
        let all = summary(&moves, black, size, &Blunders::default(), Some(1.0));
        assert_eq!(numbers(&all), [13, 33, 35, 1]);
        let white = summary(&moves, Color::White, size, &Blunders::default(), Some(60.0));
        assert_eq!((white.total.moves, white.worst.len()), (1, 0));
        let none = summary(&[], black, size, &Blunders::default(), None);
        assert_eq!((none.total.mean_points(), none.total.best_rate()), (None, None));
    }
}
