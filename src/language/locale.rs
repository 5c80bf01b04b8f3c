//! The languages that kifud speaks to people.

use crate::go::{Color, Vertex};

/// The language of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Locale {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Locale {
    /// The text in this language.
    pub(super) fn pick<'t>(self, english: &'t str, chinese: &'t str) -> &'t str {
        match self {
            Locale::English => english,
            Locale::Chinese => chinese,
        }
    }

    /// A player.
    pub(super) fn player(self, color: Color) -> &'static str {
        match color {
            Color::Black => self.pick("Black", "黑方"),
            Color::White => self.pick("White", "白方"),
        }
    }

    /// The adjective of a stone.
    pub(super) fn stone(self, color: Color) -> &'static str {
        match color {
            Color::Black => self.pick("black", "黑"),
            Color::White => self.pick("white", "白"),
        }
    }

    /// Where a move goes, with `spelled` for a point.
    pub(super) fn vertex(self, vertex: Vertex, spelled: &str) -> String {
        match vertex {
            Vertex::Pass => self.pick("pass", "停一手").to_owned(),
            Vertex::At(_) => spelled.to_owned(),
        }
    }
}
