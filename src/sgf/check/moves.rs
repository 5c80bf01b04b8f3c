//! The moves of a game on the board: legality, order, handicap.

use crate::go::referee::{Ko, MoveRules};
use crate::go::{Color, Point, Size, Vertex};

use super::super::position::movers;
use super::super::value::{self, number};
use super::super::{Code, Finding, Fix, NodeId, Record, Severity, Span, TextEdit};
use super::Sink;
use super::game::{Contents, GameCheck, Played};
use super::replay::{Mark, Replay};

/// How many positions of a line are looked through for one that comes again.
const LOOK_BACK: usize = 1000;

/// What holds at a node of a line.
#[derive(Debug, Clone, Copy)]
struct State {
    mark: Mark,
    /// How many positions stood before.
    history: usize,
    /// Who moved last, when nothing was set up since.
    last: Option<Color>,
    /// Nobody but Black has moved.
    opening: bool,
    /// Two moves of one side in a row were reported.
    said_twice: bool,
    /// A position that came again was reported.
    said_repeated: bool,
    /// The nearest node with facts about the game.
    game_info: Option<NodeId>,
    rules: MoveRules,
}

/// A line of the tree from the root to the node that is looked at.
#[derive(Debug)]
pub(super) struct Line {
    board: Replay,
    state: State,
    /// The state behind each node where lines part.
    forks: Vec<(NodeId, State)>,
    /// The node that was looked at last.
    tip: Option<NodeId>,
    current: Option<NodeId>,
    forks_here: bool,
    /// The state before the node's own set-up.
    before: Mark,
    /// Positions of the line, each with the node that it stood behind.
    history: Vec<(u64, NodeId)>,
    /// Whether the board is no longer followed.
    lost: bool,
}

impl Line {
    pub fn new(size: Size) -> Line {
        let state = State {
            mark: Mark::default(),
            history: 0,
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

    /// Set-up starts the history anew, and either side may go on.
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
    fn repeated(&self, record: &Record, color: Color) -> Option<NodeId> {
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

fn name(color: Color) -> (&'static str, &'static str) {
    match color {
        Color::Black => ("Black", "黑方"),
        Color::White => ("White", "白方"),
    }
}

impl<'r> GameCheck<'r, '_> {
    /// Does what the node does, and says what is wrong with it.
    pub fn play(&mut self, node: NodeId, contents: &Contents) {
        if contents.stones {
            self.after_setup(node, contents);
        } else if contents.sets_player {
            self.line.state.last = None;
        }
        let (Some(first), count) = (self.moves.first().copied(), self.moves.len()) else { return };
        if let Some(setup) = contents.setup {
            self.setup_and_move(first, setup, contents.stones);
        } else if node == self.root {
            self.move_in_root(first);
        }
        let judged = !contents.stones && !contents.forced;
        for index in 0..count {
            let played = self.moves[index];
            if index == 1 {
                self.two_moves(first, played);
            }
            if index == 0 && judged {
                self.in_turn(played);
            }
            self.execute(node, played, judged);
            self.line.state.last = Some(played.color);
            self.line.state.opening &= played.color == Color::Black;
        }
    }

    fn after_setup(&mut self, node: NodeId, contents: &Contents) {
        if self.line.lost {
            return;
        }
        self.line.history.push((self.line.board.hash(), node));
        let Some(span) = contents.setup.filter(|_| self.moves.is_empty()) else { return };
        let dead = self.line.board.dead_since(self.line.before);
        let Some(first) = dead.first() else { return };
        let (count, at) = (dead.len(), value::point_text(*first).unwrap_or_default());
        self.sink.push(Finding::new(
            Code::SetupWithoutLiberties,
            span,
            match count {
                1 => format!("a stone without liberties after this set-up, at {at}"),
                _ => format!("{count} stones without liberties after this set-up, the first at {at}"),
            },
            format!("摆子后有 {count} 个无气的棋子，第一个在 {at}"),
        ));
    }

    fn setup_and_move(&mut self, first: Played, setup: Span, stones: bool) {
        let mut finding = if stones {
            Finding::new(
                Code::SetupAndMove,
                setup,
                "set-up and a move in one node; the set-up is done first",
                "同一节点中既有摆子又有着法；先执行摆子",
            )
        } else {
            Finding::new(
                Code::SetupAndMove,
                setup,
                "PL belongs to set-up, not into a node with a move",
                "PL 属于摆子，不应与着法在同一节点",
            )
        };
        if !stones {
            finding.severity = Severity::Hint;
        }
        self.sink.push(finding.relating(first.span, "the move", "着法"));
    }

    fn move_in_root(&mut self, first: Played) {
        let finding = Finding::new(
            Code::MoveInRoot,
            first.span,
            "moves belong behind the root, into a node of their own",
            "着法应在根节点之后的单独节点中",
        );
        let is_last = self.record.properties(self.root).next_back().is_some_and(|last| last.span() == first.span);
        let starts = first.span.start == self.record.node(self.root).span.start;
        let fix = Fix::new("start a node", "另起一个节点", TextEdit::insert(first.span.start, ";"));
        self.sink.push(finding.with_fix((is_last && !starts).then_some(fix)));
    }

    fn two_moves(&mut self, first: Played, second: Played) {
        let finding = Finding::new(
            Code::TwoMoves,
            second.span,
            "a second move in this node; they are played one after the other",
            "此节点有第二个着法；依次执行",
        );
        let finding = finding.relating(first.span, "the first move", "第一个着法");
        let fix = Fix::new("start a node", "另起一个节点", TextEdit::insert(second.span.start, ";"));
        self.sink.push(finding.with_fix(fix));
    }

    /// Two moves of one side in a row: said once a line, and not of handicap stones.
    fn in_turn(&mut self, played: Played) {
        let state = &mut self.line.state;
        let handicap = state.opening && self.handicap_moves > 0;
        if state.last != Some(played.color) || state.said_twice || handicap {
            return;
        }
        state.said_twice = true;
        let (en, zh) = name(played.color);
        self.sink.push(Finding::new(
            Code::SameColorTwice,
            played.span,
            format!("{en} moves twice in a row"),
            format!("{zh}连下两手"),
        ));
    }

    fn execute(&mut self, node: NodeId, played: Played, judged: bool) {
        if self.line.lost {
            return;
        }
        let point = match played.vertex {
            Some(Vertex::At(point)) => point,
            Some(Vertex::Pass) => return self.line.board.pass(),
            None => return,
        };
        if self.line.history.is_empty() {
            self.line.history.push((self.line.board.hash(), self.root));
        }
        let before = self.line.board.at(point);
        let did = self.line.board.play(played.color, point);
        let repeated = if did.took { self.line.repeated(self.record, played.color) } else { None };
        self.line.history.push((self.line.board.hash(), node));
        if !judged {
            return;
        }
        let Played { color, span, .. } = played;
        if did.occupied {
            self.occupied(node, span, point, before.unwrap_or(color));
        } else if did.ko {
            let (en, zh) = ("this retakes a ko at once", "立即回提劫");
            self.sink.push(Finding::new(Code::Ko, span, en, zh));
        } else if did.suicide && !self.line.state.rules.suicide {
            let (en, zh) = ("this takes its own last liberty", "此着使己方棋子无气（自杀）");
            self.sink.push(Finding::new(Code::Suicide, span, en, zh));
        } else if let Some(earlier) = repeated {
            self.repeats(span, earlier);
        }
    }

    fn occupied(&mut self, node: NodeId, span: Span, point: Point, stone: Color) {
        let at = value::point_text(point).unwrap_or_default();
        let (en, zh) = name(stone);
        let mut finding = Finding::new(
            Code::OccupiedPoint,
            span,
            format!("a stone of {en} stands on {at}; it is replaced"),
            format!("{at} 上已有{zh}棋子；将被替换"),
        );
        if let Some(placed) = self.placed_by(node, point) {
            finding = finding.relating(placed, "it was placed here", "在此处落子");
        }
        self.sink.push(finding);
    }

    /// The property that placed the stone on a point, as far as it is not far back.
    fn placed_by(&self, node: NodeId, point: Point) -> Option<Span> {
        let mut line = std::iter::successors(self.record.parent(node), |node| self.record.parent(*node));
        line.by_ref().take(LOOK_BACK).find_map(|node| {
            let mut properties = self.record.properties(node).rev();
            properties.find(|property| match property.ident().as_ref() {
                "B" | "W" => value::point(property.first_raw(), self.size) == Ok(point),
                "AB" | "AW" => property.values().take(LOOK_BACK).any(|value| {
                    value::rectangle(value.raw(), self.size).is_ok_and(|area| area.contains(point))
                }),
                _ => false,
            })
        })
        .map(|property| property.span())
    }

    fn repeats(&mut self, span: Span, earlier: NodeId) {
        let forbidden = self.line.state.rules.ko != Ko::Simple;
        // Where it is allowed, once a line is enough.
        if !forbidden && std::mem::replace(&mut self.line.state.said_repeated, true) {
            return;
        }
        let (code, en, zh) = if forbidden {
            (Code::Superko, "the whole board stood so before; the rules forbid that", "全局同形再现，规则不允许")
        } else {
            (Code::RepeatedPosition, "the whole board stood so before", "全局同形再现")
        };
        let there = self.record.node(earlier).span;
        let number = super::super::move_number(self.record, earlier);
        let finding = Finding::new(code, span, en, zh);
        let (en, zh) = (format!("after move {number}"), format!("第 {number} 手之后"));
        self.sink.push(finding.relating(there, en, zh));
    }

    /// What the beginning of the game says about its handicap.
    pub fn opening(&mut self) {
        let property = self.record.property(self.root, "HA");
        let stated = property.and_then(|ha| number(ha.first_raw()).ok()).filter(|stones| *stones >= 2);
        let count = self.handicap_moves;
        if let (Some(first), Some(last)) = (self.opening.leading.first(), self.opening.leading.last())
            && count > 0
        {
            let (first, last) = (self.record.node(*first).span, self.record.node(*last).span);
            let finding = Finding::new(
                Code::HandicapAsMoves,
                first,
                format!("Black's first {count} moves are taken for handicap stones"),
                format!("黑方最初的 {count} 手视为让子"),
            );
            self.sink.push(finding.relating(last, "the last of them", "其中最后一手"));
            return;
        }
        let [black, white] = self.opening.stones;
        let (Some(ha), Some(stones), true, 0) = (property, stated, self.opening.is_played, white) else { return };
        let Some(value) = ha.values().next() else { return };
        if black == 0 {
            self.sink.push(Finding::new(
                Code::HandicapWithoutStones,
                value.span(),
                format!("a handicap of {stones}, but no black stones are set up"),
                format!("写明让 {stones} 子，但没有摆黑子"),
            ));
        } else if black as i64 != stones {
            let finding = Finding::new(
                Code::HandicapMismatch,
                value.span(),
                format!("a handicap of {stones}, but {black} black stones are set up"),
                format!("写明让 {stones} 子，但摆了 {black} 个黑子"),
            );
            let title = (format!("write {black}"), format!("改写为 {black}"));
            let edit = TextEdit::replace(value.raw_span(), black.to_string());
            self.sink.push(finding.with_fix(Fix::new(title.0, title.1, edit)));
        }
    }
}
