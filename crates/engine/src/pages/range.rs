//! Key ranges of queries and of scan segments.

use super::Source;
use crate::items::{KeyError, MAX_PARTITION_KEY, MAX_SORT_KEY, check_not_empty};
use expression::{KeyCondition, KeyRange as SortRange};
use store::KeyRange;
use value::{Value, key, value_size};

/// The number of partition hashes.
const HASHES: u64 = 1 << 16;

impl Source<'_> {
    /// Refuses a key condition with a value that no key can have.
    pub fn check_condition(&self, condition: &KeyCondition) -> Result<(), KeyError> {
        let key = self.key();
        let ranged = match &condition.range {
            Some(SortRange::Lt(v) | SortRange::Le(v) | SortRange::Gt(v) | SortRange::Ge(v)) => {
                vec![v]
            }
            Some(SortRange::Between(lower, upper)) => vec![lower, upper],
            // Everything begins with nothing.
            Some(SortRange::BeginsWith(_)) | None => Vec::new(),
        };
        let partition = key.partition.iter().zip(&condition.partition);
        let sort = key.sort.iter().zip(&condition.sort);
        let last = key.sort.get(condition.sort.len());
        let ranged = ranged.into_iter().filter_map(|value| Some((last?, value)));
        for (attribute, value) in partition.chain(sort).chain(ranged.clone()) {
            check_not_empty(attribute, value)?;
        }
        let total = |values: &[Value]| values.iter().map(value_size).sum::<usize>();
        if total(&condition.partition) > MAX_PARTITION_KEY {
            return Err(KeyError::PartitionTooLarge);
        }
        let longest = ranged.map(|(_, value)| value_size(value)).max().unwrap_or(0);
        if total(&condition.sort) + longest > MAX_SORT_KEY {
            return Err(KeyError::SortTooLarge);
        }
        Ok(())
    }

    /// The keys of one partition.
    pub fn partition_range(&self, condition: &KeyCondition) -> KeyRange {
        KeyRange::prefix(self.partition_prefix(condition))
    }

    /// The keys that satisfy a key condition.
    pub fn query_range(&self, condition: &KeyCondition) -> KeyRange {
        let mut prefix = self.partition_prefix(condition);
        condition.sort.iter().for_each(|value| append(value, &mut prefix));
        let all = KeyRange::prefix(prefix.clone());
        let with = |value: &Value| {
            let mut bytes = prefix.clone();
            append(value, &mut bytes);
            KeyRange::prefix(bytes)
        };
        match &condition.range {
            None => all,
            Some(SortRange::Lt(value)) => {
                KeyRange { start: all.start, end: Some(with(value).start) }
            }
            Some(SortRange::Le(value)) => KeyRange { start: all.start, end: with(value).end },
            Some(SortRange::Gt(value)) => match with(value).end {
                Some(start) => KeyRange { start, end: all.end },
                None => KeyRange { start: all.start.clone(), end: Some(all.start) },
            },
            Some(SortRange::Ge(value)) => KeyRange { start: with(value).start, end: all.end },
            Some(SortRange::Between(lower, upper)) => {
                KeyRange { start: with(lower).start, end: with(upper).end }
            }
            Some(SortRange::BeginsWith(value)) => {
                match value {
                    Value::S(text) => key::encode_prefix(text.as_bytes(), &mut prefix),
                    Value::B(bytes) => key::encode_prefix(bytes, &mut prefix),
                    other => append(other, &mut prefix),
                }
                KeyRange::prefix(prefix)
            }
        }
    }

    fn partition_prefix(&self, condition: &KeyCondition) -> Vec<u8> {
        let mut partition = Vec::new();
        condition.partition.iter().for_each(|value| append(value, &mut partition));
        let mut prefix = self.prefix();
        prefix.extend_from_slice(&key::partition_hash(&partition).to_be_bytes());
        prefix.extend_from_slice(&partition);
        prefix
    }

    /// All its keys, or those of one of several segments.
    pub fn scan_range(&self, segment: Option<(u64, u64)>) -> KeyRange {
        let prefix = self.prefix();
        let all = KeyRange::prefix(prefix.clone());
        let Some((segment, total)) = segment else { return all };
        let (from, to) = segment_range(segment, total);
        let at = |hash: u64| {
            let hash = u16::try_from(hash).ok()?;
            let mut bytes = prefix.clone();
            bytes.extend_from_slice(&hash.to_be_bytes());
            Some(bytes.into())
        };
        match at(from) {
            Some(start) => KeyRange { start, end: at(to).or(all.end) },
            None => KeyRange { start: all.start.clone(), end: Some(all.start) },
        }
    }
}

/// The hashes from the first up to the second belong to a segment. Every hash belongs
/// to exactly one, whatever the number of segments.
pub fn segment_range(segment: u64, total: u64) -> (u64, u64) {
    let first = |segment: u64| (segment * HASHES).div_ceil(total.max(1)).min(HASHES);
    (first(segment), first(segment + 1))
}

/// Values of key conditions have been held against the schema: they can be keys.
fn append(value: &Value, out: &mut Vec<u8>) {
    if let Err(error) = key::encode(value, out) {
        debug_assert!(false, "a key condition with a value that is no key: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Key;
    use value::Number;

    /// So that the store can keep pages of them. Only the number 0 is too short for that.
    #[test]
    fn all_items_and_entries_of_a_partition_key_are_together() {
        let smallest = [Value::S("a".into()), Value::N(Number::from(1)), Value::B(vec![0])];
        for value in smallest {
            let mut partition = Vec::new();
            key::encode(&value, &mut partition).unwrap();
            let (partition, sort, item) = (&*partition, &[][..], &[][..]);
            let entry = Key::Entry { table: 1, index: 1, partition, sort, item };
            for prefix in [Key::Item { table: 1, partition, sort }, entry] {
                assert!(KeyRange::prefix(prefix.encode()).together().is_some(), "{value:?}");
            }
        }
    }

    #[test]
    fn segments_cover_every_hash_once() {
        for total in [1, 2, 3, 7, 100, 65_535, 65_536, 65_537, 1_000_000] {
            let mut next = 0;
            for segment in 0..total {
                let (from, to) = segment_range(segment, total);
                assert_eq!(from, next, "{segment} of {total}");
                next = to;
            }
            assert_eq!(next, HASHES, "{total}");
        }
    }
}
