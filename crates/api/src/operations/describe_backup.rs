//! DescribeBackup.

use crate::{
    backups::{description, find_backup},
    error::ApiError,
    wire::{DescribeBackupInput, DescribeBackupOutput},
};
use engine::Engine;

pub(crate) async fn describe_backup(
    engine: &Engine,
    request: DescribeBackupInput,
) -> Result<DescribeBackupOutput, ApiError> {
    let backup = find_backup(engine, request.backup_arn.as_deref()).await?;
    Ok(DescribeBackupOutput { backup_description: Some(description(&backup)) })
}
