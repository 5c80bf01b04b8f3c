//! Findings for people and for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use super::excerpt::{Excerpt, one_line};
use crate::locale::Locale;
use crate::text::line_index::{Columns, LineIndex};
use crate::text::{Finding, Severity, Span, Words};

/// A range as lines and columns of characters, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl Place {
    /// Where a range of a text is.
    pub fn of(text: &str, lines: &LineIndex, span: Span) -> Place {
        let place = |offset: u32| lines.place(text, offset as usize, Columns::Utf32);
        let (start, end) = (place(span.start), place(span.end));
        Place {
            line: start.line + 1,
            column: start.column + 1,
            end_line: end.line + 1,
            end_column: end.column + 1,
        }
    }

    fn json(self) -> Value {
        let Place { line, column, end_line, end_column } = self;
        json!({"line": line, "column": column, "endLine": end_line, "endColumn": end_column})
    }
}

/// How findings are shown.
#[derive(Clone, Copy)]
pub struct Look {
    /// The language of sentences.
    pub locale: Locale,
    /// Colours of a terminal.
    pub color: bool,
}

impl Look {
    fn words(self, en: &'static str, zh: &'static str) -> &'static str {
        match self.locale {
            Locale::English => en,
            Locale::Chinese => zh,
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Text of a record in a sentence.
    fn say(self, words: &Words) -> String {
        one_line(words.get(self.locale))
    }
}

/// A checked text and its name.
pub struct Text<'t> {
    name: &'t str,
    text: &'t str,
    lines: LineIndex,
}

impl<'t> Text<'t> {
    /// A text that was read from a file of this name.
    pub fn new(name: &'t str, text: &'t str) -> Text<'t> {
        Text { name, text, lines: LineIndex::new(text) }
    }

    fn place(&self, span: Span) -> Place {
        Place::of(self.text, &self.lines, span)
    }

    fn position(&self, place: Place) -> String {
        format!("{}:{}:{}", one_line(self.name), place.line, place.column)
    }

    /// A finding for people. Severities keep their English names: editors look for them.
    pub fn finding(&self, finding: &Finding, look: Look) -> String {
        let place = self.place(finding.span);
        let (severity, color) = named(finding.severity);
        let title = look.paint(color, &format!("{severity}[{}]", finding.code));
        let message = look.say(&finding.message);
        let mut shown = format!("{}: {title}: {message}\n", look.paint("1", &self.position(place)));
        let excerpt = Excerpt::of(self.text, finding.span);
        let number = place.line.to_string();
        let gutter = " ".repeat(number.len());
        let mark = look.paint(color, &"^".repeat(excerpt.length));
        let _ = writeln!(shown, "{number} | {}", excerpt.line);
        let _ = writeln!(shown, "{gutter} | {}{mark}", " ".repeat(excerpt.indent));
        for related in &finding.related {
            let place = self.position(self.place(related.span));
            let _ = writeln!(shown, "{gutter} = {place}: {}", look.say(&related.words));
        }
        if let Some(fix) = &finding.fix {
            let fixes = if fix.safe {
                look.words("fix", "修正")
            } else {
                look.words("fix (in an editor; not by --fix)", "修正（在编辑器中；--fix 不会执行）")
            };
            let _ = writeln!(shown, "{gutter} = {fixes}: {}", look.say(&fix.title));
        }
        shown
    }

    /// A fix that was made, for people.
    pub fn fixed(&self, place: Place, finding: &Finding, look: Look) -> String {
        let position = look.paint("1", &self.position(place));
        let title = look.paint("32", &format!("fixed[{}]", finding.code));
        let message = look.say(&finding.message);
        let fix = finding.fix.as_ref().map_or(String::new(), |fix| look.say(&fix.title));
        format!("{position}: {title}: {message}: {fix}\n")
    }

    /// A finding for programs: one line. `fixed` says where it was when it was put right.
    pub fn json(&self, finding: &Finding, fixed: Option<Place>, locale: Locale) -> String {
        let mut value = fixed.unwrap_or_else(|| self.place(finding.span)).json();
        value["file"] = json!(self.name);
        value["code"] = json!(finding.code);
        value["severity"] = json!(named(finding.severity).0);
        value["message"] = json!(finding.message.get(locale));
        if let Some(fix) = &finding.fix {
            value["fix"] = json!(fix.title.get(locale));
            value["safe"] = json!(fix.safe);
        }
        if fixed.is_some() {
            value["fixed"] = json!(true);
        } else if !finding.related.is_empty() {
            let related = finding.related.iter().map(|related| {
                let mut value = self.place(related.span).json();
                value["message"] = json!(related.words.get(locale));
                value
            });
            value["related"] = related.collect();
        }
        format!("{value}\n")
    }
}

/// A severity's name and colour (SGR).
fn named(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Error => ("error", "1;31"),
        Severity::Warning => ("warning", "1;33"),
        Severity::Information => ("information", "1;36"),
        Severity::Hint => ("hint", "1;34"),
    }
}

/// What was found in all files.
#[derive(Default)]
pub struct Sum {
    /// Files that were read.
    pub files: usize,
    /// Fixes that were made.
    pub fixed: usize,
    /// Fixes that `--fix` would make.
    pub fixable: usize,
    counts: [usize; 4],
}

impl Sum {
    /// Counts what a file has.
    pub fn add(&mut self, findings: &[Finding]) {
        self.files += 1;
        for finding in findings {
            self.counts[finding.severity as usize] += 1;
            self.fixable += usize::from(finding.fix.as_ref().is_some_and(|fix| fix.safe));
        }
    }

    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.counts[Severity::Error as usize] > 0
    }

    /// In one line.
    pub fn line(&self, look: Look) -> String {
        let words =
            [("error", "个错误"), ("warning", "个警告"), ("information", "条信息"), ("hint", "条提示")];
        let counted = |count: usize, (en, zh): (&str, &str)| match look.locale {
            Locale::English if count == 1 || en == "information" => format!("{count} {en}"),
            Locale::English => format!("{count} {en}s"),
            Locale::Chinese => format!("{count} {zh}"),
        };
        let mut parts: Vec<String> = (self.counts.iter().zip(words))
            .filter(|(count, _)| **count > 0)
            .map(|(count, words)| counted(*count, words))
            .collect();
        if parts.is_empty() {
            parts.push(look.words("nothing found", "没有问题").to_owned());
        }
        if self.fixed > 0 {
            parts.push(format!("{} {}", self.fixed, look.words("fixed", "处已修正")));
        }
        if self.fixable > 0 {
            parts.push(format!("{} {}", self.fixable, look.words("for --fix", "处可用 --fix 修正")));
        }
        let (colon, comma) = (look.words(": ", "："), look.words(", ", "，"));
        format!("{}{colon}{}\n", counted(self.files, ("file", "个文件")), parts.join(comma))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::language::Content;
    use crate::sgf::CheckOptions;

    fn check(text: &str) -> Vec<Finding> {
        Content::sgf(text).findings(&CheckOptions::default())
    }

    fn shown(text: &str, locale: Locale) -> String {
        let findings = check(text);
        let look = Look { locale, color: false };
        let mut sum = Sum::default();
        sum.add(&findings);
        let all = Text::new("a.sgf", text);
        let shown: String = findings.iter().map(|finding| all.finding(finding, look)).collect();
        shown + &sum.line(look)
    }

    #[test]
    fn for_people() {
        let text = "(;SZ[9]\nC[围棋]KM[6,5]\n;B[zz]C[围]C[棋])";
        // KM's value starts behind seven characters, two of them wide.
        expect![[r#"
            a.sgf:2:8: error[bad-number]: KM: "6,5" has a decimal comma; SGF writes a point: "6.5"
            2 | C[围棋]KM[6,5]
              |          ^^^^^
              = fix: write a decimal point
            a.sgf:3:3: error[off-board]: B: "zz" lies off the 9x9 board
            3 | ;B[zz]C[围]C[棋])
              |   ^^^^
            a.sgf:3:11: warning[duplicate-property]: C a second time in this node; only the first one counts
            3 | ;B[zz]C[围]C[棋])
              |            ^
              = a.sgf:3:7: the first time
            1 file: 2 errors, 1 warning, 1 for --fix
        "#]]
        .assert_eq(&shown(text, Locale::English));
        let chinese = shown(text, Locale::Chinese);
        assert!(chinese.contains("  = 修正: "), "{chinese}");
        assert!(chinese.ends_with("1 个文件：2 个错误，1 个警告，1 处可用 --fix 修正\n"), "{chinese}");
        assert_eq!(shown("(;SZ[9];B[aa])", Locale::English), "1 file: nothing found\n");
    }

    #[test]
    fn for_programs() {
        let text = "(;SZ[9]\nC[围棋]KM[6,5])";
        let finding = &check(text)[0];
        let line = Text::new("a.sgf", text).json(finding, None, Locale::English);
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line.lines().count(), 1);
        let place = ["line", "column", "endLine", "endColumn"].map(|key| value[key].as_u64().unwrap());
        assert_eq!(place, [2, 8, 2, 13]);
        assert_eq!((&value["code"], &value["severity"]), (&json!("bad-number"), &json!("error")));
        assert_eq!(value["file"], "a.sgf");
    }

    #[test]
    fn colours() {
        let text = "(;SZ[9];B[zz])";
        let finding = &check(text)[0];
        let look = Look { locale: Locale::English, color: true };
        let shown = Text::new("a\x1b.sgf", text).finding(finding, look);
        assert!(
            shown.starts_with("\x1b[1ma␛.sgf:1:10\x1b[0m: \x1b[1;31merror[off-board]\x1b[0m: "),
            "{shown:?}"
        );
    }
}
