//! What the eight places around a point tell: eyes, liberties of a stone there, and whether a move
//! there fits one of the patterns of local play.

use std::sync::OnceLock;

use super::board::{BLACK, BORDER, EMPTY, Stone, WHITE, opponent};

/// Patterns of Gelly, Wang, Munos and Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go"
/// (2006): row by row around the move `*`. `X` and `O` are the two players, `x` is anything but X,
/// `o` anything but O, `-` is off the board, `?` whatever it is. They hold turned, mirrored, and with
/// the colours exchanged.
const PATTERNS: [&str; 13] = [
    // Hane around a stone.
    "XOX .*. ???",
    "XO. .*. ?.?",
    "XO? X*. x.?",
    ".O. X*. ...",
    // Cuts, made and prevented.
    "XO? O*o ?o?",
    "XO? O*X ???",
    "?X? O*O ooo",
    "OX? o*O ???",
    // On the edge.
    "X.? O*? ---",
    "OX? X*O ---",
    "?X? x*O ---",
    "?XO x*x ---",
    "?OX X*O ---",
];

/// Where the eight places of a shape, in [`super::grid::Grid::around`]'s order, stand in a pattern's
/// nine characters.
const CELLS: [usize; 8] = [1, 7, 3, 5, 0, 8, 2, 6];

/// Tables over shapes (see [`super::board::Board::shape`]) that are small enough to stay near the
/// processor: one over the four sides, one over the four corners, and a bit a shape for the patterns.
pub struct Patterns {
    sides: [Sides; 256],
    corners: [[bool; 2]; 256],
    fits: [u64; 1024],
}

#[derive(Clone, Copy)]
struct Sides {
    empty: u8,
    /// Whether all four are a player's or border, Black first.
    enclosed: [bool; 2],
    /// Whether one is a player's.
    touched: [bool; 2],
}

impl Patterns {
    /// The tables; made at the first call.
    pub fn get() -> &'static Patterns {
        static TABLES: OnceLock<Patterns> = OnceLock::new();
        TABLES.get_or_init(Patterns::build)
    }

    fn build() -> Patterns {
        let mut fits = [0u64; 1024];
        for form in PATTERNS.iter().flat_map(|text| all_forms(text)) {
            for shape in shapes(&form) {
                fits[usize::from(shape / 64)] |= 1 << (shape % 64);
            }
        }
        Patterns {
            sides: std::array::from_fn(|lie| Sides {
                empty: four(lie).into_iter().filter(|there| *there == EMPTY).count() as u8,
                enclosed: [BLACK, WHITE]
                    .map(|own| four(lie).into_iter().all(|there| there == own || there == BORDER)),
                touched: [BLACK, WHITE].map(|own| four(lie).contains(&own)),
            }),
            corners: std::array::from_fn(|lie| {
                let edge = four(lie).contains(&BORDER);
                [BLACK, WHITE].map(|own| {
                    let hostile = four(lie).into_iter().filter(|there| *there == opponent(own)).count();
                    hostile < if edge { 1 } else { 2 }
                })
            }),
            fits,
        }
    }

    /// Whether the empty point is an eye of this player that cannot be made false: stones of its own
    /// or the edge on all four sides, and at most one corner (none on the edge) with the opponent.
    #[inline(always)]
    pub fn is_eye(&self, shape: u16, stone: Stone) -> bool {
        let player = usize::from(stone == WHITE);
        self.sides[usize::from(shape & 0xff)].enclosed[player]
            && self.corners[usize::from(shape >> 8)][player]
    }

    /// Whether a move there is one of local play, whoever makes it.
    #[inline(always)]
    pub fn fits(&self, shape: u16) -> bool {
        self.fits[usize::from(shape / 64)] >> (shape % 64) & 1 == 1
    }

    /// Whether a stone of this player is beside.
    #[inline(always)]
    pub fn touches(&self, shape: u16, stone: Stone) -> bool {
        self.sides[usize::from(shape & 0xff)].touched[usize::from(stone == WHITE)]
    }

    /// The number of empty points beside.
    #[inline(always)]
    pub fn empty_beside(&self, shape: u16) -> u8 {
        self.sides[usize::from(shape & 0xff)].empty
    }
}

/// The four stones in eight bits.
fn four(lie: usize) -> [Stone; 4] {
    [lie, lie >> 2, lie >> 4, lie >> 6].map(|bits| (bits & 3) as Stone)
}

/// A pattern in its eight directions and two colourings, the eight characters in a shape's order.
fn all_forms(text: &str) -> Vec<[u8; 8]> {
    let mut square: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let mut forms = Vec::new();
    for turn in 0..8 {
        let form = CELLS.map(|cell| square[cell]);
        forms.push(form);
        forms.push(form.map(|byte| match byte {
            b'X' => b'O',
            b'O' => b'X',
            b'x' => b'o',
            b'o' => b'x',
            other => other,
        }));
        // A quarter turn; a reflection half-way through.
        let turned: Vec<u8> = (0..9).map(|cell| square[6 - 3 * (cell % 3) + cell / 3]).collect();
        square = if turn == 3 {
            (0..9).map(|cell| turned[3 * (cell / 3) + 2 - cell % 3]).collect()
        } else {
            turned
        };
    }
    forms
}

/// All shapes that a form describes.
fn shapes(form: &[u8; 8]) -> Vec<u16> {
    let mut shapes = vec![0u16];
    for (side, byte) in form.iter().enumerate() {
        let choices: &[Stone] = match byte {
            b'.' => &[EMPTY],
            b'X' => &[BLACK],
            b'O' => &[WHITE],
            b'x' => &[EMPTY, WHITE, BORDER],
            b'o' => &[EMPTY, BLACK, BORDER],
            b'-' => &[BORDER],
            _ => &[EMPTY, BLACK, WHITE, BORDER],
        };
        let longer = |shape: &u16| {
            choices
                .iter()
                .map(|stone| u16::from(*stone) << (2 * side))
                .map(|lie| shape | lie)
                .collect::<Vec<_>>()
        };
        shapes = shapes.iter().flat_map(longer).collect();
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shape drawn row by row, `X` black, `O` white, `-` the border.
    fn shape(text: &str) -> u16 {
        let square: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
        let stone = |byte| match byte {
            b'X' => BLACK,
            b'O' => WHITE,
            b'-' => BORDER,
            _ => EMPTY,
        };
        let lie = CELLS.iter().enumerate().map(|(side, cell)| u16::from(stone(square[*cell])) << (2 * side));
        lie.sum()
    }

    #[test]
    fn eyes() {
        let patterns = Patterns::get();
        let cases = [
            ("XXX X*X XXX", true),
            ("OXX X*X XXX", true),
            ("OXX X*X XXO", false),
            ("XX- X*- XX-", true),
            ("OX- X*- XX-", false),
            ("XX- X*- ---", true),
            ("OX- X*- ---", false),
            (".X. X*X .X.", true),
            ("XXX X*X X.X", false),
            ("XXX X*X XOX", false),
        ];
        for (text, eye) in cases {
            assert_eq!(patterns.is_eye(shape(text), BLACK), eye, "{text}");
            assert!(!patterns.is_eye(shape(text), WHITE), "{text}");
        }
    }

    #[test]
    fn patterns_hold_turned_mirrored_and_exchanged() {
        let patterns = Patterns::get();
        let cases = [
            ("XOX .*. OOO", true),
            ("OXO .*. ...", true),
            ("X.. O*. X..", true),
            ("... .*. ...", false),
            (".O. O*. ..X", false),
            ("XOO O*. ...", true),
            ("XOO O*O ...", false),
            ("-OX -*. -..", true),
            ("--- O*X .XO", true),
        ];
        for (text, fits) in cases {
            assert_eq!(patterns.fits(shape(text)), fits, "{text}");
        }
    }

    #[test]
    fn empty_points_beside() {
        let patterns = Patterns::get();
        assert_eq!(patterns.empty_beside(shape("... .*. ...")), 4);
        assert_eq!(patterns.empty_beside(shape(".X- O*- ..-")), 1);
    }
}
