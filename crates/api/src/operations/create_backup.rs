//! CreateBackup.

use super::describe_continuous_backups::no_table;
use crate::{
    arn::TableReference,
    backups::details,
    error::{ApiError, ErrorKind},
    wire::{CreateBackupInput, CreateBackupOutput},
};
use engine::{Engine, table::Status};

pub(crate) async fn create_backup(
    engine: &Engine,
    request: CreateBackupInput,
) -> Result<CreateBackupOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.find(engine).map_err(|_| no_table(&reference.name))?;
    if !entry.table.status_at(engine.now()).is_some_and(Status::takes_writes) {
        let text = format!("Table is in use: {}", entry.table.name);
        return Err(ApiError::new(ErrorKind::TableInUse, text));
    }
    let name = request.backup_name.unwrap_or_default();
    let backup = engine.create_backup(&entry.table, name).await?;
    Ok(CreateBackupOutput { backup_details: Some(details(&backup)) })
}
