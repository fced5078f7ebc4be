//! Checks that what a store holds is what the engine would have written: every key and record can be read,
//! indexes and counters are what follows from the items, the change log tells one story with them.
//!
//! Everything is read in the order of its keys. What follows from items is not looked up but added up: the
//! sum of the hashes of all entries that should be there is compared with that of those that are. Only if
//! they differ single entries are looked for.

mod catalogue;
mod changes;
mod entries;
mod images;
mod items;
mod jobs;
mod records;
mod shards;
mod show;
mod strays;
mod tally;
#[cfg(test)]
mod tests;

use crate::error::EngineError;
use bytes::Bytes;
use catalogue::{Known, Role};
use store::{Direction, KeyRange, PageLimit, Snapshot};

const PAGE: PageLimit = PageLimit { entries: 20_000, bytes: 8 << 20 };

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where: a table, an index, a key.
    pub place: String,
    /// What is expected, and what is there.
    pub problem: String,
}

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tables.
    pub tables: u64,
    /// Items.
    pub items: u64,
    /// Index entries.
    pub entries: u64,
    /// Changes in logs.
    pub changes: u64,
    /// Items of backups.
    pub saved: u64,
}

/// Who wants to know.
pub trait Audience {
    /// Something is wrong.
    fn found(&mut self, finding: Finding);
    /// So many more entries were read, of which it is known what they are.
    fn read(&mut self, what: &'static str, entries: u64);
}

/// Looks at everything in a store.
///
/// # Errors
/// If the store cannot be read.
pub async fn verify(
    snapshot: &dyn Snapshot,
    audience: &mut dyn Audience,
) -> Result<Summary, EngineError> {
    let mut verifier = Verifier { snapshot, audience, summary: Summary::default() };
    let mut known = verifier.catalogue().await?;
    verifier.unknown_keys().await?;
    verifier.tokens().await?;
    verifier.jobs(&mut known).await?;
    verifier.shards(&mut known).await?;
    verifier.items(&mut known).await?;
    verifier.entries(&mut known).await?;
    verifier.expiries(&mut known).await?;
    verifier.counters(&mut known).await?;
    verifier.collections(&mut known).await?;
    verifier.compare(&known).await?;
    verifier.changes(&mut known).await?;
    verifier.images(&known).await?;
    Ok(verifier.summary)
}

struct Verifier<'a> {
    snapshot: &'a dyn Snapshot,
    audience: &'a mut dyn Audience,
    summary: Summary,
}

impl Verifier<'_> {
    fn found(&mut self, place: impl Into<String>, problem: impl Into<String>) {
        self.audience.found(Finding { place: place.into(), problem: problem.into() });
    }

    /// Reads a range from its start to its end.
    async fn each(
        &mut self,
        what: &'static str,
        mut range: KeyRange,
        mut visit: impl FnMut(&mut Self, &Bytes, &Bytes),
    ) -> Result<(), EngineError> {
        loop {
            let page = self.snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
            for (key, value) in &page.entries {
                visit(self, key, value);
            }
            self.audience.read(what, page.entries.len() as u64);
            match page.entries.last() {
                Some((last, _)) if page.more => range = range.after(last, Direction::Forward),
                _ => return Ok(()),
            }
        }
    }

    /// Some entries of a range, and what is left of it.
    async fn page(
        &mut self,
        what: &'static str,
        range: &KeyRange,
        limit: PageLimit,
    ) -> Result<(Vec<(Bytes, Bytes)>, Option<KeyRange>), EngineError> {
        let page = self.snapshot.range(range.clone(), Direction::Forward, limit).await?;
        self.audience.read(what, page.entries.len() as u64);
        let last = page.entries.last().filter(|_| page.more);
        let rest = last.map(|(last, _)| range.after(last, Direction::Forward));
        Ok((page.entries, rest))
    }
}
