//! What a tree has found, as values for people and programs.

use super::board::{BLACK, EMPTY, Stone, WHITE};
use super::grid::{NOWHERE, Place};
use super::node::Node;
use super::score::Owners;
use super::tree::Tree;
use crate::go::Vertex;

/// One move that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The move.
    pub vertex: Vertex,
    /// Simulations that began with it.
    pub visits: u32,
    /// The share of them that the player to move won, 0 to 1.
    pub winrate: f64,
    /// The lower end of the 95 % interval of the win rate.
    pub lcb: f64,
    /// What was believed of it beforehand, 0 to 1; over all moves the sum is 1.
    pub prior: f64,
    /// By how many points the player to move leads, komi counted.
    pub score_lead: f64,
    /// The line that it begins, itself first.
    pub pv: Vec<Vertex>,
    /// The visits of each move of that line.
    pub pv_visits: Vec<u32>,
}

/// What is known about the position at the root.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// All simulations.
    pub visits: u32,
    /// The share that the player to move won, 0 to 1; 0.5 before the first.
    pub winrate: f64,
    /// By how many points the player to move leads, komi counted; 0 before the first.
    pub score_lead: f64,
    /// The moves with visits, the most first.
    pub candidates: Vec<Candidate>,
    /// For every point, row by row from the top left: 1 always Black's, -1 always White's.
    pub ownership: Vec<f64>,
}

/// When a player gives up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manners {
    /// Resign when the best move, tried a hundred times at least, wins less than this.
    pub resign_below: f64,
}

impl Default for Manners {
    fn default() -> Manners {
        Manners { resign_below: 0.05 }
    }
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Play there, or pass.
    Play(Vertex),
    /// Give up.
    Resign,
}

/// A point belongs to someone when this share of the playouts agrees.
const SETTLED: f64 = 0.8;

/// Fewer visits are no reason to give up.
const RESIGN_VISITS: u32 = 100;

/// A move that wins more than this after [`SURE_VISITS`] is good enough.
const SURE: f64 = 0.95;
const SURE_VISITS: u32 = 1_000;

impl Tree {
    /// The findings so far.
    pub fn report(&self) -> Report {
        let mut children: Vec<&Node> =
            self.root.children().iter().filter(|child| child.visits() > 0 && !child.is_banned()).collect();
        children.sort_by_key(|child| std::cmp::Reverse(child.visits()));
        let prior_sum: f64 = self.root.children().iter().map(|child| f64::from(child.prior.mean())).sum();
        let candidates = children.into_iter().map(|child| self.candidate(child, prior_sum)).collect();
        let grid = self.board.grid();
        Report {
            visits: self.root.visits(),
            winrate: self.root.winrate().map_or(0.5, |opponents| 1.0 - opponents),
            score_lead: self.root.lead().map_or(0.0, |lead| self.for_player(lead)),
            candidates,
            ownership: grid.size().points().map(|point| self.ownership(grid.place(point))).collect(),
        }
    }

    fn for_player(&self, black_lead: f64) -> f64 {
        let lead = black_lead - f64::from(self.komi);
        if self.to_play == BLACK { lead } else { -lead }
    }

    fn candidate(&self, child: &Node, prior_sum: f64) -> Candidate {
        let visits = child.visits();
        let winrate = child.winrate().unwrap_or_default().clamp(0.0, 1.0);
        let deviation = (winrate * (1.0 - winrate) / f64::from(visits.max(1))).sqrt();
        let (mut pv, mut pv_visits) = (Vec::new(), Vec::new());
        let mut next = Some(child);
        while let Some(node) = next.filter(|_| pv.len() < 40) {
            pv.push(self.board.grid().vertex(node.place));
            pv_visits.push(node.visits());
            next = most_visited(node);
        }
        Candidate {
            vertex: self.board.grid().vertex(child.place),
            visits,
            winrate,
            lcb: winrate - 1.96 * deviation,
            prior: f64::from(child.prior.mean()) / prior_sum.max(f64::MIN_POSITIVE),
            score_lead: child.lead().map_or(0.0, |lead| self.for_player(lead)),
            pv,
            pv_visits,
        }
    }

    /// The move to make: the one that was tried most, a pass if the game is decided and nothing is
    /// left, or to give up.
    pub fn choose(&self, manners: &Manners) -> Choice {
        if self.may_pass() {
            return Choice::Play(Vertex::Pass);
        }
        match most_visited(&self.root) {
            None => Choice::Play(Vertex::Pass),
            Some(best)
                if best.visits() >= RESIGN_VISITS
                    && best.winrate().is_some_and(|winrate| winrate < manners.resign_below) =>
            {
                Choice::Resign
            }
            Some(best) => Choice::Play(self.board.grid().vertex(best.place)),
        }
    }

    /// Whether more simulations would hardly change the choice: the second move cannot catch up in the
    /// `rest` visits that are left, or the best one wins nearly always.
    pub fn is_clear(&self, rest: u32) -> bool {
        let tried = self.root.children().iter().filter(|child| !child.is_banned());
        let mut most = [0; 2];
        for visits in tried.map(Node::visits) {
            if visits > most[0] {
                most = [visits, most[0]];
            } else {
                most[1] = most[1].max(visits);
            }
        }
        let sure = most[0] >= SURE_VISITS
            && most_visited(&self.root).and_then(Node::winrate).is_some_and(|winrate| winrate > SURE);
        sure || most[0] - most[1] > rest
    }

    /// Whether a pass is good enough: everything is settled, and the player wins.
    fn may_pass(&self) -> bool {
        if self.root.children().iter().any(|child| child.place == NOWHERE && child.is_banned()) {
            return false;
        }
        let standing = f64::from(Owners::new().count(&self.board));
        if self.settings.cleanup {
            return self.passes == 1 && self.for_player(standing) > 0.0;
        }
        if self.playouts() < 100 {
            return false;
        }
        let mut lead = 0.0;
        let grid = self.board.grid();
        for point in grid.size().points() {
            let place = grid.place(point);
            match self.owner(place) {
                BLACK => lead += 1.0,
                WHITE => lead -= 1.0,
                // A neutral point is worth a move to someone, unless the other has passed already or
                // the player cannot fill it.
                _ if self.board.at(place) == EMPTY
                    && (self.passes == 1 || !self.board.is_legal(place, self.to_play)) => {}
                _ => return false,
            }
        }
        self.for_player(lead) > 0.0
    }

    /// Whose a point is if the playouts agree.
    pub fn owner(&self, place: Place) -> Stone {
        let share = self.ownership(place);
        if share > SETTLED {
            BLACK
        } else if share < -SETTLED {
            WHITE
        } else {
            EMPTY
        }
    }
}

fn most_visited(node: &Node) -> Option<&Node> {
    let tried = node.children().iter().filter(|child| child.visits() > 0 && !child.is_banned());
    // Of equals the first.
    tried.reduce(|best, child| if child.visits() > best.visits() { child } else { best })
}
