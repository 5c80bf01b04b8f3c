//! What is wrong with a record, beyond its syntax: names, values, moves on the board, charset.
//!
//! One cause gives one finding: a move off the board is not also a move that is missing, a node
//! with set-up and a move is not judged by the rules of play, and so on.

use super::encoding::Decoded;
use super::{Code, Finding, Levels, Record, Span, TextEdit};

use super::level::Allowed;

mod charset;
mod game;
mod line;
mod lists;
mod moves;
mod names;
mod notes;
mod opening;
mod replay;
mod values;

/// The most findings that are shown of one document; one more says how many there are.
pub const MAX_FINDINGS: usize = 200;

/// Where the text of a record comes from; it decides what can be said about its charset.
#[derive(Debug, Clone, Copy, Default)]
pub enum Origin<'a> {
    /// Not known: only the text counts.
    #[default]
    Unknown,
    /// A file, and how it was decoded.
    File(&'a Decoded),
    /// An editor, which decoded the file itself; with the file as we decode it, when there is one.
    Editor(Option<&'a Decoded>),
}

/// How a record is checked.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions<'a> {
    /// Which findings are shown, and how bad they are taken.
    pub levels: Levels,
    /// Where the text comes from.
    pub origin: Origin<'a>,
}

/// All findings of a record with nothing changed by settings; see [`check_with`].
pub fn check(record: &Record) -> Vec<Finding> {
    check_with(record, &CheckOptions::default())
}

/// All findings of a record, those of its syntax included, in the order of the text. When there are
/// more than [`MAX_FINDINGS`], the worst and first ones, and one that says so at the end.
pub fn check_with(record: &Record, options: &CheckOptions<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(record, &options.levels);
    record.findings().iter().for_each(|finding| notes::syntax(record, finding, &mut sink));
    sink.left_out += record.findings_left_out();
    charset::check(record, options.origin, &mut sink);
    for index in 0..record.games().len() {
        game::check(record, index, &mut sink);
    }
    sink.finish(record)
}

/// Those of findings from elsewhere that settings and comments let through: of [`check_with`]'s form and
/// number.
pub fn shown(record: &Record, levels: &Levels, findings: Vec<Finding>) -> Vec<Finding> {
    let mut sink = Sink::new(record, levels);
    findings.into_iter().for_each(|finding| sink.push(finding));
    sink.finish(record)
}

/// Takes findings, and drops those that nobody wants.
struct Sink<'r> {
    levels: &'r Levels,
    allowed: Allowed<'r>,
    list: Vec<Finding>,
    /// How many findings each code has.
    counts: [u32; Code::ALL.len()],
    left_out: usize,
    /// Unknown names that were reported: once a document is enough.
    unknown: std::collections::HashSet<&'r str>,
}

impl<'r> Sink<'r> {
    fn new(record: &'r Record, levels: &'r Levels) -> Sink<'r> {
        Sink {
            levels,
            allowed: Allowed::new(record),
            list: Vec::new(),
            counts: [0; Code::ALL.len()],
            left_out: 0,
            unknown: Default::default(),
        }
    }

    fn push(&mut self, mut finding: Finding) {
        if !self.levels.apply(&mut finding) || self.allowed.allows(&finding) {
            return;
        }
        let count = &mut self.counts[finding.code as usize];
        *count += 1;
        // No code can fill more than the whole list.
        if *count as usize > MAX_FINDINGS { self.left_out += 1 } else { self.list.push(finding) }
    }

    /// Counts a finding that there is no room for; whether it was one. Asked before what costs time.
    fn is_full(&mut self, code: Code) -> bool {
        let full = self.counts[code as usize] as usize >= MAX_FINDINGS;
        self.left_out += usize::from(full);
        full
    }

    fn finish(mut self, record: &Record) -> Vec<Finding> {
        if self.list.len() > MAX_FINDINGS {
            self.list.sort_by_key(|finding| (finding.severity, finding.span.start));
            self.left_out += self.list.len() - MAX_FINDINGS;
            self.list.truncate(MAX_FINDINGS);
        }
        self.list.sort_by_key(|finding| finding.span.start);
        if self.left_out > 0 {
            let start = record.games().next().map_or(0, |game| game.span.start);
            let count = self.left_out;
            let summary = Finding::new(
                Code::MoreFindings,
                Span::new(start, start + 1),
                format!("{count} further findings are not shown"),
                format!("另有 {count} 个问题未显示"),
            );
            let mut summary = summary;
            if self.levels.apply(&mut summary) {
                self.list.push(summary);
            }
        }
        self.list
    }
}

/// The edits of all fixes that may be applied unseen, as one list: sorted and without overlap. Fixes
/// that would touch what another one touches wait for the next round.
pub fn bulk_edits(findings: &[Finding]) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut fixes: Vec<_> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    fixes.retain(|fix| fix.safe);
    for fix in fixes {
        let clear = fix.edits.iter().all(|new| edits.iter().all(|old| !old.span.touches(new.span)));
        if clear {
            edits.extend(fix.edits.iter().cloned());
        }
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits
}

#[cfg(test)]
#[path = "../check_tests.rs"]
mod tests;
