//! The newest results, in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::key::Key;
use super::record;

/// Records by key, up to a number of bytes; those go first that were not used for the longest time.
#[derive(Debug)]
pub struct Memory {
    room: usize,
    taken: usize,
    clock: u64,
    records: HashMap<Arc<Key>, (Arc<[u8]>, u64)>,
    /// By their last use.
    order: BTreeMap<u64, Arc<Key>>,
}

impl Memory {
    /// With room for so many bytes.
    pub fn new(room: usize) -> Memory {
        Memory { room, taken: 0, clock: 0, records: HashMap::new(), order: BTreeMap::new() }
    }

    /// What is known, which counts as a use.
    pub fn find(&mut self, key: &Key) -> Option<Arc<[u8]>> {
        self.clock += 1;
        let (record, used) = self.records.get_mut(key)?;
        let key = self.order.remove(used)?;
        *used = self.clock;
        self.order.insert(self.clock, key);
        Some(record.clone())
    }

    /// How many visits the known result has.
    pub fn visits(&self, key: &Key) -> Option<u64> {
        record::visits(&self.records.get(key)?.0)
    }

    /// Keeps a record in place of the one that is known.
    pub fn keep(&mut self, key: &Key, record: Arc<[u8]>) {
        self.forget(key);
        self.clock += 1;
        let key = Arc::new(key.clone());
        self.taken += size(&key, &record);
        self.order.insert(self.clock, key.clone());
        self.records.insert(key, (record, self.clock));
        while self.taken > self.room {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, key: &Key) {
        if let Some((record, used)) = self.records.remove(key) {
            self.taken -= size(key, &record);
            self.order.remove(&used);
        }
    }
}

/// With what the two maps need beside it.
fn size(key: &Key, record: &[u8]) -> usize {
    key.bytes().len() + record.len() + 160
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> Key {
        Key::read(&[number; 40])
    }

    #[test]
    fn the_one_that_was_not_used_for_the_longest_time_goes_first() {
        // Room for three of 40 + 100 + 160 bytes.
        let mut memory = Memory::new(1000);
        let record = |byte: u8| -> Arc<[u8]> { [byte; 100].into() };
        (1..=3).for_each(|number| memory.keep(&key(number), record(number)));
        assert_eq!(memory.find(&key(1)), Some(record(1)));
        memory.keep(&key(4), record(4));
        assert_eq!(memory.find(&key(2)), None);
        memory.keep(&key(3), record(9));
        memory.keep(&key(5), record(5));
        assert_eq!(memory.find(&key(1)), None);
        let known = [3, 4, 5].map(|number| memory.find(&key(number)));
        assert_eq!(known, [Some(record(9)), Some(record(4)), Some(record(5))]);
        memory.keep(&key(6), [0; 2000].into());
        assert_eq!(memory.find(&key(6)), None, "too large by itself");
        assert_eq!((memory.taken, memory.records.len(), memory.order.len()), (0, 0, 0));
    }
}
