//! Moves on their way into a record, checked by the rules.

use super::finding::{self, Finding};
use super::walk::Walk;
use super::{NodeId, Record};
use crate::text::{Fix, Severity, Span, TextEdit};
use crate::xiangqi::notation::{Notation, ReadError, read};
use crate::xiangqi::{Move, Position};

/// A record that is being read, with the position where reading is.
pub(super) struct Builder {
    pub record: Record,
    walk: Option<Walk>,
}

impl Builder {
    pub fn new(record: Record) -> Builder {
        Builder { walk: Walk::new(&record), record }
    }

    /// Adds a move that is written as text. What is against it becomes a finding. `black` says that the
    /// move is numbered as Black's.
    pub fn read(
        &mut self,
        parent: NodeId,
        text: &str,
        place: (Span, bool),
        notation: Option<Notation>,
    ) -> Option<NodeId> {
        let (span, black) = place;
        let position = self.position(parent)?;
        let error = match read(&position, text, notation) {
            Ok(played) => return self.push(parent, played, span),
            Err(error) => error,
        };
        let digits = matches!(error, ReadError::RedDigits { .. });
        let turned = parent == NodeId::ROOT
            && (black || !digits)
            && self.turn_start(span, |start| read(start, text, notation).ok());
        if turned {
            return self.read(parent, text, place, notation);
        }
        let finding = finding::unread(&position, &error, span);
        let ReadError::RedDigits { meant: Some(meant) } = error else { return self.refuse(parent, finding) };
        let played = read(&position, &meant, Some(Notation::Chinese)).ok()?;
        let title = (format!("Write {meant}"), format!("改写为{meant}"));
        let fix = Fix::new(title.0, title.1, TextEdit::replace(span, meant)).safe();
        self.record.findings.push(Finding { severity: Severity::Warning, ..finding }.with_fix(fix));
        self.push(parent, played, span)
    }

    /// Adds a move that is given as two points. What is against it becomes a finding.
    pub fn play(&mut self, parent: NodeId, played: Move, span: Span) -> Option<NodeId> {
        let position = self.position(parent)?;
        if position.is_legal(played) {
            return self.push(parent, played, span);
        }
        let turned = parent == NodeId::ROOT
            && self.turn_start(span, |start| Some(played).filter(|it| start.is_legal(*it)));
        if turned {
            return self.push(parent, played, span);
        }
        self.refuse(parent, finding::illegal(&position, played, span))
    }

    /// A move that does not come into the tree.
    pub fn refuse(&mut self, parent: NodeId, finding: Finding) -> Option<NodeId> {
        self.record.findings.push(finding);
        if self.record.first_child(parent).is_none()
            && let Some(node) = self.record.node_mut(parent)
        {
            node.cut = true;
        }
        None
    }

    fn position(&mut self, node: NodeId) -> Option<Position> {
        self.walk.as_mut()?.go(&self.record, node).cloned()
    }

    fn push(&mut self, parent: NodeId, played: Move, span: Span) -> Option<NodeId> {
        let node = self.record.push(parent, played, span);
        if node.is_none() {
            let limit = Record::MAX_NODES;
            let said = (format!("more than {limit} moves in one game"), format!("一局棋超过 {limit} 步"));
            self.record.findings.push(finding::new("too-many-moves", Severity::Error, span, said));
        }
        node
    }

    /// Programs often leave the side to move as it was: if the first move is legal for the other side
    /// that one is to move.
    fn turn_start(&mut self, span: Span, legal: impl Fn(&Position) -> Option<Move>) -> bool {
        if self.record.node_count() > 1 {
            return false;
        }
        let Some(start) = &self.record.start else { return false };
        let mut setup = start.setup().clone();
        setup.turn = setup.turn.opposite();
        let Ok(turned) = Position::new(setup) else { return false };
        if legal(&turned).is_none() {
            return false;
        }
        let side = turned.turn();
        let said = (
            format!("the first move is {side}'s, although the other side is to move"),
            format!("第一步是{}走的，与局面的走子方不符", side.name_zh()),
        );
        self.record.findings.push(finding::new("side-to-move", Severity::Warning, span, said));
        self.record.start = Some(turned);
        self.walk = Walk::new(&self.record);
        true
    }
}
