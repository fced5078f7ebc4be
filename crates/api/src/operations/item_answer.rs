//! What the answers of PutItem, UpdateItem and DeleteItem have in common.

use crate::{
    consumed::consumed,
    error::{ApiError, ErrorKind},
    wire::{
        AttributeMap, ConsumedCapacity, Double, ItemCollectionMetrics, ReturnConsumedCapacity,
        ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure,
    },
};
use engine::{
    items::{ItemError, Written},
    table::Table,
};
use value::Item;

/// What a write is to be answered with.
pub(super) struct ItemAnswer<'a> {
    pub(super) table: &'a Table,
    /// The table as the request names it.
    pub(super) given: &'a str,
    pub(super) capacity: Option<&'a ReturnConsumedCapacity>,
    pub(super) collection: Option<&'a ReturnItemCollectionMetrics>,
    pub(super) failed_item: Option<&'a ReturnValuesOnConditionCheckFailure>,
}

const GIGABYTE: f64 = 1024.0 * 1024.0 * 1024.0;

impl ItemAnswer<'_> {
    pub(super) fn consumed(&self, written: &Written) -> Option<ConsumedCapacity> {
        consumed(self.capacity, self.given, &written.capacity)
    }

    /// The partition key of an item or a key, if the answer is to show it.
    pub(super) fn partition(&self, item: &Item) -> Option<Item> {
        let wanted = self.collection == Some(&ReturnItemCollectionMetrics::Size);
        let names = self.table.key.partition.iter().map(|attribute| &attribute.name);
        let entries = names.filter_map(|name| item.get_key_value(name));
        wanted.then(|| entries.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// The size of the item collection, between two whole gigabytes.
    #[expect(clippy::cast_precision_loss, reason = "an estimate in gigabytes")]
    pub(super) fn collection_metrics(
        &self,
        written: &Written,
        partition: Option<Item>,
    ) -> Option<ItemCollectionMetrics> {
        let lower = (written.collection_bytes? as f64 / GIGABYTE).floor();
        Some(ItemCollectionMetrics {
            item_collection_key: Some(AttributeMap::Item(partition?)),
            size_estimate_range_gb: Some(vec![Double(lower), Double(lower + 1.0)]),
        })
    }

    /// The error, with the item that failed the condition if that was asked for.
    pub(super) fn error(&self, error: ItemError) -> ApiError {
        match error {
            ItemError::ConditionFailed(old) => {
                let wanted = self.failed_item == Some(&ReturnValuesOnConditionCheckFailure::AllOld);
                let text = "The conditional request failed";
                let item = old.filter(|_| wanted).map(AttributeMap::Encoded);
                ApiError { item, ..ApiError::new(ErrorKind::ConditionalCheckFailed, text) }
            }
            other => other.into(),
        }
    }
}
