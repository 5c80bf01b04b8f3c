//! Colours, sizes, points, vertices and moves, with their GTP spelling.

use std::fmt;

/// A player, and the colour of a stone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Plays first in an even game.
    Black,
    /// Plays second in an even game, first in a handicap game.
    White,
}

impl Color {
    /// Both colours, Black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    pub fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// `"B"` or `"W"`, as SGF, GTP and kifud's protocol write it.
    pub fn letter(self) -> &'static str {
        match self {
            Color::Black => "B",
            Color::White => "W",
        }
    }

    /// Reads `b`, `w`, `black`, `white` in any case.
    pub fn parse(text: &str) -> Option<Color> {
        if text.eq_ignore_ascii_case("b") || text.eq_ignore_ascii_case("black") {
            Some(Color::Black)
        } else if text.eq_ignore_ascii_case("w") || text.eq_ignore_ascii_case("white") {
            Some(Color::White)
        } else {
            None
        }
    }
}

/// The size of a board, 1 to 52 points each way (SGF's limit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// The largest side that SGF can write.
    pub const MAX: u8 = 52;

    /// A `width` x `height` board; `None` outside 1..=52.
    pub const fn new(width: u8, height: u8) -> Option<Size> {
        if width >= 1 && width <= Self::MAX && height >= 1 && height <= Self::MAX {
            Some(Size { width, height })
        } else {
            None
        }
    }

    /// A square board; `None` outside 1..=52.
    pub const fn square(side: u8) -> Option<Size> {
        Self::new(side, side)
    }

    /// The board that SGF takes when a game names no size: 19x19.
    pub const STANDARD: Size = Size { width: 19, height: 19 };

    /// Points in a row.
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Points in a column.
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Whether both sides are equal.
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// The number of points.
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Whether the point lies on the board.
    pub const fn contains(self, point: Point) -> bool {
        point.col < self.width && point.row < self.height
    }

    /// The place of a point in a list of all points, row by row from the top left.
    pub const fn index(self, point: Point) -> usize {
        point.row as usize * self.width as usize + point.col as usize
    }

    /// The inverse of [`Size::index`].
    pub const fn point(self, index: usize) -> Point {
        Point { col: (index % self.width as usize) as u8, row: (index / self.width as usize) as u8 }
    }

    /// All points, row by row from the top left.
    pub fn points(self) -> impl Iterator<Item = Point> {
        (0..self.area()).map(move |index| self.point(index))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A point of the board, counted from the top left as SGF does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Column, 0 = left.
    pub col: u8,
    /// Row, 0 = top.
    pub row: u8,
}

impl Point {
    /// The point in this column (0 = left) and row (0 = top).
    pub const fn new(col: u8, row: u8) -> Point {
        Point { col, row }
    }
}

/// Where a move goes: a point, or nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vertex {
    /// A pass.
    Pass,
    /// A stone on this point.
    At(Point),
}

/// GTP's column letters; `I` is left out.
const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

impl Vertex {
    /// Reads GTP's spelling (`Q16`, `pass`, any case; columns `AA`, `AB` … follow `Z`).
    /// `None` when it is not a vertex or lies off the board.
    pub fn parse_gtp(text: &str, size: Size) -> Option<Vertex> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(Vertex::Pass);
        }
        let bytes = text.as_bytes();
        let letters = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let column = |byte: u8| COLUMNS.iter().position(|c| *c == byte.to_ascii_uppercase());
        let col = match letters {
            1 => column(bytes[0])?,
            2 => 25 + 25 * column(bytes[0])? + column(bytes[1])?,
            _ => return None,
        };
        let digits = &bytes[letters..];
        if digits.is_empty() || digits.len() > 2 || digits[0] == b'0' {
            return None;
        }
        let mut number = 0usize;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            number = number * 10 + usize::from(digit - b'0');
        }
        let row = usize::from(size.height).checked_sub(number)?;
        (col < usize::from(size.width)).then(|| Vertex::At(Point::new(col as u8, row as u8)))
    }

    /// GTP's spelling on a board of this size; the point must lie on the board.
    pub fn to_gtp(self, size: Size) -> String {
        self.spell(size).as_str().to_owned()
    }

    /// The same without an allocation.
    pub fn spell(self, size: Size) -> Spelling {
        let Vertex::At(point) = self else {
            return Spelling { bytes: *b"pass", length: 4 };
        };
        let col = usize::from(point.col);
        let number = size.height.saturating_sub(point.row);
        let mut spelling = Spelling { bytes: [0; 4], length: 0 };
        if col >= 25 {
            spelling.push(COLUMNS[(col / 25 - 1) % 25]);
        }
        spelling.push(COLUMNS[col % 25]);
        if number >= 10 {
            spelling.push(b'0' + number / 10 % 10);
        }
        spelling.push(b'0' + number % 10);
        spelling
    }
}

/// A vertex as text: at most two letters and two digits, or `pass`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    bytes: [u8; 4],
    length: u8,
}

impl Spelling {
    fn push(&mut self, byte: u8) {
        self.bytes[usize::from(self.length)] = byte;
        self.length += 1;
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// A stone or a pass of one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// Who plays.
    pub color: Color,
    /// Where.
    pub vertex: Vertex,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gtp_vertices_round_trip_on_every_size() {
        for side in 1..=Size::MAX {
            let size = Size::new(side, Size::MAX + 1 - side).unwrap();
            for point in size.points() {
                let vertex = Vertex::At(point);
                assert_eq!(Vertex::parse_gtp(&vertex.to_gtp(size), size), Some(vertex));
            }
        }
    }

    #[test]
    fn gtp_vertices_by_hand() {
        let size = Size::new(52, 52).unwrap();
        let cases =
            [("A52", 0, 0), ("j1", 8, 51), ("Z1", 24, 51), ("AA1", 25, 51), ("AZ1", 49, 51), ("BB1", 51, 51)];
        for (text, col, row) in cases {
            assert_eq!(Vertex::parse_gtp(text, size), Some(Vertex::At(Point::new(col, row))), "{text}");
        }
        for bad in ["", "I5", "A0", "A53", "AAA1", "A", "5", "A1x", "A01", "A999", "BC1"] {
            assert_eq!(Vertex::parse_gtp(bad, size), None, "{bad}");
        }
        assert_eq!(Vertex::parse_gtp("PASS", size), Some(Vertex::Pass));
    }
}
