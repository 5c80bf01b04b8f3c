//! The files of one attached engine.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;

use super::LogSettings;
use super::line::{file_name, format, shown};
use crate::engine::Way;

/// Names that are tried, when others are taken.
const TRIES: u32 = 1000;
/// The difference between two names.
const STEP: Duration = Duration::from_millis(1);

/// The log of one attached engine: a file, and the full ones before it.
#[derive(Debug)]
pub(super) struct LogFile {
    settings: LogSettings,
    engine: String,
    secrets: Vec<String>,
    zone: TimeZone,
    /// Lines that did not fit into the queue since the last note about them.
    left_out: AtomicU64,
    /// Only the writing thread takes this lock.
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: BufWriter<File>,
    written: u64,
    /// The moment in the present file's name.
    named: SystemTime,
    /// The present file is the last.
    files: VecDeque<PathBuf>,
    /// Writing has failed: nothing more is written.
    failed: bool,
}

impl LogFile {
    pub(super) fn create(settings: LogSettings, engine: &str, secrets: Vec<String>) -> Result<LogFile> {
        let zone = TimeZone::system();
        let (file, path, named) = create(&settings, &zone, SystemTime::now())?;
        let open = Open { file, written: 0, named, files: VecDeque::from([path]), failed: false };
        Ok(LogFile {
            settings,
            engine: engine.to_owned(),
            secrets,
            zone,
            left_out: AtomicU64::new(0),
            open: Mutex::new(open),
        })
    }

    /// Holds the writing thread up.
    #[cfg(test)]
    pub(super) fn hold(&self) -> impl Sized + '_ {
        self.open.lock()
    }

    /// A line did not fit.
    pub(super) fn left_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn write(&self, at: SystemTime, way: Way, text: &[u8]) {
        self.note_left_out();
        self.put(at, way, &shown(way, text, &self.secrets));
    }

    pub(super) fn flush(&self) {
        self.note_left_out();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if !open.failed {
            let flushed = open.file.flush();
            self.heed(&mut open, flushed);
        }
    }

    fn note_left_out(&self) {
        let lines = self.left_out.swap(0, Ordering::Relaxed);
        if lines > 0 {
            let note = format!("{lines} lines are missing here: they came faster than they could be written");
            self.put(SystemTime::now(), Way::Meta, &note);
        }
    }

    fn put(&self, at: SystemTime, way: Way, text: &str) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.failed {
            return;
        }
        let line = format(&self.zone, at, &self.engine, way, text);
        let written =
            self.make_room(&mut open, line.len()).and_then(|()| open.file.write_all(line.as_bytes()));
        open.written += line.len() as u64;
        self.heed(&mut open, written);
    }

    /// Starts a new file when this one would grow too large, and removes the oldest.
    fn make_room(&self, open: &mut Open, line: usize) -> Result<()> {
        if open.written == 0 || open.written + line as u64 <= self.settings.max_bytes {
            return Ok(());
        }
        open.file.flush()?;
        // Names follow each other as the files do, also when they fill within a millisecond.
        let at = SystemTime::now().max(open.named + STEP);
        let (file, path, named) = create(&self.settings, &self.zone, at)?;
        (open.file, open.written, open.named) = (file, 0, named);
        open.files.push_back(path);
        while open.files.len() > self.settings.max_files.max(1) {
            let Some(oldest) = open.files.pop_front() else { break };
            match std::fs::remove_file(&oldest) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn heed(&self, open: &mut Open, result: Result<()>) {
        if let Err(error) = result {
            open.failed = true;
            let folder = self.settings.folder.display();
            tracing::error!(engine = self.engine, %error, "the GTP log in {folder} ends here");
        }
    }
}

/// A new file, named after this moment or the next free one, which is told.
fn create(
    settings: &LogSettings,
    zone: &TimeZone,
    mut at: SystemTime,
) -> Result<(BufWriter<File>, PathBuf, SystemTime)> {
    for _ in 0..TRIES {
        let path = settings.folder.join(file_name(zone, at, std::process::id()));
        match private().open(&path) {
            Ok(file) => return Ok((BufWriter::with_capacity(64 * 1024, file), path, at)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => at += STEP,
            Err(error) => return Err(error),
        }
    }
    Err(Error::new(ErrorKind::AlreadyExists, "a thousand names are taken"))
}

/// Only for its owner to read: what engines say is nobody else's business.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}
