//! The ninety points of the board.

use std::fmt;

use super::piece::Side;

/// Rows of the board; row 0 is Black's back rank, at the top.
pub const ROWS: usize = 10;
/// Columns of the board; column 0 is at the left of a reader who sits behind Red.
pub const COLS: usize = 9;
/// Points of the board.
pub const SQUARES: usize = ROWS * COLS;

/// A point: `row * 9 + col`, from 0 (`a9`, Black's back rank at the left) to 89 (`i0`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The point with this index, if there is one.
    pub const fn new(index: usize) -> Option<Square> {
        if index < SQUARES { Some(Square(index as u8)) } else { None }
    }

    /// The point at a row (0 to 9) and column (0 to 8), if there is one.
    pub const fn at(row: usize, col: usize) -> Option<Square> {
        if row < ROWS && col < COLS { Some(Square((row * COLS + col) as u8)) } else { None }
    }

    /// All points, row by row from the top left.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..SQUARES as u8).map(Square)
    }

    /// 0 to 89.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 (Black's back rank) to 9 (Red's).
    pub const fn row(self) -> usize {
        self.index() / COLS
    }

    /// 0 (file `a`) to 8 (file `i`).
    pub const fn col(self) -> usize {
        self.index() % COLS
    }

    /// The point so many rows down and columns to the right, if it is on the board.
    pub const fn offset(self, rows: i8, cols: i8) -> Option<Square> {
        let (row, col) = (self.row() as i8 + rows, self.col() as i8 + cols);
        if row < 0 || col < 0 {
            return None;
        }
        Square::at(row as usize, col as usize)
    }

    /// The point as the other player sees it: the board turned by half a turn.
    pub const fn turned(self) -> Square {
        Square(SQUARES as u8 - 1 - self.0)
    }

    /// Whether the point lies in the palace (九宫) of a side.
    pub const fn in_palace(self, side: Side) -> bool {
        let row = self.row();
        let near = match side {
            Side::Black => row <= 2,
            Side::Red => row >= 7,
        };
        near && self.col() >= 3 && self.col() <= 5
    }

    /// Whether a piece of this side that stands here has crossed the river (过河).
    pub const fn crossed_river(self, side: Side) -> bool {
        match side {
            Side::Black => self.row() >= 5,
            Side::Red => self.row() <= 4,
        }
    }

    /// The number of the file as a side counts it: 1 to 9 from its own right.
    pub const fn file_number(self, side: Side) -> u8 {
        match side {
            Side::Black => self.col() as u8 + 1,
            Side::Red => (COLS - self.col()) as u8,
        }
    }

    /// Reads an ICCS point: a letter `a` to `i`, then a rank from 0 (Red's back rank) to 9. Both
    /// cases of the letter are read; anything else is `None`.
    pub fn from_iccs(text: &str) -> Option<Square> {
        let [file, rank] = text.as_bytes() else { return None };
        let col = file.to_ascii_lowercase().checked_sub(b'a')?;
        let rank = rank.checked_sub(b'0').filter(|&rank| rank <= 9)?;
        Square::at(9 - usize::from(rank), usize::from(col))
    }

    /// Reads a UCI point as Fairy-Stockfish writes it: ranks run from 1 to 10.
    pub fn from_uci(text: &str) -> Option<Square> {
        let col = text.bytes().next()?.to_ascii_lowercase().checked_sub(b'a')?;
        let rank = match text.get(1..)? {
            "10" => 10,
            digit if digit.len() == 1 => digit.parse().ok().filter(|&rank: &usize| rank > 0)?,
            _ => return None,
        };
        Square::at(10 - rank, usize::from(col))
    }

    /// The UCI spelling, ranks from 1 to 10: `h3`, `a10`.
    pub fn to_uci(self) -> String {
        format!("{}{}", self.file_letter(), 10 - self.row())
    }

    /// `a` to `i`.
    pub const fn file_letter(self) -> char {
        (b'a' + self.col() as u8) as char
    }
}

/// The ICCS spelling: `h2`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file_letter(), 9 - self.row())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iccs_and_index() {
        for (text, index) in [("a9", 0), ("i9", 8), ("h2", 70), ("e2", 67), ("a0", 81), ("i0", 89)] {
            assert_eq!(Square::from_iccs(text).map(Square::index), Some(index), "{text}");
            assert_eq!(Square::new(index).unwrap().to_string(), text);
        }
        assert_eq!(Square::from_iccs("H2"), Square::from_iccs("h2"));
        for text in ["", "h", "j0", "`0", "h10", "h:", "2h", "炮", "é0"] {
            assert_eq!(Square::from_iccs(text), None, "{text}");
        }
    }

    #[test]
    fn uci_counts_ranks_from_one() {
        for (uci, iccs) in [("h3", "h2"), ("a10", "a9"), ("e1", "e0"), ("i9", "i8")] {
            assert_eq!(Square::from_uci(uci), Square::from_iccs(iccs));
            assert_eq!(Square::from_iccs(iccs).unwrap().to_uci(), uci);
        }
        for text in ["", "a", "a0", "a11", "a+1", "a01", "j1", "馬1"] {
            assert_eq!(Square::from_uci(text), None, "{text}");
        }
        for square in Square::all() {
            assert_eq!(Square::from_uci(&square.to_uci()), Some(square));
            assert_eq!(Square::from_iccs(&square.to_string()), Some(square));
            assert_eq!(square.turned().turned(), square);
        }
    }

    #[test]
    fn palaces_river_and_files() {
        let at = |text| Square::from_iccs(text).unwrap();
        assert_eq!(Square::all().filter(|square| square.in_palace(Side::Red)).count(), 9);
        assert!(at("d0").in_palace(Side::Red) && at("f2").in_palace(Side::Red));
        assert!(at("d9").in_palace(Side::Black) && !at("d6").in_palace(Side::Black));
        assert!(at("e5").crossed_river(Side::Red) && !at("e4").crossed_river(Side::Red));
        assert!(at("e4").crossed_river(Side::Black) && !at("e5").crossed_river(Side::Black));
        assert_eq!((at("i0").file_number(Side::Red), at("a0").file_number(Side::Red)), (1, 9));
        assert_eq!((at("i0").file_number(Side::Black), at("a0").file_number(Side::Black)), (9, 1));
    }
}
