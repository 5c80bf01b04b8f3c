//! Records that are valid by the book of FF[4], drawn from a seed.

use crate::support::Random;

/// Pieces of texts, as written between brackets.
const TEXTS: [&str; 20] = [
    "a",
    "Z",
    "棋",
    "吴清源",
    "😀",
    "é",
    " ",
    "1",
    "-",
    "[",
    r"\]",
    r"\\",
    r"\:",
    "\n",
    "\r\n",
    "\\\n",
    "\t",
    "(;",
    ")",
    r"\n",
];

/// The same without line breaks.
const WORDS: [&str; 9] = ["a", "棋", "😀", "é", "[", r"\]", r"\\", "1", "x y"];

fn pieces(random: &mut Random, of: &[&str]) -> String {
    (0..=random.index(8)).map(|_| of[random.index(of.len())]).collect()
}

fn point(col: usize, row: usize) -> String {
    let letter = |side: usize| char::from(if side < 26 { b'a' + side as u8 } else { b'A' + side as u8 - 26 });
    [letter(col), letter(row)].iter().collect()
}

struct Points {
    width: usize,
    height: usize,
    /// Those that no property of the node has named yet, in a random order.
    free: Vec<(usize, usize)>,
}

impl Points {
    fn new(random: &mut Random, width: usize, height: usize) -> Points {
        let mut free: Vec<_> = (0..width).flat_map(|col| (0..height).map(move |row| (col, row))).collect();
        (1..free.len()).for_each(|last| free.swap(last, random.index(last + 1)));
        Points { width, height, free }
    }

    fn one(&mut self) -> String {
        let (col, row) = self.free.pop().unwrap_or_default();
        point(col, row)
    }

    /// A list of single points, or a rectangle of those that are left.
    fn list(&mut self, random: &mut Random) -> String {
        let (col, row) = (random.index(self.width), random.index(self.height));
        let (to_col, to_row) = ((col + 1).min(self.width - 1), (row + 1).min(self.height - 1));
        let inside = |at: &(usize, usize)| (col..=to_col).contains(&at.0) && (row..=to_row).contains(&at.1);
        let area = (to_col - col + 1) * (to_row - row + 1);
        if area > 1 && random.below(3) == 0 && self.free.iter().filter(|at| inside(at)).count() == area {
            self.free.retain(|at| !inside(at));
            return format!("[{}:{}]", point(col, row), point(to_col, to_row));
        }
        (0..=random.index(3)).map(|_| format!("[{}]", self.one())).collect()
    }
}

fn node(random: &mut Random, width: usize, height: usize) -> String {
    let mut text = String::from(";");
    let mut stones = Points::new(random, width, height);
    match random.below(6) {
        0 => {
            for ident in ["AB", "AW", "AE"] {
                text += &format!("{ident}{}", stones.list(random));
            }
            text += ["PL[B]", "PL[W]", ""][random.index(3)];
        }
        kind => {
            let at =
                if random.below(12) == 0 { ["", "tt"][random.index(2)].to_owned() } else { stones.one() };
            let at = if at == "tt" && width.max(height) > 19 { String::new() } else { at };
            text += &format!("{}[{at}]", ["B", "W"][kind as usize % 2]);
            text += ["", "", "MN[7]", "KO[]", "BM[1]", "DO[]", "IT[]", "TE[2]"][random.index(8)];
            if random.below(3) == 0 {
                text += &format!("BL[{}]OW[{}]", random.below(10_000) as f64 / 8.0, random.below(25));
            }
        }
    }
    let mut marks = Points::new(random, width, height);
    for ident in ["CR", "MA", "SL", "SQ", "TR"] {
        if random.below(6) == 0 {
            text += &format!("{ident}{}", marks.list(random));
        }
    }
    for ident in ["DD", "VW", "TB", "TW"] {
        match random.below(12) {
            0 => text += &format!("{ident}{}", stones.list(random)),
            1 => text += &format!("{ident}[]"),
            _ => {}
        }
    }
    if random.below(4) == 0 {
        let label = pieces(random, &WORDS);
        text += &format!("LB[{}:{label}][{}:A\\:1]", marks.one(), marks.one());
    }
    if random.below(8) == 0 {
        text += &format!("AR[{}:{}]LN[{}:{}]", stones.one(), stones.one(), stones.one(), stones.one());
    }
    if random.below(3) == 0 {
        text += &format!("C[{}]\n", pieces(random, &TEXTS));
    }
    if random.below(8) == 0 {
        text += &format!("N[{}]HO[1]V[-{}.5]", pieces(random, &TEXTS), random.below(90));
    }
    if random.below(10) == 0 {
        text += &format!("XX[{}][{}]", pieces(random, &TEXTS), pieces(random, &TEXTS));
    }
    text + ["", "", "FG[]", "FG[257:figure 1]", "PM[1]"][random.index(5)]
}

/// A tree: nodes one behind the other, then variations.
fn tree(random: &mut Random, first: &str, (width, height): (usize, usize), depth: usize) -> String {
    let mut text = format!("({first}");
    for _ in 0..1 + random.index(6) {
        text += &node(random, width, height);
    }
    if depth > 0 {
        for _ in 0..random.index(4) {
            text += &tree(random, "", (width, height), depth - 1);
        }
    }
    text + [")", ")\n"][random.index(2)]
}

/// One record with variations.
pub fn record(random: &mut Random) -> String {
    let sizes =
        [(9, 9), (19, 19), (19, 19), (13, 13), (5, 5), (21, 21), (26, 26), (52, 52), (19, 13), (7, 9)];
    let (width, height) = sizes[random.index(sizes.len())];
    let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let root = format!(
        ";FF[4]GM[1]CA[UTF-8]AP[made\\:up:1.{}]ST[2]SZ[{size}]KM[{}]HA[{}]PB[{}]GC[{}]RE[B+3.5]TM[1800]",
        random.below(9),
        ["6.5", "0", "-7.5", "+5.5", "007"][random.index(5)],
        [0, 2, 9][random.index(3)],
        pieces(random, &WORDS),
        pieces(random, &TEXTS),
    );
    tree(random, &root, (width, height), 3)
}
