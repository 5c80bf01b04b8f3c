//! A line of the tree, and the board along it.

use crate::go::referee::{Ko, MoveRules};
use crate::go::{Color, Point, Size};

use super::super::position::movers;
use super::super::{Code, Finding, NodeId, Record};
use super::Sink;
use super::replay::{Mark, Replay};

/// How many positions of a line are looked through for one that comes again.
pub(super) const LOOK_BACK: usize = 1000;

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
    /// Positions of the line, each with the node that it stood behind.
    pub history: Vec<(u64, NodeId)>,
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
                self.history.truncate(state.history);
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
        self.history.push((self.board.hash(), node));
        self.state.most = self.state.most.max(self.board.stones());
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

    /// The node behind which the same stones stood before, the earliest of those looked at; with
    /// the side to move alike where the rules ask for that.
    pub fn repeated(&self, record: &Record, color: Color) -> Option<NodeId> {
        let hash = self.board.hash();
        let from = self.history.len().saturating_sub(LOOK_BACK);
        let recent = self.history.get(from..)?.iter();
        let mut alike = recent.filter(|(before, _)| *before == hash).map(|(_, node)| *node);
        if self.state.rules.ko != Ko::Situational {
            return alike.next();
        }
        alike.find(|node| movers(record, *node).last().is_some_and(|(mover, _)| mover == color))
    }
}
