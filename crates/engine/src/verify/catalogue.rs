//! What there is: the definitions of tables, and what is marked for removal.

use super::{Verifier, tally::Tally};
use crate::{
    error::EngineError,
    items::indexes,
    keys::{IndexNumber, JobNumber, Key, ShardNumber, TableNumber},
    log::Shard,
    table::{self, IndexState, Table},
};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that keys may belong to.
#[derive(Default)]
pub(super) struct Known {
    pub(super) tables: BTreeMap<TableNumber, Role>,
    pub(super) dropped_indexes: BTreeSet<(TableNumber, IndexNumber)>,
    pub(super) dropped_expiries: BTreeSet<(TableNumber, u32)>,
    pub(super) shards: BTreeMap<(TableNumber, ShardNumber), Shard>,
    pub(super) views: BTreeMap<(TableNumber, u32), table::StreamView>,
    pub(super) changes: BTreeMap<TableNumber, u64>,
    /// Tables that a restore or an import is filling.
    pub(super) filled: BTreeSet<String>,
    pub(super) backups: BTreeMap<JobNumber, super::jobs::Saved>,
}

/// What the number of a table stands for.
pub(super) enum Role {
    /// A table.
    Live(Box<Held>),
    /// A table that is gone; what is left of it is to be removed.
    Dropped,
    /// A table that is gone, whose items are a backup.
    Kept(Box<Table>),
}

/// A table, what it should hold and what it does.
pub(super) struct Held {
    pub(super) table: Table,
    pub(super) items: Tally,
    pub(super) indexes: Vec<HeldIndex>,
    pub(super) expiry: Option<HeldExpiry>,
    /// Item collections, in tables with local indexes: expected and found.
    pub(super) collections: (Tally, Tally),
}

/// An index that is kept up to date.
pub(super) struct HeldIndex {
    pub(super) number: IndexNumber,
    pub(super) taken: Taken,
    pub(super) expected: Tally,
    pub(super) found: Tally,
    /// Entries beyond those that the sums are about.
    pub(super) further: Tally,
}

/// The expiries of a table.
pub(super) struct HeldExpiry {
    pub(super) generation: u32,
    pub(super) taken: Taken,
    pub(super) expected: Tally,
    pub(super) found: Tally,
}

/// Which items of a table have been taken into an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Taken {
    All,
    /// Those up to this one, and those that were written since.
    UpTo(Bytes),
    /// Those that were written since.
    None,
}

impl Taken {
    pub(super) fn has(&self, item: &[u8]) -> bool {
        match self {
            Taken::All => true,
            Taken::UpTo(last) => item <= last.as_ref(),
            Taken::None => false,
        }
    }
}

impl Known {
    pub(super) fn live(&self) -> impl Iterator<Item = &Held> {
        self.tables.values().filter_map(|role| match role {
            Role::Live(held) => Some(&**held),
            Role::Dropped | Role::Kept(_) => None,
        })
    }

    pub(super) fn held(&mut self, table: TableNumber) -> Option<&mut Held> {
        match self.tables.get_mut(&table) {
            Some(Role::Live(held)) => Some(held),
            _ => None,
        }
    }

    pub(super) fn is_gone(&self, table: TableNumber) -> bool {
        matches!(self.tables.get(&table), Some(Role::Dropped | Role::Kept(_)))
    }
}

impl Verifier<'_> {
    pub(super) async fn catalogue(&mut self) -> Result<Known, EngineError> {
        let mut known = Known::default();
        let next = self.snapshot.get(&Key::NextTable.encode()).await?;
        let next = next.and_then(|bytes| bytes.as_ref().try_into().ok()).map(u32::from_be_bytes);
        let mut tables = Vec::new();
        self.each("definitions", Key::definitions(), |verifier, key, value| {
            let name = String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned();
            match table::read::<Table>(value) {
                Ok(table) if table.name == name => tables.push(table),
                Ok(table) => verifier.found(
                    format!("table {name}"),
                    format!("its definition is that of a table {}", table.name),
                ),
                Err(error) => verifier.found(format!("table {name}"), error.to_string()),
            }
        })
        .await?;
        for table in tables {
            self.summary.tables += 1;
            self.definition(&table, next);
            let held = self.held(table).await?;
            let (number, name) = (held.table.number, held.table.name.clone());
            if let Some(Role::Live(other)) = known.tables.insert(number, Role::Live(Box::new(held)))
            {
                let problem = format!("it has the number {number}, as has {}", other.table.name);
                self.found(format!("table {name}"), problem);
            }
        }
        self.dropped(&mut known).await?;
        Ok(known)
    }

    fn definition(&mut self, table: &Table, next: Option<TableNumber>) {
        let place = format!("table {}", table.name);
        if next.is_none_or(|next| table.number >= next) {
            let problem =
                format!("its number is {}, but the next to be given is {next:?}", table.number);
            self.found(&place, problem);
        }
        let locals = table.locals.iter().map(|index| index.number);
        let mut numbers = BTreeSet::new();
        for number in locals.chain(table.globals.iter().map(|index| index.number)) {
            if number == 0 || number >= table.next_index || !numbers.insert(number) {
                let next = table.next_index;
                self.found(&place, format!("an index has the number {number}; the next is {next}"));
            }
        }
        let mut hash = Some(0u16);
        for shard in &table.shards {
            if Some(shard.first) != hash
                || shard.last < shard.first
                || shard.number >= table.next_shard
            {
                let problem = format!(
                    "the open shard {} takes the hashes {} to {}; expected a shard below {} from {hash:?} on",
                    shard.number, shard.first, shard.last, table.next_shard
                );
                self.found(&place, problem);
            }
            hash = shard.last.checked_add(1);
        }
        // A table from before there was a log gets its shards at the next start.
        if !table.shards.is_empty() && hash.is_some() {
            self.found(place, format!("no open shard takes the hashes from {hash:?} on"));
        }
    }

    async fn held(&mut self, table: Table) -> Result<Held, EngineError> {
        let mut held = Held {
            items: Tally::default(),
            indexes: Vec::new(),
            expiry: None,
            collections: <(Tally, Tally)>::default(),
            table,
        };
        let number = held.table.number;
        for index in indexes(&held.table) {
            let key = Key::Progress { table: number, index: index.number }.encode();
            let taken = match self.snapshot.get(&key).await? {
                _ if !index.building => Taken::All,
                Some(last) => Taken::UpTo(last),
                None => Taken::None,
            };
            held.indexes.push(HeldIndex {
                number: index.number,
                taken,
                expected: Tally::default(),
                found: Tally::default(),
                further: Tally::default(),
            });
        }
        if let Some(setting) = held.table.expiry() {
            let key = Key::ExpiryProgress { table: number }.encode();
            let taken = match self.snapshot.get(&key).await? {
                _ if setting.complete => Taken::All,
                Some(last) => Taken::UpTo(last),
                None => Taken::None,
            };
            held.expiry = Some(HeldExpiry {
                generation: setting.generation,
                taken,
                expected: Tally::default(),
                found: Tally::default(),
            });
        }
        Ok(held)
    }

    async fn dropped(&mut self, known: &mut Known) -> Result<(), EngineError> {
        self.each("removals", Key::dropped(), |verifier, key, _| match Key::dropped_table(key) {
            Some(table) if known.held(table).is_none() => {
                known.tables.insert(table, Role::Dropped);
            }
            Some(table) => verifier.found(
                format!("table number {table}"),
                "it is marked for removal, but has a definition",
            ),
            None => verifier.strange(key),
        })
        .await?;
        self.each("removals", Key::dropped_indexes(), |verifier, key, _| match Key::dropped_index(
            key,
        ) {
            Some(place) => drop(known.dropped_indexes.insert(place)),
            None => verifier.strange(key),
        })
        .await?;
        self.each("removals", Key::dropped_expiries(), |verifier, key, _| {
            match Key::dropped_generation(key) {
                Some(place) => drop(known.dropped_expiries.insert(place)),
                None => verifier.strange(key),
            }
        })
        .await?;
        // An index that is being deleted is not kept up to date any more.
        let deleted = known.live().flat_map(|held| {
            let globals = held.table.globals.iter();
            let deleted = globals.filter(|i| matches!(i.state, IndexState::Deleting { .. }));
            deleted.map(|index| (held.table.number, index.number)).collect::<Vec<_>>()
        });
        let deleted: Vec<_> = deleted.collect();
        known.dropped_indexes.extend(deleted);
        Ok(())
    }
}
