//! The GTP log: everything that goes over the pipes of engines, in files.
//!
//! Each attached engine has a file of its own, and further ones when it grows. Lines go over a bounded
//! queue to one thread that writes them; an engine never waits for a disk. What does not fit is left out,
//! and the log says so.

mod file;
mod line;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::error::{Error, Kind, Result};
use super::settings::Log;
use crate::engine::Way;
use file::LogFile;
pub(crate) use line::shown;

/// Lines that may wait to be written, of all engines.
const LINES: usize = 16 * 1024;
/// Memory that they may take, bytes.
const BYTES: usize = 32 * 1024 * 1024;

/// Where the log goes, and how much of it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// The folder; it must exist.
    pub folder: PathBuf,
    /// A file that is larger is followed by a new one, bytes.
    pub max_bytes: u64,
    /// The most files of one attached engine; the oldest goes first.
    pub max_files: usize,
}

impl LogSettings {
    /// What the settings say of a log that is on.
    pub fn of(log: &Log) -> LogSettings {
        let folder = log.folder.clone().unwrap_or_default();
        LogSettings { folder, max_bytes: log.max_bytes, max_files: log.max_files }
    }

    /// The defaults in this folder: 10 files of 100 MiB.
    pub fn in_folder(folder: impl Into<PathBuf>) -> LogSettings {
        LogSettings { folder: folder.into(), ..LogSettings::of(&Log::default()) }
    }

    /// Tries whether files can be made in the folder.
    ///
    /// # Errors
    /// `NotFound` that says what is wrong with the folder and what to do.
    pub fn check(&self) -> Result<()> {
        let made = check_folder(&self.folder).and_then(|()| {
            tempfile::Builder::new().prefix(".kifud").tempfile_in(&self.folder).map_err(|error| {
                format!(
                    "no file can be made in the folder of the GTP log, {}: {error}",
                    self.folder.display()
                )
            })
        });
        made.map(drop).map_err(|message| self.bad(&message))
    }

    fn bad(&self, message: &str) -> Error {
        let message = format!("{message}; make it writable, name another folder, or turn the log off");
        Error::new(Kind::NotFound, message).with("folder", self.folder.display().to_string())
    }
}

/// Tries the folder of the settings, when the log is on.
///
/// # Errors
/// `NotFound` that says what is wrong with the folder and what to do.
pub fn check(log: &Log) -> Result<()> {
    wanted(log)?.map_or(Ok(()), |settings| settings.check())
}

fn wanted(log: &Log) -> Result<Option<LogSettings>> {
    match &log.folder {
        _ if !log.enabled => Ok(None),
        Some(_) => Ok(Some(LogSettings::of(log))),
        None => {
            let message = "the GTP log is on, but has no folder; set log.folder, or log.enabled to false";
            Err(Error::new(Kind::NotFound, message))
        }
    }
}

fn check_folder(folder: &Path) -> std::result::Result<(), String> {
    let shown = folder.display();
    match std::fs::metadata(folder) {
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => Err(format!("the folder of the GTP log, {shown}, is not a folder")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("the folder of the GTP log, {shown}, does not exist"))
        }
        Err(error) => Err(format!("the folder of the GTP log, {shown}, cannot be used: {error}")),
    }
}

/// The log of one daemon; off until it is given a folder.
#[derive(Debug, Default)]
pub struct GtpLog {
    /// What the command line says; it goes over the settings.
    ordered: Mutex<Option<LogSettings>>,
    writer: Mutex<Option<Arc<Writer>>>,
}

/// The way to the thread that writes.
#[derive(Debug)]
struct Writer {
    queue: SyncSender<Entry>,
    /// Bytes that wait.
    waiting: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum Entry {
    Line {
        file: Arc<LogFile>,
        at: SystemTime,
        way: Way,
        text: Vec<u8>,
    },
    /// The engine has gone.
    Close(Arc<LogFile>),
    /// All lines so far have to be on the disk; the sender is dropped then.
    Flush(#[expect(dead_code, reason = "its drop is the message")] SyncSender<()>),
}

impl GtpLog {
    /// Orders a log whatever the settings say, for engines that are attached from now on.
    pub fn set(&self, ordered: Option<LogSettings>) {
        *self.ordered.lock().unwrap_or_else(PoisonError::into_inner) = ordered;
    }

    /// Begins the log of an engine; `None` when the log is off.
    ///
    /// # Errors
    /// `NotFound` when the folder cannot be used.
    pub(super) fn begin(&self, log: &Log, engine: &str, secrets: Vec<String>) -> Result<Option<EngineLog>> {
        let ordered = self.ordered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(settings) = ordered.map_or_else(|| wanted(log), |ordered| Ok(Some(ordered)))? else {
            return Ok(None);
        };
        check_folder(&settings.folder).map_err(|message| settings.bad(&message))?;
        let folder = settings.folder.display().to_string();
        let file = LogFile::create(settings.clone(), engine, secrets).map_err(|error| {
            settings.bad(&format!("no file can be made in the folder of the GTP log, {folder}: {error}"))
        })?;
        let writer = self.writer().map_err(|error| {
            Error::new(Kind::Internal, format!("the GTP log cannot be written: no thread for it: {error}"))
        })?;
        Ok(Some(EngineLog { writer, file: Arc::new(file) }))
    }

    /// Waits until what was said so far is on the disk, or patience ends. Blocks.
    pub fn flush(&self, patience: Duration) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (done, wait) = sync_channel(0);
        if writer.is_some_and(|writer| writer.queue.try_send(Entry::Flush(done)).is_ok()) {
            let _ = wait.recv_timeout(patience);
        }
    }

    fn writer(&self) -> std::io::Result<Arc<Writer>> {
        let mut present = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &*present {
            return Ok(writer.clone());
        }
        let (queue, entries) = sync_channel(LINES);
        let waiting = Arc::new(AtomicUsize::new(0));
        let thread = std::thread::Builder::new().name("kifud-gtp-log".to_owned());
        thread.spawn({
            let waiting = waiting.clone();
            move || write(&entries, &waiting)
        })?;
        Ok(present.insert(Arc::new(Writer { queue, waiting })).clone())
    }
}

/// The log of one attached engine.
#[derive(Debug)]
pub(super) struct EngineLog {
    writer: Arc<Writer>,
    file: Arc<LogFile>,
}

impl EngineLog {
    /// Hands a line to the writer, or counts it as left out. Never waits.
    pub(super) fn line(&self, at: SystemTime, way: Way, line: &[u8]) {
        let waiting = &self.writer.waiting;
        let before = waiting.fetch_add(line.len(), Ordering::Relaxed);
        // A single line may be larger than all the room.
        let fits = before == 0 || before + line.len() <= BYTES;
        let entry = || Entry::Line { file: self.file.clone(), at, way, text: line.to_vec() };
        if !(fits && self.writer.queue.try_send(entry()).is_ok()) {
            waiting.fetch_sub(line.len(), Ordering::Relaxed);
            self.file.left_out();
        }
    }
}

impl Drop for EngineLog {
    fn drop(&mut self) {
        let _ = self.writer.queue.try_send(Entry::Close(self.file.clone()));
    }
}

/// Writes what comes, and flushes the files when nothing more waits.
fn write(entries: &Receiver<Entry>, waiting: &AtomicUsize) {
    let mut dirty: Vec<Arc<LogFile>> = Vec::new();
    loop {
        let entry = match entries.try_recv() {
            Ok(entry) => entry,
            Err(TryRecvError::Empty) => {
                dirty.drain(..).for_each(|file| file.flush());
                match entries.recv() {
                    Ok(entry) => entry,
                    Err(_) => return,
                }
            }
            Err(TryRecvError::Disconnected) => {
                dirty.drain(..).for_each(|file| file.flush());
                return;
            }
        };
        match entry {
            Entry::Line { file, at, way, text } => {
                file.write(at, way, &text);
                waiting.fetch_sub(text.len(), Ordering::Relaxed);
                if !dirty.iter().any(|other| Arc::ptr_eq(other, &file)) {
                    dirty.push(file);
                }
            }
            Entry::Close(file) => file.flush(),
            Entry::Flush(_) => dirty.drain(..).for_each(|file| file.flush()),
        }
    }
}

#[cfg(test)]
mod tests;
