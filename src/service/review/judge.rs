//! What is known of positions turned into judgements of moves: what each lost, what was better, and how
//! bad that is. Pure.

use super::found::Loss;
use super::row::LossUnit;
use crate::go::Color;
use crate::go::{Move, Vertex};
use crate::language;
use crate::service::settings::Blunders;
use crate::service::writeback::Value;
use crate::sgf::{self, Code, NodeId, Record};

/// How bad a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It loses a little.
    Inaccuracy,
    /// It loses much.
    Mistake,
    /// It loses very much.
    Blunder,
}

impl Class {
    /// All, from the least bad.
    pub const ALL: [Class; 3] = [Class::Inaccuracy, Class::Mistake, Class::Blunder];

    /// The worst class that a loss reaches.
    pub fn of(loss: Loss, settings: &Blunders) -> Option<Class> {
        let steps = match loss.unit {
            LossUnit::Points => settings.points,
            LossUnit::Percent => settings.percent,
        };
        let reached =
            Class::ALL.into_iter().zip(steps).filter(|(_, step)| loss.amount >= *step && loss.amount > 0.0);
        reached.map(|(class, _)| class).next_back()
    }

    /// The finding that it makes.
    pub fn code(self) -> Code {
        match self {
            Class::Inaccuracy => Code::Inaccuracy,
            Class::Mistake => Code::Mistake,
            Class::Blunder => Code::Blunder,
        }
    }
}

/// What is known of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its value.
    pub value: Value,
    /// What the engine would play, and how it would go on; empty when that is not known.
    pub line: Vec<Vertex>,
    /// The review that it comes from: values of two reviews are not compared.
    pub review: u64,
}

impl Known {
    /// What stands in the record itself.
    pub fn stored(record: &Record, node: NodeId) -> Option<Known> {
        let found = language::analysis(record, node)?;
        let value = Value::new(Color::Black, found.winrate?, found.lead);
        Some(Known { value, line: found.line, review: 0 })
    }
}

/// A move that was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Its node.
    pub node: NodeId,
    /// The node before it.
    pub before: NodeId,
    /// The move.
    pub played: Move,
    /// What it lost: points where they are known, else percent.
    pub loss: Loss,
    /// What it lost in percent of win rate.
    pub winrate_loss: f64,
    /// What the engine would have played for the same side, and how it goes on; empty when that is not
    /// known.
    pub line: Vec<Vertex>,
}

impl Judged {
    /// Whether it was the engine's choice; `None` when that is not known.
    pub fn is_best(&self) -> Option<bool> {
        self.line.first().map(|best| *best == self.played.vertex)
    }

    /// How bad it is. The engine's own choice is never bad, whatever is thought of it afterwards.
    pub fn class(&self, settings: &Blunders) -> Option<Class> {
        if self.is_best() == Some(true) { None } else { Class::of(self.loss, settings) }
    }
}

/// Judges the move that stands in a node, by what is known of it and of the node before it.
pub fn judge<K: AsRef<Known>>(
    record: &Record,
    node: NodeId,
    known: impl Fn(NodeId) -> Option<K>,
) -> Option<Judged> {
    let before = record.parent(node)?;
    let played = sgf::own_move(record, node)?;
    let (from, to) = (known(before)?, known(node)?);
    let (from, to) = (from.as_ref(), to.as_ref());
    if from.review != to.review {
        return None;
    }
    // The engine spoke for whose turn the record says it was.
    let same_side = sgf::turn(record, before, None).0 == played.color;
    Some(Judged {
        node,
        before,
        played,
        loss: Loss::between(from.value, to.value, played.color),
        winrate_loss: from.value.for_color(played.color).winrate - to.value.for_color(played.color).winrate,
        line: if same_side { from.line.clone() } else { Vec::new() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn loss(amount: f64, unit: LossUnit) -> Loss {
        Loss { amount, unit }
    }

    #[test]
    fn classes_begin_at_their_steps() {
        let settings = Blunders::default();
        let of = |amount, unit| Class::of(loss(amount, unit), &settings);
        for (amount, expected) in [
            (-3.0, None),
            (1.99, None),
            (2.0, Some(Class::Inaccuracy)),
            (3.99, Some(Class::Inaccuracy)),
            (4.0, Some(Class::Mistake)),
            (8.0, Some(Class::Blunder)),
            (400.0, Some(Class::Blunder)),
        ] {
            assert_eq!(of(amount, LossUnit::Points), expected, "{amount} points");
        }
        assert_eq!(of(8.0, LossUnit::Percent), Some(Class::Inaccuracy));
        assert_eq!(of(20.0, LossUnit::Percent), Some(Class::Blunder));
        let all = Blunders { points: [0.0; 3], ..settings };
        assert_eq!(Class::of(loss(0.0, LossUnit::Points), &all), None, "what loses nothing is never bad");
    }

    /// A loss that reads as the bound has reached it.
    #[test]
    fn what_is_shown_is_what_is_judged() {
        let settings = Blunders::default();
        for (from, to, shown, expected) in [
            (2.0, 0.000_03, 2.0, Some(Class::Inaccuracy)),
            (2.0, 0.000_06, 1.9999, None),
            (4.1, 0.100_000_1, 4.0, Some(Class::Mistake)),
            (0.3, 0.1, 0.2, None),
        ] {
            let of = |lead| Value::new(Color::Black, 50.0, Some(lead));
            let found = Loss::between(of(from), of(to), Color::Black);
            assert_eq!(found, loss(shown, LossUnit::Points));
            assert_eq!(Class::of(found, &settings), expected, "{from} - {to}");
        }
    }

    #[test]
    fn stored_values_judge_a_move() {
        // White goes from 50 to 30 percent, and from 1 point ahead to 4 behind.
        let text = "(;SZ[9]SBKV[50]SBKS[0];B[aa]SBKV[50]SBKS[-1]KFCA[bb 9 50 -1 cc];W[dd]SBKV[70]SBKS[4];B[ee]SBKV[60])";
        let record = Record::parse(text);
        let known = |node| Known::stored(&record, node).map(Arc::new);
        let judged = judge(&record, NodeId(2), known).unwrap();
        assert_eq!(judged.loss, loss(5.0, LossUnit::Points));
        assert_eq!((judged.winrate_loss, judged.is_best()), (20.0, Some(false)));
        assert_eq!(judged.class(&Blunders::default()), Some(Class::Mistake));
        // Only percent on one side; nothing is known of the choice.
        let judged = judge(&record, NodeId(3), known).unwrap();
        assert_eq!((judged.loss, judged.is_best()), (loss(10.0, LossUnit::Percent), None));
        assert_eq!(judge(&record, NodeId(0), known), None);
        // Another review, another scale.
        let known = |node: NodeId| {
            Known::stored(&record, node).map(|known| Arc::new(Known { review: node.0.into(), ..known }))
        };
        assert_eq!(judge(&record, NodeId(2), known), None);
    }
}
