//! Creating and deleting a global index of a table that is there.

use super::settled;
use crate::{
    definition::{Definitions, MOST_GLOBAL_INDEXES, global_index, included_in_bounds},
    error::{ApiError, ErrorKind},
    wire::{
        CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate,
        UpdateTableInput,
    },
};
use engine::{
    environment::Moment,
    table::{IndexState, KeyAttribute, Table},
};

/// Whether an update creates or deletes an index.
pub(super) fn is_change(update: &GlobalSecondaryIndexUpdate) -> bool {
    update.create.is_some() || update.delete.is_some()
}

fn changes(request: &UpdateTableInput) -> impl Iterator<Item = &GlobalSecondaryIndexUpdate> {
    let updates = request.global_secondary_index_updates.iter().flatten();
    updates.filter(|update| is_change(update))
}

fn limit_exceeded(text: &str) -> ApiError {
    ApiError::new(ErrorKind::LimitExceeded, format!("Subscriber limit exceeded: {text}"))
}

const ONE_AT_A_TIME: &str =
    "Only 1 online index can be created or deleted simultaneously per table";

/// Refuses a change of a table in the middle of another. While an index is being built,
/// that index may be deleted.
pub(super) fn check_running(
    table: &Table,
    request: &UpdateTableInput,
    now: Moment,
) -> Result<(), ApiError> {
    let running = table.globals.iter().find(|index| index.is_changing(now));
    let Some(running) = running.filter(|_| changes(request).next().is_some()) else {
        return settled(table);
    };
    let deleted = changes(request).filter_map(|update| update.delete.as_ref());
    let mut deleted = deleted.filter_map(|delete| delete.index_name.as_deref());
    let itself = changes(request).count() == 1 && deleted.any(|name| name == running.name);
    match running.state {
        IndexState::Building { allocated } if itself && now < allocated => Err(ApiError::new(
            ErrorKind::ResourceInUse,
            format!(
                "Attempt to change a resource which is still in use: Index creation is in resource \
                 allocation phase. Retry deletion during backfilling phase or when the index is \
                 active. Table: {} Index: {}",
                table.name, running.name
            ),
        )),
        IndexState::Building { .. } if itself => Ok(()),
        _ => Err(limit_exceeded(ONE_AT_A_TIME)),
    }
}

/// Makes the one change of indexes that a request may ask for.
pub(super) fn change(
    table: &mut Table,
    request: &UpdateTableInput,
    now: Moment,
    until: Moment,
) -> Result<(), ApiError> {
    let mut changes = changes(request);
    let Some(change) = changes.next() else { return Ok(()) };
    if changes.next().is_some() {
        return Err(limit_exceeded(ONE_AT_A_TIME));
    }
    if let Some(create) = &change.create {
        return add(table, create, request, now, until);
    }
    let name = change.delete.as_ref().and_then(|delete| delete.index_name.as_deref());
    let name = name.unwrap_or_default();
    let mut there = table.globals.iter_mut().filter(|index| !index.is_over(now));
    let Some(index) = there.find(|index| index.name == name) else {
        let text = format!("Requested resource not found: Index: {name} not found");
        return Err(ApiError::new(ErrorKind::ResourceNotFound, text));
    };
    index.state = IndexState::Deleting { until };
    Ok(())
}

fn add(
    table: &mut Table,
    create: &CreateGlobalSecondaryIndexAction,
    request: &UpdateTableInput,
    now: Moment,
    until: Moment,
) -> Result<(), ApiError> {
    let name = create.index_name.clone().unwrap_or_default();
    let locals = table.locals.iter().map(|index| &index.name);
    let globals = table.globals.iter().filter(|index| !index.is_over(now));
    let globals: Vec<&String> = globals.map(|index| &index.name).collect();
    if locals.chain(globals.iter().copied()).any(|known| *known == name) {
        return Err(ApiError::validation("Attempting to create an index which already exists"));
    }
    if globals.len() >= MOST_GLOBAL_INDEXES {
        return Err(limit_exceeded(
            "Number of global secondary indexes exceeds per-table limit of 20",
        ));
    }
    let Some(given) = &request.attribute_definitions else {
        return Err(ApiError::parameters(format!(
            "AttributeDefinitions is not specified for index: {name}"
        )));
    };
    let definitions = Definitions::new(given)?;
    let known = table.attributes();
    let differs = |attribute: &&KeyAttribute| {
        known.get(attribute.name.as_str()).is_some_and(|kind| *kind != attribute.kind)
    };
    if let Some(attribute) = definitions.iter().find(differs) {
        return Err(ApiError::parameters(format!(
            "Cannot redefine the type of a key attribute. Attribute: {}",
            attribute.name
        )));
    }
    let wanted = GlobalSecondaryIndex {
        index_name: create.index_name.clone(),
        key_schema: create.key_schema.clone(),
        projection: create.projection.clone(),
        provisioned_throughput: create.provisioned_throughput.clone(),
        on_demand_throughput: create.on_demand_throughput.clone(),
        warm_throughput: create.warm_throughput.clone(),
    };
    let mut index = global_index(&wanted, table.billing, &definitions)?;
    index.number = table.next_index;
    index.state = IndexState::Building { allocated: until };
    // Numbers are never used again.
    table.next_index = table
        .next_index
        .checked_add(1)
        .ok_or_else(|| limit_exceeded("The table has had as many indexes as it can have"))?;
    table.globals.push(index);
    let local = table.locals.iter().map(|index| &index.projection);
    included_in_bounds(local.chain(table.globals.iter().map(|index| &index.projection)))
}
