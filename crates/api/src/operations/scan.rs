//! Scan.

use super::{
    query::count,
    selection::{
        Selection, check_consistency, check_filter_scalars, check_projection_scalars, source,
    },
    start_key::{self, Reader},
};
use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    expressions::{Expressions, Parameters, legacy_filter},
    wire::{AttributeMap, Integer, ScanInput, ScanOutput},
};
use engine::pages::Direction;
use engine::{Engine, pages::PageRead};
use expression::{Cache, Kind, legacy};

pub(crate) async fn scan(
    engine: &Engine,
    cache: &Cache,
    request: ScanInput,
) -> Result<ScanOutput, ApiError> {
    let parameters = Parameters {
        expressions: &[
            (Kind::Projection, request.projection_expression.is_some()),
            (Kind::Filter, request.filter_expression.is_some()),
        ],
        legacy: &[
            ("AttributesToGet", request.attributes_to_get.is_some()),
            ("ScanFilter", request.scan_filter.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        with_values: &[Kind::Filter],
    };
    parameters.check(
        request.expression_attribute_names.as_ref(),
        request.expression_attribute_values.as_ref(),
    )?;
    let names = request.attributes_to_get.as_deref();
    let legacy_projection = names.map(legacy::attributes_to_get).transpose()?;
    let legacy_filter = legacy_filter(request.scan_filter, request.conditional_operator.as_ref())?;
    let start = start_key::values(request.exclusive_start_key)?;
    let segment = segment(request.segment, request.total_segments)?;
    let mut expressions = Expressions::new(
        cache,
        request.expression_attribute_names,
        request.expression_attribute_values,
    )?;
    let filter = expressions.filter(request.filter_expression.as_deref())?.or(legacy_filter);
    let projection = expressions.projection(request.projection_expression.as_deref())?;
    expressions.finish()?;

    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let source = source(&entry.table, request.index_name.as_deref())?;
    let consistent = request.consistent_read.unwrap_or(false);
    check_consistency(&source, consistent)?;
    let start_at = start_key::stored(&source, start.as_ref(), Reader::Scan)?;
    let parameter =
        if legacy_projection.is_some() { "AttributesToGet" } else { "ProjectionExpression" };
    let projection = projection.or(legacy_projection);
    let nested = check_projection_scalars(&entry.table, projection.as_ref());
    let select = request.select.as_ref();
    let selection = Selection::new(&source, select, projection, parameter, filter.as_ref())?;
    let range = source.scan_range(segment);
    if let (Some(start), Some((segment, total))) = (&start_at, segment)
        && !range.contains(start)
    {
        return Err(ApiError::validation(format!(
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use \
             ExclusiveStartKey with correct Segment. TotalSegments: {total} Segment: {segment}"
        )));
    }
    nested?;
    check_filter_scalars(&entry.table, filter.as_ref())?;

    let read = PageRead {
        source,
        range: start_key::rest(range, start_at.as_ref(), Direction::Forward),
        direction: Direction::Forward,
        limit: request.limit.and_then(|limit| usize::try_from(limit.0).ok()),
        filter: filter.as_ref(),
        fetch: selection.fetch,
        consistent,
    };
    let mut page = engine.read_page(read).await?;
    let wanted = request.return_consumed_capacity.as_ref();
    Ok(ScanOutput {
        count: Some(count(page.items.len())),
        scanned_count: Some(count(page.scanned)),
        items: selection.items(&mut page)?,
        last_evaluated_key: page.last.take().map(AttributeMap::Item),
        consumed_capacity: consumed(wanted, &reference.given, &page.capacity),
    })
}

/// The segment and how many there are, if the scan is one of several.
fn segment(
    segment: Option<Integer>,
    total: Option<Integer>,
) -> Result<Option<(u64, u64)>, ApiError> {
    let number = |value: Integer| u64::try_from(value.0).unwrap_or(0);
    match (segment.map(number), total.map(number)) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(ApiError::request(
            "The TotalSegments parameter is required but was not present in the request when Segment \
             parameter is present",
        )),
        (None, Some(_)) => Err(ApiError::request(
            "The Segment parameter is required but was not present in the request when parameter \
             TotalSegments is present",
        )),
        (Some(segment), Some(total)) if segment >= total => Err(ApiError::request(format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: \
             Segment: {segment} is not less than TotalSegments: {total}"
        ))),
        (Some(segment), Some(total)) => Ok(Some((segment, total))),
    }
}
