//! The newest values of keys that were written or read lately.
//!
//! A decision needs no other values if they are all here. A value that was read before the decision came to
//! be made still stands unless the key was written since, and all writes after the floor are known here.

use crate::Version;
use bytes::Bytes;
use std::collections::{HashMap, VecDeque, hash_map::Entry};

pub(super) struct Recent {
    newest: HashMap<Bytes, Newest>,
    /// What has been taken up and not forgotten, oldest first; every write since the floor is in it.
    taken: VecDeque<(Version, Bytes)>,
    /// Writes up to this version may be missing here.
    floor: Version,
    bytes: usize,
    bound: usize,
    versions: Versions,
}

struct Newest {
    /// When it was written, or that of the view in which it was read.
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
    const MANY: usize = 48 << 10;
    const MANY_OF_EACH: usize = 3;

    /// While nothing is written: of one key, or of all keys, if there are more than so many of each.
    const SOME_OF_ONE_KEY: usize = 256;
    const SOME: usize = 4 << 10;
    const SOME_OF_EACH: usize = 2;

    fn are_too_many(&self) -> bool {
        self.of_one_key >= Self::MOST_OF_ONE_KEY
            || self.all >= Self::MANY && self.all / Self::MANY_OF_EACH >= self.keys
    }

    fn are_several(&self) -> bool {
        self.of_one_key >= Self::SOME_OF_ONE_KEY
            || self.all >= Self::SOME && self.all / Self::SOME_OF_EACH >= self.keys
    }
}

/// What each costs that is taken up, and each key that is known, besides the bytes of both, roughly.
const OVERHEAD: usize = 100;

impl Recent {
    /// Nothing is known about writes up to `floor`. About `bound` bytes are kept.
    pub fn new(floor: Version, bound: usize) -> Self {
        let (newest, taken) = (HashMap::new(), VecDeque::new());
        Self { newest, taken, floor, bytes: 0, bound, versions: Versions::default() }
    }

    /// The newest value of `key`, if it is known.
    pub fn value(&self, key: &[u8]) -> Option<Option<&Bytes>> {
        self.newest.get(key).map(|newest| newest.value.as_ref())
    }

    /// Whether all that a view of this version showed still stands, but for keys whose value is known.
    pub fn reaches_back_to(&self, seen: Version) -> bool {
        seen >= self.floor
    }

    /// Takes up a value that was read in a view of this version and still stands.
    pub fn remember(&mut self, seen: Version, key: &Bytes, value: Option<&Bytes>) {
        if self.newest.contains_key(key) {
            return;
        }
        // What was read may be part of a larger block, which would be kept as well.
        let value = value.map(|value| Bytes::copy_from_slice(value));
        self.take_up(key.clone(), Newest { version: seen, value, writes: 0 });
        // There may be no write to make room.
        self.forget(seen);
    }

    /// Takes up a write of the commit with this version. `counted` if it leaves another version of its
    /// key in the memory table, over which readers have to step.
    pub fn record(&mut self, version: Version, key: Bytes, value: Option<Bytes>, counted: bool) {
        let writes = self.take_up(key, Newest { version, value, writes: usize::from(counted) });
        self.versions.all += usize::from(counted);
        self.versions.keys += usize::from(counted && writes == 1);
        self.versions.of_one_key = self.versions.of_one_key.max(writes);
    }

    /// How often the key has been written comes back.
    fn take_up(&mut self, key: Bytes, mut newest: Newest) -> usize {
        self.taken.push_back((newest.version, key.clone()));
        self.bytes += OVERHEAD + newest.bytes(&key);
        match self.newest.entry(key) {
            Entry::Occupied(mut known) => {
                self.bytes -= known.get().bytes(known.key());
                newest.writes += known.get().writes;
                let writes = newest.writes;
                known.insert(newest);
                writes
            }
            Entry::Vacant(unknown) => unknown.insert(newest).writes,
        }
    }

    /// Whether readers would be better off if the memory table were written out.
    pub fn is_crowded(&self) -> bool {
        self.versions.are_too_many()
    }

    /// Whether they would be so if nothing were written for a while, since that would cost nobody any time.
    pub fn is_untidy(&self) -> bool {
        self.versions.are_several()
    }

    /// Forgets the oldest beyond the bound. What came after `durable` cannot be read from disk yet and
    /// stays.
    pub fn forget(&mut self, durable: Version) {
        while self.bytes > self.bound
            && let Some((version, key)) =
                self.taken.pop_front_if(|(version, ..)| *version <= durable)
        {
            // From here on other writes of this version may be gone too, which the floor says at once.
            self.floor = self.floor.max(version);
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
    fn what_was_written_or_read_is_known() {
        let mut recent = Recent::new(Version(5), 1 << 20);
        let one = bytes("1");
        recent.record(Version(7), bytes("a"), Some(one.clone()), true);
        recent.record(Version(9), bytes("b"), None, true);
        recent.remember(Version(6), &bytes("c"), Some(&one));
        recent.remember(Version(6), &bytes("d"), None);
        assert_eq!(recent.value(b"a"), Some(Some(&one)));
        assert_eq!(recent.value(b"b"), Some(None));
        assert_eq!(recent.value(b"c"), Some(Some(&one)));
        assert_eq!(recent.value(b"d"), Some(None));
        assert_eq!(recent.value(b"e"), None);
        recent.record(Version(10), bytes("c"), None, true);
        assert_eq!(recent.value(b"c"), Some(None));
        assert!(recent.reaches_back_to(Version(5)));
        assert!(!recent.reaches_back_to(Version(4)));
    }

    #[test]
    fn what_is_read_is_bounded_although_nothing_is_written() {
        let mut recent = Recent::new(Version(0), 10_000);
        for number in 0..1000 {
            recent.remember(Version(1), &bytes(&format!("{number}")), Some(&bytes("value")));
            assert!(recent.bytes <= 10_000);
        }
        assert_eq!(recent.value(b"0"), None);
        assert_eq!(recent.value(b"999"), Some(Some(&bytes("value"))));
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
        let crowded = [(); 3].map(|()| write_all(&mut recent, keys));
        assert_eq!(crowded, [false, false, true]);
        recent.count_again();
        // As many versions, but fewer of each.
        assert_eq!([(); 2].map(|()| write_all(&mut recent, 2 * keys)), [false; 2]);
    }

    #[test]
    fn while_nothing_is_written_fewer_versions_are_too_many() {
        let mut recent = Recent::new(Version(0), 1 << 20);
        for write in 1..=Versions::SOME_OF_ONE_KEY {
            recent.record(Version(1), bytes("a"), None, true);
            assert_eq!(recent.is_untidy(), write == Versions::SOME_OF_ONE_KEY);
        }
        recent.count_again();
        assert!(!recent.is_untidy());
        for key in (0..Versions::SOME).map(|key| key % (Versions::SOME / Versions::SOME_OF_EACH)) {
            assert!(!recent.is_untidy());
            recent.record(Version(1), bytes(&key.to_string()), None, true);
        }
        assert!(recent.is_untidy() && !recent.is_crowded());
    }

    proptest! {
        /// Against a full history: never a wrong value, whatever has been forgotten.
        #[test]
        fn what_it_says_is_true(
            groups in prop::collection::vec(
                (prop::collection::vec((0u8..6, prop::option::of(any::<u8>())), 0..4), 0u8..6),
                1..40,
            ),
            bound in 0usize..3000,
            late in 0usize..5,
        ) {
            let mut recent = Recent::new(Version(0), bound);
            let mut histories = vec![HashMap::<u8, u8>::new()];
            for (writes, read) in groups {
                let mut now = histories.last().unwrap().clone();
                let version = Version(histories.len() as u64);
                // The last that is durable, which is what readers see.
                let seen = histories.len().saturating_sub(late + 1);
                if recent.value(&[read]).is_none() && recent.reaches_back_to(Version(seen as u64)) {
                    let value = histories[seen].get(&read).map(|value| Bytes::from(vec![*value]));
                    recent.remember(Version(seen as u64), &Bytes::from(vec![read]), value.as_ref());
                }
                for (key, value) in writes {
                    match value {
                        Some(value) => now.insert(key, value),
                        None => now.remove(&key),
                    };
                    let value = value.map(|value| Bytes::from(vec![value]));
                    recent.record(version, Bytes::from(vec![key]), value, true);
                }
                histories.push(now);
                recent.forget(Version((histories.len() - 1).saturating_sub(late) as u64));
                let now = histories.last().unwrap();
                for key in 0..6 {
                    let newest = now.get(&key).copied();
                    if let Some(value) = recent.value(&[key]) {
                        prop_assert_eq!(value.map(|value| value[0]), newest);
                        continue;
                    }
                    for (seen, then) in histories.iter().enumerate() {
                        let reaches = recent.reaches_back_to(Version(seen as u64));
                        prop_assert!(!reaches || then.get(&key).copied() == newest);
                        prop_assert!(reaches || seen + late < histories.len() - 1);
                    }
                }
                let kept = recent.newest.iter().map(|(key, newest)| newest.bytes(key)).sum::<usize>();
                prop_assert_eq!(recent.bytes, kept + recent.taken.len() * OVERHEAD);
                let oldest = recent.taken.front().map_or(u64::MAX, |(version, _)| version.0);
                prop_assert!(recent.bytes <= bound || oldest + late as u64 >= histories.len() as u64);
            }
        }
    }
}
