//! DeleteTable.

use super::{change_error, settled};
use crate::{
    arn::TableReference,
    description::describe,
    error::{ApiError, ErrorKind},
    wire::{DeleteTableInput, DeleteTableOutput},
};
use engine::{Engine, environment::Moment, table::Table};

pub(crate) async fn delete_table(
    engine: &Engine,
    request: DeleteTableInput,
) -> Result<DeleteTableOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    reference.find(engine)?;
    let table = engine
        .delete_table(&reference.name, may_be_deleted)
        .await
        .map_err(|error| change_error(error, || ApiError::no_table(&reference.name)))?;
    let description = describe(engine, &table, table.status).await?;
    Ok(DeleteTableOutput { table_description: Some(description) })
}

fn may_be_deleted(table: &Table, now: Moment) -> Result<(), ApiError> {
    if table.globals.iter().any(|index| index.is_changing(now)) {
        return Err(ApiError::new(
            ErrorKind::ResourceInUse,
            "Attempt to change a resource which is still in use: Cannot delete table while indexes \
             are being created, updated, or deleted.",
        ));
    }
    settled(table)?;
    if table.deletion_protection {
        return Err(ApiError::validation(
            "Resource cannot be deleted as it is currently protected against deletion. \
             Disable deletion protection first.",
        ));
    }
    Ok(())
}
