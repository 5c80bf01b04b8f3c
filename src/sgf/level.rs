//! Which findings are shown, and how bad they are taken: by the user's settings, and by comments in
//! the record.
//!
//! A line `kifud: allow CODE, CODE` in a node's comment (`C`) hides the findings of these codes in
//! that node; `kifud: allow-game CODE` in the root's comment hides them in the whole game.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{Code, Finding, Level, Levels, NodeId, Record, value};

/// Whether findings of this code are shown at all.
pub(super) fn shows(levels: &Levels, code: Code) -> bool {
    match levels.get(code) {
        Some(level) => level != Level::Off,
        None => code.severity().is_some(),
    }
}

/// Gives a finding its severity; whether it is shown.
pub(super) fn apply(levels: &Levels, finding: &mut Finding) -> bool {
    if let Some(Level::Show(severity)) = levels.get(finding.code) {
        finding.severity = severity;
    }
    shows(levels, finding.code)
}

/// What starts an allowing line.
const MARK: &str = "kifud: allow";
static MARKS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));

/// The findings that comments of the record allow.
pub(super) struct Allowed<'r> {
    record: &'r Record,
    /// Whether any comment can allow anything.
    any: bool,
}

impl<'r> Allowed<'r> {
    pub fn new(record: &'r Record) -> Allowed<'r> {
        let any = MARKS.find(record.text().as_bytes()).is_some();
        Allowed { record, any }
    }

    pub fn allows(&self, finding: &Finding) -> bool {
        if !self.any {
            return false;
        }
        let Some(node) = self.record.node_at(finding.span.start) else { return false };
        let root = self.record.root_of(node);
        self.says(node, "", finding.code) || self.says(root, "-game", finding.code)
    }

    fn says(&self, node: NodeId, whole: &str, code: Code) -> bool {
        self.record.values_of(node, "C").any(|comment| {
            let text = value::text(comment.raw());
            text.lines().any(|line| {
                let codes = line
                    .trim()
                    .strip_prefix(MARK)
                    .and_then(|rest| rest.strip_prefix(whole)?.strip_prefix(' '));
                codes.is_some_and(|codes| codes.split([',', ' ']).any(|name| name == code.name()))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CheckOptions, Severity, check, check_with};
    use super::*;

    fn codes(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.code.name()).collect()
    }

    #[test]
    fn levels_change_and_hide() {
        let record = Record::parse("(;SZ[9];B[zz];W[tt];)");
        let mut levels = Levels::default();
        levels.set(Code::OffBoard, Level::parse("hint").unwrap());
        levels.set(Code::OldPass, Level::parse("info").unwrap());
        levels.set(Code::EmptyNode, Level::parse("off").unwrap());
        let found = check_with(&record, &CheckOptions { levels, ..CheckOptions::default() });
        assert_eq!(codes(&found), ["off-board", "old-pass"]);
        assert_eq!(found[0].severity, Severity::Hint);
        assert_eq!(Level::parse("loud"), None);
    }

    #[test]
    fn comments_allow() {
        let codes = |text: &str| codes(&check(&Record::parse(text))).join(" ");
        assert_eq!(codes("(;SZ[9];B[zz]C[off]MN[x])"), "off-board bad-number");
        assert_eq!(codes("(;SZ[9];B[zz]C[so it was\nkifud: allow off-board, ko]MN[x])"), "bad-number");
        assert_eq!(codes("(;SZ[9];B[zz]C[kifud: allow off-board];W[zz])"), "off-board");
        assert_eq!(codes("(;SZ[9]C[kifud: allow-game off-board];B[zz];W[zz])"), "");
        assert_eq!(codes("(;SZ[9]C[kifud: allow-game off-board]AB[zz])(;SZ[9]AB[zz])"), "off-board");
    }
}
