//! What is wrong with a document: code, place, sentence and, where there is one, a fix.

use std::borrow::Cow;

use super::{Code, Span, TextEdit};
use crate::locale::Locale;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Against the format; a reader has to guess what was meant.
    Error,
    /// Readable, but likely not what was meant.
    Warning,
    /// Worth knowing; nothing has to be done.
    Information,
    /// Harmless or old-fashioned.
    Hint,
}

/// A sentence in both languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// In English.
    pub en: Cow<'static, str>,
    /// In Chinese.
    pub zh: Cow<'static, str>,
}

impl Words {
    /// The same in both languages.
    pub fn new(en: impl Into<Cow<'static, str>>, zh: impl Into<Cow<'static, str>>) -> Words {
        Words { en: en.into(), zh: zh.into() }
    }

    /// In one language.
    pub fn get(&self, locale: Locale) -> &str {
        match locale {
            Locale::English => &self.en,
            Locale::Chinese => &self.zh,
        }
    }
}

/// Another place that has to do with a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there.
    pub words: Words,
}

/// A way to put a finding right: the fewest edits of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub title: Words,
    /// The edits: sorted, without overlap.
    pub edits: Vec<TextEdit>,
    /// Whether nothing that the record says can be lost by it, so that it may be applied unseen.
    pub safe: bool,
}

impl Fix {
    /// A fix that a person should look at.
    pub fn new(en: impl Into<Cow<'static, str>>, zh: impl Into<Cow<'static, str>>, edit: TextEdit) -> Fix {
        Fix { title: Words::new(en, zh), edits: vec![edit], safe: false }
    }

    /// The same fix, for use in bulk.
    pub fn safe(mut self) -> Fix {
        self.safe = true;
        self
    }

    /// The same fix with one more edit, behind those that it has.
    pub fn and(mut self, edit: TextEdit) -> Fix {
        self.edits.push(edit);
        self
    }
}

/// One thing worth saying about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// Where; always inside the text.
    pub span: Span,
    /// One sentence for people.
    pub message: Words,
    /// Other places that belong to it.
    pub related: Vec<Related>,
    /// What puts it right, when there is one obvious way.
    pub fix: Option<Fix>,
}

impl Finding {
    /// A finding of its code's usual severity, without a fix.
    pub fn new(
        code: Code,
        span: Span,
        en: impl Into<Cow<'static, str>>,
        zh: impl Into<Cow<'static, str>>,
    ) -> Finding {
        let severity = code.severity().unwrap_or(Severity::Hint);
        Finding { code, severity, span, message: Words::new(en, zh), related: Vec::new(), fix: None }
    }

    /// The same finding with a fix.
    pub fn with_fix(mut self, fix: impl Into<Option<Fix>>) -> Finding {
        self.fix = fix.into();
        self
    }

    /// The same finding with another place that belongs to it.
    pub fn relating(
        mut self,
        span: Span,
        en: impl Into<Cow<'static, str>>,
        zh: impl Into<Cow<'static, str>>,
    ) -> Finding {
        self.related.push(Related { span, words: Words::new(en, zh) });
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
