//! Alpha-beta with a principal variation.

use crate::xiangqi::board::MoveList;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::Kind;

use super::evaluate::evaluate;
use super::order::{Arrival, Experience, Lines, Picker, victim};
use super::score::{DECIDED, INFINITE, MATE, MATES, MAX_PLY, Score};
use super::table::{Bound, Known, Table};
use super::walk::Walk;

/// Nodes between two questions whether to stop.
const PATIENCE: u64 = 1_024;

/// A search under way.
pub(super) struct Tree<'a> {
    pub(super) walk: Walk,
    pub(super) table: &'a mut Table,
    pub(super) experience: &'a mut Experience,
    pub(super) lines: Lines,
    /// By ply: the static evaluation, if the side to move was not in check.
    evals: Vec<Option<Score>>,
    reductions: &'a Reductions,
    pub(super) nodes: u64,
    pub(super) node_limit: u64,
    stop: &'a dyn Fn() -> bool,
    /// The search was told to stop: whatever comes back is worth nothing.
    pub(super) stopped: bool,
    /// Depth of the iteration.
    pub(super) iteration: i32,
}

/// Plies by which late moves are searched less deeply, by depth and number of the move.
pub(super) struct Reductions([[u8; 64]; 64]);

impl Reductions {
    pub(super) fn new() -> Reductions {
        let mut table = [[0; 64]; 64];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                *plies = (0.5 + (depth as f64).ln() * (number as f64).ln() / 2.2) as u8;
            }
        }
        Reductions(table)
    }

    fn at(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        walk: Walk,
        table: &'a mut Table,
        experience: &'a mut Experience,
        reductions: &'a Reductions,
        node_limit: u64,
        stop: &'a dyn Fn() -> bool,
    ) -> Tree<'a> {
        Tree {
            walk,
            table,
            experience,
            lines: Lines::new(),
            evals: vec![None; MAX_PLY + 2],
            reductions,
            nodes: 0,
            node_limit,
            stop,
            stopped: false,
            iteration: 0,
        }
    }

    /// Counts a node; true if the search is to end.
    pub(super) fn count(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.node_limit || self.nodes.is_multiple_of(PATIENCE) && (self.stop)() {
            self.stopped = true;
        }
        self.stopped
    }

    /// The score of a move from the root, for who plays it, in the given window.
    pub(super) fn after(&mut self, played: Move, depth: i32, window: (Score, Score), ply: usize) -> Score {
        let last = Arrival::of(self.walk.board(), played);
        let undo = self.walk.make(played);
        let score = -self.node(-window.1, -window.0, depth, ply + 1, last);
        self.walk.unmake(played, undo);
        score
    }

    /// How many plies a late move may be searched less deeply, at the root too.
    pub(super) fn reduction(&self, depth: i32, number: usize) -> i32 {
        self.reductions.at(depth, number)
    }

    /// The score of the position on the walk, for the side to move: exact if it lies between the two
    /// bounds, else a bound on the same side of them.
    fn node(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        last: Arrival,
    ) -> Score {
        self.lines.clear(ply);
        let checked = self.walk.checked();
        // A check is answered before anything is judged, as long as the line is not all checks.
        if checked && (ply as i32) < 2 * self.iteration {
            depth += 1;
        }
        if depth <= 0 {
            return self.quiesce(alpha, beta, ply);
        }
        if self.count() {
            return 0;
        }
        if let Some(ruling) = self.walk.repeated() {
            return ruling;
        }
        if self.walk.exhausted() {
            return if self.walk.legal().is_empty() { ply as Score - MATE } else { 0 };
        }
        if ply >= MAX_PLY {
            return evaluate(&self.walk);
        }
        // No line from here can be better than mate with the next move, or worse than mate now.
        // Principal variations are followed to their end, so as to be known.
        let principal = beta - alpha > 1;
        if !principal {
            alpha = alpha.max(ply as Score - MATE);
            beta = beta.min(MATE - ply as Score - 1);
            if alpha >= beta {
                return alpha;
            }
        }

        let key = self.walk.key();
        let known = self.table.get(key, ply);
        if let Some(known) = known
            && !principal
            && known.depth >= depth
            && settles(known, alpha, beta)
        {
            return known.score;
        }
        let first = known.map_or(0, |known| known.best);
        let eval = match (checked, known) {
            (true, _) => None,
            (false, Some(known)) => Some(known.eval),
            (false, None) => Some(evaluate(&self.walk)),
        };
        self.evals[ply] = eval;
        let improving =
            ply < 2 || self.evals[ply - 2].is_none_or(|before| eval.is_some_and(|now| now > before));

        let (best, score) = (0, -INFINITE);
        let mut node =
            Node { alpha, beta, depth, ply, last, principal, checked, improving, eval, best, score };
        if !principal && let Some(score) = self.shortcut(&node) {
            return score;
        }
        // Without a move to try first, a shallower search finds one sooner.
        if first == 0 && depth >= 4 {
            node.depth -= 1;
        }
        let moves = self.walk.legal();
        if moves.is_empty() {
            return ply as Score - MATE;
        }
        self.experience.enter(ply);
        self.try_moves(&mut node, &moves, first);
        if self.stopped {
            return 0;
        }
        // A loss by perpetual check belongs to this line, not to the position.
        if !(DECIDED..MATES).contains(&node.score.abs()) {
            let bound = match node.score {
                score if score >= beta => Bound::Lower,
                score if score > alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            let (best, score, depth, eval) = (node.best, node.score, node.depth, eval.unwrap_or(0));
            self.table.put(key, Known { best, score, eval, depth, bound }, ply);
        }
        node.score
    }

    /// Ways to see without trying moves that a position is too good or too bad to matter.
    fn shortcut(&mut self, node: &Node) -> Option<Score> {
        let &Node { alpha, beta, depth, ply, .. } = node;
        let eval = node.eval.filter(|_| beta.abs() < DECIDED)?;
        // So far above that a few plies will not bring it down.
        if depth <= 6 && eval - 75 * (depth - i32::from(node.improving)) >= beta {
            return Some(eval);
        }
        // So far below that only a capture could help.
        if depth <= 2 && eval + 220 * depth + 60 < alpha {
            let score = self.quiesce(alpha, beta, ply);
            return (score <= alpha).then_some(score);
        }
        // If even passing is good enough, so is some move: unless every move is bad, as it can be with
        // few pieces.
        let reserve = self.reserve();
        if depth >= 3 && eval >= beta && node.last != Arrival::default() && reserve >= 2 {
            let reduced = depth - 3 - depth / 4 - ((eval - beta) / 200).min(2);
            self.walk.pass();
            let score = -self.node(-beta, 1 - beta, reduced, ply + 1, Arrival::default());
            self.walk.unpass();
            if self.stopped {
                return Some(0);
            }
            if score >= beta && (reserve >= 4 && depth < 10 || self.holds(beta, reduced, ply)) {
                return Some(if score >= DECIDED { beta } else { score });
            }
        }
        None
    }

    /// Whether the side to move holds `beta` with a real move as well.
    fn holds(&mut self, beta: Score, depth: i32, ply: usize) -> bool {
        self.node(beta - 1, beta, depth.max(1), ply, Arrival::default()) >= beta
    }

    /// Pieces of the side to move that are not easily out of moves; a rook counts twice.
    fn reserve(&self) -> i32 {
        let us = self.walk.board().turn();
        let of = |kind| self.walk.count(us, kind);
        2 * of(Kind::Rook) + of(Kind::Horse) + of(Kind::Cannon)
    }

    /// Tries the moves one after the other.
    fn try_moves(&mut self, node: &mut Node, moves: &MoveList, known: u16) {
        let picker = Picker::new(self.walk.board(), moves, known, self.experience, node.last, node.ply);
        let mut quiet = [0u16; 64];
        let mut quiets = 0;
        for (number, played) in picker.enumerate() {
            let is_quiet = victim(self.walk.board(), played.to).is_none();
            let arrival = Arrival::of(self.walk.board(), played);
            if is_quiet && node.skips(number, quiets) {
                continue;
            }
            let undo = self.walk.make(played);
            let score = if is_quiet && node.hopeless(quiets) && !self.walk.checked() {
                None
            } else {
                Some(self.try_move(node, number, played, arrival, is_quiet))
            };
            self.walk.unmake(played, undo);
            if self.stopped {
                return;
            }
            let Some(score) = score else { continue };
            if score > node.score {
                node.score = score;
                if score > node.alpha {
                    node.best = played.code();
                    node.alpha = score;
                    self.lines.extend(node.ply, played);
                }
                if score >= node.beta {
                    if is_quiet {
                        let tried = &quiet[..quiets.min(quiet.len())];
                        self.experience.learn(
                            self.walk.board(),
                            (node.ply, node.last),
                            node.depth,
                            played,
                            tried,
                        );
                    }
                    return;
                }
            }
            if is_quiet {
                if let Some(place) = quiet.get_mut(quiets) {
                    *place = played.code();
                }
                quiets += 1;
            }
        }
    }

    /// The score of a move that has been made: the first in the full window, the others only as far as
    /// needed to see that they are no better.
    fn try_move(&mut self, node: &Node, number: usize, played: Move, last: Arrival, quiet: bool) -> Score {
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        let (alpha, beta) = (node.alpha, node.beta);
        if number == 0 {
            return -self.node(-beta, -alpha, depth, ply, last);
        }
        let mut reduced = 0;
        if node.depth >= 3 && number >= 2 + 2 * usize::from(node.principal) && quiet && !node.checked {
            reduced = self.reductions.at(node.depth, number);
            reduced -= i32::from(node.principal) + i32::from(self.walk.checked());
            reduced += i32::from(!node.improving);
            reduced -= i32::from(self.experience.is_killer(played, node.ply));
            reduced -= self.experience.history(last) / 3_000;
            reduced = reduced.clamp(0, depth - 1);
        }
        let mut score = -self.node(-alpha - 1, -alpha, depth - reduced, ply, last);
        if score > alpha && reduced > 0 {
            score = -self.node(-alpha - 1, -alpha, depth, ply, last);
        }
        if score > alpha && score < beta {
            score = -self.node(-beta, -alpha, depth, ply, last);
        }
        score
    }
}

/// What a node knows of itself while its moves are tried.
struct Node {
    alpha: Score,
    beta: Score,
    depth: i32,
    ply: usize,
    last: Arrival,
    principal: bool,
    checked: bool,
    improving: bool,
    eval: Option<Score>,
    best: u16,
    score: Score,
}

impl Node {
    /// Whether there have been enough quiet moves for this depth. Never while all moves lose: what has
    /// not been tried must not count as lost.
    fn skips(&self, number: usize, quiets: usize) -> bool {
        let enough = (4 + self.depth * self.depth) as usize;
        let enough = if self.improving { 2 * enough } else { enough };
        number > 0
            && !self.principal
            && !self.checked
            && self.score > -DECIDED
            && self.depth <= 5
            && quiets >= enough
    }

    /// Whether a quiet move that gives no check cannot bring the score up to alpha.
    fn hopeless(&self, quiets: usize) -> bool {
        !self.principal
            && quiets > 0
            && self.score > -DECIDED
            && self.depth <= 5
            && self.eval.is_some_and(|eval| eval + 90 + 90 * self.depth <= self.alpha)
    }
}

/// Whether a stored score is enough to end a search in this window.
fn settles(known: Known, alpha: Score, beta: Score) -> bool {
    match known.bound {
        Bound::Exact => true,
        Bound::Lower => known.score >= beta,
        Bound::Upper => known.score <= alpha,
    }
}
