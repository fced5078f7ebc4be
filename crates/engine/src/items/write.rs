//! Writing items: `keys -> their current values -> decide -> commit`. The
//! decision is a pure function that the store may run again.

use super::{
    Capacity, ItemError, PrimaryKey,
    change::{Effects, Image, effects},
    index,
};
use crate::{Engine, catalogue::Entry, error::EngineError, keys::Key};
use bytes::Bytes;
use std::sync::Arc;
use store::Decision;
use value::{CodecError, Item};

/// What is to become of one item.
#[derive(Debug, Clone)]
pub enum ItemWrite {
    /// It is replaced by this one.
    Put(Item),
    /// It is removed; the key is given as in a request.
    Delete(Item),
}

/// What a write did.
pub struct Written {
    /// The item as it was before, in its stored form.
    pub old: Option<Bytes>,
    /// Write units it cost.
    pub capacity: Capacity,
}

/// A write brought into the form in which it is decided.
struct Prepared {
    entry: Arc<Entry>,
    key: PrimaryKey,
    new: Option<Image>,
}

/// What came out of a decision.
enum Outcome {
    Done(Written),
    /// The table was changed or deleted since the write was prepared.
    TableChanged,
}

/// How often a write follows a changing table before it gives up.
const MOST_ATTEMPTS: usize = 16;

impl Engine {
    /// Writes one item.
    pub async fn write_item(
        &self,
        mut entry: Arc<Entry>,
        write: ItemWrite,
    ) -> Result<Written, ItemError> {
        let name = entry.table.name.clone();
        for _ in 0..MOST_ATTEMPTS {
            let prepared = Prepared::new(entry, &write)?;
            let table = &prepared.entry.table;
            let keys = vec![
                Key::Definition { table: &name }.encode(),
                prepared.key.storage_key(table.number),
            ];
            let decide = move |_, current: &[Option<Bytes>]| prepared.decide(current);
            match store::commit(&*self.store, keys, decide).await?.outcome? {
                Outcome::Done(written) => return Ok(written),
                Outcome::TableChanged => {
                    self.catalogue.refresh(&*self.store, &name).await?;
                    entry = self.usable_table(&name)?;
                }
            }
        }
        Err(EngineError::Unsettled(name).into())
    }
}

impl Prepared {
    fn new(entry: Arc<Entry>, write: &ItemWrite) -> Result<Prepared, ItemError> {
        let table = &entry.table;
        let (key, new) = match write {
            ItemWrite::Put(item) => {
                let key = PrimaryKey::from_item(table, item)?;
                index::check(table, item)?;
                let image = Image::new(table, &key, item);
                (key, Some(image))
            }
            ItemWrite::Delete(key) => (PrimaryKey::from_key(table, key)?, None),
        };
        Ok(Prepared { entry, key, new })
    }

    fn decide(&self, current: &[Option<Bytes>]) -> Decision<Result<Outcome, CodecError>> {
        let mut current = current.iter();
        if current.next().and_then(Option::as_ref) != Some(&self.entry.record) {
            return Decision { writes: Vec::new(), outcome: Ok(Outcome::TableChanged) };
        }
        let old = current.next().and_then(Option::as_ref);
        match self.change(old) {
            Ok(Effects { writes, capacity }) => {
                let written = Written { old: old.cloned(), capacity };
                Decision { writes, outcome: Ok(Outcome::Done(written)) }
            }
            Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
        }
    }

    fn change(&self, old: Option<&Bytes>) -> Result<Effects, CodecError> {
        let table = &self.entry.table;
        let old = old.map(|bytes| Image::stored(table, &self.key, bytes)).transpose()?;
        Ok(effects(table, &self.key, old.as_ref(), self.new.as_ref()))
    }
}
