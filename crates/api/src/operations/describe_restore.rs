//! DescribeRestore and ListRestores, operations of our own: how far restores have come.

use crate::{
    description::timestamp,
    error::{ApiError, ErrorKind},
    wire::{
        AttributeMap, DescribeRestoreInput, DescribeRestoreOutput, ListRestoresInput,
        ListRestoresOutput, Long, RestoreDescription, RestorePhase, RestoreSample, RestoreStatus,
    },
};
use engine::{
    Engine,
    recovery::{Phase, Progress, Restore, RestoreSource, RestoreTarget},
};

pub(crate) async fn describe_restore(
    engine: &Engine,
    request: DescribeRestoreInput,
) -> Result<DescribeRestoreOutput, ApiError> {
    let id = request.restore_id.unwrap_or_default();
    let found = match id.parse() {
        Ok(number) => {
            engine.restore(number).await?.map(|(restore, progress)| (number, restore, progress))
        }
        Err(_) => None,
    };
    let Some((number, restore, progress)) = found else {
        let text = format!("Requested resource not found: Restore: {id} not found");
        return Err(ApiError::new(ErrorKind::ResourceNotFound, text));
    };
    let description = description(engine, number, restore, progress).await?;
    Ok(DescribeRestoreOutput { restore_description: Some(description) })
}

pub(crate) async fn list_restores(
    engine: &Engine,
    _: ListRestoresInput,
) -> Result<ListRestoresOutput, ApiError> {
    let mut restores = Vec::new();
    for (number, restore, progress) in engine.restores().await? {
        restores.push(description(engine, number, restore, progress).await?);
    }
    Ok(ListRestoresOutput { restores: Some(restores) })
}

async fn description(
    engine: &Engine,
    number: u32,
    restore: Restore,
    progress: Progress,
) -> Result<RestoreDescription, ApiError> {
    let count = |count: u64| Some(Long(i64::try_from(count).unwrap_or(i64::MAX)));
    let image = |image: Option<Vec<u8>>| image.map(|bytes| AttributeMap::Encoded(bytes.into()));
    let (table, moment, backup) = match restore.source {
        RestoreSource::Table { name, moment, .. } => (Some(name), Some(moment), None),
        RestoreSource::Backup { backup } => {
            (None, None, engine.backup(backup).await?.map(|backup| backup.arn()))
        }
    };
    let (target, preview) = match restore.target {
        RestoreTarget::Table { name, .. } => (Some(name), false),
        RestoreTarget::InPlace => (table.clone(), false),
        RestoreTarget::Preview => (None, true),
    };
    Ok(RestoreDescription {
        restore_id: Some(number.to_string()),
        table_name: table,
        backup_arn: backup,
        target_table_name: target,
        restore_date_time: moment.map(timestamp),
        dry_run: Some(preview),
        status: Some(match (&progress.failure, progress.finished) {
            (Some(_), _) => RestoreStatus::Failed,
            (None, Some(_)) => RestoreStatus::Completed,
            (None, None) => RestoreStatus::InProgress,
        }),
        phase: Some(match progress.phase {
            Phase::Copying { .. } => RestorePhase::Copying,
            Phase::Undoing { .. } | Phase::Checking { .. } => RestorePhase::Undoing,
            Phase::Applying { .. } => RestorePhase::Applying,
            Phase::Done => RestorePhase::Done,
        }),
        start_date_time: Some(timestamp(restore.started)),
        end_date_time: progress.finished.map(timestamp),
        failure_message: progress.failure,
        source_item_count: count(progress.items),
        items_read: count(progress.read),
        changes_read: count(progress.changes),
        items_written: count(progress.written),
        items_deleted: count(progress.deleted),
        conflicts: count(progress.conflicts),
        samples: preview.then(|| {
            let samples = progress.samples.into_iter();
            let shown = |s: engine::recovery::Sample| RestoreSample {
                now: image(s.now),
                then: image(s.then),
            };
            samples.map(shown).collect()
        }),
    })
}
