//! One form for what any reader makes of a record.

use std::collections::BTreeMap;

use kifud::go::{Color, Size};
use kifud::sgf::props::{self, ValueType};
use kifud::sgf::value::{self, ValueError, point_text, simple_text, text};
use kifud::sgf::{NodeId, Record};

/// Between the parts of a composed value.
pub const PART: &str = "\u{1f}";

/// The values of a property; `None` when the reader refuses them. Points are two letters, lists are in
/// order, numbers are as short as they can be.
pub type Values = Option<Vec<String>>;

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub children: usize,
    pub values: BTreeMap<String, Values>,
}

/// The nodes of each game in the order of the text.
pub type Reading = Vec<Vec<Node>>;

pub fn ours(record: &Record) -> Reading {
    let games = 0..record.games().len();
    games.map(|game| record.nodes(game).map(|node| our_node(record, node)).collect()).collect()
}

fn our_node(record: &Record, node: NodeId) -> Node {
    let size = record.size(node);
    let properties = record.properties(node).map(|property| {
        let ident = property.ident().into_owned();
        let raw: Vec<&str> = record.values_of(node, &ident).map(|value| value.raw()).collect();
        let known = props::lookup(&ident).filter(|known| known.in_format(4));
        let single = known.is_some_and(|known| !known.values.is_list());
        let values = values(&ident, &raw, size).ok().filter(|_| !single || raw.len() == 1);
        (ident, values)
    });
    Node { children: record.children(node).count(), values: properties.collect() }
}

/// The values of a property by the type that FF[4] gives it.
pub fn values(ident: &str, raw: &[&str], size: Size) -> Result<Vec<String>, ValueError> {
    let Some(known) = props::lookup(ident).filter(|known| known.in_format(4)) else {
        return Ok(raw.iter().map(|raw| text(raw).into_owned()).collect());
    };
    let point = |raw: &str| value::point(raw, size).map(|point| point_text(point).unwrap_or_default());
    let mut values = Vec::new();
    for raw in raw {
        use ValueType::*;
        match known.values {
            None => values.push(String::new()),
            Number => values.push(value::number(raw)?.to_string()),
            Real | Komi => values.push(value::real(raw)?.to_string()),
            Double => values.push(value::double(raw)?.to_string()),
            Color => values.push(value::color(raw)?.letter().to_owned()),
            Text => values.push(text(raw).into_owned()),
            SimpleText | Result | Date | Charset => values.push(simple_text(raw).into_owned()),
            Move if raw.is_empty() || value::vertex(raw, size)? == kifud::go::Vertex::Pass => {
                values.push(String::new());
            }
            Move => values.push(point(raw)?),
            PointsOrNone if raw.is_empty() => {}
            Points | PointsOrNone => {
                values.extend(value::rectangle(raw, size)?.points().filter_map(point_text));
            }
            Labels => {
                let (at, label) = value::composed(raw)?;
                values.push(format!("{}{PART}{}", point(at)?, simple_text(label)));
            }
            PointPairs => {
                let (from, to) = value::composed(raw)?;
                values.push(format!("{}{PART}{}", point(from)?, point(to)?));
            }
            Size => values.push(value::size(raw).map(side_text)?),
            Application => {
                let (name, version) = value::composed(raw)?;
                values.push(format!("{}{PART}{}", simple_text(name), simple_text(version)));
            }
            Other => values.push(match value::composed(raw) {
                Ok((flags, name)) => format!("{}{PART}{}", value::number(flags)?, simple_text(name)),
                Err(_) => raw.to_string(),
            }),
        }
    }
    if known.values.is_list() {
        values.sort();
        values.dedup();
    }
    Ok(values)
}

pub fn side_text(size: Size) -> String {
    match size.is_square() {
        true => size.width().to_string(),
        false => format!("{}:{}", size.width(), size.height()),
    }
}

pub fn sgfmill(answer: &serde_json::Value) -> Option<Reading> {
    let node = |node: &serde_json::Value| {
        let values = node["values"].as_object().into_iter().flatten().map(|(ident, values)| {
            let list = values.as_array().map(|values| {
                values.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
            });
            (ident.clone(), list)
        });
        Node { children: node["children"].as_u64().unwrap_or_default() as usize, values: values.collect() }
    };
    let games = answer["games"].as_array()?.iter();
    Some(games.map(|game| game.as_array().into_iter().flatten().map(node).collect()).collect())
}

pub fn sgf_parse(text: &str) -> Option<Reading> {
    let trees = sgf_parse::parse(text).ok()?;
    let games = trees.into_iter().map(|tree| {
        let root = tree.into_go_node().ok()?;
        let mut nodes = Vec::new();
        let mut stack = vec![&root];
        while let Some(node) = stack.pop() {
            let values =
                node.properties().map(|prop| (sgf_parse::SgfProp::identifier(prop), their_values(prop)));
            nodes.push(Node { children: node.children().count(), values: values.collect() });
            let children: Vec<_> = node.children().collect();
            stack.extend(children.into_iter().rev());
        }
        Some(nodes)
    });
    games.collect()
}

fn their_values(prop: &sgf_parse::go::Prop) -> Values {
    use sgf_parse::go::{Move, Point, Prop::*};
    let letter = |side: u8| char::from(if side < 26 { b'a' + side } else { b'A' + side - 26 });
    let point = |point: &Point| format!("{}{}", letter(point.x), letter(point.y));
    let mut list: Vec<String> = match prop {
        B(Move::Pass) | W(Move::Pass) | KO | DO | IT | FG(None) => vec![String::new()],
        B(Move::Move(at)) | W(Move::Move(at)) => vec![point(at)],
        AB(points) | AE(points) | AW(points) | CR(points) | DD(points) | MA(points) | SL(points)
        | SQ(points) | TR(points) | VW(points) | TB(points) | TW(points) => {
            points.iter().map(point).collect()
        }
        AR(pairs) | LN(pairs) => {
            pairs.iter().map(|(from, to)| format!("{}{PART}{}", point(from), point(to))).collect()
        }
        LB(labels) => labels.iter().map(|(at, label)| format!("{}{PART}{label}", point(at))).collect(),
        C(text) | GC(text) => vec![text.to_string()],
        N(text) | CA(text) | AN(text) | BR(text) | BT(text) | CP(text) | DT(text) | EV(text) | GN(text)
        | ON(text) | OT(text) | PB(text) | PC(text) | PW(text) | RE(text) | RO(text) | RU(text)
        | SO(text) | US(text) | WR(text) | WT(text) => vec![text.to_string()],
        MN(number) | FF(number) | GM(number) | ST(number) | OB(number) | OW(number) | PM(number)
        | HA(number) => vec![number.to_string()],
        V(number) | TM(number) | BL(number) | WL(number) | KM(number) => vec![number.to_string()],
        DM(double) | GB(double) | GW(double) | HO(double) | UC(double) | BM(double) | TE(double) => {
            vec![if *double == sgf_parse::Double::Two { "2" } else { "1" }.to_owned()]
        }
        PL(color) => vec![
            match color {
                sgf_parse::Color::Black => Color::Black,
                sgf_parse::Color::White => Color::White,
            }
            .letter()
            .to_owned(),
        ],
        AP((name, version)) => vec![format!("{name}{PART}{version}")],
        FG(Some((flags, name))) => vec![format!("{flags}{PART}{name}")],
        SZ((width, height)) => vec![side_text(Size::new(*width, *height)?)],
        Unknown(_, values) => {
            values.iter().map(|text| sgf_parse::Text { text: text.clone() }.to_string()).collect()
        }
        Invalid(..) => return None,
    };
    if !matches!(prop, Unknown(..)) {
        list.sort();
    }
    Some(list)
}
