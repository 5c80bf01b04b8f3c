//! The way from the start to a node, as the number of the child taken at each node.

use super::{NodeId, Record};

impl Record {
    /// The children taken from the start to a node, run by run: which, and how often.
    pub fn path_of(&self, id: NodeId) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            let child = self.children(parent).take_while(|child| *child != at).count() as u32;
            match runs.last_mut() {
                Some((last, times)) if *last == child => *times += 1,
                _ => runs.push((child, 1)),
            }
            at = parent;
        }
        runs.reverse();
        runs
    }

    /// The node that a path leads to; `None` if there is none.
    pub fn find(&self, runs: impl IntoIterator<Item = (u32, u32)>) -> Option<NodeId> {
        let mut at = NodeId::ROOT;
        for (child, times) in runs {
            for _ in 0..times {
                at = self.children(at).nth(child as usize)?;
            }
        }
        Some(at)
    }
}
