//! ListBackups.

use crate::{
    arn::TableReference,
    backups::{kind, status},
    description::timestamp,
    error::ApiError,
    wire::{BackupSummary, BackupTypeFilter, ListBackupsInput, ListBackupsOutput, Long},
};
use engine::{
    Engine,
    recovery::{Backup, BackupKind},
};

const MOST: usize = 100;

pub(crate) async fn list_backups(
    engine: &Engine,
    request: ListBackupsInput,
) -> Result<ListBackupsOutput, ApiError> {
    let table = match request.table_name.clone() {
        Some(name) => Some(TableReference::parse(Some(name))?.name),
        None => None,
    };
    let limit = request.limit.and_then(|limit| usize::try_from(limit.0).ok()).unwrap_or(MOST);
    let backups = engine.backups().await?;
    let mut wanted = backups.iter().filter(|backup| {
        table.as_ref().is_none_or(|name| backup.table.name == *name) && matches(&request, backup)
    });
    let page: Vec<BackupSummary> = wanted.by_ref().take(limit).map(summary).collect();
    let last = page.last().and_then(|summary| summary.backup_arn.clone());
    Ok(ListBackupsOutput {
        last_evaluated_backup_arn: last.filter(|_| wanted.next().is_some()),
        backup_summaries: Some(page),
    })
}

fn matches(request: &ListBackupsInput, backup: &Backup) -> bool {
    let kind = match request.backup_type {
        Some(BackupTypeFilter::All) => true,
        Some(BackupTypeFilter::System) => backup.kind == BackupKind::System,
        Some(BackupTypeFilter::AwsBackup) => false,
        _ => backup.kind == BackupKind::User,
    };
    let created = backup.created.seconds();
    kind && request.time_range_lower_bound.is_none_or(|bound| created >= bound.0)
        && request.time_range_upper_bound.is_none_or(|bound| created < bound.0)
        && request.exclusive_start_backup_arn.as_ref().is_none_or(|start| backup.arn() > *start)
}

fn summary(backup: &Backup) -> BackupSummary {
    BackupSummary {
        table_name: Some(backup.table.name.clone()),
        table_id: Some(backup.table.uuid.clone()),
        table_arn: Some(backup.table.arn()),
        backup_arn: Some(backup.arn()),
        backup_name: Some(backup.name.clone()),
        backup_creation_date_time: Some(timestamp(backup.created)),
        backup_expiry_date_time: backup.expires().map(timestamp),
        backup_status: Some(status(backup.state)),
        backup_type: Some(kind(backup.kind)),
        backup_size_bytes: Some(Long(backup.bytes)),
    }
}
