//! DeleteItem.

use super::{item_answer::ItemAnswer, wants_old};
use crate::{
    arn::TableReference,
    error::ApiError,
    expressions::{Expressions, Parameters, expected},
    wire::{AttributeMap, DeleteItemInput, DeleteItemOutput},
};
use engine::{
    Engine,
    items::{Action, ItemWrite},
};
use expression::{Cache, Kind};

pub(crate) async fn delete_item(
    engine: &Engine,
    cache: &Cache,
    request: DeleteItemInput,
) -> Result<DeleteItemOutput, ApiError> {
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
    let key = request.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let wants_old = wants_old(request.return_values.as_ref())?;
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
    let partition = answer.partition(&key);
    let write = ItemWrite { action: Action::Delete(key), condition };
    let written = engine.write_item(entry.clone(), write).await;
    let written = written.map_err(|error| answer.error(error))?;
    Ok(DeleteItemOutput {
        consumed_capacity: answer.consumed(&written),
        item_collection_metrics: answer.collection_metrics(&written, partition),
        attributes: written.old.filter(|_| wants_old).map(AttributeMap::Encoded),
    })
}
