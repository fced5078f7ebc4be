//! UpdateTable: billing mode and throughput, stream, encryption, class,
//! deletion protection, and throughput of indexes.

use super::{change_error, index_change, refuse_members};
use crate::{
    arn::TableReference,
    definition::{self, StreamTexts},
    description::{describe, warm},
    error::{ApiError, ErrorKind},
    wire::{self, GlobalSecondaryIndexUpdate, UpdateTableInput, UpdateTableOutput},
};
use engine::{
    Engine,
    environment::Moment,
    table::{BillingMode, IndexState, Provisioned, Status, Stream, Table, Warm},
};
use std::collections::BTreeSet;

const NOTHING_TO_DO: &str = "At least one of ProvisionedThroughput, BillingMode, \
    UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, \
    MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, \
    DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required";

const STREAM_TEXTS: StreamTexts = StreamTexts {
    view_missing: "If stream is being enabled then UpdateViewType is required",
    view_not_wanted: "If stream is being disabled, then UpdateViewType must not be specified",
};

pub(crate) async fn update_table(
    engine: &Engine,
    request: UpdateTableInput,
) -> Result<UpdateTableOutput, ApiError> {
    check(&request)?;
    let reference = TableReference::parse(request.table_name.clone())?;
    reference.find(engine)?;
    let until = engine.transition_end(engine.now());
    let entry = engine
        .change_table(&reference.name, move |table, now| {
            index_change::check_running(table, &request, now)?;
            let mut changed = update(table, &request, now)?;
            mark_updating(table, &mut changed, until);
            index_change::change(&mut changed, &request, now, until)?;
            changed.status = Status::Updating { until };
            Ok(changed)
        })
        .await
        .map_err(|error| change_error(error, || ApiError::no_table(&reference.name)))?;
    engine.wake();
    let description = describe(engine, &entry.table, entry.table.status).await?;
    Ok(UpdateTableOutput { table_description: Some(description) })
}

/// What can be said against the request without knowing the table.
fn check(request: &UpdateTableInput) -> Result<(), ApiError> {
    let index_updates = request.global_secondary_index_updates.as_deref().unwrap_or_default();
    refuse_members(&[
        ("ReplicaUpdates", request.replica_updates.is_some()),
        ("MultiRegionConsistency", request.multi_region_consistency.is_some()),
        ("GlobalTableWitnessUpdates", request.global_table_witness_updates.is_some()),
        ("VectorIndexUpdates", request.vector_index_updates.is_some()),
        (
            "GlobalTableSettingsReplicationMode",
            request.global_table_settings_replication_mode.is_some(),
        ),
    ])?;
    let throughput = request.provisioned_throughput.is_some();
    let changes_indexes = index_updates.iter().any(index_change::is_change);
    let index_throughput = index_updates.iter().any(|update| update.update.is_some());
    let table_iops = throughput || request.billing_mode.is_some() || index_throughput;
    let iops = table_iops || !index_updates.is_empty();
    let stream = request.stream_specification.is_some();
    let on_demand = request.on_demand_throughput.is_some();
    let alone = [
        ("Server-Side Encryption", request.sse_specification.is_some()),
        ("TableClass", request.table_class.is_some()),
        ("DeletionProtection", request.deletion_protection_enabled.is_some()),
        ("WarmThroughput", request.warm_throughput.is_some()),
    ];
    let several = alone.iter().filter(|(_, given)| *given).count();
    if !iops && !stream && !on_demand && several == 0 {
        return Err(ApiError::request(NOTHING_TO_DO));
    }
    if let Some((name, _)) = alone.iter().find(|(_, given)| *given)
        && (iops || stream || on_demand || several > 1)
    {
        return Err(ApiError::request(format!(
            "{name} modification must be the only operation in the request"
        )));
    }
    if on_demand && (throughput || stream || !index_updates.is_empty()) {
        return Err(ApiError::request(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ));
    }
    if stream && table_iops {
        return Err(ApiError::request("You cannot modify stream status while updating table IOPS"));
    }
    if changes_indexes && table_iops {
        return Err(ApiError::request(
            "You cannot create or delete index while updating table IOPS",
        ));
    }
    if changes_indexes && stream {
        return Err(ApiError::request(
            "You cannot create or delete index while changing stream status",
        ));
    }
    if request.billing_mode == Some(wire::BillingMode::Provisioned) && !throughput {
        return Err(ApiError::parameters(
            "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ));
    }
    if let Some(units) = &request.provisioned_throughput {
        definition::provisioned_in_bounds(units)?;
    }
    check_index_updates(index_updates)
}

fn check_index_updates(updates: &[GlobalSecondaryIndexUpdate]) -> Result<(), ApiError> {
    let mut names = BTreeSet::new();
    for update in updates {
        let given = [update.create.is_some(), update.delete.is_some(), update.update.is_some()];
        if given.iter().filter(|given| **given).count() > 1 {
            return Err(ApiError::parameters(
                "Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                 GlobalSecondaryIndexUpdate.Delete may be specified",
            ));
        }
        let name = match update {
            GlobalSecondaryIndexUpdate { create: Some(create), .. } => create.index_name.as_deref(),
            GlobalSecondaryIndexUpdate { delete: Some(delete), .. } => delete.index_name.as_deref(),
            GlobalSecondaryIndexUpdate { update: Some(update), .. } => update.index_name.as_deref(),
            _ => {
                return Err(ApiError::parameters(
                    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, \
                     GlobalSecondaryIndexUpdate.Delete must not be null",
                ));
            }
        };
        let name = name.unwrap_or_default();
        if !names.insert(name) {
            return Err(ApiError::parameters(format!(
                "Only one global secondary index update per index is allowed simultaneously. \
                 Index: {name}"
            )));
        }
    }
    Ok(())
}

/// The table as the request wants it.
fn update(table: &Table, request: &UpdateTableInput, now: Moment) -> Result<Table, ApiError> {
    let mut changed = table.clone();
    update_throughput(&mut changed, request, now)?;
    if let Some(specification) = &request.stream_specification {
        changed.stream = Some(update_stream(table, specification)?);
    }
    if let Some(specification) = &request.sse_specification {
        changed.encryption = definition::encryption(specification, &table.owner)?;
    }
    if let Some(class) = definition::table_class(request.table_class.as_ref())? {
        changed.class = Some(class);
        changed.class_changed = Some(now);
    }
    if let Some(protected) = request.deletion_protection_enabled {
        changed.deletion_protection = protected;
    }
    if let Some(ceilings) = &request.on_demand_throughput {
        changed.on_demand = definition::on_demand(Some(ceilings), changed.billing, "table")?;
    }
    if let Some(asked) = definition::warm(request.warm_throughput.as_ref()) {
        changed.warm = Some(raise(warm(table.warm, table.billing, table.provisioned), asked)?);
    }
    Ok(changed)
}

/// Indexes with another throughput than before are being updated.
fn mark_updating(before: &Table, changed: &mut Table, until: Moment) {
    for (was, index) in before.globals.iter().zip(&mut changed.globals) {
        let in_use = matches!(index.state, IndexState::Active | IndexState::Updating { .. });
        if was != index && in_use {
            index.state = IndexState::Updating { until };
        }
    }
}

/// Warm throughput only ever grows.
fn raise(current: Warm, asked: Warm) -> Result<Warm, ApiError> {
    let pairs = [
        ("ReadUnitsPerSecond", current.read, asked.read),
        ("WriteUnitsPerSecond", current.write, asked.write),
    ];
    for (name, current, asked) in pairs {
        if asked < current && asked != 0 {
            return Err(ApiError::validation(format!(
                "Requested {name} for WarmThroughput for table is lower than current \
                 WarmThroughput, decreasing WarmThroughput is not supported"
            )));
        }
    }
    Ok(Warm { read: asked.read.max(current.read), write: asked.write.max(current.write) })
}

fn update_throughput(
    table: &mut Table,
    request: &UpdateTableInput,
    now: Moment,
) -> Result<(), ApiError> {
    let was = table.billing;
    if let Some(mode) = &request.billing_mode {
        table.billing = definition::billing_mode(Some(mode));
    }
    if table.billing == BillingMode::OnDemand {
        let index_units = request.global_secondary_index_updates.iter().flatten();
        let index_units = index_units.filter_map(|update| update.update.as_ref());
        let any = index_units.filter_map(|update| update.provisioned_throughput.as_ref()).next();
        if request.provisioned_throughput.is_some() || any.is_some() {
            definition::provisioned(table.billing, Some(&wire::ProvisionedThroughput::default()))?;
        }
    }
    if was == BillingMode::Provisioned && table.billing == BillingMode::OnDemand {
        table.on_demand_since = Some(now);
        table.provisioned = table.provisioned.changed(0, 0, now);
        for index in &mut table.globals {
            index.provisioned = index.provisioned.changed(0, 0, now);
        }
    }
    let switched = was == BillingMode::OnDemand && table.billing == BillingMode::Provisioned;
    if switched {
        table.on_demand = None;
    }
    if let Some(units) = &request.provisioned_throughput {
        table.provisioned = throughput(table.provisioned, units, now, "table")?;
    }
    update_indexes(table, request, now)?;
    if switched && let Some(index) = table.globals.iter().find(|i| i.provisioned.read == 0) {
        return Err(ApiError::parameters(format!(
            "ProvisionedThroughput must be specified for index: {}",
            index.name
        )));
    }
    Ok(())
}

fn update_indexes(
    table: &mut Table,
    request: &UpdateTableInput,
    now: Moment,
) -> Result<(), ApiError> {
    let updates = request.global_secondary_index_updates.iter().flatten();
    for update in updates.filter_map(|update| update.update.as_ref()) {
        let name = update.index_name.as_deref().unwrap_or_default();
        let mut there = table.globals.iter_mut().filter(|index| !index.is_over(now));
        let Some(index) = there.find(|index| index.name == name) else {
            let text = format!("Requested resource not found: Index: {name} not found");
            return Err(ApiError::new(ErrorKind::ResourceNotFound, text));
        };
        if let Some(units) = &update.provisioned_throughput {
            index.provisioned = throughput(index.provisioned, units, now, "index")?;
        }
        if let Some(ceilings) = &update.on_demand_throughput {
            index.on_demand = definition::on_demand(Some(ceilings), table.billing, "index")?;
        }
        if let Some(asked) = definition::warm(update.warm_throughput.as_ref()) {
            index.warm = Some(raise(warm(index.warm, table.billing, index.provisioned), asked)?);
        }
    }
    Ok(())
}

/// New units, which must differ from the current ones.
fn throughput(
    current: Provisioned,
    units: &wire::ProvisionedThroughput,
    now: Moment,
    of: &str,
) -> Result<Provisioned, ApiError> {
    let asked = definition::provisioned_in_bounds(units)?;
    if (asked.read, asked.write) == (current.read, current.write) {
        return Err(ApiError::validation(format!(
            "The provisioned throughput for the {of} will not change. The requested value equals \
             the current value. Current ReadCapacityUnits provisioned for the {of}: {}. \
             Requested ReadCapacityUnits: {}. Current WriteCapacityUnits provisioned for the \
             {of}: {}. Requested WriteCapacityUnits: {}. Refer to the Amazon DynamoDB Developer \
             Guide for current limits and how to request higher limits.",
            current.read, asked.read, current.write, asked.write
        )));
    }
    Ok(current.changed(asked.read, asked.write, now))
}

/// The stream after being turned on or off; every start makes a new one.
fn update_stream(
    table: &Table,
    specification: &wire::StreamSpecification,
) -> Result<Stream, ApiError> {
    let current = table.stream.as_ref().filter(|stream| stream.enabled);
    let view = definition::stream_view(specification, &STREAM_TEXTS)?;
    match (current, view) {
        (Some(_), Some(_)) => Err(ApiError::validation(format!(
            "Table already has an enabled stream: TableName: {}",
            table.name
        ))),
        (None, Some(view)) => Ok(Stream::enabled(view)),
        (Some(current), None) => Ok(Stream { enabled: false, ..current.clone() }),
        (None, None) => Err(ApiError::validation(format!(
            "Table has no stream to disable: TableName: {}",
            table.name
        ))),
    }
}
