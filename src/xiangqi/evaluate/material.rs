//! Who has how many pieces of what.

use super::Note;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::position::Position;
use crate::xiangqi::rules::Grid;
use crate::xiangqi::values::base_value;
use crate::xiangqi::words;

/// The kinds that are counted, the strongest first. Kings cannot differ.
const COUNTED: [Kind; 6] = [Kind::Rook, Kind::Cannon, Kind::Horse, Kind::Advisor, Kind::Elephant, Kind::Pawn];

fn count(board: &Grid, piece: Piece) -> usize {
    board.iter().filter(|&&stands| stands == Some(piece)).count()
}

/// The base values of a side's pieces.
pub(super) fn notes(position: &Position, side: Side) -> Vec<Note> {
    let of_kind = |kind: Kind| {
        let piece = Piece::new(side, kind);
        let count = count(position.board(), piece);
        (count > 0).then(|| Note {
            points: count as i32 * base_value(kind),
            zh: format!("{}×{count}", piece.name_zh()),
            en: words::counted(count, kind),
        })
    };
    COUNTED.into_iter().filter_map(of_kind).collect()
}

/// What a side has more of than the other: kind and how many.
fn surplus(board: &Grid, side: Side) -> Vec<(Kind, usize)> {
    let more = |kind| {
        count(board, Piece::new(side, kind)).saturating_sub(count(board, Piece::new(side.opposite(), kind)))
    };
    COUNTED.into_iter().map(|kind| (kind, more(kind))).filter(|&(_, more)| more > 0).collect()
}

/// The difference of the pieces in words: `双方子力相等` or `红方多一车两兵，黑方多一炮`.
pub fn material_diff_zh(board: &Grid) -> String {
    const COUNTS: [&str; 6] = ["零", "一", "两", "三", "四", "五"];
    let half = |side: Side| {
        let list: String = surplus(board, side)
            .into_iter()
            .map(|(kind, more)| {
                let count = COUNTS.get(more).map_or_else(|| more.to_string(), ToString::to_string);
                count + Piece::new(side, kind).name_zh()
            })
            .collect();
        (!list.is_empty()).then(|| format!("{}多{list}", side.name_zh()))
    };
    let halves: Vec<String> = Side::ALL.into_iter().filter_map(half).collect();
    if halves.is_empty() { "双方子力相等".into() } else { halves.join("，") }
}

/// The difference of the pieces in words: `material is even` or `Red is up 1 rook and 2 pawns, Black
/// is up 1 cannon`.
pub fn material_diff(board: &Grid) -> String {
    let half = |side| {
        let list: Vec<String> =
            surplus(board, side).into_iter().map(|(kind, more)| words::counted(more, kind)).collect();
        (!list.is_empty()).then(|| format!("{side} is up {}", words::list(&list)))
    };
    let halves: Vec<String> = Side::ALL.into_iter().filter_map(half).collect();
    if halves.is_empty() { "material is even".into() } else { halves.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_in_words() {
        let cases = [
            ("3k5/9/9/9/9/9/9/9/9/4K4 w", "双方子力相等", "material is even"),
            (
                "2cak4/9/9/p8/9/P1P1P4/9/9/9/3K4R w",
                "红方多一车两兵，黑方多一炮一士",
                "Red is up 1 rook and 2 pawns, Black is up 1 cannon and 1 advisor",
            ),
            ("3k5/9/9/9/9/9/p1p1p1p1p/9/9/4K4 w", "黑方多五卒", "Black is up 5 pawns"),
        ];
        for (fen, zh, en) in cases {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(material_diff_zh(position.board()), zh);
            assert_eq!(material_diff(position.board()), en);
        }
    }
}
