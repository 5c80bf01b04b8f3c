//! A tree that is searched, and followed from move to move.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Host, Job};
use crate::go::{Position, Step};
use crate::mcts::grid::Place;
use crate::mcts::{Limits, Settings, Tree, Worker};

/// A tree, the position that it grows from, and who works on it: a worker a thread.
pub struct Searched {
    position: Position,
    pub tree: Tree,
    first: Worker,
    others: Vec<Worker>,
}

impl Searched {
    /// A new tree.
    ///
    /// # Errors
    /// Why the position cannot be searched, in words.
    pub fn new(position: Position, seed: u64, threads: usize) -> Result<Searched, String> {
        let tree = Tree::new(&position, Settings::default()).map_err(|why| why.why().to_owned())?;
        let first = Worker::new(&tree, seed);
        let seeds = (1..threads as u64).map(|number| seed ^ number << 32);
        let others = seeds.map(|seed| Worker::new(&tree, seed)).collect();
        Ok(Searched { position, tree, first, others })
    }

    /// Follows the moves to another position; `None` if none lead there.
    pub fn follow(mut self, wanted: &Position) -> Option<Searched> {
        if self.position.size != wanted.size || self.position.komi != wanted.komi {
            return None;
        }
        let rest = wanted.steps.strip_prefix(&self.position.steps[..])?;
        let mut to_play = self.position.to_play;
        for step in rest {
            match step {
                Step::Play(play) if play.color == to_play && self.tree.advance(play.vertex) => {
                    to_play = to_play.opponent();
                }
                _ => return None,
            }
        }
        self.position = wanted.clone();
        (to_play == wanted.to_play).then_some(self)
    }

    /// To be called before searches of a position; see [`Tree::prepare`].
    pub fn prepare(&mut self, is_allowed: &dyn Fn(Place) -> bool) {
        self.tree.prepare(&mut self.first, is_allowed);
    }

    /// Searches until a limit is reached or `stop` says so.
    pub fn search(&mut self, limits: Limits, host: &dyn Host, stop: &dyn Fn(&Tree) -> bool) {
        let Searched { tree, first, others, .. } = self;
        let (tree, ended) = (&*tree, &AtomicBool::new(false));
        let help = |worker| -> Job<'_> {
            Box::new(move || tree.search(worker, limits, &|| ended.load(Ordering::Relaxed)))
        };
        let mut work = || {
            tree.search(first, limits, &|| stop(tree));
            ended.store(true, Ordering::Relaxed);
        };
        host.together(&mut work, others.iter_mut().map(help).collect());
    }
}
