//! DeleteItem.

use super::{refuse_members, wants_old};
use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    wire::{AttributeMap, DeleteItemInput, DeleteItemOutput},
};
use engine::{Engine, items::ItemWrite};

pub(crate) async fn delete_item(
    engine: &Engine,
    request: DeleteItemInput,
) -> Result<DeleteItemOutput, ApiError> {
    unsupported(&request)?;
    let key = request.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let wants_old = wants_old(request.return_values.as_ref())?;
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let written = engine.write_item(entry, ItemWrite::Delete(key)).await?;
    Ok(DeleteItemOutput {
        attributes: written.old.filter(|_| wants_old).map(AttributeMap::Encoded),
        consumed_capacity: consumed(
            request.return_consumed_capacity.as_ref(),
            &reference.given,
            &written.capacity,
        ),
        ..DeleteItemOutput::default()
    })
}

fn unsupported(request: &DeleteItemInput) -> Result<(), ApiError> {
    refuse_members(&[
        ("ConditionExpression", request.condition_expression.is_some()),
        ("Expected", request.expected.is_some()),
        ("ConditionalOperator", request.conditional_operator.is_some()),
        ("ExpressionAttributeNames", request.expression_attribute_names.is_some()),
        ("ExpressionAttributeValues", request.expression_attribute_values.is_some()),
    ])
}
