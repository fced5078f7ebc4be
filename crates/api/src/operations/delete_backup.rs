//! DeleteBackup.

use crate::{
    backups::{description, find_backup, no_backup},
    error::{ApiError, ErrorKind},
    wire::{DeleteBackupInput, DeleteBackupOutput},
};
use engine::{
    Engine,
    recovery::{BackupError, BackupKind},
};

pub(crate) async fn delete_backup(
    engine: &Engine,
    request: DeleteBackupInput,
) -> Result<DeleteBackupOutput, ApiError> {
    let arn = request.backup_arn.unwrap_or_default();
    let backup = find_backup(engine, Some(&arn)).await?;
    if backup.kind == BackupKind::System {
        return Err(ApiError::validation(format!(
            "User is not allowed to delete the system backup with arn {arn}"
        )));
    }
    let deleted = engine.delete_backup(&arn).await.map_err(|error| match error {
        BackupError::NotFound => no_backup(&arn),
        BackupError::InUse => {
            ApiError::new(ErrorKind::BackupInUse, format!("Backup is in use: {arn}"))
        }
        BackupError::Engine(error) => error.into(),
    })?;
    Ok(DeleteBackupOutput { backup_description: Some(description(&deleted)) })
}
