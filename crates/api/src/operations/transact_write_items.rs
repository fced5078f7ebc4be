//! TransactWriteItems: up to a hundred writes, all or none.

use super::item_answer::ItemAnswer;
use crate::{
    arn::TableReference,
    consumed::{Units, consumed_in_transaction},
    error::{ApiError, CancellationReason, ErrorKind},
    expressions::{Expressions, Parameters},
    wire::{
        AttributeMap, ItemCollectionMetrics, ReturnValuesOnConditionCheckFailure,
        TransactWriteItem, TransactWriteItemsInput, TransactWriteItemsOutput,
    },
};
use engine::{
    Engine,
    items::{
        Action, Capacity, ItemError, ItemWrite, KeyError, Token, TransactError, Transacted,
        capacity::read_units,
    },
};
use expression::{Cache, Kind};
use std::collections::{BTreeMap, HashSet};
use value::{Item, MAX_ITEM_SIZE, codec, item_size};
use xxhash_rust::xxh3::xxh3_128;

pub(super) const DUPLICATE: &str =
    "Transaction request cannot include multiple operations on one item";

/// The most bytes of all items of a transaction.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Refuses a transaction whose items have too many bytes together.
pub(super) fn check_size(sizes: impl Iterator<Item = usize>) -> Result<(), ApiError> {
    if sizes.sum::<usize>() > MOST_BYTES {
        return Err(ApiError::validation(
            "The aggregate size of the items in the transaction exceeds the limit of 4 MB",
        ));
    }
    Ok(())
}

/// Refuses keys that are given twice, which comes before any table is looked up.
pub(super) fn check_keys<'a>(
    keys: impl Iterator<Item = (&'a str, &'a Item)>,
) -> Result<(), ApiError> {
    let mut seen = HashSet::new();
    for (table, key) in keys {
        if !seen.insert((table, codec::encode(key))) {
            return Err(ApiError::request(DUPLICATE));
        }
    }
    Ok(())
}

/// One action of the request.
struct Write {
    reference: TableReference,
    write: ItemWrite,
    failed_item: Option<ReturnValuesOnConditionCheckFailure>,
}

pub(crate) async fn transact_write_items(
    engine: &Engine,
    cache: &Cache,
    request: TransactWriteItemsInput,
) -> Result<TransactWriteItemsOutput, ApiError> {
    let items = request.transact_items.unwrap_or_default();
    // Maps are sorted by now, so that the same request always reads the same.
    let digest = xxh3_128(format!("{items:?}").as_bytes());
    let token = request.client_request_token.map(|text| Token { text, digest });
    let writes = items.into_iter().map(|item| action(cache, item));
    let writes = writes.collect::<Result<Vec<_>, _>>()?;
    // What is stored does not count: large items can be deleted together.
    check_size(writes.iter().map(|write| item_size(item(&write.write.action))))?;
    check_keys(writes.iter().filter_map(|write| match &write.write.action {
        // Which attributes of an item are its key only its table knows.
        Action::Put(_) => None,
        action => Some((write.reference.name.as_str(), item(action))),
    }))?;
    let mut prepared = Vec::with_capacity(writes.len());
    for write in &writes {
        prepared.push((write.reference.usable(engine)?, write.write.clone()));
    }
    let tables: Vec<_> = prepared.iter().map(|(entry, _)| entry.clone()).collect();
    let outcome = engine.transact(prepared, token).await;
    let outcome = outcome.map_err(|error| {
        cancelled(error, |at, error| {
            let failed_item = writes.get(at).and_then(|write| write.failed_item.as_ref());
            reason_of(error, failed_item)
        })
    })?;

    let mut units: BTreeMap<&str, Capacity> = BTreeMap::new();
    let mut collections: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
    let kind = match &outcome {
        Transacted::Written(done) => {
            for ((write, entry), written) in writes.iter().zip(&tables).zip(done) {
                let given = &write.reference.given;
                units.entry(given).or_default().add(&written.capacity.clone().doubled());
                let answer = ItemAnswer {
                    table: &entry.table,
                    given,
                    capacity: None,
                    collection: request.return_item_collection_metrics.as_ref(),
                    failed_item: None,
                };
                let partition = answer.partition(item(&write.write.action));
                let checked = matches!(write.write.action, Action::Check(_));
                if !checked && let Some(metrics) = answer.collection_metrics(written, partition) {
                    collections.entry(given.clone()).or_default().push(metrics);
                }
            }
            Units::Write
        }
        Transacted::Repeated(sizes) => {
            for (write, size) in writes.iter().zip(sizes) {
                let cost = Capacity::of_table(read_units(*size, true)).doubled();
                units.entry(&write.reference.given).or_default().add(&cost);
            }
            Units::Read
        }
    };
    let wanted = request.return_consumed_capacity.as_ref();
    let consumed = units.iter();
    let consumed: Vec<_> = consumed
        .filter_map(|(table, units)| consumed_in_transaction(wanted, table, units, kind))
        .collect();
    Ok(TransactWriteItemsOutput {
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
        item_collection_metrics: (!collections.is_empty()).then_some(collections),
    })
}

/// The item or key of an action.
pub(super) fn item(action: &Action) -> &Item {
    match action {
        Action::Put(item) | Action::Delete(item) | Action::Check(item) => item,
        Action::Update { key, .. } => key,
    }
}

/// What all four kinds of action have besides their own.
struct Common {
    table: Option<String>,
    condition: Option<String>,
    names: Option<BTreeMap<String, String>>,
    values: Option<BTreeMap<String, crate::wire::AttributeValue>>,
    failed_item: Option<ReturnValuesOnConditionCheckFailure>,
}

/// Checks one action as far as that can be done without its table.
fn action(cache: &Cache, given: TransactWriteItem) -> Result<Write, ApiError> {
    let usable = |map: Option<AttributeMap>| -> Result<Item, ApiError> {
        Ok(map.map(AttributeMap::into_item).transpose()?.unwrap_or_default())
    };
    match given {
        TransactWriteItem { put: Some(put), update: None, delete: None, condition_check: None } => {
            let item = usable(put.item)?;
            if item_size(&item) > MAX_ITEM_SIZE {
                return Err(ApiError::request("Item size has exceeded the maximum allowed size"));
            }
            let common = Common {
                table: put.table_name,
                condition: put.condition_expression,
                names: put.expression_attribute_names,
                values: put.expression_attribute_values,
                failed_item: put.return_values_on_condition_check_failure,
            };
            bind(cache, common, None, |_| Action::Put(item))
        }
        TransactWriteItem {
            put: None,
            update: Some(update),
            delete: None,
            condition_check: None,
        } => {
            let key = usable(update.key)?;
            let common = Common {
                table: update.table_name,
                condition: update.condition_expression,
                names: update.expression_attribute_names,
                values: update.expression_attribute_values,
                failed_item: update.return_values_on_condition_check_failure,
            };
            bind(cache, common, update.update_expression, |update| match update {
                Some(update) => Action::Update { key, update },
                None => Action::Check(key),
            })
        }
        TransactWriteItem {
            put: None,
            update: None,
            delete: Some(delete),
            condition_check: None,
        } => {
            let key = usable(delete.key)?;
            let common = Common {
                table: delete.table_name,
                condition: delete.condition_expression,
                names: delete.expression_attribute_names,
                values: delete.expression_attribute_values,
                failed_item: delete.return_values_on_condition_check_failure,
            };
            bind(cache, common, None, |_| Action::Delete(key))
        }
        TransactWriteItem {
            put: None,
            update: None,
            delete: None,
            condition_check: Some(check),
        } => {
            let key = usable(check.key)?;
            let common = Common {
                table: check.table_name,
                condition: check.condition_expression,
                names: check.expression_attribute_names,
                values: check.expression_attribute_values,
                failed_item: check.return_values_on_condition_check_failure,
            };
            bind(cache, common, None, |_| Action::Check(key))
        }
        _ => Err(ApiError::request(
            "TransactItems can only contain one of Check, Put, Update or Delete",
        )),
    }
}

fn bind(
    cache: &Cache,
    common: Common,
    update: Option<String>,
    action: impl FnOnce(Option<expression::Update>) -> Action,
) -> Result<Write, ApiError> {
    let parameters = Parameters {
        expressions: &[
            (Kind::Update, update.is_some()),
            (Kind::Condition, common.condition.is_some()),
        ],
        legacy: &[],
        with_values: &[Kind::Condition],
    };
    parameters.check(common.names.as_ref(), common.values.as_ref())?;
    let mut expressions = Expressions::new(cache, common.names, common.values)?;
    let update = expressions.update(update.as_deref())?;
    let condition = expressions.condition(common.condition.as_deref())?;
    expressions.finish()?;
    Ok(Write {
        reference: TableReference::parse(common.table)?,
        write: ItemWrite { action: action(update), condition },
        failed_item: common.failed_item,
    })
}

/// The error of a transaction that was not made; `reason` words the failure of one write.
pub(super) fn cancelled(
    error: TransactError,
    reason_of: impl Fn(usize, ItemError) -> CancellationReason,
) -> ApiError {
    let reasons = match error {
        TransactError::Cancelled(reasons) => reasons,
        TransactError::Duplicate => return ApiError::request(DUPLICATE),
        TransactError::Mismatch => {
            let text = "The transaction was made before with other parameters under this token";
            return ApiError::new(ErrorKind::IdempotentParameterMismatch, text);
        }
        TransactError::Failed(error) => return error.into(),
    };
    let mut answered = Vec::with_capacity(reasons.len());
    // Of several faults of this kind AWS reports the first, and no conditions beside it.
    let is_invalid = |reason: &Option<ItemError>| reason.as_ref().is_some_and(is_validation);
    let invalid = reasons.iter().position(is_invalid);
    for (at, reason) in reasons.into_iter().enumerate() {
        answered.push(match reason {
            None => none(),
            Some(_) if invalid.is_some_and(|invalid| invalid != at) => none(),
            Some(ItemError::Key(
                error @ (KeyError::Empty { .. }
                | KeyError::EmptyIndex { .. }
                | KeyError::UpdatedIndexEmpty(_)),
            )) => return ApiError::validation(error.to_string()),
            Some(error @ (ItemError::Engine(_) | ItemError::NoSuchTable | ItemError::TooLarge)) => {
                return error.into();
            }
            Some(error) => reason_of(at, error),
        });
    }
    cancellation(answered)
}

/// The error of a transaction that was cancelled for these reasons.
pub(super) fn cancellation(reasons: Vec<CancellationReason>) -> ApiError {
    let codes: Vec<&str> = reasons.iter().map(|reason| reason.code).collect();
    let text = format!(
        "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
        codes.join(", ")
    );
    let error = ApiError::new(ErrorKind::TransactionCanceled, text);
    ApiError { reasons: Some(reasons), ..error }
}

pub(super) fn none() -> CancellationReason {
    CancellationReason { code: "None", message: None, item: None }
}

fn is_validation(error: &ItemError) -> bool {
    matches!(error, ItemError::Key(_) | ItemError::Update(_))
}

/// The failure of one write, with the item that failed its condition if that was asked for.
pub(super) fn reason_of(
    error: ItemError,
    failed_item: Option<&ReturnValuesOnConditionCheckFailure>,
) -> CancellationReason {
    let wanted = failed_item == Some(&ReturnValuesOnConditionCheckFailure::AllOld);
    let (code, message, item) = match error {
        ItemError::ConditionFailed(old) => {
            let item = old.filter(|_| wanted).map(AttributeMap::Encoded);
            ("ConditionalCheckFailed", "The conditional request failed".to_owned(), item)
        }
        ItemError::CollectionFull => {
            ("ItemCollectionSizeLimitExceeded", "Collection size exceeded.".to_owned(), None)
        }
        ItemError::Key(KeyError::UpdatedIndexType(error)) => {
            ("ValidationError", error.to_string(), None)
        }
        other => ("ValidationError", other.to_string(), None),
    };
    CancellationReason { code, message: Some(message), item }
}
