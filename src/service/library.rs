//! The records in the folders of a workspace, which need not be open: the names in them.
//!
//! All folders are walked for every question, so that nothing has to be watched; a file is read only when it is
//! another one than before.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::files::{SourceFile, Stamp};
use super::languages;
use super::walk::{Seen, walk};
use super::wire::{TextPosition, TextRange};
use crate::language::{Symbol, SymbolKind};
use crate::locale::Locale;
use crate::text::line_index::{Columns, LineIndex};

/// How the names of record files end.
const ENDS: [&str; 4] = ["sgf", "pgn", "ubb", "dhtmlxq"];

/// How much of the folders is looked at for one question, whether it is known already or not: what is found stays
/// the same from question to question.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Folders below a workspace folder.
    depth: usize,
    /// Files and folders of any kind.
    entries: usize,
    /// Record files.
    files: usize,
    /// Bytes of one record file.
    file_bytes: u64,
    /// Bytes of all of them.
    bytes: u64,
    /// Names in all of them, over which the last file may go. Each takes some hundred bytes as long as the session lives.
    names: usize,
}

const BOUNDS: Bounds = Bounds {
    depth: 16,
    entries: 200_000,
    files: 5_000,
    file_bytes: 4 << 20,
    bytes: 64 << 20,
    names: 100_000,
};

/// The records in a session's folders.
#[derive(Default)]
pub struct Library {
    folders: Mutex<Vec<PathBuf>>,
    known: Mutex<HashMap<PathBuf, Arc<Shelved>>>,
}

/// A file and the names in it.
pub struct Shelved {
    /// Where it is.
    pub path: PathBuf,
    /// Its names, in the order of the text.
    pub names: Vec<Name>,
    stamp: Stamp,
    reader: Reader,
}

/// A name and where it stands.
pub struct Name {
    /// What it names.
    pub kind: SymbolKind,
    /// The name; never empty.
    pub name: String,
    /// The game that it stands in.
    pub container: String,
    /// Where, in the reader's columns.
    pub range: TextRange,
}

/// For whom files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// The language of what is shown.
    pub locale: Locale,
    /// What columns count.
    pub columns: Columns,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// Adds folders and takes others away.
    pub fn change_folders(&self, added: impl IntoIterator<Item = PathBuf>, removed: &[PathBuf]) {
        let mut folders = lock(&self.folders);
        folders.retain(|folder| !removed.contains(folder));
        folders.extend(added);
        folders.sort();
        folders.dedup();
    }

    /// The folders that are not in another one: nothing is looked at twice.
    fn outer_folders(&self) -> Vec<PathBuf> {
        let folders = lock(&self.folders);
        let inner =
            |folder: &PathBuf| folders.iter().any(|outer| folder != outer && folder.starts_with(outer));
        folders.iter().filter(|folder| !inner(folder)).cloned().collect()
    }

    /// Whether there are folders.
    pub fn has_folders(&self) -> bool {
        !lock(&self.folders).is_empty()
    }

    /// The records in the folders, `open` ones left out, by their paths; nothing when `stop` says so, which is asked
    /// between files. Reads files: not for threads that serve clients.
    pub fn files(
        &self,
        reader: Reader,
        open: &HashSet<PathBuf>,
        stop: impl Fn() -> bool,
    ) -> Option<Vec<Arc<Shelved>>> {
        let folders = self.outer_folders();
        let mut left = BOUNDS;
        let mut seen = HashMap::new();
        for folder in folders {
            self.look(&folder, reader, &mut left, &mut seen, &stop)?;
        }
        let mut files: Vec<_> = seen.values().filter(|file| !open.contains(&file.path)).cloned().collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        *lock(&self.known) = seen;
        Some(files)
    }

    /// Looks through one folder, as far as the bounds go.
    fn look(
        &self,
        folder: &Path,
        reader: Reader,
        left: &mut Bounds,
        seen: &mut HashMap<PathBuf, Arc<Shelved>>,
        stop: &impl Fn() -> bool,
    ) -> Option<()> {
        let mut stopped = false;
        walk(folder, &ENDS, left.depth, |entry| {
            stopped = stop();
            if stopped || left.entries == 0 || left.files == 0 || left.names == 0 {
                return ControlFlow::Break(());
            }
            left.entries -= 1;
            if let Seen::File(path) = entry
                && let Some(file) = self.shelved(path, reader, left)
            {
                left.files -= 1;
                left.bytes -= file.stamp.bytes.min(left.bytes);
                left.names -= file.names.len().min(left.names);
                seen.insert(file.path.clone(), file);
            }
            ControlFlow::Continue(())
        });
        (!stopped).then_some(())
    }

    /// A file as it is now; nothing when it is too large or cannot be read.
    fn shelved(&self, path: PathBuf, reader: Reader, left: &Bounds) -> Option<Arc<Shelved>> {
        let stamp = Stamp::of(&path)?;
        if stamp.bytes > left.file_bytes.min(left.bytes) {
            return None;
        }
        let known = lock(&self.known).get(&path).cloned();
        if let Some(file) = known
            && file.stamp == stamp
            && file.reader == reader
        {
            return Some(file);
        }
        // Longer than its stamp says: it grows, and is for the next question.
        let file = SourceFile::read(&path, stamp.bytes as usize).ok()?;
        let names = names(&path, &file.decoded.text, reader);
        let file = Arc::new(Shelved { path: path.clone(), names, stamp, reader });
        // At once, so that a question that is stopped has not been in vain.
        lock(&self.known).insert(path, file.clone());
        Some(file)
    }
}

fn names(path: &Path, text: &str, reader: Reader) -> Vec<Name> {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(content) = languages::record_of(&file_name, text) else { return Vec::new() };
    let lines = LineIndex::new(text);
    let position = |offset: u32| {
        let place = lines.place(text, offset as usize, reader.columns);
        TextPosition { line: place.line, character: place.column }
    };
    let name = |Symbol { kind, name, container, span }| {
        let range = TextRange { start: position(span.start), end: position(span.end) };
        Name { kind, name, container, range }
    };
    content.symbols(reader.locale).into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const READER: Reader = Reader { locale: Locale::English, columns: Columns::Utf16 };

    fn library(files: &[(&str, &str)]) -> (tempfile::TempDir, Library) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let library = Library::default();
        let folders = [root.path().join("a"), root.path().to_owned(), root.path().to_owned()];
        library.change_folders(folders, &[]);
        (root, library)
    }

    fn found(files: &[Arc<Shelved>]) -> Vec<&str> {
        files.iter().flat_map(|file| &file.names).map(|name| name.name.as_str()).collect()
    }

    #[test]
    fn records_are_found_below_and_open_ones_left_out() {
        let deep = |levels| format!("{}x.sgf", "d/".repeat(levels));
        let large = format!("(;PB[Large]C[{}])", "x".repeat(4 << 20));
        let (root, library) = library(&[
            ("a/1.sgf", "(;\nPB[吴清源]PW[Cho])"),
            ("2.PGN", "[Game \"Chinese Chess\"]\n[Red \"胡荣华\"]\n\n*\n"),
            ("chess.pgn", "[White \"Carlsen\"]\n\n1. e4 e5 2. Nf3 Nc6 *"),
            (".git/3.sgf", "(;PB[Hidden])"),
            ("4.txt", "(;PB[Text])"),
            ("5.sgf", &large),
            ("6.sgf", "(;PB[Open])"),
            (&deep(16), "(;PB[Deep])"),
            (&deep(17), "(;PB[Deeper])"),
        ]);
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), root.path().join("a/round")).unwrap();
        let open = HashSet::from([root.path().join("6.sgf")]);
        let files = library.files(READER, &open, || false).unwrap();
        assert_eq!(found(&files), ["胡荣华", "吴清源", "Cho", "Deep"]);
        let at = |line, character| TextPosition { line, character };
        assert_eq!(files[1].path, root.path().join("a/1.sgf"));
        let range = &files[1].names[1].range;
        assert_eq!((range.start, range.end), (at(1, 10), at(1, 13)));
        assert!(library.files(READER, &open, || true).is_none());
    }

    #[test]
    fn only_other_files_are_read_again() {
        let (root, library) = library(&[("a.sgf", "(;PB[A])"), ("b.sgf", "(;PB[B])"), ("c.sgf", "(;PB[C])")]);
        let look = |reader| library.files(reader, &HashSet::new(), || false).unwrap();
        let before = look(READER);
        std::fs::write(root.path().join("b.sgf"), "(;PB[Other])").unwrap();
        std::fs::remove_file(root.path().join("c.sgf")).unwrap();
        let after = look(READER);
        assert_eq!(found(&after), ["A", "Other"]);
        assert!(Arc::ptr_eq(&before[0], &after[0]));
        assert_eq!(lock(&library.known).len(), 2);
        let other = look(Reader { columns: Columns::Utf8, ..READER });
        assert!(!Arc::ptr_eq(&other[0], &after[0]));
    }

    #[test]
    fn there_are_bounds() {
        let (root, library) = library(&[("a.sgf", "(;PB[A]PW[AA])"), ("b.sgf", "(;PB[B]PW[BB])")]);
        let look = |mut left: Bounds| {
            let mut seen = HashMap::new();
            library.look(root.path(), READER, &mut left, &mut seen, &|| false).unwrap();
            found(&seen.into_values().collect::<Vec<_>>()).len()
        };
        assert_eq!(look(BOUNDS), 4);
        assert_eq!(look(Bounds { entries: 1, ..BOUNDS }), 2);
        assert_eq!(look(Bounds { files: 1, ..BOUNDS }), 2);
        assert_eq!(look(Bounds { bytes: 27, ..BOUNDS }), 2, "14 bytes each");
        assert_eq!(look(Bounds { file_bytes: 13, ..BOUNDS }), 0);
        assert_eq!(look(Bounds { names: 1, ..BOUNDS }), 2);
    }
}
