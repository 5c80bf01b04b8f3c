//! Files that trusted sessions let untrusted ones read.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Error, Kind, Result};

/// Files that are shared at once.
const MOST: usize = 1024;

/// The files, by the path that no link leads away from, and the sessions that share each.
#[derive(Default)]
pub struct Shares(Mutex<HashMap<PathBuf, BTreeSet<u64>>>);

impl Shares {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, BTreeSet<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of a file that no link leads away from.
    ///
    /// # Errors
    /// `NotFound` when it is no file.
    pub fn file(path: &Path) -> Result<PathBuf> {
        let file = path.canonicalize().ok().filter(|path| path.is_file());
        file.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("{} is not a file that can be shared", path.display()))
        })
    }

    /// Shares a [`Shares::file`] for as long as the session is there.
    ///
    /// # Errors
    /// `LimitExceeded`
    pub fn add(&self, session: u64, file: PathBuf) -> Result<()> {
        let mut shared = self.lock();
        if shared.len() >= MOST && !shared.contains_key(&file) {
            return Err(Error::new(Kind::LimitExceeded, format!("{MOST} files are shared already")));
        }
        shared.entry(file).or_default().insert(session);
        Ok(())
    }

    /// Shares a file no longer. One that is gone is found by the path that it was shared by, if no
    /// link led to it.
    pub fn remove(&self, session: u64, path: &Path) {
        let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.lock().retain(|shared, sessions| {
            if *shared == file {
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

    /// The file behind a path, if somebody shares that very file.
    pub fn find(&self, path: &Path) -> Option<PathBuf> {
        let file = path.canonicalize().ok()?;
        self.lock().contains_key(&file).then_some(file)
    }
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
        assert!(found("a.sgf") && found("c/../a.sgf"));
        assert!(!found("b.sgf") && !found("a.sgf/../b.sgf") && !found("c/../b.sgf") && !found("none"));
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
        assert!(shares.find(&path("a")).is_some());
        std::fs::remove_file(path("link")).unwrap();
        std::os::unix::fs::symlink(path("b"), path("link")).unwrap();
        assert!(shares.find(&path("link")).is_none());
    }
}
