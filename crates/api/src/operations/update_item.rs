//! UpdateItem.

use super::item_answer::ItemAnswer;
use crate::{
    arn::TableReference,
    error::ApiError,
    expressions::{Expressions, Parameters, attribute_updates, expected},
    wire::{AttributeMap, ReturnValue, UpdateItemInput, UpdateItemOutput},
};
use engine::{
    Engine,
    items::{Action, ItemWrite, Written},
};
use expression::{Cache, Kind};

pub(crate) async fn update_item(
    engine: &Engine,
    cache: &Cache,
    request: UpdateItemInput,
) -> Result<UpdateItemOutput, ApiError> {
    let parameters = Parameters {
        expressions: &[
            (Kind::Update, request.update_expression.is_some()),
            (Kind::Condition, request.condition_expression.is_some()),
        ],
        legacy: &[
            ("AttributeUpdates", request.attribute_updates.is_some()),
            ("Expected", request.expected.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        with_values: &[Kind::Update, Kind::Condition],
    };
    parameters.check(
        request.expression_attribute_names.as_ref(),
        request.expression_attribute_values.as_ref(),
    )?;
    let key = request.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let legacy_update = attribute_updates(request.attribute_updates)?;
    let legacy_condition = expected(request.expected, request.conditional_operator.as_ref())?;
    let mut expressions = Expressions::new(
        cache,
        request.expression_attribute_names,
        request.expression_attribute_values,
    )?;
    let update = expressions.update(request.update_expression.as_deref())?.unwrap_or(legacy_update);
    let condition = expressions.condition(request.condition_expression.as_deref())?;
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
    let write = ItemWrite {
        action: Action::Update { key, update },
        condition: condition.or(legacy_condition),
    };
    let written = engine.write_item(entry.clone(), write).await;
    let written = written.map_err(|error| answer.error(error))?;
    Ok(UpdateItemOutput {
        consumed_capacity: answer.consumed(&written),
        item_collection_metrics: answer.collection_metrics(&written, partition),
        attributes: attributes(written, request.return_values.as_ref()),
    })
}

/// The attributes `ReturnValues` asks for; an empty selection is left out.
fn attributes(written: Written, wanted: Option<&ReturnValue>) -> Option<AttributeMap> {
    let touched = |(updated, old): (expression::Updated, Option<value::Item>), new: bool| {
        let item = if new { updated.updated_new() } else { updated.updated_old(old.as_ref()) };
        (!item.is_empty()).then_some(AttributeMap::Item(item))
    };
    match wanted {
        Some(ReturnValue::AllOld) => written.old.map(AttributeMap::Encoded),
        Some(ReturnValue::AllNew) => written.new.map(AttributeMap::Encoded),
        Some(ReturnValue::UpdatedOld) => touched(written.updated?, false),
        Some(ReturnValue::UpdatedNew) => touched(written.updated?, true),
        _ => None,
    }
}
