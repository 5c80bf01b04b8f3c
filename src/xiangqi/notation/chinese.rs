//! Chinese notation, written: four characters, simplified, Black's numbers in digits.

use super::coordinates::iccs;
use super::parts::parts;
use crate::xiangqi::{Move, Position};

/// The move in Chinese, in the position before it: `炮二平五`, `马8进7`, `前车退一`, `二兵平五`.
///
/// A move that Chinese cannot say, because nobody stands there or the piece never goes so, is written
/// as ICCS coordinates.
pub fn chinese(position: &Position, played: Move) -> String {
    parts(position, played).map_or_else(|| iccs(played), |parts| parts.to_string())
}

/// The moves of a line, each written at the position that the ones before it lead to.
pub fn chinese_line(start: &Position, line: &[Move]) -> Vec<String> {
    let mut at = start.clone();
    let mut texts = Vec::with_capacity(line.len());
    for &played in line {
        texts.push(chinese(&at, played));
        at = at.after(played);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Square;

    fn written(fen: &str, moves: &str) -> String {
        let position = Position::from_fen(fen).unwrap();
        let point = |text| Square::from_iccs(text).unwrap();
        let texts = moves.split(' ').map(|text| {
            let (from, to) = text.split_at(2);
            chinese(&position, Move::new(point(from), point(to)))
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn plain_moves() {
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for (turn, moves, want) in [
            (
                "w",
                "h2e2 h0g2 b0c2 i0i1 c3c4 d0e1 g0e2 e0e1",
                "炮二平五 马二进三 马八进七 车一进一 兵七进一 仕六进五 相三进五 帅五进一",
            ),
            (
                "b",
                "h7e7 h9g7 b9c7 i9i8 c6c5 d9e8 g9e7 e9e8",
                "炮8平5 马8进7 马2进3 车9进1 卒3进1 士4进5 象7进5 将5进1",
            ),
        ] {
            assert_eq!(written(&format!("{start} {turn}"), moves), want);
        }
        assert_eq!(written(&format!("{start} b"), "h2e2"), "炮二平五", "the side is the piece's own");
    }

    /// The worked example of 《中国象棋电脑应用规范(二) 着法表示》 for pawns on two files.
    #[test]
    fn two_doubled_files() {
        let fen = "4k4/3P1P3/4P4/3P1P3/9/9/9/9/9/4K4 w";
        assert_eq!(written(fen, "f8e8 f6e6 d8e8 d6e6 e7e8"), "一兵平五 二兵平五 三兵平五 四兵平五 兵五进一");
    }

    #[test]
    fn what_chinese_cannot_say() {
        let start = crate::xiangqi::START_FEN;
        assert_eq!(written(start, "e4e5 a0b1 b0b2 h2h2"), "e4e5 a0b1 b0b2 h2h2");
    }
}
