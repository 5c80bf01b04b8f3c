//! A board as an SVG image.

use std::fmt::Write;

use crate::go::{Color, Point, Vertex};

use super::scene::{Scene, is_star};

/// The distance of two lines, in user units; the border before the first line is as wide.
const STEP: u32 = 20;

/// The image: an `<svg>` element of its own, with coordinates, last move, ko and markup.
pub fn svg(scene: &Scene) -> String {
    let size = scene.board.size();
    let (width, height) = (u32::from(size.width()), u32::from(size.height()));
    let (right, bottom) = ((width + 1) * STEP, (height + 1) * STEP);
    let mut image = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right} {bottom}\" width=\"{right}\" height=\"{bottom}\" \
         font-family=\"sans-serif\" font-size=\"9\" text-anchor=\"middle\"><rect width=\"{right}\" height=\"{bottom}\" \
         fill=\"#dcb35c\"/><path d=\""
    );
    for row in 1..=height {
        push(&mut image, format_args!("M{STEP} {}H{}", row * STEP, width * STEP));
    }
    for col in 1..=width {
        push(&mut image, format_args!("M{} {STEP}V{}", col * STEP, height * STEP));
    }
    image.push_str("\" stroke=\"#000\" fill=\"none\"/>");
    coordinates(&mut image, scene);
    for point in size.points() {
        let (x, y) = place(point);
        match scene.board.at(point) {
            Some(color) => {
                let fill = if color == Color::Black { "#000" } else { "#fff" };
                push(
                    &mut image,
                    format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" fill=\"{fill}\" stroke=\"#000\"/>"),
                );
            }
            None if is_star(size, point) => {
                push(&mut image, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"2\"/>"));
            }
            None => {}
        }
    }
    marks(&mut image, scene);
    image.push_str("</svg>");
    image
}

fn push(image: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = image.write_fmt(piece);
}

fn place(point: Point) -> (u32, u32) {
    ((u32::from(point.col) + 1) * STEP, (u32::from(point.row) + 1) * STEP)
}

fn coordinates(image: &mut String, scene: &Scene) {
    let size = scene.board.size();
    for col in 0..size.width() {
        let name = Vertex::At(Point::new(col, 0)).spell(size);
        let letters = name.as_str().trim_end_matches(|letter: char| letter.is_ascii_digit());
        let (x, _) = place(Point::new(col, 0));
        push(image, format_args!("<text x=\"{x}\" y=\"9\">{letters}</text>"));
    }
    for row in 0..size.height() {
        let (_, y) = place(Point::new(0, row));
        push(image, format_args!("<text x=\"6\" y=\"{}\">{}</text>", y + 3, size.height() - row));
    }
}

fn marks(image: &mut String, scene: &Scene) {
    let ink = |point| {
        if scene.board.at(point) == Some(Color::Black) { "#fff" } else { "#000" }
    };
    let markup = &scene.markup;
    if let Some(point) = scene.last {
        let (x, y) = place(point);
        push(
            image,
            format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"none\" stroke=\"{}\"/>", ink(point)),
        );
    }
    let mut shape = |point: Point, path: &str| {
        let (x, y) = place(point);
        push(
            image,
            format_args!(
                "<path d=\"M{x} {y}{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>",
                ink(point)
            ),
        );
    };
    let ko: Vec<Point> = scene.board.ko().into_iter().collect();
    let squares = markup.squares.iter().chain(&ko);
    squares.for_each(|point| shape(*point, "m-5-5h10v10h-10z"));
    markup.triangles.iter().for_each(|point| shape(*point, "m0-6l5 9h-10z"));
    markup.circles.iter().for_each(|point| shape(*point, "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0"));
    markup.crosses.iter().for_each(|point| shape(*point, "m-5-5l10 10m0-10l-10 10"));
    for (from, to) in markup.lines.iter().chain(&markup.arrows) {
        let ((x, y), (to_x, to_y)) = (place(*from), place(*to));
        push(image, format_args!("<path d=\"M{x} {y}L{to_x} {to_y}\" stroke=\"#c00\" stroke-width=\"2\"/>"));
    }
    for (_, to) in &markup.arrows {
        let (x, y) = place(*to);
        push(image, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"#c00\"/>"));
    }
    for (point, label) in &markup.labels {
        let (x, y) = place(*point);
        if scene.board.at(*point).is_none() {
            push(image, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"7\" fill=\"#dcb35c\"/>"));
        }
        let label: String = label.chars().take(LABEL).map(escape).collect();
        push(
            image,
            format_args!(
                "<text x=\"{x}\" y=\"{}\" font-size=\"11\" fill=\"{}\">{label}</text>",
                y + 4,
                ink(*point)
            ),
        );
    }
}

/// Characters of a label that fit beside others.
const LABEL: usize = 4;

/// A character as XML text has it; what XML does not allow becomes a question mark.
fn escape(letter: char) -> String {
    match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => "?".to_owned(),
        letter => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::super::scene::scene;
    use super::*;
    use crate::sgf::{NodeId, Record};

    fn image(text: &str) -> String {
        let record = Record::parse(text);
        let last = NodeId(record.node_count() as u32 - 1);
        svg(&scene(&record, last).unwrap())
    }

    #[test]
    fn a_small_board() {
        let shown = image("(;SZ[2];B[aa]LB[ba:<1])").replace("><", ">\n<");
        expect![[r##"
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60" width="60" height="60" font-family="sans-serif" font-size="9" text-anchor="middle">
            <rect width="60" height="60" fill="#dcb35c"/>
            <path d="M20 20H40M20 40H40M20 20V40M40 20V40" stroke="#000" fill="none"/>
            <text x="20" y="9">A</text>
            <text x="40" y="9">B</text>
            <text x="6" y="23">2</text>
            <text x="6" y="43">1</text>
            <circle cx="20" cy="20" r="9" fill="#000" stroke="#000"/>
            <circle cx="20" cy="20" r="4" fill="none" stroke="#fff"/>
            <circle cx="40" cy="20" r="7" fill="#dcb35c"/>
            <text x="40" y="24" font-size="11" fill="#000">&lt;1</text>
            </svg>"##]]
        .assert_eq(&shown);
    }

    /// Whether every element is closed in order and every attribute quoted.
    fn is_well_formed(image: &str) -> bool {
        let mut open = Vec::new();
        let mut rest = image;
        while let Some(at) = rest.find('<') {
            let Some(end) = rest[at..].find('>') else {
                return false;
            };
            let tag = &rest[at + 1..at + end];
            rest = &rest[at + end + 1..];
            if tag.matches('"').count() % 2 == 1 || tag.contains('<') {
                return false;
            }
            match (tag.strip_prefix('/'), tag.ends_with('/')) {
                (Some(name), _) => {
                    if open.pop() != Some(name) {
                        return false;
                    }
                }
                (None, true) => {}
                (None, false) => open.push(tag.split(' ').next().unwrap_or_default()),
            }
        }
        open.is_empty()
    }

    proptest! {
        #[test]
        fn any_markup_gives_a_well_formed_image(label in any::<String>(), width in 1u8..53, height in 1u8..53) {
            let label = crate::sgf::value::escape(&label);
            let marks = "TR[aa]SQ[aa]CR[aa]MA[aa]AR[aa:aa]LN[aa:aa]";
            let shown = image(&format!("(;SZ[{width}:{height}];B[aa]{marks}LB[aa:{label}])"));
            prop_assert!(is_well_formed(&shown), "{shown}");
            prop_assert!(shown.matches('&').count() == shown.matches("&lt;").count() + shown.matches("&gt;").count() + shown.matches("&amp;").count());
        }
    }
}
