//! The board as plain text.

use super::notation::numerals::file_number_text;
use super::piece::Side;
use super::rules::{self, Grid};
use super::square::{COLS, ROWS, Square};
use crate::locale::Locale;

/// What the signs of [`render`] mean, in Chinese.
pub const BOARD_LEGEND: &str = "\
大写是红方，小写是黑方：K 帅 k 将，A 仕 a 士，B 相 b 象，N n 马，R r 车，C c 炮，P 兵 p 卒；. 是空点，+ 是九宫里的空点
上边 1 到 9 是黑方的路数，下边九到一是红方的路数，都从各自的右手边数起；ICCS 坐标是下边的字母加左边的数字";

/// What the signs of [`render`] mean, in English.
pub const BOARD_LEGEND_EN: &str = "\
capitals are Red, small letters Black: K king, A advisor, B elephant, N horse, R rook, C cannon, P pawn; . is an empty point, + one in a palace
files 1 to 9 above are Black's, 九 (9) to 一 (1) below Red's, each counted from its own right; ICCS is the letter below and the digit at the left";

/// The legend in a language.
pub const fn legend(language: Locale) -> &'static str {
    match language {
        Locale::Chinese => BOARD_LEGEND,
        Locale::English => BOARD_LEGEND_EN,
    }
}

/// Draws a board, Black at the top, a line a row, with the files of both sides, the river and the
/// letters and digits of ICCS. The numerals and the name of the river are two columns wide, as
/// Chinese characters are; everything else is ASCII. Each line ends with a line feed.
pub fn render(board: &Grid) -> String {
    let mut text = files(|square| file_number_text(square.col(), Side::Black).to_owned());
    for row in 0..ROWS {
        if row == ROWS / 2 {
            text.push_str("   ~~~~~~~ 楚河 汉界 ~~~~~~~\n");
        }
        let rank = (ROWS - 1 - row).to_string();
        text.push_str(&line(&rank, 2, |col| sign(board, Square::at(row, col))));
    }
    text.push_str(&line("", 1, |col| file_number_text(col, Side::Red).to_owned()));
    text.push_str(&files(|square| square.file_letter().to_string()));
    text
}

/// A line of names of the files, each a column wide.
fn files(name: impl Fn(Square) -> String) -> String {
    line("", 2, |col| Square::at(0, col).map(&name).unwrap_or_default())
}

/// A line: what stands at the left, then nine cells with so many spaces between.
fn line(left: &str, spaces: usize, cell: impl Fn(usize) -> String) -> String {
    let cells: Vec<String> = (0..COLS).map(cell).collect();
    format!("{left:<3}{}\n", cells.join(&" ".repeat(spaces)))
}

fn sign(board: &Grid, square: Option<Square>) -> String {
    let Some(square) = square else { return String::new() };
    let empty = if Side::ALL.iter().any(|&side| square.in_palace(side)) { '+' } else { '.' };
    rules::at(board, square).map_or(empty, |piece| piece.to_fen_char()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::{Kind, Piece, Position};
    use expect_test::expect;

    #[test]
    fn the_start() {
        expect![[r#"
               1  2  3  4  5  6  7  8  9
            9  r  n  b  a  k  a  b  n  r
            8  .  .  .  +  +  +  .  .  .
            7  .  c  .  +  +  +  .  c  .
            6  p  .  p  .  p  .  p  .  p
            5  .  .  .  .  .  .  .  .  .
               ~~~~~~~ 楚河 汉界 ~~~~~~~
            4  .  .  .  .  .  .  .  .  .
            3  P  .  P  .  P  .  P  .  P
            2  .  C  .  +  +  +  .  C  .
            1  .  .  .  +  +  +  .  .  .
            0  R  N  B  A  K  A  B  N  R
               九 八 七 六 五 四 三 二 一
               a  b  c  d  e  f  g  h  i
        "#]]
        .assert_eq(&render(Position::start().board()));
    }

    #[test]
    fn every_letter_is_in_the_legends() {
        for side in Side::ALL {
            for kind in Kind::ALL {
                let piece = Piece::new(side, kind);
                assert!(BOARD_LEGEND.contains(piece.to_fen_char()) && BOARD_LEGEND.contains(piece.name_zh()));
                assert!(BOARD_LEGEND_EN.contains(&format!("{} {}", kind.to_fen_char(), kind.name())));
            }
        }
    }
}
