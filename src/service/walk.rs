//! The files in a folder and below.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What stands in a folder.
pub enum Seen {
    /// A file that is looked for, or a link to one.
    File(PathBuf),
    /// Anything else.
    Other,
    /// A folder that cannot be read.
    Unreadable(PathBuf, io::Error),
}

/// Shows everything in a folder, and in those up to `depth` below it, until told to break. Files are looked for by
/// the ends of their names, whatever their case. The nearest folders come first; hidden folders and links to folders
/// are not entered.
pub fn walk(root: &Path, ends: &[&str], depth: usize, mut visit: impl FnMut(Seen) -> ControlFlow<()>) {
    let mut waiting = VecDeque::from([(root.to_owned(), 0)]);
    while let Some((folder, level)) = waiting.pop_front() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => match visit(Seen::Unreadable(folder, error)) {
                ControlFlow::Continue(()) => continue,
                ControlFlow::Break(()) => return,
            },
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let seen = if kind.is_dir() {
                if level < depth && !entry.file_name().as_encoded_bytes().starts_with(b".") {
                    waiting.push_back((path, level + 1));
                }
                Seen::Other
            } else if has_end(&path, ends) && (kind.is_file() || path.is_file()) {
                Seen::File(path)
            } else {
                Seen::Other
            };
            if visit(seen).is_break() {
                return;
            }
        }
    }
}

fn has_end(path: &Path, ends: &[&str]) -> bool {
    path.extension().is_some_and(|end| ends.iter().any(|wanted| end.eq_ignore_ascii_case(wanted)))
}
