//! GetItem.

use crate::{
    arn::TableReference,
    consumed::consumed,
    error::ApiError,
    expressions::{Expressions, Parameters},
    wire::{AttributeMap, GetItemInput, GetItemOutput},
};
use bytes::Bytes;
use engine::{
    Engine,
    items::{Capacity, ItemError, PrimaryKey, check_scalars},
};
use expression::{Cache, Kind, Projection, legacy};
use value::codec;

pub(crate) async fn get_item(
    engine: &Engine,
    cache: &Cache,
    request: GetItemInput,
) -> Result<GetItemOutput, ApiError> {
    let parameters = Parameters {
        expressions: &[(Kind::Projection, request.projection_expression.is_some())],
        legacy: &[("AttributesToGet", request.attributes_to_get.is_some())],
        with_values: &[],
    };
    parameters.check(request.expression_attribute_names.as_ref(), None)?;
    let key = request.key.map(AttributeMap::into_item).transpose()?.unwrap_or_default();
    let legacy = request.attributes_to_get.as_deref().map(legacy::attributes_to_get).transpose()?;
    let mut expressions = Expressions::new(cache, request.expression_attribute_names, None)?;
    let projection = expressions.projection(request.projection_expression.as_deref())?.or(legacy);
    expressions.finish()?;
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.usable(engine)?;
    let key = PrimaryKey::from_key(&entry.table, &key).map_err(ItemError::from)?;
    if let Some(projection) = &projection {
        check_scalars(&entry.table, projection.nested_paths()).map_err(ItemError::from)?;
    }
    let found = engine.get_item(&entry, &key, request.consistent_read.unwrap_or(false)).await?;
    let capacity = Capacity::of_table(found.units);
    let project = |bytes: Bytes| match &projection {
        Some(projection) => selected(projection, &bytes),
        None => Ok(AttributeMap::Encoded(bytes)),
    };
    Ok(GetItemOutput {
        item: found.item.map(project).transpose()?,
        consumed_capacity: consumed(
            request.return_consumed_capacity.as_ref(),
            &reference.given,
            &capacity,
        ),
    })
}

fn selected(projection: &Projection, bytes: &[u8]) -> Result<AttributeMap, ApiError> {
    Ok(AttributeMap::Item(projection.apply(&codec::decode(bytes)?)))
}
