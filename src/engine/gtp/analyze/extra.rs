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

    /// Gathers keys and values; a key with a blank in it is none.
    pub(crate) fn gather<'a>(pairs: impl Iterator<Item = (&'a str, String)>) -> Extra {
        let mut raw = Raw::default();
        for (key, value) in pairs.filter(|(key, _)| !key.is_empty() && !key.contains(char::is_whitespace)) {
            raw.push_key(key.as_bytes());
            for word in value.split_whitespace() {
                raw.push_value(word.as_bytes());
            }
        }
        Extra::from_raw(raw)
    }

    /// What a [`Raw`] has gathered. Checked once as a whole, that is cheaper than key by key.
    pub(super) fn from_raw(raw: Raw) -> Extra {
        Extra(
            String::from_utf8(raw.0)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )
    }
}

/// An [`Extra`] in the making.
#[derive(Debug, Default)]
pub(super) struct Raw(Vec<u8>);

impl Raw {
    pub(super) fn push_key(&mut self, key: &[u8]) {
        if self.0.is_empty() {
            // What a record of KataGo needs.
            self.0.reserve(160);
        } else {
            self.0.push(b'\n');
        }
        self.0.extend_from_slice(key);
    }

    pub(super) fn push_value(&mut self, value: &[u8]) {
        self.0.push(b' ');
        self.0.extend_from_slice(value);
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
