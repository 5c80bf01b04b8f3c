//! Recorded transcripts on disk: plain files of info lines, and a `manifest.json` that says
//! which file answers which command in which position.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::position::{Game, parse_move};
use crate::go::{Color, Move, Size};

/// The file in a folder of transcripts that describes them.
const MANIFEST: &str = "manifest.json";

/// The command that a transcript without a manifest answers.
const DEFAULT_COMMAND: &str = "kata-analyze";

/// All that the engine can answer.
#[derive(Debug)]
pub struct Library {
    /// Answer to `name`.
    pub name: String,
    /// Answer to `version`.
    pub version: String,
    /// At least one.
    pub transcripts: Vec<Transcript>,
    commands: Vec<String>,
}

/// What a real engine printed in one position for one command.
#[derive(Debug)]
pub struct Transcript {
    /// The analyze command.
    command: String,
    /// `None`: answers whatever the position is.
    position: Option<Game>,
    /// Whose values these are; `None`: either's.
    color: Option<Color>,
    /// At least one info line, byte by byte, without line ends.
    pub lines: Vec<Vec<u8>>,
    /// The `play MOVE` that ended a search or a move.
    pub play: Option<Vec<u8>>,
}

/// `manifest.json`, the part that replaying needs: of one engine, or of several as `kifud
/// capture` writes it, where each entry names its own.
#[derive(Deserialize)]
struct Manifest {
    #[serde(flatten)]
    engine: EngineName,
    #[serde(alias = "cells")]
    transcripts: Vec<Entry>,
}

/// What the engine said of itself.
#[derive(Debug, Default, Deserialize)]
struct EngineName {
    program: Option<String>,
    version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(flatten)]
    engine: EngineName,
    engine_id: Option<String>,
    file: PathBuf,
    command: String,
    board_size: BoardSize,
    komi: Option<f64>,
    /// Handicap stones and moves in order: `["B D4", "W pass"]`.
    moves: Vec<String>,
    color: Option<String>,
}

/// `9` or `[13, 7]`.
#[derive(Deserialize)]
#[serde(untagged)]
enum BoardSize {
    Square(u8),
    Sides(u8, u8),
}

impl Library {
    /// Reads a transcript, or all that a folder's manifest names; with `only`, those that answer
    /// this command. `Err` is a sentence about what is missing, unreadable or empty.
    pub fn load(path: &Path, only: Option<&str>) -> Result<Library, String> {
        let library =
            if path.is_dir() { Self::load_folder(path, only)? } else { Self::load_file(path, only)? };
        if library.transcripts.is_empty() {
            let what = only.map_or("no transcripts".to_owned(), |name| format!("no {name} transcripts"));
            return Err(format!("{}: {what}", path.display()));
        }
        Ok(library)
    }

    fn new(name: String, version: String, transcripts: Vec<Transcript>) -> Library {
        let mut seen = HashSet::new();
        let commands = transcripts.iter().map(|transcript| &transcript.command);
        let commands = commands.filter(|command| seen.insert(*command)).cloned().collect();
        Library { name, version, transcripts, commands }
    }

    /// A folder of one engine among several is described by the manifest of the folder above.
    fn load_folder(folder: &Path, only: Option<&str>) -> Result<Library, String> {
        let (root, engine) = match (folder.join(MANIFEST).is_file(), folder.parent(), folder.file_name()) {
            (false, Some(above), Some(id)) if above.join(MANIFEST).is_file() => (above, Some(id)),
            _ => (folder, None),
        };
        let mut manifest = Manifest::read(&root.join(MANIFEST))?;
        let this_engine =
            |id: &Option<String>| engine.is_none_or(|engine| id.as_deref().is_some_and(|id| engine == id));
        manifest
            .transcripts
            .retain(|entry| only.is_none_or(|name| name == entry.command) && this_engine(&entry.engine_id));
        let transcripts = manifest.transcripts.iter().map(|entry| {
            let game = entry.game().map_err(|reason| format!("{}: {reason}", entry.file.display()))?;
            let color = entry.color.as_deref().and_then(Color::parse);
            Transcript::read(&root.join(&entry.file), &entry.command, Some(game), color)
        });
        let transcripts = transcripts.collect::<Result<_, _>>()?;
        let (name, version) = manifest.engine.or(manifest.transcripts.into_iter().next()).named();
        Ok(Library::new(name, version, transcripts))
    }

    /// One file answers every position; a manifest beside or above it may still name the program
    /// and the command.
    fn load_file(file: &Path, only: Option<&str>) -> Result<Library, String> {
        let places = file.ancestors().skip(1).take(2).map(|folder| folder.join(MANIFEST));
        let manifests = places.filter(|manifest| manifest.is_file()).map(|manifest| {
            let folder = manifest.parent().unwrap_or(Path::new(""));
            Ok(Manifest::read(&manifest)?.take(file.strip_prefix(folder).unwrap_or(file)))
        });
        let found = manifests.collect::<Result<Vec<_>, String>>()?.into_iter().flatten().next();
        let (engine, recorded) = found.unwrap_or_else(|| (EngineName::default(), DEFAULT_COMMAND.to_owned()));
        let (name, version) = engine.named();
        let transcript = Transcript::read(file, only.unwrap_or(&recorded), None, None)?;
        Ok(Library::new(name, version, vec![transcript]))
    }

    /// The transcript for this position; `color` as the command gave it.
    pub fn find(&self, command: &str, game: &Game, color: Option<Color>) -> Option<&Transcript> {
        self.transcripts.iter().find(|transcript| {
            let position = transcript.position.as_ref();
            transcript.command == command
                && position.is_none_or(|position| position.same_as(game))
                && (color.is_none() || transcript.color.is_none() || color == transcript.color)
        })
    }

    /// The recorded commands, each once, in the manifest's order.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().map(String::as_str)
    }

    /// Whether some command is a search of given length, which ends with the move found.
    pub fn has_search(&self) -> bool {
        self.commands().any(|command| command.contains("search"))
    }

    /// One transcript for every position.
    #[cfg(test)]
    pub fn of_lines(command: &str, lines: &[&str]) -> Library {
        let lines = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        let transcript =
            Transcript { command: command.to_owned(), position: None, color: None, lines, play: None };
        Library::new("replay".to_owned(), "1".to_owned(), vec![transcript])
    }
}

impl Transcript {
    /// What the engine played, `D4`, when the command is one that moves.
    pub fn played(&self) -> Option<&str> {
        let line = self.play.as_deref().filter(|_| self.command.contains("genmove"))?;
        std::str::from_utf8(line).ok()?.split_whitespace().nth(1)
    }

    /// Keeps the lines that begin with `info`, and the last that begins with `play`.
    fn read(
        file: &Path,
        command: &str,
        position: Option<Game>,
        color: Option<Color>,
    ) -> Result<Transcript, String> {
        let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let (mut lines, mut play) = (Vec::new(), None);
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.starts_with(b"info ") {
                lines.push(line.to_vec());
            } else if line.starts_with(b"play ") {
                play = Some(line.to_vec());
            }
        }
        if lines.is_empty() {
            return Err(format!("{}: no info lines in it", file.display()));
        }
        Ok(Transcript { command: command.to_owned(), position, color, lines, play })
    }
}

impl Manifest {
    fn read(file: &Path) -> Result<Manifest, String> {
        let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// Engine and command of a file, given as the manifest names it, when it does.
    fn take(self, file: &Path) -> Option<(EngineName, String)> {
        let mut entries = self.transcripts.into_iter();
        let mut entry = entries.find(|entry| file == entry.file)?;
        let command = std::mem::take(&mut entry.command);
        Some((self.engine.or(Some(entry)), command))
    }
}

impl EngineName {
    /// This name, or that of an entry where there is none.
    fn or(self, entry: Option<Entry>) -> EngineName {
        let other = entry.map(|entry| entry.engine).unwrap_or_default();
        EngineName { program: self.program.or(other.program), version: self.version.or(other.version) }
    }

    /// Name and version; our own where nobody says.
    fn named(self) -> (String, String) {
        let ours = || env!("CARGO_PKG_VERSION").to_owned();
        (self.program.unwrap_or_else(|| "replay".to_owned()), self.version.unwrap_or_else(ours))
    }
}

impl Entry {
    fn game(&self) -> Result<Game, String> {
        let size = match self.board_size {
            BoardSize::Square(side) => Size::square(side),
            BoardSize::Sides(width, height) => Size::new(width, height),
        };
        let size = size.ok_or("boardSize is out of range")?;
        let read = |text: &String| {
            let (color, vertex) = text.split_once(' ').unwrap_or_default();
            parse_move(color, vertex, size).ok_or(format!("{text:?} is not a move on {size}"))
        };
        let moves = self.moves.iter().map(read).collect::<Result<Vec<Move>, _>>()?;
        Ok(Game::new(size, self.komi, moves))
    }
}
