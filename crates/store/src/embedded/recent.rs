//! The keys written lately, with their values.
//!
//! They let a decision use values that were read before it came to be made: a value read at version V
//! still stands unless the key was written after V, and all writes after the floor are known here.

use crate::Version;
use bytes::Bytes;
use std::collections::{HashMap, VecDeque, hash_map::Entry};

pub(super) struct Recent {
    newest: HashMap<Bytes, Newest>,
    /// Every write since the floor, oldest first.
    writes: VecDeque<(Version, Bytes)>,
    /// Writes up to this version may be missing here.
    floor: Version,
    bytes: usize,
    bound: usize,
    versions: Versions,
}

struct Newest {
    version: Version,
    value: Option<Bytes>,
    /// How often the key has been written since writes were counted last.
    writes: usize,
}

impl Newest {
    fn bytes(&self, key: &Bytes) -> usize {
        key.len() + self.value.as_ref().map_or(0, Bytes::len) + OVERHEAD
    }
}

/// What the memory table holds, as far as it is known here: every version of every key, over which whoever
/// reads past the key has to step. Once it is written out, one of each is left.
#[derive(Default)]
struct Versions {
    all: usize,
    keys: usize,
    of_one_key: usize,
}

impl Versions {
    /// Of one key.
    const MOST_OF_ONE_KEY: usize = 4096;
    /// Of all keys, if there are more than so many of each on average.
    const MANY: usize = 64 << 10;
    const MANY_OF_EACH: usize = 4;

    fn are_too_many(&self) -> bool {
        self.of_one_key >= Self::MOST_OF_ONE_KEY
            || self.all >= Self::MANY && self.all / Self::MANY_OF_EACH >= self.keys
    }
}

/// What is known about a value that was read a while ago.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Standing<'a> {
    /// The key has not been written since.
    Stands,
    /// The key has this value instead.
    Replaced(Option<&'a Bytes>),
    /// It was read too long ago to tell.
    Unknown,
}

/// What a write costs besides its key and value, and what a key does, roughly.
const OVERHEAD: usize = 100;

impl Recent {
    /// Nothing is known about writes up to `floor`. About `bound` bytes are kept.
    pub fn new(floor: Version, bound: usize) -> Self {
        let (newest, writes) = (HashMap::new(), VecDeque::new());
        Self { newest, writes, floor, bytes: 0, bound, versions: Versions::default() }
    }

    /// Whether the value of `key` that a view of version `seen` showed is still its value.
    pub fn standing(&self, key: &[u8], seen: Version) -> Standing<'_> {
        match self.newest.get(key) {
            Some(newest) if newest.version > seen => Standing::Replaced(newest.value.as_ref()),
            _ if seen >= self.floor => Standing::Stands,
            _ => Standing::Unknown,
        }
    }

    /// The value of `key`, if it was written lately.
    pub fn value(&self, key: &[u8]) -> Option<Option<&Bytes>> {
        self.newest.get(key).map(|newest| newest.value.as_ref())
    }

    /// Takes up a write of the commit with this version. `counted` if it leaves another version of its
    /// key in the memory table, over which readers have to step.
    pub fn record(&mut self, version: Version, key: Bytes, value: Option<Bytes>, counted: bool) {
        self.writes.push_back((version, key.clone()));
        self.bytes += OVERHEAD;
        let mut newest = Newest { version, value, writes: usize::from(counted) };
        self.bytes += newest.bytes(&key);
        match self.newest.entry(key) {
            Entry::Occupied(mut known) => {
                self.bytes -= known.get().bytes(known.key());
                newest.writes += known.get().writes;
                self.versions.of_one_key = self.versions.of_one_key.max(newest.writes);
                self.versions.keys += usize::from(counted && newest.writes == 1);
                known.insert(newest);
            }
            Entry::Vacant(unknown) => {
                self.versions.keys += usize::from(counted);
                unknown.insert(newest);
            }
        }
        self.versions.all += usize::from(counted);
    }

    /// Whether readers would be better off if the memory table were written out.
    pub fn is_crowded(&self) -> bool {
        self.versions.are_too_many()
    }

    /// Forgets the oldest writes beyond the bound. What came after `durable` cannot be read from
    /// disk yet and stays.
    pub fn forget(&mut self, durable: Version) {
        while self.bytes > self.bound
            && let Some((version, key)) =
                self.writes.pop_front_if(|(version, ..)| *version <= durable)
        {
            // From here on other writes of this version may be gone too, which the floor says at once.
            self.floor = version;
            self.bytes -= OVERHEAD;
            if let Entry::Occupied(known) = self.newest.entry(key)
                && known.get().version == version
            {
                self.bytes -= known.get().bytes(known.key());
                known.remove();
            }
        }
    }

    /// Begins to count versions again, for a new memory table.
    pub fn count_again(&mut self) {
        self.versions = Versions::default();
        self.newest.values_mut().for_each(|newest| newest.writes = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    #[test]
    fn a_write_after_the_view_replaces_what_it_showed() {
        let mut recent = Recent::new(Version(5), 1 << 20);
        recent.record(Version(7), bytes("a"), Some(bytes("1")), true);
        recent.record(Version(9), bytes("b"), None, true);
        let one = bytes("1");
        assert_eq!(recent.standing(b"a", Version(5)), Standing::Replaced(Some(&one)));
        assert_eq!(recent.standing(b"a", Version(7)), Standing::Stands);
        assert_eq!(recent.standing(b"b", Version(7)), Standing::Replaced(None));
        assert_eq!(recent.standing(b"c", Version(5)), Standing::Stands);
        assert_eq!(recent.standing(b"c", Version(4)), Standing::Unknown);
    }

    #[test]
    fn a_key_with_very_many_versions_crowds_the_memory_table() {
        let mut recent = Recent::new(Version(0), 1 << 20);
        let write = |recent: &mut Recent, key, counted| {
            recent.record(Version(1), bytes(key), None, counted);
            recent.is_crowded()
        };
        for _ in 1..Versions::MOST_OF_ONE_KEY {
            assert!(!write(&mut recent, "a", true));
            assert!(!write(&mut recent, "b", false));
        }
        assert!(!write(&mut recent, "b", false));
        assert!(write(&mut recent, "a", true));
        recent.count_again();
        assert!(!write(&mut recent, "a", true));
    }

    #[test]
    fn several_versions_of_very_many_keys_do_so_too() {
        let mut recent = Recent::new(Version(0), 1 << 30);
        let write_all = |recent: &mut Recent, keys: usize| {
            for key in 0..keys {
                recent.record(Version(1), bytes(&key.to_string()), None, true);
            }
            recent.is_crowded()
        };
        let keys = Versions::MANY / Versions::MANY_OF_EACH;
        let crowded = [(); 4].map(|()| write_all(&mut recent, keys));
        assert_eq!(crowded, [false, false, false, true]);
        recent.count_again();
        // As many versions, but fewer of each.
        assert_eq!([(); 3].map(|()| write_all(&mut recent, 2 * keys)), [false; 3]);
    }

    proptest! {
        /// Against a full history: never a wrong value, whatever has been forgotten.
        #[test]
        fn what_it_says_is_true(
            groups in prop::collection::vec(prop::collection::vec((0u8..6, prop::option::of(any::<u8>())), 1..4), 1..40),
            bound in 0usize..3000,
            asked in 0u8..6,
            late in 0u64..5,
        ) {
            let mut recent = Recent::new(Version(0), bound);
            let mut histories = vec![HashMap::<u8, Option<u8>>::new()];
            for (at, group) in groups.iter().enumerate() {
                let mut now = histories.last().unwrap().clone();
                let version = Version(at as u64 + 1);
                for (key, value) in group {
                    now.insert(*key, *value);
                    let value = value.map(|value| Bytes::from(vec![value]));
                    recent.record(version, Bytes::from(vec![*key]), value, true);
                }
                recent.forget(Version(version.0.saturating_sub(late)));
                histories.push(now);
            }
            let now = histories.last().unwrap().get(&asked).copied().flatten();
            for (seen, then) in histories.iter().enumerate() {
                let then = then.get(&asked).copied().flatten();
                match recent.standing(&[asked], Version(seen as u64)) {
                    Standing::Stands => prop_assert_eq!(then, now),
                    Standing::Replaced(value) => prop_assert_eq!(value.map(|value| value[0]), now),
                    Standing::Unknown => prop_assert!(seen + (late as usize) < histories.len() - 1),
                }
            }
            let kept = recent.newest.iter().map(|(key, newest)| newest.bytes(key)).sum::<usize>();
            prop_assert_eq!(recent.bytes, kept + recent.writes.len() * OVERHEAD);
            let oldest = recent.writes.front().map_or(u64::MAX, |(version, _)| version.0);
            prop_assert!(recent.bytes <= bound || oldest + late > groups.len() as u64);
        }
    }
}
