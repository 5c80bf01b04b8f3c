//! A board as text.

use crate::go::{Color, Point, Vertex};

use super::scene::{Scene, is_star};

/// The board with its coordinates, for a typeface of equal widths: `X` Black, `O` White, `+`
/// handicap point, `#` where ko forbids to retake; the last move stands in parentheses.
pub fn picture(scene: &Scene) -> String {
    let size = scene.board.size();
    let width = if size.width() > 25 { 2 } else { 1 };
    let mut text = String::with_capacity((size.area() + 100) * (width + 1));
    let columns = header(scene, width);
    text.push_str(&columns);
    for row in 0..size.height() {
        let number = size.height() - row;
        text.push_str(&format!("\n{number:>2}"));
        let mut before = ' ';
        for col in 0..size.width() {
            let point = Point::new(col, row);
            let is_last = scene.last == Some(point);
            let sign = sign(scene, point);
            text.push(if is_last { '(' } else { before });
            (1..width).for_each(|_| text.push(' '));
            text.push(sign);
            before = if is_last { ')' } else { ' ' };
        }
        text.push(before);
        text.push_str(&number.to_string());
    }
    text.push('\n');
    text.push_str(&columns);
    text
}

fn header(scene: &Scene, width: usize) -> String {
    let size = scene.board.size();
    let mut line = String::from("  ");
    for col in 0..size.width() {
        let name = Vertex::At(Point::new(col, 0)).spell(size);
        let letters = name.as_str().trim_end_matches(|letter: char| letter.is_ascii_digit());
        line.push_str(&format!(" {letters:>width$}"));
    }
    line
}

fn sign(scene: &Scene, point: Point) -> char {
    match scene.board.at(point) {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None if scene.board.ko() == Some(point) => '#',
        None if is_star(scene.board.size(), point) => '+',
        None => '.',
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::scene::scene;
    use super::*;
    use crate::sgf::{NodeId, Record};

    fn check(text: &str, node: u32, expected: Expect) {
        let record = Record::parse(text);
        let shown = picture(&scene(&record, NodeId(node)).unwrap());
        // The border keeps the first column from being taken for indentation.
        expected.assert_eq(&shown.lines().map(|line| format!("|{line}\n")).collect::<String>());
    }

    #[test]
    fn a_ko() {
        check(
            "(;SZ[5]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb])",
            1,
            expect![[r#"
                |   A B C D E
                | 5 . X O . . 5
                | 4 X #(X)O . 4
                | 3 . X O . . 3
                | 2 . . . . . 2
                | 1 . . . . . 1
                |   A B C D E
            "#]],
        );
    }

    #[test]
    fn sizes_and_handicap_points() {
        check(
            "(;SZ[9];B[aa];W[ii])",
            2,
            expect![[r#"
                |   A B C D E F G H J
                | 9 X . . . . . . . . 9
                | 8 . . . . . . . . . 8
                | 7 . . + . . . + . . 7
                | 6 . . . . . . . . . 6
                | 5 . . . . + . . . . 5
                | 4 . . . . . . . . . 4
                | 3 . . + . . . + . . 3
                | 2 . . . . . . . . . 2
                | 1 . . . . . . . .(O)1
                |   A B C D E F G H J
            "#]],
        );
        check(
            "(;SZ[27:2]AB[aa]AW[Aa])",
            0,
            expect![[r#"
                |    A  B  C  D  E  F  G  H  J  K  L  M  N  O  P  Q  R  S  T  U  V  W  X  Y  Z AA AB
                | 2  X  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  O 2
                | 1  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  . 1
                |    A  B  C  D  E  F  G  H  J  K  L  M  N  O  P  Q  R  S  T  U  V  W  X  Y  Z AA AB
            "#]],
        );
        let stars = |side| {
            let size = crate::go::Size::square(side).unwrap();
            size.points().filter(|point| is_star(size, *point)).count()
        };
        assert_eq!([5, 7, 8, 9, 13, 14, 19].map(stars), [0, 4, 4, 5, 9, 4, 9]);
    }
}
