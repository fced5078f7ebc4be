//! Imports: a new table that is filled before it is in use.

use super::{Compression, FileFormat, Place, TransferState, id, import_key, is_over};
use crate::{
    Engine,
    catalogue::Entry,
    environment::Moment,
    error::EngineError,
    items::{Action, ItemError, ItemWrite, WritePage},
    keys::{JobNumber, Key},
    table::{self, Table},
    tables::CreateError,
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::Arc};
use store::{Decision, Write};
use value::{Item, item_size};

/// An import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Its number.
    pub number: JobNumber,
    /// What its ARN ends with.
    pub id: String,
    /// The name of the table it makes.
    pub table: String,
    /// The ARN of that table.
    pub table_arn: String,
    /// The UUID of that table.
    pub table_id: String,
    /// What was asked for.
    pub plan: ImportPlan,
    /// When it was asked for.
    pub started: Moment,
    /// When it ended.
    pub finished: Option<Moment>,
    /// How it stands.
    pub state: TransferState,
    /// What it has done.
    pub counts: ImportCounts,
}

/// An import as it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportPlan {
    /// Where from.
    pub place: Place,
    /// In which form.
    pub format: FileFormat,
    /// How it is compressed.
    pub compression: Compression,
    /// The table to make.
    pub table: Table,
    /// The client's token.
    pub token: Option<String>,
}

/// What an import has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportCounts {
    /// Bytes that were read.
    pub bytes: u64,
    /// Items that were read.
    pub processed: u64,
    /// Items that were written.
    pub imported: u64,
    /// Items that could not be.
    pub errors: u64,
}

impl Import {
    /// The ARN.
    pub fn arn(&self) -> String {
        format!("{}/import/{}", self.table_arn, self.id)
    }
}

impl Engine {
    /// Makes a table that is to be filled, and files the import that fills it.
    pub async fn create_import(&self, plan: ImportPlan) -> Result<Import, CreateError> {
        let started = self.now();
        let table = plan.table.clone();
        let import_id = id(started, self.environment.random());
        let import = move |number: JobNumber, table: &Table| Import {
            number,
            id: import_id.clone(),
            table: table.name.clone(),
            table_arn: table.arn(),
            table_id: table.uuid.clone(),
            plan: plan.clone(),
            started,
            finished: None,
            state: TransferState::InProgress,
            counts: ImportCounts::default(),
        };
        let filed = import.clone();
        let created = self.create_restored(table, move |number, table| {
            let value = table::write(&filed(number, table))?;
            Ok(vec![Write::Put { key: import_key(number), value }])
        });
        let (number, entry) = created.await?;
        self.transfers.notify_one();
        Ok(import(number, &entry.table))
    }

    /// All imports, oldest first; those that ended long ago are forgotten.
    pub async fn imports(&self) -> Result<Vec<Import>, EngineError> {
        let imports: Vec<Import> = self.records(Key::imports()).await?;
        let now = self.now();
        let (over, known): (Vec<Import>, Vec<Import>) =
            imports.into_iter().partition(|import| is_over(import.finished, now));
        for import in over {
            self.write(vec![Write::Delete { key: import_key(import.number) }]).await?;
        }
        Ok(known)
    }

    /// The table that an import fills, while it is there.
    pub async fn import_target(&self, import: &Import) -> Result<Option<Arc<Entry>>, EngineError> {
        let entry = self.catalogue.refresh(&*self.store, &import.table).await?;
        Ok(entry.filter(|entry| entry.table.uuid == import.table_id))
    }

    /// Writes items into a table that is being filled, all that are valid in one commit. Gives
    /// what is wrong with each of the others, by its place.
    pub async fn import_items(
        &self,
        entry: &Arc<Entry>,
        items: Vec<Item>,
    ) -> Result<Vec<(usize, String)>, EngineError> {
        let mut wrong = Vec::new();
        let mut prepared = HashMap::new();
        for (place, item) in items.into_iter().enumerate() {
            if item_size(&item) > value::MAX_ITEM_SIZE {
                wrong.push((place, ItemError::TooLarge.to_string()));
                continue;
            }
            let write = ItemWrite { action: Action::Put(item), condition: None };
            match self.prepare(Arc::clone(entry), &write).await {
                // Of items with the same key the last one counts.
                Ok(write) => {
                    prepared.insert(write.primary_key().clone(), write);
                }
                Err(ItemError::Engine(error)) => return Err(error),
                Err(error) => wrong.push((place, error.to_string())),
            }
        }
        let page = WritePage(prepared.into_values().collect());
        let keys = page.keys();
        let decide = move |version, current: &[Option<Bytes>]| match page.decide(version, current) {
            Ok(Some((writes, _))) => Decision { writes, outcome: Ok(true) },
            Ok(None) => Decision { writes: Vec::new(), outcome: Ok(false) },
            Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
        };
        match store::commit(&*self.store, keys, decide).await?.outcome {
            Ok(true) => Ok(wrong),
            Ok(false) => Err(EngineError::Unsettled(entry.table.name.clone())),
            Err(ItemError::Engine(error)) => Err(error),
            Err(error) => Err(EngineError::Unsettled(error.to_string())),
        }
    }

    /// Keeps how an import stands. One that has ended puts its table into use.
    pub async fn keep_import(&self, import: &Import) -> Result<(), EngineError> {
        if import.finished.is_some() {
            self.open_restored(&import.table).await?;
        }
        let value = table::write(import)?;
        self.write(vec![Write::Put { key: import_key(import.number), value }]).await
    }
}
