//! Reading one page.

use super::Source;
use crate::{
    Engine,
    items::{Capacity, ItemError, PrimaryKey, capacity::read_units},
};
use bytes::Bytes;
use expression::Condition;
use store::{Direction, KeyRange, PageLimit, Snapshot};
use value::{Item, codec};

/// A page ends once it has evaluated this much.
const PAGE_BYTES: usize = 1024 * 1024;
/// How many entries are asked of the store at a time.
const CHUNK: usize = 1000;

/// What to read.
pub struct PageRead<'t> {
    /// From where.
    pub source: Source<'t>,
    /// Which keys.
    pub range: KeyRange,
    /// In which order.
    pub direction: Direction,
    /// How many items to evaluate at the most.
    pub limit: Option<usize>,
    /// Which of them to give.
    pub filter: Option<&'t Condition>,
    /// Whether to fetch the items that the entries of a local index stand for.
    pub fetch: bool,
    /// Whether to charge for strongly consistent reads.
    pub consistent: bool,
}

/// What was read.
#[derive(Debug)]
pub struct Page {
    /// The items or entries that passed the filter, in their stored form.
    pub items: Vec<Bytes>,
    /// How many were evaluated.
    pub scanned: usize,
    /// The position to go on from, unless the range is at its end.
    pub last: Option<Item>,
    /// Read units it cost.
    pub capacity: Capacity,
}

impl Engine {
    /// Reads one page, all of it at one moment.
    pub async fn read_page(&self, read: PageRead<'_>) -> Result<Page, ItemError> {
        let snapshot = self.view(read.consistent).await?;
        let mut page =
            Page { items: Vec::new(), scanned: 0, last: None, capacity: Capacity::default() };
        let mut range = read.range.clone();
        let (mut bytes, mut fetched) = (0, 0);
        'page: loop {
            let wanted = read.limit.map_or(CHUNK, |limit| (limit - page.scanned).min(CHUNK));
            let limit = PageLimit { entries: wanted, bytes: PAGE_BYTES };
            let chunk = snapshot.range(range.clone(), read.direction, limit).await?;
            for (_, stored) in &chunk.entries {
                bytes += codec::ItemRef::new(stored)?.size();
                page.scanned += 1;
                fetched += self.evaluate(&read, &*snapshot, stored, &mut page).await?;
                if bytes + fetched >= PAGE_BYTES || Some(page.scanned) == read.limit {
                    page.last = Some(read.source.position_of(stored)?);
                    break 'page;
                }
            }
            match chunk.entries.last() {
                Some((key, _)) if chunk.more => range = range.after(key, read.direction),
                _ => break,
            }
        }
        let units = read_units(bytes, read.consistent);
        match read.source.index {
            None => page.capacity.table += units,
            Some(index) if index.global => {
                page.capacity.globals.insert(index.name.to_owned(), units);
            }
            Some(index) => {
                page.capacity.locals.insert(index.name.to_owned(), units);
            }
        }
        Ok(page)
    }

    /// Takes an item into the page if it passes the filter. Gives the bytes of the item
    /// that was fetched for it.
    async fn evaluate(
        &self,
        read: &PageRead<'_>,
        snapshot: &dyn Snapshot,
        stored: &Bytes,
        page: &mut Page,
    ) -> Result<usize, ItemError> {
        let mut given = stored.clone();
        let mut fetched = 0;
        if read.fetch {
            let key = PrimaryKey::from_item(read.source.table, &codec::decode(stored)?)?;
            let base = snapshot.get(&key.storage_key(read.source.table.number)).await?;
            // An entry and its item are written in one commit.
            let Some(base) = base else { return Ok(0) };
            fetched = codec::ItemRef::new(&base)?.size();
            page.capacity.table += read_units(fetched, read.consistent);
            given = base;
        }
        let passes = match read.filter {
            Some(filter) => filter.matches(&codec::decode(&given)?),
            None => true,
        };
        if passes {
            page.items.push(given);
        }
        Ok(fetched)
    }
}
