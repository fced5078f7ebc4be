//! Backups as the API describes them.

use crate::{
    description::{encryption, key_schema, on_demand, projection, stream_view, timestamp},
    error::{ApiError, ErrorKind},
    wire::{
        self, BackupDescription, BackupDetails, BackupStatus, BackupType, GlobalSecondaryIndexInfo,
        LocalSecondaryIndexInfo, Long, ProvisionedThroughput, SourceTableDetails,
        SourceTableFeatureDetails, StreamSpecification, TimeToLiveDescription, TimeToLiveStatus,
    },
};
use engine::{
    Engine,
    recovery::{Backup, BackupKind, BackupState},
    table::{BillingMode, Provisioned, Table},
};

/// The backup of that ARN.
pub(crate) async fn find_backup(engine: &Engine, arn: Option<&str>) -> Result<Backup, ApiError> {
    let arn = arn.unwrap_or_default();
    let backup = engine.backups().await?.into_iter().find(|backup| backup.arn() == arn);
    backup.ok_or_else(|| no_backup(arn))
}

pub(crate) fn no_backup(arn: &str) -> ApiError {
    ApiError::new(ErrorKind::BackupNotFound, format!("Backup not found: {arn}"))
}

pub(crate) fn status(state: BackupState) -> BackupStatus {
    match state {
        BackupState::Creating => BackupStatus::Creating,
        BackupState::Available => BackupStatus::Available,
        BackupState::Deleted => BackupStatus::Deleted,
    }
}

pub(crate) fn kind(kind: BackupKind) -> BackupType {
    match kind {
        BackupKind::User => BackupType::User,
        BackupKind::System => BackupType::System,
    }
}

pub(crate) fn details(backup: &Backup) -> BackupDetails {
    BackupDetails {
        backup_arn: Some(backup.arn()),
        backup_name: Some(backup.name.clone()),
        backup_size_bytes: Some(Long(backup.bytes)),
        backup_status: Some(status(backup.state)),
        backup_type: Some(kind(backup.kind)),
        backup_creation_date_time: Some(timestamp(backup.created)),
        backup_expiry_date_time: backup.expires().map(timestamp),
    }
}

pub(crate) fn description(backup: &Backup) -> BackupDescription {
    let table = &backup.table;
    BackupDescription {
        backup_details: Some(details(backup)),
        source_table_details: Some(SourceTableDetails {
            table_name: Some(table.name.clone()),
            table_id: Some(table.uuid.clone()),
            table_arn: Some(table.arn()),
            table_size_bytes: Some(Long(backup.bytes)),
            key_schema: Some(key_schema(&table.key)),
            table_creation_date_time: Some(timestamp(table.created)),
            provisioned_throughput: Some(units(table.provisioned)),
            on_demand_throughput: table.on_demand.map(on_demand),
            item_count: Some(Long(backup.items)),
            billing_mode: Some(match table.billing {
                BillingMode::Provisioned => wire::BillingMode::Provisioned,
                BillingMode::OnDemand => wire::BillingMode::PayPerRequest,
            }),
        }),
        source_table_feature_details: Some(features(table)),
    }
}

/// Provisioned throughput as requests give it.
pub(crate) fn units(units: Provisioned) -> ProvisionedThroughput {
    ProvisionedThroughput {
        read_capacity_units: Some(Long(units.read)),
        write_capacity_units: Some(Long(units.write)),
    }
}

fn features(table: &Table) -> SourceTableFeatureDetails {
    let locals = table.locals.iter().map(|index| LocalSecondaryIndexInfo {
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
    });
    let globals = table.globals.iter().map(|index| GlobalSecondaryIndexInfo {
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
        provisioned_throughput: Some(units(index.provisioned)),
        on_demand_throughput: index.on_demand.map(on_demand),
    });
    let (locals, globals): (Vec<_>, Vec<_>) = (locals.collect(), globals.collect());
    SourceTableFeatureDetails {
        local_secondary_indexes: (!locals.is_empty()).then_some(locals),
        global_secondary_indexes: (!globals.is_empty()).then_some(globals),
        stream_description: table.enabled_stream().map(|stream| StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(stream_view(stream.view)),
        }),
        time_to_live_description: table.expiry().map(|setting| TimeToLiveDescription {
            time_to_live_status: Some(TimeToLiveStatus::Enabled),
            attribute_name: Some(setting.attribute.clone()),
        }),
        sse_description: encryption(table),
        ..SourceTableFeatureDetails::default()
    }
}
