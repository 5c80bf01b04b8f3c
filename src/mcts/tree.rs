//! A position and everything that has been learned about what follows.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::board::{Board, Stone, Unsuitable, opponent, stone};
use super::grid::{Grid, NOWHERE, PLACES, Place, index};
use super::node::Node;
use super::playout::Habits;
use super::prior::{Belief, Weights};
use crate::go::{self, Position, Step, Vertex};

/// How a tree searches. The default is the strongest that is known.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Points that White gets when the position does not say.
    pub komi: f64,
    /// Nodes that are kept at most; 72 bytes each.
    pub nodes: usize,
    /// Visits after which the moves that follow are looked at.
    pub expand_at: u32,
    /// The larger, the longer the playouts in which a move came later count.
    pub amaf_equivalence: f32,
    /// How much of a win the size of the lead is.
    pub lead_share: f32,
    /// Whether all stones count as alive after two passes, so that dead ones have to be taken off
    /// before. Otherwise the players are taken to agree on them.
    pub cleanup: bool,
    /// Prior beliefs.
    pub weights: Weights,
    /// Playout policy.
    pub habits: Habits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            komi: 7.0,
            nodes: 800_000,
            expand_at: 2,
            amaf_equivalence: 1500.0,
            lead_share: 0.02,
            cleanup: false,
            weights: Weights::default(),
            habits: Habits::default(),
        }
    }
}

/// A tree that grows from a position. Threads share it by reference, each with its own
/// [`Worker`](super::search::Worker).
pub struct Tree {
    pub(super) settings: Settings,
    pub(super) komi: f32,
    pub(super) board: Board,
    pub(super) to_play: Stone,
    /// Passes in a row that led to the root.
    pub(super) passes: u32,
    /// Arrangements that stood before, for positional superko.
    pub(super) history: HashSet<u64>,
    pub(super) root: Node,
    pub(super) nodes: AtomicUsize,
    pub(super) playouts: AtomicU64,
    pub(super) owned: Box<[AtomicI64]>,
}

impl Tree {
    /// A tree for a position. The position's komi counts if it has one.
    ///
    /// # Errors
    /// The size, or a chain without liberties.
    pub fn new(position: &Position, settings: Settings) -> Result<Tree, Unsuitable> {
        let grid = Grid::new(position.size).ok_or(Unsuitable::Size)?;
        let mut plain = go::Board::new(position.size);
        let mut history = HashSet::new();
        let mut last = [NOWHERE; 2];
        let mut passes = 0;
        for step in &position.steps {
            history.insert(Board::hash_of(&grid, &plain));
            step.execute(&mut plain);
            let vertex = match step {
                Step::Play(play) => Some(play.vertex),
                Step::Setup(_) => None,
            };
            passes = if vertex == Some(Vertex::Pass) { passes + 1 } else { 0 };
            last = [vertex.map_or(NOWHERE, |vertex| grid.place_of(vertex)), last[0]];
        }
        let mut board = Board::new(&plain)?;
        board.set_last(last);
        let komi = position.komi.unwrap_or(settings.komi).clamp(-1000.0, 1000.0) as f32;
        Ok(Tree {
            komi,
            to_play: stone(position.to_play),
            // After two the game is over; who looks further wants it to go on.
            passes: passes % 2,
            history,
            root: Node::new(last[0], Belief::default()),
            nodes: AtomicUsize::new(0),
            playouts: AtomicU64::new(0),
            owned: (0..PLACES).map(|_| AtomicI64::new(0)).collect(),
            board,
            settings,
        })
    }

    /// The board at the root.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Who is to move at the root.
    pub fn to_play(&self) -> Stone {
        self.to_play
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Nodes in use.
    pub fn nodes(&self) -> usize {
        self.nodes.load(Relaxed)
    }

    /// Playouts since the root was reached.
    pub fn playouts(&self) -> u64 {
        self.playouts.load(Relaxed)
    }

    /// Whose a point was at the end of the playouts, from 1 (always Black's) to -1 (always White's).
    pub fn ownership(&self, place: Place) -> f64 {
        let sum = self.owned[index(place)].load(Relaxed);
        sum as f64 / self.playouts().max(1) as f64
    }

    /// Goes on to the position after a move, and keeps what is known about it; the rest is dropped.
    /// An illegal move changes nothing; whether it was legal.
    pub fn advance(&mut self, vertex: Vertex) -> bool {
        let place = self.board.grid().place_of(vertex);
        if place == NOWHERE {
            if vertex != Vertex::Pass {
                return false;
            }
            self.passes = (self.passes + 1) % 2;
        } else {
            if !self.board.is_legal(place, self.to_play) {
                return false;
            }
            self.passes = 0;
        }
        self.history.insert(self.board.hash());
        self.board.play(place, self.to_play);
        self.to_play = opponent(self.to_play);
        let children = self.root.take_children().into_vec();
        let known = children.into_iter().find(|child| child.place == place);
        self.root = known.unwrap_or_else(|| Node::new(place, Belief::default()));
        self.nodes.store(self.root.count(), Relaxed);
        self.owned.iter().for_each(|sum| sum.store(0, Relaxed));
        self.playouts.store(0, Relaxed);
        true
    }
}
