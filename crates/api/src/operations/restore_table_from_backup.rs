//! RestoreTableFromBackup.

use super::{refuse_members, restore_table_to_point_in_time::restore_error};
use crate::{
    backups::find_backup,
    description::describe,
    error::ApiError,
    restored::{Overrides, restored_table},
    wire::{RestoreTableFromBackupInput, RestoreTableFromBackupOutput},
};
use engine::{
    Engine,
    recovery::{Filter, RestoreSource},
    table::Restored,
};

pub(crate) async fn restore_table_from_backup(
    engine: &Engine,
    request: RestoreTableFromBackupInput,
) -> Result<RestoreTableFromBackupOutput, ApiError> {
    refuse_members(&[("VectorIndexOverride", request.vector_index_override.is_some())])?;
    let backup = find_backup(engine, request.backup_arn.as_deref()).await?;
    let restored = Restored {
        backup: Some(backup.arn()),
        table: Some(backup.table.arn()),
        moment: backup.created,
        in_progress: true,
    };
    let overrides = Overrides {
        billing: request.billing_mode_override,
        globals: request.global_secondary_index_override,
        locals: request.local_secondary_index_override,
        provisioned: request.provisioned_throughput_override,
        on_demand: request.on_demand_throughput_override,
        encryption: request.sse_specification_override,
    };
    let name = request.target_table_name.unwrap_or_default();
    let target = restored_table(&backup.table, name, restored, engine.now(), overrides)?;
    let source = RestoreSource::Backup { backup: backup.number };
    let begun = engine.restore_into(source, Filter::default(), target).await;
    let (_, table) = begun.map_err(|error| restore_error(error, &backup.table.name))?;
    let description = describe(engine, &table, table.status).await?;
    Ok(RestoreTableFromBackupOutput { table_description: Some(description) })
}
