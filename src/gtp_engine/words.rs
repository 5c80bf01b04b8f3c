//! Words and pictures of the protocol.

use crate::go::{Board, Color, Point, Vertex};

/// GTP's preprocessing: a tab is a space, other control characters are not there.
pub fn printable(char: char) -> Option<char> {
    match char {
        '\t' => Some(' '),
        char if char.is_control() => None,
        char => Some(char),
    }
}

/// Whether a word is a command's number.
pub fn is_id(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        && word.parse::<u32>().is_ok_and(|id| id <= i32::MAX as u32)
}

/// So many finite numbers.
pub fn numbers<const N: usize>(args: &[&str]) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = args.iter().map(|text| text.parse().ok()).collect();
    numbers?.try_into().ok().filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()))
}

/// The board as a picture, the columns' letters below.
pub fn showboard(board: &Board) -> String {
    let size = board.size();
    let mut text = String::new();
    for row in 0..size.height() {
        text.push_str(&format!("\n{:2}", size.height() - row));
        for col in 0..size.width() {
            text.push_str(match board.at(Point::new(col, row)) {
                Some(Color::Black) => " X",
                Some(Color::White) => " O",
                None => " .",
            });
        }
    }
    text.push_str("\n  ");
    for col in 0..size.width() {
        let vertex = Vertex::At(Point::new(col, size.height() - 1)).to_gtp(size);
        text.push(' ');
        text.extend(vertex.chars().filter(char::is_ascii_alphabetic));
    }
    text
}
