//! What the pieces are worth, in hundredths of a pawn: the round numbers that beginners learn.

use super::piece::Kind;

/// The base value of a kind: 车 9, 炮 4½, 马 4, 仕 and 相 2, 兵 1. The king stands for the game: it
/// counts more than everything else of a side together.
pub const fn base_value(kind: Kind) -> i32 {
    match kind {
        Kind::King => 10_000,
        Kind::Rook => 900,
        Kind::Cannon => 450,
        Kind::Horse => 400,
        Kind::Advisor | Kind::Elephant => 200,
        Kind::Pawn => 100,
    }
}

/// The value of a pawn that has crossed the river.
pub const CROSSED_PAWN: i32 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_king_outweighs_a_whole_set() {
        let others = Kind::ALL.into_iter().filter(|&kind| kind != Kind::King);
        let set: i32 = others.map(|kind| base_value(kind) * kind.limit() as i32).sum();
        assert_eq!(set, 2 * (900 + 450 + 400 + 200 + 200) + 5 * 100);
        let crossed = set + 5 * (CROSSED_PAWN - base_value(Kind::Pawn));
        assert!(base_value(Kind::King) > crossed);
    }
}
