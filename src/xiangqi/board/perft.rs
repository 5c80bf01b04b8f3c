//! Perft: how many lines of play of a given length a position has, the usual proof and yardstick of a
//! move generator.
//!
//! The last ply is the whole cost. By default it is counted without writing the moves down; the other
//! ways of [`LastPly`] do what other programs do, so that like can be measured against like.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::xiangqi::Move;

use super::dispatch::walk;
use super::list::MoveList;
use super::mover::Mover;
use super::state::Board;
use super::tables::Targets;

/// Asked now and then (every tenth of a millisecond or so) whether to give up.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// What is done for the last ply of a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastPly {
    /// The legal moves are counted over sets, and not written down.
    Count,
    /// The legal moves are listed, and the list's length is taken.
    List,
    /// The legal moves are listed, and each is played and taken back.
    Play,
}

/// Counts the lines of `depth` plies from here; 1 for none. The board is the same afterwards.
pub fn perft(board: &mut Board, depth: u32) -> u64 {
    perft_with(board, depth, LastPly::Count, &|| false).unwrap_or_default()
}

/// [`perft()`], with a choice of what the last ply does; nothing if it was stopped.
pub fn perft_with(board: &mut Board, depth: u32, last: LastPly, stop: Stop<'_>) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    match last {
        LastPly::Count => walk::<Counted>(board, depth, stop),
        LastPly::List => walk::<Listed>(board, depth, stop),
        LastPly::Play => walk::<Played>(board, depth, stop),
    }
}

/// Runs the work it is given on each of its threads at once, and returns when all have returned. The
/// work shares itself out. Threads belong to the caller:
///
/// ```
/// use kifud::xiangqi::{Position, board::{Board, divide}};
///
/// let two = |work: &(dyn Fn() + Sync)| {
///     std::thread::scope(|scope| {
///         scope.spawn(work);
///         work();
///     });
/// };
/// let parts = divide(&Board::from(&Position::start()), 3, &two, &|| false).unwrap();
/// assert_eq!(parts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 79_666);
/// ```
pub type Threads<'a> = &'a dyn Fn(&(dyn Fn() + Sync));

/// [`Threads`] of the caller alone.
pub fn alone(work: &(dyn Fn() + Sync)) {
    work();
}

/// [`perft()`] on several threads; nothing if it was stopped.
pub fn perft_shared(board: &Board, depth: u32, threads: Threads<'_>, stop: Stop<'_>) -> Option<u64> {
    match depth {
        0 => Some(1),
        _ => Some(divide(board, depth, threads, stop)?.into_iter().map(|(_, nodes)| nodes).sum()),
    }
}

/// [`perft()`] move by move: for each legal move the lines of `depth` plies (at least 1) that begin
/// with it. Nothing if it was stopped.
pub fn divide(board: &Board, depth: u32, threads: Threads<'_>, stop: Stop<'_>) -> Option<Vec<(Move, u64)>> {
    shared(board, depth, threads, &|board, depth| perft_with(board, depth, LastPly::Count, stop))
}

/// Runs `walk` over what follows each legal move. The threads take positions two plies down (one, if
/// there are no more) from one counter: enough of them that none waits long for the last.
pub(super) fn shared<T: Copy + Default + AddAssign + Send>(
    board: &Board,
    depth: u32,
    threads: Threads<'_>,
    walk: &(dyn Fn(&mut Board, u32) -> Option<T> + Sync),
) -> Option<Vec<(Move, T)>> {
    let moves: Vec<Move> = legal(board).iter().collect();
    let jobs = jobs(board, &moves, depth);
    let sums: Vec<(Move, T)> = moves.iter().map(|&played| (played, T::default())).collect();
    let sums = Mutex::new(Some(sums));
    let next = AtomicUsize::new(0);
    threads(&|| {
        let mut board = board.clone();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let undo = board.make(moves[job.first]);
            let counted = match job.reply {
                None => walk(&mut board, depth.saturating_sub(1)),
                Some(reply) => {
                    let undo = board.make(reply);
                    let counted = walk(&mut board, depth - 2);
                    board.unmake(reply, undo);
                    counted
                }
            };
            board.unmake(moves[job.first], undo);

            let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
            match (counted, &mut *sums) {
                (Some(counted), Some(sums)) => sums[job.first].1 += counted,
                // Stopped, here or on another thread.
                _ => {
                    *sums = None;
                    break;
                }
            }
        }
    });
    sums.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A piece of work: the position after the move with this number, and after a reply.
struct Job {
    first: usize,
    reply: Option<Move>,
}

fn jobs(board: &Board, moves: &[Move], depth: u32) -> Vec<Job> {
    let mut board = board.clone();
    let mut jobs = Vec::new();
    for (first, &played) in moves.iter().enumerate() {
        if depth < 3 {
            jobs.push(Job { first, reply: None });
            continue;
        }
        let undo = board.make(played);
        jobs.extend(legal(&board).iter().map(|reply| Job { first, reply: Some(reply) }));
        board.unmake(played, undo);
    }
    jobs
}

fn legal(board: &Board) -> MoveList {
    let mut list = MoveList::new();
    board.legal(&mut list);
    list
}

/// The last ply of a walk, as the compiler's choice.
pub(super) trait Leaves {
    /// Whether counting needs the whole board, or what [`Board::try_on`] keeps.
    const WHOLE: bool;
    /// The legal moves of the side to move.
    fn of<M: Mover>(board: &mut Board) -> u64;
}

pub(super) struct Counted;
impl Leaves for Counted {
    const WHOLE: bool = false;
    #[inline(always)]
    fn of<M: Mover>(board: &mut Board) -> u64 {
        u64::from(board.count::<M>())
    }
}

pub(super) struct Listed;
impl Leaves for Listed {
    const WHOLE: bool = false;
    #[inline(always)]
    fn of<M: Mover>(board: &mut Board) -> u64 {
        let mut list = MoveList::new();
        board.generate::<M>(Targets::ALL, &mut list);
        std::hint::black_box(&list);
        list.len() as u64
    }
}

pub(super) struct Played;
impl Leaves for Played {
    const WHOLE: bool = true;
    #[inline(always)]
    fn of<M: Mover>(board: &mut Board) -> u64 {
        let list = listed::<M>(board);
        for (from, to) in list.pairs() {
            let undo = board.play(M::US, from, to);
            std::hint::black_box(&mut *board);
            board.take_back(M::US, from, to, undo);
        }
        list.len() as u64
    }
}

/// The legal moves, for plies above the last.
#[inline(never)]
pub(super) fn listed<M: Mover>(board: &Board) -> MoveList {
    let mut list = MoveList::new();
    board.generate::<M>(Targets::ALL, &mut list);
    list
}
