//! Files on disk: read whole, replaced whole, never half-written.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::{Error, Kind, Result};
use crate::replace::ReplaceError;
use crate::sgf::encoding::{self, Decoded};
use crate::sgf::{TextEdit, apply_edits};

/// A file as it was read.
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its text, and how it was found.
    pub decoded: Decoded,
}

impl SourceFile {
    /// Reads and decodes a file of at most `limit` bytes.
    ///
    /// # Errors
    /// `NotFound`, `LimitExceeded`.
    pub fn read(path: &Path, limit: usize) -> Result<SourceFile> {
        let unreadable = |error: std::io::Error| {
            Error::new(Kind::NotFound, format!("{} cannot be read: {error}", path.display()))
        };
        let meta = std::fs::metadata(path).map_err(unreadable)?;
        if !meta.is_file() {
            return Err(Error::new(Kind::NotFound, format!("{} is not a file", path.display())));
        }
        if meta.len() > limit as u64 {
            let message = format!("{} has {} bytes; the limit is {limit}", path.display(), meta.len());
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        // What says it is empty is not read: devices of the kernel do, and may never end.
        let mut bytes = Vec::new();
        if meta.len() > 0 {
            let file = std::fs::File::open(path).map_err(unreadable)?;
            file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        }
        if bytes.len() > limit {
            let message = format!("{} is longer than the limit of {limit} bytes", path.display());
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        let decoded = encoding::decode(&bytes, None);
        Ok(SourceFile { path: path.to_owned(), bytes, decoded })
    }

    /// Whether the file may be replaced.
    ///
    /// # Errors
    /// `NotFound` when it is gone or read-only.
    pub fn check_writable(&self) -> Result<()> {
        crate::replace::check(&self.path).map_err(|error| unreplaced(&self.path, &error))
    }

    /// Applies edits of the text to the file: inserted text in the file's charset, all other
    /// bytes as they were.
    ///
    /// # Errors
    /// `StaleDocument` when the file is not as it was read, `InvalidParams` when its charset lacks
    /// a character, `NotFound` when it cannot be written. The file is then untouched.
    pub fn write(&self, edits: &[TextEdit]) -> Result<()> {
        replace(&self.path, &self.bytes, &self.splice(edits)?)
    }

    /// The file as it would be after edits of its text; nothing is written.
    ///
    /// # Errors
    /// `InvalidParams` when its charset lacks a character, or when the new bytes would be taken for another
    /// charset's, so that other text than that of the edits changes.
    pub fn edited(&self, edits: &[TextEdit]) -> Result<SourceFile> {
        let bytes = self.splice(edits)?;
        let decoded = encoding::decode(&bytes, None);
        if decoded.text != apply_edits(&self.decoded.text, edits) {
            let message = format!(
                "{}: after this edit the file would no longer be read as {}; convert it to UTF-8 first",
                self.path.display(),
                self.decoded.charset()
            );
            return Err(Error::new(Kind::InvalidParams, message));
        }
        Ok(SourceFile { path: self.path.clone(), bytes, decoded })
    }

    /// Puts an edited file in this one's place.
    ///
    /// # Errors
    /// `StaleDocument` when the file is not as it was read, `NotFound` when it cannot be written. The file is then
    /// untouched.
    pub fn replace_by(&self, edited: &SourceFile) -> Result<()> {
        replace(&self.path, &self.bytes, &edited.bytes)
    }

    fn splice(&self, edits: &[TextEdit]) -> Result<Vec<u8>> {
        encoding::splice(&self.bytes, &self.decoded, edits)
            .map_err(|error| Error::new(Kind::InvalidParams, format!("{}: {error}", self.path.display())))
    }
}

/// A file as it was: another file of its name has another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    /// How long it is.
    pub bytes: u64,
    inode: u64,
}

impl Stamp {
    /// The stamp of a file now; nothing where there is none.
    pub fn of(path: &Path) -> Option<Stamp> {
        let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Stamp { modified: meta.modified().ok(), bytes: meta.len(), inode })
    }
}

/// Replaces a file's bytes in one step, if they are still `before`.
pub(super) fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<()> {
    crate::replace::replace(path, before, after).map_err(|error| unreplaced(path, &error))
}

/// Writes a file that is not there yet, in one step, and the folders above it.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<()> {
    crate::replace::create(path, bytes).map_err(|error| unreplaced(path, &error))
}

/// Why a file was not written, for clients: `StaleDocument` when somebody else has changed it, else `NotFound`.
pub fn unreplaced(path: &Path, error: &ReplaceError) -> Error {
    let kind = match error {
        ReplaceError::Changed => Kind::StaleDocument,
        ReplaceError::ReadOnly | ReplaceError::Io(_) => Kind::NotFound,
    };
    Error::new(kind, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf::Span;

    #[test]
    fn a_file_is_edited_in_place_and_only_if_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        let (bytes, _, _) = encoding_rs::GB18030.encode("(;CA[GB18030]C[围棋];B[aa])\r\n");
        std::fs::write(&path, &bytes).unwrap();
        let file = SourceFile::read(&path, 1000).unwrap();
        let end = file.decoded.text.find(")\r").unwrap() as u32;
        let edit = [TextEdit { span: Span { start: end, end }, new_text: "C[好]".into() }];
        file.write(&edit).unwrap();
        let (expected, _, _) = encoding_rs::GB18030.encode("(;CA[GB18030]C[围棋];B[aa]C[好])\r\n");
        assert_eq!(std::fs::read(&path).unwrap(), *expected);
        assert_eq!(file.write(&edit).unwrap_err().kind, Kind::StaleDocument);
        assert_eq!(std::fs::read(&path).unwrap(), *expected);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        assert_eq!(SourceFile::read(&path, 3).err().unwrap().kind, Kind::LimitExceeded);
        assert_eq!(SourceFile::read(folder.path(), 3).err().unwrap().kind, Kind::NotFound);
    }

    #[test]
    fn an_edited_file_is_read_as_the_same_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        let bytes = encoding_rs::GBK.encode("(;CA[GBK]C[围棋])").0.into_owned();
        std::fs::write(&path, &bytes).unwrap();
        let file = SourceFile::read(&path, 1000).unwrap();
        let edited = |start, end, new: &str| {
            file.edited(&[TextEdit { span: Span { start, end }, new_text: new.into() }])
        };
        let good = edited(11, 11, "好").unwrap();
        assert_eq!(good.decoded.text, "(;CA[GBK]C[好围棋])");
        assert_eq!(edited(11, 11, "\u{e5e5}").err().unwrap().kind, Kind::InvalidParams, "not in GBK");
        let error = edited(5, 8, "Big5").err().unwrap();
        assert!(error.message.contains("no longer be read as GBK"), "{}", error.message);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::write(&path, "theirs").unwrap();
        assert_eq!(file.replace_by(&good).unwrap_err().kind, Kind::StaleDocument);
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    }

    #[cfg(unix)]
    #[test]
    fn read_only_files_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        std::fs::write(&path, "(;C[])").unwrap();
        let file = SourceFile::read(&path, 1000).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        let edit = [TextEdit { span: Span { start: 2, end: 2 }, new_text: "B[aa]".into() }];
        for error in [file.check_writable().unwrap_err(), file.write(&edit).unwrap_err()] {
            assert!(error.message.contains("read-only"), "{}", error.message);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "(;C[])");
    }
}
