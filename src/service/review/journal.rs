//! What a review has found, on disk while it runs, so that one that was stopped, or crashed, can go on.
//!
//! A file of JSON lines in the folder `reviews` of kifud's state folder: a head that names the engine,
//! then a line a search. Values are found again by the fingerprint of their position, so an edit of the
//! record in between costs only the nodes that it changed. The file of a running review is locked, and
//! removed when the review is finished.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::fingerprint::{self, Fingerprint};
use super::found::Finding;
use crate::go::{Color, Size, Vertex};
use crate::service::writeback::Value;
use crate::sgf::{Candidate, candidate_values};

/// Files older than this are removed,
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);
/// and the oldest beyond so many.
const FILES: usize = 100;
/// More bytes of a file are not read.
const LARGEST: u64 = 64 << 20;

/// By what a value is found again: the position, and how deep it was searched.
pub type Key = (Fingerprint, String);

/// What is known from before.
pub type Known = HashMap<Key, Finding>;

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// What kind of file this is.
    kifud: String,
    /// The engine's fingerprint.
    engine: String,
    /// The engine's name, for people.
    name: String,
}

const KIND: &str = "review 1";

/// One search. Numbers are Black's.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    position: String,
    depth: String,
    visits: u64,
    winrate: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score_lead: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    line: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line_winrate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line_score_lead: Option<f64>,
    /// As in the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<String>,
}

impl Line {
    fn of((position, depth): &Key, found: &Finding, size: Size) -> Option<Line> {
        let value = found.value?;
        Some(Line {
            position: fingerprint::spelled(*position),
            depth: depth.clone(),
            visits: found.visits,
            winrate: value.black.winrate,
            score_lead: value.black.score_lead,
            line: found.line.iter().map(|vertex| vertex.to_gtp(size)).collect(),
            line_winrate: found.line_value.map(|value| value.black.winrate),
            line_score_lead: found.line_value.and_then(|value| value.black.score_lead),
            candidates: candidate_values(&found.candidates)
                .iter()
                .map(|one| one.as_raw().to_owned())
                .collect(),
        })
    }

    fn read(self, size: Size) -> Option<(Key, Finding)> {
        let value = |winrate: f64, lead: Option<f64>| {
            let good = (0.0..=100.0).contains(&winrate) && lead.is_none_or(f64::is_finite);
            good.then(|| Value::new(Color::Black, winrate, lead))
        };
        let key = (fingerprint::read(&self.position)?, self.depth);
        let line: Option<Vec<Vertex>> =
            self.line.iter().map(|vertex| Vertex::parse_gtp(vertex, size)).collect();
        let found = Finding {
            value: Some(value(self.winrate, self.score_lead)?),
            line: line?,
            line_value: self.line_winrate.and_then(|winrate| value(winrate, self.line_score_lead)),
            candidates: self.candidates.iter().filter_map(|one| Candidate::read(one, size)).collect(),
            visits: self.visits,
        };
        Some((key, found))
    }
}

/// The journal of one review. Nothing is on disk before its first value.
pub struct Journal {
    folder: Option<PathBuf>,
    head: Head,
    size: Size,
    open: Option<(File, PathBuf)>,
}

impl Journal {
    /// Begins, for an engine of this fingerprint and name; without a folder nothing is kept.
    pub fn begin(state: Option<PathBuf>, engine: Fingerprint, name: &str, size: Size) -> Journal {
        let head =
            Head { kifud: KIND.to_owned(), engine: fingerprint::spelled(engine), name: name.to_owned() };
        Journal { folder: state.map(|state| state.join("reviews")), head, size, open: None }
    }

    /// Removes what is old, and the oldest of too many. Files of running reviews stay.
    pub fn prune(&self) {
        let Some(folder) = &self.folder else { return };
        for (place, (age, path)) in files(folder).into_iter().enumerate() {
            if (place >= FILES || age > OLD) && locked(&path).is_some() {
                remove(&path);
            }
        }
    }

    /// Goes on with the file that has most of what is wanted, and says what it has.
    pub fn resume(&mut self, wanted: impl Fn(&Key) -> bool) -> Known {
        let Some(folder) = &self.folder else { return Known::new() };
        let mut most: Option<(Known, File, PathBuf, u64)> = None;
        for (_, path) in files(folder) {
            let Some(mut file) = locked(&path) else { continue };
            let Some((mut known, whole)) = self.read(&mut file, &path) else { continue };
            known.retain(|key, _| wanted(key));
            if known.len() > most.as_ref().map_or(0, |(known, ..)| known.len()) {
                most = Some((known, file, path, whole));
            }
        }
        let Some((known, mut file, path, whole)) = most else { return Known::new() };
        // A line that a crash has cut short gives way to the next one.
        let cut = file.set_len(whole).and_then(|()| file.seek(std::io::SeekFrom::End(0)));
        match cut {
            Ok(_) => self.open = Some((file, path)),
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a review's journal cannot be written")
            }
        }
        known
    }

    /// What stands in a file of this engine, and how many of its bytes are whole lines.
    fn read(&self, file: &mut File, path: &Path) -> Option<(Known, u64)> {
        let mut bytes = Vec::new();
        if let Err(error) = file.take(LARGEST).read_to_end(&mut bytes) {
            tracing::warn!(%error, path = %path.display(), "a review's journal cannot be read");
            return None;
        }
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let head = lines.next().and_then(|line| serde_json::from_slice::<Head>(line).ok());
        let Some(head) = head.filter(|head| head.kifud == KIND) else {
            tracing::warn!(path = %path.display(), "this is no journal of a review; it is left alone");
            return None;
        };
        if head.engine != self.head.engine {
            return None;
        }
        let (mut known, mut bad) = (Known::new(), 0);
        for line in lines {
            match serde_json::from_slice::<Line>(line).ok().and_then(|line| line.read(self.size)) {
                Some((key, found)) => _ = known.insert(key, found),
                None => bad += 1,
            }
        }
        if bad > 0 {
            tracing::warn!(path = %path.display(), lines = bad, "lines of a journal cannot be read");
        }
        Some((known, whole as u64))
    }

    /// Notes what a search found. Trouble is told once, and the review goes on without a journal.
    pub fn add(&mut self, key: &Key, found: &Finding) {
        let Some(line) = Line::of(key, found, self.size) else { return };
        if let Err(error) = self.write(&line) {
            tracing::warn!(%error, folder = ?self.folder, "a review is not journalled");
            (self.folder, self.open) = (None, None);
        }
    }

    fn write(&mut self, line: &Line) -> std::io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        if self.open.is_none() {
            let (mut file, path) = create(folder)?;
            file.write_all(&encoded(&self.head)?)?;
            self.open = Some((file, path));
        }
        match &mut self.open {
            Some((file, _)) => file.write_all(&encoded(line)?),
            None => Ok(()),
        }
    }

    /// The review is over; one that is finished needs no journal any more.
    pub fn end(mut self, finished: bool) {
        if let Some((_file, path)) = self.open.take().filter(|_| finished) {
            remove(&path);
        }
    }
}

/// One line.
fn encoded(line: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The journals of a folder and their ages, the newest first.
fn files(folder: &Path) -> Vec<(Duration, PathBuf)> {
    let now = SystemTime::now();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(Duration, PathBuf)> = entries
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"))
        .filter_map(|entry| {
            let meta = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((now.duration_since(meta.modified().ok()?).unwrap_or_default(), entry.path()))
        })
        .collect();
    found.sort();
    found
}

/// The file, unless a running review has it. The lock goes with the file, and so with a crash.
fn locked(path: &Path) -> Option<File> {
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    file.try_lock().ok().map(|()| file)
}

fn create(folder: &Path) -> std::io::Result<(File, PathBuf)> {
    std::fs::create_dir_all(folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let path = folder.join(format!("{now}-{}.jsonl", std::process::id()));
    let mut options = OpenOptions::new();
    options.create_new(true).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path)?;
    file.try_lock()?;
    Ok((file, path))
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::warn!(%error, path = %path.display(), "a review's journal cannot be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Info;

    fn begin(folder: &Path, version: &str) -> Journal {
        let info = Info { program: "Fake".into(), version: version.into(), ..Info::default() };
        let engine = fingerprint::engine(&info, 0);
        Journal::begin(Some(folder.to_owned()), engine, "fake", Size::square(9).unwrap())
    }

    fn key(position: u128) -> Key {
        (position, "visits 50".to_owned())
    }

    fn found(winrate: f64) -> Finding {
        let vertex = |text| Vertex::parse_gtp(text, Size::square(9).unwrap()).unwrap();
        Finding {
            value: Some(Value::new(Color::Black, winrate, Some(1.5))),
            line: vec![vertex("D4"), vertex("pass")],
            line_value: Some(Value::new(Color::Black, 60.0, None)),
            candidates: vec![Candidate {
                vertex: vertex("D4"),
                visits: 40,
                winrate: 60.0,
                lead: None,
                line: vec![vertex("D4"), vertex("pass")],
            }],
            visits: 50,
        }
    }

    fn paths(folder: &Path) -> Vec<PathBuf> {
        files(&folder.join("reviews")).into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn what_was_found_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = begin(folder.path(), "1");
        assert_eq!(journal.resume(|_| true), Known::new());
        assert_eq!(paths(folder.path()).len(), 0, "nothing before the first value");
        journal.add(&key(1), &found(50.0));
        journal.add(&key(2), &found(12.5));
        assert_eq!(begin(folder.path(), "1").resume(|_| true), Known::new(), "it runs");
        journal.end(false);
        assert_eq!(begin(folder.path(), "2").resume(|_| true), Known::new(), "another engine");
        assert_eq!(begin(folder.path(), "1").resume(|key| key.0 == 7), Known::new(), "another game");
        let mut journal = begin(folder.path(), "1");
        assert_eq!(journal.resume(|_| true), Known::from([(key(1), found(50.0)), (key(2), found(12.5))]));
        journal.add(&key(3), &found(1.0));
        journal.end(false);
        let mut journal = begin(folder.path(), "1");
        assert_eq!(journal.resume(|_| true).len(), 3);
        assert_eq!(paths(folder.path()).len(), 1, "it went on in the same file");
        journal.end(true);
        assert_eq!(paths(folder.path()).len(), 0);
    }

    #[test]
    fn torn_and_foreign_files_do_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = begin(folder.path(), "1");
        (1..=3).for_each(|position| journal.add(&key(position), &found(50.0)));
        journal.end(false);
        let path = paths(folder.path()).remove(0);
        let whole = std::fs::read_to_string(&path).unwrap();
        // Cut anywhere in the last line: the ones before it are there, and the next one fits behind them.
        let last = whole.trim_end().rfind('\n').unwrap() + 1;
        for end in [last, last + 1, whole.len() - 1] {
            std::fs::write(&path, &whole[..end]).unwrap();
            let mut journal = begin(folder.path(), "1");
            assert_eq!(journal.resume(|_| true).len(), 2);
            journal.add(&key(3), &found(50.0));
            journal.end(false);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        }
        // A line in the middle, numbers that are none, a point off the board.
        for (from, to) in [("\"visits\":50", "garbage"), ("50.0", "101.0"), ("50.0", "1e999"), ("D4", "T19")]
        {
            std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
            assert_eq!(begin(folder.path(), "1").resume(|_| true).len(), 2, "{from} -> {to}");
        }
        for foreign in ["", "\n", "x", "{}\n", "\u{0}\u{1}", &whole[whole.find('\n').unwrap()..]] {
            std::fs::write(&path, foreign).unwrap();
            assert_eq!(begin(folder.path(), "1").resume(|_| true), Known::new(), "{foreign:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign, "it is left alone");
        }
        let blocked = folder.path().join("blocked");
        std::fs::write(&blocked, "a file, no folder").unwrap();
        begin(&blocked, "1").add(&key(1), &found(50.0));
    }

    #[test]
    fn old_files_go_and_so_do_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let reviews = folder.path().join("reviews");
        std::fs::create_dir_all(&reviews).unwrap();
        for number in 0..FILES + 3 {
            let file = File::create(reviews.join(format!("{number}.jsonl"))).unwrap();
            let age = Duration::from_secs(60 * number as u64);
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        std::fs::write(reviews.join("notes.txt"), "not ours").unwrap();
        let aged = |name: &str, age: Duration| {
            let path = reviews.join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
            path
        };
        let running = locked(&aged("running.jsonl", OLD * 2)).unwrap();
        begin(folder.path(), "1").prune();
        assert_eq!(paths(folder.path()).len(), FILES + 1, "the running one is the one too many");
        assert!(reviews.join("notes.txt").exists() && reviews.join("0.jsonl").exists());
        drop(running);
        begin(folder.path(), "1").prune();
        assert_eq!(paths(folder.path()).len(), FILES);
        (0..FILES).for_each(|number| std::fs::remove_file(reviews.join(format!("{number}.jsonl"))).unwrap());
        aged("old.jsonl", OLD * 2);
        begin(folder.path(), "1").prune();
        assert_eq!(paths(folder.path()).len(), 0);
    }
}
