//! The board and its moves, forwards and back.

use crate::xiangqi::rules::Grid;
use crate::xiangqi::{Kind, Move, Piece, Position, Side, Square};

use super::lines::Line;
use super::tables::{
    EMPTY, GUARD_SET, HORSES, KING, MARK, NOWHERE, PAWN_SET, Points, SET, col, piece_in, point, row, slots,
};

/// A position to walk on: pieces and the side to move, in the several forms the generator reads.
#[derive(Clone)]
#[cfg_attr(test, derive(PartialEq, Eq))]
#[repr(align(64))]
pub struct Board {
    /// Rows 0 to 9, then empty ones: captured pieces lie on row 15.
    rows: [Line; 16],
    /// Columns 0 to 8, then empty ones.
    cols: [Line; 16],
    /// By side and [`SET`].
    sets: [[Points; 4]; 2],
    /// All pieces of a side.
    all: [Points; 2],
    /// Where the piece of a slot stands.
    squares: [u8; 64],
    /// Which slot stands on a point.
    slots: [u8; 128],
    turn: Side,
}

/// What [`Board::unmake`] needs beside the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undo {
    moved: u8,
    captured: u8,
}

impl Undo {
    /// The kind of piece that the move captured.
    pub fn captured(self) -> Option<Kind> {
        piece_in(self.captured as usize).map(|piece| piece.kind)
    }
}

/// A piece in the hand, and the words of the board without it.
pub(super) struct Hand {
    from: usize,
    moved: usize,
    set: Points,
    all: [Points; 2],
}

/// What [`Board::try_on`] overwrites, to be put back as it was.
pub(super) struct Saved {
    captured: usize,
    row: Line,
    col: Line,
    captured_set: Points,
}

impl Board {
    /// The board with these pieces, as a [`Position`] has them: one king a side, no more pieces of a
    /// kind than at the start, the side that is not to move not in check.
    ///
    /// # Panics
    ///
    /// With no king, or more pieces of a kind than a side has.
    pub fn new(pieces: &Grid, turn: Side) -> Board {
        let mut board = Board {
            rows: [Line::default(); 16],
            cols: [Line::default(); 16],
            sets: [[0; 4]; 2],
            all: [0; 2],
            squares: [NOWHERE as u8; 64],
            slots: [EMPTY as u8; 128],
            turn,
        };
        for (square, piece) in pieces.iter().enumerate() {
            if let Some(piece) = piece {
                board.put(square, *piece);
            }
        }
        let kings = [board.king_square(0), board.king_square(1)];
        assert!(!kings.contains(&NOWHERE), "a king is missing");
        board
    }

    fn put(&mut self, square: usize, piece: Piece) {
        let side = piece.side as usize;
        let slot = slots(piece.kind)
            .map(|slot| slot + 16 * side)
            .find(|&slot| self.squares[slot] == NOWHERE as u8)
            .expect("a side has no more pieces of a kind than at the start");
        self.squares[slot] = square as u8;
        self.slots[square] = slot as u8;
        self.rows[row(square)].toggle(MARK[slot], col(square));
        self.cols[col(square)].toggle(MARK[slot], row(square));
        self.sets[side][SET[slot] as usize] |= point(square);
        self.all[side] |= point(square);
    }

    /// The side to move.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// The piece on a point.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        piece_in(self.slot_at(square.index()))
    }

    /// The pieces on the board, Black's first, each kind together.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        (0..EMPTY).filter_map(|slot| Some((Square::new(self.squares[slot] as usize)?, piece_in(slot)?)))
    }

    /// Where a side's king stands.
    pub fn king(&self, side: Side) -> Square {
        Square::new(self.king_square(side as usize)).expect("kings are never captured")
    }

    /// Plays a move of the side to move. It must be one that [`Board::legal`] lists.
    #[inline]
    pub fn make(&mut self, played: Move) -> Undo {
        debug_assert!(self.piece_at(played.from).is_some_and(|piece| piece.side == self.turn), "{played}");
        let (from, to) = (played.from.index(), played.to.index());
        let undo = self.play(self.turn as usize, from, to);
        self.turn = self.turn.opposite();
        undo
    }

    /// Takes back the move that was made last.
    #[inline]
    pub fn unmake(&mut self, played: Move, undo: Undo) {
        self.turn = self.turn.opposite();
        let (from, to) = (played.from.index(), played.to.index());
        self.take_back(self.turn as usize, from, to, undo);
    }

    /// Gives the move to the other side without playing one, as the null move of a search does; the
    /// side to move must not be in check. A second `pass` takes it back.
    #[inline]
    pub fn pass(&mut self) {
        self.turn = self.turn.opposite();
    }

    /// [`Board::make`] for side `us`, without the turn.
    #[inline(always)]
    pub(super) fn play(&mut self, us: usize, from: usize, to: usize) -> Undo {
        let (moved, captured) = (self.slot_at(from), self.slot_at(to));
        self.toggle(us, from, to, moved, captured);
        self.slots[from & 127] = EMPTY as u8;
        self.slots[to & 127] = moved as u8;
        self.squares[captured] = NOWHERE as u8;
        self.squares[moved] = to as u8;
        Undo { moved: moved as u8, captured: captured as u8 }
    }

    /// Undoes [`Board::play`].
    #[inline(always)]
    pub(super) fn take_back(&mut self, us: usize, from: usize, to: usize, undo: Undo) {
        let (moved, captured) = (undo.moved as usize & 63, undo.captured as usize & 63);
        self.toggle(us, from, to, moved, captured);
        self.slots[from & 127] = moved as u8;
        self.slots[to & 127] = captured as u8;
        self.squares[captured] = if captured == EMPTY { NOWHERE } else { to } as u8;
        self.squares[moved] = from as u8;
    }

    /// Moves the piece in slot `moved` in the lines and sets; the same again moves it back.
    #[inline(always)]
    fn toggle(&mut self, us: usize, from: usize, to: usize, moved: usize, captured: usize) {
        let them = us ^ 1;
        let (left, reached) = (MARK[moved], MARK[moved] ^ MARK[captured]);
        self.rows[row(from)].toggle(left, col(from));
        self.rows[row(to)].toggle(reached, col(to));
        self.cols[col(from)].toggle(left, row(from));
        self.cols[col(to)].toggle(reached, row(to));
        let path = point(from) | point(to);
        self.sets[us][set(moved)] ^= path;
        self.all[us] ^= path;
        // On a quiet move this touches the set that nobody reads, and no piece.
        self.sets[them][set(captured)] ^= point(to);
        self.all[them] ^= if captured == EMPTY { 0 } else { point(to) };
    }

    /// Takes a piece of side `us` into the hand, to be tried on one point after the other. It leaves the
    /// lines and sets; which slot stands on its point is not read before it is back.
    #[inline(always)]
    pub(super) fn lift(&mut self, us: usize, from: usize) -> Hand {
        let moved = self.slot_at(from);
        self.rows[row(from)].toggle(MARK[moved], col(from));
        self.cols[col(from)].toggle(MARK[moved], row(from));
        self.sets[us][set(moved)] ^= point(from);
        self.all[us] ^= point(from);
        Hand { from, moved, set: self.sets[us][set(moved)], all: self.all }
    }

    /// Puts a lifted piece back where it stood.
    #[inline(always)]
    pub(super) fn put_back(&mut self, us: usize, hand: &Hand) {
        let from = hand.from;
        self.rows[row(from)].toggle(MARK[hand.moved], col(from));
        self.cols[col(from)].toggle(MARK[hand.moved], row(from));
        self.sets[us][set(hand.moved)] = hand.set | point(from);
        self.all = hand.all;
        self.all[us] |= point(from);
        self.squares[hand.moved] = from as u8;
    }

    /// Tries a lifted piece on a point, for a look at the position after the move: with it stand the
    /// lines, the sets and the squares of the pieces, but not the slots of the points, which neither
    /// counting nor listing reads.
    #[inline(always)]
    pub(super) fn try_on(&mut self, us: usize, hand: &Hand, to: usize) -> Saved {
        let them = us ^ 1;
        let (moved, captured) = (hand.moved, self.slot_at(to));
        let saved = Saved {
            captured,
            row: self.rows[row(to)],
            col: self.cols[col(to)],
            captured_set: self.sets[them][set(captured)],
        };
        let reached = MARK[moved] ^ MARK[captured];
        self.rows[row(to)].toggle(reached, col(to));
        self.cols[col(to)].toggle(reached, row(to));
        self.sets[us][set(moved)] = hand.set | point(to);
        self.sets[them][set(captured)] = saved.captured_set & !point(to);
        self.all[us] = hand.all[us] | point(to);
        self.all[them] = hand.all[them] & !point(to);
        self.squares[captured] = NOWHERE as u8;
        self.squares[moved] = to as u8;
        saved
    }

    /// Undoes what the next [`Board::try_on`] or [`Board::put_back`] does not write anyway. Putting
    /// saved words back is quicker than computing them again.
    #[inline(always)]
    pub(super) fn take_off(&mut self, us: usize, to: usize, saved: &Saved) {
        self.rows[row(to)] = saved.row;
        self.cols[col(to)] = saved.col;
        self.sets[us ^ 1][set(saved.captured)] = saved.captured_set;
        self.squares[saved.captured] = if saved.captured == EMPTY { NOWHERE } else { to } as u8;
    }

    /// The slot of the piece on a point, [`EMPTY`] without one.
    #[inline(always)]
    pub(super) fn slot_at(&self, square: usize) -> usize {
        (self.slots[square & 127] & 63) as usize
    }

    /// Where the piece with this number (see [`tables`](super::tables)) stands.
    #[inline(always)]
    pub(super) fn square(&self, side: usize, number: usize) -> usize {
        self.squares[(side * 16 + number) & 63] as usize
    }

    #[inline(always)]
    pub(super) fn king_square(&self, side: usize) -> usize {
        self.square(side, KING)
    }

    /// Where a side's horses stand.
    #[inline(always)]
    pub(super) fn horses(&self, side: usize) -> [usize; 2] {
        [self.square(side, HORSES.start), self.square(side, HORSES.start + 1)]
    }

    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Line {
        self.rows[row & 15]
    }

    #[inline(always)]
    pub(super) fn column(&self, col: usize) -> Line {
        self.cols[col & 15]
    }

    /// All pieces of a side.
    #[inline(always)]
    pub(super) fn all(&self, side: usize) -> Points {
        self.all[side]
    }

    /// All pieces.
    #[inline(always)]
    pub(super) fn occupied(&self) -> Points {
        self.all[0] | self.all[1]
    }

    /// A side's pawns.
    #[inline(always)]
    pub(super) fn pawns(&self, side: usize) -> Points {
        self.sets[side][PAWN_SET]
    }

    /// A side's elephants and advisors.
    #[inline(always)]
    pub(super) fn guards(&self, side: usize) -> Points {
        self.sets[side][GUARD_SET]
    }
}

impl From<&Position> for Board {
    fn from(position: &Position) -> Board {
        Board::new(position.board(), position.turn())
    }
}

#[inline(always)]
fn set(slot: usize) -> usize {
    (SET[slot & 63] & 3) as usize
}
