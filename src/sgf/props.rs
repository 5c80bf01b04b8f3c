//! What the known properties hold: FF\[4\]'s list, those of older formats, and the properties that
//! programs and servers added.

use super::Words;
use crate::locale::Locale;

mod table;

pub use table::KNOWN;

/// The type of a property's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Nothing between the brackets.
    None,
    /// A whole number.
    Number,
    /// A real number.
    Real,
    /// 1 (normal) or 2 (emphasised).
    Double,
    /// `B` or `W`.
    Color,
    /// One line of text.
    SimpleText,
    /// Text with line breaks.
    Text,
    /// A move: a point or a pass.
    Move,
    /// Points, single or as rectangles; one at least.
    Points,
    /// The same, or one empty value for no point.
    PointsOrNone,
    /// Point, colon, text.
    Labels,
    /// Point, colon, point.
    PointPairs,
    /// Size of the board.
    Size,
    /// The komi.
    Komi,
    /// The result.
    Result,
    /// Dates.
    Date,
    /// The name of a charset.
    Charset,
    /// Name and version of a program.
    Application,
    /// A special form of its own, not checked.
    Other,
}

impl ValueType {
    /// Whether a property of this type may have several values.
    pub const fn is_list(self) -> bool {
        use ValueType::*;
        matches!(self, Points | PointsOrNone | Labels | PointPairs | Other)
    }

    /// What the values look like, in a few words.
    pub fn words(self) -> Words {
        use ValueType::*;
        let (en, zh) = match self {
            None => ("nothing between the brackets", "空值"),
            Number => ("a whole number", "整数"),
            Real => ("a number", "数字"),
            Double => ("1, or 2 for emphasis", "1，或强调时为 2"),
            Color => ("B or W", "B 或 W"),
            SimpleText => ("one line of text", "单行文字"),
            Text => ("text", "文字"),
            Move => ("a point, or nothing for a pass", "一个点，空值表示停着"),
            Points => ("points, single or as rectangles", "点的列表，可用矩形"),
            PointsOrNone => {
                ("points, single or as rectangles; empty for none", "点的列表，可用矩形；空值表示没有")
            }
            Labels => ("point:text, one or more", "点:文字，可多个"),
            PointPairs => ("point:point, one or more", "点:点，可多个"),
            Size => ("a number, or columns:rows", "一个数，或 列数:行数"),
            Komi => ("a number of points", "目数"),
            Result => ("such as B+3.5, W+R, 0, Void, ?", "如 B+3.5、W+R、0、Void、?"),
            Date => ("YYYY-MM-DD, several with commas", "YYYY-MM-DD，多个用逗号分隔"),
            Charset => ("the name of a charset", "字符集名称"),
            Application => ("name:version", "程序名:版本"),
            Other => ("a form of its own", "专用格式"),
        };
        Words::new(en, zh)
    }
}

/// Where a property may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the root of a game.
    Root,
    /// In one node of a line, which is mostly the root: facts about the game.
    GameInfo,
    /// In a node that sets up a position.
    Setup,
    /// In a node with a move.
    Move,
    /// In any node.
    Any,
}

impl Place {
    /// In a few words.
    pub fn words(self) -> Words {
        let (en, zh) = match self {
            Place::Root => ("root", "根节点"),
            Place::GameInfo => ("game info", "棋局信息"),
            Place::Setup => ("set-up", "摆子"),
            Place::Move => ("move", "着法"),
            Place::Any => ("any node", "任意节点"),
        };
        Words::new(en, zh)
    }
}

/// A property that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProperty {
    /// Its FF\[4\] name.
    pub ident: &'static str,
    /// What its values are.
    pub values: ValueType,
    /// Where it may stand.
    pub place: Place,
    /// The format versions that have it, one bit each (bit 0 is FF\[1\]); 0 for a property that a
    /// program added.
    pub formats: u8,
    /// The program that added it; empty for one of the format's own.
    pub by: &'static str,
    /// What it means, in a few English words.
    pub en: &'static str,
    /// The same in Chinese.
    pub zh: &'static str,
}

impl KnownProperty {
    /// What it means, in a few words.
    pub fn meaning(&self, language: Locale) -> &'static str {
        match language {
            Locale::English => self.en,
            Locale::Chinese => self.zh,
        }
    }

    /// Whether this version of the format has it.
    pub fn in_format(&self, version: i64) -> bool {
        matches!(version, 1..=4) && self.formats >> (version - 1) & 1 == 1
    }

    /// Whether older formats had it and FF\[4\] has not.
    pub fn is_dropped(&self) -> bool {
        self.formats != 0 && !self.in_format(4)
    }
}

/// Letters `A` to `Z` twice, the second one also missing.
const PAIRS: usize = 26 * 27;

/// For each name of one or two capitals its place in [`KNOWN`], plus one.
const BY_LETTERS: [u8; PAIRS] = {
    let mut places = [0; PAIRS];
    let mut index = 0;
    while index < KNOWN.len() {
        if let Some(pair) = pair(KNOWN[index].ident.as_bytes()) {
            places[pair] = index as u8 + 1;
        }
        index += 1;
    }
    places
};

const fn pair(ident: &[u8]) -> Option<usize> {
    match *ident {
        [one @ b'A'..=b'Z'] => Some((one - b'A') as usize * 27 + 26),
        [one @ b'A'..=b'Z', two @ b'A'..=b'Z'] => Some((one - b'A') as usize * 27 + (two - b'A') as usize),
        _ => None,
    }
}

/// The place in [`KNOWN`] of the property of this FF\[4\] name.
pub(super) fn place(ident: &str) -> Option<usize> {
    match pair(ident.as_bytes()) {
        Some(pair) => usize::from(*BY_LETTERS.get(pair)?).checked_sub(1),
        None => KNOWN.binary_search_by(|known| known.ident.cmp(ident)).ok(),
    }
}

/// Looks a property up by its FF\[4\] name.
pub fn lookup(ident: &str) -> Option<&'static KnownProperty> {
    place(ident).map(|place| &KNOWN[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found() {
        assert!(KNOWN.windows(2).all(|pair| pair[0].ident < pair[1].ident));
        for known in KNOWN {
            assert_eq!(lookup(known.ident), Some(known));
            assert!(!known.en.is_empty() && !known.zh.is_empty());
            assert_eq!(known.formats == 0, !known.by.is_empty(), "{}", known.ident);
        }
        for unknown in ["", "ZZ", "b", "B1", "SBKX", "É"] {
            assert_eq!(lookup(unknown), None);
        }
    }

    /// The format's own lists: <https://www.red-bean.com/sgf/properties.html>.
    #[test]
    fn every_property_of_ff4_is_there() {
        let lists = [
            (Place::Move, "B KO MN W BM DO IT TE BL OB OW WL"),
            (Place::Setup, "AB AE AW PL"),
            (Place::Any, "C DM GB GW HO N UC V AR CR DD LB LN MA SL SQ TR FG PM VW TB TW"),
            (Place::Root, "AP CA FF GM ST SZ"),
            (Place::GameInfo, "AN BR BT CP DT EV GN GC ON OT PB PC PW RE RO RU SO TM US WR WT HA KM"),
        ];
        for (place, list) in lists {
            for ident in list.split(' ') {
                let known = lookup(ident).unwrap();
                assert_eq!((known.place, known.in_format(4)), (place, true), "{ident}");
            }
        }
    }
}
