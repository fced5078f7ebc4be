//! A table as DescribeTable and its kin describe it.

use crate::{
    error::ApiError,
    wire::{
        self, AttributeDefinition, BillingModeSummary, Enumeration,
        GlobalSecondaryIndexDescription, GlobalSecondaryIndexWarmThroughputDescription,
        IndexStatus, KeySchemaElement, LocalSecondaryIndexDescription, Long, OnDemandThroughput,
        ProvisionedThroughputDescription, RestoreSummary, SSEDescription, StreamSpecification,
        TableClassSummary, TableDescription, TableStatus, TableWarmThroughputDescription,
        Timestamp,
    },
};
use engine::{
    Engine,
    environment::Moment,
    table::{
        BillingMode, GlobalIndex, IndexState, KeySchema, LocalIndex, OnDemand, Projection,
        Provisioned, Status, StreamView, Table, TableClass, Warm,
    },
    tables::Statistics,
};

/// What a new on-demand table can take at once.
const ON_DEMAND_WARM: Warm = Warm { read: 12_000, write: 4_000 };

/// Describes a table in the given state.
pub(crate) async fn describe(
    engine: &Engine,
    table: &Table,
    status: Status,
) -> Result<TableDescription, ApiError> {
    let mut numbers = vec![0];
    numbers.extend(table.locals.iter().map(|index| index.number));
    numbers.extend(table.globals.iter().map(|index| index.number));
    let mut held = engine.statistics(table, &numbers).await?.into_iter();
    let own = held.next().unwrap_or_default();
    let locals: Vec<_> = table
        .locals
        .iter()
        .map(|index| local(table, index, held.next().unwrap_or_default()))
        .collect();
    let now = engine.now();
    let globals = table.globals.iter().map(|index| (index, held.next().unwrap_or_default()));
    let globals: Vec<_> = globals
        .filter_map(|(index, held)| {
            Some(global(table, index, index_status(index, status, now)?, held, now))
        })
        .collect();
    let stream = table.stream.as_ref();
    Ok(TableDescription {
        attribute_definitions: Some(attribute_definitions(table)),
        table_name: Some(table.name.clone()),
        key_schema: Some(key_schema(&table.key)),
        table_status: Some(TableStatus::from_text(status.name().to_owned())),
        creation_date_time: Some(timestamp(table.created)),
        provisioned_throughput: Some(provisioned(table.provisioned, now)),
        table_size_bytes: Some(Long(own.bytes)),
        item_count: Some(Long(own.items)),
        table_arn: Some(table.arn()),
        table_id: Some(table.uuid.clone()),
        billing_mode_summary: billing(table),
        local_secondary_indexes: present(locals),
        global_secondary_indexes: present(globals),
        stream_specification: stream.filter(|stream| stream.enabled).map(|stream| {
            StreamSpecification {
                stream_enabled: Some(true),
                stream_view_type: Some(stream_view(stream.view)),
            }
        }),
        latest_stream_label: stream.map(|stream| stream.label.clone()),
        latest_stream_arn: stream.map(|stream| format!("{}/stream/{}", table.arn(), stream.label)),
        sse_description: encryption(table),
        table_class_summary: table.class.map(|class| TableClassSummary {
            table_class: Some(match class {
                TableClass::Standard => wire::TableClass::Standard,
                TableClass::InfrequentAccess => wire::TableClass::StandardInfrequentAccess,
            }),
            last_update_date_time: table.class_changed.map(timestamp),
        }),
        restore_summary: table.restored.as_ref().map(|restored| RestoreSummary {
            source_backup_arn: restored.backup.clone(),
            source_table_arn: restored.table.clone(),
            restore_date_time: Some(timestamp(restored.moment)),
            restore_in_progress: Some(restored.in_progress),
        }),
        deletion_protection_enabled: Some(table.deletion_protection),
        on_demand_throughput: table.on_demand.map(on_demand),
        warm_throughput: Some(table_warm(table)),
        ..TableDescription::default()
    })
}

/// How the table is encrypted, if that was asked for.
pub(crate) fn encryption(table: &Table) -> Option<SSEDescription> {
    table.encryption.as_ref().map(|encryption| SSEDescription {
        status: Some(wire::SSEStatus::Enabled),
        sse_type: Some(wire::SSEType::Kms),
        kms_master_key_arn: Some(encryption.key_arn.clone()),
        ..SSEDescription::default()
    })
}

fn present<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

pub(crate) fn timestamp(moment: Moment) -> Timestamp {
    Timestamp(moment.seconds())
}

pub(crate) fn attribute_definitions(table: &Table) -> Vec<AttributeDefinition> {
    let definition = |(name, kind): (&str, value::KeyType)| AttributeDefinition {
        attribute_name: Some(name.to_owned()),
        attribute_type: Some(wire::ScalarAttributeType::from_text(kind.name().to_owned())),
    };
    table.attributes().into_iter().map(definition).collect()
}

pub(crate) fn key_schema(schema: &KeySchema) -> Vec<KeySchemaElement> {
    let element = |name: &str, kind| KeySchemaElement {
        attribute_name: Some(name.to_owned()),
        key_type: Some(kind),
    };
    let partition = schema.partition.iter().map(|a| element(&a.name, wire::KeyType::Hash));
    partition.chain(schema.sort.iter().map(|a| element(&a.name, wire::KeyType::Range))).collect()
}

fn provisioned(units: Provisioned, now: Moment) -> ProvisionedThroughputDescription {
    ProvisionedThroughputDescription {
        read_capacity_units: Some(Long(units.read)),
        write_capacity_units: Some(Long(units.write)),
        number_of_decreases_today: Some(Long(units.decreases_today(now))),
        last_increase_date_time: units.increased.map(timestamp),
        last_decrease_date_time: units.decreased.map(timestamp),
    }
}

/// A table that was never on-demand has no summary.
fn billing(table: &Table) -> Option<BillingModeSummary> {
    let since = table.on_demand_since?;
    Some(BillingModeSummary {
        billing_mode: Some(match table.billing {
            BillingMode::Provisioned => wire::BillingMode::Provisioned,
            BillingMode::OnDemand => wire::BillingMode::PayPerRequest,
        }),
        last_update_to_pay_per_request_date_time: Some(timestamp(since)),
    })
}

pub(crate) fn on_demand(ceilings: OnDemand) -> OnDemandThroughput {
    OnDemandThroughput {
        max_read_request_units: Some(Long(ceilings.read.unwrap_or(-1))),
        max_write_request_units: Some(Long(ceilings.write.unwrap_or(-1))),
    }
}

/// The warm throughput there is: what was asked for, or what the mode gives by itself.
pub(crate) fn warm(asked: Option<Warm>, mode: BillingMode, units: Provisioned) -> Warm {
    let given = match mode {
        BillingMode::OnDemand => ON_DEMAND_WARM,
        BillingMode::Provisioned => Warm { read: units.read, write: units.write },
    };
    let asked = asked.unwrap_or(given);
    Warm { read: asked.read.max(given.read), write: asked.write.max(given.write) }
}

fn table_warm(table: &Table) -> TableWarmThroughputDescription {
    let warm = warm(table.warm, table.billing, table.provisioned);
    TableWarmThroughputDescription {
        read_units_per_second: Some(Long(warm.read)),
        write_units_per_second: Some(Long(warm.write)),
        status: Some(TableStatus::Active),
    }
}

pub(crate) fn projection(projection: &Projection) -> wire::Projection {
    let (kind, names) = match projection {
        Projection::All => (wire::ProjectionType::All, None),
        Projection::KeysOnly => (wire::ProjectionType::KeysOnly, None),
        Projection::Include(names) => (wire::ProjectionType::Include, Some(names.clone())),
    };
    wire::Projection { projection_type: Some(kind), non_key_attributes: names }
}

pub(crate) fn stream_view(view: StreamView) -> wire::StreamViewType {
    match view {
        StreamView::KeysOnly => wire::StreamViewType::KeysOnly,
        StreamView::NewImage => wire::StreamViewType::NewImage,
        StreamView::OldImage => wire::StreamViewType::OldImage,
        StreamView::NewAndOldImages => wire::StreamViewType::NewAndOldImages,
    }
}

fn local(table: &Table, index: &LocalIndex, held: Statistics) -> LocalSecondaryIndexDescription {
    LocalSecondaryIndexDescription {
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
        index_size_bytes: Some(Long(held.bytes)),
        item_count: Some(Long(held.items)),
        index_arn: Some(format!("{}/index/{}", table.arn(), index.name)),
    }
}

/// The state of an index and, while it is being built, whether items are taken in. One
/// that is there lives through the states of its table; a deleted one has none.
fn index_status(
    index: &GlobalIndex,
    table: Status,
    now: Moment,
) -> Option<(IndexStatus, Option<bool>)> {
    match index.state {
        IndexState::Building { allocated } => Some((IndexStatus::Creating, Some(now >= allocated))),
        IndexState::Deleting { until } if now < until => Some((IndexStatus::Deleting, None)),
        IndexState::Deleting { .. } => None,
        IndexState::Updating { until } if now < until => Some((IndexStatus::Updating, None)),
        IndexState::Active | IndexState::Updating { .. } => match table {
            // Another index that is being built or deleted is not this one's concern.
            Status::Updating { .. } => Some((IndexStatus::Active, None)),
            other => Some((IndexStatus::from_text(other.name().to_owned()), None)),
        },
    }
}

fn global(
    table: &Table,
    index: &GlobalIndex,
    (status, backfilling): (IndexStatus, Option<bool>),
    held: Statistics,
    now: Moment,
) -> GlobalSecondaryIndexDescription {
    let warm = warm(index.warm, table.billing, index.provisioned);
    GlobalSecondaryIndexDescription {
        backfilling,
        index_name: Some(index.name.clone()),
        key_schema: Some(key_schema(&index.key)),
        projection: Some(projection(&index.projection)),
        index_status: Some(status),
        index_size_bytes: Some(Long(held.bytes)),
        item_count: Some(Long(held.items)),
        index_arn: Some(format!("{}/index/{}", table.arn(), index.name)),
        provisioned_throughput: Some(provisioned(index.provisioned, now)),
        on_demand_throughput: index.on_demand.map(on_demand),
        warm_throughput: Some(GlobalSecondaryIndexWarmThroughputDescription {
            read_units_per_second: Some(Long(warm.read)),
            write_units_per_second: Some(Long(warm.write)),
            status: Some(IndexStatus::Active),
        }),
    }
}
