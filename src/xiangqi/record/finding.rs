//! What is wrong with a record.

use crate::text::{Severity, Span, Words};
use crate::xiangqi::fault::Fault;
use crate::xiangqi::legality;
use crate::xiangqi::notation::ReadError;
use crate::xiangqi::{Move, Position};

/// One thing that is wrong. An illegal move has the code of the rule against it. In binary formats a range
/// is of the file's bytes.
pub type Finding = crate::text::Finding;

/// The codes of all findings of xiangqi records.
pub const CODES: &[&str] = &[
    // A move against the rules.
    "off-board",
    "no-piece",
    "not-your-piece",
    "own-piece",
    "wrong-shape",
    "blocked-path",
    "horse-leg",
    "elephant-eye",
    "elephant-river",
    "out-of-palace",
    "cannon-screen-missing",
    "cannon-screen-too-many",
    "pawn-backward",
    "pawn-sideways-before-river",
    "kings-face",
    "leaves-king-in-check",
    "illegal",
    // A move that cannot be read.
    "empty",
    "too-long",
    "unknown-character",
    "malformed",
    "incomplete",
    "red-digits",
    "ambiguous",
    // A start that is no position.
    "rank-count",
    "rank-width",
    "side-to-move",
    "bad-counter",
    "excess-text",
    "king-missing",
    "too-many-pieces",
    "impossible-square",
    "opponent-in-check",
    // The text around the moves.
    "branch-from-nowhere",
    "comment-without-move",
    "more-findings",
    "other-game",
    "result-differs",
    "stray-parenthesis",
    "too-many-games",
    "too-many-moves",
    "bad-bytes",
    "file-cut-off",
    "unclosed-block",
    "unclosed-comment",
    "unclosed-variation",
    "variation-without-move",
];

/// A finding with its sentence in English and in Chinese.
pub(super) fn new(
    code: &'static str,
    severity: Severity,
    span: Span,
    (en, zh): (impl Into<String>, impl Into<String>),
) -> Finding {
    debug_assert!(CODES.contains(&code), "{code} is not listed");
    Finding::of(code, severity, span, Words::new(en.into(), zh.into()))
}

/// A move that could not be read. Where it names exactly one move, the rule against that is named.
pub(super) fn unread(position: &Position, error: &ReadError, span: Span) -> Finding {
    match error.illegal_move() {
        Some(played) => illegal(position, played, span),
        None => new(error.code(), Severity::Error, span, (error.to_string(), error.reason_zh())),
    }
}

/// A move against the rules.
pub(super) fn illegal(position: &Position, played: Move, span: Span) -> Finding {
    match legality::explain(position, played) {
        Some(why) => new(why.code(), Severity::Error, span, (why.to_string(), why.reason_zh())),
        None => new("illegal", Severity::Error, span, ("the move is not legal", "着法不合规则")),
    }
}

/// A reason why the position at the start is none.
pub(super) fn start(fault: &Fault, span: Span) -> Finding {
    new(fault.code(), Severity::Error, span, (fault.to_string(), fault.reason_zh()))
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
