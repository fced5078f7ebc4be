//! BatchExecuteStatement: up to 25 statements, each with an answer or an error of its own.

use super::partiql::{StatementWrite, prepare, refuse_mix, single_read, statement_write};
use crate::{
    consumed::consumed,
    error::{ApiError, ErrorKind},
    wire::{
        AttributeMap, BatchExecuteStatementInput, BatchExecuteStatementOutput, BatchStatementError,
        BatchStatementErrorCodeEnum as Code, BatchStatementRequest, BatchStatementResponse,
        ReturnValuesOnConditionCheckFailure,
    },
};
use engine::{Engine, items::Capacity};
use expression::{Cache, partiql::Statement};
use std::{collections::BTreeMap, sync::Arc};
use tokio::task::JoinHandle;
use value::Item;

const NAME: &str = "BatchExecuteStatement";

/// What became of a statement: its table, what it cost, and what it gives.
type Outcome = Result<(String, Capacity, Option<AttributeMap>), ApiError>;

pub(crate) async fn batch_execute_statement(
    engine: &Arc<Engine>,
    cache: &Cache,
    request: BatchExecuteStatementInput,
) -> Result<BatchExecuteStatementOutput, ApiError> {
    let (mut tables, mut reads, mut statements) = (Vec::new(), Vec::new(), Vec::new());
    for given in request.statements.unwrap_or_default() {
        let text = given.statement.as_deref().unwrap_or_default();
        // What cannot be read has no table, and is neither a read nor a write.
        let syntax = cache.statement(text).ok();
        tables.push(syntax.as_ref().map(|syntax| syntax.table().to_owned()));
        reads.extend(syntax.as_ref().map(|syntax| syntax.is_read()));
        let prepared = prepare(cache, text, given.parameters.clone());
        statements.push((prepared.map(|(statement, _)| statement), given));
    }
    refuse_mix(NAME, reads.into_iter())?;

    let mut units: BTreeMap<String, Capacity> = BTreeMap::new();
    let mut responses = Vec::with_capacity(tables.len());
    for (outcome, table) in run(engine, statements).await.into_iter().zip(tables) {
        // An ARN has the name behind its last slash.
        let table_name = table.map(|table| table.rsplit('/').next().unwrap_or_default().to_owned());
        responses.push(match outcome {
            Ok((given, capacity, item)) => {
                units.entry(given).or_default().add(&capacity);
                BatchStatementResponse { error: None, item, table_name }
            }
            Err(error) => {
                let error = Some(statement_error(error));
                BatchStatementResponse { error, item: None, table_name }
            }
        });
    }
    let wanted = request.return_consumed_capacity.as_ref();
    let consumed: Vec<_> =
        units.iter().filter_map(|(table, units)| consumed(wanted, table, units)).collect();
    Ok(BatchExecuteStatementOutput {
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
        responses: Some(responses),
    })
}

/// Runs the statements side by side, so that their commits share a sync. Those that write one
/// item are made one after another.
async fn run(
    engine: &Arc<Engine>,
    statements: Vec<(Result<Statement, ApiError>, BatchStatementRequest)>,
) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(statements.len());
    let mut running: Vec<JoinHandle<Outcome>> = Vec::new();
    let mut busy: Vec<(u64, Item)> = Vec::new();
    for (prepared, given) in statements {
        let work = prepared.and_then(|statement| work(engine, statement));
        if let Ok(Work::Write(write)) = &work {
            let key = written_key(write);
            if busy.contains(&key) {
                gather(&mut running, &mut outcomes).await;
                busy.clear();
            }
            busy.push(key);
        }
        let engine = Arc::clone(engine);
        running.push(tokio::spawn(async move {
            let consistent = given.consistent_read.unwrap_or(false);
            let failed_item = given.return_values_on_condition_check_failure;
            execute(&engine, work?, consistent, failed_item.as_ref()).await
        }));
    }
    gather(&mut running, &mut outcomes).await;
    outcomes
}

async fn gather(running: &mut Vec<JoinHandle<Outcome>>, outcomes: &mut Vec<Outcome>) {
    for task in running.drain(..) {
        outcomes.push(match task.await {
            Ok(outcome) => outcome,
            Err(cause) => Err(ApiError::internal(&cause)),
        });
    }
}

enum Work {
    Read(super::partiql::SingleRead),
    Write(StatementWrite),
}

fn work(engine: &Engine, statement: Statement) -> Result<Work, ApiError> {
    match statement {
        Statement::Exists(_) => {
            Err(ApiError::request("EXISTS is only supported in ExecuteTransaction"))
        }
        Statement::Select(select) if select.from.index.is_some() => Err(ApiError::request(
            "Reads on indices are not supported within BatchExecuteStatement.",
        )),
        Statement::Select(select) => single_read(engine, select, NAME).map(Work::Read),
        write => statement_write(engine, write).map(Work::Write),
    }
}

async fn execute(
    engine: &Engine,
    work: Work,
    consistent: bool,
    failed_item: Option<&ReturnValuesOnConditionCheckFailure>,
) -> Outcome {
    match work {
        Work::Read(read) => {
            let found = engine.get_item(&read.entry, &read.key, consistent).await?;
            let item = read.given(found.item)?;
            Ok((read.reference.given, Capacity::of_table(found.units), item))
        }
        Work::Write(write) => {
            let (written, returned) = write.make(engine, failed_item).await?;
            Ok((write.reference.given, written.capacity, returned))
        }
    }
}

/// The item a statement writes, by its table's number and its key.
fn written_key(write: &StatementWrite) -> (u64, Item) {
    use engine::items::Action;
    let table = &write.entry.table;
    let item = match &write.write.action {
        Action::Put(item) | Action::Delete(item) | Action::Check(item) => item,
        Action::Update { key, .. } => key,
    };
    let names = table.key.attributes().map(|attribute| &attribute.name);
    let entries = names.filter_map(|name| item.get_key_value(name));
    let key = entries.map(|(name, value)| (name.clone(), value.clone())).collect();
    (u64::from(table.number), key)
}

fn statement_error(error: ApiError) -> BatchStatementError {
    let code = match error.kind {
        ErrorKind::ConditionalCheckFailed => Code::ConditionalCheckFailed,
        ErrorKind::DuplicateItem => Code::DuplicateItem,
        ErrorKind::ItemCollectionSizeLimitExceeded => Code::ItemCollectionSizeLimitExceeded,
        ErrorKind::ResourceNotFound => Code::ResourceNotFound,
        ErrorKind::AccessDenied => Code::AccessDenied,
        ErrorKind::Validation => Code::ValidationError,
        _ => Code::InternalServerError,
    };
    BatchStatementError { code: Some(code), item: error.item, message: error.message }
}
