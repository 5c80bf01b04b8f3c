//! What is found in a record.

use std::borrow::Cow;

use super::{Code, Severity, Span, Words};

/// One thing worth saying about a record.
pub type Finding = crate::text::Finding<Code>;

impl Finding {
    /// A finding of its code's usual severity, without a fix.
    pub fn new(
        code: Code,
        span: Span,
        en: impl Into<Cow<'static, str>>,
        zh: impl Into<Cow<'static, str>>,
    ) -> Finding {
        let severity = code.severity().unwrap_or(Severity::Hint);
        Finding::of(code, severity, span, Words::new(en, zh))
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

    /// The finding with this number, as [`Findings::len`] gave it before it was added.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Finding> {
        self.list.get_mut(index)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn list(&self) -> &[Finding] {
        &self.list
    }

    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }
}
