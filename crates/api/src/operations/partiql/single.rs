//! A SELECT of one item by its full key, as batches and transactions have them.

use crate::{arn::TableReference, error::ApiError, wire::AttributeMap};
use bytes::Bytes;
use engine::{
    Engine, Entry,
    items::{ItemError, PrimaryKey, check_scalars},
};
use expression::{Condition, Projection, partiql::Select};
use std::sync::Arc;
use value::codec;

/// A read of one item.
pub(in super::super) struct SingleRead {
    pub(in super::super) reference: TableReference,
    pub(in super::super) entry: Arc<Entry>,
    pub(in super::super) key: PrimaryKey,
    /// What must hold besides the key.
    condition: Option<Condition>,
    projection: Option<Projection>,
}

/// Finds the key of a SELECT; `operation` is the one that needs it.
pub(in super::super) fn single_read(
    engine: &Engine,
    select: Select,
    operation: &str,
) -> Result<SingleRead, ApiError> {
    let reference = TableReference::parse(Some(select.from.table.to_string()))?;
    let entry = reference.usable(engine)?;
    let table = &entry.table;
    let names = || table.key.attributes().map(|attribute| attribute.name.as_str());
    let found = select.filter.and_then(|filter| Some((filter.equalities(names())?, filter)));
    let Some((key, filter)) = found else {
        return Err(ApiError::validation(format!(
            "Select statements within {operation} must specify the primary key in the where clause."
        )));
    };
    let key = PrimaryKey::from_key(table, &key).map_err(ItemError::from)?;
    let condition = filter.is_more_than(table.key.len()).then(|| filter.condition().clone());
    let nested = condition.iter().flat_map(Condition::nested_paths);
    check_scalars(table, nested).map_err(ItemError::from)?;
    let nested = select.projection.iter().flat_map(Projection::nested_paths);
    check_scalars(table, nested).map_err(ItemError::from)?;
    Ok(SingleRead { reference, entry, key, condition, projection: select.projection })
}

impl SingleRead {
    /// What is given of the item that was found.
    pub(in super::super) fn given(
        &self,
        stored: Option<Bytes>,
    ) -> Result<Option<AttributeMap>, ApiError> {
        let Some(stored) = stored else { return Ok(None) };
        if self.condition.is_none() && self.projection.is_none() {
            return Ok(Some(AttributeMap::Encoded(stored)));
        }
        let item = codec::decode(&stored)?;
        if self.condition.as_ref().is_some_and(|condition| !condition.matches(&item)) {
            return Ok(None);
        }
        Ok(Some(match &self.projection {
            Some(projection) => AttributeMap::Item(projection.apply(&item)),
            None => AttributeMap::Item(item),
        }))
    }
}
