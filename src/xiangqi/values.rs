//! What the pieces are worth.

use super::piece::Kind;

impl Kind {
    /// The base value in hundredths of a pawn, as beginners learn it: rook 9, cannon 4½, horse 4,
    /// advisor and elephant 2, pawn 1. The king stands for the game: more than everything else.
    pub const fn value(self) -> i32 {
        match self {
            Kind::King => 10_000,
            Kind::Rook => 900,
            Kind::Cannon => 450,
            Kind::Horse => 400,
            Kind::Advisor | Kind::Elephant => 200,
            Kind::Pawn => 100,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_king_outweighs_a_whole_set() {
        let set: i32 = Kind::ALL.iter().map(|kind| kind.value() * kind.limit() as i32).sum();
        assert_eq!(set - Kind::King.value(), 4800, "2 × (900 + 450 + 400 + 200 + 200) + 5 × 100");
        assert!(Kind::King.value() > 4800);
    }
}
