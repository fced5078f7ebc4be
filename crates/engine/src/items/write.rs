//! Writing items: `keys -> their current values -> decide -> commit`. The
//! decision is a pure function that the store may run again.

use super::{
    Capacity, ItemError, KeyError, PrimaryKey,
    change::{self, Effects, Image, effects},
    index::{self, Origin},
    key::check_scalars,
};
use crate::{
    Engine,
    catalogue::Entry,
    error::EngineError,
    expiry,
    keys::Key,
    log::{Actor, Position},
    table::Table,
};
use bytes::Bytes;
use expression::{Condition, Update, UpdateError, Updated};
use std::sync::Arc;
use store::{Decision, Version};
use value::{Item, MAX_ITEM_SIZE, codec};
use xxhash_rust::xxh3::xxh3_128;

/// A write of one item, as a request asks for it.
#[derive(Debug, Clone)]
pub struct ItemWrite {
    /// What is to become of the item.
    pub action: Action,
    /// What must hold for the item there is.
    pub condition: Option<Condition>,
}

/// What is to become of an item. Keys are given as in a request.
#[derive(Debug, Clone)]
pub enum Action {
    /// It is replaced by this one.
    Put(Item),
    /// It is changed, or created.
    Update {
        /// Its key.
        key: Item,
        /// The change.
        update: Update,
    },
    /// It is removed.
    Delete(Item),
    /// It stays; only its condition is of interest.
    Check(Item),
}

/// What a write did.
#[derive(Debug)]
pub struct Written {
    /// The item as it was before, in its stored form.
    pub old: Option<Bytes>,
    /// The item as it is, in its stored form.
    pub new: Option<Bytes>,
    /// What an update touched, and the item it met.
    pub updated: Option<(Updated, Option<Item>)>,
    /// Write units it cost.
    pub capacity: Capacity,
    /// The bytes of the item collection, if the table has local indexes.
    pub collection_bytes: Option<i64>,
}

/// A write brought into the form in which it is decided.
pub(crate) struct Prepared {
    pub(super) entry: Arc<Entry>,
    pub(super) key: PrimaryKey,
    action: PreparedAction,
    condition: Option<Condition>,
    collection_limit: i64,
    /// Where the item there is would stand in indexes that are being built. Whether it
    /// does is read in the commit.
    pub(super) foreseen: Vec<Bytes>,
}

enum PreparedAction {
    /// Put this, or delete.
    Replace(Option<Image>),
    Keep,
    /// Delete, if it is this second at which it expires.
    Expire(u64),
    /// Put this, or delete, if the item there is has this digest.
    PutBack {
        image: Option<Image>,
        seen: u128,
    },
    Update {
        key: Item,
        update: Update,
    },
}

/// What came out of a decision.
pub(crate) enum Outcome {
    Done(Box<Written>),
    /// The table was changed or deleted since the write was prepared.
    TableChanged,
    /// The item was changed since it was looked at for indexes that are being built.
    Unforeseen,
}

/// How often a write follows a changing table before it gives up.
pub(super) const MOST_ATTEMPTS: usize = 1000;

impl Engine {
    /// Writes one item.
    pub async fn write_item(
        &self,
        mut entry: Arc<Entry>,
        write: ItemWrite,
    ) -> Result<Written, ItemError> {
        let name = entry.table.name.clone();
        for _ in 0..MOST_ATTEMPTS {
            let prepared = self.prepare(Arc::clone(&entry), &write).await?;
            let keys = prepared.keys();
            let decide = move |version, current: &[Option<Bytes>]| match prepared
                .decide(version, 0, current)
            {
                Ok((writes, outcome)) => Decision { writes, outcome: Ok(outcome) },
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            };
            match store::commit(&*self.store, keys, decide).await?.outcome? {
                Outcome::Done(written) => return Ok(*written),
                Outcome::TableChanged => {
                    self.catalogue.refresh(&*self.store, &name).await?;
                    entry = self.usable_table(&name)?;
                }
                Outcome::Unforeseen => {}
            }
        }
        Err(EngineError::Unsettled(name).into())
    }

    /// Brings a write into the form in which it is decided.
    pub(crate) async fn prepare(
        &self,
        entry: Arc<Entry>,
        write: &ItemWrite,
    ) -> Result<Prepared, ItemError> {
        let prepared = Prepared::new(entry, write, self.settings.collection_limit)?;
        Ok(self.foreseeing(prepared).await?)
    }

    /// Prepares putting back an item as it was stored, or that it was not there. If a digest
    /// is given, the item there is must have it, or else it stays.
    pub(crate) fn prepare_stored(
        &self,
        entry: Arc<Entry>,
        key: PrimaryKey,
        stored: Option<&Bytes>,
        seen: Option<u128>,
    ) -> Result<Prepared, EngineError> {
        let image = match stored {
            Some(bytes) => {
                // What comes from the log or from a backup is read whole before it is put back.
                codec::decode(bytes)?;
                Some(Image::stored(&entry.table, &key, bytes)?)
            }
            None => None,
        };
        let action = match seen {
            Some(seen) => PreparedAction::PutBack { image, seen },
            None => PreparedAction::Replace(image),
        };
        let collection_limit = i64::MAX;
        Ok(Prepared { entry, key, action, condition: None, collection_limit, foreseen: Vec::new() })
    }

    /// Prepares the deletion of an item that expires at a second.
    pub(crate) async fn prepare_expired(
        &self,
        entry: Arc<Entry>,
        key: PrimaryKey,
        seconds: u64,
    ) -> Result<Prepared, EngineError> {
        let prepared = Prepared {
            entry,
            key,
            action: PreparedAction::Expire(seconds),
            condition: None,
            collection_limit: self.settings.collection_limit,
            foreseen: Vec::new(),
        };
        self.foreseeing(prepared).await
    }

    /// Looks where the item stands in indexes that are being built.
    pub(crate) async fn foreseeing(&self, mut prepared: Prepared) -> Result<Prepared, EngineError> {
        if index::indexes(&prepared.entry.table).any(|index| index.building) {
            prepared.foreseen = self.foresee(&prepared).await?;
        }
        Ok(prepared)
    }

    /// The keys of the item's entries in indexes that are being built.
    async fn foresee(&self, prepared: &Prepared) -> Result<Vec<Bytes>, EngineError> {
        let table = &prepared.entry.table;
        let snapshot = self.store.snapshot().await?;
        let Some(bytes) = snapshot.get(&prepared.key.storage_key(table.number)).await? else {
            return Ok(Vec::new());
        };
        let image = Image::stored(table, &prepared.key, &bytes)?;
        Ok(image.building(table).map(|(_, key)| key.clone()).collect())
    }
}

impl Prepared {
    fn new(
        entry: Arc<Entry>,
        write: &ItemWrite,
        collection_limit: i64,
    ) -> Result<Prepared, ItemError> {
        let table = &entry.table;
        let (key, action) = match &write.action {
            Action::Put(item) => {
                let key = PrimaryKey::from_item(table, item)?;
                index::check(table, item, Origin::Put)?;
                let image = Image::new(table, &key, item)?;
                if image.weight(table) > MAX_ITEM_SIZE {
                    return Err(ItemError::TooLarge);
                }
                (key, PreparedAction::Replace(Some(image)))
            }
            Action::Update { key: given, update } => {
                let key = PrimaryKey::from_key(table, given)?;
                check_update(table, update)?;
                let action = PreparedAction::Update { key: given.clone(), update: update.clone() };
                (key, action)
            }
            Action::Delete(given) => {
                (PrimaryKey::from_key(table, given)?, PreparedAction::Replace(None))
            }
            Action::Check(given) => (PrimaryKey::from_key(table, given)?, PreparedAction::Keep),
        };
        if let Some(condition) = &write.condition {
            check_scalars(table, condition.nested_paths())?;
        }
        let condition = write.condition.clone();
        let foreseen = Vec::new();
        Ok(Prepared { entry, key, action, condition, collection_limit, foreseen })
    }

    /// The item's key.
    pub(crate) fn primary_key(&self) -> &PrimaryKey {
        &self.key
    }

    /// Whether it puts back an item that nobody may have changed.
    pub(crate) fn puts_back(&self) -> bool {
        matches!(self.action, PreparedAction::PutBack { .. })
    }

    /// The definition, the item, and the size of its collection if there is a limit to it.
    pub(crate) fn keys(&self) -> Vec<Bytes> {
        let table = &self.entry.table;
        let mut keys = vec![
            Key::Definition { table: &table.name }.encode(),
            self.key.storage_key(table.number),
        ];
        if !table.locals.is_empty() {
            let partition = &self.key.partition;
            keys.push(Key::Collection { table: table.number, partition }.encode());
        }
        keys.extend_from_slice(&self.foreseen);
        keys
    }

    /// The writes at a version, as the given one of several changes.
    pub(crate) fn decide(
        &self,
        version: Version,
        ordinal: u16,
        current: &[Option<Bytes>],
    ) -> Result<(Vec<store::Write>, Outcome), ItemError> {
        let mut current = current.iter().map(Option::as_ref);
        if current.next().flatten() != Some(&self.entry.record) {
            return Ok((Vec::new(), Outcome::TableChanged));
        }
        let old = current.next().flatten();
        let table = &self.entry.table;
        let collection = if table.locals.is_empty() { None } else { current.next() };
        let item = old.filter(|_| self.takes_item_apart()).map(|bytes| codec::decode(bytes));
        let item = item.transpose()?;
        if let Some(condition) = &self.condition
            && !condition.matches(item.as_ref().unwrap_or(&Item::new()))
        {
            return Err(ItemError::ConditionFailed(old.cloned()));
        }
        let stored = |bytes| Image::stored(table, &self.key, bytes);
        let mut old_image = old.map(stored).transpose()?;
        if let Some(image) = &mut old_image {
            let building: Vec<_> =
                image.building(table).map(|(at, key)| (at, key.clone())).collect();
            if !building.iter().map(|(_, key)| key).eq(&self.foreseen) {
                return Ok((Vec::new(), Outcome::Unforeseen));
            }
            for ((position, _), entry) in building.into_iter().zip(current) {
                if entry.is_none() {
                    image.forget(position);
                }
            }
        }
        let mut updated = None;
        let made;
        let new_image = match &self.action {
            PreparedAction::Replace(image) => image.as_ref(),
            PreparedAction::Keep => old_image.as_ref(),
            PreparedAction::PutBack { image, seen } if digest(old) == *seen => image.as_ref(),
            PreparedAction::PutBack { .. } => old_image.as_ref(),
            PreparedAction::Expire(seconds) => {
                let expires = |stored| match table.expiry() {
                    Some(setting) => expiry::seconds(setting, stored),
                    None => Ok(None),
                };
                let due = old.map(|stored| expires(stored)).transpose()?.flatten();
                old_image.as_ref().filter(|_| due != Some(*seconds))
            }
            PreparedAction::Update { key, update } => {
                let outcome = update.apply(item.as_ref(), key)?;
                made = self.update_image(&outcome)?;
                updated = Some((outcome, item));
                made.as_ref()
            }
        };
        let actor = match self.action {
            PreparedAction::Expire(_) => Actor::TimeToLive,
            _ => Actor::User,
        };
        let origin = change::Origin { position: Position { version, ordinal }, actor };
        let Effects { writes, capacity, collection: growth } =
            effects(table, &self.key, old_image.as_ref(), new_image, origin);
        let collection_bytes = match collection {
            Some(counter) => Some(self.grow(counter, growth)?),
            None => None,
        };
        let written = Written {
            old: old.cloned(),
            new: new_image.map(|image| image.bytes.clone()),
            updated,
            capacity,
            collection_bytes,
        };
        Ok((writes, Outcome::Done(Box::new(written))))
    }

    /// Whether the decision needs more of the item there is than its size and its keys.
    fn takes_item_apart(&self) -> bool {
        self.condition.is_some() || matches!(self.action, PreparedAction::Update { .. })
    }

    /// The image of an updated item, once it has passed the checks of its result.
    fn update_image(&self, updated: &Updated) -> Result<Option<Image>, ItemError> {
        let Some(item) = &updated.item else { return Ok(None) };
        let table = &self.entry.table;
        index::check(table, item, Origin::Update)?;
        let image = Image::new(table, &self.key, item)?;
        if image.weight(table).max(updated.weight) > MAX_ITEM_SIZE {
            return Err(UpdateError::TooLarge.into());
        }
        Ok(Some(image))
    }

    /// The collection's bytes after the change; a full one may only shrink.
    fn grow(&self, counter: Option<&Bytes>, [_, growth]: [i64; 2]) -> Result<i64, ItemError> {
        let [_, bytes] = match counter {
            Some(value) => store::counters(value)?,
            None => [0, 0],
        };
        let bytes = bytes + growth;
        if growth > 0 && bytes > self.collection_limit {
            return Err(ItemError::CollectionFull);
        }
        Ok(bytes)
    }
}

/// Tells the states of an item apart; zero if it is not there.
pub(crate) fn digest(stored: Option<&Bytes>) -> u128 {
    stored.map_or(0, |bytes| xxh3_128(bytes))
}

/// What can be said against an update before the item is read.
fn check_update(table: &Table, update: &Update) -> Result<(), KeyError> {
    let is_key = |name: &str| table.key.attributes().any(|attribute| attribute.name == name);
    if let Some(name) = update.targets().find(|name| is_key(name)) {
        return Err(KeyError::Updated(name.to_owned()));
    }
    check_scalars(table, update.nested_paths())?;
    update.literals().try_for_each(|(name, value)| index::check_literal(table, name, value))
}
