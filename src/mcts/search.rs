//! Simulations: down the tree, one playout, and back.

use std::sync::atomic::Ordering::Relaxed;

use super::board::{BLACK, Board, EMPTY, Stone, WHITE, opponent};
use super::grid::{NOWHERE, PLACES, Place, index};
use super::node::Node;
use super::playout;
use super::prior::Eyes;
use super::random::Random;
use super::score::Owners;
use super::tree::Tree;

/// Moves of a line that the tree holds at most.
const DEEPEST: usize = 128;

/// Simulations between two questions to `stop`.
const STRIDE: u64 = 8;

/// Where a search ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Visits of the root, those of earlier searches included.
    pub visits: Option<u32>,
    /// Playouts of this worker.
    pub playouts: Option<u64>,
}

/// What one thread needs to work on a tree.
pub struct Worker {
    random: Random,
    board: Board,
    eyes: Eyes,
    owners: Owners,
    /// The moves of a simulation, those of the tree first.
    moves: Vec<(Place, Stone)>,
    /// The arrangements on the way down.
    hashes: Vec<u64>,
    /// Who played a place first.
    first: [Stone; PLACES],
    owned: [i32; PLACES],
    playouts: u64,
}

impl Worker {
    /// A worker for this tree and its descendants. One worker alone always finds the same with the
    /// same seed.
    pub fn new(tree: &Tree, seed: u64) -> Worker {
        Worker {
            random: Random::new(seed),
            board: tree.board.clone(),
            eyes: Eyes::default(),
            owners: Owners::new(),
            moves: Vec::with_capacity(DEEPEST + 3 * PLACES),
            hashes: Vec::with_capacity(DEEPEST),
            first: [EMPTY; PLACES],
            owned: [0; PLACES],
            playouts: 0,
        }
    }
}

impl Tree {
    /// Looks at the moves of the root and forbids those that repeat an arrangement or that
    /// `is_allowed` denies. To be called before a search, after every change of the root.
    pub fn prepare(&self, worker: &mut Worker, is_allowed: &dyn Fn(Place) -> bool) {
        worker.board.copy_from(&self.board);
        self.expand(&self.root, worker, self.to_play);
        for child in self.root.children() {
            worker.board.copy_from(&self.board);
            worker.board.play(child.place, self.to_play);
            let repeats =
                child.place != NOWHERE && self.stood_before(worker.board.hash(), &[self.board.hash()]);
            child.ban(repeats || !is_allowed(child.place));
        }
    }

    /// Plays simulations until `stop` says so or a limit is reached. `stop` is asked after every
    /// eighth, so that whoever asks often still gets on.
    pub fn search(&self, worker: &mut Worker, limits: Limits, stop: &dyn Fn() -> bool) {
        let visits = limits.visits.unwrap_or(u32::MAX);
        let playouts = limits.playouts.unwrap_or(u64::MAX);
        let mut done = 0u64;
        while done < playouts && self.root.visits() < visits {
            if done > 0 && done.is_multiple_of(STRIDE) {
                self.tell_owners(worker);
                if stop() {
                    break;
                }
            }
            self.simulate(worker);
            done += 1;
        }
        self.tell_owners(worker);
    }

    fn simulate(&self, worker: &mut Worker) {
        worker.board.copy_from(&self.board);
        worker.moves.clear();
        worker.hashes.clear();
        let mut path = [&self.root; DEEPEST];
        let mut depth = 0;
        let mut own = self.to_play;
        let mut passes = self.passes;
        self.root.enter();
        while depth + 1 < DEEPEST && passes < 2 {
            let node = path[depth];
            if node.children().is_empty() && !self.may_expand(node, worker, own) {
                break;
            }
            let Some(child) = self.select(node) else { break };
            child.enter();
            worker.hashes.push(worker.board.hash());
            worker.board.play(child.place, own);
            if child.place == NOWHERE {
                passes += 1;
            } else {
                passes = 0;
                if child.visits() == 1 && self.stood_before(worker.board.hash(), &worker.hashes) {
                    // What it costs is one simulation, and that only once.
                    child.ban(true);
                    child.cancel();
                    path[..=depth].iter().for_each(|node| node.cancel());
                    return;
                }
            }
            worker.moves.push((child.place, own));
            depth += 1;
            path[depth] = child;
            own = opponent(own);
        }
        // Who takes dead stones off by agreement wants to know what becomes of them.
        if passes < 2 || !self.settings.cleanup {
            let moves = &mut worker.moves;
            playout::run(
                &mut worker.board,
                own,
                &self.settings.habits,
                &mut worker.random,
                |place, stone| {
                    moves.push((place, stone));
                },
            );
        }
        let lead = worker.owners.count(&worker.board);
        self.learn(worker, &path[..=depth], lead);
        worker.note_owners();
    }

    fn may_expand(&self, node: &Node, worker: &mut Worker, own: Stone) -> bool {
        // The fuller the tree, the more is asked of a move before it may take room.
        let limit = self.settings.nodes;
        let used = self.nodes.load(Relaxed);
        let quarters = 4 * used / limit.max(1);
        used < limit
            && node.visits() >= self.settings.expand_at.saturating_mul(1 << quarters.min(3))
            && self.expand(node, worker, own)
    }

    /// Adds the moves that follow a node, the worker's board standing there; whether there are some.
    fn expand(&self, node: &Node, worker: &mut Worker, own: Stone) -> bool {
        if node.children().is_empty() {
            let mut children = Vec::with_capacity(worker.board.empties().len() + 1);
            worker.eyes.look(&worker.board, own, &self.settings.weights, |place, belief| {
                children.push(Node::new(place, belief));
            });
            let count = children.len();
            if node.expand(children.into_boxed_slice()) {
                self.nodes.fetch_add(count, Relaxed);
            }
        }
        !node.children().is_empty()
    }

    fn stood_before(&self, hash: u64, line: &[u64]) -> bool {
        line.contains(&hash) || self.history.contains(&hash)
    }

    /// The move with the best mean, in which its own playouts count more and more against those
    /// where it came later (Gelly and Silver, 2007).
    #[inline]
    fn select<'a>(&self, node: &'a Node) -> Option<&'a Node> {
        let amaf_rate = 1.0 / self.settings.amaf_equivalence;
        let mut best = None;
        let mut highest = f32::NEG_INFINITY;
        for child in node.children() {
            let visits = child.visits() as f32 + child.prior.visits;
            let wins = child.wins() + child.prior.wins;
            let amaf = child.amaf_visits.get();
            let own = 1.0 + amaf * amaf_rate;
            let value = (wins * own + child.amaf_wins.get()) / (visits * own + amaf);
            if value > highest && !child.is_banned() {
                highest = value;
                best = Some(child);
            }
        }
        best
    }

    /// Adds the end of a playout to the nodes of its line and to their moves that came later.
    fn learn(&self, worker: &mut Worker, path: &[&Node], lead: i32) {
        let area = self.board.grid().size().area() as f32;
        let margin = lead as f32 - self.komi;
        let won = if margin > 0.0 {
            1.0
        } else if margin < 0.0 {
            0.0
        } else {
            0.5
        };
        let share = self.settings.lead_share;
        let black = won * (1.0 - share) + share * (0.5 + margin / (2.0 * area)).clamp(0.0, 1.0);
        let places = self.board.grid().places().min(PLACES);
        worker.first[..places].fill(EMPTY);
        let depth = path.len() - 1;
        for (place, stone) in worker.moves[depth..].iter().rev() {
            worker.first[index(*place)] = *stone;
        }
        let mut own = if depth.is_multiple_of(2) { self.to_play } else { opponent(self.to_play) };
        for (level, node) in path.iter().enumerate().rev() {
            if let Some((place, stone)) = worker.moves.get(level).filter(|_| level < depth) {
                worker.first[index(*place)] = *stone;
                worker.first[index(NOWHERE)] = EMPTY;
            }
            let win = if own == BLACK { black } else { 1.0 - black };
            node.leave(1.0 - win, lead);
            for child in node.children() {
                if worker.first[index(child.place)] == own {
                    child.amaf_visits.add(1.0);
                    child.amaf_wins.add(win);
                }
            }
            own = opponent(own);
        }
    }

    fn tell_owners(&self, worker: &mut Worker) {
        for (sum, noted) in self.owned.iter().zip(&mut worker.owned) {
            if *noted != 0 {
                sum.fetch_add(i64::from(std::mem::take(noted)), Relaxed);
            }
        }
        self.playouts.fetch_add(std::mem::take(&mut worker.playouts), Relaxed);
    }
}

impl Worker {
    fn note_owners(&mut self) {
        let places = self.board.grid().places().min(PLACES);
        for (place, noted) in self.owned[..places].iter_mut().enumerate() {
            let owner = self.owners.at(place as Place);
            *noted += i32::from(owner == BLACK) - i32::from(owner == WHITE);
        }
        self.playouts += 1;
    }
}
