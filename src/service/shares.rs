//! Files that trusted sessions let untrusted ones read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Error, Kind, Result};

/// Names of files that are shared at once.
const MOST: usize = 1024;

/// The names by which files may be asked for, and for each session that shares one the file that it meant, by the
/// path that no link leads away from. What has another name is not looked for: whether a path leads to the file
/// would say whether its folders, links and processes are there.
#[derive(Default)]
pub struct Shares(Mutex<HashMap<PathBuf, BTreeMap<u64, PathBuf>>>);

/// A file to be shared.
pub struct Shareable {
    /// As it was named.
    name: PathBuf,
    /// Where it is.
    file: PathBuf,
}

impl Shares {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, BTreeMap<u64, PathBuf>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file behind a path, through all links.
    ///
    /// # Errors
    /// `NotFound` when it is no file.
    pub fn file(path: &Path) -> Result<Shareable> {
        let file = path.canonicalize().ok().filter(|path| path.is_file());
        let file = file.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("{} is not a file that can be shared", path.display()))
        })?;
        Ok(Shareable { name: path.to_owned(), file })
    }

    /// Shares a [`Shares::file`] for as long as the session is there, by its path and as it was named.
    ///
    /// # Errors
    /// `LimitExceeded`
    pub fn add(&self, session: u64, shareable: Shareable) -> Result<()> {
        let Shareable { name, file } = shareable;
        let mut shared = self.lock();
        if shared.len() >= MOST && !(shared.contains_key(&file) && shared.contains_key(&name)) {
            return Err(Error::new(Kind::LimitExceeded, format!("{MOST} files are shared already")));
        }
        for name in [file.clone(), name] {
            shared.entry(name).or_default().insert(session, file.clone());
        }
        Ok(())
    }

    /// Shares a file no longer. One that is gone is found by the path that it was shared by.
    pub fn remove(&self, session: u64, path: &Path) {
        let mut shared = self.lock();
        let named = shared.get(path).and_then(|sessions| sessions.get(&session)).cloned();
        let Some(file) = named.or_else(|| path.canonicalize().ok()) else { return };
        shared.retain(|_, sessions| {
            if sessions.get(&session) == Some(&file) {
                sessions.remove(&session);
            }
            !sessions.is_empty()
        });
    }

    /// The session has ended.
    pub fn forget(&self, session: u64) {
        self.lock().retain(|_, sessions| {
            sessions.remove(&session);
            !sessions.is_empty()
        });
    }

    /// The file behind a path, if somebody shares that very file by this name. Other paths are not even looked at.
    pub fn find(&self, path: &Path) -> Option<PathBuf> {
        if has_parent(path) || !self.lock().contains_key(path) {
            return None;
        }
        let file = path.canonicalize().ok()?;
        self.lock().get(path)?.values().any(|shared| *shared == file).then_some(file)
    }
}

/// Whether a path goes up somewhere, so that what it leads to depends on what is there.
pub fn has_parent(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_shared_file_is_found_and_only_as_long_as_somebody_shares_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a.sgf", "b.sgf"] {
            std::fs::write(path(name), "(;)").unwrap();
        }
        let shares = Shares::default();
        let add = |session, path: PathBuf| shares.add(session, Shares::file(&path)?);
        add(1, path("a.sgf")).unwrap();
        add(2, path("./a.sgf")).unwrap();
        let found = |name: &str| shares.find(&path(name)).is_some();
        std::fs::create_dir(path("c")).unwrap();
        assert!(found("a.sgf") && found("./a.sgf"));
        assert!(!found("b.sgf") && !found("a.sgf/../b.sgf") && !found("c/../b.sgf") && !found("none"));
        // Else it would be seen whether there is a `c`.
        assert!(!found("c/../a.sgf") && !found("none/../a.sgf"));
        shares.forget(1);
        assert!(found("a.sgf"));
        shares.remove(1, &path("a.sgf"));
        assert!(found("a.sgf"), "it is the other's");
        shares.remove(2, &path("a.sgf"));
        assert!(!found("a.sgf"));
        for bad in [path("none"), folder.path().to_owned()] {
            assert_eq!(add(1, bad).unwrap_err().kind, Kind::NotFound);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_is_turned_shares_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "").unwrap();
        std::fs::write(path("b"), "").unwrap();
        std::os::unix::fs::symlink(path("a"), path("link")).unwrap();
        let shares = Shares::default();
        shares.add(1, Shares::file(&path("link")).unwrap()).unwrap();
        assert!(shares.find(&path("a")).is_some() && shares.find(&path("link")).is_some());
        std::os::unix::fs::symlink(folder.path(), path("folder")).unwrap();
        assert!(shares.find(&path("folder/a")).is_none(), "a way there that nobody has named");
        std::fs::remove_file(path("link")).unwrap();
        std::os::unix::fs::symlink(path("b"), path("link")).unwrap();
        assert!(shares.find(&path("link")).is_none());
    }
}
