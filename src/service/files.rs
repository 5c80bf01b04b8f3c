//! Files on disk: read whole, replaced whole, never half-written.

use std::fs::Metadata;
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
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
        let meta = std::fs::metadata(&self.path).map_err(|error| unwritable(&self.path, &error))?;
        writable(&self.path, &meta)
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

/// Who may replace a folder's files may replace read-only ones too; nobody who made his file
/// read-only wants that.
fn writable(path: &Path, meta: &Metadata) -> Result<()> {
    #[cfg(unix)]
    let read_only = meta.mode() & 0o200 == 0;
    #[cfg(not(unix))]
    let read_only = meta.permissions().readonly();
    match read_only {
        true => {
            Err(Error::new(Kind::NotFound, format!("{} is read-only; it stays as it is", path.display())))
        }
        false => Ok(()),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Kind::NotFound, format!("{} cannot be written: {error}", path.display()))
}

/// Replaces a file's bytes in one step, if they are still `before`. Symbolic links are followed;
/// permissions stay, and the owner where that is allowed. A file with further hard links is
/// written where it is, so that they stay links: a crash in that moment may leave it half-written.
pub(super) fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<()> {
    let unwritable = |error: std::io::Error| unwritable(path, &error);
    let target = std::fs::canonicalize(path).map_err(unwritable)?;
    let meta = std::fs::metadata(&target).map_err(unwritable)?;
    writable(path, &meta)?;
    let unchanged = || match std::fs::read(&target).map_err(unwritable)? == before {
        true => Ok(()),
        false => {
            let message =
                format!("{} was changed by somebody else meanwhile; nothing was written", path.display());
            Err(Error::new(Kind::StaleDocument, message))
        }
    };
    #[cfg(unix)]
    if meta.nlink() > 1 {
        unchanged()?;
        let mut file = std::fs::OpenOptions::new().write(true).open(&target).map_err(unwritable)?;
        let written = file.write_all(after).and_then(|()| file.set_len(after.len() as u64));
        return written.and_then(|()| file.sync_all()).map_err(unwritable);
    }
    let folder = target.parent().unwrap_or_else(|| Path::new("/"));
    let mut new = tempfile::Builder::new().prefix(".kifud-").tempfile_in(folder).map_err(unwritable)?;
    new.write_all(after).and_then(|()| new.as_file().sync_all()).map_err(unwritable)?;
    #[cfg(unix)]
    if let Err(error) = std::os::unix::fs::chown(new.path(), Some(meta.uid()), Some(meta.gid())) {
        tracing::info!(%error, path = %path.display(), "the file's owner cannot be kept");
    }
    std::fs::set_permissions(new.path(), meta.permissions()).map_err(unwritable)?;
    unchanged()?;
    new.persist(&target).map_err(|error| unwritable(error.error))?;
    Ok(())
}

/// Writes a file that is not there yet, in one step, and the folders above it.
///
/// # Errors
/// `StaleDocument` when somebody else has made it meanwhile, `NotFound` when it cannot be written.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<()> {
    let unwritable = |error: std::io::Error| unwritable(path, &error);
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let mut new = tempfile::Builder::new().prefix(".kifud-").tempfile_in(folder).map_err(unwritable)?;
    new.write_all(bytes).and_then(|()| new.as_file().sync_all()).map_err(unwritable)?;
    new.persist_noclobber(path).map(drop).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            let message =
                format!("{} was made by somebody else meanwhile; nothing was written", path.display());
            Error::new(Kind::StaleDocument, message)
        }
        _ => unwritable(error.error),
    })
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

    #[cfg(unix)]
    #[test]
    fn read_only_files_are_refused_and_hard_links_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["a.sgf", "b.sgf"].map(|name| folder.path().join(name));
        std::fs::write(&path, "(;C[long])").unwrap();
        std::fs::hard_link(&path, &link).unwrap();
        let file = SourceFile::read(&path, 1000).unwrap();
        file.write(&[TextEdit { span: Span { start: 2, end: 9 }, new_text: "C[]".into() }]).unwrap();
        assert_eq!(std::fs::read_to_string(&link).unwrap(), "(;C[])");
        assert_eq!(std::fs::metadata(&link).unwrap().nlink(), 2);
        let file = SourceFile::read(&path, 1000).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        let edit = [TextEdit { span: Span { start: 2, end: 2 }, new_text: "B[aa]".into() }];
        for error in [file.check_writable().unwrap_err(), file.write(&edit).unwrap_err()] {
            assert!(error.message.contains("read-only"), "{}", error.message);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "(;C[])");
    }
}
