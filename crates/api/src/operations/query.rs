//! Query.

use super::{
    selection::{
        Selection, check_consistency, check_filter_scalars, check_projection_scalars, source,
    },
    start_key::{self, Reader},
};
use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    expressions::{Expressions, Parameters, key_conditions, legacy_filter},
    wire::{AttributeMap, Integer, QueryInput, QueryOutput},
};
use engine::pages::Direction;
use engine::{
    Engine,
    pages::{KeyRange, PageRead, Source},
    table::KeyAttribute,
};
use expression::{
    Cache, Condition, ExpressionError, KeyCondition, KeyConditionError, KeySchema, KeyTests, Kind,
    legacy,
};
use value::KeyType;

pub(crate) async fn query(
    engine: &Engine,
    cache: &Cache,
    request: QueryInput,
) -> Result<QueryOutput, ApiError> {
    let by_expression = request.key_condition_expression.is_some();
    let parameters = Parameters {
        expressions: &[
            (Kind::Projection, request.projection_expression.is_some()),
            (Kind::Filter, request.filter_expression.is_some()),
            (Kind::KeyCondition, by_expression),
        ],
        // Old key conditions go with new filters and projections.
        legacy: &[
            ("AttributesToGet", request.attributes_to_get.is_some()),
            ("QueryFilter", request.query_filter.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
            ("KeyConditions", request.key_conditions.is_some() && by_expression),
        ],
        with_values: &[Kind::Filter, Kind::KeyCondition],
    };
    parameters.check(
        request.expression_attribute_names.as_ref(),
        request.expression_attribute_values.as_ref(),
    )?;
    let old_filter = request.query_filter.is_some();
    let legacy_filter = legacy_filter(request.query_filter, request.conditional_operator.as_ref())?;
    let names = request.attributes_to_get.as_deref();
    let legacy_projection = names.map(legacy::attributes_to_get).transpose()?;
    let start = start_key::values(request.exclusive_start_key)?;
    if !by_expression && request.key_conditions.is_none() {
        return Err(ExpressionError::from(KeyConditionError::NothingGiven).into());
    }
    let mut expressions = Expressions::new(
        cache,
        request.expression_attribute_names,
        request.expression_attribute_values,
    )?;
    let tests = expressions.key_condition(request.key_condition_expression.as_deref())?;
    let filter = expressions.filter(request.filter_expression.as_deref())?.or(legacy_filter);
    let projection = expressions.projection(request.projection_expression.as_deref())?;
    expressions.finish()?;
    let tests = match tests {
        Some(tests) => Some(tests),
        None => key_conditions(request.key_conditions)?,
    };

    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let source = source(&entry.table, request.index_name.as_deref())?;
    let consistent = request.consistent_read.unwrap_or(false);
    check_consistency(&source, consistent)?;
    let start_at = start_key::stored(&source, start.as_ref(), Reader::Query)?;
    let condition = against(&source, tests)?;
    let range = source.query_range(&condition);
    if let Some(start) = &start_at {
        check_start(&source, &condition, &range, start)?;
    }
    let parameter =
        if legacy_projection.is_some() { "AttributesToGet" } else { "ProjectionExpression" };
    let projection = projection.or(legacy_projection);
    check_projection_scalars(&entry.table, projection.as_ref())?;
    check_filter_keys(&source, filter.as_ref(), old_filter)?;
    let select = request.select.as_ref();
    let selection = Selection::new(&source, select, projection, parameter, filter.as_ref())?;
    check_filter_scalars(&entry.table, filter.as_ref())?;

    let direction = match request.scan_index_forward {
        Some(false) => Direction::Backward,
        _ => Direction::Forward,
    };
    let read = PageRead {
        source,
        range: start_key::rest(range, start_at.as_ref(), direction),
        direction,
        limit: request.limit.and_then(|limit| usize::try_from(limit.0).ok()),
        filter: filter.as_ref(),
        fetch: selection.fetch,
        consistent,
    };
    let mut page = engine.read_page(read).await?;
    let wanted = request.return_consumed_capacity.as_ref();
    Ok(QueryOutput {
        count: Some(count(page.items.len())),
        scanned_count: Some(count(page.scanned)),
        items: selection.items(&mut page)?,
        last_evaluated_key: page.last.take().map(AttributeMap::Item),
        consumed_capacity: consumed(wanted, &reference.given, &page.capacity),
    })
}

pub(super) fn count(count: usize) -> Integer {
    Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The key condition, held against the key of what is read.
fn against(source: &Source<'_>, tests: Option<KeyTests>) -> Result<KeyCondition, ApiError> {
    fn typed(attributes: &[KeyAttribute]) -> Vec<(&str, KeyType)> {
        attributes.iter().map(|attribute| (attribute.name.as_str(), attribute.kind)).collect()
    }
    let key = source.key();
    let (partition, sort) = (typed(&key.partition), typed(&key.sort));
    let schema = KeySchema { partition: &partition, sort: &sort };
    let condition = tests.map(|tests| tests.against(schema)).transpose();
    let condition = condition.map_err(|error| ApiError::validation(error.to_string()))?;
    let condition =
        condition.ok_or_else(|| ApiError::validation("Query key condition not supported"))?;
    source.check_condition(&condition).map_err(|error| ApiError::validation(error.to_string()))?;
    Ok(condition)
}

/// A starting key must be where the query reads.
fn check_start(
    source: &Source<'_>,
    condition: &KeyCondition,
    range: &KeyRange,
    start: &[u8],
) -> Result<(), ApiError> {
    let one_row = source.index.is_none() && condition.sort.len() == source.key().sort.len();
    let text = if range.contains(start) {
        return Ok(());
    } else if source.partition_range(condition).contains(start) {
        "The provided starting key does not match the range key predicate"
    } else if one_row && !condition.sort.is_empty() {
        "The query can return at most one row and cannot be restarted"
    } else {
        "The provided starting key is outside query boundaries based on provided conditions"
    };
    Err(ApiError::validation(text))
}

/// A filter must leave the keys that are queried to the key condition.
fn check_filter_keys(
    source: &Source<'_>,
    filter: Option<&Condition>,
    legacy: bool,
) -> Result<(), ApiError> {
    let is_key = |name: &&str| source.key().attributes().any(|attribute| attribute.name == **name);
    match filter.into_iter().flat_map(Condition::attributes).find(is_key) {
        Some(name) if legacy => {
            Err(ApiError::validation(KeyConditionError::QueryFilterOnKey(name.into()).to_string()))
        }
        Some(name) => {
            Err(ApiError::validation(KeyConditionError::FilterOnKey(name.into()).to_string()))
        }
        None => Ok(()),
    }
}
