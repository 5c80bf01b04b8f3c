//! What the known properties hold: FF\[4\]'s list, and the properties that programs added.

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
    /// A special form of its own, not checked.
    Other,
}

/// A property that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProperty {
    /// Its FF\[4\] name.
    pub ident: &'static str,
    /// What its values are.
    pub values: ValueType,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

const fn known(ident: &'static str, values: ValueType, meaning: &'static str) -> KnownProperty {
    KnownProperty { ident, values, meaning }
}

use ValueType::{
    Color, Double, Labels, Move, None as Empty, Number, Other, PointPairs, Points, PointsOrNone, Real,
    SimpleText, Size, Text,
};

/// All properties that are known, sorted by name. `SBKV` and `SBKS` are Sabaki's, `KO` is
/// "execute even if illegal".
pub const KNOWN: &[KnownProperty] = &[
    known("AB", Points, "set up black stones"),
    known("AE", Points, "set up empty points"),
    known("AN", SimpleText, "annotated by"),
    known("AP", Other, "application that wrote the file"),
    known("AR", PointPairs, "arrows"),
    known("AW", Points, "set up white stones"),
    known("B", Move, "Black's move"),
    known("BL", Real, "Black's time left, in seconds"),
    known("BM", Double, "bad move"),
    known("BR", SimpleText, "Black's rank"),
    known("BT", SimpleText, "Black's team"),
    known("C", Text, "comment"),
    known("CA", SimpleText, "charset"),
    known("CP", SimpleText, "copyright"),
    known("CR", Points, "circles"),
    known("DD", PointsOrNone, "dimmed points"),
    known("DM", Double, "even position"),
    known("DO", Empty, "doubtful move"),
    known("DT", SimpleText, "date"),
    known("EV", SimpleText, "event"),
    known("FF", Number, "version of the file format"),
    known("FG", Other, "figure"),
    known("GB", Double, "good for Black"),
    known("GC", Text, "comment on the game"),
    known("GM", Number, "kind of game"),
    known("GN", SimpleText, "name of the game"),
    known("GW", Double, "good for White"),
    known("HA", Number, "handicap stones"),
    known("HO", Double, "hotspot"),
    known("IT", Empty, "interesting move"),
    known("KM", Real, "komi"),
    known("KO", Empty, "execute the move even if it is illegal"),
    known("LB", Labels, "labels"),
    known("LN", PointPairs, "lines"),
    known("MA", Points, "crosses"),
    known("MN", Number, "move number"),
    known("N", SimpleText, "name of the node"),
    known("OB", Number, "moves Black has left in this period"),
    known("ON", SimpleText, "opening"),
    known("OT", SimpleText, "overtime"),
    known("OW", Number, "moves White has left in this period"),
    known("PB", SimpleText, "Black's name"),
    known("PC", SimpleText, "place"),
    known("PL", Color, "player to move"),
    known("PM", Number, "printing of move numbers"),
    known("PW", SimpleText, "White's name"),
    known("RE", SimpleText, "result"),
    known("RO", SimpleText, "round"),
    known("RU", SimpleText, "rules"),
    known("SBKS", Real, "Black's lead in points, from an analysis"),
    known("SBKV", Real, "Black's winrate in percent, from an analysis"),
    known("SL", Points, "selected points"),
    known("SO", SimpleText, "source"),
    known("SQ", Points, "squares"),
    known("ST", Number, "display of variations"),
    known("SZ", Size, "size of the board"),
    known("TB", PointsOrNone, "Black's territory"),
    known("TE", Double, "good move"),
    known("TM", Real, "main time, in seconds"),
    known("TR", Points, "triangles"),
    known("TW", PointsOrNone, "White's territory"),
    known("UC", Double, "unclear position"),
    known("US", SimpleText, "entered by"),
    known("V", Real, "value of the node, positive for Black"),
    known("VW", PointsOrNone, "visible part of the board"),
    known("W", Move, "White's move"),
    known("WL", Real, "White's time left, in seconds"),
    known("WR", SimpleText, "White's rank"),
    known("WT", SimpleText, "White's team"),
];

/// Looks a property up by its FF\[4\] name.
pub fn lookup(ident: &str) -> Option<&'static KnownProperty> {
    KNOWN.binary_search_by(|known| known.ident.cmp(ident)).ok().map(|index| &KNOWN[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KNOWN.windows(2).all(|pair| pair[0].ident < pair[1].ident));
        assert_eq!(lookup("W").map(|known| known.values), Some(Move));
        assert_eq!(lookup("ZZ"), None);
    }
}
