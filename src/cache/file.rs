//! The file of results: an embedded database (redb), which a crash at any moment leaves whole.
//!
//! Three tables: `results` (key to record), `uses` (key to its last use and its cost), `order` (use to
//! key). Uses are numbered; the lowest number was not used for the longest time and goes first. The cost
//! of a record is the room that it takes in the file, as far as that can be told from its length.

use std::collections::HashMap;
use std::fs::TryLockError;
use std::path::Path;
use std::sync::Arc;

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use super::key::Key;
use super::record;
use crate::paths;

const NAME: &str = "results.redb";
/// Where a file goes that cannot be used.
const ASIDE: &str = "results.redb.bad";
/// Whoever has it locked has the file.
const LOCK: &str = "results.lock";

type Bytes = &'static [u8];
const RESULTS: TableDefinition<Bytes, Bytes> = TableDefinition::new("results");
const USES: TableDefinition<Bytes, (u64, u64)> = TableDefinition::new("uses");
const ORDER: TableDefinition<u64, Bytes> = TableDefinition::new("order");
const ABOUT: TableDefinition<&str, u64> = TableDefinition::new("about");

/// The layout of the tables; files of another one are put aside.
const LAYOUT: u64 = 1;

/// Memory that the database may use for its pages.
const PAGES: usize = 4 << 20;

/// Why the file cannot be used.
#[derive(Debug)]
pub enum Trouble {
    /// Another process has it.
    Locked,
    /// It is damaged, or something else.
    Bad(String),
    /// The disk, or the right to use it.
    Disk(String),
}

/// The open file.
pub struct File {
    database: Database,
    /// The most that all records may cost.
    room: u64,
    /// Kept until the file is closed.
    _lock: Lock,
}

/// Given back when dropped, also when a program that is being started has a copy of the handle still.
struct Lock(std::fs::File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl File {
    /// Opens the file in a folder, or makes it; with `fresh` in place of the one that is there. At most
    /// so many bytes are kept.
    ///
    /// # Errors
    /// See [`Trouble`].
    pub fn open(folder: &Path, bytes: u64, fresh: bool) -> Result<File, Trouble> {
        let disk = |error: std::io::Error| Trouble::Disk(error.to_string());
        if let Some(parent) = folder.parent() {
            std::fs::create_dir_all(parent).map_err(disk)?;
        }
        paths::make_private(folder).map_err(Trouble::Disk)?;
        let options = std::fs::File::options().write(true).create(true).truncate(false).to_owned();
        let lock = options.open(folder.join(LOCK)).map_err(disk)?;
        let lock = match lock.try_lock() {
            Ok(()) => Lock(lock),
            Err(TryLockError::WouldBlock) => return Err(Trouble::Locked),
            Err(TryLockError::Error(error)) => return Err(disk(error)),
        };
        let path = folder.join(NAME);
        if fresh {
            std::fs::rename(&path, folder.join(ASIDE)).map_err(disk)?;
        }
        let mut database = Database::builder()
            .set_cache_size(PAGES)
            .set_check_integrity_on_open(true)
            .create(&path)
            .map_err(trouble)?;
        // What was written under a larger limit leaves its room behind.
        let room = bytes - bytes / 8;
        let length = path.metadata().map_err(disk)?.len();
        write(&database, |tables| tables.make_room(room))?;
        if length > bytes {
            database.compact().map_err(bad)?;
        }
        Ok(File { database, room, _lock: lock })
    }

    /// The record of a key.
    ///
    /// # Errors
    /// See [`Trouble`].
    pub fn find(&self, key: &Key) -> Result<Option<Vec<u8>>, Trouble> {
        let reading = self.database.begin_read().map_err(bad)?;
        let results = reading.open_table(RESULTS).map_err(bad)?;
        let found = results.get(key.bytes()).map_err(bad)?;
        Ok(found.map(|record| record.value().to_vec()))
    }

    /// Writes records, unless those that are kept have as many visits, and notes what was used; all or
    /// nothing, and on the disk when it answers.
    ///
    /// # Errors
    /// See [`Trouble`].
    pub fn write(&mut self, records: &HashMap<Key, Arc<[u8]>>, used: &[Key]) -> Result<(), Trouble> {
        write(&self.database, |tables| {
            for (key, record) in records {
                tables.keep(key.bytes(), record)?;
            }
            used.iter().try_for_each(|key| tables.use_again(key.bytes()))?;
            tables.make_room(self.room)
        })
    }
}

/// All tables, in one transaction.
struct Tables<'a> {
    results: redb::Table<'a, Bytes, Bytes>,
    uses: redb::Table<'a, Bytes, (u64, u64)>,
    order: redb::Table<'a, u64, Bytes>,
    about: redb::Table<'a, &'static str, u64>,
}

fn write(
    database: &Database,
    work: impl FnOnce(&mut Tables<'_>) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let writing = database.begin_write().map_err(bad)?;
    let mut tables = Tables::open(&writing)?;
    work(&mut tables)?;
    drop(tables);
    writing.commit().map_err(bad)
}

impl<'a> Tables<'a> {
    fn open(writing: &'a WriteTransaction) -> Result<Tables<'a>, Trouble> {
        let mut about = writing.open_table(ABOUT).map_err(bad)?;
        let layout = about.get("layout").map_err(bad)?.map(|layout| layout.value());
        match layout {
            Some(LAYOUT) => {}
            None => _ = about.insert("layout", LAYOUT).map_err(bad)?,
            Some(other) => return Err(Trouble::Bad(format!("its layout is {other}"))),
        }
        Ok(Tables {
            results: writing.open_table(RESULTS).map_err(bad)?,
            uses: writing.open_table(USES).map_err(bad)?,
            order: writing.open_table(ORDER).map_err(bad)?,
            about,
        })
    }

    /// What all records cost.
    fn cost(&self) -> Result<u64, Trouble> {
        Ok(self.about.get("cost").map_err(bad)?.map_or(0, |cost| cost.value()))
    }

    fn set_cost(&mut self, cost: u64) -> Result<(), Trouble> {
        self.about.insert("cost", cost).map_err(bad)?;
        Ok(())
    }

    fn keep(&mut self, key: &[u8], record: &[u8]) -> Result<(), Trouble> {
        let known = self.results.get(key).map_err(bad)?.and_then(|known| record::visits(known.value()));
        if known >= record::visits(record) {
            return self.use_again(key);
        }
        self.forget(key)?;
        let cost = cost(key.len() + record.len());
        self.results.insert(key, record).map_err(bad)?;
        self.note_use(key, cost)?;
        self.set_cost(self.cost()? + cost)
    }

    fn use_again(&mut self, key: &[u8]) -> Result<(), Trouble> {
        let known = self.uses.get(key).map_err(bad)?.map(|known| known.value());
        let Some((used, cost)) = known else { return Ok(()) };
        self.order.remove(used).map_err(bad)?;
        self.note_use(key, cost)
    }

    fn note_use(&mut self, key: &[u8], cost: u64) -> Result<(), Trouble> {
        let last = self.order.last().map_err(bad)?.map_or(0, |(used, _)| used.value());
        self.order.insert(last + 1, key).map_err(bad)?;
        self.uses.insert(key, (last + 1, cost)).map_err(bad)?;
        Ok(())
    }

    fn forget(&mut self, key: &[u8]) -> Result<(), Trouble> {
        let known = self.uses.remove(key).map_err(bad)?.map(|known| known.value());
        let Some((used, cost)) = known else { return Ok(()) };
        self.order.remove(used).map_err(bad)?;
        self.results.remove(key).map_err(bad)?;
        self.set_cost(self.cost()?.saturating_sub(cost))
    }

    fn make_room(&mut self, room: u64) -> Result<(), Trouble> {
        while self.cost()? > room {
            let oldest = self.order.first().map_err(bad)?.map(|(_, key)| key.value().to_vec());
            match oldest {
                Some(key) => self.forget(&key)?,
                None => return self.set_cost(0),
            }
        }
        Ok(())
    }
}

/// The room that a key and a record take: pages are of 4 KiB, and of 2, 4, 8 … times that for what is
/// longer; the other tables take some more.
fn cost(length: usize) -> u64 {
    let length = length as u64 + 512;
    if length <= 2048 { length * 3 / 2 } else { length.next_power_of_two().max(4096) }
}

fn trouble(error: DatabaseError) -> Trouble {
    match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => Trouble::Locked,
        error => bad(error),
    }
}

/// Errors of the system are not the file's fault, unless it says that this is no such file.
fn bad(error: impl Into<redb::Error>) -> Trouble {
    match error.into() {
        redb::Error::Io(error) if error.kind() != std::io::ErrorKind::InvalidData => {
            Trouble::Disk(error.to_string())
        }
        error => Trouble::Bad(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gtp::analyze::{Dialect, parse_line};
    use crate::go::Size;

    fn key(number: u32) -> Key {
        Key::read(&[&number.to_le_bytes()[..], &[7; 140]].concat())
    }

    /// A record of so many visits, and of about so many bytes.
    fn result(visits: u64, bytes: usize) -> Arc<[u8]> {
        let line = format!("info move D4 visits 9 winrate 0.5 order 0 pv D4 note {}", "x".repeat(bytes));
        let report = parse_line(line.as_bytes(), Dialect::Kata, Size::STANDARD);
        record::write(&report, visits).unwrap().into()
    }

    fn keep(file: &mut File, numbers: impl IntoIterator<Item = u32>, record: &Arc<[u8]>) {
        let records = numbers.into_iter().map(|number| (key(number), record.clone())).collect();
        file.write(&records, &[]).unwrap();
    }

    fn known(file: &File, numbers: std::ops::Range<u32>) -> Vec<u32> {
        numbers.filter(|number| file.find(&key(*number)).unwrap().is_some()).collect()
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn more_visits_win_and_a_closed_file_remembers() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cache");
        let mut file = File::open(&folder, MIB, false).unwrap();
        keep(&mut file, [1], &result(50, 10));
        for (visits, expected) in [(20, 50), (50, 50), (60, 60)] {
            keep(&mut file, [1], &result(visits, 20));
            let found = file.find(&key(1)).unwrap().unwrap();
            assert_eq!(record::visits(&found), Some(expected));
        }
        drop(file);
        let file = File::open(&folder, MIB, false).unwrap();
        assert_eq!(file.find(&key(1)).unwrap().as_deref(), Some(&result(60, 20)[..]));
        assert_eq!(known(&file, 0..5), [1]);
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cache");
        let mut file = File::open(&folder, MIB, false).unwrap();
        let record = result(50, 3000);
        // Each takes 4 KiB, and 7/8 of the mebibyte are used: 224 fit. In this order:
        (0..28).for_each(|number| keep(&mut file, [number], &record));
        keep(&mut file, 28..224, &record);
        assert_eq!(known(&file, 0..300), Vec::from_iter(0..224));
        file.write(&HashMap::new(), &[key(0), key(2)]).unwrap();
        (224..230).for_each(|number| keep(&mut file, [number], &record));
        let gone = [1, 3, 4, 5, 6, 7];
        assert_eq!(known(&file, 0..300), Vec::from_iter((0..230).filter(|number| !gone.contains(number))));
    }

    /// However long the records are, the file takes about as much room as it may. (Its length may be
    /// twice that: it grows by doubling, and what was never written takes no room.)
    #[cfg(unix)]
    #[test]
    fn the_file_keeps_to_its_limit() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        for bytes in [300, 3000, 20_000] {
            let folder = folder.path().join(format!("cache of {bytes}"));
            let room = || folder.join(NAME).metadata().unwrap().blocks() * 512;
            let mut file = File::open(&folder, 2 * MIB, false).unwrap();
            let record = result(50, bytes);
            // Twice as much as fits, in batches that are small beside it, as they are in use.
            let (count, batch) =
                ((4 * MIB / (record.len() as u64 + 150)) as u32, 64.min((64 << 10) / record.len()));
            let numbers = Vec::from_iter(0..count);
            for some in numbers.chunks(batch) {
                keep(&mut file, some.iter().copied(), &record);
            }
            let kept = known(&file, 0..count).len();
            let filled = kept as u64 * (record.len() as u64 + 150);
            // The pages of a batch weigh much in so small a file.
            assert!(room() < 4 * MIB, "records of {bytes}: the file takes {} bytes", room());
            assert!(filled > MIB / 2, "records of {bytes}: only {kept} of {count} are kept");
            drop(file);
            let file = File::open(&folder, MIB, false).unwrap();
            assert!(known(&file, 0..count).len() < kept, "a smaller limit");
            drop(file);
            assert!(room() < 3 * MIB / 2, "records of {bytes}: the file still takes {} bytes", room());
        }
    }

    #[test]
    fn a_file_belongs_to_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cache");
        let file = File::open(&folder, MIB, false).unwrap();
        assert!(matches!(File::open(&folder, MIB, false), Err(Trouble::Locked)));
        assert!(matches!(File::open(&folder, MIB, true), Err(Trouble::Locked)));
        // As a program has one that is being started.
        let _copy = file._lock.0.try_clone().unwrap();
        drop(file);
        assert!(File::open(&folder, MIB, false).is_ok());
    }

    #[test]
    fn a_foreign_or_damaged_file_is_bad_and_gives_way_to_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cache");
        let path = folder.join(NAME);
        let mut file = File::open(&folder, MIB, false).unwrap();
        (0..50).for_each(|number| keep(&mut file, [number], &result(50, 3000)));
        drop(file);
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 4..whole.len() / 2].fill(0x55);
        let cases: [(&str, Vec<u8>); 4] = [
            ("text", b"not a database".repeat(1000)),
            ("damaged", damaged),
            ("cut short", whole[..whole.len() / 2].to_vec()),
            ("zeros", vec![0; 100_000]),
        ];
        for (what, bytes) in cases {
            std::fs::write(&path, &bytes).unwrap();
            let opened = std::panic::catch_unwind(|| File::open(&folder, MIB, false).map(drop));
            assert!(
                !matches!(opened, Ok(Ok(()) | Err(Trouble::Locked | Trouble::Disk(_)))),
                "{what}: {opened:?}"
            );
            let mut file = File::open(&folder, MIB, true).unwrap();
            keep(&mut file, [1], &result(50, 10));
            assert_eq!(known(&file, 0..50), [1], "{what}");
            assert_eq!(std::fs::read(folder.join(ASIDE)).unwrap().len(), bytes.len(), "{what}");
        }
    }

    #[test]
    fn another_layout_is_bad() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("cache");
        let file = File::open(&folder, MIB, false).unwrap();
        let writing = file.database.begin_write().unwrap();
        writing.open_table(ABOUT).unwrap().insert("layout", LAYOUT + 1).unwrap();
        writing.commit().unwrap();
        drop(file);
        assert!(matches!(File::open(&folder, MIB, false), Err(Trouble::Bad(_))));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_the_disk_s_trouble() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(File::open(&file.path().join("cache"), MIB, false), Err(Trouble::Disk(_))));
    }
}
