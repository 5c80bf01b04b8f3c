//! What is wrong with a document: code, place, sentence and, where there is one, a fix.

use super::{Span, TextEdit};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Against the format; a reader has to guess what was meant.
    Error,
    /// Readable, but likely not what was meant.
    Warning,
    /// Harmless, old-fashioned or worth knowing.
    Hint,
}

/// One thing worth saying about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable name of the kind, in kebab-case.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where; always inside the text.
    pub span: Span,
    /// One sentence for people.
    pub message: String,
    /// The edit that puts it right, when there is one obvious one.
    pub fix: Option<TextEdit>,
}

impl Finding {
    /// A finding without a fix.
    pub fn new(code: &'static str, severity: Severity, span: Span, message: impl Into<String>) -> Finding {
        Finding { code, severity, span, message: message.into(), fix: None }
    }

    /// The same finding with a fix.
    pub fn with_fix(mut self, fix: TextEdit) -> Finding {
        self.fix = Some(fix);
        self
    }
}

/// A list of findings that stops growing: a broken file of 64 MiB may not become a million
/// messages. What came later is only counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    left_out: usize,
}

impl Findings {
    /// The number of findings that are kept for one document.
    pub(crate) const MAX: usize = 1000;

    pub(crate) fn push(&mut self, finding: Finding) {
        if self.list.len() < Self::MAX {
            self.list.push(finding);
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Finding> {
        if self.left_out == 0 { self.list.last_mut() } else { None }
    }

    pub(crate) fn list(&self) -> &[Finding] {
        &self.list
    }

    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }
}
