//! The root of the tree: one iteration after the other, and the choice among moves of equal score.

use crate::xiangqi::moves::Move;
use crate::xiangqi::position::Position;

use super::evaluate::evaluate;
use super::order::{Arrival, Experience, Picker, first};
use super::score::{INFINITE, MATE, MATES, Score, mate_in};
use super::table::{Bound, Known, Table};
use super::tree::{Reductions, Tree};
use super::walk::{Walk, scramble};
use super::{Best, DEFAULT_TABLE_MIB, Limits, MAX_DEPTH, Report};

/// A searcher keeps its tables between searches, to save the time of making them. It remembers
/// nothing: every search finds what a new searcher would.
pub struct Searcher {
    table: Table,
    experience: Experience,
    reductions: Reductions,
}

/// Searches a position with a new [`Searcher`] and [`DEFAULT_TABLE_MIB`]; see [`Searcher::search`].
pub fn search(
    position: &Position,
    history: &[Position],
    limits: &Limits,
    seed: u64,
    stop: &dyn Fn() -> bool,
    on_iteration: &mut dyn FnMut(&Report),
) -> Best {
    Searcher::new(DEFAULT_TABLE_MIB).search(position, history, limits, seed, stop, on_iteration)
}

impl Searcher {
    /// A searcher with a transposition table of about so many MiB.
    pub fn new(table_mib: usize) -> Searcher {
        Searcher {
            table: Table::new(table_mib),
            experience: Experience::new(),
            reductions: Reductions::new(),
        }
    }

    /// Searches for the best move of a position, to which the positions of `history` have led, the
    /// oldest first; they matter for repetitions only.
    ///
    /// The search ends with the last iteration that `limits` allow, or as soon as `stop` says so; it
    /// is asked about every thousand nodes. Either way the result is that of the last iteration that
    /// was completed, and the same whenever that was. `on_iteration` is called after each.
    ///
    /// `seed` chooses among the moves that are equally good; nothing else depends on it.
    pub fn search(
        &mut self,
        position: &Position,
        history: &[Position],
        limits: &Limits,
        seed: u64,
        stop: &dyn Fn() -> bool,
        on_iteration: &mut dyn FnMut(&Report),
    ) -> Best {
        self.table.clear();
        self.experience.clear();
        let walk = Walk::new(position, history);
        let moves = walk.legal();
        let picker = Picker::new(walk.board(), &moves, 0, &self.experience, Arrival::default(), 0);
        let mut order: Vec<Move> = picker.collect();
        let score = if order.is_empty() { -MATE } else { evaluate(&walk) };
        let mut best = Best {
            played: order.first().copied(),
            score,
            mate: mate_in(score),
            depth: 0,
            nodes: 0,
            pv: order.first().copied().into_iter().collect(),
        };
        if order.is_empty() {
            return best;
        }
        let node_limit = limits.nodes.unwrap_or(u64::MAX);
        let mut tree =
            Tree::new(walk, &mut self.table, &mut self.experience, &self.reductions, node_limit, stop);
        for depth in 1..=limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH) {
            let Some(equals) = tree.iterate(depth as i32, best.score, &mut order) else { break };
            let Some((score, line)) = choose(equals, seed) else { break };
            let nodes = tree.nodes;
            let report = Report { depth, score, mate: mate_in(score), nodes, pv: line };
            on_iteration(&report);
            let Report { depth, score, mate, nodes, pv } = report;
            best = Best { played: pv.first().copied(), score, mate, depth, nodes, pv };
            // A shorter mate would have been seen by now.
            if score.abs() >= MATES && depth as Score > 2 * (MATE - score.abs()) {
                break;
            }
        }
        best.nodes = tree.nodes;
        best
    }
}

/// The best moves of an iteration: their score, and the line of each.
struct Equals {
    score: Score,
    lines: Vec<Vec<Move>>,
}

/// One of the best moves: the seed gives every move a number, the lowest wins.
fn choose(equals: Equals, seed: u64) -> Option<(Score, Vec<Move>)> {
    let number = |line: &Vec<Move>| scramble(scramble(seed) ^ u64::from(first(line)));
    Some((equals.score, equals.lines.into_iter().min_by_key(number)?))
}

/// Half the width of the first window around the score of the iteration before.
const WINDOW: Score = 30;

impl Tree<'_> {
    /// One iteration; `None` if it was stopped. The best moves come to the front of the order.
    fn iterate(&mut self, depth: i32, expected: Score, order: &mut [Move]) -> Option<Equals> {
        self.iteration = depth;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = WINDOW;
        if depth >= 5 && expected.abs() < MATES {
            (alpha, beta) = (expected - width, expected + width);
        }
        loop {
            let equals = self.root(depth, alpha, beta, order)?;
            // The window is opened where the score fell out of it, soon as far as it goes.
            width *= 4;
            let open = width > 1_000;
            if equals.score <= alpha {
                alpha = if open { -INFINITE } else { equals.score - width };
            } else if equals.score >= beta {
                beta = if open { INFINITE } else { equals.score + width };
            } else {
                return Some(equals);
            }
        }
    }

    /// Searches every move of the root. A move that is only as good as the best one so far must be told
    /// from a worse one, so the others are asked to reach the best score, not to pass it.
    fn root(&mut self, depth: i32, alpha: Score, beta: Score, order: &mut [Move]) -> Option<Equals> {
        let mut best = Equals { score: -INFINITE, lines: Vec::new() };
        self.experience.enter(0);
        self.lines.clear(0);
        let mut front = 0;
        for (number, &played) in order.iter().enumerate() {
            let floor = alpha.max(best.score - 1);
            let score = self.root_move(played, depth, number, floor, beta);
            if self.stopped {
                return None;
            }
            if score < best.score {
                continue;
            }
            self.lines.extend(0, played);
            if score > best.score {
                best = Equals { score, lines: Vec::new() };
                front = number;
            }
            best.lines.push(self.lines.at(0).to_vec());
            if score >= beta {
                break;
            }
        }
        if best.score > alpha {
            order[..=front].rotate_right(1);
        }
        if best.score > alpha && best.score < beta {
            let known = Known {
                best: first(&best.lines[0]),
                score: best.score,
                eval: evaluate(&self.walk),
                depth,
                bound: Bound::Exact,
            };
            self.table.put(self.walk.key(), known, 0);
        }
        Some(best)
    }

    fn root_move(&mut self, played: Move, depth: i32, number: usize, floor: Score, beta: Score) -> Score {
        let depth = depth - 1;
        if number == 0 {
            return self.after(played, depth, (floor, beta), 0);
        }
        let quiet = self.walk.board().piece_at(played.to).is_none();
        let reduced = if depth >= 3 && number >= 4 && quiet && !self.walk.checked() {
            (self.reduction(depth, number) - 1).clamp(0, depth - 1)
        } else {
            0
        };
        let mut score = self.after(played, depth - reduced, (floor, floor + 1), 0);
        if score > floor && reduced > 0 {
            score = self.after(played, depth, (floor, floor + 1), 0);
        }
        if score > floor {
            score = self.after(played, depth, (floor, beta), 0);
        }
        score
    }
}
