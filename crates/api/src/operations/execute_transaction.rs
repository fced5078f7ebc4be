//! ExecuteTransaction: up to a hundred statements, all reads at one moment, or all writes or none.

use super::{
    partiql::{duplicate_item, prepare, refuse_mix, single_read, statement_write},
    transact_get_items::stored_sizes,
    transact_write_items::{DUPLICATE, cancelled, check_size, item, reason_of},
};
use crate::{
    consumed::{Units, consumed_in_transaction},
    error::{ApiError, CancellationReason},
    wire::{
        ConsumedCapacity, ExecuteTransactionInput, ExecuteTransactionOutput, ItemResponse,
        ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
    },
};
use engine::{
    Engine,
    items::{Capacity, ItemError, Token, Transacted, capacity::read_units},
};
use expression::{
    Cache,
    partiql::{Select, Statement},
};
use std::{collections::BTreeMap, sync::Arc};
use value::item_size;
use xxhash_rust::xxh3::xxh3_128;

const NAME: &str = "ExecuteTransaction";

/// A statement that writes, and what is to be shown if its condition fails.
type Write = (Statement, Option<ReturnValuesOnConditionCheckFailure>);

pub(crate) async fn execute_transaction(
    engine: &Engine,
    cache: &Cache,
    request: ExecuteTransactionInput,
) -> Result<ExecuteTransactionOutput, ApiError> {
    let given = request.transact_statements.unwrap_or_default();
    let digest = xxh3_128(format!("{NAME} {given:?}").as_bytes());
    let token = request.client_request_token.map(|text| Token { text, digest });
    let wanted = request.return_consumed_capacity.as_ref();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut kinds = Vec::with_capacity(given.len());
    for (at, given) in given.into_iter().enumerate() {
        let text = given.statement.unwrap_or_default();
        let (statement, _) = prepare(cache, &text, given.parameters)?;
        check(at, &statement)?;
        kinds.push(statement.is_read());
        match statement {
            Statement::Select(select) => reads.push(select),
            write => writes.push((write, given.return_values_on_condition_check_failure)),
        }
    }
    refuse_mix(NAME, kinds.into_iter())?;
    match reads.is_empty() {
        true => write_all(engine, writes, token, wanted).await,
        false => read_all(engine, reads, wanted).await,
    }
}

/// What transactions do not have.
fn check(at: usize, statement: &Statement) -> Result<(), ApiError> {
    let fault = if statement.has_returning() {
        "RETURNING clause is not supported in ExecuteTransaction."
    } else if statement.is_read() && statement.target().index.is_some() {
        "Reads on indices are not supported within transactions."
    } else {
        return Ok(());
    };
    Err(ApiError::request(format!("Validation failed in TransactStatements[{at}]: {fault}")))
}

async fn read_all(
    engine: &Engine,
    selects: Vec<Select>,
    wanted: Option<&ReturnConsumedCapacity>,
) -> Result<ExecuteTransactionOutput, ApiError> {
    let mut reads = Vec::with_capacity(selects.len());
    let mut keys = Vec::with_capacity(selects.len());
    for select in selects {
        let read = single_read(engine, select, NAME)?;
        let key = (Arc::clone(&read.entry), read.key.clone());
        let number = read.entry.table.number;
        let is_same = |(entry, key): &(Arc<engine::Entry>, _)| {
            entry.table.number == number && *key == read.key
        };
        if keys.iter().any(is_same) {
            return Err(ApiError::validation(DUPLICATE));
        }
        keys.push(key);
        reads.push(read);
    }
    let found = engine.get_items(&keys).await?;
    let sizes = stored_sizes(&found)?;
    check_size(sizes.iter().copied())?;
    let mut units: BTreeMap<String, Capacity> = BTreeMap::new();
    let mut responses = Vec::with_capacity(reads.len());
    for ((read, stored), size) in reads.into_iter().zip(found).zip(sizes) {
        let cost = Capacity::of_table(read_units(size, true)).doubled();
        let item = read.given(stored)?;
        units.entry(read.reference.given).or_default().add(&cost);
        responses.push(ItemResponse { item });
    }
    Ok(answer(responses, wanted, &units, Units::Read))
}

async fn write_all(
    engine: &Engine,
    statements: Vec<Write>,
    token: Option<Token>,
    wanted: Option<&ReturnConsumedCapacity>,
) -> Result<ExecuteTransactionOutput, ApiError> {
    let (mut writes, mut failed_items) = (Vec::new(), Vec::new());
    for (statement, failed_item) in statements {
        writes.push(statement_write(engine, statement)?);
        failed_items.push(failed_item);
    }
    check_size(writes.iter().map(|write| item_size(item(&write.write.action))))?;
    let prepared = writes.iter().map(|write| (Arc::clone(&write.entry), write.write.clone()));
    let outcome = engine.transact(prepared.collect(), token).await.map_err(|error| {
        cancelled(error, |at, error| {
            let is_insert = writes.get(at).is_some_and(|write| write.is_insert);
            if is_insert && matches!(error, ItemError::ConditionFailed(_)) {
                let message = duplicate_item().message;
                return CancellationReason { code: "DuplicateItem", message, item: None };
            }
            reason_of(error, failed_items.get(at).and_then(Option::as_ref))
        })
    })?;
    let responses = writes.iter().map(|_| ItemResponse { item: None }).collect();
    let mut units: BTreeMap<String, Capacity> = BTreeMap::new();
    let (costs, kind): (Vec<Capacity>, Units) = match outcome {
        Transacted::Written(done) => {
            (done.into_iter().map(|written| written.capacity).collect(), Units::Write)
        }
        Transacted::Repeated(sizes) => {
            let cost = |size| Capacity::of_table(read_units(size, true));
            (sizes.into_iter().map(cost).collect(), Units::Read)
        }
    };
    for (write, cost) in writes.into_iter().zip(costs) {
        units.entry(write.reference.given).or_default().add(&cost.doubled());
    }
    Ok(answer(responses, wanted, &units, kind))
}

fn answer(
    responses: Vec<ItemResponse>,
    wanted: Option<&ReturnConsumedCapacity>,
    units: &BTreeMap<String, Capacity>,
    kind: Units,
) -> ExecuteTransactionOutput {
    let consumed = units.iter();
    let consumed: Vec<ConsumedCapacity> = consumed
        .filter_map(|(table, units)| consumed_in_transaction(wanted, table, units, kind))
        .collect();
    ExecuteTransactionOutput {
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
        responses: Some(responses),
    }
}
