//! BatchWriteItem: puts and deletes, each on its own, all of them checked before the
//! first is made.

use super::item_answer::ItemAnswer;
use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    wire::{
        AttributeMap, BatchWriteItemInput, BatchWriteItemOutput, ConsumedCapacity,
        ItemCollectionMetrics, WriteRequest,
    },
};
use engine::{
    Engine, Entry,
    items::{Action, Capacity, ItemError, ItemWrite, PrimaryKey, Written, check_item},
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};
use value::{Item, MAX_ITEM_SIZE, ValueError, item_size};

/// The most writes of one call.
const MOST_WRITES: usize = 25;

pub(crate) async fn batch_write_item(
    engine: &Arc<Engine>,
    request: BatchWriteItemInput,
) -> Result<BatchWriteItemOutput, ApiError> {
    let requests = request.request_items.unwrap_or_default();
    if requests.is_empty() {
        return Err(ApiError::request("The requestItems parameter is required for BatchWriteItem"));
    }
    if requests.values().map(Vec::len).sum::<usize>() > MOST_WRITES {
        return Err(ApiError::request("Too many items requested for the BatchWriteItem call"));
    }
    let mut tables = Vec::with_capacity(requests.len());
    for (given, writes) in requests {
        let actions = writes.into_iter().map(action).collect::<Result<Vec<_>, _>>()?;
        tables.push((TableReference::parse(Some(given))?, actions));
    }
    let mut found = Vec::with_capacity(tables.len());
    for (reference, actions) in tables {
        let entry = reference.usable(engine)?;
        found.push((reference, entry, actions));
    }
    for (_, entry, actions) in &found {
        check(entry, actions)?;
    }

    let wanted = request.return_consumed_capacity;
    let metrics = request.return_item_collection_metrics;
    let mut capacities: Vec<ConsumedCapacity> = Vec::new();
    let mut collections: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
    for (reference, entry, actions) in found {
        let answer = ItemAnswer {
            table: &entry.table,
            given: &reference.given,
            capacity: wanted.as_ref(),
            collection: metrics.as_ref(),
            failed_item: None,
        };
        let partitions: Vec<_> =
            actions.iter().map(|action| answer.partition(item(action))).collect();
        let written = write_all(engine, &entry, actions).await?;
        let mut capacity = Capacity::default();
        for (written, partition) in written.iter().zip(partitions) {
            capacity.add(&written.capacity);
            if let Some(metrics) = answer.collection_metrics(written, partition) {
                collections.entry(reference.given.clone()).or_default().push(metrics);
            }
        }
        capacities.extend(consumed(wanted.as_ref(), &reference.given, &capacity));
    }
    Ok(BatchWriteItemOutput {
        unprocessed_items: Some(BTreeMap::new()),
        item_collection_metrics: (!collections.is_empty()).then_some(collections),
        consumed_capacity: (!capacities.is_empty()).then_some(capacities),
    })
}

/// Writes side by side: they share a commit group, and with it one sync.
async fn write_all(
    engine: &Arc<Engine>,
    entry: &Arc<Entry>,
    actions: Vec<Action>,
) -> Result<Vec<Written>, ApiError> {
    let start = |action| {
        let (engine, entry) = (Arc::clone(engine), Arc::clone(entry));
        let write = ItemWrite { action, condition: None };
        tokio::spawn(async move { engine.write_item(entry, write).await })
    };
    let running: Vec<_> = actions.into_iter().map(start).collect();
    let mut written = Vec::with_capacity(running.len());
    for write in running {
        written.push(write.await.map_err(|cause| ApiError::internal(&cause))??);
    }
    Ok(written)
}

fn action(request: WriteRequest) -> Result<Action, ApiError> {
    match (request.put_request, request.delete_request) {
        (Some(put), None) => {
            let item = put.item.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
            if item_size(&item) > MAX_ITEM_SIZE {
                return Err(ApiError::request("Item size has exceeded the maximum allowed size"));
            }
            Ok(Action::Put(item))
        }
        (None, Some(delete)) => {
            let key = delete.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
            Ok(Action::Delete(key))
        }
        (Some(_), Some(_)) => Err(ValueError::SeveralTypes.into()),
        (None, None) => Err(ValueError::Empty.into()),
    }
}

fn item(action: &Action) -> &Item {
    match action {
        Action::Put(item) | Action::Delete(item) | Action::Check(item) => item,
        Action::Update { key, .. } => key,
    }
}

/// Refuses the whole batch for one bad key, or for two writes of one item.
fn check(entry: &Entry, actions: &[Action]) -> Result<(), ApiError> {
    let mut keys = HashSet::new();
    for action in actions {
        let key = match action {
            Action::Put(item) => {
                let key = PrimaryKey::from_item(&entry.table, item);
                key.and_then(|key| check_item(&entry.table, item).map(|()| key))
            }
            other => PrimaryKey::from_key(&entry.table, item(other)),
        };
        if !keys.insert(key.map_err(ItemError::from)?) {
            return Err(ApiError::validation("Provided list of item keys contains duplicates"));
        }
    }
    Ok(())
}
