//! PutItem.

use super::{refuse_members, wants_old};
use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    wire::{AttributeMap, PutItemInput, PutItemOutput},
};
use engine::{Engine, items::ItemWrite};
use value::{MAX_ITEM_SIZE, item_size};

pub(crate) async fn put_item(
    engine: &Engine,
    request: PutItemInput,
) -> Result<PutItemOutput, ApiError> {
    unsupported(&request)?;
    let item = request.item.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let wants_old = wants_old(request.return_values.as_ref())?;
    if item_size(&item) > MAX_ITEM_SIZE {
        return Err(ApiError::request("Item size has exceeded the maximum allowed size"));
    }
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let written = engine.write_item(entry, ItemWrite::Put(item)).await?;
    Ok(PutItemOutput {
        attributes: written.old.filter(|_| wants_old).map(AttributeMap::Encoded),
        consumed_capacity: consumed(
            request.return_consumed_capacity.as_ref(),
            &reference.given,
            &written.capacity,
        ),
        ..PutItemOutput::default()
    })
}

fn unsupported(request: &PutItemInput) -> Result<(), ApiError> {
    refuse_members(&[
        ("ConditionExpression", request.condition_expression.is_some()),
        ("Expected", request.expected.is_some()),
        ("ConditionalOperator", request.conditional_operator.is_some()),
        ("ExpressionAttributeNames", request.expression_attribute_names.is_some()),
        ("ExpressionAttributeValues", request.expression_attribute_values.is_some()),
    ])
}
