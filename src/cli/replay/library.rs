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
    /// The `play MOVE` that ended a search.
    pub play: Option<Vec<u8>>,
}

/// `manifest.json`, the part that replaying needs.
#[derive(Deserialize)]
struct Manifest {
    program: String,
    version: String,
    transcripts: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
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
            return Err(format!("{}: {what}", path.join(MANIFEST).display()));
        }
        Ok(library)
    }

    fn new(name: String, version: String, transcripts: Vec<Transcript>) -> Library {
        let mut seen = HashSet::new();
        let commands = transcripts.iter().map(|transcript| &transcript.command);
        let commands = commands.filter(|command| seen.insert(*command)).cloned().collect();
        Library { name, version, transcripts, commands }
    }

    fn load_folder(folder: &Path, only: Option<&str>) -> Result<Library, String> {
        let manifest = Manifest::read(&folder.join(MANIFEST))?;
        let wanted = |entry: &&Entry| only.is_none_or(|name| name == entry.command);
        let transcripts = manifest.transcripts.iter().filter(wanted).map(|entry| {
            let game = entry.game().map_err(|reason| format!("{}: {reason}", entry.file.display()))?;
            let color = entry.color.as_deref().and_then(Color::parse);
            Transcript::read(&folder.join(&entry.file), &entry.command, Some(game), color)
        });
        let transcripts = transcripts.collect::<Result<_, _>>()?;
        Ok(Library::new(manifest.program, manifest.version, transcripts))
    }

    /// One file answers every position; a manifest beside it may still name the program and the
    /// command.
    fn load_file(file: &Path, only: Option<&str>) -> Result<Library, String> {
        let beside = file.with_file_name(MANIFEST);
        let entry = if beside.is_file() { Manifest::read(&beside)?.take(file) } else { None };
        let (name, version, recorded) = entry.unwrap_or_else(|| {
            ("replay".to_owned(), env!("CARGO_PKG_VERSION").to_owned(), DEFAULT_COMMAND.to_owned())
        });
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

    /// Whether some command ends with a move: a search of given length.
    pub fn has_search(&self) -> bool {
        self.transcripts.iter().any(|transcript| transcript.play.is_some())
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

    /// Program, version and command of a file in the same folder, when the manifest names it.
    fn take(self, file: &Path) -> Option<(String, String, String)> {
        let mut entries = self.transcripts.into_iter();
        let entry = entries.find(|entry| file.file_name() == Some(entry.file.as_os_str()))?;
        Some((self.program, self.version, entry.command))
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
