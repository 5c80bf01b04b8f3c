//! The moves of a game on the board: legality and order.

use crate::go::referee::Ko;
use crate::go::{Color, Point, Vertex};

use super::super::value;
use super::super::{Code, Finding, Fix, NodeId, Severity, Span, TextEdit};
use super::game::{Contents, GameCheck, Played};
use super::line::LOOK_BACK;

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
        self.line.stood(node);
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
        let is_last =
            self.record.properties(self.root).next_back().is_some_and(|last| last.span() == first.span);
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
        let later = self.moves.iter().skip(2);
        let fix = later.fold(fix, |fix, played| fix.and(TextEdit::insert(played.span.start, ";")));
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
        if self.line.is_new() {
            self.line.stood(self.root);
        }
        let before = self.line.board.at(point);
        let did = self.line.board.play(played.color, point);
        let may_repeat = judged && self.line.wants_repetitions();
        let repeated = if may_repeat { self.line.repeated(self.record, played.color) } else { None };
        self.line.stood(node);
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
        if self.sink.is_full(Code::OccupiedPoint) {
            return;
        }
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
        line.by_ref()
            .take(LOOK_BACK)
            .find_map(|node| {
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
        self.line.state.said_repeated = true;
        let (code, en, zh) = if forbidden {
            (
                Code::Superko,
                "the whole board stood so before; the rules forbid that",
                "全局同形再现，规则不允许",
            )
        } else {
            (Code::RepeatedPosition, "the whole board stood so before", "全局同形再现")
        };
        if self.sink.is_full(code) {
            return;
        }
        let there = self.record.node(earlier).span;
        let number = super::super::move_number(self.record, earlier);
        let finding = Finding::new(code, span, en, zh);
        let (en, zh) = (format!("after move {number}"), format!("第 {number} 手之后"));
        self.sink.push(finding.relating(there, en, zh));
    }
}
