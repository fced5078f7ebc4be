//! DescribeTable.

use crate::{
    arn::TableReference,
    description::describe,
    error::ApiError,
    wire::{DescribeTableInput, DescribeTableOutput},
};
use engine::{Engine, table::Status};

pub(crate) async fn describe_table(
    engine: &Engine,
    request: DescribeTableInput,
) -> Result<DescribeTableOutput, ApiError> {
    let entry = TableReference::parse(request.table_name)?.find(engine)?;
    let status = entry.table.status_at(engine.now()).unwrap_or(Status::Active);
    let description = describe(engine, &entry.table, status).await?;
    Ok(DescribeTableOutput { table: Some(description) })
}
