//! What is wrong with a record, beyond its syntax: names, values, moves on the board, charset.
//!
//! One cause gives one finding: a move off the board is not also a move that is missing, a node
//! with set-up and a move is not judged by the rules of play, and so on.

use std::collections::HashSet;

use super::encoding::Decoded;
use super::{Code, Finding, Levels, MAX_FINDINGS, Record, Span};

pub use charset::depends_on_file;
pub use dialect::normalise;

use super::level::{self, Allowed};

mod charset;
mod dialect;
mod game;
mod line;
mod lists;
mod moves;
mod names;
mod notes;
mod opening;
mod replay;
mod unclosed;
mod values;

/// The most findings of one code that are looked for when only their fixes are wanted.
const MAX_FIXES: usize = 20_000;

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
    gather(record, options, Keep::Shown).finish(record)
}

/// The findings whose fixes may be applied unseen, also those that [`check_with`] has no room for.
pub fn safe_fixes(record: &Record, options: &CheckOptions<'_>) -> Vec<Finding> {
    let mut found = gather(record, options, Keep::Safe).list;
    found.sort_by_key(|finding| finding.span.start);
    found
}

/// The findings of a record that is too large to be judged: those of its syntax, and one that says so.
pub fn check_structure(record: &Record, options: &CheckOptions<'_>) -> Vec<Finding> {
    let mut sink = Sink::new(record, &options.levels, Keep::Shown);
    structure(record, &mut sink);
    let start = record.games().next().map_or(0, |game| game.span.start);
    sink.push(Finding::new(
        Code::StructureOnly,
        Span::new(start, start + 1),
        "so large a record is neither judged nor laid out: only its structure is checked",
        "棋谱过大，不作判断也不排版：只检查结构",
    ));
    sink.finish(record)
}

fn gather<'r>(record: &'r Record, options: &'r CheckOptions<'_>, keep: Keep) -> Sink<'r> {
    let mut sink = Sink::new(record, &options.levels, keep);
    structure(record, &mut sink);
    charset::check(record, options.origin, &mut sink);
    for index in 0..record.games().len() {
        game::check(record, index, &mut sink);
    }
    sink
}

fn structure(record: &Record, sink: &mut Sink<'_>) {
    record.findings().iter().for_each(|finding| notes::syntax(record, finding, sink));
    sink.left_out += record.findings_left_out();
}

/// What findings are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Those that people are shown.
    Shown,
    /// Those that can be put right unseen.
    Safe,
    /// Those of dialects that can be written as FF\[4\] has it.
    Dialect,
}

impl Keep {
    fn takes(self, finding: &Finding) -> bool {
        let fix = finding.fix.as_ref();
        match self {
            Keep::Shown => true,
            Keep::Safe => fix.is_some_and(|fix| fix.safe),
            Keep::Dialect => fix.is_some() && dialect::is_dialect(finding.code),
        }
    }

    /// The most findings of one code.
    fn room(self) -> usize {
        match self {
            Keep::Shown => MAX_FINDINGS,
            Keep::Safe | Keep::Dialect => MAX_FIXES,
        }
    }
}

/// Those of findings from elsewhere that settings and comments let through: of [`check_with`]'s form and
/// number.
pub fn shown(record: &Record, levels: &Levels, findings: Vec<Finding>) -> Vec<Finding> {
    let mut sink = Sink::new(record, levels, Keep::Shown);
    findings.into_iter().for_each(|finding| sink.push(finding));
    sink.finish(record)
}

/// Takes findings, and drops those that nobody wants.
struct Sink<'r> {
    levels: &'r Levels,
    keep: Keep,
    allowed: Allowed<'r>,
    list: Vec<Finding>,
    /// How many findings each code has.
    counts: [u32; Code::ALL.len()],
    left_out: usize,
    /// Unknown names that were reported: once a document is enough.
    unknown: HashSet<&'r str>,
    /// Kinds of other games that were reported: once a document is enough.
    other_games: HashSet<&'r str>,
}

impl<'r> Sink<'r> {
    fn new(record: &'r Record, levels: &'r Levels, keep: Keep) -> Sink<'r> {
        Sink {
            levels,
            keep,
            allowed: Allowed::new(record),
            list: Vec::new(),
            counts: [0; Code::ALL.len()],
            left_out: 0,
            unknown: Default::default(),
            other_games: Default::default(),
        }
    }

    fn push(&mut self, mut finding: Finding) {
        let shown = self.keep.takes(&finding) && level::apply(self.levels, &mut finding);
        if !shown || self.allowed.allows(&finding) {
            return;
        }
        let count = &mut self.counts[finding.code as usize];
        *count += 1;
        // No code can fill more than the whole list.
        if *count as usize > self.keep.room() { self.left_out += 1 } else { self.list.push(finding) }
    }

    /// Counts a finding that there is no room for; whether it was one. Asked before what costs time. A code of
    /// which no finding has a fix has no room where only fixes are wanted.
    fn is_full(&mut self, code: Code) -> bool {
        let never_fixed = matches!(code, Code::OccupiedPoint | Code::Superko | Code::RepeatedPosition);
        let unwanted = self.keep != Keep::Shown && never_fixed;
        let full = unwanted || self.counts[code as usize] as usize >= self.keep.room();
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
            if level::apply(self.levels, &mut summary) {
                self.list.push(summary);
            }
        }
        self.list
    }
}

#[cfg(test)]
#[path = "../check_tests.rs"]
mod tests;
