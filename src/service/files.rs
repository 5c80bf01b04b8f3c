//! Files on disk: read whole, replaced whole, never half-written.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::{Error, Kind, Result};
use crate::sgf::TextEdit;
use crate::sgf::encoding::{self, Decoded};

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
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let decoded = encoding::decode(&bytes, None);
        Ok(SourceFile { path: path.to_owned(), bytes, decoded })
    }

    /// Applies edits of the text to the file: inserted text in the file's charset, all other
    /// bytes as they were.
    ///
    /// # Errors
    /// `StaleDocument` when the file is not as it was read, `InvalidParams` when its charset lacks
    /// a character, `NotFound` when it cannot be written. The file is then untouched.
    pub fn write(&self, edits: &[TextEdit]) -> Result<()> {
        let edited = encoding::splice(&self.bytes, &self.decoded, edits)
            .map_err(|error| Error::new(Kind::InvalidParams, format!("{}: {error}", self.path.display())))?;
        replace(&self.path, &self.bytes, &edited)
    }
}

/// Replaces a file's bytes in one step, if they are still `before`. Links are followed, and the
/// permissions stay.
fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<()> {
    let unwritable = |error: std::io::Error| {
        Error::new(Kind::NotFound, format!("{} cannot be written: {error}", path.display()))
    };
    let target = std::fs::canonicalize(path).map_err(unwritable)?;
    let folder = target.parent().unwrap_or_else(|| Path::new("/"));
    let mut new = tempfile::Builder::new().prefix(".kifud-").tempfile_in(folder).map_err(unwritable)?;
    new.write_all(after).and_then(|()| new.as_file().sync_all()).map_err(unwritable)?;
    let meta = std::fs::metadata(&target).map_err(unwritable)?;
    std::fs::set_permissions(new.path(), meta.permissions()).map_err(unwritable)?;
    if std::fs::read(&target).map_err(unwritable)? != before {
        let message =
            format!("{} was changed by somebody else meanwhile; nothing was written", path.display());
        return Err(Error::new(Kind::StaleDocument, message));
    }
    new.persist(&target).map_err(|error| unwritable(error.error))?;
    Ok(())
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
}
