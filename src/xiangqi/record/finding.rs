//! What is wrong with a record.

use crate::sgf::{Severity, Span, TextEdit};
use crate::xiangqi::fault::Fault;
use crate::xiangqi::legality;
use crate::xiangqi::notation::ReadError;
use crate::xiangqi::{Move, Position};

/// One thing that is wrong, in English and in Chinese.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable name of the kind, in kebab-case. An illegal move has the code of the rule against it.
    pub code: &'static str,
    /// How bad it is. An error means that something of the text is not in the tree.
    pub severity: Severity,
    /// Where: bytes of the text, in binary formats of the file.
    pub span: Span,
    /// One sentence in English.
    pub message: String,
    /// The same in Chinese.
    pub message_zh: String,
    /// The edit that puts it right, where there is one safe one.
    pub fix: Option<TextEdit>,
}

impl Finding {
    pub(super) fn new(
        code: &'static str,
        severity: Severity,
        span: Span,
        (message, message_zh): (impl Into<String>, impl Into<String>),
    ) -> Finding {
        Finding { code, severity, span, message: message.into(), message_zh: message_zh.into(), fix: None }
    }

    /// A move that could not be read. Where it names exactly one move, the rule against that is named.
    pub(super) fn unread(position: &Position, error: &ReadError, span: Span) -> Finding {
        match error.illegal_move() {
            Some(played) => Finding::illegal(position, played, span),
            None => Finding::new(error.code(), Severity::Error, span, (error.to_string(), error.reason_zh())),
        }
    }

    /// A move against the rules.
    pub(super) fn illegal(position: &Position, played: Move, span: Span) -> Finding {
        match legality::explain(position, played) {
            Some(why) => Finding::new(why.code(), Severity::Error, span, (why.to_string(), why.reason_zh())),
            None => Finding::new("illegal", Severity::Error, span, ("the move is not legal", "着法不合规则")),
        }
    }

    /// A reason why the position at the start is none.
    pub(super) fn start(fault: &Fault, span: Span) -> Finding {
        Finding::new(fault.code(), Severity::Error, span, (fault.to_string(), fault.reason_zh()))
    }
}

/// Findings up to a bound; the rest is counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings {
    pub list: Vec<Finding>,
    pub left_out: usize,
}

impl Findings {
    /// The most findings that are kept for one game.
    const MAX: usize = 1000;

    pub fn push(&mut self, finding: Finding) {
        if self.list.len() < Self::MAX {
            self.list.push(finding);
        } else {
            self.left_out += 1;
        }
    }
}
