//! Fixes that may be applied unseen, until none is left.

use std::collections::HashSet;

use super::show::Place;
use crate::language::Content;
use crate::service::error::Result;
use crate::service::files::SourceFile;
use crate::service::languages;
use crate::sgf::{CheckOptions, Origin};
use crate::text::line_index::LineIndex;
use crate::text::{Finding, Levels, Span, TextEdit, bulk_edits};

/// At most so often is a record checked again. One round does what fits beside each other.
const ROUNDS: usize = 100;

/// All findings of a file.
pub fn findings(source: &SourceFile, levels: &Levels) -> Vec<Finding> {
    look(source, levels, Content::findings)
}

fn look(
    source: &SourceFile,
    levels: &Levels,
    check: fn(&Content, &CheckOptions<'_>) -> Vec<Finding>,
) -> Vec<Finding> {
    let content = languages::content_of(&source.path.to_string_lossy(), &source.decoded.text);
    check(&content, &CheckOptions { levels: levels.clone(), origin: Origin::File(&source.decoded) })
}

/// A file after its fixes.
#[derive(Default)]
pub struct Mended {
    /// The file; `None` when there was nothing to do.
    pub edited: Option<SourceFile>,
    /// What was put right, and where it was at that moment.
    pub done: Vec<(Place, Finding)>,
    /// What is left.
    pub findings: Vec<Finding>,
}

/// Applies fixes in rounds; nothing is written.
///
/// # Errors
/// As [`SourceFile::edited`].
pub fn mend(source: &SourceFile, levels: &Levels) -> Result<Mended> {
    let mut mended = Mended::default();
    for _ in 0..ROUNDS {
        let before = mended.edited.as_ref().unwrap_or(source);
        let fixable = look(before, levels, Content::safe_fixes);
        let edits = bulk_edits(&fixable);
        if edits.is_empty() {
            break;
        }
        let after = before.edited(&edits)?;
        let lines = LineIndex::new(&before.decoded.text);
        // One fix may have as many edits as a list has values.
        let made: HashSet<(Span, &str)> =
            edits.iter().map(|edit| (edit.span, edit.new_text.as_str())).collect();
        let is_made = |edit: &TextEdit| made.contains(&(edit.span, edit.new_text.as_str()));
        for finding in fixable {
            let fix = finding.fix.as_ref();
            if fix.is_some_and(|fix| fix.edits.iter().all(is_made)) {
                mended.done.push((Place::of(&before.decoded.text, &lines, finding.span), finding));
            }
        }
        mended.edited = Some(after);
    }
    mended.findings = findings(mended.edited.as_ref().unwrap_or(source), levels);
    Ok(mended)
}
