//! A list of moves of fixed size.

use crate::xiangqi::Move;

/// Places of a [`MoveList`]; no position has more than 119 moves.
///
/// A rook on an open board reaches 8 points of its row and 9 of its column, a cannon never more (the
/// screen it jumps costs it a point). With a horse's 8, an elephant's and an advisor's 4, a pawn's 3
/// and the king's 4: `2 * (17 + 17 + 8 + 4 + 4) + 5 * 3 + 4 = 119`.
pub const MAX_MOVES: usize = 128;

/// Moves, as codes ([`Move::code`]), in the order in which they were found.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    codes: [u16; MAX_MOVES],
}

impl MoveList {
    /// An empty list.
    #[inline(always)]
    pub const fn new() -> MoveList {
        MoveList { len: 0, codes: [0; MAX_MOVES] }
    }

    /// Forgets all moves.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a move. A full list never arises, see [`MAX_MOVES`]; the mask only spares the check.
    #[inline(always)]
    pub(super) fn push(&mut self, from: usize, to: usize) {
        debug_assert!(self.len < MAX_MOVES);
        self.codes[self.len & (MAX_MOVES - 1)] = (from | to << 7) as u16;
        self.len += 1;
    }

    /// How many moves there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The codes of the moves.
    #[inline(always)]
    pub fn codes(&self) -> &[u16] {
        &self.codes[..self.len.min(MAX_MOVES)]
    }

    /// The moves as pairs of points, from and to.
    #[inline(always)]
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.codes().iter().map(|&code| ((code & 127) as usize, (code >> 7) as usize))
    }

    /// The moves, those of one piece together as its point and its targets.
    #[inline(always)]
    pub(super) fn by_piece(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = usize> + '_)> + '_ {
        let runs = self.codes().chunk_by(|one, next| (one ^ next) & 127 == 0);
        runs.map(|run| ((run[0] & 127) as usize, run.iter().map(|&code| (code >> 7) as usize)))
    }

    /// The moves.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.codes().iter().filter_map(|&code| Move::from_code(code))
    }

    /// Whether a move is in the list.
    pub fn contains(&self, played: Move) -> bool {
        self.codes().contains(&played.code())
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
