//! Runs the plan of a SELECT, a page at a time.

use super::{
    super::selection::{Selection, check_filter_scalars, check_projection_scalars},
    next_token::{Purpose, Start, mismatch},
    plan::{Access, Plan, plan},
};
use crate::{arn::TableReference, error::ApiError, wire::AttributeMap};
use engine::{
    Engine,
    items::{self, Capacity},
    pages::{Direction, KeyRange, PageRead, Source},
    table::Table,
};
use expression::{Condition, KeyCondition, partiql::Select};
use value::{Item, Value};

/// Items a page has at the most when it comes from several partitions.
const SEVERAL_PARTITIONS: usize = 10;

/// Which page is wanted.
pub(in super::super) struct Paging<'r> {
    pub(in super::super) consistent: bool,
    pub(in super::super) limit: Option<usize>,
    pub(in super::super) next_token: Option<&'r str>,
    /// The statement and its parameters, to which a token is bound.
    pub(in super::super) statement: &'r str,
    pub(in super::super) parameters: Vec<Value>,
}

/// A page of a SELECT.
pub(in super::super) struct Selected {
    pub(in super::super) items: Vec<AttributeMap>,
    pub(in super::super) last: Option<Item>,
    pub(in super::super) next_token: Option<String>,
    pub(in super::super) capacity: Capacity,
}

/// Reads a page.
pub(in super::super) async fn select(
    engine: &Engine,
    reference: &TableReference,
    select: &Select,
    paging: Paging<'_>,
) -> Result<Selected, ApiError> {
    let entry = reference.usable(engine)?;
    let table = &entry.table;
    let source = source(table, select.from.index.as_deref())?;
    if paging.consistent && source.index.is_some_and(|index| index.global) {
        return Err(ApiError::validation(
            "Strongly consistent read is not supported on Global Secondary Indexes",
        ));
    }
    let Plan { access, rest } = plan(source.key(), source.index.is_none(), select)?;
    check_projection_scalars(table, select.projection.as_ref())?;
    check_projected(&source, rest.as_ref())?;
    let projection = select.projection.clone();
    let selection = Selection::new(&source, None, projection, "", rest.as_ref())?;
    check_filter_scalars(table, rest.as_ref())?;

    let purpose = Purpose::new(paging.statement, paging.parameters, &table.uuid);
    let start = paging.next_token.map(|token| purpose.start(token)).transpose()?;
    let (ranges, direction) = ranges(&source, &access)?;
    let mut left = match ranges.len() {
        0 | 1 => paging.limit,
        _ => Some(paging.limit.map_or(SEVERAL_PARTITIONS, |limit| limit.min(SEVERAL_PARTITIONS))),
    };
    let first = start.as_ref().map_or(0, |start| start.partition);
    if first >= ranges.len() {
        return Err(mismatch());
    }
    let mut selected =
        Selected { items: Vec::new(), last: None, next_token: None, capacity: Capacity::default() };
    for (partition, range) in ranges.into_iter().enumerate().skip(first) {
        let range = match start.as_ref().filter(|start| start.partition == partition) {
            Some(start) => behind(&source, range, &start.position, direction)?,
            None => range,
        };
        let read = PageRead {
            source,
            range,
            direction,
            limit: left,
            filter: rest.as_ref(),
            fetch: selection.fetch,
            consistent: paging.consistent,
        };
        let mut page = engine.read_page(read).await?;
        left = left.map(|left| left.saturating_sub(page.scanned));
        selected.capacity.add(&page.capacity);
        selected.items.extend(selection.items(&mut page)?.unwrap_or_default());
        // The one item of a full key is all there is.
        let last = page.last.filter(|_| !matches!(access, Access::Get(_)));
        if let Some(position) = last {
            let start = Start { partition, position };
            selected.next_token = Some(purpose.token(&start));
            selected.last = Some(start.position);
            break;
        }
    }
    Ok(selected)
}

/// What is read; the texts are those of statements.
fn source<'t>(table: &'t Table, index: Option<&str>) -> Result<Source<'t>, ApiError> {
    let Some(name) = index else { return Ok(Source { table, index: None }) };
    let index = items::indexes(table).find(|index| index.name == name);
    let index =
        index.ok_or_else(|| ApiError::validation("The table does not have the specified index"))?;
    if index.building {
        return Err(ApiError::validation(format!(
            "Cannot read from backfilling global secondary index: {name}"
        )));
    }
    Ok(Source { table, index: Some(index) })
}

/// A statement's filter is confined to what the index holds, local or global.
fn check_projected(source: &Source<'_>, rest: Option<&Condition>) -> Result<(), ApiError> {
    let Some(index) = source.index else { return Ok(()) };
    let mut missing: Vec<&str> = Vec::new();
    for name in rest.into_iter().flat_map(Condition::attributes) {
        if !index.holds(source.table, name) && !missing.contains(&name) {
            missing.push(name);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(ApiError::parameters(format!(
        "Secondary index {} does not project one or more filter attributes: [{}]",
        index.name,
        missing.join(", ")
    )))
}

/// The keys to read, in their order.
fn ranges(source: &Source<'_>, access: &Access) -> Result<(Vec<KeyRange>, Direction), ApiError> {
    let keyed = |condition: &KeyCondition| match source.check_condition(condition) {
        Ok(()) => Ok(source.query_range(condition)),
        Err(error) => Err(ApiError::validation(error.to_string())),
    };
    Ok(match access {
        Access::Get(condition) => (vec![keyed(condition)?], Direction::Forward),
        Access::Query { ranges, direction } => {
            (ranges.iter().map(keyed).collect::<Result<_, _>>()?, *direction)
        }
        Access::Scan => (vec![source.scan_range(None)], Direction::Forward),
    })
}

/// What is left of a range behind a position, which must be in it.
fn behind(
    source: &Source<'_>,
    range: KeyRange,
    position: &Item,
    direction: Direction,
) -> Result<KeyRange, ApiError> {
    let stored = source.start_key(position).map_err(|_| mismatch())?;
    if range.contains(&stored) { Ok(range.after(&stored, direction)) } else { Err(mismatch()) }
}
