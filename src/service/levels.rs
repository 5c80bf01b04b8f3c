//! `.kifud.toml`: which findings a folder's records are to have, and how bad they are taken.
//!
//! Data, never a program. The nearest file counts: beside the record, else in a folder above it, up to the
//! first one with `.git`.
//!
//! ```toml
//! [findings]
//! same-color-twice = "off"      # off, hint, information, warning, error
//! unknown-property = "warning"
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::error::{Error, Kind, Result};
use crate::sgf::Code;
use crate::text::line_index::{Columns, LineIndex};
use crate::text::{Level, Levels};
use crate::xiangqi::record::CODES;

/// The file's name.
pub const FILE_NAME: &str = ".kifud.toml";

/// Larger ones are not read.
const MAX_BYTES: usize = 1 << 20;

/// The file that counts for records in a folder, if there is one.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    for folder in folder.ancestors() {
        let file = folder.join(FILE_NAME);
        if file.is_file() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    None
}

/// Reads a file.
///
/// # Errors
/// `NotFound`, `LimitExceeded`; `InvalidParams` as [`parse`]. The message names the file.
pub fn read(file: &Path) -> Result<Levels> {
    let source = super::files::SourceFile::read(file, MAX_BYTES)?;
    parse(&source.decoded.text)
        .map_err(|error| Error { message: format!("{}: {}", file.display(), error.message), ..error })
}

/// Reads a file's text.
///
/// # Errors
/// `InvalidParams` with line and column when it is no TOML, or names a table, a code or a level that there is not.
pub fn parse(text: &str) -> Result<Levels> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        findings: BTreeMap<Spanned<String>, Spanned<String>>,
    }
    let at = |span: Option<std::ops::Range<usize>>, message: &str| {
        let place = LineIndex::new(text).place(text, span.map_or(0, |span| span.start), Columns::Utf32);
        let (line, column) = (place.line + 1, place.column + 1);
        Error::new(Kind::InvalidParams, format!("line {line}, column {column}: {message}"))
            .with("line", line)
            .with("column", column)
    };
    let file: File = toml::from_str(text).map_err(|error| at(error.span(), error.message()))?;
    let mut levels = Levels::default();
    for (code, level) in &file.findings {
        let name = code.get_ref();
        let code = code_named(name)
            .ok_or_else(|| at(Some(code.span()), &format!("there is no finding called {name:?}")))?;
        let text = level.get_ref();
        let level = Level::parse(text).ok_or_else(|| {
            let message = format!("{text:?} is no level; write off, hint, information, warning or error");
            at(Some(level.span()), &message)
        })?;
        levels.set(code, level);
    }
    Ok(levels)
}

/// The finding of this name, of SGF or of xiangqi.
fn code_named(name: &str) -> Option<&'static str> {
    let xiangqi = || CODES.iter().copied().find(|code| *code == name);
    Code::named(name).map(Code::name).or_else(xiangqi)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Severity;

    #[test]
    fn levels_by_code() {
        let levels = parse("# ours\n[findings]\nko = \"off\"\noff-board = \"hint\"\n").unwrap();
        assert_eq!(levels.get(Code::Ko), Some(Level::Off));
        assert_eq!(levels.get(Code::OffBoard), Some(Level::Show(Severity::Hint)));
        assert_eq!(levels.get(Code::Superko), None);
        let levels = parse("[findings]\nhorse-leg = \"warning\"\n").unwrap();
        assert_eq!(levels.get("horse-leg"), Some(Level::Show(Severity::Warning)));
        assert_eq!(parse("").unwrap(), Levels::default());
    }

    #[test]
    fn faults_have_a_place() {
        for (text, expected) in [
            ("[findings]\n  kko = \"off\"", "line 2, column 3: there is no finding called \"kko\""),
            (
                "[findings]\nko = \"loud\"",
                "line 2, column 6: \"loud\" is no level; write off, hint, information, warning or error",
            ),
            ("[findings]\nko = 3\n", "line 2, column 6: "),
            ("\n[finding]\n", "line 2, column 2: unknown field `finding`"),
            ("[findings\n", "line 1, column "),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.kind, Kind::InvalidParams);
            assert!(error.message.starts_with(expected), "{text:?}: {}", error.message);
        }
    }

    #[test]
    fn the_nearest_file_counts_and_a_repository_ends_the_search() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let inner = root.join("repository/games/old");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(root.join(FILE_NAME), "").unwrap();
        assert_eq!(find(&inner), Some(root.join(FILE_NAME)));
        std::fs::create_dir(root.join("repository/.git")).unwrap();
        assert_eq!(find(&inner), None);
        std::fs::write(root.join("repository").join(FILE_NAME), "").unwrap();
        assert_eq!(find(&inner), Some(root.join("repository").join(FILE_NAME)));
        assert_eq!(find(&root.join("repository/../repository/games")), find(&inner));
        std::fs::write(inner.join(FILE_NAME), "").unwrap();
        assert_eq!(find(&inner), Some(inner.join(FILE_NAME)));
        assert_eq!(find(&root.join("nowhere")), None);
    }
}
