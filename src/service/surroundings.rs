//! What lies beside an open text on disk and has a say in its findings: the nearest `.kifud.toml`, and the file of
//! the text itself, which its editor has decoded.
//!
//! Files are looked at whenever findings are asked for, and read when they are others than before: what a client
//! tells of changes is a hint to ask again, no more.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::documents::Document;
use super::files::{SourceFile, Stamp};
use super::levels;
use super::uris::file_path;
use crate::language::Content;
use crate::sgf::depends_on_file;
use crate::sgf::encoding::Decoded;
use crate::text::Levels;

/// What lies beside a text. Never changes; when files do, there are new ones.
#[derive(Default)]
pub struct Surroundings {
    /// Unlike that of any others; 0 when nothing is known.
    pub id: u64,
    /// How bad findings are taken.
    pub levels: Levels,
    /// The file of the text, when it can tell more than the text.
    pub file: Option<Arc<Decoded>>,
    settings: Option<(PathBuf, Option<Stamp>)>,
    stamp: Option<Stamp>,
}

/// A file of so many bytes is never much longer than its text.
const SMALL: usize = 64 << 10;

static IDS: AtomicU64 = AtomicU64::new(1);

/// The surroundings of the open texts of one session.
#[derive(Default)]
pub struct Beside {
    known: Mutex<HashMap<PathBuf, Arc<Surroundings>>>,
}

impl Beside {
    /// Those of a text now; its file is left alone when it has more than `limit` bytes or is much longer than the text.
    /// Reads files: not for threads that serve clients.
    pub fn of(&self, document: &Document, content: &Content, limit: usize) -> Arc<Surroundings> {
        let Some(uri) = document.uri.as_deref() else { return Arc::default() };
        let Some(path) = file_path(uri) else { return Arc::default() };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
        let known = known.unwrap_or_default();
        let settings = path.parent().and_then(levels::find).map(|file| {
            let stamp = Stamp::of(&file);
            (file, stamp)
        });
        let wants_file = matches!(content, Content::Sgf(record) if depends_on_file(record));
        let stamp = if wants_file { Stamp::of(&path) } else { None };
        if known.id != 0 && known.settings == settings && known.stamp == stamp {
            return known;
        }
        let levels = match &settings {
            Some((file, _)) if known.id == 0 || known.settings != settings => read_levels(file),
            Some(_) => known.levels.clone(),
            None => Levels::default(),
        };
        let limit = limit.min(2 * document.text.len() + SMALL);
        let file = match stamp {
            Some(_) if known.stamp == stamp => known.file.clone(),
            Some(_) => SourceFile::read(&path, limit).ok().map(|file| Arc::new(file.decoded)),
            None => None,
        };
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        let now = Arc::new(Surroundings { id, levels, file, settings, stamp });
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(path, now.clone());
        now
    }

    /// The text is no longer open.
    pub fn forget(&self, uri: &str) {
        if let Some(path) = file_path(uri) {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(&path);
        }
    }
}

/// A file of settings that cannot be read counts as none.
fn read_levels(file: &Path) -> Levels {
    levels::read(file).unwrap_or_else(|error| {
        tracing::warn!(%error, "the settings of findings are left out");
        Levels::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::documents::Documents;
    use crate::sgf::{Code, Level};

    #[test]
    fn files_are_read_when_they_are_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgf");
        let toml = folder.path().join(levels::FILE_NAME);
        let uri = format!("file://{}", path.display());
        let beside = Beside::default();
        let look = |text: &str| {
            let documents = Documents::telling(Arc::default());
            documents.open(&uri, 1, "sgf", text.into(), true).unwrap();
            let document = documents.get(&uri).unwrap();
            beside.of(&document, document.content().unwrap(), 1000)
        };
        let bytes = encoding_rs::GBK.encode("(;CA[GBK]C[围棋])").0.into_owned();
        std::fs::write(&path, &bytes).unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let plain = look("(;CA[GBK])");
        assert!(plain.file.is_none(), "nothing to learn from it");
        let lost = look("(;CA[GBK]C[\u{fffd}])");
        assert_eq!(lost.file.as_ref().map(|file| file.text.as_str()), Some("(;CA[GBK]C[围棋])"));
        assert_eq!(look("(;CA[GBK]C[\u{fffd}x])").id, lost.id);
        std::fs::write(&toml, "[findings]\nko = \"off\"\n").unwrap();
        let silent = look("(;CA[GBK]C[\u{fffd}])");
        assert_ne!(silent.id, lost.id);
        assert_eq!(silent.levels.get(Code::Ko), Some(Level::Off));
        assert!(Arc::ptr_eq(silent.file.as_ref().unwrap(), lost.file.as_ref().unwrap()));
        std::fs::write(&toml, "no settings").unwrap();
        assert_eq!(look("(;CA[GBK]C[\u{fffd}])").levels, Levels::default());
        std::fs::write(&path, vec![b' '; 1001]).unwrap();
        assert!(look("(;CA[GBK]C[\u{fffd}])").file.is_none(), "too large");
        beside.forget(&uri);
        assert!(beside.known.lock().unwrap().is_empty());
    }
}
