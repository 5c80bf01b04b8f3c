//! CBL, a library of 象棋桥 (CCBridge): a name, an index, and games as CBR has them.
//!
//! There is no specification. As vschess does, games are found by their signature; the index is not
//! asked. Chapter headings are games without moves, often with an empty board.

use memchr::memmem;

use super::bytes::utf16;
use super::{BinaryError, cbr};
use crate::xiangqi::record::Record;

/// What a file starts with.
pub(super) const SIGNATURE: &[u8; 16] = b"CCBridgeLibrary\0";
/// Bytes of the part with the name.
const HEAD: usize = 576;
/// The most games of one library; more are counted as bad.
const MAX_GAMES: usize = 100_000;

/// A library.
#[derive(Debug, Clone)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// The games that can be read, in the order of the file. Spans count from the start of the file.
    pub games: Vec<Record>,
    /// Games that cannot be read: where they start, and why.
    pub bad: Vec<(usize, BinaryError)>,
}

/// Reads a file.
///
/// # Errors
/// When it is no CBL file or its head is cut off.
pub fn read(file: &[u8]) -> Result<Library, BinaryError> {
    if !file.starts_with(SIGNATURE) {
        return Err(BinaryError::Signature { expected: "CCBridgeLibrary" });
    }
    let short = BinaryError::Short { length: file.len(), needed: HEAD };
    let (name, _) = utf16(file.get(64..HEAD).ok_or(short)?);
    let mut library = Library { name, games: Vec::new(), bad: Vec::new() };
    let mut starts = memmem::find_iter(file, cbr::SIGNATURE).take(MAX_GAMES).peekable();
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(file.len());
        match cbr::read_at(file.get(start..end).unwrap_or(&[]), start) {
            Ok(game) => library.games.push(game),
            Err(error) => library.bad.push((start, error)),
        }
    }
    Ok(library)
}
