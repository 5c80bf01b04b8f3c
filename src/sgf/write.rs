//! A new record from a position: what a game that belongs to no document is written into.

use super::value::two_decimals;
use super::{NewProperty, NewValue};
use crate::go::{Color, Move, Point, Position, Step, Stones};

/// The record of a position, ready to grow: a game tree without its closing parenthesis. The root says
/// size, komi, rules and what `info` adds; moves and set-up follow in game order.
pub fn open_record(position: &Position, info: &[NewProperty<'_>]) -> String {
    let size = position.size;
    let sides = match size.is_square() {
        true => size.width().to_string(),
        false => format!("{}:{}", size.width(), size.height()),
    };
    let mut text = format!("(;GM[1]FF[4]CA[UTF-8]SZ[{sides}]");
    if let Some(komi) = position.komi.and_then(two_decimals) {
        text = text + "KM[" + &komi + "]";
    }
    if let Some(rules) = &position.rules {
        text = text + "RU[" + NewValue::text(rules).as_raw() + "]";
    }
    info.iter().for_each(|property| write_property(&mut text, *property));
    let mut next = Color::Black;
    for (index, step) in position.steps.iter().enumerate() {
        match step {
            Step::Setup(stones) => {
                text.push_str(if index == 0 { "" } else { "\n;" });
                write_setup(&mut text, stones);
            }
            Step::Play(play) => {
                text.push_str(&new_node(*play, &[]));
                next = play.color.opponent();
            }
        }
    }
    if next != position.to_play {
        text = text + "PL[" + position.to_play.letter() + "]";
    }
    text
}

/// A node of a new record: a line break, the move, further properties.
pub fn new_node(play: Move, more: &[NewProperty<'_>]) -> String {
    let mut text = String::from("\n;");
    if let Some(vertex) = NewValue::vertex(play.vertex) {
        write_property(&mut text, (play.color.letter(), &[vertex]));
    }
    more.iter().for_each(|property| write_property(&mut text, *property));
    text
}

fn write_property(text: &mut String, (name, values): NewProperty<'_>) {
    text.push_str(name);
    for value in values {
        text.extend(["[", value.as_raw(), "]"]);
    }
}

fn write_setup(text: &mut String, stones: &Stones) {
    for (name, wanted) in [("AB", Some(Color::Black)), ("AW", Some(Color::White)), ("AE", None)] {
        let points = stones.iter().filter(|(_, stone)| *stone == wanted);
        let points: Vec<NewValue> =
            points.filter_map(|(point, _): &(Point, _)| NewValue::point(*point)).collect();
        if !points.is_empty() {
            write_property(text, (name, &points));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Size, Vertex};
    use crate::sgf::{self, NodeId, Record};

    #[test]
    fn a_position_survives_its_record() {
        let size = Size::new(9, 7).unwrap();
        let at = |col, row| Point::new(col, row);
        let play = |color, vertex| Step::Play(Move { color, vertex });
        let position = Position {
            komi: Some(6.5),
            rules: Some("Japan[ese]".into()),
            steps: vec![
                Step::Setup(vec![(at(2, 2), Some(Color::Black)), (at(6, 2), Some(Color::Black))]),
                play(Color::White, Vertex::At(at(4, 4))),
                play(Color::Black, Vertex::Pass),
                Step::Setup(vec![(at(4, 4), None), (at(0, 0), Some(Color::White))]),
            ],
            to_play: Color::Black,
            ..Position::new(size)
        };
        let text = open_record(&position, &[("PB", &[NewValue::text("GNU Go")])]) + ")";
        assert_eq!(
            text,
            "(;GM[1]FF[4]CA[UTF-8]SZ[9:7]KM[6.5]RU[Japan[ese\\]]PB[GNU Go]AB[cc][gc]\n;W[ee]\n;B[]\n;AW[aa]AE[ee]PL[B])"
        );
        let record = Record::parse(text);
        assert_eq!(record.findings(), []);
        let read = sgf::position(&record, NodeId(3)).unwrap().position;
        assert_eq!(
            (read.board(), read.to_play, read.komi, read.rules),
            (position.board(), position.to_play, position.komi, position.rules)
        );
    }
}
