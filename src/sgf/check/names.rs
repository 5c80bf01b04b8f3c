//! Names of properties: spelling, known or not, twice in a node, of another format.

use std::collections::HashSet;

use super::super::props::{self, KNOWN, KnownProperty};
use super::super::record::has_lower_case;
use super::super::{Code, Finding, Fix, NodeId, Property, Related, Span, TextEdit, Words};
use super::Keep;
use super::game::GameCheck;

/// What the names of a node, and of a whole game, add up to.
#[derive(Debug, Default)]
pub(super) struct Names<'r> {
    /// The known names of the node, by their place in the table.
    seen: [u64; KNOWN.len().div_ceil(64)],
    /// Whether any was seen.
    any: bool,
    /// The other names of the node.
    others: HashSet<std::borrow::Cow<'r, str>>,
    /// Properties of FF\[4\] in a game that says that it is older.
    pub newer: Vec<Span>,
}

impl<'r> Names<'r> {
    pub fn leave_node(&mut self) {
        if self.any {
            self.seen = Default::default();
            self.any = false;
        }
        if !self.others.is_empty() {
            self.others.clear();
        }
    }

    /// Whether this is the first property of its name in the node.
    fn is_first(&mut self, place: Option<usize>, ident: impl FnOnce() -> std::borrow::Cow<'r, str>) -> bool {
        let Some(place) = place else { return self.others.insert(ident()) };
        let bit = 1 << (place % 64);
        let first = self.seen[place / 64] & bit == 0;
        self.seen[place / 64] |= bit;
        self.any = true;
        first
    }
}

impl<'r> GameCheck<'r, '_> {
    /// Looks a property up, and says what is wrong with its name.
    pub fn name(&mut self, node: NodeId, property: Property<'r>) -> Option<&'static KnownProperty> {
        let written = property.written_ident();
        if written.is_empty() || property.values().len() == 0 {
            // Said by the syntax already.
            return None;
        }
        let place = if has_lower_case(written) {
            self.spelling(property);
            props::place(&property.ident())
        } else {
            props::place(written)
        };
        let known = place.map(|place| &KNOWN[place]);
        if !self.names.is_first(place, || property.ident()) {
            self.duplicate(node, property, known);
        }
        match known {
            None => self.unknown(property),
            Some(known) if known.formats != 0 => self.version(property, known),
            Some(_) => {}
        }
        known
    }

    fn spelling(&mut self, property: Property<'_>) {
        let written = property.written_ident();
        let ident = property.ident();
        let span = property.ident_span();
        let fix = || {
            Fix::new(
                format!("write it {ident}"),
                format!("改写为 {ident}"),
                TextEdit::replace(span, ident.clone().into_owned()),
            )
            .safe()
        };
        let has_capital = written.bytes().any(|byte| byte.is_ascii_uppercase());
        if !has_capital {
            let finding = Finding::new(
                Code::LowerCaseName,
                span,
                format!("names are capital letters: {ident}"),
                format!("属性名应为大写字母：{ident}"),
            );
            self.sink.push(finding.with_fix(fix()));
        } else if self.is_ff4() || self.sink.keep == Keep::Dialect {
            // Before FF[4] lower-case letters were allowed and ignored.
            let finding = Finding::new(
                Code::OldSpelling,
                span,
                format!("FF[4] writes names in capitals: {ident}"),
                format!("FF[4] 的属性名只用大写字母：{ident}"),
            );
            self.sink.push(finding.with_fix(fix()));
        }
    }

    fn unknown(&mut self, property: Property<'r>) {
        if self.sink.unknown.len() < 1000 && self.sink.unknown.insert(property.written_ident()) {
            let ident = property.ident();
            self.sink.push(Finding::new(
                Code::UnknownProperty,
                property.ident_span(),
                format!("{ident} is not known; it is kept and not read"),
                format!("未知属性 {ident}；保留但不解读"),
            ));
        }
    }

    /// The name does not fit the version that the game states.
    fn version(&mut self, property: Property<'_>, known: &KnownProperty) {
        let Some(format) = self.format else { return };
        let span = property.ident_span();
        if format >= 4 && known.is_dropped() {
            let ident = known.ident;
            self.sink.push(Finding::new(
                Code::OldProperty,
                span,
                format!("FF[4] no longer has {ident}: {}", known.en),
                format!("FF[4] 已取消 {ident}：{}", known.zh),
            ));
        } else if format < 4 && known.formats == 0b1000 {
            let text = self.record.text();
            let name = span.slice(text);
            if !self.names.newer.iter().any(|other| other.slice(text) == name) {
                self.names.newer.push(span);
            }
        }
    }

    fn duplicate(&mut self, node: NodeId, property: Property<'r>, known: Option<&KnownProperty>) {
        let ident = property.ident();
        let is_move = matches!(ident.as_ref(), "B" | "W");
        if is_move {
            // Two moves: said when they are played.
            return;
        }
        if self.sink.is_full(Code::DuplicateProperty) {
            return;
        }
        let Some(first) = self.record.properties(node).find(|other| other.is(&ident)) else { return };
        let list = known.is_none_or(|known| known.values.is_list());
        let reading = match list {
            true => ("all its values are read as one list", "所有值合为一个列表读取"),
            false => ("only the first one counts", "只读取第一个"),
        };
        let finding = Finding::new(
            Code::DuplicateProperty,
            property.ident_span(),
            format!("{ident} a second time in this node; {}", reading.0),
            format!("节点中第二次出现 {ident}；{}", reading.1),
        );
        let finding = finding.relating(first.ident_span(), "the first time", "第一次出现");
        let fix = self.merge(node, first, property, list);
        self.sink.push(finding.with_fix(fix));
    }

    /// Makes one property of two. Set-up is done in the order of the text, so nothing may stand
    /// between the two that another order would change.
    fn merge(&self, node: NodeId, first: Property<'r>, second: Property<'r>, list: bool) -> Option<Fix> {
        if self.must_stay(node, second) || second.values().any(|value| !value.is_closed()) {
            return None;
        }
        let between = self.record.properties(node).skip_while(|other| other.span() != first.span()).skip(1);
        let between = between.take_while(|other| other.span() != second.span());
        let is_setup = |property: &Property<'r>| matches!(property.ident().as_ref(), "AB" | "AW" | "AE");
        if is_setup(&second) && between.clone().any(|other| is_setup(&other)) {
            return None;
        }
        let raw = |property: Property<'r>| property.values().map(|value| value.raw()).collect::<Vec<_>>();
        if raw(first) == raw(second) {
            let edit = TextEdit::replace(second.span(), "");
            return Some(Fix::new("remove the second one", "删除第二个", edit).safe());
        }
        if !list {
            return None;
        }
        let title = ("make it one list", "合并为一个列表");
        if self.stray_behind(node, first) {
            return None;
        }
        if between.count() == 0 {
            let edit = TextEdit::replace(second.ident_span(), "");
            return Some(Fix::new(title.0, title.1, edit).safe());
        }
        let written: String = second.values().map(|value| value.span().slice(self.record.text())).collect();
        let insert = TextEdit::insert(first.span().end, written);
        Some(Fix::new(title.0, title.1, insert).and(TextEdit::replace(second.span(), "")).safe())
    }

    /// What the whole game's names add up to.
    pub fn finish(&mut self) {
        let newer = std::mem::take(&mut self.names.newer);
        let Some(ff) = self.record.property(self.root, "FF").filter(|_| !newer.is_empty()) else { return };
        let Some(value) = ff.values().next() else { return };
        let names: Vec<_> = newer.iter().map(|span| span.slice(self.record.text())).collect();
        let (shown, version) = (names.join(", "), value.raw());
        let mut finding = Finding::new(
            Code::FormatVersion,
            value.span(),
            format!("FF[{version}] does not have {shown}; FF[4] does"),
            format!("FF[{version}] 没有 {shown}；FF[4] 才有"),
        );
        let words = Words::new("of FF[4]", "属于 FF[4]");
        finding.related = newer.into_iter().map(|span| Related { span, words: words.clone() }).collect();
        let fix = Fix::new("state FF[4]", "声明为 FF[4]", TextEdit::replace(value.raw_span(), "4"));
        self.sink.push(finding.with_fix(fix));
    }
}
