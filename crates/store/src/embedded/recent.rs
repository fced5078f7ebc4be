//! The keys written lately, with their values.
//!
//! They let a decision use values that were read before it came to be made: a value read at version V
//! still stands unless the key was written after V, and all writes after the floor are known here.

use crate::Version;
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};

pub(super) struct Recent {
    newest: HashMap<Bytes, Newest>,
    /// Every write since the floor, oldest first.
    writes: VecDeque<(Version, Bytes, usize)>,
    /// Writes up to this version may be missing here.
    floor: Version,
    bytes: usize,
    bound: usize,
}

struct Newest {
    version: Version,
    value: Option<Bytes>,
    /// How often the key has been written since it came here.
    writes: usize,
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

/// What an entry costs besides its key and value, roughly.
const OVERHEAD: usize = 200;

impl Recent {
    /// Nothing is known about writes up to `floor`. About `bound` bytes are kept.
    pub fn new(floor: Version, bound: usize) -> Self {
        Self { newest: HashMap::new(), writes: VecDeque::new(), floor, bytes: 0, bound }
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

    /// Takes up a write of the commit with this version. Gives back how often the key has been
    /// written since it came here, as far as its writes are counted.
    pub fn record(
        &mut self,
        version: Version,
        key: Bytes,
        value: Option<Bytes>,
        counted: bool,
    ) -> usize {
        let size = key.len() + value.as_ref().map_or(0, Bytes::len) + OVERHEAD;
        self.bytes += size;
        self.writes.push_back((version, key.clone(), size));
        let newest = self.newest.entry(key).or_insert(Newest { version, value: None, writes: 0 });
        *newest = Newest { version, value, writes: newest.writes + usize::from(counted) };
        newest.writes
    }

    /// Forgets the oldest writes beyond the bound. What came after `durable` cannot be read from
    /// disk yet and stays.
    pub fn forget(&mut self, durable: Version) {
        while self.bytes > self.bound
            && let Some((version, key, size)) =
                self.writes.pop_front_if(|(version, ..)| *version <= durable)
        {
            // From here on other writes of this version may be gone too, which the floor says at once.
            self.floor = version;
            self.bytes -= size;
            if self.newest.get(&key).is_some_and(|newest| newest.version == version) {
                self.newest.remove(&key);
            }
        }
    }

    /// Begins to count the writes of keys again.
    pub fn count_again(&mut self) {
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
    fn the_writes_of_a_key_are_counted_while_it_is_known() {
        let mut recent = Recent::new(Version(0), 1 << 20);
        let mut write = |version, key, counted: bool| {
            recent.record(Version(version), bytes(key), None, counted)
        };
        assert_eq!([write(1, "a", true), write(2, "b", true), write(3, "a", true)], [1, 1, 2]);
        assert_eq!([write(4, "c", false), write(5, "c", false), write(6, "a", true)], [0, 0, 3]);
        recent.count_again();
        assert_eq!(recent.record(Version(7), bytes("a"), None, true), 1);
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
            let late = recent.writes.iter().filter(|write| write.0.0 + late > groups.len() as u64);
            prop_assert!(recent.bytes <= bound.max(late.map(|write| write.2).sum()));
            prop_assert_eq!(recent.writes.iter().map(|write| write.2).sum::<usize>(), recent.bytes);
        }
    }
}
