//! A line of the tree, and the board along it.

use crate::go::referee::{Ko, MoveRules};
use crate::go::{Color, Point, Size};

use super::super::position::{movers, turn};
use super::super::{Code, Finding, NodeId, Record};
use super::Sink;
use super::replay::{Mark, Replay};

/// How many positions of a line are looked through for one that comes again.
pub(super) const LOOK_BACK: usize = 1000;

/// How many lists the positions of a line are spread over.
const SLOTS: usize = 256;

/// A position of the line.
#[derive(Debug, Clone, Copy)]
struct Stood {
    /// The fingerprint of its stones.
    hash: u64,
    /// The node that it stood behind.
    node: NodeId,
    /// The position before it in the same list, as [`Line::last_stood`] counts.
    before: u32,
}

/// What holds at a node of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub mark: Mark,
    /// How many positions stood before.
    pub history: usize,
    /// The most stones that were on the board at once: with more than ever, no position comes again.
    pub most: u32,
    /// Who moved last, when nothing was set up since.
    pub last: Option<Color>,
    /// Nobody but Black has moved.
    pub opening: bool,
    /// Two moves of one side in a row were reported.
    pub said_twice: bool,
    /// A position that came again was reported.
    pub said_repeated: bool,
    /// The nearest node with facts about the game.
    pub game_info: Option<NodeId>,
    pub rules: MoveRules,
}

/// A line of the tree from the root to the node that is looked at.
#[derive(Debug)]
pub(super) struct Line {
    pub board: Replay,
    pub state: State,
    /// The state behind each node where lines part.
    forks: Vec<(NodeId, State)>,
    /// The node that was looked at last.
    tip: Option<NodeId>,
    current: Option<NodeId>,
    forks_here: bool,
    /// The state before the node's own set-up.
    pub before: Mark,
    history: Vec<Stood>,
    /// For the low bits of a fingerprint the last position of the line with it: one more than its place
    /// in the history, 0 for none.
    last_stood: [u32; SLOTS],
    /// Whether the board is no longer followed.
    pub lost: bool,
}

impl Line {
    pub fn new(size: Size) -> Line {
        let state = State {
            mark: Mark::default(),
            history: 0,
            most: 0,
            last: None,
            opening: true,
            said_twice: false,
            said_repeated: false,
            game_info: None,
            rules: MoveRules::named(None),
        };
        Line {
            board: Replay::new(size),
            state,
            forks: Vec::new(),
            tip: None,
            current: None,
            forks_here: false,
            before: Mark::default(),
            history: Vec::new(),
            last_stood: [0; SLOTS],
            lost: false,
        }
    }

    /// Goes to a node. Nodes come in the order of the text, parents before their children.
    pub fn enter(&mut self, record: &Record, node: NodeId) {
        let parent = record.parent(node);
        if parent != self.tip {
            while let Some((fork, state)) = self.forks.pop() {
                if Some(fork) != parent {
                    continue;
                }
                self.state = state;
                self.board.rewind(state.mark);
                self.forget(state.history);
                if record.next_sibling(node).is_some() {
                    self.forks.push((fork, state));
                }
                break;
            }
        }
        self.current = Some(node);
        self.forks_here = record.has_variations(node);
        self.before = self.board.mark();
    }

    /// Notes what holds behind the node.
    pub fn leave(&mut self) {
        self.tip = self.current;
        if self.forks_here
            && let Some(node) = self.current
        {
            self.state.mark = self.board.mark();
            self.state.history = self.history.len();
            self.forks.push((node, self.state));
        }
    }

    pub fn rules(&mut self, name: &str) {
        self.state.rules = MoveRules::named(Some(name));
    }

    /// Notes a node with facts about the game; the one before it on the line.
    pub fn game_info(&mut self, node: NodeId) -> Option<NodeId> {
        self.state.game_info.replace(node)
    }

    pub fn set(&mut self, point: Point, stone: Option<Color>) {
        if !self.lost {
            self.board.set(point, stone);
        }
    }

    /// Notes the position as one of the line's.
    pub fn stood(&mut self, node: NodeId) {
        let hash = self.board.hash();
        let last = &mut self.last_stood[slot(hash)];
        let before = std::mem::replace(last, self.history.len() as u32 + 1);
        self.history.push(Stood { hash, node, before });
        self.state.most = self.state.most.max(self.board.stones());
    }

    /// Whether no position was noted yet.
    pub fn is_new(&self) -> bool {
        self.history.is_empty()
    }

    /// Leaves only the first positions of the line.
    fn forget(&mut self, length: usize) {
        while self.history.len() > length {
            let Some(stood) = self.history.pop() else { break };
            self.last_stood[slot(stood.hash)] = stood.before;
        }
    }

    /// After set-up either side may go on.
    pub fn was_set_up(&mut self) {
        self.state.last = None;
    }

    /// Stops following the board: the set-up would take too long.
    pub fn give_up(&mut self, record: &Record, node: NodeId, sink: &mut Sink<'_>) {
        if std::mem::replace(&mut self.lost, true) {
            return;
        }
        sink.push(Finding::new(
            Code::TooMuchSetup,
            record.node(node).span,
            "there is too much set-up; from here on moves are not checked on the board",
            "摆子太多；从此处起不再在棋盘上检查着法",
        ));
    }

    /// Whether it matters that the position stood before, and could be so: where it is allowed, once a
    /// line is enough.
    pub fn wants_repetitions(&self) -> bool {
        let said = self.state.said_repeated && self.state.rules.ko == Ko::Simple;
        !said && self.board.stones() <= self.state.most
    }

    /// The node behind which the same stones stood before, the earliest of those looked at; with
    /// the side to move alike where the rules ask for that.
    pub fn repeated(&self, record: &Record, color: Color) -> Option<NodeId> {
        let hash = self.board.hash();
        let same_list = std::iter::successors(self.stood_at(self.last_stood[slot(hash)]), |stood| {
            self.stood_at(stood.before)
        });
        let alike = same_list.filter(|stood| stood.hash == hash).map(|stood| stood.node);
        if self.state.rules.ko != Ko::Situational {
            return alike.last();
        }
        // Before the first move it is as if the other player had just moved.
        let mover = |node: NodeId| match movers(record, node).last() {
            Some((mover, _)) => mover,
            None => turn(record, node, None).0.opponent(),
        };
        alike.filter(|node| mover(*node) == color).last()
    }

    /// The position of this number, unless it is none or too far back.
    fn stood_at(&self, number: u32) -> Option<&Stood> {
        let index = (number as usize).checked_sub(1)?;
        self.history.get(index).filter(|_| index + LOOK_BACK >= self.history.len())
    }
}

fn slot(hash: u64) -> usize {
    hash as usize % SLOTS
}
