//! A game on disk while it is played: a record that grows by one append a move, so that a crash at any
//! moment leaves a file that every reader of records opens, at most without its last parenthesis.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of one game; without one when it cannot be written, which is told in the log.
#[derive(Debug)]
pub struct Journal {
    open: Option<(File, PathBuf)>,
}

impl Journal {
    /// Begins with an open record in `games/` of this folder.
    pub fn begin(state: Option<PathBuf>, game: &str, record: &str) -> Journal {
        let Some(folder) = state.map(|state| state.join("games")) else { return Journal { open: None } };
        let open = create(&folder, game).and_then(|(mut file, path)| {
            file.write_all(record.as_bytes())?;
            Ok((file, path))
        });
        let open = open.inspect_err(
            |error| tracing::warn!(%error, folder = %folder.display(), "a game cannot be journalled"),
        );
        Journal { open: open.ok() }
    }

    /// Where it is.
    pub fn path(&self) -> Option<&Path> {
        self.open.as_ref().map(|(_, path)| path.as_path())
    }

    /// One more node.
    pub fn add(&mut self, node: &str) {
        let Some((file, path)) = &mut self.open else { return };
        if let Err(error) = file.write_all(node.as_bytes()) {
            tracing::warn!(%error, path = %path.display(), "a game is no longer journalled");
            self.open = None;
        }
    }

    /// The game is over. The file stays, as a whole record, when nobody else has the game.
    pub fn end(mut self, keep: bool) {
        if keep {
            self.add("\n)\n");
        } else if let Some((file, path)) = self.open.take() {
            drop(file);
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::warn!(%error, path = %path.display(), "a journal cannot be removed");
            }
        }
    }
}

fn create(folder: &Path, game: &str) -> std::io::Result<(File, PathBuf)> {
    std::fs::create_dir_all(folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let path = folder.join(format!("{now}-{}-{game}.sgf", std::process::id()));
    let mut options = OpenOptions::new();
    options.create_new(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok((options.open(&path)?, path))
}
