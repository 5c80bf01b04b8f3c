//! One move in the tree, and what is known about it. Threads write at the same time: counts are exact,
//! and of sums that two threads add to at once one may be lost, which the search can bear.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::grid::Place;
use super::prior::Belief;

/// A sum of small numbers, shared between threads.
#[derive(Debug, Default)]
pub struct Sum(AtomicU32);

impl Sum {
    /// Its value.
    #[inline(always)]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    /// Adds to it; may be lost when two threads do so at once.
    #[inline(always)]
    pub fn add(&self, more: f32) {
        self.0.store((self.get() + more).to_bits(), Relaxed);
    }
}

/// Parts of a win in which wins are counted.
const WIN: f32 = 65536.0;

/// A move in the tree. Wins are those of the player who makes it.
#[derive(Debug)]
pub struct Node {
    /// The move.
    pub place: Place,
    banned: AtomicBool,
    visits: AtomicU32,
    wins: AtomicU64,
    lead: AtomicI64,
    /// What was believed before.
    pub prior: Belief,
    /// Playouts in which the player made this move later.
    pub amaf_visits: Sum,
    /// How many of them the player won.
    pub amaf_wins: Sum,
    children: OnceLock<Box<[Node]>>,
}

impl Node {
    /// A move that was not tried yet.
    pub fn new(place: Place, prior: Belief) -> Node {
        Node {
            place,
            banned: AtomicBool::new(false),
            visits: AtomicU32::new(0),
            wins: AtomicU64::new(0),
            lead: AtomicI64::new(0),
            prior,
            amaf_visits: Sum::default(),
            amaf_wins: Sum::default(),
            children: OnceLock::new(),
        }
    }

    /// How often it was tried; those that are under way count, and count as lost.
    #[inline(always)]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// How much of that was won.
    #[inline(always)]
    pub fn wins(&self) -> f32 {
        self.wins.load(Relaxed) as f32 / WIN
    }

    /// The share of its visits that was won, if it has any.
    pub fn winrate(&self) -> Option<f64> {
        let visits = self.visits();
        (visits > 0).then(|| self.wins.load(Relaxed) as f64 / f64::from(WIN) / f64::from(visits))
    }

    /// The mean of Black's lead on the board, komi not counted, if it has visits.
    pub fn lead(&self) -> Option<f64> {
        let visits = self.visits();
        (visits > 0).then(|| self.lead.load(Relaxed) as f64 / f64::from(visits))
    }

    /// A visit begins.
    #[inline(always)]
    pub fn enter(&self) {
        self.visits.fetch_add(1, Relaxed);
    }

    /// A visit ends with this much of a win, and this lead of Black's.
    #[inline(always)]
    pub fn leave(&self, win: f32, lead: i32) {
        self.wins.fetch_add((win * WIN) as u64, Relaxed);
        self.lead.fetch_add(i64::from(lead), Relaxed);
    }

    /// A visit that has begun does not count.
    pub fn cancel(&self) {
        self.visits.fetch_sub(1, Relaxed);
    }

    /// Whether the move must not be made.
    #[inline(always)]
    pub fn is_banned(&self) -> bool {
        self.banned.load(Relaxed)
    }

    /// Forbids or allows it.
    pub fn ban(&self, banned: bool) {
        self.banned.store(banned, Relaxed);
    }

    /// The moves that follow; none when it was not expanded.
    #[inline(always)]
    pub fn children(&self) -> &[Node] {
        self.children.get().map_or(&[], |children| children)
    }

    /// Adds the moves that follow, if nobody else was faster; whether it did.
    pub fn expand(&self, children: Box<[Node]>) -> bool {
        self.children.set(children).is_ok()
    }

    /// Takes the moves that follow out of it.
    pub fn take_children(&mut self) -> Box<[Node]> {
        self.children.take().unwrap_or_default()
    }

    /// The number of nodes below.
    pub fn count(&self) -> usize {
        let mut count = 0;
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            count += node.children().len();
            open.extend(node.children().iter().filter(|child| !child.children().is_empty()));
        }
        count
    }
}
