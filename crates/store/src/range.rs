//! Ranges of keys and the pages in which their entries are read.

use bytes::{BufMut, Bytes, BytesMut};

/// How many first bytes keys have in common that are read together.
const TOGETHER: usize = 9;

/// A half-open range of keys.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeyRange {
    /// The first key of the range; an empty one stands before all keys.
    pub start: Bytes,
    /// The first key after the range; `None` reaches to the last key of the store.
    pub end: Option<Bytes>,
}

impl KeyRange {
    /// The keys from `start` up to, but without, `end`.
    pub fn new(start: impl Into<Bytes>, end: impl Into<Bytes>) -> Self {
        Self { start: start.into(), end: Some(end.into()) }
    }

    /// Every key.
    pub fn all() -> Self {
        Self { start: Bytes::new(), end: None }
    }

    /// The keys from `start` to the last one.
    pub fn starting_at(start: impl Into<Bytes>) -> Self {
        Self { start: start.into(), end: None }
    }

    /// The keys that begin with `prefix`, which is one of them.
    pub fn prefix(prefix: impl Into<Bytes>) -> Self {
        let start = prefix.into();
        // The last byte that can still be raised gives the first key behind the prefix; a prefix of
        // nothing but 0xff (or nothing at all) reaches to the end.
        let end = start.iter().rposition(|byte| *byte != 0xff).map(|last| {
            start
                .iter()
                .take(last + 1)
                .enumerate()
                .map(|(at, byte)| if at == last { byte + 1 } else { *byte })
                .collect()
        });
        Self { start, end }
    }

    /// What is left of this range once a page that ended with `last` has been read.
    #[must_use]
    pub fn after(&self, last: &[u8], direction: Direction) -> Self {
        match direction {
            Direction::Forward => {
                let mut start = BytesMut::with_capacity(last.len() + 1);
                start.put_slice(last);
                start.put_u8(0);
                Self { start: start.freeze(), end: self.end.clone() }
            }
            Direction::Backward => {
                Self { start: self.start.clone(), end: Some(Bytes::copy_from_slice(last)) }
            }
        }
    }

    /// What all keys of this range begin with, if they have their first 9 bytes in common.
    ///
    /// Of such a range an engine may keep pages.
    pub fn together(&self) -> Option<&[u8]> {
        let first = Self::together_with(&self.start)?;
        let end = self.end.as_deref().and_then(Self::together_with)?;
        (first == end).then_some(first)
    }

    /// What keys begin with that are together with `key`, if any can be.
    pub(crate) fn together_with(key: &[u8]) -> Option<&[u8]> {
        key.get(..TOGETHER)
    }

    /// Whether no key can be in this range.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether `key` is in this range.
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.start <= *key && self.end.as_ref().is_none_or(|end| *key < **end)
    }
}

/// From which end of a range entries are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Direction {
    /// From the smallest key up.
    Forward,
    /// From the largest key down.
    Backward,
}

/// When a page is full: after the entry that reaches either bound. A page has at least one entry if the
/// range has any.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PageLimit {
    /// How many entries fill a page.
    pub entries: usize,
    /// How many bytes of keys and values fill a page.
    pub bytes: usize,
}

impl PageLimit {
    /// A page that is full after `entries` entries, however large they are.
    pub fn entries(entries: usize) -> Self {
        Self { entries, bytes: usize::MAX }
    }
}

/// Some entries of a range, in the direction they were asked for.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Page {
    /// Keys and values.
    pub entries: Vec<(Bytes, Bytes)>,
    /// Whether the range has further entries behind the last one of this page.
    pub more: bool,
}

impl Page {
    /// Fills a page from entries that come in the direction asked for.
    pub(crate) fn fill<E>(
        entries: impl Iterator<Item = Result<(Bytes, Bytes), E>>,
        limit: PageLimit,
    ) -> Result<Self, E> {
        let mut page = Self::default();
        let mut bytes = 0usize;
        for entry in entries {
            let (key, value) = entry?;
            if !page.entries.is_empty()
                && (page.entries.len() >= limit.entries || bytes >= limit.bytes)
            {
                page.more = true;
                break;
            }
            bytes = bytes.saturating_add(key.len()).saturating_add(value.len());
            page.entries.push((key, value));
        }
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_first_key_without_it() {
        for (prefix, end) in [
            (&b"ab"[..], Some(&b"ac"[..])),
            (b"a\xff", Some(b"b")),
            (b"a\xff\xff", Some(b"b")),
            (b"\xff", None),
            (b"", None),
        ] {
            let range = KeyRange::prefix(prefix);
            assert_eq!(range.start, prefix);
            assert_eq!(range.end.as_deref(), end);
            assert!(!range.is_empty());
        }
    }

    #[test]
    fn what_is_left_after_a_page_does_not_hold_its_last_key() {
        let range = KeyRange::new("a", "f");
        let forward = range.after(b"c", Direction::Forward);
        assert!(!forward.contains(b"c") && forward.contains(b"c\0") && forward.contains(b"e"));
        let backward = range.after(b"c", Direction::Backward);
        assert!(!backward.contains(b"c") && backward.contains(b"a") && backward.contains(b"b\xff"));
    }

    #[test]
    fn keys_are_together_whose_first_bytes_are_the_same() {
        let together = |start: &'static str, end: &'static str| {
            let range = KeyRange::new(start, end);
            range.together().map(<[u8]>::to_vec)
        };
        assert_eq!(together("together-a", "together-b"), Some(b"together-".to_vec()));
        assert_eq!(together("together-", "together-b"), Some(b"together-".to_vec()));
        assert_eq!(together("together", "together-b"), None);
        assert_eq!(together("together-a", "together."), None);
        assert_eq!(KeyRange::starting_at("together-a").together(), None);
        assert_eq!(KeyRange::all().together(), None);
    }

    #[test]
    fn a_range_that_ends_where_it_starts_is_empty() {
        assert!(KeyRange::new("b", "b").is_empty());
        assert!(KeyRange::new("c", "b").is_empty());
        assert!(!KeyRange::all().is_empty());
    }
}
