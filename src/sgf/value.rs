//! Reading and writing single values, type by type.
//!
//! All functions take the text between the brackets as it stands in the file, and take what the
//! files of the world have beyond FF\[4\]: `tt`, reversed rectangles, colours as words.

use std::borrow::Cow;

use crate::go::{Color, Point, Size, Vertex};

use super::lexer::is_space;

/// Why a value cannot be read as its type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// Nothing but white space.
    #[error("the value is empty")]
    Empty,
    /// Not a whole number.
    #[error("{0:?} is not a whole number")]
    NotANumber(String),
    /// Not a real number.
    #[error("{0:?} is not a number")]
    NotAReal(String),
    /// A real number with a comma.
    #[error("{0:?} has a decimal comma; SGF writes a point: {1:?}")]
    DecimalComma(String, String),
    /// Neither `1` nor `2`.
    #[error("{0:?} is neither 1 nor 2")]
    NotADouble(String),
    /// Neither `B` nor `W`.
    #[error("{0:?} is neither B nor W")]
    NotAColor(String),
    /// Not two letters.
    #[error("{0:?} is not a point; a point is two letters, column and row")]
    NotAPoint(String),
    /// A point that the board does not have.
    #[error("{0:?} lies off the {1} board")]
    OffBoard(String, Size),
    /// A value of two parts without its colon.
    #[error("{0:?} has no `:` between its two parts")]
    NotComposed(String),
    /// Not a board size.
    #[error("{0:?} is not a board size; sizes are 1 to 52, or columns:rows")]
    NotASize(String),
}

/// At most this many characters of a bad value are quoted in an error.
const QUOTED: usize = 40;

fn quote(raw: &str) -> String {
    raw.chars().take(QUOTED).collect()
}

/// A value without the white space around it.
pub fn trim(raw: &str) -> &str {
    raw.trim_matches(|letter: char| letter.is_ascii() && is_space(letter as u8))
}

/// Reads `Text`: a backslash makes the next character literal, a backslash before a line
/// break removes both, other white space than line breaks becomes a space. Line breaks come
/// out as `\n`.
pub fn text(raw: &str) -> Cow<'_, str> {
    unescape(raw, '\n')
}

/// Reads `SimpleText`: as [`text`], and line breaks become spaces too.
pub fn simple_text(raw: &str) -> Cow<'_, str> {
    unescape(raw, ' ')
}

fn unescape(raw: &str, line_break: char) -> Cow<'_, str> {
    let plain = |byte: u8| byte != b'\\' && (byte == b' ' || !is_space(byte));
    if raw.bytes().all(|byte| plain(byte) || (byte == b'\n' && line_break == '\n')) && !raw.contains("\n\r") {
        return Cow::Borrowed(raw);
    }
    let mut result = String::with_capacity(raw.len());
    let mut letters = raw.chars().peekable();
    // LF, CR, CRLF and LFCR are all one line break.
    let pair = |letter: char| if letter == '\n' { '\r' } else { '\n' };
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(next @ ('\n' | '\r')) => {
                    letters.next_if_eq(&pair(next));
                }
                Some(next) if next.is_ascii() && is_space(next as u8) => result.push(' '),
                Some(next) => result.push(next),
                None => {}
            },
            '\n' | '\r' => {
                letters.next_if_eq(&pair(letter));
                result.push(line_break);
            }
            letter if letter.is_ascii() && is_space(letter as u8) => result.push(' '),
            letter => result.push(letter),
        }
    }
    Cow::Owned(result)
}

/// Writes a text as a value: `]` and `\` get a backslash, nothing else does.
pub fn escape(text: &str) -> String {
    escape_all(text, &[']', '\\'])
}

/// Writes a text as one part of a composed value: `:` gets a backslash too.
pub fn escape_part(text: &str) -> String {
    escape_all(text, &[']', '\\', ':'])
}

fn escape_all(text: &str, special: &[char]) -> String {
    let mut result = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if special.contains(&letter) {
            result.push('\\');
        }
        result.push(letter);
    }
    result
}

/// Splits a composed value at its first `:` that has no backslash.
pub fn composed(raw: &str) -> Result<(&str, &str), ValueError> {
    let mut escaped = false;
    for (at, byte) in raw.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b':' => return Ok((&raw[..at], &raw[at + 1..])),
            _ => {}
        }
    }
    Err(ValueError::NotComposed(quote(raw)))
}

/// A value that may not be empty, without the white space around it.
fn some(raw: &str) -> Result<&str, ValueError> {
    match trim(raw) {
        "" => Err(ValueError::Empty),
        value => Ok(value),
    }
}

/// Reads a `Number`.
pub fn number(raw: &str) -> Result<i64, ValueError> {
    some(raw)?.parse().map_err(|_| ValueError::NotANumber(quote(raw)))
}

/// Reads a `Real`; always finite.
pub fn real(raw: &str) -> Result<f64, ValueError> {
    match some(raw)?.parse::<f64>() {
        // FF[4] has neither `inf` nor `nan`.
        Ok(number) if number.is_finite() => Ok(number),
        _ => {
            let with_point = trim(raw).replacen(',', ".", 1);
            let comma = raw.contains(',') && with_point.parse::<f64>().is_ok();
            Err(if comma {
                ValueError::DecimalComma(quote(raw), with_point)
            } else {
                ValueError::NotAReal(quote(raw))
            })
        }
    }
}

/// Reads a `Double`: 1 = normal, 2 = emphasised.
pub fn double(raw: &str) -> Result<u8, ValueError> {
    match some(raw)? {
        "1" => Ok(1),
        "2" => Ok(2),
        _ => Err(ValueError::NotADouble(quote(raw))),
    }
}

/// Reads a `Color`. Besides `B` and `W` it takes what old programs wrote: lower case and
/// whole words, and `1` and `2`.
pub fn color(raw: &str) -> Result<Color, ValueError> {
    match some(raw)? {
        "1" => Ok(Color::Black),
        "2" => Ok(Color::White),
        other => Color::parse(other).ok_or_else(|| ValueError::NotAColor(quote(raw))),
    }
}

/// The board's size from `SZ`: `19`, or `19:13` = columns:rows, each 1 to 52.
pub fn size(raw: &str) -> Result<Size, ValueError> {
    let (width, height) = match composed(raw) {
        Ok((width, height)) => (number(width)?, number(height)?),
        Err(_) => {
            let side = number(raw)?;
            (side, side)
        }
    };
    let side = |side: i64| u8::try_from(side).ok();
    side(width)
        .zip(side(height))
        .and_then(|(width, height)| Size::new(width, height))
        .ok_or_else(|| ValueError::NotASize(quote(raw)))
}

/// `a` to `z` are 0 to 25, `A` to `Z` 26 to 51.
fn coordinate(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(byte - b'a'),
        b'A'..=b'Z' => Some(byte - b'A' + 26),
        _ => None,
    }
}

fn two_letters(raw: &str) -> Result<Point, ValueError> {
    match trim(raw).as_bytes() {
        [] => Err(ValueError::Empty),
        &[col, row] => coordinate(col)
            .zip(coordinate(row))
            .map(|(col, row)| Point::new(col, row))
            .ok_or_else(|| ValueError::NotAPoint(quote(raw))),
        _ => Err(ValueError::NotAPoint(quote(raw))),
    }
}

/// Reads a `Point` or `Stone` on a board of this size.
pub fn point(raw: &str, size: Size) -> Result<Point, ValueError> {
    let point = two_letters(raw)?;
    if size.contains(point) { Ok(point) } else { Err(ValueError::OffBoard(quote(trim(raw)), size)) }
}

/// Reads a `Move`: a point; a pass is empty, or `tt` on boards up to 19x19.
pub fn vertex(raw: &str, size: Size) -> Result<Vertex, ValueError> {
    match trim(raw) {
        "" => Ok(Vertex::Pass),
        "tt" if size.width() <= 19 && size.height() <= 19 => Ok(Vertex::Pass),
        _ => point(raw, size).map(Vertex::At),
    }
}

/// A filled rectangle of points; a single point is one of 1x1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangle {
    /// Top left corner.
    pub from: Point,
    /// Bottom right corner.
    pub to: Point,
}

impl Rectangle {
    /// The number of points, at most 52 times 52.
    pub fn area(self) -> usize {
        let side = |from: u8, to: u8| usize::from(to.saturating_sub(from)) + 1;
        side(self.from.col, self.to.col) * side(self.from.row, self.to.row)
    }

    /// Whether it has this point.
    pub fn contains(self, point: Point) -> bool {
        (self.from.col..=self.to.col).contains(&point.col)
            && (self.from.row..=self.to.row).contains(&point.row)
    }

    /// Its points, row by row from the top left.
    pub fn points(self) -> impl Iterator<Item = Point> {
        (self.from.row..=self.to.row)
            .flat_map(move |row| (self.from.col..=self.to.col).map(move |col| Point::new(col, row)))
    }
}

/// Reads one entry of a point list: a point, or a compressed rectangle `aa:cc` given by any
/// two opposite corners.
pub fn rectangle(raw: &str, size: Size) -> Result<Rectangle, ValueError> {
    let (one, other) = composed(raw).unwrap_or((raw, raw));
    let (one, other) = (point(one, size)?, point(other, size)?);
    Ok(Rectangle {
        from: Point::new(one.col.min(other.col), one.row.min(other.row)),
        to: Point::new(one.col.max(other.col), one.row.max(other.row)),
    })
}

/// Writes a point as SGF does; `None` beyond 52 columns or rows.
pub fn point_text(point: Point) -> Option<String> {
    let letter = |value: u8| match value {
        0..=25 => Some(char::from(b'a' + value)),
        26..=51 => Some(char::from(b'A' + value - 26)),
        _ => None,
    };
    Some([letter(point.col)?, letter(point.row)?].iter().collect())
}

/// Writes a number with at most two decimals and no trailing zeros (`98`, `52.1`), never
/// `-0`: the form of SBKV and SBKS. `None` when it is not finite.
pub fn two_decimals(number: f64) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    let fixed = format!("{number:.2}");
    let short = fixed.trim_end_matches('0').trim_end_matches('.');
    Some(if short == "-0" { "0".to_owned() } else { short.to_owned() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_by_the_book() {
        // (raw, Text, SimpleText)
        let cases = [
            (r"a\nb", "anb", "anb"),
            (r"a\tb", "atb", "atb"),
            ("a\\\nb", "ab", "ab"),
            ("a\\\r\nb", "ab", "ab"),
            ("a\\\n\rb", "ab", "ab"),
            ("a\\\rb", "ab", "ab"),
            ("a\\\n\nb", "a\nb", "a b"),
            ("a\tb\x0bc", "a b c", "a b c"),
            ("a\\\tb", "a b", "a b"),
            ("a\nb", "a\nb", "a b"),
            ("a\rb", "a\nb", "a b"),
            ("a\r\nb", "a\nb", "a b"),
            ("a\n\rb", "a\nb", "a b"),
            ("a\n\nb", "a\n\nb", "a  b"),
            ("a\r\n\r\nb", "a\n\nb", "a  b"),
            (r"[3d?\]: hi\: there \\", "[3d?]: hi: there \\", "[3d?]: hi: there \\"),
            ("棋\\\\\\]", "棋\\]", "棋\\]"),
            ("end\\", "end", "end"),
        ];
        for (raw, long, short) in cases {
            assert_eq!(text(raw), long, "{raw:?}");
            assert_eq!(simple_text(raw), short, "{raw:?}");
        }
    }

    #[test]
    fn escapes_by_hand() {
        assert_eq!(escape(r"test [] test 2 \[\]"), r"test [\] test 2 \\[\\\]");
        assert_eq!(escape("a:b"), "a:b");
        assert_eq!(escape_part("a:b"), r"a\:b");
    }

    proptest! {
        #[test]
        fn what_is_escaped_reads_back(written in any::<String>()) {
            // White space is not kept as such by the format, so leave it out here.
            let written = written.replace(|letter: char| letter.is_ascii() && is_space(letter as u8), "");
            let escaped = escape(&written);
            prop_assert_eq!(text(&escaped), written.as_str());
            let part = escape_part(&written);
            let value = format!("{part}:{part}");
            prop_assert_eq!(composed(&value), Ok((part.as_str(), part.as_str())));
            prop_assert_eq!(simple_text(&part), written.as_str());
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(number(" 12\n"), Ok(12));
        assert_eq!(number("+5"), Ok(5));
        assert_eq!(number("-3"), Ok(-3));
        assert_eq!(number(""), Err(ValueError::Empty));
        assert_eq!(number("1.5"), Err(ValueError::NotANumber("1.5".into())));
        assert_eq!(real("6.5"), Ok(6.5));
        assert_eq!(real(" -7 "), Ok(-7.0));
        assert_eq!(real("6,5"), Err(ValueError::DecimalComma("6,5".into(), "6.5".into())));
        for bad in ["nan", "inf", "-inf", "1e999", "x", "6.5 points"] {
            assert_eq!(real(bad), Err(ValueError::NotAReal(bad.into())));
        }
        assert_eq!((double("1"), double("2")), (Ok(1), Ok(2)));
        assert_eq!(double("3"), Err(ValueError::NotADouble("3".into())));
        for (raw, expected) in
            [("B", Color::Black), ("W", Color::White), ("white", Color::White), ("1", Color::Black)]
        {
            assert_eq!(color(raw), Ok(expected));
        }
        assert_eq!(color("X"), Err(ValueError::NotAColor("X".into())));
    }

    #[test]
    fn sizes() {
        let good = [("19", 19, 19), ("9:9", 9, 9), ("19:13", 19, 13), ("52:1", 52, 1), (" 1 ", 1, 1)];
        for (raw, width, height) in good {
            assert_eq!(size(raw), Ok(Size::new(width, height).unwrap()), "{raw}");
        }
        for bad in ["0", "-3", "53", "19:", ":19", "19:0", "x", "", "300", "9:9:9"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pass_depends_on_the_board() {
        let tt = Vertex::At(Point::new(19, 19));
        // (side, what tt means)
        let cases = [
            (9, Some(Vertex::Pass)),
            (18, Some(Vertex::Pass)),
            (19, Some(Vertex::Pass)),
            (20, Some(tt)),
            (21, Some(tt)),
            (25, Some(tt)),
        ];
        for (side, meaning) in cases {
            let size = Size::square(side).unwrap();
            assert_eq!(vertex("tt", size).ok(), meaning, "{side}");
            assert_eq!(vertex("", size), Ok(Vertex::Pass));
        }
        let oblong = Size::new(19, 20).unwrap();
        assert_eq!(vertex("tt", oblong), Err(ValueError::OffBoard("tt".into(), oblong)));
        let eighteen = Size::square(18).unwrap();
        assert_eq!(vertex("ss", eighteen), Err(ValueError::OffBoard("ss".into(), eighteen)));
    }

    #[test]
    fn points_and_rectangles() {
        let size = Size::square(52).unwrap();
        for at in size.points() {
            assert_eq!(point(&point_text(at).unwrap(), size), Ok(at));
        }
        assert_eq!(point("ZA", size), Ok(Point::new(51, 26)));
        assert_eq!(point_text(Point::new(52, 0)), None);
        for bad in ["a", "aaa", "a1", "[dc", "é"] {
            assert_eq!(point(bad, size), Err(ValueError::NotAPoint(bad.into())));
        }
        let points: Vec<_> =
            rectangle("cb:ba", size).unwrap().points().map(|at| point_text(at).unwrap()).collect();
        assert_eq!(points, ["ba", "ca", "bb", "cb"]);
        assert_eq!(rectangle("aa:ZZ", size).unwrap().area(), 2704);
        assert_eq!(rectangle("dd", size).unwrap().area(), 1);
    }

    #[test]
    fn two_decimals_by_hand() {
        let cases = [
            (98.0, "98"),
            (52.1, "52.1"),
            (52.126, "52.13"),
            (-0.001, "0"),
            (-0.0, "0"),
            (100.0, "100"),
            (-12.5, "-12.5"),
            (0.05, "0.05"),
        ];
        for (number, text) in cases {
            assert_eq!(two_decimals(number).as_deref(), Some(text));
        }
        assert_eq!(two_decimals(f64::NAN), None);
    }
}
