//! Sums over sets of entries, by which two sets are compared without holding either.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

/// How many entries, their bytes in all, and the sum of their hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: i64,
    pub(super) bytes: i64,
    /// The order does not matter to it, and sets with the same sum are the same but for a chance of 2^-64.
    pub(super) sum: u128,
}

impl Tally {
    /// Takes in an entry; `size` is what counts for counters.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8], size: usize) {
        self.count(size);
        self.sum = self.sum.wrapping_add(xxh3_128_with_seed(value, xxh3_64(key)));
    }

    /// Takes in an entry whose hash does not matter.
    pub(super) fn count(&mut self, size: usize) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(i64::try_from(size).unwrap_or(i64::MAX));
    }

    /// As counters have it.
    pub(super) fn pair(&self) -> [i64; 2] {
        [self.count, self.bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_told_apart_and_their_order_is_not() {
        let tally = |entries: &[(&str, &str)]| {
            let mut tally = Tally::default();
            for (key, value) in entries {
                tally.add(key.as_bytes(), value.as_bytes(), 1);
            }
            tally
        };
        assert_eq!(tally(&[("a", "1"), ("b", "2")]), tally(&[("b", "2"), ("a", "1")]));
        for other in
            [&[("a", "2"), ("b", "1")], &[("a", "1"), ("a", "1")], &[("a1", ""), ("b", "2")]]
        {
            assert_ne!(tally(&[("a", "1"), ("b", "2")]).sum, tally(other).sum);
        }
    }
}
