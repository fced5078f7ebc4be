//! RestoreTableToPointInTime.

use super::{describe_continuous_backups::no_table, refuse_members};
use crate::{
    arn::TableReference,
    backups::no_backup,
    description::describe,
    error::{ApiError, ErrorKind},
    restored::{Overrides, restored_table},
    wire::{RestoreTableToPointInTimeInput, RestoreTableToPointInTimeOutput, Timestamp},
};
use engine::{
    Engine,
    environment::Moment,
    recovery::{Filter, RestoreError, RestoreSource},
    table::Restored,
};

pub(crate) async fn restore_table_to_point_in_time(
    engine: &Engine,
    request: RestoreTableToPointInTimeInput,
) -> Result<RestoreTableToPointInTimeOutput, ApiError> {
    refuse_members(&[("VectorIndexOverride", request.vector_index_override.is_some())])?;
    let source = match (request.source_table_arn, request.source_table_name) {
        (Some(arn), None) => TableReference::parse(Some(arn))?,
        (None, Some(name)) => TableReference::parse(Some(name))?,
        _ => {
            return Err(ApiError::request(
                "Must provide exactly one of: sourceTableArn, sourceTableName",
            ));
        }
    };
    let latest = request.use_latest_restorable_time.unwrap_or(false);
    if latest == request.restore_date_time.is_some() {
        return Err(ApiError::request(
            "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be \
             specified, but not both",
        ));
    }
    let entry = source.find(engine).map_err(|_| no_table(&source.name))?;
    let table = &entry.table;
    let moment = request.restore_date_time.map_or(engine.now(), moment);
    let restored = Restored { backup: None, table: Some(table.arn()), moment, in_progress: true };
    let overrides = Overrides {
        billing: request.billing_mode_override,
        globals: request.global_secondary_index_override,
        locals: request.local_secondary_index_override,
        provisioned: request.provisioned_throughput_override,
        on_demand: request.on_demand_throughput_override,
        encryption: request.sse_specification_override,
    };
    let name = request.target_table_name.unwrap_or_default();
    let target = restored_table(table, name, restored, engine.now(), overrides)?;
    let from = RestoreSource::Table { name: table.name.clone(), number: table.number, moment };
    let begun = engine.restore_into(from, Filter::default(), target).await;
    let (_, made) = begun.map_err(|error| restore_error(error, &table.name))?;
    let description = describe(engine, &made, made.status).await?;
    Ok(RestoreTableToPointInTimeOutput { table_description: Some(description) })
}

/// A time as requests give it.
#[expect(clippy::cast_possible_truncation, reason = "a time in milliseconds fits")]
pub(super) fn moment(given: Timestamp) -> Moment {
    Moment((given.0 * 1000.0).round() as i64)
}

/// The error of a restore that was not begun.
pub(super) fn restore_error(error: RestoreError, table: &str) -> ApiError {
    match error {
        RestoreError::NoSuchTable => no_table(table),
        RestoreError::NotEnabled => ApiError::new(
            ErrorKind::PointInTimeRecoveryUnavailable,
            format!("Point in time recovery is not enabled for table '{table}'"),
        ),
        RestoreError::OutOfWindow { earliest, latest } => ApiError::new(
            ErrorKind::InvalidRestoreTime,
            format!(
                "The restore time must be between {}Z and {}Z",
                earliest.label(),
                latest.label()
            ),
        ),
        RestoreError::NoSuchBackup => no_backup(table),
        RestoreError::BackupInUse => {
            ApiError::new(ErrorKind::BackupInUse, "The backup is not available yet")
        }
        RestoreError::Exists(name) => {
            ApiError::new(ErrorKind::TableAlreadyExists, format!("Table already exists: {name}"))
        }
        RestoreError::Filter(error) => ApiError::validation(format!("Invalid Condition: {error}")),
        RestoreError::Engine(error) => error.into(),
    }
}
