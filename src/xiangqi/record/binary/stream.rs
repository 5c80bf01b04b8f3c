//! A tree that is written as a stream of moves.

use crate::text::{Severity, Span};
use crate::xiangqi::Move;
use crate::xiangqi::Square;
use crate::xiangqi::record::finding::{self, Finding};
use crate::xiangqi::record::moves::Builder;
use crate::xiangqi::record::{NodeId, Record};

/// A move of a stream.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// From where to where; `None` if a point is not on the board.
    pub points: Option<(Square, Square)>,
    /// Whether a continuation follows.
    pub has_next: bool,
    /// Whether another move in its place follows after all continuations.
    pub has_sibling: bool,
    /// The comment and where it stands, if there is one.
    pub comment: Option<(String, Span)>,
    /// Where the move stands.
    pub span: Span,
}

/// Puts a stream of moves into a record. An illegal move and what follows it are left out; its siblings
/// are read.
pub(super) fn tree(record: Record, steps: impl Iterator<Item = Step>) -> Record {
    let mut builder = Builder::new(record);
    // Where the next move belongs; `None` when that is behind a move that was left out.
    let mut parent = Some(NodeId::ROOT);
    let mut siblings: Vec<Option<NodeId>> = Vec::new();
    for step in steps {
        let node = match (parent, step.points) {
            (None, _) => None,
            (Some(parent), Some((from, to))) => builder.play(parent, Move::new(from, to), step.span),
            (Some(parent), None) => {
                let said = ("a point of the move is not on the board", "着法的起点或终点不在棋盘上");
                builder.refuse(parent, finding::new("off-board", Severity::Error, step.span, said))
            }
        };
        match (node, step.comment) {
            (Some(node), Some((text, span))) => builder.record.comment(node, &text, span),
            (Some(_), None) => {}
            (None, _) => unread(&mut builder.record, step.span),
        }
        if step.has_next {
            if step.has_sibling {
                siblings.push(parent);
            }
            parent = node;
        } else if !step.has_sibling {
            match siblings.pop() {
                Some(sibling) => parent = sibling,
                None => break,
            }
        }
    }
    builder.record.trim_comments();
    builder.record
}

fn unread(record: &mut Record, span: Span) {
    match record.unread.last_mut().filter(|last| last.end == span.start) {
        Some(last) => last.end = span.end,
        None => record.unread.push(span),
    }
}

/// The finding of a stream that ends in the middle.
pub(super) fn cut_off(span: Span) -> Finding {
    let said = ("the file ends in the middle of a move", "文件在一步着法中间结束");
    finding::new("file-cut-off", Severity::Error, span, said)
}

/// The finding of a text that does not fit its charset.
pub(super) fn bad_text(what: &str, span: Span) -> Finding {
    let said = (
        format!("{what} has bytes that are no characters of its charset"),
        format!("{what} 含有不合字符集的字节"),
    );
    finding::new("bad-bytes", Severity::Warning, span, said)
}
