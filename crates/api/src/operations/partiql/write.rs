//! The write that an INSERT, UPDATE, DELETE or EXISTS is.

use super::{super::item_answer::ItemAnswer, KEY_REQUIRED};
use crate::{
    arn::TableReference,
    error::{ApiError, ErrorKind},
    wire::{AttributeMap, ReturnValuesOnConditionCheckFailure},
};
use engine::{
    Engine, Entry,
    items::{Action, ItemError, ItemWrite, Written},
    table::Table,
};
use expression::partiql::{Filter, Returning, Statement, no_item};
use std::sync::Arc;
use value::{Item, MAX_ITEM_SIZE, item_size};

/// A write with the table it goes to.
pub(in super::super) struct StatementWrite {
    pub(in super::super) reference: TableReference,
    pub(in super::super) entry: Arc<Entry>,
    pub(in super::super) write: ItemWrite,
    pub(in super::super) is_insert: bool,
    returning: Option<Returning>,
}

/// What a failed INSERT is told.
const DUPLICATE: &str = "Duplicate primary key exists in table";

/// Brings a statement into the form of a write. A SELECT is none.
pub(in super::super) fn statement_write(
    engine: &Engine,
    statement: Statement,
) -> Result<StatementWrite, ApiError> {
    let from = statement.target();
    if from.index.is_some() {
        return Err(ApiError::request("Writes on indices are not supported"));
    }
    if let Statement::Insert { item, .. } = &statement
        && item_size(item) > MAX_ITEM_SIZE
    {
        return Err(ApiError::request("Item size has exceeded the maximum allowed size"));
    }
    let reference = TableReference::parse(Some(from.table.to_string()))?;
    let entry = reference.usable(engine)?;
    let table = &entry.table;
    let is_insert = matches!(statement, Statement::Insert { .. });
    let mut returned = None;
    let write = match statement {
        Statement::Insert { item, .. } => {
            ItemWrite { action: Action::Put(item), condition: Some(no_item(partition(table))) }
        }
        Statement::Update { update, filter, returning, .. } => {
            let (key, filter) = keyed(table, filter)?;
            returned = returning;
            // Its equality with the key does not hold where there is no item.
            let condition = Some(filter.condition().clone());
            ItemWrite { action: Action::Update { key, update }, condition }
        }
        Statement::Delete { filter, returns_old, .. } => {
            let (key, filter) = keyed(table, filter)?;
            returned = returns_old.then_some(Returning { modified: false, new: false });
            let more = filter.is_more_than(table.key.len());
            let condition = more.then(|| filter.or_no_item(partition(table)));
            ItemWrite { action: Action::Delete(key), condition }
        }
        Statement::Exists(select) | Statement::Select(select) => {
            let (key, filter) = keyed(table, select.filter)?;
            let condition = Some(filter.condition().clone());
            ItemWrite { action: Action::Check(key), condition }
        }
    };
    Ok(StatementWrite { reference, entry, write, is_insert, returning: returned })
}

/// An attribute that every item has.
fn partition(table: &Table) -> &str {
    table.key.partition.first().map_or("", |attribute| attribute.name.as_str())
}

/// The key that a filter gives in full, and the filter.
fn keyed(table: &Table, filter: Option<Filter>) -> Result<(Item, Filter), ApiError> {
    let names = || table.key.attributes().map(|attribute| attribute.name.as_str());
    filter
        .and_then(|filter| Some((filter.equalities(names())?, filter)))
        .ok_or_else(|| ApiError::validation(KEY_REQUIRED))
}

/// The error of an INSERT of an item that is there.
pub(in super::super) fn duplicate_item() -> ApiError {
    ApiError::new(ErrorKind::DuplicateItem, DUPLICATE)
}

impl StatementWrite {
    /// Makes the write; gives what it did, and the item it gives back.
    pub(in super::super) async fn make(
        &self,
        engine: &Engine,
        failed_item: Option<&ReturnValuesOnConditionCheckFailure>,
    ) -> Result<(Written, Option<AttributeMap>), ApiError> {
        let written = engine.write_item(Arc::clone(&self.entry), self.write.clone()).await;
        let mut written = written.map_err(|error| match error {
            ItemError::ConditionFailed(_) if self.is_insert => duplicate_item(),
            other => {
                let answer = ItemAnswer {
                    table: &self.entry.table,
                    given: &self.reference.given,
                    capacity: None,
                    collection: None,
                    failed_item,
                };
                answer.error(other)
            }
        })?;
        let returned = self.returned(&mut written);
        Ok((written, returned))
    }

    /// What RETURNING asks for; nothing touched gives nothing.
    fn returned(&self, written: &mut Written) -> Option<AttributeMap> {
        match self.returning? {
            Returning { modified: false, new: false } => {
                written.old.take().map(AttributeMap::Encoded)
            }
            Returning { modified: false, new: true } => {
                written.new.take().map(AttributeMap::Encoded)
            }
            Returning { modified: true, new } => {
                let (updated, old) = written.updated.as_ref()?;
                let item =
                    if new { updated.updated_new() } else { updated.updated_old(old.as_ref()) };
                (!item.is_empty()).then_some(AttributeMap::Item(item))
            }
        }
    }
}
