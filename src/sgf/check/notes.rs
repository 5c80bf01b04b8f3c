//! What depends on more than one value: places of properties, dialects of servers, judgements.

use super::super::info::KomiSource;
use super::super::props::{KnownProperty, Place, ValueType};
use super::super::value::{self, trim};
use super::super::{Code, Finding, Fix, NodeId, Property, Record, Span, TextEdit, Value, date};
use super::Sink;
use super::game::{Contents, GameCheck};

/// Takes over a finding of the syntax. An empty value in the place of a missing one is only offered
/// where the property may have one.
pub(super) fn syntax(record: &Record, finding: &Finding, sink: &mut Sink<'_>) {
    let mut finding = finding.clone();
    if finding.code == Code::PropertyWithoutValue {
        let name = finding.span.slice(record.text());
        let may_be_empty = super::super::props::lookup(name).is_some_and(|known| {
            use ValueType::*;
            matches!(
                known.values,
                None | SimpleText | Text | PointsOrNone | Result | Date | Charset | Application
            )
        });
        if !may_be_empty {
            finding.fix = Option::None;
        }
    }
    sink.push(finding);
}

impl<'r> GameCheck<'r, '_> {
    /// Where a property stands.
    pub fn placed(
        &mut self,
        node: NodeId,
        property: Property<'r>,
        known: &KnownProperty,
        contents: &mut Contents,
    ) {
        let span = property.ident_span();
        match known.place {
            Place::Root if node != self.root && known.by.is_empty() => self.root_elsewhere(property, known),
            Place::GameInfo if known.by.is_empty() && self.says_something(property) => {
                contents.game_info.get_or_insert(span);
            }
            Place::Setup => {
                contents.setup.get_or_insert(span);
                contents.sets_player = true;
            }
            Place::Move if matches!(known.ident, "BM" | "DO" | "IT" | "TE") => {
                self.judged(&mut contents.judgement, property);
            }
            Place::Any if matches!(known.ident, "DM" | "GB" | "GW" | "UC") => {
                self.judged(&mut contents.position, property);
            }
            _ => {}
        }
        if known.ident == "RU" {
            self.line.rules(value::simple_text(property.first_raw()).trim());
        }
    }

    fn says_something(&self, property: Property<'_>) -> bool {
        !trim(property.first_raw()).is_empty()
    }

    fn judged(&mut self, first: &mut Option<Span>, property: Property<'r>) {
        let span = property.ident_span();
        let Some(first) = *first else {
            *first = Some(span);
            return;
        };
        let text = self.record.text();
        let (one, other) = (first.slice(text), span.slice(text));
        if one == other {
            return;
        }
        let finding = Finding::new(
            Code::ConflictingAnnotations,
            span,
            format!("{one} and {other} exclude each other"),
            format!("{one} 与 {other} 互相排斥"),
        );
        self.sink.push(finding.relating(first, "the other one", "另一个"));
    }

    fn root_elsewhere(&mut self, property: Property<'r>, known: &KnownProperty) {
        let ident = known.ident;
        let mut finding = Finding::new(
            Code::RootPropertyElsewhere,
            property.ident_span(),
            format!("{ident} belongs into the root; here it is not read"),
            format!("{ident} 应在根节点；此处不被读取"),
        );
        let at_root = self.record.property(self.root, ident);
        if let Some(root) = at_root {
            finding = finding.relating(root.span(), "in the root", "根节点中的");
        }
        self.sink.push(finding);
    }

    /// What servers write in their own way. Whether the value was dealt with.
    pub fn is_dialect(&mut self, node: NodeId, property: Property<'r>, known: &KnownProperty) -> bool {
        if node != self.root {
            return false;
        }
        let raw = property.first_raw();
        match known.ident {
            "KO" if value::real(raw).is_ok() || raw.contains('目') => {
                self.dialect(property, "KM", value::real(raw).is_ok(), Code::KomiInKo);
            }
            "TE" if value::double(raw).is_err() && !trim(raw).is_empty() => {
                self.dialect(property, "EV", true, Code::ForeignName);
            }
            "RD" => {
                self.dialect(property, "DT", date::is_date_list(trim(raw)), Code::ForeignName);
            }
            "HD" => self.dialect(property, "HA", value::number(raw).is_ok(), Code::ForeignName),
            _ => return false,
        }
        true
    }

    fn dialect(&mut self, property: Property<'r>, meant: &'static str, fits: bool, code: Code) {
        let written = property.ident();
        let span = property.ident_span();
        let (en, zh) = match code {
            Code::KomiInKo => {
                ("the komi belongs into KM, not KO".to_owned(), "贴目应写在 KM，而不是 KO".to_owned())
            }
            _ => (
                format!("{written} is a server's name for {meant}"),
                format!("{written} 是服务器对 {meant} 的写法"),
            ),
        };
        let is_free = self.record.property(self.root, meant).is_none();
        let title = (format!("rename it {meant}"), format!("改名为 {meant}"));
        let fix = Fix::new(title.0, title.1, TextEdit::replace(span, meant)).safe();
        self.sink.push(Finding::new(code, span, en, zh).with_fix((is_free && fits).then_some(fix)));
    }

    /// A komi that can be read.
    pub fn komi(&mut self, node: NodeId, value: Value<'_>) {
        let komi = self.record.komi(node);
        match (komi.source, komi.points) {
            (KomiSource::FoxHundredths, Some(points)) => {
                let finding = Finding::new(
                    Code::FoxKomi,
                    value.span(),
                    format!("the Fox server counts so: a komi of {points}"),
                    format!("野狐服务器的写法：贴目为 {points}"),
                );
                let title = (format!("write {points}"), format!("改写为 {points}"));
                let edit = TextEdit::replace(value.raw_span(), points.to_string());
                self.sink.push(finding.with_fix(Fix::new(title.0, title.1, edit)));
            }
            (KomiSource::Stated, Some(points)) if points.abs() <= 100.0 => {}
            (KomiSource::Stated | KomiSource::OutOfRange, _) => {
                let raw = trim(value.raw());
                self.sink.push(Finding::new(
                    Code::OddKomi,
                    value.span(),
                    format!("a komi of {raw} points is hardly meant"),
                    format!("贴目 {raw} 目不太可能"),
                ));
            }
            _ => {}
        }
    }

    /// What the properties of a node say together.
    pub fn together(&mut self, node: NodeId, contents: &Contents) {
        if let Some(span) = contents.game_info {
            self.game_info(node, span);
        }
        if let (Some(span), true) = (contents.judgement, self.moves.is_empty()) {
            let ident = span.slice(self.record.text());
            self.sink.push(Finding::new(
                Code::AnnotationWithoutMove,
                span,
                format!("{ident} judges a move, but this node has none"),
                format!("{ident} 用于评价着法，但此节点没有着法"),
            ));
        }
    }

    fn game_info(&mut self, node: NodeId, span: Span) {
        let Some(before) = self.line.game_info(node) else { return };
        let ident = span.slice(self.record.text());
        let finding = Finding::new(
            Code::GameInfoTwice,
            span,
            format!("{ident} tells about the game, which a node before this does already"),
            format!("{ident} 是棋局信息，而前面的节点已有棋局信息"),
        );
        let there = Span::at(self.record.node(before).span.start);
        let there = Span::new(there.start, there.start + 1);
        self.sink.push(finding.relating(there, "the node before", "前面的节点"));
    }
}
