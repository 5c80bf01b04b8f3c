//! Go records of servers, as SGF.
//!
//! What is read is what Sabaki reads, with the same values, and besides that passes, and what the
//! formats say more: event, place, time, comments. Every file becomes one game.

mod game;
mod gib;
mod ngf;
mod text;
mod ugf;

pub use gib::read_gib;
pub use ngf::read_ngf;
pub use ugf::read_ugf;

/// A file that has become SGF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The record, FF\[4\].
    pub sgf: String,
    /// The charset the file was in.
    pub charset: &'static str,
    /// Lines that could not be read, at most 100.
    pub notes: Vec<LineNote>,
}

/// Something wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LineNote {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

#[cfg(test)]
mod tests;
