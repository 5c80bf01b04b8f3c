//! Files that are replaced in one step: whoever reads one finds it whole, old or new, also after a crash.

use std::fs::Metadata;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Why a file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Nobody who made his file read-only wants it replaced, though whoever owns the folder could.
    #[error("it is read-only; it stays as it is")]
    ReadOnly,
    /// Somebody else has changed or made it meanwhile.
    #[error("it was changed by somebody else meanwhile; nothing was written")]
    Changed,
    /// The system does not let it be written.
    #[error("it cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// Whether a file may be replaced.
///
/// # Errors
/// `ReadOnly`, and `Io` when it is gone or no file.
pub fn check(path: &Path) -> Result<(), ReplaceError> {
    Target::find(path).map(drop)
}

/// Replaces a file's bytes if they are still `before`. Symbolic links are followed; permissions stay, and the owner
/// where that is allowed. A file with further hard links is written where it is, so that they stay links: a crash in
/// that moment may leave it half-written.
///
/// # Errors
/// [`ReplaceError`]; the file is then as it was.
pub fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<(), ReplaceError> {
    Target::find(path)?.fill(after, Some(before))
}

/// The same whatever is in the file, and also when there is none yet; a new one has the permissions that new files
/// usually have.
///
/// # Errors
/// As [`replace`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            filled(usual(path)?, bytes)?.persist(path).map_err(|error| error.error)?;
            Ok(())
        }
        _ => Target::find(path)?.fill(bytes, None),
    }
}

/// Writes a file that is not there yet, with the permissions that new files usually have.
///
/// # Errors
/// As [`replace`]; `Changed` when it is there.
pub fn add(path: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    place(filled(usual(path)?, bytes)?, path)
}

/// Writes a file that is not there yet, and the folders above it. Only its owner may read it.
///
/// # Errors
/// As [`replace`]; `Changed` when it is there.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    std::fs::create_dir_all(folder(path))?;
    place(filled(beside(path)?, bytes)?, path)
}

/// Gives a file its name, if no other one has it.
fn place(new: NamedTempFile, path: &Path) -> Result<(), ReplaceError> {
    match new.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(ReplaceError::Changed),
        Err(error) => Err(error.error.into()),
    }
}

const PREFIX: &str = ".kifud-";

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    }
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder(path))
}

/// The same, readable by whoever may read new files.
fn usual(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::fs::Permissions::from_mode(0o666));
    builder.prefix(PREFIX).tempfile_in(folder(path))
}

fn filled(mut file: NamedTempFile, bytes: &[u8]) -> io::Result<NamedTempFile> {
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A file that may be replaced.
struct Target {
    /// Behind symbolic links.
    path: PathBuf,
    meta: Metadata,
}

impl Target {
    fn find(path: &Path) -> Result<Target, ReplaceError> {
        let path = std::fs::canonicalize(path)?;
        let meta = std::fs::metadata(&path)?;
        if !meta.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file").into());
        }
        #[cfg(unix)]
        let read_only = meta.mode() & 0o200 == 0;
        #[cfg(not(unix))]
        let read_only = meta.permissions().readonly();
        if read_only { Err(ReplaceError::ReadOnly) } else { Ok(Target { path, meta }) }
    }

    fn fill(&self, bytes: &[u8], before: Option<&[u8]>) -> Result<(), ReplaceError> {
        #[cfg(unix)]
        if self.meta.nlink() > 1 {
            self.unchanged(before)?;
            let mut file = std::fs::OpenOptions::new().write(true).open(&self.path)?;
            file.write_all(bytes)?;
            file.set_len(bytes.len() as u64)?;
            return Ok(file.sync_all()?);
        }
        let new = filled(beside(&self.path)?, bytes)?;
        #[cfg(unix)]
        if let Err(error) = std::os::unix::fs::chown(new.path(), Some(self.meta.uid()), Some(self.meta.gid()))
        {
            tracing::info!(%error, path = %self.path.display(), "the file's owner cannot be kept");
        }
        std::fs::set_permissions(new.path(), self.meta.permissions())?;
        self.unchanged(before)?;
        new.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    fn unchanged(&self, before: Option<&[u8]>) -> Result<(), ReplaceError> {
        match before {
            Some(before) if std::fs::read(&self.path)? != before => Err(ReplaceError::Changed),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is in a folder, by name.
    fn files(folder: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.path().is_file());
        let mut files: Vec<_> = files
            .map(|entry| {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        files.sort();
        files
    }

    fn named(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_file_is_new_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert!(matches!(check(&path), Err(ReplaceError::Io(_))), "it is not there");
        assert!(matches!(replace(&path, b"", b"1"), Err(ReplaceError::Io(_))));
        create(&path, b"1").unwrap();
        assert!(matches!(create(&path, b"2"), Err(ReplaceError::Changed)));
        assert!(matches!(add(&path, b"2"), Err(ReplaceError::Changed)));
        assert!(matches!(replace(&path, b"0", b"2"), Err(ReplaceError::Changed)));
        assert_eq!(files(folder.path()), named(&[("a", "1")]));
        replace(&path, b"1", b"2").unwrap();
        write(&path, b"3").unwrap();
        write(&folder.path().join("b"), b"4").unwrap();
        // Nothing replaces a folder, and no part of the attempt stays.
        std::fs::create_dir(folder.path().join("c")).unwrap();
        assert!(matches!(write(&folder.path().join("c"), b"5"), Err(ReplaceError::Io(_))));
        assert!(write(&folder.path().join("d/e"), b"6").is_err(), "its folder is not there");
        assert_eq!(files(folder.path()), named(&[("a", "3"), ("b", "4")]));
        create(&folder.path().join("d/e"), b"6").unwrap();
        assert_eq!(files(&folder.path().join("d")), named(&[("e", "6")]));
    }

    #[test]
    fn nobody_reads_half_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let texts = ["x".repeat(300_000), "y".repeat(200_000)];
        write(&path, texts[0].as_bytes()).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for round in 1..100 {
                    write(&path, texts[round % 2].as_bytes()).unwrap();
                }
            });
            while !writer.is_finished() {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(texts.contains(&text), "{} bytes", text.len());
            }
        });
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay_and_read_only_files_too() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link, hard] = ["a", "link", "hard"].map(|name| folder.path().join(name));
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        std::fs::write(&path, "long").unwrap();
        mode(0o640);
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, b"2").unwrap();
        replace(&link, b"2", b"3").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read(&path).unwrap(), b"3");
        std::fs::hard_link(&path, &hard).unwrap();
        write(&path, b"").unwrap();
        replace(&path, b"", b"5").unwrap();
        assert_eq!(std::fs::read(&hard).unwrap(), b"5");
        assert_eq!(std::fs::metadata(&path).unwrap().nlink(), 2);
        mode(0o444);
        for refused in [check(&link), write(&link, b"6"), replace(&path, b"5", b"6")] {
            assert!(matches!(refused, Err(ReplaceError::ReadOnly)), "{refused:?}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"5");
        // A link to nothing is no place for a new file.
        std::os::unix::fs::symlink(folder.path().join("nowhere"), folder.path().join("broken")).unwrap();
        assert!(write(&folder.path().join("broken"), b"7").is_err());
    }
}
