//! A board as an SVG image.

use std::fmt::Write;

use crate::xiangqi::{COLS, Move, Position, ROWS, Side, Square};

/// What there is to see at a node.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The pieces.
    pub position: Position,
    /// The move that led here.
    pub last: Option<Move>,
}

/// The distance of two lines, in user units; the border is as wide.
const STEP: usize = 24;

/// The image: an `<svg>` element of its own, Black at the top, with ICCS coordinates and the last move.
pub fn svg(scene: &Scene) -> String {
    let (right, bottom) = ((COLS + 1) * STEP, (ROWS + 1) * STEP);
    let mut image = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {right} {bottom}\" width=\"{right}\" \
         height=\"{bottom}\" font-family=\"serif\" font-size=\"15\" text-anchor=\"middle\"><rect \
         width=\"{right}\" height=\"{bottom}\" fill=\"#f0d9a8\"/><path d=\"{}\" stroke=\"#000\" fill=\"none\"/>",
        lines()
    );
    coordinates(&mut image);
    for square in scene.last.into_iter().flat_map(|played| [played.from, played.to]) {
        let (x, y) = (place(square.col()) - 11, place(square.row()) - 11);
        push(&mut image, format_args!("<path d=\"M{x} {y}h22v22h-22z\" fill=\"none\" stroke=\"#06c\"/>"));
    }
    for square in Square::all() {
        let Some(piece) = scene.position.piece_at(square) else { continue };
        let (x, y) = (place(square.col()), place(square.row()));
        let ink = if piece.side == Side::Red { "#c00" } else { "#000" };
        push(
            &mut image,
            format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"#fff8e8\" stroke=\"{ink}\"/><text x=\"{x}\" \
                 y=\"{}\" fill=\"{ink}\">{}</text>",
                y + 5,
                piece.name_zh()
            ),
        );
    }
    image.push_str("</svg>");
    image
}

fn push(image: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = image.write_fmt(piece);
}

const fn place(line: usize) -> usize {
    (line + 1) * STEP
}

/// Ranks, files that stop at the river, and the palaces.
fn lines() -> String {
    let mut path = String::new();
    let (left, right, top, bottom) = (place(0), place(COLS - 1), place(0), place(ROWS - 1));
    for row in 0..ROWS {
        push(&mut path, format_args!("M{left} {}H{right}", place(row)));
    }
    let (north, south) = (place(ROWS / 2 - 1), place(ROWS / 2));
    for col in 0..COLS {
        let x = place(col);
        match col == 0 || col == COLS - 1 {
            true => push(&mut path, format_args!("M{x} {top}V{bottom}")),
            false => push(&mut path, format_args!("M{x} {top}V{north}M{x} {south}V{bottom}")),
        }
    }
    let wide = 2 * STEP;
    for y in [top, bottom - wide] {
        push(&mut path, format_args!("M{} {y}l{wide} {wide}m0-{wide}l-{wide} {wide}", place(3)));
    }
    path
}

fn coordinates(image: &mut String) {
    image.push_str("<g font-size=\"9\" font-family=\"sans-serif\">");
    for col in 0..COLS {
        let letter = Square::at(0, col).map_or(' ', Square::file_letter);
        push(image, format_args!("<text x=\"{}\" y=\"{}\">{letter}</text>", place(col), place(ROWS) - 4));
    }
    for row in 0..ROWS {
        push(image, format_args!("<text x=\"6\" y=\"{}\">{}</text>", place(row) + 3, ROWS - 1 - row));
    }
    image.push_str("</g>");
}
