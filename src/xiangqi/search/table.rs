//! The transposition table: what is known of positions met before, by another order of moves or in the
//! iteration before.

use super::score::{MATES, Score};

/// How a stored score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The true score is at most the stored one.
    Upper = 1,
    /// The true score is at least the stored one.
    Lower = 2,
    /// The stored score is the true one.
    Exact = 3,
}

/// What the table knows about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// The best move, 0 for none.
    pub(super) best: u16,
    pub(super) score: Score,
    /// The static evaluation.
    pub(super) eval: Score,
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

/// Entries of one bucket; a position may lie in any of them.
const WAYS: usize = 4;

/// One cache line: for every entry the key and the packed contents, which are 0 in an empty one.
type Bucket = [u64; 2 * WAYS];

pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// The number of the current search: entries of earlier ones count as empty, so that a search
    /// finds what it would find with a new table.
    search: u8,
}

impl Table {
    /// A table of about so many MiB, at least one bucket.
    pub(super) fn new(mebibytes: usize) -> Table {
        let count = (mebibytes << 20) / size_of::<Bucket>();
        Table { buckets: vec![[0; 2 * WAYS]; count.max(1)], search: 1 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.search = 1;
            self.buckets.fill([0; 2 * WAYS]);
        }
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// What is known of the position with this key, met `ply` plies from the root.
    pub(super) fn get(&self, key: u64, ply: usize) -> Option<Known> {
        let bucket = &self.buckets[self.index(key)];
        let way =
            (0..WAYS).find(|way| bucket[2 * way] == key && search_of(bucket[2 * way + 1]) == self.search)?;
        unpack(bucket[2 * way + 1], ply)
    }

    /// Notes what was found. It takes the place of what was known of the same position, else of an
    /// entry of an earlier search, else of the one that was searched least deeply.
    pub(super) fn put(&mut self, key: u64, known: Known, ply: usize) {
        let (index, search) = (self.index(key), self.search);
        let bucket = &mut self.buckets[index];
        let worth = |way: &usize| {
            let (other, data) = (bucket[2 * way], bucket[2 * way + 1]);
            match search_of(data) == search {
                true if other == key => -1,
                true => depth_of(data) + 1,
                false => 0,
            }
        };
        let Some(way) = (0..WAYS).min_by_key(worth) else { return };
        bucket[2 * way] = key;
        bucket[2 * way + 1] = pack(known, ply, search);
    }
}

fn search_of(data: u64) -> u8 {
    data as u8
}

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 8) as u8)
}

/// Bits 0.. search, 8.. depth, 16.. move, 32.. score, 48.. evaluation; the bound in the two top bits of
/// the move, which has 14.
fn pack(known: Known, ply: usize, search: u8) -> u64 {
    let stored = if known.score >= MATES {
        known.score + ply as Score
    } else if known.score <= -MATES {
        known.score - ply as Score
    } else {
        known.score
    };
    u64::from(search)
        | (known.depth.clamp(0, 255) as u64) << 8
        | u64::from(known.best | (known.bound as u16) << 14) << 16
        | u64::from(stored as i16 as u16) << 32
        | u64::from(known.eval as i16 as u16) << 48
}

fn unpack(data: u64, ply: usize) -> Option<Known> {
    let stored = Score::from((data >> 32) as i16);
    let score = if stored >= MATES {
        stored - ply as Score
    } else if stored <= -MATES {
        stored + ply as Score
    } else {
        stored
    };
    let (best, eval, depth) =
        ((data >> 16) as u16 & 0x3fff, Score::from((data >> 48) as i16), depth_of(data));
    let bound = match data >> 30 & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    Some(Known { best, score, eval, depth, bound })
}

#[cfg(test)]
mod tests {
    use super::super::score::MATE;
    use super::*;

    const KNOWN: Known = Known { best: 70 | 67 << 7, score: -123, eval: -77, depth: 9, bound: Bound::Lower };

    #[test]
    fn what_is_put_is_found() {
        let mut table = Table::new(1);
        assert_eq!(table.get(42, 0), None);
        for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let known = Known { bound, ..KNOWN };
            table.put(42, known, 3);
            assert_eq!(table.get(42, 5), Some(known));
        }
        table.clear();
        assert_eq!(table.get(42, 0), None);
        (0..600).for_each(|_| table.clear());
        assert_eq!(table.get(42, 0), None);
    }

    #[test]
    fn mates_are_counted_from_the_position() {
        let mut table = Table::new(0);
        // Six plies from the root, mate three plies later; met again two plies from the root.
        table.put(1, Known { score: MATE - 9, ..KNOWN }, 6);
        assert_eq!(table.get(1, 2).unwrap().score, MATE - 5);
        table.put(1, Known { score: -MATE + 8, ..KNOWN }, 6);
        assert_eq!(table.get(1, 2).unwrap().score, -MATE + 4);
    }

    #[test]
    fn deep_entries_stay() {
        let mut table = Table::new(0);
        (1..=WAYS as u64).for_each(|key| table.put(key, Known { depth: key as i32 + 1, ..KNOWN }, 0));
        table.put(99, Known { depth: 1, ..KNOWN }, 0);
        assert!(table.get(1, 0).is_none() && table.get(2, 0).is_some() && table.get(99, 0).is_some());
    }
}
