//! Values of single properties: type, range, form.

use super::super::charset;
use super::super::date;
use super::super::props::{KnownProperty, Place, ValueType, lookup};
use super::super::result::GameResult;
use super::super::value::{self, ValueError, trim};
use super::super::{Code, Finding, Fix, NodeId, Property, Severity, Span, TextEdit, Value};
use super::game::{Contents, GameCheck, Played};
use crate::go::{Color, Point, Vertex};

impl<'r> GameCheck<'r, '_> {
    /// Looks at one property, and notes what matters for the node.
    pub fn property(
        &mut self,
        node: NodeId,
        property: Property<'r>,
        known: &'static KnownProperty,
        contents: &mut Contents,
    ) {
        // A value without its `]` holds what was not meant for it.
        if self.record.unclosed_value && property.values().any(|value| !value.is_closed()) {
            return;
        }
        if self.swallows_node(node, property, known) {
            contents.unclosed = true;
            self.unclosed = true;
            return;
        }
        match known.values {
            ValueType::Move if known.place == Place::Move => return self.play_of(property, known),
            ValueType::Points | ValueType::PointsOrNone => {
                if known.place == Place::Setup {
                    contents.setup.get_or_insert(property.ident_span());
                    contents.stones = true;
                }
                return self.points(node, property, known);
            }
            ValueType::Labels | ValueType::PointPairs => return self.pairs(node, property, known),
            _ => {}
        }
        if self.is_dialect(node, property, known) {
            return;
        }
        self.placed(node, property, known, contents);
        contents.forced |= known.ident == "KO";
        if known.place == Place::Root && node != self.root && known.by.is_empty() {
            // It is not read there: said already.
            return;
        }
        let mut values = property.values();
        let Some(value) = values.next() else { return };
        self.single(node, property, known, value);
        if !known.values.is_list()
            && let Some(more) = values.next()
        {
            let ident = known.ident;
            self.sink.push(Finding::new(
                Code::TooManyValues,
                more.span(),
                format!("{ident} has one value; further ones are ignored"),
                format!("{ident} 只有一个值；其余的被忽略"),
            ));
        }
    }

    /// A move as nearly all moves are written, `B[dd]`, to a point of the board: there is nothing to be
    /// said of it alone, and it is read faster than others.
    pub fn plain_move(&self, property: Property<'r>) -> Option<Played> {
        let start = property.start();
        let written = self.record.text().as_bytes().get(start as usize..start as usize + 5)?;
        let &[name @ (b'B' | b'W'), b'[', col @ b'a'..=b'z', row @ b'a'..=b'z', b']'] = written else {
            return None;
        };
        let color = if name == b'B' { Color::Black } else { Color::White };
        let point = Point::new(col - b'a', row - b'a');
        let is_plain = self.size.contains(point) && property.values().len() == 1;
        let vertex = Some(Vertex::At(point));
        is_plain.then_some(Played { color, vertex, span: Span::new(start, start + 5) })
    }

    /// Any other move.
    fn play_of(&mut self, property: Property<'r>, known: &KnownProperty) {
        let color = if known.ident == "B" { Color::Black } else { Color::White };
        let mut values = property.values();
        let Some(value) = values.next() else { return };
        let raw = value.raw();
        let vertex = match value::vertex(raw, self.size) {
            Ok(vertex) => Some(vertex),
            Err(error) => {
                self.bad_move(known.ident, value, &error);
                None
            }
        };
        if vertex == Some(Vertex::Pass) && trim(raw) == "tt" {
            self.old_pass(known.ident, value);
        }
        self.moves.push(Played { color, vertex, span: property.span() });
        if let Some(more) = values.next() {
            let ident = known.ident;
            self.sink.push(Finding::new(
                Code::TooManyValues,
                more.span(),
                format!("{ident} has one point; further ones are ignored"),
                format!("{ident} 只有一个点；其余的被忽略"),
            ));
        }
    }

    fn old_pass(&mut self, ident: &str, value: Value<'_>) {
        let fix = Fix::new("write an empty value", "写成空值", TextEdit::replace(value.raw_span(), ""));
        let finding = Finding::new(
            Code::OldPass,
            value.span(),
            format!("FF[4] writes a pass {ident}[]"),
            format!("FF[4] 的停着写作 {ident}[]"),
        );
        self.sink.push(finding.with_fix(fix.safe()));
    }

    fn bad_move(&mut self, ident: &str, value: Value<'_>, error: &ValueError) {
        let (code, mut words) = words(error);
        // Some programs write a pass as the point just behind the last corner.
        let corner = Point::new(self.size.width(), self.size.height());
        let as_pass = code == Code::OffBoard
            && value::point_text(corner).is_some_and(|corner| corner == trim(value.raw()));
        if as_pass {
            words.0 += "; was it a pass?";
            words.1 += "；是否想写停着？";
        }
        let finding = Finding::new(
            code,
            value.span(),
            format!("{ident}: {}", words.0),
            format!("{ident}：{}", words.1),
        );
        let pass = Fix::new("make it a pass", "改为停着", TextEdit::replace(value.raw_span(), ""));
        self.sink.push(finding.with_fix(as_pass.then_some(pass)));
    }

    fn single(&mut self, node: NodeId, property: Property<'r>, known: &KnownProperty, value: Value<'r>) {
        let raw = value.raw();
        let outcome = match known.values {
            ValueType::Number => {
                value::number(raw).map(|number| self.range(known.ident, value, number as f64))
            }
            ValueType::Real => value::real(raw).map(|number| self.range(known.ident, value, number)),
            ValueType::Double => value::double(raw).map(drop),
            ValueType::Color => value::color(raw).map(drop),
            ValueType::Size => value::size(raw).map(|_| self.square(value)),
            ValueType::Komi => value::real(raw).map(|_| self.komi(node, value)),
            ValueType::None => {
                self.nothing(known.ident, value);
                Ok(())
            }
            ValueType::Move => value::vertex(raw, self.size).map(drop),
            ValueType::Result => {
                self.result(value);
                Ok(())
            }
            ValueType::Date => {
                self.date(value);
                Ok(())
            }
            ValueType::Charset => {
                self.charset(value);
                Ok(())
            }
            ValueType::Application => {
                self.application(value);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = outcome {
            self.bad_value(node, property, value, &error);
        }
    }

    /// Says that a value cannot be read as its type.
    pub fn bad_value(&mut self, node: NodeId, property: Property<'r>, value: Value<'_>, error: &ValueError) {
        let ident = property.ident();
        let no_size = ValueError::NotASize(trim(value.raw()).chars().take(40).collect());
        let error = if ident == "SZ" && *error != ValueError::Empty { &no_size } else { error };
        let (code, (mut en, mut zh)) = words(error);
        if self.sink.is_full(code) {
            return;
        }
        if ident == "KM" && *error == ValueError::Empty {
            en += "; the komi is unknown";
            zh += "；贴目未知";
        }
        let finding = Finding::new(code, value.span(), format!("{ident}: {en}"), format!("{ident}：{zh}"));
        let fix = match error {
            ValueError::DecimalComma(_, with_point) => {
                let edit = TextEdit::replace(value.raw_span(), with_point.clone());
                Some(Fix::new("write a decimal point", "改用小数点", edit).safe())
            }
            ValueError::Empty if property.is("BM") || property.is("TE") || property.is("DM") => {
                Some(Fix::new("write 1", "写成 1", TextEdit::replace(value.raw_span(), "1")))
            }
            ValueError::Empty => self.without(node, property, value).map(Fix::safe),
            _ => None,
        };
        self.sink.push(finding.with_fix(fix));
    }

    /// The removal of a value, or of its property when it is the only one.
    pub fn without(&self, node: NodeId, property: Property<'r>, value: Value<'_>) -> Option<Fix> {
        let others = property.values().len() > 1;
        if others && lookup(&property.ident()).is_some_and(|known| !known.values.is_list()) {
            return None;
        }
        if others {
            return Some(Fix::new("remove this value", "删除此值", TextEdit::replace(value.span(), "")));
        }
        if self.must_stay(node, property) || !value.is_closed() {
            return None;
        }
        let ident = property.ident();
        let edit = TextEdit::replace(property.span(), "");
        Some(Fix::new(format!("remove {ident}"), format!("删除 {ident}"), edit))
    }

    fn range(&mut self, ident: &str, value: Value<'_>, number: f64) {
        let (least, greatest) = match ident {
            "FF" => (1.0, 4.0),
            "ST" => (0.0, 3.0),
            "PM" => (0.0, 2.0),
            "HA" if number == 1.0 => return self.one_stone(value),
            "HA" => (0.0, self.size.area() as f64),
            "TM" | "OB" | "OW" | "MN" => (0.0, f64::MAX),
            _ => return,
        };
        if number >= least && number <= greatest {
            return;
        }
        let (en, zh) = if greatest == f64::MAX {
            (format!("{ident} is not negative"), format!("{ident} 不能为负"))
        } else {
            (format!("{ident} is {least} to {greatest}"), format!("{ident} 应为 {least} 到 {greatest}"))
        };
        self.sink.push(Finding::new(Code::OutOfRange, value.span(), en, zh));
    }

    fn one_stone(&mut self, value: Value<'_>) {
        let mut finding = Finding::new(
            Code::OutOfRange,
            value.span(),
            "FF[4]: a handicap is two stones or more; without one there is no HA",
            "FF[4]：让子数至少为 2；不让子时不写 HA",
        );
        finding.severity = Severity::Hint;
        self.sink.push(finding);
    }

    fn square(&mut self, value: Value<'_>) {
        if !self.size.is_square() || value::composed(value.raw()).is_err() {
            return;
        }
        let side = self.size.width().to_string();
        let finding = Finding::new(
            Code::SquareSize,
            value.span(),
            format!("the size of a square board is one number: SZ[{side}]"),
            format!("方形棋盘只写一个数：SZ[{side}]"),
        );
        let fix = Fix::new("write one number", "只写一个数", TextEdit::replace(value.raw_span(), side));
        self.sink.push(finding.with_fix(fix.safe()));
    }

    fn nothing(&mut self, ident: &str, value: Value<'_>) {
        if trim(value.raw()).is_empty() {
            return;
        }
        let finding = Finding::new(
            Code::UnexpectedValue,
            value.span(),
            format!("{ident} stands for itself; its value is empty"),
            format!("{ident} 本身即有含义，值应为空"),
        );
        let fix = Fix::new("empty it", "清空", TextEdit::replace(value.raw_span(), ""));
        self.sink.push(finding.with_fix(fix));
    }

    /// As the format has it, older formats said less about these.
    fn strictness(&self) -> Severity {
        if self.is_ff4() { Severity::Warning } else { Severity::Hint }
    }

    fn result(&mut self, value: Value<'_>) {
        let text = value::simple_text(value.raw());
        if trim(value.raw()).is_empty() || GameResult::parse(&text).is_some() {
            return;
        }
        let meant = GameResult::guess(&text).map(|result| result.to_string());
        let mut finding = match &meant {
            Some(meant) => Finding::new(
                Code::BadResult,
                value.span(),
                format!("FF[4] writes this result {meant}"),
                format!("FF[4] 将此结果写作 {meant}"),
            ),
            None => Finding::new(
                Code::BadResult,
                value.span(),
                "a result is written as B+3.5, W+R, W+T, B+F, 0, Void or ?",
                "结果应写作 B+3.5、W+R、W+T、B+F、0、Void 或 ?",
            ),
        };
        finding.severity = self.strictness();
        let fix = meant.map(|meant| {
            let title = (format!("write {meant}"), format!("改写为 {meant}"));
            Fix::new(title.0, title.1, TextEdit::replace(value.raw_span(), meant)).safe()
        });
        self.sink.push(finding.with_fix(fix));
    }

    fn date(&mut self, value: Value<'_>) {
        let text = value::simple_text(value.raw());
        if trim(value.raw()).is_empty() || date::is_date_list(&text) {
            return;
        }
        let mut finding = Finding::new(
            Code::BadDate,
            value.span(),
            "a date is written YYYY-MM-DD, YYYY-MM or YYYY",
            "日期应写作 YYYY-MM-DD、YYYY-MM 或 YYYY",
        );
        finding.severity = self.strictness();
        let fix = date::guess(&text).map(|(meant, whole)| {
            let title = (format!("write {meant}"), format!("改写为 {meant}"));
            let fix = Fix::new(title.0, title.1, TextEdit::replace(value.raw_span(), meant));
            if whole { fix.safe() } else { fix }
        });
        self.sink.push(finding.with_fix(fix));
    }

    fn charset(&mut self, value: Value<'_>) {
        let label = trim(value.raw());
        if label.is_empty() || charset::known(label).is_some() {
            return;
        }
        let shown: String = label.chars().take(40).collect();
        self.sink.push(Finding::new(
            Code::UnknownCharset,
            value.span(),
            format!("no charset is called {shown}"),
            format!("没有名为 {shown} 的字符集"),
        ));
    }

    fn application(&mut self, value: Value<'_>) {
        if !self.is_ff4() || trim(value.raw()).is_empty() || value::composed(value.raw()).is_ok() {
            return;
        }
        let mut finding = Finding::new(
            Code::MissingColon,
            value.span(),
            "AP is name:version; the version is missing",
            "AP 的形式是 程序名:版本；缺少版本",
        );
        finding.severity = Severity::Hint;
        self.sink.push(finding);
    }
}

/// The code for an error, and its sentence in English and Chinese.
pub(super) fn words(error: &ValueError) -> (Code, (String, String)) {
    let (code, zh) = match error {
        ValueError::Empty => (Code::EmptyValue, "值为空".to_owned()),
        ValueError::NotANumber(raw) => (Code::BadNumber, format!("{raw:?} 不是整数")),
        ValueError::NotAReal(raw) => (Code::BadNumber, format!("{raw:?} 不是数字")),
        ValueError::DecimalComma(raw, meant) => {
            (Code::BadNumber, format!("{raw:?} 用了逗号作小数点；SGF 写作 {meant:?}"))
        }
        ValueError::NotADouble(raw) => (Code::BadEmphasis, format!("{raw:?} 既不是 1 也不是 2")),
        ValueError::NotAColor(raw) => (Code::BadColor, format!("{raw:?} 既不是 B 也不是 W")),
        ValueError::NotAPoint(raw) => (Code::BadPoint, format!("{raw:?} 不是点；点由列、行两个字母组成")),
        ValueError::OffBoard(raw, size) => (Code::OffBoard, format!("{raw:?} 在 {size} 棋盘之外")),
        ValueError::NotComposed(raw) => (Code::MissingColon, format!("{raw:?} 的两部分之间缺少 `:`")),
        ValueError::NotASize(raw) => {
            (Code::BadSize, format!("{raw:?} 不是棋盘大小；大小为 1 到 52，或 列数:行数"))
        }
    };
    (code, (error.to_string(), zh))
}
