//! ExecuteStatement.

use super::partiql::{Paging, prepare, select, statement_write};
use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    wire::{AttributeMap, ExecuteStatementInput, ExecuteStatementOutput},
};
use engine::Engine;
use expression::{Cache, partiql::Statement};

pub(crate) async fn execute_statement(
    engine: &Engine,
    cache: &Cache,
    request: ExecuteStatementInput,
) -> Result<ExecuteStatementOutput, ApiError> {
    let text = request.statement.unwrap_or_default();
    let (statement, parameters) = prepare(cache, &text, request.parameters)?;
    let wanted = request.return_consumed_capacity.as_ref();
    let statement = match statement {
        Statement::Select(read) => {
            let reference = TableReference::parse(Some(read.from.table.to_string()))?;
            let paging = Paging {
                consistent: request.consistent_read.unwrap_or(false),
                limit: request.limit.and_then(|limit| usize::try_from(limit.0).ok()),
                next_token: request.next_token.as_deref(),
                statement: &text,
                parameters,
            };
            let page = select(engine, &reference, &read, paging).await?;
            return Ok(ExecuteStatementOutput {
                consumed_capacity: consumed(wanted, &reference.given, &page.capacity),
                items: Some(page.items),
                last_evaluated_key: page.last.map(AttributeMap::Item),
                next_token: page.next_token,
            });
        }
        Statement::Exists(_) => {
            return Err(ApiError::request("EXISTS is only supported in ExecuteTransaction"));
        }
        write => write,
    };
    if request.next_token.is_some() {
        return Err(ApiError::request("NextToken does not match request"));
    }
    let write = statement_write(engine, statement)?;
    let failed_item = request.return_values_on_condition_check_failure.as_ref();
    let (written, returned) = write.make(engine, failed_item).await?;
    Ok(ExecuteStatementOutput {
        consumed_capacity: consumed(wanted, &write.reference.given, &written.capacity),
        items: Some(returned.into_iter().collect()),
        last_evaluated_key: None,
        next_token: None,
    })
}
