//! The definition of a table that is restored: what carries over, and what a request may change.

use crate::{
    definition,
    error::ApiError,
    wire::{self, GlobalSecondaryIndex, LocalSecondaryIndex},
};
use engine::{
    environment::Moment,
    table::{BillingMode, IndexState, Provisioned, Restored, Status, Table},
};

/// What a request wants to be different from the source.
#[derive(Default)]
pub(crate) struct Overrides {
    pub(crate) billing: Option<wire::BillingMode>,
    pub(crate) globals: Option<Vec<GlobalSecondaryIndex>>,
    pub(crate) locals: Option<Vec<LocalSecondaryIndex>>,
    pub(crate) provisioned: Option<wire::ProvisionedThroughput>,
    pub(crate) on_demand: Option<wire::OnDemandThroughput>,
    pub(crate) encryption: Option<wire::SSESpecification>,
}

/// The table to restore into: keys, indexes, throughput and encryption of the source; no
/// stream, time to live, tags, policy, recovery or protection.
pub(crate) fn restored_table(
    source: &Table,
    name: String,
    restored: Restored,
    now: Moment,
    overrides: Overrides,
) -> Result<Table, ApiError> {
    let mut table = Table {
        number: 0,
        name,
        uuid: String::new(),
        status: Status::Active,
        warm: None,
        stream: None,
        deletion_protection: false,
        tags: Default::default(),
        policy: None,
        time_to_live: None,
        recovery: None,
        shards: Vec::new(),
        next_shard: 0,
        restored: Some(restored),
        ..source.clone()
    };
    table.globals.retain(|index| !matches!(index.state, IndexState::Deleting { .. }));
    for index in &mut table.globals {
        index.state = IndexState::Active;
    }
    if let Some(wanted) = &overrides.globals {
        let names: Vec<_> = wanted.iter().filter_map(|index| index.index_name.as_deref()).collect();
        let known: Vec<_> = table.globals.iter().map(|index| index.name.as_str()).collect();
        all_known(&names, &known)?;
        table.globals.retain(|index| names.contains(&index.name.as_str()));
    }
    if let Some(wanted) = &overrides.locals {
        let names: Vec<_> = wanted.iter().filter_map(|index| index.index_name.as_deref()).collect();
        let known: Vec<_> = table.locals.iter().map(|index| index.name.as_str()).collect();
        all_known(&names, &known)?;
        table.locals.retain(|index| names.contains(&index.name.as_str()));
    }
    throughput(&mut table, now, &overrides)?;
    if let Some(specification) = &overrides.encryption {
        table.encryption = definition::encryption(specification, &table.owner)?;
    }
    Ok(table)
}

/// Indexes may be left out, not made up.
fn all_known(wanted: &[&str], known: &[&str]) -> Result<(), ApiError> {
    match wanted.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(ApiError::validation(format!(
            "Invalid Request: Index {name} does not match a secondary index that existed in the \
             source table and cannot be created during the restore operation"
        ))),
        None => Ok(()),
    }
}

fn throughput(table: &mut Table, now: Moment, overrides: &Overrides) -> Result<(), ApiError> {
    if let Some(mode) = &overrides.billing {
        table.billing = definition::billing_mode(Some(mode));
    }
    if table.billing == BillingMode::OnDemand {
        table.on_demand_since = Some(now);
        table.provisioned = Provisioned::default();
        for index in &mut table.globals {
            index.provisioned = Provisioned::default();
        }
    }
    let given = overrides.provisioned.as_ref();
    if table.billing == BillingMode::Provisioned && overrides.billing.is_some() {
        table.on_demand = None;
        table.on_demand_since = None;
        for index in &mut table.globals {
            index.on_demand = None;
        }
    }
    if given.is_some() || table.billing == BillingMode::Provisioned && table.provisioned.read == 0 {
        table.provisioned = definition::provisioned(table.billing, given)?;
    }
    let wanted = overrides.globals.iter().flatten();
    for index in wanted {
        let own = table.globals.iter_mut().find(|own| Some(&own.name) == index.index_name.as_ref());
        if let (Some(own), Some(units)) = (own, &index.provisioned_throughput) {
            own.provisioned = definition::provisioned_in_bounds(units)?;
        }
    }
    if table.billing == BillingMode::Provisioned {
        // An index without units of its own gets those of the table.
        let units = table.provisioned;
        for index in table.globals.iter_mut().filter(|index| index.provisioned.read == 0) {
            index.provisioned = units;
        }
    }
    if let Some(ceilings) = &overrides.on_demand {
        table.on_demand = definition::on_demand(Some(ceilings), table.billing, "table")?;
    }
    Ok(())
}
