//! The counting loop, compiled twice: for any processor, and for those that count bits in one
//! instruction.
//!
//! Counting moves is counting bits, and the baseline of x86-64 has no instruction for it: with it the
//! loop is 1.2 to 1.3 times as fast. A binary built for everybody can only find out at run time, and
//! calling a function compiled for more than the baseline is the one thing here that the compiler
//! cannot check. It is the only unsafe block of the crate.

use super::list::MoveList;
use super::mover::{Black, Mover, Red};
use super::perft::{Leaves, Stop, listed};
use super::state::Board;
use crate::xiangqi::Side;

/// Counts the lines of `depth` plies (at least 1), or gives up.
#[allow(unsafe_code)]
pub(super) fn walk<L: Leaves>(board: &mut Board, depth: u32, stop: Stop<'_>) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the four features that `modern` is compiled for have just been detected.
        return unsafe { modern::walk::<L>(board, depth, stop) };
    }
    baseline::walk::<L>(board, depth, stop)
}

macro_rules! walker {
    ($name:ident $(, #[$attribute:meta])*) => {
        mod $name {
            use super::*;

            $(#[$attribute])*
            pub(super) fn walk<L: Leaves>(board: &mut Board, depth: u32, stop: Stop<'_>) -> Option<u64> {
                match board.turn() {
                    Side::Black => plies::<L, Black>(board, depth, stop),
                    Side::Red => plies::<L, Red>(board, depth, stop),
                }
            }

            $(#[$attribute])*
            fn plies<L: Leaves, M: Mover>(board: &mut Board, depth: u32, stop: Stop<'_>) -> Option<u64> {
                if depth == 1 {
                    return Some(L::of::<M>(board));
                }
                let list: MoveList = listed::<M>(board);
                let mut nodes = 0;
                if depth == 2 && !L::WHOLE {
                    // The moves of a piece come together: it is lifted once for all of them.
                    for (from, targets) in list.by_piece() {
                        let hand = board.lift(M::US, from);
                        for to in targets {
                            let saved = board.try_on(M::US, &hand, to);
                            nodes += L::of::<M::Next>(board);
                            board.take_off(M::US, to, &saved);
                        }
                        board.put_back(M::US, &hand);
                    }
                    return Some(nodes);
                }
                if depth > 2 && stop() {
                    return None;
                }
                for (from, to) in list.pairs() {
                    let undo = board.play(M::US, from, to);
                    let below = plies::<L, M::Next>(board, depth - 1, stop);
                    board.take_back(M::US, from, to, undo);
                    nodes += below?;
                }
                Some(nodes)
            }
        }
    };
}

walker!(baseline);
#[cfg(target_arch = "x86_64")]
walker!(modern, #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]);
