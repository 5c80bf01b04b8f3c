//! What is wrong with the values of a record, beyond its syntax.

use crate::go::Size;

use super::finding::{Finding, Findings, Severity};
use super::info::{GameKind, KomiSource};
use super::props::{ValueType, lookup};
use super::record::has_lower_case;
use super::value::{self, ValueError};
use super::{NodeId, Property, Record, TextEdit, Value};

/// All findings of a record, those of its syntax included, in the order of the text; at most
/// 1000 of each sort.
pub fn check(record: &Record) -> Vec<Finding> {
    let mut findings = Findings::default();
    for index in 0..record.games().len() {
        Check::new(record, index).game(&mut findings);
    }
    let mut all = [record.findings(), findings.list()].concat();
    all.sort_by_key(|finding| finding.span.start);
    all
}

struct Check<'r> {
    record: &'r Record,
    game: usize,
    root: NodeId,
    format: i64,
    size: Size,
    is_go: bool,
}

impl<'r> Check<'r> {
    fn new(record: &'r Record, game: usize) -> Check<'r> {
        let root = record.game(game).map_or(NodeId(0), |game| game.root);
        let format = record.info(game).map_or(1, |info| info.format);
        let is_go = record.kind(root) == GameKind::Go;
        Check { record, game, root, format, size: record.size(root), is_go }
    }

    fn game(&self, findings: &mut Findings) {
        for node in self.record.nodes(self.game) {
            self.node(node, findings);
        }
        if self.is_go {
            self.komi(findings);
        } else if let Some(gm) = self.record.property(self.root, "GM") {
            let message = format!("GM[{}] is not Go: only its structure is read", gm.first_raw());
            findings.push(Finding::new("other-game", Severity::Hint, gm.span(), message));
        }
    }

    fn node(&self, node: NodeId, findings: &mut Findings) {
        let properties = self.record.properties(node);
        if properties.len() == 0 && self.record.parent(node).is_some() {
            let span = self.record.node(node).span;
            findings.push(Finding::new("empty-node", Severity::Hint, span, "a node without properties"));
        }
        let (mut has_move, mut has_setup) = (false, None);
        for property in properties.clone() {
            let ident = property.ident();
            self.name(property, &ident, findings);
            if !self.is_go {
                continue;
            }
            self.values(property, &ident, findings);
            has_move |= matches!(ident.as_ref(), "B" | "W");
            if matches!(ident.as_ref(), "AB" | "AW" | "AE") {
                has_setup.get_or_insert(property.ident_span());
            }
        }
        if let (true, Some(span)) = (has_move, has_setup) {
            let message = "set-up and a move in one node; the set-up is done first";
            findings.push(Finding::new("setup-and-move", Severity::Warning, span, message));
        }
        self.duplicates(node, findings);
    }

    fn name(&self, property: Property<'_>, ident: &str, findings: &mut Findings) {
        let written = property.written_ident();
        // Before FF[4] lower-case letters were allowed and ignored.
        let all_lower = !written.bytes().any(|byte| byte.is_ascii_uppercase());
        if !has_lower_case(written) || (self.format < 4 && !all_lower) {
            return;
        }
        let message = format!("FF[4] writes names in capitals: {ident}");
        let finding =
            Finding::new("lower-case-identifier", Severity::Warning, property.ident_span(), message);
        findings.push(finding.with_fix(TextEdit::replace(property.ident_span(), ident)));
    }

    fn duplicates(&self, node: NodeId, findings: &mut Findings) {
        if self.record.properties(node).len() < 2 {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        let mut before: Option<Property<'_>> = None;
        for property in self.record.properties(node) {
            let ident = property.ident();
            let span = property.ident_span();
            let adjacent = before.is_some_and(|before| before.ident() == ident);
            before = Some(property);
            if span.is_empty() || seen.insert(ident.clone()) {
                continue;
            }
            let message = format!("{ident} a second time in this node; all its values are read as one list");
            let finding = Finding::new("duplicate-property", Severity::Warning, span, message);
            findings.push(if adjacent { finding.with_fix(TextEdit::replace(span, "")) } else { finding });
        }
    }

    fn values(&self, property: Property<'_>, ident: &str, findings: &mut Findings) {
        let Some(known) = lookup(ident) else { return };
        if ident == "KM" || (ident == "KO" && self.is_komi(property, findings)) {
            return;
        }
        let one_only = !matches!(
            known.values,
            ValueType::Points
                | ValueType::PointsOrNone
                | ValueType::Labels
                | ValueType::PointPairs
                | ValueType::Other
        );
        for (index, value) in property.values().enumerate() {
            if one_only && index > 0 {
                let message = format!("{ident} has one value; further ones are ignored");
                findings.push(Finding::new("value-too-many", Severity::Warning, value.span(), message));
                break;
            }
            if let Err(error) = self.value(known.values, value.raw()) {
                findings.push(self.bad_value(ident, value, error));
            }
        }
    }

    fn value(&self, kind: ValueType, raw: &str) -> Result<(), ValueError> {
        match kind {
            ValueType::Number => value::number(raw).map(drop),
            ValueType::Real => value::real(raw).map(drop),
            ValueType::Double => value::double(raw).map(drop),
            ValueType::Color => value::color(raw).map(drop),
            ValueType::Size => value::size(raw).map(drop),
            ValueType::Move => value::vertex(raw, self.size).map(drop),
            ValueType::Points => value::rectangle(raw, self.size).map(drop),
            ValueType::PointsOrNone if value::trim(raw).is_empty() => Ok(()),
            ValueType::PointsOrNone => value::rectangle(raw, self.size).map(drop),
            ValueType::Labels => {
                let (point, _) = value::composed(raw)?;
                value::point(point, self.size).map(drop)
            }
            ValueType::PointPairs => {
                let (from, to) = value::composed(raw)?;
                value::point(from, self.size)?;
                value::point(to, self.size).map(drop)
            }
            ValueType::None | ValueType::SimpleText | ValueType::Text | ValueType::Other => Ok(()),
        }
    }

    fn bad_value(&self, ident: &str, value: Value<'_>, error: ValueError) -> Finding {
        let code = match error {
            ValueError::OffBoard(..) => "off-board",
            ValueError::Empty => "empty-value",
            ValueError::NotASize(_) => "bad-size",
            _ => "bad-value",
        };
        let severity = if code == "empty-value" { Severity::Warning } else { Severity::Error };
        let finding = |message: String| Finding::new(code, severity, value.span(), message);
        match &error {
            ValueError::DecimalComma(_, with_point) => {
                let fix = TextEdit::replace(value.raw_span(), with_point.clone());
                finding(format!("{ident}: {error}")).with_fix(fix)
            }
            ValueError::OffBoard(..) if matches!(ident, "B" | "W") && self.is_old_pass(value.raw()) => {
                let message = format!("{ident}: {error}; if a pass was meant, write {ident}[]");
                finding(message).with_fix(TextEdit::replace(value.raw_span(), ""))
            }
            _ => finding(format!("{ident}: {error}")),
        }
    }

    /// Some programs write a pass as the point just behind the last corner.
    fn is_old_pass(&self, raw: &str) -> bool {
        let corner = crate::go::Point::new(self.size.width(), self.size.height());
        value::point_text(corner).is_some_and(|corner| corner == value::trim(raw))
    }

    /// Old files have the komi in `KO`.
    fn is_komi(&self, property: Property<'_>, findings: &mut Findings) -> bool {
        if value::real(property.first_raw()).is_err() {
            return false;
        }
        let span = property.ident_span();
        let finding = Finding::new("komi-in-ko", Severity::Warning, span, "the komi belongs into KM, not KO");
        let missing = self.record.property(self.root, "KM").is_none();
        findings.push(if missing { finding.with_fix(TextEdit::replace(span, "KM")) } else { finding });
        true
    }

    fn komi(&self, findings: &mut Findings) {
        let Some(km) = self.record.property(self.root, "KM") else { return };
        let Some(value) = km.values().next() else { return };
        let komi = self.record.komi(self.root);
        let mut say = |code, severity, message: String| {
            findings.push(Finding::new(code, severity, value.span(), message));
        };
        match (komi.source, komi.points) {
            (KomiSource::FoxHundredths, Some(points)) => {
                say("fox-komi", Severity::Hint, format!("the Fox server counts so: a komi of {points}"));
            }
            (KomiSource::Stated, Some(points)) if points.abs() > 100.0 => {
                let message = format!("a komi of {points} points is hardly meant");
                say("odd-komi", Severity::Warning, message);
            }
            (KomiSource::Empty, _) => {
                say("empty-value", Severity::Warning, "KM is empty: the komi is unknown".to_owned());
            }
            (KomiSource::Unreadable, _) => {
                if let Err(error) = value::real(value.raw()) {
                    findings.push(self.bad_value("KM", value, error));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::apply_edits;
    use super::*;

    fn shown(text: &str, expected: Expect) {
        let mut shown = String::new();
        for finding in check(&Record::parse(text)) {
            let place = finding.span.slice(text);
            shown.push_str(&format!("{} {place}: {}\n", finding.code, finding.message));
            if let Some(fix) = finding.fix {
                shown.push_str(&format!("    {}\n", apply_edits(text, &[fix])));
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn clean_records() {
        for text in [
            "(;FF[4]GM[1]SZ[19:13]KM[6.5]AP[kifud:1]DD[]TB[]AB[aa:bb]LB[aa:x]AR[aa:bb];B[]C[a:b];W[tt]KO[])",
            "(;FF[1]GM[1]SiZe[19];Black[aa];White[])",
            "(;GM[1]SZ[19]\nCoPyright[x];B[pd])",
        ] {
            assert_eq!(check(&Record::parse(text)), [], "{text}");
        }
    }

    #[test]
    fn names() {
        shown(
            "(;FF[4]CoPyright[x]AB[dd]AB[pp]C[x]AB[aa];;b[cc])",
            expect![[r#"
            lower-case-identifier CoPyright: FF[4] writes names in capitals: CP
                (;FF[4]CP[x]AB[dd]AB[pp]C[x]AB[aa];;b[cc])
            duplicate-property AB: AB a second time in this node; all its values are read as one list
                (;FF[4]CoPyright[x]AB[dd][pp]C[x]AB[aa];;b[cc])
            duplicate-property AB: AB a second time in this node; all its values are read as one list
            empty-node ;: a node without properties
            lower-case-identifier b: FF[4] writes names in capitals: B
                (;FF[4]CoPyright[x]AB[dd]AB[pp]C[x]AB[aa];;B[cc])
        "#]],
        );
        shown(
            "(;SZ[19]HA[2]AB[dd]AB[pp];W[pd])",
            expect![[r#"
            duplicate-property AB: AB a second time in this node; all its values are read as one list
                (;SZ[19]HA[2]AB[dd][pp];W[pd])
        "#]],
        );
    }

    #[test]
    fn values() {
        shown(
            "(;SZ[0]HA[x]AW[zz][a][aa:zz]PL[x]LB[aa]AR[aa:zz];B[aa][bb]AB[cc]BL[1,5])",
            expect![[r#"
            bad-size [0]: SZ: "0" is not a board size; sizes are 1 to 52, or columns:rows
            bad-value [x]: HA: "x" is not a whole number
            off-board [zz]: AW: "zz" lies off the 19x19 board
            bad-value [a]: AW: "a" is not a point; a point is two letters, column and row
            off-board [aa:zz]: AW: "zz" lies off the 19x19 board
            bad-value [x]: PL: "x" is neither B nor W
            bad-value [aa]: LB: "aa" has no `:` between its two parts
            off-board [aa:zz]: AR: "zz" lies off the 19x19 board
            value-too-many [bb]: B has one value; further ones are ignored
            setup-and-move AB: set-up and a move in one node; the set-up is done first
            bad-value [1,5]: BL: "1,5" has a decimal comma; SGF writes a point: "1.5"
                (;SZ[0]HA[x]AW[zz][a][aa:zz]PL[x]LB[aa]AR[aa:zz];B[aa][bb]AB[cc]BL[1.5])
        "#]],
        );
        shown(
            "(;SZ[18];B[ss];W[tt])",
            expect![[r#"
            off-board [ss]: B: "ss" lies off the 18x18 board; if a pass was meant, write B[]
                (;SZ[18];B[];W[tt])
        "#]],
        );
    }

    #[test]
    fn komi() {
        shown(
            "(;KM[375]AP[foxwq])(;KM[375])(;KM[])(;KM[6,5])(;KO[7.5])(;KM[x])",
            expect![[r#"
            fox-komi [375]: the Fox server counts so: a komi of 7.5
            odd-komi [375]: a komi of 375 points is hardly meant
            empty-value []: KM is empty: the komi is unknown
            bad-value [6,5]: KM: "6,5" has a decimal comma; SGF writes a point: "6.5"
                (;KM[375]AP[foxwq])(;KM[375])(;KM[])(;KM[6.5])(;KO[7.5])(;KM[x])
            komi-in-ko KO: the komi belongs into KM, not KO
                (;KM[375]AP[foxwq])(;KM[375])(;KM[])(;KM[6,5])(;KM[7.5])(;KM[x])
            bad-value [x]: KM: "x" is not a number
        "#]],
        );
    }

    #[test]
    fn other_games_are_left_alone() {
        shown(
            "(;GM[11]FF[4];B[a1-b2];W[whatever:x])",
            expect![[r#"
            other-game GM[11]: GM[11] is not Go: only its structure is read
        "#]],
        );
    }
}
