//! Answers that were read lately, so that they need not be put together from tables again.
//!
//! An answer is kept with the version of the view that gave it. Another view gives the same one if nothing
//! that the answer depends on was written after the older of the two.

mod question;
mod written;

use crate::{Direction, KeyRange, Page, PageLimit, Version};
use bytes::{Bytes, BytesMut};
use question::{Asked, ByHash, Kept, Question};
use quick_cache::{Weighter, sync::Cache};
use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};
use written::Written;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What is larger is not kept.
const LARGEST: usize = 32 << 10;

/// What an answer, and each entry of a page, costs besides its bytes, roughly.
const OVERHEAD: usize = 160;
const OF_ENTRY: usize = size_of::<(Bytes, Bytes)>();

pub(super) struct Reads {
    written: Written,
    asked: Asked,
    answers: Cache<Kept, Seen, Weight, ByHash>,
    /// Nobody can choose keys whose hashes are the same.
    seed: u64,
}

#[derive(Clone)]
struct Seen {
    /// That of the view that gave it.
    version: Version,
    answer: Answer,
}

#[derive(Clone)]
enum Answer {
    Value(Option<Bytes>),
    Page(Arc<Page>),
}

impl Answer {
    fn bytes(&self) -> usize {
        match self {
            Self::Value(value) => bytes_of_value(value.as_ref()),
            Self::Page(page) => bytes_of_page(page),
        }
    }
}

fn bytes_of_value(value: Option<&Bytes>) -> usize {
    value.map_or(0, Bytes::len)
}

fn bytes_of_page(page: &Page) -> usize {
    page.entries.iter().map(|(key, value)| key.len() + value.len() + OF_ENTRY).sum()
}

/// The same page in memory of its own. What was read may be part of larger blocks.
fn apart(page: &Page) -> Page {
    let bytes = page.entries.iter().map(|(key, value)| key.len() + value.len()).sum();
    let mut all = BytesMut::with_capacity(bytes);
    for (key, value) in &page.entries {
        all.extend_from_slice(key);
        all.extend_from_slice(value);
    }
    let mut all = all.freeze();
    let parts = page.entries.iter().map(|(key, value)| (key.len(), value.len()));
    let entries = parts.map(|(key, value)| (all.split_to(key), all.split_to(value))).collect();
    Page { entries, more: page.more }
}

#[derive(Clone)]
struct Weight;

impl Weighter<Kept, Seen> for Weight {
    fn weight(&self, question: &Kept, seen: &Seen) -> u64 {
        (question.bytes() + seen.answer.bytes() + OVERHEAD) as u64
    }
}

impl Reads {
    /// About `bytes` are kept.
    pub fn new(bytes: u64) -> Self {
        Self::with(bytes, Written::PLACES, RandomState::new().hash_one(()))
    }

    fn with(bytes: u64, places: usize, seed: u64) -> Self {
        let answers = usize::try_from(bytes).unwrap_or(usize::MAX) / (4 * OVERHEAD);
        Self {
            written: Written::new(places),
            asked: Asked::new(),
            answers: Cache::with(answers, bytes, Weight, ByHash, Default::default()),
            seed,
        }
    }

    /// Notes that these keys are written by commits up to `version`, which no view shows yet.
    pub fn note(&self, keys: &[Bytes], version: Version) {
        for key in keys {
            self.written.note(self.hash(key), version);
            if let Some(together) = KeyRange::together_with(key) {
                self.written.note(self.hash(together), version);
            }
        }
    }

    /// The value of `key` in a view of this version, which `read` can ask.
    pub fn value<E>(
        &self,
        version: Version,
        key: &[u8],
        read: impl FnOnce() -> Result<Option<Bytes>, E>,
    ) -> Result<Option<Bytes>, E> {
        let hash = self.hash(key);
        let question = Question { hash, bytes: key, depends_on: hash };
        if let Some(Answer::Value(value)) = self.known(version, &question) {
            return Ok(value);
        }
        let value = read()?;
        self.keep(version, &question, bytes_of_value(value.as_ref()), || {
            Answer::Value(value.as_deref().map(Bytes::copy_from_slice))
        });
        Ok(value)
    }

    /// A page of `range` in a view of this version, which `read` can ask.
    pub fn page<E>(
        &self,
        version: Version,
        range: KeyRange,
        direction: Direction,
        limit: PageLimit,
        read: impl FnOnce(KeyRange) -> Result<Page, E>,
    ) -> Result<Page, E> {
        let Some(together) = range.together() else {
            return read(range);
        };
        let depends_on = self.hash(together);
        let bytes = question::of_page(&range, direction, limit);
        let question = Question { hash: self.hash(&bytes), bytes: &bytes, depends_on };
        if let Some(Answer::Page(page)) = self.known(version, &question) {
            return Ok(Page::clone(&page));
        }
        let page = read(range)?;
        self.keep(version, &question, bytes_of_page(&page), || {
            Answer::Page(Arc::new(apart(&page)))
        });
        Ok(page)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        xxh3_64_with_seed(bytes, self.seed)
    }

    fn known(&self, version: Version, question: &Question<'_>) -> Option<Answer> {
        let seen = self.answers.get(question)?;
        // After the answer has been found: all that its view shows had been noted before anybody had that view.
        let written = self.written.last(question.depends_on);
        (written <= version && written <= seen.version).then_some(seen.answer)
    }

    /// Keeps an answer of so many bytes if it can be given to others, and could have been given by now.
    fn keep(
        &self,
        version: Version,
        question: &Question<'_>,
        bytes: usize,
        answer: impl FnOnce() -> Answer,
    ) {
        let written = self.written.last(question.depends_on);
        if written <= version && bytes <= LARGEST && self.asked.again(question.hash, written) {
            self.answers.insert(question.kept(), Seen { version, answer: answer() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::{cell::Cell, collections::BTreeMap, convert::Infallible, ops::Bound};

    type Entries = BTreeMap<Bytes, Bytes>;

    /// What is read of a store of which every version is known.
    fn value(reads: &Reads, all: &[Entries], version: usize, key: &[u8]) -> (Option<Bytes>, bool) {
        let asked = Cell::new(false);
        let read = || {
            asked.set(true);
            Ok::<_, Infallible>(all[version].get(key).cloned())
        };
        let Ok(value) = reads.value(Version(version as u64), key, read);
        (value, asked.get())
    }

    fn page(
        reads: &Reads,
        all: &[Entries],
        version: usize,
        range: &KeyRange,
        direction: Direction,
        limit: PageLimit,
    ) -> (Page, bool) {
        let asked = Cell::new(false);
        let read = |range| {
            asked.set(true);
            Ok::<_, Infallible>(of_entries(&all[version], range, direction, limit))
        };
        let Ok(page) = reads.page(Version(version as u64), range.clone(), direction, limit, read);
        (page, asked.get())
    }

    fn of_entries(
        entries: &Entries,
        range: KeyRange,
        direction: Direction,
        limit: PageLimit,
    ) -> Page {
        let end = range.end.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = entries.range((Bound::Included(range.start), end));
        let entry = |(key, value): (&Bytes, &Bytes)| Ok((key.clone(), value.clone()));
        let page: Result<_, Infallible> = match direction {
            Direction::Forward => Page::fill(entries.map(entry), limit),
            Direction::Backward => Page::fill(entries.rev().map(entry), limit),
        };
        let Ok(page) = page;
        page
    }

    fn bytes(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    #[test]
    fn an_answer_is_kept_when_it_is_asked_for_again_until_its_key_is_written() {
        let reads = Reads::with(1 << 20, Written::PLACES, 0);
        let mut all = vec![Entries::from([(bytes("a"), bytes("1"))])];
        let asked = |all: &[Entries], version| value(&reads, all, version, b"a");
        let one = Some(bytes("1"));
        assert_eq!(asked(&all, 0), (one.clone(), true));
        assert_eq!(asked(&all, 0), (one.clone(), true));
        assert_eq!(asked(&all, 0), (one.clone(), false));
        all.push(Entries::new());
        reads.note(&[bytes("a")], Version(1));
        assert_eq!(asked(&all, 1), (None, true));
        assert_eq!(asked(&all, 1), (None, true));
        assert_eq!(asked(&all, 1), (None, false));
        // An older view still shows what was, and does not spoil it for others.
        assert_eq!(asked(&all, 0), (one.clone(), true));
        assert_eq!(asked(&all, 0), (one, true));
        assert_eq!(asked(&all, 1), (None, false));
    }

    #[test]
    fn a_page_is_kept_until_a_key_that_could_be_in_it_is_written() {
        let reads = Reads::with(1 << 20, Written::PLACES, 0);
        let first = Entries::from([(bytes("together/a"), bytes("1"))]);
        let mut second = first.clone();
        second.insert(bytes("together/b"), bytes("2"));
        let all = [first, second.clone(), second];
        let range = KeyRange::prefix("together/");
        let limit = PageLimit::entries(10);
        let asked = |version| {
            let (page, asked) = page(&reads, &all, version, &range, Direction::Forward, limit);
            (page.entries.len(), asked)
        };
        assert_eq!([asked(0), asked(0), asked(0)], [(1, true), (1, true), (1, true)]);
        let range = KeyRange::new("together/", "together/z");
        let asked = |version| {
            let (page, asked) = page(&reads, &all, version, &range, Direction::Forward, limit);
            (page.entries.len(), asked)
        };
        assert_eq!([asked(0), asked(0), asked(0)], [(1, true), (1, true), (1, false)]);
        reads.note(&[bytes("together/b")], Version(1));
        assert_eq!([asked(1), asked(1), asked(1)], [(2, true), (2, true), (2, false)]);
        assert_eq!(asked(0), (1, true));
        reads.note(&[bytes("elsewhere/b")], Version(2));
        assert_eq!(asked(2), (2, false));
        // Another question has another answer.
        let one = PageLimit::entries(1);
        assert_eq!(page(&reads, &all, 2, &range, Direction::Forward, one).0.entries.len(), 1);
        let backward = page(&reads, &all, 2, &range, Direction::Backward, limit).0;
        assert_eq!(backward.entries[0].0, "together/b");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let reads = Reads::with(100_000, Written::PLACES, 0);
        let all = [(0..1000)
            .map(|number| (bytes(&format!("{number}")), Bytes::from(vec![0; 1000])))
            .collect::<Entries>()];
        for key in all[0].keys() {
            for _ in 0..3 {
                value(&reads, &all, 0, key);
            }
            assert!(reads.answers.weight() <= 100_000);
        }
        assert!(reads.answers.len() > 50);
    }

    #[test]
    fn nothing_large_is_kept() {
        let reads = Reads::with(10 << 20, Written::PLACES, 0);
        let sized = |bytes| Bytes::from(vec![0; bytes]);
        let all = [Entries::from([
            (bytes("large"), sized(LARGEST)),
            (bytes("too large"), sized(LARGEST + 1)),
        ])];
        let asked = |key| [(); 3].map(|()| value(&reads, &all, 0, key).1);
        assert_eq!(asked(b"large"), [true, true, false]);
        assert_eq!(asked(b"too large"), [true, true, true]);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Write(Vec<(u8, Option<u8>)>),
        Value { key: u8, back: usize },
        Page { keys: [u8; 2], backward: bool, limit: PageLimit, back: usize },
    }

    fn key(number: u8) -> Bytes {
        // Two groups of keys, and some that are too short to be in one.
        bytes(&match number % 3 {
            0 => format!("one-partition/{number}"),
            1 => format!("two-partition/{number}"),
            _ => format!("p{number}"),
        })
    }

    fn step() -> impl Strategy<Value = Step> {
        let write = prop::collection::vec((0u8..12, prop::option::of(any::<u8>())), 1..4);
        let limit = (1usize..4, prop_oneof![Just(usize::MAX), 1usize..50]);
        let limit = limit.prop_map(|(entries, bytes)| PageLimit { entries, bytes });
        let back = || prop_oneof![3 => Just(0usize), 1 => 0usize..4];
        prop_oneof![
            1 => write.prop_map(Step::Write),
            2 => (0u8..12, back()).prop_map(|(key, back)| Step::Value { key, back }),
            3 => (0u8..12, 0u8..12, any::<bool>(), limit, back()).prop_map(
                |(from, to, backward, limit, back)| Step::Page {
                    keys: [from, to],
                    backward,
                    limit,
                    back,
                }
            ),
        ]
    }

    proptest! {
        /// Against a full history: never a wrong answer, from whichever view.
        #[test]
        fn every_view_is_given_what_it_shows(
            steps in prop::collection::vec(step(), 1..200),
            seed: u64,
        ) {
            // So few places that keys share them.
            let reads = Reads::with(1 << 20, 16, seed);
            let mut all = vec![Entries::new()];
            for step in steps {
                let view = |back: usize| (all.len() - 1).saturating_sub(back);
                match step {
                    Step::Write(writes) => {
                        let mut now = all.last().unwrap().clone();
                        for (number, value) in &writes {
                            match value {
                                Some(value) => now.insert(key(*number), Bytes::from(vec![*value])),
                                None => now.remove(&key(*number)),
                            };
                        }
                        let keys: Vec<_> = writes.iter().map(|(number, _)| key(*number)).collect();
                        reads.note(&keys, Version(all.len() as u64));
                        all.push(now);
                    }
                    Step::Value { key: number, back } => {
                        let (given, _) = value(&reads, &all, view(back), &key(number));
                        prop_assert_eq!(given.as_ref(), all[view(back)].get(&key(number)));
                    }
                    Step::Page { keys, backward, limit, back } => {
                        let [start, end] = keys.map(key);
                        let range = KeyRange::new(start.clone().min(end.clone()), start.max(end));
                        let direction =
                            if backward { Direction::Backward } else { Direction::Forward };
                        let (given, _) = page(&reads, &all, view(back), &range, direction, limit);
                        let shown = of_entries(&all[view(back)], range, direction, limit);
                        prop_assert_eq!(given, shown);
                    }
                }
            }
        }
    }
}
