//! Secondary indexes and their projections.

use super::{Definitions, on_demand, warm};
use crate::{
    error::ApiError,
    wire::{
        GlobalSecondaryIndex, LocalSecondaryIndex, Projection as WireProjection, ProjectionType,
    },
};
use engine::table::{
    BillingMode, GlobalIndex, IndexState, KeySchema, LocalIndex, Projection, Provisioned,
};
use std::collections::BTreeSet;

const MOST_LOCAL_INDEXES: usize = 5;
pub(crate) const MOST_GLOBAL_INDEXES: usize = 20;
/// Attributes named in all INCLUDE projections of a table together.
const MOST_INCLUDED: usize = 100;

/// The local indexes of a new table; `names` collects index names of both kinds.
pub(crate) fn local_indexes(
    indexes: &[LocalSecondaryIndex],
    table: &KeySchema,
    definitions: &Definitions,
    names: &mut BTreeSet<String>,
) -> Result<Vec<LocalIndex>, ApiError> {
    if indexes.is_empty() {
        return Err(ApiError::parameters("List of LocalSecondaryIndexes is empty"));
    }
    if table.sort.is_empty() {
        return Err(ApiError::parameters(
            "Table KeySchema does not have a range key, which is required when specifying a \
             LocalSecondaryIndex",
        ));
    }
    let mut built = Vec::with_capacity(indexes.len());
    for index in indexes {
        let name = index.index_name.clone().unwrap_or_default();
        let key = definitions.simple_key(index.key_schema.as_deref().unwrap_or_default())?;
        if key.sort.is_empty() {
            return Err(ApiError::parameters(format!(
                "Index KeySchema does not have a range key for index: {name}"
            )));
        }
        let hash = |schema: &KeySchema| schema.partition.first().map(|a| a.name.clone());
        let (own, tables) = (hash(&key).unwrap_or_default(), hash(table).unwrap_or_default());
        if own != tables {
            return Err(ApiError::parameters(format!(
                "Index KeySchema does not have the same leading hash key as table KeySchema for \
                 index: {name}. index hash key: {own}, table hash key: {tables}"
            )));
        }
        let projection = projection(index.projection.as_ref())?;
        unique(&name, names)?;
        built.push(LocalIndex { number: 0, name, key, projection });
    }
    if built.len() > MOST_LOCAL_INDEXES {
        return Err(ApiError::parameters(
            "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        ));
    }
    Ok(built)
}

/// The global indexes of a new table.
pub(crate) fn global_indexes(
    indexes: &[GlobalSecondaryIndex],
    billing: BillingMode,
    definitions: &Definitions,
    names: &mut BTreeSet<String>,
) -> Result<Vec<GlobalIndex>, ApiError> {
    if indexes.is_empty() {
        return Err(ApiError::parameters("List of GlobalSecondaryIndexes is empty"));
    }
    let mut built = Vec::with_capacity(indexes.len());
    for index in indexes {
        let index = global_index(index, billing, definitions)?;
        unique(&index.name, names)?;
        built.push(index);
    }
    if built.len() > MOST_GLOBAL_INDEXES {
        return Err(ApiError::parameters(
            "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ));
    }
    Ok(built)
}

/// One global index.
pub(crate) fn global_index(
    index: &GlobalSecondaryIndex,
    billing: BillingMode,
    definitions: &Definitions,
) -> Result<GlobalIndex, ApiError> {
    let name = index.index_name.clone().unwrap_or_default();
    let key = definitions.wide_key(index.key_schema.as_deref().unwrap_or_default())?;
    let projection = projection(index.projection.as_ref())?;
    let units = index.provisioned_throughput.as_ref();
    let provisioned = match (billing, units) {
        (BillingMode::Provisioned, Some(units)) => super::provisioned_in_bounds(units)?,
        (BillingMode::Provisioned, None) => {
            return Err(ApiError::parameters(format!(
                "ProvisionedThroughput is not specified for index: {name}"
            )));
        }
        (BillingMode::OnDemand, Some(_)) => {
            return Err(ApiError::parameters(format!(
                "ProvisionedThroughput should not be specified for index: {name} when \
                     BillingMode is PAY_PER_REQUEST"
            )));
        }
        (BillingMode::OnDemand, None) => Provisioned::default(),
    };
    Ok(GlobalIndex {
        number: 0,
        key,
        projection,
        provisioned,
        on_demand: on_demand(index.on_demand_throughput.as_ref(), billing, "index")?,
        warm: warm(index.warm_throughput.as_ref()),
        name,
        state: IndexState::Active,
    })
}

/// Refuses more included attributes over all indexes than AWS keeps.
pub(crate) fn included_in_bounds<'a>(
    projections: impl Iterator<Item = &'a Projection>,
) -> Result<(), ApiError> {
    let included: usize = projections
        .map(|projection| match projection {
            Projection::Include(names) => names.len(),
            _ => 0,
        })
        .sum();
    if included > MOST_INCLUDED {
        return Err(ApiError::parameters(format!(
            "Number of NonKeyAttributes over all indexes exceeds the limit of {MOST_INCLUDED}"
        )));
    }
    Ok(())
}

fn unique(name: &str, names: &mut BTreeSet<String>) -> Result<(), ApiError> {
    if names.insert(name.to_owned()) {
        return Ok(());
    }
    Err(ApiError::parameters(format!("Duplicate index name: {name}")))
}

fn projection(projection: Option<&WireProjection>) -> Result<Projection, ApiError> {
    let kind = projection.and_then(|p| p.projection_type.as_ref());
    let names = projection.and_then(|p| p.non_key_attributes.as_ref());
    let (built, kind) = match kind {
        Some(ProjectionType::All) => (Projection::All, "ALL"),
        Some(ProjectionType::KeysOnly) => (Projection::KeysOnly, "KEYS_ONLY"),
        Some(ProjectionType::Include) => {
            let names = names.ok_or_else(|| {
                ApiError::parameters(
                    "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
                )
            })?;
            let mut seen = BTreeSet::new();
            if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
                return Err(ApiError::parameters(format!(
                    "Duplicate element in NonKeyAttributes: {twice}"
                )));
            }
            return Ok(Projection::Include(names.clone()));
        }
        Some(ProjectionType::Unknown(_)) | None => {
            return Err(ApiError::parameters("Unknown ProjectionType: null"));
        }
    };
    if names.is_some() {
        return Err(ApiError::parameters(format!(
            "ProjectionType is {kind}, but NonKeyAttributes is specified"
        )));
    }
    Ok(built)
}
