//! The values that can stand between brackets.

use crate::go::{Color, Move, Point, Vertex};
use crate::sgf::props::ValueType;
use crate::sgf::value::{self, point_text};
use crate::sgf::{NodeId, Property, Record, Value};

use super::Locale;
use super::decode::{handicap, result, style};
use super::place::type_of;
use super::stored::analysis;
use super::trace::Trace;

/// A value that can be typed.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidate {
    /// What is written.
    pub text: String,
    /// What is shown for it; `text` when empty.
    pub label: String,
    /// The other spelling: a vertex.
    pub other: String,
    /// What it is, in a few words.
    pub detail: String,
    /// 0 is shown first.
    pub rank: u8,
}

/// The points that fit a property, as far as its type has points.
pub(super) fn points(
    record: &Record,
    node: NodeId,
    property: &Property<'_>,
    value: Value<'_>,
    kind: ValueType,
    second_part: bool,
    locale: Locale,
) -> Option<Vec<Candidate>> {
    let is_points = matches!(
        kind,
        ValueType::Move
            | ValueType::Points
            | ValueType::PointsOrNone
            | ValueType::PointPairs
            | ValueType::Labels
    );
    // Behind the colon of a label stands text.
    if !is_points || (kind == ValueType::Labels && second_part) {
        return None;
    }
    let trace = Trace::before(record, node)?;
    let size = trace.board.size();
    let ident = property.ident();
    let fits = |point: Point| match ident.as_ref() {
        "B" => trace.board.legality(Move { color: Color::Black, vertex: Vertex::At(point) }).is_ok(),
        "W" => trace.board.legality(Move { color: Color::White, vertex: Vertex::At(point) }).is_ok(),
        "AB" | "AW" => trace.board.at(point).is_none(),
        "AE" => trace.board.at(point).is_some(),
        _ => true,
    };
    let mut taken = vec![false; size.area()];
    if kind != ValueType::Move {
        let others = property.values().filter(|other| other.span() != value.span());
        for point in others.filter_map(|other| value::point(other.raw(), size).ok()) {
            taken[size.index(point)] = true;
        }
    }
    let choice = record.parent(node).and_then(|parent| analysis(record, parent));
    let choice = choice.and_then(|found| found.line.first().copied()).filter(|_| kind == ValueType::Move);
    let stone = |point: Point| trace.board.at(point).map_or("", |color| locale.stone(color));
    let mut found: Vec<Candidate> = Vec::new();
    if kind == ValueType::Move {
        found.push(Candidate {
            label: locale.vertex(Vertex::Pass, ""),
            other: "pass".to_owned(),
            rank: 2,
            ..Candidate::default()
        });
    }
    for point in size.points().filter(|point| !taken[size.index(*point)] && fits(*point)) {
        let vertex = Vertex::At(point).to_gtp(size);
        let is_choice = choice == Some(Vertex::At(point));
        let about = if is_choice { locale.pick("engine's choice", "引擎首选") } else { stone(point) };
        found.push(Candidate {
            text: point_text(point).unwrap_or_default(),
            label: String::new(),
            detail: if about.is_empty() { vertex.clone() } else { format!("{vertex}, {about}") },
            other: vertex,
            rank: u8::from(!is_choice),
        });
    }
    Some(found)
}

/// The words that a property's value is mostly one of.
pub(super) fn words(ident: &str, property: &Property<'_>, locale: Locale) -> Vec<Candidate> {
    let list = |words: &[&str], detail: &dyn Fn(&str) -> Option<String>| {
        let candidate = |word: &&str| Candidate {
            text: (*word).to_owned(),
            detail: detail(word).unwrap_or_default(),
            ..Candidate::default()
        };
        words.iter().map(candidate).collect::<Vec<_>>()
    };
    let plain = |words: &[&str]| list(words, &|_| None);
    let number = |word: &str| word.parse::<i64>().ok();
    match ident {
        "RE" => list(RESULTS, &|word| result(word, locale)),
        "RU" => list(RULES, &|word| rules(word, locale)),
        "CA" => plain(CHARSETS),
        "KM" => list(&["6.5", "7.5", "5.5", "0.5", "0"], &|word| komi(word, locale)),
        "HA" => list(&["0", "2", "3", "4", "5", "6", "7", "8", "9"], &|word| handicap(number(word)?, locale)),
        "SZ" => plain(&["19", "13", "9"]),
        "FF" => plain(&["4"]),
        "GM" => list(&["1"], &|_| Some(locale.pick("Go", "围棋").to_owned())),
        "ST" => list(&["0", "1", "2", "3"], &|word| style(number(word)?, locale)),
        _ => match type_of(property) {
            Some(ValueType::Color) => {
                list(&["B", "W"], &|word| Color::parse(word).map(|color| locale.player(color).to_owned()))
            }
            Some(ValueType::Double) => list(&["1", "2"], &|word| {
                let words = [locale.pick("normal", "一般"), locale.pick("emphasised", "强调")];
                words.get(number(word)? as usize - 1).map(|word| (*word).to_owned())
            }),
            _ => Vec::new(),
        },
    }
}

const RESULTS: &[&str] = &["B+R", "W+R", "B+T", "W+T", "B+F", "W+F", "B+", "W+", "0", "Void", "?"];

/// The names that FF\[4\] fixes, and those that programs agree on.
const RULES: &[&str] = &["Japanese", "Chinese", "Korean", "AGA", "NZ", "GOE", "Tromp-Taylor"];

const CHARSETS: &[&str] =
    &["UTF-8", "GB18030", "GB2312", "Big5", "Shift_JIS", "EUC-JP", "EUC-KR", "windows-1252", "ISO-8859-1"];

fn rules(name: &str, locale: Locale) -> Option<String> {
    let (english, chinese) = match name {
        "Japanese" => ("territory", "数目"),
        "Korean" => ("territory", "数目"),
        "Chinese" => ("area", "数子"),
        "AGA" => ("American Go Association", "美国围棋协会"),
        "NZ" => ("New Zealand", "新西兰"),
        "GOE" => ("Ing", "应氏"),
        "Tromp-Taylor" => ("area, positional superko", "数子，禁全局同形"),
        _ => return None,
    };
    Some(locale.pick(english, chinese).to_owned())
}

fn komi(points: &str, locale: Locale) -> Option<String> {
    let (english, chinese) = match points {
        "6.5" => ("Japan, Korea", "日本、韩国"),
        "7.5" => ("China", "中国"),
        "0.5" => ("handicap games", "让子棋"),
        _ => return None,
    };
    Some(locale.pick(english, chinese).to_owned())
}
