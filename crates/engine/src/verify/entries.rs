//! What follows from items, as it is stored: index entries, expiries, counters, collections.

use super::{
    Known, Verifier,
    catalogue::Taken,
    items::expiry_key,
    records::{all, table_of},
    show,
};
use crate::{
    error::EngineError,
    items::indexes,
    keys::{self, IndexNumber, Key, TableNumber},
};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use value::codec::ItemRef;

impl Verifier<'_> {
    pub(super) async fn entries(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut unknown = BTreeSet::new();
        let mut further: Vec<(TableNumber, IndexNumber, Bytes, Bytes)> = Vec::new();
        let mut range = Some(all(keys::ENTRY));
        while let Some(rest) = range {
            let (page, after) = self.page("index entries", &rest, super::PAGE).await?;
            for (key, value) in page {
                let Some((table, index)) = index_of(&key) else {
                    self.strange(&key);
                    continue;
                };
                if known.is_gone(table) || known.dropped_indexes.contains(&(table, index)) {
                    continue;
                }
                let Some(held) = known.held(table) else {
                    self.unknown_index(&mut unknown, table, index);
                    continue;
                };
                let place = held.indexes.iter().position(|held| held.number == index);
                let definition = indexes(&held.table).find(|held| held.number == index);
                let (Some(place), Some(definition)) = (place, definition) else {
                    self.unknown_index(&mut unknown, table, index);
                    continue;
                };
                let name = definition.name.to_owned();
                let Ok(item) = ItemRef::new(&value) else {
                    let place = format!("table {}, index {name}", held.table.name);
                    self.found(place, format!("the entry {} cannot be read", show::hex(&key)));
                    continue;
                };
                self.summary.entries += 1;
                let taken = held.indexes.get(place).map_or(Taken::All, |index| index.taken.clone());
                let in_sum = match taken {
                    Taken::All => true,
                    taken => show::item_of_entry(&held.table, &definition, &key)
                        .is_some_and(|item| taken.has(&item)),
                };
                let size = item.size();
                let Some(index) = held.indexes.get_mut(place) else { continue };
                if in_sum {
                    index.found.add(&key, &value, size);
                } else {
                    index.further.count(size);
                    further.push((table, index.number, key, value));
                }
            }
            for (table, index, key, value) in further.drain(..) {
                self.entry_of_writer(known, table, index, &key, &value).await?;
            }
            range = after;
        }
        Ok(())
    }

    fn unknown_index(
        &mut self,
        unknown: &mut BTreeSet<(TableNumber, IndexNumber)>,
        table: TableNumber,
        index: IndexNumber,
    ) {
        if unknown.insert((table, index)) {
            let place = format!("table number {table}, index number {index}");
            self.found(place, "it has entries, but no definition, and is not being removed");
        }
    }

    /// An entry that was written for an item which the build of the index has not come to.
    async fn entry_of_writer(
        &mut self,
        known: &Known,
        table: TableNumber,
        index: IndexNumber,
        key: &Bytes,
        value: &Bytes,
    ) -> Result<(), EngineError> {
        let Some(held) = known.live().find(|held| held.table.number == table) else {
            return Ok(());
        };
        let Some(index) = indexes(&held.table).find(|held| held.number == index) else {
            return Ok(());
        };
        self.stray_entry(&held.table, &index, key, value).await?;
        Ok(())
    }

    pub(super) async fn expiries(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut unknown = BTreeSet::new();
        let mut range = Some(all(keys::EXPIRY));
        while let Some(rest) = range {
            let (page, after) = self.page("expiries", &rest, super::PAGE).await?;
            for (key, _) in page {
                let (Some(table), Some((_, item))) = (table_of(&key), Key::expiring(&key)) else {
                    self.strange(&key);
                    continue;
                };
                let generation = key.get(5..9).and_then(|bytes| bytes.try_into().ok());
                let generation = generation.map_or(0, u32::from_be_bytes);
                if known.is_gone(table) || known.dropped_expiries.contains(&(table, generation)) {
                    continue;
                }
                let held = known.held(table);
                let own = held.filter(|held| {
                    held.expiry.as_ref().is_some_and(|expiry| expiry.generation == generation)
                });
                let Some(held) = own else {
                    if unknown.insert((table, generation)) {
                        let place = format!("table number {table}, generation {generation}");
                        self.found(
                            place,
                            "expiries that belong to no table and are not being removed",
                        );
                    }
                    continue;
                };
                let Some(expiry) = &mut held.expiry else { continue };
                if expiry.taken.has(&item) {
                    expiry.found.add(&key, &[], 0);
                    continue;
                }
                // Written for an item which the taking in has not come to.
                let stored = self.snapshot.get(&item).await?;
                let own = stored.and_then(|stored| expiry_key(&held.table, &item, &stored));
                if own.as_ref() != Some(&key) {
                    let place = show::place(&held.table, &item);
                    self.found(place, "there is an expiry that does not follow from it");
                }
            }
            range = after;
        }
        Ok(())
    }

    pub(super) async fn counters(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut counters: BTreeMap<(TableNumber, IndexNumber), [i64; 2]> = BTreeMap::new();
        self.each("counters", all(keys::COUNTER), |verifier, key, value| {
            match (index_of(key).filter(|_| key.len() == 7), store::counters(value)) {
                (Some(place), Ok(pair)) => drop(counters.insert(place, pair)),
                _ => verifier.strange(key),
            }
        })
        .await?;
        for held in known.live() {
            let counter = counters.remove(&(held.table.number, 0)).unwrap_or_default();
            let place = format!("table {}", held.table.name);
            self.counter(place, counter, held.items.pair());
            for (index, definition) in held.indexes.iter().zip(indexes(&held.table)) {
                let counter = counters.remove(&(held.table.number, index.number));
                let [count, bytes] = index.found.pair();
                let [more, further] = index.further.pair();
                let place = format!("table {}, index {}", held.table.name, definition.name);
                self.counter(place, counter.unwrap_or_default(), [count + more, bytes + further]);
            }
        }
        for ((table, index), _) in counters {
            if !known.is_gone(table) && !known.dropped_indexes.contains(&(table, index)) {
                let place = format!("table number {table}, index number {index}");
                self.found(place, "it has a counter, but no definition, and is not being removed");
            }
        }
        Ok(())
    }

    fn counter(&mut self, place: String, counter: [i64; 2], found: [i64; 2]) {
        if counter != found {
            let ([count, bytes], [items, total]) = (counter, found);
            let problem = format!(
                "its counter says {count} items of {bytes} bytes, but there are {items} of {total} bytes"
            );
            self.found(place, problem);
        }
    }

    pub(super) async fn collections(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut unknown = BTreeSet::new();
        self.each("item collections", all(keys::COLLECTION), |verifier, key, value| {
            let (Some(table), Ok(pair)) = (table_of(key), store::counters(value)) else {
                return verifier.strange(key);
            };
            if known.is_gone(table) {
                return;
            }
            match known.held(table).filter(|held| !held.table.locals.is_empty()) {
                Some(_) if pair == [0, 0] => {}
                Some(held) => held.collections.1.add(key, value, 0),
                None if unknown.insert(table) => verifier.found(
                    format!("table number {table}"),
                    "it has sizes of item collections, but no local index",
                ),
                None => {}
            }
        })
        .await
    }
}

/// The table and index of a key that begins with its tag, a table and an index.
pub(super) fn index_of(key: &[u8]) -> Option<(TableNumber, IndexNumber)> {
    let index = key.get(5..7)?.try_into().ok().map(IndexNumber::from_be_bytes)?;
    Some((table_of(key)?, index))
}
