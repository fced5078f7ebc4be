//! From an operation's name to the code that answers it.

use crate::{
    error::{ApiError, ErrorKind},
    operations as op,
    wire::{self, Operation, Output, read},
};
use engine::Engine;
use expression::Cache;
use std::{future::Future, pin::Pin, sync::Arc};

/// Who sends a request, as far as its credentials tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The region of the credential scope.
    pub region: String,
    /// The account, twelve digits.
    pub account: String,
    /// The `Host` the request was sent to.
    pub host: String,
}

/// The API on a database.
pub struct Api {
    engine: Arc<Engine>,
    cache: Cache,
}

/// Applications send the same few expressions for ever; more than this is thrown away again.
const CACHED_EXPRESSIONS: usize = 10_000;
const CACHED_BYTES: usize = 16 * 1024 * 1024;

/// An operation on its way. Each has a box of its own size: one future for all would be as large
/// as the largest, and would be moved about with every request.
type Answering<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, ApiError>> + Send + 'a>>;

/// Runs one operation: read and check the request, call it, write the answer. The
/// operation is a function of the request and, if it needs them, the engine and the caller.
macro_rules! answer {
    ($body:expr, async |$request:ident| $call:expr) => {
        Box::pin(async move {
            let $request = read($body)?;
            json($call?)
        })
    };
}

impl Api {
    /// An API on that database.
    pub fn new(engine: Arc<Engine>) -> Api {
        Api { engine, cache: Cache::new(CACHED_EXPRESSIONS, CACHED_BYTES) }
    }

    /// Answers one request with the body to send.
    pub fn call<'a>(
        &'a self,
        operation: Operation,
        caller: &'a Caller,
        body: &'a [u8],
    ) -> Answering<'a> {
        let (engine, cache) = (&*self.engine, &self.cache);
        match operation {
            Operation::CreateTable => {
                answer!(body, async |r| op::create_table(engine, caller, r).await)
            }
            Operation::DescribeTable => {
                answer!(body, async |r| op::describe_table(engine, r).await)
            }
            Operation::UpdateTable => answer!(body, async |r| op::update_table(engine, r).await),
            Operation::DeleteTable => answer!(body, async |r| op::delete_table(engine, r).await),
            Operation::ListTables => answer!(body, async |r| op::list_tables(engine, r)),
            Operation::DescribeLimits => answer!(body, async |r| op::describe_limits(r)),
            Operation::DescribeEndpoints => {
                answer!(body, async |r| op::describe_endpoints(caller, r))
            }
            Operation::UpdateTimeToLive => {
                answer!(body, async |r| op::update_time_to_live(engine, r).await)
            }
            Operation::DescribeTimeToLive => {
                answer!(body, async |r| op::describe_time_to_live(engine, r))
            }
            Operation::UpdateContinuousBackups => {
                answer!(body, async |r| op::update_continuous_backups(engine, r).await)
            }
            Operation::DescribeContinuousBackups => {
                answer!(body, async |r| op::describe_continuous_backups(engine, r))
            }
            Operation::PutResourcePolicy => {
                answer!(body, async |r| op::put_resource_policy(engine, caller, r).await)
            }
            Operation::GetResourcePolicy => {
                answer!(body, async |r| op::get_resource_policy(engine, caller, r))
            }
            Operation::DeleteResourcePolicy => {
                answer!(body, async |r| op::delete_resource_policy(engine, caller, r).await)
            }
            Operation::ListTagsOfResource => {
                answer!(body, async |r| op::list_tags_of_resource(engine, caller, r))
            }
            // These two answer with nothing at all.
            Operation::TagResource => {
                empty(async move { op::tag_resource(engine, caller, read(body)?).await })
            }
            Operation::UntagResource => {
                empty(async move { op::untag_resource(engine, caller, read(body)?).await })
            }
            Operation::GetItem => answer!(body, async |r| op::get_item(engine, cache, r).await),
            Operation::BatchGetItem => {
                answer!(body, async |r| op::batch_get_item(engine, cache, r).await)
            }
            Operation::BatchWriteItem => {
                answer!(body, async |r| op::batch_write_item(&self.engine, r).await)
            }
            Operation::TransactGetItems => {
                answer!(body, async |r| op::transact_get_items(engine, cache, r).await)
            }
            Operation::TransactWriteItems => {
                answer!(body, async |r| op::transact_write_items(engine, cache, r).await)
            }
            Operation::Query => answer!(body, async |r| op::query(engine, cache, r).await),
            Operation::Scan => answer!(body, async |r| op::scan(engine, cache, r).await),
            Operation::PutItem => answer!(body, async |r| op::put_item(engine, cache, r).await),
            Operation::UpdateItem => {
                answer!(body, async |r| op::update_item(engine, cache, r).await)
            }
            Operation::DeleteItem => {
                answer!(body, async |r| op::delete_item(engine, cache, r).await)
            }
            Operation::CreateBackup => answer!(body, async |r| op::create_backup(engine, r).await),
            Operation::DescribeBackup => {
                answer!(body, async |r| op::describe_backup(engine, r).await)
            }
            Operation::ListBackups => answer!(body, async |r| op::list_backups(engine, r).await),
            Operation::DeleteBackup => answer!(body, async |r| op::delete_backup(engine, r).await),
            Operation::RestoreTableFromBackup => {
                answer!(body, async |r| op::restore_table_from_backup(engine, r).await)
            }
            Operation::RestoreTableToPointInTime => {
                answer!(body, async |r| op::restore_table_to_point_in_time(engine, r).await)
            }
            Operation::RestoreItems => answer!(body, async |r| op::restore_items(engine, r).await),
            Operation::DescribeRestore => {
                answer!(body, async |r| op::describe_restore(engine, r).await)
            }
            Operation::ListRestores => answer!(body, async |r| op::list_restores(engine, r).await),
            Operation::DescribeItemHistory => {
                answer!(body, async |r| op::describe_item_history(engine, r).await)
            }
            Operation::ExportTableToPointInTime => {
                answer!(body, async |r| op::export_table_to_point_in_time(engine, r).await)
            }
            Operation::DescribeExport => {
                answer!(body, async |r| op::describe_export(engine, r).await)
            }
            Operation::ListExports => answer!(body, async |r| op::list_exports(engine, r).await),
            Operation::ImportTable => {
                answer!(body, async |r| op::import_table(engine, caller, r).await)
            }
            Operation::DescribeImport => {
                answer!(body, async |r| op::describe_import(engine, r).await)
            }
            Operation::ListImports => answer!(body, async |r| op::list_imports(engine, r).await),
            Operation::ListStreams => answer!(body, async |r| op::list_streams(engine, r).await),
            Operation::DescribeStream => {
                answer!(body, async |r| op::describe_stream(engine, r).await)
            }
            Operation::GetShardIterator => {
                answer!(body, async |r| op::get_shard_iterator(engine, r).await)
            }
            Operation::GetRecords => answer!(body, async |r| op::get_records(engine, r).await),
            Operation::ExecuteStatement => {
                answer!(body, async |r| op::execute_statement(engine, cache, r).await)
            }
            Operation::BatchExecuteStatement => {
                answer!(body, async |r| op::batch_execute_statement(&self.engine, cache, r).await)
            }
            Operation::ExecuteTransaction => {
                answer!(body, async |r| op::execute_transaction(engine, cache, r).await)
            }
            other => Box::pin(async move {
                other.check(body)?;
                let name = other.name();
                let text = format!("{name} is not supported by this version of Monotable");
                Err(ApiError::new(ErrorKind::UnknownOperation, text))
            }),
        }
    }
}

/// An operation that answers with nothing.
fn empty<'a>(work: impl Future<Output = Result<(), ApiError>> + Send + 'a) -> Answering<'a> {
    Box::pin(async move { work.await.map(|()| Vec::new()) })
}

fn json<T: Output>(answer: T) -> Result<Vec<u8>, ApiError> {
    Ok(wire::to_json(&answer)?)
}
