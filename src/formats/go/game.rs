//! A Go game that is being put together.

use super::{Imported, LineNote};
use crate::go::{Color, Move, Point, Size, Vertex};
use crate::sgf::{NewValue, new_node};

/// The most notes about one file.
const MAX_NOTES: usize = 100;
/// The most moves of one game.
const MAX_MOVES: usize = 100_000;

/// A game: properties of the root, moves, comments.
#[derive(Debug)]
pub(super) struct Game {
    pub size: Size,
    info: Vec<(&'static str, String)>,
    handicap: Vec<Point>,
    moves: Vec<Move>,
    comments: Vec<(usize, String)>,
    notes: Vec<LineNote>,
}

impl Game {
    pub fn new() -> Game {
        Game {
            size: Size::STANDARD,
            info: Vec::new(),
            handicap: Vec::new(),
            moves: Vec::new(),
            comments: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Sets a property of the root unless it is set or the text is empty.
    pub fn info(&mut self, name: &'static str, text: &str) {
        let text = text.trim();
        if !text.is_empty() && !self.has(name) {
            self.info.push((name, text.into()));
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.info.iter().any(|(known, _)| *known == name)
    }

    /// The stones of a fixed handicap. Tygem and Cyberoro put the third one at the upper left.
    pub fn fixed_handicap(&mut self, stones: i64) {
        let Ok(stones @ 2..=9) = usize::try_from(stones) else { return };
        let side = self.size.width();
        if side < 7 {
            return;
        }
        self.info("HA", &stones.to_string());
        let near = if side >= 13 { 3 } else { 2 };
        let (far, middle) = (side - near - 1, (side - 1) / 2);
        let mut points = vec![(near, far), (far, near), (near, near), (far, far)];
        if side % 2 == 1 && side != 7 {
            let centre = (middle, middle);
            points.extend((stones == 5).then_some(centre));
            points.extend([(near, middle), (far, middle)]);
            points.extend((stones == 7).then_some(centre));
            points.extend([(middle, near), (middle, far), centre]);
        }
        self.handicap.extend(points.into_iter().take(stones).map(|(col, row)| Point::new(col, row)));
    }

    /// A handicap stone that the file names.
    pub fn handicap(&mut self, point: Point) {
        if !self.handicap.contains(&point) {
            self.handicap.push(point);
        }
    }

    pub fn play(&mut self, line: usize, color: Color, vertex: Vertex) {
        match vertex {
            Vertex::At(point) if !self.size.contains(point) => {
                self.note(line, format!("the point lies off the {} board", self.size));
            }
            _ if self.moves.len() >= MAX_MOVES => self.note(line, format!("more than {MAX_MOVES} moves")),
            _ => self.moves.push(Move { color, vertex }),
        }
    }

    /// Who is to move when a file does not say.
    pub fn next_color(&self) -> Color {
        match self.moves.last() {
            Some(last) => last.color.opponent(),
            None if self.handicap.is_empty() => Color::Black,
            None => Color::White,
        }
    }

    pub fn move_count(&self) -> usize {
        self.moves.len()
    }

    /// A comment on a move; 0 is the root.
    pub fn comment(&mut self, after: usize, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match self.comments.last_mut().filter(|(last, _)| *last == after) {
            Some((_, comment)) => comment.extend(["\n", text]),
            None => self.comments.push((after, text.into())),
        }
    }

    pub fn note(&mut self, line: usize, what: impl Into<String>) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(LineNote { line, what: what.into() });
        }
    }

    pub fn finish(mut self, charset: &'static str) -> Imported {
        self.comments.sort_by_key(|(after, _)| *after);
        let mut comments = self.comments.into_iter().peekable();
        let mut comment = |after: usize| {
            let mut texts = Vec::new();
            while let Some((_, text)) = comments.next_if(|(at, _)| *at <= after) {
                texts.push(text);
            }
            texts.join("\n")
        };
        let mut sgf = format!("(;GM[1]FF[4]CA[UTF-8]SZ[{}]", self.size.width());
        for (name, text) in &self.info {
            property(&mut sgf, name, &[NewValue::text(text)]);
        }
        let stones: Vec<_> = self.handicap.iter().filter_map(|point| NewValue::point(*point)).collect();
        if !stones.is_empty() {
            property(&mut sgf, "AB", &stones);
        }
        let root = comment(0);
        if !root.is_empty() {
            property(&mut sgf, "C", &[NewValue::text(&root)]);
        }
        for (index, play) in self.moves.iter().enumerate() {
            sgf.push_str(&new_node(*play, &[]));
            let text = comment(index + 1);
            if !text.is_empty() {
                property(&mut sgf, "C", &[NewValue::text(&text)]);
            }
        }
        sgf.push_str(")\n");
        Imported { sgf, charset, notes: self.notes }
    }
}

fn property(sgf: &mut String, name: &str, values: &[NewValue]) {
    sgf.push_str(name);
    values.iter().for_each(|value| sgf.extend(["[", value.as_raw(), "]"]));
}
