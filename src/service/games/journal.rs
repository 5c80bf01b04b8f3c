//! A game on disk while it is played, so that a crash at any moment loses nothing: a record that grows by one append
//! a move, which every reader of records opens, at most without its last parenthesis; and beside it, in JSON, what a
//! record does not say and a new daemon needs to go on.
//!
//! Whoever plays the game holds a lock on the record. The system frees it with the process, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::setup::Setup;
use super::update::GameInfo;
use crate::replace;
use crate::service::error::{Error, Kind, Result};

/// The longest journal that is read: far more than any game.
const LONGEST: u64 = 64 << 20;
/// Who only looks at a game holds its lock for a moment: to take a game, the lock is tried so often, so far apart.
const TRIES: u32 = 30;
const APART: Duration = Duration::from_millis(10);

/// The files of one game; without them when they cannot be written, which is told in the log.
#[derive(Debug)]
pub struct Journal {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    record: Arc<File>,
    path: PathBuf,
}

/// A game that nobody plays any more.
#[derive(Debug)]
pub struct Unfinished {
    /// The name of its files.
    pub id: String,
    /// Its record.
    pub path: PathBuf,
    /// What a record does not say.
    pub setup: Setup,
    /// The record as far as it is whole, without its last parenthesis.
    pub text: String,
    lock: File,
}

impl Journal {
    /// Begins with an open record in `games/` of this folder.
    pub fn begin(state: Option<PathBuf>, game: &str, record: &str, setup: &Setup) -> Journal {
        let Some(folder) = state.map(|state| state.join("games")) else { return Journal { open: None } };
        let open = create(&folder, game).and_then(|(mut file, path)| {
            file.write_all(record.as_bytes())?;
            file.sync_all()?;
            Ok(Open { record: Arc::new(file), path })
        });
        let open = open.inspect_err(
            |error| tracing::warn!(%error, folder = %folder.display(), "a game cannot be journalled"),
        );
        let journal = Journal { open: open.ok() };
        if let Some(open) = &journal.open {
            let created = replace::create(&open.setup(), &json(setup));
            let synced = created.and_then(|()| Ok(sync_folder(&folder)?));
            if let Err(error) = synced {
                tracing::warn!(%error, path = %open.path.display(), "a game could not be taken up again");
            }
        }
        journal
    }

    /// Goes on with a game that was left.
    pub fn go_on(unfinished: Unfinished) -> Journal {
        let Unfinished { lock, path, .. } = unfinished;
        Journal { open: Some(Open { record: Arc::new(lock), path }) }
    }

    /// Where it is.
    pub fn path(&self) -> Option<&Path> {
        self.open.as_ref().map(|open| open.path.as_path())
    }

    /// One more node, which is on the disk when this returns.
    pub async fn add(&mut self, node: String) {
        let Some(open) = &self.open else { return };
        let record = open.record.clone();
        let written = tokio::task::spawn_blocking(move || {
            (&*record).write_all(node.as_bytes())?;
            record.sync_data()
        });
        let failed = match written.await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(error = failed, path = %open.path.display(), "a game is no longer journalled");
        self.open = None;
    }

    /// Others play on.
    pub fn change(&self, setup: &Setup) {
        let Some(open) = &self.open else { return };
        if let Err(error) = replace::write(&open.setup(), &json(setup)) {
            tracing::warn!(%error, path = %open.path.display(), "a game keeps its old players in its journal");
        }
    }

    /// The game is over. The files stay, the record as a whole one, when nobody else has the game.
    pub fn end(self, keep: bool) {
        let Some(open) = self.open else { return };
        if !keep {
            remove(&open.path);
        } else if let Err(error) = (&*open.record).write_all(b"\n)\n") {
            tracing::warn!(%error, path = %open.path.display(), "a record has no last parenthesis");
        }
    }
}

impl Open {
    fn setup(&self) -> PathBuf {
        self.path.with_extension("json")
    }
}

impl Unfinished {
    /// What the list says of all games in `games/` of this folder that nobody plays, oldest first.
    pub fn list(state: &Path) -> Vec<GameInfo> {
        let files = std::fs::read_dir(state.join("games")).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| has_setup(path)).collect();
        paths.sort();
        paths.iter().filter_map(|path| Self::look(path).ok()?.info()).collect()
    }

    /// Takes one of them: nobody else can, as long as this lives.
    ///
    /// # Errors
    /// `NotFound` when there is none of this name, or when its files are broken; `EngineBusy` when it is being
    /// played.
    pub fn take(state: &Path, id: &str) -> Result<Unfinished> {
        let no_game = || Error::new(Kind::NotFound, format!("there is no unfinished game {id:?}"));
        // What is no file's name here is no path either.
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(no_game());
        }
        let path = state.join("games").join(id).with_extension("sgf");
        if !has_setup(&path) {
            return Err(no_game());
        }
        let unfinished = Self::hold(&path)?;
        // What is behind the last whole value was being written when all ended.
        let end = unfinished.lock.set_len(unfinished.text.len() as u64);
        end.map_err(|error| Error::new(Kind::NotFound, format!("{}: {error}", path.display())))?;
        Ok(unfinished)
    }

    /// Throws the game away.
    pub fn discard(self) {
        remove(&self.path);
    }

    /// Locks a game for oneself.
    fn hold(path: &Path) -> Result<Unfinished> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        let lock = file.map_err(|error| broken(path, &error.to_string()))?;
        let mut locked = lock.try_lock();
        for _ in 1..TRIES {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(APART);
            locked = lock.try_lock();
        }
        locked.map_err(|error| not_locked(path, &error))?;
        Self::read(path, lock)
    }

    /// Only looks at a game, as others may do at the same time.
    fn look(path: &Path) -> Result<Unfinished> {
        let lock = File::open(path).map_err(|error| broken(path, &error.to_string()))?;
        lock.try_lock_shared().map_err(|error| not_locked(path, &error))?;
        Self::read(path, lock)
    }

    fn read(path: &Path, lock: File) -> Result<Unfinished> {
        let broken = |why: String| broken(path, &why);
        let failed = |error: std::io::Error| broken(error.to_string());
        let mut bytes = Vec::new();
        (&lock).take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
        // Behind the root all values are points and numbers: a bracket closes one.
        let end = bytes.iter().rposition(|&byte| byte == b']').map_or(0, |at| at + 1);
        bytes.truncate(end);
        let text = String::from_utf8(bytes).map_err(|error| broken(error.to_string()))?;
        let setup = std::fs::read(path.with_extension("json")).map_err(failed)?;
        let setup = serde_json::from_slice(&setup).map_err(|error| broken(error.to_string()))?;
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Unfinished { id, path: path.to_owned(), setup, text, lock })
    }
}

fn broken(path: &Path, why: &str) -> Error {
    Error::new(Kind::NotFound, format!("{}: {why}", path.display()))
}

fn not_locked(path: &Path, error: &TryLockError) -> Error {
    match error {
        TryLockError::WouldBlock => {
            Error::new(Kind::EngineBusy, format!("{}: the game is being played", path.display()))
        }
        TryLockError::Error(error) => broken(path, &error.to_string()),
    }
}

fn has_setup(path: &Path) -> bool {
    // A pipe would be waited for.
    path.extension().is_some_and(|end| end == "sgf")
        && path.is_file()
        && path.with_extension("json").is_file()
}

/// First what makes it a game that can be taken up, then the record.
fn remove(record: &Path) {
    for path in [&record.with_extension("json"), record] {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, path = %path.display(), "a journal cannot be removed");
            }
            _ => {}
        }
    }
}

fn json(setup: &Setup) -> Vec<u8> {
    serde_json::to_vec(setup).unwrap_or_default()
}

fn create(folder: &Path, game: &str) -> std::io::Result<(File, PathBuf)> {
    std::fs::create_dir_all(folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let path = folder.join(format!("{now}-{}-{game}.sgf", std::process::id()));
    let mut options = OpenOptions::new();
    options.create_new(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path)?;
    // Where there are no locks, there is still a record.
    if let Err(error) = file.try_lock() {
        tracing::info!(%error, path = %path.display(), "a journal cannot be locked");
    }
    Ok((file, path))
}

/// Makes sure that new names in a folder outlive a crash of the machine.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::keeper::Keeper;
    use super::super::players::Player;
    use super::super::run::Agreed;
    use super::super::setup::Noted;
    use super::*;
    use crate::go::clock::{Clock, Overtime, TimeControl};
    use crate::go::{Color, Move, Point, Position, Size, Vertex};
    use crate::service::writeback::Value;

    const OPENING: &str = "(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[a\\]b]";
    const TIME: TimeControl =
        TimeControl { main: 10_000, overtime: Overtime::Byoyomi { period: 30_000, periods: 3 } };

    fn setup() -> Setup {
        let keeper = Keeper::new(&format!("{OPENING}\n)\n"));
        let agreed = Agreed { time: Some(TIME), limit: Some(20), delay: std::time::Duration::ZERO };
        let position = Position::new(Size::square(9).unwrap());
        Setup::new(&keeper, OPENING, &position, &agreed, &[Player::Human, Player::Human])
    }

    fn moves() -> Vec<Noted> {
        let colors = [Color::Black, Color::White].into_iter().cycle();
        let mut clocks = [Clock::new(TIME); 2];
        let mut noted = Vec::new();
        for (index, color) in (0..5).zip(colors) {
            let vertex = if index == 3 { Vertex::Pass } else { Vertex::At(Point::new(index, index)) };
            let value = (index % 2 == 0).then(|| Value::new(Color::Black, 50.25, Some(-1.5)));
            let side = color as usize;
            clocks[side] = clocks[side].after(7_001 + 10_000 * u64::from(index)).unwrap();
            noted.push(Noted { play: Move { color, vertex }, value, clock: Some(clocks[side]) });
        }
        noted
    }

    #[tokio::test]
    async fn wherever_a_journal_ends_its_whole_moves_are_read() {
        let state = tempfile::tempdir().unwrap();
        let mut journal = Journal::begin(Some(state.path().to_owned()), "game-1", OPENING, &setup());
        for noted in moves() {
            journal.add(noted.node()).await;
        }
        let path = journal.path().unwrap().to_owned();
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(Unfinished::list(state.path()).is_empty(), "it is being played");
        assert_eq!(Unfinished::take(state.path(), &id).unwrap_err().kind, Kind::EngineBusy);
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for end in OPENING.len()..=whole.len() {
            // What a machine that stops leaves behind may be zeros.
            std::fs::write(&path, [&whole[..end], &[0; 3]].concat()).unwrap();
            let taken = Unfinished::take(state.path(), &id).unwrap();
            assert_eq!(taken.setup, setup());
            let read = taken.setup.moves(&taken.text).unwrap();
            let text = String::from_utf8_lossy(&whole[OPENING.len()..end]).into_owned();
            let plays: Vec<Move> = moves().iter().map(|noted| noted.play).collect();
            // A point is whole with its bracket.
            let count = text.split(';').skip(1).filter(|node| node.contains(']')).count();
            assert_eq!(read.iter().map(|noted| noted.play).collect::<Vec<_>>(), plays[..count], "{text:?}");
            for (read, noted) in read.iter().zip(moves()) {
                assert!(read.clock.is_none() || read.clock == noted.clock, "{text:?}");
            }
            if end == whole.len() {
                assert_eq!(read, moves());
            }
            assert_eq!(std::fs::metadata(&path).unwrap().len(), taken.text.len() as u64);
        }
    }

    #[test]
    fn who_looks_at_a_game_is_in_nobodys_way() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::begin(Some(state.path().to_owned()), "game-1", OPENING, &setup());
        let path = journal.path().unwrap().to_owned();
        drop(journal);
        let looked = Unfinished::look(&path).unwrap();
        assert_eq!(Unfinished::list(state.path()).len(), 1);
        let id = looked.id.clone();
        let looking = std::thread::spawn(move || {
            std::thread::sleep(5 * APART);
            drop(looked);
        });
        let taken = Unfinished::take(state.path(), &id).unwrap();
        looking.join().unwrap();
        assert!(Unfinished::list(state.path()).is_empty(), "it is being played");
        taken.discard();
    }

    #[tokio::test]
    async fn files_that_are_no_journal_are_left_alone() {
        let state = tempfile::tempdir().unwrap();
        for id in ["game", "../games/game", "", "game.sgf", "/etc/passwd"] {
            assert_eq!(Unfinished::take(state.path(), id).unwrap_err().kind, Kind::NotFound, "{id}");
        }
        let mut journal = Journal::begin(Some(state.path().to_owned()), "game-1", OPENING, &setup());
        journal.add(moves()[0].node()).await;
        let path = journal.path().unwrap().to_owned();
        journal.end(true);
        let [other, broken] = ["other.sgf", "broken.sgf"].map(|name| path.with_file_name(name));
        std::fs::write(&other, "(;B[aa])").unwrap();
        std::fs::write(&broken, "(;B[aa])").unwrap();
        std::fs::write(broken.with_extension("json"), "{}").unwrap();
        #[cfg(unix)]
        {
            let pipe = path.with_file_name("pipe.sgf");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            std::fs::write(pipe.with_extension("json"), "{}").unwrap();
            assert_eq!(Unfinished::take(state.path(), "pipe").unwrap_err().kind, Kind::NotFound);
        }
        let left = Unfinished::list(state.path());
        assert_eq!(left.len(), 1, "the game of a client that left");
        Unfinished::take(state.path(), &left[0].game_id).unwrap().discard();
        assert!(!path.exists() && other.exists() && broken.exists());
    }
}
