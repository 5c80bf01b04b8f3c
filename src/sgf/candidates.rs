//! `KFCA`: the moves that an engine thought of at a node, stored in the record beside SBKV and SBKS.
//!
//! One value a move, the engine's first choice first:
//!
//! ```text
//! KFCA[fc 420 53.2 1.5 fg pass df][dd 31 49.87 -0.5]
//! ```
//!
//! Words between single spaces: the move; its visits; Black's win rate in percent after it; Black's
//! lead in points, `-` where the engine tells none; then how the line goes on behind the move, by
//! turns. Points are written as in `B` and `W`, a pass is `pass`. Numbers have at most two decimals.
//! No character that has to be escaped is ever written.
//!
//! At most [`MAX_CANDIDATES`] moves are written and read, each with a line of at most [`MAX_LINE`]
//! moves. A value that cannot be read is left out; a line ends before the first word that is no point.

use super::{NewValue, NodeId, Record, value};
use crate::go::{Size, Vertex};

/// The property's name.
pub const CANDIDATES: &str = "KFCA";

/// The most moves of one node.
pub const MAX_CANDIDATES: usize = 20;

/// The most moves of a line, the candidate itself counted.
pub const MAX_LINE: usize = 12;

/// More bytes of a value are not read.
const LONGEST: usize = 512;

/// One move that an engine thought of.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The move.
    pub vertex: Vertex,
    /// Visits or playouts that were spent on it.
    pub visits: u64,
    /// Black's win rate after it, percent.
    pub winrate: f64,
    /// Black's lead after it, points.
    pub lead: Option<f64>,
    /// How the engine thinks the game goes on; begins with the move itself.
    pub line: Vec<Vertex>,
}

impl Candidate {
    /// As one value; `None` for points and numbers that cannot be written.
    pub fn written(&self) -> Option<NewValue> {
        let lead = match self.lead {
            Some(lead) => value::two_decimals(lead)?,
            None => "-".to_owned(),
        };
        let winrate = value::two_decimals(self.winrate)?;
        let mut text = format!("{} {} {winrate} {lead}", word(self.vertex)?, self.visits);
        for vertex in self.line.iter().skip(1).take(MAX_LINE - 1) {
            text.push(' ');
            text.push_str(&word(*vertex)?);
        }
        NewValue::raw(&text).ok()
    }

    /// Reads one value, for a board of this size.
    pub fn read(raw: &str, size: Size) -> Option<Candidate> {
        if raw.len() > LONGEST {
            return None;
        }
        let mut words = raw.split_ascii_whitespace();
        let vertex = vertex(words.next()?, size)?;
        let visits = words.next()?.parse().ok()?;
        let winrate = number(words.next()?).filter(|rate| (0.0..=100.0).contains(rate))?;
        let lead = match words.next()? {
            "-" => None,
            lead => Some(number(lead)?),
        };
        let rest = words.map_while(|word| self::vertex(word, size)).take(MAX_LINE - 1);
        Some(Candidate { vertex, visits, winrate, lead, line: std::iter::once(vertex).chain(rest).collect() })
    }
}

/// The values for a node, for a property that is to be written; moves that cannot be written are left out.
pub fn candidate_values(candidates: &[Candidate]) -> Vec<NewValue> {
    candidates.iter().take(MAX_CANDIDATES).filter_map(Candidate::written).collect()
}

/// The moves that are stored in a node, each once.
pub fn stored_candidates(record: &Record, node: NodeId) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut values = record.values_of(node, CANDIDATES).take(MAX_CANDIDATES).peekable();
    if values.peek().is_none() {
        return found;
    }
    let size = record.size(node);
    for value in values {
        let read = Candidate::read(value.raw(), size);
        found.extend(read.filter(|read| found.iter().all(|known| known.vertex != read.vertex)));
    }
    found
}

fn word(vertex: Vertex) -> Option<String> {
    match vertex {
        Vertex::Pass => Some("pass".to_owned()),
        Vertex::At(point) => value::point_text(point),
    }
}

fn vertex(word: &str, size: Size) -> Option<Vertex> {
    match word {
        "pass" => Some(Vertex::Pass),
        _ => value::point(word, size).ok().map(Vertex::At),
    }
}

fn number(word: &str) -> Option<f64> {
    word.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{apply_edits, set_property};
    use super::*;
    use crate::go::Point;

    fn at(col: u8, row: u8) -> Vertex {
        Vertex::At(Point::new(col, row))
    }

    #[test]
    fn as_it_stands_in_the_record() {
        let first = Candidate {
            vertex: at(5, 2),
            visits: 420,
            winrate: 53.2,
            lead: Some(1.5),
            line: vec![at(5, 2), at(5, 6), Vertex::Pass, at(3, 5)],
        };
        let second = Candidate {
            vertex: Vertex::Pass,
            visits: 0,
            winrate: 49.874,
            lead: None,
            line: vec![Vertex::Pass],
        };
        let record = Record::parse("(;SZ[9];B[aa])");
        let values = candidate_values(&[first.clone(), second.clone()]);
        let text =
            apply_edits(record.text(), &set_property(&record, NodeId(1), CANDIDATES, &values).unwrap());
        assert_eq!(text, "(;SZ[9];B[aa]KFCA[fc 420 53.2 1.5 fg pass df][pass 0 49.87 -])");
        let read = stored_candidates(&Record::parse(text), NodeId(1));
        assert_eq!(read, [first, Candidate { winrate: 49.87, ..second }]);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let cases = [
            ("KFCA[aa 1 50 0]", 1),
            ("KFCA[aa 1 50 0][bb 1 50 -]", 2),
            ("KFCA[aa  1\n50 0 zz bb]", 1),
            ("KFCA[aa 1 50 0][aa 2 50 0]", 1),
            ("KFCA[][aa][aa 1][aa 1 50][zz 1 50 0][aa -1 50 0][aa 1 101 0][aa 1 NaN 0][aa 1 50 inf]", 0),
        ];
        for (property, count) in cases {
            let record = Record::parse(format!("(;SZ[9]{property})"));
            assert_eq!(stored_candidates(&record, NodeId(0)).len(), count, "{property}");
        }
        let long = format!("(;SZ[9]KFCA{})", "[aa 1 50 0]".repeat(3) + &"[bb 1 50 0]".repeat(40));
        assert_eq!(stored_candidates(&Record::parse(long), NodeId(0)).len(), 2);
        let size = Size::square(9).unwrap();
        let line = format!("aa 1 50 0{}", " bb cc".repeat(30));
        assert_eq!(Candidate::read(&line, size).unwrap().line.len(), MAX_LINE);
        assert_eq!(Candidate::read(&format!("aa 1 50 0{}", " bb cc".repeat(300)), size), None);
    }

    fn vertices(size: u8) -> impl Strategy<Value = Vertex> {
        prop_oneof![1 => Just(Vertex::Pass), 9 => (0..size, 0..size).prop_map(|(col, row)| at(col, row))]
    }

    /// Numbers with two decimals, as they are written.
    fn hundredths(number: i32) -> f64 {
        f64::from(number) / 100.0
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            (size, vertex, rest) in (1u8..=52).prop_flat_map(|size| {
                (Just(size), vertices(size), proptest::collection::vec(vertices(size), 0..MAX_LINE))
            }),
            visits: u64, rate in 0..=10_000i32, lead in proptest::option::of(-300_000..300_000i32),
        ) {
            let line: Vec<Vertex> = std::iter::once(vertex).chain(rest).collect();
            let candidate =
                Candidate { vertex, visits, winrate: hundredths(rate), lead: lead.map(hundredths), line };
            let written = candidate.written().unwrap();
            prop_assert!(written.as_raw().len() <= LONGEST && !written.as_raw().contains([']', '\\', ':']));
            prop_assert_eq!(Candidate::read(written.as_raw(), Size::square(size).unwrap()), Some(candidate));
        }

        #[test]
        fn any_text_is_read(text in "(aa|pass|tt|[0-9.]{1,4}|-| |\n|\\PC){0,20}") {
            let read = Candidate::read(&text, Size::square(9).unwrap());
            prop_assert!(read.is_none_or(|read| read.written().is_some()));
        }
    }
}
