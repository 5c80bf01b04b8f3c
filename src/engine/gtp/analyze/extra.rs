//! Keys that are passed on unread.

use std::fmt;

/// The keys of a record that have no field of their own, raw and in the engine's order.
///
/// One string, `key value value…` a line: a token never holds a blank, and one allocation a move
/// instead of two a key matters at thousands of moves a second.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Extra(String);

impl Extra {
    /// Keys with their values as printed; several values of one key are parted by a space.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.lines().map(|line| line.split_once(' ').unwrap_or((line, "")))
    }

    /// The value of the first key of this name.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push_key(&mut self, key: &[u8]) {
        if self.0.is_empty() {
            // What a record of KataGo needs.
            self.0.reserve(192);
        } else {
            self.0.push('\n');
        }
        self.push_text(key);
    }

    pub(super) fn push_value(&mut self, value: &[u8]) {
        self.0.push(' ');
        self.push_text(value);
    }

    fn push_text(&mut self, text: &[u8]) {
        match std::str::from_utf8(text) {
            Ok(text) => self.0.push_str(text),
            Err(_) => self.0.push_str(&String::from_utf8_lossy(text)),
        }
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
