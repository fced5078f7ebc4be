//! PutItem.

use super::{item_answer::ItemAnswer, wants_old};
use crate::{
    arn::TableReference,
    error::ApiError,
    expressions::{Expressions, Parameters, expected},
    wire::{AttributeMap, PutItemInput, PutItemOutput},
};
use engine::{
    Engine,
    items::{Action, ItemWrite},
};
use expression::{Cache, Kind};
use value::{MAX_ITEM_SIZE, item_size};

pub(crate) async fn put_item(
    engine: &Engine,
    cache: &Cache,
    request: PutItemInput,
) -> Result<PutItemOutput, ApiError> {
    let parameters = Parameters {
        expressions: &[(Kind::Condition, request.condition_expression.is_some())],
        legacy: &[
            ("Expected", request.expected.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        with_values: &[Kind::Condition],
    };
    parameters.check(
        request.expression_attribute_names.as_ref(),
        request.expression_attribute_values.as_ref(),
    )?;
    let item = request.item.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let wants_old = wants_old(request.return_values.as_ref())?;
    if item_size(&item) > MAX_ITEM_SIZE {
        return Err(ApiError::request("Item size has exceeded the maximum allowed size"));
    }
    let legacy = expected(request.expected, request.conditional_operator.as_ref())?;
    let mut expressions = Expressions::new(
        cache,
        request.expression_attribute_names,
        request.expression_attribute_values,
    )?;
    let condition = expressions.condition(request.condition_expression.as_deref())?.or(legacy);
    expressions.finish()?;
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let answer = ItemAnswer {
        table: &entry.table,
        given: &reference.given,
        capacity: request.return_consumed_capacity.as_ref(),
        collection: request.return_item_collection_metrics.as_ref(),
        failed_item: request.return_values_on_condition_check_failure.as_ref(),
    };
    let partition = answer.partition(&item);
    let write = ItemWrite { action: Action::Put(item), condition };
    let written = engine.write_item(entry.clone(), write).await;
    let written = written.map_err(|error| answer.error(error))?;
    Ok(PutItemOutput {
        consumed_capacity: answer.consumed(&written),
        item_collection_metrics: answer.collection_metrics(&written, partition),
        attributes: written.old.filter(|_| wants_old).map(AttributeMap::Encoded),
    })
}
