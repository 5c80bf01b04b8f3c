//! What the pieces are worth, in centipawns: the round numbers of the textbooks.

use super::piece::Kind;

/// The base value of a kind: 车 9, 炮 4½, 马 4, 相 2, 仕 2, 兵 1. A king, which is never captured,
/// counts more than all other pieces together.
pub const fn base_value(kind: Kind) -> i32 {
    match kind {
        Kind::King => 10_000,
        Kind::Advisor | Kind::Elephant => 200,
        Kind::Horse => 400,
        Kind::Rook => 900,
        Kind::Cannon => 450,
        Kind::Pawn => 100,
    }
}

/// The value of a pawn that has crossed the river.
pub const CROSSED_PAWN: i32 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_king_outweighs_an_army() {
        let army: i32 = Kind::ALL
            .into_iter()
            .filter(|&kind| kind != Kind::King)
            .map(|kind| {
                kind.limit() as i32 * base_value(kind).max(if kind == Kind::Pawn { CROSSED_PAWN } else { 0 })
            })
            .sum();
        assert_eq!(army, 2 * (200 + 200 + 400 + 900 + 450) + 5 * 200);
        assert!(base_value(Kind::King) > army);
    }
}
