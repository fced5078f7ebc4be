//! BatchGetItem: up to a hundred reads, until the answer is full.

use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    expressions::{Expressions, Parameters},
    wire::{
        AttributeMap, BatchGetItemInput, BatchGetItemOutput, ConsumedCapacity, KeysAndAttributes,
    },
};
use engine::{
    Engine, Entry,
    items::{Capacity, ItemError, PrimaryKey, check_scalars},
};
use expression::{Cache, Kind, Projection, legacy};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};
use value::{Item, codec};

/// The most reads of one call.
const MOST_KEYS: usize = 100;
/// The most bytes of the items in one answer.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// What is to be read from one table.
struct TableRead {
    reference: TableReference,
    /// The request's own words, for the keys that are left over.
    given: KeysAndAttributes,
    keys: Vec<Item>,
    projection: Option<Projection>,
}

pub(crate) async fn batch_get_item(
    engine: &Engine,
    cache: &Cache,
    request: BatchGetItemInput,
) -> Result<BatchGetItemOutput, ApiError> {
    let requests = request.request_items.unwrap_or_default();
    if requests.is_empty() {
        return Err(ApiError::request("The requestItems parameter is required for BatchGetItem"));
    }
    let count = |read: &KeysAndAttributes| read.keys.as_ref().map_or(0, Vec::len);
    for (table, read) in &requests {
        if count(read) > MOST_KEYS {
            return Err(ApiError::request(format!(
                "1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to \
                 satisfy constraint: Member must have length less than or equal to {MOST_KEYS}"
            )));
        }
    }
    let total: usize = requests.values().map(count).sum();
    let reads = requests.into_iter().map(|(table, read)| table_read(cache, table, read));
    let reads = reads.collect::<Result<Vec<_>, _>>()?;
    if total > MOST_KEYS {
        return Err(ApiError::request("Too many items requested for the BatchGetItem call"));
    }
    let mut found = Vec::with_capacity(reads.len());
    for read in reads {
        let entry = read.reference.usable(engine)?;
        found.push((read, entry));
    }
    let mut keyed = Vec::with_capacity(found.len());
    for (read, entry) in found {
        let keys = read.keys.iter().map(|key| PrimaryKey::from_key(&entry.table, key));
        let keys = keys.collect::<Result<Vec<_>, _>>().map_err(ItemError::from)?;
        if let Some(projection) = &read.projection {
            check_scalars(&entry.table, projection.nested_paths()).map_err(ItemError::from)?;
        }
        keyed.push((read, entry, keys));
    }

    let mut answer = BatchGetItemOutput {
        responses: Some(BTreeMap::new()),
        unprocessed_keys: Some(BTreeMap::new()),
        consumed_capacity: None,
    };
    let mut capacities: Vec<ConsumedCapacity> = Vec::new();
    let mut bytes = 0;
    for (read, entry, keys) in keyed {
        let given = read.reference.given.clone();
        let page = read_table(engine, &entry, read, keys, &mut bytes).await?;
        capacities.extend(consumed(
            request.return_consumed_capacity.as_ref(),
            &given,
            &Capacity::of_table(page.units),
        ));
        answer.responses.get_or_insert_default().insert(given.clone(), page.items);
        if let Some(left) = page.left {
            answer.unprocessed_keys.get_or_insert_default().insert(given, left);
        }
    }
    answer.consumed_capacity = (!capacities.is_empty()).then_some(capacities);
    Ok(answer)
}

/// Checks what one table is asked for, without the table.
fn table_read(
    cache: &Cache,
    table: String,
    mut read: KeysAndAttributes,
) -> Result<TableRead, ApiError> {
    let parameters = Parameters {
        expressions: &[(Kind::Projection, read.projection_expression.is_some())],
        legacy: &[("AttributesToGet", read.attributes_to_get.is_some())],
        with_values: &[],
    };
    parameters.check(read.expression_attribute_names.as_ref(), None)?;
    let names = read.attributes_to_get.as_deref();
    let legacy = names.map(legacy::attributes_to_get).transpose()?;
    let mut expressions = Expressions::new(cache, read.expression_attribute_names.clone(), None)?;
    let projection = expressions.projection(read.projection_expression.as_deref())?.or(legacy);
    expressions.finish()?;
    let keys = read.keys.take().unwrap_or_default();
    let keys = keys.into_iter().map(AttributeMap::into_item).collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::new();
    if !keys.iter().all(|key| seen.insert(codec::encode(key))) {
        return Err(ApiError::request("Provided list of item keys contains duplicates"));
    }
    Ok(TableRead { reference: TableReference::parse(Some(table))?, given: read, keys, projection })
}

/// What was read from one table.
struct TablePage {
    items: Vec<AttributeMap>,
    units: f64,
    left: Option<KeysAndAttributes>,
}

async fn read_table(
    engine: &Engine,
    entry: &Arc<Entry>,
    read: TableRead,
    keys: Vec<PrimaryKey>,
    bytes: &mut usize,
) -> Result<TablePage, ApiError> {
    let consistent = read.given.consistent_read.unwrap_or(false);
    let mut page = TablePage { items: Vec::new(), units: 0.0, left: None };
    for (at, key) in keys.iter().enumerate() {
        let found = engine.get_item(entry, key, consistent).await?;
        let size = match &found.item {
            Some(stored) => codec::ItemRef::new(stored)?.size(),
            None => 0,
        };
        *bytes += size;
        if *bytes > MOST_BYTES {
            let left = read.keys.into_iter().skip(at).map(AttributeMap::Item).collect();
            page.left = Some(KeysAndAttributes { keys: Some(left), ..read.given });
            break;
        }
        page.units += found.units;
        let Some(stored) = found.item else { continue };
        page.items.push(match &read.projection {
            Some(projection) => AttributeMap::Item(projection.apply(&codec::decode(&stored)?)),
            None => AttributeMap::Encoded(stored),
        });
    }
    Ok(page)
}
