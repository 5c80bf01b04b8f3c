//! Lists of points: corners, points twice, points in two lists that exclude each other.

use super::super::props::{KnownProperty, Place, ValueType};
use super::super::value::{self, Rectangle, trim};
use super::super::{Code, Finding, Fix, NodeId, Property, TextEdit, Value};
use super::game::GameCheck;
use crate::go::{Color, Size};

/// Which points the lists of a node have named: set-up, marks and territory, each of which may have
/// a point once.
#[derive(Debug, Default)]
pub(super) struct PointSets {
    /// For each kind and point the list that named it.
    owners: [Vec<u8>; 3],
    touched: Vec<(u8, u16)>,
    /// The lists of this node.
    names: Vec<&'static str>,
}

impl PointSets {
    pub fn clear(&mut self) {
        for (kind, index) in self.touched.drain(..) {
            self.owners[usize::from(kind)][usize::from(index)] = 0;
        }
        self.names.clear();
    }

    /// The number of a further list in this node; from the 255th on they share one.
    fn list(&mut self, ident: &'static str) -> u8 {
        self.names.push(ident);
        self.names.len().min(255) as u8
    }

    fn name_of(&self, list: u8) -> &'static str {
        self.names.get(usize::from(list) - 1).copied().unwrap_or_default()
    }

    /// Notes a point; the list that named it before.
    fn name(&mut self, kind: u8, size: Size, index: usize, list: u8) -> Option<u8> {
        let owners = &mut self.owners[usize::from(kind)];
        if owners.is_empty() {
            owners.resize(size.area(), 0);
        }
        let owner = owners.get_mut(index)?;
        if *owner != 0 {
            return Some(*owner);
        }
        *owner = list;
        self.touched.push((kind, index as u16));
        None
    }
}

fn kind_of(ident: &str) -> Option<u8> {
    match ident {
        "AB" | "AW" | "AE" => Some(0),
        "CR" | "MA" | "SQ" | "TR" | "SL" => Some(1),
        "TB" | "TW" => Some(2),
        _ => None,
    }
}

impl<'r> GameCheck<'r, '_> {
    /// A list of points, and what it puts on the board.
    pub fn points(&mut self, node: NodeId, property: Property<'r>, known: &'static KnownProperty) {
        let stone = match known.ident {
            "AB" => Some(Some(Color::Black)),
            "AW" => Some(Some(Color::White)),
            "AE" => Some(None),
            _ => None,
        };
        let kind = kind_of(known.ident);
        let list = if kind.is_some() { self.sets.list(known.ident) } else { 0 };
        let mut twice = Twice::default();
        for value in property.values() {
            let raw = value.raw();
            if known.values == ValueType::PointsOrNone && trim(raw).is_empty() {
                continue;
            }
            let area = match value::rectangle(raw, self.size) {
                Ok(area) => area,
                Err(error) => {
                    self.bad_value(node, property, value, &error);
                    continue;
                }
            };
            if raw.len() > 2 {
                self.corners(known.ident, value, area);
            }
            let Some(left) = self.points_left.checked_sub(area.area()) else {
                self.line.give_up(self.record, node, self.sink);
                return;
            };
            self.points_left = left;
            if let Some(kind) = kind {
                self.named(kind, list, value, area, &mut twice);
            }
            if let Some(stone) = stone {
                area.points().for_each(|point| self.line.set(point, stone));
            }
        }
        if known.place == Place::Setup {
            self.line.was_set_up();
        }
        self.said_twice(known, twice);
    }

    fn named(&mut self, kind: u8, list: u8, value: Value<'r>, area: Rectangle, twice: &mut Twice<'r>) {
        let (mut same, mut other) = (0, None);
        for point in area.points() {
            match self.sets.name(kind, self.size, self.size.index(point), list) {
                Some(owner) if owner == list => same += 1,
                // In another list of this name: that there are two was said.
                Some(owner) if self.sets.name_of(owner) == self.sets.name_of(list) => {}
                Some(owner) => other = Some(owner),
                None => {}
            }
        }
        if same > 0 {
            twice.first.get_or_insert(value);
            twice.removable &= same == area.area();
            twice.values.push(value);
        }
        if let Some(owner) = other {
            twice.conflict.get_or_insert((value, owner));
        }
    }

    fn said_twice(&mut self, known: &KnownProperty, twice: Twice<'r>) {
        let ident = known.ident;
        if let Some((value, owner)) = twice.conflict {
            let other = self.sets.name_of(owner);
            let raw = trim(value.raw());
            self.sink.push(Finding::new(
                Code::ConflictingPoints,
                value.span(),
                format!("{raw} is in {other} of this node too"),
                format!("{raw} 也在本节点的 {other} 中"),
            ));
        }
        let Some(value) = twice.first else { return };
        let raw = trim(value.raw());
        let (some, some_zh) = if raw.len() > 2 { ("points of ", "的点") } else { ("", "") };
        let finding = Finding::new(
            Code::DuplicatePoint,
            value.span(),
            format!("{ident} has {some}{raw} already"),
            format!("{ident} 中已有 {raw}{some_zh}"),
        );
        let mut values = twice.values.iter();
        let fix = values.next().filter(|_| twice.removable).map(|first| {
            let fix =
                Fix::new("remove what is listed twice", "删除重复的点", TextEdit::replace(first.span(), ""));
            values.fold(fix, |fix, value| fix.and(TextEdit::replace(value.span(), ""))).safe()
        });
        self.sink.push(finding.with_fix(fix));
    }

    /// A rectangle's corners: upper left and lower right, and two of them.
    fn corners(&mut self, ident: &str, value: Value<'_>, area: Rectangle) {
        let Ok((one, other)) = value::composed(value.raw()) else { return };
        let (Ok(one), Ok(other)) = (value::point(one, self.size), value::point(other, self.size)) else {
            return;
        };
        let text = |point| value::point_text(point).unwrap_or_default();
        let (code, en, zh, written) = if one == other {
            let text = text(one);
            let en = format!("{ident}: a rectangle of one point is written {text}");
            (Code::SinglePointRectangle, en, format!("{ident}：单点矩形写作 {text}"), text)
        } else if (one, other) != (area.from, area.to) {
            let text = format!("{}:{}", text(area.from), text(area.to));
            let en = format!("{ident}: a rectangle is written upper left, lower right: {text}");
            (Code::ReversedRectangle, en, format!("{ident}：矩形先写左上角，再写右下角：{text}"), text)
        } else {
            return;
        };
        let title = (format!("write {written}"), format!("改写为 {written}"));
        let fix = Fix::new(title.0, title.1, TextEdit::replace(value.raw_span(), written)).safe();
        self.sink.push(Finding::new(code, value.span(), en, zh).with_fix(fix));
    }

    /// Labels, arrows and lines.
    pub fn pairs(&mut self, node: NodeId, property: Property<'r>, known: &KnownProperty) {
        for value in property.values() {
            let raw = value.raw();
            let outcome = match value::composed(raw) {
                _ if trim(raw).is_empty() => Err(value::ValueError::Empty),
                Err(error) => Err(error),
                Ok((from, to)) => value::point(from, self.size).and_then(|_| match known.values {
                    ValueType::PointPairs => value::point(to, self.size).map(drop),
                    _ => Ok(()),
                }),
            };
            match outcome {
                Err(error) => self.bad_value(node, property, value, &error),
                Ok(()) if known.values == ValueType::PointPairs => self.same_ends(node, property, value),
                Ok(()) => {}
            }
        }
    }

    /// An arrow or a line from a point to itself.
    fn same_ends(&mut self, node: NodeId, property: Property<'r>, value: Value<'r>) {
        let Ok((from, to)) = value::composed(value.raw()) else { return };
        let from = trim(from);
        if from != trim(to) || self.sink.is_full(Code::DuplicatePoint) {
            return;
        }
        let ident = property.ident();
        let finding = Finding::new(
            Code::DuplicatePoint,
            value.span(),
            format!("{ident} goes from {from} to the same point"),
            format!("{ident} 的起点和终点都是 {from}"),
        );
        let fix = self.without(node, property, value);
        self.sink.push(finding.with_fix(fix));
    }
}

/// What a list says that was said before.
#[derive(Debug)]
struct Twice<'r> {
    first: Option<Value<'r>>,
    values: Vec<Value<'r>>,
    /// Whether each of them says nothing new.
    removable: bool,
    conflict: Option<(Value<'r>, u8)>,
}

impl Default for Twice<'_> {
    fn default() -> Self {
        Twice { first: None, values: Vec::new(), removable: true, conflict: None }
    }
}
