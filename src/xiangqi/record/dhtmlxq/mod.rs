//! DhtmlXQ: the blocks of dpxq.com (东萍象棋), as forums and sites embed them.
//!
//! `[DhtmlXQ]`, then `[DhtmlXQ_name]value[/DhtmlXQ_name]` each, then `[/DhtmlXQ]`. A point is two digits,
//! column from the left and row from the top, both from 0. `binit` has 32 of them (Red's 车马相仕帅仕相马车炮炮兵×5,
//! then Black's), `99` for a piece that is gone. `movelist` has four digits a move. `move_P_N_I` is
//! branch I: it replaces move N of branch P, 0 being the main line. `commentN` stands on move N of the
//! main line, 0 is the start, `commentI_N` on move N of branch I; `||` is a line break and `\uXXXX` a
//! character.
//!
//! Sources: files of dpxq.com, and how vschess and cchess read them; there is no specification.

mod blocks;
mod edit;
mod read;
mod write;

pub(super) use blocks::block_name;
pub(super) use edit::{add_move, anew, set_comment, set_tag};
pub use read::{read, spans, starts};
pub use write::write;

#[cfg(test)]
mod tests;
