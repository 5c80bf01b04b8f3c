//! What a text holds, in whichever format, and every question that can be asked about all of them.

use std::sync::Arc;

use super::{Entry, Fold, Hover, Locale, Symbol, Target, Use, xiangqi};
use crate::sgf::{self, CheckOptions, Record, Span};
use crate::text::Finding;
use crate::xiangqi::record::{Form, Games};

/// The record, or the records, of a text. Offsets and ranges are bytes of the text.
#[derive(Debug)]
pub enum Content {
    /// SGF.
    Sgf(Record),
    /// Xiangqi: PGN or DhtmlXQ.
    Xiangqi(Games),
}

impl Content {
    /// Reads SGF.
    pub fn sgf(text: impl Into<Arc<str>>) -> Content {
        Content::Sgf(Record::parse(text.into()))
    }

    /// Reads the games of a text of xiangqi. `before` is what the text held before a change: what the
    /// change does not touch is not read again.
    pub fn xiangqi(text: impl Into<Arc<str>>, form: Form, before: Option<&Content>) -> Content {
        Content::Xiangqi(match before {
            Some(Content::Xiangqi(games)) if games.form() == form => Games::read_after(text, games),
            _ => Games::read(text, form),
        })
    }

    /// What is wrong with it.
    pub fn findings(&self, options: &CheckOptions<'_>) -> Vec<Finding> {
        match self {
            Content::Sgf(record) => named(sgf::check_with(record, options)),
            Content::Xiangqi(games) => games.findings(&options.levels),
        }
    }

    /// What is wrong with one that is too large to be judged.
    pub fn structure(&self, options: &CheckOptions<'_>) -> Vec<Finding> {
        match self {
            Content::Sgf(record) => named(sgf::check_structure(record, options)),
            Content::Xiangqi(_) => Vec::new(),
        }
    }

    /// The findings whose fixes may be applied unseen, also those that [`Content::findings`] has no room for.
    pub fn safe_fixes(&self, options: &CheckOptions<'_>) -> Vec<Finding> {
        match self {
            Content::Sgf(record) => named(sgf::safe_fixes(record, options)),
            Content::Xiangqi(games) => {
                let mut found = games.findings(&options.levels);
                found.retain(|finding| finding.fix.as_ref().is_some_and(|fix| fix.safe));
                found
            }
        }
    }

    /// What is shown at an offset.
    pub fn hover(&self, offset: u32, locale: Locale) -> Option<Hover> {
        match self {
            Content::Sgf(record) => super::hover(record, offset, locale),
            Content::Xiangqi(games) => xiangqi::hover(games, offset, locale),
        }
    }

    /// Games and variations.
    pub fn outline(&self, locale: Locale) -> Vec<Entry> {
        match self {
            Content::Sgf(record) => super::outline(record, locale),
            Content::Xiangqi(games) => xiangqi::outline(games, locale),
        }
    }

    /// Names of people and events.
    pub fn symbols(&self, locale: Locale) -> Vec<Symbol> {
        match self {
            Content::Sgf(record) => super::symbols(record, locale),
            Content::Xiangqi(games) => xiangqi::symbols(games, locale),
        }
    }

    /// What can be folded away.
    pub fn folding(&self) -> Vec<Fold> {
        match self {
            Content::Sgf(record) => super::folding(record),
            Content::Xiangqi(games) => xiangqi::folding(games),
        }
    }

    /// The ranges around an offset, each holding the one before it.
    pub fn selection(&self, offset: u32) -> Vec<Span> {
        match self {
            Content::Sgf(record) => super::selection(record, offset),
            Content::Xiangqi(games) => xiangqi::selection(games, offset),
        }
    }

    /// What has to do with the point at an offset.
    pub fn highlight(&self, offset: u32) -> Vec<Use> {
        match self {
            Content::Sgf(record) => super::highlight(record, offset),
            Content::Xiangqi(games) => xiangqi::highlight(games, offset),
        }
    }

    /// All moves to the point at an offset.
    pub fn references(&self, offset: u32) -> Vec<Use> {
        match self {
            Content::Sgf(record) => super::references(record, offset),
            Content::Xiangqi(games) => xiangqi::references(games, offset),
        }
    }

    /// Where the thing at an offset comes from.
    pub fn definition(&self, offset: u32) -> Vec<Target> {
        match self {
            Content::Sgf(record) => super::definition(record, offset),
            Content::Xiangqi(games) => xiangqi::definition(games, offset),
        }
    }
}

/// Findings with the names of their codes.
pub fn named(found: Vec<sgf::Finding>) -> Vec<Finding> {
    found.into_iter().map(|finding| finding.coded(|code| code.name())).collect()
}
