//! UGF and UGI, the records and reviews of PANDA-NET (IGS).
//!
//! Sources: Sabaki's reader and files of PANDA-EGG; there is no public specification. Sections
//! `[Header]` with `Name=values`, `[Data]` with `point,colour,number,time`, `[ReviewNode]` with the
//! same moves again, `[ReviewComment]` with `.Comment,node` and text up to the next one. A point is two
//! letters from A; under `CoordinateType=IGS` rows count from below, else from above. `YA` is a pass,
//! number 0 a handicap stone. `[Figure]` with `.Text,move` and text is what older files have; no such
//! file was at hand.

use super::game::Game;
use super::text::{leading_number, real, text};
use super::{Imported, LineNote};
use crate::go::{Color, Point, Size, Vertex};
use crate::sgf::date;

/// Reads a file.
///
/// # Errors
/// When it has neither a head nor moves.
pub fn read_ugf(file: &[u8]) -> Result<Imported, LineNote> {
    let named = file.split(|byte| *byte == b'\n').take(20).find_map(|line| line.strip_prefix(b"Lang="));
    let named = named.map(|name| String::from_utf8_lossy(name).into_owned());
    let (text, charset) = text(file, named.as_deref());
    let mut reader = Reader {
        game: Game::new(),
        section: Section::Other,
        from_below: true,
        comment: None,
        nodes: vec![0],
    };
    let mut known = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            reader.section(name);
            known |= !matches!(reader.section, Section::Other);
        } else if !line.is_empty() {
            reader.line(index + 1, line);
        }
    }
    if !known {
        return Err(LineNote { line: 1, what: "there is no [Header] and no [Data]".into() });
    }
    Ok(reader.game.finish(charset))
}

#[derive(Clone, Copy)]
enum Section {
    Header,
    Data,
    Comment,
    Figure,
    Other,
}

struct Reader {
    game: Game,
    section: Section,
    /// Whether rows count from Black's side.
    from_below: bool,
    /// The move that the text being read is about.
    comment: Option<usize>,
    /// The moves of the file by their numbers: 0 is the root.
    nodes: Vec<usize>,
}

impl Reader {
    fn section(&mut self, name: &str) {
        self.comment = None;
        self.section = match name {
            "Header" => Section::Header,
            "Data" => Section::Data,
            "ReviewComment" => Section::Comment,
            "Figure" => Section::Figure,
            _ => Section::Other,
        };
    }

    fn line(&mut self, number: usize, line: &str) {
        match self.section {
            Section::Header => match line.split_once('=') {
                Some((name, value)) => self.header(number, name, value),
                None => self.game.note(number, "a line of the head is a name, =, and values"),
            },
            Section::Data => self.play(number, line),
            Section::Comment => self.text(number, line, ".Comment,", 1),
            Section::Figure => self.text(number, line, ".Text,", 0),
            Section::Other => {}
        }
    }

    fn header(&mut self, number: usize, name: &str, value: &str) {
        let mut fields = value.split(',').map(str::trim);
        let mut field = || fields.next().unwrap_or("");
        match name {
            "PlayerB" => {
                self.game.info("PB", field());
                self.game.info("BR", field());
            }
            "PlayerW" => {
                self.game.info("PW", field());
                self.game.info("WR", field());
            }
            "Size" => match value.trim().parse().ok().and_then(Size::square) {
                Some(size) => self.game.size = size,
                None => self.game.note(number, format!("{value:?} is no board size; 19 is taken")),
            },
            "Hdcp" => {
                let stones = field();
                if stones != "0" {
                    self.game.info("HA", stones);
                }
                self.game.info("KM", &real(field()).unwrap_or_default());
            }
            "Rule" | "Rules" => self.game.info("RU", rules(field())),
            "Date" => {
                let text = field();
                let date = date::guess(text).map_or_else(|| text.replace('/', "-"), |(date, _)| date);
                self.game.info("DT", &date);
            }
            "Title" => {
                let date_or_number = field();
                let names: Vec<_> = fields.filter(|part| !part.is_empty()).collect();
                let title = if names.is_empty() { date_or_number.into() } else { names.join(", ") };
                self.game.info("EV", &title);
            }
            "Place" => self.game.info("PC", value),
            "Copyright" => self.game.info("CP", value),
            "Comment" => self.game.info("GC", value),
            "CoordinateType" => self.from_below = value.trim().eq_ignore_ascii_case("IGS"),
            "Winner" => self.result(field(), value.split(',').nth(1).unwrap_or("").trim()),
            _ => {}
        }
    }

    fn result(&mut self, winner: &str, margin: &str) {
        let margin = match margin {
            "C" | "R" => "R".into(),
            "T" => "T".into(),
            other => real(other).unwrap_or_default(),
        };
        match winner {
            "B" | "W" => self.game.info("RE", &format!("{winner}+{margin}")),
            "D" => self.game.info("RE", "0"),
            _ => {}
        }
    }

    /// `QP,B1,1,0`.
    fn play(&mut self, number: usize, line: &str) {
        let mut fields = line.split(',').map(str::trim);
        let (point, color, order) = (fields.next(), fields.next(), fields.next());
        let color = color.and_then(|color| Color::parse(color.get(..1)?));
        let (Some(color), Some(point)) = (color, point) else {
            self.game.note(number, "a move is a point, a colour and a number");
            return;
        };
        let vertex = match (point, self.point(point)) {
            ("YA" | "TT", _) => Vertex::Pass,
            (_, Some(point)) => Vertex::At(point),
            _ => {
                self.game.note(number, format!("{point:?} is no point of the {} board", self.game.size));
                return;
            }
        };
        match (order.and_then(leading_number), vertex) {
            (Some(0), Vertex::At(point)) => self.game.handicap(point),
            _ => {
                self.game.play(number, color, vertex);
                self.nodes.push(self.game.move_count());
            }
        }
    }

    fn point(&self, text: &str) -> Option<Point> {
        let &[col, row] = text.as_bytes() else { return None };
        let letter = |byte: u8| byte.to_ascii_uppercase().checked_sub(b'A');
        let (col, row) = (letter(col)?, letter(row)?);
        let row = if self.from_below { self.game.size.height().checked_sub(row + 1)? } else { row };
        Some(Point::new(col, row)).filter(|point| self.game.size.contains(*point))
    }

    /// A line of text, or the one that says which move the next lines are about. In reviews the root is
    /// number 1.
    fn text(&mut self, number: usize, line: &str, mark: &str, root: i64) {
        if let Some(at) = line.strip_prefix(mark) {
            let index = leading_number(at).and_then(|at| usize::try_from(at.checked_sub(root)?).ok());
            self.comment = index.and_then(|index| self.nodes.get(index).copied());
            if self.comment.is_none() {
                self.game.note(number, format!("the comment is about {}, which is no move", at.trim()));
            }
        } else if line.starts_with('.') && root == 0 {
            self.comment = None;
        } else if let Some(after) = self.comment {
            self.game.comment(after, line);
        }
    }
}

fn rules(name: &str) -> &str {
    match name {
        "JPN" => "Japanese",
        "CHN" => "Chinese",
        other => other,
    }
}
