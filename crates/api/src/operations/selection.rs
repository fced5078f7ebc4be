//! What Query and Scan give of the items they find: `Select`, the projection,
//! and which index is asked for what it does not hold.

use crate::{
    error::ApiError,
    wire::{AttributeMap, Select},
};
use bytes::Bytes;
use engine::{
    items::{self, Index, check_scalars},
    pages::{Page, Source},
    table::{Projection as Projected, Table},
};
use expression::{Condition, Projection};
use value::codec;

/// The index of that name.
pub(super) fn source<'t>(table: &'t Table, index: Option<&str>) -> Result<Source<'t>, ApiError> {
    let Some(name) = index else { return Ok(Source { table, index: None }) };
    let index = items::indexes(table).find(|index| index.name == name);
    let index = index.ok_or_else(|| {
        ApiError::validation(format!("The table does not have the specified index: {name}"))
    })?;
    if index.building {
        return Err(ApiError::validation(format!(
            "Cannot read from backfilling global secondary index: {name}"
        )));
    }
    Ok(Source { table, index: Some(index) })
}

/// Global indexes have no strong reads.
pub(super) fn check_consistency(source: &Source<'_>, consistent: bool) -> Result<(), ApiError> {
    if consistent && source.index.is_some_and(|index| index.global) {
        return Err(ApiError::validation(
            "Consistent reads are not supported on global secondary indexes",
        ));
    }
    Ok(())
}

/// What is to be given of each item.
pub(super) struct Selection {
    projection: Option<Projection>,
    count_only: bool,
    /// Whether the items behind a local index have to be fetched.
    pub(super) fetch: bool,
}

impl Selection {
    /// Checks `Select` against the projection and the index; `parameter` is the one that
    /// holds the projection.
    pub(super) fn new(
        source: &Source<'_>,
        select: Option<&Select>,
        projection: Option<Projection>,
        parameter: &str,
        filter: Option<&Condition>,
    ) -> Result<Selection, ApiError> {
        let chosen = match select {
            Some(Select::AllAttributes) => Some("ALL_ATTRIBUTES"),
            Some(Select::AllProjectedAttributes) => Some("ALL_PROJECTED_ATTRIBUTES"),
            Some(Select::Count) => Some("only the Count"),
            _ => None,
        };
        if let (Some(chosen), Some(_)) = (chosen, &projection) {
            return Err(ApiError::parameters(format!(
                "Cannot specify the {parameter} when choosing to get {chosen}"
            )));
        }
        match select {
            Some(Select::AllProjectedAttributes) if source.index.is_none() => {
                return Err(ApiError::parameters(
                    "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
                ));
            }
            Some(Select::SpecificAttributes) if projection.is_none() => {
                return Err(ApiError::parameters(
                    "Must specify the AttributesToGet or ProjectionExpression when choosing to get \
                     SPECIFIC_ATTRIBUTES",
                ));
            }
            _ => {}
        }
        let everything = select == Some(&Select::AllAttributes);
        let fetch = match source.index {
            Some(index) => {
                needs_items(source.table, index, everything, projection.as_ref())?
                    | filters_beyond(source.table, index, filter)?
            }
            None => false,
        };
        Ok(Selection { projection, count_only: select == Some(&Select::Count), fetch })
    }

    /// The items of a page as they are given; none where only their count was asked for.
    pub(super) fn items(&self, page: &mut Page) -> Result<Option<Vec<AttributeMap>>, ApiError> {
        if self.count_only {
            return Ok(None);
        }
        let given = |stored: Bytes| match &self.projection {
            Some(projection) => Ok(AttributeMap::Item(projection.apply(&codec::decode(&stored)?))),
            None => Ok(AttributeMap::Encoded(stored)),
        };
        std::mem::take(&mut page.items).into_iter().map(given).collect::<Result<_, _>>().map(Some)
    }
}

/// Whether a local index must fetch its items; a global one refuses instead.
fn needs_items(
    table: &Table,
    index: Index<'_>,
    everything: bool,
    projection: Option<&Projection>,
) -> Result<bool, ApiError> {
    if everything && *index.projection != Projected::All {
        if index.global {
            return Err(ApiError::parameters(format!(
                "Select type ALL_ATTRIBUTES is not supported for global secondary index {} because \
                 its projection type is not ALL",
                index.name
            )));
        }
        return Ok(true);
    }
    let mut missing: Vec<&str> = Vec::new();
    for name in projection.into_iter().flat_map(Projection::attributes) {
        if !index.holds(table, name) && !missing.contains(&name) {
            missing.push(name);
        }
    }
    if index.global && !missing.is_empty() {
        return Err(ApiError::parameters(format!(
            "Global secondary index {} does not project [{}]",
            index.name,
            missing.join(", ")
        )));
    }
    Ok(!missing.is_empty())
}

/// Whether a filter needs attributes that a local index does not hold; a global one
/// refuses it.
fn filters_beyond(
    table: &Table,
    index: Index<'_>,
    filter: Option<&Condition>,
) -> Result<bool, ApiError> {
    let mut missing: Vec<&str> = Vec::new();
    for name in filter.into_iter().flat_map(Condition::attributes) {
        if !index.holds(table, name) && !missing.contains(&name) {
            missing.push(name);
        }
    }
    if index.global && !missing.is_empty() {
        return Err(ApiError::parameters(format!(
            "Secondary index {} does not project one or more filter attributes: [{}]",
            index.name,
            missing.join(", ")
        )));
    }
    Ok(!missing.is_empty())
}

/// Refuses a projection that leads into a key attribute.
pub(super) fn check_projection_scalars(
    table: &Table,
    projection: Option<&Projection>,
) -> Result<(), ApiError> {
    let nested = projection.into_iter().flat_map(Projection::nested_paths);
    check_scalars(table, nested).map_err(|error| ApiError::validation(error.to_string()))
}

/// Refuses a filter that leads into a key attribute.
pub(super) fn check_filter_scalars(
    table: &Table,
    filter: Option<&Condition>,
) -> Result<(), ApiError> {
    let nested = filter.into_iter().flat_map(Condition::nested_paths);
    check_scalars(table, nested).map_err(|error| ApiError::validation(error.to_string()))
}
