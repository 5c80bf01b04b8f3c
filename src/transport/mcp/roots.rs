//! The folders that may be read, and the records in them.

use std::path::{Path, PathBuf};

use crate::formats::Format;
use crate::service::error::{Error, Kind, Result};
use crate::service::files::SourceFile;
use crate::service::shares::has_parent;

/// Bytes of a record at most.
const MAX_BYTES: usize = 4 << 20;
/// Files that are listed at most.
const MAX_LISTED: usize = 500;
/// Folders that are looked into at most.
const MAX_FOLDERS: usize = 1000;

/// The folders that may be read, with all that is in them. Links in them are followed first, so that none leads out.
#[derive(Debug, Clone)]
pub struct Roots {
    /// By the paths that no link leads away from.
    real: Vec<PathBuf>,
    /// As they were named.
    named: Vec<PathBuf>,
}

impl Roots {
    /// These folders.
    ///
    /// # Errors
    /// `NotFound` for what is no folder.
    pub fn new(folders: &[PathBuf]) -> Result<Roots> {
        let folder = |path: &PathBuf| {
            let real = std::fs::canonicalize(path).ok().filter(|path| path.is_dir());
            real.ok_or_else(|| Error::new(Kind::NotFound, format!("{} is not a folder", path.display())))
        };
        let real = folders.iter().map(folder).collect::<Result<_>>()?;
        let named = folders.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        Ok(Roots { real, named: named.collect() })
    }

    /// Their names.
    pub fn names(&self) -> String {
        self.real.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Where a file or folder is: by its path from one of the roots, or its whole path. What is outside is
    /// not told apart from what is not there: paths that lead there some other way are not followed.
    ///
    /// # Errors
    /// `NotFound`
    pub fn find(&self, path: &str) -> Result<PathBuf> {
        let inside = |path: &PathBuf| self.real.iter().any(|root| path.starts_with(root));
        let below = |path: &PathBuf| {
            !has_parent(path) && (inside(path) || self.named.iter().any(|root| path.starts_with(root)))
        };
        let asked = self.real.iter().map(|root| root.join(path)).filter(below);
        let found = asked.filter_map(|path| std::fs::canonicalize(path).ok()).find(inside);
        found.ok_or_else(|| {
            let shown: String = path.chars().take(200).collect();
            Error::new(
                Kind::NotFound,
                format!(
                    "there is no {shown} in the folders that may be read ({}); list_records shows what is there",
                    self.names()
                ),
            )
        })
    }

    /// A file as it is.
    ///
    /// # Errors
    /// `NotFound`, `LimitExceeded`
    pub fn read(&self, path: &str) -> Result<SourceFile> {
        SourceFile::read(&self.find(path)?, MAX_BYTES)
    }

    /// The records in a folder and below, by the names of their files, and whether there are more.
    ///
    /// # Errors
    /// `NotFound`
    pub fn records(&self, folder: Option<&str>) -> Result<(Vec<String>, bool)> {
        let mut folders = match folder {
            Some(folder) => vec![self.find(folder)?],
            None => self.real.clone(),
        };
        let (mut files, mut looked) = (Vec::new(), 0);
        while let Some(folder) = folders.pop().filter(|_| looked < MAX_FOLDERS) {
            looked += 1;
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type());
                let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                match kind {
                    Ok(kind) if kind.is_dir() && !hidden => folders.push(path),
                    Ok(kind) if kind.is_file() && is_record(&path) => files.push(self.name(&path)),
                    _ => {}
                }
            }
        }
        files.sort();
        let more = files.len() > MAX_LISTED || !folders.is_empty();
        files.truncate(MAX_LISTED);
        Ok((files, more))
    }

    /// A path as it is given back to `find`.
    fn name(&self, path: &Path) -> String {
        let from = self.real.iter().find_map(|root| path.strip_prefix(root).ok());
        from.unwrap_or(path).display().to_string()
    }
}

fn is_record(path: &Path) -> bool {
    Format::from_file_name(&path.to_string_lossy()).is_some()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_read() {
        let home = tempfile::tempdir().unwrap();
        let (inside, outside) = (home.path().join("in"), home.path().join("out.sgf"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("a.sgf"), "(;)").unwrap();
        std::fs::write(inside.join("b.txt"), "").unwrap();
        std::fs::write(&outside, "(;)").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link.sgf")).unwrap();
        std::os::unix::fs::symlink(home.path(), home.path().join("way")).unwrap();
        let roots = Roots::new(std::slice::from_ref(&inside)).unwrap();
        assert_eq!(roots.read("a.sgf").unwrap().bytes, b"(;)");
        assert!(roots.read(inside.join("a.sgf").to_str().unwrap()).is_ok());
        let around = home.path().join("way/in/a.sgf").display().to_string();
        let up = inside.join("../in/a.sgf").display().to_string();
        let others = ["../out.sgf", "../in/a.sgf", "link.sgf", "missing.sgf", "/etc/hostname"];
        for path in others.into_iter().chain([outside.to_str().unwrap(), &around, &up]) {
            assert_eq!(roots.read(path).err().map(|error| error.kind), Some(Kind::NotFound), "{path}");
        }
        assert_eq!(roots.records(None).unwrap(), (vec!["a.sgf".to_owned()], false));
        assert!(Roots::new(&[outside]).is_err());
    }
}
