//! What is wrong with a text: code, place, sentence and, where there is one, a fix.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Span, TextEdit};
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

/// One thing worth saying about a text. `C` is the kind of thing: a format's own type, or its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<C = &'static str> {
    /// What kind of thing; its name is stable, in kebab-case.
    pub code: C,
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

impl<C> Finding<C> {
    /// A finding without a fix.
    pub fn of(code: C, severity: Severity, span: Span, message: Words) -> Finding<C> {
        Finding { code, severity, span, message, related: Vec::new(), fix: None }
    }

    /// The same finding with its kind said in another way.
    pub fn coded<D>(self, code: impl FnOnce(C) -> D) -> Finding<D> {
        let Finding { code: known, severity, span, message, related, fix } = self;
        Finding { code: code(known), severity, span, message, related, fix }
    }

    /// The same finding with a fix.
    pub fn with_fix(mut self, fix: impl Into<Option<Fix>>) -> Finding<C> {
        self.fix = fix.into();
        self
    }

    /// The same finding with another place that belongs to it.
    pub fn relating(
        mut self,
        span: Span,
        en: impl Into<Cow<'static, str>>,
        zh: impl Into<Cow<'static, str>>,
    ) -> Finding<C> {
        self.related.push(Related { span, words: Words::new(en, zh) });
        self
    }

    /// The same finding about a text that starts so many bytes into another one.
    pub fn shifted(mut self, by: u32) -> Finding<C> {
        self.span = self.span.shifted(by);
        self.related.iter_mut().for_each(|related| related.span = related.span.shifted(by));
        for edit in self.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
            edit.span = edit.span.shifted(by);
        }
        self
    }
}

/// The most findings that are shown of one text; one more says how many there are.
pub const MAX_FINDINGS: usize = 200;

/// The edits of all fixes that may be applied unseen, as one list: sorted and without overlap. Fixes
/// that would touch what another one touches wait for the next round.
pub fn bulk_edits<C>(findings: &[Finding<C>]) -> Vec<TextEdit> {
    together(findings.iter().filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.safe))
}

/// The edits of fixes that do not touch what an earlier one touches, sorted.
pub fn together<'f>(fixes: impl Iterator<Item = &'f Fix>) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = Vec::new();
    // Ends by starts. Taken spans do not touch each other, so the last one that starts before a place ends last.
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    for fix in fixes {
        let is_clear = |edit: &TextEdit| {
            let before = taken.range(..=edit.span.end).next_back();
            before.is_none_or(|(_, end)| *end < edit.span.start)
        };
        if fix.edits.iter().all(is_clear) {
            for edit in &fix.edits {
                let end = taken.entry(edit.span.start).or_default();
                *end = edit.span.end.max(*end);
                edits.push(edit.clone());
            }
        }
    }
    // Insertions of one fix at one place keep their order.
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits
}
