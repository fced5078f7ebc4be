//! DescribeContinuousBackups: the setting, and what can be restored.

use crate::{
    arn::TableReference,
    description::timestamp,
    error::{ApiError, ErrorKind},
    wire::{
        ContinuousBackupsDescription, ContinuousBackupsStatus, DescribeContinuousBackupsInput,
        DescribeContinuousBackupsOutput, PointInTimeRecoveryDescription, PointInTimeRecoveryStatus,
    },
};
use engine::{Engine, table::Table};

pub(crate) fn describe_continuous_backups(
    engine: &Engine,
    request: DescribeContinuousBackupsInput,
) -> Result<DescribeContinuousBackupsOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.find(engine).map_err(|_| no_table(&reference.name))?;
    let description = continuous_backups(engine, &entry.table);
    Ok(DescribeContinuousBackupsOutput { continuous_backups_description: Some(description) })
}

/// Backup calls have an error of their own for a table that is not there.
pub(super) fn no_table(name: &str) -> ApiError {
    ApiError::new(ErrorKind::TableNotFound, format!("Table not found: {name}"))
}

pub(super) fn continuous_backups(engine: &Engine, table: &Table) -> ContinuousBackupsDescription {
    let window = engine.restorable(table);
    let status = match table.recovery {
        Some(_) => PointInTimeRecoveryStatus::Enabled,
        None => PointInTimeRecoveryStatus::Disabled,
    };
    ContinuousBackupsDescription {
        continuous_backups_status: Some(ContinuousBackupsStatus::Enabled),
        point_in_time_recovery_description: Some(PointInTimeRecoveryDescription {
            point_in_time_recovery_status: Some(status),
            recovery_period_in_days: table.recovery.map(|r| crate::wire::Integer(r.days)),
            earliest_restorable_date_time: window.map(|(earliest, _)| timestamp(earliest)),
            latest_restorable_date_time: window.map(|(_, latest)| timestamp(latest)),
        }),
    }
}
