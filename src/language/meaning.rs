//! What a property means, in one place for all that show it.

use crate::sgf::props::{ValueType, lookup};

use super::Locale;

/// Where a property may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// In the root of a game.
    Root,
    /// Facts about the game; mostly in the root.
    GameInfo,
    /// In a node that sets up a position.
    Setup,
    /// In a node with a move.
    Move,
    /// In any node.
    Any,
}

/// What there is to say about a property.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    /// What it means, in a few words.
    pub what: &'static str,
    /// What its values look like.
    pub values: &'static str,
    /// Where it may stand.
    pub home: Home,
    /// The type of its values.
    pub kind: ValueType,
}

const ROOT: &str = " AP CA FF GM ST SZ ";
const INFO: &str = " AN BR BT CP DT EV GN GC HA KM ON OT PB PC PW RE RO RU SO TM US WR WT ";
const SETUP: &str = " AB AE AW PL ";
const MOVE: &str = " B BL BM DO IT KO MN OB OW TE W WL ";

/// What a property means; `None` for an unknown one.
pub(super) fn meaning(ident: &str, locale: Locale) -> Option<Meaning> {
    let known = lookup(ident)?;
    let padded = format!(" {ident} ");
    let lists = [(ROOT, Home::Root), (INFO, Home::GameInfo), (SETUP, Home::Setup), (MOVE, Home::Move)];
    let home = lists.iter().find(|(list, _)| list.contains(&padded)).map_or(Home::Any, |(_, home)| *home);
    Some(Meaning { what: known.meaning, values: values(known.values, locale), home, kind: known.values })
}

/// Where a property may stand, in words.
pub(super) fn home_words(home: Home, locale: Locale) -> &'static str {
    match home {
        Home::Root => locale.pick("root", "根节点"),
        Home::GameInfo => locale.pick("game info", "棋局信息"),
        Home::Setup => locale.pick("set-up", "摆子"),
        Home::Move => locale.pick("move", "着法"),
        Home::Any => locale.pick("any node", "任意节点"),
    }
}

fn values(kind: ValueType, locale: Locale) -> &'static str {
    let (english, chinese) = match kind {
        ValueType::None => ("no value", "空值"),
        ValueType::Number => ("a whole number", "整数"),
        ValueType::Real => ("a number", "数字"),
        ValueType::Double => ("1, or 2 for emphasis", "1，强调时为 2"),
        ValueType::Color => ("B or W", "B 或 W"),
        ValueType::SimpleText => ("one line of text", "单行文字"),
        ValueType::Text => ("text", "文字"),
        ValueType::Move => ("a point, or empty for a pass", "一个点，空值为停一手"),
        ValueType::Points => ("points", "点的列表"),
        ValueType::PointsOrNone => ("points, or empty for none", "点的列表，空值为无"),
        ValueType::Labels => ("point:text", "点:文字"),
        ValueType::PointPairs => ("point:point", "点:点"),
        ValueType::Size => ("a number, or columns:rows", "一个数，或 列数:行数"),
        ValueType::Other => ("a form of its own", "专用格式"),
    };
    locale.pick(english, chinese)
}
