//! GetItem.

use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    wire::{AttributeMap, GetItemInput, GetItemOutput},
};
use engine::{
    Engine,
    items::{Capacity, PrimaryKey},
};

pub(crate) async fn get_item(
    engine: &Engine,
    request: GetItemInput,
) -> Result<GetItemOutput, ApiError> {
    unsupported(&request)?;
    let key = request.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let key = PrimaryKey::from_key(&entry.table, &key).map_err(engine::items::ItemError::from)?;
    let found = engine.get_item(&entry, &key, request.consistent_read.unwrap_or(false)).await?;
    let capacity = Capacity::of_table(found.units);
    Ok(GetItemOutput {
        item: found.item.map(AttributeMap::Encoded),
        consumed_capacity: consumed(
            request.return_consumed_capacity.as_ref(),
            &reference.given,
            &capacity,
        ),
    })
}

fn unsupported(request: &GetItemInput) -> Result<(), ApiError> {
    super::refuse_members(&[
        ("AttributesToGet", request.attributes_to_get.is_some()),
        ("ProjectionExpression", request.projection_expression.is_some()),
        ("ExpressionAttributeNames", request.expression_attribute_names.is_some()),
    ])
}
