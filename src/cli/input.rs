//! The records that a command names: files, folders, `-` for stdin.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::glob;
use crate::formats::{Format, detect};
use crate::service::error::{Error, Kind, Result};
use crate::service::files::SourceFile;
use crate::service::settings::Limits;
use crate::sgf::encoding;

/// Where a record comes from and goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// stdin, and stdout.
    Pipe,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// The inputs of arguments. Patterns become the files that they fit, where there is no file of that name. Folders become the files in and below them whose names end in `ends`, in the
    /// order of their names; what cannot be had is told in the place of it.
    pub fn all(arguments: &[PathBuf], ends: &[&str]) -> Vec<Result<Input>> {
        let mut inputs = Vec::new();
        for argument in arguments {
            if argument.as_os_str() == "-" {
                inputs.push(Ok(Input::Pipe));
            } else if argument.is_dir() {
                let before = inputs.len();
                walk(argument, ends, &mut inputs);
                if inputs.len() == before {
                    let message = format!("{} has no files to read", argument.display());
                    inputs.push(Err(Error::new(Kind::NotFound, message)));
                }
            } else if glob::is_pattern(argument) && !argument.exists() {
                let files = glob::files(argument);
                if files.is_empty() {
                    let message = format!("{} fits no file", argument.display());
                    inputs.push(Err(Error::new(Kind::NotFound, message)));
                }
                inputs.extend(files.into_iter().map(|path| Ok(Input::File(path))));
            } else {
                inputs.push(Ok(Input::File(argument.clone())));
            }
        }
        inputs
    }

    /// How it is called in messages.
    pub fn name(&self) -> String {
        match self {
            Input::Pipe => "-".to_owned(),
            Input::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// The folder whose settings count.
    pub fn folder(&self) -> &Path {
        match self {
            Input::File(path) => match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            },
            Input::Pipe => Path::new("."),
        }
    }

    /// Reads the whole of it.
    ///
    /// # Errors
    /// `NotFound`, `LimitExceeded`.
    pub fn read(&self) -> Result<SourceFile> {
        let limit = Limits::default().document_bytes;
        let Input::File(path) = self else { return read_pipe(limit) };
        SourceFile::read(path, limit)
    }

    /// The same, for commands that know SGF only.
    ///
    /// # Errors
    /// Also `InvalidParams` when it is a record of another format.
    pub fn read_sgf(&self) -> Result<SourceFile> {
        self.read_as(&[Format::Sgf], "SGF")
    }

    /// The same, for commands that know the records that kifud edits.
    ///
    /// # Errors
    /// As [`Input::read_sgf`].
    pub fn read_record(&self) -> Result<SourceFile> {
        self.read_as(&[Format::Sgf, Format::Pgn, Format::DhtmlXq], "SGF, PGN or DhtmlXQ")
    }

    fn read_as(&self, known: &[Format], names: &str) -> Result<SourceFile> {
        let source = self.read()?;
        let name = self.name();
        let other = Format::from_file_name(&name).is_some_and(|format| !known.contains(&format));
        match detect(&source.bytes, Some(&name)).format.filter(|format| other && !known.contains(format)) {
            Some(format) => {
                let message = format!("{name} is {}, not {names}; see kifud convert", format.name());
                Err(Error::new(Kind::InvalidParams, message))
            }
            None => Ok(source),
        }
    }

    /// Puts what a command made of it in its place: the file's, or stdout.
    ///
    /// # Errors
    /// As [`SourceFile::replace_by`].
    pub fn write(&self, source: &SourceFile, edited: &SourceFile) -> Result<()> {
        match self {
            Input::Pipe => write_pipe(&edited.bytes),
            Input::File(_) => source.replace_by(edited),
        }
    }
}

fn read_pipe(limit: usize) -> Result<SourceFile> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::new(Kind::NotFound, format!("stdin cannot be read: {error}")))?;
    if bytes.len() > limit {
        let message = format!("stdin is longer than the limit of {limit} bytes");
        return Err(Error::new(Kind::LimitExceeded, message));
    }
    let decoded = encoding::decode(&bytes, None);
    Ok(SourceFile { path: "-".into(), bytes, decoded })
}

/// Bytes on stdout.
///
/// # Errors
/// `NotFound` when nobody reads it.
pub fn write_pipe(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Error::new(Kind::NotFound, format!("stdout cannot be written: {error}")))
}

/// Finds files in a folder and below. Hidden folders and links to folders are not entered.
fn walk(root: &Path, ends: &[&str], inputs: &mut Vec<Result<Input>>) {
    let mut waiting = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("{} cannot be read: {error}", folder.display());
                inputs.push(Err(Error::new(Kind::NotFound, message)));
                continue;
            }
        };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.as_encoded_bytes().starts_with(b".") {
                waiting.push(path);
            } else if has_end(&path, ends) && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    inputs.extend(files.into_iter().map(|path| Ok(Input::File(path))));
}

fn has_end(path: &Path, ends: &[&str]) -> bool {
    path.extension().is_some_and(|end| ends.iter().any(|wanted| end.eq_ignore_ascii_case(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_order() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b.sgf", "a/2.SGF", "a/1.sgf", "a/x.txt", ".git/c.sgf", "empty/x.gib"] {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), root.path().join("a/round")).unwrap();
        let inputs = Input::all(&[root.path().to_owned(), "-".into(), "x.gib".into()], &["sgf"]);
        let names: Vec<String> = inputs.into_iter().map(|input| input.unwrap().name()).collect();
        let root_name = root.path().to_string_lossy().into_owned();
        let names: Vec<&str> =
            names.iter().map(|name| name.strip_prefix(&root_name).unwrap_or(name)).collect();
        assert_eq!(names, ["/a/1.sgf", "/a/2.SGF", "/b.sgf", "-", "x.gib"]);
        let empty = Input::all(&[root.path().join("empty")], &["sgf"]);
        assert!(matches!(&empty[..], [Err(error)] if error.message.ends_with("no files to read")));
    }
}
