//! TransactGetItems: reads of several tables at one moment.

use super::transact_write_items::{DUPLICATE, cancellation, check_keys, check_size, none};
use crate::{
    arn::TableReference,
    consumed::{Units, consumed_in_transaction},
    error::{ApiError, CancellationReason},
    expressions::{Expressions, Parameters},
    wire::{AttributeMap, Get, ItemResponse, TransactGetItemsInput, TransactGetItemsOutput},
};
use bytes::Bytes;
use engine::{
    Engine,
    items::{Capacity, ItemError, KeyError, PrimaryKey, capacity::read_units, check_scalars},
};
use expression::{Cache, Kind, Projection};
use std::collections::BTreeMap;
use value::{Item, codec};

struct Read {
    reference: TableReference,
    key: Item,
    projection: Option<Projection>,
}

pub(crate) async fn transact_get_items(
    engine: &Engine,
    cache: &Cache,
    request: TransactGetItemsInput,
) -> Result<TransactGetItemsOutput, ApiError> {
    let gets = request.transact_items.unwrap_or_default().into_iter();
    let reads = gets.map(|item| read(cache, item.get.unwrap_or_default()));
    let reads = reads.collect::<Result<Vec<_>, _>>()?;
    check_keys(reads.iter().map(|read| (read.reference.name.as_str(), &read.key)))?;
    let mut tables = Vec::with_capacity(reads.len());
    for read in &reads {
        tables.push(read.reference.usable(engine)?);
    }
    let mut keys = Vec::with_capacity(reads.len());
    for (at, (read, entry)) in reads.iter().zip(tables).enumerate() {
        let key = PrimaryKey::from_key(&entry.table, &read.key);
        let key = key.map_err(|error| wrong_key(error, at, reads.len()))?;
        if let Some(projection) = &read.projection {
            check_scalars(&entry.table, projection.nested_paths()).map_err(ItemError::from)?;
        }
        if keys.iter().any(|(other, known): &(std::sync::Arc<engine::Entry>, _)| {
            other.table.number == entry.table.number && *known == key
        }) {
            return Err(ApiError::validation(DUPLICATE));
        }
        keys.push((entry, key));
    }
    let found = engine.get_items(&keys).await?;
    let sizes = stored_sizes(&found)?;
    check_size(sizes.iter().copied())?;
    let mut responses = Vec::with_capacity(reads.len());
    let mut units: BTreeMap<&str, Capacity> = BTreeMap::new();
    for ((read, stored), size) in reads.iter().zip(found).zip(sizes) {
        let cost = Capacity::of_table(read_units(size, true)).doubled();
        units.entry(&read.reference.given).or_default().add(&cost);
        let item = match (stored, &read.projection) {
            (Some(stored), Some(projection)) => {
                Some(AttributeMap::Item(projection.apply(&codec::decode(&stored)?)))
            }
            (stored, _) => stored.map(AttributeMap::Encoded),
        };
        responses.push(ItemResponse { item });
    }
    let wanted = request.return_consumed_capacity.as_ref();
    let consumed = units.iter();
    let consumed: Vec<_> = consumed
        .filter_map(|(table, units)| consumed_in_transaction(wanted, table, units, Units::Read))
        .collect();
    Ok(TransactGetItemsOutput {
        responses: Some(responses),
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
    })
}

/// The sizes of what was found, zero for what was not.
pub(super) fn stored_sizes(found: &[Option<Bytes>]) -> Result<Vec<usize>, ApiError> {
    let size = |stored: &Option<Bytes>| match stored {
        Some(stored) => Ok(codec::ItemRef::new(stored)?.size()),
        None => Ok(0),
    };
    found.iter().map(size).collect()
}

/// The error of a key that does not fit its table. An empty one is a fault of the request.
fn wrong_key(error: KeyError, at: usize, of: usize) -> ApiError {
    if matches!(error, KeyError::Empty { .. }) {
        return ItemError::from(error).into();
    }
    let reasons = (0..of).map(|each| match each == at {
        true => CancellationReason {
            code: "ValidationError",
            message: Some(error.to_string()),
            item: None,
        },
        false => none(),
    });
    cancellation(reasons.collect())
}

fn read(cache: &Cache, get: Get) -> Result<Read, ApiError> {
    let parameters = Parameters {
        expressions: &[(Kind::Projection, get.projection_expression.is_some())],
        legacy: &[],
        with_values: &[],
    };
    parameters.check(get.expression_attribute_names.as_ref(), None)?;
    let key = get.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let mut expressions = Expressions::new(cache, get.expression_attribute_names, None)?;
    let projection = expressions.projection(get.projection_expression.as_deref())?;
    expressions.finish()?;
    Ok(Read { reference: TableReference::parse(get.table_name)?, key, projection })
}
