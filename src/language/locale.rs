//! Words that many answers share.

use crate::go::{Color, Vertex};

pub use crate::locale::Locale;

impl Locale {
    /// The text in this language.
    pub fn pick<'t>(self, english: &'t str, chinese: &'t str) -> &'t str {
        match self {
            Locale::English => english,
            Locale::Chinese => chinese,
        }
    }

    /// A player.
    pub(in crate::language) fn player(self, color: Color) -> &'static str {
        match color {
            Color::Black => self.pick("Black", "黑方"),
            Color::White => self.pick("White", "白方"),
        }
    }

    /// The adjective of a stone.
    pub(in crate::language) fn stone(self, color: Color) -> &'static str {
        match color {
            Color::Black => self.pick("black", "黑"),
            Color::White => self.pick("white", "白"),
        }
    }

    /// Where a move goes, with `spelled` for a point.
    pub(in crate::language) fn vertex(self, vertex: Vertex, spelled: &str) -> String {
        match vertex {
            Vertex::Pass => self.pick("pass", "停着").to_owned(),
            Vertex::At(_) => spelled.to_owned(),
        }
    }
}
