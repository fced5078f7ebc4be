//! UpdateContinuousBackups: the point-in-time-recovery setting.

use super::{
    change_error,
    describe_continuous_backups::{continuous_backups, no_table},
};
use crate::{
    arn::TableReference,
    error::{ApiError, ErrorKind},
    wire::{UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput},
};
use engine::{
    Engine,
    environment::Moment,
    table::{Recovery, Status, Table},
};

/// How far back recovery reaches when nothing is said.
const DEFAULT_DAYS: i64 = 35;

pub(crate) async fn update_continuous_backups(
    engine: &Engine,
    request: UpdateContinuousBackupsInput,
) -> Result<UpdateContinuousBackupsOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    let specification = request.point_in_time_recovery_specification.unwrap_or_default();
    let enable = specification.point_in_time_recovery_enabled.unwrap_or(false);
    let days = specification.recovery_period_in_days.map(i64::from);
    if !enable && days.is_some() {
        return Err(ApiError::request(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time \
             recovery.",
        ));
    }
    let entry = reference.find(engine).map_err(|_| no_table(&reference.name))?;
    if !entry.table.status_at(engine.now()).is_some_and(Status::takes_writes) {
        return Err(ApiError::new(
            ErrorKind::ContinuousBackupsUnavailable,
            format!(
                "Backups are being enabled for the table: {}. Please retry later",
                reference.name
            ),
        ));
    }
    let entry = engine
        .change_table(&reference.name, move |table, now| Ok(set(table, enable, days, now)))
        .await
        .map_err(|error| change_error(error, || no_table(&reference.name)))?;
    let description = continuous_backups(engine, &entry.table);
    Ok(UpdateContinuousBackupsOutput { continuous_backups_description: Some(description) })
}

fn set(table: &Table, enable: bool, days: Option<i64>, now: Moment) -> Table {
    let current = table.recovery;
    let recovery = enable.then(|| Recovery {
        days: days.or(current.map(|r| r.days)).unwrap_or(DEFAULT_DAYS),
        since: current.map_or(now, |r| r.since),
    });
    Table { recovery, ..table.clone() }
}
