//! Where the sums of what should be there and of what is there differ: which single entries do.

use super::{
    Known, PAGE, Verifier,
    catalogue::{Held, HeldExpiry, HeldIndex},
    items::{Collection, collection_key, entries, expiry_key, read},
    show,
};
use crate::{
    error::EngineError,
    items::{Index, indexes},
    keys::{self, Key},
    table::Table,
};
use bytes::Bytes;
use store::{Direction, KeyRange, PageLimit};

/// Single entries that are named of one index; there may be very many.
const MOST: usize = 100;

impl Verifier<'_> {
    /// Compares the sums, and looks for what makes them differ.
    pub(super) async fn compare(&mut self, known: &Known) -> Result<(), EngineError> {
        for held in known.live() {
            for (index, definition) in held.indexes.iter().zip(indexes(&held.table)) {
                if index.expected != index.found {
                    self.index(held, index, &definition).await?;
                }
            }
            if let Some(expiry) = &held.expiry
                && expiry.expected != expiry.found
            {
                self.expiry(held, expiry).await?;
            }
            if held.collections.0 != held.collections.1 {
                self.collection(held).await?;
            }
        }
        Ok(())
    }

    async fn index(
        &mut self,
        held: &Held,
        index: &HeldIndex,
        definition: &Index<'_>,
    ) -> Result<(), EngineError> {
        let table = &held.table;
        let at = held.indexes.iter().position(|other| other.number == index.number);
        let place = format!("table {}, index {}", table.name, definition.name);
        let mut named = 0;
        let mut range = Some(KeyRange::prefix(Key::items_prefix(table.number)));
        while let Some(rest) = range.take().filter(|_| named < MOST) {
            let (page, after) = self.page("items again", &rest, PAGE).await?;
            for (key, value) in page {
                let Ok(read) = read(table, &key, &value) else { continue };
                let mut own = entries(table, &read).filter(|(place, ..)| Some(*place) == at);
                let Some((_, _, entry)) = own.next().filter(|_| index.taken.has(&key)) else {
                    continue;
                };
                let item = show::item(table, &key);
                let problem = match self.snapshot.get(&entry.key).await? {
                    Some(found) if found == entry.value => continue,
                    Some(_) => {
                        format!("the entry of item {item} is not what follows from the item")
                    }
                    None => format!("there is no entry for item {item}"),
                };
                named += 1;
                self.found(&place, problem);
            }
            range = after;
        }
        let mut range = Some(KeyRange::prefix(Key::entries_prefix(table.number, index.number)));
        while let Some(rest) = range.take().filter(|_| named < MOST) {
            let (page, after) = self.page("index entries again", &rest, PAGE).await?;
            for (key, value) in page {
                named += usize::from(self.stray_entry(table, definition, &key, &value).await?);
            }
            range = after;
        }
        if named == 0 {
            self.found(place, "its entries are not those that follow from the items");
        }
        Ok(())
    }

    /// Names an entry that does not follow from the item it belongs to; true if it does not. One that only
    /// has another value is found from the item.
    pub(super) async fn stray_entry(
        &mut self,
        table: &Table,
        index: &Index<'_>,
        key: &Bytes,
        value: &Bytes,
    ) -> Result<bool, EngineError> {
        let place = format!("table {}, index {}", table.name, index.name);
        let Some(item) = show::item_of_entry(table, index, key) else {
            self.found(place, format!("the key of the entry {} cannot be read", show::hex(key)));
            return Ok(true);
        };
        let shown = show::item(table, &item);
        let Some(stored) = self.snapshot.get(&item).await? else {
            self.found(place, format!("there is an entry for item {shown}, which is not there"));
            return Ok(true);
        };
        let Ok(read) = read(table, &item, &stored) else { return Ok(false) };
        match index.entry(table, &read.key, &read.stored)? {
            Some(entry) if entry.key == key && entry.value == value => Ok(false),
            Some(entry) if entry.key == key && !index.building => Ok(false),
            _ => {
                let problem =
                    format!("there is an entry for item {shown} that does not follow from it");
                self.found(place, problem);
                Ok(true)
            }
        }
    }

    async fn expiry(&mut self, held: &Held, expiry: &HeldExpiry) -> Result<(), EngineError> {
        let table = &held.table;
        let mut named = 0;
        let mut range = Some(KeyRange::prefix(Key::items_prefix(table.number)));
        while let Some(rest) = range.take().filter(|_| named < MOST) {
            let (page, after) = self.page("items again", &rest, PAGE).await?;
            for (key, value) in page {
                let own = expiry_key(table, &key, &value).filter(|_| expiry.taken.has(&key));
                if let Some(own) = own
                    && self.snapshot.get(&own).await?.is_none()
                {
                    named += 1;
                    self.found(show::place(table, &key), "its expiry is not noted");
                }
            }
            range = after;
        }
        let mut range = Some(Key::all_expiries(table.number, expiry.generation));
        while let Some(rest) = range.take().filter(|_| named < MOST) {
            let (page, after) = self.page("expiries again", &rest, PAGE).await?;
            for (key, _) in page {
                let Some((seconds, item)) = Key::expiring(&key) else { continue };
                let stored = self.snapshot.get(&item).await?;
                let own = stored.and_then(|stored| expiry_key(table, &item, &stored));
                if own.as_ref() != Some(&key) {
                    named += 1;
                    let problem = format!("an expiry at {seconds} does not follow from it");
                    self.found(show::place(table, &item), problem);
                }
            }
            range = after;
        }
        Ok(())
    }

    async fn collection(&mut self, held: &Held) -> Result<(), EngineError> {
        let table = &held.table;
        let mut named = 0;
        let mut range = Some(KeyRange::prefix(Key::items_prefix(table.number)));
        let mut current: Option<Collection> = None;
        while let Some(rest) = range.take().filter(|_| named < MOST) {
            let (page, after) = self.page("items again", &rest, PAGE).await?;
            for (key, value) in page {
                let Ok(read) = read(table, &key, &value) else { continue };
                let own = collection_key(table, &key).unwrap_or_default();
                if current.as_ref().is_none_or(|current| current.key != own) {
                    named += self.collection_size(table, current.take()).await?;
                    current = Some(Collection { key: own, pair: [0, 0] });
                }
                let locals = entries(table, &read).filter(|(_, global, _)| !global);
                let sizes: Vec<usize> = locals.map(|(_, _, entry)| entry.size).collect();
                for size in sizes.into_iter().chain([read.size]) {
                    if let Some(current) = &mut current {
                        let [items, bytes] = current.pair;
                        let size = i64::try_from(size).unwrap_or(i64::MAX);
                        current.pair = [items + 1, bytes + size];
                    }
                }
            }
            range = after;
        }
        named += self.collection_size(table, current.take()).await?;
        let [a, b, c, d] = table.number.to_be_bytes();
        let mut range = Some(KeyRange::prefix(vec![keys::COLLECTION, a, b, c, d]));
        while let Some(rest) = range.take().filter(|_| named < MOST) {
            let (page, after) = self.page("item collections again", &rest, PAGE).await?;
            for (key, value) in page {
                let prefix = [&[keys::ITEM], key.get(1..).unwrap_or_default()].concat();
                let items = KeyRange::prefix(prefix.clone());
                let found = self.snapshot.range(items, Direction::Forward, PageLimit::entries(1));
                let empty = found.await?.entries.is_empty();
                if empty && store::counters(&value).is_ok_and(|pair| pair != [0, 0]) {
                    named += 1;
                    let place = show::collection(table, &key);
                    self.found(place, "it has a size, but no items");
                }
            }
            range = after;
        }
        Ok(())
    }

    async fn collection_size(
        &mut self,
        table: &Table,
        collection: Option<Collection>,
    ) -> Result<usize, EngineError> {
        let Some(collection) = collection else { return Ok(0) };
        let found = self.snapshot.get(&collection.key).await?;
        let found = found.and_then(|value| store::counters(&value).ok()).unwrap_or_default();
        if found == collection.pair {
            return Ok(0);
        }
        let ([count, bytes], [items, total]) = (found, collection.pair);
        let place = show::collection(table, &collection.key);
        let problem = format!(
            "its size is given as {count} items and entries of {bytes} bytes, but there are {items} of {total} bytes"
        );
        self.found(place, problem);
        Ok(1)
    }
}
