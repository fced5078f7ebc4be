//! CreateTable.

use crate::{
    Caller,
    definition::{
        self, Definitions, StreamTexts, global_indexes, included_in_bounds, local_indexes,
        table_key,
    },
    description::describe,
    error::{ApiError, ErrorKind},
    wire::{CreateTableInput, CreateTableOutput},
};
use engine::{
    Engine,
    environment::Moment,
    table::{BillingMode, Owner, Policy, Status, Stream, Table},
    tables::CreateError,
};
use std::collections::{BTreeMap, BTreeSet};

const STREAM_TEXTS: StreamTexts = StreamTexts {
    view_missing: "Table is being created with a stream enabled, UpdateViewType is required",
    view_not_wanted: "Table is being created with stream disabled, UpdateViewType must not be specified",
};

/// The most bytes of a resource policy.
pub(super) const MOST_POLICY_BYTES: usize = 20 * 1024;

pub(crate) async fn create_table(
    engine: &Engine,
    caller: &Caller,
    request: CreateTableInput,
) -> Result<CreateTableOutput, ApiError> {
    let table = define(engine, caller, request)?;
    let entry = engine.create_table(table).await.map_err(|error| match error {
        CreateError::Exists(name) => {
            ApiError::new(ErrorKind::ResourceInUse, format!("Table already exists: {name}"))
        }
        CreateError::Engine(error) => error.into(),
    })?;
    let description = describe(engine, &entry.table, entry.table.status).await?;
    Ok(CreateTableOutput { table_description: Some(description) })
}

/// The definition that a request asks for, or what AWS has against it.
pub(super) fn define(
    engine: &Engine,
    caller: &Caller,
    request: CreateTableInput,
) -> Result<Table, ApiError> {
    unsupported(&request)?;
    let owner = Owner { region: caller.region.clone(), account: caller.account.clone() };
    let name = table_name(request.table_name, &owner)?;
    let billing = definition::billing_mode(request.billing_mode.as_ref());
    let provisioned = definition::provisioned(billing, request.provisioned_throughput.as_ref())?;
    let on_demand = definition::on_demand(request.on_demand_throughput.as_ref(), billing, "table")?;

    let definitions =
        Definitions::new(request.attribute_definitions.as_deref().unwrap_or_default())?;
    let locals = request.local_secondary_indexes.as_deref();
    let globals = request.global_secondary_indexes.as_deref();
    let with_indexes = locals.is_some() || globals.is_some();
    let key =
        table_key(&definitions, request.key_schema.as_deref().unwrap_or_default(), with_indexes)?;
    let mut names = BTreeSet::new();
    let locals = match locals {
        Some(indexes) => local_indexes(indexes, &key, &definitions, &mut names)?,
        None => Vec::new(),
    };
    let globals = match globals {
        Some(indexes) => global_indexes(indexes, billing, &definitions, &mut names)?,
        None => Vec::new(),
    };
    let index_keys = locals.iter().map(|i| &i.key).chain(globals.iter().map(|i| &i.key));
    definitions.all_used(std::iter::once(&key).chain(index_keys))?;
    let local_projections = locals.iter().map(|index| &index.projection);
    included_in_bounds(local_projections.chain(globals.iter().map(|index| &index.projection)))?;

    let now = engine.now();
    let stream = match &request.stream_specification {
        Some(specification) => {
            definition::stream_view(specification, &STREAM_TEXTS)?.map(Stream::enabled)
        }
        None => None,
    };
    let encryption = match &request.sse_specification {
        Some(specification) => definition::encryption(specification, &owner)?,
        None => None,
    };
    let class = definition::table_class(request.table_class.as_ref())?;
    let tags = match &request.tags {
        Some(tags) => definition::tags(tags)?,
        None => BTreeMap::new(),
    };
    let policy = match request.resource_policy {
        Some(text) => Some(policy(engine, text)?),
        None => None,
    };
    Ok(Table {
        number: 0,
        name,
        uuid: String::new(),
        owner,
        created: Moment(0),
        status: Status::Active,
        key,
        locals,
        globals,
        next_index: 0,
        billing,
        on_demand_since: (billing == BillingMode::OnDemand).then_some(now),
        provisioned,
        on_demand,
        warm: definition::warm(request.warm_throughput.as_ref()),
        stream,
        encryption,
        class,
        class_changed: None,
        deletion_protection: request.deletion_protection_enabled.unwrap_or(false),
        tags,
        policy,
        time_to_live: None,
        recovery: None,
        shards: Vec::new(),
        next_shard: 0,
        restored: None,
    })
}

/// Members that later versions will take; silence would promise what is not there.
fn unsupported(request: &CreateTableInput) -> Result<(), ApiError> {
    super::refuse_members(&[
        ("VectorIndexes", request.vector_indexes.is_some()),
        ("GlobalTableSourceArn", request.global_table_source_arn.is_some()),
        (
            "GlobalTableSettingsReplicationMode",
            request.global_table_settings_replication_mode.is_some(),
        ),
    ])
}

/// The name of the new table; an ARN must be the one the table will get.
fn table_name(given: Option<String>, owner: &Owner) -> Result<String, ApiError> {
    let given = given.unwrap_or_default();
    if !given.starts_with("arn:") {
        return Ok(given);
    }
    let prefix = format!("arn:aws:dynamodb:{}:{}:table/", owner.region, owner.account);
    let name = given.strip_prefix(&prefix).filter(|name| {
        (3..=255).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
    });
    name.map(str::to_owned).ok_or_else(|| {
        ApiError::request(format!(
            "Invalid TableArn: Invalid ResourceArn provided as input {given}"
        ))
    })
}

/// A resource policy: JSON of at most 20 KB. What it says is not enforced.
pub(super) fn policy(engine: &Engine, text: String) -> Result<Policy, ApiError> {
    if text.len() > MOST_POLICY_BYTES {
        return Err(ApiError::validation(
            "Resource-based policy size exceeds the maximum allowed size of 20480 bytes",
        ));
    }
    if !matches!(serde_json::from_str(&text), Ok(serde_json::Value::Object(_))) {
        return Err(ApiError::validation("Resource-based policy is not a valid JSON document"));
    }
    Ok(Policy { text, revision: engine.uuid().replace('-', "") })
}
