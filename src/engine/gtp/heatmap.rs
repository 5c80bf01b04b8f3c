//! The heat map: one mark a candidate move, by Sabaki's rule.
//!
//! The strength of a move is proportional to visits x win rate and runs from 1 to 9; its text is
//! the win rate or the score lead, absolute or as the distance from the best move, and is left
//! out while the move has too few visits to mean anything.

use super::analyze::{MoveInfo, Report};
use crate::go::Vertex;

/// A move with fewer visits than this has no text.
const MIN_VISITS: u64 = 10;

/// Which number the text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The win rate in percent.
    Winrate,
    /// The score lead in points; no text where the engine gives none.
    ScoreLead,
}

/// What the number is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// From zero.
    Absolute,
    /// From the move that the engine puts first.
    Relative,
}

/// One mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The move, passes included.
    pub vertex: Vertex,
    /// 1 (faint) to 9.
    pub strength: u8,
    /// One decimal and no unit: `52.1`, `-3.0`. Relative numbers are signed, `+0.4` and `-1.2`,
    /// and those that round to nothing are `0`, first of all the best move's.
    pub text: Option<String>,
}

/// The marks of a report, in the order of its moves.
pub fn heatmap(report: &Report, measure: Measure, scale: Scale) -> Vec<Mark> {
    let greatest = report.moves.iter().map(weight).fold(0.0, f64::max);
    let best = report.best();
    let text = |info: &MoveInfo| {
        let value = measure.of(info)?;
        match scale {
            _ if info.visits < MIN_VISITS => None,
            Scale::Absolute => Some(absolute(value)),
            Scale::Relative => Some(relative(value - measure.of(best?)?)),
        }
    };
    let mark = |info: &MoveInfo| Mark {
        vertex: info.vertex,
        strength: strength(weight(info), greatest),
        text: text(info),
    };
    report.moves.iter().map(mark).collect()
}

impl Measure {
    fn of(self, info: &MoveInfo) -> Option<f64> {
        match self {
            Measure::Winrate => Some(info.winrate),
            Measure::ScoreLead => info.score_lead,
        }
    }
}

fn weight(info: &MoveInfo) -> f64 {
    info.visits as f64 * info.winrate
}

/// 1 to 9; 1 for all when no move has any weight.
fn strength(weight: f64, greatest: f64) -> u8 {
    if greatest > 0.0 { (weight * 8.0 / greatest).round() as u8 + 1 } else { 1 }
}

/// Tenths; adding 0 turns -0 into 0.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

fn absolute(value: f64) -> String {
    format!("{:.1}", tenths(value))
}

fn relative(value: f64) -> String {
    match tenths(value) {
        0.0 => "0".to_owned(),
        value => format!("{value:+.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyze::{Dialect, parse_line};
    use super::*;
    use crate::go::Size;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    const NINE: Size = Size::square(9).unwrap();

    const LINE: &str = "info move D4 visits 400 winrate 0.5 scoreLead 1.46 order 0 \
        info move E5 visits 200 winrate 0.5217 scoreLead 1.5 order 1 \
        info move pass visits 10 winrate 0.2 scoreLead -3 order 2 \
        info move C3 visits 9 winrate 0.99 scoreLead 9 order 3 \
        info move G7 visits 30 winrate 0.5002 order 4";

    fn check(line: &str, measure: Measure, scale: Scale, expected: Expect) {
        let marks = heatmap(&parse_line(line.as_bytes(), Dialect::Kata, NINE), measure, scale);
        let show = |mark: &Mark| {
            format!(
                "{} {} {}\n",
                mark.vertex.to_gtp(NINE),
                mark.strength,
                mark.text.as_deref().unwrap_or("-")
            )
        };
        expected.assert_eq(&marks.iter().map(show).collect::<String>());
    }

    // Weights by hand: 200, 104.34, 2, 8.91, 15.006; times 8 / 200: 8, 4.17, 0.08, 0.36, 0.6.
    #[test]
    fn strength_and_text() {
        check(
            LINE,
            Measure::Winrate,
            Scale::Absolute,
            expect![[r#"
            D4 9 50.0
            E5 5 52.2
            pass 1 20.0
            C3 1 -
            G7 2 50.0
        "#]],
        );
        check(
            LINE,
            Measure::Winrate,
            Scale::Relative,
            expect![[r#"
            D4 9 0
            E5 5 +2.2
            pass 1 -30.0
            C3 1 -
            G7 2 0
        "#]],
        );
        check(
            LINE,
            Measure::ScoreLead,
            Scale::Absolute,
            expect![[r#"
            D4 9 1.5
            E5 5 1.5
            pass 1 -3.0
            C3 1 -
            G7 2 -
        "#]],
        );
        check(
            LINE,
            Measure::ScoreLead,
            Scale::Relative,
            expect![[r#"
            D4 9 0
            E5 5 0
            pass 1 -4.5
            C3 1 -
            G7 2 -
        "#]],
        );
    }

    #[test]
    fn moves_without_any_weight_are_faint() {
        let line = "info move D4 visits 0 winrate 0.5 order 0 info move E5 visits 50 winrate 0 order 1";
        check(
            line,
            Measure::Winrate,
            Scale::Absolute,
            expect![[r#"
            D4 1 -
            E5 1 0.0
        "#]],
        );
        check("", Measure::Winrate, Scale::Relative, expect![[""]]);
    }

    #[test]
    fn the_best_move_is_the_engines_not_the_heaviest() {
        let line = "info move D4 visits 90 winrate 0.4 order 1 info move E5 visits 45 winrate 0.6 order 0";
        // Weights 36 and 27: 27 * 8 / 36 = 6.
        check(
            line,
            Measure::Winrate,
            Scale::Relative,
            expect![[r#"
            D4 9 -20.0
            E5 7 0
        "#]],
        );
    }

    proptest! {
        #[test]
        fn strengths_stay_in_range_and_the_heaviest_has_nine(moves in proptest::collection::vec((0u64.., 0f64..1.0), 1..20)) {
            let line: String =
                moves.iter().map(|(visits, rate)| format!("info move D4 visits {visits} winrate {rate:.6} ")).collect();
            let report = parse_line(line.as_bytes(), Dialect::Kata, NINE);
            let marks = heatmap(&report, Measure::Winrate, Scale::Absolute);
            prop_assert_eq!(marks.len(), moves.len());
            prop_assert!(marks.iter().all(|mark| (1..=9).contains(&mark.strength)));
            let heavy = report.moves.iter().any(|info| info.visits > 0 && info.winrate > 0.0);
            prop_assert_eq!(marks.iter().any(|mark| mark.strength == 9), heavy);
        }
    }
}
