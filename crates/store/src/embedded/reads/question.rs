//! What is asked, and how often.

use crate::{Direction, KeyRange, PageLimit, Version};
use quick_cache::Equivalent;
use std::{
    hash::{BuildHasher, Hash, Hasher},
    sync::atomic::{AtomicU32, Ordering},
};

/// A question: a key, or what [`of_page`] makes of a page.
pub(super) struct Question<'a> {
    pub hash: u64,
    pub bytes: &'a [u8],
    /// The hash of what has to be unchanged for its answer to stand.
    pub depends_on: u64,
}

/// A question whose answer is kept.
pub(super) struct Kept {
    hash: u64,
    bytes: Box<[u8]>,
}

impl Question<'_> {
    pub fn kept(&self) -> Kept {
        Kept { hash: self.hash, bytes: self.bytes.into() }
    }
}

impl Kept {
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// The bytes of a question for a page. Keys do not begin with zero, so it is not one for a value.
pub(super) fn of_page(range: &KeyRange, direction: Direction, limit: PageLimit) -> Vec<u8> {
    let KeyRange { start, end } = range;
    let end = end.as_deref().unwrap_or_default();
    let mut bytes = Vec::with_capacity(32 + start.len() + end.len());
    bytes.extend([0, u8::from(direction == Direction::Backward)]);
    for number in [limit.entries, limit.bytes, start.len()] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend_from_slice(start);
    bytes.extend_from_slice(end);
    bytes
}

impl Equivalent<Kept> for Question<'_> {
    fn equivalent(&self, kept: &Kept) -> bool {
        *self.bytes == *kept.bytes
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Kept {}

impl Hash for Question<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

impl Hash for Kept {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

/// Takes the hash that questions bring with them.
#[derive(Clone, Default)]
pub(super) struct ByHash;

pub(super) struct Brought(u64);

impl BuildHasher for ByHash {
    type Hasher = Brought;

    fn build_hasher(&self) -> Brought {
        Brought(0)
    }
}

impl Hasher for Brought {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// So many questions are remembered.
const PLACES: usize = 1 << 17;

/// Which questions were asked lately. Of those that share a place, only the last is known.
pub(super) struct Asked(Box<[AtomicU32]>);

impl Asked {
    pub fn new() -> Self {
        Self((0..PLACES).map(|_| AtomicU32::new(0)).collect())
    }

    /// Whether the question with this hash was asked before, and what it depends on was last written then as
    /// now; from now on it was.
    #[expect(clippy::indexing_slicing, reason = "the remainder is a place")]
    pub fn again(&self, hash: u64, written: Version) -> bool {
        let place = &self.0[hash as usize % PLACES];
        // The odd factor spreads neighbouring versions over the upper half.
        let print = ((hash ^ written.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32) as u32;
        let again = place.load(Ordering::Relaxed) == print;
        if !again {
            place.store(print, Ordering::Relaxed);
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_pages_are_different_questions() {
        let page = |start: &'static str, end: &'static str, direction, entries, bytes| {
            of_page(&KeyRange::new(start, end), direction, PageLimit { entries, bytes })
        };
        let questions = [
            page("ab", "c", Direction::Forward, 1, 2),
            page("a", "bc", Direction::Forward, 1, 2),
            page("ab", "c", Direction::Backward, 1, 2),
            page("ab", "c", Direction::Forward, 2, 2),
            page("ab", "c", Direction::Forward, 1, 1),
            page("ab", "d", Direction::Forward, 1, 2),
        ];
        for (at, question) in questions.iter().enumerate() {
            assert!(!questions[..at].contains(question));
        }
    }
}
